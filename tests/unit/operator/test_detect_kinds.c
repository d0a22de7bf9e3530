/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_detect_kinds.c - change detection for every kind of the model, most of which have no
 * recordings: with answers made from the types, with everything that a kind can have.
 */
#include "../azure/fixture.h"

#include "operator/detect/detect.h"

#define DEPTH 5
/* So many members of each kind are changed at most. */
#define CHANGES 60

static struct model *model;
static unsigned number; /* so that no two values are equal */

/* ---- Bodies. --------------------------------------------------------------------------------- */

static struct value *body_of(struct arena *a, const struct model_type *t, size_t depth);

static struct value *text_of(struct arena *a, const struct model_prop *p,
                             const struct model_shape *shape)
{
    const struct value *choices = p->choices ? p->choices : shape->choices;

    if (value_len(choices))
        return value_clone(a, value_at(choices, 0));
    return value_string(a, str_fmt(a, "text %u", ++number));
}

/* What stands for a property in ARM; NULL: too deep. */
static struct value *value_of(struct arena *a, const struct model_prop *p,
                              const struct model_shape *shape, size_t depth)
{
    struct value *item, *made = value_object(a);

    switch (shape->form) {
    case FORM_INT:
        return value_int(a, ++number);
    case FORM_FLOAT:
        return value_int(a, ++number);
    case FORM_BOOL:
        return value_bool(a, true);
    case FORM_LIST:
        item = value_of(a, p, shape->item, depth);
        made = value_list(a);
        if (item)
            value_add(a, made, item);
        return item ? made : NULL;
    case FORM_MAP:
        item = value_of(a, p, shape->item, depth);
        if (item)
            value_set(a, made, STR("entry"), item);
        return item ? made : NULL;
    case FORM_OBJECT:
        return depth ? body_of(a, shape->object, depth - 1) : NULL;
    default:
        return text_of(a, p, shape);
    }
}

static void add_members(struct arena *a, const struct model_arm *members, size_t count,
                        struct value *to, size_t depth)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_arm *m = &members[i];
        struct value *made = NULL;
        if (value_get(to, m->name))
            continue;
        if (m->prop && m->prop->role == ROLE_IDENTITIES) {
            made = fixture_json(a, "{'entry':{}}");
        } else if (m->prop) {
            made = value_of(a, m->prop, m->prop->shape, depth);
        } else {
            made = value_object(a);
            add_members(a, m->below, m->below_count, made, depth);
        }
        if (made && (!value_is_container(made) || made->len))
            value_set(a, to, m->name, made);
    }
}

/* Everything that an object can have; of variants the first. */
static struct value *body_of(struct arena *a, const struct model_type *t, size_t depth)
{
    struct value *to = value_object(a);
    const struct model_prop *variant = NULL;

    for (size_t i = 0; i < t->prop_count && !variant; i++)
        if (t->props[i].role == ROLE_VARIANT && t->props[i].shape->form == FORM_OBJECT)
            variant = &t->props[i];
    if (variant)
        add_members(a, variant->shape->object->arm, variant->shape->object->arm_count, to, depth);
    if (variant && variant->variant.len)
        value_set_str(a, to, t->discriminator, variant->variant);
    add_members(a, t->arm, t->arm_count, to, depth);
    return to->len ? to : NULL;
}

/* ---- Changes. -------------------------------------------------------------------------------- */

struct looking {
    struct arena *arena;
    const struct model_resource *kind;
    struct detect *detect;
    struct value *body; /* of an answer */
    const struct value *wanted, *canonical;
    struct record record;
    size_t leaves, step, changes;
    str way[64];
    size_t depth;
};

static bool is_never_compared(const struct looking *l)
{
    static const str never[] = {STR_INIT("etag"), STR_INIT("systemData"),
                                STR_INIT("provisioningState")};
    static const str top[] = {STR_INIT("id"), STR_INIT("name"), STR_INIT("type"),
                              STR_INIT("apiVersion")};

    for (size_t i = 0; i < l->depth; i++)
        for (size_t k = 0; k < COUNT(never); k++)
            if (str_eq_fold(l->way[i], never[k]))
                return true;
    for (size_t k = 0; l->depth == 1 && k < COUNT(top); k++)
        if (str_eq_fold(l->way[0], top[k]))
            return true;
    return false;
}

static str way_of(const struct looking *l)
{
    str way = STR_NONE;

    for (size_t i = 0; i < l->depth; i++)
        way = str_fmt(l->arena, "%.*s%s%.*s", STR_ARG(way), i ? "." : "", STR_ARG(l->way[i]));
    return way;
}

static void change_leaf(struct looking *l, struct value *v)
{
    struct value kept = *v;
    struct arena_mark mark = arena_mark(l->arena);
    static const str other = STR_INIT("something else");

    if (is_never_compared(l) || l->leaves++ % l->step)
        return;
    if (v->kind == VALUE_BOOL) {
        v->truth = !v->truth;
    } else {
        *v = (struct value){.kind = VALUE_STRING, .text = other.ptr, .len = (uint32_t)other.len};
        v->key = kept.key;
        v->key_len = kept.key_len;
    }
    const struct value *found = detect_found(l->detect, l->body, l->wanted);
    if (!detect_compare(l->detect, &l->record, l->wanted, found).count)
        fail_msg("%.*s/%.*s %.*s: a change of %.*s is not seen", STR_ARG(l->kind->group),
                 STR_ARG(l->kind->version), STR_ARG(l->kind->kind), STR_ARG(way_of(l)));
    l->changes++;
    *v = kept;
    arena_rewind(l->arena, mark);
}

static void change_each(struct looking *l, struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        struct value *item = &v->items[i];
        l->way[l->depth++] = v->kind == VALUE_LIST ? STR("*") : value_key(item);
        assert_true(l->depth < COUNT(l->way));
        if (value_is_container(item))
            change_each(l, item);
        else
            change_leaf(l, item);
        l->depth--;
    }
}

static size_t count_leaves(const struct value *v)
{
    size_t sum = 0;

    for (size_t i = 0; i < v->len; i++)
        sum += value_is_container(&v->items[i]) ? count_leaves(&v->items[i]) : 1;
    return sum;
}

static void look(struct arena *a, const struct model_resource *kind, struct looking *l)
{
    *l = (struct looking){.arena = a, .kind = kind};
    l->body = body_of(a, kind->spec, DEPTH);
    if (!l->body)
        return;
    l->detect = detect_new(a, model, kind, STR("key"));
    l->wanted = detect_wanted(l->detect, value_object(a));
    l->canonical = detect_found(l->detect, l->body, l->wanted);
    l->record = detect_learn(l->detect, l->wanted, l->canonical);
    l->step = count_leaves(l->body) / CHANGES + 1;
}

/* Everything that can be written is left to Azure, and somebody changes it. */
static void test_a_change_of_what_can_be_written_is_seen(void **state)
{
    AUTO_ARENA all = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **kinds;
    size_t count, changes = 0;

    (void)state;
    assert_ok(model_all(model, all, &kinds, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        AUTO_ARENA a = arena_new();
        struct looking l;
        if (!kinds[i]->arm_type.len)
            continue;
        look(a, kinds[i], &l);
        if (l.body)
            change_each(&l, l.body);
        changes += l.changes;
    }
    assert_true(changes > count * 5);
}

/* ---- What cannot be written. ----------------------------------------------------------------- */

/* Answers spell some members in another case. */
static struct value *member_at(struct value *object, str key)
{
    for (size_t i = 0; i < object->len; i++)
        if (str_eq_fold(value_key(&object->items[i]), key))
            return &object->items[i];
    return NULL;
}

/* Adds what only answers have, where the types of both sides are known. */
static size_t add_read_only(struct arena *a, const struct value *answer, struct value *to)
{
    size_t added = 0;

    for (size_t i = 0; i < value_len(answer) && value_is(answer, VALUE_OBJECT); i++) {
        const struct value *v = &answer->items[i];
        struct value *same = member_at(to, value_key(v));
        if (same && value_is(same, VALUE_OBJECT) && !value_get(same, STR("entry"))) {
            added += add_read_only(a, v, same);
        } else if (!same) {
            value_set(a, to, value_key(v), v);
            added++;
        }
    }
    return added;
}

/* Whatever it is, it makes no difference. Parents show children that may be written themselves. */
static void test_what_only_answers_have_makes_no_difference(void **state)
{
    AUTO_ARENA all = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **kinds;
    size_t count, added = 0;

    (void)state;
    assert_ok(model_all(model, all, &kinds, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        AUTO_ARENA a = arena_new();
        struct looking l;
        if (!kinds[i]->arm_type.len || value_len(kinds[i]->embedded))
            continue;
        look(a, kinds[i], &l);
        if (!l.body || !kinds[i]->status)
            continue;
        added += add_read_only(a, body_of(a, kinds[i]->status, DEPTH), l.body);
        const struct value *found = detect_found(l.detect, l.body, l.wanted);
        struct deviations news = detect_compare(l.detect, &l.record, l.wanted, found);
        if (news.count)
            fail_msg("%.*s/%.*s %.*s: %.*s counts", STR_ARG(kinds[i]->group),
                     STR_ARG(kinds[i]->version), STR_ARG(kinds[i]->kind),
                     STR_ARG(news.items[0].path));
    }
    assert_true(added > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_change_of_what_can_be_written_is_seen),
        cmocka_unit_test(test_what_only_answers_have_makes_no_difference),
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    if (!model_open(a, STR_NONE, &model, &e))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_close(model);
    return failed;
}
