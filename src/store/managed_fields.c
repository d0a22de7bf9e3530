/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managed_fields.c - who wrote which field: metadata.managedFields, as server-side apply defines
 * them.
 *
 * A set of fields is a tree like FieldsV1 itself: "f:name" for members, "k:{...}" for elements of
 * lists that are maps, "v:..." for elements of sets. Unlike there, every field in the set has a
 * member ".", even leaves, so that union and difference need no special cases; reading adds those
 * of leaves, writing drops them.
 *
 * An update gives its manager every field that it added or changed, and takes these and the removed
 * ones away from all others.
 */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

/* Beyond this many update entries the oldest are merged into one, as in Kubernetes. */
#define UPDATES_MAX 10
#define ANCIENT "ancient-changes"

/* ---- Sets. ---- */

static void insert(struct arena *a, struct value *set)
{
    if (!value_get(set, STR(".")))
        value_set(a, set, STR("."), value_object(a));
}

/* Adds everything of other to set. */
static void unite(struct arena *a, struct value *set, const struct value *other)
{
    for (size_t i = 0; i < value_len(other); i++) {
        str key = value_key(&other->items[i]);
        struct value *mine = value_get(set, key);

        if (mine)
            unite(a, mine, &other->items[i]);
        else
            value_set(a, set, key, value_clone(a, &other->items[i]));
    }
}

/* Whether a part of a set is empty now because of other. */
static bool was_taken(void *ctx, const struct value *part)
{
    return !value_len(part) && value_get(ctx, value_key(part));
}

/* Removes everything in other from set. */
static void subtract(struct value *set, const struct value *other)
{
    for (size_t i = 0; i < value_len(other); i++) {
        struct value *mine = value_get(set, value_key(&other->items[i]));

        if (mine)
            subtract(mine, &other->items[i]);
    }
    (void)value_remove_if(set, was_taken, (void *)(uintptr_t)other);
}

/* From FieldsV1: {} is a leaf. */
static struct value *read_set(struct arena *a, const struct value *fields)
{
    struct value *set = value_object(a);

    for (size_t i = 0; i < value_len(fields); i++) {
        str key = value_key(&fields->items[i]);
        struct value *inner = read_set(a, &fields->items[i]);

        if (!str_eq(key, STR(".")) && !inner->len)
            insert(a, inner);
        value_set(a, set, key, inner);
    }
    return set;
}

/* Starts a node of an object; its key must live as long as the object. */
static void begin_node(struct value *node, str key)
{
    *node = (struct value){.kind = VALUE_OBJECT, .key = key.ptr, .key_len = (uint32_t)key.len};
}

/* To FieldsV1, sorted; "." comes first. out is an empty object. */
static void write_set(struct arena *a, const struct value *set, struct value *out)
{
    struct value **sorted, *nodes;

    if (!set->len || (set->len == 1 && value_get(set, STR("."))))
        return;
    sorted = value_sorted(a, set);
    nodes = ARENA_ARRAY(a, struct value, set->len);
    for (size_t i = 0; i < set->len; i++) {
        begin_node(&nodes[i], value_key(sorted[i]));
        write_set(a, sorted[i], &nodes[i]);
    }
    value_adopt(a, out, VALUE_OBJECT, nodes, set->len);
}

/* ---- Differences between objects. ---- */

/* set: fields that are new or have changed; gone: fields that were removed. */
static void compare(struct arena *a, const struct value *schema, const struct value *old,
                    const struct value *new_, struct value *set, struct value *gone);

/* The step to an element of a list that is a set or a map; empty if elements have no identity. */
static str element_step(struct arena *a, const struct value *schema, const struct value *element)
{
    str type = value_get_str(schema, STR("x-kubernetes-list-type"));
    const struct value *keys = value_get(schema, STR("x-kubernetes-list-map-keys"));
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (str_eq(type, STR("set"))) {
        buf_add(&b, STR("v:"));
        store_write_json(&b, element);
    } else if (str_eq(type, STR("map")) && value_is(element, VALUE_OBJECT)) {
        struct value *id = value_object(a);
        for (size_t i = 0; i < value_len(keys); i++) {
            const struct value *part = value_get(element, value_str(&keys->items[i]));
            if (part)
                value_set(a, id, value_str(&keys->items[i]), part);
        }
        struct value **sorted = value_sorted(a, id), *ordered = value_object(a);
        for (size_t i = 0; i < id->len; i++)
            value_set(a, ordered, value_key(sorted[i]), sorted[i]);
        buf_add(&b, STR("k:"));
        store_write_json(&b, ordered);
    }
    return buf_str(&b);
}

/* Whether v is granular, or one field as a whole. */
static bool is_granular(const struct value *schema, const struct value *v)
{
    if (value_is(v, VALUE_OBJECT))
        return v->len &&
               !str_eq(value_get_str(schema, STR("x-kubernetes-map-type")), STR("atomic"));
    str type = value_get_str(schema, STR("x-kubernetes-list-type"));
    return value_is(v, VALUE_LIST) && v->len &&
           (str_eq(type, STR("set")) || str_eq(type, STR("map")));
}

static str step_of(struct arena *a, const struct value *schema, const struct value *parent,
                   const struct value *child)
{
    if (parent->kind == VALUE_LIST)
        return element_step(a, schema, child);
    return str_concat(a, STR("f:"), value_key(child));
}

static const struct value *schema_of_child(const struct value *schema, const struct value *parent,
                                           const struct value *child)
{
    if (parent->kind == VALUE_LIST)
        return value_get(schema, STR("items"));
    return store_schema_member(schema, value_key(child));
}

/* The elements of a list by their steps, for fast lookups from another list; or NULL. */
static struct map *index_of(struct arena *a, const struct value *schema, const struct value *v)
{
    struct map *index;

    if (!value_is(v, VALUE_LIST))
        return NULL;
    index = map_new(a);
    for (size_t i = 0; i < v->len; i++)
        map_set(index, element_step(a, schema, &v->items[i]), &v->items[i]);
    return index;
}

/* The child of other, which has this index, at the same place as child in parent. */
static const struct value *same_child(const struct value *parent, const struct value *child,
                                      str step, const struct value *other, const struct map *index)
{
    if (!other || other->kind != parent->kind)
        return NULL;
    return parent->kind == VALUE_OBJECT ? value_get(other, value_key(child)) : map_get(index, step);
}

static void collect(struct arena *a, const struct value *schema, const struct value *v,
                    struct value *set);

/* The same for an object and an empty set: member names are unique, so no lookups are needed. */
static void collect_members(struct arena *a, const struct value *schema, const struct value *v,
                            struct value *set)
{
    struct value *nodes = ARENA_ARRAY(a, struct value, v->len + 1);

    begin_node(&nodes[0], STR("."));
    for (size_t i = 0; i < v->len; i++) {
        begin_node(&nodes[i + 1], step_of(a, schema, v, &v->items[i]));
        collect(a, schema_of_child(schema, v, &v->items[i]), &v->items[i], &nodes[i + 1]);
    }
    value_adopt(a, set, VALUE_OBJECT, nodes, v->len + 1);
}

/* Collects everything in v: itself, unless it is the root, and everything below. */
static void collect(struct arena *a, const struct value *schema, const struct value *v,
                    struct value *set)
{
    bool granular = is_granular(schema, v);

    if (granular && !set->len && v->kind == VALUE_OBJECT) {
        collect_members(a, schema, v, set);
        return;
    }
    insert(a, set);
    if (!granular)
        return;
    for (size_t i = 0; i < v->len; i++) {
        str step = step_of(a, schema, v, &v->items[i]);
        struct value *inner = value_get(set, step);

        if (!inner)
            inner = value_set(a, set, step, value_object(a));
        collect(a, schema_of_child(schema, v, &v->items[i]), &v->items[i], inner);
    }
}

static void keep_if_any(struct arena *a, struct value *set, str step, const struct value *inner)
{
    if (inner->len)
        value_set(a, set, step, inner);
}

/* Fields of old that new_ does not have. */
static void compare_gone(struct arena *a, const struct value *schema, const struct value *old,
                         const struct value *new_, struct value *gone)
{
    const struct map *index = index_of(a, schema, new_);

    for (size_t i = 0; i < value_len(old); i++) {
        const struct value *child = &old->items[i];
        str step = step_of(a, schema, old, child);
        struct value *inner = value_object(a);

        if (same_child(old, child, step, new_, index))
            continue;
        collect(a, schema_of_child(schema, old, child), child, inner);
        value_set(a, gone, step, inner);
    }
}

static void compare_children(struct arena *a, const struct value *schema, const struct value *old,
                             const struct value *new_, struct value *set, struct value *gone)
{
    const struct map *index = index_of(a, schema, old);

    for (size_t i = 0; i < value_len(new_); i++) {
        const struct value *child = &new_->items[i];
        str step = step_of(a, schema, new_, child);
        const struct value *inner_schema = schema_of_child(schema, new_, child);
        const struct value *before = same_child(new_, child, step, old, index);
        struct value *inner = value_object(a), *inner_gone = value_object(a);

        if (!before)
            collect(a, inner_schema, child, inner);
        else
            compare(a, inner_schema, before, child, inner, inner_gone);
        keep_if_any(a, set, step, inner);
        keep_if_any(a, gone, step, inner_gone);
    }
    compare_gone(a, schema, old, new_, gone);
}

static void compare(struct arena *a, const struct value *schema, const struct value *old,
                    const struct value *new_, struct value *set, struct value *gone)
{
    bool granular = is_granular(schema, new_) || is_granular(schema, old);

    if (granular && old->kind == new_->kind)
        compare_children(a, schema, old, new_, set, gone);
    else if (!value_equal(old, new_))
        collect(a, schema, new_, set);
}

/* ---- Which fields nobody owns. ---- */

static void strip(struct value *set)
{
    static const char *const meta[] = {
        ".",     "f:name",       "f:namespace",       "f:creationTimestamp", "f:selfLink",
        "f:uid", "f:generation", "f:resourceVersion", "f:managedFields",     "f:generateName",
    };

    value_unset(set, STR("."));
    value_unset(set, STR("f:apiVersion"));
    value_unset(set, STR("f:kind"));
    struct value *inner = value_get(set, STR("f:metadata"));
    for (size_t i = 0; inner && i < COUNT(meta); i++)
        value_unset(inner, str_c(meta[i]));
    if (inner && !inner->len)
        value_unset(set, STR("f:metadata"));
}

/*
 * The lists and maps of metadata have identities that are not in schemas: owners are identified by
 * uid, finalizers are a set.
 */
static const struct value *schema_with_metadata(struct arena *a, const struct value *schema)
{
    struct value *top = value_object(a), *properties = value_object(a), *meta = value_object(a);
    struct value *members = value_object(a), *set = value_object(a), *owners = value_object(a);
    struct value *keys = value_list(a), *atomic = value_object(a), *items = value_object(a);
    const struct value *known = value_get(schema, STR("properties"));

    value_set_str(a, set, STR("x-kubernetes-list-type"), STR("set"));
    value_set_str(a, owners, STR("x-kubernetes-list-type"), STR("map"));
    value_add(a, keys, value_string(a, STR("uid")));
    value_set(a, owners, STR("x-kubernetes-list-map-keys"), keys);
    value_set_str(a, items, STR("x-kubernetes-map-type"), STR("atomic"));
    value_set(a, owners, STR("items"), items);
    value_set(a, members, STR("finalizers"), set);
    value_set(a, members, STR("ownerReferences"), owners);
    value_set(a, members, STR("managedFields"), atomic);
    value_set(a, meta, STR("properties"), members);
    for (size_t i = 0; i < value_len(known); i++)
        value_set(a, properties, value_key(&known->items[i]), &known->items[i]);
    object_set_meta(a, properties, meta);
    value_set(a, top, STR("properties"), properties);
    if (value_get(schema, STR("additionalProperties")))
        value_set(a, top, STR("additionalProperties"),
                  value_get(schema, STR("additionalProperties")));
    return top;
}

/* ---- Entries. ---- */

struct entry {
    str manager, operation, version, subresource, time;
    struct value *set;
};

struct entries {
    VEC(struct entry) list;
};

static void read_entries(struct arena *a, const struct value *object, struct entries *out)
{
    const struct value *list = value_get(object_meta(object), STR("managedFields"));

    for (size_t i = 0; i < value_len(list); i++) {
        const struct value *v = &list->items[i];
        struct entry entry = {
            .manager = value_get_str(v, STR("manager")),
            .operation = value_get_str(v, STR("operation")),
            .version = value_get_str(v, STR("apiVersion")),
            .subresource = value_get_str(v, STR("subresource")),
            .time = value_get_str(v, STR("time")),
            .set = read_set(a, value_get(v, STR("fieldsV1"))),
        };
        if (entry.manager.len)
            VEC_PUSH(a, &out->list, entry);
    }
}

static struct value *write_entry(struct arena *a, const struct entry *entry)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("manager"), entry->manager);
    value_set_str(a, v, STR("operation"), entry->operation);
    value_set_str(a, v, STR("apiVersion"), entry->version);
    if (entry->time.len)
        value_set_str(a, v, STR("time"), entry->time);
    value_set_str(a, v, STR("fieldsType"), STR("FieldsV1"));
    write_set(a, entry->set, value_set(a, v, STR("fieldsV1"), value_object(a)));
    if (entry->subresource.len)
        value_set_str(a, v, STR("subresource"), entry->subresource);
    return v;
}

static struct entry *find_entry(struct entries *entries, str manager, str version, str subresource)
{
    for (size_t i = 0; i < entries->list.len; i++) {
        struct entry *entry = &entries->list.items[i];
        if (str_eq(entry->manager, manager) && str_eq(entry->version, version) &&
            str_eq(entry->subresource, subresource) && str_eq(entry->operation, STR("Update")))
            return entry;
    }
    return NULL;
}

/* Applied ones first, then by time and name. */
static int compare_entries(const void *x, const void *y)
{
    const struct entry *p = x, *q = y;
    int order = str_cmp(p->operation, q->operation);

    if (!order)
        order = str_cmp(p->time, q->time);
    if (!order)
        order = str_cmp(p->manager, q->manager);
    if (!order)
        order = str_cmp(p->version, q->version);
    return order ? order : str_cmp(p->subresource, q->subresource);
}

static void drop_empty(struct entries *entries)
{
    size_t kept = 0;

    for (size_t i = 0; i < entries->list.len; i++)
        if (entries->list.items[i].set->len)
            entries->list.items[kept++] = entries->list.items[i];
    entries->list.len = kept;
}

/* Merges the oldest updates into one entry while there are too many. They are sorted. */
static void limit_entries(struct arena *a, struct entries *entries)
{
    size_t first = 0;

    while (first < entries->list.len && str_eq(entries->list.items[first].operation, STR("Apply")))
        first++;
    while (entries->list.len - first > UPDATES_MAX) {
        struct entry *oldest = &entries->list.items[first], *next = oldest + 1;
        unite(a, next->set, oldest->set);
        next->manager = STR(ANCIENT);
        for (size_t i = first; i + 1 < entries->list.len; i++)
            entries->list.items[i] = entries->list.items[i + 1];
        entries->list.len--;
    }
}

static void give(struct store_request *r, struct entries *entries, const struct value *set,
                 const struct value *gone)
{
    struct arena *a = r->arena;
    str version = api_version_join(a, r->group, r->version);
    struct entry *own = find_entry(entries, r->manager, version, r->subresource);

    for (size_t i = 0; i < entries->list.len; i++) {
        subtract(entries->list.items[i].set, gone);
        if (&entries->list.items[i] != own)
            subtract(entries->list.items[i].set, set);
    }
    if (!set->len)
        return;
    if (!own) {
        struct entry fresh = {r->manager,     STR("Update"), version,
                              r->subresource, STR_NONE,      value_object(a)};
        VEC_PUSH(a, &entries->list, fresh);
        own = &entries->list.items[entries->list.len - 1];
    }
    unite(a, own->set, set);
    own->time = store_time(a, clock_now());
}

static bool asks_to_reset(const struct value *object)
{
    const struct value *list = value_get(object_meta(object), STR("managedFields"));

    return value_len(list) == 1 && !value_len(&list->items[0]);
}

void store_manage_fields(struct store_request *r, const struct value *old, struct value *object)
{
    struct arena *a = r->arena;
    struct value *set = value_object(a), *gone = value_object(a), *list = value_list(a);
    struct value *meta = object_make_meta(a, object);
    const struct value *schema = schema_with_metadata(a, r->as->schema);
    const struct value *nothing = value_object(a);
    struct entries entries = {0};

    if (asks_to_reset(object)) {
        value_unset(meta, STR("managedFields"));
        return;
    }
    /* Uses what the writer sends, unless it sends nothing. */
    read_entries(a, old && !value_get(meta, STR("managedFields")) ? old : object, &entries);
    compare_children(a, schema, old ? old : nothing, object, set, gone);
    strip(set);
    strip(gone);
    give(r, &entries, set, gone);
    drop_empty(&entries);
    if (entries.list.len)
        qsort(entries.list.items, entries.list.len, sizeof(struct entry), compare_entries);
    limit_entries(a, &entries);
    for (size_t i = 0; i < entries.list.len; i++)
        value_add(a, list, write_entry(a, &entries.list.items[i]));
    value_unset(meta, STR("managedFields"));
    if (list->len)
        value_set(a, meta, STR("managedFields"), list);
}
