/*
 * Sub-groups for AMD's GPUs, as far as group_scan.cl and scan_lookback.cl use them, since
 * libclc has none. A sub-group is a wave. Added before a text for tools/codegen; ROCm's
 * own use the same instructions. Not for running.
 */
#define get_max_sub_group_size() __builtin_amdgcn_wavefrontsize()
#define get_sub_group_size()     __builtin_amdgcn_wavefrontsize()
#define get_sub_group_id()       ((uint)get_local_id(0) / get_sub_group_size())
#define get_sub_group_local_id()                                                         \
    (__builtin_amdgcn_wavefrontsize() == 64                                              \
         ? __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))             \
         : __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define sub_group_barrier(flags)                                                         \
    (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"),                              \
     __builtin_amdgcn_wave_barrier())
#define sub_group_broadcast(x, lane)                                                     \
    ((uint)__builtin_amdgcn_readlane((int)(x), (int)(lane)))

uint __attribute__((overloadable)) sub_group_reduce_min(uint x)
{
    const uint lane = get_sub_group_local_id();

    for (uint o = 1; o < __builtin_amdgcn_wavefrontsize(); o *= 2)
        x = min(x, (uint)__builtin_amdgcn_ds_bpermute((int)((lane ^ o) * 4), (int)x));
    return x;
}
#line 1 "program.cl"
