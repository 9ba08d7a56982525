#!/usr/bin/env python3
"""reference.py DOXYFILE ROOT: Doxygen builds the API reference without a warning, and every
function has a snippet there, which calls it."""

import os
import re
import sys
import tempfile

import symbols
import tools

HEADER = "include/clfold/clfold.h"
SNIPPETS = "tests/device/snippets.c"
SUM = "examples/mpi_sum.c"
# The headers, and where their functions have snippets.
SHOWN = {
    HEADER: (SNIPPETS,),
    "include/clfold/experimental.h": (SNIPPETS,),
    "include/clfold/mpi.h": (SUM, "examples/mpi_scan.c"),
}
# What to replace by what in one of these files, and what must then be found.
PLANTED = (
    (HEADER, 'extern "C" {\n', 'extern "C" {\nCLFOLD_API int clfold_planted(void);\n',
     "clfold_planted: no comment ends in \\snippet snippets.c clfold_planted"),
    (HEADER, "clfold_context_trim() or", "#clfold_planted() or",
     "explicit link request to 'clfold_planted()' could not be resolved"),
    (SNIPPETS, "clfold_map(", "planted(", "clfold_map: its snippet does not call it"),
)


def build(doxyfile, headers, snippets, output):
    """What Doxygen says of these files."""
    changed = {"INPUT": " ".join(headers), "EXAMPLE_PATH": " ".join(snippets),
               "OUTPUT_DIRECTORY": output}
    text = doxyfile + "".join(f"\n{name} = {value}" for name, value in changed.items())
    path = tools.write(output, "Doxyfile", text)
    status, said = tools.run([tools.need("doxygen"), path])
    return [said or f"doxygen ended with {status}"] if said or status else []


def lost(header, files):
    """The functions without a snippet in one of these files."""
    text, codes = tools.read(header), {os.path.basename(file): tools.read(file) for file in files}
    for name in sorted(symbols.declared(header)):
        line = rf" \* \\snippet (\S+) {name}\n \*/\nCLFOLD_API [^;(]*\b{name}\("
        place = re.search(line, text)
        if not place or place[1] not in codes:
            yield f"{name}: no comment ends in \\snippet {' or '.join(codes)} {name}"
            continue
        shown = re.search(rf"\[{name}\] \*/\n(.*?)/\* \[{name}\]", codes[place[1]], re.S)
        if shown and f"{name}(" not in shown[1]:
            yield f"{name}: its snippet does not call it"


def check(doxyfile, root, changed=None):
    """The faults; `changed` has other paths for some of the files."""
    paths = {file: (changed or {}).get(file, os.path.join(root, file))
             for file in (*SHOWN, *(name for files in SHOWN.values() for name in files))}
    found = [fault for header, files in SHOWN.items()
             for fault in lost(paths[header], [paths[file] for file in files])]
    with tempfile.TemporaryDirectory() as output:
        snippets = [path for file, path in paths.items() if file not in SHOWN]
        return found + build(doxyfile, [paths[file] for file in SHOWN], snippets, output)


def plant(doxyfile, root, file, *row):
    with tempfile.TemporaryDirectory() as folder:
        yield from tools.not_found(tools.read(root, file), [row], lambda text: check(
            doxyfile, root, {file: tools.write(folder, os.path.basename(file), text)}))


def main(path, root):
    doxyfile = tools.read(path)
    failures = [fault for row in PLANTED for fault in plant(doxyfile, root, *row)]
    failures += check(doxyfile, root)
    tools.finish(failures, f"{len(PLANTED)} planted")


if __name__ == "__main__":
    main(*sys.argv[1:])
