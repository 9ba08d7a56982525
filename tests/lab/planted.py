"""planted.py FAULT [--device SEL]: a program as docs/lab.md has it, of sums and selects of i32, with
that fault; `none` is one, and `roofline` or `roofline dies` is the roofline. Of tuning, whose calls take the same time with all
numbers, it knows what `clfold tune` asks for."""

import json
import os
import signal
import sys
import time

import numpy as np

ABOUT = {"program": "planted", "device": "planted", "index": 0, "platform": "p", "driver": "1",
         "is_cpu": False}  # fmt: skip


def send(**message):
    print(json.dumps(message), flush=True)


class Planted:
    def __init__(self, fault):
        self.fault, self.data, self.rooms, self.rounds = fault, None, {}, 0

    def take_data(self, _count, _sets, *fields):
        self.rooms = {}
        for field in fields:
            name, _, size = field.partition("=")
            path, colon, length = size.rpartition(":")
            if colon and name == "in" and "roofline" not in self.fault:
                with open(path, "rb") as file:
                    self.data = np.frombuffer(file.read()[-int(length) :], "i4")
            elif not colon:
                self.rooms[name] = int(size)
        send()

    def take_call(self, _number, _tuning, *words):
        self.words = words
        if self.fault == "unsupported":
            send(unsupported="it folds in no order")
        else:
            send(algorithm="planted", policy="none", row="reduce 4 2^9..2^11 tile=tile_vector "
                 "tile_bytes=4096 on planted; 1")

    def take_round(self, _number, _calls, *_events):
        self.rounds += 1
        if self.rounds == 3 and self.fault.endswith("dies"):
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.rounds == 3 and self.fault == "hangs":
            time.sleep(3600)
        answers = {"text": "hello", "list": "[1]", "other key": '{"minutes": 1}', "zero":
                   '{"seconds": 0}', "nan": '{"seconds": NaN}', "word": '{"seconds": "1"}', "minus":
                   '{"seconds": -1}'}  # fmt: skip
        if self.fault in answers:
            print(answers[self.fault], flush=True)
        else:
            send(seconds=0.004 if self.fault == "slower" else 0.002)

    def take_check(self, _number, path):
        kept = self.data[self.data > 0] if "select" in self.words else self.data
        if self.fault == "writes nothing":
            send()
            return
        results = {"out": kept, "num": np.array([len(kept)], "u8")}
        if "reduce" in self.words:
            results["out"] = np.array([self.data.sum(dtype="i4")])
        if self.fault in ("wrong", "wrong number"):
            results["num" if self.fault == "wrong number" else "out"][-1] += 1
        with open(path, "wb") as file:
            for name, room in self.rooms.items():
                written = results[name].tobytes()[: room - (self.fault == "short")]
                file.write(written if self.fault == "short" else written.ljust(room, b"\xa5"))
        send()


def main(fault):
    if fault in ("no device", "quits", "mute", "endless"):
        if fault == "no device":
            send(no_device="there is none")
        if fault == "mute":
            os.close(1)
        print("first line\nout of sorts", file=sys.stderr)
        time.sleep(3600 if fault in ("mute", "endless") else 0)
        os._exit(3)
    if "roofline" in fault:
        send(**ABOUT, calls=["read plain", "copy plain"])
    else:
        send(**{**ABOUT, "index": 1 if fault == "elsewhere" else 0})
    planted = Planted(fault)
    for line in sys.stdin:
        name, *fields = line.rstrip("\n").split("\t")
        getattr(planted, f"take_{name}")(*fields)


if __name__ == "__main__":
    main(sys.argv[1])
