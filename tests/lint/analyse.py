#!/usr/bin/env python3
"""analyse.py cppcheck|clang-tidy BUILD ROOT: the analyser finds nothing.

Works on what BUILD/compile_commands.json compiles from ROOT, without the generated file.
"""

import json
import os
import re
import sys
import tempfile

import rules
import tools

# What each must find, in a program that does little else.
PLANTED = """#include <string.h>
int planted(int n);
int planted(int n)
{
    int few[4] = { 0 };
    int *none = NULL;
    if (n == 1) {
        return few[4];
    }
    if (n == 2) {
        return *none;
    }
    memset(few, sizeof(few), 0);
    return 0;
}
"""
PLANTED_LINES = {"cppcheck": (8, 11, 13), "clang-tidy": (11, 13)}


def read_commands(build, root):
    """The compile commands of the project's own files, once a file, with absolute paths."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        inside = os.path.relpath(path, root)
        if inside.startswith("..") or path.startswith(os.path.realpath(build) + os.sep):
            continue
        commands[path] = dict(entry, file=path)
    return commands


def write_commands(folder, commands):
    path = os.path.join(folder, "compile_commands.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(list(commands.values()), file)
    return path


def cppcheck(folder, commands, _root):
    # Headers of the system are not read: libpng's needs limits.h, which cppcheck does not find.
    commands = {path: dict(entry, command=re.sub(r" -I/usr/\S+", "", entry["command"]))
                for path, entry in commands.items()}
    checks = "--enable=warning,performance,portability"
    return [[
        tools.need("cppcheck"), checks, "--error-exitcode=1", "--quiet", "--inline-suppr",
        f"-j{os.cpu_count()}", f"--project={write_commands(folder, commands)}",
    ]]


def clang_tidy(folder, commands, root):
    """Some files a process, since each start takes a while, and some processes a core."""
    program = tools.need("clang-tidy")
    write_commands(folder, commands)
    files, share = sorted(commands), 4
    return [
        [program, "-p", folder, "--quiet", f"--config-file={root}/.clang-tidy",
         "--extra-arg=-Wno-unknown-warning-option", *files[start : start + share]]
        for start in range(0, len(files), share)
    ]


def analyse(tool, commands, root):
    """What the analyser says of files that it finds fault with."""
    with tempfile.TemporaryDirectory() as folder:
        done = tools.run_all(tool(folder, commands, root))
    return [text for status, text in done if status != 0]


def main(name, build, root):
    root = os.path.realpath(root)
    tool = {"cppcheck": cppcheck, "clang-tidy": clang_tidy}[name]
    commands = read_commands(build, root)
    failures = analyse(tool, commands, root)
    for path in rules.files_of(root):
        if rules.source_folder(path) and path.endswith(".c"):
            if os.path.join(root, path) not in commands:
                failures.append(f"{path} is not compiled, so not analysed")
    with tempfile.TemporaryDirectory() as folder:
        file = tools.write(folder, "planted.c", PLANTED)
        entry = {"directory": folder, "file": file, "command": f"cc -c {file}"}
        said = "".join(analyse(tool, {file: entry}, root))
        for line in PLANTED_LINES[name]:
            if f"planted.c:{line}:" not in said:
                failures.append(f"the fault planted in line {line} was not found\n{said}")
    tools.finish(failures, f"{len(commands)} files")


if __name__ == "__main__":
    main(*sys.argv[1:])
