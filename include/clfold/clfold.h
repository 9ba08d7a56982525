/**
 * \mainpage clfold: reductions and prefix scans for OpenCL
 *
 * A call folds the elements of a buffer with an associative operator. Everything that a
 * call may vary is a field of one value struct, clfold_fold. Each field defaults to zero:
 *
 *     const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
 *     clfold_reduce(ctx, queue, &sum, in, 0, out, 0, count, 0, NULL, &event);
 *
 * C++ programs include this header as it is. Before C++20, which has designators, begin
 * with clfold_builtin() and assign further fields.
 *
 * Rules that hold for every declaration below:
 *
 *   - Zero-initialise every struct. A field called `reserved` must stay zero, otherwise
 *     the call fails with CLFOLD_ERROR_ARGUMENT. Sizes and field order never change
 *     under one soname; new fields come out of `reserved`.
 *   - Offsets and counts are in elements of the buffer's own type, never in bytes. A
 *     field or parameter in bytes says so. Counts and indices in device memory are
 *     cl_ulong.
 *   - What a struct points to needs to live only until the call returns.
 *   - Every function may be called from any thread at any time, on the same context and
 *     queue too. clfold_context_destroy() is the one exception: it must be the last call
 *     on its context. A child of fork() must not use its parent's: docs/devices.md.
 *   - What this version cannot do yet fails with CLFOLD_ERROR_UNSUPPORTED, and
 *     clfold_last_error() names the field or function. Nothing is ignored.
 *   - The library writes to no stream, though a driver may, and to no file outside a
 *     context's cache_folder. Only clfold_context_create() reads the environment:
 *     CLFOLD_SCAN names the algorithm of scans whose fold names none, and CLFOLD_TUNING
 *     the tuning_file of a context whose params name none. An empty variable is not set.
 *   - It needs libOpenCL and runs on devices of OpenCL 1.2 and newer. This header leaves
 *     CL_TARGET_OPENCL_VERSION to the program.
 *
 * Each function's example is a part of tests/device/snippets.c, which clfold's tests run
 * on every device. `ctx` and `queue` are set there, `in` holds 3, 1, 4, 1, 5, 9, 2, 6 as
 * cl_uint, and the assertions are the tests' own.
 */
#ifndef CLFOLD_CLFOLD_H
#define CLFOLD_CLFOLD_H

#include <CL/cl.h>

#include <stddef.h>
#include <stdint.h>

/** major * 10000 + minor * 100 + patch, of this header. \ingroup status */
#define CLFOLD_VERSION 100

#ifndef CLFOLD_API
#if defined(CLFOLD_BUILD) && defined(__GNUC__)
#define CLFOLD_API __attribute__((visibility("default")))
#else
#define CLFOLD_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * \defgroup status Status
 * What a call returns, and the sentence that explains a failure.
 * \{
 */

/**
 * What every call returns: CLFOLD_OK; a negative number, which is OpenCL's own code,
 * unchanged (CL_OUT_OF_HOST_MEMORY if the host's memory runs out); or one of the positive
 * codes here. A program acts on the code; a person reads clfold_last_error().
 */
typedef int clfold_status;

/** Values of a clfold_status that are clfold's own. */
enum {
    CLFOLD_OK = 0, /**< success */
    /** NULL, an unknown value, fields that contradict each other, a foreign object */
    CLFOLD_ERROR_ARGUMENT = 1,
    CLFOLD_ERROR_RANGE = 2, /**< offset + count is past a buffer's end, or overflows */
    /** an output overlaps an input, but not exactly in place */
    CLFOLD_ERROR_OVERLAP = 3,
    /** not on this device (which may lack f64), or not in this version */
    CLFOLD_ERROR_UNSUPPORTED = 4,
    CLFOLD_ERROR_BUILD = 5, /**< OpenCL C does not compile; the message has the log */
    CLFOLD_ERROR_EMPTY = 6, /**< nothing to fold, and neither identity nor init */
    /** verify_every found a result that differs from that of serial folds */
    CLFOLD_ERROR_DATA = 7,
    CLFOLD_ERROR_MPI = 8 /**< a call of MPI failed, in clfold/mpi.h */
};

/**
 * The code's name: "CLFOLD_ERROR_RANGE", "CL_OUT_OF_RESOURCES". Static, never NULL; a
 * code that neither clfold nor OpenCL defines gives "unknown status".
 * \snippet snippets.c clfold_status_name
 */
CLFOLD_API const char *clfold_status_name(clfold_status status);

/**
 * The calling thread's last failure in one sentence that names the argument and its
 * value, or with a compiler's log, and ends in the status's name. Never NULL; "" before
 * the first. The library's, until this thread's next failure; a success leaves it.
 * \snippet snippets.c clfold_last_error
 */
CLFOLD_API const char *clfold_last_error(void);

/**
 * CLFOLD_VERSION of the library that is loaded.
 * \snippet snippets.c clfold_version
 */
CLFOLD_API uint32_t clfold_version(void);

/** \} */

/**
 * \defgroup context Context
 * What a program creates first: its limits, its callbacks and its counters.
 * \{
 */

/**
 * One cl_context and one of its devices (both retained), the programs built for them,
 * scratch memory, and what is known about the device. All state of the library belongs to
 * contexts, except each thread's last error. Create one per program, not one per call.
 * It retains every queue it has lent scratch to, until clfold_context_trim() or
 * clfold_context_destroy().
 */
typedef struct clfold_context clfold_context;

/** What a call does; for clfold_prepare(), clfold_explain() and clfold_launch. */
typedef uint32_t clfold_operation;

/** Values of a clfold_operation. */
enum {
    CLFOLD_REDUCE = 1,
    CLFOLD_INCLUSIVE_SCAN,
    CLFOLD_EXCLUSIVE_SCAN,
    CLFOLD_MAP,
    CLFOLD_SELECT
};

/** Levels of the log. */
enum { CLFOLD_LOG_ERROR = 1, CLFOLD_LOG_WARNING, CLFOLD_LOG_INFO, CLFOLD_LOG_DEBUG };

/** One kernel that a call has just enqueued. */
typedef struct clfold_launch {
    uint64_t call;              /**< the call's number on this context, from 1 */
    clfold_operation operation; /**< what the call does */
    uint32_t index;             /**< the kernel's number in the call, from 0 */
    uint32_t num_launches;      /**< of the call */
    const char *fold;           /**< fold->name, or "" */
    const char *kernel;         /**< "clfold_reduce_tiles"; static */
    cl_event event;             /**< retain it to read its times later */
    uint64_t bytes_read;        /**< from global memory, by design */
    uint64_t bytes_written;     /**< to global memory, by design */
} clfold_launch;

/** Options of a context. Callbacks run on the thread that makes the call, with no lock
 * held. log, on_launch and save_verdict may call clfold; others that load or save must
 * not, since calls of other threads may wait for them. */
typedef struct clfold_context_params {
    /** `message` is one line without a line end, or a compiler's log. If the callback
     * fails in clfold, clfold_last_error() is as before when it returns. NULL: silent. */
    void (*log)(void *user, int level, const char *message);
    /** Called after each kernel of a call is enqueued, but not for those of
     * clfold_prepare() and of the probe. Costs an event for each kernel. */
    void (*on_launch)(void *user, const clfold_launch *launch);
    void *user;    /**< handed to all callbacks */
    int log_level; /**< messages above it are dropped; 0: CLFOLD_LOG_WARNING */
    /** N: of the reductions that can be verified, every Nth is, and therefore blocks. The
     * device folds the input a second time, as "serial" does: pieces of it from the left,
     * then what they give. The result is read back, which the output must allow. If the
     * two differ, the call fails with CLFOLD_ERROR_DATA and leaves its result in the
     * output. 0: none. This finds faults of tiles, of how work-groups share their work,
     * and of memory, and operators that are not associative. It does not find a wrong
     * text, nor what the compiler, the driver or the device does wrong both times.
     *
     * Integers, greatest and least elements, and reproducible sums must be equal. Other
     * floats may differ in half of their digits, or if that is more, by about 2.5
     * sqrt(count) roundings; sums of the built-in operator alone by as much of the sum of
     * all magnitudes. A dot product near 0, where terms cancel, may fail though right.
     *
     * What cannot be verified is not counted: scans, maps and selects, segments, parts,
     * counts at count_at, opaque types, `store`, `out` without `result`, the algorithm
     * "serial", products of floats, sums of f16, and integers made of floats */
    uint32_t verify_every;
    /** A folder in which programs are kept from one process to the next, so that a first
     * call need not build them; NULL: they stay in memory. It is made if need be, with
     * those above it. Many processes may share it. A folder that belongs to another user,
     * that others can write to, or that cannot be opened is not used, with a warning.
     *
     * clfold_prepare(), clfold_context_trim() and clfold_context_destroy() save what was
     * built, on PoCL the last alone. A kept program serves only where text, clfold,
     * platform, device, driver, what the environment tells its compiler, and the CPU of
     * CPU devices are the same. One that is damaged is built again. Errors of the file
     * system fail no call. Nothing is kept for sub-devices, nor where a driver gains
     * nothing: docs/first-call.md */
    const char *cache_folder;
    /** A tuning file, as `clfold tune` writes it, read once, here. NULL: the file that
     * CLFOLD_TUNING names, if it is set; "": none. Its numbers replace the library's own
     * in the calls that its rows serve; see docs/choosing.md. A file that is damaged, of
     * another format or cannot be read is ignored as a whole, with a warning in the log.
     * It may change float bits, so that calls on counts of two of its rows differ */
    const char *tuning_file;
    /** Bytes in cache_folder; past it the programs used least recently are removed, and
     * no other file. 0: 256 MiB. Without a folder it is CLFOLD_ERROR_ARGUMENT */
    uint64_t cache_limit;
    /** Programs of user folds kept in memory; 0: 256. Past it the fold used least
     * recently is dropped with its programs, unless in use. Plain operators are kept */
    uint32_t max_programs;
    /** Bytes of device memory held as scratch, over all queues; 0: no limit. A call that
     * needs more first drops blocks that no command uses, then fails with
     * CL_MEM_OBJECT_ALLOCATION_FAILURE before it has enqueued anything. Calls in flight
     * on an out-of-order queue have scratch of their own */
    uint64_t scratch_limit;
    /** Loads what the probe of look-back's memory found out about a device, since a probe
     * takes some milliseconds and its builds take longer. Devices that clfold knows by
     * the names of platform and driver are not probed. NULL: nothing is loaded.
     *
     * Called once per context, by the first scan by look-back or reduction, or prepare or
     * explain of one. Reductions start no probe. `key` names this version, platform,
     * device and driver in one line, shorter than 512 bytes. The callback writes the line
     * that save_verdict was given for this key, at most `size` bytes, into `verdict`, and
     * returns its bytes; 0 for none. A damaged line is ignored with a warning in the log,
     * and the device is probed. */
    size_t (*load_verdict)(void *user, const char *key, void *verdict, size_t size);
    /** Saves what a probe found out, which a context runs once if it has loaded nothing.
     * `verdict` has `size` < 512 bytes, and no line end or NUL. NULL: it is not saved */
    void (*save_verdict)(void *user, const char *key, const void *verdict, size_t size);
    /** In place of cache_folder, for hosts that may not write files: loads the bytes that
     * save_program was given for `key`, at most `size` of them, and returns how many; 0
     * for none. With `program` NULL it returns the number alone. The bytes are checked as
     * a file's are. `key` has 16 characters, 0 to 9 and a to f, and stands for all that a
     * file's key has. NULL: nothing is loaded. With cache_folder it is
     * CLFOLD_ERROR_ARGUMENT */
    size_t (*load_program)(void *user, const char *key, void *program, size_t size);
    /** Saves a program, when cache_folder would. `program` has `size` bytes, until the
     * callback returns. As load_program otherwise; either may be NULL */
    void (*save_program)(void *user, const char *key, const void *program, size_t size);
    uintptr_t reserved[8]; /**< zero */
} clfold_context_params;

/** Counters of a context, since it was created. */
typedef struct clfold_stats {
    uint64_t calls;  /**< that passed their checks, prepare included */
    uint64_t hits;   /**< calls that found their program built */
    uint64_t misses; /**< those that built it, waited for it, or have none that builds */
    uint64_t builds; /**< programs built */
    uint64_t failed_builds; /**< programs that did not build */
    uint64_t build_ns;      /**< nanoseconds in clBuildProgram for `builds` */
    uint64_t disk_hits;     /**< programs loaded instead; see cache_folder */
    uint64_t scratch_bytes; /**< device memory held now */
    uint64_t disk_saves;    /**< programs saved */
    uint64_t load_ns;       /**< nanoseconds of loading, in all */
    uint64_t reserved[6];   /**< zero */
} clfold_stats;

/**
 * Creates a context for `device`, which must be a device of `context`, or a sub-device of
 * one on which `context` can make a queue. Builds nothing; asks the device for its
 * capabilities. `params` may be NULL: all defaults. On success *out is the caller's, to
 * be given to clfold_context_destroy(); on failure *out is NULL.
 *
 * Fails with CLFOLD_ERROR_ARGUMENT if `out`, `context` or `device` is NULL, the device is
 * another context's, CLFOLD_SCAN names no algorithm, or fields contradict each other;
 * with CLFOLD_ERROR_UNSUPPORTED if the device's OpenCL is older than 1.2.
 * \snippet snippets.c clfold_context_create
 */
CLFOLD_API clfold_status clfold_context_create(clfold_context **out, cl_context context,
                                               cl_device_id device,
                                               const clfold_context_params *params);

/**
 * Saves programs, see cache_folder; then releases everything and sets *context to NULL.
 * NULL and a pointer to NULL are fine. Does not wait: enqueued work completes, since
 * OpenCL keeps what running commands need. What OpenCL refuses to release is logged.
 * \snippet snippets.c clfold_context_destroy
 */
CLFOLD_API void clfold_context_destroy(clfold_context **context);

/**
 * Gives back idle scratch and kernel objects, and releases the queues they served. Saves
 * programs, see cache_folder. Keeps built programs in memory, what a call of another
 * thread is using, and under a scratch_limit what commands still use. NULL is fine.
 * \snippet snippets.c clfold_context_trim
 */
CLFOLD_API void clfold_context_trim(clfold_context *context);

/**
 * Writes the counters since the context was created to *out, which need not be
 * initialised. Fails with CLFOLD_ERROR_ARGUMENT only: an argument is NULL.
 * \snippet snippets.c clfold_context_stats
 */
CLFOLD_API clfold_status clfold_context_stats(clfold_context *context, clfold_stats *out);

/**
 * For libraries on top of clfold: keeps "who: sentence (status)" as the calling thread's
 * clfold_last_error(), logs it if a context is given, and returns `status`. Both texts
 * are the caller's; `sentence` may be clfold_last_error().
 * \snippet snippets.c clfold_set_error
 */
CLFOLD_API clfold_status clfold_set_error(const clfold_context *context,
                                          clfold_status status, const char *who,
                                          const char *sentence);

/**
 * Gives the caller's line to the context's log, unless its log_level drops `level`.
 * \snippet snippets.c clfold_log_line
 */
CLFOLD_API void clfold_log_line(const clfold_context *context, int level,
                                const char *line);

/** \} */

/**
 * \defgroup fold Fold
 * A monoid, a load, a store, and what one call adds. A fold is a value: threads may share
 * it as long as none changes it.
 * \{
 */

/** A scalar type. A field that may be 0 says what that means. */
typedef uint32_t clfold_type;

/** Values of a clfold_type. */
enum {
    CLFOLD_I8 = 1,
    CLFOLD_U8,
    CLFOLD_I16,
    CLFOLD_U16,
    CLFOLD_I32,
    CLFOLD_U32,
    CLFOLD_I64,
    CLFOLD_U64,
    CLFOLD_F16,
    CLFOLD_F32,
    CLFOLD_F64
};

/**
 * An operator over T = fold->type, with result T unless said otherwise. Integers wrap
 * around. If any element is a NaN, so is the result of min and max, and both results of
 * min-max. All operators up to CLFOLD_MOMENTS commute; CLFOLD_AFFINE and
 * CLFOLD_MATRIX_2X2 do not, and keep their order.
 */
typedef uint32_t clfold_op;

/** Values of a clfold_op. */
enum {
    CLFOLD_ADD = 1, /**< identity 0; F16 is summed in f32 inside a tile */
    CLFOLD_MUL,     /**< identity 1; F16 as for CLFOLD_ADD */
    CLFOLD_MIN,     /**< identity: the type's highest value, for floats infinity */
    CLFOLD_MAX,     /**< identity: the type's lowest value, for floats minus infinity */
    CLFOLD_BIT_AND, /**< integers only; identity: all ones */
    CLFOLD_BIT_OR,  /**< integers only; identity 0 */
    CLFOLD_BIT_XOR, /**< integers only; identity 0 */
    /** An element is true unless it is 0, as the buffer holds it, and so is init; a NaN
     * is true. The result is 0 or 1. Identity 1 */
    CLFOLD_LOGICAL_AND,
    CLFOLD_LOGICAL_OR, /**< as CLFOLD_LOGICAL_AND; identity 0 */
    /** The least element and its index: result clfold_indexed. The lowest index wins a
     * tie; a NaN is less than every number, so the first NaN wins. No identity: a fold of
     * nothing without init is CLFOLD_ERROR_EMPTY. The index is that in the whole input,
     * with rows too: with `out` U32, `length` among the args and the result
     * "to_u32(item.index - segment * length)" it is the place in the row */
    CLFOLD_ARG_MIN,
    CLFOLD_ARG_MAX,     /**< the greatest element; a NaN is greater than every number */
    CLFOLD_ARG_MIN_MAX, /**< both, result clfold_indexed[2]: least, greatest */
    CLFOLD_MIN_MAX,     /**< result T[2]: least, greatest; identity { highest, lowest } */
    /** Count, mean and sum of squared deviations: result { ulong count; T mean, m2; },
     * variance m2 / count; T is F32 or F64. Identity { 0, 0, 0 }. Merged as by Chan,
     * Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
     * Variances" (1979); docs/scans.md has bounds of the errors */
    CLFOLD_MOMENTS,
    /** T[2] = { a, b }: x -> a x + b, the first applied first; identity { 1, 0 } */
    CLFOLD_AFFINE,
    CLFOLD_MATRIX_2X2 /**< elements T[4] by rows, product; identity { 1, 0, 0, 1 } */
};

/** An element and its index; 16 bytes on every host and device. */
typedef struct clfold_indexed {
    cl_ulong index; /**< counted from in_offset, with segments too: see ARG_MIN */
    /** by fold->type; the bytes after a narrow value are 0 */
    union {
        cl_char i8;    /**< CLFOLD_I8 */
        cl_uchar u8;   /**< CLFOLD_U8 */
        cl_short i16;  /**< CLFOLD_I16 */
        cl_ushort u16; /**< CLFOLD_U16 */
        cl_int i32;    /**< CLFOLD_I32 */
        cl_uint u32;   /**< CLFOLD_U32 */
        cl_long i64;   /**< CLFOLD_I64 */
        cl_ulong u64;  /**< CLFOLD_U64 */
        cl_half f16;   /**< CLFOLD_F16 */
        cl_float f32;  /**< CLFOLD_F32 */
        cl_double f64; /**< CLFOLD_F64 */
    } value;
} clfold_indexed;

/** What a float result promises. Integer results are exact and the same everywhere. */
enum {
    /** The same bits on every run. They depend on the device, its driver, the version of
     * clfold, the fold (its algorithm included), the offsets, the count, and the tuning
     * file if one is loaded. They do not depend on the number of workers or compute
     * units, timing, the kind of queue, what else runs, or addresses. Where a program
     * does not build, another may associate differently; clfold_explain() says which */
    CLFOLD_DETERMINISTIC = 0,
    /** Sums (CLFOLD_ADD) of F32 and F64, whatever `in` is, in reductions and scans, as if
     * of twice the digits and rounded once: an item is a sum and the sum of its rounding
     * errors; docs/scans.md has the bound. The bits are as with CLFOLD_DETERMINISTIC.
     * Other operators and algorithm scan_then_propagate are UNSUPPORTED */
    CLFOLD_COMPENSATED,
    /** Sums (CLFOLD_ADD) of F32 and F64, whatever `in` is, in reductions: the same bits
     * on every device, by every algorithm, and in every order of the elements, init
     * among them (Demmel and Nguyen, "Parallel Reproducible Summation", 2015).
     * docs/scans.md has the bound, and says which loads are the same everywhere.
     * Subnormal elements and results count as 0. Scans, other operators, and devices that
     * do not round F32 to nearest are UNSUPPORTED */
    CLFOLD_REPRODUCIBLE
};

/** Flags of a fold; the first two are of folds with texts. */
enum {
    CLFOLD_COMMUTATIVE = 1, /**< `combine` may be reordered, not only regrouped */
    /** a text is not defined for every value of what it uses: it divides integers.
     * The fold then runs on scalars, and no text sees what is no element's. A built-in
     * operator with a load takes this flag, too */
    CLFOLD_PARTIAL = 2,
    CLFOLD_REVERSE = 4 /**< scans go from the right: clfold_inclusive_scan() */
};

/** A place in device memory for what a field says. What a call writes lies apart from all
 * else that it reads or writes, where the field says nothing else. */
typedef struct clfold_place {
    cl_mem mem;    /**< NULL: none */
    size_t offset; /**< in what it holds: results, carries, keys, or cl_ulong */
} clfold_place;

/**
 * An argument that the fold's OpenCL C uses by its name: a value, or memory. Make one
 * with CLFOLD_VALUE, CLFOLD_BUFFER or CLFOLD_STREAM. Names and types are a part of the
 * program, values are not: a call with another value needs no build.
 *
 * A stream is a second input: where `load`, `result` or `store` speaks of it, its name is
 * the element that belongs to element i of `in`. `count` elements from `offset` on must
 * be in its buffer, else CLFOLD_ERROR_RANGE. Streams of F16 are read as float. Buffers
 * and streams must not overlap an output.
 */
typedef struct clfold_arg {
    const char *type;  /**< in OpenCL C: "float", "global const float *" */
    const char *name;  /**< by which the texts use it */
    size_t size;       /**< a value's, in bytes, which must be its type's; 0 for memory */
    const void *value; /**< `size` bytes, as in clSetKernelArg; NULL for memory */
    clfold_type element;   /**< a stream's elements; else 0 */
    cl_mem mem;            /**< a buffer's or a stream's */
    size_t offset;         /**< a stream's, in elements */
    uintptr_t reserved[3]; /**< zero */
} clfold_arg;

#define CLFOLD_ARG_(type, name, size, value, element, mem, offset)                       \
    {                                                                                    \
        type, name, size, value, element, mem, offset,                                   \
        {                                                                                \
            0, 0, 0                                                                      \
        }                                                                                \
    }

/**
 * Initialiser of a clfold_arg that is a value: CLFOLD_VALUE("float", alpha, x) passes x
 * as alpha. It may be a scalar, a struct that `source` defines, an image or a sampler:
 * CLFOLD_VALUE("read_only image2d_t", picture, mem) passes the cl_mem `mem`.
 */
#define CLFOLD_VALUE(type, name, object)                                                 \
    CLFOLD_ARG_(type, #name, sizeof(object), &(object), 0, NULL, 0)
/** Initialiser of one that is a buffer: CLFOLD_BUFFER("global float *", w, mem). That is
 * all of the cl_mem, of which no byte may be in an output: where a program keeps both in
 * one large buffer, `mem` is a sub-buffer of it. */
#define CLFOLD_BUFFER(type, name, mem) CLFOLD_ARG_(type, #name, 0, NULL, 0, mem, 0)
/** Initialiser of one that is a stream, of CLFOLD_F32 or the like. */
#define CLFOLD_STREAM(element, name, mem, offset)                                        \
    CLFOLD_ARG_(NULL, #name, 0, NULL, element, mem, offset)

/** How segments are given. */
enum {
    /** `mem` has a flag for each element, of any integer type: one that is not 0 starts a
     * segment; element 0 always does */
    CLFOLD_BY_FLAGS = 1,
    /** `mem` has a key for each element, of any type: a segment is a run of neighbours
     * with equal keys, equal by == (a NaN equals nothing) or by the fold's `equal` */
    CLFOLD_BY_KEYS,
    /** `mem` has num + 1 ascending offsets, U32 or U64, of elements from in_offset, as in
     * CSR; segments may be empty. Elements before the first offset, and after the last,
     * are segments of scans too, and of no reduction; maps do not write them. Offsets
     * that descend or are past the end are safe, and bad_out tells them, but results of
     * reductions and maps are undefined then */
    CLFOLD_BY_OFFSETS,
    /** rows of `length` elements; the last one may be shorter */
    CLFOLD_BY_LENGTH,
    /** columns of a matrix, or of several: `length` is its number of rows, and column j
     * has the elements j, j + columns, j + 2 columns, ...; a count that is no multiple of
     * length x columns is CLFOLD_ERROR_ARGUMENT */
    CLFOLD_BY_COLUMNS
};

/**
 * Segments, which are folded one by one: rows, columns and those by offsets in all calls,
 * by flags and keys in scans and reductions, else CLFOLD_ERROR_UNSUPPORTED.
 * Fields that do not belong to `by` must be 0.
 * \snippet snippets.c clfold_segments
 * \snippet snippets.c clfold_segments_keys
 */
typedef struct clfold_segments {
    uint32_t by;      /**< CLFOLD_BY_FLAGS, ... */
    clfold_type type; /**< BY_FLAGS, BY_KEYS, BY_OFFSETS: of what is in `mem` */
    cl_mem mem;       /**< flags, keys or offsets; what is written may not overlap it */
    size_t offset;    /**< where they begin in `mem`, in elements */
    /** BY_OFFSETS: of segments; with num_at a bound; 0: none, which is logged once for a
     * context, as it may be forgotten. Reductions BY_FLAGS and BY_KEYS: how many segments
     * `out`, keys_out and lengths_out have room for, the first of which are written; 0,
     * or more than `count`: `count` */
    size_t num;
    size_t length;  /**< BY_LENGTH, BY_COLUMNS: of each, in elements */
    size_t columns; /**< BY_COLUMNS: how many in a block */
    /** BY_OFFSETS: how many segments there are, a cl_ulong, read when the call runs; more
     * than `num` count as `num`. Offsets past the true number are not read, and segments
     * past it have no results. mem NULL: `num` */
    clfold_place num_at;
    uintptr_t reserved[3]; /**< zero */
} clfold_segments;

/**
 * Where a call's elements lie in a larger input that several calls fold, for example on
 * several devices or as they arrive: positions, `i` and `n` are those of the whole. A
 * carry is an item in its internal form, so nothing is rounded between calls;
 * clfold_layout has its size. `out` and total_out of a reduction or scan are what one
 * call gives up to the part's end: the same bits for integers and reproducible sums.
 * Those of other floats depend on the cuts. Init counts in the part whose `first` is 0,
 * by flags, keys and offsets for every segment. Texts may not use `in`, nor `store` be
 * given. Segments are for scans, rows and columns for maps too: others go on,
 * where `offset` is that of the part's own flags or keys, and offsets count in the whole;
 * rows and columns must not be cut and have no carry. A last part of no elements reads a
 * carry as a result; clfold_fold_carries() folds those of independent parts.
 * \snippet snippets.c clfold_part
 */
typedef struct clfold_part {
    uint64_t first; /**< elements of the whole before this part */
    uint64_t whole; /**< all elements; 0: unknown, then no text may use `n` */
    /** the carry up to `first`, read if that is not 0. mem NULL: nothing stands before */
    clfold_place carry_at;
    /** the carry up to the part's end, unless there is nothing yet; may be carry_at */
    clfold_place carry_out;
    /** BY_KEYS: the last key before the part, read if `first` is not 0. mem NULL: the
     * first element starts a segment */
    clfold_place key_at;
    /** BY_KEYS: the last key up to the end; not where key_at is, so two take turns */
    clfold_place key_out;
    uintptr_t reserved[4]; /**< zero */
} clfold_part;

/**
 * All that a call may vary: a built-in operator or one of the caller's in OpenCL C, what
 * becomes of elements and results, segments and init. docs/matrix.md shows which
 * operation takes which place, part and accuracy, with which segments.
 */
typedef struct clfold_fold {
    /* What is folded: with op 0 a scalar, 1 to 4 named scalars, or a type of OpenCL C. */
    clfold_op op;     /**< 0: `combine` */
    clfold_type type; /**< what is folded; 0: `components` or `type_name` */
    /** the scalars of `in`, converted to what is folded, or what `load` gives is; 0: as
     * what is folded. Floats cannot be folded as integers. May be F16 on any device if
     * `type` is F32 or F64 */
    clfold_type in;
    /** the scalars of `out`, to which results are converted in the end; 0: as what is
     * folded. May be F16 on any device */
    clfold_type out;
    /** scalars of an element, side by side; 0: 1 with `in` and a load, else as folded */
    uint32_t in_scalars;
    /** scalars that `result` writes; 0: 1 with `out`, else as folded */
    uint32_t out_scalars;
    uint32_t accuracy; /**< CLFOLD_DETERMINISTIC, ... */
    uint32_t flags;    /**< CLFOLD_COMMUTATIVE | ... */
    const char *name;  /**< for messages and traces; not part of the program */
    /** 1 to 4 scalars by type and name: "float a; float b". The types are OpenCL C's
     * char, uchar, short, ushort, int, uint, long, ulong, half, float and double. An
     * element is the C struct of them, with OpenCL C's padding, checked on the device */
    const char *components;
    /** a type of OpenCL C, up to 256 bytes: "float4", or one that `source` defines */
    const char *type_name;
    size_t type_size; /**< its size in bytes, which the device's sizeof must equal */

    /* Texts of OpenCL C, which may run more than once for an element, and on CPUs on 16
     * at once. a, b and item are what is folded, with components a.sum, item.sum; x is
     * the element and in[...] any other; i is x's index and n the call's count, ulongs;
     * segment is x's segment, and rank its index there. docs/operators.md has all forms,
     * the names that each may use, and those that args may not take. */
    /** typedefs and functions for the texts; begin it with CLFOLD_HERE */
    const char *source;
    /** of a, b, associative; a comes first: "a + b", "{ a.sum + b.sum, a.n + b.n }" */
    const char *combine;
    /** "0" or "{ 1, 0 }"; NULL: there is none. May be combined with any element, on
     * either side, and leaves it; the sign of a zero may change: the identity of float
     * add that keeps it is "-0.0f" */
    const char *identity;
    /** a condition on b that implies a op b == b for every a: folds in order may leave
     * out what is before such a b */
    const char *cuts;
    /** of x, in, i, n, segment, rank, streams and args: what is folded for element i, for
     * two components "{ 1, x }". NULL: x */
    const char *load;
    /** of item, prev and what a load sees: what a scan or map writes to out[i]. A
     * reduction's is of item, segment, n and args. NULL: item */
    const char *result;
    /** in place of `result` statements on out, an array: "out[table[i]] = item;". They
     * see to its bounds, and write no element twice */
    const char *store;
    /** BY_KEYS: of a and b, two neighbouring keys (F16 ones as float), and args: whether
     * they are equal. NULL: a == b */
    const char *equal;
    /** selects: a condition of item and what a load sees, by which an element is kept; if
     * the fold has an operator, item and prev are those of a scan */
    const char *keep;
    /** selects in place of `keep`: of a and b, two neighbouring items, and args: whether
     * they are of one run. The first of each run is kept */
    const char *same;
    const clfold_arg *args; /**< what the texts use besides */
    size_t num_args;        /**< how many, at most 8 */

    /* How, and where it begins. */
    /** reductions give a result for each, scans start anew; NULL: there is one */
    const clfold_segments *segments;
    /** a host value of the form of what is folded, put before each segment; NULL: none.
     * For ARG_MIN and its kin the index takes part in ties */
    const void *init;
    size_t init_size; /**< its size in bytes */
    /** init in device memory instead; nowhere in a scan's `out` */
    clfold_place init_at;
    const clfold_part *part; /**< of a larger input; NULL: the call is the whole */
    /** by name, as clfold_explain() gives it; NULL: chosen by policy. One that cannot do
     * what the fold asks for is UNSUPPORTED */
    const char *algorithm;
    /** how many elements there are: a cl_ulong, read when the call runs; more than
     * `count` count as `count`, for which buffers have room. Nothing past the true count
     * is read or written, and `n` is it. It may be 0, so reductions, and scans with
     * total_out, need an identity or init. Rows, columns and parts are UNSUPPORTED */
    clfold_place count_at;

    /* What is written besides `out`. */
    /** Scans: the fold of all elements (with segments: of the last), init included,
     * unconverted. It may be out[count], which makes CSR offsets of counts, and without
     * segments init_at */
    clfold_place total_out;
    /** BY_OFFSETS: two cl_ulong, the index and the value of the first offset that is
     * below the one before it or above the count; ~0 and 0 for none. In scans a wrong
     * offset below the count still starts a segment, and one at or above it is ignored;
     * reductions and maps take two more launches, which read the offsets once more.
     * The call does not block */
    clfold_place bad_out;
    /** Selects: what is written of the others, in their order, in elements of `out`, with
     * room for `count`. Not with a store */
    clfold_place rest_out;
    /** Selects by `same`, reductions BY_FLAGS and BY_KEYS: cl_ulong, how many elements
     * each result is made of, those of its run or segment, with the room of `out` */
    clfold_place lengths_out;
    /** Selects: a cl_ulong, how many are kept. Reductions BY_FLAGS and BY_KEYS: how many
     * segments there are, even if segments.num is less */
    clfold_place num_out;
    /** Reductions BY_KEYS: the first key of each segment, with the room of `out` */
    clfold_place keys_out;

    uintptr_t reserved[7]; /**< zero */
} clfold_fold;

#define CLFOLD_STRING_(x) #x
#define CLFOLD_STRING(x)  CLFOLD_STRING_(x)
/** Put first in OpenCL C, it makes compile errors name the caller's own file and line. */
#define CLFOLD_HERE "#line " CLFOLD_STRING(__LINE__) " \"" __FILE__ "\"\n"

/**
 * The fold { .op = op, .type = type }, for C++ before 20. Calls check it, not this.
 * \snippet snippets.c clfold_builtin
 */
CLFOLD_API clfold_fold clfold_builtin(clfold_op op, clfold_type type);

/** A scalar inside a result, or all of one whose type only OpenCL C knows. */
typedef struct clfold_field {
    clfold_type type; /**< 0: of the fold's type_name */
    char name[64]; /**< a component's; of built-in operators as their results name them */
    size_t offset; /**< from the result's first byte */
    size_t size;   /**< bytes */
} clfold_field;

/** How elements and results of a fold lie in memory. */
typedef struct clfold_layout {
    size_t in_size;         /**< bytes of an element of `in` */
    size_t out_size;        /**< bytes of what is folded: a result, init and total_out */
    uint32_t num_fields;    /**< 1 to 4 */
    clfold_field fields[4]; /**< of a result */
    size_t carry_size;      /**< bytes of a carry, see clfold_part */
    uintptr_t reserved[7];  /**< zero */
} clfold_layout;

/**
 * The layout of a fold's elements and results, for programs whose users bring operators.
 * Checks the fold as a call does, but for what only a device or an operation knows: `mem`
 * of args may still be NULL. A fold with neither op nor combine is taken for a map's.
 * Writes *layout on success. Errors: CLFOLD_ERROR_ARGUMENT, CLFOLD_ERROR_UNSUPPORTED.
 * \snippet snippets.c clfold_fold_layout
 */
CLFOLD_API clfold_status clfold_fold_layout(const clfold_fold *fold,
                                            clfold_layout *layout);

/**
 * The name of a type: "f32" for CLFOLD_F32. Static; NULL if `type` is not a type.
 * \snippet snippets.c clfold_type_name
 */
CLFOLD_API const char *clfold_type_name(clfold_type type);

/**
 * The size of a type in bytes: 4 for CLFOLD_F32. 0 if `type` is not a type.
 * \snippet snippets.c clfold_type_size
 */
CLFOLD_API size_t clfold_type_size(clfold_type type);

/**
 * The name of an operator: "arg-min" for CLFOLD_ARG_MIN. Static; NULL if there is none.
 * \snippet snippets.c clfold_op_name
 */
CLFOLD_API const char *clfold_op_name(clfold_op op);

/** \} */

/**
 * \defgroup calls Calls
 * Reductions, scans, and what is built on them.
 *
 * Each call enqueues its work and returns, except clfold_reduce_host(), which blocks.
 * num_wait, wait and event are as in clEnqueueNDRangeKernel.
 *
 *   - queue: any kind, in order or out of order, with or without profiling, of the
 *     context's cl_context and device. Out of order, the call orders its own kernels.
 *   - wait: events of the context's cl_context; any other is CLFOLD_ERROR_ARGUMENT. The
 *     call starts when all are complete. If one fails, the output is undefined, and the
 *     call's event fails too on drivers that pass failures on.
 *   - event: may be NULL. On success *event is the caller's to release; it completes when
 *     the whole call has, also for count 0. It is for waiting, not for timing: it may
 *     belong to the last of several kernels. On failure *event is NULL.
 *   - in, out: buffers of the context's cl_context, or sub-buffers; they stay the
 *     caller's. `in` must be readable by kernels, `out` writable. For scans, and
 *     reductions to one result, `out` may be `in` at the same byte; any other overlap is
 *     CLFOLD_ERROR_OVERLAP, between sub-buffers of one parent too. With count 0 `in` may
 *     be NULL.
 *
 * What clfold rejects is an ARGUMENT, RANGE, OVERLAP, UNSUPPORTED or EMPTY error; a
 * kernel that the driver does not compile is CLFOLD_ERROR_BUILD; all else is OpenCL's own
 * code. All checks, builds and allocations come before the first kernel is enqueued: a
 * call that fails there has changed nothing. If an enqueue itself fails, the output is
 * undefined. If OpenCL fails to release an object, that is logged and the call succeeds.
 * \{
 */

/**
 * Reduction: out[out_offset] = init op in[in_offset] op ... op in[in_offset + count - 1].
 *
 * An operator that commutes may meet its operands in any order, a fixed one for floats;
 * any other keeps them in order. count 0 gives init, or without it the identity, or
 * without both CLFOLD_ERROR_EMPTY; with count_at that is CLFOLD_ERROR_ARGUMENT.
 * `out` holds one result, whose form the operator says.
 *
 * With segments, out[out_offset + s] is the fold of segment s, init before it; of no rows
 * or columns nothing is written. Neither `in` nor init_at may overlap the results. By
 * offsets segments may be empty, so the operator needs an identity or init, else
 * CLFOLD_ERROR_ARGUMENT.
 *
 * By flags and keys the call finds out how many segments there are, which num_out gets;
 * keys_out gets their keys and lengths_out their lengths. Past what there are, and past
 * the bound of segments.num, nothing is changed. No segment is empty, and of no elements
 * there are none. A part is UNSUPPORTED.
 *
 * Algorithms, of which docs/choosing.md and docs/scans.md say more; how work is split
 * follows from policy, count and segments alone:
 *   - "reduce_tiles", for whole inputs and rows: each work-group folds a run of elements
 *     tile by tile; the last group, or a second launch, folds the runs' results (Brent,
 *     "The Parallel Evaluation of General Arithmetic Expressions", 1974).
 *   - "reduce_lanes" for short rows and for columns, side by side, cut into runs where
 *     they are few.
 *   - "reduce_offsets", for offsets: pieces of as many elements and segments' ends each
 *     (Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication",
 *     2016), so lengths may differ by any factor. Flags and keys become offsets in
 *     scratch first, by three launches; keys_out and lengths_out take one more.
 *   - "reduce0" to "reduce6": the ladder of Harris, "Optimizing Parallel Reduction in
 *     CUDA" (2007), to learn from and to measure by, each right for every count. reduce2
 *     to reduce6 want an operator that commutes. Scratch is up to count / 128 items in
 *     groups of 256, more in smaller ones.
 *   - "serial": one work-item folds from the left, init first. It is slow, and what
 *     others are compared with.
 * \snippet snippets.c clfold_reduce
 */
CLFOLD_API clfold_status clfold_reduce(clfold_context *context, cl_command_queue queue,
                                       const clfold_fold *fold, cl_mem in,
                                       size_t in_offset, cl_mem out, size_t out_offset,
                                       size_t count, cl_uint num_wait,
                                       const cl_event *wait, cl_event *event);

/**
 * Inclusive scan: out[out_offset + i] = init op in[in_offset] op ... op in[in_offset +
 * i], for 0 <= i < count. Operands keep their order. `out` takes results in the form in
 * which clfold_reduce gives one; in place that form must have the elements' size. count
 * 0, from the host or at count_at, writes total_out only, if it is given.
 *
 * Float bits are those of one association, which docs/scans.md draws. So they are the
 * same by each of the algorithms but "serial", in place or not, whatever the timing of
 * work-groups, except for which NaN a NaN is. total_out is the last item of the inclusive
 * scan, bit for bit, and the exclusive scan is the inclusive one moved by one place.
 *
 * Algorithms; naming one that the device's memory cannot be trusted with gives
 * CLFOLD_ERROR_UNSUPPORTED. If none is named, few elements and many rows take
 * scan_single_group, more elements and few long rows scan_lookback if the device's memory
 * allows it, else reduce_then_scan:
 *   - "scan_single_group": one launch, a group for a segment; reads and writes once.
 *   - "scan_lookback": one launch. A group folds a tile, publishes the total, and looks
 *     back over what the tiles before it have published to find its prefix. Reads and
 *     writes once, except tiles that leave the caches meanwhile (Merrill and Garland,
 *     "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Needs memory
 *     that a probe trusts, see load_verdict, and in place also acquire and release of
 *     device scope. In place the operator may also be applied to results; that value is
 *     dropped.
 *   - "scan_chained": the same, but no total is published, so a tile waits for the one
 *     before it (Yan, Long, Zhang, "StreamScan", 2013).
 *   - "reduce_then_scan": folds tiles, then scans them with their prefixes; reads twice,
 *     writes once (Dotsenko and others, "Fast Scan Algorithms on Graphics Processors",
 *     2008).
 *   - "scan_then_propagate": scans tiles, then applies their prefixes; reads and writes
 *     twice (Harris, Sengupta, Owens, "Parallel Prefix Sum with CUDA", 2007).
 *   - "scan_lanes": short rows and columns, side by side; few long columns are cut into
 *     runs, which reads the input twice.
 *   - "serial": one work-item combines from the left, element by element. Its float bits
 *     are those of a plain left fold.
 *
 * With segments each is scanned anew, init before it, and total_out is the last one's. By
 * flags, keys and offsets a scan is one of the whole input by a lifted operator, on pairs
 * of an item and a head flag: where b has a head, a op b is b (Blelloch, "Prefix Sums and
 * Their Applications", 1990). So all algorithms serve but scan_then_propagate. An item
 * has one more component: CLFOLD_ERROR_UNSUPPORTED where the device's compiler fails at
 * five. The operator may be applied across a segment's start; that value is dropped.
 *
 * With CLFOLD_REVERSE a scan goes from the right: it is that of the elements in reversed
 * order, written in reversed order. out[i] folds in[count - 1], ..., in[i], after init.
 * Float bits are the same, too, except those of compensated sums. Each segment is scanned
 * from its right end. total_out is the last row's or column's, but by flags, keys and
 * offsets the first segment's. Texts see an element at its own place; prev is the fold of
 * those after it. This is much slower, see docs/scans.md. CLFOLD_ERROR_UNSUPPORTED by
 * scan_then_propagate, in parts, and for arg-min and its kin.
 *
 * None can hang. Only look-back and its chain wait for other work-groups, and only for a
 * bounded number of looks; then the group folds the missing tile itself (Smith, Levien,
 * Owens, "Decoupled Fallback", 2025), which is right whether or not the other ever runs.
 * \snippet snippets.c clfold_inclusive_scan
 */
CLFOLD_API clfold_status clfold_inclusive_scan(
    clfold_context *context, cl_command_queue queue, const clfold_fold *fold, cl_mem in,
    size_t in_offset, cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
    const cl_event *wait, cl_event *event);

/**
 * Exclusive scan: as clfold_inclusive_scan(), without the element i itself:
 * out[out_offset + i] = init op in[in_offset] op ... op in[in_offset + i - 1], and
 * out[out_offset] is init or the identity. An operator without identity needs init, else
 * CLFOLD_ERROR_ARGUMENT. With segments each begins with init or the identity. Algorithms
 * and float bits are those of the inclusive scan.
 * \snippet snippets.c clfold_exclusive_scan
 */
CLFOLD_API clfold_status clfold_exclusive_scan(
    clfold_context *context, cl_command_queue queue, const clfold_fold *fold, cl_mem in,
    size_t in_offset, cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
    const cl_event *wait, cl_event *event);

/**
 * Map: out[out_offset + i] is what `result` makes of item, which is what `load` makes of
 * element i, for 0 <= i < count. Without a load item is the element, and without a result
 * it is what is written; with neither this is a copy, by `in` and `out` a conversion. The
 * fold has no operator: `op`, `combine`, `identity`, `cuts` and init must be 0, else
 * CLFOLD_ERROR_ARGUMENT. Segments only say what `segment` and `rank` are. By offsets,
 * where texts use `in` but not x, `in` has an element for each segment: "in[segment]"
 * repeats values. In a result prev is item. In place as a scan.
 *
 * Algorithm "map_tiles": one launch, in which each element is read once for the load, and
 * from the caches for a result that uses x too (Klöckner's first pattern).
 * \snippet snippets.c clfold_map
 */
CLFOLD_API clfold_status clfold_map(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event);

/**
 * Select: writes the elements for which `keep` holds, in their order, to out[out_offset]
 * and on, and how many these are to num_out. `out` must have room for `count` elements;
 * past the last that is kept nothing is changed. num_out serves as the count_at of calls
 * that follow, and this one takes a count_at as well. The others go to rest_out, if it is
 * given: a partition in one pass. With `same` instead of keep the first of each run is
 * kept (unique), and lengths_out gets the runs' lengths (run-length encoding).
 *
 * `load`, `result` and `store` are as a map's, and so is the fold without an operator:
 * what is kept is an element, an item that `load` makes of it, or a result. In `store`,
 * `at` is the new place: "out[at] = item;". A result is made for elements that are not
 * kept, too, unless the fold is CLFOLD_PARTIAL. `same` is of items, so a load may give
 * the key and a result the element.
 *
 * With `keep` the fold may have an operator, and init: item and prev then are those of an
 * inclusive scan, in all texts. So a scan of a text's quotes, of which `keep` takes the
 * commas outside, gives an index of its fields. The scan runs twice, or once if the
 * result or store uses neither item nor prev; scratch has 1.4 bytes an element.
 *
 * `out` and rest_out may not overlap `in`: a group that finds another one late reads that
 * one's elements itself, which must not be overwritten then. Segments are UNSUPPORTED. A
 * part has a carry only with an operator. By `same` its first element starts a run.
 * num_out counts the part's own.
 *
 * A select is a scan of counts, or with an operator of items, so its algorithms are
 * "scan_single_group", "scan_lookback", "scan_chained" and "reduce_then_scan", chosen as
 * a scan's. Stores are of neighbours: of counts a tile is compacted in vectors and lines
 * on CPUs, and in local memory on GPUs.
 * \snippet snippets.c clfold_select
 */
CLFOLD_API clfold_status clfold_select(clfold_context *context, cl_command_queue queue,
                                       const clfold_fold *fold, cl_mem in,
                                       size_t in_offset, cl_mem out, size_t out_offset,
                                       size_t count, cl_uint num_wait,
                                       const cl_event *wait, cl_event *event);

/**
 * clfold_reduce() with the result on the host. It waits for all that the queue holds, and
 * blocks until *result is written. `result` is the caller's; result_size is its size in
 * bytes: of what is folded, or of `out` and `result` if they are given; any other is
 * CLFOLD_ERROR_ARGUMENT. On failure *result is unchanged. Segments have a result each and
 * are UNSUPPORTED here.
 * \snippet snippets.c clfold_reduce_host
 */
CLFOLD_API clfold_status clfold_reduce_host(clfold_context *context,
                                            cl_command_queue queue,
                                            const clfold_fold *fold, cl_mem in,
                                            size_t in_offset, size_t count, void *result,
                                            size_t result_size);

/**
 * Checks a reduction, scan, map or select as the call itself does before it builds or
 * enqueues anything, and fails as that would; so a program knows early whether all its
 * devices, or ranks, can take their part. Parameters and errors are the call's; an
 * `operation` that this version lacks is CLFOLD_ERROR_ARGUMENT.
 * \snippet snippets.c clfold_check_call
 */
CLFOLD_API clfold_status clfold_check_call(
    clfold_context *context, clfold_operation operation, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait);

/**
 * Folds `count` carries of parts of one input, in their order, to one: out[out_offset]
 * becomes what clfold_part's carry_out is after the last of these parts. So parts may be
 * folded at the same time, on several devices or machines, each without carry_at, and a
 * last part of no elements makes the result of what they left. Each part needs at least
 * one element, since one without leaves no carry.
 *
 * `in` and `out` hold carries of this fold, see clfold_layout, at offsets in carries;
 * `out` may be the first of `in`, else it lies apart. The fold is that of the parts;
 * `part`, `algorithm`, init, its places and a select's `keep` count for nothing. By one
 * work-item, from the left. CLFOLD_ERROR_EMPTY: count is 0; CLFOLD_ERROR_ARGUMENT:
 * segments are given; else as clfold_reduce.
 * \snippet snippets.c clfold_fold_carries
 */
CLFOLD_API clfold_status clfold_fold_carries(
    clfold_context *context, cl_command_queue queue, const clfold_fold *fold, cl_mem in,
    size_t in_offset, cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
    const cl_event *wait, cl_event *event);

/** \} */

/**
 * \defgroup beforehand Beforehand
 * What a call would do, and how to pay for a first call early. Both fail as the call
 * described would, as far as the fold, the count and the placement decide.
 * \{
 */

/** Whether a text does the same to scalars and to vectors of 16; see clfold_fold. */
enum {
    CLFOLD_WIDTHS_UNKNOWN, /**< no program is built yet, or there are no vectors */
    CLFOLD_WIDTHS_AGREE,   /**< so the fold runs on vectors where the tile has them */
    CLFOLD_WIDTHS_DIFFER   /**< so it runs on scalars; the report's reason says why */
};

/** What a call would do. */
typedef struct clfold_report {
    const char *algorithm;  /**< static: "reduce_tiles", "reduce_then_scan" */
    size_t tile;            /**< elements of a tile; 0: the algorithm has none */
    size_t group_size;      /**< work-items of a work-group */
    size_t num_groups;      /**< work-groups of the algorithm's first launch */
    size_t num_launches;    /**< kernels that the call enqueues */
    size_t scratch_bytes;   /**< device memory besides `in` and `out` */
    uint64_t bytes_read;    /**< from global memory, by design, scratch included */
    uint64_t bytes_written; /**< to global memory, by design, scratch included */
    char reason[256];       /**< why this one, and why not the faster ones */
    size_t items;           /**< elements of a work-item in the first launch, at most */
    /** whose numbers: "cpu", "measured" on its kind, "tuned" by a file; NULL: a rung */
    const char *policy;
    uint32_t widths;       /**< of a fold by text: CLFOLD_WIDTHS_AGREE or its kin */
    uintptr_t reserved[5]; /**< zero */
} clfold_report;

/** What else of a call decides how it runs. A placement of NULL is all zero. */
typedef struct clfold_placement {
    size_t in_offset;      /**< of the call, in elements */
    size_t out_offset;     /**< of the call, in elements */
    cl_bool in_place;      /**< scans: `out` is `in`, at the same place */
    uintptr_t reserved[4]; /**< zero */
} clfold_placement;

/**
 * Moves the cost of a first call to here; it is never needed. Builds the programs of
 * `operation` on `fold`, reserves scratch for up to `count` elements, for scans by
 * offsets also for as many offsets as their `num` says, and runs each kernel once on
 * nothing, since some drivers compile only then. Saves the programs, see cache_folder.
 * Blocks, on a queue of its own. Programs depend on whether `part` is given, and
 * count_at, and by offsets num_at and bad_out, have a mem, so give them here as well.
 * \snippet snippets.c clfold_prepare
 */
CLFOLD_API clfold_status clfold_prepare(clfold_context *context,
                                        clfold_operation operation,
                                        const clfold_fold *fold, size_t count,
                                        const clfold_placement *placement);

/**
 * Says what a call would do, and builds nothing. `out` need not be initialised; on
 * failure *out is unchanged. What only a build finds is not known yet. A scan by
 * look-back may call load_verdict.
 * \snippet snippets.c clfold_explain
 */
CLFOLD_API clfold_status clfold_explain(clfold_context *context,
                                        clfold_operation operation,
                                        const clfold_fold *fold, size_t count,
                                        const clfold_placement *placement,
                                        clfold_report *out);

/** \} */

#ifdef __cplusplus
}
#endif

#endif /* CLFOLD_CLFOLD_H */
