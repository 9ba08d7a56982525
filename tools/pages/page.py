#!/usr/bin/env python3
"""page.py HELP2MAN VERSION GENERAL PAGE COMMAND: prints the manual page PAGE, clfold or
clfold-NAME, of what COMMAND --help prints. GENERAL --help prints the help of clfold, which has the
summaries."""

import os
import re
import subprocess
import sys
import tempfile

DATE = "2026-11-23"  # of the version, so that a page depends on nothing else
ABOUT = "reductions and scans on OpenCL devices"
SECTIONS = """[NAME]
{page} \\- {about}
[EXIT STATUS]
0 done, 1 failed, 2 wrong usage.
[SEE ALSO]
{others}
"""


def main(help2man, version, general, page, command):
    said = subprocess.run([general, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    summaries = dict(re.findall(r"^  ([a-z-]+)  +(\S.*)", said, re.M))
    name = page.partition("-")[2]
    others = sorted(f"clfold-{other}" for other in summaries) if page == "clfold" else ["clfold"]
    sections = SECTIONS.format(
        page=page,
        about=summaries.get(name, ABOUT),
        others=" ,\n".join(f".BR {other} (1)" for other in others),
    )
    with tempfile.NamedTemporaryFile("w", suffix=".h2m") as file:
        file.write(sections)
        file.flush()
        text = subprocess.run(
            [help2man, "-N", "--version-string", version, "--include", file.name, command],
            check=True, env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE, text=True,
        ).stdout  # fmt: skip
    # each command of an example on a line of its own
    text = re.sub(r"^(\$ .*)(?=\n\$ )", r"\1\n.br", text, flags=re.M)
    title = f'.TH {page.upper()} 1 {DATE} "clfold {version}"'
    print(re.sub(r"^\.TH .*", title, text, flags=re.M), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
