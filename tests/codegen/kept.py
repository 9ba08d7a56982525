#!/usr/bin/env python3
"""kept.py CODEGEN BUILD PAGE: no figure of the committed table is worse, the check finds what is
planted in a copy of the table, and PAGE, docs/gpu.md, shows what is in it.

Figures are kept in $CLFOLD_TEST_CACHE/codegen, by content.
"""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lint"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "gpu_code"))
# pylint: disable=wrong-import-position
import kept_table
import tools

KEY = ("sm_90", "scan_lookback", "add", "f32")


def planted(head, rows):
    """What is planted, the exit status and the sentence that it is to give."""
    registers, *others = rows[KEY]
    name = " ".join(KEY)
    worse = {**rows, KEY: [registers - 8, *others]}
    yield "a worse number", head, worse, 1, f"{name}: {registers:.0f} registers, before"
    missing = {key: numbers for key, numbers in rows.items() if key != KEY}
    yield "a missing row", head, missing, 1, f"{name}: not in the table"
    yield "other compilers", "clang 7, ptxas 1.0", rows, 0, "is of clang 7, ptxas 1.0: not checked"


def main(codegen, build, page):
    tools.give_way()
    cache = os.path.join(tools.run_devices.kept_folder(os.environ), "codegen")

    def check(path):
        return tools.run([sys.executable, codegen, "--build", build, "--cache", cache, "--check",
                          "--table", path])

    status, said = check(kept_table.FILE)
    if "not checked" in said:
        tools.leave_out(said.strip())
    failures = [said] if status else []
    print(said, end="")
    head, rows = kept_table.read(kept_table.FILE)
    with open(page, encoding="utf-8") as file:
        if kept_table.page(rows) not in file.read():
            failures.append(f"{page}: its table is not what codegen --page prints")
    with tempfile.TemporaryDirectory() as folder:
        for what, versions, changed, wanted, sentence in planted(head, rows) if not status else ():
            path = os.path.join(folder, "table.txt")
            kept_table.write(path, versions, changed)
            status, said = check(path)
            if status != wanted or sentence not in said:
                failures.append(f"{what}: exit status {status}, not {wanted}; said: {said}")
    tools.finish(failures, f"{len(rows)} rows")


if __name__ == "__main__":
    main(*sys.argv[1:])
