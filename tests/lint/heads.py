#!/usr/bin/env python3
"""heads.py ROOT: the head of each file of cl/ says what the file uses of others.

The first comment of a file has lines "needs: other.cl", as docs/kernels.md explains. What the
code uses of other files, functions, types and macros, is compared with them: none may be missing,
and none superfluous. A macro's body may use what a file has that needs the macro's own file.
docs/kernels.md lists the host's macros, and embed.py the fold's functions. No function assigns to a
parameter, or to a member of one. The checks are shown to find faults that are planted.
"""

import os
import re
import sys

import rules
import tools

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "embed"))
import embed  # pylint: disable=wrong-import-position

PAGE = "docs/kernels.md"
KINDS = ("tile_vector", "tile_group", "tile_item")
# What these and the texts of the fold use is the contract's to need.
# What strategies call of items, which counts.cl has where items are counts.
OF_ITEMS = {"clfold_item", "clfold_init", "clfold_taken", "clfold_combine", "clfold_finish"}
OF_TEXTS = {"user_names.cl", "item.cl"}
DEFINITIONS = (
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)",
    r"^\}\s*(clfold_\w+)\s*;",
    r"^typedef\b[^;{]*?\b(clfold_\w+)(?:\s+__attribute__.*)?;",
    r"^(?:static|CLFOLD_KERNEL|kernel)\b[^;={]*?\b(clfold_\w+)\s*\(",
)

# A function's parameters and body, and what changes a variable: it, or a member of it.
FUNCTION = re.compile(
    r"^(?:static|CLFOLD_KERNEL|kernel)\b[^;={}]*?\b(clfold_\w+)\s*"
    r"\(((?:[^(){};]|\([^()]*\))*)\)\s*\{(.*?)^\}",
    re.M | re.S,
)
PARAMS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+_PARAMS?)\b((?:.*\\\n)*.*)", re.M)
MEMBER = r"(?:\s*\.\s*\$?\w+)*"
ASSIGNED = re.compile(
    rf"(?<![\w.>*])(?:(?:\+\+|--)\s*(\w+)\b{MEMBER}(?!\s*(?:->|\[|\.))"
    rf"|(\w+){MEMBER}\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--))"
)


def bodies(code):
    return "\n".join(re.findall(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", code, re.M))


class File:
    def __init__(self, text):
        code = rules.code_of(text)
        self.head = embed.needs_of("", text)
        self.needs = [word for word, _ in self.head if word.endswith(".cl")]
        self.defined = {name for pattern in DEFINITIONS for name in re.findall(pattern, code, re.M)}
        self.words = embed.words_of(code)
        self.used = self.words - self.defined
        outside = re.sub(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", "", code, flags=re.M)
        self.in_bodies = self.used - embed.words_of(outside)


def expanded(word, files, items):
    """The files that a needed one stands for."""
    if word in files:
        return [word]
    stems = {"tile": KINDS, "item": items}.get(word[:4], ())
    return [stem + word[4:] for stem in stems if stem + word[4:] in files]


def reached(name, files, items):
    """All files that it needs, and those that these need."""
    found, left = set(), [name]
    while left:
        for word in files[left.pop()].needs:
            new = set(expanded(word, files, items)) - found
            found |= new
            left += new
    return found


def check(texts, page, plan, items):
    """The faults of the files' heads. `page` lists the host's macros, and `plan`
    is what uses macros besides these files."""
    files = {name: File(text) for name, text in texts.items()}
    macros = set(re.findall(r"CLFOLD_\w+", page))
    owners = {}
    for name, file in files.items():
        for word in file.defined - (OF_ITEMS if name == "counts.cl" else set()):
            owners.setdefault(word, set()).add(name)
    for name, file in files.items():
        if len(file.head) != len(set(file.head)):
            yield f"{name}: says something twice"
        wanted = set()
        for need in file.needs:
            found = expanded(need, files, items)
            if not found:
                yield f"{name}: there is no file {need}"
            used = [word for word in file.words if owners.get(word, set()) & set(found)]
            wanted |= set(used)
            of_macros = need == "contract.cl" and file.used & macros
            of_texts = name == "contract.cl" and need in OF_TEXTS
            if found and not (used or of_macros or of_texts):
                yield f"{name}: needs {need} and uses nothing of it"
            exact = set()
            for other in set(file.needs) & set(files):
                exact |= files[other].defined
            for word in sorted(set(used) - exact):
                for kind in found:
                    if word not in files[kind].defined:
                        yield f"{name}: uses {word}, which {kind} does not have"
        for word in sorted(file.used - wanted - macros):
            elsewhere = owners.get(word, set())
            by_user = word in file.in_bodies and any(
                name in reached(owner, files, items) for owner in elsewhere
            )
            if elsewhere and not by_user:
                yield f"{name}: uses {word}, and does not need {' or '.join(sorted(elsewhere))}"
            elif word.startswith("CLFOLD_") and not elsewhere:
                yield f"{name}: uses {word}, which {PAGE} does not have"
        if name in reached(name, files, items):
            yield f"{name}: needs itself, by way of others"
    used = set().union(*(file.used | {macro for _, macro in file.head} for file in files.values()))
    for word in sorted(macros - used):
        if not re.search(rf"\b{word}\b", plan):
            yield f"{PAGE}: nothing uses {word}"


def names_of(params, macros):
    """The names in a list of parameters, where macros may stand among them."""
    for part in re.sub(r"(\b\w+_PARAMS?\b|CLFOLD_WITH\w*)", r",\1,", params).split(","):
        words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", part))
        if words and words[-1] in macros:
            yield from names_of(macros[words[-1]], macros)
        elif words:
            yield words[-1]


def changed(texts):
    """Functions that assign to a parameter of theirs. Those of CLFOLD_WITH begin with clfold_."""
    codes = {name: rules.code_of(text) for name, text in texts.items()}
    macros = {name: body for code in codes.values() for name, body in PARAMS.findall(code) if body}
    num = 0
    for file, code in codes.items():
        functions = FUNCTION.findall(code)
        num += len(functions)
        for name, params, body in [*functions, ("a macro", "", bodies(code))]:
            own = set(names_of(params, macros))
            for word in sorted({"".join(words) for words in ASSIGNED.findall(body)}):
                is_declared = re.search(rf"[\w}}] {word}\b *[=;,]", body)
                if word in own or (word.startswith("clfold_") and not is_declared):
                    yield f"{file}: {name} assigns to {word}, a parameter"
    heads = r"^(?:static|CLFOLD_KERNEL|kernel)\b[^;={}]*\)\s*\{"
    if num != sum(len(re.findall(heads, code, re.M)) for code in codes.values()):
        yield "a function of cl cannot be read"


def texts_of(root, *folder, end):
    """The files of a folder by their names."""
    names = sorted(name for name in os.listdir(os.path.join(root, *folder)) if name.endswith(end))
    return {name: tools.read(root, *folder, name) for name in names}


def planted(texts, page, plan, items):
    """Faults that must be found, each as (file, old, new, what is said of it)."""
    faults = (
        ("reduce_tiles.cl", "fold_run.cl, ", "", "and does not need fold_run.cl"),
        ("reduce_tiles.cl", "fold_run.cl, ", "fold_run.cl, vectors.cl, ", "needs vectors.cl"),
        ("reduce_tiles.cl", "fold_run.cl, ", "fold_run.cl, fold_runs.cl, ", "no file fold_runs"),
        ("tile_item.cl", " clfold_tile_fold(", " clfold_fold_tile(", "tile_item.cl does not have"),
        ("segments.cl", "*/\n", "*/\n#if CLFOLD_RUNS\n#endif\n", "CLFOLD_RUNS"),
        ("segments.cl", " */\n", " * needs: scan_tiles.cl\n */\n", "needs itself"),
        ("segments.cl", "    clfold_run r;\n", "    clfold_run r;\n    length = 1;\n", "to length"),
        (PAGE, "CLFOLD_CYCLES", "CLFOLD_CYCLE", "nothing uses CLFOLD_CYCLE"),
        ("offsets.cl", ") const ulong clfold_near = (s)", ") clfold_near = (s)", "a macro assigns"),
        ("element.cl", "    return x;\n", "    clfold_n <<= 1;\n    return x;\n", "to clfold_n"),
    )
    all_texts = {PAGE: page, **texts}
    for name, *row in faults:
        def check_changed(text, name=name):
            changed_texts = {**all_texts, name: text}
            its_page = changed_texts.pop(PAGE)
            return [*check(changed_texts, its_page, plan, items), *changed(changed_texts)]

        yield from tools.not_found(all_texts[name], [row], check_changed)


def main(root):
    texts = texts_of(root, "cl", end=".cl")
    plan = "\n".join(texts_of(root, "src", "plan", end=".c").values())
    page = tools.read(root, PAGE)
    items = re.findall(r'item_file = "(\w+)"', plan)
    assemble = tools.read(root, "src", "plan", "assemble.c")
    table = set(re.findall(r'^ *\{ "((?:clfold|CLFOLD)_\w+)", ', assemble, re.M))
    failures = [*check(texts, page, plan, items), *changed(texts)]
    if table != embed.FUNCTIONS:
        failures.append(f"embed.py and assemble.c: functions {table ^ embed.FUNCTIONS}")
    if not failures:
        failures = list(planted(texts, page, plan, items))
    tools.finish(failures, f"{len(texts)} files, {len(embed.FUNCTIONS)} functions")


if __name__ == "__main__":
    main(*sys.argv[1:])
