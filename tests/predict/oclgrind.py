"""The nests of clfold's kernels do what the kernels do: oclgrind.py COMMAND PROGRAM SPY [NEST...]

Runs each kernel under Oclgrind, which counts the accesses and barriers of work-items, and compares
them and their bytes with those that clfold predict counts in the kernel's nest, launch by launch.
PROGRAM is the lab's of clfold, and SPY libclspy.so, by which Oclgrind's device poses as a GPU. A
tuning file makes tiles small, so that there are many. Exits 0 when all are equal, 1 when not, 77
when there is no Oclgrind.
"""

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
TUNED = "tile_bytes=4096 group_size=64 groups=6 lane_bytes=16"


def cases():
    """Nest, type, count."""
    for kind, count in (("i32", 256), ("i64", 4096), ("i32", 5000), ("i64", 100003)):
        for rung in range(7):
            yield f"reduce{rung}", kind, count
    yield "reduce6", "i32", 2200000
    for kind, count in (("i32", 100), ("i64", 5001), ("i32", 5003), ("i32", 100003)):
        yield "reduce_tiles", kind, count


def settings_of(nest, plan):
    """The nest's parameters, from what the command explains."""
    group = plan["group_size"]
    if nest != "reduce_tiles":
        return {"B": group, **({"G": plan["groups"]} if nest == "reduce6" else {})}
    return {"G": group, "R": plan["tile"] // group, "K": plan["items"]}


def output(command, environment, said=""):
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=said,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def accesses(what, item):
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


def counted(text, item):
    """What Oclgrind prints of each launch, in order, by the names of clfold predict --json."""
    launches = []
    for part in re.split("Instructions executed for kernel (?!'clfold_probe)", text)[1:]:
        part = part.split("Instructions executed for kernel ")[0]
        launch = {"barriers": 0}
        for space in SPACES.values():
            for kind in ("load", "store"):
                launch.update({f"{space}_{kind}s": 0, f"{space}_{kind}_bytes": 0})
        for number, what in re.findall(r"^ *(\d+) - (.*)$", part, re.M):
            if what == "call _Z7barrierj()":
                launch["barriers"] = int(number)
            for space, kind, num, size in accesses(what, item):
                launch[f"{space}_{kind}s"] += int(number) * num
                launch[f"{space}_{kind}_bytes"] += -size if size < 0 else int(number) * size
        launches.append(launch)
    return launches


def predicted(command, nest, settings):
    sets = [word for setting in settings.items() for word in ("--set", "{}={}".format(*setting))]
    lines = output([command, "predict", nest, "--json", *sets], {}).splitlines()
    return [json.loads(line)["items"] for line in lines[:-1]]


def compare(posing, command, folder, case):
    """What is wrong."""
    nest, kind, count = case
    environment = {"CLFOLD_TUNING": os.path.join(folder, "tuning"), "CLSPY_GPU": "Intel"}
    path, item = os.path.join(folder, f"in.{kind}"), 8 if kind == "i64" else 4
    told = ["--algorithm", nest, "--acc", kind, "--no-cache"]
    explain = [command, "explain", "reduce", *told, "--type", kind, "--count", str(count), "--json"]
    plan = json.loads(output([*posing, *explain], environment).splitlines()[-1])
    settings = {"n": count, **settings_of(nest, plan), "T": item}
    with open(path, "wb") as file:
        file.truncate(count * item)
    run = [command, "reduce", *told, "--raw", kind, path]
    got = counted(output([*posing, *run], environment), item)
    expected, wrong = predicted(command, nest, settings), []
    if got != expected or not got:
        wrong.append(f"{nest} with {settings}: {expected} predicted, and {got} counted")
    if predicted(command, nest, {**settings, "n": count + 1}) == got:
        wrong.append(f"{nest} with {settings}, and of one more, are not told apart")
    return wrong


def write_tuning(posing, program, folder):
    asked = "data\t1\t1\tin=/dev/zero:4\tout=4\ncall\t0\t\treduce\n"
    told = output([*posing, program], {"CLSPY_GPU": "Intel"}, asked)
    device = json.loads(told.splitlines()[-1])["row"].partition(" on ")[2]
    with open(os.path.join(folder, "tuning"), "w", encoding="ascii") as file:
        file.write("clfold tuning 5\n")
        for power, size in itertools.product(range(1, 33, 2), (4, 8)):
            counts = f"{size} 2^{power}..2^{power + 2}"
            file.write(f"reduce {counts} tile=tile_group {TUNED} on {device}\n")


def main():
    command, program, spy, *names = sys.argv[1:]
    if not shutil.which("oclgrind"):
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    posing, wrong, num = [*OCLGRIND, spy], [], 0
    with tempfile.TemporaryDirectory() as folder:
        write_tuning(posing, program, folder)
        for case in cases():
            if not names or case[0] in names:
                wrong += compare(posing, command, folder, case)
                num += 1
    print(*(f"failed: {text}" for text in wrong), f"{num} runs, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
