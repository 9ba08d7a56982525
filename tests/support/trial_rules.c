/* Which calls there are, and which of them the drivers here cannot do. */
#include "lookback.h"
#include "random_fold.h"
#include "subjects_of_text.h"
#include "trial_text.h"

#include "base/platform.h"
#include "ops/context.h"
#include "plan/operation.h"
#include "plan/user_text.h"

static clfold_op op_of(const struct trial *trial)
{
    return trial->subject ? trial->subject->fold.op : trial->op;
}

/* Whether a text of the fold uses a name. */
static bool uses(const clfold_fold *fold, const char *name)
{
    const char *const texts[] = { fold->load, fold->result, fold->store };
    bool any = false;

    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); ++k) {
        any |= texts[k] && clfold_user_text_uses(texts[k], fold->source, name);
    }
    return any;
}

static bool commutes(const struct trial *trial)
{
    return (trial->subject && trial->subject->fold.flags & CLFOLD_COMMUTATIVE) ||
           (op_of(trial) && op_of(trial) != CLFOLD_AFFINE &&
            op_of(trial) != CLFOLD_MATRIX_2X2);
}

static bool converts(const struct subject *s)
{
    return s && (s->fold.out || s->fold.result || s->fold.store);
}

/* ---- Rules ------------------------------------------------------------------------- */

/* A built-in operator without a text has no arguments but a condition's. */
static bool is_of_selects(const clfold_fold *fold)
{
    return fold->num_args > 0 && fold->op && !fold->load && !fold->result && !fold->store;
}

static bool fold_fits(const struct trial *trial)
{
    const struct subject *s = trial->subject;
    const bool is_map = trial->operation == CLFOLD_MAP;

    if (!s) {
        return (trial_scans(trial) || trial_reduces(trial)) && !trial->condition &&
               trial->pair.in && trial->pair.type && is_folded(trial->op, trial->pair) &&
               device_folds(&device, trial->pair.in, trial->pair.type);
    }
    if (trial_selects(trial) != (trial->condition != NULL) || trial->nan ||
        (!trial_selects(trial) && (uses(&s->fold, "at") || is_of_selects(&s->fold)))) {
        return false;
    }
    if ((s->fold.type && !device_has(&device, s->fold.type)) ||
        (s->fold.accuracy == CLFOLD_REPRODUCIBLE && !trial_reduces(trial))) {
        return false;
    }
    if (trial_selects(trial)) {
        return !s->place && (trial->condition->scans
                                 ? s->combine && !s->is_map
                                 : s->fold.op <= CLFOLD_LOGICAL_OR && !s->fold.accuracy);
    }
    return s->is_map == is_map && (is_map || s->combine) &&
           !(trial_reduces(trial) && (s->writes_of_element || s->place));
}

static bool heads_fit(const struct trial *trial)
{
    const clfold_type type = trial->head_type;
    const bool are_offsets = trial->by == CLFOLD_BY_OFFSETS;

    return trial->by == CLFOLD_BY_FLAGS ? type >= CLFOLD_I8 && type <= CLFOLD_U64
           : trial->by == CLFOLD_BY_KEYS
               ? type == CLFOLD_F16 || (type && device_has(&device, type))
           : are_offsets ? type == CLFOLD_U32 || type == CLFOLD_U64
                         : !type && trial->by == 0;
}

static bool segments_fit(const struct trial *trial)
{
    const bool are_offsets = trial->by == CLFOLD_BY_OFFSETS;
    const size_t block = trial->width * trial->length;

    return heads_fit(trial) && (trial->width == 0) == (trial->length == 0) &&
           !(trial->by && trial->width) &&
           !(trial_selects(trial) && (trial->by || trial->width)) &&
           !(trial->operation == CLFOLD_MAP && (trial->by || trial->width)) &&
           (trial->width < 2 || trial->count % block == 0) &&
           (!trial->loose || trial->by == CLFOLD_BY_KEYS) &&
           (!(trial->num_at || trial->tells || trial->bad || trial->empty) ||
            are_offsets) &&
           (trial->more == 0 || trial->num_at) && (!trial->bad || trial->tells) &&
           (!trial->bound || trial_finds(trial)) &&
           (!trial->lists || trial_finds(trial) || trial_selects(trial)) &&
           (!trial->bad || !trial_reduces(trial) || trial->unknown);
}

static bool algorithm_fits(const struct trial *trial)
{
    const struct subject *s = trial->subject;
    const struct debug *plan = &trial->plan;
    const bool is_group = plan->tile == TILE_GROUP;
    const size_t size = s ? s->size : result_size(trial->op, trial->pair.type);
    const size_t most = !trial->by ? 64 : s && s->fold.type_name ? 32 : 56;
    const enum takes takes = trial->width > 1                    ? TAKES_COLUMNS
                             : trial->width == 1                 ? TAKES_ROWS
                             : trial->by && trial_reduces(trial) ? TAKES_OFFSETS
                                                                 : TAKES_WHOLE;
    const enum family family = trial_selects(trial)
                                   ? FAMILY_SCAN
                                   : clfold_operation_row(trial->operation)->family;
    enum algorithm algorithm;

    if (!policy_has_tile(plan->tile) ||
        (plan->tile == TILE_VECTOR && ((s && (s->fold.type_name || s->differs)) ||
                                       (s && s->fold.flags & CLFOLD_PARTIAL)))) {
        return false;
    }
    if (!trial->algorithm) {
        return is_group || plan->group_size == 0;
    }
    if (!clfold_algorithm_named(trial->algorithm, family, &algorithm)) {
        return false;
    }
    const struct algorithm_row *row = clfold_algorithm_row(algorithm);
    return (row->takes & takes) && (!trial_selects(trial) || row->selects) &&
           (row->is_rung ? plan->group_size > 0 && !plan->tile
                         : is_group || plan->group_size == 0) &&
           (algorithm != SERIAL || !plan->tile) && (!row->reorders || commutes(trial)) &&
           (!row->propagates || !(trial->reverse || trial->by || converts(s) ||
                                  trial->accuracy || (s && s->fold.accuracy))) &&
           (!row->looks_back || size <= most || !trial->by) &&
           !(row->is_rung && trial->parts);
}

/* What is the call's. */
static bool place_fits(const struct trial *trial)
{
    const struct subject *s = trial->subject;
    const bool each = trial_scans(trial) || trial->operation == CLFOLD_MAP;
    const bool is_place = is_arg(op_of(trial));
    const bool has_start = trial->init || (s ? s->identity != NULL : !is_place);

    return !(trial->init && s && (s->is_map || (s->fill && !s->fill_init))) &&
           /* The loop counts the index of an init in its segment. */
           !(trial->init && is_place && (trial->by || trial->width)) &&
           (has_start || (trial->operation != CLFOLD_EXCLUSIVE_SCAN &&
                          !(trial->count_at && (trial_reduces(trial) || trial->total)) &&
                          !((trial->by || trial->width) &&
                            (trial_reduces(trial) || trial->total || !trial->count)))) &&
           (!trial->total || trial_scans(trial)) &&
           (trial->total != TOTAL_BEHIND ||
            (!(s && s->out_size) && !trial->width && !trial->in_place)) &&
           (!trial->in_place ||
            (each && (!s || !(s->reads_others || s->place)) &&
             trial_element_size(trial) == trial_result_size(trial))) &&
           (!s || trial->count + trial->spare <= MOST_ELEMENTS) &&
           (!trial->nan || is_float(trial->pair.in));
}

static bool facets_fit(const struct trial *trial)
{
    const struct subject *s = trial->subject;
    const bool is_place = is_arg(op_of(trial));

    return (!trial->reverse || (trial_scans(trial) && !is_place && !trial->parts)) &&
           (!trial->count_at || (!trial->width && !trial->parts)) &&
           (trial->spare == 0 || trial->count_at) &&
           (!(trial->rest || trial->level || trial->first) || trial_selects(trial)) &&
           (!trial->first || !trial->count_at) &&
           (!trial->parts ||
            ((trial_scans(trial) || (trial_reduces(trial) && !trial->by)) &&
             !trial->width && !trial->num_at && !trial->tells && trial->count > 0 &&
             trial->parts <= MOST_CUTS &&
             !(s && (s->reads_others || s->fold.store || uses(&s->fold, "in")))));
}

#define MOST_EXACT 8000 /* elements of a sum that is promised more than a plain one */

/* Sums of floats alone round, and these only may be promised more. No sum of f16 is to
 * overflow. */
static bool rounding_fits(const struct trial *trial)
{
    const clfold_type type = trial->pair.type;
    const bool is_exact = trial->accuracy == CLFOLD_REPRODUCIBLE;

    if (!trial->rounds) {
        return !trial->accuracy;
    }
    return !trial->subject && trial->op == CLFOLD_ADD && is_float(type) && !trial->nan &&
           !trial->parts &&
           (type != CLFOLD_F16 || (is_float(trial->pair.in) && trial->count < 1500)) &&
           (!trial->accuracy || (type != CLFOLD_F16 && trial->count <= MOST_EXACT)) &&
           !(is_exact && (trial_scans(trial) || ctx->caps.truncates));
}

bool trial_is_valid(const struct trial *trial)
{
    return clfold_operation_row(trial->operation) && fold_fits(trial) &&
           segments_fit(trial) && algorithm_fits(trial) && facets_fit(trial) &&
           place_fits(trial) && rounding_fits(trial);
}

/* ---- Faults of drivers ------------------------------------------------------------- */

static bool is_named(const struct subject *s, const char *name)
{
    return s && s->fold.name && strstr(s->fold.name, name);
}

static bool has_half(const struct random_fold *fold)
{
    bool has = false;

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        has |= fold->parts[k].type == CLFOLD_F16;
    }
    return has;
}

/* Rows that hold for one call or another; see docs/devices.md. Intel's are those of
 * programs that called device_no_vectors. */
const char *left_out(const struct trial *trial)
{
    const struct subject *s = trial->subject;
    const struct random_fold *fold = random_fold_of(s);
    const bool miscopies = clfold_platform_miscopies(ctx->caps.facts.platform);
    const bool is_group = policy_tile(trial->plan.tile) == TILE_GROUP;
    const bool scans =
        trial_scans(trial) || (trial_selects(trial) && trial->condition->scans);
    const bool looks_back = scans && may_look_back(trial->algorithm);
    const bool is_place = !s && is_arg(trial->op);
    const size_t size = fold ? size_of(fold->parts[0].type) : 0;
    const struct {
        bool is;
        const char *why;
    } faults[] = {
        { ctx->caps.facts.most_elements && trial->algorithm &&
              may_look_back(trial->algorithm),
          "no scan looks back on a device that ends long loops" },
        /* Mesa 22.3 */
        { device.is_rusticl && is_named(s, "matrix"),
          "Mesa's compiler crashes at four components of one type" },
        { device.is_rusticl && fold &&
              (random_fold_has_gap(fold) || random_fold_parts(fold, size) == 4 ||
               random_fold_parts(fold, 1) > 1),
          "Mesa's compiler fails at padding, at four parts of a size, at several bytes" },
        { device.is_rusticl && trial->reverse && fold && random_fold_parts(fold, 2) > 0,
          "Mesa's compiler loses shorts of structs that are read from the right" },
        { device.is_rusticl && trial->width && fold,
          "Mesa's compiler makes wrong code of some rows of two parts" },
        { device.is_rusticl && trial_selects(trial) && fold && fold->fold.in &&
              size == 8 && !is_float(fold->parts[0].type),
          "Mesa's compiler compares a long that was an int with a number wrongly" },
        { device.is_rusticl && is_group && fold && random_fold_parts(fold, 2) == 3,
          "Mesa's compiler makes wrong code for three shorts" },
        { miscopies && is_group && trial_reduces(trial) && is_place &&
              size_of(trial->pair.type) < 4,
          "Mesa's groups fold places of bytes and shorts now right, now wrong" },
        { miscopies && trial->width && trial->plan.tile == TILE_VECTOR,
          "Mesa's lanes are no vectors" },
        { ctx->caps.facts.most_elements && is_group && is_named(s, "triple"),
          "Mesa's compiler makes wrong code for three shorts" },
        /* Intel 2026.22 */
        { device.is_intel && is_group && scans && s && s->fold.type_name,
          "Intel's compiler takes the wrong one of two structs of a source, in groups" },
        { device.is_intel && fold && fold->fold.type_name && has_half(fold),
          "Intel's compiler does not write a half in a struct of a source" },
        { device.is_intel && fold && trial_selects(trial) && has_half(fold),
          "Intel's compiler does not copy a half in a struct that a select keeps" },
        /* PoCL 3.1 */
        { device.is_pocl && is_group && fold && scans &&
              (looks_back || fold->num_parts > 2),
          "PoCL's compiler dies of scans by groups of several parts" },
        { device.is_pocl && is_group && looks_back &&
              (trial->plan.anchor > 1 || is_place || (s && s->size > 4)),
          "PoCL's compiler dies of look-back by groups, of items of several parts" },
        { device.is_pocl && trial->plan.tile == TILE_NONE && is_group &&
              (is_named(s, "triple") || is_named(s, "own type") ||
               is_named(s, "four of all")),
          "PoCL makes wrong code of some scans by large groups" },
        { device.is_pocl && is_group && s && trial->operation == CLFOLD_EXCLUSIVE_SCAN &&
              trial_is_by(trial, "scan_single_group"),
          "PoCL makes wrong code of some exclusive scans by groups" },
    };

    for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); ++k) {
        if (faults[k].is) {
            return faults[k].why;
        }
    }
    return NULL;
}
