/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.c - the verdict of the moment in the text format of Prometheus.
 *
 * To add a number: a line in the table of numbers; docs/watch.md lists all of them.
 */
#include "report/changes.h"

/* Backslashes, quotes and newlines are the three that count in a label. */
static void add_label(struct buf *out, const char *name, str value, bool first)
{
    buf_fmt(out, "%s%s=\"", first ? "" : ",", name);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\n')
            buf_add(out, STR("\\n"));
        else if (c == '\\' || c == '"')
            buf_fmt(out, "\\%c", c);
        else
            buf_char(out, c);
    }
    buf_char(out, '"');
}

static void add_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_fmt(out, "# HELP plumb_compare_%s %s\n# TYPE plumb_compare_%s %s\n", name, help, name,
            type);
}

static void add_number(struct buf *out, const char *name, const char *type, const char *help,
                       uint64_t n)
{
    add_head(out, name, type, help);
    buf_fmt(out, "plumb_compare_%s %llu\n", name, (unsigned long long)n);
}

static void add_template(struct buf *out, const char *name, const struct watch_template *t,
                         size_t n)
{
    buf_fmt(out, "plumb_compare_%s{", name);
    add_label(out, "part", t->part, true);
    add_label(out, "component", t->component, false);
    add_label(out, "template", t->path, false);
    buf_fmt(out, "} %zu\n", n);
}

static void add_templates(struct buf *out, const struct watch_totals *t)
{
    static const struct {
        const char *name, *help;
    } rows[] = {
        {"template_objects", "Objects that were compared with the template."},
        {"template_drifting_objects", "Of these, objects that differ."},
        {"template_missing", "1 when the component lacks an object for the template."},
    };

    for (size_t k = 0; k < COUNT(rows); k++) {
        add_head(out, rows[k].name, "gauge", rows[k].help);
        for (size_t i = 0; i < t->template_count; i++) {
            const struct watch_template *w = &t->templates[i];
            const size_t values[] = {w->matched, w->drifting, w->missing};
            add_template(out, rows[k].name, w, values[k]);
        }
    }
}

static void add_changes(struct buf *out, const struct watch_totals *t)
{
    add_head(out, "changes_total", "counter", "Changes of the verdict that were told.");
    for (enum watch_kind k = WATCH_START; k < WATCH_END; k++) {
        buf_add(out, STR("plumb_compare_changes_total{"));
        add_label(out, "change", str_c(watch_kind_name(k)), true);
        buf_fmt(out, "} %llu\n", (unsigned long long)t->changes[k]);
    }
}

/* One of the states is 1. */
static void add_states(struct buf *out, const struct watch_totals *t)
{
    add_head(out, "completeness", "gauge", "1 for how complete the verdict is.");
    for (enum verdict_state s = VERDICT_COMPLETE; s <= VERDICT_INCOMPLETE; s++) {
        buf_add(out, STR("plumb_compare_completeness{"));
        add_label(out, "state", str_c(verdict_state_name(s)), true);
        buf_fmt(out, "} %d\n", watch_totals_state(t) == s);
    }
}

static void add_info(struct buf *out, str hash)
{
    add_head(out, "info", "gauge", "Version of plumb, and the hash of the reference.");
    buf_add(out, STR("plumb_compare_info{"));
    add_label(out, "version", STR(PLUMB_VERSION), true);
    add_label(out, "reference_hash", hash, false);
    buf_add(out, STR("} 1\n"));
}

void metrics_write(struct buf *out, const struct watch_totals *t, str hash)
{
    const struct {
        const char *name, *type, *help;
        uint64_t n;
    } numbers[] = {
        {"started", "gauge", "1 when all types have been read once.", t->started},
        {"types", "gauge", "Types of objects that are watched.", t->types},
        {"types_failing", "gauge", "Types that cannot be watched at the moment.", t->failing},
        {"objects", "gauge", "Objects of these types.", t->objects},
        {"matched_objects", "gauge", "Objects that were compared with a template.", t->matched},
        {"drifting_objects", "gauge", "Objects that differ from their template.", t->drifting},
        {"failed_objects", "gauge", "Objects that could not be compared.", t->failed},
        {"unmatched_objects", "gauge", "Objects without a template.", t->unmatched},
        {"missing", "gauge", "Objects that the reference requires and that are not there.",
         t->missing},
        {"issues", "gauge", "Components that are at fault as a whole.", t->issues},
        {"last_sync_timestamp_seconds", "gauge", "When the verdict was last known to be current.",
         (uint64_t)(t->synced / NS_PER_SEC)},
        {"events_total", "counter", "Changes of objects.", t->events},
        {"comparisons_total", "counter", "Comparisons of an object with its templates.",
         t->compared},
        {"errors_total", "counter", "Requests to the server that failed.", t->errors},
    };

    add_info(out, hash);
    for (size_t i = 0; i < COUNT(numbers); i++)
        add_number(out, numbers[i].name, numbers[i].type, numbers[i].help, numbers[i].n);
    add_states(out, t);
    add_templates(out, t);
    add_changes(out, t);
}
