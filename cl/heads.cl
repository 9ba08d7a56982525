/*
 * Where segments start that are given by flags, keys or offsets. A head is -1, a true
 * lane of a vector, else 0; element 0 has one.
 *
 *   flags   0  7  0  0  1     keys   5  5  6  6  5     offsets   1  4
 *   heads  -1 -1  0  0 -1           -1  0 -1  0 -1     bits      0  1  0  0  1
 *
 * Heads are a part of stages and items, see contract.cl. Where * is the fold's operator,
 * the lifted one lets nothing pass that is before a head:
 *
 *   a op b = head(b) ? b : a * b        head(a op b) = head(a) | head(b)
 *
 * mark_heads.cl turns offsets into bits, 32 in a word, and a word more at the end. A
 * reduction by flags or keys has no heads in its items: find_heads.cl turns them into
 * offsets. A select that scans writes such flags itself, which are heads alone.
 *
 * needs: contract.cl
 * needs if CLFOLD_REVERSE: count.cl
 */
#if CLFOLD_FINDS_PLACES

static int clfold_head_from_left(ulong i CLFOLD_WITH)
{
    return clfold_heads[clfold_heads_at + i];
}

#elif CLFOLD_WAY == 3

static int clfold_head_from_left(ulong i CLFOLD_WITH)
{
    const uint bits = clfold_heads[clfold_heads_at + i / 32];

    return CLFOLD_LOAD_INDEX(i) == 0 ? -1 : -(int)(bits >> i % 32 & 1);
}

#else

static CLFOLD_KEY clfold_key(ulong i CLFOLD_WITH)
{
    return CLFOLD_READ_KEY(i, clfold_heads + clfold_heads_at);
}

#if CLFOLD_WAY == 2

/* The key before element i: of the part's first one it is in a place of its own. */
static bool clfold_has_before(ulong i CLFOLD_WITH)
{
#if CLFOLD_IN_PART
    return i > 0 || clfold_has_key_at;
#else
    return i > 0;
#endif
}

static CLFOLD_KEY clfold_key_before(ulong i CLFOLD_WITH)
{
#if CLFOLD_IN_PART
    if (i == 0)
        return CLFOLD_READ_KEY(clfold_key_at_index, clfold_key_at);
#endif
    return clfold_key(i - 1 CLFOLD_PASS);
}

#endif

static int clfold_head_from_left(ulong i CLFOLD_WITH)
{
    const CLFOLD_KEY b = clfold_key(i CLFOLD_PASS);
    bool is_head = CLFOLD_LOAD_INDEX(i) == 0;

#if CLFOLD_WAY == 1
    is_head |= b != 0;
#else
    const bool has_before = clfold_has_before(i CLFOLD_PASS);
    const CLFOLD_KEY a = clfold_key_before(i + !has_before CLFOLD_PASS);
#if CLFOLD_KEY_EQUAL
    is_head |= !has_before || !clfold_equal(a, b CLFOLD_PASS);
#else
    is_head |= !has_before || a != b;
#endif
#endif
    return -(int)is_head;
}

#endif

static int clfold_head(ulong i CLFOLD_WITH)
{
#if CLFOLD_REVERSE
    /* A segment starts with the element before the next segment's head. */
    const ulong n = clfold_true_n(clfold_n CLFOLD_PASS);

    return i == 0 ? -1 : clfold_head_from_left(n - i CLFOLD_PASS);
#else
    return clfold_head_from_left(i CLFOLD_PASS);
#endif
}

#if CLFOLD_TILE_VECTOR

#if CLFOLD_WAY == 3 && !CLFOLD_REVERSE

/* Those of 16 elements are the lowest. */
static uint clfold_bits16(ulong i CLFOLD_WITH)
{
    global const uint *words = clfold_heads + clfold_heads_at + i / 32;

    return (words[0] | (ulong)words[1] << 32) >> i % 32 & 0xffff;
}

#endif

/* Which of 16 elements are heads. */
static CLFOLD_MASK16 clfold_mask16(ulong i CLFOLD_WITH)
{
    CLFOLD_MASK16 mask;

#if CLFOLD_WAY == 3 && !CLFOLD_REVERSE
    const uint16 lanes = (uint16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                  8192, 16384, 32768);
    mask = (clfold_bits16(i CLFOLD_PASS) & lanes) != 0u;
#elif CLFOLD_FINDS_PLACES
    return vload16(0, clfold_heads + clfold_heads_at + i);
#elif CLFOLD_KEY_EQUAL || CLFOLD_REVERSE
    union {
        CLFOLD_MASK16 v;
        CLFOLD_MASK s[16];
    } of;
    for (uint k = 0; k < 16; ++k)
        of.s[k] = clfold_head(i + k CLFOLD_PASS);
    mask = of.v;
#else
    const CLFOLD_KEY16 b = CLFOLD_READ_KEY16(0, clfold_heads + clfold_heads_at + i);
#if CLFOLD_WAY == 1
    mask = b != (CLFOLD_KEY)0;
#else
    CLFOLD_KEY16 a = b.s00123456789abcde;
    const bool has_before = clfold_has_before(i CLFOLD_PASS);
    if (has_before)
        a.s0 = clfold_key_before(i CLFOLD_PASS);
    mask = a != b;
    if (!has_before)
        mask.s0 = -1;
#endif
#endif
    if (CLFOLD_LOAD_INDEX(i) == 0)
        mask.s0 = -1;
    return mask;
}

/* Whether any is. PoCL's any() takes longer. */
static bool clfold_any_head(ulong i CLFOLD_WITH)
{
#if CLFOLD_WAY == 3 && !CLFOLD_REVERSE
    return CLFOLD_LOAD_INDEX(i) == 0 || clfold_bits16(i CLFOLD_PASS) != 0;
#else
    CLFOLD_MASK16 mask = clfold_mask16(i CLFOLD_PASS);

    mask |= mask.s89abcdef89abcdef;
    mask |= mask.s4567456745674567;
    mask |= mask.s2323232323232323;
    return (mask.s0 | mask.s1) != 0;
#endif
}

#if CLFOLD_HEADS

/* In a stage. */
static CLFOLD_HEAD16 clfold_heads16(ulong i CLFOLD_WITH)
{
    return CLFOLD_TO_HEADS(clfold_mask16(i CLFOLD_PASS));
}

#endif

#endif
