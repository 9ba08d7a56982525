#!/usr/bin/env python3
"""analyse.py cppcheck|clang-tidy BUILD ROOT: the analyser finds nothing.

Works on what BUILD/compile_commands.json compiles from ROOT, without the generated file.
"""

import concurrent.futures
import functools
import json
import os
import re
import shlex
import shutil
import sys
import tempfile

import rules
import tools

PASSED = tools.Passed()
SHARE = 4  # files a process

# What both must find, in a program that does little else.
PLANTED = """#include "planted.h"
int planted(int n);
int planted(int n)
{
    int few[4] = { 0 };
#if FAULTS
    memset(few, sizeof(few), 0);
#endif
    return few[n & 3];
}
"""


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


def names_of(entry, root):
    """A command of compile_commands.json without the places of this machine."""
    return entry["command"].replace(root, ""), os.path.relpath(entry["file"], root)


def cppcheck(folder, commands, root):
    # Headers of the system are not read: libpng's needs limits.h, which cppcheck does not find.
    commands = {path: dict(entry, command=re.sub(r" -I/usr/\S+", "", entry["command"]))
                for path, entry in commands.items()}
    program = [
        tools.need_version("cppcheck", "2.10"), "--enable=warning,performance,portability",
        "--error-exitcode=1", "--quiet", "--inline-suppr", f"-j{os.cpu_count()}",
    ]  # fmt: skip
    # It follows branches that the compiler does not, so any header may count.
    own = [path for path in rules.files_of(root) if rules.is_c(path)]
    facts = [program, tools.run([program[0], "--version"]),
             [names_of(entry, root) for entry in commands.values()],
             [(path, tools.digest(os.path.join(root, path))) for path in own]]  # fmt: skip
    if not PASSED.has(facts):
        yield [*program, f"--project={write_commands(folder, commands)}"], [facts]


def clang_tidy(folder, commands, root):
    """Some files a process, since each start takes a while, and some processes a core."""
    config = f"{root}/.clang-tidy"
    program = [tools.need_version("clang-tidy", 14), "--quiet",
               "--extra-arg=-Wno-unknown-warning-option"]
    # The analyser's whole depth, 225000 nodes, takes three times as long: for the library alone.
    less = [] if tools.FULL else [f"--extra-arg={word}" for word in (
        "-Xclang", "-analyzer-config", "-Xclang", "max-nodes=30000")]  # fmt: skip
    version, digests = tools.run([program[0], "--version"]), functools.cache(tools.digest)
    write_commands(folder, commands)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        read = pool.map(files_read, commands.values())
    waiting = {}
    for (file, entry), headers in zip(commands.items(), read):
        own = [*program, *(() if file.startswith(f"{root}/src/") else less)]
        facts = [version, own, digests(config), names_of(entry, root), list(map(digests, headers))]
        if not headers or not PASSED.has(facts):
            waiting.setdefault(tuple(own), []).append((file, facts if headers else None))
    for own, some in waiting.items():
        for start in range(0, len(some), SHARE):
            files, facts = zip(*some[start : start + SHARE])
            yield [*own, "-p", folder, f"--config-file={config}", *files], facts


def files_read(entry):
    """The file that a command compiles and all headers, the system's as well; by clang, whose
    own ones the analyser reads. None of them where clang does not say."""
    words = shlex.split(entry["command"])
    for option in ("-o", "-MQ", "-MF"):
        while option in words:
            del words[words.index(option) : words.index(option) + 2]
    words = ["clang", "-w", "-M", *(word for word in words[1:] if word not in ("-MD", "-c"))]
    status, text = tools.run(words, cwd=entry["directory"]) if shutil.which("clang") else (1, "")
    if status != 0:
        return []
    names = shlex.split(text.partition(":")[2].replace("\\\n", ""))
    return [os.path.join(entry["directory"], name) for name in names]


def analyse(tool, commands, root):
    """What the analyser says of files that it finds fault with, and how often it started."""
    with tempfile.TemporaryDirectory() as folder:
        parts = list(tool(folder, commands, root))
        done = tools.run_all([command for command, _ in parts])
    for (_, facts), (status, _) in zip(parts, done):
        for fact in filter(None, facts if status == 0 else ()):
            PASSED.add(fact)
    return [text for status, text in done if status != 0], len(parts)


def main(name, build, root):
    tools.give_way()
    root = os.path.realpath(root)
    tool = {"cppcheck": cppcheck, "clang-tidy": clang_tidy}[name]
    commands = read_commands(build, root)
    chosen = commands
    if name == "clang-tidy" and not tools.FULL:
        chosen = {file: entry for file, entry in commands.items()
                  if not file.startswith(f"{root}/tests/")}
    failures, starts = analyse(tool, chosen, root)
    for path in rules.files_of(root):
        if rules.source_folder(path) and path.endswith(".c"):
            if os.path.join(root, path) not in commands:
                failures.append(f"{path} is not compiled, so not analysed")
    keeps = PASSED.works and (name == "cppcheck" or shutil.which("clang"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(root, ".clang-tidy"), folder)
        file = tools.write(folder, "planted.c", PLANTED)
        entry = {"directory": folder, "file": file, "command": f"cc -c {file}"}
        # Nothing to find; the same again; and what only a header has changed.
        for faults, wanted in ((0, 1), (0, 0), (1, 1)):
            tools.write(folder, "planted.h", f"#include <string.h>\n#define FAULTS {faults}\n"
                        f"/* {folder} */\n")
            said, started = analyse(tool, {file: entry}, folder)
            if started != wanted and keeps:
                failures.append(f"{started} starts instead of {wanted}, with {faults} faults")
            if faults and "planted.c:7:" not in "".join(said):
                failures.append(f"the planted fault was not found\n{said}")
    tools.finish(failures, f"{len(chosen)} files, {starts} starts")


if __name__ == "__main__":
    main(*sys.argv[1:])
