#!/usr/bin/env python3
"""scripts.py ROOT: shellcheck finds nothing in the shell scripts."""

import os
import re
import sys
import tempfile

import rules
import tools

PLANTED = '#!/bin/sh\nrm -rf $1/*\n'


def is_script(path):
    with open(path, "rb") as file:
        first = file.readline()
    return bool(re.match(rb"#!.*\b(?:sh|bash)\b", first)) or path.endswith(".sh")


def main(root):
    command = [tools.need("shellcheck"), "--external-sources"]
    paths = [os.path.join(root, path) for path in rules.files_of(root)]
    scripts = [path for path in paths if is_script(path)]
    failures = [text for status, text in [tools.run([*command, *scripts], cwd=root)] if status]
    if not scripts:
        failures.append(f"{root} has no shell script")
    with tempfile.TemporaryDirectory() as folder:
        status, text = tools.run([*command, tools.write(folder, "planted", PLANTED)])
        if status == 0 or "SC2086" not in text:
            failures.append("a planted fault was not found\n" + text)
    tools.finish(failures, f"{len(scripts)} scripts")


if __name__ == "__main__":
    main(*sys.argv[1:])
