/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hidden.c - what Azure never returns.
 *
 * A member that is in a kind's spec but not in its status is write-only; so are secrets, and
 * members that api/rules/detect.json calls hidden. Others are hidden only while they are missing:
 * members that the published types call write-only although they are in the status, and the
 * location of a child, which is that of its parent.
 */
#include "operator/detect/internal.h"

/* What the types of a kind say about a path; if variants differ, what any of them says. */
struct said {
    bool there;
    bool secret;
    bool write_only; /* it, or one of its parents */
    bool object;     /* its members are in a type */
};

struct asking {
    const struct path *path;
    struct said said;
};

/* The current position. */
struct at {
    size_t depth;    /* how many steps of the path are done */
    bool write_only; /* one of them is write-only */
};

static void ask_type(struct asking *q, const struct model_type *t, struct at at);

static void ask_shape(struct asking *q, const struct model_prop *prop,
                      const struct model_shape *shape, struct at at)
{
    at.write_only |= prop->write_only;
    if (at.depth == q->path->len) {
        q->said.there = true;
        q->said.secret |= prop->role == ROLE_SECRET || prop->role == ROLE_SECRET_MAP;
        q->said.write_only |= at.write_only;
        q->said.object |= shape->form == FORM_OBJECT;
    } else if (shape->form == FORM_OBJECT) {
        ask_type(q, shape->object, at);
    } else { /* nothing is known about members of a scalar or of any value */
        at.depth++;
        ask_shape(q, prop, shape->item ? shape->item : shape, at);
    }
}

static void ask_members(struct asking *q, const struct model_arm *members, size_t count,
                        struct at at)
{
    if (at.depth == q->path->len) {
        q->said.there = q->said.object = true;
        q->said.write_only |= at.write_only;
        return;
    }
    const struct step *step = &q->path->steps[at.depth++];
    const struct model_arm *m = step->kind == STEP_KEY ? model_arm(members, count, step->key)
                                                       : NULL;
    if (m && m->prop)
        ask_shape(q, m->prop, m->prop->shape, at);
    else if (m)
        ask_members(q, m->below, m->below_count, at);
}

/* Members of an object are those of its type and of all its variants. */
static void ask_type(struct asking *q, const struct model_type *t, struct at at)
{
    ask_members(q, t->arm, t->arm_count, at);
    for (size_t i = 0; t->discriminator.len && i < t->prop_count; i++)
        if (t->props[i].role == ROLE_VARIANT && t->props[i].shape->form == FORM_OBJECT)
            ask_type(q, t->props[i].shape->object, at);
}

static struct said ask(const struct model_type *t, const struct path *path)
{
    struct asking q = {.path = path};

    ask_type(&q, t, (struct at){0});
    return q.said;
}

/* Children of a resource have no location of their own. */
static bool is_location_of_child(const struct detect *d, const struct path *path)
{
    str type = d->resource->arm_type;

    return path->len == 1 && path->steps[0].kind == STEP_KEY &&
           str_eq_fold(path->steps[0].key, STR("location")) &&
           str_find_char(type, '/') != str_rfind_char(type, '/');
}

bool is_hidden(const struct detect *d, const struct path *path, bool missing)
{
    if (lines_have_path(d, LINE_HIDDEN, path) || (missing && is_location_of_child(d, path)))
        return true;
    struct said spec = ask(d->resource->spec, path);
    if (!spec.there)
        return false; /* not in the model */
    return spec.secret || (missing && spec.write_only) || !ask(d->resource->status, path).there;
}

struct hidden_count hidden_below(struct detect *d, const struct path *path, const struct value *v,
                                 bool missing)
{
    struct hidden_count sum = {0};

    if (is_hidden(d, path, missing))
        return (struct hidden_count){.hidden = 1};
    if (!value_is(v, VALUE_OBJECT) || !v->len)
        return (struct hidden_count){.shown = 1};
    for (size_t i = 0; i < v->len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(&v->items[i])};
        struct path below = path_append(d->arena, path, step);
        struct hidden_count one = hidden_below(d, &below, &v->items[i], missing);
        sum.hidden += one.hidden;
        sum.shown += one.shown;
    }
    return sum;
}

bool deviation_is_new_member(const struct detect *d, const struct deviation *f)
{
    struct path path;

    if (f->kind != DIFFERENCE_ADDED || f->wanted || f->before || f->child ||
        !path_parse_dotted(d->arena, f->path, &path, NULL) || !path.len ||
        path.steps[path.len - 1].kind != STEP_KEY || str_eq(path.steps[0].key, STR("tags")))
        return false;
    path.len--;
    return ask(d->resource->spec, &path).object;
}
