#include "plan/assemble.h"

#include "plan/kernel_texts.h"
#include "plan/scalar.h"

#include <string.h>

/* A width at which the operator is compiled. */
struct width {
    const char *type, *function; /* "clfold_stage16", "clfold_combine_stage16" */
    const char *suffix;          /* behind the scalar's name: "16" */
    bool stage;                  /* of the component's stage, else of its type */
};

static const struct width widths[] = {
    { "clfold_item", "clfold_combine", "", false },
    { "clfold_stage", "clfold_combine_stage", "", true },
    { "clfold_stage16", "clfold_combine_stage16", "16", true },
};

static void append_file(struct text *text, const char *name)
{
    const struct clfold_kernel_text *file = clfold_kernel_texts;

    while (file->name && strcmp(file->name, name) != 0) {
        ++file;
    }
    if (!file->name) {
        text->failed = true;
        return;
    }
    clfold_text_print(text, "#line 1 \"%s\"\n", name);
    clfold_text_append(text, file->text, file->length);
}

static const char *cl_name(clfold_type type)
{
    return clfold_scalar(type)->cl;
}

/* One width of the operator. With one component the text speaks of a and b themselves. */
static void append_combine(struct text *text, const struct monoid *monoid,
                           const struct width *width)
{
    const struct component *components = monoid->components;
    bool bare = monoid->num_components == 1;

    clfold_text_print(text, "static %s %s(%s %s, %s %s)\n{\n    %s clfold_r;\n",
                      width->type, width->function, width->type, bare ? "clfold_a" : "a",
                      width->type, bare ? "clfold_b" : "b", width->type);
    if (bare) {
        const char *name = components[0].name;
        const char *type =
            cl_name(width->stage ? components[0].stage : components[0].type);
        clfold_text_print(text, "    const %s%s a = clfold_a.%s, b = clfold_b.%s;\n",
                          type, width->suffix, name, name);
    }
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, "    clfold_r.%s =\n#line 1 \"combine\"\n%s\n;\n",
                          components[k].name, components[k].combine);
    }
    clfold_text_print(text, "    return clfold_r;\n}\n");
}

static void append_identity(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "static clfold_item clfold_identity(void)\n{\n"
                            "    clfold_item clfold_r;\n");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, "    clfold_r.%s =\n#line 1 \"identity\"\n%s\n;\n",
                          monoid->components[k].name, monoid->components[k].identity);
    }
    clfold_text_print(text, "    return clfold_r;\n}\n");
}

/* A chunk is 16 bytes, the widest load of a GPU's work-item: at least two scalars, and
 * one element of two f64. */
static void append_chunk(struct text *text, const struct monoid *monoid)
{
    uint32_t chunk = 16 / (uint32_t)clfold_monoid_in_size(monoid);
    uint32_t scalars = chunk * monoid->num_components;

    clfold_text_print(text, "#define CLFOLD_TILE_GROUP 1\n#define CLFOLD_CHUNK %u\n",
                      chunk);
    clfold_text_print(text, "#define CLFOLD_CHUNK_SCALARS %u\n", scalars);
    clfold_text_print(text, "#define CLFOLD_CHUNK_VECTOR %s%u\n", cl_name(monoid->in),
                      scalars);
}

static void append_contract(struct text *text, const struct monoid *monoid,
                            const struct tile_shape *shape)
{
    const struct component *components = monoid->components;

    /* Contraction is on by default, and would change x * x + c between programs. */
    clfold_text_print(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    if (clfold_monoid_uses(monoid, CLFOLD_F64)) {
        clfold_text_print(text,
                          "#ifdef cl_khr_fp64\n"
                          "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n");
    }
    clfold_text_print(text, "#define CLFOLD_IN %s\n", cl_name(monoid->in));
    clfold_text_print(text, "#define CLFOLD_OUT %s\n", cl_name(components[0].type));
    clfold_text_print(text, "#define CLFOLD_COMPONENTS %u\n", monoid->num_components);
    clfold_text_print(text, "#define CLFOLD_EACH(M)");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, " M(%u, %s, %s, %s)", k, components[k].name,
                          cl_name(components[k].stage), cl_name(components[k].type));
    }
    clfold_text_print(text, "\n#define CLFOLD_COMMUTATIVE %d\n", monoid->commutative);
    clfold_text_print(text, "#define CLFOLD_HAS_IDENTITY %d\n", monoid->has_identity);
    clfold_text_print(
        text, "#define CLFOLD_STAGE_LIMIT %u\n",
        (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit : UINT32_MAX));
    clfold_text_print(text, "#define CLFOLD_TILE %uu\n", shape->elements);
    clfold_text_print(text, "#define CLFOLD_GROUP_SIZE %u\n", shape->group_size);
    if (shape->kind == TILE_VECTOR) {
        clfold_text_print(text,
                          "#define CLFOLD_TILE_VECTOR 1\n#define CLFOLD_IN16 %s16\n",
                          cl_name(monoid->in));
    } else {
        append_chunk(text, monoid);
    }
}

void clfold_assemble_reduce(struct text *text, const struct monoid *monoid,
                            const struct tile_shape *shape)
{
    append_contract(text, monoid, shape);
    append_file(text, "contract.cl");
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); ++i) {
        /* A group's tile has no vectors of elements. */
        if (widths[i].suffix[0] == '\0' || shape->kind == TILE_VECTOR) {
            append_combine(text, monoid, &widths[i]);
        }
    }
    if (monoid->has_identity) {
        append_identity(text, monoid);
    }
    append_file(text, shape->kind == TILE_VECTOR ? "tile_vector.cl" : "tile_group.cl");
    append_file(text, "reduce_tiles.cl");
}
