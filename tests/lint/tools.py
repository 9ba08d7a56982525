"""What the checks that run other tools share."""

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import run_devices  # noqa: E402

SKIP = 77
FULL = run_devices.level() == run_devices.FULL
KEPT_SECONDS = 30 * 86400  # since a result was last needed


def leave_out(why):
    """Ends a check that cannot run here. Where tools must be there, as in CI, that fails."""
    required = os.environ.get("CLFOLD_REQUIRED_TOOLS")
    print(f"{why}, and CLFOLD_REQUIRED_TOOLS is set" if required else f"{why}: skipped")
    sys.exit(1 if required else SKIP)


def need(*names):
    """The first of these programs that is installed."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    return leave_out(f"{names[0]} is not installed")


def need_version(name, version):
    """This version of a program, since what others find differs."""
    for path in filter(None, map(shutil.which, (f"{name}-{version}", name))):
        if re.search(rf"(?i)(version|{name}) {version}\b", run([path, "--version"])[1]):
            return path
    return leave_out(f"{name} {version} is not installed")


def run(command, **options):
    """The exit status and all output of a command."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False, **options,
    )
    return done.returncode, done.stdout


def run_all(commands):
    """The same for several at a time, one a core."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, commands))


def give_way():
    """For a check that keeps all cores busy while other tests run."""
    os.nice(10)


class Passed:
    """Inputs in which a check has found nothing, so that it need not look again: an empty file
    for each, named by a hash of all that the result depends on, in $CLFOLD_TEST_CACHE/lint."""

    def __init__(self):
        self.folder = os.path.join(run_devices.kept_folder(os.environ), "lint")
        try:
            os.makedirs(self.folder, exist_ok=True)
            for file in os.scandir(self.folder):
                if file.stat().st_mtime < time.time() - KEPT_SECONDS:
                    os.remove(file.path)
        except OSError:
            pass
        self.works = os.access(self.folder, os.W_OK)

    def path(self, facts):
        return os.path.join(self.folder, hashlib.sha256(repr(facts).encode()).hexdigest())

    def has(self, facts):
        try:
            os.utime(self.path(facts))
            return True
        except OSError:
            return False

    def add(self, facts):
        try:
            with open(self.path(facts), "wb"):
                pass
        except OSError:
            pass


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def not_found(text, rows, faults_of):
    """Of `rows`, each an old part of a text, a new one and a word: what `faults_of` the changed
    text does not find by this word."""
    for old, new, word in rows:
        changed = text.replace(old, new, 1)
        found = list(faults_of(changed))
        if changed == text or not any(word in fault for fault in found):
            yield f"planted {new!r} for {old!r}: {found}"


def finish(failures, summary):
    """`failures` is a list of texts. Ends the check."""
    for text in failures:
        print(text.rstrip())
    print(f"{summary}: {len(failures)} failed")
    sys.exit(1 if failures else 0)
