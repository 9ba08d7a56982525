#!/usr/bin/env python3
"""test_embed.py SOURCE_FOLDER COMPILER...: tools/embed/embed.py, by what the compiler reads.

SOURCE_FOLDER is src, whose plan/kernel_texts.h and plan/launch.h the output includes.
"""

import os
import subprocess
import sys
import tempfile
import unittest

EMBED = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "embed", "embed.py"
)
SOURCE_FOLDER, COMPILER = None, None

# Prints the table: for each entry its name, length, the bytes, and the byte after them.
READER = """#include "plan/kernel_texts.h"
#include <stdio.h>
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
    return entry->text || entry->length;
}
"""


# Prints each kernel's name and parameters: kind, is_traced, offset.
LISTER = """#include "plan/launch.h"
#include <stdio.h>
int main(void)
{
    for (const struct clfold_kernel *kernel = clfold_kernels; kernel->name; ++kernel) {
        printf("%s", kernel->name);
        for (const struct param *p = kernel->params; p->kind != PARAM_NONE; ++p) {
            const char *const names[] = { "", "buffer", "ulong", "uint", "init", "with" };
            printf(" %s%s%s", p->is_traced ? "traced " : "", names[p->kind],
                   p->offset == offsetof(struct launch, in) ? "/in"
                   : p->offset == offsetof(struct launch, scratch) ? "/scratch"
                   : p->offset == offsetof(struct launch, run) ? "/run"
                   : p->offset == offsetof(struct launch, spins) ? "/spins"
                   : p->offset == offsetof(struct launch, ahead) ? "/ahead" : "");
        }
        printf("\\n");
    }
    return 0;
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


class Embed(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.output = os.path.join(self.folder, "out", "texts.c")
        os.mkdir(os.path.dirname(self.output))

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def embed(self, *arguments):
        return subprocess.run(
            [sys.executable, EMBED, *arguments], capture_output=True, text=True, check=False
        )

    def test_needs(self):
        """What heads say, in their order; nothing that is elsewhere."""
        head = self.write("in/head.cl", b"""/*
 * Prose that
 * needs: a.cl, tile.cl
 * names if CLFOLD_X: CLFOLD_Y
 *   needs: no.cl
 * needs: b_c.cl
 */
int x;
/*
 * needs: no.cl
 */
""")
        self.assertEqual(self.embed(self.output, head).returncode, 0)
        with open(self.output, encoding="ascii") as file:
            table = file.read().split("needs_0[] = {\n")[1].split("};")[0]
        self.assertEqual([line.strip() for line in table.splitlines()],
                         ['{ "a.cl", 0 },', '{ "tile.cl", 0 },', '{ "CLFOLD_Y", "CLFOLD_X" },',
                          '{ "b_c.cl", 0 },', "{ 0 },"])  # fmt: skip
        for words in (b"a.cl b.cl", b"", b"a.cl,b.cl", b"a.cl.", b"a.cl, ", b'"a"'):
            bad = self.write("in/bad.cl", b"/*\n * needs: " + words + b"\n */\n")
            done = self.embed(self.output, bad)
            self.assertEqual(done.returncode, 1, words)
            self.assertTrue(done.stderr.startswith("embed.py: bad.cl: its head "), done.stderr)

    def test_nests(self):
        """Rows for predict, without endings, and which are devices."""
        paths = [self.write("in/a.nest", b"x\n"), self.write("in/b.device", b"y\n\n")]
        self.assertEqual(self.embed(self.output, *paths).returncode, 0)
        with open(self.output, encoding="ascii") as file:
            rows = file.read().split("predict_texts[] = {\n")[1].splitlines()
        self.assertEqual(rows[:2], ['    { "a", text_0, 2, false },',
                                    '    { "b", text_1, 3, true },'])  # fmt: skip

    def read_back(self, text=READER):
        reader = self.write("reader.c", text.encode())
        program = os.path.join(self.folder, "reader")
        subprocess.run(
            [*COMPILER, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow",
             "-Wconversion", "-trigraphs", "-DCL_TARGET_OPENCL_VERSION=300", "-I", SOURCE_FOLDER,
             "-I", os.path.join(SOURCE_FOLDER, "..", "include"), reader, self.output, "-o",
             program],
            check=True,
        )
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout

    def read_table(self):
        table = {}
        for line in self.read_back().splitlines():
            name, length, data = line.split(" ")
            data = bytes.fromhex(data)
            self.assertEqual(data[-1:], b"\0")
            self.assertEqual(int(length), len(data) - 1)
            table[name] = data[:-1]
        return table

    def assert_round_trip(self, texts):
        paths = [self.write("in/" + name, data) for name, data in texts.items()]
        done = self.embed(self.output, *paths)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        table = self.read_table()
        self.assertEqual(table, texts)
        self.assertEqual(list(table), list(texts))
        self.assertEqual(os.listdir(os.path.dirname(self.output)), ["texts.c"])

    def test_round_trip(self):
        printable = bytes(range(0x20, 0x7F)) + b"\n"
        self.assert_round_trip({
            "quotes.cl": b"\"a\" 'b' \\ \\\\ \\n \\0 \\\" %s %%\n",
            "trigraphs.cl": b"??= ??/ ??' ??( ??) ??! ??< ??> ??-\n#define A ??/\n  1\n",
            "comments.cl": b"/* // */ */ // \\\n*/\n",
            "printable.cl": printable,
            "one.cl": b"\n",
            "a-b_c.1.cl": b"x\n",
            # Longer than the literals that C11 asks compilers to take, 4095.
            "long.cl": printable * 3000 + b"x" * 70000 + b"\n",
        })

    def test_one_byte_more_or_less_a_line(self):
        self.assert_round_trip({f"{n}.cl": b"x" * n + b"\n" for n in range(15, 45)})

    def test_kernels(self):
        kernels = self.write("kernels.cl", KERNELS)
        self.assertEqual(self.embed(self.output, kernels).returncode, 0)
        self.assertEqual(self.read_back(LISTER).splitlines(), [
            "clfold_none",
            "clfold_all buffer/in uint/ahead ulong/run buffer/scratch init traced uint/spins with",
            "clfold_alone ulong/run buffer/scratch",
        ])

    def test_kernels_that_the_host_does_not_know(self):
        for params, words in (
            ("ulong new", None),  # no member of that name
            ("ulong in", None),  # a buffer
            ("global uint *run", None),  # a number
            ("int run", "'int run' is not a parameter"),
            ("ulong4 run", "'ulong4 run' is not a parameter"),
            ("CLFOLD_NEW_PARAMS", "'CLFOLD_NEW_PARAMS' is not a parameter"),
            ("ulong run __attribute__((unused))", "signature cannot be read"),
        ):
            text = f"CLFOLD_KERNEL void clfold_new({params})\n{{\n}}\n"
            done = self.embed(self.output, self.write("new.cl", text.encode()))
            self.assertEqual(done.returncode, 1 if words else 0, params)
            if words:
                self.assertIn(words, done.stderr)
            else:
                with self.assertRaises(subprocess.CalledProcessError, msg=params):
                    self.read_back()

    def test_refusals(self):
        good = self.write("in/good.cl", b"good\n")
        for name, data, words in (
            ("nul.cl", b"a\nb\0\n", "line 2 holds the byte 0x00"),
            ("latin.cl", b"\xe9\n", "line 1 holds the byte 0xe9"),
            ("utf.cl", "x\n\u00b5\n".encode(), "line 2 holds the byte 0xc2"),
            ("delete.cl", b"\x7f\n", "0x7f"),
            ("cr.cl", b"a\r\n", "line 1 holds the byte 0x0d"),
            ("tab.cl", b"a\n\n\tb\n", "line 3 holds the byte 0x09"),
            ("feed.cl", b"a\x0c\n", "0x0c"),
            ("end.cl", b"a\nb", "does not end in a newline"),
            ("empty.cl", b"", "does not end in a newline"),
            ('quo"te.cl', b"a\n", "the name"),
            ("other/good.cl", b"a\n", "a second file of this name"),
        ):
            bad = self.write("in/" + name, data)
            for before in (None, b"before"):
                if before is not None:
                    self.write("out/texts.c", before)
                done = self.embed(self.output, good, bad)
                self.assertEqual((done.returncode, done.stdout), (1, ""), name)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertTrue(done.stderr.startswith(f"embed.py: {bad}: "), done.stderr)
                self.assertIn(words, done.stderr)
                self.assert_untouched(before)
            os.unlink(self.output)

    def assert_untouched(self, before):
        """OUTPUT as it was, and nothing beside it."""
        names = os.listdir(os.path.dirname(self.output))
        self.assertEqual(names, [] if before is None else ["texts.c"])
        if before is not None:
            with open(self.output, "rb") as file:
                self.assertEqual(file.read(), before)

    def test_files_that_are_not_there(self):
        good = self.write("in/good.cl", b"good\n")
        done = self.embed(self.output, good, self.folder + "/none.cl")
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.cl", done.stderr)
        self.assert_untouched(None)
        done = self.embed(self.folder + "/none/texts.c", good)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        # A folder stands where the file should go: all is written, and then fails.
        os.mkdir(self.output)
        self.assertEqual(self.embed(self.output, good).returncode, 1)
        self.assertEqual(os.listdir(os.path.dirname(self.output)), ["texts.c"])

    def test_usage(self):
        for arguments in ((), ("out.c",)):
            done = self.embed(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage", done.stderr)


if __name__ == "__main__":
    SOURCE_FOLDER, COMPILER = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
