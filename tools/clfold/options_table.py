#!/usr/bin/env python3
"""options_table.py TABLE: prints the options and commands of the text TABLE as C, the rows that
options_table.c includes. TABLE says how a row is written."""

import json
import re
import sys

OPTION = re.compile(r"--(\S+) (\w+) (\S+) ([\w|&~ ]+)((?:; \w+ [^;:]+)*): (.*)")
PARTS = ("usage", "or", "summary", "operands", "about", "notes", "examples")
NOTES = {}


def literal(text):
    """A string of C, in which @NAME is a note, or else a macro."""
    text = re.sub(r"@([A-Z_]+)", lambda found: NOTES.get(found[1], found[0]), text)
    parts = re.split(r"@([A-Z_]+)", text)
    return " ".join(part if i % 2 else json.dumps(part) for i, part in enumerate(parts))


def option(row):
    name, kind, member, commands, fields, text = OPTION.fullmatch(row).groups()
    members = [f'"{name}", VALUE_{kind}, TO({member}), {commands}, .help = {literal(text)}']
    for field in fields.split("; ")[1:]:
        key, value = field.split(" ", 1)
        if key == "letter":
            value = f"'{value}'"
        elif key != "least":
            value = literal(value)
        members.append(f".{key} = {value}")
    print(f"    {{ {', '.join(members)} }},")


def command(name, usage, lines):
    parts, at = dict.fromkeys(PARTS, ""), "about"
    parts["usage"] = usage
    for line in lines:
        key, colon, rest = line.partition(":")
        if colon and key in PARTS[1:4]:
            parts[key] = rest.strip()
        elif line in ("notes:", "examples:"):
            at = key
        else:
            parts[at] += line + "\n"
    num, _, operands = parts["operands"].partition(" ")
    least, _, most = num.partition("-")
    if parts["or"]:
        parts["usage"] += f"\n  or:  {' '.join(filter(None, ['clfold', name, parts['or']]))}"
    parts |= {"name": name, "operands": operands}
    members = [f".{key} = {literal(parts[key])}" for key in parts if key != "or"]
    least, most = int(least or 0), int(most or least or 0)
    members.append(f".num_operands = {least}, .num_optional = {most - least}")
    action = (name or "none").upper().replace("-", "_")
    print(f"    [ACTION_{action}] = {{ {', '.join(members)} }},")


def main(path):
    with open(path) as file:
        lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    rows = re.sub(r"\n {4,}", " ", "\n".join(lines)).splitlines()
    heads = [i for i, row in enumerate(rows) if row.startswith("[")] + [len(rows)]
    NOTES.update(re.findall(r"^(\w+) = (.*)", "\n".join(rows[: heads[0]]), re.M))
    print("const struct option_row option_rows[OPTION_MOST_ROWS] = {")
    for row in rows[: heads[0]]:
        if row.startswith("--"):
            option(row)
    print("};\n\nconst struct command_row command_rows[ACTIONS] = {")
    for head, end in zip(heads, heads[1:]):
        name, usage = re.fullmatch(r"\[([^]]*)] (.*)", rows[head]).groups()
        while not rows[end - 1]:
            end -= 1
        command(name, usage, rows[head + 1 : end])
    print("};")


if __name__ == "__main__":
    main(*sys.argv[1:])
