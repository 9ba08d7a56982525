#!/usr/bin/env python3
"""completion.py COMMAND FILE: what bash completes after COMMAND, by FILE: each option and its
values, as COMMAND takes them, and names of files."""

import os
import re
import subprocess
import sys
import tempfile

import tools

FILES = ("a b.npy", "b.txt", "c.csv", "d.svg")
VIEWS = ("bench", "compare", "ladder", "small", "trace", "tune")
TYPES = "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"

# What bash splits a line into, the last word being the one to complete; what may come; and the
# options of readline that go with it.
CASES = (
    ("--v", "--version", ""),
    ("b", "bench", ""),
    ("explain ", "reduce scan map select", ""),
    ("explain reduce --ex", "--exclusive", ""),
    ("explain --json s", "scan select", ""),
    ("help d", "devices", ""),
    ("reduce --op bit", "bit-and bit-or bit-xor", ""),
    ("reduce --op = arg-min-", "arg-min-max", ""),
    ("scan --op arg", "", ""),
    ("scan --raw =", TYPES, ""),
    ("reduce --algorithm reduce_t", "reduce_tiles", ""),
    ("scan --init 3 --in", "--inclusive --init --in-scalars", ""),
    ("reduce ", "a b.npy|b.txt", "filenames"),
    ("reduce - --js", "--json", ""),
    ("scan a -", "--op", "options"),
    ("scan a.npy b", "b.txt", "filenames"),
    ("select --where x a.npy b", "b.txt", "filenames"),
    ("ladder --svg ", "|".join(FILES), "filenames"),
    ("bench --against d", "d.svg", "filenames"),
    ("bench --types f", "f16 f32 f64", ""),
    ("trace --op bit-a", "bit-and", ""),
)

DRIVE = r"""
. "$1"
compopt() { asked="$asked ${*#-o}"; }
clfold=$2
shift 2
while [ $# -gt 0 ]; do
    COMP_WORDS=("$clfold") asked=
    while [[ $1 != END ]]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _clfold
    echo "$asked"
    printf '%s\n' "${COMPREPLY[@]}" END
done
"""


def completed(command, path, lines, folder):
    """For each line what may stand there, and the options that were asked for."""
    words = [word for line in lines for word in [*line.split(" "), "END"]]
    done = subprocess.run(
        ["bash", "--norc", "-c", DRIVE, "bash", path, command, *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    answers = done.stdout.split("END\n")[:-1]
    for answer in answers:
        asked, *replies = answer.splitlines()
        yield asked.strip(), sorted(filter(None, replies))


def faults_of(command, path):
    """What is wrong with the file, as sentences."""
    for line in (["bash", "-n", path], ["shellcheck", path]):
        status, text = tools.run(line)
        if status or text:
            yield f"{line[0]}: {text}"
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            tools.write(folder, name, "")
        yield from case_faults(command, path, folder)
        yield from option_faults(command, path, folder)


def case_faults(command, path, folder):
    found = list(completed(command, path, [line for line, _, _ in CASES], folder))
    if len(found) != len(CASES):
        yield f"{len(found)} of {len(CASES)} lines were completed"
    for (line, wanted, asks), (asked, replies) in zip(CASES, found):
        if asks == "options":
            good = not asked and wanted in replies and all(r[:2] == "--" for r in replies)
        else:
            words = re.split(r"\|" if asks == "filenames" else " ", wanted)
            good = asked == asks and replies == sorted(filter(None, words))
        if not good:
            yield f"clfold {line}: [{asked}] {replies}"


def option_faults(command, path, folder):
    """Each command has the options of its --help, and takes each value that is named."""
    for name in ["", *next(completed(command, path, [""], folder))[1]]:
        before = [name] if name else []
        text = tools.run([command, *before, "--help"])[1]
        listed = re.findall(r"^  (?:-\w, )?--(\w[\w-]*)( [A-Z]+)?", text, re.M)
        if name in VIEWS and not text.startswith("Usage"):
            continue  # a view that is not there
        if not listed:
            yield f"{name} --help lists no options"
        offered = next(completed(command, path, [" ".join([*before, "--"])], folder))[1]
        if offered != sorted("--" + option for option, _ in listed):
            yield f"{name} has {listed}, and {offered} came"
        if name in VIEWS:
            continue  # each start of Python takes its time
        lines = [" ".join([*before, f"--{option}", ""]) for option, value in listed if value]
        for line, (asked, values) in zip(lines, completed(command, path, lines, folder)):
            for value in [] if "filenames" in asked else values:
                # what follows --help is not read
                status, said = tools.run([command, *line.split(), value, "--help"])
                if status:
                    yield f"clfold {line}{value}: {said}"


# What is put into the file for another text, and a word of what must be found then.
PLANTED = (
    ("esac", "fi", "bash: "),
    ("'one of '*", "'none of '*", "--op bit"),
    ("options+=", "option+=", "--v:"),
)


def main(command, path):
    for tool in ("bash", "shellcheck"):
        tools.need(tool)
    command = os.path.abspath(command)
    path = os.path.abspath(path)
    failures = list(faults_of(command, path))
    with tempfile.TemporaryDirectory() as folder:
        failures += tools.not_found(tools.read(path), PLANTED, lambda text: faults_of(
            command, tools.write(folder, "clfold.bash", text)))  # fmt: skip
    tools.finish(failures, f"{len(CASES)} lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
