"""Runs a driver's cases and prints TAP."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import driver_faults  # noqa: E402
import run_devices  # noqa: E402


class Failure(Exception):
    pass


class Skip(Exception):
    pass


# what a case may end in when the command is wrong
ERRORS = (Failure, OSError, subprocess.SubprocessError, LookupError, TypeError,
          ValueError, xml.ParseError)  # fmt: skip


def check(condition, text):
    if not condition:
        raise Failure(text)


def run_command(command, **options):
    """As subprocess.run, and again where a known fault of a driver has ended the command. What
    drivers are known to say is left out of stderr."""
    for _ in range(driver_faults.RUNS):
        done = subprocess.run(command, stderr=subprocess.PIPE, timeout=300, **options)
        fault = driver_faults.seen(done.returncode, done.stderr.decode(errors="replace"))
        if not fault:
            break
        print(f"# {command}: a known fault of the driver: {fault}")
    for noise in driver_faults.known(driver_faults.UNHEARD):
        done.stderr = done.stderr.replace(noise.encode(), b"")
    return done


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


class Runner:
    """The command, and a folder for each case. `run` is the driver's own."""

    def __init__(self, command):
        self.command = command
        self.folder = None
        self.devices = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def good(self, *words, **options):
        done = self.run(*words, **options)
        check(
            done.returncode == 0 and not done.stderr,
            f"{words}: exit {done.returncode}, stderr {done.stderr!r}",
        )
        return done.stdout.decode()

    def left(self):
        return sorted(os.listdir(self.folder))

    def fill_output(self, *words):
        """Standard output that has no room."""
        with open("/dev/full", "wb") as full:
            done = self.run(*words, stdout=full)
        said = b"clfold: standard output: No space left on device\n"
        check(done.returncode == 1 and done.stderr == said, f"{words} on a full device: {done}")

    def bad(self, status, part, *words, **options):
        """Exit status, one line on stderr that has `part` in it, nothing on stdout."""
        done = self.run(*words, **options)
        text = done.stderr.decode(errors="replace")
        check(
            done.returncode == status
            and not done.stdout
            and re.fullmatch(r"clfold: [^\n]*[^\n. ]\n", text)
            and part in text,
            f"{words}: exit {done.returncode}, stdout {done.stdout!r}, stderr {text!r}; "
            f"expected exit {status} and {part!r}",
        )
        return text


def unplaced(run, folder):
    """Sizes of the files that the command writes and has not yet put in their places: they have
    no name, or one in .part."""
    places = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".part")]
    held, here = f"/proc/{run.pid}/fd", os.path.realpath(folder)
    sizes = {}
    try:
        for number in os.listdir(held):
            place = os.path.join(held, number)
            target = os.readlink(place)
            if os.path.dirname(target) == here and target.endswith(" (deleted)"):
                places.append(place)
        for place in places:
            info = os.stat(place)
            sizes[info.st_ino] = info.st_size
    except OSError:  # one is gone since
        pass
    return list(sizes.values())


def on_terminal(command, **options):
    """What the command writes on standard error, which is a terminal."""
    main, other = pty.openpty()
    shown = b""
    options = {"stdout": subprocess.DEVNULL, **options}
    with subprocess.Popen(command, stderr=other, **options) as run:
        os.close(other)
        try:
            while got := os.read(main, 4096):
                shown += got
        except OSError:  # Linux: the other end is closed
            pass
    os.close(main)
    check(run.returncode == 0, f"{command}: exit {run.returncode}, {shown!r}")
    return shown


def help_names(command, words):
    """A case: what the help tells of."""

    def usage(d, _):
        text = d.good(command, "--help")
        missing = [word for word in words if word not in text]
        check(not missing, f"{command} --help does not tell of {missing}")

    return usage


SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def obey():
    """For preexec_fn: signals end it, also where nohup or a shell made this test ignore some."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def new_folder():
    return tempfile.TemporaryDirectory(prefix="clfold-test-")


def share_programs(cache):
    """What the command builds outlives the case, where CLFOLD_TEST_CACHE names a folder. Cases of
    the cache itself remove the link."""
    if shared := os.environ.get("CLFOLD_TEST_CACHE"):
        os.makedirs(os.path.join(shared, "programs"), mode=0o700, exist_ok=True)
        os.mkdir(os.path.join(cache, "clfold"))
        os.symlink(os.path.join(shared, "programs"), os.path.join(cache, "clfold", "programs"))


class Count:
    def __init__(self):
        self.run = self.failed = 0

    def run_case(self, case, driver, device):
        """In a folder of its own: a case that failed may have left files. So is the cache,
        where what probes find out is kept. A group of rows has a case for each."""
        shown = f", device {device['index']} {device['name']}" if device else ""
        with new_folder() as driver.folder, new_folder() as os.environ["XDG_CACHE_HOME"]:
            share_programs(os.environ["XDG_CACHE_HOME"])
            if hasattr(case, "points"):
                for name, point in case.points(driver, device):
                    self.report(name.replace("#", " ") + shown, point)
            else:
                self.report(case.__name__.replace("_", " ") + shown, case, driver, device)

    def report(self, name, case, *arguments):
        self.run += 1
        began = time.monotonic()
        try:
            case(*arguments)
        except Skip as why:
            print(f"ok {self.run} # SKIP {name}: {why}")
        except ERRORS as error:
            self.failed += 1
            print(f"not ok {self.run} - {name}")
            print(f"# {type(error).__name__}: {error}".replace("\n", "\n# "))
        else:
            print(f"ok {self.run} - {name}")
        print(f"# {time.monotonic() - began:.1f} s")
        sys.stdout.flush()


def run_cases(driver, without, with_each, with_none=()):
    """Those without a device, the others on each, or where there is none these. Exits."""
    count = Count()
    run_devices.keep_programs(os.environ)  # or each case would build anew
    driver.devices = json.loads(driver.good("devices", "--json"))
    for case in [*without, *([] if driver.devices else with_none)]:
        count.run_case(case, driver, None)
    for device in driver.devices:
        for case in with_each:
            count.run_case(case, driver, device)
    print(f"1..{count.run}")
    if count.failed:
        sys.exit(1)
    if not driver.devices:
        print("# there is no OpenCL device here")
        sys.exit(77)
