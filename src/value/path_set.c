/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_set.c - putting something at a path, with all that is missing on the way; see path.h.
 *
 * The way is walked twice: once to find what would fail, then to make what is missing. So a tree is
 * either changed as asked or not at all.
 */
#include "value/path.h"

#include "value/path_internal.h"

/* The first steps of a path, as an error shows them. */
static bool fail_at(const struct path *p, size_t len, struct err *e, const char *what)
{
    AUTO_ARENA a = arena_new();
    struct buf place = buf_new(a, 64 * KIB);

    if (!len)
        return err_set(e, ERR_INVALID, "the root %s", what);
    path_print_dotted(&place, &(struct path){.steps = p->steps, .len = len});
    return err_set(e, ERR_INVALID, "%.*s %s", STR_ARG(buf_str(&place)), what);
}

static bool is_missing(const struct value *v)
{
    return !v || v->kind == VALUE_NULL;
}

/* Whether step i can be taken from v, which is there. */
static bool check_step(const struct path *p, size_t i, const struct value *v, struct err *e)
{
    const struct step *step = &p->steps[i];
    size_t element;

    if (v->kind == VALUE_OBJECT)
        return step->kind == STEP_KEY || fail_at(p, i, e, "is an object, expected a list");
    if (v->kind != VALUE_LIST)
        return fail_at(p, i, e, "is neither an object nor a list");
    if (!path_select(step, v, &element))
        return fail_at(p, i, e, "is a list, expected an object");
    return element <= v->len || fail_at(p, i + 1, e, "is past the end of the list");
}

/* A new element that has this identity. */
static struct value *make_element(struct arena *a, const struct step *identity)
{
    struct value *element = value_object(a);

    for (; identity; identity = identity->next_pair)
        value_set_str(a, element, str_copy(a, identity->key), str_copy(a, identity->text));
    return element;
}

/* A missing element is checked as it will be made: its identity gives it members of its own. */
static bool check(const struct path *p, const struct value *root, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct value *v = root;

    for (size_t i = 0; i < p->len; i++) {
        const struct step *step = &p->steps[i];
        if (!is_missing(v)) {
            if (!check_step(p, i, v, e))
                return false;
            v = path_follow(step, v);
        } else if (step->kind == STEP_INDEX && step->index > 0) {
            return fail_at(p, i + 1, e, "is past the end of the list");
        } else {
            v = NULL;
        }
        if (!v && step->kind == STEP_IDENTITY)
            v = make_element(a, step);
    }
    return true;
}

/* Gives v other content; as a member it keeps its key. */
static void replace(struct value *v, const struct value *item)
{
    const char *key = v->key;
    uint32_t key_len = v->key_len;

    *v = *item;
    v->key = key;
    v->key_len = key_len;
}

/* What step selects from v, made if need be; check has seen that this is possible. */
static struct value *enter(struct arena *a, const struct step *step, struct value *v)
{
    if (v->kind == VALUE_NULL)
        replace(v, step->kind == STEP_KEY ? value_object(a) : value_list(a));
    struct value *below = path_follow(step, v);
    if (below)
        return below;
    if (v->kind == VALUE_OBJECT)
        return value_set(a, v, str_copy(a, step->key), value_null(a));
    return value_add(a, v, step->kind == STEP_IDENTITY ? make_element(a, step) : value_null(a));
}

bool path_set(struct arena *a, const struct path *p, struct value *root, const struct value *item,
              struct err *e)
{
    struct value *v = root;
    const struct value kept = *item; /* item may move when something is added on the way */

    if (!check(p, root, e))
        return false;
    for (size_t i = 0; i < p->len; i++)
        v = enter(a, &p->steps[i], v);
    replace(v, &kept);
    return true;
}
