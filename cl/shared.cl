/*
 * Memory that the work-items of a group share: CLFOLD_SPACE is private where a tile is
 * one work-item's, else local.
 *
 *   CLFOLD_SHARED(type, name)   in a kernel: `name` points to one
 *   clfold_tile_sync()          what work-items wrote there is seen by all
 *
 * Where memory has fences, one work-item's fence of device scope stands for the loads and
 * stores of all.
 *
 * needs: contract.cl
 * names: CLFOLD_FENCES
 */
#if CLFOLD_TILE_GROUP
#define CLFOLD_SPACE local
#if CLFOLD_FENCES
#define clfold_tile_sync() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define clfold_tile_sync() barrier(CLK_LOCAL_MEM_FENCE)
#endif
#else
#define CLFOLD_SPACE private
#define clfold_tile_sync()
#endif

#define CLFOLD_SHARED(type, name)                                                        \
    CLFOLD_SPACE type name##_shared;                                                     \
    CLFOLD_SPACE type *const name = &name##_shared
