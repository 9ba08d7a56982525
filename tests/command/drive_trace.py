"""Drives `clfold trace` as a user does.

usage: drive_trace.py COMMAND WRONG_READ PART, as run_part of cases.py has it

Where a device has no look-back, all are skipped but the case of its sentence.
"""

import os
import re

from cases import Skip, check, help_names, needs_gnuplot, objects, run_part
from charts import Chart, rows_of
from drive_ladder import BYTES, Driver, types_of

OPS = "add mul min max bit-and bit-or bit-xor logical-and logical-or".split()
TILE_KEYS = ["tile", "started", "aggregate", "prefix", "depth", "polls", "fallbacks", "folded"]
LAST_KEYS = [
    "algorithm", "type", "op", "count", "tiles", "tile_size", "group_size", "groups", "clock",
    "duration", "mean_depth", "mean_polls", "fallbacks", "ok", "device",
]  # fmt: skip
SLACK = {"cycles": 1000, "steps": 0}
HEADS = ["tile flag  aggregate  inclusive prefix", "depth    tiles", "a tile's"]
ARROWS = "folds a tile that is late"
LEGEND = ["folds its elements", "aggregate published, looks back", "prefix published"]
# whose look-back is known to work
SURE = ["Portable Computing Language", "Intel(R) OpenCL"]


def trace(d, device, *words, **options):
    return d.good("trace", "--device", device["index"], *words, **options)


def needs_look_back(d, device):
    done = d.run("trace", "--device", device["index"], "--count", 1000)
    if done.returncode == 0:
        return
    d.bad(1, "CLFOLD_ERROR_UNSUPPORTED", "trace", "--device", device["index"], "--count", 1000)
    check(device["platform"] not in SURE, f"{done}")
    raise Skip("the device has no look-back")


def read_lines(text):
    """The tiles' objects and the last one, each of the right form."""
    *tiles, last = objects(text, lambda told: TILE_KEYS if "tile" in told else LAST_KEYS)
    check("tiles" in last and all("tile" in one for one in tiles), text[-400:])
    return tiles, last


def check_tiles(tiles, last, device):
    """What holds of any trace."""
    num = last["tiles"]
    check(num == len(tiles) == -(-last["count"] // last["tile_size"]), f"{last}")
    check([one["tile"] for one in tiles] == list(range(num)), "tiles are not in order")
    check(min(one["started"] for one in tiles) == 0, "no tile starts at 0")
    check(max(one["prefix"] for one in tiles) == last["duration"], f"{last}")
    check(last["clock"] in ["cycles", "steps"] and last["groups"] > 0, f"{last}")
    if last["clock"] == "steps":
        times = [one[key] for one in tiles for key in TILE_KEYS[1:4]]
        check(sorted(times) == list(range(3 * num)), "a step is not one record")
    for place, one in enumerate(tiles):
        check(one["started"] < one["aggregate"] < one["prefix"], f"{one}")
        check(one["depth"] <= place and (place == 0 or one["polls"] > 0), f"{one}")
        near = [other for other in one["folded"] if place - 64 <= other < place]
        check(near == one["folded"] == sorted(near, reverse=True), f"{one}")
        check(len(near) <= one["fallbacks"], f"{one}")
        check(len(near) == one["fallbacks"] or place > 64, f"{one}")
        before = place - one["depth"] - 1
        # its look-back ended at that one's prefix; a core may read its counter of cycles before
        # the loads that stand before that have ended
        if before >= 0 and device["type"] == "cpu":
            check(tiles[before]["prefix"] < one["prefix"] + SLACK[last["clock"]],
                  f"{tiles[before]} {one}")
    for key in ["depth", "polls"]:
        mean = sum(one[key] for one in tiles) / num
        check(abs(last["mean_" + key] - mean) <= 1e-5 * mean, f"{key}: {mean} {last}")
    check(last["fallbacks"] == sum(one["fallbacks"] for one in tiles), f"{last}")


def fields(d, device):
    needs_look_back(d, device)
    for words, told in [
        ([], {"count": 1 << 24, "type": "f32", "op": "add", "algorithm": "scan_lookback"}),
        (["--count", 1], {"count": 1, "tiles": 1}),
        (["--count", 1000003, "--type", "i64", "--op", "max"], {"type": "i64", "op": "max"}),
        (["--count", "2^20", "--algorithm", "chained"], {"algorithm": "scan_chained"}),
    ]:
        tiles, last = read_lines(trace(d, device, "--json", *words))
        told = {"ok": True, "device": device["name"], **told}
        check(last == {**last, **told}, f"{words}: {last}")
        check_tiles(tiles, last, device)


def every_fold(d, device):
    """All results are right, for every operator, and over these for every type."""
    needs_look_back(d, device)
    types = types_of(device)
    for place in range(max(len(OPS), len(types))):
        op, name = OPS[place % len(OPS)], types[place % len(types)]
        if op.startswith("bit"):
            name = ["i16", "u32", "u64"][place % 3]
        words = ["--op", op, "--type", name, "--count", 100003]
        last = read_lines(trace(d, device, "--json", *words))[1]
        check(last["ok"] and last["type"] == name and last["op"] == op, f"{last}")


def tables(d, device):
    needs_look_back(d, device)
    for algorithm in ["scan_lookback", "scan_chained"]:
        text = trace(d, device, "--count", "2^22", "--algorithm", algorithm)
        driver = device["driver_version"]
        head = f"{algorithm} of 2^22 f32, add, on {device['name']}, driver {driver}\n"
        check(text.startswith(head) and "ok=no" not in text, text)
        sizes = re.search(r"\n(\d+) tiles? of (\d+) elements, \d+ groups? ", text)
        num, size = map(int, sizes.groups())
        check(num == -(-(1 << 22) // size), text)
        moment, end = map(int, re.search(r"\nAfter (\d+) of (\d+) ", text).groups())
        check(moment <= end, text)
        parts = text.split("\n\n")[1:]
        for part, words in zip(parts, HEADS, strict=True):
            check(words in part, f"{words} is not in {part}")
        rows = [line.split() for line in parts[0].splitlines()[2:]]
        check(len(rows) == min(num, 10), f"{rows}")
        for place, (tile, flag, aggregate, prefix) in enumerate(rows):
            check(int(tile) == int(rows[0][0]) + place, f"{rows}")
            check(flag in ("PX" if algorithm == "scan_chained" else "PAX"), f"{rows}")
            check((aggregate == "-") == (flag == "X"), f"{rows}")
            check((prefix == "-") == (flag != "P"), f"{rows}")
            if place and flag == "P" and rows[place - 1][1] == "P":
                check(float(rows[place - 1][3]) + float(aggregate) == float(prefix), f"{rows}")
            if int(tile) == 0 and flag == "P":
                check(aggregate == prefix, f"{rows}")
        check(num == 1 or len({row[1] for row in rows}) > 1, f"{rows} do not differ")
        rows = [line.split() for line in parts[1].splitlines()[1:]]
        check(sum(int(row[1]) for row in rows) == num, f"{rows}")
        check(all((len(row) == 3) == (int(row[1]) > 0) for row in rows), f"{rows}")
        check(max(len(row[2]) for row in rows if len(row) == 3) == 40, f"{rows}")
        rows = [line.split() for line in parts[2].splitlines()[1:]]
        check([row[0] for row in rows] == ["depth", "polls", "fallbacks"], f"{rows}")
        for _, mean, most, total in rows:
            check(abs(float(mean) - int(total) / num) < 0.001, f"{rows}")
            check(float(mean) <= int(most) + 0.001 and int(most) <= int(total), f"{rows}")


def timeline(d, device):
    needs_look_back(d, device)
    needs_gnuplot()
    planted = {"env": {**os.environ, "LD_PRELOAD": d.wrong_read, "CLFOLD_TEST_FOLDED": "5"}}
    for words, what, options in [
        (["--count", "2^20"], "scan_lookback, f32 add, n = 2^20", {}),
        (["--count", 1, "--type", "i32"], "scan_lookback, i32 add, n = 1", {}),
        (["--count", "2^25", "--type", "u8", "--op", "max"], "scan_lookback, u8 max, n = 2^25", {}),
        (["--count", "2^24"], "scan_lookback, f32 add, n = 2^24", planted),
    ]:
        seen = Chart(d, "trace", "--device", device["index"], "--json", *words, **options)
        tiles, last = read_lines(seen.told)
        num = min(last["tiles"], 20)
        what += f", {last['tiles']} tile{'s' * (last['tiles'] > 1)}"
        seen.check_title("trace: " + what, device, None, d.good("--version").strip())
        unit = 1 if last["duration"] < 1e4 else 1000 if last["duration"] < 1e8 else 10**6
        left, right = seen.panels
        title = r"^set title 'the frame: tiles (\d+) to (\d+)'\n"
        [(first, end)] = [map(int, ends) for ends in re.findall(title, right, re.M)]
        check(end - first + 1 == num, right)
        # data come before their panel
        frame = tiles[first:end + 1]
        for part, name, shown in [(seen.head, "tiles", tiles), (left, "bars", frame)]:
            rows = [[one["tile"], *(one[key] / unit for key in TILE_KEYS[1:4])] for one in shown]
            told = rows_of(part, name)
            check(len(told) == len(rows) and all(
                abs(a - b) < 1e-9 * (1 + b) for one, other in zip(told, rows)
                for a, b in zip(one, other, strict=True)), f"{told}, not {rows}")  # fmt: skip
        # the frame in the left panel is what the right one shows
        drawn = re.search(r"rectangle from first (\S+), first (\S+) to first (\S+), first (\S+) ",
                          left).groups()  # fmt: skip
        ends = re.search(r"xrange \[(.*):(.*)\]\nset yrange \[(.*):(.*)\]", right).groups()
        check(drawn == (ends[0], ends[2], ends[1], ends[3]), f"{drawn} {ends}")
        check(float(ends[2]) < first and end < float(ends[3]), f"{ends}")
        expected = [[one["tile"], other - one["tile"]] for one in frame
                    for other in one["folded"]]  # fmt: skip
        arrows = rows_of(left, "arrows")
        check([row[1:] for row in arrows] == expected, f"{arrows} {expected}")
        for at, tile, _ in arrows:
            one = tiles[int(tile)]
            check(one["aggregate"] < at * unit < one["prefix"], f"{at} {one}")
        legend = [*LEGEND, *[ARROWS] * (len(arrows) > 0)]
        check([text for text in seen.shown if text in [*LEGEND, ARROWS]] == legend, f"{seen.shown}")
        axis = "time since the first tile was started ["
        found = [text for text in seen.shown if text.startswith(axis)]
        check(len(found) == 2 and found[0].endswith(last["clock"] + "]"), f"{found}")
        check(seen.shown.count("tile") == 2, f"{seen.shown}")
        if options and last["tiles"] > 5:
            check(tiles[5]["folded"] == [4, 2] and len(arrows) >= 2, f"{tiles[5]} {arrows}")


def wrong_results(d, device):
    """Some reads of the result have a wrong bit."""
    needs_look_back(d, device)
    environment = {**os.environ, "LD_PRELOAD": d.wrong_read}
    words = ["trace", "--device", device["index"], "--count", "2^22"]
    for form in [[], ["--json"]]:
        done = d.run(*words, *form, env=environment)
        text = done.stdout.decode()
        said = re.fullmatch(
            r"clfold: [12] of 4194304 results are wrong: number (\d+) is (\S+), and the host's "
            r"(\S+)\n",
            done.stderr.decode(),
        )
        check(done.returncode == 1 and said, f"{done.returncode} {done.stderr}")
        check(int(said[1]) % (1 << 20) == 0 and said[2] != said[3], said[0])
        check(not read_lines(text)[1]["ok"] if form else text.endswith("\nok=no\n"), text[-300:])


def full_output(d, device):
    needs_look_back(d, device)
    for words in [[], ["--json"]]:
        d.fill_output("trace", *words, "--count", 1000, "--device", device["index"])


def unwritable(d, _):
    d.refuse_files(["trace", "--count", "2^60"])


HELP = help_names("trace", ["scan_lookback", *OPS, *BYTES, *TILE_KEYS, *LAST_KEYS, "2^24"])
RESULTS = [], [fields, every_fold, wrong_results]
FORMS = [HELP, unwritable], [tables, timeline, full_output]


if __name__ == "__main__":
    run_part(Driver, __doc__, RESULTS, FORMS)
