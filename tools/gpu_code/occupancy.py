"""How many work-groups a compute unit holds at once, by the vendors' rules.

    NVIDIA 8.0, 9.0   registers are given to a warp by 256, a quarter of them to each of four
                      schedulers; local memory by 128 bytes, 1 KiB of each group the driver's;
                      64 warps, 32 groups
    AMD gfx90a        512 vector registers a lane, by 8; 8 waves of 64 a SIMD, four SIMDs and
                      64 KiB of LDS a compute unit
    AMD gfx10.3, 11   1,024 by 16, or 1,536 by 24; 16 waves of 32 a SIMD, four SIMDs and 128 KiB
                      a work-group processor
"""

from typing import NamedTuple


class Occupancy(NamedTuple):
    groups: int  # a compute unit
    waves: int  # warps that those are
    most: int  # that it could hold


NVIDIA_LOCAL = {"sm_80": 164 * 1024, "sm_90": 228 * 1024}
Amd = NamedTuple("Amd", [(name, int) for name in
                         ("wave", "registers", "unit", "waves", "simds", "local")])
AMD = {
    "gfx90a": Amd(64, 512, 8, 8, 4, 64 * 1024),
    "gfx1030": Amd(32, 1024, 16, 16, 4, 128 * 1024),
    "gfx1100": Amd(32, 1536, 24, 16, 4, 128 * 1024),
}


def up(value, unit):
    return -(-value // unit) * unit


def nvidia(target, threads, registers, local):
    warps = -(-threads // 32)
    of_warp = up(32 * max(registers, 1), 256)
    if registers > 255 or of_warp * up(warps, 4) > 65536:
        return Occupancy(0, 0, 64)
    groups = min(64 // warps, 4 * (16384 // of_warp) // warps,
                 NVIDIA_LOCAL[target] // up(local + 1024, 128), 32)
    return Occupancy(groups, groups * warps, 64)


def waves_by_registers(target, registers):
    """Waves that a SIMD holds, as far as registers go: what clang prints where no local memory
    is in the way."""
    rule = AMD[target]
    return min(rule.waves, rule.registers // up(max(registers, 1), rule.unit))


def amd(target, threads, registers, local):
    rule = AMD[target]
    waves = -(-threads // rule.wave)
    groups = waves_by_registers(target, registers) * rule.simds // waves
    if local > 0:
        groups = min(groups, rule.local // up(local, 512))
    return Occupancy(groups, groups * waves, rule.waves * rule.simds)


def occupancy(target, threads, registers, local):
    """None where the rule is not known."""
    rule = nvidia if target in NVIDIA_LOCAL else amd if target in AMD else None
    return rule and rule(target, threads, registers, local)
