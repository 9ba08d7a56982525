/*
 * The types of every program, and what its files may assume.
 *
 * A program is its algorithm's file, after those that it needs (src/plan/assemble.c). The
 * head of each file says what that is, and tests/lint/heads.py compares it with the code:
 *
 *   needs: write.cl      other files. tile.cl, tile_scan.cl, ... stand for those of the
 *                        tile's kind, and item.cl for that of the fold's item
 *   names: CLFOLD_TILE   macros of the list below, which must be defined, and functions
 *                        of the fold, which the host writes before the file, if the fold
 *                        has them. What this file names every file may use that needs it
 *   names if CLFOLD_HEADS: ...   where that macro is not 0; needs likewise
 *
 * The host writes these macros first:
 *
 *   CLFOLD_IN            the scalar type of the input buffer
 *   CLFOLD_IN_HALF       1 if these are the bits of halves, which are read as float
 *   CLFOLD_SCALARS       scalars an element has there, side by side: 1 to 4
 *   CLFOLD_IN_STRUCT     1 if it is a clfold_element, the struct of the components
 *   CLFOLD_COMPONENTS    components an element has once it is loaded: 1 to 4
 *   CLFOLD_CELL          the scalar type that each component takes in the output buffer
 *   CLFOLD_OUT_STRUCT    1 if a result is a clfold_element, which is the cell, and
 *   CLFOLD_OUT_CELLS     cells of a result, and
 *   CLFOLD_OUT_SIZE      its bytes
 *   CLFOLD_ROUNDED       1 if a result is one scalar, clfold_rounded() of an item
 *   CLFOLD_OPAQUE        1 if the component is of a type that only OpenCL C knows, and
 *   CLFOLD_NUMBERS       1 if it is made of numbers, which stages are then: tiles fold
 *                        many at once by item_numbers.cl, and
 *   CLFOLD_ITEM_FILE     1 if it is what a file of its own, item.cl, says
 *   CLFOLD_TAIL          a member for the padding at an item's end, or nothing, and
 *   CLFOLD_RESULT_TAIL   at a result's
 *   CLFOLD_HEADS         1 if segments are given by flags, 2 by keys, 3 by offsets, else
 *                        0; if not 0, items have a head: see heads.cl,
 *   CLFOLD_WAY           the same, but also of reductions by flags or keys, whose offsets
 *                        are found first, and 6 of selects that scan:
 *                        find_heads.cl; if it is not 0:
 *   CLFOLD_HEAD16, CLFOLD_TO_HEADS   the type of 16 stages' heads, and what converts
 *                          to it,
 *   CLFOLD_KEY, CLFOLD_KEY16, CLFOLD_MASK, CLFOLD_MASK16   of what the buffer has: its
 *                          type, and that of comparing 16,
 *   CLFOLD_READ_KEY, CLFOLD_READ_KEY16   what reads key i there, or 16, halves as floats,
 *   CLFOLD_KEY_EQUAL     1 if there is a clfold_equal(a, b),
 *   CLFOLD_KEY_CELL, CLFOLD_HEADS_CELL   what the buffer is made of, which CLFOLD_WITH
 *                          has, and as it may be changed,
 *   CLFOLD_KEY_BITS        in reductions: an unsigned integer as wide, and
 *   CLFOLD_START_ARGS      what is put before each segment: arguments of clfold_init
 *   CLFOLD_WITH          what the fold's arguments are as parameters of functions that
 *                        reach a text of the fold, a comma before each, and
 *   CLFOLD_PASS          as arguments of their calls; and without the first comma
 *   CLFOLD_WITH_ONLY, CLFOLD_PASS_ONLY
 *   CLFOLD_NAMED, CLFOLD_NAMED_ONLY  the parameters by the caller's names, for its texts
 *   CLFOLD_LIMIT_NUM(most, more)   by offsets: where the number of segments, with `more`
 *                        added, is at most `most` and in memory: makes `most` of it
 *   CLFOLD_TEXTS         1 if any text is the caller's, which may use user_names.cl
 *   CLFOLD_READS_IN      1 if anything uses elements of the input
 *   CLFOLD_REVERSE       1 if a scan is from the right: see element.cl and heads.cl
 *   CLFOLD_LOAD          1 if a text of the fold makes of an element what is folded; then
 *   CLFOLD_LOAD_LANES      1 if it does so element by element, else 16 at once,
 *   CLFOLD_LOADS_X         1 if it uses its own element,
 *   CLFOLD_LOADS_SEGMENT   1 if it uses its segment, `own` where it is called, and
 *   CLFOLD_LOAD_CALL, ..._CALL16   its call
 *   CLFOLD_WRITES        1 if what is written is made of an item, else the item is; then
 *   CLFOLD_WRITE_LANES     1 if element by element, else 16 at once,
 *   CLFOLD_WRITES_X        1 if the text uses its own element,
 *   CLFOLD_WRITES_PREV     1 if it uses the item before,
 *   CLFOLD_STORES          1 if it is a statement, whose `out` points to CLFOLD_OUT_X,
 *   CLFOLD_VALUE, CLFOLD_VALUE16   what it sees of an item,
 *   CLFOLD_OUT_ITEM        1 if it gives an item's form, else
 *   CLFOLD_OUT_VALUE       scalars of this type,
 *   CLFOLD_OUT_HALF        1 if these are written as halves, and
 *   CLFOLD_RESULT_CALL, ..._CALL16   its call
 *   CLFOLD_OUT           the scalar type of the output buffer, and
 *   CLFOLD_OUT_SCALARS     how many an element has there: the cells of a result, or
 *                          those of a text
 *   CLFOLD_X, CLFOLD_X16   where texts use elements: what they see of one, which has
 *   CLFOLD_X_ITEM            1: the components' names, else
 *   CLFOLD_FILL_X, ..._X16   what makes it of scalars,
 *   CLFOLD_IN_X            the type that they find in the buffer, and
 *   CLFOLD_ASK_STREAMS     what asks for elements of other buffers ahead
 *   CLFOLD_SELECTS       1 if a scan of counts writes the elements that are kept; then
 *   CLFOLD_KEEP_CALL, ..._CALL16   the call of the condition,
 *   CLFOLD_KEEP_LANES      1 if element by element, else 16 at once,
 *   CLFOLD_KEEPS_X         1 if it uses its own element,
 *   CLFOLD_KEEPS_RUNS      1 if it is of two neighbours, and says that they are the same,
 *   CLFOLD_KEEPS_SCAN      1 if it is of a scan's items, which are scanned then, and
 *   CLFOLD_KEEPS_PREV        1 if of the item before, too,
 *   CLFOLD_WRITES_PLACES     1 if what is written does not use them,
 *   CLFOLD_MAKES_ALL       1 if a result may be made of one that is not kept, too
 *   CLFOLD_COUNT_AT      1 if the true number of elements is in memory, see count.cl
 *   CLFOLD_IN_PART       1 if the call is a part of a larger one, whose elements before
 *                        these are clfold_first, a part of CLFOLD_WITH; then
 *   CLFOLD_CARRY_SIZE, CLFOLD_CARRY_COPY
 *                          of a clfold_carry in memory, which is an item without head
 *   CLFOLD_LOAD_INDEX, CLFOLD_RESULT_INDEX
 *                        where texts are about elements: what i is for them
 *   CLFOLD_TEXT_OFFSETS  1 if CLFOLD_WITH has the segments' offsets, CLFOLD_OFFSETs
 *   CLFOLD_TEXT_SEGMENTS 1 if a text uses the segment, where CLFOLD_WITH has how these
 *                        lie, and what an element's or a result's segment is,
 *   CLFOLD_LOAD_SEGMENT, CLFOLD_RESULT_SEGMENT, ..._SEGMENT16
 *   CLFOLD_INIT_PARAMS   the parameters for init of kernels, see result.cl, and
 *   CLFOLD_INIT_ARGS     these as arguments
 *   CLFOLD_COMMUTATIVE   1 if the operator may be reordered, else 0
 *   CLFOLD_HAS_IDENTITY  1 if there is a clfold_identity(), else 0
 *   CLFOLD_CUTS          1 if there is a clfold_cuts(stage): nothing before it matters
 *   CLFOLD_STAGE_LIMIT   elements that a stage may take before it must be emptied
 *   CLFOLD_TILE_VECTOR, CLFOLD_TILE_GROUP   1 if that tile follows, else 0
 *   CLFOLD_TILE          elements a tile, where there is one
 *   CLFOLD_RUNG          which rung of the ladder, 0 to 6, where it is one
 *   CLFOLD_OFFSET        by offsets: the type of one
 *   CLFOLD_EACH          serial: 1 if there is a result for each element, else 0
 *   CLFOLD_RESUMES       scan_single_group: 1 if launches may go on where one stopped
 *   CLFOLD_OF_CARRIES    serial: 1 if elements are carries of parts, else 0
 *   CLFOLD_OF_PIECES     serial: 1 if elements are items of pieces, else 0
 *   CLFOLD_GROUP_SIZE    work-items a group
 *   CLFOLD_GROUP_POWER   the least power of two, from 2, that is not below it
 *   CLFOLD_KERNEL        the head of a kernel, with its attributes
 *   CLFOLD_IN16          tile_vector: the vector of 16 CLFOLD_IN
 *   CLFOLD_LOADS_32      tile_vector: loads of 32 bytes that get 16 scalars, or 0: one
 *                        load of all
 *   CLFOLD_PREFETCH      tile_vector: 1 if __builtin_prefetch asks for elements ahead
 *   CLFOLD_CHUNK         tile_group: elements that one work-item loads at once, and
 *   CLFOLD_CHUNK_SCALARS   the scalars that they are, 1 to 48,
 *   CLFOLD_CHUNK_VECTOR    the vector of them, or words, and
 *   CLFOLD_CHUNK_ALIGN     the bytes to which these are aligned
 *
 *   CLFOLD_SCAN          1 for scans by tiles or lanes, and then
 *   CLFOLD_EXCLUSIVE     1 if an item is left out of its own fold, else 0
 *   CLFOLD_ANCHOR        tiles from one anchor to the next, see scan_tiles.cl
 *   CLFOLD_WORD              tile_group: what a struct in the input is read by, and
 *   CLFOLD_WORDS               how many of these it is; the same of a result:
 *   CLFOLD_OUT_WORD, CLFOLD_OUT_WORDS; where that is no struct
 *   CLFOLD_OUT_CHUNK           cells that one work-item stores at once, 16 bytes, and
 *   CLFOLD_OUT_CHUNK_VECTOR    a vector of their bytes
 *   CLFOLD_CELL16        tile_vector: the vector of 16 CLFOLD_OUT,
 *   CLFOLD_AS_CELL16       what makes it of as many other bits, and
 *   CLFOLD_CELLS         the vector of CLFOLD_CELLS_SIZE, 8 or 16, in 64 bytes or less,
 *   CLFOLD_CELLS_HALF      its half,
 *   CLFOLD_CELLS_VSTORE    and how it is stored
 *   CLFOLD_ITEM16        1 if items are combined and stored 16 at a time
 *   CLFOLD_NEUTRAL       tile_vector: 1 if each component has what, in front of any
 *                        stage, leaves its bits
 *   CLFOLD_RARE          tile_vector: 1 if there are clfold_usual_stage16 and
 *                          clfold_usual16, which combine what has nothing in it that
 *                          clfold_is_rare, or no head
 *   CLFOLD_BUILTINS      tile_vector: 1 if the compiler is a clang whose attributes
 *                        and builtins are known to work, else 0
 *   CLFOLD_STREAM        tile_vector, scans: 1 if __builtin_nontemporal_store may store
 *
 * Some lines of these files have words after a dollar sign. The host writes such a line
 * once for each component, and for the head if there is one, and replaces the words; a
 * width may follow a type:
 *
 *   k                    the component's number, 0, 1, ...
 *   name                 its name
 *   stage, item          its scalar type in each form
 *   load                 what it is of an element with scalars s[0], s[1], ... at
 *                        position j of its tile
 *   wide_load            the same of 16 elements, with vectors s[0], s[1], ..., or of
 *                        structs at `from`
 *   given                what it is of a result, given.name, or where that is one scalar
 *                        of s[0]
 *   plus_base            what makes an item's position, which counts from in_offset, of a
 *                        stage's, from the tile's first element; else nothing
 *   loaded, wide_loaded  what it is of that which a load gave, l
 *   x                    a member of x, "x.a", or x itself if there is one
 *   is_true              " != 0" where all values but 0 count as 1, else nothing
 *   neutral              the component's neutral value, if CLFOLD_NEUTRAL is 1
 *   mask                 the signed integer of the stage's size
 *   choice               the signed integer of the item's size
 *   ulps                 CLFOLD_ULPS for a float, else 0; in widths.cl
 *
 * Where one of these words is in a line, it is written once for each part of a result,
 * whose number and name k and name are then:
 *
 *   result               its scalar type
 *   made, wide_made      what it is of an item x, of 16
 *   value                a member of value, or value itself
 *
 * An element takes three forms. A tile is folded in stages, which may be narrower than
 * the item: bytes summed into ulong go through uint, and u8 max through uchar. The limit
 * keeps a stage exact.
 *
 *   buffer   CLFOLD_IN ...    --load-->   clfold_stage   --empty-->   clfold_item
 *   u8        3 200 17 ...                  uint, uint16               ulong
 *   f32       3.5 -1 ...              { uint place; float }    { ulong index; float }
 *
 * The host writes the operator from one text, at the widths that files name:
 * clfold_combine on items, clfold_combine_stage, their 16-wide kin (component-wise
 * vectors: lane j is element j), clfold_identity, clfold_cuts, and clfold_any_cuts of 16;
 * for tile_vector clfold_extend_stage16, which is clfold_combine_stage16 where all of a
 * is before b, and where CLFOLD_RARE is 1 clfold_is_rare, clfold_usual_stage16 and
 * clfold_usual16.
 *
 * needs if CLFOLD_TEXTS: user_names.cl
 * needs if CLFOLD_ITEM_FILE: item.cl
 * names: clfold_opaque
 * needs if CLFOLD_HEADS: heads.cl
 * names: CLFOLD_IN, CLFOLD_OUT, CLFOLD_SCALARS, CLFOLD_OUT_SCALARS, CLFOLD_OUT_CELLS
 * names: CLFOLD_CELL, CLFOLD_WITH, CLFOLD_WITH_ONLY, CLFOLD_PASS, CLFOLD_PASS_ONLY
 * names: CLFOLD_INIT_PARAMS, CLFOLD_INIT_ARGS, CLFOLD_KERNEL, CLFOLD_GROUP_SIZE
 * names: CLFOLD_TILE, CLFOLD_LOAD, CLFOLD_WRITES, CLFOLD_WRITES_PREV, CLFOLD_HEADS
 * names: CLFOLD_HAS_IDENTITY, CLFOLD_ITEM16, CLFOLD_KEEPS_SCAN, CLFOLD_SCAN
 * names: CLFOLD_EXCLUSIVE
 * names: CLFOLD_IN_HALF, CLFOLD_IN_STRUCT, CLFOLD_OUT_SIZE, CLFOLD_OUT_STRUCT
 * names: CLFOLD_RESULT_TAIL, CLFOLD_TAIL, CLFOLD_TILE_VECTOR, CLFOLD_TILE_GROUP
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
} clfold_item;

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

/* An item as in memory, without the padding between its components: clang for NVIDIA
 * keeps those bytes of a private copy in memory, where the item is in registers. */
static clfold_item clfold_taken(clfold_item x)
{
    clfold_item y;

    y.$name = x.$name;
    return y;
}

/* The stage of elements whose positions count from `base`. */
static clfold_item clfold_empty(clfold_stage x, ulong base CLFOLD_WITH)
{
    clfold_item y;

    y.$name = convert_$item(x.$name)$plus_base;
    return y;
}
