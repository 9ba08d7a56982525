/*
 * What the examples for MPI need besides example.h: a device for each rank, and a rank's
 * part of the array in an .npy file, which MPI-IO reads and writes.
 */
#ifndef MPI_EXAMPLE_H
#define MPI_EXAMPLE_H

#include "example.h"

#include <clfold/mpi.h>

#include <limits.h>
#include <string.h>

/* Whether this is so on all ranks. If one fails on its own, none goes on without it. */
static inline bool mpi_all(bool is_so)
{
    int all = is_so;

    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static inline int mpi_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Rank 0 says what is wrong with a file. */
static inline void mpi_complain(const char *path, const char *what)
{
    if (mpi_rank() == 0) {
        fprintf(stderr, "%s: %s\n", path, what);
    }
}

/* Whether a call on a file succeeded on all ranks. */
static inline bool mpi_ok(int error, const char *path)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, worst = error;

    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst != MPI_SUCCESS) {
        MPI_Error_string(worst, text, &length);
        mpi_complain(path, text);
    }
    return worst == MPI_SUCCESS;
}

/* ---- Devices ----------------------------------------------------------------------- */

/*
 * Each rank of a machine opens one of its devices:
 *
 *     two GPUs                       rank 0   GPU 0        rank 1   GPU 1
 *     a CPU of 8 compute units       rank 0   4 of them    rank 1   the other 4
 *
 * A single device is cut into sub-devices if it can be, else the ranks share it.
 */
static inline struct example mpi_open(void)
{
    const cl_device_id first = example_device();
    cl_device_id devices[256] = { first };
    cl_platform_id platform;
    cl_device_type type;
    MPI_Comm machine;
    int rank, ranks;
    cl_uint num = 1, units;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_size(machine, &ranks);
    MPI_Comm_free(&machine);
    if (first) {
        clGetDeviceInfo(first, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL);
        clGetDeviceInfo(first, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
        clGetDeviceInfo(first, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
        clGetDeviceIDs(platform, type, 256, devices, &num);
        const cl_device_partition_property parts[] = { CL_DEVICE_PARTITION_EQUALLY,
                                                       units / (cl_uint)ranks, 0 };
        if (num == 1 && ranks > 1 && parts[1] > 0 &&
            clCreateSubDevices(first, parts, 256, devices, &num) != CL_SUCCESS) {
            num = 1;
        }
    }
    return example_open_on(devices[(cl_uint)rank % num]);
}

/* ---- Files ------------------------------------------------------------------------- */

/*
 * The array in an .npy file, and which part of it is this rank's:
 *
 *     | head: '<f4', shape ... | part of rank 0 | part of rank 1 | ...
 *                              ^ start          ^ start + first * size
 */
struct npy {
    MPI_Datatype type;
    int size; /* of an element, in bytes */
    int start;
    MPI_Offset all, first, count; /* elements; count is at most INT_MAX */
    char head[1024];
};

/* Finds them in a head of format 1, which is what numpy writes of plain numbers. */
static inline bool npy_find(struct npy *npy, const char *descr, MPI_Offset bytes)
{
    const unsigned char *const length = (const unsigned char *)npy->head + 8;
    int rank = mpi_rank(), ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_size(npy->type, &npy->size);
    npy->start = 10 + length[0] + 256 * length[1];
    if (memcmp(npy->head, "\x93NUMPY\1", 8) != 0 || npy->start > bytes ||
        npy->start >= (int)sizeof(npy->head) || !strstr(npy->head + 10, descr) ||
        !strstr(npy->head + 10, "'fortran_order': False")) {
        return false;
    }
    npy->all = (bytes - npy->start) / npy->size;
    npy->first = npy->all * rank / ranks;
    npy->count = npy->all * (rank + 1) / ranks - npy->first;
    return npy->count <= INT_MAX;
}

/* This rank's part of the file, to be freed; `descr` is what the head says of `type`. On
 * failure NULL, on all ranks. */
static inline void *npy_read(struct npy *npy, const char *path, const char *descr,
                             MPI_Datatype type)
{
    MPI_Offset bytes;
    MPI_File file;
    void *data = NULL;

    *npy = (struct npy){ .type = type, .size = 1 };
    if (!mpi_ok(
            MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
            path)) {
        return NULL;
    }
    /* MPI-IO may hang when it reads a folder, so the head is read by stdio. */
    FILE *const plain = fopen(path, "rb");
    const bool reads = plain && fread(npy->head, 1, sizeof(npy->head) - 1, plain) > 0;
    if (plain) {
        fclose(plain);
    }
    if (mpi_ok(MPI_File_get_size(file, &bytes), path)) {
        if (!mpi_all(reads && npy_find(npy, descr, bytes))) {
            mpi_complain(path, "not an .npy file of this type, or of too many elements");
        } else {
            data = example_zeros((size_t)npy->count, (size_t)npy->size);
        }
    }
    const MPI_Offset at = npy->start + npy->first * npy->size;
    if (!mpi_all(data) || !mpi_ok(MPI_File_read_at_all(file, at, data, (int)npy->count,
                                                       type, MPI_STATUS_IGNORE),
                                  path)) {
        free(data);
        data = NULL;
    }
    MPI_File_close(&file);
    return data;
}

/* Writes an array of the same type and shape. */
static inline bool npy_write(const struct npy *npy, const char *path, const void *data)
{
    const MPI_Offset at = npy->start + npy->first * npy->size;
    const int head = mpi_rank() == 0 ? npy->start : 0;
    MPI_File file;

    if (!mpi_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                              MPI_INFO_NULL, &file),
                path)) {
        return false;
    }
    const bool done =
        mpi_ok(MPI_File_set_size(file, npy->start + npy->all * npy->size), path) &&
        mpi_ok(
            MPI_File_write_at_all(file, 0, npy->head, head, MPI_CHAR, MPI_STATUS_IGNORE),
            path) &&
        mpi_ok(MPI_File_write_at_all(file, at, data, (int)npy->count, npy->type,
                                     MPI_STATUS_IGNORE),
               path);
    return mpi_ok(MPI_File_close(&file), path) && done;
}

/* Rank 0 prints where each rank's elements are. */
static inline void mpi_print_parts(const struct example *e, const struct npy *npy)
{
    char line[200], name[100] = "";
    cl_uint units = 0;
    int rank = mpi_rank(), ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    clGetDeviceInfo(e->device, CL_DEVICE_NAME, sizeof(name), name, NULL);
    clGetDeviceInfo(e->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    snprintf(line, sizeof(line), "rank %d: %lld elements from %lld on, %u units of %s",
             rank, (long long)npy->count, (long long)npy->first, (unsigned)units, name);
    char *const lines = example_zeros((size_t)ranks, sizeof(line));
    if (mpi_all(lines)) {
        MPI_Gather(line, sizeof(line), MPI_CHAR, lines, sizeof(line), MPI_CHAR, 0,
                   MPI_COMM_WORLD);
        for (int k = 0; rank == 0 && k < ranks; ++k) {
            printf("%s\n", lines + (size_t)k * sizeof(line));
        }
    }
    free(lines);
}

#endif
