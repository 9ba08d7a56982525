"""Speaks docs/lab.md with programs of the lab, also malformed. usage: protocol.py COMMAND FOLDER:
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
from lab.program import Absent, Trouble  # noqa: E402

COUNT = 1000
HOST = ("native", "loop", "numpy")
PROGRAMS = ("clfold", "roofline", *HOST)
READS = ("roofline", "native")  # which only read, and have no other results
# Words that a program refuses; a loop has one call, whatever the words.
NO_CALLS = {"clfold": ["reduce\t--op\tnone", "sum"], "loop": []}
RIGHT_CALL = "call\t0\t\treduce\t--op\tadd\t--type\ti32\t--acc\ti32"
KINDS = {"program": str, "device": str, "index": int, "platform": str, "driver": str,
         "is_cpu": bool}  # fmt: skip


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
            check(name in HOST and isinstance(trouble, Absent), f"{name}: {trouble}")
            raise Skip(f"{name}: {trouble}") from trouble

    def answers(self, name, device, lines, status, words=()):
        """All that it says to these lines."""
        own = [] if name in HOST or words else ["--device", str(device["index"])]
        done = run_command([*self.of(name), *own, *words], stdout=subprocess.PIPE,
                           input="".join(f"{line}\n" for line in lines).encode())  # fmt: skip
        told = [json.loads(line) for line in done.stdout.decode().splitlines()]
        check(done.returncode == status, f"{name} {lines}: exit {done.returncode}, {told}, {done}")
        return told

    def data(self):
        """The data's line, and the sum."""
        numbers = np.arange(COUNT, dtype="i4")
        np.save(self.path("in.npy"), numbers)
        return f"data\t{COUNT}\t3\tin={self.path('in.npy')}:{4 * COUNT}\tout=4", numbers.sum()


def case_of(name, tests):
    call = "call\t0\t\tread\tplain" if name in READS else RIGHT_CALL

    def case(d, device):
        tests(d, device, name, call)

    case.__name__ = f"{name} {tests.__name__}"
    return case


def answers(d, device, name, call):
    """What is asked for."""
    data, total = d.data()
    lines = [data, call, call.replace("0", "63"), "round\t0\t1", "round\t63\t7\tevents",
             f"check\t63\t{d.path('out')}", data, call.replace("0", "5"),
             "round\t5\t2"]  # fmt: skip
    about, *told = d.answers(name, device, lines, 0)
    check(len(told) == len(lines), f"{told}")
    check(all(type(about.get(key)) is kind for key, kind in KINDS.items()), f"{about}")
    own = ("host", -1) if name in HOST else (device["name"], device["index"])
    check((about["program"], about["device"], about["index"]) == (name, *own), f"{about}")
    check((name in READS) == ("read plain" in about.get("calls", [])), f"{about}")
    check(told[0] == told[5] == told[6] == {}, f"{told}")
    check(all(0 < told[place]["seconds"] < 60 for place in (3, 4, 8)), f"{told}")
    events = told[4].get("event_seconds")
    check(0 < events < 60 if events else name != "clfold", f"{told}")
    result = np.fromfile(d.path("out"), "i4")
    check(result.size == 1 and (result[0] == total or name in READS), f"{result}")


def refuses(d, device, name, call):
    """What cannot be, in a sentence, after which the program ends with 1."""
    data, _ = d.data()
    here = d.path("in.npy")
    for lines in (
        ["hello"], [""], ["data"], ["data\t5"], [f"data\tx\t1\tin={here}:20\tout=4"],
        [f"data\t5\t0\tin={here}:20\tout=4"], [f"data\t5\t1\tin={d.path('none')}:20\tout=4"],
        [f"data\t{COUNT * 2}\t1\tin={here}:{COUNT * 8}\tout=4"], ["data\t5\t1\tnothing"],
        [f"data\t5\t1\tin={here}:-20\tout=4"], [call], [data, call.replace("0", "64", 1)],
        [data, call.replace("0", "x", 1)], [data, "call\t0"], [data, "call"], [data, "round\t0\t1"],
        [data, call, "round\t1\t1"], [data, call, "round\t0\t0"], [data, call, "round\t0\tx"],
        [data, call, "round\t0"], [data, call, f"check\t1\t{d.path('out')}"],
        [data, call, "check\t0"], [data, call, "check\t0\t/none/out"],
        [data, call, data, "round\t0\t1"],
    ):  # fmt: skip
        *good, last = d.answers(name, device, lines, 1)
        check(list(last) == ["failed"] and last["failed"] and "\n" not in last["failed"], f"{last}")
        check(len(good) == len(lines), f"{lines}: {good}")
    for words in NO_CALLS.get(name, ["nothing\tplain"]):
        told = d.answers(name, device, [data, f"call\t0\t\t{words}", call, "round\t0\t1"], 0)
        check(list(told[2]) == ["unsupported"] and told[4]["seconds"] > 0, f"{told}")
    for words in (["--device", "none of these"], ["--device"], ["x"]) if name not in HOST else ():
        [told] = d.answers(name, device, [], 1, words)
        check({*told} & {"failed", "no_device"}, f"{told}")


if __name__ == "__main__":
    programs.FOLDER = os.path.abspath(sys.argv[2])
    run_cases(Programs(os.path.abspath(sys.argv[1])), [],
              [case_of(name, tests) for name in PROGRAMS for tests in (answers, refuses)])
