#!/usr/bin/env python3
"""pages.py ROOT: what README.md and docs/ show is there.

C code stands line by line in a program of examples/, which the tests run; a link to a file
or a heading leads to it. docs/program.md shows a kernel, which check `texts` looks at."""

import glob
import os
import re
import sys
import tempfile

import tools

BLOCK = re.compile(r"^```c\n(.*?)^```$", re.M | re.S)
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


def pages_of(root):
    return [os.path.join(root, "README.md"), os.path.join(root, "CONTRIBUTING.md"),
            *sorted(glob.glob(os.path.join(root, "docs", "*.md")))]


def flat(text):
    return "\n" + "\n".join(line.strip() for line in text.splitlines()) + "\n"


def anchors_of(text):
    """The names that a page's headings have as places of a link."""
    heads = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def lost_code(text, programs):
    """The first lines of blocks that stand in no program, whatever they are indented by."""
    for block in BLOCK.findall(text):
        if not any(flat(block) in program for program in programs):
            yield f"no example has this code: {block.splitlines()[0]}"


def lost_links(path, text):
    for target in LINK.findall(FENCED.sub("", text)):
        file, _, place = target.partition("#")
        if "://" in target:
            continue
        there = os.path.join(os.path.dirname(path), file) if file else path
        if not os.path.exists(there):
            yield f"there is no {target}"
        elif place and place not in anchors_of(tools.read(there)):
            yield f"there is no heading {target}"


def check(root):
    programs = [flat(tools.read(path)) for path in glob.glob(os.path.join(root, "examples", "*.c"))]
    found = []
    for path in pages_of(root):
        text = tools.read(path)
        code = [] if path.endswith("program.md") else lost_code(text, programs)
        found += [f"{path}: {fault}" for fault in (*code, *lost_links(path, text))]
    return found


# A tree with one fault of each kind, and the faults.
TREE = {
    "examples/a.c": "int f(void)\n{\n    int a;\n    return a;\n}\n",
    "CONTRIBUTING.md": "# A head: of `two`\n[x](#a-head-of-two) [y](README.md)\n",
    "README.md": "```c\nint a;\nreturn a;\n```\n```c\nint b;\n```\n[z](docs/b.md)\n",
    "docs/a.md": "# A\n[w](../README.md#b) [v](https://x.y/z) [u](#a)\n",
}
PLANTED = ["no example has this code: int b;", "there is no docs/b.md",
           "there is no heading ../README.md#b"]


def main(root):
    failures = check(root)
    with tempfile.TemporaryDirectory() as tree:
        for name, text in TREE.items():
            os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
            tools.write(tree, name, text)
        found = [fault.split(": ", 1)[1] for fault in check(tree)]
    if found != PLANTED:
        failures.append(f"of planted faults these were found: {found}")
    tools.finish(failures, f"{len(pages_of(root))} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
