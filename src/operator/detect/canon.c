/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canon.c - the canonical form of what is wanted and what is found.
 *
 * A body is walked once along the ARM side of the kind's spec (struct model_arm): what is not in
 * the spec cannot be written, and is removed from answers. Members get the model's spelling,
 * scalars that of spelling.c. Members of the payload that are not in the model are kept, in
 * answers, too.
 *
 * Answers are walked in parallel with what is wanted, whose spelling of map keys they get.
 */
#include "operator/detect/internal.h"

#include "azure/member.h"

/* Members at one level of an object: those of its type, and those of its variant. */
struct place {
    const struct model_arm *members[2];
    size_t count[2];
};

static void canon_members(struct detect *d, const struct place *at, const struct value *from,
                          const struct value *peer, struct value *to);
static void canon_shape(struct detect *d, const struct model_prop *prop,
                        const struct model_shape *shape, const struct value *from,
                        const struct value *peer, struct value *to);
static void canon_object(struct detect *d, const struct model_type *t, const struct value *from,
                         const struct value *peer, struct value *to);

/* ---- The way to the member at hand. ---------------------------------------------------------- */

static void go(struct detect *d, str key)
{
    if (d->depth < DEPTH_MAX)
        d->way[d->depth] = key;
    d->depth++;
}

static void go_back(struct detect *d)
{
    d->depth--;
}

/* The current member, or the one whose element or entry is current. */
static str member_at(const struct detect *d)
{
    size_t n = d->depth <= DEPTH_MAX ? d->depth : 0;

    while (n && str_eq(d->way[n - 1], STR("*")))
        n--;
    return n ? d->way[n - 1] : STR_NONE;
}

/* Empty members of objects are dropped. */
static bool is_dropped(const struct detect *d, const struct value *v)
{
    bool empty = v->kind == VALUE_NULL || (v->kind >= VALUE_STRING && v->len == 0);

    return empty && rule_is_on(d, DETECT_EMPTY);
}

/* Answers use the key of what is wanted, if it has one that differs only in case. */
static str key_of_peer(const struct detect *d, const struct value *peer, str key)
{
    const struct value *same = member_fold(peer, key);

    return same && rule_is_on(d, DETECT_KEY_CASE) ? value_key(same) : key;
}

/* ---- Without a model. ------------------------------------------------------------------------ */

static void canon_any(struct detect *d, const struct value *from, const struct value *peer,
                      struct value *to)
{
    struct value made;

    *to = *from;
    if (!value_is_container(from)) {
        spell_scalar(d, NULL, NULL, value_key(from), to);
        return;
    }
    *to = from->kind == VALUE_LIST ? *value_list(d->arena) : *value_object(d->arena);
    for (size_t i = 0; i < from->len; i++) {
        const struct value *item = &from->items[i];
        if (from->kind == VALUE_LIST) {
            canon_any(d, item, NULL, &made);
            value_add(d->arena, to, &made);
            continue;
        }
        str key = key_of_peer(d, peer, value_key(item));
        canon_any(d, item, value_get(peer, key), &made);
        if (!is_dropped(d, &made))
            value_set(d->arena, to, spell_key(d, key), &made);
    }
}

/* ---- Lists and maps. ------------------------------------------------------------------------- */

/* The ARM name of the member that identifies an element; empty if it is nested deeper. */
static str identity_member(const struct model_shape *item, str name)
{
    const struct model_prop *p = item->form == FORM_OBJECT ? model_prop(item->object, name) : NULL;

    return p && p->arm_len == 1 ? p->arm[0] : STR_NONE;
}

static bool make_rule(struct detect *d, const struct model_prop *prop, struct list_rule *rule)
{
    const struct value *identity = prop->identity;
    str *fields;

    *rule = (struct list_rule){.kind = LIST_BY_FIELDS};
    if (identity->kind == VALUE_STRING) {
        rule->kind = str_eq(value_str(identity), STR("set")) ? LIST_AS_SET : LIST_BY_INDEX;
        return true;
    }
    rule->fields = fields = ARENA_ARRAY(d->arena, str, value_len(identity) + 1);
    for (size_t i = 0; i < value_len(identity); i++) {
        str field = identity_member(prop->shape->item, value_str(value_at(identity, i)));
        if (!field.len)
            return false;
        fields[rule->field_count++] = field;
    }
    return rule->field_count > 0;
}

/* The tag of a list with an identity in the model, else 0. */
static uint8_t tag_of(struct detect *d, const struct model_prop *prop)
{
    size_t i = 0;

    if (!prop || !prop->identity || prop->shape->form != FORM_LIST)
        return 0;
    while (i < d->list_count && d->lists[i].prop != prop)
        i++;
    if (i == LISTS_MAX)
        return 0;
    if (i == d->list_count) {
        struct list_rule rule;
        if (!make_rule(d, prop, &rule))
            return 0;
        if (!d->lists)
            d->lists = arena_alloc_raw(d->arena, LISTS_MAX * sizeof *d->lists);
        d->lists[d->list_count++] = (struct list_of){.prop = prop, .rule = rule};
    }
    return (uint8_t)(i + 1);
}

static void canon_list(struct detect *d, const struct model_prop *prop,
                       const struct model_shape *shape, const struct value *from, struct value *to)
{
    *to = *value_list(d->arena);
    go(d, STR("*"));
    for (size_t i = 0; i < from->len; i++) {
        struct value made;
        canon_shape(d, prop, shape->item, &from->items[i], NULL, &made);
        value_add(d->arena, to, &made);
    }
    go_back(d);
    to->tag = tag_of(d, prop);
}

static void canon_map(struct detect *d, const struct model_prop *prop,
                      const struct model_shape *shape, const struct value *from,
                      const struct value *peer, struct value *to)
{
    *to = *value_object(d->arena);
    go(d, STR("*"));
    for (size_t i = 0; i < from->len; i++) {
        struct value made;
        str key = key_of_peer(d, peer, spell_key(d, value_key(&from->items[i])));
        if (from->items[i].kind == VALUE_NULL && rule_is_on(d, DETECT_EMPTY))
            continue;
        canon_shape(d, prop, shape->item, &from->items[i], value_get(peer, key), &made);
        value_set(d->arena, to, key, &made);
    }
    go_back(d);
}

/* A map by ids, where only the keys are the user's. */
static void canon_identities(struct detect *d, const struct model_prop *prop,
                             const struct value *from, struct value *to)
{
    const struct model_shape *item = prop->shape->item;

    *to = *value_object(d->arena);
    for (size_t i = 0; i < from->len; i++) {
        struct value *made = value_object(d->arena);
        if (item && item->form == FORM_OBJECT && from->items[i].kind == VALUE_OBJECT) {
            struct place at = {.members = {item->object->arm}, .count = {item->object->arm_count}};
            canon_members(d, &at, &from->items[i], NULL, made);
        }
        value_set(d->arena, to, spell_key(d, value_key(&from->items[i])), made);
    }
}

/* ---- Children with objects of their own. ----------------------------------------------------- */

/*
 * Elements that are child resources are marked: new ones are not drift (compare.c), and if the
 * model has no member for them, the child's own kind says what can be written.
 */
static void mark_child(struct value *v)
{
    if (v->kind == VALUE_LIST)
        for (size_t i = 0; i < v->len; i++)
            v->items[i].tag = TAG_CHILD;
    else
        v->tag = TAG_CHILD;
}

/* An element that is also a resource: its name identifies it, the rest depends on its kind. */
static void canon_child(struct detect *d, const struct model_resource *kind,
                        const struct value *from, struct value *to)
{
    const struct value *name = member_fold(from, STR("name"));
    size_t root = d->root;

    d->root = d->depth;
    canon_object(d, kind->spec, from, NULL, to);
    d->root = root;
    if (name)
        value_set(d->arena, to, STR("name"), name);
}

/* The kind of an element; type decides if there are several. */
static const struct model_resource *kind_of_child(struct detect *d, str type)
{
    const struct value *all = d->resource->embedded;
    const struct model_resource *found = NULL, *kind;

    for (size_t i = 0; i < value_len(all); i++) {
        const struct value *one = value_at(all, i);
        if (!children_of_kind_are_at(d, i, d->way, d->depth) ||
            !model_find(d->model, d->resource->group, d->resource->version,
                        value_get_str(one, STR("kind")), &kind, NULL))
            continue;
        if (!found || str_eq_fold(kind->arm_type, type))
            found = kind;
    }
    return found;
}

/* A member that is not in the model: false if it is not a list of children. */
static bool canon_children(struct detect *d, const struct value *from, struct value *to)
{
    if (from->kind != VALUE_LIST || !children_are_at(d, d->way, d->depth) ||
        !kind_of_child(d, STR_NONE))
        return false;
    *to = *value_list(d->arena);
    for (size_t i = 0; i < from->len; i++) {
        const struct value *element = &from->items[i];
        const struct model_resource *kind = kind_of_child(d, member_fold_str(element, STR("type")));
        struct value made;
        go(d, STR("*"));
        if (element->kind == VALUE_OBJECT)
            canon_child(d, kind, element, &made);
        else
            canon_any(d, element, NULL, &made);
        go_back(d);
        value_add(d->arena, to, &made);
    }
    return true;
}

/* ---- By the model. --------------------------------------------------------------------------- */

/* How many members of an object are in a type, down to the second level. */
static size_t count_known(const struct model_arm *members, size_t count, const struct value *from)
{
    size_t known = 0;

    for (size_t i = 0; i < from->len; i++) {
        const struct model_arm *m = model_arm(members, count, value_key(&from->items[i]));
        known += m && m->prop;
        if (m && m->below && from->items[i].kind == VALUE_OBJECT)
            known += count_known(m->below, m->below_count, &from->items[i]);
    }
    return known;
}

/* Azure may not return the discriminator: then use the variant that fits best. */
static const struct model_prop *guess_variant(const struct model_type *t, const struct value *from)
{
    const struct model_prop *best = NULL;
    size_t most = 0;

    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[i];
        if (p->role != ROLE_VARIANT || p->shape->form != FORM_OBJECT)
            continue;
        size_t known = count_known(p->shape->object->arm, p->shape->object->arm_count, from);
        if (known > most) {
            best = p;
            most = known;
        }
    }
    return best;
}

/* The variant of an object, as given by itself or by what is wanted. */
static const struct model_prop *variant_of(const struct model_type *t, const struct value *from,
                                           const struct value *peer)
{
    const struct model_prop *p;

    if (!t->discriminator.len)
        return NULL;
    p = model_variant(t, member_fold_str(from, t->discriminator));
    if (!p)
        p = model_variant(t, member_fold_str(peer, t->discriminator));
    if (!p)
        p = guess_variant(t, from);
    return p && p->shape->form == FORM_OBJECT ? p : NULL;
}

static void canon_object(struct detect *d, const struct model_type *t, const struct value *from,
                         const struct value *peer, struct value *to)
{
    struct place at = {.members = {t->arm}, .count = {t->arm_count}};
    const struct model_prop *variant = variant_of(t, from, peer);

    if (variant) {
        at.members[1] = variant->shape->object->arm;
        at.count[1] = variant->shape->object->arm_count;
    }
    *to = *value_object(d->arena);
    canon_members(d, &at, from, peer, to);
}

static void canon_shape(struct detect *d, const struct model_prop *prop,
                        const struct model_shape *shape, const struct value *from,
                        const struct value *peer, struct value *to)
{
    if (!value_is_container(from)) {
        *to = *from;
        spell_scalar(d, prop, shape, member_at(d), to);
    } else if (shape->form == FORM_OBJECT && from->kind == VALUE_OBJECT) {
        canon_object(d, shape->object, from, peer, to);
    } else if (shape->form == FORM_LIST && from->kind == VALUE_LIST) {
        canon_list(d, prop, shape, from, to);
    } else if (shape->form == FORM_MAP && from->kind == VALUE_OBJECT) {
        canon_map(d, prop, shape, from, peer, to);
    } else {
        canon_any(d, from, peer, to);
    }
}

/* model_arm with a cache, since elements of a list have the same members. */
static const struct model_arm *find_member(struct detect *d, const struct model_arm *in,
                                           size_t count, str key)
{
    size_t first = key.len ? (uint8_t)key.ptr[0] : 0;
    size_t last = key.len ? (uint8_t)key.ptr[key.len - 1] : 0;
    size_t hash = (uintptr_t)in / sizeof *in + key.len * 7 + first + last * 3;
    struct found_member *kept = &d->members[hash % MEMBERS_KEPT];

    if (kept->in == in && str_eq(kept->member->name, key))
        return kept->member;
    const struct model_arm *member = model_arm(in, count, key);
    if (member && str_eq(member->name, key))
        *kept = (struct found_member){in, member};
    return member;
}

/* Looks up a member in the two tables of a place; below is for its own members. */
static const struct model_arm *look_up(struct detect *d, const struct place *at, str key,
                                       struct place *below)
{
    const struct model_arm *found = NULL;

    *below = (struct place){0};
    for (size_t i = 0; i < 2; i++) {
        const struct model_arm *m = at->count[i] ? find_member(d, at->members[i], at->count[i], key)
                                                 : NULL;
        if (!m)
            continue;
        below->members[i] = m->below;
        below->count[i] = m->below_count;
        if (!found || m->prop)
            found = m;
    }
    return found;
}

static bool is_never_compared(const struct detect *d, str key)
{
    const bool root = d->depth == d->root;
    bool never;

    switch (key.len) { /* which rules out nearly all others */
    case 2:
        never = root && str_eq_fold(key, STR("id"));
        break;
    case 4:
        never = str_eq_fold(key, STR("etag")) ||
                (root && (str_eq_fold(key, STR("name")) || str_eq_fold(key, STR("type"))));
        break;
    case 10:
        never = str_eq_fold(key, STR("systemData")) ||
                (root && str_eq_fold(key, STR("apiVersion")));
        break;
    default:
        never = str_eq_fold(key, STR("provisioningState"));
    }
    return never && rule_is_on(d, DETECT_NEVER);
}

/* A member that is in the model. */
static void canon_member(struct detect *d, const struct model_arm *m, const struct place *below,
                         const struct value *from, const struct value *peer, struct value *to)
{
    if (m->prop && m->prop->role == ROLE_IDENTITIES && from->kind == VALUE_OBJECT) {
        canon_identities(d, m->prop, from, to);
    } else if (m->prop) {
        canon_shape(d, m->prop, m->prop->shape, from, peer, to);
    } else if (from->kind == VALUE_OBJECT) {
        *to = *value_object(d->arena);
        canon_members(d, below, from, peer, to);
    } else {
        canon_any(d, from, peer, to);
    }
}

/* The canonical name of a member. */
static str name_of(const struct detect *d, const struct model_arm *m, const struct value *from,
                   const struct value *v, const struct value *peer)
{
    str key = value_key(v);

    if (!m) {
        str same = key_of_peer(d, peer, key);
        return value_get(from, same) ? key : same;
    }
    if (str_eq(m->name, key) || !rule_is_on(d, DETECT_KEY_CASE))
        return key;
    /* A twin in a different case: both count. */
    return value_get(from, m->name) ? key : m->name;
}

/*
 * A member that is not in the model counts if it is sent, or is a list of children. A child is sent
 * as Azure has it, with members that nobody requested.
 */
static bool canon_unknown(struct detect *d, const struct value *from, const struct value *peer,
                          struct value *to)
{
    if (canon_children(d, from, to))
        return true;
    if ((d->found && !peer) || d->inside_child)
        return false;
    if (from->kind == VALUE_OBJECT) {
        *to = *value_object(d->arena);
        canon_members(d, &(struct place){0}, from, peer, to);
    } else {
        canon_any(d, from, peer, to);
    }
    return true;
}

static void canon_members(struct detect *d, const struct place *at, const struct value *from,
                          const struct value *peer, struct value *to)
{
    struct value *nodes = ARENA_ARRAY(d->arena, struct value, from->len + to->len);
    size_t count = 0;

    for (size_t i = 0; i < from->len; i++) {
        const struct value *v = &from->items[i];
        struct value *made = &nodes[count];
        struct place below;
        bool ok = true;
        if (!v->key_len || is_never_compared(d, value_key(v)) ||
            (v->kind == VALUE_NULL && is_dropped(d, v)))
            continue;
        const struct model_arm *m = look_up(d, at, value_key(v), &below);
        str name = name_of(d, m, from, v, peer);
        go(d, name);
        bool children = children_are_at(d, d->way, d->depth), inside = d->inside_child;
        d->inside_child = inside || (children && v->kind == VALUE_LIST);
        if (m)
            canon_member(d, m, &below, v, peer ? value_get(peer, name) : NULL, made);
        else
            ok = canon_unknown(d, v, peer ? value_get(peer, name) : NULL, made);
        d->inside_child = inside;
        if (ok && d->found && children)
            mark_child(made);
        go_back(d);
        if (!ok || is_dropped(d, made))
            continue;
        made->key = name.ptr;
        made->key_len = (uint32_t)name.len;
        count++;
    }
    value_adopt(d->arena, to, VALUE_OBJECT, nodes, count);
}

static struct value *canon(struct detect *d, const struct value *body, const struct value *peer)
{
    struct value *to = value_object(d->arena);

    d->depth = d->root = 0;
    if (value_is(body, VALUE_OBJECT))
        canon_object(d, d->resource->spec, body, peer, to);
    return to;
}

struct value *detect_wanted(struct detect *d, const struct value *payload)
{
    d->found = false;
    return canon(d, payload, NULL);
}

struct value *detect_found(struct detect *d, const struct value *body, const struct value *wanted)
{
    d->found = true;
    return canon(d, body, wanted);
}

struct detect *detect_new(struct arena *a, struct model *model,
                          const struct model_resource *resource, str key)
{
    struct detect *d = ARENA_NEW(a, struct detect);

    d->arena = a;
    d->model = model;
    d->resource = resource;
    d->key = key;
    lines_take(d);
    return d;
}

void detect_filter(struct detect *d, detect_filter_fn *filter, void *ctx)
{
    d->filter = filter;
    d->filter_ctx = ctx;
}
