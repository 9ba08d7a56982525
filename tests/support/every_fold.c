#include "every_fold.h"

#include "subjects_of_text.h"
#include "test.h"

clfold_type draw_head_type(uint32_t by, uint64_t *seed)
{
    static const clfold_type keys[] = { CLFOLD_U32, CLFOLD_F16, CLFOLD_I8,  CLFOLD_F16,
                                        CLFOLD_U64, CLFOLD_F64, CLFOLD_U16, CLFOLD_F32 };
    static const clfold_type flags[] = { CLFOLD_U8, CLFOLD_I32, CLFOLD_U64, CLFOLD_I16 };
    const clfold_type key = keys[draw(seed, sizeof(keys) / sizeof(keys[0]))];

    return by == CLFOLD_BY_OFFSETS ? draw(seed, 2) ? CLFOLD_U32 : CLFOLD_U64
           : by == CLFOLD_BY_FLAGS ? flags[draw(seed, sizeof(flags) / sizeof(flags[0]))]
           : device_has(&device, key) || key == CLFOLD_F16 ? key
                                                           : CLFOLD_U32;
}

void check_somewhere(struct trial trial, uint64_t *seed)
{
    const struct subject *s = trial.subject;

    trial.in_offset = draw(seed, 3);
    trial.in_place = draw(seed, 3) == 0 && (!s || !s->reads_others) &&
                     trial_element_size(&trial) == trial_result_size(&trial);
    trial.out_offset = trial.in_place ? trial.in_offset : draw(seed, 4);
    trial.seed = *seed;
    trial.spare = trial_spare(&trial);
    if (!trial_check(&trial, NULL) && !device.is_rusticl && !trial.in_place) {
        fail_msg("refused: %s", clfold_last_error());
    }
}

void every_operator(const struct debug *tiles, size_t num_tiles, size_t each,
                    check_fold *check)
{
    size_t turn = 0;

    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; ++op, ++turn) {
        for (size_t t = 0; t < num_tiles; ++t, ++turn) {
            struct trial trial = { .op = op, .plan = tiles[t] };
            size_t p = turn * 5 % NUM_PAIRS;
            while (!is_folded(op, all_pairs[p]) ||
                   !device_has(&device, all_pairs[p].type) ||
                   !device_folds(&device, all_pairs[p].in, all_pairs[p].type)) {
                p = (p + 1) % NUM_PAIRS;
            }
            trial.pair = all_pairs[p];
            trial.nan = turn % 2;
            if (turn % each == 0 && policy_has_tile(tiles[t].tile) &&
                device_takes(&device, turn)) {
                check(trial, turn);
            }
        }
    }
}

bool subject_runs_on(const struct subject *s, const struct debug *tile)
{
    const clfold_fold *fold = &s->fold;

    return policy_has_tile(tile->tile) &&
           (tile->tile != TILE_VECTOR ||
            !(fold->type_name || fold->flags & CLFOLD_PARTIAL || s->differs));
}

static void check_subjects(const struct subject *s, size_t turn, bool of_elements,
                           check_fold *check)
{
    for (; s->size > 0; ++s, ++turn) {
        const bool fits = of_elements || !(s->writes_of_element || s->place);
        for (size_t t = 1; t < NUM_TRIAL_TILES; ++t, ++turn) {
            if (!s->is_map && fits && turn % 3 == 0 &&
                subject_runs_on(s, &trial_tiles[t]) && device_takes(&device, turn)) {
                check((struct trial){ .subject = s, .plan = trial_tiles[t] }, turn);
            }
        }
    }
}

void every_fold_by_text(bool of_elements, check_fold *check)
{
    subject_args_init();
    check_subjects(operator_subjects, 1000, of_elements, check);
    check_subjects(load_subjects, 2000, of_elements, check);
    check_subjects(result_subjects, 3000, of_elements, check);
    subject_args_finish();
}
