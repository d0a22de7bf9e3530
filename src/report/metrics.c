/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - the current verdict in the text format of Prometheus.
 *
 * To add a number: a line in the table of numbers; docs/watch.md lists all of them.
 */
#include "report/changes.h"

#include "base/prometheus.h"

static void add_template(struct buf *out, const char *name, const struct watch_template *t,
                         size_t n)
{
    AUTO_ARENA a = arena_new();
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "part", t->part);
    prom_label(&labels, "component", t->component);
    prom_label(&labels, "template", t->path);
    prom_sample(out, name, buf_str(&labels), (double)n);
}

static void add_templates(struct buf *out, const struct watch_totals *t)
{
    static const struct {
        const char *name, *help;
    } rows[] = {
        {"plumb_compare_template_objects", "Objects that were compared with the template."},
        {"plumb_compare_template_drifting_objects", "Of these, objects that differ."},
        {"plumb_compare_template_missing",
         "1 when the component lacks an object for the template."},
    };

    for (size_t k = 0; k < COUNT(rows); k++) {
        prom_head(out, rows[k].name, "gauge", rows[k].help);
        for (size_t i = 0; i < t->template_count; i++) {
            const struct watch_template *w = &t->templates[i];
            const size_t values[] = {w->matched, w->drifting, w->missing};
            add_template(out, rows[k].name, w, values[k]);
        }
    }
}

/* One line of a metric that has a single label. */
static void add_labelled(struct buf *out, const char *name, const char *label, const char *value,
                         double n)
{
    AUTO_ARENA a = arena_new();
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, label, str_c(value));
    prom_sample(out, name, buf_str(&labels), n);
}

static void add_changes(struct buf *out, const struct watch_totals *t)
{
    static const char name[] = "plumb_compare_changes_total";

    prom_head(out, name, "counter", "Changes of the verdict that were reported.");
    for (enum watch_kind k = WATCH_START; k < WATCH_END; k++)
        add_labelled(out, name, "change", watch_kind_name(k), (double)t->changes[k]);
}

/* The current state is 1, the others are 0. */
static void add_states(struct buf *out, const struct watch_totals *t)
{
    static const char name[] = "plumb_compare_completeness";

    prom_head(out, name, "gauge", "1 for how complete the verdict is.");
    for (enum verdict_state s = VERDICT_COMPLETE; s <= VERDICT_INCOMPLETE; s++)
        add_labelled(out, name, "state", verdict_state_name(s), watch_totals_state(t) == s);
}

static void add_info(struct buf *out, str hash)
{
    static const char name[] = "plumb_compare_info";
    AUTO_ARENA a = arena_new();
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_head(out, name, "gauge", "Version of plumb, and the hash of the reference.");
    prom_label(&labels, "version", STR(PLUMB_VERSION));
    prom_label(&labels, "reference_hash", hash);
    prom_sample(out, name, buf_str(&labels), 1);
}

void metrics_write(struct buf *out, const struct watch_totals *t, str hash)
{
    const struct {
        const char *name, *type, *help;
        uint64_t n;
    } numbers[] = {
        {"plumb_compare_started", "gauge", "1 when all types have been read once.", t->started},
        {"plumb_compare_types", "gauge", "Types of objects that are watched.", t->types},
        {"plumb_compare_types_failing", "gauge", "Types that cannot be watched at the moment.",
         t->failing},
        {"plumb_compare_objects", "gauge", "Objects of these types.", t->objects},
        {"plumb_compare_matched_objects", "gauge", "Objects that were compared with a template.",
         t->matched},
        {"plumb_compare_drifting_objects", "gauge", "Objects that differ from their template.",
         t->drifting},
        {"plumb_compare_failed_objects", "gauge", "Objects that could not be compared.", t->failed},
        {"plumb_compare_unmatched_objects", "gauge", "Objects without a template.", t->unmatched},
        {"plumb_compare_missing", "gauge",
         "Objects that the reference requires and that are not there.", t->missing},
        {"plumb_compare_issues", "gauge", "Components that are at fault as a whole.", t->issues},
        {"plumb_compare_last_sync_timestamp_seconds", "gauge",
         "When the verdict was last known to be current.", (uint64_t)(t->synced / NS_PER_SEC)},
        {"plumb_compare_events_total", "counter", "Changes of objects.", t->events},
        {"plumb_compare_comparisons_total", "counter",
         "Comparisons of an object with its templates.", t->compared},
        {"plumb_compare_errors_total", "counter", "Requests to the server that failed.", t->errors},
    };

    add_info(out, hash);
    for (size_t i = 0; i < COUNT(numbers); i++)
        prom_number(out, numbers[i].name, numbers[i].type, numbers[i].help, (double)numbers[i].n);
    add_states(out, t);
    add_templates(out, t);
    add_changes(out, t);
}
