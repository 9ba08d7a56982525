#!/usr/bin/env python3
"""launch.py LISTER PROGRAM: tests/mpi's program where each rank has another device, and where a
rank is killed."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import run_devices  # noqa: E402

# Each rank has variables of its own: NAME_0 is NAME for rank 0.
OWN = ("OCL_ICD_VENDORS", "CLFOLD_TEST_DEVICE")
SHELL = 'for name in {}; do eval "export $name=\\$${{name}}_$OMPI_COMM_WORLD_RANK"; done; exec "$@"'
DEATH_SECONDS = 60


def test_devices(tap, found, program):
    """Integers have the same bits, and sums of floats warn."""
    environment = found[0].environment(["CLFOLD_TEST_MIXED=1", "CMOCKA_MESSAGE_OUTPUT=TAP"])
    for number, device in enumerate(found):
        for name in OWN:
            environment[f"{name}_{number}"] = device.environment()[name]
    command = ["mpirun", "-n", str(len(found)), "sh", "-c", SHELL.format(" ".join(OWN)), "sh",
               program, "test_?e*"]
    done = run_devices.Run(command, environment, run_devices.LIMIT_SECONDS)
    tap.comment(done.out + done.err)
    tap.point(not done.fault and run_devices.all_passed(done.out),
              f"{len(found)} devices: {done.fault or 'passed'}")


def test_death(tap, device, program):
    """All end soon, and mpirun says that they failed."""
    command = ["mpirun", "-n", "3", program, "test_death"]
    done = run_devices.Run(command, device.environment(["CLFOLD_TEST_DEATH=1"]), DEATH_SECONDS)
    tap.comment(done.err)
    tap.point(done.fault and not done.late, f"a rank was killed: {done.fault}")


def main(lister, program):
    def test(tap, found):
        test_death(tap, found[0], program)
        if len(found) > 1:
            test_devices(tap, found, program)

    return run_devices.on_all(lister, test)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
