#!/usr/bin/env python3
"""tools/embed/embed.py: what it writes of small texts, and what it rejects. Those of cl/ are
compiled by every build and run by the tests of devices."""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EMBED = os.path.join(HERE, "..", "..", "tools", "embed", "embed.py")

# What heads say, in their order, no other comment, and functions that code uses.
HEAD = """/*
 * Prose that
 * needs: a.cl, tile.cl
 * needs if CLFOLD_X: clfold_opaque
 *   needs: no.cl clfold_loaded
 * needs: b_c.cl
 */
clfold_item x = clfold_combine(y, $made), clfold_opaque;
#if CLFOLD_VALUE && defined(CLFOLD_X)
/*
 * needs: no.cl
 */
"""
NEEDS = """    { "a.cl", 0 },
    { "tile.cl", 0 },
    { "clfold_opaque", "CLFOLD_X" },
    { "b_c.cl", 0 },
    { "CLFOLD_VALUE", 0 },
    { "clfold_combine", 0 },
    { "clfold_rounded", 0 },
    { 0 },
};
"""
KERNELS = """#define CLFOLD_A_PARAMS                \\
    global const CLFOLD_IN *in,        \\
        uint ahead
#define CLFOLD_B_PARAMS CLFOLD_A_PARAMS, ulong run
#define CLFOLD_TRACE_PARAMS
CLFOLD_KERNEL void
clfold_all(CLFOLD_B_PARAMS, volatile global uint *words,
           CLFOLD_INIT_PARAMS CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clfold_alone(ulong most_count, global clfold_item *items)
{
}
#define CLFOLD_TRACE_PARAMS \\
    , uint spins
"""
PARAMS = """params_of_clfold_all[] = {
    { CLFOLD_PARAM(BUFFER, in, 0) },
    { CLFOLD_PARAM(UINT, ahead, 0) },
    { CLFOLD_PARAM(ULONG, run, 0) },
    { CLFOLD_PARAM(BUFFER, words, 0) },
    { PARAM_INIT, 0, 0, 0 },
    { CLFOLD_PARAM(UINT, spins, 1) },
    { PARAM_WITH, 0, 0, 0 },
    { PARAM_NONE, 0, 0, 0 },
};

static const struct param params_of_clfold_alone[] = {
    { CLFOLD_PARAM(ULONG, count, 0) },
    { CLFOLD_PARAM(BUFFER, items, 0) },
    { PARAM_NONE, 0, 0, 0 },
};

const struct clfold_kernel clfold_kernels[] = {
    { "clfold_all", params_of_clfold_all },
    { "clfold_alone", params_of_clfold_alone },
    { 0 },
};
"""
# Longer than the literals that C11 asks compilers to take, 4095.
TEXTS = {"head.cl": HEAD, "kernels.cl": KERNELS, "long.cl": "x" * 70000 + "\n",
         "a-b_c.1.cl": "".join(map(chr, range(32, 127))) + "\n"}  # fmt: skip
# The name of a file and its text, and what is said of it.
NEW = "CLFOLD_KERNEL void clfold_new(%s)\n{\n}\n"
REFUSED = (
    ("bad.cl", "/*\n * needs: a.cl b.cl\n */\n", "its head "),
    ("new.cl", NEW % "int run", "'int run' is not a parameter"),
    ("new.cl", NEW % "ulong run __attribute__((unused))", "signature cannot be read"),
    ("utf.cl", "x\n\u00b5\n", "line 2 holds the byte 0xc2"),
    ("tab.cl", "a\n\n\tb\n", "line 3 holds the byte 0x09"),
    ("end.cl", "a\nb", "does not end in a newline"),
    ('quo"te.cl', "a\n", "the name"),
    ("other/good.cl", "a\n", "a second file of this name"),
    ("none/none.cl", None, "none.cl"),
)

failures = []


def check(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def embed(folder, *files):
    """The exit status, what was said, and the output."""
    path = os.path.join(folder, "out", "texts.c")
    done = subprocess.run([sys.executable, EMBED, path, *files], capture_output=True, text=True,
                          check=False)  # fmt: skip
    check(os.listdir(os.path.dirname(path)) == ["texts.c"], os.listdir(os.path.dirname(path)))
    with open(path, encoding="ascii") as file:
        return done.returncode, done.stdout + done.stderr, file.read()


def check_texts(folder):
    write(folder, "out/texts.c", "")
    *done, text = embed(folder, *(write(folder, *pair) for pair in TEXTS.items()))
    check(done == [0, ""], done)
    arrays = re.findall(r"text_\d+\[\] = \{\n(.*?)\};", text, re.S)
    found = [bytes(map(int, re.findall(r"\d+", array))) for array in arrays]
    check(found == [data.encode() + b"\0" for data in TEXTS.values()], "bytes")
    for i, (name, data) in enumerate(TEXTS.items()):
        check(f'{{ "{name}", text_{i}, {len(data)}, needs_{i} }}' in text, name)
    check(f"needs_0[] = {{\n{NEEDS}" in text and PARAMS in text, text[-2000:])
    # Rows for predict, without endings, and which are devices.
    *_, text = embed(folder, write(folder, "a.nest", "x\n"), write(folder, "b.device", "y\n\n"))
    rows = text.split("predict_texts[] = {\n")[1].splitlines()[:2]
    check(rows == ['    { "a", text_0, 2, false },', '    { "b", text_1, 3, true },'], rows)


def check_refused(folder):
    """The output is as it was, and nothing beside it."""
    write(folder, "out/texts.c", "before")
    good = write(folder, "in/good.cl", "good\n")
    for name, text, words in REFUSED:
        path = os.path.join(folder, "in", name) if text is None else write(
            folder, f"in/{name}", text)  # fmt: skip
        status, said, kept = embed(folder, good, path)
        check(status == 1 and said.startswith("embed.py: ") and said.count("\n") == 1
              and words in said and kept == "before", name, said, kept)  # fmt: skip


def main():
    for part in (check_texts, check_refused):
        with tempfile.TemporaryDirectory() as path:
            part(path)
    print("\n".join([*failures, f"{len(TEXTS) + len(REFUSED)} texts, {len(failures)} failed"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
