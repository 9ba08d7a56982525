/*
 * Every argument that is rejected, by every function that has it: a row each of
 * rejections.txt, which says how rows are written. A rejected call has the row's status,
 * and a sentence that names the call, the argument and its value; outputs stay as they
 * were, *event becomes NULL, and nothing is enqueued, built or kept. Without the row's
 * change the call is accepted. On clspy's null device, where builds are made to fail: a
 * call that is accepted gets as far as its build.
 */
#include <clfold/experimental.h>
#include "calls.h"
#include "clspy.h"
#include "one_context.h"
#include "test.h"

#include "base/text.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <ctype.h>

#define COUNT     1000
#define TEXT_SIZE 1000 /* of a row, at most */

/* ---- Functions --------------------------------------------------------------------- */

/* What a function may write on the host. */
static struct outputs {
    unsigned char result[4 * 8];
    clfold_report report;
    clfold_layout layout;
    clfold_tuning_row row;
    clfold_lookback known;
    clfold_stats stats;
    clfold_tile_trace tiles[8];
    size_t num_tiles, needed;
    char text[16];
} outputs;

/* All that a function may be given. */
static struct given {
    clfold_context *context, *created, **creates;
    cl_command_queue queue;
    const clfold_fold *from; /* the fold */
    cl_mem in, out;
    size_t in_offset, out_offset, count;
    cl_uint num_wait;
    const cl_event *wait;
    cl_event event;
    void *result;
    size_t result_size;
    clfold_operation operation;
    clfold_placement placement;
    uint32_t stage;
    char *text;
    const char *prefix;
    size_t size, group_size, capacity;
    void *num, *into; /* of tiles, and what explain and its kin fill */
    clfold_tile_trace *tiles;
    cl_context of;
    cl_device_id device;
    cl_device_id queue_of;   /* what queues say of their device; NULL: the truth */
    cl_mem_object_type kind; /* what memory says that it is; 0: the truth */
    clfold_context_params params;
    struct debug debug;
    clfold_fold fold;
    clfold_segments segments;
    clfold_part part;
    clfold_arg arg;
    char texts[2][TEXT_SIZE]; /* of which its strings are parts */
} given;

/* clang-format off */
#define RANGES     given.in, given.in_offset, given.out, given.out_offset, given.count
#define WAIT       given.num_wait, given.wait
#define CALL       given.context, given.queue, given.from
#define ENQUEUE    CALL, RANGES, WAIT, &given.event
#define BEFOREHAND given.context, given.operation, given.from, given.count
#define INTO(of)   given.into ? &outputs.of : NULL
#define TEXT       given.text, given.size, &outputs.needed

/* Those of call_rows first, then one more with an event; last what says beforehand what a
 * call would. */
#define FUNCTIONS(F)                                                                     \
    F(reduce, ENQUEUE)                                                                   \
    F(reduce_host, CALL, given.in, given.in_offset, given.count, given.result,           \
      given.result_size)                                                                 \
    F(inclusive_scan, ENQUEUE)                                                           \
    F(exclusive_scan, ENQUEUE)                                                           \
    F(map, ENQUEUE)                                                                      \
    F(select, ENQUEUE)                                                                   \
    F(fold_carries, ENQUEUE)                                                             \
    F(trace, CALL, RANGES, given.tiles, given.capacity, given.num)                       \
    F(group_text, given.context, given.from, given.prefix, given.group_size, TEXT)       \
    F(explain_lookback, given.context, CL_TRUE, INTO(known))                             \
    F(context_create, given.creates, given.of, given.device, &given.params)              \
    F(context_stats, given.context, INTO(stats))                                         \
    F(check_call, given.context, given.operation, given.queue, given.from, RANGES, WAIT) \
    F(prepare, BEFOREHAND, &given.placement)                                             \
    F(explain, BEFOREHAND, &given.placement, INTO(report))                               \
    F(explain_text, BEFOREHAND, &given.placement, given.stage, TEXT)                     \
    F(explain_tuning, BEFOREHAND, INTO(row))                                             \
    F(fold_layout, given.from, INTO(layout))
#define MAKE(name, ...)                                                                  \
    static clfold_status make_##name(void) { return clfold_##name(__VA_ARGS__); }
#define ROW(name, ...)    { "clfold_" #name, make_##name },
#define NUMBER(name, ...) IS_##name,
/* clang-format on */

FUNCTIONS(MAKE)
static const struct function {
    const char *name;
    clfold_status (*make)(void);
} functions[] = { FUNCTIONS(ROW) };
enum { FUNCTIONS(NUMBER) NUM_FUNCTIONS };

static bool has_event(size_t f)
{
    return f <= IS_fold_carries && f != IS_reduce_host;
}

/* ---- What a row names -------------------------------------------------------------- */

/* clang-format off */
static const struct field {
    const char *name;
    size_t at, size;
} fields[] = {
#define F(member) { #member, offsetof(struct given, member), sizeof(given.member) }
    F(context), F(creates), F(queue), F(from), F(in), F(out), F(in_offset), F(out_offset),
    F(count), F(num_wait), F(wait), F(result), F(result_size), F(operation), F(stage),
    F(text), F(prefix), F(size), F(group_size), F(capacity), F(num), F(into), F(tiles),
    F(of), F(device), F(queue_of), F(kind), F(debug.tile), F(placement.in_place),
    F(placement.reserved), F(params.log_level), F(params.cache_folder),
    F(params.cache_limit), F(params.reserved), F(fold.op), F(fold.type), F(fold.in),
    F(fold.out), F(fold.in_scalars), F(fold.out_scalars), F(fold.accuracy),
    F(fold.flags), F(fold.name), F(fold.components), F(fold.type_name),
    F(fold.type_size), F(fold.source), F(fold.combine), F(fold.identity), F(fold.cuts),
    F(fold.load), F(fold.result), F(fold.store), F(fold.equal), F(fold.keep),
    F(fold.same), F(fold.args), F(fold.num_args), F(fold.init), F(fold.init_size),
    F(fold.init_at), F(fold.algorithm), F(fold.count_at), F(fold.total_out),
    F(fold.bad_out), F(fold.rest_out), F(fold.lengths_out), F(fold.num_out),
    F(fold.keys_out), F(fold.reserved), F(segments.by), F(segments.type),
    F(segments.mem), F(segments.offset), F(segments.num), F(segments.length),
    F(segments.columns), F(segments.num_at), F(segments.reserved), F(part.first),
    F(part.whole), F(part.carry_at), F(part.carry_out), F(part.key_at), F(part.key_out),
    F(part.reserved), F(arg.type), F(arg.name), F(arg.size), F(arg.value),
    F(arg.element), F(arg.mem), F(arg.offset), F(arg.reserved)
};
enum { NUM_FIELDS = sizeof(fields) / sizeof(fields[0]) };

static struct store {
    const char *name;
    size_t bytes;
    cl_mem_flags flags;
    cl_mem mem;
} stores[] = {
#define STORE(name, bytes, flags) { #name, bytes, flags, NULL }
    STORE(in, 4 * COUNT, 0), STORE(out, 4 * COUNT + 4, 0), STORE(spare, 256, 0),
    STORE(few, 64, 0), STORE(hundred, 400, 0), STORE(words, 4096, 0),
    STORE(heads, 4096, 0), STORE(big, 8192, 0), STORE(places, 16 * COUNT + 32, 0),
    STORE(read_only, 4 * COUNT, CL_MEM_READ_ONLY),
    STORE(write_only, 4 * COUNT, CL_MEM_WRITE_ONLY), STORE(whole, 4 * 4096, 0),
    STORE(left, 3 * 4096, 0), STORE(right, 3 * 4096, 0), /* of `whole` */
    STORE(foreign, 4 * COUNT + 4, 0) /* of `other` */
};
enum { MEM_IN, MEM_OUT, MEM_WHOLE = 11, MEM_LEFT, MEM_RIGHT, MEM_FOREIGN, NUM_STORES };

static cl_context other;
static cl_command_queue other_queue;
static cl_event events[2]; /* of our cl_context, and of the other */
static const cl_event no_event[1];
static const cl_uint value[8] = { 1 };
static const clfold_arg twice[2] = { CLFOLD_VALUE("uint", m, *value),
                                     CLFOLD_VALUE("uint", m, *value) };

/* The present one: "CALLS CHANGES STATUS WORDS". */
static struct row {
    int line;
    const char *calls, *changes, *status, *words;
} row;

/* What is a number by a name, or an address. */
static struct value {
    const char *name;
    uint64_t number;
} values[80];
static size_t num_values;

static void add_values(void)
{
    const struct value others[] = {
        { "NULL", 0 }, { "MAX", SIZE_MAX }, { "MAX/2", SIZE_MAX / 2 },
        { "MAX/4", SIZE_MAX / 4 }, { "MAX-3", SIZE_MAX - 3 },
        { "MORE", ctx->caps.facts.max_group_size + 1 }, { "ALL", 0 }, { "OUT", HAS_OUT },
        { "ONE", HAS_ONE }, { "ITEMS", HAS_ITEMS }, { "OPERATOR", HAS_OPERATOR },
        { "PLACE", HAS_PLACE }, { "compensated", CLFOLD_COMPENSATED },
        { "reproducible", CLFOLD_REPRODUCIBLE }, { "commutative", CLFOLD_COMMUTATIVE },
        { "reverse", CLFOLD_REVERSE }, { "flags", CLFOLD_BY_FLAGS },
        { "keys", CLFOLD_BY_KEYS }, { "offsets", CLFOLD_BY_OFFSETS },
        { "rows", CLFOLD_BY_LENGTH }, { "columns", CLFOLD_BY_COLUMNS },
        { "other_queue", (uintptr_t)other_queue }, { "events", (uintptr_t)events },
        { "event", (uintptr_t)&events[1] }, { "no_event", (uintptr_t)no_event },
        { "value", (uintptr_t)value }, { "twice", (uintptr_t)twice },
        { "text", (uintptr_t)outputs.text }
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        values[num_values++] = others[i];
    }
    for (size_t i = 0; i < NUM_STORES; ++i) {
        values[num_values++] = (struct value){ stores[i].name, (uintptr_t)stores[i].mem };
    }
    for (uint32_t i = 1; clfold_op_name(i); ++i) {
        values[num_values++] = (struct value){ clfold_op_name(i), i };
    }
    for (uint32_t i = 1; clfold_type_name(i); ++i) {
        values[num_values++] = (struct value){ clfold_type_name(i), i };
    }
}

static uint64_t value_of(const char *name)
{
    char *end;

    for (size_t i = 0; i < num_values; ++i) {
        if (strcmp(name, values[i].name) == 0) {
            return values[i].number;
        }
    }
    const uint64_t number = strtoull(name, &end, 0);
    if (end == name || *end) {
        fail_msg("rejections.txt:%d: \"%s\" is no value", row.line, name);
    }
    return number;
}

/* ---- What a row changes ------------------------------------------------------------ */

/* The end of what stands before the next space outside quotes. */
static char *end_of(char *at)
{
    for (bool quoted = false; *at && (quoted || *at != ' '); ++at) {
        at += quoted && *at == '\\';
        quoted ^= *at == '"';
    }
    return at;
}

/* Takes the first word, and the spaces after it. */
static char *take_word(char **at)
{
    char *const word = *at, *const end = end_of(word);

    *at = end + strspn(end, " ");
    *end = '\0';
    return word;
}

/* The text between quotes, as C writes it, in its own place. */
static char *unquote(char *text)
{
    char *to = text;

    for (const char *at = text + 1; *at != '"'; ++at) {
        const bool is_escape = *at == '\\';
        at += is_escape;
        *to++ = is_escape && *at == 'n' ? '\n' : is_escape && *at == 'r' ? '\r' : *at;
    }
    *to = '\0';
    return text;
}

/* "NAME=VALUE", where ".NAME" is of the fold, NAME[2] a reserved word, and "MEM,9" a
 * place. */
static void assign(char *word)
{
    const size_t length = strcspn(word, "[=");
    const size_t index = word[length] == '[' ? strtoul(word + length + 1, NULL, 10) : 0;
    char *const text = word + strcspn(word, "=") + 1, *const comma = strchr(text, ',');
    char name[64];
    size_t f = 0;

    snprintf(name, sizeof(name), "%s%.*s", word[0] == '.' ? "fold" : "", (int)length,
             word);
    while (f < NUM_FIELDS && strcmp(fields[f].name, name) != 0) {
        ++f;
    }
    if (f == NUM_FIELDS || index * sizeof(uintptr_t) >= fields[f].size) {
        fail_msg("rejections.txt:%d: there is no %s", row.line, word);
        return;
    }
    const size_t size = fields[f].size;
    uint64_t found[2] = { 0 }; /* of a place, mem and offset */
    if (text[0] == '"') {
        found[0] = (uintptr_t)unquote(text);
    } else {
        found[1] = comma ? value_of(comma + 1) : 0;
        text[strcspn(text, ",")] = '\0';
        found[0] = value_of(text);
    }
    const uint32_t half = (uint32_t)found[0];
    memcpy((char *)&given + fields[f].at + index * sizeof(uintptr_t),
           size == sizeof(half) ? (const void *)&half : found,
           size == sizeof(half) || size == sizeof(clfold_place) ? size
                                                                : sizeof(uintptr_t));
    /* What belongs to a fold is given to it. */
    if (strncmp(name, "segments.", 9) == 0) {
        given.fold.segments = &given.segments;
    } else if (strncmp(name, "part.", 5) == 0) {
        given.fold.part = &given.part;
    } else if (strncmp(name, "arg.", 4) == 0) {
        given.fold.args = &given.arg;
        given.fold.num_args = 1;
    }
}

static void apply(const char *changes, char copy[TEXT_SIZE])
{
    char *at = copy;

    snprintf(copy, TEXT_SIZE, "%s", changes);
    while (*at) {
        assign(take_word(&at));
    }
}

/* ---- Calls ------------------------------------------------------------------------- */

static char base[TEXT_SIZE];             /* what the last line `with` says */
static uint32_t accepted[NUM_FUNCTIONS]; /* since then; a bit for each operation */
static bool rejected[NUM_FUNCTIONS];
static int wrong;

static void complain(size_t f, const char *what)
{
    print_error("rejections.txt:%d: %s, operation %u: %s: \"%s\"\n", row.line,
                functions[f].name, given.operation, what, clfold_last_error());
    ++wrong;
}

/* A sound call, and what the rows say of it. */
static void begin(clfold_operation operation, const char *changes)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

    memset(&outputs, 0xa5, sizeof(outputs));
    given = (struct given){
        .context = ctx,
        .created = (clfold_context *)&outputs,
        .creates = &given.created,
        .queue = device.queue,
        .from = &given.fold,
        .in = stores[MEM_IN].mem,
        .out = stores[MEM_OUT].mem,
        .count = COUNT,
        .event = (cl_event)&device,
        .result = outputs.result,
        .result_size = sizeof(cl_float),
        .operation = operation,
        .prefix = "t",
        .group_size = 8,
        .num = &outputs.num_tiles,
        .into = &outputs,
        .of = device.context,
        .device = device.id,
        .fold = fold_for(operation, &sum),
    };
    apply(base, given.texts[0]);
    apply(changes, given.texts[1]);
}

static clfold_status make(size_t f)
{
    clspy_reset();
    clspy_null_device(true);
    for (uint64_t k = 1; k <= 8; ++k) {
        clspy_arm("clBuildProgram", k, CL_BUILD_PROGRAM_FAILURE);
    }
    if (given.queue_of) {
        clspy_answer("clGetCommandQueueInfo", CL_QUEUE_DEVICE, &given.queue_of,
                     sizeof(given.queue_of));
    }
    if (given.kind) {
        clspy_answer("clGetMemObjectInfo", CL_MEM_TYPE, &given.kind, sizeof(given.kind));
    }
    clfold_context_override(ctx, &given.debug);
    return functions[f].make();
}

static void assert_accepted(size_t f)
{
    const clfold_status status = make(f);

    /* A device may have no look-back, which a trace needs. */
    if (status != CLFOLD_OK && status != CLFOLD_ERROR_BUILD &&
        !(f == IS_trace && strstr(clfold_last_error(), "\"scan_lookback\": "))) {
        complain(f, "rejected");
    }
    if (status == CLFOLD_OK && f == IS_context_create) {
        clfold_context_destroy(&given.created);
    }
}

/* What the sentence begins with: the fold's name, or the call's. */
static const char *caller(size_t f)
{
    size_t call = 0;

    while (call < NUM_CALLS && call_rows[call].operation != given.operation) {
        ++call;
    }
    return given.from && given.fold.name            ? given.fold.name
           : f == IS_check_call && call < NUM_CALLS ? call_rows[call].name
                                                    : functions[f].name;
}

static void assert_rejected(size_t f)
{
    const struct clspy_live live = clspy_live();
    const struct outputs before = outputs;
    const char *const who = caller(f);
    const bool creates = f == IS_context_create && given.creates;
    const clfold_status status = make(f);
    const char *const error = clfold_last_error(), *name = clfold_status_name(status);
    char expected[64];

    snprintf(expected, sizeof(expected), "CLFOLD_ERROR_%s", row.status);
    if (strcmp(name, expected) != 0) {
        complain(f, name);
    } else if (strncmp(error, who, strlen(who)) != 0 || error[strlen(who)] != ':' ||
               !strstr(error, row.words) || !strstr(error, name)) {
        complain(f, "lacks words");
    }
    if (clspy_calls("clEnqueue*") + clspy_calls("clBuildProgram") > 0) {
        complain(f, "enqueues or builds");
    }
    if (clspy_leaks(&live)[0]) {
        complain(f, clspy_leaks(&live));
    }
    if (given.event != (has_event(f) ? NULL : (cl_event)&device) ||
        given.created != (creates ? NULL : (clfold_context *)&outputs)) {
        complain(f, "*event or *out is wrong");
    }
    /* How much room there must be is said where it is too little. */
    if (given.text && outputs.needed > given.size) {
        outputs.needed = before.needed;
    }
    if (memcmp(&outputs, &before, sizeof(outputs)) != 0) {
        complain(f, "writes an output");
    }
    rejected[f] = true;
}

/* What the row says of a function; before that, once, that the sound call is accepted. */
static void check(size_t f, clfold_operation operation)
{
    const bool is_rejected = strcmp(row.status, "OK") != 0;

    if (is_rejected && !(accepted[f] >> operation & 1)) {
        accepted[f] |= 1u << operation;
        begin(operation, "");
        assert_accepted(f);
    }
    begin(operation, row.changes);
    (is_rejected ? assert_rejected : assert_accepted)(f);
}

/* ---- The table --------------------------------------------------------------------- */

/* Whether the row is about the function: by its name, or by what such calls have. */
static bool is_about(size_t f)
{
    uint64_t has = 0;
    char copy[64];

    snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(row.calls, "+*~"), row.calls);
    if (!isupper((unsigned char)copy[0])) {
        return strcmp(functions[f].name + strlen("clfold_"), copy) == 0;
    }
    for (const char *name = strtok(copy, "&"); name; name = strtok(NULL, "&")) {
        has |= value_of(name);
    }
    return f < NUM_CALLS && (call_rows[f].has & has) == has;
}

static void check_row(void)
{
    const char mark = row.calls[strcspn(row.calls, "+*~")];
    const size_t end = !mark ? 0 : mark == '*' ? NUM_FUNCTIONS : IS_fold_layout;
    bool found = false;

    for (size_t f = 0; f < NUM_FUNCTIONS; ++f) {
        const clfold_operation o = f < NUM_CALLS ? call_rows[f].operation : CLFOLD_REDUCE;
        if (!is_about(f)) {
            continue;
        }
        found = true;
        if (mark != '~') {
            check(f, o);
        }
        if (mark != '~' && f < NUM_CALLS && has_event(f)) {
            check(IS_check_call, o);
        }
        for (size_t b = IS_prepare; b < end; ++b) {
            check(b, o);
        }
    }
    if (!found) {
        fail_msg("rejections.txt:%d: there is no %s", row.line, row.calls);
    }
}

static void check_line(char *line)
{
    row.calls = take_word(&line);
    row.changes = line;
    while (*line && !isupper((unsigned char)*line)) {
        line = end_of(line);
        line += strspn(line, " ");
    }
    line[-1] = '\0';
    row.status = take_word(&line);
    row.words = line;
    check_row();
}

/* A line with [A|B|C] is three, and each [] in it the last such choice again. */
static void check_lines(const char *line)
{
    char copy[TEXT_SIZE];
    const char *open = NULL;

    for (const char *at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
        open = at[1 + strcspn(at + 1, "|[]")] == '|' ? at : open;
    }
    if (!open) {
        snprintf(copy, sizeof(copy), "%s", line);
        check_line(copy);
        return;
    }
    const char *const close = strchr(open, ']');
    for (const char *choice = open + 1; choice <= close;) {
        const int length = (int)strcspn(choice, "|]");
        const char *at = close + 1;
        struct text one = { 0 };
        clfold_text_print(&one, "%.*s%.*s", (int)(open - line), line, length, choice);
        for (const char *end; (end = strstr(at, "[]")); at = end + 2) {
            clfold_text_print(&one, "%.*s%.*s", (int)(end - at), at, length, choice);
        }
        clfold_text_print(&one, "%s", at);
        check_lines(one.bytes);
        clfold_text_finish(&one);
        choice += length + 1;
        choice += strspn(choice, " ");
    }
}

/* Each function has a row. */
static void test_rows(void **state)
{
    FILE *file = fopen(SOURCE_ROOT "/tests/device/rejections.txt", "r");
    char line[TEXT_SIZE] = "", next[TEXT_SIZE];
    int number = 0;

    assert_non_null(file);
    for (bool more = true; more; ++number) {
        more = fgets(next, sizeof(next), file) != NULL;
        line[strcspn(line, "\n")] = '\0';
        if (more && next[0] == ' ') {
            strcat(line, next);
            continue;
        }
        if (strncmp(line, "with", 4) == 0) {
            strcpy(base, line + 4 + strspn(line + 4, " "));
            memset(accepted, 0, sizeof(accepted));
        } else if (line[0] && line[0] != '#') {
            check_lines(line);
        }
        strcpy(line, next);
        row.line = number + 1;
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    for (size_t f = 0; f < NUM_FUNCTIONS; ++f) {
        if (!rejected[f]) {
            fail_msg("%s has no row", functions[f].name);
        }
    }
}

/* All functions of the headers that may fail are here, but for clfold_set_error, which
 * makes errors of its caller's. */
static void test_functions(void **state)
{
    FILE *const found = popen("cat " SOURCE_ROOT "/include/clfold/[ce]*.h | "
                              "grep -c '^CLFOLD_API clfold_status '",
                              "r");
    int num = 0;

    assert_non_null(found);
    assert_int_equal(fscanf(found, "%d", &num), 1);
    assert_int_equal(num, NUM_FUNCTIONS + 1);
    pclose(found);
}

/* ------------------------------------------------------------------------------------ */

static int open_all(void **state)
{
    const int failed = open_context(state);
    struct device there = device;
    cl_int status = CL_SUCCESS;

    if (failed) {
        return failed;
    }
    other = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    there.context = other;
    other_queue = device_queue(&there, 0);
    for (size_t i = 0; i < NUM_STORES; ++i) {
        const cl_buffer_region region = { i == MEM_RIGHT ? 4096 : 0, stores[i].bytes };
        stores[i].mem =
            i == MEM_LEFT || i == MEM_RIGHT
                ? clCreateSubBuffer(stores[MEM_WHOLE].mem, 0,
                                    CL_BUFFER_CREATE_TYPE_REGION, &region, &status)
                : clCreateBuffer(i == MEM_FOREIGN ? other : device.context,
                                 stores[i].flags, stores[i].bytes, NULL, &status);
        assert_int_equal(status, CL_SUCCESS);
    }
    for (int i = 0; i < 2; ++i) {
        events[i] = clCreateUserEvent(i ? other : device.context, &status);
        assert_int_equal(status, CL_SUCCESS);
    }
    add_values();
    return 0;
}

static int close_all(void **state)
{
    for (size_t i = NUM_STORES; i-- > 0;) {
        clReleaseMemObject(stores[i].mem);
    }
    for (int i = 0; i < 2; ++i) {
        clSetUserEventStatus(events[i], CL_COMPLETE);
        clReleaseEvent(events[i]);
    }
    clReleaseCommandQueue(other_queue);
    clReleaseContext(other);
    return close_context(state);
}

TEST_MAIN("rejections", open_all, close_all, cmocka_unit_test(test_rows),
          cmocka_unit_test(test_functions))
