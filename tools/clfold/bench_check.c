#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PIECE_BYTES = 4 * 1024 * 1024 };

static bool read_piece(const struct bench *bench, cl_mem mem, size_t offset, size_t bytes,
                       void *to, struct message *message)
{
    const cl_int error = clEnqueueReadBuffer(bench->session.queue, mem, CL_TRUE, offset,
                                             bytes, to, 0, NULL, NULL);

    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

static bool check_reduce(struct bench *bench, const struct bench_buffers *buffers,
                         const bool used[BENCH_MOST_SETS], char *results,
                         struct bench_row *row, struct message *message)
{
    const size_t num = buffers->sets.num, each = buffers->result_bytes;
    size_t num_used = 0, num_wrong = 0;

    bench_data_next(&bench->data, NULL, row->count);
    if (!read_piece(bench, buffers->results, 0, num * each, results, message)) {
        return false;
    }
    for (size_t i = 0; i < num; i++) {
        num_used += used[i];
        num_wrong += used[i] && !bench_data_agrees(&bench->data, results + i * each);
    }
    row->ok = num_wrong == 0;
    snprintf(row->wrong, sizeof(row->wrong),
             "%zu of the results of %zu sets of buffers differ from the host's",
             num_wrong, num_used);
    return true;
}

static bool check_scan(struct bench *bench, const struct bench_buffers *buffers,
                       char *results, struct bench_row *row, struct message *message)
{
    struct bench_data *const data = &bench->data;
    const size_t size = bench_out_size(&row->one), bytes = row->count * size;

    for (size_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        if (!read_piece(bench, buffers->out[0], at, piece, results, message)) {
            return false;
        }
        bench_data_next(data, results, piece / size);
    }
    row->ok = data->num_wrong == 0;
    snprintf(row->wrong, sizeof(row->wrong),
             "%" PRIu64 " of %zu numbers differ from the host's, number %" PRIu64
             " first",
             data->num_wrong, row->count, data->first_wrong);
    return true;
}

bool bench_check(struct bench *bench, const struct bench_buffers *buffers,
                 const bool used[BENCH_MOST_SETS], struct bench_row *row,
                 struct message *message)
{
    char *const results = malloc(PIECE_BYTES);

    if (!results) {
        return message_set(message, "there is not enough memory to read the results");
    }
    bench_data_begin(&bench->data, &row->one, row->count);
    const bool done = row->one.operation == CLFOLD_REDUCE
                          ? check_reduce(bench, buffers, used, results, row, message)
                          : check_scan(bench, buffers, results, row, message);
    free(results);
    return done;
}
