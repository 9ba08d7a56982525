"""clfold predict as a user calls it: command.py COMMAND"""

import json
import os
import subprocess
import sys
import tempfile

NEST = """param n = 1000  BX = 64  BY = 1
kernel rows
launch groups = ceil(n, BX), 4  size = BX, BY  registers R
array a f64[n, 4] global
if BX*gx + tx < n { load a[BX*gx + tx, gy]  op }
"""
DEVICE = "name mine\nwidth 16 measured\nbanks 16 nominal\nunits 2 queried\nclock 1 nominal\n"

command = sys.argv[1]
wrong = []


def run(*words):
    return subprocess.run([command, "predict", *words], capture_output=True, text=True, check=False)


def check(holds, what):
    if not holds:
        wrong.append(what)


def prints(words, *parts):
    done = run(*words)
    check(done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}")
    for part in parts:
        check(part in done.stdout, f"{words} prints no {part!r} but {done.stdout}")
    return done.stdout


def fails(words, status, part):
    done = run(*words)
    check(done.returncode == status, f"{words}: {done.returncode}")
    check(part in done.stderr and not done.stdout, f"{words} says {done.stderr}{done.stdout}")


def check_files(folder):
    nest, device = os.path.join(folder, "a.nest"), os.path.join(folder, "a.device")
    with open(device, "w", encoding="utf-8") as file:
        file.write(DEVICE)
    with open(nest, "w", encoding="utf-8") as file:
        file.write("param R = 20\n" + NEST)
    fails([nest, "--device", device], 1, f"{device}:6:1: a device needs a bandwidth")
    with open(device, "a", encoding="utf-8") as file:
        file.write("bandwidth 100 measured by hand\nregisters 8192 nominal\n")
    lines = prints([nest, "--device", device, "--block", "32,4", "--json"]).splitlines()
    launch, whole = map(json.loads, lines)
    check(launch["groups"] == 128 and launch["size"] == 128, f"a block: {launch}")
    check(launch["groups_of_unit"] == 3, f"registers: {launch}")
    check(launch["items"]["global_loads"] == 4 * 4 * 1000, f"items: {launch}")
    check(launch["terms"]["issue"] is None, f"a term that is not known: {launch}")
    check(whole["launches"] == 1 and whole["seconds"] == launch["seconds"] > 0, f"{whole}")
    prints([nest, "--device", device, "--explain"], "measured: by hand", "issue     not known")
    fails([nest, "--device", device, "--set", "R=9000"], 1, "holds no group of rows, by its")
    with open(nest, "w", encoding="utf-8") as file:
        file.write(NEST)
    fails([nest], 1, f"{nest}:3:58: there is no R")


def main():
    for i in range(7):
        prints([f"reduce{i}", "--set", "n=2^20"], f"reduce{i} on NVIDIA H100")
    prints(["reduce1", "--explain", "--cache", "16"], "binds", "cache: 8 of 8 lines", "assumed:")
    prints(["reduce0", "--device", "8800gtx", "--model", "thesis"], "(1) ", "Hong and Kim: MWP")
    prints(["reduce0", "--device", "a100", "--model", "thesis"], "(6) ", "lacks a number")
    fails(["nope"], 1, "there is no nest nope")
    fails(["reduce0", "--device", "none"], 1, "there is no device none")
    fails(["/nowhere.nest"], 1, "/nowhere.nest: No such file")
    fails(["reduce0", "--set", "q=1"], 1, "there is no parameter q")
    fails(["reduce0", "--block", "32"], 1, "there is no parameter BX")
    fails(["reduce0", "--set", "n=0"], 1, "reduce0:5:17: a size of 0 is not from 1")
    fails(["reduce0", "--json", "--model", "thesis"], 2, "--model does not go with --json")
    with tempfile.TemporaryDirectory() as folder:
        check_files(folder)
    for text in wrong:
        print("failed:", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
