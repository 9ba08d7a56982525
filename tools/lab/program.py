"""The driver's end of a program: starts it, asks, and says what went wrong in a sentence."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

import numpy as np

# By the key of an answer, in place of a speed.
TROUBLES = {"failed": "failed", "no_device": "no device", "unsupported": "unsupported"}
SHARED = "/dev/shm"  # or where temporary files are


class Failed(Exception):
    """Ends a view with 1 and this sentence."""


class Trouble(Exception):
    """What is shown in place of a speed."""


class Absent(Trouble):
    """There is no such program on this device, which is not a failure."""


class GoesOn(Trouble):
    """After which the program may be asked again."""


class Unsupported(GoesOn, Absent):
    """It has no such call."""


class WrongResult(GoesOn):
    pass


@contextlib.contextmanager
def replaced(path):
    """The path of a file that is written, and then takes the other's place at once."""
    part = f"{path}.{os.getpid()}.part"
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise Failed(f"{path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


class Shared:
    """A case's arrays in files that programs map, as long as it is entered."""

    def __init__(self, case):
        self.case = case
        need = sum(array.nbytes for array in case.arrays.values()) + sum(case.room().values())
        has_room = os.path.isdir(SHARED) and shutil.disk_usage(SHARED).free >= need
        self.folder = tempfile.TemporaryDirectory(prefix=f"clfold-lab-{os.getpid()}-",
                                                  dir=SHARED if has_room else None)  # fmt: skip

    def __enter__(self):
        self.paths = {}
        try:
            for name, array in self.case.arrays.items():
                self.paths[name] = os.path.join(self.folder.name, f"{name}.npy")
                np.save(self.paths[name], array)
        except OSError as error:  # numpy's own says how many items it wrote
            raise Failed(f"{self.folder.name}: there is no room for the data") from error
        self.results = os.path.join(self.folder.name, "results")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def data_line(self, sets):
        inputs = [f"{name}={self.paths[name]}:{array.nbytes}"
                  for name, array in self.case.arrays.items()]  # fmt: skip
        outputs = [f"{name}={size}" for name, size in self.case.room().items()]
        return "\t".join(["data", str(self.case.count), str(sets), *inputs, *outputs])

    def take_results(self):
        """What a program wrote, by name."""
        room, found = self.case.room(), np.empty(0, np.uint8)
        with contextlib.suppress(FileNotFoundError):
            found = np.fromfile(self.results, np.uint8)
            os.remove(self.results)
        if found.nbytes != sum(room.values()):
            raise Trouble(f"wrote {found.nbytes} bytes of results and not {sum(room.values())}")
        return dict(zip(room, np.split(found, np.cumsum(list(room.values()))[:-1])))


class Program:
    """One that runs, from its first line to its last. `about`: that first line."""

    def __init__(self, command, limit):
        self.limit, self.buffer = limit, b""
        self.errors = tempfile.TemporaryFile()
        # Threads that wait for work sleep, since others have their turn.
        environment = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0",
                       "POCL_AFFINITY": "1", **os.environ}  # fmt: skip
        try:  # in a session of its own, so that what it starts ends with it
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self.errors.close()
            raise Trouble(f"does not start: {error.strerror}") from error
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        try:
            self.about = self.answer("device", Absent)
        except BaseException:
            self.close()
            raise

    def ended(self):
        """How it did, which it should not have."""
        try:
            status = self.process.wait(self.limit)
        except subprocess.TimeoutExpired:
            return f"closed its output and ran on for {self.limit:g} s"
        self.errors.seek(0)
        last = self.errors.read().decode(errors="replace").strip().splitlines()
        said = f": {last[-1].strip()}" if last else ""
        if status < 0:
            return f"ended by {signal.Signals(-status).name}{said}"
        return f"ended with {status}{said}"

    def line(self):
        end = time.monotonic() + self.limit
        while b"\n" not in self.buffer:
            if not self.selector.select(max(0, end - time.monotonic())):
                raise Trouble(f"no answer in {self.limit:g} s")
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                raise Trouble(self.ended())
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode(errors="replace")

    def answer(self, key=None, fails=Trouble):
        """The line's object, which has that key. `fails`: what a failure is that it tells of."""
        line, answer = self.line(), None
        with contextlib.suppress(ValueError):
            answer = json.loads(line)
        if not isinstance(answer, dict):
            raise Trouble(f"answered {line[:100]!r}")
        for trouble, what in TROUBLES.items():
            if trouble in answer:
                kind = Unsupported if trouble == "unsupported" else fails
                raise kind(f"{what}: {answer[trouble]}")
        if key and key not in answer:
            raise Trouble(f"answered {line[:100]!r}")
        return answer

    def ask(self, *words, key=None):
        with contextlib.suppress(OSError):  # it has ended, which its output shows
            self.process.stdin.write("\t".join(map(str, words)).encode() + b"\n")
            self.process.stdin.flush()
        return self.answer(key)

    def round(self, number=0, calls=1, events=False):
        """Seconds of one call, and those by the device's clock or None."""
        words = ["round", number, calls, *(["events"] if events else [])]
        answer = self.ask(*words, key="seconds")
        seconds = answer["seconds"]
        if not isinstance(seconds, (int, float)) or not 0 < seconds < float("inf"):
            raise Trouble(f"took {seconds} s")
        return seconds, answer.get("event_seconds")

    def check(self, shared, expected, number=0):
        """Raises Trouble where the results are not those; None: they are not known."""
        self.ask("check", number, shared.results)
        written = shared.take_results()
        wrong = shared.case.wrong(expected, written) if expected is not None else None
        if wrong:
            raise WrongResult(f"WRONG: {wrong}")

    def close(self):
        self.selector.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(OSError):
                file.close()
