"""Installs clfold into an empty folder and uses it from outside, as a user would.

usage: drive.py BUILD SOURCE CONSUMER MESON COMPILER...

BUILD is a finished build of the tree SOURCE, CONSUMER the program to build against it,
MESON and COMPILER (with its arguments) are the commands. Nothing is written outside
temporary folders, but for the log that `meson install` keeps in BUILD.
"""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import run_devices  # noqa: E402

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-DCL_TARGET_OPENCL_VERSION=300"]
# What the library may load when it runs: OpenCL's loader and the C library's parts.
NEEDED = r"lib(OpenCL|c|m|pthread)\.so\.\d+|ld-linux.*"
NEEDED_MPI = NEEDED + r"|lib(clfold|(open-)?(mpi|rte|pal|mpich)).*"

# The source lies in a folder of its own, as a release that was unpacked.
WRAP = """[wrap-file]
directory = clfold-0.1

[provide]
dependency_names = clfold
"""

build = source = consumer = meson = compiler = None


def run(*command, **variables):
    """Returns what was printed; a failure is the test's, with all of the output."""
    done = subprocess.run(
        command,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        line = " ".join(command)
        raise AssertionError(f"{line}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def dynamic(path, tag):
    """The names that an ELF file has under NEEDED or SONAME."""
    found = re.findall(rf"\({tag}\).*\[(.*)\]", run("readelf", "-d", path))
    return set(found)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="clfold-install-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class Installed(Case):
    def setUp(self):
        super().setUp()
        options = json.loads(run(meson, "introspect", "--buildoptions", build))
        options = {option["name"]: option["value"] for option in options}
        project = json.loads(run(meson, "introspect", "--projectinfo", build))
        self.version = project["version"]
        targets = json.loads(run(meson, "introspect", "--targets", build))
        self.command = "clfold" in {
            target["name"] for target in targets if target["type"] == "executable"
        }
        self.libraries = {"clfold": ["clfold.h", "experimental.h"]}
        self.has_mpi = "clfold-mpi" in {target["name"] for target in targets}
        if self.has_mpi:
            self.libraries["clfold-mpi"] = ["mpi.h"]
        self.prefix = options["prefix"]
        self.kind = options["default_library"]
        self.directory = {
            name: os.path.join(self.prefix, options[name])
            for name in ("bindir", "datadir", "includedir", "libdir", "libexecdir", "mandir")
        }
        run(meson, "install", "-C", build, "--destdir", self.folder, "--no-rebuild")

    def staged(self, directory, *names):
        """The path of an installed file in the folder that stands for the root."""
        path = os.path.join(self.directory[directory], *names)
        return self.path(os.path.relpath(path, "/"))

    def pkg_config_path(self):
        """A PKG_CONFIG_PATH by which the folder is taken for the root. Only clfold's own
        files are changed for it: PKG_CONFIG_SYSROOT_DIR would move OpenCL as well."""
        moved = self.path("moved")
        os.makedirs(moved, exist_ok=True)
        for name in self.libraries:
            with open(self.staged("libdir", "pkgconfig", f"{name}.pc"), encoding="utf-8") as f:
                text = f.read()
            old = f"prefix={self.prefix}\n"
            self.assertIn(old, text)
            with open(os.path.join(moved, f"{name}.pc"), "w", encoding="utf-8") as f:
                prefix = self.path(os.path.relpath(self.prefix, "/"))
                f.write(text.replace(old, f"prefix={prefix}\n"))
        return os.pathsep.join(filter(None, [moved, os.environ.get("PKG_CONFIG_PATH")]))

    def flags(self, *arguments, of="clfold"):
        path = self.pkg_config_path()
        return run("pkg-config", *arguments, of, PKG_CONFIG_PATH=path).split()

    def number(self):
        major, minor, patch = map(int, self.version.split("."))
        return str(major * 10000 + minor * 100 + patch)

    def test_files(self):
        parts = self.version.split(".")
        libraries = {
            ".a": "static",
            ".so": "shared",
            f".so.{parts[0]}.{parts[1]}": "shared",
            f".so.{self.version}": "shared",
        }
        expected = set()
        for name, headers in self.libraries.items():
            expected |= {
                self.staged("libdir", f"lib{name}{end}")
                for end, kind in libraries.items()
                if self.kind in ("both", kind)
            } | {self.staged("includedir", "clfold", header) for header in headers} | {
                self.staged("libdir", "pkgconfig", f"{name}.pc"),
                self.staged("libdir", "cmake", name, f"{name}-config.cmake"),
                self.staged("libdir", "cmake", name, f"{name}-config-version.cmake"),
            }
        doc = self.staged("datadir", "doc", "clfold")
        for name in ("CHANGELOG.md", "LICENSE", "README.md", "docs", "examples"):
            for folder, _, names in os.walk(os.path.join(source, name)):
                inside = os.path.relpath(folder, source)
                expected |= {os.path.join(doc, inside, one) for one in names}
            if not os.path.isdir(os.path.join(source, name)):
                expected.add(os.path.join(doc, name))
        for_build = ("Doxyfile.in", "meson.build")
        expected = {path for path in expected if not path.endswith(for_build)}
        if self.command:
            expected.add(self.staged("bindir", "clfold"))
            self.assertIn(self.version, run(self.staged("bindir", "clfold"), "--version"))
            lab = self.staged("libexecdir", "clfold")
            for part in ("lab/*.py", "predict/*.py", "predict/devices/*", "predict/nests/*"):
                parts = glob.glob(os.path.join(source, "tools", part))
                expected |= {os.path.join(lab, os.path.dirname(part), os.path.basename(path))
                             for path in parts}  # fmt: skip
            views = ("bench", "compare", "ladder", "nest", "predict", "small", "trace", "tune")
            expected |= {os.path.join(lab, f"clfold-{name}") for name in views}
            programs = glob.glob(os.path.join(lab, "lab_*"))  # native is there with OpenMP
            self.assertLessEqual({"lab_clfold", "lab_roofline"},
                                 set(map(os.path.basename, programs)))
            expected |= set(programs)
            said = run(os.path.join(lab, "clfold-compare"), "--help")
            self.assertTrue(said.startswith("Usage: clfold compare"))
            text = run(self.staged("bindir", "clfold"), "--help")
            names = re.findall(r"^  (?!clfold )([a-z-]+) +\w", text, re.M)
            for page in ["clfold", *(f"clfold-{name}" for name in names)]:
                expected.add(self.staged("mandir", "man1", f"{page}.1"))
            folder = os.path.join("bash-completion", "completions")
            expected.add(self.staged("datadir", folder, "clfold"))
        found = {
            os.path.join(folder, name)
            for folder, _, names in os.walk(self.folder)
            for name in names
        }
        self.assertEqual(found, expected)

    def need(self, *kinds):
        if self.kind not in kinds:
            self.skipTest(f"default_library is {self.kind}")

    def test_library(self):
        self.need("both", "shared")
        for name in self.libraries:
            with self.subTest(name):
                self.check_library(name)

    def check_library(self, name):
        library = self.staged("libdir", f"lib{name}.so.{self.version}")
        parts = self.version.split(".")
        soname = f"lib{name}.so.{parts[0]}.{parts[1]}"
        self.assertEqual(dynamic(library, "SONAME"), {soname})
        link = self.staged("libdir", f"lib{name}.so")
        self.assertEqual(os.path.realpath(link), os.path.realpath(library))
        for needed in dynamic(library, "NEEDED"):
            self.assertRegex(needed, rf"^({NEEDED if name == 'clfold' else NEEDED_MPI})$")
        self.assertEqual(self.flags("--modversion", of=name), [self.version])

    def compile(self, *arguments):
        program = self.path("program")
        main = os.path.join(consumer, "main.c")
        flags = self.flags("--cflags", *arguments)
        run(*compiler, *WARNINGS, main, "-o", program, *flags)
        return program

    def test_examples(self):
        """Each builds, without a warning, by the one line that its first comment shows. In
        this line cc is the compiler of the build."""
        self.need("both", "shared")
        os.mkdir(self.path("commands"))
        with open(self.path("commands", "cc"), "w", encoding="utf-8") as f:
            path = shlex.quote(os.environ["PATH"])  # where this cc is not found again
            f.write(f'#!/bin/sh\nPATH={path}\nexec {shlex.join(compiler)} "$@"\n')
        os.chmod(self.path("commands", "cc"), 0o755)
        search = os.pathsep.join([self.path("commands"), os.environ["PATH"]])
        folder = self.staged("datadir", "doc", "clfold", "examples")
        optional = {"areas.c": "pkg-config --exists libpng", "cpp.cpp": "command -v c++",
                    **dict.fromkeys(("mpi_scan.c", "mpi_sum.c"),
                                    "command -v mpicc" if self.has_mpi else "false")}  # fmt: skip
        sources = [name for name in os.listdir(folder) if not name.endswith((".h", ".cl"))]
        self.assertLess(set(optional), set(sources))
        for source_name in sources:
            with self.subTest(source_name):
                need = optional.get(source_name, "true")
                if subprocess.run(["sh", "-c", f"{need} >/dev/null"], check=False).returncode:
                    self.assertFalse(os.environ.get("CLFOLD_REQUIRED_TOOLS"), need)
                    self.skipTest(need)
                with open(os.path.join(folder, source_name), encoding="utf-8") as f:
                    head = f.read().partition("*/")[0]
                lines = re.findall(r"^ \* +((?:mpi)?c(?:c|\+\+) .*)$", head, re.M)
                self.assertEqual(len(lines), 1, "lines that build it")
                printed = run("sh", "-c", f"cd '{folder}' && {lines[0]}", PATH=search,
                              PKG_CONFIG_PATH=self.pkg_config_path())  # fmt: skip
                self.assertEqual(printed, "")
                program = os.path.join(folder, source_name.partition(".")[0])
                self.assertIn("clfold", " ".join(dynamic(program, "NEEDED")))

    def need_installed(self, holds, what):
        if not holds:
            self.assertFalse(os.environ.get("CLFOLD_REQUIRED_TOOLS"), what)
            self.skipTest(what)

    def cmake(self, tree):
        """The folder in which CMake has built what is in another."""
        self.need_installed(shutil.which("cmake"), "there is no cmake")
        out = self.path("out")
        run("cmake", "-S", tree, "-B", out, self.cmake_prefix())
        run("cmake", "--build", out)
        return out

    def cmake_prefix(self):
        return f"-DCMAKE_PREFIX_PATH={self.path(os.path.relpath(self.prefix, '/'))}"

    def test_mpi(self):
        """The consumer on two ranks, built by pkg-config and by CMake."""
        self.need_installed(self.has_mpi, "built without MPI")
        self.need("both", "shared")
        tree, program = os.path.join(consumer, "mpi"), self.path("program")
        flags = self.flags("--cflags", "--libs", of="clfold-mpi")
        run("mpicc", *WARNINGS, os.path.join(tree, "main.c"), "-o", program, *flags)
        for path in (program, os.path.join(self.cmake(tree), "consumer")):
            printed = run("mpirun", "-n", "2", path, LD_LIBRARY_PATH=self.staged("libdir"),
                          **run_devices.RANKS)  # fmt: skip
            self.assertEqual(printed.split(), [self.number()] * 2)

    def test_nest(self):
        """It finds fparser where tools/setup-fparser puts it, and else says how to get it."""
        if not self.command:
            self.skipTest("built without tools")
        variables = {"XDG_CACHE_HOME": self.folder, "PYTHONPATH": self.folder}
        kept = self.path("clfold", "fparser", "lib", "python3.9", "site-packages")
        os.makedirs(kept)
        for folder, text, words in ((self.folder, "raise ImportError", "setup-fparser of"),
                                    (kept, "raise SystemExit('found')", "found")):  # fmt: skip
            with open(os.path.join(folder, "fparser.py"), "w", encoding="utf-8") as f:
                f.write(text)
            with self.assertRaisesRegex(AssertionError, f"ended with 1:\\n.*{words}.*\\n$"):
                run(self.staged("libexecdir", "clfold", "clfold-nest"), "x.f90", **variables)

    def test_static(self):
        self.need("both", "static")
        # Where both are there the linker takes the shared one.
        for name in os.listdir(self.staged("libdir")):
            if name.startswith("libclfold.so"):
                os.remove(self.staged("libdir", name))
        program = self.compile("--static", "--libs")
        loaded = " ".join(dynamic(program, "NEEDED"))
        self.assertNotIn("clfold", loaded)
        self.assertEqual(run(program).strip(), self.number())

    def test_cmake(self):
        self.need("both")
        out = self.cmake(consumer)
        for name, links in (("consumer_clfold", True), ("consumer_static", False)):
            program = os.path.join(out, name)
            loaded = " ".join(dynamic(program, "NEEDED"))
            self.assertEqual("libclfold" in loaded, links)
            self.assertEqual(run(program).strip(), self.number())
        for version, fits in (("", True), (self.version, True), ("0.2", False)):
            with open(self.path("CMakeLists.txt"), "w", encoding="utf-8") as f:
                f.write("cmake_minimum_required(VERSION 3.10)\nproject(wants C)\n"
                        f"find_package(clfold {version})\n"
                        "message(STATUS found=${clfold_FOUND})\n")  # fmt: skip
            printed = run("cmake", "-S", self.folder, "-B", self.path("wants"),
                          self.cmake_prefix())
            self.assertIn(f"found={int(fits)}", printed)


class Alone(Case):
    """Where pkg-config finds nothing but OpenCL."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("pc"))
        for name in ["OpenCL", *run("pkg-config", "--print-requires", "OpenCL").split()]:
            place = run("pkg-config", "--variable=pcfiledir", name).strip()
            shutil.copy(os.path.join(place, f"{name}.pc"), self.path("pc"))
        self.alone = {
            "PKG_CONFIG_LIBDIR": self.path("pc"),
            "PKG_CONFIG_PATH": "",
            "CMAKE": "none",
            "CC": " ".join(compiler),
        }


class Subproject(Alone):
    """By a wrap."""

    def setUp(self):
        super().setUp()
        shutil.copytree(consumer, self.path("consumer"))
        os.mkdir(self.path("consumer", "subprojects"))
        os.symlink(source, self.path("consumer", "subprojects", "clfold-0.1"))
        with open(self.path("consumer/subprojects/clfold.wrap"), "w", encoding="utf-8") as f:
            f.write(WRAP)

    def test_builds(self):
        """The consumer is built and run, and loads libclfold, or not."""
        with open(os.path.join(source, "include/clfold/clfold.h"), encoding="utf-8") as f:
            version = re.search(r"^#define CLFOLD_VERSION (\d+)$", f.read(), re.M)
        for links, *arguments in ((True,), (False, "-Ddefault_library=static"),
                                  (False, "-Dstatic=true")):  # fmt: skip
            out = self.path("out" + "".join(arguments))
            setup = run(meson, "setup", *arguments, out, self.path("consumer"), **self.alone)
            self.assertNotIn("WARNING", setup)
            self.assertRegex(setup, r"clfold\s*: YES")
            found = json.loads(run(meson, "introspect", "--dependencies", out))
            names = {dependency["name"] for dependency in found}
            self.assertLessEqual(names, {"clfold", "OpenCL", "opencl", "threads", "m"})
            run(meson, "compile", "-C", out, **self.alone)
            built = json.loads(run(meson, "introspect", "--targets", out))
            built = {target["name"] for target in built if target["build_by_default"]}
            self.assertLessEqual(built, {"consumer", "clfold", "kernel_texts"})
            program = os.path.join(out, "consumer")
            self.assertEqual("libclfold" in " ".join(dynamic(program, "NEEDED")), links)
            self.assertEqual(run(program).strip(), version.group(1))


class Features(Alone):
    def test_parts(self):
        """json-c and cmocka are for parts that can be left out."""
        auto = r"tools\s*: NO\s+tests\s*: NO\s+examples\s*: YES"
        for status, words, *arguments in (
            (0, auto), (1, 'Dependency "json-c" not found', "-Dtools=enabled"),
            (1, 'Dependency "cmocka" not found', "-Dtests=enabled"),
        ):  # fmt: skip
            command = [meson, "setup", *arguments, self.path("out" + "".join(arguments)), source]
            done = subprocess.run(command, env={**os.environ, **self.alone}, text=True,
                                  capture_output=True, check=False)  # fmt: skip
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertRegex(done.stdout, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        print("usage: drive.py BUILD SOURCE CONSUMER MESON COMPILER...", file=sys.stderr)
        sys.exit(2)
    build, source, consumer, meson, *compiler = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
