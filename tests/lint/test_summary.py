#!/usr/bin/env python3
"""tests/summary.py counts what Meson ran: a small project is built for it, and tested."""

import os
import sys
import tempfile

import tools

SUMMARY = os.path.join(os.path.dirname(tools.run_devices.__file__), "summary.py")
BEGIN = "<!-- support matrix: begin, written by tools/run-tests -->"
END = "<!-- support matrix: end -->"
ONE = "House: (R) small (OpenCL 3.0, driver 1.5)"
TWO = "Yard: one (OpenCL 1.2, driver 7)"

# The protocol of a test, its program, and what the summary says of it.
TESTS = (
    ("tap", f"""
print("ok 1 - {ONE}: first")
print("ok 2 - {ONE} KIND=x: second # SKIP no f64")
print("# {ONE}: programs: 1 built in 2 s, 3 built or loaded in 0.1 s")
print("1..2")
""", [f"| {ONE} | 1 | 0 | 1 |", "Programs: 1 built in 2 s, 3 built or loaded in 0 s"]),
    ("exitcode", "", []),
    ("exitcode", "raise SystemExit(77)", []),
    ("tap", f"print('not ok 1 - {TWO}: bad'); print('# 2 is not 3'); print('1..1')",
     [f"failed: {TWO}: bad\n  # 2 is not 3\n", f"| {TWO} | 0 | 1 | 0 |"]),
    ("tap", "print('ok 1 - a'); print('1..2', flush=True); import os; os.abort()", ["failed: 4"]),
    ("tap", "print('ok 1 - a'); print('1..1'); raise SystemExit(3)", ["failed: 5"]),
    ("tap", "print('ok 1 - a', flush=True); import time; time.sleep(30)", ["failed: 6"]),
    ("exitcode", "print('one\\ntwo'); raise SystemExit(1)", ["failed: 7\n  one\n  two\n"]),
    ("exitcode", "raise SystemExit(99)", ["failed: 8", "5 passed, 6 failed, 2 skipped"]),
)  # fmt: skip


def build(folder, name, tests):
    """A build folder in which `meson test` has run these."""
    source = os.path.join(folder, name)
    os.mkdir(source)
    lines = ["project('small')", "python = find_program('python3')"]
    for number, (protocol, program, _) in enumerate(tests):
        tools.write(source, f"{number}.py", program)
        lines.append(f"test('{number}', python, args: files('{number}.py'), timeout: 2, "
                     f"protocol: '{protocol}')")
    tools.write(source, "meson.build", "\n".join(lines) + "\n")
    built = os.path.join(source, "build")
    meson = tools.need("meson")
    tools.run([meson, "setup", built, source])
    tools.run([meson, "test", "-C", built])
    return built


def main():
    failures = []

    def check(status, parts, *arguments):
        found, said = tools.run([sys.executable, SUMMARY, *arguments])
        if found != status or not all(part in said for part in parts):
            failures.append(f"{parts}: {found}, {said}")

    with tempfile.TemporaryDirectory() as folder:
        check(1, [part for *_, parts in TESTS for part in parts], build(folder, "bad", TESTS))
        check(0, ["2 passed, 0 failed, 2 skipped"], good := build(folder, "good", TESTS[:3]))
        check(1, ["0 passed, 0 failed, 1 skipped"], build(folder, "skips", TESTS[2:3]))
        page = tools.write(folder, "page.md", f"# a\n{BEGIN}\nold\n{END}\nb\n")
        check(0, [], "--matrix", page, good)
        text = tools.read(page)
        if not (text.startswith(f"# a\n{BEGIN}\n| device |") and "old" not in text
                and text.endswith(f"| {ONE} | 1 | 0 | 1 |\n{END}\nb\n")):
            failures.append(text)
    tools.finish(failures, f"{len(TESTS)} tests")


if __name__ == "__main__":
    main()
