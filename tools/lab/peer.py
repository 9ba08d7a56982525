"""The protocol for programs in Python: docs/lab.md has it. A peer begins with

    sys.path[0] = DIR  # where the package lab is
    from lab import peer
"""

import argparse
import json
import sys
import time

try:
    import numpy as np
except ImportError as missing:
    print(json.dumps({"failed": f"not installed: {missing}"}))
    sys.exit(1)

from lab.case import Case, Wrong
from lab.text import Unknown


class Unsupported(Exception):
    """The program has no such call, in a sentence."""


def end_with(key, sentence):
    print(json.dumps({key: sentence}), flush=True)
    sys.exit(1)


class Peer:
    """What a program adds: `name`, and prepare(case), which returns what makes that call: a
    function of a set's inputs and outputs, both by name, which returns when it is done. The
    function returns an array for each output that it has not filled, or None."""

    index, device, platform, driver, is_cpu = -1, "host", "", "", True
    calls, last, sets = {}, 0, ()

    def __init__(self, selector):
        pass

    def copy(self, array):
        """Of an input or an output, in the memory of the device."""
        return array.copy()

    def spoil(self, array):
        array.fill(0xA5)

    def read(self, array):
        """On the host."""
        return array

    def data(self, count, sets, *fields):
        self.count, self.calls, self.last = int(count), {}, 0
        if int(sets) < 1:
            raise ValueError(f"data: {sets} sets")
        inputs, self.room = {}, {}
        self.sets = []  # the last ones are given back
        for field in fields:
            name, _, value = field.partition("=")
            path, _, size = value.rpartition(":")
            if path:
                inputs[name] = np.load(path, mmap_mode="r")
                if inputs[name].nbytes != int(size):
                    raise ValueError(f"{path}: is not an array of {size} bytes")
            else:
                self.room[name] = int(value)
        for _ in range(int(sets)):
            self.sets.append(({name: self.copy(np.array(array)) for name, array in inputs.items()},
                              {name: self.copy(np.zeros(size, np.uint8))
                               for name, size in self.room.items()}))  # fmt: skip
        return {}

    def call(self, number, _, *words):
        if not self.sets:
            raise ValueError("call: there are no data")
        # offsets:TYPE:N is for clfold
        words = [":".join(word.split(":")[:2]) if word.startswith("offsets:") else word
                 for word in words]  # fmt: skip
        try:
            case = Case(words, self.count)
            if case.result:
                raise Unsupported("it has no --result")
            self.calls[number] = self.prepare(case)
            self.make(number, 0)
        except (Unsupported, Wrong) as error:
            return {"unsupported": str(error)}
        except (Unknown, KeyError, TypeError) as error:
            return {"unsupported": f"this program cannot write it in Python: {error}"}
        return {}

    def make(self, number, index):
        return self.calls[number](*self.sets[index])

    def next(self):
        self.last = (self.last + 1) % len(self.sets)
        return self.last

    def round(self, number, calls, *_):
        self.make(number, self.next())
        begin = time.monotonic()
        for _ in range(int(calls)):
            self.make(number, self.next())
        return {"seconds": (time.monotonic() - begin) / int(calls)}

    def check(self, number, path):
        for array in self.sets[0][1].values():
            self.spoil(array)
        made = self.make(number, 0) or {}
        with open(path, "wb") as file:
            for name, size in self.room.items():
                found = made.get(name, self.sets[0][1][name])
                file.write(self.read(found).tobytes()[:size].ljust(size, b"\xa5"))
        return {}


def main(peer_class, errors=()):
    """`errors`: what a library raises besides."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device")
    try:
        peer = peer_class(parser.parse_args().device)
        first = {"program": peer.name}
        for member in ("device", "index", "platform", "driver", "is_cpu"):
            first[member] = getattr(peer, member)
        print(json.dumps(first), flush=True)
        for line in sys.stdin:
            request, *fields = line.rstrip("\n").split("\t")
            if request not in ("data", "call", "round", "check"):
                end_with("failed", f"asked for {request}")
            number = fields[0] if fields else ""
            if request == "call" and not (number.isdigit() and int(number) < 64):
                end_with("failed", f"call: {number} is not a number from 0 to 63")
            if request in ("round", "check") and number not in peer.calls:
                end_with("failed", f"{request}: call {number} is not ready")
            print(json.dumps(getattr(peer, request)(*fields)), flush=True)
    except (*errors, ArithmeticError, RuntimeError, MemoryError, OSError, ValueError,
            TypeError) as error:  # fmt: skip
        end_with("failed", " ".join(str(error).split())[:400] or type(error).__name__)
