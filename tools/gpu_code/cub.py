"""CUB's kernel for the job that a program of ours does, as CUDA for nvcc."""

from figures import figures

TYPES = {
    "i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short",
    "i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long",
    "f32": "float", "f64": "double",
}  # fmt: skip
OPERATORS = {"add": "cuda::std::plus<>", "mul": "cuda::std::multiplies<>",
             "min": "cuda::minimum<>", "max": "cuda::maximum<>"}  # fmt: skip
HEAD = "#include <cub/cub.cuh>\n#include <cuda/functional>\n#include <cuda/std/functional>\n"
# Of an operation, inclusive or exclusive: a call, a template's own instance for the kernels that it
# takes along.
CALLS = {
    ("reduce_tiles", False): "Reduce::Reduce(temp, bytes, in, out, count, {op}{{}}, {zero})",
    ("scan_lookback", False): "Scan::InclusiveScan(temp, bytes, in, out, {op}{{}}, count)",
    ("scan_lookback", True): "Scan::ExclusiveScan(temp, bytes, in, out, {op}{{}}, {zero}, count)",
}


def rows_of(compilers, target, entry):
    """The figures of CUB's kernel; none where there is none to compare, or no nvcc."""
    call = CALLS.get((entry["operation"], entry["exclusive"]))
    types = TYPES.get(entry["in"]), TYPES.get(entry["type"])
    if not compilers.paths["nvcc"] or not call or not all(types) or entry["op"] not in OPERATORS:
        return []
    call = call.format(op=OPERATORS[entry["op"]], zero=f"static_cast<{types[1]}>(0)")
    text = (f"{HEAD}void job(void *temp, size_t &bytes, const {types[0]} *in, {types[1]} *out, "
            f"size_t count)\n{{\n    cub::Device{call};\n}}\n")
    name = "Device" + call.partition("::")[0] + "Kernel"

    def make():
        found = compilers.compile_cuda(target, text)
        kernel = next(kernel for mangled, kernel in found.items() if name in mangled)
        return [{**figures(target, kernel, entry), "kernel": f"CUB {name}"}]

    return compilers.cached(f"{target}\n{text}", make)
