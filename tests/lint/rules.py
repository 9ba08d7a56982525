#!/usr/bin/env python3
"""rules.py ROOT: what the project's files must not contain, as far as text shows.

Each rule is a function of a file's path below ROOT and its text, and yields the lines
that break it: (line number, sentence). One rule, circles, is of all files at once.
test_rules.py plants a violation for each.
"""

import graphlib
import os
import re
import subprocess
import sys

# clang-format breaks code at 90 and leaves comments alone; scripts get a little more.
COLUMNS = {".c": 90, ".h": 90, ".cl": 90, ".md": None}
OTHER_COLUMNS = 100
PINNED = "tests/device/pinned.txt"  # a call a line, as it is printed
# From the ground up: a folder of src uses itself and those before it.
FOLDERS = ("base", "plan", "device", "ops")
# A library of its own: it knows public headers only.
ON_TOP = "mpi"
C_HEADERS = set(
    "assert ctype errno float inttypes iso646 limits math stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib string".split()
)
PUBLIC_HEADERS = ("clfold/clfold.h", "clfold/experimental.h")
MPI_HEADERS = ("clfold/mpi.h", "mpi.h", "pthread.h")
OPENCL_HEADERS = {"CL/cl.h", "CL/cl_ext.h", "CL/cl_version.h", "CL/cl_platform.h"}


def blank(match):
    """As many lines as there were, so that line numbers stay."""
    text = match[0]
    if text[0] in "\"'":
        return text[0] + " " * (len(text) - 2) + text[0]
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """C without what stands in comments and literals."""
    token = r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    return re.sub(token, blank, text, flags=re.S)


def matches(pattern, text):
    for match in re.finditer(pattern, text, re.M):
        yield text.count("\n", 0, match.start()) + 1, match


def is_c(path):
    return path.endswith((".c", ".h"))


def source_folder(path):
    parts = path.split("/")
    if parts[0] == "src" and len(parts) == 3 and is_c(path):
        return parts[1]
    return None


MAKEFILE = "debian/rules"  # tabs belong to its syntax


def white_space(path, text):
    columns = COLUMNS.get(os.path.splitext(path)[1], OTHER_COLUMNS)
    columns = None if path == PINNED else columns
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line and path != MAKEFILE:
            yield number, "a tab"
        if line.endswith("\r"):
            yield number, "a carriage return"
        elif line != line.rstrip():
            yield number, "space at the end of the line"
        if columns and len(line) > columns:
            yield number, f"{len(line)} columns, and {columns} is the most"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file"
    elif text.endswith("\n\n"):
        yield text.count("\n"), "an empty line at the end of the file"


def places(_path, text):
    """A path of one machine or the host of a registry would not work elsewhere."""
    hosts = (
        r"pypi\.(?:org|python\.org)|pythonhosted\.|deb\.debian\.|debian\.org/debian|"
        r"registry\.npmjs\.|crates\.io|proxy\.golang\.|archive\.ubuntu\."
    )
    for number, match in matches(r"(?<![\w.$}])/(?:tmp/w|work|home|root)/\w+", text):
        yield number, f"{match[0]} is a path of one machine"
    for number, match in matches(hosts, text):
        yield number, f"{match[0]} is the host of a package registry"


def include_direction(path, text):
    folder = source_folder(path)
    if folder is None:
        if path.startswith("src/") and is_c(path):
            yield 1, f"a source file is in a folder of src: {', '.join(FOLDERS)}"
        return
    if folder not in (*FOLDERS, ON_TOP):
        yield 1, f"src/{folder} is none of {', '.join((*FOLDERS, ON_TOP))}"
        return
    is_on_top = folder == ON_TOP
    allowed = () if is_on_top else FOLDERS[: FOLDERS.index(folder) + 1]
    include = r"^[ \t]*#[ \t]*include[ \t]*"
    for number, match in matches(include + r'([<"])([^>"\n]*)[>"]', text):
        kind, name = match[1], match[2]
        if kind == '"':
            is_own = is_on_top and re.fullmatch(r"\w+\.h", name)
            if not is_own and (name.split("/")[0] not in allowed or name.count("/") != 1):
                yield number, f'src/{folder} may not include "{name}"'
        elif name in PUBLIC_HEADERS or name.removesuffix(".h") in C_HEADERS:
            continue
        elif is_on_top:
            if name not in MPI_HEADERS:
                yield number, f"src/{folder} may not include <{name}>"
        elif name in OPENCL_HEADERS:
            if folder in ("base", "plan"):
                yield number, f"src/{folder} may not include <{name}>"
        elif folder != "base":
            yield number, f"only src/base may include <{name}>"
    # An #include of a macro would hide its file from this rule.
    for number, _ in matches(include + r'[^<" \t]', text):
        yield number, "an #include without < or a quote"


# The command is a user of the library: what it needs besides, the API lacks.
MAY_INCLUDE = {
    "tools/clfold/": r'"(?:base/)?\w+\.h"|<(?!clfold/)[\w/.-]+>|<clfold/(clfold|experimental)\.h>',
}


def tool_includes(path, text):
    for folder, allowed in MAY_INCLUDE.items():
        if path.startswith(folder) and is_c(path):
            for number, match in matches(r'^[ \t]*#[ \t]*include[ \t]*([^ \t\n].*)', text):
                if not re.match(allowed, match[1]):
                    yield number, f"{folder[:-1]} may not include {match[1]}"


def opencl_calls(path, text):
    folder = source_folder(path)
    if folder in ("base", "plan"):
        for number, match in matches(r"\bcl[A-Z]\w*(?=\s*\()", code_of(text)):
            yield number, f"src/{folder} may not call OpenCL, and calls {match[0]}"


ENVIRONMENT = "src/base/host.c"


def library_manners(path, text):
    """The library does not print or end the process, and one file reads the environment."""
    if source_folder(path) is None:
        return
    calls = (
        r"\b(?:(?:secure_)?getenv|(?:set|unset|put)env|v?f?printf|v?dprintf|perror|"
        r"f?puts|f?putc|putchar|fwrite|_?_?[eE]xit|quick_exit|at_?(?:quick_)?exit|abort|"
        r"raise|system|assert)(?=\s*\()"
    )
    for number, match in matches(calls, code_of(text)):
        if match[0] != "getenv" or path != ENVIRONMENT:
            yield number, f"src may not call {match[0]}"
    for number, match in matches(r"\b(?:stdout|stderr|stdin|environ)\b", code_of(text)):
        if match[0] != "environ" or path != ENVIRONMENT:
            yield number, f"src may not use {match[0]}"


def tile_kind(path, text):
    """The algorithms are written on the tile interface alone."""
    if not re.fullmatch(r"cl/(?:reduce|scan)_[^/]*\.cl|cl/reduce\.cl", path):
        return
    code = code_of(text).replace("\\\n", " \v")  # a \v stands for the newline
    kind = (
        r"\bCLFOLD_(?:TILE_\w+|GROUP_SIZE|GROUP_SCAN|SCAN_ITEMS|IN16|ITEM16|CELL16|AS_CELL16|"
        r"CELLS\w*|CHUNK\w*|OUT_CHUNK\w*|RUN|SLOT)\b"
    )
    condition = r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b.*"
    for match in re.finditer(condition, code, re.M):
        for name in re.findall(kind, match[0]):
            before = code[: match.start()]
            number = before.count("\n") + before.count("\v") + 1
            yield number, f"an algorithm may not ask for the tile's kind, {name}"


PLACES = "init_at|(?:total|num|bad|rest|lengths|keys|carry|key)_out|(?:num|count|carry|key)_at"


def facets(path, text):
    """What a call is given is asked of the table in src/plan/facet.c, not field by field."""
    if source_folder(path) in FOLDERS:
        for number, match in matches(rf"(?:->|\.)({PLACES})\.(?:mem|offset)\b", code_of(text)):
            yield number, f"{match[1]}: a place is found by its row in src/plan/facet.c"


def circles(texts):
    """Files of one name are a module; modules of a folder of src do not include each other
    in a circle. Yields the first that there is."""
    uses = {}
    for path, text in texts.items():
        if source_folder(path):
            module, own = os.path.splitext(path)[0], os.path.dirname(path)
            names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)\.h"', text, re.M)
            used = {os.path.join(own if "/" not in name else "src", name) for name in names}
            used = {name for name in used if os.path.dirname(name) == own}
            uses.setdefault(module, set()).update(used - {module})
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as error:
        modules = sorted(set(error.args[1]))
        yield f"{modules[0]}: a circle of includes: {', '.join(modules)}"


RULES = (
    white_space,
    places,
    include_direction,
    tool_includes,
    opencl_calls,
    library_manners,
    tile_kind,
    facets,
)


def files_of(root):
    """Tracked files and those that could be; all files where there is no git."""
    listing = None
    if os.path.exists(os.path.join(root, ".git")):
        git = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached"]
        listing = subprocess.run(
            [*git, "--others", "--exclude-standard"], capture_output=True, check=False
        )
    if listing and listing.returncode == 0:
        names = [name for name in listing.stdout.decode().split("\0") if name]
    else:
        names = []
        for folder, folders, found in os.walk(root):
            skipped = ("build", ".git", "__pycache__", "subprojects")
            folders[:] = [name for name in folders if not name.startswith(skipped)]
            paths = [os.path.join(folder, name) for name in found]
            names += [os.path.relpath(path, root) for path in paths]
    return sorted({name for name in names if os.path.isfile(os.path.join(root, name))})


def check(path, data):
    """The violations in one file, as sentences that begin with its name."""
    if b"\0" in data:
        return []
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return [f"{path}: {error}"]
    found = {violation for rule in RULES for violation in rule(path, text)}
    return [f"{path}:{number}: {sentence}" for number, sentence in sorted(found)]


def main(root):
    files = files_of(root)
    sources = [path for path in files if source_folder(path)]
    algorithms = [path for path in files if path.startswith("cl/")]
    if not sources or not algorithms:
        print(f"{root}: {len(sources)} sources and {len(algorithms)} kernels: not clfold")
        return 1
    found, texts = [], {}
    for path in files:
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        found += check(path, data)
        if path in sources:
            texts[path] = data.decode(errors="replace")
    found += circles(texts)
    for sentence in found:
        print(sentence)
    print(f"{len(files)} files, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
