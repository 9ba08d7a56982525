/*
 * A layer between a test program and OpenCL.
 *
 * clspy.c defines the cl* functions in the program itself and forwards to the real ones.
 * So it sees static calls, calls by pointer, and calls out of a shared library (link the
 * program with export_dynamic), and it can count them, fail them, and answer for them.
 * The program lists clspy.c among its own sources: out of an archive the linker might
 * take the driver's functions instead.
 *
 * A call that the loader, the driver, or a callback inside a call makes on the same
 * thread passes unseen. All functions may be used from any thread.
 */
#ifndef CLFOLD_TESTS_CLSPY_H
#define CLFOLD_TESTS_CLSPY_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

/* Forgets calls, faults, answers but for posing, and the null device; live objects live
 * on. */
void clspy_reset(void);

/* ---- Counting. Functions go by name; one that clspy_calls.h lacks ends the program. */

/* Calls since clspy_reset; NULL: of all functions, "clCreate*": of all that begin so. */
uint64_t clspy_calls(const char *function);

/* Whether this thread is in a call: its actions are then the driver's, or the spy's. */
bool clspy_inside(void);

/* References that the program holds: made + retained - released. */
enum clspy_kind {
    CLSPY_DEVICE, /* retained ones */
    CLSPY_CONTEXT,
    CLSPY_QUEUE,
    CLSPY_MEM,
    CLSPY_PROGRAM,
    CLSPY_KERNEL,
    CLSPY_EVENT,
    CLSPY_KINDS
};
struct clspy_live {
    int64_t count[CLSPY_KINDS];
};
struct clspy_live clspy_live(void);

/* What has changed since: "kernel +1, event +2", or "" if nothing has. The thread's until
 * the next call. */
const char *clspy_leaks(const struct clspy_live *before);

/* ---- Failing ---- */

/*
 * Makes call number `number`, from 1 and from now on, of `function` or with NULL of all
 * functions fail, once. It is not forwarded, but for a release, which is done and only
 * reported as failed. `code` 0: one that suits the function. Several may be armed.
 */
void clspy_arm(const char *function, uint64_t number, cl_int code);

/* The first call that was made to fail. */
struct clspy_shot {
    bool fired;
    const char *function;
    cl_uint param; /* what an Info function was asked for; else 0 */
    cl_int code;
};

/* Disarms what has not fired, and returns what has, since the first clspy_arm. */
struct clspy_shot clspy_disarm(void);

/* ---- Answering ---- */

/* An Info function's answer to `param` from now on, for all objects. The last one given
 * counts; the bytes are copied. */
void clspy_answer(const char *function, cl_uint param, const void *bytes, size_t size);

/*
 * Posing: where the environment names a vendor in CLSPY_GPU, every device is a GPU of
 * this vendor, and plans are those of its policy. Nothing else about the device changes.
 * Built as a library, clspy.c does so for any program that LD_PRELOAD puts it before.
 */

/*
 * A device that does nothing: commands succeed at once without running, their events are
 * complete, and clEnqueueReadBuffer gives zeros. Maps, builds and all else are real.
 */
void clspy_null_device(bool on);

/* From now on, after clspy_reset as well, a text that was built for a device before is
 * made of the binary of that time, whatever the options: for tests that build the same
 * programs very often, with the same options. */
void clspy_keep_binaries(void);

/* Called before each launch of the program's, outside of it; NULL: nothing is. */
void clspy_before_launch(void (*hook)(void));

/* The options of the last clBuildProgram: "" for NULL, and before the first. The thread's
 * until the next call. */
const char *clspy_build_options(void);

#endif
