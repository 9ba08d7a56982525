#!/usr/bin/env python3
"""predict.py CLFOLD [--device SEL] [--seconds S] [compare] [ladder] [choice]

How far `clfold predict` is off on this machine's device, of which it makes a file by --calibrate
before each of its runs, since the memory's speed changes with what else the machine does:

  compare   sums and scans by `auto`, 2^20 to 2^27 elements: predicted over measured, and the same
            with the speed of memory that the bench's own kernels had in the same rounds
  ladder    the rungs at 2^22 and 2^24: both times, and Kendall's tau of their orders
  choice    for sums and scans: of the numbers of groups or sizes of tiles that a tuning file can
            ask for, the one that the model takes, as a share of the fastest's speed
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import tempfile

TYPES = {"f32": 4, "i32": 4, "f64": 8}  # folded in themselves, and their bytes
NESTS = {"reduce": "reduce_tiles_vector", "scan": "scan_lookback_vector"}  # `auto` of CPUs
G_OF = {"reduce6": {"G": 256}}  # as the policy of CPUs has it
CHOICES = {
    "reduce": [f"tile_bytes=65536 groups={groups}" for groups in (1, 2, 3, 4, 8, 32, 128, 512)],
    "scan": [f"tile_bytes={2**log} groups=256" for log in (14, 16, 18, 20, 22)],
}


def run(args, *words, **env):
    words = [args.clfold, *map(str, words)]
    env = {**os.environ, **{name: str(value) for name, value in env.items()}}
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=env).stdout


def rows_of(args, *words):
    lines = run(args, *words, "--quiet", "--json", *args.select).splitlines()
    return [row for row in map(json.loads, lines) if "count" in row]


def bench(args, op, type, least, most, *words):
    return rows_of(args, "bench", "--op", op, "--folds", "add", "--types", f"{type}:{type}",
                   "--min", least, "--max", most, "--seconds", args.seconds, *words)


def calibrate(args):
    with open("x.device", "w") as file:
        file.write(run(args, "predict", "--calibrate", *args.select))


def memory_as_of(op, type, row):
    """The same device with the memory's speed that the bench's kernels had in the same rounds."""
    with open("x.device") as file:
        lines = [line.split() for line in file]
    known = {line[0]: float(line[1]) for line in lines if line[0] != "name"}
    stores = op == "scan"
    size = row["count"] * TYPES[type]
    took = size * (1 + stores) / row["opencl_gbps"] * 1e-9 - known["call"] * 1e-6
    now = size * (1 / known["bandwidth"] + stores / known["store_bandwidth"]) * 1e-9
    with open("moved.device", "w") as file:
        for word, value, *rest in lines:
            value = known[word] * now / took if word.endswith("bandwidth") else value
            print(word, value, *rest, file=file)


def predict(args, nest, device, **sets):
    sets = [f"--set={name}={value}" for name, value in sets.items()]
    rows = run(args, "predict", nest, "--device", device, "--json", *sets).splitlines()
    return json.loads(rows[-1])["seconds"]


def auto(args, op, type, n, device="x.device", tuning=""):
    """Predicted seconds of what the library would launch."""
    told = json.loads(run(args, "explain", op, "--type", type, "--acc", type, "--count", n,
                          "--json", *args.select, CLFOLD_TUNING=tuning))
    sets = {"R": told["tile"]} if op == "scan" else {}
    return predict(args, NESTS[op], device, n=n, T=TYPES[type], K=told["items"], **sets)


def compare(args):
    errors = [[], []]
    for op, type, least in itertools.product(NESTS, TYPES, (20, 21)):
        calibrate(args)
        rows = bench(args, op, type, 2**least, 2 ** (least + 6))
        for row in rows:
            memory_as_of(op, type, row)
            n, took = row["count"], row["seconds"]
            ratios = [auto(args, op, type, n, device) / took
                      for device in ("x.device", "moved.device")]
            for kept, ratio in zip(errors, ratios):
                kept.append(abs(ratio - 1))
            print(f"{op:6} {type} 2^{n.bit_length() - 1} measured {took * 1e3:8.4f} ms, spread "
                  f"{row['spread']:4.0%}; predicted / measured {ratios[0]:.2f}, with the memory "
                  f"as beside it {ratios[1]:.2f}", flush=True)
    for kept, name in zip(errors, ("", ", with the memory as beside it")):
        print(f"errors{name}: median {statistics.median(kept):.1%}, worst {max(kept):.1%} of "
              f"{len(kept)}")


def tau(a, b):
    """Kendall's, with ties."""
    signs = [[(x > y) - (x < y) for x, y in zip(p, q)]
             for p, q in itertools.combinations(zip(a, b), 2)]
    ties = sum(abs(x) for x, _ in signs) * sum(abs(y) for _, y in signs)
    return sum(x * y for x, y in signs) / ties**0.5


def ladder(args):
    calibrate(args)
    runs = sum((rows_of(args, "ladder", "--type", "f32", "--min", 2**22, "--max", 2**24)
                for _ in range(3)), [])
    for log in (22, 24):
        times = {}
        for row in runs:
            if row["count"] == 2**log:
                times.setdefault(row["kernel"], []).append(row["seconds"])
        measured = [statistics.median(seconds) for seconds in times.values()]
        predicted = [auto(args, "reduce", "f32", 2**log) if kernel == "auto" else
                     predict(args, kernel, "x.device", n=2**log, **G_OF.get(kernel, {}))
                     for kernel in times]
        for kernel, took, told in zip(times, measured, predicted):
            print(f"2^{log} {kernel:8} {took * 1e3:8.3f} ms, predicted / measured "
                  f"{told / took:.2f}")
        print(f"2^{log} Kendall's tau {tau(measured, predicted):.2f}")


def choice(args):
    """Of those that the model takes for the fastest, within 1 %, the first."""
    calibrate(args)
    shares = []
    for op, type, log in itertools.product(NESTS, TYPES, (20, 22, 26)):
        seen = {}
        for numbers in CHOICES[op]:
            with open("tuning", "w") as file:
                print(f"clfold tuning 5\n{op} {TYPES[type]} 2^{log - 1}..2^{log + 1} "
                      f"tile=tile_vector {numbers} group_size=1 on CPU", file=file)
            row = bench(args, op, type, 2**log, 2**log, "--against", "tuning")[0]
            told = auto(args, op, type, 2**log, tuning="tuning")
            seen[numbers] = told, row["against_ratio"]
        least = min(told for told, _ in seen.values())
        alike = [numbers for numbers, (told, _) in seen.items() if told < 1.01 * least]
        shares.append(seen[alike[0]][1] / max(ratio for _, ratio in seen.values()))
        print(f"{op:6} {type} 2^{log} {alike[0]}, first of {len(alike)} alike of {len(seen)}: "
              f"{shares[-1]:.2f} of the fastest's speed", flush=True)
    print(f"within 10 % of the fastest: {sum(x >= 0.9 for x in shares)} of {len(shares)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clfold")
    parser.add_argument("what", nargs="*", default=["compare", "ladder", "choice"])
    parser.add_argument("--device")
    parser.add_argument("--seconds", type=float, default=0.3)
    args = parser.parse_args()
    args.clfold = os.path.abspath(args.clfold)
    args.select = ["--device", args.device] if args.device else []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for what in args.what:
            {"compare": compare, "ladder": ladder, "choice": choice}[what](args)


if __name__ == "__main__":
    main()
