/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suppressed.c - the fields of an object that a rule keeps out of its comparison, and the rule.
 *
 * Four kinds of rules take part. Entries of fieldsToOmit remove fields from both sides: they are
 * applied again, one after the other, and tell what they take. Expressions of the template give the
 * object's own value back: found by what wrote each value that was rendered. Merging, overrides and
 * functions for single fields make the expected side more alike: what differed before such a step
 * and no longer does after it, the step has suppressed.
 */
#include "compare/internal.h"
#include "value/diff.h"

struct search {
    const struct trace *trace;
    struct arena *arena;
    struct map *seen; /* path, NUL, rule: each only once */
    struct result_explanation *out;
};

static void add(struct search *s, str path, str rule, struct result_place place)
{
    str key = str_fmt(s->arena, "%.*s%c%.*s", STR_ARG(path), 0, STR_ARG(rule));

    if (map_has(s->seen, key))
        return;
    map_set(s->seen, key, s);
    VEC_PUSH(s->arena, &s->out->suppressed, ((struct result_suppressed){path, rule, place}));
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
    str rule = str_fmt(s->arena, "fieldsToOmit %.*s: %.*s%s", STR_ARG(entry->list),
                       STR_ARG(entry->text), entry->prefix ? "*" : "");

    if (o->template != s->trace->template)
        rule = str_fmt(s->arena, "%.*s (of the candidate %.*s)", STR_ARG(rule),
                       STR_ARG(o->template->path));
    if (entry->pos)
        place = source_place(&s->trace->compare->reference.source, entry->pos);
    add(s, field_path(s->arena, removed), rule, place);
}

/* Upstream: a candidate's list takes fields from the object also when another one is chosen. */
static void find_omitted(struct search *s, const struct tried_list *candidates)
{
    const struct trace *t = s->trace;
    struct value *object = value_clone(s->arena, t->object->root);
    struct omission o = {s, t->template};

    for (size_t i = 0; i < candidates->len; i++) {
        o.template = candidates->items[i].template;
        omit_fields_telling(s->arena, object, &o.template->omit, add_omitted, &o);
        if (o.template == t->template)
            break;
    }
    if (!t->compare->options->show_managed_fields &&
        value_get(value_get(object, STR("metadata")), STR("managedFields")))
        add(s, STR("metadata.managedFields"), STR("compared with --show-managed-fields only"),
            (struct result_place){0});
    if (t->stages.len) {
        struct value *last = value_clone(s->arena, t->stages.items[t->stages.len - 1].tree);
        omit_fields_telling(s->arena, last, &t->template->omit, add_omitted, &o);
    }
}

/* ---- Expressions. ---- */

/* Where the value of a scalar ends in the text: exact for plain ones, else near enough. */
static size_t scalar_end(const struct trace *t, const struct value *v)
{
    size_t from = v->pos - 1;
    size_t end = from + (value_text(v).len ? value_text(v).len : 1);

    if (from < t->text.len && strchr("|>", t->text.ptr[from]))
        for (str rest = str_from(t->text, from), line; str_next_line(&rest, &line) && rest.len;)
            if (rest.ptr[0] != ' ' && rest.ptr[0] != '\n')
                return t->text.len - rest.len;
    return end;
}

/* The expression that gave a scalar, or a part of it; NULL: all of it is literal. */
static const struct tmpl_range *expression_of(const struct trace *t, const struct value *v)
{
    const struct tmpl_range *end = t->provenance.items + t->provenance.count;
    const struct tmpl_range *range = v->pos ? trace_range(t, v) : NULL;

    for (; range && range < end && range->from < scalar_end(t, v); range++)
        if (tmpl_range_reads(range))
            return range;
    return NULL;
}

static void add_expression(struct search *s, const struct trail *at, const struct tmpl_range *range)
{
    struct path path = path_of_trail(s->arena, at);
    struct buf rule = buf_new(s->arena, BUF_UNLIMITED);

    buf_add(&rule, STR("template expression "));
    tmpl_range_print(range, &rule);
    add(s, field_path(s->arena, &path), buf_str(&rule), trace_range_place(s->trace, range));
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

/* All members from one expression are told as one, by whoever holds them. */
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

/* The expression that gave all of v, which is told by the caller; NULL: parts are told. */
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

static struct differing differing_of(struct search *s, const struct differences *found)
{
    struct differing d = {map_new(s->arena), map_new(s->arena)};

    for (size_t i = 0; i < found->count; i++) {
        struct path path = path_of_trail(s->arena, found->items[i].at);
        map_set(d.at, field_path(s->arena, &path), s);
        for (path.len -= path.len > 0; path.len; path.len--)
            map_set(d.above, field_path(s->arena, &path), s);
    }
    return d;
}

static void stage_rule(struct search *s, const struct stage *stage, const struct path *path,
                       str *rule, struct result_place *place)
{
    const struct trace *t = s->trace;
    const struct source *metadata = &t->compare->reference.source;

    if (stage->kind == STAGE_MERGED) {
        *rule = str_fmt(s->arena, "template %.*s: ignore-unspecified-fields",
                        STR_ARG(t->template->path));
        *place = source_place(metadata, t->template->merge_pos);
    } else if (stage->kind == STAGE_OVERRIDDEN) {
        *rule = str_fmt(s->arena, "override (%.*s): %.*s", STR_ARG(stage->override->type),
                        STR_ARG(stage->override->reason));
        *place = source_place(&t->compare->overrides.source, stage->override->pos);
    } else {
        *rule = STR("inline function");
        for (size_t i = 0; i < t->template->per_field.len; i++) {
            const struct per_field *f = &t->template->per_field.items[i];
            if (path_resolve(&f->path, t->live) != path_resolve(path, t->live))
                continue;
            *rule =
                str_fmt(s->arena, "perField %.*s: %.*s", STR_ARG(f->function), STR_ARG(f->text));
            *place = source_place(metadata, f->pos);
        }
    }
}

/* Tells of path, or of the parts of it that no longer differ; v is what only one side had. */
static void add_settled(struct search *s, const struct stage *stage, const struct path *path,
                        const struct value *v, const struct differing *still)
{
    str text = field_path(s->arena, path);
    struct result_place place = {0};
    str rule;

    if (map_has(still->at, text))
        return;
    if (!map_has(still->above, text)) {
        stage_rule(s, stage, path, &rule, &place);
        add(s, text, rule, place);
        return;
    }
    for (size_t i = 0; value_is(v, VALUE_OBJECT) && i < v->len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(&v->items[i])};
        struct path below = path_append(s->arena, path, step);
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
        for (size_t k = 0; k < before.count; k++) {
            const struct difference *d = &before.items[k];
            struct path path = path_of_trail(s->arena, d->at);
            add_settled(s, stage, &path, d->old_ ? d->old_ : d->new_, &still);
        }
        before = after;
    }
}

void explain_suppressed(const struct trace *t, const struct tried_list *candidates,
                        struct result_explanation *out)
{
    struct search s = {.trace = t, .arena = t->arena, .seen = map_new(t->arena), .out = out};

    find_omitted(&s, candidates);
    if (!t->stages.len)
        return;
    find_expressions(&s);
    find_settled(&s);
}
