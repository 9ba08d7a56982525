#!/usr/bin/env python3
"""pyopencl's ReductionKernel and InclusiveScanKernel as a peer: the options, the data and the
lines of peer.h, which says why, in Python."""

import argparse
import json
import statistics
import sys
import time

try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    import pyopencl.cltypes
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import InclusiveScanKernel
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

TYPES = {"f32": np.float32, "i32": np.int32, "f64": np.float64, "i64": np.int64}
C_NAMES = {"f32": "float", "i32": "int", "f64": "double", "i64": "long"}
# What a op b of pairs is, as peer.h has it.
PAIRS = {"dual": "a.x * b.x, a.x * b.y + a.y * b.x", "affine": "a.x * b.x, a.y * b.x + b.y"}
COMMUTATIVE = ["add", "dual"]
EXACT = {"f32": 1 << 24, "i32": (1 << 31) - 1, "f64": 1 << 53, "i64": 1 << 53}
ALL_SETS_BYTES, MAX_SETS, MAX_ROUNDS = 512 << 20, 256, 1001
PART = 1 << 22  # items that are made or checked at a time


def end_with(key, words):
    print(json.dumps({key: words}), flush=True)
    sys.exit(1)


def values(i):
    """As value_of in peer.c, of many."""
    x = (i ^ (i >> np.uint64(32))).astype(np.uint32)
    x = x * np.uint32(2654435761) + np.uint32(20261122)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
    x = (x ^ (x >> np.uint32(12))) * np.uint32(0x297A2D39)
    x ^= x >> np.uint32(15)
    return (x.astype(np.uint64) * np.uint64(101) >> np.uint64(32)).astype(np.int64) - 50


def parts(job):
    """For each part its start, items, folds of all items up to each, and the sums that peer.c
    bounds: a column for each component."""
    total, sign = 0, 1
    for start in range(0, job.count, PART):
        i = np.arange(start, min(start + PART, job.count), dtype=np.uint64)
        part = values(i)
        if job.operator == "add":
            sums = part.cumsum() + total
            items, folds = part[:, None], sums[:, None]
        else:
            # With signs s and their products P, an item's y adds y / s to a dual number's and
            # y / P to a map's, and then all is multiplied by P.
            signs = np.where(values(np.uint64(3) * i + np.uint64(1)) < 0, -1, 1)
            products = signs.cumprod() * sign
            sums = (part * (signs if job.operator == "dual" else products)).cumsum() + total
            items = np.column_stack([signs, part])
            folds = np.column_stack([products, products * sums])
            sign = int(products[-1])
        total = int(sums[-1])
        yield start, items, folds, sums


def make_data(job):
    components = 1 if job.operator == "add" else 2
    data = np.empty((job.count, components), TYPES[job.type])
    least = most = 0
    for start, items, _, sums in parts(job):
        data[start : start + len(items)] = items
        least, most = min(least, int(sums.min())), max(most, int(sums.max()))
    if most - least > EXACT[job.type]:
        end_with("failed", f"--count {job.count}: not all sums of its data are exact in {job.type}")
    return data


def all_devices():
    try:
        return [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.Error:
        return []


def select_device(selector):
    """As `clfold --device` does: the device's place, and the device."""
    devices = list(enumerate(all_devices()))
    gpus = [item for item in devices if item[1].type & cl.device_type.GPU]
    if selector is None:
        found = gpus or devices
    elif selector.isdigit():
        found = [item for item in devices if item[0] == int(selector)]
    elif selector.lower() == "gpu":
        found = gpus
    elif selector.lower() == "cpu":
        found = [item for item in devices if item[1].type & cl.device_type.CPU]
    else:
        found = [item for item in devices if selector.lower() in item[1].name.lower()]
    if not found:
        words = f"--device {selector} matches none" if selector else "there is no OpenCL device"
        end_with("no_device", words)
    return found[0]


class Peer:
    def __init__(self, job):
        if job.op == "reduce" and job.operator not in COMMUTATIVE:
            # Its work-items take turns at the elements.
            words = f"it reduces in any order, and {job.operator} does not commute"
            end_with("unsupported", words)
        scalars = make_data(job)
        name = C_NAMES[job.type]
        combine, neutral, preamble = "a+b", "0", ""
        if job.operator == "add":
            data = scalars.reshape(-1)
        else:
            name += "2"
            data = scalars.view(getattr(cl.cltypes, name)).reshape(-1)
            combine, neutral = "combine(a, b)", f"({name})(1, 0)"
            preamble = (f"{name} combine({name} a, {name} b)\n"
                        f"{{ return ({name})({PAIRS[job.operator]}); }}\n")  # fmt: skip
        self.job, self.item = job, data.itemsize
        self.index, device = select_device(job.device)
        self.device = device.name.strip()
        context = cl.Context([device])
        self.queue = cl.CommandQueue(context)
        out = data.nbytes if job.op == "scan" else self.item
        self.num = min(MAX_SETS, -(-ALL_SETS_BYTES // (data.nbytes + out)))
        self.inputs = [cl.array.to_device(self.queue, data) for _ in range(self.num)]
        num_out = job.count if job.op == "scan" else 1
        empty = np.zeros(num_out, data.dtype)
        self.outputs = [cl.array.to_device(self.queue, empty) for _ in range(self.num)]
        if job.op == "scan":
            # without neutral it fails
            self.kernel = InclusiveScanKernel(
                context, data.dtype, combine, neutral=neutral, preamble=preamble
            )
        else:
            self.kernel = ReductionKernel(
                context, data.dtype, neutral=neutral, reduce_expr=combine, map_expr="x[i]",
                arguments=f"__global const {name} *x", preamble=preamble,
            )  # fmt: skip
        self.next = 0
        self.queue.finish()

    def call(self):
        """Takes the next set."""
        self.next = (self.next + 1) % self.num
        source, result = self.inputs[self.next], self.outputs[self.next]
        if self.job.op == "scan":
            self.kernel(source, output_ary=result, queue=self.queue)
        else:
            self.kernel(source, out=result, queue=self.queue)
        self.queue.finish()

    def round(self):
        self.call()
        begin = time.monotonic()
        self.call()
        return time.monotonic() - begin

    def check(self):
        found = self.outputs[self.next].get(self.queue)
        found = found.view(TYPES[self.job.type]).reshape(len(found), -1)
        for start, _, folds, _ in parts(self.job):
            last = start + len(folds)
            if self.job.op == "scan":
                theirs = found[start:last]
            elif last == self.job.count:
                theirs, start, folds = found, last - 1, folds[-1:]
            else:
                continue
            wrong = np.flatnonzero((theirs != folds).any(axis=1))
            if wrong.size:
                at = int(wrong[0])
                what = "item" if self.job.op == "scan" else "the fold of items up to"
                is_, not_ = (", ".join(map(str, row[at])) for row in (theirs, folds))
                pair = "({})" if folds.shape[1] == 2 else "{}"
                words = f"{pair.format(is_)} and not {pair.format(not_)}"
                end_with("wrong", f"{what} {start + at} is {words}")


def serve(peer):
    ready = {"ready": True, "device": peer.device, "index": peer.index, "sets": peer.num}
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        if line == "end\n":
            break
        if line != "round\n":
            end_with("failed", f"asked for {line}")
        print(json.dumps({"seconds": peer.round()}), flush=True)
    peer.check()
    print(json.dumps({"ok": True}), flush=True)


def run_alone(peer, job):
    seconds = statistics.median(peer.round() for _ in range(job.rounds))
    peer.check()
    moved = job.count * peer.item * (2 if job.op == "scan" else 1)
    print(json.dumps({
        "peer": "pyopencl", "op": job.op, "operator": job.operator, "type": job.type,
        "count": job.count, "device": peer.device, "sets": peer.num, "rounds": job.rounds,
        "seconds": seconds, "gbps": round(moved / seconds / 1e9, 3), "ok": True,
    }))  # fmt: skip


def number(most):
    def read(text):
        value = int(text)
        if not 1 <= value <= most:
            raise ValueError
        return value

    read.__name__ = "number"
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--op", required=True, choices=["reduce", "scan"])
    parser.add_argument("--operator", default="add", choices=["add", *PAIRS])
    parser.add_argument("--type", required=True, choices=list(TYPES))
    parser.add_argument("--count", required=True, type=number(1 << 58))
    parser.add_argument("--rounds", default=9, type=number(MAX_ROUNDS))
    parser.add_argument("--device")
    parser.add_argument("--serve", action="store_true")
    job = parser.parse_args()
    try:
        peer = Peer(job)
        peer.next = peer.num - 1
        peer.call()
        peer.check()
        if job.serve:
            serve(peer)
        else:
            run_alone(peer, job)
    except (cl.Error, RuntimeError, MemoryError) as error:
        end_with("failed", " ".join(str(error).split())[:400] or type(error).__name__)


if __name__ == "__main__":
    main()
