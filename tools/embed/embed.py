#!/usr/bin/env python3
"""embed.py OUTPUT.c INPUT...: makes text files a table in C, and lists of kernels' parameters.

Nests and devices become rows of tools/predict/predict_texts.h, and kernels, which end in .cl, those
of src/plan/kernel_texts.h. A kernel's first comment may have lines "needs: other.cl, more.cl", with
" if MACRO" before the colon: what stands there goes into the table, in order, and then those of
FUNCTIONS that its code uses.

Bytes are written as numbers: string literals have a length that compilers may reject, and
escapes that a generator may get wrong. A file that kernels should not contain (NUL, not
ASCII, CR, tab, no newline at its end) is rejected, and then OUTPUT.c stays as it was.

A kernel's parameters are buffers, ulongs and uints, which src/plan/launch.h knows by their names,
and the macros that programs define for their folds, GROUPS; most_count is its count, as a kernel
limits that. Other macros of parameters stand for
what the files define them as; those of TRACED are empty in programs that do not trace.
"""

import os
import re
import sys

KERNEL = re.compile(r"^(?:CLFOLD_KERNEL|kernel .*) void\s+(\w+)\(([^)]*)\)$", re.M)
MACRO = re.compile(r"^#define (CLFOLD_\w+_PARAMS)\b((?:.*\\\n)*.*)", re.M)
PARAM = re.compile(r"(?:(ulong|uint)|(?:volatile )?global .*\*) *(?:most_)?(\w+)")
GROUPS = {"CLFOLD_INIT_PARAMS": "PARAM_INIT", "CLFOLD_WITH": "PARAM_WITH"}
TRACED = "CLFOLD_TRACE_PARAMS"

# What the host writes for a fold, once, before the first file that uses it: src/plan/assemble.c.
FUNCTIONS = set("""
CLFOLD_VALUE CLFOLD_VALUE16 CLFOLD_X CLFOLD_X16 clfold_any_cuts clfold_carry clfold_combine
clfold_combine16 clfold_combine_stage clfold_combine_stage16 clfold_cuts clfold_cuts_item
clfold_equal clfold_extend_stage16 clfold_identity clfold_is_rare clfold_kept clfold_kept16
clfold_loaded clfold_loaded16 clfold_opaque clfold_own_value clfold_rounded clfold_rounded16
clfold_usual16 clfold_usual_stage16 clfold_written clfold_written16
""".split())
# What lines with a dollar sign become: functions of the fold.
MADE = {"made": "clfold_rounded", "wide_made": "clfold_rounded16", "neutral": "clfold_identity"}


def check(path, data):
    if not re.fullmatch(r"[\w.-]+", os.path.basename(path), re.ASCII):
        return "the name holds more than letters, digits and _.-"
    if not data.endswith(b"\n"):
        return "does not end in a newline"
    for number, line in enumerate(data.split(b"\n"), 1):
        for byte in line:
            if byte < 0x20 or byte > 0x7E:
                return f"line {number} holds the byte 0x{byte:02x}"
    return None


def table_of(paths):
    texts = {}
    for path in paths:
        name = os.path.basename(path)
        if name in texts:
            raise ValueError(f"{path}: a second file of this name")
        with open(path, "rb") as file:
            data = file.read()
        fault = check(path, data)
        if fault:
            raise ValueError(f"{path}: {fault}")
        texts[name] = data
    return texts


def params_of(text, macros, is_traced=0):
    """The entries of a list of parameters, where macros may stand among them."""
    for part in re.sub(r"(CLFOLD_(?:WITH|\w+_PARAMS))\b", r",\1,", text).split(","):
        part = " ".join(part.replace("\\\n", " ").split())
        param = PARAM.fullmatch(part)
        if part in GROUPS:
            yield f"{GROUPS[part]}, 0, 0, 0"
        elif part in macros:
            yield from params_of(macros[part], macros, int(part == TRACED))
        elif param:
            kind = (param[1] or "buffer").upper()
            yield f"CLFOLD_PARAM({kind}, {param[2]}, {is_traced})"
        elif part:
            raise ValueError(f"'{part}' is not a parameter that the host can give")


def kernel_lines(texts):
    text = "".join(data.decode("ascii") for data in texts.values())
    macros = {name: body for name, body in MACRO.findall(text) if body}
    kernels = [(name, list(params_of(params, macros))) for name, params in KERNEL.findall(text)]
    if len(kernels) != len(re.findall(r"^(?:CLFOLD_KERNEL|kernel)\b", text, re.M)):
        raise ValueError("a kernel's signature cannot be read")
    for name, params in kernels:
        yield f"static const struct param params_of_{name}[] = {{"
        yield from (f"    {{ {param} }}," for param in [*params, "PARAM_NONE, 0, 0, 0"])
        yield from ("};", "")
    yield "const struct clfold_kernel clfold_kernels[] = {"
    yield from (f'    {{ "{name}", params_of_{name} }},' for name, _ in kernels)
    yield from ("    { 0 },", "};", "")


def words_of(code):
    """Names of clfold's in code without comments, and what its words after a dollar sign use."""
    code = re.sub(r"\bdefined\s*\(\w+\)|\bdefined\s+\w+", "", code)
    made = {MADE[word] for word in re.findall(r"\$([a-z_]+?)(?:16)?\b", code) if word in MADE}
    return set(re.findall(r"\b(?:CLFOLD|clfold)_\w*[^\W_]\b", code)) | made


def needs_of(name, text):
    """What the head of a file says that it needs: (word, condition), in order."""
    head = re.match(r"/\*.*?\*/", text, re.S)
    found = re.findall(r"^ \* needs(?: if (\w+))?: (.*)$", head[0], re.M) if head else []
    needs = [(word, condition) for condition, words in found for word in words.split(", ")]
    for word, _ in needs:
        if not re.fullmatch(r"\w+(\.cl)?", word, re.ASCII):
            raise ValueError(f"{name}: its head needs {word!r}, which is not a word")
    return needs


def parts_of(name, text):
    """The same, and then the functions that the file's code uses."""
    used = words_of(re.sub(r"/\*.*?\*/", " ", text, flags=re.S)) & FUNCTIONS
    needs = needs_of(name, text)
    return needs + [(word, "") for word in sorted(used - {word for word, _ in needs})]


def head_of(texts, *includes):
    """The first lines, and each text as an array."""
    yield "/* Generated by tools/embed/embed.py. */"
    yield from (f'#include "{include}"' for include in includes)
    yield ""
    for index, data in enumerate(texts.values()):
        yield f"static const char text_{index}[] = {{"
        data += b"\0"
        for start in range(0, len(data), 20):
            yield "    " + " ".join(f"{byte}," for byte in data[start : start + 20])
        yield "};"


def c_source(texts):
    lines = [*head_of(texts, "plan/kernel_texts.h", "plan/launch.h")]
    for index, name in enumerate(texts):
        lines.append(f"static const struct clfold_kernel_need needs_{index}[] = {{")
        for word, condition in parts_of(name, texts[name].decode("ascii")):
            macro = f'"{condition}"' if condition else "0"
            lines.append(f'    {{ "{word}", {macro} }},')
        lines += ["    { 0 },", "};", ""]
    lines.append("const struct clfold_kernel_text clfold_kernel_texts[] = {")
    for index, (name, data) in enumerate(texts.items()):
        lines.append(f'    {{ "{name}", text_{index}, {len(data)}, needs_{index} }},')
    lines += ["    { 0 },", "};", "", *kernel_lines(texts)]
    return "\n".join(lines)


def predict_source(texts):
    lines = [*head_of(texts, "predict_texts.h"), "const struct predict_text predict_texts[] = {"]
    for index, (path, data) in enumerate(texts.items()):
        name, ending = os.path.splitext(path)
        is_device = "true" if ending == ".device" else "false"
        lines.append(f'    {{ "{name}", text_{index}, {len(data)}, {is_device} }},')
    return "\n".join([*lines, "    { 0 },", "};", ""])


def main(arguments):
    if len(arguments) < 2:
        print("embed.py: usage: embed.py OUTPUT.c INPUT...", file=sys.stderr)
        return 2
    output, inputs = arguments[0], arguments[1:]
    try:
        source = c_source if inputs[0].endswith(".cl") else predict_source
        text = source(table_of(inputs))
        with open(output, "w", encoding="ascii") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        print(f"embed.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
