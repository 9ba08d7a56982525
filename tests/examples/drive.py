#!/usr/bin/env python3
"""drive.py EXAMPLE [ARGUMENT...] -- LINE...: runs a built example, which must print these lines."""

import subprocess
import sys

SKIP = 77


def main(*words):
    split = words.index("--")
    command, expected = words[:split], words[split + 1 :]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == SKIP:
        print(done.stderr.strip(), file=sys.stderr)
        return SKIP
    if done.returncode != 0 or done.stdout.splitlines() != list(expected):
        said = done.stdout + done.stderr
        print(f"ended with {done.returncode} and said:\n{said}", file=sys.stderr)
        return 1
    print(done.stdout, end="", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
