"""Runs the groups of rows.txt, which says how a row is written: the command's words, and what is
to come of them, mostly as numpy has it."""

import io
import json
import os
import re
import shlex

import numpy as np

import driver
from cases import check, read
from driver import NAMES, same

HEAD = re.compile(r"\[([\w|]+)/([^\]]+)\]( plain)?( for .*)?")
ROW = re.compile(r"(?:\((.*?)\) )?(.*?) (=>|~\d*>|!!?>|\?>)(?: (.*))?", re.S)
WITH_OUT = ["scan", "map", "select", "unique"]
TEXTS = re.compile("--(load|result|store|combine|where|same|fold|type-name|components|source)")


def read_lines():
    """Those of the file, each with what continues it."""
    lines = []
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.txt")
    for line in read(path).decode().splitlines():
        if line.startswith("    "):
            lines[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    return lines


def parts():
    heads = filter(None, map(HEAD.fullmatch, read_lines()))
    return {part for head in heads for part in head[1].split("|")}


def groups(part, plain=False):
    """The groups of a part, those that need a device or those that do not."""
    found, group = [], None
    for line in read_lines():
        if head := HEAD.fullmatch(line):
            group = Group(head[2], head[4], part)
            if part in head[1].split("|") and bool(head[3]) == plain:
                found.append(group)
        else:
            group.lines.append(line)
    return found


def equal(told, right, most):
    if right.dtype.names:
        return told.dtype.fields == right.dtype.fields and all(
            equal(told[name], right[name], most) for name in right.dtype.names
        )
    if told.dtype != right.dtype or told.shape != right.shape:
        return False
    if most is not None and right.dtype.kind in "fc":
        return np.allclose(told, right, most or 8 * np.finfo(right.dtype).eps, 0, equal_nan=True)
    return np.array_equal(told, right, equal_nan=right.dtype.kind in "fc")


class Group:
    def __init__(self, name, loop, part):
        self.name, self.loop, self.part, self.lines = name, loop or " for _ in [0]", part, []

    def points(self, d, device):
        """The names of its rows, and what runs them, for each turn of its loop."""
        env = {**vars(driver), **driver.names(d, device), "d": d, "part": self.part}
        for turn in eval(f"list(dict(locals()){self.loop})", env):
            turn.pop(".0", None)
            shown = "".join(f" {key}={value}" for key, value in turn.items()
                            if key != "_" and isinstance(value, (str, int)))  # fmt: skip
            runner = Turn(d, device, {**env, **turn})
            for line in self.lines:
                if row := ROW.fullmatch(line):
                    if eval(row[1] or "True", runner.env):
                        for words in runner.forms(row[2]):
                            name = f"{self.name}{shown[:60]}: {words}"
                            yield name, lambda: runner.run(words, row[3], row[4] or "")
                else:
                    exec(line, runner.env)


class Turn:
    """One turn of a group's loop: its names, and the files that rows use of them."""

    def __init__(self, d, device, env):
        self.d, self.device, self.env, self.saved = d, device, env, {}
        env["at"] = self.save

    def forms(self, words):
        """The rows that one stands for: a|b is either, --json? with and without, ?x a file, raw
        data and text, and %x a file and raw data on standard input."""
        if found := re.search(r" ([?%])(\w+)", words):
            kind, name = NAMES[self.env[found[2]].dtype.name], found[2]
            ways = [f"@{name}", f"--raw {kind} <{name}.bin", f"--text {kind} <{name}.txt"]
            ways = ways if found[1] == "?" else ways[:2]
        elif found := re.search(r"(?:^| )([\w@<$.-]+(?:\|[\w@<$.-]+)+)(?= |$)", words):
            ways = found[1].split("|")
        elif found := re.search(r" (--json)\?", words):
            ways = ["", "--json"]
        else:
            return [words]
        begin, end = words[: found.start()], words[found.end() :]
        return [form for way in ways for form in self.forms(f"{begin} {way}{end}".strip())]

    def insert(self, text):
        """The text with values and paths in the places of their names."""
        text = re.sub(r"\$(\w+)", lambda m: str(self.env[m[1]]), self.values(text))
        return re.sub(r"(?<![\w.])@(\w+)(\.\w+)?", lambda m: self.save(m[1], m[2] or ""), text)

    def values(self, text):
        return re.sub(r"\$\{(.*?)\}", lambda m: str(eval(m[1], self.env)), text)

    def split(self, text):
        """The words, with those of lists in the places of their names."""
        for word in shlex.split(self.values(text)):
            value = self.env.get(word[1:]) if word[:1] == "$" else None
            yield from map(str, value) if isinstance(value, list) else [word]

    def content(self, name, end):
        value = self.env[name]
        if isinstance(value, (str, bytes)):
            return value.encode() if isinstance(value, str) else value
        if end in [".bin", ".txt"]:
            text = " ".join(map(str, value.reshape(-1))).encode()
            return value.tobytes() if end == ".bin" else text
        if end == ".F":
            value = np.asfortranarray(value)
        if end == ".S":
            value = value.astype(value.dtype.newbyteorder())
        file = io.BytesIO()
        np.lib.format.write_array(file, value)
        return file.getvalue()

    def save(self, name, end=""):
        if (name, end) not in self.saved:
            is_text = isinstance(self.env[name], (str, bytes))
            place = name + end + ".npy" * (not is_text and end in ["", ".F", ".S"])
            self.saved[name, end] = self.d.write(self.content(name, end), place)
        return self.saved[name, end]

    def run(self, text, mark, right):
        words, outs, options = [], [], {}
        bad = mark in ["!>", "!!>", "?>"]
        if not bad:
            right = eval(right or "''", self.env)
        for word in map(self.insert, self.split(text)):
            if found := re.fullmatch(r"<(\w+)(\.\w+)?", word):
                words.append("-")
                options["data"] = self.content(found[1], found[2] or "")
            elif word.startswith(">") and len(word) > 2:
                outs.append(word[1:])
                words.append("-" if word[1:3] == "-." else self.d.path(word[1:]))
            elif re.fullmatch(r"[A-Z_]+=.*", word) and not words:
                name, value = word.split("=", 1)
                options.setdefault("env", {**os.environ})[name] = value
            else:
                words.append(word)
        is_array = isinstance(right, np.ndarray) and right.ndim > 0
        if not outs and (words[0] in WITH_OUT or words[0] == "reduce" and is_array):
            if isinstance(right, (str, bytes)) and not bad:
                words.append("-")
            else:
                words += ["--output"] * (words[0] == "reduce") + [self.d.path("out.npy")]
                outs.append("out.npy")
        if self.device and "--device" not in words and words[0] not in ["help", "cache"]:
            words[1:1] = ["--device", self.device["index"]]
        places = [self.d.path(out) for out in outs if out[:2] != "-."]
        before = {*os.listdir(self.d.folder), *outs}
        try:
            if bad:
                self.reject(words, mark, self.insert(right), options)
                check(not any(map(os.path.isfile, places)), f"{words}: an output is there")
            else:
                self.accept(words, mark, right, outs, options)
            for (name, end), place in self.saved.items():
                if isinstance(self.env[name], (str, bytes)):
                    same_one = read(place) == self.content(name, end)
                    check(same_one, f"{words}: {name} is changed")
            left = set(os.listdir(self.d.folder)) - before
            check(not left, f"{words}: left {left}")
        finally:
            for place in places:
                if os.path.isfile(place) and place not in self.saved.values():
                    os.remove(place)

    def reject(self, words, mark, part, options):
        """All parts are said; of a text that does not compile once where, and a hint or none."""
        if mark != "?>":
            first, *rest = part.split(" ;; ")
            said = self.d.bad(len(mark) - 1, first, *words, **options)
            check(all(one in said for one in rest), f"{words}: {said!r} without {rest}")
            return
        done = self.d.run(*words, **options)
        told, (place, _, hint) = done.stderr.decode(), part.partition(" ;; ")
        hints = re.findall(r"^clfold: hint: (.*)", told, re.M)
        check(done.returncode == 1 and told.count(place) == 1 and not done.stdout, f"{done}")
        check(len(hints) == bool(hint) and hint in "".join(hints), f"{words}: {hints}")

    def accept(self, words, mark, right, outs, options):
        done = self.d.run(*words, **options)
        # rusticl warns of control flow in programs of users
        is_text = any(TEXTS.match(str(word)) for word in words)
        check(done.returncode == 0 and (is_text or not done.stderr), f"{done}")
        most = float(f"1e-{mark[1:-1]}") if mark[1:-1] else 0.0 if mark == "~>" else None
        if isinstance(right, dict):
            check_members(json.loads(done.stdout), right, done.stdout)
            if "OUT" in right:
                self.compare(words, done, outs[0], right["OUT"], most)
        elif not outs:
            told = done.stdout if isinstance(right, bytes) else done.stdout.decode()
            check(same_text(told, right, most), f"{words}: {told[:999]!r}, not {right!r}")
        else:
            rights = right if isinstance(right, tuple) else (right,)
            for out, one in zip(outs, rights, strict=True):
                self.compare(words, done, out, one, most)

    def compare(self, words, done, out, right, most):
        content = done.stdout
        if out[:2] != "-.":
            check(not content or "--json" in words, f"{words}: prints {content!r}")
            content = read(self.d.path(out))
        if isinstance(right, (str, bytes)):
            told, right = content, right.encode() if isinstance(right, str) else right
            same_ones = told == right
        else:
            dtype = getattr(right, "dtype", None)
            told = driver.read_out(content, os.path.splitext(out)[1], dtype)
            if out.endswith(".bin"):
                told = told.reshape(right.shape)
            if callable(right):
                same_ones = right(told)
            elif isinstance(right, list):
                same_ones = told.tolist() == right if most is None else np.allclose(
                    np.array(told.tolist(), "f8"), np.array(right, "f8"), most, most)  # fmt: skip
            else:
                same_ones = equal(told, right, most)
        check(same_ones, f"{words}: {told!r} in {out}, not {right!r}")


def check_members(told, right, text):
    """The members that are named: their values, what holds of them, or None where there is none."""
    for key, value in right.items():
        if key == "keys":
            check(list(told) == value and len(text.splitlines()) == 1, f"{text}")
        elif key == "OUT":
            continue
        elif value is None:
            check(key not in told, f"{key} in {text}")
        elif callable(value):
            check(value(told[key]), f"{key} of {text}")
        else:
            check(told[key] == value and isinstance(told[key], bool) == isinstance(value, bool),
                  f"{key} of {text}, not {value}")  # fmt: skip


def same_text(told, right, most):
    """What is printed: as it is, what holds of it, or its numbers."""
    if isinstance(right, (str, bytes)):
        return told == right
    if callable(right):
        return right(told)
    numbers = np.atleast_1d(right) if isinstance(right, np.ndarray) else np.atleast_1d(
        np.array(right))  # fmt: skip
    words = told.split()
    if len(words) != numbers.size or told.count("\n") != 1:
        return False
    if most is None:
        return all(same(word, number) for word, number in zip(words, numbers.reshape(-1)))
    return np.allclose(list(map(float, words)), numbers, most or 8 * np.finfo(numbers.dtype).eps, 0)
