/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline.c - runs functions that compare single fields (perField of the metadata file).
 *
 * There are two passes over the fields of an object: the first collects what named groups capture,
 * the second compares again with all captures and writes the results into the rendered side, so
 * that the difference shows what did not match. To add a function: one file with a struct
 * inline_function, and a line in the table below.
 */
#include "compare/pair/inline_internal.h"
#include "compare/pair/difftool_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/nested_internal.h"
#include "compare/secret.h"
#include "compare/input/object_internal.h"
#include "compare/reference/reference_internal.h"
#include "go/quote.h"
#include "regex/regex.h"

/* ---- What it costs. ---- */

/* Of each byte of a pattern that is compiled; its memory costs a unit a byte. */
#define COMPILE_COST 64

void inline_pay(struct captures *c, uint64_t cost)
{
    c->left = c->left > cost ? c->left - cost : 0;
}

bool inline_compile(struct arena *a, str pattern, bool shared, struct captures *c,
                    struct regex **out, struct err *e)
{
    size_t before = arena_used(a);

    inline_pay(c, pattern.len * COMPILE_COST);
    if (!c->left)
        return err_set(e, ERR_LIMIT, "it takes too long");
    if (!(shared ? regex_compile_shared : regex_compile)(a, pattern, out, e))
        return false;
    inline_pay(c, arena_used(a) - before);
    regex_limit(*out, &c->left);
    return true;
}

/* Which pattern was given up, and where. */
static bool fail_of_cost(struct arena *a, const struct template *t, const struct per_field *f,
                         str pattern, struct err *e)
{
    return err_set(e, ERR_LIMIT,
                   "matching the fields of the template %.*s takes too long: given up in field "
                   "%.*s, with the pattern %.*s. Write it with fewer groups and repetitions",
                   STR_ARG(t->path), STR_ARG(f->text),
                   STR_ARG(go_quoted(a, str_slice(pattern, 0, 200))));
}

/* ---- The functions. ---- */

static const struct inline_function *const functions[] = {&inline_capturegroups, &inline_regex};

const struct inline_function *inline_find(str name)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (str_eq(name, str_c(functions[i]->name)))
            return functions[i];
    return NULL;
}

/* ---- Captures. ---- */

static size_t capture_place(const struct captures *c, str name)
{
    size_t low = 0, high = c->groups.len;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (str_cmp(c->groups.items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct capture *captures_get(const struct captures *c, str name)
{
    size_t at = capture_place(c, name);

    return at < c->groups.len && str_eq(c->groups.items[at].name, name) ? &c->groups.items[at]
                                                                        : NULL;
}

static struct capture *captures_need(struct captures *c, str name)
{
    size_t at = capture_place(c, name);

    if (at == c->groups.len || !str_eq(c->groups.items[at].name, name)) {
        (void)VEC_ADD(c->arena, &c->groups);
        memmove(&c->groups.items[at + 1], &c->groups.items[at],
                (c->groups.len - 1 - at) * sizeof(*c->groups.items));
        c->groups.items[at] = (struct capture){.name = str_copy(c->arena, name)};
    }
    return &c->groups.items[at];
}

void captures_add(struct captures *c, str name, str value)
{
    struct capture *group = captures_need(c, name);

    inline_pay(c, c->groups.len + group->len);
    c->has_secret |= c->in_secret;
    for (size_t i = 0; i < group->len; i++)
        if (str_eq(group->items[i].text, value)) {
            group->items[i].secret &= c->in_secret;
            return;
        }
    struct capture_value one = {str_copy(c->arena, value), c->in_secret};
    VEC_PUSH(c->arena, group, one);
}

static str shown_value(const struct captures *c, const struct capture_value *v)
{
    return c->hides && v->secret ? STR("***") : v->text;
}

str capture_text(struct arena *a, const struct captures *all, const struct capture *c)
{
    str first = shown_value(all, &c->items[0]);

    if (c->len == 1)
        return first;
    return str_fmt(a, "(?<%.*s>=%.*s)", STR_ARG(c->name), STR_ARG(first));
}

void captures_warn(struct captures *c, struct buf *out)
{
    size_t before = out->len;

    for (size_t i = 0; i < c->groups.len; i++) {
        const struct capture *group = &c->groups.items[i];
        if (group->len < 2)
            continue;
        buf_fmt(out, "\nWARNING: Capturegroup (?<%.*s>\u2026) matched multiple values: \u00ab ",
                STR_ARG(group->name));
        for (size_t k = 0; k < group->len; k++) {
            buf_add(out, k ? STR(" | ") : STR_NONE);
            buf_add(out, shown_value(c, &group->items[k]));
        }
        buf_add(out, STR(" \u00bb"));
    }
    inline_pay(c, c->groups.len + (out->len - before));
}

/* ---- The fields of one object. ---- */

struct field_pair {
    const struct per_field *field;
    str pattern, value;
};

struct inline_pass {
    struct arena *arena;
    const struct template *template;
    struct value *rendered;
    const struct value *live;
    const struct value *shown; /* live without values of Secrets; NULL: neither side holds one */
    struct log_buffer *log;
    struct captures captures;
    struct {
        struct field_pair *items;
        size_t len, cap;
    } pairs;
};

/* Whether what both sides have at a field is the value of a Secret, as reports mask them. */
static bool is_secret_field(const struct inline_pass *p, const struct field_pair *pair)
{
    AUTO_ERR e = {0};
    bool found;
    str shown;

    if (!p->shown)
        return false;
    return !nested_string(p->arena, p->shown, &pair->field->path, false, &shown, &found, &e) ||
           !str_eq(shown, pair->value);
}

/* Errors of access quote the value. */
static bool fail_of_access(const struct inline_pass *p, const char *side, const struct per_field *f,
                           struct err *e)
{
    if (p->shown)
        err_set(e, ERR_INVALID,
                "it or what it is in has the wrong type; the value is not shown, because the "
                "object holds a Secret");
    return err_wrap(e, "failed to acces value in %s of field %.*s that uses inline diff func", side,
                    STR_ARG(f->text));
}

/* *there: both sides have the field. */
static bool get_pair(struct inline_pass *p, const struct per_field *f, struct field_pair *pair,
                     bool *there, struct err *e)
{
    bool found;

    pair->field = f;
    if (!nested_string(p->arena, p->rendered, &f->path, true, &pair->pattern, &found, e))
        return fail_of_access(p, "template", f, e);
    if (!found)
        return err_set(e, ERR_INVALID,
                       "failed to acces value in template of field %.*s that uses inline diff "
                       "func: Not found",
                       STR_ARG(f->text));
    if (nested_string(p->arena, p->live, &f->path, false, &pair->value, there, e))
        return true;
    if (*there)
        return fail_of_access(p, "cluster cr", f, e);
    err_clear(e);
    return true;
}

static bool collect_field(struct inline_pass *p, const struct per_field *f, struct err *e)
{
    struct field_pair pair = {0};
    bool there = false;

    if (!get_pair(p, f, &pair, &there, e))
        return false;
    if (!there)
        return true;
    bool valid = f->call->validate(p->arena, pair.pattern, &p->captures, e);
    if (!p->captures.left)
        return fail_of_cost(p->arena, p->template, f, pair.pattern, e);
    if (!valid)
        return err_set(e, ERR_INVALID, "failed to validate the inline diff for field %.*s, %.*s",
                       STR_ARG(f->text), STR_ARG(str_copy(p->arena, e->text)));
    log_buffer_info(p->log, "Performing %s comparison for %.*s::%.*s", f->call->name,
                    STR_ARG(p->template->path), STR_ARG(f->text));
    p->captures.in_secret = is_secret_field(p, &pair);
    (void)f->call->compare(p->arena, pair.pattern, pair.value, &p->captures, p->log);
    if (!p->captures.left)
        return fail_of_cost(p->arena, p->template, f, pair.pattern, e);
    VEC_PUSH(p->arena, &p->pairs, pair);
    return true;
}

static bool store_result(struct inline_pass *p, const struct per_field *f, str result,
                         struct err *e)
{
    struct path above = {f->path.steps, f->path.len - 1};
    const struct value *parent;

    if (!nested_get(p->arena, p->rendered, &above, &parent, e))
        return false;
    if (value_is(parent, VALUE_OBJECT)) {
        value_set_str(p->arena, (struct value *)parent, f->path.steps[f->path.len - 1].key, result);
        return true;
    }
    struct buf shown = buf_new(p->arena, BUF_UNLIMITED);
    struct buf path = buf_new(p->arena, BUF_UNLIMITED);
    go_print(&shown, parent, true);
    for (size_t i = 0; i < f->path.len; i++)
        buf_fmt(&path, ".%.*s", STR_ARG(f->path.steps[i].key));
    return err_set(e, ERR_INVALID,
                   "failed to update value of inline diff func result for field %.*s, %.*s "
                   "accessor error: %.*s is of type %s, expected map[string]string",
                   STR_ARG(f->text), STR_ARG(buf_str(&path)), STR_ARG(buf_str(&shown)),
                   go_type(parent, true));
}

static str compare_again(struct inline_pass *p, const struct field_pair *pair)
{
    return pair->field->call->compare(p->arena, pair->pattern, pair->value, &p->captures, p->log);
}

/*
 * The result of the second pass. What differs from the value is shown, so what was captured in the
 * data of Secrets is masked there; it must still differ.
 */
static str result_of(struct inline_pass *p, const struct field_pair *pair)
{
    p->captures.in_secret = is_secret_field(p, pair);
    str result = compare_again(p, pair);

    if (!p->captures.has_secret || p->captures.in_secret || str_eq(result, pair->value))
        return result;
    p->captures.hides = true;
    result = compare_again(p, pair);
    p->captures.hides = false;
    return str_eq(result, pair->value) ? str_concat(p->arena, result, STR(" (before)")) : result;
}

static void store_pair(struct inline_pass *p, const struct field_pair *pair, struct err *all)
{
    AUTO_ERR e = {0};
    str result = result_of(p, pair);

    bool ok = p->captures.left > 0
                  ? store_result(p, pair->field, result, &e)
                  : fail_of_cost(p->arena, p->template, pair->field, pair->pattern, &e);
    if (!ok)
        err_join(all, &e);
}

/* The object as reports show it, if one side holds a Secret; else NULL. */
static const struct value *without_secrets(struct arena *a, struct value *rendered,
                                           const struct value *live)
{
    struct value *before = rendered, *after = (struct value *)live;

    secret_mask_pair(a, NULL, &before, &after);
    return after == live ? NULL : after;
}

bool inline_run(struct arena *a, const struct template *t, struct value *rendered,
                const struct value *live, uint64_t cost_max, bool masked, struct log_buffer *log,
                struct err *e)
{
    struct inline_pass p = {.arena = a,
                            .template = t,
                            .rendered = rendered,
                            .live = live,
                            .log = log,
                            .captures = {.arena = a, .left = cost_max}};
    AUTO_ERR all = {0};

    if (masked && t->per_field.len)
        p.shown = without_secrets(a, rendered, live);
    for (size_t i = 0; i < t->per_field.len && p.captures.left; i++) {
        AUTO_ERR one = {0};
        if (!collect_field(&p, &t->per_field.items[i], &one))
            err_join(&all, &one);
    }
    for (size_t i = 0; i < p.pairs.len && p.captures.left; i++)
        store_pair(&p, &p.pairs.items[i], &all);
    if (all.kind == ERR_NONE)
        return true;
    str slug = slug_make(a, object_id(a, live));
    return err_set(e, ERR_INVALID,
                   "failed to properly run inline diff functions for %.*s some diff may be "
                   "incorrect: %.*s",
                   STR_ARG(slug), STR_ARG(all.text));
}
