/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - printing paths, and following them in trees; see path.h. */
#include "value/path.h"

#include "value/path_internal.h"

/* ---- Steps. ---- */

bool step_identity_text(const struct value *v, str *out)
{
    if (!v || v->kind == VALUE_NULL || value_is_container(v))
        return false;
    *out = value_text(v);
    if (v->kind == VALUE_BOOL)
        *out = v->truth ? STR("true") : STR("false");
    return true;
}

bool step_identifies(const struct step *identity, const struct value *element)
{
    for (; identity; identity = identity->next_pair) {
        str text;
        if (!step_identity_text(value_get(element, identity->key), &text) ||
            !str_eq(text, identity->text))
            return false;
    }
    return true;
}

static bool pair_equal(const struct step *x, const struct step *y)
{
    return x->kind == y->kind && str_eq(x->key, y->key) && str_eq(x->text, y->text) &&
           x->index == y->index;
}

static bool step_equal(const struct step *x, const struct step *y)
{
    for (; x && y; x = x->next_pair, y = y->next_pair)
        if (!pair_equal(x, y))
            return false;
    return x == y;
}

bool path_equal(const struct path *p, const struct path *q)
{
    if (p->len != q->len)
        return false;
    for (size_t i = 0; i < p->len; i++)
        if (!step_equal(&p->steps[i], &q->steps[i]))
            return false;
    return true;
}

struct path path_append(struct arena *a, const struct path *p, struct step step)
{
    struct path longer = {.steps = ARENA_ARRAY(a, struct step, p->len + 1), .len = p->len + 1};

    if (p->len)
        memcpy(longer.steps, p->steps, p->len * sizeof(*p->steps));
    longer.steps[p->len] = step;
    return longer;
}

struct path path_of_trail(struct arena *a, const struct trail *t)
{
    struct path p = {0};

    for (const struct trail *at = t; at; at = at->up)
        p.len++;
    p.steps = ARENA_ARRAY(a, struct step, p.len);
    for (size_t i = p.len; i > 0; i--, t = t->up)
        p.steps[i - 1] = t->step;
    return p;
}

/* ---- Printing. ---- */

/* Whether the parser takes s without quotes: see path_parse.c. */
static bool is_plain(str s, const char *stops)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c == 0x7f || strchr(stops, c))
            return false;
    }
    return s.len > 0;
}

static void print_word(struct buf *out, str s, const char *stops)
{
    if (is_plain(s, stops)) {
        buf_add(out, s);
        return;
    }
    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            buf_char(out, '"');
        buf_char(out, s.ptr[i]);
    }
    buf_char(out, '"');
}

static void print_identity(struct buf *out, const struct step *step)
{
    for (const struct step *pair = step; pair; pair = pair->next_pair) {
        buf_char(out, pair == step ? '[' : ',');
        print_word(out, pair->key, ".=,[]\"");
        buf_char(out, '=');
        print_word(out, pair->text, ",[]\"");
    }
    buf_char(out, ']');
}

void path_print_dotted(struct buf *out, const struct path *p)
{
    for (size_t i = 0; i < p->len; i++) {
        const struct step *step = &p->steps[i];
        switch (step->kind) {
        case STEP_KEY:
            if (i)
                buf_char(out, '.');
            print_word(out, step->key, ".[]\"");
            break;
        case STEP_INDEX:
            buf_fmt(out, "[%zu]", step->index);
            break;
        case STEP_IDENTITY:
            print_identity(out, step);
            break;
        }
    }
}

static void print_escaped(struct buf *out, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '~')
            buf_add(out, STR("~0"));
        else if (s.ptr[i] == '/')
            buf_add(out, STR("~1"));
        else
            buf_char(out, s.ptr[i]);
    }
}

static void print_identity_escaped(struct buf *out, const struct step *step)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);

    print_identity(&text, step);
    print_escaped(out, buf_str(&text));
}

void path_print_pointer(struct buf *out, const struct path *p)
{
    for (size_t i = 0; i < p->len; i++) {
        const struct step *step = &p->steps[i];
        buf_char(out, '/');
        switch (step->kind) {
        case STEP_KEY:
            print_escaped(out, step->key);
            break;
        case STEP_INDEX:
            buf_fmt(out, "%zu", step->index);
            break;
        case STEP_IDENTITY:
            print_identity_escaped(out, step);
            break;
        }
    }
}

/* ---- Following. ---- */

/* The index that key means in a list: as RFC 6901, no sign and no leading zeros. */
static bool index_of_key(str key, size_t *out)
{
    uint64_t index;

    if (!str_to_u64(key, &index) || (key.len > 1 && key.ptr[0] == '0') || index > PATH_MAX_INDEX)
        return false;
    *out = (size_t)index;
    return true;
}

bool path_select(const struct step *step, const struct value *list, size_t *out)
{
    *out = step->index;
    if (step->kind == STEP_KEY)
        return index_of_key(step->key, out);
    if (step->kind == STEP_IDENTITY)
        for (*out = 0; *out < list->len; ++*out)
            if (step_identifies(step, &list->items[*out]))
                break;
    return true;
}

struct value *path_follow(const struct step *step, const struct value *v)
{
    size_t i;

    if (value_is(v, VALUE_LIST))
        return path_select(step, v, &i) ? value_at(v, i) : NULL;
    return step->kind == STEP_KEY ? value_get(v, step->key) : NULL;
}

struct value *path_resolve(const struct path *p, const struct value *root)
{
    const struct value *v = root;

    for (size_t i = 0; v && i < p->len; i++)
        v = path_follow(&p->steps[i], v);
    return (struct value *)v;
}

bool path_delete(const struct path *p, struct value *root)
{
    struct path above = {.steps = p->steps, .len = p->len ? p->len - 1 : 0};
    struct value *parent = p->len ? path_resolve(&above, root) : NULL;
    struct value *v = parent ? path_follow(&p->steps[above.len], parent) : NULL;

    if (!v)
        return false;
    if (parent->kind == VALUE_OBJECT)
        return value_unset(parent, p->steps[above.len].key);
    value_remove(parent, (size_t)(v - parent->items));
    return true;
}
