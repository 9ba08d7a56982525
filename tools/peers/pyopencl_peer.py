#!/usr/bin/env python3
"""pyopencl as a peer: ReductionKernel with a map_expr, GenericScanKernel with an input_expr,
ElementwiseKernel, and its algorithms copy_if, partition and unique."""

import json
import sys

import peer

try:
    import pyopencl as cl
    import pyopencl.array
    import pyopencl.cltypes
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import GenericScanKernel
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

try:
    import pyopencl.algorithm as selects
except ImportError:  # it wants Mako
    selects = None

np = peer.np
C_NAMES = {"f32": "float", "i32": "int", "f64": "double", "i64": "long"}
# What a op b of pairs is, and what is added, as peer.h has it.
PAIRS = {"dual": "a.x * b.x, a.x * b.y + a.y * b.x", "affine": "a.x * b.x, a.y * b.x + b.y"}
LOADS = {"squares": "x[i] * x[i]", "dot": "x[i] * y[i]", "above": "x[i] > 40 ? 1 : 0"}
COMMUTATIVE = [one for one in peer.OPERATORS if one != "affine"]


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
        peer.end_with("no_device", words)
    return found[0]


class PyOpenCL(peer.Peer):
    name = "pyopencl"

    def __init__(self, job):
        super().__init__(job)
        if job.op == "reduce" and job.operator not in COMMUTATIVE:
            # Its work-items take turns at the elements.
            words = f"it reduces in any order, and {job.operator} does not commute"
            peer.end_with("unsupported", words)
        if job.op == "rows" or job.lengths:
            what = "segments" if job.lengths else "rows"
            peer.end_with("unsupported", f"it has no reduction of {what}")
        if job.op.startswith(("rle", "by-keys")):
            peer.end_with("unsupported", "it has no runs")
        if job.selects and not selects:
            peer.end_with("failed", "not installed: pyopencl.algorithm, which needs Mako")
        name = C_NAMES[job.type]
        data = job.data()
        if job.components == 2:
            name += "2"
            data = data.view(getattr(cl.cltypes, name))
        self.index, device = select_device(job.device)
        self.device = device.name.strip()
        context = cl.Context([device])
        self.queue = cl.CommandQueue(context)
        inputs = [*data.reshape(job.inputs, -1), *([job.flags()] if job.segment else [])]
        self.inputs = [[cl.array.to_device(self.queue, one) for one in inputs]
                       for _ in range(job.sets)]  # fmt: skip
        empty = np.zeros(job.num_out, data.dtype)
        self.outputs = [cl.array.to_device(self.queue, empty) for _ in range(job.sets)]
        self.kernel = None if job.selects else self.make_kernel(context, data.dtype, name)
        self.queue.finish()

    def make_kernel(self, context, dtype, name):
        job = self.job
        load = LOADS.get(job.operator, "x[i]")
        arguments = ", ".join(f"__global const {name} *{one}" for one in "xy"[: job.inputs])
        combine, neutral, preamble = "a+b", "0", ""
        if job.components == 2:
            combine, neutral = "combine(a, b)", f"({name})(1, 0)"
            preamble = (f"{name} combine({name} a, {name} b)\n"
                        f"{{ return ({name})({PAIRS[job.operator]}); }}\n")  # fmt: skip
        if job.op == "map":
            return ElementwiseKernel(context, f"{arguments}, __global {name} *z", f"z[i] = {load}")
        if job.op in ("scan", "segments"):
            if job.segment:
                arguments += ", __global const uchar *starts"
                combine = f"across_seg_boundary ? b : ({combine})"
            # without neutral it fails
            return GenericScanKernel(
                context, dtype, f"{arguments}, __global {name} *z", input_expr=load,
                scan_expr=combine, neutral=neutral, output_statement="z[i] = item;",
                is_segment_start_expr="starts[i]" if job.segment else None, preamble=preamble,
            )  # fmt: skip
        return ReductionKernel(
            context, dtype, neutral=neutral, reduce_expr=combine, map_expr=load,
            arguments=arguments, preamble=preamble,
        )  # fmt: skip

    def call(self, index):
        if self.job.selects:
            self.outputs[index] = self.select(self.inputs[index][0])
            return
        source, result = self.inputs[index], self.outputs[index]
        if self.job.op == "reduce":
            self.kernel(*source, out=result, queue=self.queue)
        else:
            self.kernel(*source, result, queue=self.queue)
        self.queue.finish()

    def select(self, x):
        """Arrays of its own, and how many are kept."""
        condition = f"ary[i] > {self.job.above}"
        if self.job.op == "partition":
            kept, rest, num, event = selects.partition(x, condition, queue=self.queue)
        else:
            rest = None
            kept, num, event = (
                selects.unique(x, queue=self.queue) if self.job.above is None
                else selects.copy_if(x, condition, queue=self.queue))  # fmt: skip
        self.queue.finish()
        del event
        return kept, rest, num

    def selected(self, kept, rest, num):
        num = int(num.get(self.queue))
        others = rest.get(self.queue)[: self.job.count - num] if rest is not None else None
        return kept.get(self.queue)[:num], others

    def output(self, index):
        if self.job.selects:
            return self.selected(*self.outputs[index])
        return self.outputs[index].get(self.queue)


if __name__ == "__main__":
    peer.main(PyOpenCL, __doc__, [cl.Error])
