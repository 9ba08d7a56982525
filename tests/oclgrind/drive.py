"""Runs the kernels under Oclgrind, and fails if Oclgrind has anything to say.

usage: drive.py TRIALS GROUP_TEXT PROBE SELECT LOOKBACK KERNEL_FILE... [-- COMMAND...]

The first are programs of tests/device, of which TRIALS runs random calls with the words that stand
below, and the others a test or two; an example's command may follow. Every kernel that the files
define must have run by each option. That Oclgrind reports what is wrong, tests/mutants shows. Exits
0 when all is well, 1 when not, 77 when there is no Oclgrind.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

RACES = "--data-races"
UNINITIALISED = "--uninitialized"
# Unoptimised, every access of the text is an access that Oclgrind sees. Besides, it
# cannot run what LLVM makes of inlined functions that return structs. One thread, as another one
# may end it while it counts what kernels do, by which it names them.
OPTIONS = ["--build-options", "-cl-opt-disable", "--max-errors", "20", "--num-threads", "1",
           "--inst-counts"]

# Options, and words of trials.c. Where what is uninitialised is looked for, work-groups alone:
# Oclgrind 21.10 crashes on a shuffle whose result is wider than what goes in, such as
# (uint16)(x.even, x.odd). No folds with padding, which nothing sets.
GROUPS = "tile=tile_group"
TRIALS = [(RACES, [f"cover {part}"]) for part in (1, 2, 3, 4)]
TRIALS += [(RACES, words) for words in (
    ["test_with_verification"],
    ["test_with_short_loops"],
    ["operation=inclusive_scan", "algorithm=scan_lookback", GROUPS],
    ["operation=select"],
)]
TRIALS += [(UNINITIALISED, [f"algorithm=reduce{rung}"]) for rung in range(7)]
TRIALS += [(UNINITIALISED, [GROUPS, *words]) for words in (
    ["op=add"],
    ["fold=affine"],
    ["algorithm=reduce_tiles", "op=add", "test_with_verification"],
    ["algorithm=reduce_lanes"],
    ["algorithm=scan_lanes"],
    ["operation=inclusive_scan", "op=add", "by=offsets", "tells=1"],
    ["operation=map"],
    ["operation=select", "fold=sums"],
    ["operation=select", "fold=words"],
)]
TRIALS += [(UNINITIALISED, ["algorithm=serial"])]
# Whose texts, or those of whose test, are for vectors.
NOT_RUN = {RACES: set(), UNINITIALISED: {"clfold_widths", "clfold_write_kept"}}


def defined_kernels(files):
    names = set()
    for file in files:
        with open(file, encoding="utf-8") as text:
            definition = r"^(?:CLFOLD_KERNEL|kernel)\b[^;{]*?\bvoid\s+(\w+)\("
            names.update(re.findall(definition, text.read(), re.M))
    return names


def check(option, command, log):
    """Returns the kernels that ran, and what is wrong. As Oclgrind is slow, device tests take half
    of long lists; trials draw the same each time, so that each kernel is met."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OCLGRIND_") and name != "CLFOLD_TEST_LEVEL"
    }
    done = subprocess.run(
        ["oclgrind", option, *OPTIONS, "--log", log, *command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    ran = set(re.findall(r"^Instructions executed for kernel '(\w+)'", done.stdout, re.M))
    printed = "\n".join(line for line in done.stdout.splitlines()
                        if line and not re.match(r"Instructions | +\d+ - ", line))
    print(option, " ".join(command[1:]), printed, sep="\n")
    wrong = []
    if done.returncode != 0:
        wrong.append(f"{' '.join(command)} ended with {done.returncode}")
    if "skipped" in printed or "no OpenCL device" in printed:
        wrong.append(f"{' '.join(command)} saw no device")
    if os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as text:
            report = text.read().strip()
        os.remove(log)
        if report:
            # It knows #line for the numbers, but quotes the program's text from its top.
            wrong.append(f"Oclgrind reports (go by line and file, not by quote):\n{report}")
    return ran, wrong


def main():
    if len(sys.argv) < 7:
        print("usage: drive.py TRIALS GROUP_TEXT PROBE SELECT LOOKBACK KERNEL_FILE... "
              "[-- COMMAND...]", file=sys.stderr)
        return 2
    if not shutil.which("oclgrind"):
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    trials, group_text, probe, select, lookback, *files = sys.argv[1:end]
    example = sys.argv[end + 1 :]
    runs = [(option, [trials, *words]) for option, words in TRIALS]
    runs.append((RACES, [lookback, "test_cuts"]))  # with tiles that others fold
    runs.append((RACES, [select, "test_parts"]))  # of places alone
    for option in (RACES, UNINITIALISED):
        for own in ("test_built_ins", "test_scan_made_sub_groups"):
            runs.append((option, [group_text, own]))
        runs.append((option, [probe, "test_in_vain"]))
        runs += [(option, example)] if example else []
    kernels = defined_kernels(files)
    missing = {option: kernels - NOT_RUN[option] for option in NOT_RUN}
    wrong = [] if kernels else ["the kernel files define no kernel"]
    with tempfile.TemporaryDirectory() as folder:
        for option, command in runs:
            ran, what = check(option, command, os.path.join(folder, "log"))
            missing[option] -= ran
            wrong += what
    wrong += [f"not run with {option}: " + " ".join(sorted(names))
              for option, names in missing.items() if names]  # fmt: skip
    for text in wrong:
        print("failed:", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
