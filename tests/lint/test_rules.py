#!/usr/bin/env python3
"""Plants violations of each rule of rules.py, and next to them text that is allowed."""

import os
import subprocess
import sys
import tempfile

import rules
import tools

NEAR = "may not include "
FAR = "only src/base may include"
KIND = "the tile's kind"


def include(path, words, *names):
    """A row for each name of a header."""
    return [(path, f"/* */\n#  include {name}\n", 2, words + name * (words == NEAR))
            for name in names]


def allowed(path, *names):
    return [(path, text, 0, None) for _, text, _, _ in include(path, "", *names)]


# A file, its text, and of its one violation the line and a part; or 0 and None. Some names are put
# together, since this file is checked as well.
ROWS = [
    ("a.c", "int a;\n\tint b;\n", 2, "a tab"),
    ("a.md", "a \nb\n", 1, "space at the end"),
    ("a.c", "a\nb\r\n", 2, "carriage return"),
    ("a.py", "a\nb", 2, "no newline"),
    ("a.py", "a\n\n", 2, "empty line"),
    ("cl/a.cl", "/" * 91 + "\n", 1, "91 columns"),
    ("src/ops/a.h", "/" * 91 + "\n", 1, "91 columns"),
    ("tools/a", "#" * 101 + "\n", 1, "101 columns"),
    ("a.py", "#" * 100 + "\n", 0, None),
    ("a.c", "/* " + "\u00b5" * 84 + " */\n", 0, None),
    ("README.md", "x" * 200 + "\n", 0, None),
    ("empty", "", 0, None),
    *(("a.md", f"see\n/{path}\n", 2, "path of one machine")
      for path in ("tmp/" + "w/x", "work/" + "main", "home/" + "me", "root/" + "x")),
    *(("a.sh", f"https://{host}/x\n", 1, "package registry")
      for host in ("pypi" + ".org", "x.pythonhosted" + ".org", "deb.debian" + ".org")),
    ("a.c", "mkdtemp(/tmp/clfold-XXXXXX) $HOME/work/x ./home/x\n", 0, None),
    *include("src/base/a.c", NEAR, '"plan/b.h"', "<CL/cl.h>"),
    *include("src/plan/a.c", NEAR, '"device/b.h"', "<CL/cl.h>"),
    *include("src/device/a.h", NEAR, '"ops/b.h"'),
    *include("src/ops/a.c", NEAR, '"../base/b.h"', '"b.h"', '"mpi/call.h"'),
    *include("src/mpi/a.c", NEAR, '"ops/a.h"', '"../ops/a.h"', "<CL/cl.h>", "<unistd.h>"),
    *include("src/plan/a.c", FAR, "<mpi.h>", "<clfold/mpi.h>", "<pthread.h>"),
    *include("src/ops/a.h", FAR, "<time.h>", "<unistd.h>", "<sys/stat.h>"),
    *include("src/ops/a.c", "without < or a quote", "HEADER"),
    ("src/a.c", "int a;\n", 1, "in a folder of src"),
    ("src/new/a.c", "int a;\n", 1, "src/new is none of"),
    *allowed("src/base/a.c", "<pthread.h>", '"base/b.h"'),
    *allowed("src/plan/a.c", "<clfold/clfold.h>", "<stdint.h>"),
    *allowed("src/device/a.c", "<CL/cl.h>", '"plan/b.h"'),
    *allowed("src/ops/a.c", '"base/b.h"', '"ops/b.h"'),
    *allowed("src/mpi/a.h", '"call.h"', "<clfold/experimental.h>", "<clfold/mpi.h>", "<mpi.h>"),
    *allowed("tests/unit/a.c", '"ops/b.h"'),
    *include("tools/clfold/a.h", NEAR, '"ops/internal.h"', '"plan/scalar.h"', '"../bench/a.h"',
             '"base/../ops/check.h"', "<clfold/b.h>", "HEADER"),
    *allowed("tools/bench/a.c", '"ops/internal.h"', "HEADER"),
    *allowed("tools/clfold/a.c", '"types.h"', '"base/file.h"', "<clfold/clfold.h>",
             "<sys/stat.h>", "<json-c/json.h>", "<unistd.h> /* x */"),
    *include("tools/predict/a.c", NEAR, "<CL/cl.h>", "<clfold/clfold.h>", "<unistd.h>",
             '"base/file.h"'),
    *allowed("tools/predict/a.h", "<math.h>", '"nest.h"'),
    ("src/base/a.c", "void f(void)\n{\n    clFinish (queue);\n}\n", 3, "clFinish"),
    ("src/plan/a.h", "\nclFinish(queue);\n", 2, "clFinish"),
    ("src/device/a.c", "clFinish(queue);\n", 0, None),
    ("src/plan/a.c", '/* clFinish(q) */\nchar *s = "clFinish(q)";\nclfold_f(x);\n', 0, None),
    *(("src/ops/a.c", f"\n{call}(x);\n", 2, f"may not call {call}")
      for call in "getenv printf fprintf vprintf puts fputs exit _exit _Exit abort atexit perror "
                  "secure_getenv".split()),
    ("tools/a.c", "\nputs(x);\n", 0, None),
    ("src/base/host.c", "getenv(x)\nat = environ;\n", 0, None),
    ("src/base/system.c", "\nat = environ;\n", 2, "may not"),
    ("src/base/host.c", "\nputs(x);\n", 2, "may not call puts"),
    ("src/base/a.c", "FILE *f = stderr;\n", 1, "may not use stderr"),
    ("src/ops/a.c", "char c = '\"'; puts(x); // \"\n", 1, "puts"),
    ("src/ops/a.c", "snprintf(x); my_exit(x); // puts(x)\n/*\n exit(1) */ char c = '\"';\n", 0,
     None),
    ("src/ops/a.c", "if (fold->count_at.mem) {\n}\n", 1, "count_at: a place is found by its row"),
    ("src/plan/a.c", "\nx = &part.key_out.offset;\n", 2, "key_out"),
    ("src/mpi/a.c", "fold->count_at.mem\n", 0, None),
    ("src/ops/a.c", "a->count_at = b->count_at; /* c.num_at.mem */\n", 0, None),
    *((path, f"\n#{line}\n", 2 if words else 0, words)
      for path, words in (("cl/reduce_tiles.cl", KIND), ("cl/tile_group.cl", None))
      for line in ("if CLFOLD_TILE_VECTOR", "ifdef CLFOLD_TILE_GROUP", "ifndef CLFOLD_AS_CELL16",
                   "elif defined(CLFOLD_CHUNK)", "  if CLFOLD_GROUP_SIZE == 1",
                   "if CLFOLD_CHUNK_SCALARS == 4", "if CLFOLD_GROUP_SCAN == 3", "if CLFOLD_IN16",
                   "if CLFOLD_ITEM16", "if CLFOLD_CELL16", "ifdef CLFOLD_CELLS",
                   "if CLFOLD_CELLS_SIZE == 16", "if defined(CLFOLD_OUT_CHUNK)",
                   "ifdef CLFOLD_OUT_CHUNK_VECTOR", "if CLFOLD_RUN > 1", "ifdef CLFOLD_SLOT",
                   "if CLFOLD_SCAN_ITEMS > 64")),
    ("cl/scan_passes.cl", "\n#if 1 \\\n    && CLFOLD_TILE_GROUP\n", 2, KIND),
    ("cl/scan_passes.cl", "#define A \\\n    1\n#if CLFOLD_TILE_GROUP\n", 3, KIND),
    ("cl/reduce_tiles.cl", "#if CLFOLD_HAS_IDENTITY // CLFOLD_RUN\n", 0, None),
    ("cl/scan_tiles.cl", "#if CLFOLD_ANCHOR > 1 && CLFOLD_CELL\n", 0, None),
    ("cl/reduce_ladder.cl", "#if CLFOLD_RUNG == 6\n", 0, None),
    ("cl/reduce_tiles.cl", "/*\n#if CLFOLD_TILE_GROUP\n*/\n", 0, None),
]
# Modules of src/plan with what they include, and the circles. A header of the same name and a chain
# are none.
CIRCLES = (
    ({"a.c": "ab", "b.c": "bc", "c.h": ""}, []),
    ({"a.c": "ab", "b.h": "a"}, ["a, b"]),
    ({"d.c": "a", "a.h": "b", "b.c": "bc", "c.h": "a", "e.c": "d"}, ["a, b, c"]),
    ({"a.c": "b", "b.h": "a", "x.h": "ya", "y.c": "x"}, ["a, b", "x, y"]),
)
# A tree of files, and of the whole program the exit status and what it prints.
CLEAN = {"src/ops/a.c": "int a;\n", "cl/a.cl": "int a;\n", "README.md": "x\n"}
IGNORED = {".gitignore": "out/\n", "out/a.c": "\t\n", "build-x/a.c": "\t\n"}
TREES = (
    (CLEAN, 0, ["3 files, 0 violations"]),
    ({**CLEAN, "src/ops/b.c": "\texit(1);\n"}, 1,
     ["src/ops/b.c:1: a tab", "src/ops/b.c:1: src may not call exit"]),
    ({**CLEAN, "src/ops/a.h": '#include "ops/b.h"\n', "src/ops/b.h": '#include "ops/a.h"\n'}, 1,
     ["a circle of includes: src/ops/a, src/ops/b"]),
    ({"README.md": "x\n"}, 1, ["not clfold"]),
)  # fmt: skip


def run_on(files, git):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            tools.write(root, path, text)
        if git:
            subprocess.run(["git", "init", "--quiet", root], check=True)
        return tools.run([sys.executable, rules.__file__, root])


def main():
    failures = []
    for path, text, line, words in ROWS:
        found = rules.check(path, text.encode())
        good = not found if words is None else (
            len(found) == 1 and found[0].startswith(f"{path}:{line}: ") and words in found[0])
        if not good:
            failures.append(f"{path}, {text!r}: {found}")
    if rules.check("a.npy", b"\x93NUMPY\0\t") or "utf-8" not in rules.check("a.c", b"\xff\n")[0]:
        failures.append("bytes that are not text")
    for modules, wanted in CIRCLES:
        texts = {f"src/plan/{name}": "".join(f'#include "plan/{use}.h"\n' for use in used)
                 for name, used in modules.items()}  # fmt: skip
        found = [circle.replace("src/plan/", "") for circle in rules.circles(texts)]
        if found != [f"{names[0]}: a circle of includes: {names}" for names in wanted]:
            failures.append(f"{modules}: {found}")
    beside = {"src/plan/a.c": '#include "base/a.h"\n', "src/base/a.h": "",
              "src/mpi/a.h": '#include "b.h"\n', "src/mpi/b.c": '#include "a.h"\n'}
    if len(list(rules.circles(beside))) != 1:
        failures.append("circles beside src/plan")
    for files, wanted, parts in TREES:
        for git in (False, True):
            status, said = run_on(files, git)
            if status != wanted or not all(part in said for part in parts):
                failures.append(f"{list(files)}: {status}, {said}")
    for git, name in ((True, "out/a.c"), (False, "build-x/a.c")):
        files = {path: text for path, text in IGNORED.items() if path in (".gitignore", name)}
        if run_on({**CLEAN, **files}, git)[0] != 0:
            failures.append(f"{name} is ignored")
    tools.finish(failures, f"{len(ROWS)} planted")


if __name__ == "__main__":
    main()
