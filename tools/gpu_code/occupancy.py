"""How many work-groups a compute unit holds at once, by the vendors' rules.

    NVIDIA 8.0, 9.0   registers are given to a warp by 256, a quarter of them to each of four
                      schedulers; local memory by 128 bytes, 1 KiB of each group the driver's;
                      64 warps, 32 groups
    AMD gfx90a        512 vector registers a lane, by 8; 8 waves of 64 a SIMD, four SIMDs and
                      64 KiB of LDS a compute unit
    AMD gfx10.3, 11   1,024 by 16, or 1,536 by 24; 16 waves of 32 a SIMD, four SIMDs and 128 KiB
                      a work-group processor
"""

NVIDIA_LOCAL = {"sm_80": 164 * 1024, "sm_90": 228 * 1024}
# lanes of a wave; registers of a lane, and how many are given at once; waves a SIMD; local memory
AMD = {
    "gfx90a": (64, 512, 8, 8, 64 * 1024),
    "gfx1030": (32, 1024, 16, 16, 128 * 1024),
    "gfx1100": (32, 1536, 24, 16, 128 * 1024),
}


def up(value, unit):
    return -(-value // unit) * unit


def waves_by_registers(target, registers):
    """Waves that a SIMD of AMD's holds, as far as registers go: what clang prints where no local
    memory is in the way."""
    _, of_lane, unit, most, _ = AMD[target]
    return min(most, of_lane // up(max(registers, 1), unit))


def occupancy(target, threads, registers, local):
    """Groups a compute unit, and the warps or waves that those are."""
    if target in AMD:
        lanes, *_, most_local = AMD[target]
        waves = -(-threads // lanes)
        groups = min(4 * waves_by_registers(target, registers) // waves,
                     most_local // up(max(local, 1), 512))
    else:
        waves = -(-threads // 32)
        of_warp = up(32 * max(registers, 1), 256)
        groups = min(64 // waves, 4 * (16384 // of_warp) // waves,
                     NVIDIA_LOCAL[target] // up(local + 1024, 128), 32)
        if registers > 255 or of_warp * up(waves, 4) > 65536:
            groups = 0
    return groups, groups * waves
