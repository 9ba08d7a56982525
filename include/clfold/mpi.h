/**
 * \defgroup mpi MPI
 * Reductions and scans of an array that lies on the devices of many ranks: the library
 * clfold-mpi, for MPI 3 and newer. Each rank gives its part in a buffer of its own
 * device; parts are in the order of the ranks, of any lengths, and may be empty. docs/distributed.md
 * has a picture, costs and figures.
 *
 * All four calls are collective: every rank of `comm` makes the same call, by folds that
 * differ in buffers, values of args and the algorithm alone. That is checked: an error
 * names what differs. `i`, `n`, and positions are those of the whole array.
 *
 *   - context, queue, fold, in, out, count and wait are as in clfold_reduce() and
 *     clfold_inclusive_scan(); they are this rank's own, and so are `out` and total_out
 *     of scans, which are what all elements up to the end of its part give. Nothing is
 *     rounded between ranks, and operands keep their order.
 *   - Integers and reproducible sums have the bits of one call on one device. Those of
 *     other floats depend on the parts; and, where ranks have other devices, on these,
 *     which one warning in the log says.
 *   - The calls block until the items of all ranks have arrived, and that needs the
 *     elements of this one: until `wait` and a fold of them are over. The rest is
 *     enqueued: *event, or the queue, says when it is done.
 *   - A rank that fails makes the call fail on all ranks, with the same status and a
 *     sentence that names the rank: bad arguments before anything is enqueued, a device's
 *     failure with outputs undefined. No rank waits for one that failed. If a process
 *     ends, MPI decides what becomes of the others. If MPI itself fails and the
 *     communicator returns errors, that is CLFOLD_ERROR_MPI.
 *   - CLFOLD_ERROR_UNSUPPORTED: fold->part and count_at are given, segments of
 *     reductions, scans of rows, columns and by offsets. As for all parts, texts may not
 *     use `in`, nor `store` be given.
 *   - Any thread may make the calls if MPI has MPI_THREAD_MULTIPLE, but threads that do so
 *     at the same time need communicators of their own. The first call on a communicator
 *     makes duplicates of it, which are freed with it.
 *
 * An item of each rank goes round, of clfold_layout's carry_size, and no elements: by one
 * gather up to 256 ranks, by a tree of such groups above. Each rank folds those before
 * it on its device. Scans fold their part for its item first, and then scan it with the
 * items before it as a carry: elements are read twice and written once (Harris,
 * Sengupta, Owens, "Parallel Prefix Sum with CUDA", 2007, has this for groups).
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
 * clfold_reduce() of the whole array, whose result rank `root` gets; `out` of other ranks
 * may be NULL. The result of no elements is as there.
 * \snippet mpi_sum.c clfold_mpi_reduce
 */
CLFOLD_API clfold_status clfold_mpi_reduce(
    clfold_context *context, MPI_Comm comm, int root, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * The same, and each rank gets the result.
 * \snippet ranks.c clfold_mpi_allreduce
 */
CLFOLD_API clfold_status clfold_mpi_allreduce(
    clfold_context *context, MPI_Comm comm, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * clfold_inclusive_scan() of the whole array: each rank gets the results of its elements.
 * Segments by flags and keys may cross ranks; flags and keys are those of the rank's own
 * elements. Ranks before the first element write no total_out.
 * \snippet mpi_scan.c clfold_mpi_inclusive_scan
 */
CLFOLD_API clfold_status clfold_mpi_inclusive_scan(
    clfold_context *context, MPI_Comm comm, cl_command_queue queue,
    const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
    size_t count, cl_uint num_wait, const cl_event *wait, cl_event *event);

/**
 * clfold_exclusive_scan() of the whole array, as the inclusive one.
 * \snippet ranks.c clfold_mpi_exclusive_scan
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
