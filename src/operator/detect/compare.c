/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - finds what is new: what is wanted, with the record applied, against what is found.
 *
 * A known difference applies as long as the wanted value is the one it was recorded for: otherwise
 * it is ignored, and what is found is compared with the new value. If Azure filled in something
 * that the user left unset, and the user now sets a part of it, that part takes precedence.
 */
#include "operator/detect/internal.h"

#include "text/json/json.h"

/* ---- Short forms. ---------------------------------------------------------------- */

size_t json_length(struct arena *a, const struct value *v)
{
    struct arena_mark mark = arena_mark(a);
    struct buf b = buf_new(a, BUF_UNLIMITED);
    size_t length = v && json_write(&b, v, &json_exact, NULL) ? buf_str(&b).len : 0;

    arena_rewind(a, mark);
    return length;
}

const struct value *shorten(struct detect *d, const struct value *v)
{
    if (!v || (!value_is_container(v) && v->len <= KNOWN_VALUE_MAX / 2))
        return v;
    if (json_length(d->arena, v) <= KNOWN_VALUE_MAX)
        return v;
    return value_string(d->arena, detect_digest(d->arena, d->key, v));
}

const struct value *hidden_form(struct detect *d, const struct value *v)
{
    return v ? value_string(d->arena, detect_digest(d->arena, d->key, v)) : NULL;
}

/* ---- Options. -------------------------------------------------------------------------------- */

static bool is_digest_of(struct detect *d, const struct value *digest, const struct value *v)
{
    return digest && v && digest->tag == TAG_DIGEST && digest->kind == VALUE_STRING &&
           str_eq(value_str(digest), detect_digest(d->arena, d->key, v));
}

static const struct list_rule *rule_of(void *ctx, const struct value *old_,
                                       const struct value *new_)
{
    const struct detect *d = ctx;
    uint8_t tag = old_->tag ? old_->tag : new_->tag;

    return tag && tag <= d->list_count ? &d->lists[tag - 1].rule : NULL;
}

/* Elements with an identity may be in any order; scalars may not, unless they are a set. */
static bool accept_order(struct detect *d, const struct difference *x)
{
    const struct list_rule *rule = rule_of(d, x->old_, x->new_);

    return (value_len(x->old_) && value_is_container(&x->old_->items[0])) ||
           (rule && rule->kind == LIST_AS_SET);
}

/* Whether it contains only children. */
static bool is_all_children(const struct value *v)
{
    if (v->tag == TAG_CHILD)
        return true;
    if (!value_is_container(v) || !v->len)
        return false;
    for (size_t i = 0; i < v->len; i++)
        if (!is_all_children(&v->items[i]))
            return false;
    return true;
}

static bool accept(void *ctx, const struct difference *x)
{
    struct detect *d = ctx;

    if (x->kind == DIFFERENCE_REORDERED)
        return accept_order(d, x);
    if (x->kind == DIFFERENCE_ADDED && !d->learning)
        return is_all_children(x->new_);
    return is_digest_of(d, x->old_, x->new_);
}

struct diff_options compare_options(struct detect *d)
{
    return (struct diff_options){.accept = accept, .list_rule = rule_of, .ctx = d};
}

/* ---- Lists without identities. --------------------------------------------------------------- */

/* The list whose difference as a whole this is, or NULL. */
static const struct trail *list_of(const struct difference *x)
{
    bool element = x->at && x->at->step.kind == STEP_INDEX &&
                   (x->kind == DIFFERENCE_ADDED || x->kind == DIFFERENCE_MISSING);

    return element ? x->at->up : NULL;
}

static bool is_below(const struct trail *t, const struct trail *list)
{
    while (t && t != list)
        t = t->up;
    return t == list;
}

/* The outermost list above a difference that is reported as a single difference, or NULL. */
static const struct trail *whole_list(const struct trail *at, const struct trail *const *lists,
                                      size_t count)
{
    const struct trail *outermost = NULL;

    for (size_t i = 0; i < count; i++)
        if (is_below(at, lists[i]) && (!outermost || is_below(outermost, lists[i])))
            outermost = lists[i];
    return outermost;
}

bool lists_extend(const struct value *many, const struct value *few)
{
    if (!value_is(many, VALUE_LIST) || !value_is(few, VALUE_LIST))
        return false;
    for (size_t i = 0; i < few->len; i++) {
        bool there = false;
        for (size_t k = 0; !there && k < many->len; k++)
            there = value_equal(&few->items[i], &many->items[k]);
        if (!there)
            return false;
    }
    return true;
}

static struct difference whole(struct arena *a, const struct trail *at, const struct value *old_,
                               const struct value *new_)
{
    struct path path = path_of_trail(a, at);

    return (struct difference){.kind = DIFFERENCE_CHANGED,
                               .at = at,
                               .old_ = path_resolve(&path, old_),
                               .new_ = path_resolve(&path, new_)};
}

void compare_collapse(struct arena *a, struct differences *all, const struct value *old_,
                      const struct value *new_)
{
    const struct trail **lists = ARENA_ARRAY(a, const struct trail *, all->count + 1);
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct trail *list = list_of(&all->items[i]);
        bool known = !list;
        for (size_t k = 0; !known && k < count; k++)
            known = lists[k] == list;
        if (!known)
            lists[count++] = list;
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct trail *list = whole_list(all->items[i].at, lists, count);
        bool done = false;
        for (size_t k = 0; list && !done && k < kept; k++)
            done = all->items[k].at == list;
        if (!done)
            all->items[kept++] = list ? whole(a, list, old_, new_) : all->items[i];
    }
    all->count = kept;
}

/* ---- What the record leads to expect. -------------------------------------------------------- */

static const struct value *kept_value(struct detect *d, const struct known *k)
{
    if (!k->digest.len)
        return k->found;
    struct value *v = value_string(d->arena, k->digest);
    v->tag = TAG_DIGEST;
    return v;
}

static bool is_same_wish(struct detect *d, const struct known *k, const struct value *wanted)
{
    return value_equal(k->cause == CAUSE_HIDDEN ? hidden_form(d, wanted) : shorten(d, wanted),
                       k->wanted);
}

/* Objects that become empty are deleted, too, as in canonical forms. */
static void delete_at(const struct path *path, struct value *root)
{
    struct path up = *path;

    for (bool more = path_delete(&up, root); more && --up.len;) {
        const struct value *v = path_resolve(&up, root);
        more = value_is(v, VALUE_OBJECT) && !v->len && up.steps[up.len - 1].kind == STEP_KEY &&
               path_delete(&up, root);
    }
}

/* The object or list with the last step of a path, and the value there; NULL: it does not exist. */
static struct value *holder_of(const struct path *path, struct value *root, struct value **there)
{
    struct value *at = root;

    *there = NULL;
    for (size_t i = 0; at && i < path->len; i++) {
        struct path one = {.steps = &path->steps[i], .len = 1};
        struct value *next = value_is(at, VALUE_OBJECT) && one.steps->kind == STEP_KEY
                                 ? value_get(at, one.steps->key)
                                 : path_resolve(&one, at);
        if (i + 1 == path->len) {
            *there = next;
            return at;
        }
        at = next;
    }
    return NULL;
}

/* Where the differences of a record are applied, one after the other: neighbours share a place. */
struct applying {
    struct value *expected;
    str place;            /* the path of holder; empty: none yet */
    struct value *holder; /* an object of expected */
};

static bool is_plain(str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
            return false;
    }
    return key.len > 0;
}

/* Splits a.b into a and b, if b is so plain that the dot must be a separator. */
static bool split_path(str path, str *place, str *key)
{
    size_t dot = str_rfind_char(path, '.');

    if (dot == STR_NPOS || !dot || !is_plain(str_from(path, dot + 1)))
        return false;
    *place = str_slice(path, 0, dot);
    *key = str_from(path, dot + 1);
    return true;
}

/* The value to apply; NULL: the difference was recorded for another wanted value. */
static const struct value *value_to_apply(struct detect *d, const struct known *k,
                                          const struct value *there)
{
    const struct value *value = kept_value(d, k);

    if (is_same_wish(d, k, there))
        return value;
    /* The user now sets part of what Azure had filled in: the rest of it is still Azure's. */
    if (k->wanted || !value_is(there, VALUE_OBJECT) || !value_is(value, VALUE_OBJECT))
        return NULL;
    return value_merge(d->arena, value, there);
}

/* Applies a difference in the same object as the previous one. */
static bool apply_beside(struct detect *d, const struct known *k, struct applying *at)
{
    str place, key;

    if (k->kind == DIFFERENCE_MISSING || !at->place.len || !split_path(k->path, &place, &key) ||
        !str_eq(place, at->place))
        return false;
    const struct value *value = value_to_apply(d, k, value_get(at->holder, key));
    if (value)
        value_set(d->arena, at->holder, key, value_clone(d->arena, value));
    return true;
}

/* expected is what is wanted, unless another difference has changed it. */
static void apply(struct detect *d, const struct known *k, struct applying *at)
{
    struct path path;
    struct value *there;
    str key;

    if (apply_beside(d, k, at))
        return;
    at->place = STR_NONE;
    if (!path_parse_dotted(d->arena, k->path, &path, NULL) || !path.len)
        return;
    struct value *holder = holder_of(&path, at->expected, &there);
    if (k->kind == DIFFERENCE_MISSING) {
        if (is_same_wish(d, k, there))
            delete_at(&path, at->expected);
        return;
    }
    const struct value *value = value_to_apply(d, k, there);
    const struct step *last = &path.steps[path.len - 1];
    if (value && value_is(holder, VALUE_OBJECT) && last->kind == STEP_KEY) {
        value_set(d->arena, holder, last->key, value_clone(d->arena, value));
        at->holder = holder;
        if (!split_path(k->path, &at->place, &key))
            at->place = STR_NONE;
    } else if (value &&
               !path_set(d->arena, &path, at->expected, value_clone(d->arena, value), NULL)) {
        return; /* it no longer applies: the difference is new */
    }
}

static const struct value *expect(struct detect *d, const struct record *r,
                                  const struct value *wanted)
{
    if (!r || !r->count)
        return wanted;
    struct applying at = {.expected = value_clone(d->arena, wanted)};
    for (size_t i = 0; i < r->count; i++)
        apply(d, &r->items[i], &at);
    return at.expected;
}

/* ---- News. ----------------------------------------------------------------------------------- */

static void add_finding(struct detect *d, struct deviations *out, const struct difference *x,
                        const struct value *wanted)
{
    struct path path = path_of_trail(d->arena, x->at);
    struct buf text = buf_new(d->arena, BUF_UNLIMITED);
    struct deviation f = {.kind = x->kind,
                          .wanted = path_resolve(&path, wanted),
                          .before = x->old_,
                          .found = x->new_};

    /* Azure finally has the wanted value. */
    if ((f.wanted && value_equal(f.wanted, f.found)) || out->count == DEVIATIONS_MAX)
        return;
    path_print_dotted(&text, &path);
    f.path = buf_str(&text);
    f.hidden = !hidden_below(d, &path, x->old_ ? x->old_ : x->new_, !x->new_).shown;
    f.child = !f.wanted && children_have_path(d, &path);
    out->items[out->count++] = f;
}

struct deviations detect_compare(struct detect *d, const struct record *record,
                                 const struct value *wanted, const struct value *found)
{
    const struct value *expected = expect(d, record, wanted);
    struct diff_options options = compare_options(d);
    struct differences all = value_diff(d->arena, expected, found, &options);
    struct deviations out = {0};

    if (d->filter)
        all = d->filter(d->filter_ctx, all);
    compare_collapse(d->arena, &all, expected, found);
    out.items = ARENA_ARRAY(d->arena, struct deviation, all.count + 1);
    for (size_t i = 0; i < all.count; i++)
        add_finding(d, &out, &all.items[i], wanted);
    return out;
}

static void keep_if(struct deviations *f, bool (*keep)(const struct deviation *f))
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++)
        if (keep(&f->items[i]))
            f->items[kept++] = f->items[i];
    f->count = kept;
}

static bool is_set_and_told(const struct deviation *f)
{
    return f->wanted && !f->hidden && !lists_extend(f->found, f->wanted);
}

void deviations_keep_set(struct deviations *f)
{
    keep_if(f, is_set_and_told);
}

static bool is_no_child(const struct deviation *f)
{
    return !f->child;
}

void deviations_drop_children(struct deviations *f)
{
    keep_if(f, is_no_child);
}

/* Tags are set by people: no service sets them because of a child. */
static bool is_no_childs_work(const struct deviation *f)
{
    bool tag = str_has_prefix(f->path, STR("tags")) &&
               (f->path.len == 4 || f->path.ptr[4] == '.' || f->path.ptr[4] == '[');

    return tag || (!f->child && (f->kind != DIFFERENCE_ADDED || f->wanted));
}

void deviations_drop_child_write(struct deviations *f)
{
    keep_if(f, is_no_childs_work);
}
