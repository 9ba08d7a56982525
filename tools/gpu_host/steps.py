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
    """`least`: the seconds without which it is not started. `beside`: others may run at the same
    time. In its command {limit} stands for the seconds that it has."""

    name: str
    command: list
    to: str = None  # where its standard output goes, else to its log
    least: float = 1
    beside: bool = False


def file_of(name):
    return name.replace(" ", "-") + ".log"


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
        self.again, self.key, self.write = False, None, None
        self.lock = threading.Lock()

    def keep(self, key, write, again):
        """From now on, and goes on with those kept for the same key. `write` makes a report."""
        self.key, self.write, self.again = key, write, again
        self.records = {}
        try:
            with open(os.path.join(self.out, "steps.json"), encoding="utf-8") as file:
                kept = json.load(file)
            self.records = kept["steps"] if kept["key"] == key else {}
        except (OSError, ValueError):
            pass

    def run(self, steps, seconds=None):
        """Whether all of them are right that have run, now or before."""
        deadline = min(self.deadline, time.monotonic() + (seconds or 1e9))
        states = [self.one(step, deadline) for step in steps if not step.beside]
        # Most of a test's time goes into building programs, so a test a core.
        beside = sorted((step for step in steps if step.beside),
                        key=lambda step: self.records.get(step.name, {}).get("state") == "cut off")
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            states += pool.map(lambda step: self.one(step, deadline), beside)
        return not {"FAILED", "cut off"} & set(states)

    def one(self, step, deadline):
        before = self.records.get(step.name, {})
        if before and before["state"] != "cut off" and not self.again:
            return before["state"]
        limit = deadline - time.monotonic() - GRACE
        least = step.least
        if before.get("state") == "cut off":
            least = max(least, before["seconds"] + GRACE)
        if limit < least:
            self.left_out[step.name] = None
            return before.get("state")
        began = time.monotonic()
        status, cut = self.execute(step, limit)
        record = {"state": "cut off" if cut else "FAILED" if status else "ok", "status": status,
                  "seconds": round(time.monotonic() - began, 1),
                  "date": time.strftime("%Y-%m-%d")}
        said = record["state"] + (f" ({status})" if record["state"] == "FAILED" else "")
        with self.lock:
            print(f"{step.name:<20} {said}, {record['seconds']:.0f} s", flush=True)
            if status and not cut:
                print("".join(f"    {line}" for line in self.last_lines(step)), end="", flush=True)
            self.records[step.name] = record
            if self.key:
                path = os.path.join(self.out, "steps.json")
                with open(path + ".new", "w", encoding="utf-8") as file:
                    json.dump({"key": self.key, "steps": self.records}, file, indent=1)
                os.replace(path + ".new", path)
                self.write(self.records)
        return record["state"]

    def execute(self, step, limit):
        """Its status, and whether it was cut off."""
        words = [word.replace("{limit}", str(int(limit))) for word in step.command]
        began = time.monotonic()
        with open(os.path.join(self.out, file_of(step.name)), "wb") as log, \
                open(os.path.join(self.out, step.to or os.devnull), "wb") as to:
            try:
                process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=log,
                                           stdout=to if step.to else log)
            except OSError as error:
                log.write(f"{words[0]}: {error.strerror}\n".encode())
                return 127, False
            try:
                status = process.wait(limit + GRACE)
            except subprocess.TimeoutExpired:
                end(process)
                return process.returncode, True
        # run_devices.py ends its program by itself, to say how far it came
        return status, status != 0 and time.monotonic() - began >= int(limit)

    def last_lines(self, step):
        with open(os.path.join(self.out, file_of(step.name)), encoding="utf-8",
                  errors="replace") as log:
            return [line.rstrip("\n") + "\n" for line in log.readlines()[-LAST_LINES:]]
