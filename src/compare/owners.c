/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owners.c - templates that need no object of their own because others refer to it: by owner
 * references, or as a subject of a role binding.
 */
#include "compare/internal.h"

struct indexes {
    struct arena *arena;
    struct map *owners, *subjects; /* ids */
    struct journal *journal;
};

static void add_id(struct indexes *x, struct map *ids, struct identity identity)
{
    str id = identity_id(x->arena, &identity);

    if (!map_has(ids, id))
        map_set(ids, id, x);
}

static bool has_text_only(const struct value *entry, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++) {
        const struct value *v = value_get(entry, str_c(keys[i]));
        if (v && v->kind != VALUE_STRING)
            return false;
    }
    return true;
}

static str shown(struct arena *a, const struct value *entry, const char *key)
{
    static const struct value nothing = {.kind = VALUE_NULL};
    const struct value *v = value_get(entry, str_c(key));
    struct buf out = buf_new(a, BUF_UNLIMITED);

    go_print(&out, v ? v : &nothing, false);
    return buf_str(&out);
}

static void add_owner(struct indexes *x, const struct value *entry, str namespace)
{
    static const char *const keys[] = {"apiVersion", "kind", "name", NULL};
    struct identity i = {.api_version = value_get_str(entry, STR("apiVersion")),
                         .kind = value_get_str(entry, STR("kind")),
                         .name = value_get_str(entry, STR("name"))};

    if (!has_text_only(entry, keys)) {
        journal_info(x->journal, "Skipping ownerReference with non-string fields: %.*s %.*s %.*s",
                     STR_ARG(shown(x->arena, entry, "apiVersion")),
                     STR_ARG(shown(x->arena, entry, "kind")),
                     STR_ARG(shown(x->arena, entry, "name")));
        return;
    }
    if (!i.api_version.len || !i.kind.len || !i.name.len)
        return;
    add_id(x, x->owners, i);
    i.namespace = namespace;
    if (namespace.len)
        add_id(x, x->owners, i);
}

static void add_subject(struct indexes *x, const struct value *entry)
{
    static const char *const keys[] = {"kind", "name", "namespace", NULL};
    struct identity i = {.api_version = STR("v1"),
                         .kind = STR("ServiceAccount"),
                         .name = value_get_str(entry, STR("name"))};

    if (!has_text_only(entry, keys)) {
        journal_info(x->journal, "Skipping subject with non-string fields: %.*s %.*s %.*s",
                     STR_ARG(shown(x->arena, entry, "kind")),
                     STR_ARG(shown(x->arena, entry, "name")),
                     STR_ARG(shown(x->arena, entry, "namespace")));
        return;
    }
    if (!str_eq(value_get_str(entry, STR("kind")), i.kind) || !i.name.len)
        return;
    add_id(x, x->subjects, i);
    i.namespace = value_get_str(entry, STR("namespace"));
    if (i.namespace.len)
        add_id(x, x->subjects, i);
}

static void add_object(struct indexes *x, const struct object *o)
{
    const struct value *owners =
        value_get(value_get(o->root, STR("metadata")), STR("ownerReferences"));
    const struct value *subjects = value_get(o->root, STR("subjects"));
    bool binding = str_eq(o->identity.kind, STR("ClusterRoleBinding")) ||
                   str_eq(o->identity.kind, STR("RoleBinding"));

    for (size_t i = 0; value_is(owners, VALUE_LIST) && i < owners->len; i++)
        if (owners->items[i].kind == VALUE_OBJECT)
            add_owner(x, &owners->items[i], o->identity.namespace);
    for (size_t i = 0; binding && value_is(subjects, VALUE_LIST) && i < subjects->len; i++)
        if (subjects->items[i].kind == VALUE_OBJECT)
            add_subject(x, &subjects->items[i]);
}

static void check_template(struct indexes *x, const struct template *t, struct str_list *paths)
{
    str id = identity_id(x->arena, &t->identity);
    const char *how = NULL;

    if (map_has(x->owners, id))
        how = "ownerReferences";
    else if (map_has(x->subjects, id))
        how = "RBAC subjects";
    if (!how)
        return;
    journal_info(x->journal, "Found resource %.*s via %s", STR_ARG(id), how);
    journal_info(x->journal, "Template %.*s found via %s (content not validated)", STR_ARG(t->path),
                 how);
    VEC_PUSH(x->arena, paths, t->path);
}

void owners_find(struct arena *a, const struct compare *c, struct journal *j,
                 struct str_list *paths)
{
    struct indexes x = {.arena = a, .owners = map_new(a), .subjects = map_new(a), .journal = j};

    for (size_t i = 0; i < c->objects.len; i++)
        add_object(&x, &c->objects.items[i]);
    for (size_t i = 0; i < c->reference.templates.len; i++)
        check_template(&x, &c->reference.templates.items[i], paths);
}
