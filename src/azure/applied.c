/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applied.c - versions by managedFields.
 *
 * An entry is {manager, operation, apiVersion, time, fieldsV1: {"f:spec": {"f:location": {}}}}.
 * Times are UTC in seconds, all in one format, and so compare as texts.
 */
#include "azure/applied.h"

#include "azure/convert.h"
#include "text/json.h"

/* Spellings that are gone from the definitions but may stand in objects. */
static const struct {
    str retired, successor;
} spellings[] = {
    {STR_INIT("v1alpha1api"), STR_INIT("v1api")},
    {STR_INIT("v1beta1"), STR_INIT("v1")},
    {STR_INIT("v1beta"), STR_INIT("v1api")},
};

/* The version with its present spelling: "v1beta1" is a whole name, the others are prefixes. */
static str present_spelling(struct arena *a, str version)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        str old = spellings[i].retired;
        if (str_eq(old, STR("v1beta1")) ? str_eq(version, old) : str_has_prefix(version, old))
            return str_concat(a, spellings[i].successor, str_from(version, old.len));
    }
    return version;
}

/* The kind of object in a version, also when it is spelled as it was. */
static bool find_version(struct model *m, const struct value *object, str version,
                         const struct model_resource **out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct object_name n = object_name(object);

    return model_find(m, n.group, version, n.kind, out, NULL) ||
           model_find(m, n.group, present_spelling(a, version), n.kind, out, e);
}

static const struct value *entries_of(const struct value *object)
{
    return value_get(value_get(object, STR("metadata")), STR("managedFields"));
}

static str claimed_version(const struct value *object)
{
    const struct value *meta = value_get(object, STR("metadata"));

    return value_get_str(value_get(meta, STR("annotations")), STR(ANNOTATION_API_VERSION));
}

static bool is_applied(const struct value *entry)
{
    return str_eq(value_get_str(entry, STR("operation")), STR("Apply"));
}

/* Whether the entry says who set fields of the spec. "." is the spec itself, which is no field. */
static bool owns_spec(const struct value *entry)
{
    const struct value *spec = value_get(value_get(entry, STR("fieldsV1")), STR("f:spec"));
    size_t fields = value_is(spec, VALUE_OBJECT) ? spec->len : 0;

    if (value_get(spec, STR(".")))
        fields--;
    return fields > 0 && !value_get_str(entry, STR("subresource")).len;
}

/* Whether x, which stands behind y in the list, is the one to believe. */
static bool is_newer(const struct value *x, const struct value *y)
{
    int order = str_cmp(value_get_str(x, STR("time")), value_get_str(y, STR("time")));

    if (order != 0)
        return order > 0;
    return is_applied(x) || !is_applied(y);
}

/* The resource of the newest entry that counts, or NULL. */
static const struct model_resource *find_by_fields(struct model *m, const struct value *object)
{
    const struct value *entries = entries_of(object), *newest = NULL;
    const struct model_resource *found = NULL, *r;
    str group = object_name(object).group, entry_group, version;

    if (!value_is(entries, VALUE_LIST))
        return NULL;
    for (size_t i = 0; i < entries->len; i++) {
        const struct value *entry = &entries->items[i];
        object_api(entry, &entry_group, &version);
        if (!str_eq(entry_group, group) || !owns_spec(entry) ||
            (newest && !is_newer(entry, newest)))
            continue;
        if (!find_version(m, object, version, &r, NULL))
            continue;
        newest = entry;
        found = r;
    }
    return found;
}

bool applied_is_served(const struct value *object)
{
    return value_len(entries_of(object)) > 0 || claimed_version(object).len;
}

bool applied_version(struct model *m, const struct value *object, struct applied *out,
                     struct err *e)
{
    struct object_name n = object_name(object);
    str claimed = claimed_version(object);

    if (claimed.len) {
        *out = (struct applied){.by = APPLIED_CLAIMED};
        return find_version(m, object, claimed, &out->resource, e) ||
               err_wrap(e, "annotation " ANNOTATION_API_VERSION);
    }
    *out = (struct applied){.resource = find_by_fields(m, object), .by = APPLIED_FIELDS};
    if (out->resource)
        return true;
    out->by = APPLIED_STORED;
    return model_find_hub(m, n.group, n.kind, &out->resource, e);
}

/* What an earlier conversion kept, or NULL. */
static bool read_leftovers(struct arena *a, const struct value *object, struct value **out,
                           struct err *e)
{
    const struct value *meta = value_get(object, STR("metadata"));
    struct source *src = ARENA_NEW(a, struct source);

    *out = NULL;
    src->text = value_get_str(value_get(meta, STR("annotations")), STR(ANNOTATION_LEFTOVERS));
    if (!src->text.len)
        return true;
    return json_read(a, src, NULL, out, e) || err_wrap(e, "annotation " ANNOTATION_LEFTOVERS);
}

bool applied_object(struct arena *a, struct model *m, const struct value *object,
                    struct applied *out, const struct value **as_applied, struct err *e)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct model_resource *served;
    struct value *kept, *left;

    if (!applied_version(m, object, out, e) || !object_resource(m, object, &served, e) ||
        !read_leftovers(a, object, &kept, e))
        return false;
    *as_applied = object;
    if (served == out->resource || !value_is(spec, VALUE_OBJECT))
        return true;
    struct value *copy = value_object(a);
    for (size_t i = 0; i < object->len; i++)
        value_set(a, copy, value_key(&object->items[i]), &object->items[i]);
    value_set_str(
        a, copy, STR("apiVersion"),
        str_fmt(a, "%.*s/%.*s", STR_ARG(out->resource->group), STR_ARG(out->resource->version)));
    value_set(a, copy, STR("spec"), convert_version(a, served, out->resource, spec, kept, &left));
    *as_applied = copy;
    return true;
}
