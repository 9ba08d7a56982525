#!/usr/bin/env python3
"""test_embed.py SOURCE_FOLDER COMPILER...: tools/embed/embed.py, by what the compiler reads.

SOURCE_FOLDER is src, whose plan/kernel_texts.h and plan/launch.h the output includes.
"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EMBED = os.path.join(HERE, "..", "..", "tools", "embed", "embed.py")
SOURCE_FOLDER, COMPILER = sys.argv[1], sys.argv[2:]

# Prints each text, its name, length, bytes, and the byte after them; then each kernel with its
# parameters: kind, is_traced, offset.
READER = """#include "plan/kernel_texts.h"
#include "plan/launch.h"
#include <stdio.h>
#define MEMBER(name) p->offset == offsetof(struct launch, name) ? "/" #name
int main(void)
{
    const struct clfold_kernel_text *entry = clfold_kernel_texts;
    for (; entry->name; ++entry) {
        printf("%s %zu ", entry->name, entry->length);
        for (size_t i = 0; i <= entry->length; ++i) {
            printf("%02x", (unsigned)(unsigned char)entry->text[i]);
        }
        printf("\\n");
    }
    for (const struct clfold_kernel *kernel = clfold_kernels; kernel->name; ++kernel) {
        printf("%s", kernel->name);
        for (const struct param *p = kernel->params; p->kind != PARAM_NONE; ++p) {
            const char *const names[] = { "", "buffer", "ulong", "uint", "init", "with" };
            printf(" %s%s%s", p->is_traced ? "traced " : "", names[p->kind],
                   MEMBER(in) : MEMBER(scratch) : MEMBER(run) : MEMBER(spins) :
                   MEMBER(ahead) : "");
        }
        printf("\\n");
    }
    return entry->text || entry->length;
}
"""
KERNELS = b"""// a kernel
#define CLFOLD_A_PARAMS                \\
    global const CLFOLD_IN *in,        \\
        uint ahead
#define CLFOLD_B_PARAMS CLFOLD_A_PARAMS, ulong run
#define CLFOLD_TRACE_PARAMS
CLFOLD_KERNEL void clfold_none()
{
}
CLFOLD_KERNEL void
clfold_all(CLFOLD_B_PARAMS, volatile global uint *words,
           CLFOLD_INIT_PARAMS CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clfold_alone(ulong run, global clfold_item *items)
{
}
#define CLFOLD_TRACE_PARAMS \\
    , uint spins
"""
READ = [
    "clfold_none",
    "clfold_all buffer/in uint/ahead ulong/run buffer/scratch init traced uint/spins with",
    "clfold_alone ulong/run buffer/scratch",
]
# Longer than the literals that C11 asks compilers to take, 4095; one byte more or less a line.
PRINTABLE = bytes(range(0x20, 0x7F)) + b"\n"
TEXTS = {
    "kernels.cl": KERNELS,
    "quotes.cl": b"\"a\" 'b' \\ \\\\ \\n \\0 \\\" %s %%\n",
    "trigraphs.cl": b"??= ??/ ??' ??( ??) ??! ??< ??> ??-\n#define A ??/\n  1\n",
    "comments.cl": b"/* // */ */ // \\\n*/\n",
    "one.cl": b"\n",
    "a-b_c.1.cl": b"x\n",
    "long.cl": PRINTABLE * 3000 + b"x" * 70000 + b"\n",
    **{f"{n}.cl": b"x" * n + b"\n" for n in range(15, 45)},
}
# What heads say, in their order, no other comment, and functions that code uses.
HEAD = b"""/*
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
NEEDS = ('{ "a.cl", 0 }, { "tile.cl", 0 }, { "clfold_opaque", "CLFOLD_X" }, { "b_c.cl", 0 }, '
         '{ "CLFOLD_VALUE", 0 }, { "clfold_combine", 0 }, { "clfold_rounded", 0 }, { 0 },')
# The name of a file and its text, and what is said of it.
NEW = "CLFOLD_KERNEL void clfold_new(%s)\n{\n}\n"
REFUSED = (
    *(("bad.cl", f"/*\n * needs: {words}\n */\n", "its head ")
      for words in ("a.cl b.cl", "", "a.cl,b.cl", "a.cl.", "a.cl, ", '"a"')),
    *(("new.cl", NEW % params, f"'{params}' is not a parameter")
      for params in ("int run", "ulong4 run", "CLFOLD_NEW_PARAMS")),
    ("new.cl", NEW % "ulong run __attribute__((unused))", "signature cannot be read"),
    ("nul.cl", "a\nb\0\n", "line 2 holds the byte 0x00"),
    ("utf.cl", "x\n\u00b5\n", "line 2 holds the byte 0xc2"),
    ("delete.cl", "\x7f\n", "0x7f"),
    ("cr.cl", "a\r\n", "line 1 holds the byte 0x0d"),
    ("tab.cl", "a\n\n\tb\n", "line 3 holds the byte 0x09"),
    ("end.cl", "a\nb", "does not end in a newline"),
    ("empty.cl", "", "does not end in a newline"),
    ('quo"te.cl', "a\n", "the name"),
    ("other/good.cl", "a\n", "a second file of this name"),
    ("none/none.cl", None, "none.cl"),
)
# No member of that name; a buffer; a number.
NOT_COMPILED = ("ulong new", "ulong in", "global uint *run")

failures = []


def check(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


class Folder:
    def __init__(self, path):
        self.path, self.out = path, os.path.join(path, "out")
        self.output = os.path.join(self.out, "texts.c")
        for name in ("in/other", "out"):
            os.makedirs(os.path.join(path, name))

    def write(self, name, data):
        path = os.path.join(self.path, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def read(self):
        with open(self.output, encoding="ascii") as file:
            return file.read()

    def embed(self, *files, output=None):
        """The exit status and what was said."""
        done = subprocess.run([sys.executable, EMBED, output or self.output, *files],
                              capture_output=True, text=True, check=False)
        check(not done.stdout, files, done.stdout)
        return done.returncode, done.stderr

    def read_back(self):
        """What the reader prints, or None if it does not compile."""
        reader, program = self.write("reader.c", READER.encode()), os.path.join(self.path, "reader")
        include = os.path.join(SOURCE_FOLDER, "..", "include")
        done = subprocess.run(
            [*COMPILER, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow",
             "-Wconversion", "-trigraphs", "-DCL_TARGET_OPENCL_VERSION=300", "-I", SOURCE_FOLDER,
             "-I", include, reader, self.output, "-o", program], capture_output=True, check=False)
        if done.returncode:
            return None
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def check_round_trip(folder):
    paths = [folder.write("in/" + name, data) for name, data in TEXTS.items()]
    check(folder.embed(*paths) == (0, ""), "texts are not taken")
    check(os.listdir(folder.out) == ["texts.c"], os.listdir(folder.out))
    lines = (folder.read_back() or "").splitlines()
    wanted = [f"{name} {len(data)} {data.hex()}00" for name, data in TEXTS.items()] + READ
    check(lines == wanted, [pair for pair in zip(lines, wanted) if len(set(pair)) == 2])


def check_tables(folder):
    """What heads need; rows for predict, without endings, and which are devices."""
    check(folder.embed(folder.write("in/head.cl", HEAD)) == (0, ""), "a head")
    table = folder.read().split("needs_0[] = {\n")[1].split("};")[0]
    check(" ".join(table.split()) == NEEDS, table)
    paths = [folder.write("in/a.nest", b"x\n"), folder.write("in/b.device", b"y\n\n")]
    check(folder.embed(*paths) == (0, ""), "a nest")
    rows = folder.read().split("predict_texts[] = {\n")[1].splitlines()[:2]
    check(rows == ['    { "a", text_0, 2, false },', '    { "b", text_1, 3, true },'], rows)


def check_refused(folder):
    """OUTPUT is as it was, and nothing beside it."""
    good = folder.write("in/good.cl", b"good\n")
    for name, text, words in REFUSED:
        bad = os.path.join(folder.path, "in", name)
        if text is not None:
            folder.write("in/" + name, text.encode())
        for before in (None, b"before"):
            if before:
                folder.write("out/texts.c", before)
            status, said = folder.embed(good, bad)
            check(status == 1 and said.startswith("embed.py: ") and said.count("\n") == 1
                  and (name in said or name == "new.cl") and words in said, name, said)  # fmt: skip
            left = [folder.read()] if before else []
            check(len(os.listdir(folder.out)) == len(left) and left in ([], ["before"]), name)
        os.unlink(folder.output)
    for params in NOT_COMPILED:
        check(folder.embed(folder.write("in/new.cl", (NEW % params).encode())) == (0, ""), params)
        check(folder.read_back() is None, params)
    os.unlink(folder.output)
    status, said = folder.embed(good, output=os.path.join(folder.path, "none", "texts.c"))
    check(status == 1 and said.count("\n") == 1, said)
    # A folder stands where the file should go: all is written, and then fails.
    os.mkdir(folder.output)
    check(folder.embed(good)[0] == 1 and os.listdir(folder.out) == ["texts.c"], "a folder")
    status, said = folder.embed()
    check(status == 2 and "usage" in said, said)


def main():
    for part in (check_round_trip, check_tables, check_refused):
        with tempfile.TemporaryDirectory() as path:
            part(Folder(path))
    print("\n".join([*failures, f"{len(TEXTS) + len(REFUSED)} texts, {len(failures)} failed"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
