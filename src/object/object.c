/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - identity and metadata; see object.h. */
#include "object/object.h"

/* ---- Identity. ------------------------------------------------------------------------------- */

struct identity identity_of(const struct value *object)
{
    return (struct identity){
        .api_version = value_get_str(object, STR("apiVersion")),
        .kind = value_get_str(object, STR("kind")),
        .namespace = object_namespace(object),
        .name = object_name(object),
    };
}

void api_version_split(str api_version, str *group, str *version)
{
    if (!str_cut(api_version, STR("/"), group, version)) {
        *version = api_version;
        *group = STR_NONE;
    }
}

str api_version_join(struct arena *a, str group, str version)
{
    return object_path(a, group, version);
}

str identity_id(struct arena *a, const struct identity *i)
{
    const str sep = STR("_");

    if (i->namespace.len)
        return str_join(a, (const str[]){i->api_version, i->kind, i->namespace, i->name}, 4, sep);
    return str_join(a, (const str[]){i->api_version, i->kind, i->name}, 3, sep);
}

str object_id(struct arena *a, const struct value *object)
{
    struct identity i = identity_of(object);

    return identity_id(a, &i);
}

str identity_label(struct arena *a, const struct identity *i)
{
    if (!i->api_version.len || !i->kind.len || !i->name.len)
        return STR_NONE;
    return str_fmt(a, "%.*s %.*s %.*s", STR_ARG(i->api_version), STR_ARG(i->kind),
                   STR_ARG(object_path(a, i->namespace, i->name)));
}

struct object_key object_key_of(const struct value *object)
{
    struct object_key key = {.kind = value_get_str(object, STR("kind")),
                             .namespace = object_namespace(object),
                             .name = object_name(object)};
    str version;

    api_version_split(value_get_str(object, STR("apiVersion")), &key.group, &version);
    return key;
}

str object_key_text(struct arena *a, const struct object_key *key)
{
    return str_fmt(a, "%.*s/%.*s/%.*s/%.*s", STR_ARG(key->group), STR_ARG(key->kind),
                   STR_ARG(key->namespace), STR_ARG(key->name));
}

struct value *object_key_value(struct arena *a, const struct object_key *key)
{
    struct value *out = value_object(a);

    value_set_str(a, out, STR("group"), key->group);
    value_set_str(a, out, STR("kind"), key->kind);
    value_set_str(a, out, STR("namespace"), key->namespace);
    value_set_str(a, out, STR("name"), key->name);
    return out;
}

str object_path(struct arena *a, str namespace, str name)
{
    return namespace.len ? str_fmt(a, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(name)) : name;
}

/* ---- Metadata. ------------------------------------------------------------------------------- */

static const char metadata[] = "metadata";

bool object_is_meta(str member)
{
    return str_eq(member, str_c(metadata));
}

const struct value *object_meta_member(const struct value *object)
{
    return value_get(object, str_c(metadata));
}

struct value *object_meta(const struct value *object)
{
    struct value *meta = value_get(object, str_c(metadata));

    return value_is(meta, VALUE_OBJECT) ? meta : NULL;
}

struct value *object_make_meta(struct arena *a, struct value *object)
{
    struct value *meta = object_meta(object);

    return meta ? meta : value_set(a, object, str_c(metadata), value_object(a));
}

void object_set_meta(struct arena *a, struct value *object, const struct value *meta)
{
    value_set(a, object, str_c(metadata), meta);
}

void object_drop_meta(struct value *object)
{
    value_unset(object, str_c(metadata));
}

str object_meta_str(const struct value *object, str member)
{
    return value_get_str(object_meta(object), member);
}

str object_name(const struct value *object)
{
    return object_meta_str(object, STR("name"));
}

str object_namespace(const struct value *object)
{
    return object_meta_str(object, STR("namespace"));
}

str object_uid(const struct value *object)
{
    return object_meta_str(object, STR("uid"));
}

int64_t object_generation(const struct value *object)
{
    const struct value *v = value_get(object_meta(object), STR("generation"));
    int64_t n = 0;

    return v && value_to_i64(v, &n) ? n : 0;
}

uint64_t object_version(const struct value *object)
{
    uint64_t version;

    return str_to_u64(object_meta_str(object, STR("resourceVersion")), &version) ? version : 0;
}

bool object_is_deleting(const struct value *object)
{
    return object_meta_str(object, STR("deletionTimestamp")).len > 0;
}

/* ---- Labels and annotations. ----------------------------------------------------------------- */

str object_annotation(const struct value *object, str name)
{
    return value_get_str(value_get(object_meta(object), STR("annotations")), name);
}

str object_label(const struct value *object, str name)
{
    return value_get_str(value_get(object_meta(object), STR("labels")), name);
}

/* A member that is an object itself, created if missing. */
static struct value *child(struct arena *a, struct value *parent, str member, enum value_kind kind)
{
    struct value *v = value_get(parent, member);

    if (value_is(v, kind))
        return v;
    return value_set(a, parent, member, kind == VALUE_LIST ? value_list(a) : value_object(a));
}

static bool set_entry(struct arena *a, struct value *object, str map, str name, str value)
{
    struct value *entries = value_get(object_meta(object), map);
    const struct value *old = value_get(entries, name);

    if (!value.len) {
        if (!old)
            return false;
        value_unset(entries, name);
        if (!value_len(entries))
            value_unset(object_meta(object), map);
        return true;
    }
    if (value_is(old, VALUE_STRING) && str_eq(value_str(old), value))
        return false;
    entries = child(a, object_make_meta(a, object), map, VALUE_OBJECT);
    value_set_str(a, entries, name, value);
    return true;
}

bool object_set_annotation(struct arena *a, struct value *object, str name, str value)
{
    return set_entry(a, object, STR("annotations"), name, value);
}

bool object_set_label(struct arena *a, struct value *object, str name, str value)
{
    return set_entry(a, object, STR("labels"), name, value);
}

/* ---- Finalizers. ----------------------------------------------------------------------------- */

/* The index of a finalizer, or their number if it is not there. */
static size_t find_finalizer(const struct value *list, str name)
{
    size_t i = 0;

    while (i < value_len(list) && !str_eq(value_str(value_at(list, i)), name))
        i++;
    return i;
}

bool object_has_finalizer(const struct value *object, str name)
{
    const struct value *list = value_get(object_meta(object), STR("finalizers"));

    return find_finalizer(list, name) < value_len(list);
}

bool object_add_finalizer(struct arena *a, struct value *object, str name)
{
    if (object_has_finalizer(object, name))
        return false;
    struct value *meta = object_make_meta(a, object);
    value_add(a, child(a, meta, STR("finalizers"), VALUE_LIST), value_string(a, name));
    return true;
}

bool object_remove_finalizer(struct value *object, str name)
{
    struct value *list = value_get(object_meta(object), STR("finalizers"));
    size_t i = find_finalizer(list, name);

    if (i == value_len(list))
        return false;
    value_remove(list, i);
    if (!value_len(list))
        value_unset(object_meta(object), STR("finalizers"));
    return true;
}

/* ---- Owner references. ----------------------------------------------------------------------- */

static struct value *owners_of(const struct value *object)
{
    struct value *list = value_get(object_meta(object), STR("ownerReferences"));

    return value_is(list, VALUE_LIST) ? list : NULL;
}

size_t object_owner_count(const struct value *object)
{
    return value_len(owners_of(object));
}

struct owner_ref object_owner(const struct value *object, size_t i)
{
    const struct value *v = value_at(owners_of(object), i);

    return (struct owner_ref){
        .api_version = value_get_str(v, STR("apiVersion")),
        .kind = value_get_str(v, STR("kind")),
        .name = value_get_str(v, STR("name")),
        .uid = value_get_str(v, STR("uid")),
        .controller = value_is_true(value_get(v, STR("controller"))),
        .block_deletion = value_is_true(value_get(v, STR("blockOwnerDeletion"))),
    };
}

bool object_is_owned_by(const struct value *object, str uid)
{
    for (size_t i = 0; i < object_owner_count(object); i++)
        if (uid.len && str_eq(object_owner(object, i).uid, uid))
            return true;
    return false;
}

static struct value *owner_value(struct arena *a, const struct owner_ref *owner)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("apiVersion"), owner->api_version);
    value_set_str(a, v, STR("kind"), owner->kind);
    value_set_str(a, v, STR("name"), owner->name);
    value_set_str(a, v, STR("uid"), owner->uid);
    if (owner->controller)
        value_set_bool(a, v, STR("controller"), true);
    if (owner->block_deletion)
        value_set_bool(a, v, STR("blockOwnerDeletion"), true);
    return v;
}

static bool is_same_owner(const struct owner_ref *x, const struct owner_ref *y)
{
    str x_group, y_group, version;

    api_version_split(x->api_version, &x_group, &version);
    api_version_split(y->api_version, &y_group, &version);
    return str_eq(x->kind, y->kind) && str_eq(x->name, y->name) && str_eq(x_group, y_group);
}

bool object_set_owner(struct arena *a, struct value *object, const struct owner_ref *owner)
{
    struct value *wanted = owner_value(a, owner);

    for (size_t i = 0; i < object_owner_count(object); i++) {
        struct owner_ref old = object_owner(object, i);
        struct value *place = value_at(owners_of(object), i);
        if (!is_same_owner(&old, owner))
            continue;
        if (value_equal(place, wanted))
            return false;
        value_remove(owners_of(object), i);
        value_insert(a, owners_of(object), i, wanted);
        return true;
    }
    struct value *meta = object_make_meta(a, object);
    value_add(a, child(a, meta, STR("ownerReferences"), VALUE_LIST), wanted);
    return true;
}
