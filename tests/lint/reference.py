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
EXPERIMENTAL = "include/clfold/experimental.h"
SNIPPETS = "tests/device/snippets.c"
# What to replace by what in one of the two files, and what must then be found.
PLANTED = (
    (HEADER, 'extern "C" {\n', 'extern "C" {\nCLFOLD_API int clfold_planted(void);\n',
     "clfold_planted: no comment ends in \\snippet snippets.c clfold_planted"),
    (HEADER, "/**\n * CLFOLD_VERSION of", "/*\n * CLFOLD_VERSION of",
     "Member clfold_version(void) (function) of group status is not documented"),
    (HEADER, "int log_level; /**<", "int log_level; /*", "Member log_level (variable)"),
    (HEADER, " * CLFOLD_VERSION of", " * \\param planted\n * CLFOLD_VERSION of",
     "argument 'planted' of command @param is not found"),
    (HEADER, "clfold_context_trim() or", "#clfold_planted() or",
     "explicit link request to 'clfold_planted()' could not be resolved"),
    (SNIPPETS, "/* [clfold_map] */", "", "marked with [clfold_map]"),
    (SNIPPETS, "clfold_map(", "planted(", "clfold_map: its snippet does not call it"),
)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def build(doxyfile, headers, snippets, output):
    """What Doxygen says of these files."""
    changed = {"INPUT": " ".join(headers), "EXAMPLE_PATH": snippets, "OUTPUT_DIRECTORY": output}
    text = doxyfile + "".join(f"\n{name} = {value}" for name, value in changed.items())
    path = tools.write(output, "Doxyfile", text)
    status, said = tools.run([tools.need("doxygen"), path])
    return [said or f"doxygen ended with {status}"] if said or status else []


def lost(header, snippets):
    """The functions without a snippet."""
    text, code = read(header), read(snippets)
    for name in sorted(symbols.declared(header)):
        line = rf" \* \\snippet snippets\.c {name}\n \*/\nCLFOLD_API [^;(]*\b{name}\("
        shown = re.search(rf"\[{name}\] \*/\n(.*?)/\* \[{name}\]", code, re.S)
        if not re.search(line, text):
            yield f"{name}: no comment ends in \\snippet snippets.c {name}"
        if shown and f"{name}(" not in shown[1]:
            yield f"{name}: its snippet does not call it"


def check(doxyfile, root, header, snippets):
    headers = (header, os.path.join(root, EXPERIMENTAL))
    with tempfile.TemporaryDirectory() as output:
        failures = build(doxyfile, headers, snippets, output)
        return [*lost(header, snippets), *lost(headers[1], snippets), *failures]


def plant(doxyfile, root, file, old, new, words):
    """A sentence if the fault is not found."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in (HEADER, SNIPPETS):
            text = read(os.path.join(root, name))
            if name == file:
                if old not in text:
                    return f"there is no place for a fault in {name}: {old}"
                text = text.replace(old, new)
            paths.append(tools.write(folder, os.path.basename(name), text))
        found = "\n".join(check(doxyfile, root, *paths))
        return None if words in found else f"planted: {words}\nfound: {found}"


def main(path, root):
    doxyfile = read(path)
    failures = [plant(doxyfile, root, *fault) for fault in PLANTED]
    paths = (os.path.join(root, file) for file in (HEADER, SNIPPETS))
    failures += check(doxyfile, root, *paths)
    tools.finish(list(filter(None, failures)), f"{len(PLANTED)} planted")


if __name__ == "__main__":
    main(*sys.argv[1:])
