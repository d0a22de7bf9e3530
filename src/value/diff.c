/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - walking two trees side by side; see diff.h.
 *
 * The pairs of containers on the way from the roots to the current place are kept on a stack of
 * frames. A frame's trail is made when the first difference below it is found, so equal parts cost
 * nothing that outlives the call. Tables of matched lists come and go with their frames, by marks
 * in an arena of their own.
 */
#include "value/diff_internal.h"

struct frame {
    const struct value *old_, *new_; /* two lists or two objects */
    struct matching match;           /* lists */
    struct arena_mark mark;          /* what match has allocated comes after */
    size_t next;                     /* the child of old_ that is visited next */
    size_t found;                    /* objects: members that both have */
    const struct trail *trail;       /* once it was needed; the root's stays NULL */
};

struct diff {
    struct arena *a;      /* for the result */
    struct arena *frames; /* for the stack */
    struct arena *tables; /* for matched lists */
    const struct diff_options *opts;
    VEC(struct frame) stack;
    VEC(struct difference) found;
    bool more;
};

const char *difference_kind_name(enum difference_kind kind)
{
    static const char *const names[] = {
        [DIFFERENCE_ADDED] = "added",         [DIFFERENCE_MISSING] = "missing",
        [DIFFERENCE_CHANGED] = "changed",     [DIFFERENCE_TYPE] = "type",
        [DIFFERENCE_REORDERED] = "reordered",
    };

    return names[kind];
}

/* ---- Places. ---- */

static struct step identity_step(struct arena *a, const struct matching *m,
                                 const struct value *element)
{
    struct step first = {0}, *step = &first;

    for (size_t i = 0; i < m->field_count; i++) {
        if (i) {
            struct step *pair = ARENA_NEW(a, struct step);
            step->next_pair = pair;
            step = pair;
        }
        step->kind = STEP_IDENTITY;
        step->key = m->fields[i];
        step_identity_text(value_get(element, step->key), &step->text);
    }
    return first;
}

/* The step from parent to child, which is an item of list: the old or the new one of parent. */
static struct step step_to(struct arena *a, const struct frame *parent, const struct value *list,
                           const struct value *child)
{
    if (list->kind == VALUE_OBJECT)
        return (struct step){.kind = STEP_KEY, .key = value_key(child)};
    if (parent->match.kind == MATCH_IDENTITY)
        return identity_step(a, &parent->match, child);
    return (struct step){.kind = STEP_INDEX, .index = (size_t)(child - list->items)};
}

static const struct trail *new_trail(struct arena *a, const struct trail *up, struct step step)
{
    struct trail *t = ARENA_NEW(a, struct trail);

    t->up = up;
    t->step = step;
    return t;
}

/* The trail of the innermost frame. Each frame makes its own at most once. */
static const struct trail *trail_here(struct diff *d)
{
    size_t depth = d->stack.len;

    while (depth > 1 && !d->stack.items[depth - 1].trail)
        depth--;
    for (; depth < d->stack.len; depth++) {
        const struct frame *up = &d->stack.items[depth - 1];
        struct frame *frame = &d->stack.items[depth];
        frame->trail = new_trail(d->a, up->trail, step_to(d->a, up, up->old_, frame->old_));
    }
    return d->stack.len ? d->stack.items[d->stack.len - 1].trail : NULL;
}

/* The trail of a child of the innermost frame; of the root when there is no frame yet. */
static const struct trail *trail_to(struct diff *d, const struct value *old_,
                                    const struct value *new_)
{
    const struct trail *here = trail_here(d);

    if (!d->stack.len)
        return here;
    const struct frame *top = &d->stack.items[d->stack.len - 1];
    struct step step = old_ ? step_to(d->a, top, top->old_, old_)
                            : step_to(d->a, top, top->new_, new_);
    return new_trail(d->a, here, step);
}

/* ---- Reporting. ---- */

static void report(struct diff *d, struct difference found)
{
    if (d->opts->accept && d->opts->accept(d->opts->ctx, &found))
        return;
    if (d->opts->max && d->found.len == d->opts->max)
        d->more = true;
    else
        VEC_PUSH(d->a, &d->found, found);
}

static void report_child(struct diff *d, enum difference_kind kind, const struct value *old_,
                         const struct value *new_)
{
    report(d, (struct difference){
                  .kind = kind, .at = trail_to(d, old_, new_), .old_ = old_, .new_ = new_});
}

/* ---- Rules. ---- */

/* Whether a step of a rule stands for the step from parent to child. */
static bool step_matches(const struct step *step, const struct frame *parent,
                         const struct frame *child)
{
    if (step->kind == STEP_KEY && str_eq(step->key, STR("*")))
        return true;
    if (parent->old_->kind == VALUE_OBJECT)
        return step->kind == STEP_KEY && str_eq(step->key, value_key(child->old_));
    if (step->kind == STEP_INDEX)
        return step->index == (size_t)(child->old_ - parent->old_->items);
    return step->kind == STEP_IDENTITY && step_identifies(step, child->old_);
}

static bool rule_matches(const struct diff *d, const struct path *path)
{
    if (path->len + 1 != d->stack.len)
        return false;
    for (size_t i = path->len; i > 0; i--)
        if (!step_matches(&path->steps[i - 1], &d->stack.items[i - 1], &d->stack.items[i]))
            return false;
    return true;
}

/* The rule for the innermost frame, or NULL. */
static const struct list_rule *find_rule(const struct diff *d)
{
    for (size_t i = 0; i < d->opts->rule_count; i++)
        if (rule_matches(d, &d->opts->rules[i].path))
            return &d->opts->rules[i];
    if (!d->opts->list_rule)
        return NULL;
    const struct frame *top = &d->stack.items[d->stack.len - 1];
    return d->opts->list_rule(d->opts->ctx, top->old_, top->new_);
}

/* ---- Walking. ---- */

static void enter(struct diff *d, const struct value *old_, const struct value *new_)
{
    struct frame *frame = VEC_ADD(d->frames, &d->stack);

    frame->old_ = old_;
    frame->new_ = new_;
    frame->mark = arena_mark(d->tables);
    if (old_->kind != VALUE_LIST)
        return;
    diff_match(d->tables, old_, new_, find_rule(d), &frame->match);
    if (frame->match.reordered && !d->opts->ignore_order)
        report(d,
               (struct difference){
                   .kind = DIFFERENCE_REORDERED, .at = trail_here(d), .old_ = old_, .new_ = new_});
}

static bool same_kind(const struct value *x, const struct value *y)
{
    return x->kind == y->kind || (value_is_number(x) && value_is_number(y));
}

static void compare(struct diff *d, const struct value *old_, const struct value *new_)
{
    if (!same_kind(old_, new_))
        report_child(d, DIFFERENCE_TYPE, old_, new_);
    else if (value_is_container(old_))
        enter(d, old_, new_);
    else if (!value_equal(old_, new_))
        report_child(d, DIFFERENCE_CHANGED, old_, new_);
}

static const struct value *find_member(const struct value *object, size_t guess, str key)
{
    if (guess < object->len && str_eq(value_key(&object->items[guess]), key))
        return &object->items[guess];
    return value_get(object, key);
}

/* The child of new_ that belongs to child i of old_, or NULL. */
static const struct value *partner_of(const struct frame *f, size_t i)
{
    if (f->old_->kind == VALUE_OBJECT)
        return find_member(f->new_, i, value_key(&f->old_->items[i]));
    if (f->match.kind == MATCH_INDEX)
        return value_at(f->new_, i);
    return f->match.partner[i] ? &f->new_->items[f->match.partner[i] - 1] : NULL;
}

static void visit_child(struct diff *d, struct frame *top)
{
    size_t i = top->next++;
    const struct value *mine = &top->old_->items[i], *other = partner_of(top, i);

    top->found += other != NULL;
    if (!other)
        report_child(d, DIFFERENCE_MISSING, mine, NULL);
    else if (top->match.kind != MATCH_SET)
        compare(d, mine, other);
}

static bool is_added(const struct frame *f, size_t i)
{
    if (f->old_->kind == VALUE_OBJECT)
        return !value_get(f->old_, value_key(&f->new_->items[i]));
    return f->match.kind == MATCH_INDEX ? i >= f->old_->len : !f->match.taken[i];
}

static void leave(struct diff *d, struct frame *top)
{
    /* Each partner counts once, so when all of new_ are partners nothing was added. */
    for (size_t i = 0; top->found < top->new_->len && i < top->new_->len && !d->more; i++)
        if (is_added(top, i))
            report_child(d, DIFFERENCE_ADDED, NULL, &top->new_->items[i]);
    arena_rewind(d->tables, top->mark);
    d->stack.len--;
}

static void walk(struct diff *d)
{
    while (d->stack.len && !d->more) {
        struct frame *top = &d->stack.items[d->stack.len - 1];
        if (top->next < top->old_->len)
            visit_child(d, top);
        else
            leave(d, top);
    }
}

static void compare_roots(struct diff *d, const struct value *old_, const struct value *new_)
{
    if (old_ && new_)
        compare(d, old_, new_);
    else if (old_ || new_)
        report_child(d, old_ ? DIFFERENCE_MISSING : DIFFERENCE_ADDED, old_, new_);
    walk(d);
}

struct differences value_diff(struct arena *a, const struct value *old_, const struct value *new_,
                              const struct diff_options *opts)
{
    static const struct diff_options none;
    AUTO_ARENA frames = arena_new();
    AUTO_ARENA tables = arena_new();
    struct diff d = {.a = a, .frames = frames, .tables = tables, .opts = opts ? opts : &none};

    compare_roots(&d, old_, new_);
    return (struct differences){.items = d.found.items, .count = d.found.len, .more = d.more};
}
