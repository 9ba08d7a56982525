/* Calls by lot. What is drawn need not fit together: then all is drawn again. */
#include "subjects_of_text.h"
#include "trial_text.h"

#include "plan/operation.h"

#include <stdio.h>

#define MOST_COUNT     8000
#define MOST_LARGE     200000
#define MOST_SIMULATED 300
#define MOST_PLACE     20 /* of offsets */

static bool one_in(uint64_t *seed, uint64_t n)
{
    return draw(seed, n) == 0;
}

bool is_simulated(void)
{
    return strstr(device.name, "Oclgrind") != NULL;
}

/* ---- Programs ---------------------------------------------------------------------- */

/* One in three each: the library's, of a table, drawn. */
static void draw_fold(struct trial *trial, uint64_t *seed)
{
    const uint64_t kind = draw(seed, 3);
    size_t num = 0;
    char name[48];

    if (one_in(seed, 6)) { /* sums that may round */
        trial->op = CLFOLD_ADD;
        trial->pair.type =
            one_in(seed, 2) ? CLFOLD_F32 : CLFOLD_F16 + (clfold_type)draw(seed, 3);
        trial->pair.in = one_in(seed, 2) ? trial->pair.type
                                         : CLFOLD_I8 + (clfold_type)draw(seed, LAST_TYPE);
        trial->accuracy = (uint32_t)draw(seed, 3);
        trial->rounds = trial->accuracy > 0;
    } else if (kind == 0) {
        trial->op = CLFOLD_ADD + (clfold_op)draw(seed, LAST_OP);
        trial->pair.in = CLFOLD_I8 + (clfold_type)draw(seed, LAST_TYPE);
        trial->pair.type = CLFOLD_I8 + (clfold_type)draw(seed, LAST_TYPE);
    } else if (kind == 1) {
        while (subject_numbered(num)) {
            ++num;
        }
        trial->subject = subject_numbered(draw(seed, num));
    } else {
        snprintf(name, sizeof(name), "random:%llu",
                 (unsigned long long)(next_random(seed) >> 24));
        trial->subject = subject_named(name);
    }
}

/* One in three is the policy's. Tiles are small, so that each path is taken with little
 * data. */
static void draw_plan(struct trial *trial, uint64_t *seed)
{
    struct debug *plan = &trial->plan;
    const struct algorithm_row *row =
        clfold_algorithm_row((enum algorithm)draw(seed, REDUCE_OFFSETS + 1));

    trial->algorithm = one_in(seed, 3) ? NULL : row->name;
    if (trial->algorithm && row->is_rung) {
        plan->group_size = 2 + (uint32_t)draw(seed, 127);
        plan->max_groups = 2 + (uint32_t)draw(seed, 6);
    } else if (!one_in(seed, 3)) {
        plan->tile = (enum tile_kind)(TILE_VECTOR + draw(seed, 3));
        plan->tile_elements = 16 + (uint32_t)draw(seed, one_in(seed, 2) ? 100 : 600);
        plan->group_size = plan->tile == TILE_GROUP ? 2 + (uint32_t)draw(seed, 63) : 0;
        plan->max_groups = 2 + (uint32_t)draw(seed, 6);
        plan->anchor = (uint32_t)draw(seed, 5);
        plan->ahead = one_in(seed, 4) ? 32 : 0;
        plan->stream_bytes = one_in(seed, 4);
        plan->tier =
            trial_reduces(trial) && one_in(seed, 4) ? MEMORY_LEGACY_64 : MEMORY_NONE;
    }
}

/* Half of the calls are of a whole. */
static void draw_segments(struct trial *trial, uint64_t *seed)
{
    static const clfold_type flags[] = { CLFOLD_U8, CLFOLD_I32, CLFOLD_U64, CLFOLD_I16 };

    if (one_in(seed, 2)) {
        return;
    }
    switch (draw(seed, 5)) {
    case 0:
        trial->width = trial->length = 1;
        break;
    case 1:
        trial->width = 2;
        trial->length = 1;
        break;
    case 2:
        trial->by = CLFOLD_BY_FLAGS;
        trial->head_type = flags[draw(seed, 4)];
        break;
    case 3:
        trial->by = CLFOLD_BY_KEYS;
        trial->head_type = CLFOLD_I8 + (clfold_type)draw(seed, LAST_TYPE);
        trial->loose = one_in(seed, 3);
        break;
    default:
        trial->by = CLFOLD_BY_OFFSETS;
        trial->head_type = one_in(seed, 2) ? CLFOLD_U32 : CLFOLD_U64;
        trial->num_at = one_in(seed, 2);
        trial->tells = one_in(seed, 2);
    }
    trial->lists = trial_reduces(trial) && trial->by && trial->by < CLFOLD_BY_OFFSETS &&
                   one_in(seed, 2);
}

void draw_program(struct trial *trial, uint64_t *seed)
{
    do {
        *trial =
            (struct trial){ .operation = CLFOLD_REDUCE + (clfold_operation)draw(seed, 5),
                            .may_refuse = device.is_rusticl };
        draw_fold(trial, seed);
        draw_plan(trial, seed);
        if (trial->operation != CLFOLD_SELECT) {
            draw_segments(trial, seed);
        } else if (trial->subject) {
            trial->condition = condition_drawn(trial->subject, seed);
            trial->lists = trial->condition->are_runs && one_in(seed, 2);
            trial->rest = one_in(seed, 2);
        }
        trial->reverse = one_in(seed, 4);
        trial->count_at = one_in(seed, 4);
        trial->init = one_in(seed, 3) ? INIT_HOST : INIT_NONE;
        trial->parts = one_in(seed, 8);
        trial->count = trial->parts || trial->width ? trial->length * 2 : 0;
        trial->count += trial->parts;
    } while (!trial_is_valid(trial) || left_out(trial));
}

/* ---- Calls ------------------------------------------------------------------------- */

static size_t draw_count(const struct trial *trial, uint64_t *seed)
{
    const size_t tile = trial->plan.tile_elements + trial->plan.group_size;
    const size_t most = is_simulated()   ? MOST_SIMULATED
                        : trial->subject ? MOST_ELEMENTS
                                         : MOST_COUNT;
    size_t count = draw(seed, most + 1) >> draw(seed, 12);

    if (!trial->subject && !is_simulated() && one_in(seed, 16)) {
        return draw(seed, MOST_LARGE); /* more than the policy's tiles hold */
    }
    if (tile && one_in(seed, 3)) {
        count = tile * (1 + draw(seed, 4)) - 1 + draw(seed, 3);
    }
    return count < most ? count : most;
}

static void draw_rows(struct trial *trial, uint64_t *seed)
{
    const size_t most = trial->count + 1;

    trial->length = 1 + (draw(seed, most) >> draw(seed, 12));
    if (trial->width > 1) {
        trial->width = one_in(seed, 2) ? 16 * (1 + draw(seed, 20)) - 1 + draw(seed, 3)
                                       : 2 + (draw(seed, 300) >> draw(seed, 8));
        trial->count = trial->width * trial->length;
        trial->count *= 1 + draw(seed, 3) * (trial->count < 1000);
    }
}

static void draw_offsets(struct trial *trial, uint64_t *seed)
{
    trial->bad = trial->tells && one_in(seed, 3);
    trial->unknown = trial->bad && trial_reduces(trial);
    trial->empty = one_in(seed, 30) ? 20000 : 0;
    if (is_simulated()) { /* work-items race for what wrong offsets leave */
        trial->bad &= !trial_reduces(trial);
        trial->unknown = false;
        trial->empty = 0;
    }
    trial->more = trial->num_at ? draw(seed, 2000) >> draw(seed, 12) : 0;
}

/* Past a multiple of 64 bytes, as far as the alignment of what has that size allows. */
static size_t draw_shift(bool is_host, size_t size, uint64_t *seed)
{
    const size_t bytes = draw(seed, 64) * (size & (~size + 1));

    return is_host ? bytes % 64 : 0;
}

/* Whether work-items of a group load an element again for lanes past the end, which take
 * no part. In place another one may have stored there: Oclgrind sees a race. */
static bool loads_twice(const struct trial *trial)
{
    return policy_tile(trial->plan.tile) == TILE_GROUP &&
           (trial->subject || trial->by || trial->width ||
            trial->pair.in != trial->pair.type);
}

/* Half of the inits stand in device memory. */
void draw_call(struct trial *trial, const struct trial *program, uint64_t *seed)
{
    do {
        *trial = *program;
        trial->count = draw_count(program, seed);
        if (program->width) {
            draw_rows(trial, seed);
        }
        trial->cut = (enum cuts)draw(seed, NUM_CUTS);
        if (program->by == CLFOLD_BY_OFFSETS) {
            draw_offsets(trial, seed);
        } else if (program->by && trial_reduces(program)) {
            trial->bound = (enum bound)draw(seed, NUM_BOUNDS);
        }
        trial->in_offset = draw(seed, MOST_PLACE);
        trial->out_offset = draw(seed, MOST_PLACE);
        trial->zones = one_in(seed, 2);
        trial->tight = is_simulated() || one_in(seed, 4);
        trial->disorder = one_in(seed, 4);
        trial->in_place = one_in(seed, 4) && !(is_simulated() && loads_twice(trial));
        trial->nan = !trial->subject && one_in(seed, 8);
        trial->rounds = program->rounds || (trial->op == CLFOLD_ADD && one_in(seed, 2) &&
                                            is_float(trial->pair.type));
        if (trial->rounds && one_in(seed, 2)) {
            trial->out_offset = trial->in_offset; /* as in place */
        }
        trial->init = program->init && one_in(seed, 2) ? INIT_DEVICE : program->init;
        trial->total = (enum total_to)draw(seed, TOTAL_BEHIND + 1);
        trial->host = one_in(seed, 16) && !is_simulated();
        trial->in_shift = draw_shift(trial->host, trial_element_size(trial), seed);
        trial->out_shift = draw_shift(trial->host, trial_result_size(trial), seed);
        trial->parts = program->parts ? 1 + draw(seed, 4) : 0;
        if (program->operation == CLFOLD_SELECT) {
            trial->level = draw(seed, 3) ? draw(seed, 257) : draw(seed, 5);
            trial->first = one_in(seed, 3) && !program->count_at ? draw(seed, 3000) : 0;
        }
        trial->seed = next_random(seed) >> 20;
        trial->spare = trial_spare(trial);
    } while (!trial_is_valid(trial) || left_out(trial));
}
