/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c - the metadata of objects: its members, their types, and their valid values. */
#include "store/internal.h"

#include "go/quote.h"
#include "go/time.h"
#include "object/object.h"

/* Of all annotations of an object together, as in Kubernetes. */
#define ANNOTATIONS_MAX (256 * KIB)

str store_time(struct arena *a, int64_t now)
{
    struct buf b = buf_new(a, 64);

    gotime_format(&b, gotime_unix(now / NS_PER_SEC, 0, NULL), STR(GOTIME_RFC3339));
    return buf_str(&b);
}

/* A random UUID (version 4). */
str store_new_uid(struct arena *a)
{
    unsigned char b[16];

    random_bytes(b, sizeof b);
    b[6] = (b[6] & 0x0F) | 0x40;
    b[8] = (b[8] & 0x3F) | 0x80;
    return str_fmt(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                   b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                   b[14], b[15]);
}

/* ---- Shape. ---- */

enum meta_kind { META_TEXT, META_NUMBER, META_TEXTS, META_NAMES, META_OBJECTS };

/* Sorted by name. */
static const struct {
    const char *name;
    enum meta_kind kind;
} members[] = {
    {"annotations", META_TEXTS},
    {"creationTimestamp", META_TEXT},
    {"deletionGracePeriodSeconds", META_NUMBER},
    {"deletionTimestamp", META_TEXT},
    {"finalizers", META_NAMES},
    {"generateName", META_TEXT},
    {"generation", META_NUMBER},
    {"labels", META_TEXTS},
    {"managedFields", META_OBJECTS},
    {"name", META_TEXT},
    {"namespace", META_TEXT},
    {"ownerReferences", META_OBJECTS},
    {"resourceVersion", META_TEXT},
    {"selfLink", META_TEXT},
    {"uid", META_TEXT},
};

static bool all_are(const struct value *v, enum value_kind container, enum value_kind kind)
{
    if (v->kind != container)
        return false;
    for (size_t i = 0; i < v->len; i++)
        if (v->items[i].kind != kind)
            return false;
    return true;
}

static bool kind_fits(enum meta_kind kind, const struct value *v)
{
    switch (kind) {
    case META_TEXT:
        return v->kind == VALUE_STRING;
    case META_NUMBER:
        return v->kind == VALUE_INT;
    case META_TEXTS:
        return all_are(v, VALUE_OBJECT, VALUE_STRING);
    case META_NAMES:
        return all_are(v, VALUE_LIST, VALUE_STRING);
    case META_OBJECTS:
        return all_are(v, VALUE_LIST, VALUE_OBJECT);
    }
    return false;
}

static size_t find_member(str name)
{
    size_t i = 0;

    while (i < COUNT(members) && !str_eq(name, str_c(members[i].name)))
        i++;
    return i;
}

/* What Go omits when it writes: null, and empty values. */
static bool is_nothing(const struct value *v)
{
    return v->kind == VALUE_NULL || (value_is_container(v) && !v->len) ||
           (v->kind == VALUE_STRING && !v->len);
}

static bool wrong_kind(struct store_request *r, enum value_kind kind, const char *dot, str member)
{
    return store_fault(r, 400, "BadRequest",
                       "%.*s in version \"%.*s\" cannot be handled as a %.*s: json: cannot "
                       "unmarshal %s into Go struct field ObjectMeta.metadata%s%.*s",
                       STR_ARG(r->type->kind), STR_ARG(r->version), STR_ARG(r->type->kind),
                       value_kind_name(kind), dot, STR_ARG(member));
}

static bool is_dropped(void *ctx, const struct value *member)
{
    (void)ctx;
    return is_nothing(member) || find_member(value_key(member)) == COUNT(members);
}

str store_meta_fault(const struct value *meta)
{
    for (size_t i = 0; i < value_len(meta); i++) {
        str key = value_key(&meta->items[i]);
        size_t at = find_member(key);

        if (at < COUNT(members) && !kind_fits(members[at].kind, &meta->items[i]))
            return key;
    }
    return STR_NONE;
}

bool store_meta_coerce(struct store_request *r, struct value *object, struct str_list *unknown)
{
    const struct value *given = object_meta_member(object);

    if (given && given->kind != VALUE_OBJECT && given->kind != VALUE_NULL)
        return wrong_kind(r, given->kind, "", STR_NONE);
    struct value *meta = object_make_meta(r->arena, object);
    for (size_t i = 0; i < meta->len; i++) {
        str key = value_key(&meta->items[i]);
        size_t at = find_member(key);

        if (at == COUNT(members))
            VEC_PUSH(r->arena, unknown, str_fmt(r->arena, "metadata.%.*s", STR_ARG(key)));
        else if (!is_nothing(&meta->items[i]) && !kind_fits(members[at].kind, &meta->items[i]))
            return wrong_kind(r, meta->items[i].kind, ".", key);
    }
    (void)value_remove_if(meta, is_dropped, NULL);
    return true;
}

/* ---- Contents. ---- */

static void invalid(struct store_errors *errors, str field, str value, const char *rule)
{
    store_error(errors, field, "FieldValueInvalid", "Invalid value: %.*s: %s",
                STR_ARG(go_quoted(errors->arena, value)), rule);
}

static void validate_qualified(struct store_errors *errors, const char *field, str name)
{
    if (!store_is_qualified_name(name))
        invalid(errors, str_c(field), name,
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
                "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  "
                "or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
}

static void validate_name(const struct store_type *t, str name, struct store_errors *errors)
{
    bool label = str_eq(t->plural, STR("namespaces")) && !t->group.len;

    if (!name.len)
        store_error(errors, STR("metadata.name"), "FieldValueRequired",
                    "Required value: name or generateName is required");
    else if (label ? !store_is_label(name) : !store_is_subdomain(name))
        invalid(errors, STR("metadata.name"), name,
                label ? store_label_rule : store_subdomain_rule);
}

static void validate_labels(const struct value *labels, struct store_errors *errors)
{
    for (size_t i = 0; i < value_len(labels); i++) {
        str key = value_key(&labels->items[i]), value = value_str(&labels->items[i]);

        validate_qualified(errors, "metadata.labels", key);
        if (!store_is_label_value(value))
            invalid(errors, STR("metadata.labels"), value,
                    "a valid label must be an empty string or consist of alphanumeric characters, "
                    "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                    "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    }
}

static void validate_annotations(const struct value *annotations, struct store_errors *errors)
{
    size_t size = 0;

    for (size_t i = 0; i < value_len(annotations); i++) {
        str key = value_key(&annotations->items[i]);

        size += key.len + value_str(&annotations->items[i]).len;
        if (!store_is_qualified_name(str_lower(errors->arena, key)))
            invalid(errors, STR("metadata.annotations"), key,
                    "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
                    "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  "
                    "or '123-abc', regex used for validation is "
                    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
    }
    if (size > ANNOTATIONS_MAX)
        store_error(errors, STR("metadata.annotations"), "FieldValueTooLong",
                    "Too long: may not be more than %zu bytes", ANNOTATIONS_MAX);
}

static void validate_owners(const struct value *owners, struct store_errors *errors)
{
    static const char *const required[] = {"apiVersion", "kind", "name", "uid"};
    const char *controller = NULL;

    for (size_t i = 0; i < value_len(owners); i++) {
        const struct value *owner = &owners->items[i];

        for (size_t k = 0; k < COUNT(required); k++)
            if (!value_get_str(owner, str_c(required[k])).len)
                store_error(
                    errors,
                    str_fmt(errors->arena, "metadata.ownerReferences[%zu].%s", i, required[k]),
                    "FieldValueInvalid", "Invalid value: \"\": must not be empty");
        if (!value_is_true(value_get(owner, STR("controller"))))
            continue;
        if (controller)
            store_error(errors, STR("metadata.ownerReferences"), "FieldValueInvalid",
                        "Invalid value: Only one reference can have Controller set to true. Found "
                        "\"true\" in references for %s and %.*s",
                        controller, STR_ARG(value_get_str(owner, STR("name"))));
        controller = str_z(errors->arena, value_get_str(owner, STR("name")));
    }
}

static void validate_finalizers(const struct value *list, struct store_errors *errors)
{
    bool orphan = false, foreground = false;

    for (size_t i = 0; i < value_len(list); i++) {
        str name = value_str(&list->items[i]);

        orphan |= str_eq(name, STR("orphan"));
        foreground |= str_eq(name, STR("foregroundDeletion"));
        validate_qualified(errors, "metadata.finalizers", name);
    }
    if (orphan && foreground)
        store_error(errors, STR("metadata.finalizers"), "FieldValueInvalid",
                    "Invalid value: finalizer orphan and foregroundDeletion cannot be both set");
}

void store_meta_validate(const struct store_type *t, const struct value *object,
                         struct store_errors *errors)
{
    const struct value *meta = object_meta(object);
    validate_name(t, value_get_str(meta, STR("name")), errors);
    validate_labels(value_get(meta, STR("labels")), errors);
    validate_annotations(value_get(meta, STR("annotations")), errors);
    validate_owners(value_get(meta, STR("ownerReferences")), errors);
    validate_finalizers(value_get(meta, STR("finalizers")), errors);
}
