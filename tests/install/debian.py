"""Builds the Debian packages in a copy of the source, as debian/ says, and looks at them.

usage: debian.py SOURCE

The packages' own tests are left out: they are this build's. Nothing is written outside a
temporary folder.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = ("dpkg-buildpackage", "dh", "lintian")
SKIP = 77
# What each package holds, of all that is not documentation.
FILES = {
    "libclfold0.1": r"lib/[^/]+/libclfold\.so\.[\d.]+",
    "libclfold-dev": r"include/clfold/(clfold|experimental)\.h|lib/[^/]+/(libclfold\.(a|so)"
                     r"|(cmake/clfold|pkgconfig)/[\w.-]+)",
    "libclfold-mpi0.1": r"lib/[^/]+/libclfold-mpi\.so\.[\d.]+",
    "libclfold-mpi-dev": r"include/clfold/mpi\.h|lib/[^/]+/(libclfold-mpi\.(a|so)"
                         r"|(cmake/clfold-mpi|pkgconfig)/[\w.-]+)",
    "clfold": r"bin/clfold|share/man/man1/clfold[\w-]*\.1\.gz"
              r"|share/bash-completion/completions/clfold"
              r"|libexec/clfold/(clfold-[a-z]+|lab_[a-z]+|(lab|predict)/\w+\.py"
              r"|predict/(devices|nests)/\w+\.[a-z]+)",
}  # fmt: skip
PAGE = "share/man/man1/clfold-bench.1.gz"  # a view's, which needs numpy while it is built
DOCUMENTS = {"libclfold-dev": ("README.md", "docs/scans.md", "examples/sum.c")}


def run(*command, **options):
    """Returns what was printed; a failure ends the test with all of it."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check_package(folder, name):
    found = [file for file in os.listdir(folder) if file.startswith(name + "_")]
    if len([file for file in found if file.endswith(".deb")]) != 1:
        sys.exit(f"{name}: one package was expected, and there are {found}")
    package = next(file for file in found if file.endswith(".deb"))
    listing = run("dpkg-deb", "--contents", os.path.join(folder, package))
    paths = re.findall(r"^[^d].*? \./usr/(.*?)(?: -> .*)?$", listing, re.M)
    documents = f"share/doc/{name}/"
    for path in paths:
        if not path.startswith(documents) and not re.fullmatch(FILES[name], path):
            sys.exit(f"{name}: {path} was not expected")
    if all(path.startswith(documents) for path in paths):
        sys.exit(f"{name} holds nothing but documents")
    for document in ("copyright", *DOCUMENTS.get(name, ())):
        if documents + document not in paths:
            sys.exit(f"{name}: there is no {documents}{document}")
    if name == "clfold" and PAGE not in paths:
        sys.exit(f"{name}: there is no {PAGE}")
    print(f"{name}: {len(paths)} files")


def main():
    source = sys.argv[1]
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"there is no {missing[0]}")
        return 1 if os.environ.get("CLFOLD_REQUIRED_TOOLS") else SKIP
    with tempfile.TemporaryDirectory(prefix="clfold-debian-") as folder:
        copy = os.path.join(folder, "clfold")
        ignored = shutil.ignore_patterns(".git", "build*", "__pycache__")
        shutil.copytree(source, copy, ignore=ignored)
        environment = {**os.environ, "DEB_BUILD_OPTIONS": "nocheck",
                       "DEB_BUILD_PROFILES": "nocheck"}  # fmt: skip
        # The compiler that this build was set up with is not the packages'.
        environment.pop("CC", None)
        run("dpkg-buildpackage", "--build=binary", "--unsigned-changes",
            cwd=copy, env=environment)  # fmt: skip
        changes = [file for file in os.listdir(folder) if file.endswith(".changes")]
        said = run("lintian", "--allow-root", "--fail-on", "error,warning",
                   os.path.join(folder, changes[0]))  # fmt: skip
        print(said, end="")
        for name in FILES:
            check_package(folder, name)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: debian.py SOURCE", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
