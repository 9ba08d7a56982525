/* What plans choose, without a device: choices.txt, which says how its rows are written.
 * A row makes a job, its candidates, the plan of one of them, and the reason. That plans
 * cover what they fold, on any device: plan.c. */
#include "plans.h"
#include "test.h"
#include "trial_text.h"
#include "words.h"

#include "plan/assemble.h"
#include "plan/reason.h"

static const struct site site = { NULL, "choices" };

/* What is before a row's mark. */
struct question {
    struct trial trial; /* the call, and numbers that are forced */
    struct device_facts device;
    struct tuned_numbers tuned;
    struct findings findings;
    struct reason reason;
    const char *choose, *row, *driver;
    uint32_t candidate;
    uint64_t tiles; /* of the candidate, instead of a count */
    uint32_t keeps; /* 1: what a scan gives; 2: its places too */
    bool no_tier, unfair, no_fences, scalar, ordered, pairs, probed;
};

/* What is after it. */
struct answer {
    struct candidate candidate;
    uint32_t num_candidates;
    struct plan plan;
    struct stage stage;
    uint64_t moved; /* bytes */
    bool known;     /* to look back in any way, so that it is not probed */
    char reason[CLFOLD_REASON_SIZE];
    struct text text;
};

static int line_number, num_rows, num_wrong;
/* The other rows are checked all the same. */
#define WRONG(...)                                                                       \
    do {                                                                                 \
        print_error("choices.txt:%d: ", line_number);                                    \
        print_error(__VA_ARGS__);                                                        \
        print_error("\n");                                                               \
        ++num_wrong;                                                                     \
    } while (0)

/* ---- Words ------------------------------------------------------------------------- */

NAMES(name_of_chooser, "policy", "name", "variable");
NAMES(name_of_lookers, "one", "sub_group", "warp");
NAMES(name_of_tile, "work-group", "tile_vector", "tile_group", "tile_item");
NAMES(name_of_obstacle, "none", "loops", "tier", "fences", "tickets", "item", "probe",
      "build");

static const char *name_of_algorithm(uint32_t k)
{
    return k <= WRITE_KEPT ? clfold_algorithm_name((enum algorithm)k) : NULL;
}

static const char *name_of_fate(uint32_t k)
{
    return k < CLFOLD_TIER_FATES ? clfold_fate_name(k) : NULL;
}

/* Not a number, but a text. */
static const char *name_of_text(uint32_t k)
{
    (void)k;
    return NULL;
}

#define ASKS(key, member, name)  WORD_OF(question, key, member, name)
#define SHOWS(key, member, name) WORD_OF(answer, key, member, name)

/* The other words are a trial's. */
static const struct word asked[] = {
    ASKS("cpu", device.cpu, NULL),
    ASKS("units", device.units, NULL),
    ASKS("most_group", device.max_group_size, NULL),
    ASKS("local", device.local_memory, NULL),
    ASKS("cache", device.cache_bytes, NULL),
    ASKS("sub_groups", device.sub_groups, NULL),
    ASKS("most_elements", device.most_elements, NULL),
    ASKS("platform", device.platform, name_of_text),
    ASKS("vendor", device.vendor, name_of_text),
    ASKS("window", trial.plan.window, NULL),
    ASKS("spins", trial.plan.spins, NULL),
    ASKS("candidate", candidate, NULL),
    ASKS("tiles", tiles, NULL),
    ASKS("keeps", keeps, NULL),
    ASKS("no_tier", no_tier, NULL),
    ASKS("unfair", unfair, NULL),
    ASKS("no_fences", no_fences, NULL),
    ASKS("scalar", scalar, NULL),
    ASKS("ordered", ordered, NULL),
    ASKS("pairs", pairs, NULL),
    ASKS("choose", choose, name_of_text),
    ASKS("tuned.tile", tuned.tile, name_of_tile),
    ASKS("tuned.tile_bytes", tuned.values[TUNED_TILE_BYTES], NULL),
    ASKS("tuned.groups", tuned.values[TUNED_GROUPS], NULL),
    ASKS("tuned.ahead_bytes", tuned.values[TUNED_AHEAD_BYTES], NULL),
    ASKS("tuned.own", tuned.is_own, NULL),
    ASKS("chooser", reason.chooser, name_of_chooser),
    ASKS("met", reason.obstacle, name_of_obstacle),
    ASKS("policy", reason.policy, name_of_algorithm),
    ASKS("dropped", reason.dropped, name_of_text),
    ASKS("unproven", reason.unproven, NULL),
    ASKS("probed", probed, NULL),
    ASKS("scoped_64", findings.fates[MEMORY_SCOPED_64], name_of_fate),
    ASKS("legacy_64", findings.fates[MEMORY_LEGACY_64], name_of_fate),
    ASKS("legacy_32", findings.fates[MEMORY_LEGACY_32], name_of_fate),
    ASKS("row", row, name_of_text),
    ASKS("driver", driver, name_of_text),
};

static const struct word shown[] = {
    SHOWS("candidates", num_candidates, NULL),
    SHOWS("tile_bytes", candidate.policy.tile_bytes, NULL),
    SHOWS("stream_bytes", candidate.policy.stream_bytes, NULL),
    SHOWS("policy_groups", candidate.policy.groups, NULL),
    SHOWS("algorithm", stage.shape.algorithm, name_of_algorithm),
    SHOWS("tile", stage.shape.tile.kind, name_of_tile),
    SHOWS("elements", stage.shape.tile.elements, NULL),
    SHOWS("group", stage.shape.tile.group_size, NULL),
    SHOWS("window", stage.shape.window, NULL),
    SHOWS("lookers", stage.shape.lookers, name_of_lookers),
    SHOWS("anchor", stage.shape.anchor, NULL),
    SHOWS("loads_32", stage.shape.loads_32, NULL),
    SHOWS("obstacle", stage.obstacle, name_of_obstacle),
    SHOWS("each", stage.each, NULL),
    SHOWS("groups", stage.num_groups, NULL),
    SHOWS("runs", stage.cut.num_runs, NULL),
    SHOWS("lead", stage.cut.lead, NULL),
    SHOWS("items", stage.items, NULL),
    SHOWS("ahead", stage.ahead, NULL),
    SHOWS("spins", stage.spins, NULL),
    SHOWS("moved", moved, NULL),
    SHOWS("known", known, NULL),
};
#define NUM(words) (sizeof(words) / sizeof((words)[0]))

/* Cuts "KEY=VALUE" at its "=". */
static char *cut_word(char *word)
{
    char *const value = strchr(word, '=');

    if (!value) {
        fail_msg("choices.txt:%d: %s: no value", line_number, word);
    }
    *value = '\0';
    return value + 1;
}

/* "any_of_these" as a text or a fate has it. */
static void blank(char *text)
{
    for (; (text = strchr(text, '_')); ++text) {
        *text = ' ';
    }
}

static void set_word(struct question *question, const struct word *word, char *value)
{
    if (word->name == name_of_text) {
        if (word->offset != offsetof(struct question, choose)) {
            blank(value);
        }
        memcpy((char *)question + word->offset, &value, sizeof(value));
        return;
    }
    if (word->name == name_of_fate) {
        blank(value);
    }
    const char *const wrong = word_read(question, word, value);
    if (wrong) {
        WRONG("%s=%s: %s", word->key, value, wrong);
    }
    if (strncmp(word->key, "tuned.", 6) == 0 && word->size == sizeof(uint64_t)) {
        const size_t first = offsetof(struct question, tuned.values);
        question->tuned.set |= UINT32_C(1) << (word->offset - first) / sizeof(uint64_t);
    }
}

/* ---- A row ------------------------------------------------------------------------- */

enum { MOST_WORDS = 32, MOST_LINE = 600 };

static void ask(struct question *question, char *words)
{
    const struct word *found[MOST_WORDS];
    char *values[MOST_WORDS], of_trial[MOST_LINE] = "";
    size_t num = 0;

    *question = (struct question){ .device = { .vendor = "", .name = "" } };
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        values[num] = cut_word(word);
        found[num] = word_find(asked, NUM(asked), word);
        if (!found[num]) {
            const size_t length = strlen(of_trial);
            snprintf(of_trial + length, sizeof(of_trial) - length, "%s=%s ", word,
                     values[num]);
        } else {
            assert_true(++num < MOST_WORDS);
        }
    }
    const char *const wrong = trial_read(&question->trial, of_trial);
    if (wrong) {
        WRONG("%s", wrong);
    }
    for (size_t i = 0; i < num; ++i) {
        set_word(question, found[i], values[i]);
    }
}

static clfold_status answer(struct question *question, struct answer *answer)
{
    const struct trial *const trial = &question->trial;
    const clfold_type type = trial->pair.type ? trial->pair.type : CLFOLD_F32;
    const bool is_tuned = question->tuned.tile || question->tuned.set;
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct reason *const reason = &question->reason;
    struct monoid monoid;
    enum algorithm algorithm = REDUCE_TILES;

    assert_ok(clfold_monoid_init(&monoid, &site, trial->op ? trial->op : CLFOLD_ADD, type,
                                 trial->pair.in ? trial->pair.in : type));
    monoid.is_scalar = question->scalar;
    monoid.commutative &= !question->ordered;
    monoid.keeps_scan = question->keeps > 0;
    monoid.writes_places = question->keeps > 1;
    monoid.num_scalars = question->pairs ? 2 : monoid.num_scalars;
    monoid.in = question->pairs ? CLFOLD_F32 : monoid.in;
    if (trial->algorithm) {
        algorithm_named(trial->algorithm, &algorithm);
    }
    struct job job = job_of(trial->operation ? trial->operation : operation_of(algorithm),
                            algorithm, &monoid, &question->device, &trial->plan);
    job.tuned = is_tuned ? &question->tuned : NULL;
    job.count = trial->count;
    job.out_offset = trial->out_offset;
    job.segments.rows = (struct rows){ trial->width, trial->length };
    job.verdict = (struct verdict){ trial->plan.tier    ? trial->plan.tier
                                    : question->no_tier ? MEMORY_NONE
                                                        : MEMORY_LEGACY_64,
                                    !question->unfair, !question->no_fences };
    clfold_status status = CLFOLD_OK;
    if (question->choose) {
        const bool by_policy = strcmp(question->choose, "policy") == 0;
        status = clfold_plan_choose(&job, &site, by_policy ? NULL : question->choose);
    }
    answer->num_candidates = 7;
    if (!status) {
        status = clfold_plan_candidates(&job, &site, candidates, &answer->num_candidates);
        assert_true(!status || answer->num_candidates == 0);
    }
    if (status) {
        return status;
    }
    assert_in_range(question->candidate, 0, answer->num_candidates - 1);
    answer->candidate = candidates[question->candidate];
    job.count += question->tiles * answer->candidate.shape.tile.elements;
    clfold_plan_init(&answer->plan, &job, &answer->candidate);
    struct stage *const main = &answer->plan.stages[answer->plan.main];
    main->row = question->row ? question->row : main->row;
    answer->stage = *main;
    reason->plan = &answer->plan;
    reason->monoid = &monoid;
    reason->operation = job.operation;
    reason->findings = question->probed ? &question->findings : NULL;
    stage_bytes(main, &reason->moved, &answer->moved);
    answer->moved += reason->moved;
    reason->moved = answer->moved;
    clfold_reason(answer->reason, reason);
    if (question->driver) {
        struct findings known;
        answer->known =
            clfold_verdict_known(&known, &question->device, question->driver) &&
            known.verdict.tier == MEMORY_SCOPED_64 && known.verdict.fair &&
            known.verdict.fences;
    }
    clfold_assemble(&answer->text, &monoid, &answer->candidate.shape);
    assert_false(answer->text.failed);
    return CLFOLD_OK;
}

/* "KEY=VALUE", "KEY=LEAST..MOST", or a macro of the text. */
static void compare(const struct answer *answer, const char *key, const char *value)
{
    const struct word *const word = word_find(shown, NUM(shown), key);
    const char *const range = strstr(value, "..");
    char found[64];

    if (!word && strncmp(key, "CLFOLD_", 7) == 0) {
        char macro[96];
        snprintf(macro, sizeof(macro), "#define %s %s\n", key, value);
        if (!strstr(answer->text.bytes, macro)) {
            WRONG("the text lacks %s", macro);
        }
        return;
    }
    if (!word) {
        WRONG("%s: no such word", key);
        return;
    }
    const uint64_t number = word_get(answer, word);
    snprintf(found, sizeof(found), "%llu", (unsigned long long)number);
    const char *const name = word->name ? word->name((uint32_t)number) : found;
    if (range ? number < strtoull(value, NULL, 0) || number > strtoull(range + 2, NULL, 0)
              : !name || strcmp(name, value) != 0) {
        WRONG("%s is %s, not %s", key, name, value);
    }
}

static void check_row(char *row)
{
    static const char *const marks[] = { " => ", " ~> ", " !~> ", " ==> ", " !> " };
    enum { SHOWN, HAS, LACKS, IS, REJECTED, MARKS } mark = SHOWN;
    struct question question;
    struct answer found = { .num_candidates = 0 };
    char *after = NULL;

    ++num_rows;
    while (mark < MARKS && !(after = strstr(row, marks[mark]))) {
        ++mark;
    }
    if (!after) {
        WRONG("no mark: %s", row);
        return;
    }
    *after = '\0';
    after += strlen(marks[mark]);
    ask(&question, row);
    const clfold_status status = answer(&question, &found);
    if (mark == REJECTED) {
        if (status != CLFOLD_ERROR_UNSUPPORTED || !strstr(clfold_last_error(), after)) {
            WRONG("not rejected: %s", clfold_last_error());
        }
    } else if (status) {
        WRONG("%s", clfold_last_error());
    }
    if (mark == REJECTED || status) {
        return;
    }
    if (mark == SHOWN) {
        for (char *word = strtok(after, " "); word; word = strtok(NULL, " ")) {
            char *const value = cut_word(word);
            compare(&found, word, value);
        }
    } else if (mark == IS ? strcmp(found.reason, after) != 0
                          : (strstr(found.reason, after) != NULL) != (mark == HAS)) {
        WRONG("\"%s\" %s \"%s\"", found.reason,
              mark == LACKS ? "has"
              : mark == HAS ? "lacks"
                            : "is not",
              after);
    }
    clfold_text_finish(&found.text);
}

/* ---- The file ---------------------------------------------------------------------- */

/* Words that stand for others. */
static struct {
    char name[16], words[MOST_LINE];
} presets[32];
static size_t num_presets;

/* Appends the words before a mark, and what comes after as it is. */
static void expand(char *row, const char *words)
{
    while (*words) {
        const size_t length = strcspn(words, " "), end = strlen(row);
        const char *by = words;
        int width = (int)length;
        for (size_t i = 0; i < num_presets && !strchr(row, '>'); ++i) {
            if (strlen(presets[i].name) == length &&
                strncmp(presets[i].name, words, length) == 0) {
                by = presets[i].words;
                width = (int)strlen(by);
            }
        }
        snprintf(row + end, MOST_LINE - end, "%s%.*s", end ? " " : "", width, by);
        words += length + (words[length] == ' ');
    }
}

/* Puts item k of each list "[A|B]" in its place. False: there is no list, and k is not 0;
 * or the lists, which are of one length, end before. */
static bool choose_items(char *row, const char *text, size_t k)
{
    bool has_item = false, is_past = false;
    size_t end = 0;

    for (; *text; ++text) {
        size_t left = k;
        if (*text != '[') {
            row[end++] = *text;
            continue;
        }
        for (++text; left > 0 && *text != ']'; ++text) {
            left -= *text == '|';
        }
        is_past |= left > 0;
        has_item |= left == 0;
        while (*text != ']' && *text != '|') {
            row[end++] = *text++;
        }
        text += strcspn(text, "]");
    }
    row[end] = '\0';
    if (is_past && has_item) {
        WRONG("the lists differ in length");
    }
    return !is_past && (has_item || k == 0);
}

static void take_line(const char *text)
{
    char row[MOST_LINE], chosen[MOST_LINE];
    const char *const colon = strstr(text, ": ");

    if (colon && colon == text + strcspn(text, " :=")) {
        snprintf(presets[num_presets].name, sizeof(presets[0].name), "%.*s",
                 (int)(colon - text), text);
        expand(presets[num_presets].words, colon + 2);
        assert_true(++num_presets < sizeof(presets) / sizeof(presets[0]));
        return;
    }
    for (size_t k = 0; text[0] && choose_items(chosen, text, k); ++k) {
        row[0] = '\0';
        expand(row, chosen);
        check_row(row);
    }
}

static void test_rows(void **state)
{
    FILE *const file = fopen(SOURCE_ROOT "/tests/unit/choices.txt", "r");
    char line[MOST_LINE], whole[MOST_LINE] = "";

    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof(line), file); ++number) {
        line[strcspn(line, "\n")] = '\0';
        const size_t length = strlen(whole);
        if (line[0] == ' ') {
            snprintf(whole + length, sizeof(whole) - length, "%s", line);
        } else if (line[0] != '#') {
            take_line(whole);
            line_number = number;
            memcpy(whole, line, sizeof(whole));
        }
    }
    take_line(whole);
    fclose(file);
    assert_int_equal(num_wrong, 0);
    assert_true(num_rows > 300);
}

/* A part is in the reason whole, or not at all. */
static void test_no_room(void **state)
{
    static const char moves[] = "; moves 2.00 times the input";
    char row[MOST_LINE], sentence[MOST_LINE], tile[MOST_LINE / 2];

    for (size_t length = 0; num_wrong == 0 && length < CLFOLD_REASON_SIZE; ++length) {
        memset(tile, 'x', length);
        tile[length] = '\0';
        snprintf(row, sizeof(row), "cpu lookback window=1 count=67108864 row=%s ==> ",
                 tile);
        snprintf(sentence, sizeof(sentence), "; tile_vector by policy \"%s\"", tile);
        memcpy(tile, sentence, strlen(sentence) + 1);
        snprintf(sentence, sizeof(sentence),
                 "the count is large: in one launch tiles look back for prefixes");
        for (int i = 0; i < 2; ++i) {
            const char *const part = i ? moves : tile;
            if (strlen(sentence) + strlen(part) < CLFOLD_REASON_SIZE) {
                strcat(sentence, part);
            }
        }
        take_line(strcat(row, sentence));
    }
    assert_int_equal(num_wrong, 0);
}

TEST_MAIN("choices", NULL, NULL, cmocka_unit_test(test_rows),
          cmocka_unit_test(test_no_room))
