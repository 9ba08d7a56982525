"""The nests of the ladder's kernels do what the kernels do: oclgrind.py COMMAND

Runs each kernel under Oclgrind, which counts the accesses and barriers of work-items, and compares
them with those that clfold predict counts in the kernel's nest, launch by launch. Exits 0 when all
are equal, 1 when not, 77 when there is no Oclgrind.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Unoptimised, every access of the text is one that Oclgrind counts.
COUNTING = ["oclgrind", "--inst-counts", "--build-options", "-cl-opt-disable"]
COUNTS = (256, 4096, 5000, 100003)
SPACES = {"global": 1, "local": 3}


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def counted(text):
    """Of each launch, in order. Items are copied as structs: memcpy, of one address space to
    another, p3 to p0 for instance."""
    launches = []
    for part in text.split("Instructions executed for kernel ")[1:]:
        numbers = {}
        for number, what in re.findall(r"^ *(\d+) - (.*)$", part, re.M):
            numbers[re.sub(r" \(\d+ bytes\)", "", what)] = int(number)
        found = {"barriers": numbers.get("call _Z7barrierj()", 0)}
        for space, index in SPACES.items():
            stores, loads = rf"memcpy\.p{index}i8\.", rf"memcpy\.p\d+i8\.p{index}i8\."
            for kind, pattern in {"loads": loads, "stores": stores}.items():
                name = f"{kind[:-1]} {space}"
                found[f"{space}_{kind}"] = sum(
                    number
                    for what, number in numbers.items()
                    if what == name or re.search(pattern, what)
                )
        launches.append(found)
    return launches


def predicted(command, rung, settings):
    sets = [word for setting in settings.items() for word in ("--set", "{}={}".format(*setting))]
    lines = output([command, "predict", rung, "--json", *sets]).splitlines()
    return [json.loads(line)["items"] for line in lines[:-1]]


def main():
    command = sys.argv[1]
    if not shutil.which("oclgrind"):
        print("skipped: there is no oclgrind on PATH (Debian's package oclgrind)")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            path = os.path.join(folder, f"{count}.i32")
            with open(path, "wb") as file:
                file.write(bytes(4 * count))
            for rung in (f"reduce{i}" for i in range(7)):
                algorithm = ["--algorithm", rung, "--acc", "i32", "--no-cache"]
                told = ["reduce", *algorithm, "--type", "i32", "--count", str(count), "--json"]
                plan = json.loads(output(["oclgrind", command, "explain", *told]))
                settings = {"n": count, "B": plan["group_size"]}
                if rung == "reduce6":
                    settings["G"] = plan["groups"]
                runs = [*COUNTING, command, "reduce", *algorithm, "--raw", "i32", path]
                got, expected = counted(output(runs)), predicted(command, rung, settings)
                other = predicted(command, rung, {**settings, "n": count + 1})
                if other == got:
                    print(f"failed: {rung} of {count} and of one more are not told apart")
                    wrong += 1
                if got != expected or not got:
                    print(f"failed: {rung} of {count}: {expected} predicted, and {got} counted")
                    wrong += 1
    print(f"{len(COUNTS)} counts of 7 kernels, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
