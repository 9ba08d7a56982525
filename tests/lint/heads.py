#!/usr/bin/env python3
"""heads.py ROOT: the head of each file of cl/ says what the file uses of others.

The first comment of a file has lines "needs: other.cl" and "names: CLFOLD_WORD", as
cl/contract.cl explains. What the code uses is compared with them: other files' functions,
types and macros, the host's macros, and the fold's functions. Neither may be missing, and
none may be superfluous. A macro's body may use what a file has that needs the macro's own
file. The check is shown to find faults that are planted.
"""

import os
import re
import sys

import rules
import tools

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "embed"))
import embed  # pylint: disable=wrong-import-position

KINDS = ("tile_vector", "tile_group", "tile_item")
WORD = r"\b(?:CLFOLD|clfold)_\w*[^\W_]\b"
# What lines with a dollar sign become: functions of the fold.
MADE = {"made": "clfold_rounded", "wide_made": "clfold_rounded16", "neutral": "clfold_identity"}
# What these and the texts of the fold use is the contract's to need.
OF_TEXTS = {"user_names.cl", "item.cl", "heads.cl", "clfold_opaque"}
DEFINITIONS = (
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)",
    r"^\}\s*(clfold_\w+)\s*;",
    r"^typedef\b[^;{]*?\b(clfold_\w+)(?:\s+__attribute__.*)?;",
    r"^(?:static|CLFOLD_KERNEL|kernel)\b[^;={]*?\b(clfold_\w+)\s*\(",
)


def directives(code):
    return "\n".join(re.findall(r"^[ \t]*#[ \t]*(?:if|elif)\b.*(?:\\\n.*)*", code, re.M))


def bodies(code):
    return "\n".join(re.findall(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", code, re.M))


def words_of(code):
    code = re.sub(r"\bdefined\s*\(\w+\)|\bdefined\s+\w+", "", code)
    made = {MADE[word] for word in re.findall(r"\$([a-z_]+?)(?:16)?\b", code) if word in MADE}
    return set(re.findall(WORD, code)) | made


class File:
    def __init__(self, text):
        code = rules.code_of(text)
        self.head = embed.needs_of("", text.encode())
        self.needs = [word for word, _ in self.head if word.endswith(".cl")]
        self.names = [word for word, _ in self.head if not word.endswith(".cl")]
        self.defined = {name for pattern in DEFINITIONS for name in re.findall(pattern, code, re.M)}
        self.words = words_of(code)
        self.used = self.words - self.defined
        outside = re.sub(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", "", code, flags=re.M)
        self.in_bodies = self.used - words_of(outside)
        self.asked = words_of(directives(code)) - self.defined


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


def check(texts, functions, items):
    """The faults of the files' heads. `functions`: those that the host writes."""
    files = {name: File(text) for name, text in texts.items()}
    owners = {}
    for name, file in files.items():
        for word in file.defined:
            owners.setdefault(word, set()).add(name)
    contract = set(files["contract.cl"].names)
    everywhere = set().union(*(file.used for file in files.values()))
    for name, file in files.items():
        if len(file.head) != len({word for word, _ in file.head}):
            yield f"{name}: says something twice"
        common = contract if "contract.cl" in file.needs else set()
        wanted = set()
        for need in file.needs:
            found = expanded(need, files, items)
            if not found:
                yield f"{name}: there is no file {need}"
            used = [word for word in file.words if owners.get(word, set()) & set(found)]
            wanted |= set(used)
            common_used = need == "contract.cl" and file.used & contract
            of_texts = name == "contract.cl" and need in OF_TEXTS
            if found and not (used or common_used or of_texts):
                yield f"{name}: needs {need} and uses nothing of it"
            exact = set()
            for other in set(file.needs) & set(files):
                exact |= files[other].defined
            for word in sorted(set(used) - exact):
                for kind in found:
                    if word not in files[kind].defined:
                        yield f"{name}: uses {word}, which {kind} does not have"
        for word in sorted(file.used):
            elsewhere = owners.get(word, set())
            by_user = word in file.in_bodies and any(
                name in reached(owner, files, items) for owner in elsewhere
            )
            if word in wanted or by_user:
                continue
            if elsewhere and not (word in file.names or word in common):
                yield f"{name}: uses {word}, and does not need {' or '.join(sorted(elsewhere))}"
            elif (word.startswith("CLFOLD_") or word in functions) and not elsewhere:
                if word not in file.names and word not in common:
                    yield f"{name}: uses {word} and does not name it"
        for word in file.names:
            if word in OF_TEXTS and name == "contract.cl":
                continue
            if word not in (everywhere if name == "contract.cl" else file.used):
                yield f"{name}: names {word} and does not use it"
            if name != "contract.cl" and word in common:
                yield f"{name}: names {word}, which the contract does"
        # Where it is not defined a condition would take it for 0.
        for word, condition in file.head:
            if condition and word in file.asked and word not in contract:
                yield f"{name}: asks for {word}, which it names if {condition}"
        if name in reached(name, files, items):
            yield f"{name}: needs itself, by way of others"


def texts_of(root):
    folder = os.path.join(root, "cl")
    texts = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".cl"):
            with open(os.path.join(folder, name), encoding="ascii") as file:
                texts[name] = file.read()
    return texts


def read(root, *path):
    with open(os.path.join(root, *path), encoding="ascii") as file:
        return file.read()


def functions_of(root):
    """The functions and types that the host writes for a fold."""
    return set(re.findall(r'^ *\{ "(clfold_\w+)", ', read(root, "src", "plan", "assemble.c"), re.M))


def planted(texts, functions, items):
    """Faults that must be found, each as (file, old, new, what is said of it)."""
    faults = (
        ("reduce_tiles.cl", "fold_run.cl, ", "", "and does not need fold_run.cl"),
        ("reduce_tiles.cl", "fold_run.cl, ", "fold_run.cl, result.cl, ", "needs result.cl"),
        ("reduce_tiles.cl", "fold_run.cl, ", "fold_run.cl, fold_runs.cl, ", "no file fold_runs"),
        ("scan_totals.cl", "CLFOLD_ANCHOR, ", "", "CLFOLD_ANCHOR and does not name it"),
        ("scan_totals.cl", "names: ", "names: CLFOLD_WINDOW, ", "names CLFOLD_WINDOW and does"),
        ("fold_run.cl", "clfold_combine", "clfold_identity", "clfold_combine and does not name"),
        ("tile_item.cl", " clfold_tile_fold(", " clfold_fold_tile(", "tile_item.cl does not have"),
        ("segments.cl", "*/\n", "*/\n#if CLFOLD_RUNS\n#endif\n", "CLFOLD_RUNS"),
        ("look_window.cl", "names: ", "names if CLFOLD_HEADS: ", "asks for CLFOLD_"),
        ("segments.cl", " */\n", " * needs: scan_tiles.cl\n */\n", "needs itself"),
    )
    for name, old, new, said in faults:
        text = texts[name].replace(old, new, 1)
        found = list(check({**texts, name: text}, functions, items))
        if text == texts[name] or not any(said in fault for fault in found):
            yield f"planted in {name}, {old!r} as {new!r}: {found}"


def main(root):
    texts, functions = texts_of(root), functions_of(root)
    items = re.findall(r'item_file = "(\w+)"', read(root, "src", "plan", "monoid.c"))
    failures = list(check(texts, functions, items))
    if not failures:
        failures = list(planted(texts, functions, items))
    tools.finish(failures, f"{len(texts)} files, {len(functions)} functions")


if __name__ == "__main__":
    main(*sys.argv[1:])
