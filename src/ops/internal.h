/* What tests, benches and the command may use besides the public header; not exported. */
#ifndef CLFOLD_OPS_INTERNAL_H
#define CLFOLD_OPS_INTERNAL_H

#include "plan/monoid.h"
#include "plan/plan.h"
#include "plan/tune_search.h"

/* Forces tiles, sizes and group counts from the next call on; NULL: as the policy says.
 * Not while another thread uses the context. */
void clfold_context_override(clfold_context *context,
                             const struct plan_override *override);

/* What a traced look-back is given, see scan_trace.cl; a memory that is NULL is left
 * out, but for `tiles`, a clfold_tile_trace for each tile. */
struct scan_trace {
    cl_mem tiles, holds, folded;
    uint64_t folded_room; /* in folded, of ulongs */
    uint32_t block_every, seed;
};

/* clfold_reduce with a monoid in its internal form: elements are num_scalars scalars side
 * by side, a result is num_components cells, and so is `init`, a host value or NULL.
 * Offsets and counts are in elements. */
clfold_status clfold_reduce_monoid(clfold_context *context, cl_command_queue queue,
                                   const struct monoid *monoid, const char *algorithm,
                                   cl_mem in, size_t in_offset, cl_mem out,
                                   size_t out_offset, size_t count, const void *init,
                                   cl_uint num_wait, const cl_event *wait,
                                   cl_event *event);

/* A scan in the same form; results are stored side by side. */
clfold_status clfold_scan_monoid(clfold_context *context, cl_command_queue queue,
                                 const struct monoid *monoid, const char *algorithm,
                                 bool exclusive, cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t count, const void *init,
                                 cl_uint num_wait, const cl_event *wait, cl_event *event);

/* Why look-back does as it does on a device, in words: "tier scoped_64, fair yes, fences
 * yes; ptx_64 dropped: does not build". */
#define CLFOLD_VERDICT_WORDS 512

/* Probes the device anew, a known one too, and keeps what comes of it as a scan would. */
clfold_status clfold_context_probe(clfold_context *context,
                                   char words[CLFOLD_VERDICT_WORDS]);

/* What a context with this callback would know without a probe; none is made. *known
 * false: nothing. */
clfold_status clfold_device_verdict(cl_device_id device,
                                    size_t (*load)(void *user, const char *key,
                                                   void *verdict, size_t size),
                                    void *user, char words[CLFOLD_VERDICT_WORDS],
                                    bool *known);

/* clfold_tune without its file, and what it found. */
struct tune_request {
    cl_command_queue queue;
    clfold_operation operation;
    const clfold_fold *fold;
    size_t count;
    double seconds;
    const struct tuned_numbers *previous;  /* of an older row, or NULL */
    void (*step)(void *user, double part); /* how much of the time is over; or NULL */
    void *user;
};
clfold_status clfold_tune_fold(clfold_context *context,
                               const struct tune_request *request,
                               struct tune_result *result);

/* Refuses what clfold_tune_fold would, among it a count that the device has no room for,
 * but makes no buffers and searches nothing. */
clfold_status clfold_tune_fits(clfold_context *context,
                               const struct tune_request *request);

/* Whether the fold's row is *row from now on, or none where that is NULL. False: there
 * was no time to try anything, so that a row that is there, even one that another process
 * has put there meanwhile, has not lost to anything, and stays. */
bool clfold_tune_row(const struct tune_result *result, const struct tuned_numbers **row);

/* The rows of a text that serve the context's device; CLFOLD_ERROR_DATA: the text is
 * refused, and *why says what for. */
clfold_status clfold_context_rows(const clfold_context *context, const char *text,
                                  size_t length, struct tuning *tuning,
                                  char why[CLFOLD_TUNING_WHY]);

/* What the rows for a device are known by. */
#define CLFOLD_DEVICE_KEY 512
void clfold_context_key(const clfold_context *context, char key[CLFOLD_DEVICE_KEY]);

#endif
