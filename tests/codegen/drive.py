#!/usr/bin/env python3
"""drive.py CODEGEN BUILD: tools/codegen as people call it."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lint"))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "gpu_code"))
# pylint: disable=wrong-import-position
import compilers  # noqa: E402
import kept_table  # noqa: E402
import tools  # noqa: E402

CODEGEN, BUILD = sys.argv[1:3]
QUICK = ("--op", "add", "--types", "f32", "--operations", "reduce_tiles,scan_lookback", "--no-cub")
FAKE = "#!/bin/sh\necho planted error\nexit 1\n"
# Words, the PATH or None, the exit status, and what must be said. Where a compiler is not
# installed, a row that needs it is left out.
ROWS = (
    (("--target", "sm_80,vax"), None, 2, ["--target vax: not a target, which are sm_80"]),
    (("--build", "nowhere", "--target", "sm_80"), None, 2,
     ["--build nowhere: no gpu_texts in it"]),
    (("--target", "sm_80", "--op", "nothing", "--operations", "scan_lookback"), None, 2,
     ["no program is of operations scan_lookback, operators nothing"]),
    (("--target", "sm_80,gfx90a,dg2", *QUICK), "EMPTY", 0,
     ["sm_80: clang not installed", "gfx90a: clang not installed", "dg2: ocloc not installed"]),
    (("--target", "gfx90a", *QUICK), "FAKE:/usr/bin:/bin", 1, ["planted error"]),
    (("--target", "gfx90a", *QUICK), None, 0,
     ["target  kernel", "gfx90a  reduce_tiles add f32", "gfx90a  scan_lookback add f32"]),
)  # fmt: skip


def call(*words, cache, path=None):
    environment = dict(os.environ, PYTHONUNBUFFERED="")
    if path is not None:
        environment.update(PATH=path, CUDA_HOME=path)
    return subprocess.run([sys.executable, CODEGEN, "--build", BUILD, "--cache", cache, *words],
                          text=True, capture_output=True, env=environment, check=False)


def check_rows(folder):
    """Of each kernel a line, the same when it is kept; its figures are those of the table."""
    words = ("--json", "--target", "sm_80,gfx1100", *QUICK)
    first, again = (call(*words, cache=folder) for _ in range(2))
    if "not installed" in first.stderr:
        return
    yield first.returncode == 0 and first.stdout == again.stdout, first.stderr
    yield sum(len(names) for *_, names in os.walk(folder)) == 6, "what is kept"
    rows = [json.loads(line) for line in first.stdout.splitlines()]
    yield {row["vendor"] for row in rows} == {"nvidia", "amd"}, rows
    yield all(row["load_bytes"] == 16 for row in rows if "tiles" in row["kernel"]), rows
    found = kept_table.rows_of((row, [row]) for row in rows if not row["exclusive"])
    versions, table = kept_table.read(kept_table.FILE)
    yield set(found) <= set(table), found
    if compilers.Compilers().versions() == versions:
        told = kept_table.compare({key: table[key] for key in found}, found)
        yield not any(told), f"the table says otherwise, or codegen --update is due: {told}"


def main():
    failures = []
    with tempfile.TemporaryDirectory() as fake, tempfile.TemporaryDirectory() as folder:
        os.chmod(tools.write(fake, "clang-19", FAKE), 0o755)
        for words, path, status, parts in ROWS:
            path = path and path.replace("FAKE", fake).replace("EMPTY", folder)
            done = call(*words, path=path, cache=os.path.join(folder, "cache"))
            lacks = "not installed" in done.stderr or "libclc" in done.stderr
            if done.returncode != status or (status == 2 and done.stdout) or not all(
                    part in done.stdout + done.stderr for part in parts):
                failures += [] if lacks and path != folder else [f"{words}: {done}"]
        for holds, what in check_rows(os.path.join(folder, "kept")):
            failures += [] if holds else [str(what)]
    tools.finish(failures, f"{len(ROWS)} rows")


if __name__ == "__main__":
    main()
