"""Runs the kernels under Oclgrind, and fails if Oclgrind has anything to say.

usage: drive.py CALLS GROUP_TEXT KERNEL_FILE... [-- COMMAND...]

The first are the programs of calls.c and device/group_text.c; every kernel that the files define
must have run. An example's command may follow. Mistakes are planted first: were one not reported,
silence later would prove nothing. Exits 0 when all is well, 1 when not, 77 when there is no
Oclgrind.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

RACES = ["--data-races"]
UNINITIALISED = ["--uninitialized"]
# Unoptimised, every access of the text is an access that Oclgrind sees. Besides, it
# cannot run what LLVM makes of inlined functions that return structs.
BUILD = ["--build-options", "-cl-opt-disable"]

# plant of calls.c, options, what Oclgrind must say
PLANTS = [
    ("local-race", RACES, "data race at local memory"),
    ("global-race", RACES, "data race at global memory"),
    ("read-overrun", RACES, "Invalid read of size 4 at global memory"),
    ("write-overrun", RACES, "Invalid write of size 4 at global memory"),
    ("uninitialised", UNINITIALISED, "Uninitialized value written to global memory"),
]  # fmt: skip


def defined_kernels(files):
    names = set()
    for file in files:
        with open(file, encoding="utf-8") as text:
            definition = r"^(?:CLFOLD_KERNEL|kernel)\b[^;{]*?\bvoid\s+(\w+)\("
            names.update(re.findall(definition, text.read(), re.M))
    return names


def run(oclgrind, options, command, log):
    """Returns exit status, what was printed, and what Oclgrind reported. As it is slow, device
    tests take half of long lists."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OCLGRIND_") and name != "CLFOLD_TEST_LEVEL"
    }
    done = subprocess.run(
        [oclgrind, *options, *BUILD, "--max-errors", "20", "--log", log, *command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    report = ""
    if os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as text:
            report = text.read().strip()
        os.remove(log)
    return done.returncode, done.stdout, report


def check_plants(oclgrind, calls, log):
    wrong = []
    for name, options, expected in PLANTS:
        status, printed, report = run(oclgrind, options, [calls, "plant", name], log)
        if status != 0:
            wrong.append(f"plant {name} ended with {status}:\n{printed}")
        elif expected not in report:
            wrong.append(f"plant {name} was not reported; Oclgrind said: {report!r}")
    return wrong


def check_calls(oclgrind, options, command, log, kernels):
    status, printed, report = run(oclgrind, options, command, log)
    ran = set(re.findall(r"^calls: ran (\w+)$", printed, re.M))
    wrong = []
    print(" ".join(options), " ".join(command[1:]), printed, sep="\n")
    if status != 0:
        wrong.append(f"the calls ended with {status}")
    if report:
        # It knows #line for the numbers, but quotes the program's text from its top.
        wrong.append(f"Oclgrind reports (go by line and file, not by quote):\n{report}")
    if kernels - ran:
        wrong.append("not run: " + " ".join(sorted(kernels - ran)))
    return wrong


def main():
    if len(sys.argv) < 4:
        print("usage: drive.py CALLS GROUP_TEXT KERNEL_FILE... [-- COMMAND...]", file=sys.stderr)
        return 2
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    calls, group_text, *files = sys.argv[1:end]
    example = sys.argv[end + 1 :]
    oclgrind = shutil.which("oclgrind")
    if not oclgrind:
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    kernels = defined_kernels(files)
    if not kernels:
        print("failed: the kernel files define no kernel")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        wrong = check_plants(oclgrind, calls, log)
        of_scans = {name for name in kernels if name.startswith("clfold_scan_")}
        of_probe = {name for name in kernels if name.startswith("clfold_probe_")}
        of_scans.add("clfold_serial")
        of_users = {"clfold_widths"}
        of_segments = {name for name in kernels if re.search("lanes|bundles", name)}
        of_results = {"clfold_map_tiles", "clfold_scan_bundles"} & kernels
        of_heads = {name for name in kernels if re.search("(clear|mark)_heads|_bad", name)}
        road = "_offsets|join_pieces|(find|count)_heads|_lists"
        of_offsets = {name for name in kernels if re.search(road, name)}
        of_scans -= of_segments
        of_selects = of_scans - {"clfold_serial", "clfold_scan_locals", "clfold_scan_propagate"}
        of_selects |= {name for name in kernels if name.endswith("_kept")}
        kernels -= of_scans | of_probe | of_users | of_segments | of_results | of_heads
        kernels -= of_offsets | of_selects
        rungs = {name for name in kernels if re.fullmatch(r"clfold_reduce\d", name)}
        wrong += check_calls(oclgrind, RACES, [calls, "reduce"], log, kernels - rungs)
        wrong += check_calls(oclgrind, RACES, [calls, "ladder"], log, rungs)
        wrong += check_calls(oclgrind, UNINITIALISED, [calls, "ladder"], log, rungs)
        for options in (RACES, UNINITIALISED):
            for own in ("test_built_ins", "test_scan_made_sub_groups"):
                wrong += check_calls(oclgrind, options, [group_text, own], log, set())
            if example:
                wrong += check_calls(oclgrind, options, example, log, set())
        wrong += check_calls(oclgrind, RACES, [calls, "scans"], log, of_scans | of_users)
        wrong += check_calls(oclgrind, RACES, [calls, "user"], log, of_users)
        wrong += check_calls(oclgrind, RACES, [calls, "probe"], log, of_probe)
        wrong += check_calls(oclgrind, UNINITIALISED, [calls, "probe"], log, of_probe)
        wrong += check_calls(oclgrind, RACES, [calls, "segments"], log, of_segments)
        wrong += check_calls(oclgrind, RACES, [calls, "results"], log, of_results)
        wrong += check_calls(oclgrind, RACES, [calls, "heads"], log, of_heads)
        wrong += check_calls(oclgrind, RACES, [calls, "offsets"], log, of_offsets)
        wrong += check_calls(oclgrind, RACES, [calls, "selects"], log, of_selects)
        # tile_vector is left out: under this option Oclgrind 21.10 crashes on a shuffle
        # whose result is wider than what goes in, such as (uint16)(x.even, x.odd).
        wrong += check_calls(
            oclgrind, UNINITIALISED, [calls, "reduce", "tile_group"], log, kernels - rungs
        )
        wrong += check_calls(oclgrind, UNINITIALISED, [calls, "scans", "tile_group"], log, of_scans)
        wrong += check_calls(
            oclgrind, UNINITIALISED, [calls, "segments", "tile_group"], log, of_segments
        )
        wrong += check_calls(
            oclgrind, UNINITIALISED, [calls, "results", "tile_group"], log, of_results
        )
        wrong += check_calls(oclgrind, UNINITIALISED, [calls, "heads", "tile_group"], log, of_heads)
        wrong += check_calls(
            oclgrind, UNINITIALISED, [calls, "offsets", "tile_group"], log, of_offsets
        )
        wrong += check_calls(
            oclgrind, UNINITIALISED, [calls, "selects", "tile_group"], log, of_selects
        )
    for text in wrong:
        print("failed:", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
