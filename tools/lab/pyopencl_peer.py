#!/usr/bin/env python3
"""pyopencl as a peer: ReductionKernel with a map_expr, GenericScanKernel with an input_expr,
ElementwiseKernel, and its algorithms copy_if, partition and unique."""

import json
import os
import re
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from lab import peer  # noqa: E402
from lab.case import OPERATORS, c_name, identity_of  # noqa: E402

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


def select_device(selector):
    """As `clfold --device` does: the device's place, and the device."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:
        platforms = []
    devices = list(enumerate(one for platform in platforms for one in platform.get_devices()))
    kinds = {"gpu": cl.device_type.GPU, "cpu": cl.device_type.CPU}
    word = (selector or "gpu").lower()
    if word.isdigit():
        found = [item for item in devices if item[0] == int(word)]
    elif word in kinds:
        found = [item for item in devices if item[1].type & kinds[word]]
    else:
        found = [item for item in devices if word in item[1].name.lower()]
    found = found or (devices if selector is None else [])
    if not found:
        words = f"--device {selector} matches none" if selector else "there is no OpenCL device"
        peer.end_with("no_device", words)
    return found[0]


class PyOpenCL(peer.Peer):
    name = "pyopencl"

    def __init__(self, selector):
        self.index, device = select_device(selector)
        self.device, self.platform = device.name.strip(), device.platform.name
        self.driver, self.is_cpu = device.driver_version, bool(device.type & cl.device_type.CPU)
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)

    def copy(self, array):
        return cl.array.to_device(self.queue, array)

    def spoil(self, array):
        array.fill(0xA5)
        self.queue.finish()

    def read(self, array):
        return array.get(self.queue) if isinstance(array, cl.array.Array) else array

    def prepare(self, case):
        """Arrays of the case's types, in the order of the kernel's arguments."""
        if case.operation == "reduce" and case.combine and "commutative" not in case.options:
            # Its work-items take turns at the elements.
            raise peer.Unsupported("it reduces in any order, and the operator does not commute")
        if case.operation == "reduce" and (case.length or case.columns or case.by):
            what = "rows" if case.length else "columns" if case.columns else "segments"
            raise peer.Unsupported(f"it has no reduction of {what}")
        if case.operation == "scan" and (case.columns or case.by == "offsets"):
            raise peer.Unsupported("its segments begin where a condition on an element holds")
        if case.combine and not case.pair:
            raise peer.Unsupported("this program has no such operator of pyopencl's yet")
        if case.operation == "select":
            return self.prepare_select(case)
        x, out = case.dtype, case.out_dtype
        name, element = c_name(out), c_name(x)
        if case.pair:
            name = element = f"{name}2"
            x = out = getattr(cl.cltypes, name)
        self.names = ["in", *case.streams, *(["heads"] if case.by else [])]
        kernel = self.make_kernel(case, out, name, element)
        ready = {id(arrays): ([self.typed(arrays[one], x if one == "in" else None)
                               for one in self.names], outputs["out"].view(out))
                 for arrays, outputs in self.sets}  # fmt: skip

        def call(arrays, _):
            inputs, result = ready[id(arrays)]
            if case.operation == "reduce":
                kernel(*inputs, out=result[0], queue=self.queue)
            else:
                kernel(*inputs, result, queue=self.queue)
            self.queue.finish()

        return call

    def typed(self, array, dtype):
        return array if dtype is None else array.view(dtype)

    def in_kernel(self, text, case):
        """The text with x and streams as elements of arrays."""
        for one in ["x", *case.streams]:
            text = re.sub(rf"\b{one}\b", f"{one}[i]", text)
        return re.sub(r"\bn\b", str(self.count), text)

    def make_kernel(self, case, dtype, name, element):
        load = self.in_kernel(case.load or "x", case)
        arrays = [f"__global const {element} *x"]
        first = self.sets[0][0]
        arrays += [f"__global const {c_name(first[one].dtype)} *{one}" for one in self.names[1:]]
        if case.operation == "map":
            arguments = ", ".join([*arrays, f"__global {name} *lab_out"])
            return ElementwiseKernel(self.context, arguments, f"lab_out[i] = {load}")
        preamble = f"{name} combine({name} a, {name} b)\n{{ return "
        if case.pair:
            neutral = f"({name})(1, 0)"
            preamble += f"({name})({case.combine.strip('{} ')}); }}\n"
        elif case.op in OPERATORS:
            neutral = neutral_of(case.op, np.dtype(dtype))
            preamble += f"{OPERATORS[case.op][0]}; }}\n"
        else:
            raise peer.Unsupported(f"this program has no {case.op} of pyopencl's yet")
        combine = "a + b" if case.op == "add" else "combine(a, b)"
        if case.operation == "reduce":
            return ReductionKernel(
                self.context, dtype, neutral=neutral, reduce_expr=combine, map_expr=load,
                arguments=", ".join(arrays), preamble=preamble,
            )  # fmt: skip
        starts = f"i % {case.length} == 0" if case.length else {
            None: None, "flags": "heads[i]", "keys": "i == 0 || heads[i] != heads[i - 1]"}[case.by]
        return GenericScanKernel(
            self.context, dtype, ", ".join([*arrays, f"__global {name} *lab_out"]), input_expr=load,
            scan_expr=f"across_seg_boundary ? b : ({combine})" if starts else combine,
            neutral=neutral, is_segment_start_expr=starts, preamble=preamble,
            output_statement=f"lab_out[i] = {'prev_item' if case.exclusive else 'item'};",
        )  # fmt: skip

    def prepare_select(self, case):
        if case.same and ("also" in self.room or case.same != "a == b"):
            raise peer.Unsupported("it has no lengths of runs, and compares by ==")
        if case.load or case.streams or case.type != case.acc:
            raise peer.Unsupported("its selects write what memory holds")
        if not selects:
            raise peer.Unsupported("not installed: pyopencl.algorithm, which needs Mako")
        condition = case.keep and self.in_kernel(case.keep, case).replace("x[i]", "ary[i]")

        def call(arrays, _):
            """Arrays of its own, and how many are kept."""
            x, rest = arrays["in"], None
            if "also" in self.room:
                kept, rest, num, event = selects.partition(x, condition, queue=self.queue)
            elif condition:
                kept, num, event = selects.copy_if(x, condition, queue=self.queue)
            else:
                kept, num, event = selects.unique(x, queue=self.queue)
            self.queue.finish()
            del event
            return {"out": kept, "also": rest, "num": num.astype(np.uint64)}

        return call


def neutral_of(op, dtype):
    value = identity_of(op, dtype)
    if dtype.kind == "f":
        return str(float(value)).replace("inf", "INFINITY")
    suffix = ("u" if dtype.kind == "u" else "") + ("l" if dtype.itemsize == 8 else "")
    return f"(-{-(int(value) + 1)}{suffix} - 1)" if value < 0 else f"{int(value)}{suffix}"


if __name__ == "__main__":
    peer.main(PyOpenCL, [cl.Error])
