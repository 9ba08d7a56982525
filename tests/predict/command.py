"""clfold predict as a user calls it: command.py COMMAND"""

import json
import os
import re
import subprocess
import sys
import tempfile

SET = "param n = 100 m = 2*n kernel k launch groups = m size = 1"
NEST = """param n = 1000  BX = 64  BY = 1
kernel rows
launch groups = ceil(n, BX), 4  size = BX, BY  registers R
array a f64[n, 4] global
if BX*gx + tx < n { load a[BX*gx + tx, gy]  op }
"""
PROGRAM = """param n = 4096
note "no REGION says what moves"
array a f32[n] global  array p f32[16] global
transfer in a times 3  transfer out p times 0
kernel sweep launch groups = 16 size = 256 waves 4 times 5 scalars 7 lines 20 note "it is taken"
at 12 load a[256*g + t] op store a[256*g + t]
kernel sum launch groups = 16 size = 256 fold FOLD f32 n reduction 4
load a[256*g + t]
if t == 0 { store p[g] }
kernel sum_parts launch groups = 1 size = 16
load p[t]
"""
DEVICE = "name mine\nwidth 16 measured\nbanks 16 nominal\nunits 2 queried\nclock 1 nominal\n"
SHAPE = "kernel groups size waves times block grid".split()
CELLS = "line access array requests items bytes sectors lines passes extra".split()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WRONG = [
    (["nope"], 1, "there is no nest nope; they are reduce0"), ([], 2, "required: NEST"),
    (["reduce0", "--device", "none"], 1, "there is no device none; they are 8800gtx"),
    (["/nowhere.nest"], 1, "/nowhere.nest: No such file"), (["../x"], 1, "there is no nest ../x"),
    (["reduce0", "--set", "q=1"], 1, "there is no parameter q"),
    (["reduce0", "--block", "32"], 1, "there is no parameter BX"),
    (["reduce0", "--set", "n=0"], 1, "reduce0:5:17: a size of 0 is not from 1"),
    (["reduce0", "--set", "n=2^80"], 2, "2^80: a count is a number"),
    (["reduce0", "--json", "--explain"], 2, "--json does not go with --explain"),
    (["reduce0", "--set", "n"], 2, "n is not NAME=N"),
    (["reduce0", "--set", "n=x"], 2, "x: a count is"),
    (["reduce0", "--block", "1,2,3,4"], 2, "more than three dimensions"),
    (["reduce0", "--model", "none"], 2, "invalid choice: 'none'"),
    (["reduce0", "--cache", "15", "--model", "thesis"], 2, "15 is neither a number from 16 to 48"),
    (["reduce0", "--cache", "16"], 2, "--cache goes with --model thesis"),
    (["reduce0", "--grid", "16"], 2, "--grid goes with --model thesis"),
    (["reduce0", "--time"], 2, "--time needs Fortran, and reduce0 is none"),
]

command = sys.argv[1:]
wrong = []


def run(*words):
    return subprocess.run([*command, "predict", *words], capture_output=True, text=True,
                          check=False)


def check(holds, what):
    if not holds:
        wrong.append(what)


def prints(words, *parts):
    done = run(*words)
    check(done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}")
    for part in parts:
        check(part in done.stdout, f"{words} prints no {part!r} but {done.stdout}")
    return done.stdout


def objects(*words):
    return [json.loads(line) for line in prints([*words, "--json"]).splitlines()]


def fails(words, status, part):
    done = run(*words)
    check(done.returncode == status, f"{words}: {done.returncode}")
    check(part in done.stderr and not done.stdout, f"{words} says {done.stderr}{done.stdout}")
    check(len(done.stderr.splitlines()) == 1, f"{words} says {done.stderr}")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_files(folder):
    device = write(folder, "a.device", DEVICE)
    nest = write(folder, "a.nest", "param R = 20\n" + NEST)
    fails([nest, "--device", device], 1, f"{device}:6:1: a device needs a bandwidth")
    write(folder, "a.device",
          DEVICE + "bandwidth 100 measured by hand\nregisters 8192 nominal\n")
    launch, whole = objects(nest, "--device", device, "--block", "32,4")
    check([launch[key] for key in SHAPE] == ["rows", 128, 128, 1, 1, [32, 4, 1], [32, 4, 1]],
          f"{launch}")
    check(launch["groups_of_unit"] == 3, f"registers: {launch}")
    check(launch["items"]["global_loads"] == 4 * 4 * 1000, f"items: {launch}")
    check(launch["items"]["global_load_bytes"] == 8 * 4 * 4 * 1000, f"items: {launch}")
    check(launch["terms"]["issue"] is None, f"a term that is not known: {launch}")
    check(whole["launches"] == 1 and whole["seconds"] == launch["seconds"] > 0, f"{whole}")
    explained = prints([nest, "--device", device, "--explain"], "measured: by hand", "not known")
    rows = [line.split() for line in explained.splitlines()]
    check(["issue", "not", "known"] in rows and ["binds", "memory"] in rows, explained)
    check(["block", "64,1,1"] in rows, explained)
    fails([nest, "--device", device, "--set", "R=9000"], 1, "holds no group of rows, by its")
    one = objects(write(folder, "a.nest", SET), "--set", "n=7")[0]
    check(one["groups"] == 14, f"a setting, and what depends on it: {one}")
    fails([write(folder, "a.nest", NEST)], 1, "3:58: there is no R")


def check_program(folder):
    """Transfers, waves, times, the reduction that clfold does; the formulas of the thesis."""
    nest = write(folder, "p.nest", PROGRAM.replace("FOLD", "add"))
    sweep, part, rest, whole = objects(nest, "--device", "fermi")
    check([sweep[key] for key in SHAPE[:5]] == ["sweep", 16, 256, 4, 5], f"{sweep}")
    cells = [12, "load", "a", 128, 4096, 4 * 4096, 512, 128, 128, 0]
    check([sweep["accesses"][0][key] for key in CELLS] == cells, f"{sweep}")
    check(whole["launches"] == 4 * 5 + 2, f"{whole}")
    told = [(one["array"], one["way"], one["bytes"], one["times"]) for one in whole["transfers"]]
    check(told == [("a", "in", 16384, 3), ("p", "out", 64, 0)], f"{whole}")
    check(whole["moving_all_once_seconds"] == 64 / 8e9, f"{whole}")
    check(whole["notes"] == ["no REGION says what moves", "sweep: it is taken"], f"{whole}")
    sums = sum(launch["seconds"] for launch in (sweep, part, rest))
    check(abs(whole["launch_seconds"] - sums) < 1e-9, f"{whole}")
    check(abs(whole["seconds"] - sums - whole["transfer_seconds"]) < 1e-9, f"{whole}")
    fold = part["fold"]
    check(abs(fold["seconds"] - part["seconds"] - rest["seconds"]) < 1e-9, f"{fold}")
    *_, tiles = objects("reduce_tiles", "--device", "fermi", "--set", "n=4096")
    check(abs(fold["reduce_tiles_seconds"] - tiles["seconds"]) < 1e-9, f"{fold} {tiles}")
    prints([nest, "--device", "fermi"], "clfold reduce --op add --raw f32 FILE", "transfers",
           ".op = CLFOLD_ADD, .type = CLFOLD_F32 }", "&fold, in, 0, out, 0, 4096, 0, NULL, NULL);",
           "assumed: no REGION says", "[256, 1, 1]", "moving these once")
    for text, tiles in (("bit_and f32", None), ("first f32", None), ("mul i64", True),
                        ("min i8", False), ("arg_min f32", False)):
        operator, kind = text.split()
        changed = PROGRAM.replace("FOLD f32", text).replace("sum_parts", "rest")
        part = objects(write(folder, "q.nest", changed))[1]
        fold = part["fold"]
        if tiles is None:
            check(fold == {"missing": f"clfold does not fold {kind} by {operator}"}, f"{fold}")
        else:
            check(fold["seconds"] == part["seconds"], f"{fold}")
            check(bool(fold["reduce_tiles_seconds"]) == tiles, f"{fold}")
    sweep, part, *_, whole = objects(nest, "--model", "thesis", "--device", "8800gtx")
    check(sweep["(6) required_regs"] == 384 * 8, f"{sweep}")  # 7 + 1 + 1 + 2 registers
    check(part["reduction_kernel"]["(7) threads_x"] == 8, f"{part}")
    check(whole["launch_seconds"] > sweep["hong_and_kim"]["seconds"] > 0, f"{whole}")


def check_names():
    """The help names the nests and devices that there are, and so do the docs."""
    with open(os.path.join(ROOT, "docs", "predict.md"), encoding="utf-8") as file:
        texts = {"--help": run("--help").stdout, "docs/predict.md": file.read()}
    for folder in ("nests", "devices"):
        for name in os.listdir(os.path.join(ROOT, "tools", "predict", folder)):
            word, _, kind = name.partition(".")
            for where, text in texts.items() if kind != "part" else ():
                known = re.search(rf"\b{word}\b", text) or re.fullmatch("reduce[0-6]", word)
                check(known, f"{where} does not name {word}")


def main():
    for i in range(7):
        prints([f"reduce{i}", "--set", "n=2^20"], f"reduce{i} ", "[256, 1, 1]", "NVIDIA H100")
    prints(["reduce1", "--explain"], "binds", "bytes_past_l1", "assumed: the longest term")
    prints(["reduce0", "--device", "8800gtx", "--model", "thesis", "--cache", "off"], "(1) ", "MWP")
    prints(["reduce0", "--device", "a100", "--model", "thesis"], "(6) ", "not known")
    whole = objects("reduce0", "--device", "a100", "--model", "thesis", "--grid", "7")[-1]
    check(whole["launch_seconds"] is None and whole["seconds"] is None, f"{whole}")
    prints(["reduce0", "--device", "8800gtx", "--explain"], "tail_factor",
           "launch is not known and costs nothing", "first sub-group")
    check_names()
    for words, status, said in WRONG:
        fails(words, status, said)
    with tempfile.TemporaryDirectory() as folder:
        check_files(folder)
        check_program(folder)
    for text in wrong:
        print("failed:", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
