/*
 * The types of every program. An element takes three forms. A tile is folded in stages,
 * which may be narrower than the item: bytes summed into ulong go through uint, and u8
 * max through uchar. CLFOLD_STAGE_LIMIT keeps a stage exact.
 *
 *   buffer   CLFOLD_IN ...    --load-->   clfold_stage   --empty-->   clfold_item
 *   u8        3 200 17 ...                  uint, uint16               ulong
 *   f32       3.5 -1 ...              { uint place; float }    { ulong index; float }
 *
 * docs/kernels.md lists what the host puts into a program besides these files: macros,
 * the operator at the widths that they use, and what words after a dollar sign stand for.
 *
 * needs if CLFOLD_TEXTS: user_names.cl
 * needs if CLFOLD_ITEM_FILE: item.cl
 * needs: clfold_opaque
 */
/* Whether a tile in local memory keeps stages instead of the input's scalars, and items
 * instead of results. */
#define CLFOLD_KEEPS_STAGES (CLFOLD_LOAD || CLFOLD_HEADS)
#define CLFOLD_KEEPS_ITEMS  (CLFOLD_WRITES || CLFOLD_HEADS || CLFOLD_KEEPS_SCAN)

/* Members are in a struct of their own, which changes no layout: if a struct begins with
 * a byte, rusticl (Mesa 22.3) copies only that byte. It also copies wrongly what ends in
 * padding, so that CLFOLD_TAIL is these bytes as a member there. */
typedef struct {
    struct {
        $item $name;
        CLFOLD_TAIL
    };
} clfold_folded;

/* What strategies hand on and combine: the same, or counts.cl says what. */
#define CLFOLD_COUNTS (CLFOLD_SCAN && CLFOLD_SELECTS && !CLFOLD_KEEPS_SCAN)
#if !CLFOLD_COUNTS
typedef clfold_folded clfold_item;
#endif

typedef struct {
    struct {
        $stage $name;
        CLFOLD_TAIL
    };
} clfold_stage;

#if CLFOLD_IN_STRUCT || CLFOLD_OUT_STRUCT
typedef struct {
    struct {
        $result $name;
        CLFOLD_RESULT_TAIL
    };
} clfold_element;

typedef char clfold_layout_is_as_the_host_has_it
    [sizeof(clfold_element) == CLFOLD_OUT_SIZE ? 1 : -1];
#endif

#if CLFOLD_TILE_VECTOR
typedef struct {
    $stage16 $name;
} clfold_stage16;
#endif

#if CLFOLD_ITEM16
typedef struct {
    $item16 $name;
} clfold_item16;
#endif

#if CLFOLD_IN_HALF
/* vload_half needs no cl_khr_fp16. */
static float clfold_read_half(ushort bits)
{
    return vload_half(0, (private const half *)&bits);
}

#if CLFOLD_TILE_VECTOR
static float16 clfold_read_half16(ushort16 bits)
{
    return vload_half16(0, (private const half *)&bits);
}
#endif
#endif

#if !CLFOLD_COUNTS
/* An item as in memory, without the padding between its components: clang for NVIDIA
 * keeps those bytes of a private copy in memory, where the item is in registers. */
static clfold_item clfold_taken(clfold_item x)
{
    clfold_item y;

    y.$name = x.$name;
    return y;
}
#endif

/* The stage of elements whose positions count from `base`. */
static clfold_folded clfold_empty(clfold_stage x, ulong base CLFOLD_WITH)
{
    clfold_folded y;

    y.$name = convert_$item(x.$name)$plus_base;
    return y;
}
