/* The search of tune_search.h on a device, by the library's public calls. Each set of
 * numbers is a row of a file of its own, which a context loads. */
#ifndef CLFOLD_COMMAND_TUNE_RUN_H
#define CLFOLD_COMMAND_TUNE_RUN_H

#include "session.h"
#include "tune_data.h"
#include "tune_search.h"

struct tune_request {
    const struct session *session;
    const char *path;      /* the user's tuning file; candidates are in its folder */
    clfold_context *older; /* has loaded that file; NULL: there is none */
    const struct tuned_numbers *hint; /* better ones of a similar fold, or NULL */
    clfold_operation operation;
    const clfold_fold *fold;
    size_t count;
    uint64_t bytes; /* of buffers, as tune_data_lay_out has them */
    struct tune_buffers *buffers;
    double left, share; /* seconds for all, and the part of what is left of them once the
                           data is there that is for the search */
    void (*step)(void *user); /* called often; NULL: nothing is */
    void *user;
};

bool tune_run(const struct tune_request *request, struct tune_result *result,
              struct message *message);

#endif
