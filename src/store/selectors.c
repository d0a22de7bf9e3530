/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selectors.c - label and field selectors.
 *
 *   labels   a=b, a==b, a!=b, a in (b,c), a notin (b,c), a, !a
 *   fields   metadata.name=x, metadata.namespace!=y, and what the type allows
 *
 * Requirements are separated by commas and must all match.
 */
#include "store/internal.h"

#include "go/quote.h"
#include "object/object.h"

enum test { TEST_IN, TEST_NOT_IN, TEST_EXISTS, TEST_ABSENT };

struct requirement {
    str key;
    enum test test;
    struct str_list values;
};

struct requirements {
    struct requirement *items;
    size_t len, cap;
};

struct store_selector {
    struct requirements labels, fields;
};

/* ---- Reading labels. ---- */

struct scanning {
    struct store_request *request;
    str text;
    size_t at;
};

static void skip_blanks(struct scanning *c)
{
    while (c->at < c->text.len && str_find_char(STR(" \t\r\n"), c->text.ptr[c->at]) != STR_NPOS)
        c->at++;
}

static bool next_is(struct scanning *c, const char *token)
{
    skip_blanks(c);
    if (c->at == c->text.len ||
        !str_has_prefix(str_of(c->text.ptr + c->at, c->text.len - c->at), str_c(token)))
        return false;
    c->at += strlen(token);
    return true;
}

static str word(struct scanning *c)
{
    size_t from;

    skip_blanks(c);
    from = c->at;
    while (c->at < c->text.len &&
           str_find_char(STR(" \t\r\n=!,()<>"), c->text.ptr[c->at]) == STR_NPOS)
        c->at++;
    return str_slice(c->text, from, c->at);
}

static bool broken(struct scanning *c, const char *expected)
{
    str found = str_from(c->text, c->at);

    return store_fault(c->request, 400, "BadRequest",
                       "unable to parse requirement: found '%.*s', expected: %s", STR_ARG(found),
                       expected);
}

static bool add_value(struct scanning *c, struct requirement *r, str value)
{
    if (!store_is_label_value(value))
        return store_fault(c->request, 400, "BadRequest",
                           "unable to parse requirement: values[%zu][%.*s]: Invalid value: %.*s: a "
                           "valid label must be an empty string or consist of alphanumeric "
                           "characters, '-', '_' or '.', and must start and end with an "
                           "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
                           "regex used for validation is "
                           "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
                           r->values.len, STR_ARG(r->key),
                           STR_ARG(go_quoted(c->request->arena, value)));
    VEC_PUSH(c->request->arena, &r->values, value);
    return true;
}

static bool read_values(struct scanning *c, struct requirement *r)
{
    if (!next_is(c, "("))
        return broken(c, "'('");
    do {
        if (!add_value(c, r, word(c)))
            return false;
    } while (next_is(c, ","));
    return next_is(c, ")") || broken(c, "',' or ')'");
}

static bool read_operator(struct scanning *c, struct requirement *r)
{
    size_t before = c->at;

    if (next_is(c, "==") || next_is(c, "="))
        return add_value(c, r, word(c));
    if (next_is(c, "!=")) {
        r->test = TEST_NOT_IN;
        return add_value(c, r, word(c));
    }
    str name = word(c);
    if (str_eq(name, STR("in")))
        return read_values(c, r);
    if (str_eq(name, STR("notin"))) {
        r->test = TEST_NOT_IN;
        return read_values(c, r);
    }
    c->at = before;
    skip_blanks(c);
    if (c->at < c->text.len && c->text.ptr[c->at] != ',')
        return broken(c, "in, notin, =, ==, !=, gt, lt");
    r->test = TEST_EXISTS;
    return true;
}

static bool read_label(struct scanning *c, struct requirement *r)
{
    bool absent = next_is(c, "!");

    r->key = word(c);
    if (!store_is_qualified_name(r->key))
        return broken(c, "!, identifier, or 'end of string'");
    if (absent) {
        r->test = TEST_ABSENT;
        return true;
    }
    return read_operator(c, r);
}

static bool read_labels(struct store_request *request, str text, struct requirements *out)
{
    struct scanning c = {request, text, 0};

    skip_blanks(&c);
    while (c.at < text.len) {
        if (!read_label(&c, VEC_ADD(request->arena, out)))
            return false;
        skip_blanks(&c);
        if (c.at < text.len && !next_is(&c, ","))
            return broken(&c, "',' or 'end of string'");
    }
    return true;
}

/* ---- Reading fields. ---- */

static bool is_listed(str words, str name)
{
    str rest = words, one;

    while (rest.len) {
        str_cut(rest, STR(" "), &one, &rest);
        if (str_eq(one, name))
            return true;
    }
    return false;
}

static bool is_selectable(const struct store_request *r, str field)
{
    const struct value *more = r->as->selectable;

    if (str_eq(field, STR("metadata.name")) ||
        (r->type->namespaced && str_eq(field, STR("metadata.namespace"))))
        return true;
    for (size_t i = 0; more && i < value_len(more); i++) {
        str path = value_get_str(&more->items[i], STR("jsonPath"));
        if (str_eq(str_without_prefix(path, STR(".")), field))
            return true;
    }
    return r->type->builtin && is_listed(str_c(r->type->builtin->selectable), field);
}

static bool read_field(struct store_request *request, str text, struct requirement *r)
{
    str value;

    if (str_cut(text, STR("!="), &r->key, &value))
        r->test = TEST_NOT_IN;
    else if (!str_cut(text, STR("=="), &r->key, &value) &&
             !str_cut(text, STR("="), &r->key, &value))
        return store_fault(request, 400, "BadRequest",
                           "invalid selector: '%.*s'; can't understand '%.*s'", STR_ARG(text),
                           STR_ARG(text));
    if (!is_selectable(request, r->key))
        return store_fault(request, 400, "BadRequest", "field label not supported: %.*s",
                           STR_ARG(r->key));
    VEC_PUSH(request->arena, &r->values, value);
    return true;
}

static bool read_fields(struct store_request *request, str text, struct requirements *out)
{
    str one, rest = text;

    while (rest.len) {
        str_cut(rest, STR(","), &one, &rest);
        if (one.len && !read_field(request, one, VEC_ADD(request->arena, out)))
            return false;
    }
    return true;
}

bool store_selector_read(struct store_request *r, str labels, str fields,
                         struct store_selector **out)
{
    struct store_selector *s = ARENA_NEW(r->arena, struct store_selector);

    if (!read_labels(r, labels, &s->labels) || !read_fields(r, fields, &s->fields))
        return false;
    *out = s->labels.len || s->fields.len ? s : NULL;
    return true;
}

/* ---- Selecting. ---- */

static bool label_fits(const struct requirement *r, const struct value *labels)
{
    const struct value *label = value_get(labels, r->key);

    switch (r->test) {
    case TEST_IN:
        return label && str_list_has(&r->values, value_str(label));
    case TEST_NOT_IN:
        return !label || !str_list_has(&r->values, value_str(label));
    case TEST_EXISTS:
        return label != NULL;
    case TEST_ABSENT:
        return !label;
    }
    return false;
}

/* A missing field is the empty text. */
static str field_text(const struct value *object, str path)
{
    str step, rest = path;

    while (rest.len) {
        str_cut(rest, STR("."), &step, &rest);
        object = value_get(object, step);
    }
    if (value_is(object, VALUE_BOOL))
        return object->truth ? STR("true") : STR("false");
    return value_text(object);
}

bool store_selector_fits(const struct store_selector *s, const struct value *object)
{
    const struct value *labels = value_get(object_meta(object), STR("labels"));

    for (size_t i = 0; s && i < s->labels.len; i++)
        if (!label_fits(&s->labels.items[i], labels))
            return false;
    for (size_t i = 0; s && i < s->fields.len; i++) {
        const struct requirement *r = &s->fields.items[i];
        if (str_list_has(&r->values, field_text(object, r->key)) != (r->test == TEST_IN))
            return false;
    }
    return true;
}

static void copy_requirements(struct arena *a, const struct requirements *from,
                              struct requirements *to)
{
    for (size_t i = 0; i < from->len; i++) {
        const struct requirement *r = &from->items[i];
        struct requirement *copy = VEC_ADD(a, to);

        copy->key = str_copy(a, r->key);
        copy->test = r->test;
        for (size_t k = 0; k < r->values.len; k++)
            VEC_PUSH(a, &copy->values, str_copy(a, r->values.items[k]));
    }
}

struct store_selector *store_selector_copy(struct arena *a, const struct store_selector *s)
{
    struct store_selector *copy;

    if (!s)
        return NULL;
    copy = ARENA_NEW(a, struct store_selector);
    copy_requirements(a, &s->labels, &copy->labels);
    copy_requirements(a, &s->fields, &copy->fields);
    return copy;
}
