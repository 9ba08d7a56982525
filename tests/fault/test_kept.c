/*
 * Programs that outlive a context: in a folder and by callbacks, damaged, and rejected by
 * the driver. Where a call, an allocation or a file operation fails: test_fault.c.
 */
#include "clspy.h"
#include "file_spy.h"
#include "fixture.h"
#include "write_file.h"

#include "base/entry.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/memory.h"

#include "ops/context.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "clfold-kept-XXXXXX";
static char path[64];
static bool keeps;   /* the driver's programs are kept */
static bool at_once; /* also before the context ends */

/* ---- Contexts ---------------------------------------------------------------------- */

static void open_with(const clfold_context_params *params)
{
    log_clear();
    assert_ok(context_open(&ctx, params));
}

static const clfold_context_params kept = { .cache_folder = path,
                                            .log_level = CLFOLD_LOG_DEBUG };

static void open_kept(void)
{
    open_with(&kept);
}

static clfold_stats stats(void)
{
    clfold_stats found;

    assert_ok(clfold_context_stats(ctx, &found));
    return found;
}

/* Programs that a context has built, loaded and saved. */
static void assert_stats(uint64_t builds, uint64_t hits, uint64_t saves)
{
    const clfold_stats found = stats();

    assert_int_equal(found.builds, builds);
    assert_int_equal(found.disk_hits, hits);
    assert_int_equal(found.disk_saves, saves);
    assert_int_equal(found.build_ns > 0, builds > 0);
    assert_int_equal(found.load_ns > 0, hits > 0);
}

/* With a second program, that compares widths. */
static const struct trial reduction = { .operation = CLFOLD_REDUCE, INTS(COUNT) };
static const struct trial scan = { .operation = CLFOLD_INCLUSIVE_SCAN,
                                   INTS(COUNT),
                                   .algorithm = "reduce_then_scan" };
static const struct trial with_text = {
    .operation = CLFOLD_REDUCE, .subject = &by_text, .plan = TILES, .count = COUNT
};

/* On the null device results are not right. */
static clfold_status sum_up(void)
{
    cl_long result;

    return clfold_reduce_host(ctx, device.queue, &sum, input, 0, COUNT, &result,
                              sizeof(result));
}

/* A context's life, with one sum. Returns its stats before the end. */
static clfold_stats live(const clfold_context_params *params)
{
    open_with(params);
    assert_ok(sum_up());
    const clfold_stats found = stats();
    clfold_context_destroy(&ctx);
    return found;
}

/* ---- The folder -------------------------------------------------------------------- */

/* The entries, the last used first; *files is to be freed. */
static size_t list(struct folder_file **files)
{
    struct folder folder;
    size_t num;

    assert_int_equal(clfold_folder_open(&folder, path, 1), 0);
    assert_int_equal(clfold_folder_list(&folder, files, &num), 0);
    clfold_folder_close(&folder);
    return num;
}

static size_t entries(void)
{
    struct folder_file *files;
    size_t num = list(&files);

    clfold_free(files);
    return num;
}

static void clear(void)
{
    struct folder folder;

    assert_int_equal(clfold_folder_open(&folder, path, 1), 0);
    assert_int_equal(clfold_folder_shrink(&folder, 0, NULL), 0);
    clfold_folder_close(&folder);
}

/* The path of the only entry. */
static const char *only_entry(void)
{
    static char name[128];
    struct folder_file *files;

    assert_int_equal(list(&files), 1);
    snprintf(name, sizeof(name), "%s/%s", path, files[0].name);
    clfold_free(files);
    return name;
}

/* The bytes of the only entry, to be freed, and what they are. */
static char *read_entry(struct entry *entry, size_t *length)
{
    char *bytes;

    assert_int_equal(clfold_file_read(only_entry(), 1 << 26, &bytes, length), 0);
    assert_null(clfold_entry_read(entry, bytes, *length));
    return bytes;
}

/* An entry for the reduction. */
static void fill_folder(void)
{
    clear();
    live(&kept);
}

/* From now on a text is compiled once, and no kernel runs, until
 * clspy_null_device(false). */
static void run_nothing(void)
{
    clspy_keep_binaries();
    clspy_null_device(true);
}

/* ---- Kept and loaded --------------------------------------------------------------- */

/* A plain call saves nothing; trim, destroy and prepare do, once, on PoCL destroy alone.
 * The next context builds nothing. */
static void test_round(void **state)
{
    uint64_t builds;
    open_kept();

    (void)state;
    assert_int_equal(entries(), 0);
    trial_check(&reduction, NULL);
    trial_check(&scan, NULL);
    trial_check(&with_text, NULL);
    builds = stats().builds;
    assert_true(builds >= 3);
    assert_int_equal(entries(), 0);
    assert_stats(builds, 0, 0);
    clfold_context_trim(ctx);
    assert_stats(builds, 0, at_once ? builds : 0);
    assert_int_equal(entries(), at_once ? builds : 0);
    /* Trimmed, the programs are still in memory. */
    trial_check(&with_text, NULL);
    clfold_context_trim(ctx);
    assert_stats(builds, 0, at_once ? builds : 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(entries(), keeps ? builds : 0);
    if (!keeps) {
        return;
    }
    open_kept();
    trial_check(&reduction, NULL);
    trial_check(&scan, NULL);
    trial_check(&with_text, NULL);
    assert_stats(0, builds, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(entries(), builds);
    assert_int_equal(log_count(CLFOLD_LOG_DEBUG), 0);
    clear();
    open_kept();
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL));
    assert_int_equal(entries(), at_once ? stats().builds : 0);
    clfold_context_destroy(&ctx);
    assert_true(entries() > 0);
}

/* The least recently used program goes where the limit is reached. */
static void test_limit(void **state)
{
    clfold_context_params params = { .cache_folder = path };
    struct folder_file *files;

    (void)state;
    fill_folder();
    if (list(&files) == 0) {
        skip();
    }
    params.cache_limit = files[0].size + 1000;
    clfold_free(files);
    open_with(&params);
    trial_check(&with_text, NULL);
    clfold_context_destroy(&ctx);
    open_kept();
    trial_check(&reduction, NULL);
    assert_stats(1, 0, 0);
    clfold_context_destroy(&ctx);
    params.cache_limit = 100;
    clear();
    open_with(&params);
    trial_check(&reduction, NULL);
    clfold_context_trim(ctx);
    assert_stats(1, 0, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(entries(), 0);
}

/* What the key of the only entry has besides the facts of test_key. */
static void assert_facts(void)
{
    char *bytes;
    size_t length;
    struct entry entry;

    bytes = read_entry(&entry, &length);
    assert_non_null(strstr(entry.key, "\nclfold, "));
    assert_non_null(strstr(entry.key, "\noptions, "));
    assert_non_null(strstr(entry.key, "clfold_reduce_tiles"));
    assert_null(strstr(entry.key, "\nCPU, 0:"));
    clfold_free(bytes);
}

/* Opens, folds, and returns whether the program was loaded; else it is kept now. */
static bool loads(void)
{
    const clfold_stats found = live(&kept);

    assert_int_equal(found.builds, found.disk_hits == 0);
    return found.disk_hits > 0;
}

/* On another CPU, and where nothing is known of the CPU. */
static void test_cpu(void)
{
    static const char other[] = "model\t\t: 999\n";
    char cpus[96];

    snprintf(cpus, sizeof(cpus), "%s/cpus", root);
    file_spy_replace(CLFOLD_HOST_CPUS, cpus);
    write_file(cpus, other, sizeof(other) - 1);
    assert_false(loads());
    assert_true(loads());
    unlink(cpus);
    open_kept();
    assert_true(
        log_has(CLFOLD_LOG_WARNING, "programs are not kept", "CL_INVALID_DEVICE"));
    assert_ok(sum_up());
    clfold_context_destroy(&ctx);
    file_spy_replace(NULL, NULL);
    assert_true(loads());
}

/* A fact that differs in nothing else is another key, and so is a driver's variable. */
static void test_key(void **state)
{
    static const struct {
        const char *function;
        cl_uint what;
    } facts[] = {
        { "clGetPlatformInfo", CL_PLATFORM_VERSION },
        { "clGetDeviceInfo", CL_DEVICE_NAME },
        { "clGetDeviceInfo", CL_DEVICE_VENDOR },
        { "clGetDeviceInfo", CL_DEVICE_VERSION },
        { "clGetDeviceInfo", CL_DRIVER_VERSION },
        { "clGetDeviceInfo", CL_DEVICE_ADDRESS_BITS },
        { "clGetPlatformInfo", CL_PLATFORM_NAME }, /* the last: of another driver */
    };
    static const char other[] = "OpenCL 3.0 of another kind";
    const cl_uint bits = 32;
    const char *variable =
        device.is_pocl ? "POCL_WORK_GROUP_KEPT" : "CL_CONFIG_REPLACE_IR_KEPT";
    /* of devices, workers and caches, on which no code depends */
    static const char *const others[] = {
        "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
        "HSA_ENABLE_SDMA",      "NEO_CACHE_DIR",      "POCL_AFFINITY_KEPT",
        "POCL_CACHE_DIR_KEPT",  "POCL_MAX_KEPT",      "CL_CONFIG_CPU_TBB_NUM_WORKERS",
    };

    (void)state;
    if (!keeps) {
        skip();
    }
    fill_folder();
    assert_facts();
    run_nothing();
    assert_true(loads());
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        assert_int_equal(setenv(others[i], "1", 1), 0);
        assert_true(loads());
    }
    assert_int_equal(setenv(variable, "1", 1), 0);
    assert_false(loads());
    assert_int_equal(setenv(variable, "2", 1), 0);
    assert_false(loads());
    assert_true(loads());
    test_cpu();
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); ++i) {
        bool is_number = facts[i].what == CL_DEVICE_ADDRESS_BITS;
        clspy_answer(facts[i].function, facts[i].what,
                     is_number ? (const void *)&bits : other,
                     is_number ? sizeof(bits) : sizeof(other));
        assert_false(loads());
        assert_true(loads());
    }
    /* Of a driver without a row of its own, those of compilers for GPUs count. */
    unsetenv(variable);
    assert_true(loads());
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        assert_int_equal(setenv(others[i], "2", 1), 0);
        assert_true(loads());
        unsetenv(others[i]);
    }
    assert_int_equal(setenv("IGC_KEPT", "2", 1), 0);
    assert_false(loads());
    unsetenv("IGC_KEPT");
    clspy_reset();
    clspy_null_device(false);
}

/* ---- Defects ----------------------------------------------------------------------- */

/* The context builds, and where `mends` replaces the entry. */
static void assert_rebuilds(const char *what, bool mends)
{
    if (loads()) {
        fail_msg("%s: loaded", what);
    }
    if (!log_has(CLFOLD_LOG_DEBUG, "a kept program is rebuilt", "")) {
        fail_msg("%s: no line in the log", what);
    }
    assert_int_equal(log_count(CLFOLD_LOG_ERROR) + log_count(CLFOLD_LOG_WARNING), 0);
    if (loads() != mends) {
        fail_msg("%s: %s", what, mends ? "not mended" : "mended");
    }
}

/* Whatever is wrong with an entry, it is rebuilt and replaced. By the null device,
 * since what is built was built before; and on PoCL alone, as the sweeps. */
static void test_defects(void **state)
{
    char whole[128], *bytes;
    size_t length;
    struct entry entry;

    (void)state;
    if (!keeps || (!device.is_pocl && test_level() < LEVEL_FULL)) {
        skip();
    }
    fill_folder();
    run_nothing();
    snprintf(whole, sizeof(whole), "%s", only_entry());
    bytes = read_entry(&entry, &length);
    size_t key = (size_t)(entry.key - bytes), program = key + entry.key_length;
    /* Every other bit, and every length: unit/entries.c. */
    bytes[program] = (char)(bytes[program] ^ 4);
    write_file(whole, bytes, length);
    assert_rebuilds("a flipped bit", true);
    bytes[program] = (char)(bytes[program] ^ 4);
    /* Whole, but for another key. */
    bytes[key] = (char)(bytes[key] ^ 1);
    clfold_entry_seal(bytes, length);
    write_file(whole, bytes, length);
    assert_rebuilds("another's", true);
    bytes[key] = (char)(bytes[key] ^ 1);
    /* Whole, but no program of the driver's. */
    memset(bytes + program, 'x', length - program);
    clfold_entry_seal(bytes, length);
    write_file(whole, bytes, length);
    assert_rebuilds("not the driver's", true);
    clfold_free(bytes);
    assert_int_equal(unlink(whole), 0);
    assert_int_equal(mkdir(whole, 0700), 0);
    assert_rebuilds("a folder", false);
    assert_int_equal(rmdir(whole), 0);
    assert_int_equal(symlink("/etc/passwd", whole), 0);
    assert_rebuilds("a link", true);
    clspy_null_device(false);
}

/* A folder that cannot be used costs a warning that says why, and no more; one that is
 * removed meanwhile, not even that. Which cannot be used: unit/entries.c. */
static void test_no_folder(void **state)
{
    char file[128];
    const clfold_context_params params = { .cache_folder = file };

    (void)state;
    if (keeps) {
        snprintf(file, sizeof(file), "%s/file", root);
        write_file(file, "", 0);
        open_with(&params);
        assert_true(log_has(CLFOLD_LOG_WARNING, file, "Not a directory"));
        assert_int_equal(log_count(CLFOLD_LOG_WARNING), 1);
        trial_check(&reduction, NULL);
        clfold_context_destroy(&ctx);
        unlink(file);
    }
    open_kept();
    clear();
    rmdir(path);
    trial_check(&reduction, NULL);
    clfold_context_trim(ctx);
    assert_int_equal(stats().disk_saves, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(log_count(CLFOLD_LOG_ERROR) + log_count(CLFOLD_LOG_WARNING), 0);
}

/* ---- Callbacks --------------------------------------------------------------------- */

/* One program; static, since the fixture's log takes no user. */
static struct {
    char key[64];
    unsigned char *bytes;
    size_t size;
    size_t short_by; /* bytes fewer than it said */
    int loads, saves;
} shelf;

static size_t load(void *user, const char *key, void *program, size_t size)
{
    (void)user;
    ++shelf.loads;
    if (strcmp(key, shelf.key) != 0) {
        return 0;
    }
    if (program) {
        assert_int_equal(size, shelf.size);
        memcpy(program, shelf.bytes, size);
        return size - shelf.short_by;
    }
    return shelf.size;
}

static void save(void *user, const char *key, const void *program, size_t size)
{
    (void)user;
    ++shelf.saves;
    assert_int_equal(strlen(key), 16);
    assert_int_equal(strspn(key, "0123456789abcdef"), 16);
    snprintf(shelf.key, sizeof(shelf.key), "%s", key);
    free(shelf.bytes);
    shelf.bytes = malloc(size);
    assert_non_null(shelf.bytes);
    memcpy(shelf.bytes, program, size);
    shelf.size = size;
}

static void test_callbacks(void **state)
{
    clfold_context_params params = { .load_program = load, .save_program = save };
    open_with(&params);

    (void)state;
    trial_check(&reduction, NULL);
    assert_int_equal(shelf.saves, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(shelf.loads, keeps);
    assert_int_equal(shelf.saves, keeps);
    if (!keeps) {
        return;
    }
    /* 0: as it was saved; 1: damaged; 2: shorter than it said; 3: not saved; 4: not
     * loaded. */
    for (int how = 0; how < 5; ++how) {
        shelf.short_by = how == 2;
        shelf.bytes[shelf.size - 1] ^= how == 1;
        params.save_program = how < 3 ? save : NULL;
        params.load_program = how < 4 ? load : NULL;
        open_with(&params);
        trial_check(&reduction, NULL);
        assert_int_equal(stats().disk_hits, how == 0 || how == 3);
        shelf.saves = 0;
        clfold_context_destroy(&ctx);
        assert_int_equal(shelf.saves, how == 1 || how == 2);
    }
    params = (clfold_context_params){ .cache_folder = path, .load_program = load };
    assert_refused(context_open(&ctx, &params), CLFOLD_ERROR_ARGUMENT, "load_program");
    params = (clfold_context_params){ .cache_folder = path, .save_program = save };
    assert_refused(context_open(&ctx, &params), CLFOLD_ERROR_ARGUMENT, "save_program");
    free(shelf.bytes);
    shelf.bytes = NULL;
}

/* ---- Threads ----------------------------------------------------------------------- */

#define THREADS 4

/* Folds by texts of its own, of which two stay in memory, prepares and trims. */
static void *fold_and_save(void *data)
{
    const int number = *(const int *)data;
    char combine[64];
    clfold_fold fold = { .type = CLFOLD_I32,
                         .combine = combine,
                         .flags = CLFOLD_PARTIAL };

    for (int i = 0; i < 12; ++i) {
        cl_int result;
        snprintf(combine, sizeof(combine), "a + b + %d * 0", (number + i) % 6);
        if (clfold_reduce_host(ctx, device.queue, &fold, input, 0, COUNT, &result,
                               sizeof(result)) ||
            (i % 3 == 1 && clfold_prepare(ctx, CLFOLD_REDUCE, &fold, COUNT, NULL))) {
            return (void *)clfold_last_error();
        }
        if (i % 3 == 2) {
            clfold_context_trim(ctx);
        }
    }
    return NULL;
}

/* A log that folds, so that a fold whose program is being saved may be dropped. */
static void fold_in_log(void *user, int level, const char *message)
{
    static bool inside;
    int number = 3;

    (void)user;
    (void)level;
    if (!inside && strstr(message, "is not kept")) {
        inside = true;
        fold_and_save(&number);
        inside = false;
    }
}

/* Folds are saved by some threads while others drop them. Not on PoCL, which aborts where
 * threads fetch binaries, as the spy does. */
static void test_threads(void **state)
{
    const clfold_context_params params = { .cache_folder = path, .max_programs = 2 };
    clfold_context_params logging = { .cache_folder = path,
                                      .max_programs = 1,
                                      .log = fold_in_log,
                                      .log_level = CLFOLD_LOG_DEBUG };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    void *failed;

    (void)state;
    if (!at_once) {
        skip();
    }
    clear();
    clspy_null_device(true);
    open_with(&params);
    for (int i = 0; i < THREADS; ++i) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, fold_and_save, &numbers[i]),
                         0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], &failed);
        if (failed) {
            fail_msg("%s", (const char *)failed);
        }
    }
    clfold_context_destroy(&ctx);
    /* One that cannot save: the folder is gone. */
    clear();
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &logging));
    rmdir(path);
    assert_null(fold_and_save(&numbers[0]));
    clfold_context_trim(ctx);
    clspy_null_device(false);
    logging.log = NULL;
    ctx->log.write = NULL;
    clfold_context_destroy(&ctx);
}

/* ------------------------------------------------------------------------------------ */

static int begin(void **state)
{
    if (fixture_init(state) || !mkdtemp(root)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/folder", root);
    fill_folder();
    keeps = entries() > 0;
    at_once = keeps && !device.is_pocl;
    clear();
    /* All drivers but one are known to keep theirs. */
    if (!keeps) {
        open_kept();
        bool says = log_has(CLFOLD_LOG_DEBUG, "programs are not kept", "no faster");
        clfold_context_destroy(&ctx);
        return says ? 0 : -1;
    }
    return 0;
}

static int end(void **state)
{
    clear();
    return rmdir(path) || rmdir(root) || fixture_finish(state);
}

int main(void)
{
    /* The last ones build the same program very often. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),     cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_folder), cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_key),       cmocka_unit_test(test_defects),
        cmocka_unit_test(test_threads),
    };

    /* PoCL keeps programs itself otherwise. */
    setenv("POCL_KERNEL_CACHE", "0", 1);
    return cmocka_run_group_tests(tests, begin, end);
}
