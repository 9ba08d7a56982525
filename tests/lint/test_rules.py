#!/usr/bin/env python3
"""Plants a violation for each rule of rules.py, and next to it allowed text."""

import os
import subprocess
import sys
import tempfile
import unittest

import rules


def found(path, text):
    return rules.check(path, text.encode())


class Rules(unittest.TestCase):
    def assert_found(self, path, text, line, words):
        sentences = found(path, text)
        self.assertEqual(len(sentences), 1, sentences)
        self.assertTrue(sentences[0].startswith(f"{path}:{line}: "), sentences[0])
        self.assertIn(words, sentences[0])

    def assert_clean(self, path, text):
        self.assertEqual(found(path, text), [])

    def test_white_space(self):
        self.assert_found("a.c", "int a;\n\tint b;\n", 2, "a tab")
        self.assert_found("a.md", "a \nb\n", 1, "space at the end")
        self.assert_found("a.c", "a\nb\r\n", 2, "carriage return")
        self.assert_found("a.py", "a\nb", 2, "no newline")
        self.assert_found("a.py", "a\n\n", 2, "empty line")
        self.assert_found("cl/a.cl", "/" * 91 + "\n", 1, "91 columns")
        self.assert_found("src/ops/a.h", "/" * 91 + "\n", 1, "91 columns")
        self.assert_found("tools/a", "#" * 101 + "\n", 1, "101 columns")
        self.assert_clean("cl/a.cl", "/" * 90 + "\n")
        self.assert_clean("a.py", "#" * 100 + "\n")
        self.assert_clean("a.c", "/* " + "\u00b5" * 80 + " */\n")
        self.assert_clean("README.md", "x" * 200 + "\n")
        self.assert_clean("empty", "")

    def test_not_text(self):
        self.assertEqual(rules.check("a.npy", b"\x93NUMPY\0\t"), [])
        self.assertIn("utf-8", rules.check("a.c", b"\xff\n")[0])

    def test_places(self):
        # Put together here, since this file is checked as well.
        for path in ("/tmp/" + "w/x", "/work/" + "main", "/home/" + "me", "/root/" + "x"):
            self.assert_found("README.md", f"see\n{path}\n", 2, "path of one machine")
        for host in ("pypi" + ".org", "x.pythonhosted" + ".org", "deb.debian" + ".org"):
            self.assert_found("a.sh", f"https://{host}/x\n", 1, "package registry")
        self.assert_clean("a.c", "mkdtemp(/tmp/clfold-XXXXXX) $HOME/work/x ./home/x\n")

    def test_include_direction(self):
        def include(path, name):
            return path, f"/* */\n#include {name}\n"

        for path, name in (
            ("src/base/a.c", '"plan/b.h"'),
            ("src/plan/a.c", '"device/b.h"'),
            ("src/device/a.h", '"ops/b.h"'),
            ("src/ops/a.c", '"../base/b.h"'),
            ("src/ops/a.c", '"b.h"'),
            ("src/mpi/a.c", '"ops/internal.h"'),
            ("src/mpi/a.c", '"../ops/internal.h"'),
            ("src/mpi/a.c", "<CL/cl.h>"),
            ("src/mpi/a.c", "<unistd.h>"),
            ("src/ops/a.c", '"mpi/call.h"'),
        ):
            self.assert_found(*include(path, name), 2, "may not include " + name)
        for path in ("src/plan/a.c", "src/device/a.c", "src/ops/a.h"):
            for name in ("<mpi.h>", "<clfold/mpi.h>", "<pthread.h>", "<time.h>", "<unistd.h>",
                         "<sys/stat.h>"):
                self.assert_found(*include(path, name), 2, "only src/base may include")
        self.assert_found(*include("src/base/a.c", "<CL/cl.h>"), 2, "src/base may not")
        self.assert_found(*include("src/plan/a.c", "<CL/cl.h>"), 2, "src/plan may not")
        self.assert_found(*include("src/ops/a.c", "HEADER"), 2, "without < or a quote")
        self.assert_found("src/a.c", "int a;\n", 1, "in a folder of src")
        self.assert_found("src/new/a.c", "int a;\n", 1, "src/new is none of")
        for path, name in (
            ("src/base/a.c", "<pthread.h>"),
            ("src/base/a.c", '"base/b.h"'),
            ("src/ops/a.c", '"base/b.h"'),
            ("src/ops/a.c", '"ops/b.h"'),
            ("src/device/a.c", "<CL/cl.h>"),
            ("src/plan/a.c", "<clfold/clfold.h>"),
            ("src/plan/a.c", "<stdint.h>"),
            ("src/mpi/a.c", '"call.h"'),
            ("src/mpi/a.h", "<clfold/experimental.h>"),
            ("src/mpi/a.h", "<clfold/mpi.h>"),
            ("src/mpi/a.c", "<mpi.h>"),
            ("tests/unit/a.c", '"ops/b.h"'),
        ):
            self.assert_clean(*include(path, name))

    def test_command_includes(self):
        for name in ('"ops/internal.h"', '"plan/scalar.h"', '"device/caps.h"',
                     '"../bench/segmented.h"', '"../../src/plan/plan.h"', "<clfold/b.h>",
                     "HEADER", '"base/../ops/check.h"'):
            text = f"int a;\n#  include {name}\n"
            self.assert_found("tools/clfold/a.c", text, 2, f"may not include {name}")
            self.assert_found("tools/clfold/a.h", text, 2, f"may not include {name}")
            self.assert_clean("tools/bench/a.c", text)
        for name in ('"types.h"', '"base/file.h"', "<clfold/clfold.h>", "<sys/stat.h>",
                     "<CL/cl_ext.h>", "<json-c/json.h>", "<unistd.h> /* x */"):
            self.assert_clean("tools/clfold/a.c", f"#include {name}\n")

    def test_model_includes(self):
        for name in ("<CL/cl.h>", "<clfold/clfold.h>", "<unistd.h>", '"base/file.h"'):
            text = f"\n#include {name}\n"
            found = f"may not include {name}"
            self.assert_found("tools/predict/a.c", text, 2, found)
        for name in ("<math.h>", '"nest.h"'):
            self.assert_clean("tools/predict/a.h", f"#include {name}\n")

    def test_opencl_calls(self):
        call = "void f(void)\n{\n    clFinish (queue);\n}\n"
        self.assert_found("src/base/a.c", call, 3, "clFinish")
        self.assert_found("src/plan/a.h", call, 3, "clFinish")
        self.assert_clean("src/device/a.c", call)
        self.assert_clean("src/plan/a.c", '/* clFinish(q) */\nchar *s = "clFinish(q)";\n')
        self.assert_clean("src/plan/a.c", "clfold_monoid_init(&monoid);\n")

    def test_library_manners(self):
        for call in ("getenv", "printf", "fprintf", "vprintf", "puts", "fputs", "exit",
                     "_exit", "_Exit", "abort", "atexit", "perror", "secure_getenv"):
            self.assert_found("src/ops/a.c", f"\n{call}(x);\n", 2, f"may not call {call}")
            self.assert_clean("tools/a.c", f"\n{call}(x);\n")
        for line in ("\ngetenv(x);\n", "\nat = environ;\n"):
            self.assert_clean("src/base/host.c", line)
            self.assert_found("src/base/system.c", line, 2, "may not")
        self.assert_found("src/base/host.c", "\nputs(x);\n", 2, "may not call puts")
        self.assert_found("src/base/a.c", "FILE *f = stderr;\n", 1, "may not use stderr")
        self.assert_clean("src/ops/a.c", "snprintf(x); vsnprintf(x); my_exit(x);\n")
        self.assert_clean("src/ops/a.c", "// puts(x)\n/*\n exit(1) */ char c = '\"';\n")
        self.assert_found("src/ops/a.c", "char c = '\"'; puts(x); // \"\n", 1, "puts")

    def test_facets(self):
        text = "if (fold->count_at.mem) {\n}\n"
        self.assert_found("src/ops/a.c", text, 1, "count_at: a place is found by its row")
        self.assert_found("src/plan/a.c", "\nx = &part.key_out.offset;\n", 2, "key_out")
        self.assert_clean("src/mpi/a.c", text)
        self.assert_clean("tools/clfold/a.c", text)
        self.assert_clean("src/ops/a.c", "a->count_at = b->count_at; /* c.num_at.mem */\n")

    def test_tile_kind(self):
        for line in ("#if CLFOLD_TILE_VECTOR", "#ifdef CLFOLD_TILE_GROUP",
                     "#  ifndef CLFOLD_TILE_VECTOR", "#elif defined(CLFOLD_TILE_GROUP)",
                     "#if CLFOLD_GROUP_SIZE == 1", "#if defined(CLFOLD_CHUNK)",
                     "#if CLFOLD_CHUNK_SCALARS == 4", "#ifdef CLFOLD_IN16",
                     "#if CLFOLD_ITEM16", "#if CLFOLD_GROUP_SCAN == 3",
                     "#ifdef CLFOLD_CELL16", "#ifndef CLFOLD_AS_CELL16",
                     "#ifdef CLFOLD_CELLS", "#if CLFOLD_CELLS_SIZE == 16",
                     "#if defined(CLFOLD_OUT_CHUNK)", "#ifdef CLFOLD_OUT_CHUNK_VECTOR",
                     "#if CLFOLD_RUN > 1", "#ifdef CLFOLD_SLOT", "#if CLFOLD_SCAN_ITEMS > 64"):
            for path in ("cl/reduce_tiles.cl", "cl/scan_lookback.cl"):
                self.assert_found(path, f"\n{line}\n", 2, "tile's kind")
            self.assert_clean("cl/tile_group.cl", f"\n{line}\n")
        split = "\n#if 1 \\\n    && CLFOLD_TILE_GROUP\n"
        self.assert_found("cl/scan_passes.cl", split, 2, "tile's kind")
        after = "#define A \\\n    1\n#if CLFOLD_TILE_GROUP\n"
        self.assert_found("cl/scan_passes.cl", after, 3, "tile's kind")
        self.assert_clean("cl/reduce_tiles.cl", "#if CLFOLD_HAS_IDENTITY\n")
        self.assert_clean("cl/scan_tiles.cl", "#if CLFOLD_ANCHOR > 1 && CLFOLD_CELL\n")
        self.assert_clean("cl/reduce_ladder.cl", "#if CLFOLD_RUNG == 6\n")
        self.assert_clean("cl/reduce_tiles.cl", "/*\n#if CLFOLD_TILE_GROUP\n*/\n")
        self.assert_clean("cl/reduce_tiles.cl", "#if 1 // CLFOLD_TILE_GROUP\n")


class Program(unittest.TestCase):
    """The whole program on a small tree."""

    FILES = {"src/ops/a.c": "int a;\n", "cl/a.cl": "int a;\n", "README.md": "x\n"}

    def run_on(self, files, git=False):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            if git:
                subprocess.run(["git", "init", "--quiet", root], check=True)
            return subprocess.run(
                [sys.executable, rules.__file__, root], capture_output=True, text=True,
                check=False,
            )

    def test_exit_status(self):
        for git in (False, True):
            clean = self.run_on(self.FILES, git)
            self.assertEqual(clean.returncode, 0, clean.stdout + clean.stderr)
            self.assertIn("3 files, 0 violations", clean.stdout)
            broken = self.run_on({**self.FILES, "src/ops/b.c": "\texit(1);\n"}, git)
            self.assertEqual(broken.returncode, 1, broken.stderr)
            self.assertIn("src/ops/b.c:1: a tab", broken.stdout)
            self.assertIn("src/ops/b.c:1: src may not call exit", broken.stdout)

    def test_ignored_files(self):
        ignored = {**self.FILES, ".gitignore": "out/\n", "out/a.c": "\t\n"}
        self.assertEqual(self.run_on(ignored, git=True).returncode, 0)
        self.assertEqual(self.run_on({**self.FILES, "build-x/a.c": "\t\n"}).returncode, 0)

    def test_wrong_folder(self):
        nothing = self.run_on({"README.md": "x\n"})
        self.assertEqual(nothing.returncode, 1)
        self.assertIn("not clfold", nothing.stdout)


if __name__ == "__main__":
    unittest.main()
