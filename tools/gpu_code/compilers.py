"""The compilers that make code for GPUs here, without one: what is installed, and how each is
called.

    NVIDIA   clang and libclc to PTX, ptxas for the registers, nvdisasm for the instructions
    AMD      clang and libclc to assembly
    Intel    ocloc, the driver's own compiler
"""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

import assembly as asm
import banks
import gcn
import gen
import ptx
import sass
from occupancy import occupancy

HERE = os.path.dirname(os.path.abspath(__file__))
VENDORS = {
    "nvidia": ("sm_80", "sm_90"),
    "amd": ("gfx90a", "gfx1030", "gfx1100"),
    "intel": ("dg2",),
}
TARGETS = {target: vendor for vendor, targets in VENDORS.items() for target in targets}
# Types that a target's devices do not have, of which the library builds nothing there.
LACKS = {"dg2": {"f64"}}

# libclc has no C11 atomics. clang has, under names of its own.
ATOMICS = (
    "-Datomic_load_explicit(p,o,s)=__opencl_atomic_load(p,o,s)",
    "-Datomic_store_explicit(p,v,o,s)=__opencl_atomic_store(p,v,o,s)",
    "-Datomic_fetch_add_explicit(p,v,o,s)=__opencl_atomic_fetch_add(p,v,o,s)",
)
# The vendors' compilers make one function of a kernel.
INLINE = ("-mllvm", "-inline-threshold=100000")
EXTENSIONS = ("+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp64,"
              "+cl_khr_fp16,+cl_khr_subgroups")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def front_of(vendor, text):
    """What libclc lacks of what the text uses."""
    uses_half = re.search(r"^#define CLFOLD_(?:IN|CELL) half$", text, re.M)
    name = {"nvidia": "half.h" if uses_half else None, "amd": "sub_groups_amd.h"}.get(vendor)
    return read(os.path.join(HERE, name)) if name else ""


def lacks(target, entry):
    """The type of a program's that the target does not have, or None."""
    return next((name for name in (entry["in"], entry["type"])
                 if name in LACKS.get(target, ())), None)


class Failed(Exception):
    """A compile failed; says what the compiler said."""


def run(command):
    """Its output on both streams; raises Failed where it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout.strip()}")
    return done.stdout


def program(*names, folders=()):
    """The first of these programs that is installed, or None."""
    for name in names:
        path = shutil.which(name)
        for folder in folders:
            path = path or shutil.which(name, path=folder)
        if path:
            return path
    return None


def cuda_folders():
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return [os.path.join(home, "bin")] if home else ["/usr/local/cuda/bin"]


def library(name):
    """libclc's bitcode of that name, or None."""
    patterns = ("/usr/lib/clc", "/usr/share/clc", "/usr/lib/llvm-*/lib/clc", "/usr/local/lib/clc")
    found = [path for p in patterns for path in sorted(glob.glob(os.path.join(p, name)))]
    return found[0] if found else None


class Compilers:
    """What is installed, and what it makes of a text. `cache`: a folder, or None. `disassembles`:
    whether NVIDIA's instructions are counted as they really are, where nvdisasm is installed."""

    def __init__(self, cache=None, disassembles=True):
        self.clang = program("clang-19", "clang-20", "clang-21", "clang")
        self.ptxas = program("ptxas", folders=cuda_folders())
        self.nvdisasm = program("nvdisasm", folders=cuda_folders()) if disassembles else None
        self.nvcc = program("nvcc", folders=cuda_folders())
        self.ocloc = program("ocloc")
        self.nvidia_library = library("nvptx64--nvidiacl.bc")
        self.amd_library = library("amdgcn--amdhsa.bc")
        self.cache = cache
        self.stamp = ""
        for path in (self.clang, self.ptxas, self.nvdisasm, self.nvcc, self.ocloc,
                     self.nvidia_library, self.amd_library):
            self.stamp += self.version(path)
        for name in sorted(os.listdir(HERE)):
            if name.endswith((".py", ".h")):
                self.stamp += read(os.path.join(HERE, name))

    @staticmethod
    def version(path):
        if path is None:
            return "none;"
        done = os.stat(os.path.realpath(path))
        return f"{path} {done.st_size} {done.st_mtime_ns};"

    def versions(self):
        """"clang 19, ptxas 13.0", as far as they are installed: what figures depend on."""
        said = []
        for path, pattern in ((self.clang, r"version (\d+)"), (self.ptxas, r"release ([\d.]+)")):
            found = re.search(pattern, run([path, "--version"])) if path else None
            said += [f"{os.path.basename(path).split('-')[0]} {found[1]}"] if found else []
        return ", ".join(said)

    def missing(self, target):
        """Why a target cannot be compiled for here, in one sentence; None if it can."""
        needs = {
            "nvidia": {"clang": self.clang, "libclc for NVIDIA": self.nvidia_library},
            "amd": {"clang": self.clang, "libclc for AMD": self.amd_library},
            "intel": {"ocloc": self.ocloc},
        }[TARGETS[target]]
        absent = [name for name, path in needs.items() if path is None]
        return f"{target}: {' and '.join(absent)} not installed" if absent else None

    def cached(self, key, make):
        """What `make` returns, from the cache where it is there."""
        if self.cache is None:
            return make()
        digest = hashlib.sha256((self.stamp + key).encode()).hexdigest()
        path = os.path.join(self.cache, digest[:2], digest + ".json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            pass
        made = make()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path), delete=False) as file:
            json.dump(made, file)
        os.replace(file.name, path)
        return made

    def clang_command(self, source, output):
        return [self.clang, "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header",
                "-O2", "-S", "-w", *INLINE, *ATOMICS, "-Dasm=__asm__", "-Xclang",
                f"-cl-ext={EXTENSIONS}", "-o", output, source]

    def to_ptx(self, target, source, output):
        run([*self.clang_command(source, output), "--target=nvptx64-nvidia-nvcl", "-Xclang",
             "-target-cpu", "-Xclang", target, "-Xclang", "-target-feature", "-Xclang", "+ptx70",
             "-Xclang", "-mlink-bitcode-file", "-Xclang", self.nvidia_library])  # fmt: skip

    def nvidia(self, target, folder, path):
        """Kernels of a PTX file, with what ptxas and nvdisasm say of them. Without ptxas
        its registers are unknown."""
        found, real = ptx.kernels(read(path)), {}
        if self.ptxas is None:
            for kernel in found.values():
                kernel.facts["private"] = kernel.depot
            return found
        cubin = os.path.join(folder, "out.cubin")
        said = run([self.ptxas, f"-arch={target}", "-v", "-o", cubin, path])
        if self.nvdisasm:
            real = sass.kernels(run([self.nvdisasm, "-c", cubin]))
        for name, facts in ptx.resources(said).items():
            kernel = found[name]
            kernel.facts = facts
            kernel.facts["instructions"] = real[name] if name in real else kernel
        return found

    def amd(self, target, folder, source):
        path = os.path.join(folder, "out.s")
        run([*self.clang_command(source, path), "--target=amdgcn-amd-amdhsa", "-nogpulib",
             f"-mcpu={target}",
             "-Datomic_work_item_fence(f,o,s)=__builtin_amdgcn_fence(o,\"agent\")",
             "-Xclang", "-mlink-bitcode-file", "-Xclang", self.amd_library])  # fmt: skip
        return gcn.kernels(read(path))

    def intel(self, target, folder, source):
        said = run([self.ocloc, "compile", "-file", source, "-device", target, "-out_dir", folder,
                    "-output", "out", "-options", "-cl-std=CL3.0"])
        binary = glob.glob(os.path.join(folder, "out*.bin"))
        run([self.ocloc, "disasm", "-file", binary[0], "-device", target, "-dump",
             os.path.join(folder, "dump")])
        found = {}
        for path in glob.glob(os.path.join(folder, "dump", "*KernelHeap.asm")):
            name = os.path.basename(path)[: -len("_KernelHeap.asm")]
            found[name] = gen.kernel(name, read(path))
        if not found:
            raise Failed(f"{self.ocloc}: no disassembly, for which it needs libiga64")
        for name, registers in gen.spills(said).items():
            if name in found:
                found[name].facts["spills"] = 4 * registers
        return found

    def compile(self, target, text):
        """The kernels of an OpenCL program, by name."""
        vendor = TARGETS[target]
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "program.cl")
            text = front_of(vendor, text) + text
            with open(source, "w", encoding="ascii") as file:
                file.write(text)
            if vendor == "nvidia":
                output = os.path.join(folder, "out.ptx")
                self.to_ptx(target, source, output)
                return self.nvidia(target, folder, output)
            return getattr(self, vendor)(target, folder, source)

    def compile_cuda(self, target, text):
        """The kernels of a CUDA program, by name; what nvcc makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            source, output = os.path.join(folder, "program.cu"), os.path.join(folder, "out.ptx")
            with open(source, "w", encoding="ascii") as file:
                file.write(text)
            run([self.nvcc, "-std=c++17", f"-arch={target}", "-ptx", "-o", output, source])
            return self.nvidia(target, folder, output)


def widest(steps, kind):
    return max((access.size for access in asm.accesses(steps, kind, asm.GLOBAL)), default=0)


def an_element(kernel, steps, entry):
    """Instructions an element, in each of the loops over them; and the loop that loads."""
    by_tiles = kernel.startswith(("clfold_scan", "clfold_reduce_lanes", "clfold_lanes_aggregates",
                                  "clfold_reduce_offsets"))
    found = asm.tile_loops(steps) if by_tiles else {}
    loading = found.get("load") or asm.streaming_loop(steps)
    if not found.get("load"):
        found = {"load": loading}
    of_stage = {"load": (asm.LOAD, asm.GLOBAL, entry["read"]),
                "write": (asm.STORE, asm.GLOBAL, entry["sizes"][1])}
    if len(found) > 1:
        loaded, folded, scanned = entry["slots"]
        of_stage["load"] = (asm.STORE, asm.LOCAL, loaded)
        if not entry["operation"].endswith("lanes"):  # of which a round takes one
            of_stage["fold"] = (asm.LOAD, asm.LOCAL, folded)
            of_stage["scan"] = (asm.STORE, asm.LOCAL, scanned)
    numbers = {}
    for stage, loop in found.items():
        elements = 1
        if stage in of_stage:
            kind, space, size = of_stage[stage]
            elements = max(asm.bytes_of(loop, kind, space) / size, 1)
        if loop:
            numbers[stage] = round(len(asm.instructions(loop)) / elements, 1)
    return numbers, loading


def figures(target, kernel, entry):
    """The facts about a kernel of a program, as numbers: 0 if there is none, None if unknown."""
    facts = kernel.facts
    real = facts.get("instructions", kernel)
    group_size = kernel.group_size or entry["group_size"]
    stages, loading = an_element(kernel.name, real.steps, entry)
    is_nvidia = TARGETS[target] == "nvidia"
    ways = banks.conflicts(kernel) if is_nvidia else []
    known = [turns for turns in ways if turns]
    room = None
    if "registers" in facts:
        room = occupancy(target, group_size, facts["registers"], facts["local"])
    private = sum(len(asm.accesses(real.steps, kind, asm.PRIVATE))
                  for kind in (asm.LOAD, asm.STORE))
    return {
        "target": target,
        "kernel": kernel.name,
        "group_size": group_size,
        "registers": facts.get("registers"),
        "spill_bytes": facts.get("spills", 0),
        "lane_spill_bytes": facts.get("lane_spills", 0),
        "private_bytes": facts.get("private", 4 * private if private else 0),
        "local_bytes": facts.get("local"),
        "groups": room.groups if room else None,
        "waves": room.waves if room else None,
        "most_waves": room.most if room else None,
        "load_bytes": widest(kernel.steps, asm.LOAD),
        "store_bytes": widest(kernel.steps, asm.STORE),
        "barriers": asm.barriers(real.steps),
        "stages": stages,
        "element_instructions": round(sum(stages.values()), 1) if stages else None,
        "loads_under_way": asm.under_way(loading) or asm.under_way(real.steps),
        "mean_ways": round(sum(known) / len(known), 1) if known else None,
        "most_ways": max(known) if known else None,
        "unknown_ways": ways.count(None) if is_nvidia else None,
        "simd": facts.get("simd"),
    }


def clean(name):
    """CUB's kernels by the name that people know."""
    match = re.search(r"Device\w+?Kernel", name)
    return "CUB " + match[0] if match else name
