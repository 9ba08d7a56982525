"""The compilers that make code for GPUs here, without one: what is installed, and how each is
called.

    NVIDIA   clang and libclc to PTX, ptxas for the registers
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

import readers

HERE = os.path.dirname(os.path.abspath(__file__))
VENDORS = {
    "nvidia": ("sm_80", "sm_90"),
    "amd": ("gfx90a", "gfx1030", "gfx1100"),
    "intel": ("dg2",),
}
TARGETS = {target: vendor for vendor, targets in VENDORS.items() for target in targets}
NEEDS = {"nvidia": ("clang", "libclc for NVIDIA"), "amd": ("clang", "libclc for AMD"),
         "intel": ("ocloc",)}  # fmt: skip

# libclc has no C11 atomics. clang has, under names of its own.
ATOMICS = (
    "-Datomic_load_explicit(p,o,s)=__opencl_atomic_load(p,o,s)",
    "-Datomic_store_explicit(p,v,o,s)=__opencl_atomic_store(p,v,o,s)",
    "-Datomic_fetch_add_explicit(p,v,o,s)=__opencl_atomic_fetch_add(p,v,o,s)",
)
# Nor has it conversions of half, for NVIDIA.
HALF = ("-Dconvert_half(x)=(half)(x)", "-Dconvert_float(x)=(float)(x)")
# The vendors' compilers make one function of a kernel.
INLINE = ("-mllvm", "-inline-threshold=100000")
EXTENSIONS = ("+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp64,"
              "+cl_khr_fp16,+cl_khr_subgroups")


class Failed(Exception):
    """A compile failed; says what the compiler said."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(command):
    """Its output on both streams; raises Failed where it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout.strip()}")
    return done.stdout


def programs(gpu_texts, target, *request):
    """The programs that gpu_texts writes for the target's vendor, but for those of types that its
    devices do not have: what it says of each, and the text."""
    said = run([gpu_texts, TARGETS[target], *request])
    for part in re.split(r'^(?=\{"name": )', said, flags=re.M)[1:]:
        head, text = part.split("\n", 1)
        entry = json.loads(head)
        if target != "dg2" or "f64" not in (entry["in"], entry["type"]):
            yield entry, text


def library(name):
    """libclc's bitcode of that name, or None."""
    patterns = ("/usr/lib/clc", "/usr/share/clc", "/usr/lib/llvm-*/lib/clc", "/usr/local/lib/clc")
    found = [path for p in patterns for path in sorted(glob.glob(os.path.join(p, name)))]
    return found[0] if found else None


class Compilers:
    """What is installed, and what it makes of a text. `cache`: a folder, or None."""

    def __init__(self, cache=None):
        home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
        names = {"clang": ("clang-19", "clang-20", "clang-21", "clang"), "ptxas": ("ptxas",),
                 "nvcc": ("nvcc",), "ocloc": ("ocloc",)}  # fmt: skip
        path = os.environ.get("PATH", os.defpath) + os.pathsep + os.path.join(home, "bin")
        self.paths = {
            name: next(filter(None, (shutil.which(one, path=path) for one in others)), None)
            for name, others in names.items()
        }
        self.paths["libclc for NVIDIA"] = library("nvptx64--nvidiacl.bc")
        self.paths["libclc for AMD"] = library("amdgcn--amdhsa.bc")
        self.amd_front = read(os.path.join(HERE, "sub_groups_amd.h"))
        self.cache = cache
        sources = sorted(glob.glob(os.path.join(HERE, "*.[ph]*")))
        self.stamp = "".join(map(read, sources)) + "".join(
            f"{path} {os.stat(path).st_mtime_ns};" for path in self.paths.values() if path)

    def versions(self):
        """"clang 19, ptxas 13.0", as far as they are installed: what figures depend on."""
        said = []
        for name, pattern in (("clang", r"version (\d+)"), ("ptxas", r"release ([\d.]+)")):
            path = self.paths[name]
            said += [f"{name} {re.search(pattern, run([path, '--version']))[1]}"] if path else []
        return ", ".join(said)

    def missing(self, target):
        """The sentence about what is not installed of what the target needs, or None."""
        absent = [name for name in NEEDS[TARGETS[target]] if not self.paths[name]]
        return f"{target}: {' and '.join(absent)} not installed" if absent else None

    def cached(self, key, make):
        """What `make` returns, from the cache where it is there."""
        if self.cache is None:
            return make()
        digest = hashlib.sha256((self.stamp + key).encode()).hexdigest()
        path = os.path.join(self.cache, digest + ".json")
        try:
            return json.loads(read(path))
        except (OSError, ValueError):
            made = make()
        os.makedirs(self.cache, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.cache, delete=False) as file:
            json.dump(made, file)
        os.replace(file.name, path)
        return made

    def clang(self, source, output, bitcode, *options):
        return run([self.paths["clang"], "-x", "cl", "-cl-std=CL2.0", "-Xclang",
                    "-finclude-default-header", "-O2", "-S", "-w", *INLINE, *ATOMICS,
                    "-Dasm=__asm__", "-Xclang", f"-cl-ext={EXTENSIONS}", "-o", output, source,
                    "-Xclang", "-mlink-bitcode-file", "-Xclang", bitcode, *options])

    def ptx(self, target, path):
        """Kernels of a PTX file. Without ptxas their registers are unknown."""
        said = ""
        if self.paths["ptxas"]:
            said = run([self.paths["ptxas"], f"-arch={target}", "-v", "-o", os.devnull, path])
        return readers.kernels("nvidia", read(path), said)

    def nvidia(self, target, folder, source):
        path = os.path.join(folder, "out.ptx")
        uses_half = re.search(r"^#define CLFOLD_(?:IN|CELL) half$", read(source), re.M)
        self.clang(source, path, self.paths["libclc for NVIDIA"], "--target=nvptx64-nvidia-nvcl",
                   "-Xclang", "-target-cpu", "-Xclang", target, "-Xclang", "-target-feature",
                   "-Xclang", "+ptx70", *(HALF if uses_half else ()))
        return self.ptx(target, path)

    def amd(self, target, folder, source):
        path = os.path.join(folder, "out.s")
        said = self.clang(
            source, path, self.paths["libclc for AMD"], "--target=amdgcn-amd-amdhsa", "-nogpulib",
            f"-mcpu={target}", "-Rpass-analysis=kernel-resource-usage",
            "-Datomic_work_item_fence(f,o,s)=__builtin_amdgcn_fence(o,\"agent\")")
        return readers.kernels("amd", read(path), said)

    def intel(self, target, folder, source):
        ocloc, dump = self.paths["ocloc"], os.path.join(folder, "dump")
        said = run([ocloc, "compile", "-file", source, "-device", target, "-out_dir", folder,
                    "-output", "out", "-options", "-cl-std=CL3.0"])
        binary = glob.glob(os.path.join(folder, "out*.bin"))
        run([ocloc, "disasm", "-file", binary[0], "-device", target, "-dump", dump])
        ending = "_KernelHeap.asm"
        text = "".join(f"kernel {os.path.basename(path).removesuffix(ending)}\n{read(path)}\n"
                       for path in glob.glob(os.path.join(dump, "*" + ending)))
        if not text:
            raise Failed(f"{ocloc}: no disassembly, for which it needs libiga64")
        return readers.kernels("intel", text, said)

    def compile(self, target, text):
        """The kernels of an OpenCL program, by name."""
        vendor = TARGETS[target]
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "program.cl")
            with open(source, "w", encoding="ascii") as file:
                file.write(self.amd_front + text if vendor == "amd" else text)
            return getattr(self, vendor)(target, folder, source)

    def compile_cuda(self, target, text):
        """The kernels of a CUDA program, by name; what nvcc makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            source, output = os.path.join(folder, "program.cu"), os.path.join(folder, "out.ptx")
            with open(source, "w", encoding="ascii") as file:
                file.write(text)
            run([self.paths["nvcc"], "-std=c++17", f"-arch={target}", "-ptx", "-o", output, source])
            found = self.ptx(target, output)
            sizes = re.findall(r"\.entry\s+([\w$]+)\([^{]*?\.maxntid\s+(\d+)", read(output))
            for name, size in sizes:
                found[name].facts["group_size"] = int(size)
            return found
