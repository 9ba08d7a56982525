/* What an access of a sub-group touches: sectors, lines and banks. */
#include "nest_run.h"

#include <string.h>

/* Puts the units of `unit` bytes that a work-item touches among the others, sorted. */
static int put_units(int64_t *units, int num, int64_t at, int bytes, int unit)
{
    for (int64_t u = at / unit; u <= (at + bytes - 1) / unit; u++) {
        int i = num;
        while (i > 0 && units[i - 1] > u) {
            i--;
        }
        if (i == 0 || units[i - 1] != u) {
            memmove(&units[i + 1], &units[i], (size_t)(num - i) * sizeof(*units));
            units[i] = u;
            num++;
        }
    }
    return num;
}

static int units_of(const struct run *run, const lane_values at, uint64_t mask, int bytes,
                    int unit, int64_t units[2 * NEST_MOST_LANES + 1])
{
    int num = 0;

    for (int i = 0; i < run->lanes->width; i++) {
        num = mask >> i & 1 ? put_units(units, num, at[i], bytes, unit) : num;
    }
    return num;
}

/* A line that is not there takes the place of the one that was used least recently. */
static void look_up(struct run *run, int array, int64_t line)
{
    const int num = run->lanes->cache / NEST_LINE;
    struct cached *place = &run->cache[0];

    run->launch->looked_up++;
    for (int i = 0; i < num && i < MOST_CACHED; i++) {
        struct cached *const cached = &run->cache[i];
        if (cached->used && cached->array == array && cached->line == line) {
            cached->used = run->launch->looked_up;
            return;
        }
        place = cached->used < place->used ? cached : place;
    }
    run->launch->missed++;
    *place = (struct cached){ array, line, run->launch->looked_up };
}

/* The banks serve as many work-items at once as have one word each in all of them. */
static void count_banks(const struct run *run, const lane_values at, uint64_t mask,
                        int bytes, uint64_t *cells)
{
    const int banks = run->lanes->banks;
    const int words_each = bytes <= 4 ? 1 : bytes / 4;
    const int at_once = banks > words_each ? banks / words_each : 1;

    if (banks <= 0) {
        return; /* not known */
    }
    for (int first = 0; first < run->lanes->width; first += at_once) {
        int64_t words[5 * NEST_MOST_LANES + 1];
        int asked[NEST_MOST_LANES] = { 0 }, num = 0, most = 0;
        for (int i = first; i < first + at_once && i < run->lanes->width; i++) {
            num = mask >> i & 1 ? put_units(words, num, at[i], bytes, 4) : num;
        }
        for (int i = 0; i < num; i++) {
            const int turns = ++asked[words[i] % banks];
            most = turns > most ? turns : most;
        }
        cells[ACCESS_PASSES] += (uint64_t)most;
        cells[ACCESS_EXTRA] += (uint64_t)(most > 0 ? most - 1 : 0);
    }
}

static bool touches(struct run *run, const struct nest_step *step, uint64_t mask,
                    lane_values at)
{
    const struct nest_array *const array = &run->nest->arrays[step->array];
    int64_t before = -1, stride = 1;
    int last = 0;

    memset(at, 0, sizeof(lane_values));
    for (int dim = 0; dim < NEST_RANK && step->indices[dim] != NEST_NONE; dim++) {
        const int64_t length = (int64_t)run->lengths[step->array][dim];
        const int64_t more = dim == 0 ? step->wide - 1 : 0;
        lane_values index;
        run_value(run, step->indices[dim], mask, index);
        for (int i = 0; i < run->lanes->width && !run->failed; i++) {
            if (!(mask >> i & 1)) {
                continue;
            }
            if (index[i] < 0 || index[i] + more >= length) {
                RUN_FAIL(
                    run, step,
                    "dimension %d of %s has %lld elements, and %lld is not one of them",
                    dim + 1, array->name, (long long)length,
                    (long long)(index[i] < 0 ? index[i] : index[i] + more));
            }
            at[i] += index[i] * stride;
        }
        stride *= length;
    }
    for (int i = 0; i < run->lanes->width && !run->failed; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        at[i] = array->offset + at[i] * run->bytes[step->array];
        run->outcome.residue =
            run_mix(run->outcome.residue, before < 0 ? (uint64_t)(at[i] % NEST_LINE)
                                                     : (uint64_t)(at[i] - before));
        if (before >= 0 && run->launch->strides[step->access] == 0) {
            run->launch->strides[step->access] = (at[i] - before) / (i - last);
        }
        before = at[i];
        last = i;
    }
    return !run->failed;
}

void run_end_rounds(struct run *run)
{
    run->is_waiting = run->waits_locally = false;
}

void run_access(struct run *run, const struct nest_step *step, uint64_t mask)
{
    const struct nest_array *const array = &run->nest->arrays[step->array];
    const int bytes = run->bytes[step->array] * step->wide;
    uint64_t *const cells = run->cells + COUNT_CELLS + step->access * ACCESS_CELLS;
    lane_values at;

    if (bytes > MOST_BYTES) {
        RUN_FAIL(run, step, "this moves more than 16 bytes at once");
        return;
    }
    if (!touches(run, step, mask, at)) {
        return;
    }
    cells[ACCESS_REQUESTS]++;
    cells[ACCESS_ITEMS] += (uint64_t)run_bits(mask);
    cells[ACCESS_BYTES] += (uint64_t)(run_bits(mask) * bytes);
    if (array->is_local) {
        count_banks(run, at, mask, bytes, cells);
    } else {
        int64_t units[2 * NEST_MOST_LANES + 1];
        const int sectors = units_of(run, at, mask, bytes, NEST_SECTOR, units);
        const int lines = units_of(run, at, mask, bytes, NEST_LINE, units);
        for (int i = 0; i < lines && run->is_cached && step->kind == STEP_LOAD; i++) {
            look_up(run, step->array, units[i]);
        }
        const int by_lines = (lines + 3) / 4, by_sectors = (sectors + 15) / 16;
        cells[ACCESS_SECTORS] += (uint64_t)sectors;
        cells[ACCESS_LINES] += (uint64_t)lines;
        cells[ACCESS_PASSES] += (uint64_t)(by_lines > by_sectors ? by_lines : by_sectors);
    }
    bool *const waits = array->is_local ? &run->waits_locally : &run->is_waiting;
    if (step->kind == STEP_STORE) {
        run_end_rounds(run);
    } else if (!*waits) {
        *waits = true;
        run->cells[array->is_local ? COUNT_LOCAL_ROUNDS : COUNT_ROUNDS] += run->is_first;
    }
}
