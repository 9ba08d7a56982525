#!/usr/bin/env python3
"""Plants violations of each rule of rules.py, and next to them text that is allowed."""

import itertools
import os
import subprocess
import sys
import tempfile

import rules
import tools

# What src may not call or use; what asks for the tile's kind; places that facet.c has.
CALLS = ("getenv secure_getenv setenv unsetenv putenv printf fprintf vprintf vfprintf dprintf "
         "vdprintf perror puts fputs putc fputc putchar fwrite exit _exit _Exit quick_exit atexit "
         "at_quick_exit abort raise system assert").split()  # fmt: skip
STREAMS = ("stdin", "stdout", "stderr", "environ")
KINDS = ("TILE_GROUP GROUP_SIZE GROUP_SCAN SCAN_ITEMS IN16 ITEM16 CELL16 AS_CELL16 CELLS CELLS_1 "
         "CHUNK CHUNK_1 OUT_CHUNK OUT_CHUNK_1 RUN SLOT").split()  # fmt: skip
CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef")
PLACES = ("init_at total_out num_out bad_out rest_out lengths_out keys_out carry_out key_out "
          "num_at count_at carry_at key_at").split()  # fmt: skip
HOSTS = ("pypi|.org pypi|.python.org pythonhosted|. deb.debian|. debian.org|/debian crates|.io "
         "registry.npmjs|. proxy.golang|. archive.ubuntu|.").split()  # fmt: skip
# Each folder of src may include what is before it.
FOLDERS = ("base", "plan", "device", "ops", "mpi")
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
    *(("a.md", "/" + f"{place}/x\n", 1, "path of one machine")
      for place in ("tmp/w", "work", "home", "root")),
    *(("a.sh", "https://" + host.replace("|", "") + "/x\n", 1, "package registry")
      for host in HOSTS),
    ("a.c", "mkdtemp(/tmp/clfold-XXXXXX) $HOME/work/x ./home/x\n", 0, None),
    *((f"src/{one}/a.c", f'#include "{other}/b.h"\n',
       *((0, None) if FOLDERS.index(other) <= FOLDERS.index(one) and one != "mpi" else
         (1, f'src/{one} may not include "{other}/b.h"')))
      for one, other in itertools.product(FOLDERS, repeat=2)),
    *((f"src/{one}/a.c", "#  include <CL/cl.h>\n",
       *((0, None) if one in ("device", "ops") else (1, "may not include <CL/cl.h>")))
      for one in FOLDERS),
    *((f"src/{one}/a.h", "#include <time.h>\n",
       *((0, None) if one == "base" else (1, "may include <time.h>")))
      for one in FOLDERS[:4]),
    ("src/mpi/a.c", "\n#include <time.h>\n", 2, "may not include <time.h>"),
    ("src/ops/a.c", "#include HEADER\n", 1, "without < or a quote"),
    ("src/ops/a.c", '#include "base/b.h"\n#include <stdint.h>\n', 0, None),
    ("src/mpi/a.c", '#include "call.h"\n#include <mpi.h>\n', 0, None),
    ("src/a.c", "int a;\n", 1, "in a folder of src"),
    ("src/new/a.c", "int a;\n", 1, "src/new is none of"),
    ("tools/clfold/a.h", '\n#include "ops/internal.h"\n', 2, "may not include"),
    ("tools/clfold/a.c", '#include "base/file.h"\n#include <sys/stat.h>\n', 0, None),
    *((f"src/{one}/a.c", "void f(void)\n{\n    clFinish (queue);\n}\n", 3, "clFinish")
      for one in ("base", "plan")),
    ("src/plan/a.c", '/* clFinish(q) */\nchar *s = "clFinish(q)";\nclfold_f(x);\n', 0, None),
    *(("src/ops/a.c", f"char c = '\"'; {word}(x); // \"\n", 1, f"may not call {word}")
      for word in CALLS),
    *(("src/base/system.c", f"\nat = {word};\n", 2, f"may not use {word}") for word in STREAMS),
    ("src/base/host.c", "getenv(x)\nat = environ;\n", 0, None),
    ("src/ops/a.c", "snprintf(x); my_exit(x); // puts(x)\n/*\n exit(1) */ char c = '\"';\n", 0,
     None),
    *((f"src/{FOLDERS[i % 4]}/a.c", f"\nx = &part{sign}{place}.{field};\n", 2, f"{place}: ")
      for i, place in enumerate(PLACES) for sign, field in ((".", "offset"), ("->", "mem"))),
    ("src/ops/a.c", "a->count_at = b->count_at; /* c.num_at.mem */\n", 0, None),
    *(("cl/scan_passes.cl", f"\n#{word} 1 \\\n    && CLFOLD_TILE_GROUP\n", 2, "the tile's kind")
      for word in CONDITIONS),
    *((path, f"#if CLFOLD_{kind}\n", 1, f"the tile's kind, CLFOLD_{kind}")
      for path in ("cl/reduce.cl", "cl/reduce_lanes.cl") for kind in KINDS),
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
