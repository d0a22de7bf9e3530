/* SPDX-License-Identifier: Apache-2.0 */
/* scenarios.h - the scenarios that the program runs. */
#pragma once

#include "support/world.h"

/* The factor for the number of objects in scenarios with many: --scale. */
extern unsigned scenario_scale;

/* Random clients against a model of what Kubernetes promises: see store.c. */
void store_clients(struct world *w);
/*
 * Three resources are created, drift and are deleted, with and without crashes of the operator: see
 * operator.c.
 */
void operator_story(struct world *w);
void operator_crashes(struct world *w);
void operator_faults(struct world *w);
void owner_missing(struct world *w);
void owner_not_ready(struct world *w);
void owner_by_id(struct world *w);
void owner_reference(struct world *w);
void owner_recreated(struct world *w);
void owner_frozen(struct world *w);
void rejected_body(struct world *w);
void rejected_metadata(struct world *w);
void rejected_status(struct world *w);
void edge_unsynced_age(struct world *w);
void references_doubtful(struct world *w);
void references_missing(struct world *w);
void references_wait(struct world *w);
void references_woken(struct world *w);
void pass_metadata(struct world *w);
void pass_overlap(struct world *w);
void pass_changes(struct world *w);
void pass_detach(struct world *w);
void pass_skip(struct world *w);
void pass_namespace_policy(struct world *w);
void condition_refused(struct world *w);
void condition_fatal(struct world *w);
void condition_operation_failed(struct world *w);
void condition_failed_resource(struct world *w);
void condition_truncated(struct world *w);
void condition_steady(struct world *w);
void condition_at_work(struct world *w);
void delete_protected(struct world *w);
void delete_counted_once(struct world *w);
void delete_refused(struct world *w);
void delete_confirmed(struct world *w);
void delete_unsupported(struct world *w);
void delete_below_group(struct world *w);
void pass_lost_resource(struct world *w);
void pass_take_over(struct world *w);
void pass_observe(struct world *w);
void export_appears(struct world *w);
void export_dropped(struct world *w);
void export_comes_back(struct world *w);
void export_contested(struct world *w);
void export_not_ours(struct world *w);
void export_expressions(struct world *w);
void export_twice(struct world *w);
void ext_blocks(struct world *w);
void ext_children(struct world *w);
void ext_waits(struct world *w);
void ext_classifies(struct world *w);
void ext_compares(struct world *w);
void ext_next(struct world *w);
void ext_questions(struct world *w);
void cases_alone(struct world *w);
void cases_faults(struct world *w);
void cases_together(struct world *w);
void planted_key(struct world *w);
void planted_operation(struct world *w);
void planted_shapes(struct world *w);
void cases_drift(struct world *w);
void cases_drift_day(struct world *w);
void cases_drift_day_kept(struct world *w);
void cases_observed(struct world *w);
void cases_planned(struct world *w);
void drift_swept_types(struct world *w);
void drift_swept_children(struct world *w);
void secret_busy(struct world *w);
void secret_missing(struct world *w);
void config_map_missing(struct world *w);
void secret_rotated(struct world *w);
void secret_quoted(struct world *w);
void export_secrets(struct world *w);
void export_collision(struct world *w);
void children_kept(struct world *w);
void children_dropped(struct world *w);
void operator_hooks(struct world *w);
void pass_short_period(struct world *w);
void pass_sync_period(struct world *w);
void pass_wiped_status(struct world *w);
void children_needed(struct world *w);
/* What goes wrong around the operator: see hostile.c. */
void bad_answers(struct world *w);
void bad_clocks(struct world *w);
void bad_crashes(struct world *w);
void bad_ids(struct world *w);
void bad_owners(struct world *w);
void bad_scopes(struct world *w);
void bad_parent_gone(struct world *w);
void bad_refusals(struct world *w);
void bad_slow_answers(struct world *w);
void bad_throttling(struct world *w);
void bad_two_leaders(struct world *w);
void bad_versions(struct world *w);
void bad_wiped(struct world *w);
/* What is written into objects, byte by byte: see fields.c. */
void fields_of_objects(struct world *w);
void fields_taken_over(struct world *w);
/* What kubectl shows, against docs/operate.md: see users.c. */
void users_see(struct world *w);
/* Bugs that were fixed: see mends.c. */
void delete_no_storm(struct world *w);
void delete_unseen(struct world *w);
void pass_made_anew(struct world *w);
void pass_skip_gathers_nothing(struct world *w);
void secret_rotated_meanwhile(struct world *w);
/* Change detection: see drift.c. */
void drift_annotated(struct world *w);
void drift_author(struct world *w);
void drift_autoscaled(struct world *w);
void drift_bounded(struct world *w);
void drift_mistyped(struct world *w);
void drift_contested(struct world *w);
void drift_contested_anew(struct world *w);
void drift_corrected(struct world *w);
void drift_evolved(struct world *w);
void drift_failed(struct world *w);
void drift_put_only(struct world *w);
void drift_refused(struct world *w);
void drift_retargeted(struct world *w);
void drift_second_look(struct world *w);
void drift_swept(struct world *w);
void drift_swept_in_circles(struct world *w);
void drift_swept_in_vain(struct world *w);
void drift_unchanged(struct world *w);
/* Memory is lost or changes, for all objects at once: see lost.c. */
void drift_adopted(struct world *w);
void drift_compared_anew(struct world *w);
void drift_forgotten(struct world *w);
void drift_jumped(struct world *w);
void drift_upgraded(struct world *w);
/* Users, Azure and restarts at the wrong moment: see edges.c. */
void edge_busy_object(struct world *w);
void edge_claim_lost(struct world *w);
void edge_delete_unreadable(struct world *w);
void edge_failed_and_owner_ready(struct world *w);
void edge_foreign_token(struct world *w);
void edge_newer_generation(struct world *w);
void edge_conflicts(struct world *w);
void edge_unclaimed_token(struct world *w);
/* Other people's operations and deletions, and clocks: see others.c. */
void others_busy(struct world *w);
void others_clock_back(struct world *w);
void others_copied(struct world *w);
void others_never(struct world *w);
void others_protected_owner(struct world *w);
void others_unconfirmed_owner(struct world *w);
/* Verdicts are replayed: see replay.c. */
void judging_replayed(struct world *w);
/* Plans without a writer: see plan.c. */
void plan_equals_deed(struct world *w);
void plan_mutual(struct world *w);
/* The last decisions in a status: see why.c. */
void decisions_kept(struct world *w);
