"""Speaks docs/lab.md with each program of the lab, also malformed. usage: protocol.py COMMAND FOLDER:
the built clfold, and the folder of lab_clfold and its kin. Prints TAP; 77: there is no device."""

import json
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../tools"), os.path.join(HERE, "../command")]
# pylint: disable=wrong-import-position
from cases import Runner, Skip, check, run_cases, run_command  # noqa: E402
from lab import programs, view  # noqa: E402
from lab.program import Trouble  # noqa: E402

COUNT = 1000
HOST = ("native", "loop", "numpy")
CALLS = {"roofline": ["read", "plain"], "native": ["read", "plain"]}


class Programs(Runner):
    def run(self, *words, **options):
        return run_command([self.command, *words], stdout=subprocess.PIPE, **options)

    def of(self, name):
        """A program's command, made for the sums of i32."""
        try:
            if name in programs.PEERS:
                return programs.peer(name, view.make_case("reduce", "i32", COUNT))
            return programs.command(name)
        except Trouble as trouble:
            check(name == "native" or name in programs.PEERS, f"{name}: {trouble}")
            raise Skip(f"{name}: {trouble}") from trouble

    def answers(self, name, device, lines, status, words=()):
        """All that it says to these lines."""
        own = ["--device", str(device["index"])] if name not in HOST else []
        done = run_command([*self.of(name), *own, *words], stdout=subprocess.PIPE,
                           input="".join(f"{line}\n" for line in lines).encode())  # fmt: skip
        told = [json.loads(line) for line in done.stdout.decode().splitlines()]
        check(done.returncode == status, f"{name} {lines}: exit {done.returncode}, {told}, "
              f"{done.stderr!r}")  # fmt: skip
        return told


def made(d):
    """The data's line, and the sum."""
    numbers = np.arange(COUNT, dtype="i4")
    np.save(d.path("in.npy"), numbers)
    data = f"data\t{COUNT}\t3\tin={d.path('in.npy')}:{4 * COUNT}\tout=4"
    return data, int(numbers.sum())


def call_of(name, number=0):
    words = CALLS.get(name, ["reduce", "--op", "add", "--type", "i32", "--acc", "i32"])
    return "\t".join(["call", str(number), "", *words])


def spoken(name):
    def right(d, device):
        """What is asked for is answered."""
        data, total = made(d)
        path = d.path("out")
        lines = [data, call_of(name), call_of(name, 63), "round\t0\t1", "round\t63\t7\tevents",
                 f"check\t63\t{path}", data, call_of(name, 5), "round\t5\t2"]  # fmt: skip
        told = d.answers(name, device, lines, 0)
        check(len(told) == 1 + len(lines), f"{told}")
        about = told[0]
        kinds = {"program": str, "device": str, "index": int, "platform": str, "driver": str,
                 "is_cpu": bool}  # fmt: skip
        check(all(type(about.get(key)) is kind for key, kind in kinds.items()), f"{about}")
        check(about["program"] == name or name in ("loop", "openmp"), f"{about}")
        own = (device["name"], device["index"]) if name not in HOST else ("host", -1)
        check((about["device"], about["index"]) == own, f"{about}")
        check((name in CALLS) == ("read plain" in about.get("calls", [])), f"{about}")
        check(told[1] == told[6] == told[7] == {}, f"{told}")
        for round_ in (told[4], told[5], told[9]):
            check(0 < round_["seconds"] < 60, f"{told}")
        events = told[5].get("event_seconds")
        check(events is None or 0 < events < 60, f"{told}")
        check(events or name in HOST, f"{told}")
        with open(path, "rb") as file:
            result = np.frombuffer(file.read(), "i4")
        check(result.size == 1 and (result[0] == total or name in CALLS), f"{result}")

    right.__name__ = f"{name} answers"
    return right


def malformed(name):
    def wrong(d, device):
        """What cannot be is refused in a sentence, after which the program ends with 1."""
        data, _ = made(d)
        here, call = d.path("in.npy"), call_of(name)
        for lines in (
            ["hello"], [""], ["data"], ["data\t5"], [f"data\tx\t1\tin={here}:20\tout=4"],
            [f"data\t5\t0\tin={here}:20\tout=4"], [f"data\t5\t1\tin={d.path('none')}:20\tout=4"],
            [f"data\t{COUNT * 2}\t1\tin={here}:{COUNT * 8}\tout=4"],
            [f"data\t5\t1\tin={here}:-20\tout=4"], ["data\t5\t1\tnothing"], [call],
            [data, call.replace("\t0\t", "\t64\t")], [data, call.replace("\t0\t", "\tx\t")],
            [data, "call\t0"], [data, "call"], [data, "round\t0\t1"], [data, call, "round\t1\t1"],
            [data, call, "round\t0\t0"], [data, call, "round\t0\tx"], [data, call, "round\t0"],
            [data, call, f"check\t1\t{d.path('out')}"], [data, call, "check\t0"],
            [data, call, "check\t0\t/none/out"], [data, call, data, "round\t0\t1"],
        ):  # fmt: skip
            *good, last = d.answers(name, device, lines, 1)
            check(list(last) == ["failed"] and last["failed"] and "\n" not in last["failed"],
                  f"{lines}: {last}")  # fmt: skip
            check(len(good) == len(lines), f"{lines}: {good}")
        # a loop has one call, whatever the words
        bad = {"clfold": ["reduce\t--op\tnone", "sum"], "loop": []}
        for words in bad.get(name, ["nothing\tplain"]):
            lines = [data, f"call\t0\t\t{words}", call, "round\t0\t1"]
            told = d.answers(name, device, lines, 0)
            check(list(told[2]) == ["unsupported"] and told[4]["seconds"] > 0, f"{told}")
        if name not in HOST:
            for words in (["--device", "none of these"], ["--device"], ["x"]):
                told = d.answers(name, {"index": 0}, [], 1, words)
                check(len(told) == 1 and set(told[0]) & {"failed", "no_device"}, f"{told}")

    wrong.__name__ = f"{name} refuses"
    return wrong


if __name__ == "__main__":
    programs.FOLDER = os.path.abspath(sys.argv[2])
    run_cases(Programs(os.path.abspath(sys.argv[1])), [], [
        part(one) for one in ("clfold", "roofline", "native", "loop", "numpy")
        for part in (spoken, malformed)])  # fmt: skip
