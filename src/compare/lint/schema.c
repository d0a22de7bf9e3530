/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - checks the keys and types of a file, and reports all problems with their positions. */
#include "compare/lint/internal.h"

struct check {
    struct lint *lint;
    const struct lint_shape *shape;
    const struct value *root;
    bool apart;    /* within what is decoded apart: see go/decode.h */
    bool embedded; /* the member is that of an embedded struct */
    bool fits;     /* no value of the wrong type so far */
};

static const char *const wanted[] = {
    [SCHEMA_BOOL] = "true or false", [SCHEMA_INT] = "an integer", [SCHEMA_LIST] = "a list",
    [SCHEMA_MAP] = "a mapping",      [SCHEMA_STRING] = "text",    [SCHEMA_STRUCT] = "a mapping",
    [SCHEMA_TIME] = "a time",
};

static const char *given(const struct value *v)
{
    static const char *const names[] = {
        [VALUE_NULL] = "nothing",     [VALUE_BOOL] = "a boolean", [VALUE_INT] = "a number",
        [VALUE_FLOAT] = "a number",   [VALUE_STRING] = "text",    [VALUE_LIST] = "a list",
        [VALUE_OBJECT] = "a mapping",
    };

    return names[v->kind];
}

static bool fits(const struct check *c, const struct schema *s, const struct value *v)
{
    switch (s->kind) {
    case SCHEMA_ANY:
        return true;
    case SCHEMA_BOOL:
        return v->kind == VALUE_BOOL;
    case SCHEMA_INT:
        return v->kind == VALUE_INT;
    case SCHEMA_LIST:
        return v->kind == VALUE_LIST;
    case SCHEMA_MAP:
    case SCHEMA_STRUCT:
        return v->kind == VALUE_OBJECT;
    case SCHEMA_STRING:
        return v->kind == VALUE_STRING || (!c->apart && !c->embedded && !value_is_container(v));
    case SCHEMA_TIME:
        return v->kind == VALUE_STRING;
    }
    return false;
}

/* Quotes are what most often turns a number into the text that was meant. */
static void refuse(struct check *c, const struct schema *s, const struct value *v)
{
    str key = value_key(v);
    const char *hint = s->kind == SCHEMA_STRING && !value_is_container(v) ? "; put it in quotes"
                                                                          : "";

    c->fits = false;
    if (v == c->root)
        lint_add(c->lint, &lint_wrong_type, source_where(c->shape->source, v),
                 "the file holds %s, where %s is wanted", given(v), wanted[s->kind]);
    else if (key.len)
        lint_add(c->lint, &lint_wrong_type, lint_key_where(c->shape->source, v),
                 "\"%.*s\" is %s, where %s is wanted%s", STR_ARG(key), given(v), wanted[s->kind],
                 hint);
    else
        lint_add(c->lint, &lint_wrong_type, source_where(c->shape->source, v),
                 "an entry is %s, where %s is wanted%s", given(v), wanted[s->kind], hint);
}

/* ---- Keys. ---- */

static const struct schema_field *find_field(const struct schema *s, str key)
{
    for (const struct schema_field *f = s->fields; f->name; f++)
        if (str_eq_fold(key, str_c(f->name)))
            return f;
    return NULL;
}

static const char *nearest(const struct schema *s, str key)
{
    const char *best = NULL;
    size_t least = 4;

    for (const struct schema_field *f = s->fields; f->name; f++) {
        size_t distance = str_distance(key, str_c(f->name));
        if (distance < least && distance < key.len) {
            least = distance;
            best = f->name;
        }
    }
    return best;
}

static str known_keys(struct arena *a, const struct schema *s)
{
    struct str_list names = {0};

    for (const struct schema_field *f = s->fields; f->name; f++)
        VEC_PUSH(a, &names, str_c(f->name));
    return str_join(a, names.items, names.len, STR(", "));
}

static void report_unknown(struct check *c, const struct schema *s, const struct value *v)
{
    bool ignored = c->apart || c->shape->loose;
    struct where at = lint_key_where(c->shape->source, v);
    const struct lint_rule *rule = ignored ? &lint_ignored_key : &lint_unknown_key;
    const char *near = nearest(s, value_key(v));

    if (near)
        lint_add(c->lint, rule, at, "unknown key \"%.*s\"; did you mean \"%s\"?",
                 STR_ARG(value_key(v)), near);
    else
        lint_add(c->lint, rule, at, "unknown key \"%.*s\"; known here: %.*s", STR_ARG(value_key(v)),
                 STR_ARG(known_keys(c->lint->arena, s)));
}

/* ---- Values. As deep as the schema, which is no deeper than it is written. ---- */

static void check_value(struct check *c, const struct schema *s, const struct value *v);

static void check_members(struct check *c, const struct schema *s, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct schema_field *f = find_field(s, value_key(&v->items[i]));
        c->embedded = f && f->embedded;
        if (f)
            check_value(c, f->type, &v->items[i]);
        else
            report_unknown(c, s, &v->items[i]);
        c->embedded = false;
    }
}

static void check_items(struct check *c, const struct schema *s, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        if (v->items[i].kind == VALUE_NULL && s->item->pointer)
            refuse(c, s->item, &v->items[i]);
        else
            check_value(c, s->item, &v->items[i]);
    }
}

static void check_value(struct check *c, const struct schema *s, const struct value *v)
{
    bool apart = c->apart;

    if (v->kind == VALUE_NULL)
        return;
    c->apart = apart || s->apart;
    if (!fits(c, s, v))
        refuse(c, s, v);
    else if (s->kind == SCHEMA_STRUCT)
        check_members(c, s, v);
    else if (s->kind == SCHEMA_LIST || s->kind == SCHEMA_MAP)
        check_items(c, s, v);
    c->apart = apart;
}

bool lint_schema(struct lint *l, const struct lint_shape *shape, const struct value *doc)
{
    struct check c = {.lint = l, .shape = shape, .root = doc, .fits = true};

    check_value(&c, shape->schema, doc);
    return c.fits;
}
