/**
 * \defgroup experimental Experimental
 * What the command and the tests need besides. The library exports these always, but they
 * may change in a minor version. Any thread may call them at any time.
 * \{
 */
#ifndef CLFOLD_EXPERIMENTAL_H
#define CLFOLD_EXPERIMENTAL_H

#include <clfold/clfold.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a tile's look-back did. Times are of one counter: cycles where the device's
 * compiler has such a counter, else steps of a clock that every record moves on. */
typedef struct clfold_tile_trace {
    uint64_t started;   /**< time before the tile is folded */
    uint64_t aggregate; /**< time before its total is published */
    uint64_t prefix;    /**< time before the fold of the tiles up to it is published */
    uint32_t ticket;    /**< the tile's number, and its place in the order of starts */
    uint32_t depth;     /**< tiles between it and where its look-back ended; 0: none */
    uint32_t polls;     /**< looks at windows of tiles, and at anchors */
    uint32_t fallbacks; /**< tiles that it folded because they were not published */
    /** which of the 64 tiles before it these are: bit i is the tile ticket - 1 - i */
    uint64_t folded;
} clfold_tile_trace;

/**
 * An inclusive scan that records what each tile did, by "scan_lookback", or by
 * "scan_chained" if the fold names it. Its program differs from that of a plain scan; the
 * result has the same bits. Blocks. *num_tiles becomes the number of tiles, and tiles[0]
 * and those after it their records; a `capacity` in tiles that is below it is
 * CLFOLD_ERROR_RANGE. With `tiles` NULL and capacity 0, or count 0, nothing is scanned.
 * CLFOLD_ERROR_UNSUPPORTED if the device has no look-back. `tiles` and `num_tiles` are
 * the caller's.
 * \snippet snippets.c clfold_trace
 */
CLFOLD_API clfold_status clfold_trace(clfold_context *context, cl_command_queue queue,
                                      const clfold_fold *fold, cl_mem in,
                                      size_t in_offset, cl_mem out, size_t out_offset,
                                      size_t count, clfold_tile_trace *tiles,
                                      size_t capacity, size_t *num_tiles);

/** The numbers by which a call runs, as a row of a tuning file. Strings are static. */
typedef struct clfold_tuning_row {
    const char *operation;  /**< "reduce", "scan", "select" or "map" */
    const char *tile;       /**< "tile_vector", "tile_group" or "tile_item" */
    uint32_t element_bytes; /**< of an element of `in` */
    uint32_t count_class;   /**< c: counts from 2^(2c - 1) on and below 2^(2c + 1) */
    uint64_t tile_bytes;    /**< of a tile's elements */
    uint64_t group_size;    /**< work-items of a work-group */
    uint64_t groups;        /**< that fill the device */
    uint64_t lane_bytes;    /**< reductions: a lane is not started for fewer */
    uint64_t anchor;        /**< scans and selects: tiles from one anchor to the next */
    uint64_t ahead_bytes;   /**< memory is asked for so far ahead; 0: it is not */
    uint64_t stream_bytes;  /**< of output, from which on stores pass the caches */
    char device[512];       /**< its key, DEVICE below */
    uintptr_t reserved[4];  /**< zero */
} clfold_tuning_row;

/**
 * Fills *out with the numbers by which a call of `operation` by `fold` on `count`
 * elements runs on this context: those of the tuning_file if it has a row for the call,
 * else the library's own. A tuning file has rows after its first line:
 *
 *     clfold tuning 5
 *     reduce 4 2^25..2^27 tile=tile_vector tile_bytes=65536 groups=256 on DEVICE
 *
 * Its words are the fields above, numbers in any order, and of DEVICE the first will do.
 * It serves every operator, type, accuracy and segments. Numbers that it leaves out are
 * the library's, and so are all where its program does not build.
 *
 * `out` is the caller's. CLFOLD_ERROR_ARGUMENT: a context, a fold or `out` is NULL;
 * CLFOLD_ERROR_UNSUPPORTED: this version or the device lacks the fold. On failure *out is
 * unchanged. Builds, probes and waits for nothing.
 * \snippet snippets.c clfold_explain_tuning
 */
CLFOLD_API clfold_status clfold_explain_tuning(clfold_context *context,
                                               clfold_operation operation,
                                               const clfold_fold *fold, size_t count,
                                               clfold_tuning_row *out);

/**
 * The program of a stage of a call, as the driver gets it; the arguments are as of
 * clfold_explain(). A call has one to three stages, each with a program. Where there are
 * several the report's reason names them; `stage` is 0 for the first. Macros
 * come first, then parts, files of clfold's and texts of the fold's, each after a line
 * directive with its name. It is built with -cl-std=CL3.0, CL2.0 or CL1.2 alone, by the
 * device's version.
 *
 * `text`, `size` and *needed are as of clfold_group_text(), some 150,000 bytes. Builds,
 * probes and waits for nothing.
 *
 * CLFOLD_ERROR_ARGUMENT: one of `text` and size is given alone; CLFOLD_ERROR_RANGE: size
 * is too small, or the call has no such stage; and what clfold_explain() rejects.
 * \snippet snippets.c clfold_explain_text
 */
CLFOLD_API clfold_status clfold_explain_text(clfold_context *context,
                                             clfold_operation operation,
                                             const clfold_fold *fold, size_t count,
                                             const clfold_placement *placement,
                                             uint32_t stage, char *text, size_t size,
                                             size_t *needed);

/** What is known of the memory of look-back. Strings are static. */
typedef struct clfold_lookback {
    const char *tier; /**< "legacy_64"; "none": no scan looks back; NULL: not known yet */
    const char *why;  /**< why the memory is not even asked; else NULL */
    cl_bool fair;     /**< waiting groups leave others their turn */
    cl_bool fences;   /**< scans in place look back too */
    const char *dropped[6]; /**< better tiers that are not used, the best first; NULL */
    const char *reasons[6]; /**< why not, of each: "does not build" */
    uintptr_t reserved[4];  /**< zero */
} clfold_lookback;

/**
 * Fills *out with what clfold knows of this context's device by name, else with what
 * load_verdict gives or this context has probed. If `probe` is CL_TRUE the memory is
 * probed now, unless `why` says why not; this blocks for its builds and launches, and
 * other threads wait. What is found is kept, and handed to save_verdict; on a device that
 * clfold knows by name scans go on without it.
 *
 * `out` is the caller's. CLFOLD_ERROR_ARGUMENT: the context or `out` is NULL. A probe
 * also fails if the host's memory runs out. On failure *out is unchanged.
 * \snippet snippets.c clfold_explain_lookback
 */
CLFOLD_API clfold_status clfold_explain_lookback(clfold_context *context, cl_bool probe,
                                                 clfold_lookback *out);

/**
 * OpenCL C to put before a kernel of one's own: what a work-group folds, scans or selects
 * by this fold. With the prefix "sum" it defines, for a fold of floats without texts,
 *
 *     sum_value                      float; of several components a struct by their names
 *     sum_in, sum_out                scalars of `in` and `out`, or structs
 *     sum_room                       local memory: local sum_room room;
 *     sum_combine(a, b)              values; a comes first
 *     sum_identity()                 a value, if the fold has an identity
 *     sum_load(in, i)                the value of element i of a global const sum_in *
 *     sum_write(item, prev, in, out, i)    writes element i as a scan does
 *     sum_group_reduce(x, num, &room)             the fold of all, for each work-item
 *     sum_group_inclusive_scan(x, num, &room)     of those up to its own
 *     sum_group_exclusive_scan(x, num, &room)     of those before; with an identity only
 *     sum_group_select(keep, num, &room, &kept)   the place of each that is kept, a uint,
 *                                                 and how many are
 *
 * A group has one dimension and any number of work-items up to group_size. Those from 0
 * to num - 1 have a value `x`, or a bool `keep`; num is at least 1. All work-items of a
 * group must call the last four, with the same num and room, since they have barriers;
 * those from num on find the fold of all, or how many are kept. One call may follow
 * another with the same room, which the kernel itself does not touch: it has no more than
 * 4 / 3 * group_size + 1 times 4 bytes or carry_size of clfold_layout.
 *
 * The fold's args follow these parameters, in their order, a stream as a pointer and a
 * ulong, its offset. Where the fold has a load, a result or a store, or converts to
 * `out`, two ulongs follow them: where in `in` element 0 is, and n. `source` stands in
 * the text as it is, but for names with clfold_. All other names begin with sum_clfold_
 * or sum_CLFOLD_, so that several folds may stand in one program; the fold's texts may
 * use none of them.
 *
 * The text is for this device. It needs OpenCL C 1.2 and no build options, says
 * FP_CONTRACT OFF for itself and DEFAULT for what follows, and in its last line that
 * lines of "kernel" follow, which errors then name. Operands keep their order, and float
 * bits are those of one association, which group_size and num decide: a few work-items
 * each scan a run of neighbours (Merrill and Grimshaw, "Parallel Scan for Stream
 * Architectures", 2009).
 *
 * `text` is the caller's and has room for `size` bytes, the NUL at its end among them;
 * too few are CLFOLD_ERROR_RANGE. *needed, unless NULL, becomes how many there must be,
 * some 60,000, also where they are too few. With `text` NULL and size 0 nothing else is
 * written. Builds and waits for nothing.
 *
 * CLFOLD_ERROR_ARGUMENT: a context or a fold is NULL, the fold is not one of a scan, the
 * prefix is not a name of 32 characters at most, or one of `text` and size is given
 * alone; CLFOLD_ERROR_RANGE: group_size is 0, or above what the device has;
 * CLFOLD_ERROR_UNSUPPORTED: this version or the device lacks the fold, or it has an
 * accuracy, segments, a part, init, count_at or total_out.
 * \snippet snippets.c clfold_group_text
 */
CLFOLD_API clfold_status clfold_group_text(clfold_context *context,
                                           const clfold_fold *fold, const char *prefix,
                                           size_t group_size, char *text, size_t size,
                                           size_t *needed);

/**
 * The name of an operation's algorithm that takes inputs without segments, as
 * clfold_fold.algorithm takes it, by `index` from 0 on. Static; NULL if the operation is
 * not one of this version, and for an index past the last algorithm.
 * \snippet snippets.c clfold_operation_algorithm
 */
CLFOLD_API const char *clfold_operation_algorithm(clfold_operation operation,
                                                  uint32_t index);

/** \} */

#ifdef __cplusplus
}
#endif

#endif /* CLFOLD_EXPERIMENTAL_H */
