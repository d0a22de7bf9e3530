/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - known differences: what Azure makes of a payload.
 *
 * Each difference keeps what was found, and the wanted value it belongs to. Long objects and lists
 * with identities are kept member by member, so that only single long values are reduced to
 * digests.
 */
#include "operator/detect/internal.h"

#include "value/number.h"

static const char *const causes[] = {
    [CAUSE_DEFAULTED] = "defaulted",   [CAUSE_EXTENDED] = "extended",
    [CAUSE_HIDDEN] = "hidden",         [CAUSE_DROPPED] = "dropped",
    [CAUSE_NORMALISED] = "normalised", [CAUSE_REPLACED] = "replaced",
};

const char *detect_cause_name(enum detect_cause cause)
{
    return causes[cause];
}

bool detect_cause_is_loss(enum detect_cause cause)
{
    return cause == CAUSE_DROPPED || cause == CAUSE_REPLACED;
}

/* ---- Causes. --------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Equal except for whitespace, case, and slashes at both ends. */
static bool is_spelled_alike(str x, str y)
{
    size_t i = 0, k = 0;

    x = str_trim_set(x, STR("/ \t\r\n"));
    y = str_trim_set(y, STR("/ \t\r\n"));
    for (;; i++, k++) {
        while (i < x.len && is_blank(x.ptr[i]))
            i++;
        while (k < y.len && is_blank(y.ptr[k]))
            k++;
        if (i == x.len || k == y.len)
            return i == x.len && k == y.len;
        if (lower(x.ptr[i]) != lower(y.ptr[k]))
            return false;
    }
}

static bool is_normalised(const struct value *wanted, const struct value *found)
{
    str x = value_text(wanted), y = value_text(found);

    return (x.len && is_spelled_alike(x, y)) ||
           (number_is_valid(x) && number_is_valid(y) && number_compare(x, y) == 0);
}

/* Whether the last step leads to an element, or to an entry of a map that the user set. */
static bool is_entry(const struct path *path, const struct value *wanted)
{
    struct path up = {.steps = path->steps, .len = path->len ? path->len - 1 : 0};

    return path->len &&
           (path->steps[path->len - 1].kind != STEP_KEY ||
            (up.len && path_resolve(&up, wanted) && str_eq(up.steps[up.len - 1].key, STR("tags"))));
}

static enum detect_cause cause_of(struct detect *d, const struct path *path,
                                  const struct difference *x, const struct value *wanted)
{
    if (!hidden_below(d, path, x->old_ ? x->old_ : x->new_, !x->new_).shown)
        return CAUSE_HIDDEN;
    if (x->kind == DIFFERENCE_ADDED)
        return is_entry(path, wanted) ? CAUSE_EXTENDED : CAUSE_DEFAULTED;
    if (x->kind == DIFFERENCE_MISSING)
        return CAUSE_DROPPED;
    if (lists_extend(x->new_, x->old_) && value_len(x->old_) < value_len(x->new_))
        return CAUSE_EXTENDED;
    return x->kind == DIFFERENCE_REORDERED || is_normalised(x->old_, x->new_) ? CAUSE_NORMALISED
                                                                              : CAUSE_REPLACED;
}

/* ---- Learning. ------------------------------------------------------------------------------- */

struct learning {
    struct detect *d;
    const struct value *wanted;
    struct record *out;
    size_t cap;
};

static struct known *add(struct learning *l, const struct path *path)
{
    struct record *r = l->out;
    struct buf text = buf_new(l->d->arena, BUF_UNLIMITED);

    if (r->count == RECORD_MAX) {
        r->overflow = true;
        return NULL;
    }
    if (r->count == l->cap)
        r->items = vec_grow(l->d->arena, r->items, &l->cap, sizeof(*r->items));
    struct known *k = &r->items[r->count++];
    path_print_dotted(&text, path);
    *k = (struct known){.path = buf_str(&text)};
    return k;
}

static void learn_one(struct learning *l, const struct path *path, const struct difference *x,
                      enum detect_cause cause);

/* Records an object of which only a part is hidden, member by member. False if it is not one. */
static bool learn_missing(struct learning *l, const struct path *path, const struct value *v)
{
    struct hidden_count count = hidden_below(l->d, path, v, true);

    if (!v || !count.hidden || !count.shown)
        return false;
    for (size_t i = 0; i < v->len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(&v->items[i])};
        struct path below = path_append(l->d->arena, path, step);
        struct difference x = {.kind = DIFFERENCE_MISSING, .old_ = &v->items[i]};
        if (!learn_missing(l, &below, x.old_))
            learn_one(l, &below, &x,
                      hidden_below(l->d, &below, x.old_, true).shown ? CAUSE_DROPPED
                                                                     : CAUSE_HIDDEN);
    }
    return true;
}

/* A long object that was added, member by member. */
static void learn_members(struct learning *l, const struct path *path, const struct value *v,
                          enum detect_cause cause)
{
    for (size_t i = 0; i < v->len; i++) {
        struct path below = path_append(
            l->d->arena, path, (struct step){.kind = STEP_KEY, .key = value_key(&v->items[i])});
        struct difference x = {.kind = DIFFERENCE_ADDED, .new_ = &v->items[i]};
        learn_one(l, &below, &x, cause);
    }
}

static void learn_one(struct learning *l, const struct path *path, const struct difference *x,
                      enum detect_cause cause)
{
    size_t length = x->new_ ? json_length(l->d->arena, x->new_) : 0;

    if (length > KNOWN_VALUE_MAX && x->kind == DIFFERENCE_ADDED && x->new_->kind == VALUE_OBJECT) {
        learn_members(l, path, x->new_, cause);
        return;
    }
    struct known *k = add(l, path);
    if (!k)
        return;
    k->kind = x->kind == DIFFERENCE_TYPE ? DIFFERENCE_CHANGED : x->kind;
    k->cause = cause;
    k->wanted = path_resolve(path, l->wanted);
    k->wanted = cause == CAUSE_HIDDEN ? hidden_form(l->d, k->wanted) : shorten(l->d, k->wanted);
    if (!x->new_)
        return;
    if (value_is_container(x->new_) || (length <= KNOWN_VALUE_MAX && cause != CAUSE_HIDDEN)) {
        k->found = x->new_;
        return;
    }
    k->digest = detect_digest(l->d->arena, l->d->key, x->new_);
    k->length = length;
}

struct record detect_learn(struct detect *d, const struct value *wanted, const struct value *found)
{
    struct record out = {0};
    struct learning l = {.d = d, .wanted = wanted, .out = &out};
    struct diff_options options = compare_options(d);

    d->learning = true;
    struct differences all = value_diff(d->arena, wanted, found, &options);
    d->learning = false;
    compare_collapse(d->arena, &all, wanted, found);
    for (size_t i = 0; i < all.count; i++) {
        struct path path = path_of_trail(d->arena, all.items[i].at);
        if (all.items[i].kind == DIFFERENCE_MISSING && learn_missing(&l, &path, all.items[i].old_))
            continue;
        learn_one(&l, &path, &all.items[i], cause_of(d, &path, &all.items[i], wanted));
    }
    return out;
}

/* ---- As data. -------------------------------------------------------------------------------- */

struct value *record_write(struct arena *a, const struct record *r)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < r->count; i++) {
        const struct known *k = &r->items[i];
        struct value *v = value_object(a);
        value_set_str(a, v, STR("path"), k->path);
        value_set_str(a, v, STR("kind"), str_c(difference_kind_name(k->kind)));
        value_set_str(a, v, STR("cause"), str_c(causes[k->cause]));
        if (k->wanted)
            value_set(a, v, STR("wanted"), k->wanted);
        if (k->found)
            value_set(a, v, STR("found"), k->found);
        if (k->digest.len) {
            value_set_str(a, v, STR("digest"), k->digest);
            value_set_int(a, v, STR("length"), (int64_t)k->length);
        }
        value_add(a, list, v);
    }
    return list;
}

static bool read_kind(str name, enum difference_kind *out)
{
    for (int kind = DIFFERENCE_ADDED; kind <= DIFFERENCE_REORDERED; kind++)
        if (str_eq(name, str_c(difference_kind_name((enum difference_kind)kind)))) {
            *out = (enum difference_kind)kind;
            return true;
        }
    return false;
}

static bool read_cause(str name, enum detect_cause *out)
{
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        if (str_eq(name, str_c(causes[cause]))) {
            *out = (enum detect_cause)cause;
            return true;
        }
    return false;
}

static bool read_known(const struct value *v, struct known *k)
{
    int64_t length = 0;

    *k = (struct known){.path = value_get_str(v, STR("path")),
                        .wanted = value_get(v, STR("wanted")),
                        .found = value_get(v, STR("found")),
                        .digest = value_get_str(v, STR("digest"))};
    if (value_to_i64(value_get(v, STR("length")), &length))
        k->length = length > 0 ? (size_t)length : 0;
    return k->path.len && read_kind(value_get_str(v, STR("kind")), &k->kind) &&
           read_cause(value_get_str(v, STR("cause")), &k->cause);
}

bool record_read(struct arena *a, const struct value *v, struct record *out)
{
    *out = (struct record){0};
    if (!value_is(v, VALUE_LIST) || v->len > RECORD_MAX)
        return false;
    out->items = ARENA_ARRAY(a, struct known, v->len + 1);
    for (size_t i = 0; i < v->len; i++)
        if (!read_known(&v->items[i], &out->items[out->count++]))
            return false;
    return true;
}
