/* The launches that come first by offsets, which make bits of them for a scan, and find
 * wrong ones: cl/mark_heads.cl. */
#include "base/size.h"
#include "plan/scalar.h"
#include "plan/strategy.h"

/* Groups of a launch, and offsets of a group, at least. */
#define GROUPS     256
#define LEAST_RUN  1024
#define WORD_BITS  32
#define SPARE_WORD 1 /* that is read with the last one */

enum { KERNEL_CLEAR, KERNEL_MARK, KERNEL_FIND };

const char *clfold_kernel_name(const struct monoid *monoid, enum algorithm algorithm,
                               uint32_t k)
{
    static const char *const marks[] = {
        [KERNEL_CLEAR] = "clfold_clear_heads",
        [KERNEL_MARK] = "clfold_mark_heads",
        [KERNEL_FIND] = "clfold_find_bad",
    };
    const struct algorithm_row *row = clfold_algorithm_row(algorithm);
    const bool has_bits = monoid->heads == CLFOLD_BY_OFFSETS;
    const bool has_marks = (has_bits || monoid->finds_bad) && algorithm != WIDTHS;
    const uint32_t mark = k - row->num_kernels + (has_bits ? KERNEL_CLEAR : KERNEL_MARK);

    return k < row->num_kernels                                   ? row->kernels[k]
           : has_marks && mark < sizeof(marks) / sizeof(marks[0]) ? marks[mark]
                                                                  : NULL;
}

/* What a group takes of `num`: where work-items may not run long, there are more groups.
 */
static uint64_t run_of(uint64_t num, const struct job *job, uint32_t group_size)
{
    const uint64_t items = job->device->most_elements;
    const uint64_t most = items ? items * group_size : UINT32_MAX;
    const uint64_t run = clfold_div_up(num, GROUPS);
    const uint64_t enough = run > LEAST_RUN ? run : LEAST_RUN;

    return enough < most ? enough : most;
}

void clfold_marks_init(struct marks *marks, const struct job *job, uint32_t group_size)
{
    const bool has_bits = job->monoid->heads == CLFOLD_BY_OFFSETS;

    *marks = (struct marks){ .num_launches = 0 };
    if (!has_bits && !job->monoid->finds_bad) {
        return;
    }
    marks->num_offsets = job->num_offsets;
    marks->size =
        (uint32_t)clfold_scalar(has_bits ? job->monoid->head_type : job->offsets)->size;
    marks->num_words = has_bits ? job->count / WORD_BITS + 1 + SPARE_WORD : 0;
    marks->words_run = run_of(marks->num_words, job, group_size);
    marks->run = run_of(marks->num_offsets, job, group_size);
    marks->num_groups = clfold_div_up(marks->num_offsets, marks->run);
    marks->bytes = (size_t)(marks->num_words + marks->num_groups) * sizeof(cl_uint);
    marks->num_launches = 1u + has_bits + job->finds_bad;
}

void clfold_marks_launch(const struct marks *marks, uint32_t kernel, bool work,
                         struct launch *launch)
{
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
