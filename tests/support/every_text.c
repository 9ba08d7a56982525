#include "every_text.h"

#include "oracle.h"

#include "plan/assemble.h"

#include <stdio.h>
#include <stdlib.h>

struct monoid affine_monoid(clfold_type type)
{
    return (struct monoid){
        .name = "affine",
        .in = type,
        .num_components = 2,
        .has_identity = true,
        .stage_limit = UINT64_MAX,
        .components = { { "a", type, type, "a.a * b.a", "1" },
                        { "b", type, type, "a.b * b.a + b.b", "0" } },
    };
}

static void visit_monoid(const struct monoid *monoid,
                         void (*visit)(void *, const char *, const char *), void *user)
{
    const struct device_facts devices[] = {
        { true, "", "", 4096, 1 << 20 },
        { false, "", "", 1024, 48 << 10 },
    };
    const struct plan_override none = { 0 };

    for (size_t d = 0; d < 2; ++d) {
        struct policy policies[CLFOLD_MAX_CANDIDATES];
        struct tile_shape shapes[CLFOLD_MAX_CANDIDATES];
        uint32_t num = clfold_reduce_shapes(&devices[d], monoid, &none, policies, shapes);
        for (uint32_t i = 0; i < num; ++i) {
            struct text text = { 0 };
            char name[128];
            snprintf(name, sizeof(name), "reduce_%s_%s_%s_%s_%s", monoid->name,
                     name_of(monoid->in), name_of(monoid->components[0].type),
                     clfold_tile_name(shapes[i].kind), d == 0 ? "cpu" : "gpu");
            clfold_assemble_reduce(&text, monoid, &shapes[i]);
            if (text.failed) {
                fprintf(stderr, "%s: no text\n", name);
                exit(1);
            }
            visit(user, name, text.bytes);
            clfold_text_finish(&text);
        }
    }
}

void every_text(void (*visit)(void *user, const char *name, const char *text), void *user)
{
    const struct site site = { NULL, "every_text" };
    const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_MAX };

    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        for (size_t o = 0; o < 2; ++o) {
            struct monoid monoid;
            if (clfold_monoid_init(&monoid, &site, ops[o], all_pairs[p].type,
                                   all_pairs[p].in)) {
                fprintf(stderr, "%s\n", clfold_last_error());
                exit(1);
            }
            visit_monoid(&monoid, visit, user);
        }
    }
    struct monoid ints = affine_monoid(CLFOLD_I32), floats = affine_monoid(CLFOLD_F32);
    visit_monoid(&ints, visit, user);
    visit_monoid(&floats, visit, user);
}
