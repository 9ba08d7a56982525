#!/usr/bin/env python3
"""Plants violations of each rule of rules.py, and next to them text that is allowed."""

import os
import subprocess
import sys
import tempfile

import rules
import tools

# A file, its text, and of its one violation the line and a part; or 0 and None for what is allowed.
# Some names are put together, since this file is checked as well.
ROWS = [
    ("a.c", "int a;\n\tint b;\n", 2, "a tab"),
    ("a.md", "a \nb\n", 1, "space at the end"),
    ("a.c", "a\nb\r\n", 2, "carriage return"),
    ("a.py", "a\nb", 2, "no newline"),
    ("a.py", "a\n\n", 2, "empty line"),
    ("cl/a.cl", "/" * 91 + "\n", 1, "91 columns"),
    ("tools/a", "#" * 101 + "\n", 1, "101 columns"),
    ("a.c", "/* " + "\u00b5" * 84 + " */\n", 0, None),
    ("README.md", "x" * 200 + "\n", 0, None),
    ("a.md", "see\n/" + "work/main\n", 2, "path of one machine"),
    ("a.sh", "https://pypi" + ".org/x\n", 1, "package registry"),
    ("a.c", "mkdtemp(/tmp/clfold-XXXXXX) $HOME/work/x ./home/x\n", 0, None),
    ("src/plan/a.c", '#include "device/b.h"\n', 1, 'may not include "device/b.h"'),
    ("src/plan/a.c", "#  include <CL/cl.h>\n", 1, "may not include <CL/cl.h>"),
    ("src/mpi/a.c", '\n#include "ops/a.h"\n', 2, 'may not include "ops/a.h"'),
    ("src/ops/a.h", "#include <time.h>\n", 1, "only src/base may include"),
    ("src/ops/a.c", "#include HEADER\n", 1, "without < or a quote"),
    ("src/ops/a.c", '#include "base/b.h"\n#include <stdint.h>\n', 0, None),
    ("src/mpi/a.c", '#include "call.h"\n#include <mpi.h>\n', 0, None),
    ("src/a.c", "int a;\n", 1, "in a folder of src"),
    ("src/new/a.c", "int a;\n", 1, "src/new is none of"),
    ("tools/clfold/a.h", '\n#include "ops/internal.h"\n', 2, "may not include"),
    ("tools/predict/a.c", "#include <unistd.h>\n", 1, "may not include"),
    ("tools/clfold/a.c", '#include "base/file.h"\n#include <sys/stat.h>\n', 0, None),
    ("src/base/a.c", "void f(void)\n{\n    clFinish (queue);\n}\n", 3, "clFinish"),
    ("src/plan/a.c", '/* clFinish(q) */\nchar *s = "clFinish(q)";\nclfold_f(x);\n', 0, None),
    ("src/ops/a.c", "char c = '\"'; puts(x); // \"\n", 1, "may not call puts"),
    ("src/base/system.c", "\nat = environ;\n", 2, "may not"),
    ("src/base/a.c", "FILE *f = stderr;\n", 1, "may not use stderr"),
    ("src/base/host.c", "getenv(x)\nat = environ;\n", 0, None),
    ("src/ops/a.c", "snprintf(x); my_exit(x); // puts(x)\n/*\n exit(1) */ char c = '\"';\n", 0,
     None),
    ("src/plan/a.c", "\nx = &part.key_out.offset;\n", 2, "key_out"),
    ("src/ops/a.c", "a->count_at = b->count_at; /* c.num_at.mem */\n", 0, None),
    ("cl/scan_passes.cl", "\n#if 1 \\\n    && CLFOLD_TILE_GROUP\n", 2, "the tile's kind"),
    ("cl/scan_passes.cl", "#define A \\\n    1\n#ifdef CLFOLD_SLOT\n", 3, "the tile's kind"),
    ("cl/tile_group.cl", "#if CLFOLD_TILE_GROUP\n", 0, None),
    ("cl/reduce_tiles.cl", "/*\n#if CLFOLD_RUN\n*/\n#if CLFOLD_HAS_IDENTITY // CLFOLD_RUN\n", 0,
     None),
]
# A tree of files, and of the whole program the exit status and what it prints.
CLEAN = {"src/ops/a.c": "int a;\n", "cl/a.cl": "int a;\n", "README.md": "x\n"}
TREES = (
    ({**CLEAN, ".gitignore": "out/\n", "out/a.c": "\t\n"}, 0, ["4 files, 0 violations"]),
    ({**CLEAN, "src/ops/b.c": "\texit(1);\n"}, 1,
     ["src/ops/b.c:1: a tab", "src/ops/b.c:1: src may not call exit"]),
    ({**CLEAN, "src/ops/a.h": '#include "ops/b.h"\n', "src/ops/b.h": '#include "ops/c.h"\n',
      "src/ops/c.c": '#include "ops/c.h"\n#include "ops/a.h"\n', "src/ops/d.c":
      '#include "ops/a.h"\n'}, 1, ["a circle of includes: src/ops/a, src/ops/b, src/ops/c\n"]),
    ({"README.md": "x\n"}, 1, ["not clfold"]),
)  # fmt: skip


def run_on(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            tools.write(root, path, text)
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
    for files, wanted, parts in TREES:
        status, said = run_on(files)
        if status != wanted or not all(part in said for part in parts):
            failures.append(f"{list(files)}: {status}, {said}")
    tools.finish(failures, f"{len(ROWS)} planted")


if __name__ == "__main__":
    main()
