"""planted.py FAULT [--op ... --serve]: a program that does as tools/peers/peer.h says, without
folding anything, and has that fault; `none` is one."""

import json
import os
import signal
import sys
import time

READY = {"ready": True, "device": "planted", "index": 0, "sets": 1}
MOMENTS = {"none": [0.004, 0.001, 0.002], "slower": [0.005, 0.003, 0.004]}


def send(**message):
    print(json.dumps(message), flush=True)


def in_round(fault, number):
    if number == 1 and fault == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 1 and fault == "hangs":
        time.sleep(3600)
    if fault == "chatters":
        print("hello", flush=True)
    else:
        times = MOMENTS.get(fault, MOMENTS["none"])
        send(seconds=-1 if fault == "back_in_time" else times[number % len(times)])


def main(fault):
    if fault == "unsupported":
        send(unsupported="it folds in no order")
        sys.exit(1)
    if fault == "quits":
        print("first line\nout of sorts", file=sys.stderr)
        sys.exit(3)
    send(**{**READY, "device": "another" if fault == "elsewhere" else "planted"})
    for number, line in enumerate(sys.stdin):
        if line == "end\n":
            break
        in_round(fault, number)
    send(**({"wrong": "item 7 is 1 and not 2"} if fault == "wrong" else {"ok": True}))


if __name__ == "__main__":
    main(sys.argv[1])
