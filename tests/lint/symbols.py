#!/usr/bin/env python3
"""symbols.py LIBRARY HEADER...: the library exports what the headers declare, and no more."""

import re
import sys

import rules
import tools


def declared(header):
    text = rules.code_of(re.sub(r"(?m)^\s*#.*$", "", tools.read(header)))
    code, found = re.sub(r"\s+", " ", text), set()
    for text in re.findall(r"\bCLFOLD_API\b([^;{]*);", code):
        match = re.match(r"[^(]*?(\w+) ?\(", text)
        if not match:
            sys.exit(f"{header}: no function's name in: CLFOLD_API{text};")
        found.add(match[1])
    return found


def exported(library):
    status, text = tools.run([tools.need("nm"), "-D", "--defined-only", library])
    if status != 0:
        sys.exit(text)
    # "0000000000001230 T clfold_reduce", and a version after @ if it has one
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def compare(names, symbols):
    return [f"{name}: declared with CLFOLD_API, not exported" for name in names - symbols] + [
        f"{name}: exported, not declared" for name in symbols - names
    ]


def main(library, *headers):
    names, symbols = set().union(*map(declared, headers)), exported(library)
    failures = sorted(compare(names, symbols))
    if not names:
        failures.append(f"{headers} declare nothing with CLFOLD_API")
    # The comparison itself: one name too many, on either side, must be found.
    for wrong in ((names | {"planted"}, symbols), (names, symbols | {"planted"})):
        if len(compare(*wrong)) != len(compare(names, symbols)) + 1:
            failures.append("a planted name was not found")
    tools.finish(failures, f"{len(names)} functions")


if __name__ == "__main__":
    main(*sys.argv[1:])
