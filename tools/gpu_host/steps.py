"""Runs steps of a stage in bounded time, and keeps what came of each as it ends."""

import concurrent.futures
import dataclasses
import glob
import json
import os
import signal
import subprocess
import threading
import time

GRACE = 5  # seconds that a step has to end by itself
LAST_LINES = 5


@dataclasses.dataclass
class Step:
    """`least`: the seconds without which it is not started. `most`: those that it gets, and if they
    were too few, twice as many later. `beside`: others may run at the same time. In its command
    {limit} stands for the seconds that it has."""

    name: str
    command: list
    least: float
    most: float = 240
    beside: bool = False


def printed(out, name, kind="out"):
    """The path of what a step of this name has printed: out, or log for standard error."""
    return os.path.join(out, f"{name.replace(' ', '-')}.{kind}")


def end(process):
    """With all that it started, in sessions of their own too."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                pid, rest = file.read().split(" ", 1)
        except OSError:
            continue
        parents.setdefault(int(rest.rpartition(")")[2].split()[1]), []).append(int(pid))
    below = [process.pid]
    for pid in below:
        below += parents.get(pid, [])
    for pid in below:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


class Runner:
    """`records`: what came of each step that ran, by name: state (ok, FAILED or cut off), seconds
    and date. They stand in steps.json."""

    def __init__(self, out, deadline):
        self.out, self.deadline = out, deadline
        self.records, self.left_out = {}, {}
        self.key, self.write = None, None
        self.lock = threading.Lock()

    def keep(self, key, write, forgotten):
        """From now on, and goes on with those kept for the same key, but for the forgotten steps.
        `write` makes a report."""
        self.key, self.write, self.records = key, write, {}
        try:
            with open(os.path.join(self.out, "steps.json"), encoding="utf-8") as file:
                kept = json.load(file)
        except (OSError, ValueError):
            return
        if kept["key"] == key:
            names = {step.name for step in forgotten}
            self.records = {name: kept["steps"][name] for name in kept["steps"].keys() - names}

    def run(self, steps, seconds=None, cut_off=False):
        """Those that were cut off before, or else the others."""
        deadline = min(self.deadline, time.monotonic() + (seconds or 1e9))
        steps = [step for step in steps if (self.state(step) == "cut off") == cut_off]
        for step in steps:
            if not step.beside:
                self.one(step, deadline)
        # Most of a test's time goes into building programs, so a test a core.
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            beside = [step for step in steps if step.beside]
            list(pool.map(lambda step: self.one(step, deadline), beside))

    def state(self, step):
        return self.records.get(step.name, {}).get("state")

    def one(self, step, deadline):
        had = self.records[step.name]["seconds"] if self.state(step) == "cut off" else 0
        if self.state(step) and not had:
            return
        limit = min(deadline - time.monotonic() - GRACE, max(2 * had, step.most))
        if limit < max(step.least, had + GRACE):
            self.left_out[step.name] = None
            return
        began = time.monotonic()
        status, cut = self.execute(step, limit)
        record = {"state": "cut off" if cut else "FAILED" if status else "ok", "status": status,
                  "seconds": round(time.monotonic() - began, 1),
                  "date": time.strftime("%Y-%m-%d")}
        said = record["state"] + (f" ({status})" if record["state"] == "FAILED" else "")
        with self.lock:
            print(f"{step.name:<20} {said}, {record['seconds']:.0f} s", flush=True)
            if record["state"] == "FAILED":
                self.last_lines(step.name)
            self.records[step.name] = record
            if self.key:
                path = os.path.join(self.out, "steps.json")
                with open(path + ".new", "w", encoding="utf-8") as file:
                    json.dump({"key": self.key, "steps": self.records}, file, indent=1)
                os.replace(path + ".new", path)
                self.write(self.records)

    def execute(self, step, limit):
        """Its status, and whether it was cut off."""
        words = [word.replace("{limit}", str(int(limit))) for word in step.command]
        began = time.monotonic()
        with open(printed(self.out, step.name), "wb") as to, \
                open(printed(self.out, step.name, "log"), "wb") as log:
            try:
                process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=to, stderr=log)
                status = process.wait(limit + GRACE)
            except OSError as error:
                log.write(f"{words[0]}: {error.strerror}\n".encode())
                return 127, False
            except subprocess.TimeoutExpired:
                end(process)
                return process.returncode, True
        # run_devices.py ends its program by itself, to say how far it came
        return status, status != 0 and time.monotonic() - began >= int(limit)

    def last_lines(self, name):
        for kind in ("out", "log"):
            with open(printed(self.out, name, kind), encoding="utf-8", errors="replace") as file:
                for line in file.read().splitlines()[-LAST_LINES:]:
                    print(f"    {line}", flush=True)
