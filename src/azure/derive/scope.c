/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope.c - derives facts about a resource as a whole: scope, owner, fixed name, stored version,
 * operations.
 *
 * Where a resource can be written determines its owner: an extension belongs to any resource, one
 * in a resource group to the nearest resource above it whose type we have, else to the group
 * itself. ResourceGroup has no owner because it is written at subscription scope; its name is known
 * only to the default of the last step.
 */
#include "azure/derive/internal.h"

/* Widest first: a resource that can be an extension is treated as one. */
static const struct {
    uint32_t bit;
    const char *name;
} scopes[] = {
    {ARM_EXTENSION, "extension"},
    {ARM_RESOURCE_GROUP, "resourcegroup"},
    {ARM_SUBSCRIPTION, "location"},
    {ARM_TENANT, "tenant"},
};

static const char *scope_name(uint32_t writable)
{
    for (size_t i = 0; i < COUNT(scopes); i++)
        if (writable & scopes[i].bit)
            return scopes[i].name;
    return NULL;
}

/* ---- Owners. ---- */

/* The kind of the nearest type above, or NULL. */
static const struct overlay_kind *owner_above(struct derive *d, str arm_type)
{
    str above = str_lower(d->arena, arm_type);

    for (;;) {
        size_t slash = str_rfind_char(above, '/');
        if (slash == STR_NPOS)
            return NULL;
        above = str_slice(above, 0, slash);
        const struct overlay_kind *k = map_get(d->world->by_type, above);
        if (k && str_find_char(above, '/') != STR_NPOS)
            return k;
    }
}

static void default_owner(struct derive *d, const struct overlay_kind *k, uint32_t writable,
                          struct scope *s)
{
    if (writable & ARM_EXTENSION) {
        s->owner_ref = "ArbitraryOwnerReference";
        return;
    }
    if (!(writable & ARM_RESOURCE_GROUP))
        return;
    const struct overlay_kind *owner = owner_above(d, k->arm_type);
    s->owner_ref = "KnownResourceReference";
    s->owner_group = owner ? owner->group->name : STR("resources");
    s->owner_group = str_concat(d->arena, s->owner_group, STR(".azure.com"));
    s->owner_kind = owner ? owner->name : STR("ResourceGroup");
}

/* "*" is any resource, else "group.azure.com/Kind". */
static void said_owner(const struct value *owner, struct scope *s)
{
    if (value_is(owner, VALUE_NULL))
        return;
    if (str_eq(value_str(owner), STR("*"))) {
        s->owner_ref = "ArbitraryOwnerReference";
        return;
    }
    s->owner_ref = "KnownResourceReference";
    str_cut(value_str(owner), STR("/"), &s->owner_group, &s->owner_kind);
}

/* ---- Names. ---- */

/* If the type of the name is a literal, alone or in a union with any string, all have this name. */
static struct value *fixed_name(struct derive *d, const struct arm_resource *r)
{
    const struct arm_prop *p = arm_prop_find(r->body, STR("name"));
    const struct arm_type *t = p ? arm_type_at(r->file, p->type) : NULL;
    const struct arm_type *literal = NULL;

    if (!t)
        return NULL;
    if (t->kind == ARM_LITERAL)
        return value_string(d->arena, t->name);
    if (t->kind != ARM_UNION)
        return NULL;
    for (size_t i = 0; i < t->element_count; i++) {
        const struct arm_type *element = arm_type_at(r->file, t->elements[i].type);
        if (element->kind == ARM_LITERAL && !literal)
            literal = element;
        else if (element->kind != ARM_STRING)
            return NULL;
    }
    return literal ? value_string(d->arena, literal->name) : NULL;
}

/* ---- Versions. ---- */

/*
 * Stable before preview, then the later API version, then the one without "v1api". Names have the
 * form v[1api]YYYYMMDD[preview], so their digits compare as text.
 */
static bool is_newer(str x, str y)
{
    bool preview_x = str_has_suffix(x, STR("preview")),
         preview_y = str_has_suffix(y, STR("preview"));
    str date_x = str_without_prefix(str_from(x, 1), STR("1api"));
    str date_y = str_without_prefix(str_from(y, 1), STR("1api"));
    int order = str_cmp(str_slice(date_x, 0, 8), str_slice(date_y, 0, 8));

    if (preview_x != preview_y)
        return preview_y;
    return order > 0 || (order == 0 && x.len < y.len);
}

static bool is_hub(const struct overlay_kind *k, str version)
{
    for (size_t i = 0; i < k->versions->len; i++)
        if (is_newer(value_str(&k->versions->items[i]), version))
            return false;
    return true;
}

struct scope derive_scope(struct derive *d, const struct overlay_kind *k,
                          const struct arm_resource *r)
{
    const struct value *owner = overlay_option(k, d->version, STR("owner"));
    const struct value *name = overlay_option(k, d->version, STR("azureName"));
    struct scope s = {
        .name = scope_name(r->type->writable_scopes),
        .fixed = name ? name : fixed_name(d, r),
        .hub = is_hub(k, d->version),
    };

    if (value_is(s.fixed, VALUE_NULL))
        s.fixed = NULL;
    if (owner)
        said_owner(owner, &s);
    else
        default_owner(d, k, r->type->writable_scopes, &s);
    if (!s.name)
        derive_fail(d, "type %u (%.*s) cannot be written at any scope", r->type->index,
                    STR_ARG(r->type->name));
    return s;
}

/* ---- The row. ---- */

static struct value *owner_row(struct arena *a, const struct scope *s)
{
    if (!s->owner_ref)
        return value_null(a);
    struct value *owner = value_object(a);
    value_set_str(a, owner, STR("ref"), str_c(s->owner_ref));
    value_set_bool(a, owner, STR("required"), true);
    if (s->owner_kind.len) {
        value_set_str(a, owner, STR("group"), s->owner_group);
        value_set_str(a, owner, STR("kind"), s->owner_kind);
    }
    return owner;
}

static struct value *name_row(struct derive *d, const struct scope *s)
{
    struct value *name = value_object(d->arena);

    if (s->fixed)
        value_set(d->arena, name, STR("fixed"), s->fixed);
    else
        value_set_bool(d->arena, name, STR("spec"), true);
    if (value_is_true(overlay_option(d->kind, d->version, STR("uuidName"))))
        value_set_bool(d->arena, name, STR("uuid"), true);
    return name;
}

static struct value *operations(struct derive *d)
{
    static const char *const usual[] = {"delete", "get", "put"};
    const struct value *ops = overlay_option(d->kind, d->version, STR("ops"));
    struct value *list = value_list(d->arena);

    if (value_is(ops, VALUE_LIST))
        return value_clone(d->arena, ops);
    for (size_t i = 0; i < COUNT(usual); i++)
        value_add(d->arena, list, value_string(d->arena, str_c(usual[i])));
    return list;
}

static struct value *categories(struct derive *d)
{
    struct value *list = value_list(d->arena);
    struct buf group = buf_new(d->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < d->group->name.len; i++)
        if (d->group->name.ptr[i] != '.')
            buf_char(&group, d->group->name.ptr[i]);
    value_add(d->arena, list, value_string(d->arena, STR("azure")));
    value_add(d->arena, list, value_string(d->arena, buf_str(&group)));
    return list;
}

/* Sets what can be exported: config maps with their status paths, secrets by name. */
static void set_exports(struct derive *d, struct value *row)
{
    const struct value *configs = overlay_option(d->kind, d->version, STR("configMaps"));
    const struct value *names = overlay_option(d->kind, d->version, STR("secrets"));
    struct value *secrets = value_object(d->arena);

    if (value_len(configs))
        value_set(d->arena, row, STR("configMaps"), configs);
    for (size_t i = 0; i < value_len(names); i++)
        value_set(d->arena, secrets, value_str(&names->items[i]), value_null(d->arena));
    if (value_len(secrets))
        value_set(d->arena, row, STR("secrets"), secrets);
}

/* The object that a resource wraps its properties in, or its body when it has none. */
static const struct arm_type *wrapped(const struct arm_file *f, const struct arm_type *body,
                                      const struct arm_prop **wrapper)
{
    *wrapper = arm_prop_find(body, STR("properties"));
    return *wrapper ? arm_type_at(f, (*wrapper)->type) : body;
}

static const struct arm_type *find_resource(const struct arm_file *f, str name)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->types[i].kind == ARM_RESOURCE && str_eq_fold(f->types[i].name, name))
            return &f->types[i];
    return NULL;
}

/* Whether p is a list of the child's bodies, which a PUT of the parent replaces. */
static bool lists_child(const struct arm_file *f, const struct arm_prop *p,
                        const struct arm_type *child)
{
    const struct arm_type *list = arm_type_at(f, p->type);
    const struct arm_prop *inner, *own;

    if (p->flags & ARM_READ_ONLY || list->kind != ARM_ARRAY)
        return false;
    const struct arm_type *element = wrapped(f, arm_type_at(f, list->item), &inner);
    return element == wrapped(f, arm_type_at(f, child->body), &own) && inner && own;
}

static void add_embedded(struct derive *d, const struct arm_resource *r,
                         const struct overlay_kind *k, struct value *list)
{
    const struct arm_prop *wrapper;
    const struct arm_type *inner = wrapped(r->file, r->body, &wrapper);
    str name = str_join(d->arena, (str[]){k->arm_type, d->api_version}, 2, STR("@"));
    const struct arm_type *child = find_resource(r->file, name);

    for (size_t i = 0; child && i < inner->prop_count; i++) {
        if (!lists_child(r->file, &inner->props[i], child))
            continue;
        struct value *row = value_object(d->arena);
        str path = inner->props[i].name;
        if (wrapper)
            path = str_concat(d->arena, STR("properties/"), path);
        value_set_str(d->arena, row, STR("kind"), k->name);
        value_set_str(d->arena, row, STR("a"), path);
        value_add(d->arena, list, row);
    }
}

/* Kinds of this group that also appear as a list inside this resource. */
static struct value *embedded_row(struct derive *d, const struct arm_resource *r)
{
    struct value *list = value_list(d->arena);
    str own = d->kind->arm_type;

    for (size_t i = 0; i < d->group->kind_count; i++) {
        const struct overlay_kind *k = &d->group->kinds[i];
        size_t above = k->arm_type.len - name_last(k->arm_type).len - 1;
        if (above == own.len && str_eq_fold(str_slice(k->arm_type, 0, above), own))
            add_embedded(d, r, k, list);
    }
    return list;
}

struct value *derive_row(struct derive *d, const struct arm_resource *r, const struct scope *s,
                         str spec, str status)
{
    const struct value *plural = overlay_option(d->kind, d->version, STR("plural"));
    struct arena *a = d->arena;
    struct value *row = value_object(a);

    value_set_str(a, row, STR("spec"), spec);
    value_set_str(a, row, STR("status"), status);
    value_set_str(a, row, STR("armType"), d->kind->arm_type);
    value_set_str(a, row, STR("armApiVersion"), d->api_version);
    value_set_str(a, row, STR("scope"), str_c(s->name));
    value_set(a, row, STR("ops"), operations(d));
    value_set(a, row, STR("owner"), owner_row(a, s));
    value_set(a, row, STR("azureName"), name_row(d, s));
    value_set_bool(a, row, STR("importable"), s->hub);
    value_set(a, row, STR("categories"), categories(d));
    set_exports(d, row);
    value_set_str(a, row, STR("plural"),
                  value_is(plural, VALUE_STRING) ? value_str(plural)
                                                 : name_plural(a, d->kind->name));
    value_set_bool(a, row, STR("hub"), s->hub);
    struct value *embedded = embedded_row(d, r);
    if (value_len(embedded))
        value_set(a, row, STR("embedded"), embedded);
    const struct value *targets = overlay_option(d->kind, d->version, STR("targets"));
    if (value_len(targets))
        value_set(a, row, STR("targets"), targets);
    return row;
}
