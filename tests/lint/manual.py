#!/usr/bin/env python3
"""manual.py ROOT COMMAND PAGE...: the manual pages are good man(7), there is one for clfold and
for each of its commands, and they say all that --help says; clfold(1) names the variables of
the environment that the sources do."""

import os
import re
import sys
import tempfile

import rules
import tools

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
OTHER_SECTIONS = ["ENVIRONMENT"]

# What is put into a page for another text, and a word of what must be found then.
PLANTED = (
    (".SH OPTIONS", ".SH OPTIONS\n.Zz", "unknown macro"),
    ("\\-json", "\\-jsen", "--json"),
    ("GPU", "\\eGPU", "\\GPU"),
    ('.SH "EXIT STATUS"', "EXIT STATUS:", "sections"),
)


def squeezed(text):
    """With one space for each gap, and none beside the bars of a usage."""
    return re.sub(r" ?\| ?", "|", " ".join(text.split()))


def rendered(path):
    """As a terminal shows it, without bold and underlined."""
    status, text = tools.run(["mandoc", "-T", "utf8", "-O", "width=78", path])
    return status, re.sub(r".\x08", "", text)


def faults_of(path, help_text):
    """What is wrong with one page, as sentences."""
    name = os.path.basename(path)
    status, text = tools.run(["mandoc", "-T", "lint", "-W", "warning", path])
    if status or text:
        yield text
    status, page = rendered(path)
    if status:
        yield f"{name}: mandoc ends with {status}"
    for left in re.findall(r"\S*\\\S*|^ *\.[A-Z][a-z].*", page, re.M):
        if left not in help_text.split():
            yield f"{name}: roff that was not read: {left}"
    sections = [line for line in re.findall(r"^\S.*", page, re.M) if "  " not in line]
    if [line for line in sections if line not in OTHER_SECTIONS] != SECTIONS:
        yield f"{name} has the sections {sections}"
    page = squeezed(page)
    for line in help_text.splitlines():
        line = re.sub(r"^Usage: |^ +or: |^(Options|Environment|Examples):$", "", line)
        if squeezed(line) not in page:
            yield f"{name} does not say: {line}"


def variables(root):
    """What the library and the command look up in the environment."""
    found = set()
    for path in rules.files_of(root):
        if path.startswith(("src/", "tools/clfold/")):
            names = re.findall(r'_VARIABLE +"(\w+)"|getenv\("(XDG_\w+)"',
                               tools.read(root, path))  # fmt: skip
            found |= {name for pair in names for name in pair if name}
    return found


def main(root, command, *paths):
    tools.need("mandoc")
    general = tools.run([command, "--help"])[1]
    helps = {"clfold.1": general}
    for name in re.findall(r"^  (?!clfold )(\w[\w-]*) +\w", general, re.M):
        status, text = tools.run([command, name, "--help"])
        if status == 0:  # else it is a view that is not there
            helps[f"clfold-{name}.1"] = text
    names = sorted(map(os.path.basename, paths))
    failures = []
    if sorted(helps) != names:
        failures.append(f"there are {names}, and {sorted(helps)} are needed")
    for path in paths:
        failures += faults_of(path, helps.get(os.path.basename(path), ""))

    pages = {os.path.basename(path): path for path in paths}
    named = set(re.findall(r"^\.TP\n([A-Z]+_[A-Z_]+)$", tools.read(pages["clfold.1"]), re.M))
    if named != variables(root):
        failures.append(f"clfold.1 names {named}, and the sources {variables(root)}")
    with tempfile.TemporaryDirectory() as folder:
        failures += tools.not_found(
            tools.read(pages["clfold-reduce.1"]), PLANTED, lambda text: faults_of(
                tools.write(folder, "clfold-reduce.1", text), helps["clfold-reduce.1"]))
    tools.finish(failures, f"{len(paths)} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
