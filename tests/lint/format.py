#!/usr/bin/env python3
"""format.py ROOT: C files are as clang-format leaves them.

Versions of clang-format differ in what they make of one .clang-format, so another version
than ours proves nothing and is not used.
"""

import os
import shutil
import sys
import tempfile

import rules
import tools

PLANTED = "int  f( void ) {\nreturn 1; }\n"


def main(root):
    command = [tools.need_version("clang-format", 14), "--dry-run", "--Werror", "--style=file"]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(root, ".clang-format"), folder)
        planted = tools.write(folder, "planted.c", PLANTED)
        status, text = tools.run([*command, planted])
        if status == 0 or "clang-formatted" not in text:
            failures.append("a planted file without format was not found\n" + text)
    files = [os.path.join(root, path) for path in rules.files_of(root) if rules.is_c(path)]
    status, text = tools.run([*command, *files])
    if status != 0 or text:
        failures.append(text)
    tools.finish(failures, f"{len(files)} files")


if __name__ == "__main__":
    main(*sys.argv[1:])
