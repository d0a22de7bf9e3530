/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtins.c - the built-in types.
 *
 * To add one: a line in the table at the end, with its schema as in a CustomResourceDefinition;
 * what a schema cannot express is a function here.
 */
#include "store/internal.h"

#include "text/codec.h"
#include "object/object.h"

#define TEXTS "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}"
#define ANYTHING "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}"
#define TEXT "{\"type\":\"string\",\"nullable\":true}"
#define WHOLE "{\"type\":\"integer\",\"format\":\"int32\",\"nullable\":true}"
#define TRUTH "{\"type\":\"boolean\"}"

static const char namespace_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"spec\":{\"type\":\"object\",\"properties\":{\"finalizers\":{\"type\":\"array\","
    "\"items\":{\"type\":\"string\"}}}},"
    "\"status\":{\"type\":\"object\",\"properties\":{\"phase\":" TEXT
    ",\"conditions\":{\"type\":\"array\",\"items\":" ANYTHING "}}}}}";
static const char secret_schema[] = "{\"type\":\"object\",\"properties\":{\"data\":" TEXTS
                                    ",\"stringData\":" TEXTS ",\"type\":" TEXT
                                    ",\"immutable\":" TRUTH "}}";
static const char config_map_schema[] = "{\"type\":\"object\",\"properties\":{\"data\":" TEXTS
                                        ",\"binaryData\":" TEXTS ",\"immutable\":" TRUTH "}}";
static const char event_schema[] =
    "{\"type\":\"object\",\"properties\":{\"involvedObject\":" ANYTHING ",\"reason\":" TEXT
    ",\"message\":" TEXT ",\"source\":" ANYTHING ",\"firstTimestamp\":" TEXT
    ",\"lastTimestamp\":" TEXT ",\"count\":" WHOLE ",\"type\":" TEXT ",\"eventTime\":" TEXT
    ",\"series\":" ANYTHING ",\"action\":" TEXT ",\"related\":" ANYTHING
    ",\"reportingComponent\":" TEXT ",\"reportingInstance\":" TEXT "}}";
static const char lease_schema[] =
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
    "\"holderIdentity\":" TEXT ",\"leaseDurationSeconds\":" WHOLE ",\"acquireTime\":" TEXT
    ",\"renewTime\":" TEXT ",\"leaseTransitions\":" WHOLE ",\"strategy\":" TEXT
    ",\"preferredHolder\":" TEXT "}}}}";
static const char definition_schema[] = "{\"type\":\"object\",\"properties\":{\"spec\":" ANYTHING
                                        ",\"status\":" ANYTHING "}}";

/* ---- Namespaces. ---- */

static void prepare_namespace(struct store_request *r, const struct value *old,
                              struct value *object)
{
    struct arena *a = r->arena;
    struct value *meta = object_make_meta(a, object), *status, *spec, *finalizers, *labels;

    labels = value_get(meta, STR("labels"));
    if (!value_is(labels, VALUE_OBJECT))
        labels = value_set(a, meta, STR("labels"), value_object(a));
    value_set_str(a, labels, STR("kubernetes.io/metadata.name"), value_get_str(meta, STR("name")));
    if (old && r->finalize)
        return;
    if (old) {
        if (value_get(old, STR("spec")))
            value_set(a, object, STR("spec"), value_get(old, STR("spec")));
        return;
    }
    spec = value_object(a);
    finalizers = value_list(a);
    value_add(a, finalizers, value_string(a, STR("kubernetes")));
    value_set(a, spec, STR("finalizers"), finalizers);
    value_set(a, object, STR("spec"), spec);
    status = value_object(a);
    value_set_str(a, status, STR("phase"), STR("Active"));
    value_set(a, object, STR("status"), status);
}

/* ---- Secrets and ConfigMaps. ---- */

/* Whether all are texts; null stands for an empty one. */
static bool are_texts(const struct value *members)
{
    for (size_t i = 0; i < members->len; i++)
        if (!value_is(&members->items[i], VALUE_STRING) &&
            !value_is(&members->items[i], VALUE_NULL))
            return false;
    return true;
}

/*
 * stringData is write-only: it is encoded and moved to data. What is not a text is left where it
 * is, for the schema to reject.
 */
static void prepare_secret(struct store_request *r, const struct value *old, struct value *object)
{
    struct arena *a = r->arena;
    struct value *plain = value_get(object, STR("stringData")), *data;

    (void)old;
    if (!value_get_str(object, STR("type")).len)
        value_set_str(a, object, STR("type"), STR("Opaque"));
    if (plain && !value_is(plain, VALUE_NULL) &&
        !(value_is(plain, VALUE_OBJECT) && are_texts(plain)))
        return;
    if (value_len(plain)) {
        data = value_get(object, STR("data"));
        if (!value_is(data, VALUE_OBJECT))
            data = value_set(a, object, STR("data"), value_object(a));
        for (size_t i = 0; i < plain->len; i++)
            value_set_str(a, data, value_key(&plain->items[i]),
                          base64_encode(a, value_str(&plain->items[i])));
    }
    value_unset(object, STR("stringData"));
}

static bool is_data_key(str s)
{
    if (!s.len || s.len > 253 || str_eq(s, STR(".")) || str_has_prefix(s, STR("..")))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_' || c == '.'))
            return false;
    }
    return true;
}

static void validate_keys(const struct value *object, const char *member,
                          struct store_errors *errors)
{
    const struct value *data = value_get(object, str_c(member));

    for (size_t i = 0; i < value_len(data); i++) {
        str key = value_key(&data->items[i]);
        if (!is_data_key(key))
            store_error(errors, str_fmt(errors->arena, "%s[%.*s]", member, STR_ARG(key)),
                        "FieldValueInvalid",
                        "Invalid value: \"%.*s\": a valid config key must consist of alphanumeric "
                        "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
                        "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
                        STR_ARG(key));
    }
}

bool store_check_bytes(struct store_request *r, const struct value *object)
{
    const char *member = r->type->builtin ? r->type->builtin->bytes : NULL;
    const struct value *data = member ? value_get(object, str_c(member)) : NULL;
    size_t bad;
    str out;

    for (size_t i = 0; i < value_len(data); i++)
        if (!base64_decode(r->arena, value_str(&data->items[i]), &out, &bad))
            return store_fault(r, 400, "BadRequest",
                               "%.*s in version \"v1\" cannot be handled as a %.*s: illegal base64 "
                               "data at input byte %zu",
                               STR_ARG(r->type->kind), STR_ARG(r->type->kind), bad);
    return true;
}

/* An immutable object stays immutable, and its data cannot change. */
static void validate_immutable(const struct value *old, const struct value *object,
                               const char *member, struct store_errors *errors)
{
    if (!value_is_true(value_get(old, STR("immutable"))))
        return;
    if (!value_is_true(value_get(object, STR("immutable"))))
        store_error(errors, STR("immutable"), "FieldValueForbidden",
                    "Forbidden: field is immutable when `immutable` is set");
    if (!value_equal(value_get(old, str_c(member)), value_get(object, str_c(member))))
        store_error(errors, str_c(member), "FieldValueForbidden",
                    "Forbidden: field is immutable when `immutable` is set");
}

static void validate_secret(struct store_request *r, const struct value *old,
                            const struct value *object, struct store_errors *errors)
{
    (void)r;
    validate_keys(object, "data", errors);
    validate_immutable(old, object, "data", errors);
    if (old && !str_eq(value_get_str(old, STR("type")), value_get_str(object, STR("type"))))
        store_error(errors, STR("type"), "FieldValueInvalid",
                    "Invalid value: \"%.*s\": field is immutable",
                    STR_ARG(value_get_str(object, STR("type"))));
}

static void validate_config_map(struct store_request *r, const struct value *old,
                                const struct value *object, struct store_errors *errors)
{
    (void)r;
    validate_keys(object, "data", errors);
    validate_keys(object, "binaryData", errors);
    validate_immutable(old, object, "data", errors);
    validate_immutable(old, object, "binaryData", errors);
}

/* ---- The table, in alphabetical order by plural. ---- */

const struct store_builtin store_builtins[] = {
    {
        .version = "v1",
        .plural = "configmaps",
        .singular = "configmap",
        .kind = "ConfigMap",
        .list_kind = "ConfigMapList",
        .short_names = "cm",
        .namespaced = true,
        .schema = config_map_schema,
        .bytes = "binaryData",
        .validate = validate_config_map,
    },
    {
        .group = "apiextensions.k8s.io",
        .version = "v1",
        .plural = "customresourcedefinitions",
        .singular = "customresourcedefinition",
        .kind = "CustomResourceDefinition",
        .list_kind = "CustomResourceDefinitionList",
        .short_names = "crd crds",
        .has_status = true,
        .counts_generations = true,
        .schema = definition_schema,
        .prepare = store_crd_prepare,
        .validate = store_crd_validate,
    },
    {
        .version = "v1",
        .plural = "events",
        .singular = "event",
        .kind = "Event",
        .list_kind = "EventList",
        .short_names = "ev",
        .namespaced = true,
        .schema = event_schema,
        .selectable = "involvedObject.kind involvedObject.namespace involvedObject.name "
                      "involvedObject.uid involvedObject.apiVersion reason source type "
                      "reportingComponent",
    },
    {
        .group = "coordination.k8s.io",
        .version = "v1",
        .plural = "leases",
        .singular = "lease",
        .kind = "Lease",
        .list_kind = "LeaseList",
        .namespaced = true,
        .schema = lease_schema,
    },
    {
        .version = "v1",
        .plural = "namespaces",
        .singular = "namespace",
        .kind = "Namespace",
        .list_kind = "NamespaceList",
        .short_names = "ns",
        .has_status = true,
        .schema = namespace_schema,
        .selectable = "status.phase",
        .prepare = prepare_namespace,
    },
    {
        .version = "v1",
        .plural = "secrets",
        .singular = "secret",
        .kind = "Secret",
        .list_kind = "SecretList",
        .namespaced = true,
        .schema = secret_schema,
        .bytes = "data",
        .selectable = "type",
        .prepare = prepare_secret,
        .validate = validate_secret,
    },
};
const size_t store_builtin_count = COUNT(store_builtins);
