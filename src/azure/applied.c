/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applied.c - finds the applied version in managedFields and annotations.
 *
 * An entry is {manager, operation, apiVersion, time, fieldsV1: {"f:spec": {"f:location": {}}}}.
 * Times are UTC in seconds, all in the same format, so they compare as texts.
 */
#include "azure/applied.h"

#include "azure/convert/convert.h"
#include "text/json/json.h"
#include "object/object.h"

/* Spellings that are gone from the CRDs but may still occur in objects. */
static const struct {
    str retired, successor;
} spellings[] = {
    {STR_INIT("v1alpha1api"), STR_INIT("v1api")},
    {STR_INIT("v1beta1"), STR_INIT("v1")},
    {STR_INIT("v1beta"), STR_INIT("v1api")},
};

/* The current spelling of a version: "v1beta1" is a whole name, the others are prefixes. */
static str present_spelling(struct arena *a, str version)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        str old = spellings[i].retired;
        if (str_eq(old, STR("v1beta1")) ? str_eq(version, old) : str_has_prefix(version, old))
            return str_concat(a, spellings[i].successor, str_from(version, old.len));
    }
    return version;
}

/* The kind of object in a version, which may have a retired spelling. */
static bool find_version(struct model *m, const struct value *object, str version,
                         const struct model_resource **out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct object_key n = object_key_of(object);

    return model_find(m, n.group, version, n.kind, out, NULL) ||
           model_find(m, n.group, present_spelling(a, version), n.kind, out, e);
}

static const struct value *entries_of(const struct value *object)
{
    return value_get(object_meta(object), STR("managedFields"));
}

static str claimed_version(const struct value *object)
{
    return object_annotation(object, STR(ANNOTATION_API_VERSION));
}

/* ---- Writes of users. ------------------------------------------------------------------------ */

/* Which of two writes in the same second wins. */
enum rank { RANK_UPDATE, RANK_LAST_APPLIED, RANK_APPLY };

struct write {
    const struct model_resource *resource; /* NULL: none */
    str time;                              /* empty: unknown, older than all */
    enum rank rank;
};

static void keep_newer(struct write *newest, const struct write *w)
{
    int order = str_cmp(w->time, newest->time);

    if (!newest->resource || order > 0 || (order == 0 && w->rank >= newest->rank))
        *newest = *w;
}

/* The resource for an apiVersion; NULL when it is of another kind, a storage version or unknown. */
static const struct model_resource *resource_of(struct model *m, const struct value *object,
                                                str api_version)
{
    const struct model_resource *r = NULL;
    str group, version;

    api_version_split(api_version, &group, &version);
    if (!str_eq(group, object_key_of(object).group) || str_has_suffix(version, STR("storage")) ||
        !find_version(m, object, version, &r, NULL))
        return NULL;
    return r;
}

/* Whether an entry is a user's: not the operator's own, and not about a subresource. */
static bool is_users(const struct value *entry)
{
    return !str_eq(value_get_str(entry, STR("manager")), STR(FIELD_MANAGER)) &&
           !value_get_str(entry, STR("subresource")).len;
}

/* Whether the entry owns fields of the spec. "." is the spec itself and does not count. */
static bool owns_spec(const struct value *entry)
{
    const struct value *spec = value_get(value_get(entry, STR("fieldsV1")), STR("f:spec"));
    size_t fields = value_is(spec, VALUE_OBJECT) ? spec->len : 0;

    if (value_get(spec, STR(".")))
        fields--;
    return fields > 0;
}

static bool owns_last_applied(const struct value *entry)
{
    const struct value *meta = value_get(value_get(entry, STR("fieldsV1")), STR("f:metadata"));

    return value_get(value_get(meta, STR("f:annotations")), STR("f:" ANNOTATION_LAST_APPLIED));
}

/* The version in kubectl's annotation, a manifest as JSON; NULL when there is none. */
static const struct model_resource *last_applied(struct model *m, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    struct source src = {.text = object_annotation(object, STR(ANNOTATION_LAST_APPLIED))};
    struct value *manifest = NULL;

    if (!src.text.len || !json_read(a, &src, NULL, &manifest, NULL) ||
        !str_eq(value_get_str(manifest, STR("kind")), object_key_of(object).kind))
        return NULL;
    return resource_of(m, object, value_get_str(manifest, STR("apiVersion")));
}

static struct write newest_write(struct model *m, const struct value *object)
{
    const struct value *entries = entries_of(object);
    struct write newest = {0};
    struct write kubectl = {.resource = last_applied(m, object), .rank = RANK_LAST_APPLIED};

    for (size_t i = 0; value_is(entries, VALUE_LIST) && i < entries->len; i++) {
        const struct value *entry = &entries->items[i];
        bool apply = str_eq(value_get_str(entry, STR("operation")), STR("Apply"));
        struct write w = {.time = value_get_str(entry, STR("time")),
                          .rank = apply ? RANK_APPLY : RANK_UPDATE};
        if (!is_users(entry))
            continue;
        if (owns_last_applied(entry) && str_cmp(w.time, kubectl.time) > 0)
            kubectl.time = w.time;
        if (owns_spec(entry) &&
            (w.resource = resource_of(m, object, value_get_str(entry, STR("apiVersion")))))
            keep_newer(&newest, &w);
    }
    if (kubectl.resource)
        keep_newer(&newest, &kubectl);
    return newest;
}

/* ---- The version. ---------------------------------------------------------------------------- */

static str original_version(const struct value *object)
{
    return value_get_str(value_get(object, STR("spec")), STR("originalVersion"));
}

bool applied_is_served(const struct value *object)
{
    return value_len(entries_of(object)) > 0 || claimed_version(object).len ||
           original_version(object).len;
}

bool applied_version(struct model *m, const struct value *object, struct applied *out,
                     struct err *e)
{
    struct object_key n = object_key_of(object);
    struct write newest = newest_write(m, object);
    str original = original_version(object), claimed = claimed_version(object);

    *out = (struct applied){.resource = newest.resource,
                            .by = newest.rank == RANK_LAST_APPLIED ? APPLIED_LAST : APPLIED_FIELDS};
    if (out->resource)
        return true;
    out->by = APPLIED_ORIGINAL;
    if (original.len && find_version(m, object, original, &out->resource, NULL))
        return true;
    out->by = APPLIED_CLAIMED;
    if (claimed.len)
        return find_version(m, object, claimed, &out->resource, e) ||
               err_wrap(e, "annotation " ANNOTATION_API_VERSION);
    out->by = APPLIED_STORED;
    return model_find_hub(m, n.group, n.kind, &out->resource, e);
}

void applied_trim(struct arena *a, struct model *m, struct value *object)
{
    struct write newest = newest_write(m, object);
    struct value *meta = object_meta(object), *entry = value_object(a), *list = value_list(a);
    const struct model_resource *r = newest.resource;

    if (!meta)
        return;
    value_unset(meta, STR("managedFields"));
    if (!r) {
        object_set_annotation(a, object, STR(ANNOTATION_LAST_APPLIED), STR_NONE);
        return;
    }
    struct value *fields = value_set(a, entry, STR("fieldsV1"), value_object(a));
    struct value *spec = value_set(a, fields, STR("f:spec"), value_object(a));
    value_set(a, spec, STR("f:*"), value_object(a));
    value_set_str(a, entry, STR("operation"), STR("Apply"));
    value_set_str(a, entry, STR("apiVersion"), api_version_join(a, r->group, r->version));
    value_set_str(a, entry, STR("time"), str_copy(a, newest.time));
    value_add(a, list, entry);
    value_set(a, meta, STR("managedFields"), list);
    object_set_annotation(a, object, STR(ANNOTATION_LAST_APPLIED), STR_NONE);
}

/* ---- The object. ----------------------------------------------------------------------------- */

/* The leftovers of an earlier conversion, or NULL. */
static bool read_leftovers(struct arena *a, const struct value *object, struct value **out,
                           struct err *e)
{
    struct source *src = ARENA_NEW(a, struct source);

    *out = NULL;
    src->text = object_annotation(object, STR(ANNOTATION_LEFTOVERS));
    if (!src->text.len)
        return true;
    return json_read(a, src, NULL, out, e) || err_wrap(e, "annotation " ANNOTATION_LEFTOVERS);
}

/* Whether the spec is in the reference operator's storage format. */
static bool is_stored_form(const struct value *object)
{
    return str_has_suffix(value_get_str(object, STR("apiVersion")), STR("storage")) ||
           original_version(object).len;
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
    if (!value_is(spec, VALUE_OBJECT) || (served == out->resource && !is_stored_form(object)))
        return true;
    struct value *copy = value_object(a);
    copy->pos = object->pos;
    for (size_t i = 0; i < object->len; i++)
        value_set(a, copy, value_key(&object->items[i]), &object->items[i]);
    value_set_str(a, copy, STR("apiVersion"),
                  api_version_join(a, out->resource->group, out->resource->version));
    value_set(a, copy, STR("spec"), convert_version(a, served, out->resource, spec, kept, &left));
    convert_leftover_paths(a, left, &out->dropped);
    *as_applied = copy;
    return true;
}
