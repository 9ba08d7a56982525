"""What the stages of gpu-host do, as steps."""

import glob
import hashlib
import json
import os
import subprocess
import sys

from gpu_host.steps import Step

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# Of Meson's device tests, those of most programs first. Together they run
# each operation, algorithm, tile, operator and type.
CHECK = ("trials pinned", "trials cover 1", "trials cover 2", "trials cover 3", "trials cover 4",
         "trials random", "trials variants", "segments", "select", "context", "sizes",
         "group_text functions", "snippets", "user_texts", "group_text scans")  # fmt: skip
LARGE_TYPES = "f32,i32,f64,i64"
ASKED_SECONDS = 60


def die(words):
    sys.exit(f"gpu-host: {words}")


def answer(*command):
    """What a command prints, or None if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT,
                              timeout=ASKED_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


class Host:
    """The programs, and the device that they take by themselves."""

    def __init__(self, folder, carry, carried, out):
        self.folder, self.out = folder, out
        self.clfold = os.path.join(folder, "tools", "clfold", "clfold")
        self.peers = os.path.join(ROOT, "build-gpu-peers") if carried else folder
        if not os.path.exists(self.clfold):
            die(f"{self.clfold} is not there: --stage build makes it")
        listed = json.loads(answer(self.clfold, "devices", "--json") or "[]")
        if not listed:
            die("clfold devices --json lists no device")
        self.device = next((one for one in listed if one["type"] == "gpu"), listed[0])
        path = os.path.join(folder, "meson-info", "intro-tests.json")
        with open(path, encoding="utf-8") as file:
            self.tests = json.load(file)
        commit = None if carried else answer("git", "describe", "--always", "--dirty")
        if not commit:
            with open(os.path.join(carry, "commit"), encoding="utf-8") as file:
                commit = file.read()
        self.version = f"{(answer(self.clfold, '--version') or '').strip()}, {commit.strip()}"

    def key(self):
        """The same for the same programs and the same device."""
        named = [self.device[name] for name in ("platform", "name", "driver_version")]
        found = hashlib.sha256("".join(named).encode())
        for pattern in ("src/*.so", "tests/device/*", "tools/clfold/clfold", "tools/bench/*"):
            for path in sorted(glob.glob(os.path.join(self.folder, pattern))):
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found.update(file.read())
        return found.hexdigest()

    def programs(self):
        """The device tests that are for any device: by name what runs, and Meson's suites."""
        found = {}
        for test in self.tests:
            words = test["cmd"] if "--" in test["cmd"] else [*test["cmd"], "--", ""]
            options, program = words[: words.index("--")], words[words.index("--") + 1 :]
            if program[0].startswith("tests/device/") and not {"--only", "--env"} & set(options):
                suites = {suite.split(":")[-1] for suite in test["suite"]}
                found[test["name"]] = ([os.path.join(self.folder, program[0]), *program[1:]],
                                       suites)
        return found

    def test_step(self, name, program):
        runner = [sys.executable, os.path.join(ROOT, "tests", "run_devices.py"),
                  os.path.join(self.folder, "tests", "list_devices"), "--limit", "{limit}", "--",
                  *program]  # fmt: skip
        return Step(f"test {name}", runner, least=10, beside=True)

    def check(self):
        programs = self.programs()
        missing = [name for name in CHECK if name not in programs]
        if missing:
            die(f"this build has no test {', '.join(missing)}")
        return [Step("devices", [self.clfold, "devices", "--probe"], least=5),
                *(self.test_step(name, programs[name][0]) for name in CHECK)]  # fmt: skip

    def bench(self):
        timed, benches = [self.clfold, "bench", "--json", "--quiet"], f"{self.folder}/tools/bench"
        ladder = [self.clfold, "ladder", "--json", "--quiet"]
        return [
            Step("bench", [*timed, "--min", "2^26"], least=60),
            Step("bench-select", [f"{benches}/bench_select"], least=20),
            Step("bench-segments", [f"{benches}/bench_segments"], least=20),
            Step("ladder", ladder, least=30),
            Step("bench-counts", [*timed, "--max", "2^24"], least=60),
        ]  # fmt: skip

    def compare_step(self, name, peers, types, counts):
        return Step(name, [os.path.join(ROOT, "tools", "compare"), "--json", "--build", self.peers,
                           "--peers", peers, "--types", types, "--counts", counts],
                    least=60)

    def compare(self):
        return [self.compare_step("compare", "cub,boost_compute,pyopencl", LARGE_TYPES,
                                  "2^20,2^23,2^26")]

    def test(self):
        return [self.test_step(name, program) for name, (program, suites) in self.programs().items()
                if "device" in suites]

    def large(self):
        """Counts as far as buffers of 8-byte items fit half the device that clfold takes by
        itself; each peer has buffers of its own, and the host's data."""
        room = min(self.device["max_allocation"] // 8, self.device["global_memory"] // 32)
        counts = [f"2^{power}" for power in (24, 26, 28, 30) if power == 24 or 1 << power <= room]
        return [Step("bench-large", [self.clfold, "bench", "--json", "--quiet", "--folds", "add",
                                     "--types", LARGE_TYPES, "--min", counts[0], "--max",
                                     counts[-1]], least=60),
                self.compare_step("compare-large", "cub", LARGE_TYPES, ",".join(counts))]

    def tune(self):
        found = f"XDG_DATA_HOME={self.out}/data"
        return [Step("tune", ["env", found, self.clfold, "tune", "--quiet"], least=120)]


def build_steps(folder):
    for tool in ("cc", "ninja", "flex", "bison"):
        if not answer(tool, "--version"):
            die(f"{tool} does not run on this machine")
    steps = [Step("build", ["ninja", "-C", folder], least=20, most=1e9)]
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        steps.insert(0, Step("configure", ["meson", "setup", folder, ROOT, "-Dtools=enabled",
                                           "-Dtests=enabled", "-Dexamples=disabled"], least=5))
    return steps
