/* src/base: sizes, text that grows, sentences, status names. */
#include "test.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

#include <pthread.h>

/* In place of src/base/memory.c: the call that brings `allocations` to 0 fails. */
static long allocations = -1;

void *clfold_alloc(size_t size)
{
    if (allocations > 0 && --allocations == 0) {
        return NULL;
    }
    return calloc(1, size);
}

void clfold_free(void *pointer)
{
    free(pointer);
}

static void test_sizes(void **state)
{
    size_t result;

    assert_true(clfold_size_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX);
    assert_false(clfold_size_add(SIZE_MAX, 1, &result));
    assert_true(clfold_size_mul(SIZE_MAX / 2, 2, &result) && result == SIZE_MAX - 1);
    assert_false(clfold_size_mul(SIZE_MAX / 2 + 1, 2, &result));
    assert_true(clfold_size_mul(5, 0, &result) && result == 0);
    assert_int_equal(clfold_size_round_up(0, 8), 0);
    assert_int_equal(clfold_size_round_up(9, 8), 16);
    assert_true(clfold_div_up(UINT64_MAX, 2) == UINT64_MAX / 2 + 1);
    assert_true(clfold_div_up(0, 7) == 0);
}

static void test_text(void **state)
{
    struct text text = { 0 };

    for (int i = 0; i < 1000; ++i) {
        clfold_text_print(&text, "%d,", i);
    }
    clfold_text_append(&text, "end", 3);
    assert_false(text.failed);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    assert_string_equal(text.bytes + text.length - 7, "999,end");
    clfold_text_finish(&text);
    clfold_text_finish(&text);
    assert_null(text.bytes);
}

/* An append that finds no memory is remembered, whatever follows. */
static void test_text_without_memory(void **state)
{
    struct text text = { 0 };

    clfold_text_print(&text, "kept");
    allocations = 1;
    for (int i = 0; i < 100; ++i) {
        clfold_text_print(&text, "more and more");
    }
    assert_true(text.failed);
    assert_memory_equal(text.bytes, "kept", 4);
    allocations = -1;
    clfold_text_finish(&text);
}

static char logged[5000];
static int logged_level;

static void keep_log(void *user, int level, const char *message)
{
    const struct site inner = { NULL, "inner" };

    assert_ptr_equal(user, logged);
    logged_level = level;
    snprintf(logged, sizeof(logged), "%s", message);
    /* A call of the callback's own that fails changes neither text. */
    clfold_fail(&inner, CLFOLD_ERROR_EMPTY, "nothing");
    assert_string_equal(logged, message);
}

static void test_sentences(void **state)
{
    const struct log log = { keep_log, logged, CLFOLD_LOG_WARNING };
    const struct site site = { &log, "sum" };
    char words[6000];

    assert_string_equal(clfold_last_error(), "");
    assert_int_equal(clfold_fail(&site, CLFOLD_ERROR_RANGE, "in_offset %d", 7),
                     CLFOLD_ERROR_RANGE);
    assert_string_equal(clfold_last_error(), "sum: in_offset 7 (CLFOLD_ERROR_RANGE)");
    assert_string_equal(logged, clfold_last_error());
    assert_int_equal(logged_level, CLFOLD_LOG_ERROR);

    clfold_fail(&site, CLFOLD_ERROR_DATA, "%s", clfold_last_error());
    assert_string_equal(logged, "sum: sum: in_offset 7 (CLFOLD_ERROR_RANGE) "
                                "(CLFOLD_ERROR_DATA)");
    assert_string_equal(clfold_last_error(), logged);

    /* A long one is cut, and keeps its end. */
    memset(words, 'w', sizeof(words));
    words[sizeof(words) - 1] = '\0';
    clfold_fail(&site, CL_OUT_OF_RESOURCES, "%s", words);
    assert_int_equal(strlen(clfold_last_error()), 4095);
    assert_string_equal(clfold_last_error() + 4095 - 22, " (CL_OUT_OF_RESOURCES)");

    logged[0] = '\0';
    clfold_log(&log, CLFOLD_LOG_INFO, "too fine");
    assert_string_equal(logged, "");
    clfold_log(&log, CLFOLD_LOG_WARNING, "%s %d", "coarse", 1);
    assert_string_equal(logged, "coarse 1");
    assert_string_equal(clfold_last_error() + 4095 - 22, " (CL_OUT_OF_RESOURCES)");
    clfold_log_call(&log, CL_SUCCESS, "clReleaseEvent");
    assert_string_equal(logged, "coarse 1");
    clfold_log_call(&log, CL_INVALID_EVENT, "clReleaseEvent");
    assert_string_equal(logged, "clReleaseEvent failed (CL_INVALID_EVENT)");
}

static void *other_thread(void *unused)
{
    const struct site site = { NULL, "other" };

    (void)unused;
    assert_string_equal(clfold_last_error(), "");
    clfold_fail(&site, CLFOLD_ERROR_EMPTY, "nothing");
    return NULL;
}

/* A thread's sentence is its own. */
static void test_sentence_of_thread(void **state)
{
    const struct site site = { NULL, "mine" };
    pthread_t thread;

    clfold_fail(&site, CLFOLD_ERROR_DATA, "here");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(clfold_last_error(), "mine: here (CLFOLD_ERROR_DATA)");
}

static void test_status_names(void **state)
{
    assert_string_equal(clfold_status_name(CLFOLD_OK), "CLFOLD_OK");
    assert_string_equal(clfold_status_name(CLFOLD_ERROR_MPI), "CLFOLD_ERROR_MPI");
    assert_string_equal(clfold_status_name(CL_BUILD_PROGRAM_FAILURE),
                        "CL_BUILD_PROGRAM_FAILURE");
    assert_string_equal(clfold_status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    assert_string_equal(clfold_status_name(9), "unknown status");
    assert_string_equal(clfold_status_name(-99999), "unknown status");
    /* Every code of the core API has a name. */
    for (int code = 0; code >= -19; --code) {
        assert_string_not_equal(clfold_status_name(code), "unknown status");
    }
    for (int code = -30; code >= -72; --code) {
        assert_string_not_equal(clfold_status_name(code), "unknown status");
    }
}

static void test_hash(void **state)
{
    const uint32_t words[] = { 1, 2, 3 }, others[] = { 1, 3, 2 };
    uint64_t first = clfold_hash(CLFOLD_HASH_START, words, 1);
    uint64_t places = 0;

    assert_true(clfold_hash(CLFOLD_HASH_START, words, 0) == CLFOLD_HASH_START);
    /* Words one by one are words at once, and their order counts. */
    assert_true(clfold_hash(first, words + 1, 2) ==
                clfold_hash(CLFOLD_HASH_START, words, 3));
    assert_true(clfold_hash(CLFOLD_HASH_START, words, 3) !=
                clfold_hash(CLFOLD_HASH_START, others, 3));
    /* High bits of a word move the low bits of the hash. */
    for (uint32_t bit = 0; bit < 32; ++bit) {
        const uint32_t word = UINT32_C(1) << bit;
        places |= UINT64_C(1) << clfold_hash(CLFOLD_HASH_START, &word, 1) % 64;
    }
    assert_true(places & (places - 1));
}

/* Compilers that mind #line name its files, others the lines of the whole program. */
static void test_lines(void **state)
{
    static const char program[] = "#define A 1\n"             /* 1 */
                                  "#line 1 \"contract.cl\"\n" /* 2 */
                                  "int a;\n"                  /* 3 */
                                  "int b;\n"                  /* 4 */
                                  "#line 7\n"                 /* 5 */
                                  "int c;\n"                  /* 6 */
                                  "#line 30 \"user.c\"\n"     /* 7 */
                                  "a + c";                    /* 8 */
    const struct {
        const char *log, *expected;
    } cases[] = {
        { "input.cl:8:5: error: c\na + c\n    ^\n",
          "user.c:30:5: error: c\na + c\n    ^\n" },
        { "input.cl:3:5: x\ninput.cl:4:1: y", "contract.cl:1:5: x\ncontract.cl:2:1: y" },
        { "input.cl:6: z", "contract.cl:7: z" },
        { "user.c:30:5: error", "user.c:30:5: error" },
        { "contract.cl:3:1: x", "contract.cl:3:1: x" },
        { "input.cl:1:1: before all names", "input.cl:1:1: before all names" },
        { "input.cl:99:1: past the end", "input.cl:99:1: past the end" },
        { "note 3: no place", "note 3: no place" },
        { "", "" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct text text = { 0 };
        clfold_lines_append(&text, program, cases[i].log);
        assert_string_equal(text.bytes ? text.bytes : "", cases[i].expected);
        clfold_text_finish(&text);
    }
    assert_string_equal(clfold_lines_error("a:1:1: warning: w\nb:2:2: error: e\n ^\n"),
                        "b:2:2: error: e\n ^\n");
    assert_string_equal(clfold_lines_error("error: e"), "error: e");
    assert_string_equal(clfold_lines_error("linked\nwrongly"), "linked\nwrongly");
}

TEST_MAIN("base", NULL, NULL, cmocka_unit_test(test_sizes), cmocka_unit_test(test_lines),
          cmocka_unit_test(test_text), cmocka_unit_test(test_text_without_memory),
          cmocka_unit_test(test_sentences), cmocka_unit_test(test_sentence_of_thread),
          cmocka_unit_test(test_status_names), cmocka_unit_test(test_hash))
