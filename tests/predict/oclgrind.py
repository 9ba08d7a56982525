"""The nests of clfold's kernels do what the kernels do: oclgrind.py COMMAND PROGRAM SPY [NEST...]

Runs each kernel under Oclgrind, which counts the accesses and barriers of work-items, and compares
them and their bytes with those that clfold predict counts in the kernel's nest, launch by launch.
PROGRAM is the lab's of clfold, and SPY libclspy.so, by which Oclgrind's device poses as a GPU. A
tuning file makes tiles small, so that there are many. Exits 0 when all are equal, 1 when not, 77
when there is no Oclgrind.
"""

import array
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Unoptimised, every access of the text is one that Oclgrind counts. Its groups run one after the
# other, and OpenCL's loader finds it where it would be preloaded from, since SPY asks the loader.
OCLGRIND = ["oclgrind", "--inst-counts", "--num-threads", "1", "--build-options", "-cl-opt-disable"]
OCLGRIND += ["sh", "-c", 'OCL_ICD_VENDORS="${LD_PRELOAD%.so}-icd.so" LD_PRELOAD="$0" exec "$@"']
SPACES = {"1": "global", "3": "local"}
# Rows of two tuning files. Scans of 2^13 and more have larger tiles than those of less.
TUNED = {
    "tile_group": {
        "reduce": "tile_bytes=4096 group_size=64 groups=6 lane_bytes=16",
        "scan": "tile_bytes={0} group_size=64 groups=6 anchor=4",
    },
    "tile_vector": {
        "reduce": "tile_bytes=4096 group_size=1 groups=6 lane_bytes=16",
        "scan": "tile_bytes={0} group_size=1 groups=6 anchor=1",
    },
}
# Functions of cl/memory.cl are atomics of 8 bytes.
WORDS = {"clfold_read": ["load"], "clfold_write": ["store"], "clfold_add": ["load", "store"]}
# Copies of structs that are no items, in each call of a function, and the words of 8 bytes that the
# nests move one by one.
STRUCTS = {
    "clfold_draw_tile": [("store", 1, 3)],
    "clfold_begin": [("load", 2, 4), ("store", 2, 4)],
    "clfold_look_back": [("load", 1, 3), ("store", 1, 3)],
}
SCANS = ["scan_then_propagate", "reduce_then_scan", "scan_single_group"]
SCANS += ["scan_lookback", "scan_chained"]


def cases():
    """Nest, command, type, count, settings. A select keeps the first `kept` of `of` elements."""
    for kind, count in (("i32", 256), ("i64", 4096), ("i32", 5000), ("i64", 100003)):
        for rung in range(7):
            yield f"reduce{rung}", "reduce", kind, count, {}
    yield "reduce6", "reduce", "i32", 2200000, {}
    for kind, count in (("i32", 100), ("i64", 5001), ("i32", 5003), ("i32", 100003)):
        yield "reduce_tiles", "reduce", kind, count, {}
        yield "reduce_tiles_vector", "reduce", kind, count, {}
    for kind, count in (("i64", 1000), ("i32", 5003), ("i64", 15011), ("i32", 30012)):
        yield "scan_lookback_vector", "scan", kind, count, {}
        yield "scan_serial", "scan", kind, count, {}
        for name in SCANS:
            yield name, "scan", kind, count, {"A": 4}
    for count, kept, of in ((20001, 2, 2), (20001, 0, 2), (20002, 1, 2), (140003, 3, 8)):
        yield "select", "select", "i32", count, {"A": 64, "kept": kept, "of": of}


def settings_of(nest, plan):
    """The nest's parameters, from what the command explains."""
    group, tile = plan["group_size"], plan["tile"]
    if re.fullmatch(r"reduce\d", nest):
        return {"B": group, **({"G": plan["groups"]} if nest == "reduce6" else {})}
    if nest == "scan_serial":
        return {}
    if nest == "reduce_tiles_vector":
        return {"K": plan["items"]}
    if nest == "scan_lookback_vector":
        return {"R": tile, "K": plan["items"]}
    alone = nest in ("scan_single_group", "scan_lookback", "scan_chained", "select")
    return {"G": group, "R": tile // group, **({} if alone else {"K": plan["items"]})}


def output(command, environment, said=""):
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=said,
                          env={**os.environ, **environment})  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def accesses(what, item, is_group):
    """Of one instruction: space, kind, accesses, bytes; bytes are of all of a kind if negative.
    Items are copied as structs: memcpy, of one address space to another, p3 to p0 for instance."""
    if found := re.fullmatch(r"(load|store) (global|local) \((\d+) bytes\)", what):
        yield found[2], found[1], 1, -int(found[3])
    if found := re.match(r"call llvm\.memcpy\.p(\d)i8\.p(\d)i8\.", what):
        for kind, space in (("store", found[1]), ("load", found[2])):
            if space in SPACES:
                yield SPACES[space], kind, 1, item
    if found := re.fullmatch(r"call _Z\d+v(load|store)(8|16).*PU3AS1K?[il]\(\)", what):
        yield "global", found[1], int(found[2]) * item // 16, int(found[2]) * item
    function = what.removeprefix("call ").removesuffix("()")
    for kind in WORDS.get(function, ()):
        yield "global", kind, 1, 8
    for kind, copies, words in STRUCTS.get(function, ()) if is_group else ():
        yield "local", kind, copies * (words - 1), copies * (8 * words - item)


def counted(text, item):
    """What Oclgrind prints of each launch, in order, by the names of clfold predict --json."""
    launches = []
    for part in re.split("Instructions executed for kernel (?!'clfold_probe)", text)[1:]:
        part = part.split("Instructions executed for kernel ")[0]
        launch = {"barriers": 0}
        for space in SPACES.values():
            for kind in ("load", "store"):
                launch.update({f"{space}_{kind}s": 0, f"{space}_{kind}_bytes": 0})
        is_group = "call _Z7barrierj()" in part
        for number, what in re.findall(r"^ *(\d+) - (.*)$", part, re.M):
            if what == "call _Z7barrierj()":
                launch["barriers"] = int(number)
            for space, kind, num, size in accesses(what, item, is_group):
                launch[f"{space}_{kind}s"] += int(number) * num
                launch[f"{space}_{kind}_bytes"] += -size if size < 0 else int(number) * size
        launches.append(launch)
    return launches


def predicted(command, nest, settings):
    sets = [word for setting in settings.items() for word in ("--set", "{}={}".format(*setting))]
    lines = output([command, "predict", nest, "--json", *sets], {}).splitlines()
    return [json.loads(line)["items"] for line in lines[:-1]]


def write_data(path, kind, count, settings):
    kept, of = settings.get("kept", 0), settings.get("of", 1)
    with open(path, "wb") as file:
        numbers = (int(i % of < kept) for i in range(count))
        array.array("i" if kind == "i32" else "q", numbers).tofile(file)


def environment_of(tile):
    """Which Oclgrind's device poses by."""
    return {} if tile == "tile_vector" else {"CLSPY_GPU": "Intel"}


def compare(posing, command, folder, case):
    """What is wrong, and what was counted."""
    nest, verb, kind, count, settings = case
    is_vector = nest.endswith("_vector")
    algorithm = "serial" if nest == "scan_serial" else nest.removesuffix("_vector")
    tile = "tile_vector" if is_vector else "tile_group"
    environment = {"CLFOLD_TUNING": os.path.join(folder, tile), **environment_of(tile)}
    path, out = os.path.join(folder, f"in.{kind}"), os.path.join(folder, "out.bin")
    told = ["--algorithm", algorithm, "--acc", kind, "--no-cache"]
    if verb == "select":
        told = ["--where", "item > 0", "--no-cache"]
    explain = [command, "explain", verb, *told, "--type", kind, "--count", str(count), "--json"]
    plan = json.loads(output([*posing, *explain], environment).splitlines()[-1])
    item = 8 if verb == "select" or kind == "i64" else 4
    settings = {"n": count, **settings_of(nest, plan), **settings}
    if verb != "select":
        settings["T"] = item
    write_data(path, kind, count, settings)
    run = [command, verb, *told, "--raw", kind, path, *([] if verb == "reduce" else [out])]
    got = counted(output([*posing, *run], environment), item)
    expected = predicted(command, nest, settings)
    wrong = []
    if got != expected or not got:
        wrong.append(f"{nest} with {settings}: {expected} predicted, and {got} counted")
    if predicted(command, nest, {**settings, "n": count + 1}) == got:
        wrong.append(f"{nest} with {settings}, and of one more, are not told apart")
    return wrong, got


def write_tuning(posing, program, folder):
    asked = "data\t1\t1\tin=/dev/zero:4\tout=4\ncall\t0\t\treduce\n"
    for tile, rows in TUNED.items():
        told = output([*posing, program], environment_of(tile), asked)
        device = json.loads(told.splitlines()[-1])["row"].partition(" on ")[2]
        with open(os.path.join(folder, tile), "w", encoding="ascii") as file:
            file.write("clfold tuning 5\n")
            for operation, numbers in rows.items():
                for power, size in itertools.product(range(1, 33, 2), (4, 8)):
                    counts = f"{size} 2^{power}..2^{power + 2} tile={tile}"
                    numbers_here = numbers.format(1024 if power < 13 else 4096)
                    file.write(f"{operation} {counts} {numbers_here} on {device}\n")


def main():
    command, program, spy, *names = sys.argv[1:]
    if not shutil.which("oclgrind"):
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    posing, wrong, seen = [*OCLGRIND, spy], [], []
    with tempfile.TemporaryDirectory() as folder:
        write_tuning(posing, program, folder)
        for case in cases():
            if names and case[0] not in names:
                continue
            more, got = compare(posing, command, folder, case)
            wrong += more
            if case[1] != "reduce" and got in seen:
                wrong.append(f"{case[0]} of {case[3]} and another one are not told apart")
            seen.append(got)
    print(*(f"failed: {text}" for text in wrong), f"{len(seen)} runs, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
