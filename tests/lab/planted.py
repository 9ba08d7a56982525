#!/usr/bin/python3
"""planted.py FAULT [--device SEL]: numpy's program with that fault; `none` is one, `dies once PATH`
makes that file, and `roofline` and `roofline dies` have the calls of the roofline. Its rounds take
2 ms, by its own account, or `varies` 1 to 5 ms in turn. Its driver is what POCL_AFFINITY says, and
its policy how many sets of data there are."""

import json
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[0] = os.path.join(HERE, "../../tools")
# pylint: disable=wrong-import-position
from lab import numpy_peer  # noqa: E402

FAULT = sys.argv[1]
ABOUT = {"program": "planted", "device": "planted", "index": int(FAULT == "elsewhere"),
         "platform": "p", "driver": os.environ.get("POCL_AFFINITY"), "is_cpu": False}  # fmt: skip
KNOWN = {"algorithm": "planted", "warning": "rain" * (FAULT == "warns"), "row":
         "reduce 4 2^9..2^11 tile=tile_vector tile_bytes=4096 on planted; 1"}  # fmt: skip
# Of rounds, in place of what it took.
ANSWERS = {"text": "hello", "list": "[1]", "other key": '{"minutes": 1}', "zero": '{"seconds": 0}',
           "nan": '{"seconds": NaN}', "word": '{"seconds": "1"}', "minus": '{"seconds": -1}',
           "slower": '{"seconds": 0.004}'}  # fmt: skip


def dies_once():
    """By a file that is not yet there."""
    path = FAULT.removeprefix("dies once ")
    return path != FAULT and not os.path.exists(path) and open(path, "wb")


class Planted(numpy_peer.Numpy):
    rounds = 0

    def data(self, *fields):
        return {} if "roofline" in FAULT else super().data(*fields)

    def call(self, number, *words):
        if FAULT == "unsupported":
            return {"unsupported": "it folds in no order"}
        known = {**KNOWN, "policy": f"sets: {len(self.sets)}"}
        return known if "roofline" in FAULT else super().call(number, *words) or known

    def round(self, *_):
        self.rounds += 1
        if self.rounds == 3 and (FAULT.endswith("dies") or dies_once()):
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.rounds == 3 and FAULT == "hangs":
            time.sleep(3600)
        if FAULT == "varies":
            return {"seconds": 0.001 * (1 + self.rounds % 5)}
        return ANSWERS.get(FAULT) or {"seconds": 0.002}

    def check(self, number, path):
        if FAULT != "writes nothing":
            super().check(number, path)
        if FAULT in ("wrong", "wrong number", "short"):
            with open(path, "r+b") as file:
                held = bytearray(file.read())
                held[-8 if FAULT == "wrong number" else 0] ^= 1
                file.seek(0)
                file.truncate()
                file.write(held[FAULT == "short" :])
        return {}


def main():
    if FAULT in ("no device", "quits", "mute", "endless"):
        if FAULT == "no device":
            print('{"no_device": "there is none"}', flush=True)
        if FAULT == "mute":
            os.close(1)
        print("first line\nout of sorts", file=sys.stderr)
        time.sleep(3600 if FAULT in ("mute", "endless") else 0)
        os._exit(3)
    calls = {"calls": ["read plain", "copy plain"]} if "roofline" in FAULT else {}
    print(json.dumps({**ABOUT, **calls}), flush=True)
    planted = Planted(None)
    for line in sys.stdin:
        name, *fields = line.rstrip("\n").split("\t")
        answer = getattr(planted, name)(*fields)
        print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
