/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - reads a model file: from JSON to the structs of model.h.
 *
 * Types refer to each other in any order and in cycles, so all of them are allocated before the
 * first is filled. Texts point into the file; only limits and choices are kept from the JSON tree.
 * An invalid file is rejected with the position.
 */
#include "azure/model/internal.h"

#include "text/json/json.h"

#include <stdlib.h>

/* The longest spelling of lists of lists of ... */
#define SHAPE_MAX ((size_t)128)

/* The state while reading one file. */
struct reading {
    struct arena *arena; /* for what is kept */
    const struct source *src;
    const struct value *root;
    struct map *types;  /* name to struct model_type */
    struct map *shapes; /* spelling to struct model_shape */
    struct err *e;
};

static const char *const role_names[ROLE_COUNT] = {
    [ROLE_PLAIN] = "plain",
    [ROLE_AZURE_NAME] = "azureName",
    [ROLE_AZURE_NAME_FROM_CONFIG] = "azureNameFromConfig",
    [ROLE_OWNER] = "owner",
    [ROLE_OPERATOR_SPEC] = "operatorSpec",
    [ROLE_OPERATOR] = "operator",
    [ROLE_CONDITIONS] = "conditions",
    [ROLE_REF] = "ref",
    [ROLE_WELL_KNOWN] = "wellknown",
    [ROLE_IDENTITIES] = "uai",
    [ROLE_IDENTITY] = "uaiKey",
    [ROLE_SECRET] = "secret",
    [ROLE_SECRET_MAP] = "secretMap",
    [ROLE_CONFIG_MAP] = "configMap",
    [ROLE_VARIANT] = "variant",
};

static const char *const builtin_names[BUILTIN_COUNT] = {
    [BUILTIN_NONE] = "",
    [BUILTIN_RESOURCE_REFERENCE] = "ResourceReference",
    [BUILTIN_WELL_KNOWN_REFERENCE] = "WellKnownResourceReference",
    [BUILTIN_KNOWN_REFERENCE] = "KnownResourceReference",
    [BUILTIN_ARBITRARY_OWNER] = "ArbitraryOwnerReference",
    [BUILTIN_KUBERNETES_OWNER] = "KubernetesOwnerReference",
    [BUILTIN_SECRET_REFERENCE] = "SecretReference",
    [BUILTIN_SECRET_MAP_REFERENCE] = "SecretMapReference",
    [BUILTIN_CONFIG_MAP_REFERENCE] = "ConfigMapReference",
    [BUILTIN_SECRET_DESTINATION] = "SecretDestination",
    [BUILTIN_CONFIG_MAP_DESTINATION] = "ConfigMapDestination",
    [BUILTIN_DESTINATION_EXPRESSION] = "DestinationExpression",
    [BUILTIN_CONDITION] = "Condition",
};

static const struct {
    const char *name;
    enum model_form form;
} plain_forms[] = {
    {"string", FORM_STRING}, {"int", FORM_INT},   {"float", FORM_FLOAT},
    {"bool", FORM_BOOL},     {"json", FORM_JSON},
};

static const char *const scope_names[SCOPE_COUNT] = {
    [SCOPE_NONE] = "",
    [SCOPE_RESOURCE_GROUP] = "resourcegroup",
    [SCOPE_SUBSCRIPTION] = "location",
    [SCOPE_TENANT] = "tenant",
    [SCOPE_EXTENSION] = "extension",
};

static const struct {
    const char *name;
    unsigned bit;
} operation_names[] = {
    {"get", MODEL_GET},
    {"put", MODEL_PUT},
    {"delete", MODEL_DELETE},
    {"head", MODEL_HEAD},
};

const char *model_role_name(enum model_role role)
{
    return role_names[role];
}

/* The index of name in a table, or -1. */
static int find_name(const char *const *names, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, str_c(names[i])))
            return (int)i;
    return -1;
}

/* A text to keep: copied if it had escapes, which puts it in the JSON tree instead of the file. */
static str stay(const struct reading *r, str s)
{
    uintptr_t at = (uintptr_t)s.ptr, from = (uintptr_t)r->src->text.ptr;
    bool inside = at >= from && at - from <= r->src->text.len;

    return inside || s.len == 0 ? s : str_copy(r->arena, s);
}

static str member_text(const struct reading *r, const struct value *object, str key)
{
    return stay(r, value_get_str(object, key));
}

/* ---- Shapes. --------------------------------------------------------------------------------- */

static bool read_shape(struct reading *r, const struct value *at, str spelling,
                       const struct model_shape **out);

static bool shape_of_items(struct reading *r, const struct value *at, struct model_shape *s)
{
    s->form = s->spelling.ptr[0] == '[' ? FORM_LIST : FORM_MAP;
    return read_shape(r, at, str_from(s->spelling, 2), &s->item);
}

static bool shape_of_enum(struct reading *r, const struct value *at, struct model_shape *s)
{
    const struct value *choices =
        value_get(value_get(r->root, STR("enums")), str_from(s->spelling, 1));

    if (!value_is(choices, VALUE_LIST) || choices->len == 0)
        return source_err(r->e, r->src, at, "there is no enum for \"%.*s\"", STR_ARG(s->spelling));
    s->form = value_is_number(value_at(choices, 0)) ? FORM_INT : FORM_STRING;
    s->choices = value_copy(r->arena, choices);
    return true;
}

static bool shape_of_scalar(struct reading *r, const struct value *at, struct model_shape *s)
{
    const struct value *scalar =
        value_get(value_get(r->root, STR("scalars")), str_from(s->spelling, 1));
    const struct value *limits = value_get(scalar, STR("v"));
    const struct model_shape *plain = NULL;

    if (!value_is(scalar, VALUE_OBJECT))
        return source_err(r->e, r->src, at, "there is no scalar for \"%.*s\"",
                          STR_ARG(s->spelling));
    str base = value_get_str(scalar, STR("t"));
    if (base.len && strchr("~[{@", base.ptr[0]))
        return source_err(r->e, r->src, scalar, "a scalar must be of a plain type, not \"%.*s\"",
                          STR_ARG(base));
    if (!read_shape(r, scalar, base, &plain))
        return false;
    assert(plain);
    s->form = plain->form;
    s->choices = plain->choices;
    s->limits = limits ? value_copy(r->arena, limits) : NULL;
    return true;
}

static bool shape_of_builtin(struct reading *r, const struct value *at, struct model_shape *s)
{
    int i = find_name(builtin_names, COUNT(builtin_names), str_from(s->spelling, 1));

    if (i <= 0)
        return source_err(r->e, r->src, at, "unknown builtin type \"%.*s\"", STR_ARG(s->spelling));
    s->form = FORM_BUILTIN;
    s->builtin = (enum model_builtin)i;
    return true;
}

static bool shape_of_object(struct reading *r, const struct value *at, struct model_shape *s)
{
    s->form = FORM_OBJECT;
    s->object = map_get(r->types, str_from(s->spelling, 1));
    return s->object ||
           source_err(r->e, r->src, at, "there is no type for \"%.*s\"", STR_ARG(s->spelling));
}

static bool shape_plain(struct reading *r, const struct value *at, struct model_shape *s)
{
    for (size_t i = 0; i < COUNT(plain_forms); i++)
        if (str_eq(s->spelling, str_c(plain_forms[i].name))) {
            s->form = plain_forms[i].form;
            return true;
        }
    return source_err(r->e, r->src, at, "invalid type \"%.*s\"", STR_ARG(s->spelling));
}

static bool fill_shape(struct reading *r, const struct value *at, struct model_shape *s)
{
    if (str_has_prefix(s->spelling, STR("[]")) || str_has_prefix(s->spelling, STR("{}")))
        return shape_of_items(r, at, s);
    switch (s->spelling.len > 1 ? s->spelling.ptr[0] : 0) {
    case '@':
        return shape_of_object(r, at, s);
    case '%':
        return shape_of_enum(r, at, s);
    case '~':
        return shape_of_scalar(r, at, s);
    case '#':
        return shape_of_builtin(r, at, s);
    default:
        return shape_plain(r, at, s);
    }
}

static bool read_shape(struct reading *r, const struct value *at, str spelling,
                       const struct model_shape **out)
{
    struct model_shape *s = map_get(r->shapes, spelling);

    if (!s) {
        if (spelling.len > SHAPE_MAX && spelling.ptr[0] != '@' && spelling.ptr[0] != '%')
            return source_err(r->e, r->src, at, "the type is nested too deeply");
        s = ARENA_NEW(r->arena, struct model_shape);
        s->spelling = stay(r, spelling);
        if (!fill_shape(r, at, s))
            return false;
        map_set(r->shapes, s->spelling, s);
    }
    *out = s;
    return true;
}

/* ---- Properties and types. ------------------------------------------------------------------- */

static bool read_arm_path(struct reading *r, const struct value *v, struct model_prop *p)
{
    const struct value *path = value_get(v, STR("a"));
    str rest = path ? stay(r, value_str(path)) : p->name, segment;

    if (value_is(path, VALUE_NULL) || (path && rest.len == 0))
        return true;
    if (!path) { /* a name is one segment even if it contains a slash */
        p->arm[p->arm_len++] = rest;
        return true;
    }
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &segment, &rest);
        if (p->arm_len == MODEL_PATH_MAX || segment.len == 0)
            return source_err(r->e, r->src, path, "\"%.*s\" is not a path of 1 to %d steps",
                              STR_ARG(value_str(path)), MODEL_PATH_MAX);
        p->arm[p->arm_len++] = segment;
    }
    return true;
}

/* Whether a role never reaches ARM. */
static bool role_stays(enum model_role role)
{
    return role == ROLE_AZURE_NAME || role == ROLE_AZURE_NAME_FROM_CONFIG || role == ROLE_OWNER ||
           role == ROLE_OPERATOR_SPEC || role == ROLE_OPERATOR || role == ROLE_CONDITIONS;
}

static bool read_role(struct reading *r, const struct value *v, struct model_prop *p)
{
    const struct value *role = value_get(v, STR("role"));
    int i = role ? find_name(role_names, COUNT(role_names), value_str(role)) : ROLE_PLAIN;

    if (i < 0)
        return source_err(r->e, r->src, role, "unknown role \"%.*s\"", STR_ARG(value_str(role)));
    p->role = (enum model_role)i;
    if (role_stays(p->role))
        p->arm_len = 0;
    str empty = value_get_str(v, STR("empty"));
    p->empty = str_eq(empty, STR("null"))   ? EMPTY_NULL
               : str_eq(empty, STR("keep")) ? EMPTY_KEPT
                                            : EMPTY_OMITTED;
    return true;
}

static bool read_prop(struct reading *r, const struct value *v, struct model_prop *p)
{
    const struct value *limits = value_get(v, STR("v"));
    const struct value *choices = value_get(v, STR("enum"));
    const struct value *identity = value_get(v, STR("identity"));
    int64_t children = 0;
    const struct value *type = value_get(v, STR("t"));

    p->name = stay(r, value_key(v));
    if (!value_is(v, VALUE_OBJECT) || !value_is(type, VALUE_STRING))
        return source_err(r->e, r->src, v, "a property is an object with a type \"t\"");
    p->pair = member_text(r, v, STR("pair"));
    p->required = value_is_true(value_get(v, STR("r")));
    p->write_only = value_is_true(value_get(v, STR("writeOnly")));
    p->limits = limits ? value_copy(r->arena, limits) : NULL;
    p->choices = choices ? value_copy(r->arena, choices) : NULL;
    p->identity = identity ? value_copy(r->arena, identity) : NULL;
    p->min_children = value_to_i64(value_get(v, STR("minItems")), &children) && children > 0
                          ? (uint32_t)children
                          : 0;
    return read_shape(r, type, value_str(type), &p->shape) && read_arm_path(r, v, p) &&
           read_role(r, v, p);
}

static int compare_props(const void *x, const void *y)
{
    const struct model_prop *p = x, *q = y;

    return str_cmp(p->name, q->name);
}

static bool read_type(struct reading *r, const struct value *v, struct model_type *t)
{
    const struct value *members = value_get(v, STR("props"));
    const struct value *one_of = value_get(v, STR("oneOf"));
    struct model_prop *props = ARENA_ARRAY(r->arena, struct model_prop, value_len(members));

    if (!value_is(members, VALUE_OBJECT))
        return source_err(r->e, r->src, v, "a type is an object with \"props\"");
    for (size_t i = 0; i < members->len; i++) {
        if (!read_prop(r, &members->items[i], &props[i]))
            return err_wrap(r->e, "type %.*s, property %.*s", STR_ARG(t->name),
                            STR_ARG(value_key(&members->items[i])));
        props[i].variant = member_text(r, value_get(one_of, STR("vals")), props[i].name);
        t->any_empty |= props[i].empty != EMPTY_OMITTED;
    }
    qsort(props, members->len, sizeof(*props), compare_props);
    t->props = props;
    t->prop_count = members->len;
    t->discriminator = member_text(r, one_of, STR("disc"));
    model_index_arm(r->arena, t, props);
    return true;
}

static bool read_types(struct reading *r)
{
    const struct value *types = value_get(r->root, STR("types"));
    struct model_type *all = ARENA_ARRAY(r->arena, struct model_type, value_len(types));

    if (!value_is(types, VALUE_OBJECT))
        return source_err(r->e, r->src, r->root, "a model file has an object \"types\"");
    for (size_t i = 0; i < types->len; i++) {
        all[i].name = stay(r, value_key(&types->items[i]));
        map_set(r->types, all[i].name, &all[i]);
    }
    for (size_t i = 0; i < types->len; i++)
        if (!read_type(r, &types->items[i], &all[i]))
            return false;
    return true;
}

/* ---- Resources. ------------------------------------------------------------------------------ */

static bool read_owner(struct reading *r, const struct value *owner, struct model_resource *out)
{
    if (!owner || value_is(owner, VALUE_NULL))
        return true;
    int form = find_name(builtin_names, COUNT(builtin_names), value_get_str(owner, STR("ref")));
    if (form <= 0)
        return source_err(r->e, r->src, owner, "unknown form of owner \"%.*s\"",
                          STR_ARG(value_get_str(owner, STR("ref"))));
    out->has_owner = true;
    out->owner_form = (enum model_builtin)form;
    out->owner_required = value_is_true(value_get(owner, STR("required")));
    out->owner_group = member_text(r, owner, STR("group"));
    out->owner_kind = member_text(r, owner, STR("kind"));
    return true;
}

/*
 * Names of role assignments and definitions are UUIDs in ARM. A model may say so ("uuid"); if it
 * does not, they are recognized by their naming convention, or by a type that assigns roles.
 */
static bool has_uuid_name(const struct value *name, const struct model_resource *res)
{
    const struct value *said = value_get(name, STR("uuid"));
    const struct model_prop *op = model_prop_of_role(res->spec, ROLE_OPERATOR_SPEC);
    size_t slash = str_rfind_char(res->arm_type, '/');
    str last = slash == STR_NPOS ? STR_NONE : str_from(res->arm_type, slash + 1);
    str tail = STR("roleAssignments");

    if (value_is(said, VALUE_BOOL))
        return said->truth;
    if (op && op->shape->form == FORM_OBJECT &&
        model_prop(op->shape->object, STR("namingConvention")))
        return true;
    return last.len >= tail.len && str_eq_fold(str_from(last, last.len - tail.len), tail);
}

static void read_names(const struct reading *r, const struct value *v, struct model_resource *out)
{
    const struct value *name = value_get(v, STR("azureName"));

    out->has_name = model_prop_of_role(out->spec, ROLE_AZURE_NAME) != NULL;
    out->fixed_name = member_text(r, name, STR("fixed"));
    out->uuid_name = out->has_name && has_uuid_name(name, out);
    out->hub = value_is_true(value_get(v, STR("hub")));
}

static bool read_facts(struct reading *r, const struct value *v, struct model_resource *out)
{
    const struct value *ops = value_get(v, STR("ops"));
    int scope = find_name(scope_names, COUNT(scope_names), value_get_str(v, STR("scope")));

    if (scope < 0)
        return source_err(r->e, r->src, value_get(v, STR("scope")), "unknown scope \"%.*s\"",
                          STR_ARG(value_get_str(v, STR("scope"))));
    out->scope = (enum model_scope)scope;
    for (size_t i = 0; i < value_len(ops); i++)
        for (size_t k = 0; k < COUNT(operation_names); k++)
            if (str_eq(value_str(value_at(ops, i)), str_c(operation_names[k].name)))
                out->operations |= operation_names[k].bit;
    out->arm_type = member_text(r, v, STR("armType"));
    out->api_version = member_text(r, v, STR("armApiVersion"));
    out->plural = member_text(r, v, STR("plural"));
    if (out->scope != SCOPE_NONE &&
        (str_find_char(out->arm_type, '/') == STR_NPOS || out->api_version.len == 0))
        return source_err(r->e, r->src, v, "a resource needs \"armType\" and \"armApiVersion\"");
    return true;
}

static const struct value *kept(struct reading *r, const struct value *v, str key)
{
    const struct value *member = value_get(v, key);

    return value_is_container(member) ? value_copy(r->arena, member) : NULL;
}

static bool read_resource(struct reading *r, const struct value *v, struct model_resource *out)
{
    str spec = value_get_str(v, STR("spec")), status = value_get_str(v, STR("status"));

    out->kind = stay(r, value_key(v));
    out->group = member_text(r, r->root, STR("group"));
    out->version = member_text(r, r->root, STR("version"));
    out->spec = map_get(r->types, spec);
    out->status = map_get(r->types, status);
    if (!out->spec || !out->status)
        return source_err(r->e, r->src, v, "there is no type \"%.*s\"",
                          STR_ARG(out->spec ? status : spec));
    if (!read_facts(r, v, out) || !read_owner(r, value_get(v, STR("owner")), out))
        return false;
    read_names(r, v, out);
    out->categories = kept(r, v, STR("categories"));
    out->secrets = kept(r, v, STR("secrets"));
    out->config_maps = kept(r, v, STR("configMaps"));
    out->embedded = kept(r, v, STR("embedded"));
    out->targets = kept(r, v, STR("targets"));
    return true;
}

static int compare_kinds(const void *x, const void *y)
{
    const struct model_resource *p = x, *q = y;

    return str_cmp(p->kind, q->kind);
}

static bool read_resources(struct reading *r, struct model_file *f)
{
    const struct value *all = value_get(r->root, STR("resources"));

    if (!value_is(all, VALUE_OBJECT))
        return source_err(r->e, r->src, r->root, "a model file has an object \"resources\"");
    f->resources = ARENA_ARRAY(r->arena, struct model_resource, all->len);
    for (size_t i = 0; i < all->len; i++)
        if (!read_resource(r, &all->items[i], &f->resources[i]))
            return err_wrap(r->e, "kind %.*s", STR_ARG(value_key(&all->items[i])));
    f->resource_count = all->len;
    qsort(f->resources, f->resource_count, sizeof(*f->resources), compare_kinds);
    return true;
}

/* The file has the full name of the group; the folder has its first part. */
static bool check_identity(const struct reading *r, const struct model_file *f)
{
    str group = value_get_str(r->root, STR("group"));
    str version = value_get_str(r->root, STR("version"));

    if (str_eq(str_without_suffix(group, STR(".azure.com")), f->group) &&
        str_eq(version, f->version))
        return true;
    return source_err(r->e, r->src, r->root,
                      "the file is about group \"%.*s\" and version \"%.*s\", its place about "
                      "\"%.*s\" and \"%.*s\"",
                      STR_ARG(group), STR_ARG(version), STR_ARG(f->group), STR_ARG(f->version));
}

bool model_file_read(struct arena *a, struct model_file *f, const struct source *src, struct err *e)
{
    AUTO_ARENA moment = arena_new();
    struct value *root;
    struct reading r = {
        .arena = a, .src = src, .types = map_new(moment), .shapes = map_new(moment), .e = e};

    if (!json_read(moment, src, NULL, &root, e))
        return false;
    r.root = root;
    return check_identity(&r, f) && read_types(&r) && read_resources(&r, f);
}
