#!/usr/bin/env python3
"""mpirun -n N ranks.py: the running sums of bench_ranks, by numpy.cumsum and mpi4py, of arrays on
the host. Prints the median and range of 21 runs, each the time of the slowest rank."""

import statistics
import time

import numpy as np
from mpi4py import MPI

RUNS = 21
comm = MPI.COMM_WORLD


def scan(x, out):
    np.cumsum(x, out=out)
    before = np.zeros(1, np.float32)
    comm.Exscan(out[-1:], before)
    if comm.rank > 0:
        out += before


for num in (1 << 24, 1 << 12):
    x, seconds = (np.arange(num) % 1024 == 0).astype(np.float32), []
    out = np.empty_like(x)
    for run in range(RUNS + 1):
        comm.Barrier()
        begin = time.perf_counter()
        scan(x, out)
        seconds.append(comm.allreduce(time.perf_counter() - begin, op=MPI.MAX) * 1e3)
    assert out[-1] == (comm.rank + 1) * x.sum(dtype=float)
    if comm.rank == 0:
        times = seconds[1:]
        print(f"{comm.size} ranks, {num:8} f32 each: {'mpi4py and numpy':26} "
              f"{statistics.median(times):9.3f} ms ({min(times):.3f} to {max(times):.3f})")
