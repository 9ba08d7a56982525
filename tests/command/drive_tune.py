"""Drives `clfold tune` as a user does.

usage: drive_tune.py COMMAND WRONG_READ PART, as run_part of cases.py has it

Nothing here depends on whether anything faster is found.
"""

import json
import os
import re
import subprocess
import time

from cases import SIGNALS, check, check_bars, obey, on_terminal, read, run_part, unplaced, write
from drive_ladder import Driver

FIRST = "clfold tuning 5\n"
STRANGER = "reduce 4 2^11..2^13 groups=7 on some; other; device\n"
QUICK = ["--count", "4096", "--types", "i32", "--seconds", "0.5"]
KINDS = ["reduce", "scan"]
ROW = re.compile(
    r"(reduce|scan) (\S+) (\S+) +(\S+) +(\S+) +(\S+) +([\d.]+)  "
    r"(the default(?:: others are [\d.]+ to [\d.]+ times as fast, by noise)?|"
    r"no time to try others|[a-z_]+=\S+(?: [a-z_]+=\S+)*)"
)


def tune(d, device, *words, **options):
    return d.good("tune", "--device", device["index"], *words, **options)


def rows_of(text, path):
    """The table's rows as tuples, between its head and the line about the file."""
    lines = text.splitlines()
    head = [place for place, line in enumerate(lines) if line.startswith("fold ")]
    check(len(head) == 1 and lines[-1].startswith(f"{path}: "), text)
    found = [ROW.fullmatch(line) for line in lines[head[0] + 1 : -1]]
    check(found and all(found), text)
    return [match.groups() for match in found]


def check_end(text, path, rows, has_rows):
    """The last line, on the file: what the rows come to."""
    better = sum("=" in row[-1] for row in rows)
    end = text.splitlines()[-1]
    late = [row[-1] for row in rows].count("no time to try others")
    if late == len(rows):
        part = re.escape(path) + r": --seconds \S+ is too short to try other numbers for any fold: "
        check(re.fullmatch(part + r"give --seconds [1-9]\d*", end), end)
        return
    folds = f"{len(rows)} fold{'' if len(rows) == 1 else 's'} {'is' if better == 1 else 'are'}"
    load = "; programs load it if CLFOLD_TUNING is this path" if has_rows else ""
    if not has_rows and not os.path.exists(path):
        load = ", and no file was made"
    if late:
        load += rf"; there was no time for {late}: give --seconds [1-9]\d*"
    check(re.fullmatch(rf"{re.escape(path)}: {better} of {folds} faster tuned{load}", end), end)


def key_of(d, device):
    """What rows for the device are known by, as --show tells it."""
    path = write(d.path("key"), FIRST)
    text = tune(d, device, "--show", "--file", path)
    os.remove(path)
    return re.fullmatch(re.escape(path) + ": 0 rows, 0 for (.*)\n", text)[1]


def environment_of(path, **others):
    return {**os.environ, "CLFOLD_TUNING": path, **others}


# ---- without a device ----


def reset(d, _):
    """Of the user's own file and of a named one, damaged or not, but of no other."""
    folder = {**os.environ, "XDG_DATA_HOME": d.path("data")}
    home = {**os.environ, "HOME": d.path("home")}
    home.pop("XDG_DATA_HOME", None)
    for environment, place in [
        (folder, "data/clfold/tuning"),
        ({**home, "XDG_DATA_HOME": "relative"}, "home/.local/share/clfold/tuning"),
        (home, "home/.local/share/clfold/tuning"),
    ]:
        path = d.path(place)
        told = d.good("tune", "--reset", env=environment)
        check(told == f"{path}: there was no such file\n", told)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, FIRST)
        told = d.good("tune", "--reset", env=environment)
        check(told == f"{path}: removed\n" and not os.path.exists(path), told)
    path = write(d.path("other"), "clfold tuning 7\nwhatever\n")
    d.good("tune", "--reset", "--file", path)
    check(not os.path.exists(path), "a damaged file stays")
    write(path, "mine\n")
    d.bad(1, "is not a tuning file, and was not removed", "tune", "--reset", "--file", path)
    check(read(path).decode() == "mine\n", "it is gone")
    d.bad(1, "Is a directory", "tune", "--reset", "--file", d.folder)
    nowhere = {**os.environ, "HOME": "", "XDG_DATA_HOME": ""}
    d.bad(1, "name the tuning file with --file", "tune", "--reset", env=nowhere)


# ---- with a device ----


def table(d, device):
    """A row for each operation and size that is asked for, once even if twice, and a file that
    serves what was found. On a terminal, a bar shows how much of the time is over."""
    path = d.path("tuning")
    write(path, FIRST + STRANGER)
    words = ["--count", "4096", "--types", "i32,u8:u64,f32", "--seconds", "3", "--file", path]
    table, begin = d.path("table"), time.monotonic()
    with open(table, "wb") as out:
        command = [d.command, "tune", "--device", str(device["index"]), *words]
        parts = check_bars(on_terminal(command, stdout=out), "tuning")
    # there is none in the first of the three seconds, and a fast device may not need more
    is_short = time.monotonic() - begin < 2
    check(parts[0] >= 30 if parts else is_short, f"bars: {parts}")
    told = read(table).decode()
    found = rows_of(told, path)
    names = [row[:3] for row in found]
    check(names == [(kind, "add", name) for name in ["i32", "u8:u64"] for kind in KINDS], found)
    check_end(told, path, found, True)
    better = 0
    for kind, op, name, count, before, after, ratio, numbers in found:
        check(count == "2^12" and float(before) > 0 and float(after) > 0, f"{found}")
        is_better = "=" in numbers
        better += is_better
        check(is_better or (before == after and float(ratio) == 1), f"{found}")
        element, _, acc = name.partition(":")
        explain = ["explain", kind, "--op", op]
        explain += ["--type", element, "--acc", acc or element, "--count", "4096", "--json"]
        told = json.loads(
            d.good(*explain, "--device", device["index"], env=environment_of(path))
        )
        check(("by the tuning file" in told["why"]) == is_better, f"{told}, {numbers}")
    text = read(path).decode()
    check(text.startswith(FIRST + STRANGER), text)
    check(len(text.splitlines()) == 2 + better, text)
    shown = tune(d, device, "--show", "--file", path).splitlines()
    check(len(shown) == 2 + better and f"{1 + better} row" in shown[-1], f"{shown}")
    check(shown[0].startswith("- ") and shown[0].endswith("; other; device"), f"{shown}")
    check(all(line.startswith("serves ") for line in shown[1:-1]), f"{shown}")


def usual_file(d, device):
    """Its folders are made, and the operators that only reduce are only reduced."""
    folder = {**os.environ, "XDG_DATA_HOME": d.path("data")}
    path = d.path("data/clfold/tuning")
    words = ["--op", "arg-max", "--count", "1000", "--types", "i32"]
    for seconds in ["0.01", "1"]:
        told = tune(d, device, *words, "--seconds", seconds, env=folder)
        found = rows_of(told, path)
        check([row[:4] for row in found] == [("reduce", "arg-max", "i32", "1000")], f"{found}")
        # no file is made for no rows
        left = os.listdir(os.path.dirname(path))
        better = "=" in found[0][-1]
        check(left == (["tuning"] if better else []), f"left: {left}")
        check_end(told, path, found, better)
        if left:
            text = read(path).decode()
            check(text.startswith(FIRST) and text != FIRST, text)
            os.remove(path)


def explained(d, device):
    """A row by hand: the next command's tile."""
    row = "reduce 4 2^11..2^13 tile=tile_vector tile_bytes=1024"
    path = write(d.path("tuning"), f"{FIRST}{row} on {key_of(d, device)}\n")
    words = ["explain", "reduce", "--count", "4096", "--json", "--device", device["index"]]
    before = json.loads(d.good(*words, env=environment_of("")))
    after = json.loads(d.good(*words, env=environment_of(path)))
    check("by the tuning file" not in before["why"], f"{before}")
    check("by the tuning file" in after["why"] and after["tile"] == 256, f"{after}")
    words = ["bench", "--op", "reduce", "--folds", "add", "--types", "f32", "--max", "4096",
             "--seconds", "0", "--json", "--device", device["index"]]  # fmt: skip
    for environment, is_tuned in [("", False), (path, True)]:
        told = json.loads(d.good(*words, env=environment_of(environment)))
        check((told["policy"] == "tuned") == is_tuned, f"{told}")


def kinds(d, device):
    """Accuracies, segments and maps: the table has what was asked for, and a row by hand serves
    a map."""
    path = d.path("tuning")
    for words, names in [
        (["--types", "f32", "--accuracy", "compensated", "--length", "100"],
         [f"{kind} add f32 compensated, rows of 100" for kind in KINDS]),
        (["--types", "f32,u8,f32:u8", "--map"], ["map f32", "map u8"]),
    ]:  # fmt: skip
        words += ["--count", "4000", "--seconds", "1", "--file", path]
        told = tune(d, device, *words)
        found = [re.split(" {2,}", line)[0] for line in told.splitlines()[1:-1]]
        check(found == names, told)
    write(path, f"{FIRST}map 4 2^11..2^13 groups=1 on {key_of(d, device)}\n")
    words = ["explain", "map", "--count", "4096", "--json", "--device", device["index"]]
    told = json.loads(d.good(*words, env=environment_of(path)))
    check("by the tuning file" in told["why"], f"{told}")
    words = ["tune", "--device", device["index"], "--file", path]
    most = ["--length", 2**64 - 1, "--count", 4096, "--types", "f32", "--seconds", "0.1"]
    check("rows of 18446744073709551615" in d.good(*words, *most), "a row longer than all")


def interrupted(d, device):
    """A signal while a candidate's file is there leaves the old file, and nothing else."""
    path = d.path("tuning")
    words = [d.command, "tune", "--device", str(device["index"]), "--file", path]
    words += ["--count", "2^16", "--types", "i32", "--seconds", "300"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "preexec_fn": obey}
    options["env"] = {**os.environ, "LD_PRELOAD": d.wrong_read, "CLFOLD_TEST_LATE": "300"}
    for number in SIGNALS:
        write(path, FIRST + STRANGER)
        with subprocess.Popen(words, **options) as run:
            # its head comes before the first fold
            run.stdout.readline()
            end = time.monotonic() + 60
            seen = []
            while not seen and run.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
                seen = unplaced(run, d.folder)
            run.send_signal(number)
            status = run.wait(60)
        check(seen, "no candidate")
        check(status == -number, f"signal {number}: exit {status}")
        check(read(path).decode() == FIRST + STRANGER, read(path).decode())
        check(d.left() == ["tuning"], f"signal {number}: left {d.left()}")


def undecided(d, device):
    """A row that there is no time to try stays, also one that comes during the search."""
    row = f"reduce 4 2^19..2^21 groups=7 on {key_of(d, device)}\n"
    path = write(d.path("tuning"), FIRST + row)
    words = ["tune", "--device", str(device["index"]), "--count", "2^20", "--types", "i32"]
    words += ["--seconds", "0.001", "--file", path]
    told = d.good(*words)
    rows = rows_of(told, path)
    check_end(told, path, rows, True)
    check(all(row[-1] == "no time to try others" for row in rows), f"{rows}")
    check(read(path).decode() == FIRST + row, read(path).decode())
    write(path, FIRST)
    write(d.path("other"), FIRST + row)
    with subprocess.Popen([d.command, *words], stdout=subprocess.PIPE) as run:
        run.stdout.readline()
        os.rename(d.path("other"), path)
        told, _ = run.communicate(timeout=240)
    check(run.returncode == 0 and told.count(b"no time to try others") == 2, f"{told}")
    check(read(path).decode() == FIRST + row, read(path).decode())


def unwritten(d, device):
    """A place that goes away meanwhile, and no room for the table: the file is as it was."""
    os.mkdir(d.path("folder"))
    path = write(d.path("folder/tuning"), FIRST + STRANGER)
    words = ["tune", "--device", str(device["index"]), *QUICK, "--file", path]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([d.command, *words], **options) as run:
        run.stdout.readline()
        os.rename(d.path("folder"), d.path("elsewhere"))
        _, told = run.communicate(timeout=240)
    check(run.returncode == 1 and b"No such file" in told and path.encode() in told, f"{told}")
    os.rename(d.path("elsewhere"), d.path("folder"))
    check(read(path).decode() == FIRST + STRANGER, read(path).decode())
    d.fill_output(*words)
    check(read(path).decode() == FIRST + STRANGER, read(path).decode())
    check(os.listdir(d.path("folder")) == ["tuning"], f"{os.listdir(d.path('folder'))}")


def ignored(d, device):
    """A damaged file in the environment is told once, and the defaults serve."""
    words = ["explain", "reduce", "--count", "4096", "--json", "--device", device["index"]]
    before = d.good(*words, env=environment_of(""))
    path = write(d.path("tuning"), FIRST + STRANGER[:-1])
    for name, why in [(path, "is ignored: line 2: it has no newline at its end"),
                      (path + "x", "cannot be read: No such file or directory")]:
        done = d.run(*words, env=environment_of(name))
        told = f"clfold: warning: the tuning file {name} {why}\n"
        check(done.returncode == 0 and done.stdout.decode() == before, f"{done}")
        check(done.stderr.decode() == told, f"{done.stderr!r} is not {told!r}")
        check(d.good(*words, "--quiet", env=environment_of(name)) == before, "--quiet")


RESULTS = [reset], [table, kinds, usual_file, explained, undecided, interrupted]
FORMS = [], [ignored, unwritten]


if __name__ == "__main__":
    run_part(Driver, __doc__, RESULTS, FORMS)
