/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - runs scenarios with seeds: world [--seed N | --seeds A-B] [--scale N] [SCENARIO...]
 *
 * Scenarios with many objects use --scale times as many, for soak tests.
 *
 * Failures are printed with the command that reproduces them; the last line is the count.
 */
#include "world/scenarios.h"

#include <stdio.h>
#include <stdlib.h>

unsigned scenario_scale = 1;

/* Of all successful runs. */
static int64_t simulated;
#define SCALE_MAX 1000

/* Behaviours depend little on randomness. */
#define FEW 5

/*
 * Sorted by name. To add one: a function in a file here, declared in scenarios.h, a line, and a row
 * in docs/operator-tests.md.
 */
static const struct world_scenario scenarios[] = {
    {"bad-answers", bad_answers, FEW},
    {"bad-clocks", bad_clocks, FEW},
    {"bad-crashes", bad_crashes, FEW},
    {"bad-ids", bad_ids, FEW},
    {"bad-owners", bad_owners, FEW},
    {"bad-parent-gone", bad_parent_gone, FEW},
    {"bad-refusals", bad_refusals, FEW},
    {"bad-scopes", bad_scopes, FEW},
    {"bad-slow-answers", bad_slow_answers, FEW},
    {"bad-throttling", bad_throttling, FEW},
    {"bad-two-leaders", bad_two_leaders, FEW},
    {"bad-versions", bad_versions, FEW},
    {"bad-wiped", bad_wiped, 1},
    {"cases", cases_alone, 0},
    {"cases-drift", cases_drift, 20},
    {"cases-drift-day", cases_drift_day, 2},
    {"cases-drift-day-kept", cases_drift_day_kept, 2},
    {"cases-faults", cases_faults, 0},
    {"cases-observed", cases_observed, 20},
    {"cases-planned", cases_planned, 20},
    {"cases-together", cases_together, FEW},
    {"children-dropped", children_dropped, FEW},
    {"children-kept", children_kept, FEW},
    {"children-needed", children_needed, FEW},
    {"condition-at-work", condition_at_work, FEW},
    {"condition-failed-resource", condition_failed_resource, FEW},
    {"condition-fatal", condition_fatal, FEW},
    {"condition-operation-failed", condition_operation_failed, FEW},
    {"condition-refused", condition_refused, FEW},
    {"condition-steady", condition_steady, FEW},
    {"condition-truncated", condition_truncated, 2},
    {"config-map-missing", config_map_missing, FEW},
    {"decisions-kept", decisions_kept, FEW},
    {"delete-below-group", delete_below_group, FEW},
    {"delete-confirmed", delete_confirmed, FEW},
    {"delete-counted-once", delete_counted_once, FEW},
    {"delete-no-storm", delete_no_storm, FEW},
    {"delete-protected", delete_protected, FEW},
    {"delete-refused", delete_refused, FEW},
    {"delete-unseen", delete_unseen, FEW},
    {"delete-unsupported", delete_unsupported, FEW},
    {"drift-adopted", drift_adopted, 1},
    {"drift-annotated", drift_annotated, FEW},
    {"drift-author", drift_author, FEW},
    {"drift-autoscaled", drift_autoscaled, FEW},
    {"drift-bounded", drift_bounded, FEW},
    {"drift-compared-anew", drift_compared_anew, 1},
    {"drift-contested", drift_contested, FEW},
    {"drift-contested-anew", drift_contested_anew, FEW},
    {"drift-corrected", drift_corrected, FEW},
    {"drift-evolved", drift_evolved, FEW},
    {"drift-failed", drift_failed, FEW},
    {"drift-forgotten", drift_forgotten, 1},
    {"drift-jumped", drift_jumped, 1},
    {"drift-mistyped", drift_mistyped, FEW},
    {"drift-put-only", drift_put_only, FEW},
    {"drift-refused", drift_refused, FEW},
    {"drift-retargeted", drift_retargeted, FEW},
    {"drift-second-look", drift_second_look, FEW},
    {"drift-swept", drift_swept, FEW},
    {"drift-swept-children", drift_swept_children, 1},
    {"drift-swept-in-circles", drift_swept_in_circles, FEW},
    {"drift-swept-in-vain", drift_swept_in_vain, FEW},
    {"drift-swept-types", drift_swept_types, 1},
    {"drift-unchanged", drift_unchanged, FEW},
    {"drift-upgraded", drift_upgraded, 1},
    {"edge-busy-object", edge_busy_object, FEW},
    {"edge-claim-lost", edge_claim_lost, FEW},
    {"edge-conflicts", edge_conflicts, FEW},
    {"edge-delete-unreadable", edge_delete_unreadable, FEW},
    {"edge-failed-and-owner-ready", edge_failed_and_owner_ready, FEW},
    {"edge-foreign-token", edge_foreign_token, FEW},
    {"edge-newer-generation", edge_newer_generation, FEW},
    {"edge-unclaimed-token", edge_unclaimed_token, FEW},
    {"edge-unsynced-age", edge_unsynced_age, FEW},
    {"export-appears", export_appears, FEW},
    {"export-collision", export_collision, FEW},
    {"export-comes-back", export_comes_back, FEW},
    {"export-contested", export_contested, FEW},
    {"export-dropped", export_dropped, FEW},
    {"export-expressions", export_expressions, FEW},
    {"export-not-ours", export_not_ours, FEW},
    {"export-secrets", export_secrets, FEW},
    {"export-twice", export_twice, FEW},
    {"ext-blocks", ext_blocks, FEW},
    {"ext-children", ext_children, FEW},
    {"ext-classifies", ext_classifies, FEW},
    {"ext-compares", ext_compares, FEW},
    {"ext-next", ext_next, FEW},
    {"ext-questions", ext_questions, FEW},
    {"ext-waits", ext_waits, FEW},
    {"fields", fields_of_objects, FEW},
    {"fields-taken-over", fields_taken_over, FEW},
    {"judging-replayed", judging_replayed, FEW},
    {"operator", operator_story, 0},
    {"operator-crashes", operator_crashes, 0},
    {"operator-faults", operator_faults, 0},
    {"operator-hooks", operator_hooks, FEW},
    {"others-busy", others_busy, FEW},
    {"others-clock-back", others_clock_back, FEW},
    {"others-copied", others_copied, FEW},
    {"others-never", others_never, FEW},
    {"others-protected-owner", others_protected_owner, FEW},
    {"others-unconfirmed-owner", others_unconfirmed_owner, FEW},
    {"owner-by-id", owner_by_id, FEW},
    {"owner-frozen", owner_frozen, FEW},
    {"owner-missing", owner_missing, FEW},
    {"owner-not-ready", owner_not_ready, FEW},
    {"owner-recreated", owner_recreated, FEW},
    {"owner-reference", owner_reference, FEW},
    {"pass-changes", pass_changes, FEW},
    {"pass-detach", pass_detach, FEW},
    {"pass-lost-resource", pass_lost_resource, FEW},
    {"pass-made-anew", pass_made_anew, FEW},
    {"pass-metadata", pass_metadata, FEW},
    {"pass-namespace-policy", pass_namespace_policy, FEW},
    {"pass-observe", pass_observe, FEW},
    {"pass-overlap", pass_overlap, FEW},
    {"pass-short-period", pass_short_period, FEW},
    {"pass-skip", pass_skip, FEW},
    {"pass-skip-gathers-nothing", pass_skip_gathers_nothing, FEW},
    {"pass-sync-period", pass_sync_period, FEW},
    {"pass-take-over", pass_take_over, FEW},
    {"pass-wiped-status", pass_wiped_status, FEW},
    {"plan-equals-deed", plan_equals_deed, 4},
    {"plan-mutual", plan_mutual, FEW},
    {"planted-key", planted_key, FEW},
    {"planted-operation", planted_operation, FEW},
    {"planted-shapes", planted_shapes, FEW},
    {"references-doubtful", references_doubtful, FEW},
    {"references-missing", references_missing, FEW},
    {"references-wait", references_wait, FEW},
    {"references-woken", references_woken, FEW},
    {"rejected-body", rejected_body, FEW},
    {"rejected-metadata", rejected_metadata, FEW},
    {"rejected-status", rejected_status, FEW},
    {"secret-busy", secret_busy, FEW},
    {"secret-missing", secret_missing, FEW},
    {"secret-quoted", secret_quoted, FEW},
    {"secret-rotated", secret_rotated, FEW},
    {"secret-rotated-meanwhile", secret_rotated_meanwhile, FEW},
    {"store", store_clients, 0},
    {"users-see", users_see, FEW},
};

struct range {
    uint64_t first, last;
};

static bool parse_range(const char *text, struct range *out)
{
    str first, last;

    if (!str_cut(str_c(text), STR("-"), &first, &last))
        last = first;
    return str_to_u64(first, &out->first) && str_to_u64(last, &out->last) &&
           out->first <= out->last;
}

static size_t run_all(const char *program, const struct world_scenario *scenario,
                      const struct range *seeds, size_t *passed)
{
    static struct world w;
    size_t failed = 0;

    for (uint64_t seed = seeds->first; seed <= seeds->last; seed++) {
        if (world_try(&w, scenario, seed)) {
            ++*passed;
            simulated += w.simulated;
            continue;
        }
        failed++;
        printf("FAILED %s, seed %llu; again: %s --seed %llu %s\n", scenario->name,
               (unsigned long long)seed, program, (unsigned long long)seed, scenario->name);
        world_report(&w);
    }
    return failed;
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--seed N | --seeds A-B] [--scale N] [SCENARIO...]\nscenarios:", program);
    for (size_t i = 0; i < COUNT(scenarios); i++)
        fprintf(stderr, " %s", scenarios[i].name);
    fputs("\n", stderr);
    return 2;
}

static const struct world_scenario *find(const char *name)
{
    for (size_t i = 0; i < COUNT(scenarios); i++)
        if (str_eq(str_c(scenarios[i].name), str_c(name)))
            return &scenarios[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct range seeds = {1, 300}, scale;
    size_t passed = 0, failed = 0;
    int at = 1;

    if (argc > 2 &&
        (str_eq(str_c(argv[1]), STR("--seed")) || str_eq(str_c(argv[1]), STR("--seeds")))) {
        if (!parse_range(argv[2], &seeds))
            return usage(argv[0]);
        at = 3;
    }
    if (argc > at + 1 && str_eq(str_c(argv[at]), STR("--scale"))) {
        if (!parse_range(argv[at + 1], &scale) || !scale.first || scale.first > SCALE_MAX)
            return usage(argv[0]);
        scenario_scale = (unsigned)scale.first;
        at += 2;
    }
    for (int i = at; i < argc; i++)
        if (!find(argv[i]))
            return usage(argv[0]);
    for (int i = at; i < argc; i++)
        failed += run_all(argv[0], find(argv[i]), &seeds, &passed);
    for (size_t i = 0; at == argc && i < COUNT(scenarios); i++) {
        struct range some = seeds;
        if (scenarios[i].most && some.last - some.first >= scenarios[i].most)
            some.last = some.first + scenarios[i].most - 1;
        failed += run_all(argv[0], &scenarios[i], &some, &passed);
    }
    printf("%lld hours of simulated time\n", (long long)(simulated / WORLD_HOUR));
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed ? 1 : 0;
}
