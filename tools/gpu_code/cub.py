"""CUB's kernel for the job that a program of ours does, as CUDA for nvcc."""

from compilers import clean, figures

TYPES = {
    "i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short",
    "i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long",
    "f32": "float", "f64": "double",
}  # fmt: skip
OPERATORS = {
    "add": "cuda::std::plus<>", "mul": "cuda::std::multiplies<>",
    "min": "cuda::minimum<>", "max": "cuda::maximum<>", "bit-and": "cuda::std::bit_and<>",
    "bit-or": "cuda::std::bit_or<>", "bit-xor": "cuda::std::bit_xor<>",
}  # fmt: skip
HEAD = "#include <cub/cub.cuh>\n#include <cuda/functional>\n#include <cuda/std/functional>\n"
CALLS = {
    # Each is a template's own instance, for the kernels that it takes along.
    "reduce": "cub::DeviceReduce::Reduce(temp, bytes, in, out, count, {operator}{{}}, {zero})",
    "scan": "cub::DeviceScan::InclusiveScan(temp, bytes, in, out, {operator}{{}}, count)",
    "exclusive": "cub::DeviceScan::ExclusiveScan(temp, bytes, in, out, {operator}{{}}, {zero}, "
                 "count)",
}
KERNELS = {"reduce": "DeviceReduceKernel", "scan": "DeviceScanKernel",
           "exclusive": "DeviceScanKernel"}
OURS = {"reduce_tiles": "clfold_reduce_tiles", "scan_lookback": "clfold_scan_lookback"}


def job_of(entry):
    """Which call does what the program of that manifest entry does; None: none, or the entry's
    is not the kernel that is compared."""
    if entry["operation"] not in OURS or entry["op"] not in OPERATORS:
        return None
    if entry["in"] not in TYPES or entry["type"] not in TYPES:
        return None
    if entry["operation"] == "reduce_tiles":
        return "reduce"
    return "exclusive" if entry["exclusive"] else "scan"


def source(job, entry):
    name = TYPES[entry["type"]]
    call = CALLS[job].format(operator=OPERATORS[entry["op"]], zero=f"static_cast<{name}>(0)")
    return (f"{HEAD}void job(void *temp, size_t &bytes, const {TYPES[entry['in']]} *in, "
            f"{name} *out, size_t count)\n{{\n    {call};\n}}\n")


def beside(compilers, target, entry):
    """The figures of CUB's kernel; None where there is none to compare."""
    job = job_of(entry)
    if job is None or compilers.nvcc is None:
        return None

    def make():
        found = compilers.compile_cuda(target, source(job, entry))
        names = [name for name in found if KERNELS[job] in name]
        made = figures(target, found[names[0]], entry)
        made["kernel"] = clean(names[0])
        return made

    return compilers.cached(f"{target}\n{source(job, entry)}", make)
