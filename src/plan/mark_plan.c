/* The launches that come first by offsets, which make bits of them for a scan, and find
 * wrong ones: cl/mark_heads.cl; and those that find offsets: cl/find_heads.cl. */
#include "base/size.h"
#include "plan/scalar.h"
#include "plan/strategy.h"

/* Groups of a launch, and offsets of a group, at least. */
#define CPU_GROUPS 256
#define GPU_GROUPS 2048
#define LEAST_RUN  1024
#define WORD_BITS  32
#define SPARE_WORD 1 /* that is read with the last one */

enum {
    KERNEL_CLEAR,
    KERNEL_MARK,
    KERNEL_BAD,
    NUM_MARKS,
    KERNEL_FIND = NUM_MARKS,
    KERNEL_COUNT,
    KERNEL_OFFSETS,
    KERNEL_LISTS,
    KERNEL_KEPT, /* in place of lists, of a select that scans */
    NUM_KERNELS
};

const char *clfold_kernel_name(const struct monoid *monoid, const struct shape *shape,
                               uint32_t k)
{
    static const char *const marks[] = {
        [KERNEL_CLEAR] = "clfold_clear_heads", [KERNEL_MARK] = "clfold_mark_heads",
        [KERNEL_BAD] = "clfold_find_bad",      [KERNEL_FIND] = "clfold_find_heads",
        [KERNEL_COUNT] = "clfold_count_heads", [KERNEL_OFFSETS] = "clfold_put_offsets",
        [KERNEL_LISTS] = "clfold_put_lists",   [KERNEL_KEPT] = "clfold_write_kept",
    };
    const struct algorithm_row *row = clfold_algorithm_row(shape->algorithm);
    const struct use *use = &shape->use;
    const bool has_bits = use->lifted == CLFOLD_BY_OFFSETS;
    const bool has_marks =
        (has_bits || clfold_use_has(use, FACET_BAD_OUT) || use->found) &&
        shape->algorithm != WIDTHS;
    const uint32_t mark = k - row->num_kernels +
                          (use->found ? KERNEL_FIND
                           : has_bits ? KERNEL_CLEAR
                                      : KERNEL_MARK);

    const uint32_t last = !use->found                                    ? NUM_MARKS
                          : monoid->keeps_scan && !monoid->writes_places ? KERNEL_LISTS
                                                                         : KERNEL_KEPT;

    return k < row->num_kernels         ? row->kernels[k]
           : !has_marks || mark >= last ? NULL
           : mark < KERNEL_LISTS        ? marks[mark]
                                        : marks[mark + monoid->keeps_scan];
}

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

/* Of flags or keys, all in one buffer: how many heads there are, and how many each group
 * found; the offsets; the bits. Of what a scan keeps: the places of words; the bits; and
 * the flags. */
static void plan_found(struct marks *marks, const struct job *job, uint32_t group_size)
{
    const bool of_scan = job->monoid->keeps_scan;
    const size_t size =
        of_scan ? sizeof(cl_ulong) : clfold_scalar(job->use.offsets)->size;

    marks->key_size = (uint32_t)clfold_scalar(job->use.heads)->size;
    marks->num_words = clfold_div_up(job->count, WORD_BITS);
    marks->num_offsets = of_scan ? marks->num_words + 1 : job->segments.num_offsets;
    marks->size = (uint32_t)size;
    marks->words_run = run_of(marks->num_words, job, group_size, WORD_BITS);
    /* One group counts, of no elements too. */
    marks->num_groups = clfold_div_up(marks->num_words, marks->words_run);
    marks->num_groups += marks->num_groups == 0;
    marks->run = run_of(marks->num_offsets, job, group_size, 1);
    marks->offsets_at = (1 + marks->num_groups) * sizeof(cl_ulong) / size;
    marks->bits_at =
        clfold_size_round_up((size_t)(marks->offsets_at + marks->num_offsets) * size,
                             sizeof(cl_uint)) /
        sizeof(cl_uint);
    marks->bytes = (size_t)(marks->bits_at + marks->num_words) * sizeof(cl_uint);
    marks->of_scan = of_scan;
    if (of_scan) {
        marks->flags_at = marks->bytes + SPARE_WORD * sizeof(cl_uint);
        marks->bytes = (size_t)(marks->flags_at + job->count);
        marks->read_size = (uint32_t)clfold_monoid_read_size(job->monoid);
        marks->written_size = (uint32_t)clfold_monoid_written_size(job->monoid);
    }
    marks->num_launches = 3u + (job->segments.lists || job->monoid->writes_places);
}

void clfold_marks_init(struct marks *marks, const struct job *job, uint32_t group_size)
{
    const bool has_bits = job->use.lifted == CLFOLD_BY_OFFSETS;

    *marks = (struct marks){ .num_launches = 0 };
    if (!has_bits && !clfold_use_has(&job->use, FACET_BAD_OUT) && !job->use.found) {
        return;
    }
    if (job->use.found) {
        plan_found(marks, job, group_size);
        return;
    }
    marks->num_offsets = job->segments.num_offsets;
    marks->size =
        (uint32_t)clfold_scalar(has_bits ? job->use.heads : job->use.offsets)->size;
    marks->num_words = has_bits ? job->count / WORD_BITS + 1 + SPARE_WORD : 0;
    marks->words_run = run_of(marks->num_words, job, group_size, 1);
    marks->run = run_of(marks->num_offsets, job, group_size, 1);
    marks->num_groups = clfold_div_up(marks->num_offsets, marks->run);
    marks->bytes = (size_t)(marks->num_words + marks->num_groups) * sizeof(cl_uint);
    marks->num_launches = 1u + has_bits + job->segments.finds_bad;
}

/* How many heads there are is not known: as many as there may be. */
static void launch_found(const struct marks *marks, uint32_t kernel, bool work,
                         struct launch *launch)
{
    const uint64_t counts = marks->num_groups * sizeof(cl_ulong);
    const uint64_t words = marks->num_words * sizeof(cl_uint);
    const uint64_t num = marks->num_offsets - 1, places = num * marks->size;

    kernel += kernel == KERNEL_LISTS && marks->of_scan;
    launch->num = work ? num : 0;
    launch->num_words = work ? marks->num_words : 0;
    launch->num_runs = work ? marks->num_groups : 0;
    launch->run = kernel == KERNEL_LISTS ? marks->run : marks->words_run;
    launch->num_groups = kernel == KERNEL_COUNT   ? 1
                         : kernel == KERNEL_LISTS ? clfold_div_up(num, marks->run)
                                                  : marks->num_groups;
    launch->num_groups += launch->num_groups == 0;
    launch->bytes_read = kernel == KERNEL_FIND    ? launch->count * marks->key_size
                         : kernel == KERNEL_COUNT ? counts
                         : kernel == KERNEL_LISTS ? places + num * marks->key_size
                         : kernel == KERNEL_KEPT
                             ? words + places + launch->count * marks->read_size
                             : counts + words;
    launch->bytes_written = kernel == KERNEL_FIND    ? counts + words
                            : kernel == KERNEL_COUNT ? counts
                            : kernel == KERNEL_LISTS ? num * sizeof(cl_ulong)
                            : kernel == KERNEL_KEPT  ? launch->count * marks->written_size
                                                     : places;
}

void clfold_marks_launch(const struct marks *marks, uint32_t kernel, bool work,
                         struct launch *launch)
{
    if (marks->key_size > 0) {
        launch_found(marks, KERNEL_FIND + kernel, work, launch);
        return;
    }
    kernel += marks->num_words > 0 ? KERNEL_CLEAR : KERNEL_MARK;
    if (kernel == KERNEL_CLEAR) {
        launch->num_groups = clfold_div_up(marks->num_words, marks->words_run);
        launch->bytes_written = marks->num_words * sizeof(cl_uint);
        launch->num_words = work ? marks->num_words : 0;
        launch->run = marks->words_run;
        return;
    }
    launch->num = work ? marks->num_offsets : 0;
    launch->run = marks->run;
    launch->num_words = marks->num_words;
    if (kernel == KERNEL_MARK) {
        launch->num_groups = marks->num_groups;
        launch->bytes_read = marks->num_offsets * marks->size;
        /* A word has the bits of several offsets, if these are near each other. */
        launch->bytes_written =
            (marks->num_groups + (marks->num_offsets < marks->num_words
                                      ? marks->num_offsets
                                      : marks->num_words)) *
            sizeof(cl_uint);
    } else {
        launch->bytes_read = marks->num_groups * sizeof(cl_uint);
        launch->bytes_written = 2 * sizeof(cl_ulong);
    }
}
