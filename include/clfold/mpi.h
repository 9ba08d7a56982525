/**
 * \defgroup mpi MPI
 * Reductions and scans of an array that lies on the devices of many ranks: the library
 * clfold-mpi, for MPI 3 and newer. Each rank gives its part, in a buffer of its own
 * device. The parts stand in the order of the ranks; they may differ in length and be
 * empty. docs/distributed.md has a picture, costs and figures.
 *
 * All four calls are collective: every rank of `comm` makes the same call. The folds may
 * differ only in buffers, in the values of args and in the algorithm. The calls check
 * this, and an error names what differs. `i`, `n` and positions are those of the whole
 * array.
 *
 *   - context, queue, fold, in, out, count and wait are as in clfold_reduce() and
 *     clfold_inclusive_scan(). They belong to this rank, as do `out` and total_out of a
 *     scan: total_out is the fold of all elements up to the end of this part. Nothing is
 *     rounded between ranks, and operands keep their order.
 *   - Integers and reproducible sums have the bits of one call on one device, if their
 *     load has the same bits on all devices (docs/scans.md). The bits of other floats
 *     depend on where the array is cut, and on which rank has which device if these
 *     differ; then the log has one warning.
 *   - A call blocks until the items of all ranks have arrived. Its own item needs the
 *     elements, so it waits for `wait` and for a fold of its part. What comes after is
 *     only enqueued: *event, or the queue, says when it is done.
 *   - If a rank fails, the call fails on all ranks, with the same status and a sentence
 *     that names the rank. After a bad argument nothing has been enqueued; after a
 *     failure of a build, of memory or of a device outputs are undefined, and queues may
 *     still use the buffers: finish them first. No rank waits for one that failed. If a
 *     process ends, MPI decides what happens to the others. If MPI itself fails, or there
 *     is no memory for what a communicator's first call keeps, and the communicator
 *     returned errors at that call, the status is CLFOLD_ERROR_MPI and no rank is named.
 *   - CLFOLD_ERROR_UNSUPPORTED: fold->part or count_at is given; segments of reductions;
 *     scans of rows, of columns and by offsets. As for all parts, texts may not use `in`,
 *     and there is no `store`.
 *   - If MPI has MPI_THREAD_MULTIPLE, any thread may make the calls; threads that do so
 *     at the same time need a communicator each. The first call on a communicator makes
 *     duplicates of it, which are freed with it.
 *
 * Ranks exchange one item each, of clfold_layout's carry_size, and no elements: by one
 * gather up to 256 ranks, by a tree of such groups above. Each rank folds the items
 * before its own on its device. A scan folds its part first, and then scans it with the
 * items before it as a carry, so elements are read twice and written once (Harris,
 * Sengupta, Owens, "Parallel Prefix Sum with CUDA", 2007, does this for work-groups).
 * \{
 */
#ifndef CLFOLD_MPI_H
#define CLFOLD_MPI_H

#include <clfold/clfold.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * clfold_reduce() of the whole array. Rank `root` gets the result; `out` of other ranks
 * may be NULL. With no elements at all the result is that of clfold_reduce().
 * \snippet mpi_sum.c clfold_mpi_reduce
 */
CLFOLD_API clfold_status clfold_mpi_reduce(
    clfold_context *context, MPI_Comm comm, int root, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * clfold_mpi_reduce(), but each rank gets the result.
 * \snippet mpi_sum.c clfold_mpi_allreduce
 */
CLFOLD_API clfold_status clfold_mpi_allreduce(
    clfold_context *context, MPI_Comm comm, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * clfold_inclusive_scan() of the whole array: each rank gets the results of its elements.
 * Segments by flags and keys may cross ranks; each rank gives the flags or keys of its
 * own elements. Ranks before the first element write no total_out.
 * \snippet mpi_scan.c clfold_mpi_inclusive_scan
 */
CLFOLD_API clfold_status clfold_mpi_inclusive_scan(
    clfold_context *context, MPI_Comm comm, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * clfold_exclusive_scan() of the whole array; else as clfold_mpi_inclusive_scan().
 * \snippet mpi_scan.c clfold_mpi_exclusive_scan
 */
CLFOLD_API clfold_status clfold_mpi_exclusive_scan(
    clfold_context *context, MPI_Comm comm, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

#ifdef __cplusplus
}
#endif

/** \} */

#endif
