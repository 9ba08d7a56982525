/* The first steps of a call, see state.h. */
#ifndef CLFOLD_OPS_REQUEST_H
#define CLFOLD_OPS_REQUEST_H

#include "ops/program.h"

/* The operation and the count are set. On success the request holds the fold, until
 * clfold_request_finish. */
clfold_status clfold_request_fold(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_fold *fold);

/* The same for a fold that is interned, by the algorithm of that name or NULL. */
clfold_status clfold_request_choose(struct request *request, struct interned *fold,
                                    const char *algorithm);

/* Ends the hold, and drops what is past the context's max_programs. */
void clfold_request_finish(const struct request *request, clfold_context *context);

clfold_status clfold_request_check(struct request *request);

/*
 * Plans the call, and finds or builds its programs. One that does not build drops to the
 * next candidate; with none left the last one's failure is the call's. Look-back
 * needs the device's memory guarantees: the first one probes the device, if nothing is
 * known of it yet. If look-back is impossible, another algorithm takes its place, or the
 * call is rejected if the caller named it.
 */
clfold_status clfold_request_find(struct request *request, struct planned *planned);

/* The same without building or probing, from known facts, for a call whose buffers are
 * not checked. One whose programs are known not to build is planned, too. */
clfold_status clfold_request_foresee(struct request *request, struct planned *planned);

/* Finds and runs. */
clfold_status clfold_request_run(struct request *request, cl_event *event);

/* Whether verify_every counts the call: a reduction whose result has known scalars, which
 * rounding does not hide. */
bool clfold_request_verifiable(const struct request *request);

/* As clfold_request_run, with a check of the result. Blocks. */
clfold_status clfold_request_verify(struct request *request, cl_event *event);

/* All of these for a call of which operation, count, queue, buffers, offsets and waits
 * are given. */
clfold_status clfold_call(struct request *request, const struct site *site,
                          clfold_context *context, const clfold_fold *fold,
                          cl_event *event);

/* Copies a text to a caller's with room for `size` bytes, says how many there must be,
 * and finishes it. */
clfold_status clfold_hand_text(const struct site *site, struct text *whole, char *text,
                               size_t size, size_t *needed);

#endif
