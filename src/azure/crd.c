/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd.c - builds schemas and the definitions around them.
 *
 * Without descriptions, a type has the same schema wherever it is used, so each is built once per
 * side and shared in the tree; when written, it still appears at every use. With descriptions,
 * every use has its own.
 */
#include "azure/crd_internal.h"

#include <stdlib.h>

/* The longest ARM path that gets descriptions. */
#define STEPS_MAX 64

struct building {
    struct arena *arena;
    const struct crd_options *options;
    const struct model_resource *resource;
    bool status;       /* whether this is the status */
    struct map *types; /* type pointer and side, as text, to the schema */
    struct value *builtins[BUILTIN_COUNT];
    str steps[STEPS_MAX];
    size_t step_count;
};

static struct value *schema_of(struct building *b, const struct model_shape *shape);

static struct value *typed(struct building *b, const char *type)
{
    struct value *s = value_object(b->arena);

    value_set_str(b->arena, s, STR("type"), str_c(type));
    return s;
}

/* ---- Limits and enums. ---- */

static const struct {
    const char *model, *schema;
} limit_names[] = {
    {"min", "minimum"},       {"max", "maximum"},     {"minLen", "minLength"},
    {"maxLen", "maxLength"},  {"pattern", "pattern"}, {"minItems", "minItems"},
    {"maxItems", "maxItems"}, {"mult", "multipleOf"},
};

static void add_limits(struct building *b, const struct value *limits, struct value *schema)
{
    if (b->status)
        return;
    for (size_t i = 0; i < COUNT(limit_names); i++) {
        const struct value *limit = value_get(limits, str_c(limit_names[i].model));
        if (limit)
            value_set(b->arena, schema, str_c(limit_names[i].schema), limit);
    }
}

static void add_choices(struct building *b, const struct value *choices, struct value *schema)
{
    if (choices && !b->status)
        value_set(b->arena, schema, STR("enum"), choices);
}

/* ---- Objects. ---- */

static void describe(struct building *b, const struct model_prop *p, struct value *schema)
{
    const struct crd_options *o = b->options;

    if (!o->describe || p->arm_len == 0)
        return;
    str text = o->describe(o->describe_ctx, b->resource, b->steps, b->step_count);
    if (text.len)
        value_set_str(b->arena, schema, STR("description"), text);
}

/* Appends the ARM path of a property to steps; false when it is too long. */
static bool enter(struct building *b, const struct model_prop *p)
{
    if (b->step_count + p->arm_len >= STEPS_MAX)
        return false;
    for (size_t i = 0; i < p->arm_len; i++)
        b->steps[b->step_count++] = p->arm[i];
    return true;
}

static struct value *schema_of_prop(struct building *b, const struct model_prop *p)
{
    size_t before = b->step_count;
    bool described = enter(b, p);
    const struct value *shared = schema_of(b, p->shape);
    struct value *schema = value_object(b->arena);

    /* Copies the members, since limits belong to this property. */
    for (size_t i = 0; i < shared->len; i++)
        value_set(b->arena, schema, value_key(&shared->items[i]), &shared->items[i]);
    add_limits(b, p->limits, schema);
    add_choices(b, p->choices, schema);
    if (described)
        describe(b, p, schema);
    b->step_count = before;
    return schema;
}

static struct value *build_object(struct building *b, const struct model_type *t)
{
    struct value *schema = typed(b, "object"), *props = value_object(b->arena);
    struct value *required = value_list(b->arena);

    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[i];
        value_set(b->arena, props, p->name, schema_of_prop(b, p));
        if (p->required && !b->status)
            value_add(b->arena, required, value_string(b->arena, p->name));
    }
    value_set(b->arena, schema, STR("properties"), props);
    if (required->len)
        value_set(b->arena, schema, STR("required"), required);
    return schema;
}

static struct value *schema_of_object(struct building *b, const struct model_type *t)
{
    if (b->options->describe)
        return build_object(b, t);
    str key = str_fmt(b->arena, "%d %zx", b->status, (size_t)t);
    struct value *schema = map_get(b->types, key);
    if (!schema) {
        schema = build_object(b, t);
        map_set(b->types, key, schema);
    }
    return schema;
}

/* ---- Shapes. ---- */

static struct value *schema_of_items(struct building *b, const struct model_shape *shape)
{
    bool list = shape->form == FORM_LIST;
    struct value *schema = typed(b, list ? "array" : "object");
    size_t before = b->step_count;

    if (b->step_count < STEPS_MAX)
        b->steps[b->step_count++] = STR("*");
    value_set(b->arena, schema, list ? STR("items") : STR("additionalProperties"),
              schema_of(b, shape->item));
    b->step_count = before;
    return schema;
}

static struct value *schema_of_scalar(struct building *b, const struct model_shape *shape)
{
    static const char *const types[] = {
        [FORM_STRING] = "string",
        [FORM_INT] = "integer",
        [FORM_FLOAT] = "number",
        [FORM_BOOL] = "boolean",
    };
    struct value *schema = typed(b, types[shape->form]);

    add_choices(b, shape->choices, schema);
    add_limits(b, shape->limits, schema);
    return schema;
}

static struct value *schema_of_json(struct building *b)
{
    struct value *schema = value_object(b->arena);

    value_set_bool(b->arena, schema, STR("x-kubernetes-preserve-unknown-fields"), true);
    return schema;
}

static struct value *schema_of(struct building *b, const struct model_shape *shape)
{
    switch (shape->form) {
    case FORM_JSON:
        return schema_of_json(b);
    case FORM_LIST:
    case FORM_MAP:
        return schema_of_items(b, shape);
    case FORM_OBJECT:
        return schema_of_object(b, shape->object);
    case FORM_BUILTIN:
        if (!b->builtins[shape->builtin])
            b->builtins[shape->builtin] = crd_builtin(b->arena, shape->builtin);
        return b->builtins[shape->builtin];
    default:
        return schema_of_scalar(b, shape);
    }
}

/* ---- The definition. ---- */

static struct value *root_schema(struct building *b, const struct model_resource *res)
{
    struct value *schema = typed(b, "object"), *props = value_object(b->arena);

    b->resource = res;
    value_set(b->arena, props, STR("apiVersion"), typed(b, "string"));
    value_set(b->arena, props, STR("kind"), typed(b, "string"));
    value_set(b->arena, props, STR("metadata"), typed(b, "object"));
    b->status = false;
    value_set(b->arena, props, STR("spec"), schema_of_object(b, res->spec));
    b->status = true;
    struct value *status = value_clone(b->arena, schema_of_object(b, res->status));
    struct value *members = value_get(status, STR("properties"));
    value_set(b->arena, members, STR("operatorStatus"), crd_operator_status(b->arena));
    if (value_get(members, STR("conditions")))
        value_set(b->arena, status, STR("default"), crd_first_status(b->arena));
    value_set(b->arena, props, STR("status"), status);
    value_set(b->arena, schema, STR("properties"), props);
    return schema;
}

/* The same columns for every kind, from the condition Ready. */
static struct value *printer_columns(struct arena *a)
{
    static const char *const columns[][2] = {
        {"Ready", "status"},
        {"Severity", "severity"},
        {"Reason", "reason"},
        {"Message", "message"},
    };
    struct value *list = value_list(a);

    for (size_t i = 0; i < COUNT(columns); i++) {
        struct value *column = value_object(a);
        value_set_str(a, column, STR("name"), str_c(columns[i][0]));
        value_set_str(a, column, STR("type"), STR("string"));
        value_set_str(a, column, STR("jsonPath"),
                      str_fmt(a, ".status.conditions[?(@.type=='Ready')].%s", columns[i][1]));
        value_add(a, list, column);
    }
    return list;
}

static struct value *version_of(struct building *b, const struct model_resource *res, bool storage)
{
    struct arena *a = b->arena;
    struct value *v = value_object(a), *sub = value_object(a), *schema = value_object(a);

    value_set_str(a, v, STR("name"), res->version);
    value_set_bool(a, v, STR("served"), true);
    value_set_bool(a, v, STR("storage"), storage);
    value_set(a, sub, STR("status"), value_object(a));
    value_set(a, v, STR("subresources"), sub);
    value_set(a, v, STR("additionalPrinterColumns"), printer_columns(a));
    value_set(a, schema, STR("openAPIV3Schema"), root_schema(b, res));
    value_set(a, v, STR("schema"), schema);
    return v;
}

static struct value *names_of(struct arena *a, const struct model_resource *res)
{
    struct value *names = value_object(a);

    value_set_str(a, names, STR("kind"), res->kind);
    value_set_str(a, names, STR("listKind"), str_concat(a, res->kind, STR("List")));
    value_set_str(a, names, STR("plural"), res->plural);
    value_set_str(a, names, STR("singular"), str_lower(a, res->kind));
    if (res->categories)
        value_set(a, names, STR("categories"), res->categories);
    return names;
}

/* The version in which objects are stored: the one marked as such, else the last. */
static size_t storage_of(const struct model_resource *const *versions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (versions[i]->hub)
            return i;
    return count - 1;
}

static struct value *root_of(struct value *versions, size_t i)
{
    struct value *schema = value_get(value_at(versions, i), STR("schema"));

    return value_get(schema, STR("openAPIV3Schema"));
}

/* Widens the stored version so that it allows everything that the others allow. */
static void widen_storage(struct arena *a, struct value *versions, size_t storage)
{
    struct value *schema = value_get(value_at(versions, storage), STR("schema"));
    struct value *own = value_clone(a, root_of(versions, storage));

    for (size_t i = 0; i < versions->len; i++)
        if (i != storage)
            crd_widen(a, own, root_of(versions, i));
    value_set(a, schema, STR("openAPIV3Schema"), own);
}

static struct value *metadata_of(struct arena *a, const struct model_resource *res)
{
    struct value *meta = value_object(a), *labels = value_object(a);

    value_set_str(a, labels, STR("app.kubernetes.io/name"), STR("plumb"));
    value_set_str(a, labels, STR("app.kubernetes.io/version"), STR(PLUMB_VERSION));
    value_set_str(a, meta, STR("name"),
                  str_fmt(a, "%.*s.%.*s", STR_ARG(res->plural), STR_ARG(res->group)));
    value_set(a, meta, STR("labels"), labels);
    return meta;
}

struct value *crd_build(struct arena *a, const struct model_resource *const *versions, size_t count,
                        const struct crd_options *options)
{
    static const struct crd_options plain = {0};
    struct building b = {.arena = a, .options = options ? options : &plain, .types = map_new(a)};
    struct value *crd = value_object(a), *spec = value_object(a), *list = value_list(a);
    struct value *conversion = value_object(a);
    size_t storage = storage_of(versions, count);

    for (size_t i = 0; i < count; i++)
        value_add(a, list, version_of(&b, versions[i], i == storage));
    widen_storage(a, list, storage);
    value_set_str(a, crd, STR("apiVersion"), STR("apiextensions.k8s.io/v1"));
    value_set_str(a, crd, STR("kind"), STR("CustomResourceDefinition"));
    value_set(a, crd, STR("metadata"), metadata_of(a, versions[0]));
    value_set_str(a, spec, STR("group"), versions[0]->group);
    value_set_str(a, spec, STR("scope"), STR("Namespaced"));
    value_set_bool(a, spec, STR("preserveUnknownFields"), false);
    value_set(a, spec, STR("names"), names_of(a, versions[0]));
    value_set(a, spec, STR("versions"), list);
    value_set_str(a, conversion, STR("strategy"), STR("None"));
    value_set(a, spec, STR("conversion"), conversion);
    value_set(a, crd, STR("spec"), spec);
    return crd;
}
