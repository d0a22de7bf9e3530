/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types_read.c - reads a type file into nodes; the kinds of types.
 *
 * To add a kind: an enumerator in types.h, a function here that reads what the kind has, and a line
 * in the table, which is sorted by name.
 */
#include "azure/derive/types_internal.h"
#include "text/json/json.h"

typedef bool read_fn(const struct type_reader *r, const struct value *v, struct arm_type *t,
                     struct err *e);

struct kind_row {
    str name;
    enum arm_kind kind;
    read_fn *read; /* NULL: there is only the kind */
};

bool types_complain(const struct type_reader *r, const struct arm_type *t, const struct value *node,
                    struct err *e, const char *format, ...)
{
    AUTO_ARENA a = arena_new();
    va_list args;

    va_start(args, format);
    str text = str_vfmt(a, format, args);
    va_end(args);
    str label = arm_type_label(a, t);
    return source_err(e, r->src, node, "%.*s: %.*s", STR_ARG(label), STR_ARG(text));
}

/* ---- Parts. ---- */

/* Reads {"$ref": "#/12"}. what and name say where it is in the type. */
static bool read_ref(const struct type_reader *r, const struct arm_type *t, const struct value *v,
                     const char *what, str name, uint32_t *out, struct err *e)
{
    str text = value_get_str(v, STR("$ref"));
    str number = str_without_prefix(text, STR("#/"));
    const char *blank = name.len ? " " : "";
    uint64_t index;

    if (number.len == text.len || !str_to_u64(number, &index))
        return types_complain(r, t, v ? v : &r->root->items[t->index], e,
                              "%s%s%.*s must be a reference like {\"$ref\":\"#/12\"}", what, blank,
                              STR_ARG(name));
    if (index >= r->file->count)
        return types_complain(r, t, v, e,
                              "%s%s%.*s refers to type %.*s, but the file has %zu types", what,
                              blank, STR_ARG(name), STR_ARG(number), r->file->count);
    *out = (uint32_t)index;
    return true;
}

static bool read_flags(const struct type_reader *r, const struct arm_type *t, const struct value *v,
                       struct arm_prop *p, struct err *e)
{
    const struct value *node = value_get(v, STR("flags"));
    int64_t flags = 0;

    if (!value_is(node, VALUE_INT) || !value_to_i64(node, &flags) || flags < 0 ||
        flags & ~(int64_t)ARM_FLAGS)
        return types_complain(r, t, node ? node : v, e,
                              "property \"%.*s\": flags must be a sum of 1 (required), 2 "
                              "(read-only), 4 (write-only), 8 (deploy time) and 16 (identifier)",
                              STR_ARG(p->name));
    p->flags = (uint32_t)flags;
    return true;
}

static bool read_props(const struct type_reader *r, const struct value *v, const char *key,
                       struct arm_type *t, struct err *e)
{
    const struct value *props = value_get(v, str_c(key));

    if (!value_is(props, VALUE_OBJECT))
        return types_complain(r, t, props ? props : v, e, "%s must be an object", key);
    if (props->len > ARM_PROPS_MAX)
        return types_complain(r, t, props, e, "more than %d properties", ARM_PROPS_MAX);
    struct arm_prop *items = ARENA_ARRAY(r->arena, struct arm_prop, props->len);
    for (size_t i = 0; i < props->len; i++) {
        const struct value *node = &props->items[i];
        struct arm_prop *p = &items[i];
        p->name = value_key(node);
        p->description = value_get_str(node, STR("description"));
        if (!value_is(node, VALUE_OBJECT))
            return types_complain(r, t, node, e, "property \"%.*s\" must be an object",
                                  STR_ARG(p->name));
        if (!read_ref(r, t, value_get(node, STR("type")), "the type of property", p->name, &p->type,
                      e) ||
            !read_flags(r, t, node, p, e))
            return false;
    }
    t->props = items;
    t->prop_count = props->len;
    return true;
}

/* Reads the elements of a union (a list) or of a discriminated object (an object). */
static bool read_elements(const struct type_reader *r, const struct value *v, enum value_kind kind,
                          struct arm_type *t, struct err *e)
{
    const struct value *elements = value_get(v, STR("elements"));

    if (!value_is(elements, kind))
        return types_complain(r, t, elements ? elements : v, e, "elements must be a%s %s",
                              kind == VALUE_OBJECT ? "n" : "", value_kind_name(kind));
    if (elements->len > ARM_PROPS_MAX)
        return types_complain(r, t, elements, e, "more than %d elements", ARM_PROPS_MAX);
    struct arm_prop *items = ARENA_ARRAY(r->arena, struct arm_prop, elements->len);
    for (size_t i = 0; i < elements->len; i++) {
        const struct value *node = &elements->items[i];
        items[i].name = value_key(node);
        if (!read_ref(r, t, node, "element", items[i].name, &items[i].type, e))
            return false;
    }
    t->elements = items;
    t->element_count = elements->len;
    return true;
}

/* Reads a limit, which keeps its spelling. */
static bool read_limit(const struct type_reader *r, const struct value *v, const char *key,
                       const struct arm_type *t, const struct value **out, struct err *e)
{
    const struct value *limit = value_get(v, str_c(key));

    if (value_is(limit, VALUE_NULL))
        limit = NULL;
    if (limit && !value_is_number(limit))
        return types_complain(r, t, limit, e, "%s must be a number", key);
    *out = limit;
    return true;
}

static bool read_lengths(const struct type_reader *r, const struct value *v, struct arm_type *t,
                         struct err *e)
{
    return read_limit(r, v, "minLength", t, &t->min, e) &&
           read_limit(r, v, "maxLength", t, &t->max, e);
}

static bool read_name(const struct type_reader *r, const struct value *v, const char *key, str *out,
                      const struct arm_type *t, struct err *e)
{
    const struct value *name = value_get(v, str_c(key));

    *out = value_str(name);
    return value_is(name, VALUE_STRING) ||
           types_complain(r, t, name ? name : v, e, "%s must be a string", key);
}

/* ---- Kinds. ---- */

static bool read_array(const struct type_reader *r, const struct value *v, struct arm_type *t,
                       struct err *e)
{
    return read_ref(r, t, value_get(v, STR("itemType")), "itemType", STR_NONE, &t->item, e) &&
           read_lengths(r, v, t, e);
}

static bool read_discriminated(const struct type_reader *r, const struct value *v,
                               struct arm_type *t, struct err *e)
{
    return read_name(r, v, "name", &t->name, t, e) &&
           read_name(r, v, "discriminator", &t->discriminator, t, e) &&
           read_props(r, v, "baseProperties", t, e) && read_elements(r, v, VALUE_OBJECT, t, e);
}

static bool read_int(const struct type_reader *r, const struct value *v, struct arm_type *t,
                     struct err *e)
{
    return read_limit(r, v, "minValue", t, &t->min, e) &&
           read_limit(r, v, "maxValue", t, &t->max, e);
}

static bool read_literal(const struct type_reader *r, const struct value *v, struct arm_type *t,
                         struct err *e)
{
    return read_name(r, v, "value", &t->name, t, e);
}

static bool read_object(const struct type_reader *r, const struct value *v, struct arm_type *t,
                        struct err *e)
{
    const struct value *more = value_get(v, STR("additionalProperties"));

    if (!read_name(r, v, "name", &t->name, t, e) || !read_props(r, v, "properties", t, e))
        return false;
    return !more || value_is(more, VALUE_NULL) ||
           read_ref(r, t, more, "additionalProperties", STR_NONE, &t->item, e);
}

/*
 * Scopes are bits. Files from before writableScopes have scopeType, where 0 meant any, minus
 * readOnlyScopes, and a flag for resources that cannot be written at all.
 */
static bool read_scopes(const struct type_reader *r, const struct value *v, struct arm_type *t,
                        struct err *e)
{
    const struct value *writable = value_get(v, STR("writableScopes"));
    const struct value *old = value_get(v, STR("scopeType"));
    int64_t scopes = 0, read_only = 0, flags = 0;

    if (!value_to_i64(writable ? writable : old, &scopes) || scopes < 0 || scopes > UINT8_MAX)
        return types_complain(r, t, v, e, "writableScopes must be a sum of scope bits");
    if (!writable) {
        if (!value_to_i64(value_get(v, STR("readOnlyScopes")), &read_only) || read_only < 0)
            read_only = 0;
        if (!value_to_i64(value_get(v, STR("flags")), &flags))
            flags = 0;
        scopes = flags & 1 ? 0 : scopes & ~read_only;
    }
    t->writable_scopes = (uint32_t)scopes;
    return true;
}

static bool read_resource(const struct type_reader *r, const struct value *v, struct arm_type *t,
                          struct err *e)
{
    if (!read_name(r, v, "name", &t->name, t, e))
        return false;
    if (str_find_char(t->name, '@') == STR_NPOS || str_find_char(t->name, '/') == STR_NPOS)
        return types_complain(r, t, v, e, "the name of a resource is Provider/type@version");
    return read_ref(r, t, value_get(v, STR("body")), "body", STR_NONE, &t->body, e) &&
           read_scopes(r, v, t, e);
}

static bool read_string(const struct type_reader *r, const struct value *v, struct arm_type *t,
                        struct err *e)
{
    t->pattern = value_get_str(v, STR("pattern"));
    return read_lengths(r, v, t, e);
}

static bool read_union(const struct type_reader *r, const struct value *v, struct arm_type *t,
                       struct err *e)
{
    return read_elements(r, v, VALUE_LIST, t, e);
}

static const struct kind_row kinds[] = {
    {STR_INIT("AnyType"), ARM_ANY, NULL},
    {STR_INIT("ArrayType"), ARM_ARRAY, read_array},
    {STR_INIT("BooleanType"), ARM_BOOL, NULL},
    {STR_INIT("DiscriminatedObjectType"), ARM_DISCRIMINATED, read_discriminated},
    {STR_INIT("IntegerType"), ARM_INT, read_int},
    {STR_INIT("ObjectType"), ARM_OBJECT, read_object},
    {STR_INIT("ResourceFunctionType"), ARM_FUNCTION, NULL},
    {STR_INIT("ResourceType"), ARM_RESOURCE, read_resource},
    {STR_INIT("StringLiteralType"), ARM_LITERAL, read_literal},
    {STR_INIT("StringType"), ARM_STRING, read_string},
    {STR_INIT("UnionType"), ARM_UNION, read_union},
};

const char *arm_kind_name(enum arm_kind kind)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].kind == kind)
            return kinds[i].name.ptr;
    return "unknown kind";
}

str arm_type_label(struct arena *a, const struct arm_type *t)
{
    if (t->name.len)
        return str_fmt(a, "type %u (%s %.*s)", t->index, arm_kind_name(t->kind), STR_ARG(t->name));
    return str_fmt(a, "type %u (%s)", t->index, arm_kind_name(t->kind));
}

const struct arm_prop *arm_prop_find(const struct arm_type *t, str name)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (str_eq(t->props[i].name, name))
            return &t->props[i];
    return NULL;
}

/* ---- The file. ---- */

static bool read_type(const struct type_reader *r, const struct value *v, struct arm_type *t,
                      struct err *e)
{
    const struct value *kind = value_get(v, STR("$type"));
    read_fn *read = NULL;

    if (!value_is(kind, VALUE_STRING))
        return source_err(e, r->src, v, "type %u must be an object with a $type", t->index);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!str_eq(value_str(kind), kinds[i].name))
            continue;
        t->kind = kinds[i].kind;
        read = kinds[i].read;
    }
    if (t->kind == ARM_UNKNOWN)
        r->file->unknown++;
    t->sensitive = value_is_true(value_get(v, STR("sensitive")));
    return !read || read(r, v, t, e);
}

/*
 * Marks the objects that are the "properties" of a resource: embedded copies are recognized by
 * them.
 */
static void mark_holders(struct arm_file *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->types[i].kind != ARM_RESOURCE)
            continue;
        const struct arm_prop *p = arm_prop_find(&f->types[f->types[i].body], STR("properties"));
        if (p && f->types[p->type].kind == ARM_OBJECT)
            f->types[p->type].holds_resource = true;
    }
}

bool types_read(struct arena *a, const struct source *src, struct arm_file *out, struct err *e)
{
    static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};
    struct value *root;

    if (!json_read(a, src, &strict, &root, e))
        return err_wrap(e, "not a type file");
    if (!value_is(root, VALUE_LIST))
        return source_err(e, src, root,
                          "a type file is a list of types; this is not one but of type %s",
                          value_kind_name((enum value_kind)root->kind));
    if (root->len > ARM_TYPES_MAX)
        return err_set(e, ERR_LIMIT, "more than %zu types", ARM_TYPES_MAX) ||
               err_at(e, (struct where){.file = src->file});
    *out = (struct arm_file){.name = src->file, .count = root->len};
    out->types = ARENA_ARRAY(a, struct arm_type, root->len);
    const struct type_reader r = {.arena = a, .src = src, .root = root, .file = out};
    for (size_t i = 0; i < root->len; i++) {
        out->types[i].index = (uint32_t)i;
        out->types[i].item = ARM_NO_TYPE;
        if (!read_type(&r, &root->items[i], &out->types[i], e))
            return false;
    }
    if (!types_check(&r, e))
        return false;
    mark_holders(out);
    return true;
}
