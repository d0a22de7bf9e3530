/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suppressed.c - finds the fields of an object that are not compared, and the rule that excludes
 * each.
 *
 * There are four kinds of rules. Entries of fieldsToOmit remove fields from both sides: they are
 * applied again, one after the other, and report what they remove. Expressions of the template may
 * return the object's own value: these are found by the origin of each rendered value. Merging,
 * overrides and functions for single fields make the expected side more similar: whatever differs
 * before such a step but not after it was suppressed by that step.
 */
#include "compare/explain/explain_internal.h"
#include "compare/internal.h"
#include "compare/reference/omit_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/explain/tally_internal.h"
#include "value/diff.h"
#include "object/object.h"

struct search {
    const struct trace *trace;
    struct arena *arena;
    struct arena *scratch; /* for paths, one at a time */
    size_t before;         /* of the arena, when the search began */
    struct map *seen;      /* path, NUL, rule: each only once */
    struct result_explanation *out;
};

/* Whether enough was found: foreign trees can be deep, and then their paths are long. */
static bool is_spent(struct search *s)
{
    s->out->cut = s->out->cut || arena_used(s->arena) - s->before > TRACE_MEMORY_MAX;
    return s->out->cut;
}

/* The path as text, until the next one is asked for. */
static str passing_path(struct search *s, const struct trail *at)
{
    arena_reset(s->scratch);
    struct path path = path_of_trail(s->scratch, at);
    return field_path(s->scratch, &path);
}

static void add(struct search *s, str path, str rule, struct result_place place)
{
    str key = str_fmt(s->scratch, "%.*s%c%.*s", STR_ARG(path), 0, STR_ARG(rule));

    if (is_spent(s) || map_has(s->seen, key))
        return;
    key = str_copy(s->arena, key);
    map_set(s->seen, key, s);
    VEC_PUSH(s->arena, &s->out->suppressed,
             ((struct result_suppressed){str_slice(key, 0, path.len), rule, place}));
}

/* ---- Omitted fields. ---- */

struct omission {
    struct search *search;
    const struct template *template;
};

static void add_omitted(void *ctx, const struct omit_path *entry, const struct path *removed)
{
    const struct omission *o = ctx;
    struct search *s = o->search;
    struct result_place place = {0};
    str rule = omit_rule(s->arena, entry);

    if (o->template != s->trace->template)
        rule = str_fmt(s->arena, "%.*s (of the candidate %.*s)", STR_ARG(rule),
                       STR_ARG(o->template->path));
    if (entry->pos)
        place = source_place(&s->trace->compare->reference.source, entry->pos);
    arena_reset(s->scratch);
    add(s, field_path(s->scratch, removed), rule, place);
}

/* Upstream: the list of a candidate takes fields from the object also when another one is chosen.
 */
static bool takes_fields(const struct trace *t, const struct template *candidate)
{
    return candidate == t->template || !t->options->dialect->isolated_candidates;
}

static void find_omitted(struct search *s, const struct tried_list *candidates)
{
    const struct trace *t = s->trace;
    struct value *object = value_clone(s->arena, t->object->root);
    struct omission o = {s, t->template};

    for (size_t i = 0; i < candidates->len; i++) {
        o.template = candidates->items[i].template;
        if (takes_fields(t, o.template))
            omit_fields_reporting(s->arena, object, &o.template->omit, add_omitted, &o);
        if (o.template == t->template)
            break;
    }
    if (!t->options->show_managed_fields && value_get(object_meta(object), STR("managedFields")))
        add(s, STR("metadata.managedFields"), STR("compared with --show-managed-fields only"),
            (struct result_place){0});
    if (t->stages.len) {
        struct value *last = value_clone(s->arena, t->stages.items[t->stages.len - 1].tree);
        omit_fields_reporting(s->arena, last, &t->template->omit, add_omitted, &o);
    }
}

/* ---- Expressions. ---- */

/* Where a quoted scalar ends; quotes within are doubled, or escaped where that is possible. */
static size_t quoted_end(str text, size_t from)
{
    char quote = text.ptr[from];

    for (size_t i = from + 1; i < text.len; i++) {
        bool two = i + 1 < text.len && text.ptr[i + 1] == quote;
        if (text.ptr[i] == quote && !(two && quote == '\''))
            return i;
        /* The next byte belongs to this one. */
        i += text.ptr[i] == (quote == '"' ? '\\' : quote);
    }
    return text.len;
}

/* Where a block of lines ends, for which the first line that is not indented is near enough. */
static size_t block_end(str text, size_t from)
{
    for (str rest = str_from(text, from), line; str_next_line(&rest, &line) && rest.len;)
        if (rest.ptr[0] != ' ' && rest.ptr[0] != '\n')
            return text.len - rest.len;
    return text.len;
}

/* Where the value of a scalar ends in the text. */
static size_t scalar_end(const struct trace *t, const struct value *v)
{
    size_t from = v->pos - 1;
    char first = from < t->text.len ? t->text.ptr[from] : 0;

    if (first == '"' || first == '\'')
        return quoted_end(t->text, from);
    if (first == '|' || first == '>')
        return block_end(t->text, from);
    return from + (value_text(v).len ? value_text(v).len : 1);
}

/* The expression that gave a scalar, or a part of it; NULL: all of it is literal. */
static const struct tmpl_range *expression_of(const struct trace *t, const struct value *v)
{
    const struct tmpl_range *end = t->provenance.items + t->provenance.count;
    const struct tmpl_range *range = v->pos ? trace_range(t, v) : NULL;
    size_t last = range ? scalar_end(t, v) : 0;

    for (; range && range < end && range->from < last; range++)
        if (tmpl_range_reads(range))
            return range;
    return NULL;
}

static void add_expression(struct search *s, const struct trail *at, const struct tmpl_range *range)
{
    struct buf rule = buf_new(s->arena, BUF_UNLIMITED);

    if (is_spent(s))
        return;
    buf_add(&rule, STR("template expression "));
    tmpl_range_print(range, &rule);
    add(s, passing_path(s, at), buf_str(&rule), trace_range_place(s->trace, range));
}

static const struct tmpl_range *find_expression(struct search *s, const struct value *v,
                                                const struct value *live, const struct trail *at);

static struct trail child_trail(const struct value *v, size_t i, const struct trail *at)
{
    struct step step = {.kind = STEP_INDEX, .index = i};

    if (v->kind == VALUE_OBJECT)
        step = (struct step){.kind = STEP_KEY, .key = value_key(&v->items[i])};
    return (struct trail){at, step};
}

/* Whether an expression wrote a member with its key, or an element from its beginning. */
static bool wrote_all(const struct trace *t, const struct tmpl_range *range, const struct value *v)
{
    const struct source source = {.text = t->text};
    size_t offset;

    return range && source_offset(&source, v, &offset) && range->from <= offset;
}

/* All members from one expression are reported as one, at their common parent. */
static const struct tmpl_range *find_in_members(struct search *s, const struct value *v,
                                                const struct value *live, const struct trail *at)
{
    const struct tmpl_range **found = ARENA_ARRAY(s->arena, const struct tmpl_range *, v->len);
    bool same = v->len > 0;

    for (size_t i = 0; i < v->len; i++) {
        const struct value *there =
            v->kind == VALUE_OBJECT ? value_get(live, value_key(&v->items[i])) : value_at(live, i);
        struct trail below = child_trail(v, i, at);
        found[i] = find_expression(s, &v->items[i], there, &below);
        same = same && found[i] == found[0] && wrote_all(s->trace, found[i], &v->items[i]);
    }
    if (same)
        return found[0];
    for (size_t i = 0; i < v->len; i++) {
        struct trail below = child_trail(v, i, at);
        if (found[i])
            add_expression(s, &below, found[i]);
    }
    return NULL;
}

/* The expression that produced all of v, reported by the caller; NULL: parts are reported. */
static const struct tmpl_range *find_expression(struct search *s, const struct value *v,
                                                const struct value *live, const struct trail *at)
{
    if (value_is_container(v) && v->len)
        return find_in_members(s, v, live, at);
    return value_equal(v, live) ? expression_of(s->trace, v) : NULL;
}

static void find_expressions(struct search *s)
{
    const struct value *rendered = s->trace->stages.items[0].tree;
    const struct tmpl_range *range = find_expression(s, rendered, s->trace->live, NULL);

    if (range)
        add_expression(s, NULL, range);
}

/* ---- Steps that make both sides more alike. ---- */

/* The paths at which a stage differs from the object, and all that lead to them. */
struct differing {
    struct map *at, *above;
};

/* What leads to a place that is known already is known too. */
static void add_above(struct search *s, struct map *above, const struct trail *at)
{
    for (at = at ? at->up : NULL; at; at = at->up) {
        str text = passing_path(s, at);
        if (is_spent(s) || map_has(above, text))
            return;
        map_set(above, str_copy(s->arena, text), s);
    }
}

static struct differing differing_of(struct search *s, const struct differences *found)
{
    struct differing d = {map_new(s->arena), map_new(s->arena)};

    for (size_t i = 0; i < found->count && !is_spent(s); i++) {
        map_set(d.at, str_copy(s->arena, passing_path(s, found->items[i].at)), s);
        add_above(s, d.above, found->items[i].at);
    }
    return d;
}

/* The function for a field; elements of lists can be named in several ways. */
static const struct per_field *function_of(struct search *s, const struct trail *at)
{
    const struct trace *t = s->trace;
    struct path path = path_of_trail(s->scratch, at);
    const struct value *v = trace_find(t, &path, t->live);

    for (size_t i = 0; i < t->template->per_field.len; i++)
        if (path_resolve(&t->template->per_field.items[i].path, t->live) == v)
            return &t->template->per_field.items[i];
    return NULL;
}

static void add_by_stage(struct search *s, const struct stage *stage, const struct trail *at)
{
    const struct trace *t = s->trace;
    const struct source *metadata = &t->compare->reference.source;
    const struct per_field *f = stage->kind == STAGE_INLINED ? function_of(s, at) : NULL;
    struct result_place place = {0};
    str rule = STR("perField");

    if (stage->kind == STAGE_MERGED) {
        rule = str_fmt(s->arena, "template %.*s: ignore-unspecified-fields",
                       STR_ARG(t->template->path));
        place = source_place(metadata, t->template->merge_pos);
    } else if (stage->kind == STAGE_OVERRIDDEN) {
        rule = str_fmt(s->arena, "override (%.*s): %.*s", STR_ARG(stage->override->type),
                       STR_ARG(stage->override->reason));
        place = source_place(&t->compare->overrides.source, stage->override->pos);
    } else if (f) {
        rule = str_fmt(s->arena, "perField %.*s: %.*s", STR_ARG(f->function), STR_ARG(f->text));
        place = source_place(metadata, f->pos);
    }
    add(s, passing_path(s, at), rule, place);
}

/* Tells of a place, or of the parts of it that no longer differ; v is what only one side had. */
static void add_settled(struct search *s, const struct stage *stage, const struct trail *at,
                        const struct value *v, const struct differing *still)
{
    str text = passing_path(s, at);

    if (is_spent(s) || map_has(still->at, text))
        return;
    if (!map_has(still->above, text)) {
        add_by_stage(s, stage, at);
        return;
    }
    for (size_t i = 0; value_is(v, VALUE_OBJECT) && i < v->len; i++) {
        struct trail below = child_trail(v, i, at);
        add_settled(s, stage, &below, &v->items[i], still);
    }
}

static void find_settled(struct search *s)
{
    const struct trace *t = s->trace;
    struct differences before = value_diff(s->arena, t->stages.items[0].tree, t->live, NULL);

    for (size_t i = 1; i < t->stages.len; i++) {
        const struct stage *stage = &t->stages.items[i];
        struct differences after = value_diff(s->arena, stage->tree, t->live, NULL);
        struct differing still = differing_of(s, &after);
        for (size_t k = 0; k < before.count && !is_spent(s); k++) {
            const struct difference *d = &before.items[k];
            add_settled(s, stage, d->at, d->old_ ? d->old_ : d->new_, &still);
        }
        before = after;
    }
}

void explain_suppressed(const struct trace *t, const struct tried_list *candidates,
                        struct result_explanation *out)
{
    AUTO_ARENA scratch = arena_new();
    struct search s = {.trace = t, .arena = t->arena, .scratch = scratch, .out = out};

    s.seen = map_new(t->arena);
    s.before = arena_used(t->arena);
    find_omitted(&s, candidates);
    if (!t->stages.len)
        return;
    find_expressions(&s);
    find_settled(&s);
}
