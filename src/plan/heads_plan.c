/* The stages about heads. Of offsets they make bits for a scan, and find wrong ones:
 * cl/mark_heads.cl. Of flags or keys they make offsets for a reduction, of a scan's flags
 * places for a select: cl/find_heads.cl. */
#include "base/size.h"
#include "plan/plan.h"
#include "plan/scalar.h"
#include "plan/strategy.h"

/* Groups of a launch, and offsets of a group, at least. */
#define CPU_GROUPS 256
#define GPU_GROUPS 2048
#define LEAST_RUN  1024
#define WORD_BITS  32
#define SPARE_WORD 1 /* that is read with the last one */

/* Of mark_heads, and of find_heads and find_places; write_kept has one. */
enum { KERNEL_CLEAR, KERNEL_MARK, KERNEL_BAD };
enum { KERNEL_FIND, KERNEL_COUNT, KERNEL_OFFSETS, KERNEL_LISTS };

/* What a group takes of `num`, of `size` elements each: where work-items may not run
 * long, there are more groups. */
static uint64_t run_of(uint64_t num, const struct job *job, uint32_t group_size,
                       uint32_t size)
{
    const uint64_t elements = job->device->most_elements;
    const uint64_t items = elements > size ? elements / size : 1;
    const uint64_t most = elements ? items * group_size : UINT32_MAX;
    const uint64_t groups = job->device->cpu ? CPU_GROUPS : GPU_GROUPS;
    const uint64_t run = clfold_div_up(num, groups);
    const uint64_t least = LEAST_RUN / size;
    const uint64_t enough = run > least ? run : least;

    return enough < most ? enough : most;
}

/* The same for all algorithms and operators, as far as their texts allow. */
static struct use use_of(enum algorithm algorithm, const struct job *job)
{
    const uint32_t count = job->use.facets & (uint32_t)FACET_BIT(FACET_COUNT_AT);

    return algorithm == MARK_HEADS
               ? (struct use){ .offsets = job->segments.type,
                               .facets = job->use.facets &
                                         (uint32_t)(FACET_BIT(FACET_COUNT_AT) |
                                                    FACET_BIT(FACET_NUM_AT) |
                                                    FACET_BIT(FACET_PART)) }
           : algorithm == FIND_HEADS ? (struct use){ job->segments.by, job->segments.type,
                                                     job->use.offsets, count }
           : algorithm == FIND_PLACES
               ? (struct use){ CLFOLD_BY_FLAGS, CLFOLD_I8, CLFOLD_U64, count }
               : job->use;
}

struct shape clfold_heads_shape(enum algorithm algorithm, const struct job *job,
                                const struct shape *main)
{
    const bool is_any = algorithm == MARK_HEADS; /* tiles make no difference */

    return (struct shape){ .algorithm = algorithm,
                           .tile = { is_any ? TILE_NONE : main->tile.kind,
                                     .group_size = main->tile.group_size },
                           .tail = main->tail,
                           .single = main->single,
                           .use = use_of(algorithm, job) };
}

/* What stages find: how many heads there are, and how many each group found; offsets, or
 * the places of words; the bits. */
static void make_plan(struct stage *stage, const struct job *job,
                      const struct policy *policy)
{
    const struct use *use = &stage->shape.use;
    const enum algorithm algorithm = stage->shape.algorithm;
    const uint32_t group_size = stage->shape.tile.group_size;
    const bool marks = algorithm == MARK_HEADS, of_heads = algorithm == FIND_HEADS;
    const bool has_bits = !marks || job->use.way == CLFOLD_BY_OFFSETS;

    (void)policy;
    stage->cut.count = job->count;
    if (algorithm != WRITE_KEPT) {
        stage->is_shared = use->way != CLFOLD_BY_KEYS || !job->monoid->equal;
        stage->size = (uint32_t)clfold_scalar(use->offsets)->size;
        stage->read_size = use->way ? (uint32_t)clfold_scalar(use->heads)->size : 0;
    }
    stage->num_words = !has_bits ? 0
                       : marks   ? job->count / WORD_BITS + 1 + SPARE_WORD
                                 : clfold_div_up(job->count, WORD_BITS);
    stage->num_offsets =
        marks || of_heads ? job->segments.num_offsets : stage->num_words + 1;
    stage->words_run = run_of(stage->num_words, job, group_size, marks ? 1 : WORD_BITS);
    stage->run = run_of(stage->num_offsets, job, group_size, 1);
    stage->num_groups = marks ? clfold_div_up(stage->num_offsets, stage->run)
                              : clfold_div_up(stage->num_words, stage->words_run);
    stage->num_groups += stage->num_groups == 0; /* one counts, of no elements too */
    stage->first_launch = has_bits ? 0 : KERNEL_MARK;
    stage->num_launches = marks ? KERNEL_BAD : algorithm == WRITE_KEPT ? 1 : KERNEL_LISTS;
    stage->num_launches +=
        marks ? job->segments.finds_bad : of_heads && job->segments.lists;
}

static void hand(struct handed *handed, enum role role, uint64_t at)
{
    handed->roles |= 1u << role;
    handed->at[role] = at;
}

void clfold_plan_hand(struct handed *handed, const struct stage *stage)
{
    const size_t size = stage->size, bits = sizeof(cl_uint);

    if (stage->shape.algorithm == MARK_HEADS) {
        hand(handed, ROLE_HEADS, 0);
        handed->bytes = (size_t)(stage->num_words + stage->num_groups) * bits;
        return;
    }
    const uint64_t offsets_at = (1 + stage->num_groups) * sizeof(cl_ulong) / size;
    const uint64_t bits_at =
        clfold_size_round_up((size_t)(offsets_at + stage->num_offsets) * size, bits) /
        bits;
    handed->bytes = (size_t)(bits_at + stage->num_words) * bits;
    hand(handed, ROLE_COUNTS, 0);
    hand(handed, ROLE_OFFSETS, offsets_at);
    hand(handed, ROLE_BITS, bits_at);
    if (stage->shape.algorithm == FIND_HEADS) {
        hand(handed, ROLE_NUM, 0);
    } else {
        hand(handed, ROLE_HEADS, handed->bytes + SPARE_WORD * bits);
        handed->bytes = (size_t)(handed->at[ROLE_HEADS] + stage->count);
    }
}

static void launch_marks(const struct stage *stage, struct launch *launch)
{
    const uint64_t words = stage->num_words, num = stage->num_offsets;
    const uint64_t groups = stage->num_groups, word = sizeof(cl_uint);

    launch->num = num;
    launch->run = launch->kernel == KERNEL_CLEAR ? stage->words_run : stage->run;
    if (launch->kernel == KERNEL_CLEAR) {
        clfold_launch_moves(launch, clfold_div_up(words, stage->words_run), 0,
                            words * word);
    } else if (launch->kernel == KERNEL_MARK) {
        /* A word has the bits of several offsets, if these are near each other. */
        clfold_launch_moves(launch, groups, num * stage->size,
                            (groups + clfold_least(num, words)) * word);
    } else {
        clfold_launch_moves(launch, 1, groups * word, 2 * sizeof(cl_ulong));
    }
}

/* How many heads there are is not known: as many as there may be. */
static void launch_found(const struct stage *stage, struct launch *launch)
{
    const uint64_t groups = stage->num_groups, counts = groups * sizeof(cl_ulong);
    const uint64_t words = stage->num_words * sizeof(cl_uint);
    const uint64_t num = stage->num_offsets - 1, places = num * stage->size;
    const uint64_t read = stage->count * stage->read_size;

    launch->num = num;
    launch->num_runs = groups;
    launch->run = launch->kernel == KERNEL_LISTS ? stage->run : stage->words_run;
    if (stage->shape.algorithm == WRITE_KEPT) {
        launch->bytes_read = words + num * sizeof(cl_ulong) + read;
    } else if (launch->kernel == KERNEL_FIND) {
        clfold_launch_moves(launch, groups, read, counts + words);
    } else if (launch->kernel == KERNEL_COUNT) {
        clfold_launch_moves(launch, 1, counts, counts);
    } else if (launch->kernel == KERNEL_OFFSETS) {
        clfold_launch_moves(launch, groups, counts + words, places);
    } else {
        clfold_launch_moves(launch, num > 0 ? clfold_div_up(num, stage->run) : 1,
                            places + num * stage->read_size, num * sizeof(cl_ulong));
    }
}

static void make_launch(const struct stage *stage, uint32_t number, struct launch *launch)
{
    (void)number; /* is the kernel's */
    launch->num_words = stage->num_words;
    if (stage->shape.algorithm == MARK_HEADS) {
        launch_marks(stage, launch);
    } else {
        launch_found(stage, launch);
    }
}

const struct strategy clfold_heads_strategy = {
    .plan = make_plan,
    .launch = make_launch,
};
