/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd.c - CustomResourceDefinitions as objects: what is filled in, and what is rejected.
 *
 * A definition is established at once. types.c updates its type.
 */
#include "store/internal.h"

#include "go/quote.h"
#include "object/object.h"
#include "regex/regex.h"

/* ---- Filling in. ---- */

static struct value *member_object(struct arena *a, struct value *object, const char *key)
{
    struct value *v = value_get(object, str_c(key));

    return value_is(v, VALUE_OBJECT) ? v : value_set(a, object, str_c(key), value_object(a));
}

static void set_if_missing(struct arena *a, struct value *object, const char *key, str text)
{
    if (!value_get_str(object, str_c(key)).len)
        value_set_str(a, object, str_c(key), text);
}

static void fill_spec(struct arena *a, struct value *spec)
{
    struct value *names = member_object(a, spec, "names");
    str kind = value_get_str(names, STR("kind"));

    set_if_missing(a, names, "singular", str_lower(a, kind));
    set_if_missing(a, names, "listKind", str_concat(a, kind, STR("List")));
    set_if_missing(a, member_object(a, spec, "conversion"), "strategy", STR("None"));
}

static void add_condition(struct arena *a, struct value *list, const char *type, const char *reason,
                          const char *message)
{
    struct value *c = value_add(a, list, value_object(a));

    value_set_str(a, c, STR("lastTransitionTime"), store_time(a, clock_now()));
    value_set_str(a, c, STR("message"), str_c(message));
    value_set_str(a, c, STR("reason"), str_c(reason));
    value_set_str(a, c, STR("status"), STR("True"));
    value_set_str(a, c, STR("type"), str_c(type));
}

static str storage_version(const struct value *spec)
{
    const struct value *versions = value_get(spec, STR("versions"));

    for (size_t i = 0; i < value_len(versions); i++)
        if (value_is_true(value_get(&versions->items[i], STR("storage"))))
            return value_get_str(&versions->items[i], STR("name"));
    return STR_NONE;
}

static bool lists(const struct value *list, str text)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_str(&list->items[i]), text))
            return true;
    return false;
}

/* Versions in which objects may be stored: earlier ones, and the current one. */
static void note_stored(struct arena *a, struct value *status, const struct value *spec)
{
    struct value *stored = value_get(status, STR("storedVersions"));
    str now = storage_version(spec);

    if (!value_is(stored, VALUE_LIST))
        stored = value_set(a, status, STR("storedVersions"), value_list(a));
    if (now.len && !lists(stored, now))
        value_add(a, stored, value_string(a, now));
}

static void fill_status(struct arena *a, struct value *object, const struct value *spec)
{
    struct value *status = member_object(a, object, "status");

    if (!value_get(status, STR("conditions"))) {
        struct value *conditions = value_list(a);
        add_condition(a, conditions, "NamesAccepted", "NoConflicts", "no conflicts found");
        add_condition(a, conditions, "Established", "InitialNamesAccepted",
                      "the initial names have been accepted");
        value_set(a, status, STR("conditions"), conditions);
    }
    value_set(a, status, STR("acceptedNames"), value_clone(a, value_get(spec, STR("names"))));
    note_stored(a, status, spec);
}

void store_crd_prepare(struct store_request *r, const struct value *old, struct value *object)
{
    struct arena *a = r->arena;

    if (r->status)
        return;
    struct value *spec = member_object(a, object, "spec");
    fill_spec(a, spec);
    if (!old)
        value_unset(object, STR("status"));
    fill_status(a, object, value_get(object, STR("spec")));
}

/* ---- Rejecting. ---- */

static void required(struct store_errors *errors, str field, str value)
{
    if (!value.len)
        store_error(errors, field, "FieldValueRequired", "Required value");
}

static void invalid(struct store_errors *errors, str field, str value, const char *rule)
{
    store_error(errors, field, "FieldValueInvalid", "Invalid value: %.*s: %s",
                STR_ARG(go_quoted(errors->arena, value)), rule);
}

static void validate_pattern(const struct value *schema, str field, struct store_errors *errors)
{
    AUTO_ARENA scratch = arena_new();
    AUTO_ERR e = {0};
    struct regex *re;
    str pattern = value_get_str(schema, STR("pattern"));

    if (pattern.len && !regex_compile(scratch, pattern, &re, &e))
        store_error(errors, str_concat(errors->arena, field, STR(".pattern")), "FieldValueInvalid",
                    "Invalid value: %.*s: must be a valid regular expression, but isn't: %.*s",
                    STR_ARG(go_quoted(errors->arena, pattern)), STR_ARG(e.text));
}

/* Rejects what a structural schema must not have, below this path. */
static void validate_schema(const struct value *schema, str field, struct store_errors *errors)
{
    const struct value *properties = value_get(schema, STR("properties"));
    const struct value *items = value_get(schema, STR("items"));
    const struct value *more = value_get(schema, STR("additionalProperties"));
    struct arena *a = errors->arena;

    if (!value_get_str(schema, STR("type")).len &&
        !value_is_true(value_get(schema, STR("x-kubernetes-int-or-string"))) &&
        !store_schema_preserves(schema))
        store_error(errors, str_concat(a, field, STR(".type")), "FieldValueRequired",
                    "Required value: must not be empty for specified object fields");
    validate_pattern(schema, field, errors);
    if (value_is_true(value_get(schema, STR("uniqueItems"))))
        store_error(errors, str_concat(a, field, STR(".uniqueItems")), "FieldValueForbidden",
                    "Forbidden: uniqueItems cannot be set to true since the runtime complexity "
                    "becomes quadratic");
    if (value_len(properties) && more)
        store_error(errors, str_concat(a, field, STR(".additionalProperties")),
                    "FieldValueForbidden",
                    "Forbidden: additionalProperties and properties are mutual exclusive");
    for (size_t i = 0; i < value_len(properties); i++) {
        str key = value_key(&properties->items[i]);
        /* Kubernetes allows but restricts a schema of metadata. */
        if (!(str_has_suffix(field, STR("openAPIV3Schema")) && object_is_meta(key)))
            validate_schema(&properties->items[i],
                            str_fmt(a, "%.*s.properties[%.*s]", STR_ARG(field), STR_ARG(key)),
                            errors);
    }
    if (value_is(items, VALUE_OBJECT))
        validate_schema(items, str_concat(a, field, STR(".items")), errors);
    if (value_is(more, VALUE_OBJECT))
        validate_schema(more, str_concat(a, field, STR(".additionalProperties")), errors);
}

static void validate_version(const struct value *version, size_t i, struct store_errors *errors)
{
    struct arena *a = errors->arena;
    str at = str_fmt(a, "spec.versions[%zu]", i);
    str name = value_get_str(version, STR("name"));
    const struct value *schema =
        value_get(value_get(version, STR("schema")), STR("openAPIV3Schema"));

    required(errors, str_concat(a, at, STR(".name")), name);
    if (name.len && !store_is_label(name))
        invalid(errors, str_concat(a, at, STR(".name")), name, store_label_rule);
    if (!schema) {
        store_error(errors, str_concat(a, at, STR(".schema.openAPIV3Schema")), "FieldValueRequired",
                    "Required value: schemas are required");
        return;
    }
    if (!str_eq(value_get_str(schema, STR("type")), STR("object")))
        store_error(errors, str_fmt(a, "spec.validation.openAPIV3Schema.type"), "FieldValueInvalid",
                    "Invalid value: \"%.*s\": must be object at the root",
                    STR_ARG(value_get_str(schema, STR("type"))));
    else
        validate_schema(schema, str_concat(a, at, STR(".schema.openAPIV3Schema")), errors);
}

static void validate_versions(const struct value *spec, struct store_errors *errors)
{
    const struct value *versions = value_get(spec, STR("versions"));
    struct strset *seen = strset_new(errors->arena, 0);
    size_t storage = 0;

    for (size_t i = 0; i < value_len(versions); i++) {
        const struct value *version = &versions->items[i];

        validate_version(version, i, errors);
        storage += value_is_true(value_get(version, STR("storage")));
        if (!strset_add(seen, value_get_str(version, STR("name")), NULL))
            store_error(errors, str_fmt(errors->arena, "spec.versions[%zu].name", i),
                        "FieldValueDuplicate", "Duplicate value: %.*s",
                        STR_ARG(go_quoted(errors->arena, value_get_str(version, STR("name")))));
    }
    strset_free(seen);
    if (storage != 1)
        store_error(errors, STR("spec.versions"), "FieldValueInvalid",
                    "Invalid value: \"\": must have exactly one version marked as storage version");
}

static void validate_names(const struct value *object, struct store_errors *errors)
{
    const struct value *spec = value_get(object, STR("spec")),
                       *names = value_get(spec, STR("names"));
    str group = value_get_str(spec, STR("group")), plural = value_get_str(names, STR("plural"));
    str scope = value_get_str(spec, STR("scope"));
    str name = object_name(object);
    str want = str_fmt(errors->arena, "%.*s.%.*s", STR_ARG(plural), STR_ARG(group));

    required(errors, STR("spec.group"), group);
    required(errors, STR("spec.scope"), scope);
    required(errors, STR("spec.names.plural"), plural);
    required(errors, STR("spec.names.kind"), value_get_str(names, STR("kind")));
    if (group.len && (!store_is_subdomain(group) || str_find_char(group, '.') == STR_NPOS))
        invalid(errors, STR("spec.group"), group, "should be a domain with at least one dot");
    if (plural.len && !store_is_label(plural))
        invalid(errors, STR("spec.names.plural"), plural, store_label_rule);
    if (scope.len && !str_eq(scope, STR("Cluster")) && !str_eq(scope, STR("Namespaced")))
        store_error(errors, STR("spec.scope"), "FieldValueNotSupported",
                    "Unsupported value: %.*s: supported values: \"Cluster\", \"Namespaced\"",
                    STR_ARG(go_quoted(errors->arena, scope)));
    if (plural.len && group.len && !str_eq(name, want))
        invalid(errors, STR("metadata.name"), name, "must be spec.names.plural+\".\"+spec.group");
}

/* What a definition of a built-in type describes could no longer be reached. */
static void validate_taken(struct store *s, const struct value *spec, struct store_errors *errors)
{
    const struct value *names = value_get(spec, STR("names"));
    str group = value_get_str(spec, STR("group")), plural = value_get_str(names, STR("plural"));
    str kind = value_get_str(names, STR("kind"));

    if (store_type_is_builtin(group, plural))
        invalid(errors, STR("spec.names.plural"), plural, "a built-in type of this group has it");
    const struct store_type *t = store_type_of_kind(s, group, kind);
    if (t && t->builtin)
        invalid(errors, STR("spec.names.kind"), kind, "a built-in type of this group has it");
}

static void unchanged(struct store_errors *errors, const struct value *old,
                      const struct value *new_, const char *member, const char *field)
{
    str was = value_get_str(old, str_c(member)), is = value_get_str(new_, str_c(member));

    if (old && !str_eq(was, is))
        invalid(errors, str_c(field), is, "field is immutable");
}

/* A version in which objects may be stored cannot be removed. */
static void validate_stored(const struct value *object, struct store_errors *errors)
{
    const struct value *stored = value_get(value_get(object, STR("status")), STR("storedVersions"));
    const struct value *versions = value_get(value_get(object, STR("spec")), STR("versions"));

    for (size_t i = 0; i < value_len(stored); i++) {
        bool found = false;
        for (size_t k = 0; k < value_len(versions); k++)
            found |= str_eq(value_get_str(&versions->items[k], STR("name")),
                            value_str(&stored->items[i]));
        if (!found)
            store_error(
                errors, str_fmt(errors->arena, "status.storedVersions[%zu]", i),
                "FieldValueInvalid",
                "Invalid value: \"%.*s\": missing from spec.versions; %.*s was previously a "
                "storage version, and must remain in spec.versions until a storage "
                "migration ensures no data remains persisted in %.*s and removes %.*s from "
                "status.storedVersions",
                STR_ARG(value_str(&stored->items[i])), STR_ARG(value_str(&stored->items[i])),
                STR_ARG(value_str(&stored->items[i])), STR_ARG(value_str(&stored->items[i])));
    }
}

void store_crd_validate(struct store_request *r, const struct value *old,
                        const struct value *object, struct store_errors *errors)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct value *before = value_get(old, STR("spec"));
    str strategy = value_get_str(value_get(spec, STR("conversion")), STR("strategy"));

    validate_names(object, errors);
    if (!old)
        validate_taken(r->store, spec, errors);
    validate_versions(spec, errors);
    validate_stored(object, errors);
    unchanged(errors, before, spec, "group", "spec.group");
    unchanged(errors, before, spec, "scope", "spec.scope");
    unchanged(errors, value_get(before, STR("names")), value_get(spec, STR("names")), "plural",
              "spec.names.plural");
    unchanged(errors, value_get(before, STR("names")), value_get(spec, STR("names")), "kind",
              "spec.names.kind");
    if (!str_eq(strategy, STR("None")))
        store_error(errors, STR("spec.conversion.strategy"), "FieldValueNotSupported",
                    "Unsupported value: %.*s: supported values: \"None\" (the embedded store calls "
                    "no webhooks)",
                    STR_ARG(go_quoted(errors->arena, strategy)));
}
