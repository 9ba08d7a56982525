"""Groups on a unit by clfold predict and by tools/gpu_code, which tests/codegen compares with what
clang says of each kernel: occupancy.py COMMAND TOOLS"""

import json
import os
import random
import subprocess
import sys
import tempfile

command, tools = sys.argv[1:]
sys.path.insert(0, tools)
from gpu_code import occupancy  # pylint: disable=wrong-import-position

DEVICES = {"a100": "sm_80", "h100": "sm_90", "gfx90a": "gfx90a", "gfx1100": "gfx1100"}
TEXTS, KERNELS = 20, 60


def draw(generator, target):
    """Work-items, registers and local bytes, with which one group fits at least."""
    while True:
        rule = occupancy.AMD.get(target)
        # A unit of gfx1100 is half of what a rule there is about, so that groups are one wave.
        items = rule.wave if target == "gfx1100" else generator.randint(1, 1024)
        registers = generator.randint(1, 255)
        local = 0 if target == "gfx1100" else generator.choice([0, generator.randint(1, 65536)])
        found = occupancy.occupancy(target, items, registers, local)
        if found.groups > 0:
            return items, registers, local, found.groups // (2 if target == "gfx1100" else 1)


def main():
    generator = random.Random(int(os.environ.get("CLFOLD_TEST_SEED", "1")))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "groups.nest")
        for device, target in DEVICES.items():
            for _ in range(TEXTS):
                cases = [draw(generator, target) for _ in range(KERNELS)]
                with open(path, "w", encoding="utf-8") as file:
                    for i, (items, registers, local, _) in enumerate(cases):
                        array = f"array x u8[{local}] local" if local else ""
                        file.write(f"kernel k{i} launch groups = 2^20 size = {items}\n"
                                   f"registers {registers} {array}\n")  # fmt: skip
                words = [command, "predict", path, "--device", device, "--json"]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                for case, line in zip(cases, done.stdout.splitlines()):
                    got = json.loads(line)["groups_of_unit"]
                    if got != case[-1]:
                        print(f"failed: {device}, items, registers, local, groups {case}: {got}")
                        wrong += 1
    print(f"{TEXTS * KERNELS} groups of {len(DEVICES)} devices, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
