/*
 * Words that work-groups pass to each other: the only memory that one group writes and
 * another reads in the same launch. CLFOLD_MEMORY selects the means; each is used only
 * where it compiles and passed the probe (src/device/probe.h).
 *
 *   1 scoped   OpenCL 2 and 3: relaxed atomics of device scope
 *   2 ptx      NVIDIA, whose OpenCL C has no scopes: the same in PTX
 *   3 legacy   OpenCL 1.2: every access is a read-modify-write, which runs where all
 *              groups see it, though the standard does not promise it
 *
 * A word is relaxed: it orders nothing else. What must be read together is in one word,
 * and wider values are in words that each say whether they are there (descriptor.cl).
 * Words have CLFOLD_WORD_BITS, 32 where the device has no 64-bit atomics. There is no
 * mem_fence: it is empty in several drivers.
 *
 * clfold_add() returns what the word was. Where CLFOLD_FENCES is 1, a work-item that
 * reads a word written after a clfold_release() sees, after a clfold_acquire(), what was
 * done before it.
 */
#if CLFOLD_WORD_BITS == 64
typedef ulong clfold_word;
typedef uint clfold_half;
#define CLFOLD_ATOMIC_WORD atomic_ulong
#else
typedef uint clfold_word;
typedef ushort clfold_half;
#define CLFOLD_ATOMIC_WORD atomic_uint
#endif
#define CLFOLD_HALF_BITS (CLFOLD_WORD_BITS / 2)

typedef volatile global clfold_word *clfold_word_pointer;

#if CLFOLD_MEMORY == 1

#define CLFOLD_ATOMIC(p) ((volatile global CLFOLD_ATOMIC_WORD *)(p))

static clfold_word clfold_read(clfold_word_pointer p)
{
    return atomic_load_explicit(CLFOLD_ATOMIC(p), memory_order_relaxed,
                                memory_scope_device);
}

static void clfold_write(clfold_word_pointer p, clfold_word w)
{
    atomic_store_explicit(CLFOLD_ATOMIC(p), w, memory_order_relaxed, memory_scope_device);
}

static clfold_word clfold_add(clfold_word_pointer p, clfold_word w)
{
    return atomic_fetch_add_explicit(CLFOLD_ATOMIC(p), w, memory_order_relaxed,
                                     memory_scope_device);
}

#if CLFOLD_FENCES

static void clfold_release(void)
{
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,
                           memory_scope_device);
}

static void clfold_acquire(void)
{
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire,
                           memory_scope_device);
}

#endif

#elif CLFOLD_MEMORY == 2

static clfold_word clfold_read(clfold_word_pointer p)
{
    clfold_word w;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
    return w;
}

static void clfold_write(clfold_word_pointer p, clfold_word w)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(w) : "memory");
}

static clfold_word clfold_add(clfold_word_pointer p, clfold_word w)
{
    clfold_word old;

    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(p), "l"(w)
                 : "memory");
    return old;
}

static void clfold_release(void)
{
    asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

static void clfold_acquire(void)
{
    asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

#else

#if CLFOLD_WORD_BITS == 64
#define CLFOLD_ADD  atom_add
#define CLFOLD_XCHG atom_xchg
#else
#define CLFOLD_ADD  atomic_add
#define CLFOLD_XCHG atomic_xchg
#endif

static clfold_word clfold_read(clfold_word_pointer p)
{
    return CLFOLD_ADD(p, (clfold_word)0);
}

static void clfold_write(clfold_word_pointer p, clfold_word w)
{
    CLFOLD_XCHG(p, w);
}

static clfold_word clfold_add(clfold_word_pointer p, clfold_word w)
{
    return CLFOLD_ADD(p, w);
}

#endif

#if !CLFOLD_FENCES
#define clfold_release()
#define clfold_acquire()
#endif
