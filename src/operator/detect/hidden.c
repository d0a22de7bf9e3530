/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hidden.c - what Azure never returns.
 *
 * A member that the spec of a kind has and its status lacks is only ever written; so are secrets,
 * and what a line of api/rules/detect.json calls hidden.
 */
#include "operator/detect/internal.h"

/* Where in the types of a kind something is: in a type, or between two of its levels. */
struct place {
    const struct model_arm *members;
    size_t count;
    const struct model_shape *shape; /* instead: of a list, a map, a scalar or anything */
    enum model_role role;
    bool lost; /* the model has nothing to say from here on */
};

static struct place of_shape(const struct model_shape *shape, enum model_role role)
{
    if (shape->form == FORM_OBJECT)
        return (struct place){
            .members = shape->object->arm, .count = shape->object->arm_count, .role = role};
    return (struct place){.shape = shape, .role = role};
}

/* False: there is no such member. */
static bool enter(struct place *at, str key)
{
    if (at->lost)
        return true;
    if (at->shape) {
        if (at->shape->item)
            *at = of_shape(at->shape->item, at->role);
        return true;
    }
    const struct model_arm *arm = model_arm(at->members, at->count, key);
    if (!arm)
        return false;
    *at = arm->prop ? of_shape(arm->prop->shape, arm->prop->role)
                    : (struct place){.members = arm->below, .count = arm->below_count};
    return true;
}

static bool follow(const struct model_type *type, const struct path *path, struct place *at)
{
    *at = (struct place){.members = type->arm, .count = type->arm_count};
    for (size_t i = 0; i < path->len; i++)
        if (!enter(at, path->steps[i].kind == STEP_KEY ? path->steps[i].key : STR_NONE))
            return false;
    return true;
}

bool is_hidden(const struct detect *d, const struct path *path)
{
    struct place at;

    if (lines_have_path(d, LINE_HIDDEN, path))
        return true;
    if (!follow(d->resource->spec, path, &at))
        return false; /* a variant, or nothing the model knows */
    if (at.role == ROLE_SECRET || at.role == ROLE_SECRET_MAP)
        return true;
    return !follow(d->resource->status, path, &at);
}

struct hidden_count hidden_below(struct detect *d, const struct path *path, const struct value *v)
{
    struct hidden_count sum = {0};

    if (is_hidden(d, path))
        return (struct hidden_count){.hidden = 1};
    if (!value_is(v, VALUE_OBJECT) || !v->len)
        return (struct hidden_count){.shown = 1};
    for (size_t i = 0; i < v->len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(&v->items[i])};
        struct path below = path_append(d->arena, path, step);
        struct hidden_count one = hidden_below(d, &below, &v->items[i]);
        sum.hidden += one.hidden;
        sum.shown += one.shown;
    }
    return sum;
}

bool deviation_is_new_member(const struct detect *d, const struct deviation *f)
{
    struct path path;
    struct place up;

    if (f->kind != DIFFERENCE_ADDED || f->wanted || f->before || f->child ||
        !path_parse_dotted(d->arena, f->path, &path, NULL) || !path.len ||
        path.steps[path.len - 1].kind != STEP_KEY || str_eq(path.steps[0].key, STR("tags")))
        return false;
    path.len--;
    return follow(d->resource->spec, &path, &up) && !up.shape;
}
