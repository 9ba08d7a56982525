/* A program of a user's own, outside clfold's tree: it knows the public header only. It
 * needs no device. */
#include <clfold/clfold.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    const clfold_fold fold = clfold_builtin(CLFOLD_ADD, CLFOLD_F32);
    clfold_status status;

    if (fold.op != CLFOLD_ADD || fold.type != CLFOLD_F32 || fold.combine) {
        fprintf(stderr, "clfold_builtin gave op %u, type %u\n", (unsigned)fold.op,
                (unsigned)fold.type);
        return 1;
    }
    status = clfold_reduce(NULL, NULL, &fold, NULL, 0, NULL, 0, 1, 0, NULL, NULL);
    if (status != CLFOLD_ERROR_ARGUMENT || !strstr(clfold_last_error(), "context")) {
        fprintf(stderr, "clfold_reduce without a context: %s, %s\n",
                clfold_status_name(status), clfold_last_error());
        return 1;
    }
    if (clfold_version() != CLFOLD_VERSION) {
        fprintf(stderr, "version %u, but the header's is %u\n",
                (unsigned)clfold_version(), (unsigned)CLFOLD_VERSION);
        return 1;
    }
    printf("%u\n", (unsigned)clfold_version());
    return 0;
}
