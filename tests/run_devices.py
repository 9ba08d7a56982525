#!/usr/bin/env python3
"""run_devices.py LISTER [options] [-- PROGRAM [ARGUMENT...]]

Runs a test program once for every OpenCL device, each in a process of its own, and reports
to Meson in TAP. LISTER is the built tests/support/list_devices. Without a program it lists
the devices.

A device is reached through a folder that holds one .icd file: OCL_ICD_VENDORS names it, with
a slash at its end, the only form that ocl-icd and the Khronos loader both take. The .icd
files are those of OCL_ICD_VENDORS if it is set, else of /etc/OpenCL/vendors, and of Intel's
CPU runtime where tools/setup-intel-runtime has put it. rusticl shows its CPU device where
RUSTICL_ENABLE does not say otherwise. driver_faults.py has the known faults of drivers that are
allowed for: a program that one of them ended runs again, at most twice, and each is named.

What drivers and clfold keep of programs lies in $CLFOLD_TEST_CACHE, from one run to the next: by
default $XDG_CACHE_HOME/clfold-tests, or that of ~/.cache. After each program a comment says how
many programs were built and how many loaded there, if beside LISTER lies support/builds.c, built.

  --only TEXT       devices whose "platform: device" holds TEXT
  --first           one of these alone, for what does not depend on the device: Intel's, whose
                    compiler is the quickest, or the first
  --from LEVEL TEXT  devices whose "platform: device" holds TEXT only from a level on: wide or
                    full, which CLFOLD_TEST_LEVEL names; always if there is no other
  --full-rest       all but that one only at the level full
  --env NAME=VALUE  set for the program, and shown in the names of its tests
  --env-on TEXT NAME=VALUE  set on the devices whose "platform: device" holds TEXT
  --limit SECONDS   for one process; by default 600, and for random calls as long as they are drawn
  --ranks N,...     the program runs by mpirun, on N ranks, once for each N

Each line of the file that CLFOLD_REQUIRED_DEVICES names must be in some device's name. Without it,
a machine that has no device skips.
"""

import argparse
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import driver_faults

SKIP = 77
LEVELS = ("", "wide", "full")  # of tools/run-tests
FULL = LEVELS.index("full")
LIMIT_SECONDS = 600  # a test program takes at most 180 on a quiet machine
LISTER_SECONDS = 60
STACK_SECONDS = 60
FRAMES = 6  # of a stack, in the line that says how a program ended
# PoCL keeps programs by itself: a load takes 20 to 35 ms of the processor, on a busy machine as
# well, and a build 64 and more. On rusticl a load may take longer than another's build.
LOADED_MS = 45
QUICKEST = "Intel(R) OpenCL"  # of the compilers: twice as quick as PoCL's
# Open MPI runs as any user, on more ranks than there are cores, and in containers.
RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
         "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl": "^tcp",
         "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#.*)?$")
FRAME = re.compile(r"^#\d+ +0x[0-9a-f]+ (?:- \d+ )?(\w+)(?:@\S*)?$")
# "ok 1 - name", "not ok 2 - name", and cmocka's "ok 3 # SKIP name", which some of its
# versions begin with "not ok"
POINT = re.compile(r"^(ok|not ok)\b\s*\d*\s*(?:-\s*)?(# SKIP\b)?\s*(.*)$")


def level():
    """The number of the level that the environment names."""
    return LEVELS.index(os.environ.get("CLFOLD_TEST_LEVEL", ""))


def cache_folder():
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def intel_folder():
    return os.path.join(cache_folder(), "clfold", "intel-runtime", "icd")


def kept_folder(environment):
    """Where what tests keep outlives a run."""
    return environment.get("CLFOLD_TEST_CACHE") or os.path.join(cache_folder(), "clfold-tests")


def keep_programs(environment):
    """Names the folders in which programs outlive a run, where nothing else is named."""
    folder = kept_folder(environment)
    named = {"CLFOLD_TEST_CACHE": folder, "POCL_CACHE_DIR": os.path.join(folder, "pocl"),
             "MESA_SHADER_CACHE_DIR": os.path.join(folder, "mesa")}
    for variable, path in named.items():
        try:
            os.makedirs(path, exist_ok=True)
        except OSError:
            return  # no home, as where packages are built
        environment[variable] = environment.get(variable) or path


def icd_files():
    """The .icd files, without a second one for the same library."""
    named = os.environ.get("OCL_ICD_VENDORS")
    if named and named.endswith(".icd"):
        return [named]
    folders = [named] if named else ["/etc/OpenCL/vendors", intel_folder()]
    patterns = [os.path.join(folder, "*.icd") for folder in folders]
    libraries = {}
    for file in [file for pattern in patterns for file in sorted(glob.glob(pattern))]:
        with open(file, encoding="utf-8", errors="replace") as text:
            libraries.setdefault(text.read().strip(), file)
    return list(libraries.values())


class Device:
    """One device: the folder that shows it, and its number among what that folder shows."""

    def __init__(self, folder, number, name, version, driver, layer=None):
        self.folder, self.number, self.name = folder, number, name
        self.version, self.driver, self.layer = version, driver, layer

    def environment(self, extra=()):
        environment = environment_of(self.folder)
        environment["CLFOLD_TEST_DEVICE"] = str(self.number)
        for variable in driver_faults.known(driver_faults.UNSET, label_of(self)):
            environment.pop(variable, None)
        for pair in driver_faults.known(driver_faults.SET, label_of(self)):
            environment.setdefault(*pair.split("=", 1))
        if self.layer:
            layers = [environment.get("OPENCL_LAYERS"), self.layer]
            environment["OPENCL_LAYERS"] = ":".join(filter(None, layers))
        environment.update(pair.split("=", 1) for pair in extra)
        return environment


def environment_of(folder):
    environment = dict(os.environ, OCL_ICD_VENDORS=folder + "/")
    # The Khronos loader adds the libraries that this names to those of the folder.
    environment.pop("OCL_ICD_FILENAMES", None)
    # rusticl shows the devices of those drivers alone that this names.
    environment.setdefault("RUSTICL_ENABLE", "llvmpipe")
    environment.update(RANKS)
    keep_programs(environment)
    return environment


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stacks_of(pid):
    """What each thread of a process is in; elfutils' eu-stack prints it, if installed."""
    try:
        done = subprocess.run(["eu-stack", "-p", str(pid)], capture_output=True, text=True,
                              timeout=STACK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no stack: {error}\n"
    return done.stdout + done.stderr


def innermost(stacks):
    """The functions that the first thread is in, in words; without those of C++, which are a
    driver's."""
    first = stacks.partition("\nTID ")[2].partition("\nTID ")[0]
    names = [frame[1] for frame in map(FRAME.match, first.splitlines()) if frame]
    return ", in " + " < ".join(names[:FRAMES]) if names else ""


class Run:
    """A process that ran: its output, in words how it ended (None: as it should), the seconds
    that it took, and those of the processor, which do not depend on what else ran."""

    def __init__(self, command, environment, seconds):
        began, used = time.monotonic(), processor_seconds()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
                tempfile.NamedTemporaryFile("r", encoding="ascii") as builds:
            environment = {**environment, "CLFOLD_TEST_BUILDS": builds.name}
            # A session of its own, so that what the program starts ends with it.
            with subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True,
            ) as process:
                self.late, stacks = False, ""
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    self.late, stacks = True, stacks_of(process.pid)
                    os.killpg(process.pid, signal.SIGKILL)
            self.seconds = time.monotonic() - began
            self.processor = processor_seconds() - used
            out.seek(0)
            err.seek(0)
            self.out = out.read().decode(errors="replace")
            self.err = err.read().decode(errors="replace") + stacks
            self.builds = [line.split() for line in builds]
        self.status = process.returncode
        self.fault = None
        if self.late:
            self.fault = f"took more than {seconds} s and was ended{innermost(stacks)}"
        elif self.status < 0:
            self.fault = f"ended by signal {signal.Signals(-self.status).name}"
        elif self.status != 0:
            self.fault = f"ended with {self.status}"

    def programs(self, device):
        """In words, how many programs were built and loaded."""
        took = {}
        for kind, wall, processor in self.builds:
            if kind == "source" and "rusticl" in device.name:
                end = "built or loaded"
            else:
                end = "loaded" if kind == "binary" or float(processor) < LOADED_MS else "built"
            took.setdefault(end, []).append(float(wall) / 1000)
        return "programs: " + ", ".join(f"{len(took[end])} {end} in {sum(took[end]):.1f} s"
                                        for end in sorted(took))


def devices(lister, scratch):
    found = []
    layer = os.path.join(os.path.dirname(os.path.abspath(lister)), "builds.so")
    for index, file in enumerate(icd_files()):
        folder = os.path.join(scratch, str(index))
        os.mkdir(folder)
        shutil.copy(file, folder)
        listing = Run([lister], environment_of(folder), LISTER_SECONDS)
        if listing.fault:
            print(f"# {file}: the list of its devices {listing.fault}")
            for line in listing.err.splitlines():
                print(f"# {line}")
        for line in listing.out.splitlines():
            number, name, version, driver = line.split("\t")
            found.append(Device(folder, int(number), name, version, driver,
                                layer if os.path.exists(layer) else None))
    return found


class Tap:
    """Numbers the test points of several programs."""

    def __init__(self):
        self.count, self.failed = 0, 0

    def point(self, ok, text, skip=None):
        """`skip` says why nothing was tested."""
        self.count += 1
        self.failed += not ok
        text = text.replace("#", "") + (f" # SKIP {skip}" if skip is not None else "")
        print(f"{'ok' if ok else 'not ok'} {self.count} - {text}", flush=True)

    def comment(self, text):
        for line in text.splitlines():
            print(f"# {line}")

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def label_of(device, extra=()):
    level = " ".join(device.version.split()[:2])
    return " ".join([f"{device.name} ({level}, driver {device.driver})", *extra])


def all_passed(out):
    lines = out.splitlines()
    planned = sum(int(plan[1]) for plan in map(PLAN.match, lines) if plan)
    points = [point[1] for point in map(POINT.match, lines) if point]
    return 0 < planned == points.count("ok")


def run(device, command, extra, tap, seconds=LIMIT_SECONDS):
    label = label_of(device, extra)
    tap.comment(f"{label}: {device.version}")
    environment = device.environment(extra)
    environment["CMOCKA_MESSAGE_OUTPUT"] = "TAP"
    for _ in range(driver_faults.RUNS):
        done = Run(command, environment, seconds)
        seen = driver_faults.seen(done.status, done.err, label, all_passed(done.out))
        if not seen or "not ok" in done.out:
            break
        tap.comment(f"{label}: {done.fault}, a known fault of the driver: {seen}")
    planned, points, failed = 0, 0, 0
    for line in done.out.splitlines():
        plan, point = PLAN.match(line), POINT.match(line)
        if plan:
            planned += int(plan[1])
        elif point:
            ok, words = point[1] == "ok" or point[2] is not None, point[3]
            points += 1
            failed += not ok
            tap.point(ok, f"{label}: {words}", "" if point[2] else None)
        else:
            tap.comment(line)
    tap.comment(done.err)
    tap.comment(f"{label}: {done.seconds:.1f} s, {done.processor:.1f} s of the processor")
    if done.builds:
        tap.comment(f"{label}: {done.programs(device)}")
    if done.status == SKIP and not points:
        tap.point(True, label, done.err.strip().replace("\n", "; ") or "the program skipped")
    elif points < planned:
        tap.point(False, f"{label}: {points} of {planned} tests ran, the program "
                  f"{done.fault or 'ended'}")
    elif done.fault and not failed:
        tap.point(False, f"{label}: {done.fault}")
    elif not points and re.search(r"^1\.\.0\s*$", done.out, re.M):
        tap.point(False, f"{label}: no test has this name")
    elif not points:
        tap.point(True, f"{label}: {os.path.basename(command[0])}")


def on_all(lister, test):
    """test(tap, found) with all devices; without one it is skipped."""
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="clfold-devices-") as scratch:
        found = devices(lister, scratch)
        if not found:
            print("1..0 # SKIP no OpenCL device")
            return 0
        test(tap, found)
    return tap.finish()


def wanted_of(file):
    with open(file, encoding="utf-8") as text:
        lines = [line.strip() for line in text]
    return [line for line in lines if line and not line.startswith("#")]


def require(found, file, tap):
    """Lists the devices of a machine that must have some, and fails for each that lacks."""
    wanted = wanted_of(file)
    if not wanted:
        tap.point(False, f"{file} names no device")
    for line in wanted:
        if not any(line in device.name for device in found):
            tap.point(False, f"no OpenCL device is named {line}, and {file} wants one")


def chosen(found, arguments):
    for name, text in arguments.later:
        if level() < LEVELS.index(name):
            found = [device for device in found if text not in device.name] or found
    if arguments.first or (arguments.full_rest and level() < FULL):
        found = sorted(found, key=lambda device: QUICKEST not in device.name)[:1]
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("lister")
    parser.add_argument("--only", default="")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--from", nargs=2, action="append", default=[], dest="later")
    parser.add_argument("--full-rest", action="store_true")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--env-on", nargs=2, action="append", default=[])
    parser.add_argument("--limit", type=float,
                        default=LIMIT_SECONDS + float(os.environ.get("CLFOLD_TEST_SECONDS", 0)))
    parser.add_argument("--ranks", type=lambda text: text.split(","), default=[])
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments, command = parser.parse_args(words[:split]), words[split + 1 :]

    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="clfold-devices-") as scratch:
        found = devices(arguments.lister, scratch)
        if os.environ.get("CLFOLD_REQUIRED_DEVICES"):
            require(found, os.environ["CLFOLD_REQUIRED_DEVICES"], tap)
        found = [device for device in found if arguments.only in device.name]
        for device in chosen(found, arguments):
            own = [pair for text, pair in arguments.env_on if text in device.name]
            extra = arguments.env + own
            for num in arguments.ranks:
                run(device, ["mpirun", "-n", num, *command], extra + [f"RANKS={num}"], tap,
                    arguments.limit)
            if command and not arguments.ranks:
                run(device, command, extra, tap, arguments.limit)
            elif not command:
                tap.point(True, label_of(device))
        if not tap.count:
            named = f" named {arguments.only}" if arguments.only else ""
            print(f"1..0 # SKIP no OpenCL device{named}")
            return 0
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
