/*
 * What every program is made of, and what it may take for granted.
 *
 * The host writes these macros in front (src/plan/assemble.c):
 *
 *   CLFOLD_IN            the scalar type of the input buffer
 *   CLFOLD_COMPONENTS    scalars an element has there, side by side: 1 or 2
 *   CLFOLD_OUT           the scalar type of the output buffer
 *   CLFOLD_EACH(M)       M(k, name, stage, item) for component k = 0, 1, ...: its name
 *                        and two scalar types
 *   CLFOLD_COMMUTATIVE   1 if the operator may be reordered, else 0
 *   CLFOLD_HAS_IDENTITY  1 if there is a clfold_identity(), else 0
 *   CLFOLD_STAGE_LIMIT   elements that a stage may take before it must be emptied
 *   CLFOLD_TILE_VECTOR or CLFOLD_TILE_GROUP   which tile follows, 1
 *   CLFOLD_TILE          elements a tile
 *   CLFOLD_GROUP_SIZE    work-items a group
 *   CLFOLD_IN16          tile_vector: the vector of 16 CLFOLD_IN
 *   CLFOLD_CHUNK         tile_group: elements that one work-item loads at once, and
 *   CLFOLD_CHUNK_SCALARS   the scalars that they are, 2 to 16, and
 *   CLFOLD_CHUNK_VECTOR    the vector of them
 *
 * An element takes three forms. A tile is folded in stages, which may be narrower than
 * the item: bytes summed into ulong go through uint, and u8 max through uchar. The limit
 * keeps a stage exact.
 *
 *   buffer   CLFOLD_IN ...    --load-->   clfold_stage   --empty-->   clfold_item
 *   u8        3 200 17 ...                  uint, uint16               ulong
 *
 * Behind this file the host writes the operator, once a width, all from one text:
 * clfold_combine on items, clfold_combine_stage, clfold_combine_stage16 (component-wise
 * vectors: lane j is element j), and clfold_identity.
 */
#if !defined(CLFOLD_IN) || !defined(CLFOLD_OUT) || !defined(CLFOLD_EACH)
#error "contract: CLFOLD_IN, CLFOLD_OUT and CLFOLD_EACH must be defined"
#endif
#if !defined(CLFOLD_COMPONENTS) || CLFOLD_COMPONENTS < 1 || CLFOLD_COMPONENTS > 2
#error "contract: CLFOLD_COMPONENTS must be 1 or 2"
#endif
#if !defined(CLFOLD_COMMUTATIVE) || !defined(CLFOLD_HAS_IDENTITY)
#error "contract: CLFOLD_COMMUTATIVE and CLFOLD_HAS_IDENTITY must be 0 or 1"
#endif
#if defined(CLFOLD_TILE_VECTOR) == defined(CLFOLD_TILE_GROUP)
#error "contract: either CLFOLD_TILE_VECTOR or CLFOLD_TILE_GROUP must be defined"
#endif
#if !defined(CLFOLD_TILE) || CLFOLD_TILE < 1
#error "contract: CLFOLD_TILE must be at least 1"
#endif
#if !defined(CLFOLD_STAGE_LIMIT) || CLFOLD_STAGE_LIMIT < CLFOLD_TILE
#error "contract: a stage must hold a whole tile, CLFOLD_STAGE_LIMIT >= CLFOLD_TILE"
#endif
#if !defined(CLFOLD_GROUP_SIZE) || CLFOLD_GROUP_SIZE < 1
#error "contract: CLFOLD_GROUP_SIZE must be at least 1"
#endif
#if defined(CLFOLD_TILE_VECTOR) && CLFOLD_GROUP_SIZE != 1
#error "contract: a tile_vector is one work-item's, CLFOLD_GROUP_SIZE must be 1"
#endif
#if defined(CLFOLD_TILE_VECTOR) && !defined(CLFOLD_IN16)
#error "contract: CLFOLD_IN16 must be defined"
#endif
#if defined(CLFOLD_TILE_GROUP) && (!defined(CLFOLD_CHUNK) || CLFOLD_CHUNK < 1)
#error "contract: CLFOLD_CHUNK must be at least 1"
#endif
#if defined(CLFOLD_TILE_GROUP) && CLFOLD_CHUNK_SCALARS != CLFOLD_CHUNK * CLFOLD_COMPONENTS
#error "contract: CLFOLD_CHUNK_SCALARS must be CLFOLD_CHUNK * CLFOLD_COMPONENTS"
#endif

#define CLFOLD_ITEM_MEMBER(k, name, stage, item) item name;
#define CLFOLD_STAGE_MEMBER(k, name, stage, item) stage name;
#define CLFOLD_STAGE16_MEMBER(k, name, stage, item) stage##16 name;

typedef struct {
    CLFOLD_EACH(CLFOLD_ITEM_MEMBER)
} clfold_item;

typedef struct {
    CLFOLD_EACH(CLFOLD_STAGE_MEMBER)
} clfold_stage;

typedef struct {
    CLFOLD_EACH(CLFOLD_STAGE16_MEMBER)
} clfold_stage16;

/* Element i of the buffer. */
static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong i)
{
    clfold_stage x;
#define CLFOLD_LOAD(k, name, stage, item)                                                \
    x.name = convert_##stage(in[i * CLFOLD_COMPONENTS + k]);
    CLFOLD_EACH(CLFOLD_LOAD)
    return x;
}

static clfold_item clfold_empty(clfold_stage x)
{
    clfold_item y;
#define CLFOLD_EMPTY(k, name, stage, item) y.name = convert_##item(x.name);
    CLFOLD_EACH(CLFOLD_EMPTY)
    return y;
}
