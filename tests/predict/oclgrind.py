"""The nests of clfold's kernels do what the kernels do: oclgrind.py COMMAND SPY

Runs each kernel under Oclgrind, which counts the accesses and barriers of work-items, and compares
them and their bytes with those that clfold predict counts in the kernel's nest, launch by launch.
SPY is libclspy.so: Oclgrind's device poses as a GPU. A tuning file makes tiles small, so that there
are many. Exits 0 when all are equal, 1 when not, 77 when there is no Oclgrind.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Unoptimised, every access of the text is one that Oclgrind counts.
OCLGRIND = ["oclgrind", "--inst-counts", "--num-threads", "1"]
OCLGRIND += ["--build-options", "-cl-opt-disable", "sh", "-c"]
POSE = 'export OCL_ICD_VENDORS="${LD_PRELOAD%.so}-icd.so" LD_PRELOAD="$0"; exec "$@"'
SPACES = {"global": 1, "local": 3}
ANCHOR = 4
TUNED = {
    "reduce": "tile_bytes=4096 group_size=64 groups=6 lane_bytes=16",
    "inclusive_scan": f"tile_bytes={{}} group_size=64 groups=6 anchor={ANCHOR}",
}
# Functions of cl/memory.cl, whose atomics are of 8 bytes.
WORDS = {"clfold_read": ("loads",), "clfold_write": ("stores",), "clfold_add": ("loads", "stores")}
# Structs longer than an item that are copied, once in each call of a function.
LONGER = {
    "clfold_draw_tile": [("stores", 1, 3)],
    "clfold_begin": [("loads", 2, 4), ("stores", 2, 4)],
    "clfold_look_back": [("loads", 1, 3), ("stores", 1, 3)],
}

# nest: command, options, sizes
CASES = {
    **{f"reduce{i}": ("reduce", [], (256, 4096, 5000, 100003)) for i in range(7)},
    "reduce_tiles": ("reduce", [], (100, 5000, 100003)),
    **dict.fromkeys(("scan_single_group", "scan_lookback", "scan_chained"), ("scan", [], (1000, 5000, 30012, 100003))),
    **dict.fromkeys(("scan_then_propagate", "reduce_then_scan"), ("scan", [], (1000, 5000, 30012, 100003))),
}
SECONDS = {}


def output(command, **environment):
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def counted(text, item):
    """Of each launch, in order. Items are copied as structs: memcpy, of one address space to
    another, p3 to p0 for instance."""
    launches = []
    for part in text.split("Instructions executed for kernel ")[1:]:
        if part.startswith("'clfold_probe_"):
            continue
        found = dict.fromkeys(
            [f"{space}_{kind}" for space in SPACES for kind in ("loads", "stores")]
            + [f"{space}_{kind}_bytes" for space in SPACES for kind in ("load", "store")],
            0,
        )

        def add(space, kind, number, num_bytes):
            found[f"{space}_{kind}"] += number
            found[f"{space}_{kind[:-1]}_bytes"] += num_bytes

        for number, what in re.findall(r"^ *(\d+) - (.*)$", part, re.M):
            number = int(number)
            plain = re.fullmatch(r"(load|store) (global|local) \((\d+) bytes\)", what)
            copied = re.match(r"call llvm.memcpy\.p(\d)i8\.p(\d)i8\.", what)
            function = re.fullmatch(r"call (\w+)\(\)", what)
            if plain:
                add(plain[2], plain[1] + "s", number, int(plain[3]))
            if copied:
                for space, index in SPACES.items():
                    if int(copied[1]) == index:
                        add(space, "stores", number, number * item)
                    if int(copied[2]) == index:
                        add(space, "loads", number, number * item)
            for kind, copies, words in LONGER.get(function and function[1], ()):
                add("local", kind, number * copies * (words - 1), number * copies * (8 * words - item))
            for kind in WORDS.get(function and function[1], ()):
                add("global", kind, number, number * 8)
            if function and function[1] == "_Z7barrierj":
                found["barriers"] = number
        launches.append({"barriers": 0, **found})
    return launches


def predicted(command, nest, settings):
    sets = [word for setting in settings.items() for word in ("--set", "{}={}".format(*setting))]
    lines = output([command, "predict", nest, "--json", *sets]).splitlines()
    return [json.loads(line)["items"] for line in lines[:-1]]


def settings_of(nest, plan):
    group = plan["group_size"]
    if re.fullmatch(r"reduce\d", nest):
        given = {"B": group, "G": plan["groups"]}
        return {name: given[name] for name in ("B", "G")[: 2 if nest == "reduce6" else 1]}
    given = {"G": group, "R": plan["tile"] // group, "K": plan["items"]}
    if "scan" in nest:
        given["A"] = ANCHOR
    if nest in ("scan_single_group", "scan_lookback", "scan_chained"): del given["K"]
    return given


def compare(command, spy, folder, nest, count):
    """How many are wrong."""
    verb, options, _ = CASES[nest]
    posing = [*OCLGRIND, POSE, spy, command]
    options = [*options, "--algorithm", nest, "--acc", "i32", "--no-cache"]
    told = ["explain", verb, *options, "--type", "i32", "--count", str(count), "--json"]
    environment = {"CLSPY_GPU": "any", "CLFOLD_TUNING": os.path.join(folder, "tuning")}
    plan = json.loads(output([*posing, *told], **environment).splitlines()[-1])
    settings = {"n": count, **settings_of(nest, plan)}
    path = os.path.join(folder, f"{count}.i32")
    with open(path, "wb") as file:
        file.write(bytes(4 * count))
    runs = [*posing, verb, *options, "--raw", "i32", path]
    if verb != "reduce":
        runs.append(os.path.join(folder, "out.bin"))
    got, expected = counted(output(runs, **environment), 4), predicted(command, nest, settings)
    other = predicted(command, nest, {**settings, "n": count + 1})
    if other == got:
        print(f"failed: {nest} of {count} and of one more are not told apart")
    if got != expected:
        print(f"failed: {nest} of {count}, {settings}:")
        for a, b in zip(expected, got):
            print({k: (a[k], b[k]) for k in b if a[k] != b[k]})
        if len(got)!=len(expected): print(len(expected), len(got))
    return (other == got) + (got != expected or not got)


def main():
    command, spy = sys.argv[1:3]
    only = sys.argv[3:]
    if not shutil.which("oclgrind"):
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tuning = os.path.join(folder, "tuning")
        with open(tuning, "w", encoding="ascii") as file:
            file.write("clfold tuning 4\n")
        shown = output([*OCLGRIND, POSE, spy, command, "tune", "--show", "--file", tuning])
        key = re.search("for (clfold .*)", shown)[1]
        with open(tuning, "a", encoding="ascii") as file:
            for operation, numbers in TUNED.items():
                for power in range(1, 33, 2):
                    row = f"add i32:i32 2^{power}..2^{power + 2} tile=tile_group {numbers}"
                    row = row.format(1024 if power < 13 else 4096)
                    file.write(f"{operation} {row} on {key}\n")
        for nest, (_, _, counts) in CASES.items():
            if only and nest not in only: continue
            for count in counts:
                wrong += compare(command, spy, folder, nest, count)
    print(f"{len(CASES)} kernels, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
