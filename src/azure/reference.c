/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - reads references in their various forms.
 */
#include "azure/reference.h"

#include "arm/id.h"
#include "azure/member.h"

/* Fails because of v, with its position if there is one. */
#define COMPLAIN(...) source_err(e, src ? src : &nowhere, __VA_ARGS__)
static const struct source nowhere = {0};

/* The members of all forms, and the form that each belongs to. */
enum member { MEMBER_GROUP, MEMBER_KIND, MEMBER_NAME, MEMBER_ID, MEMBER_AZURE, MEMBER_WELL_KNOWN };
static const char *const members[] = {"group", "kind", "name", "armId", "azure", "wellKnownName"};
static const enum reference_form forms[] = {
    REFERENCE_OBJECT, REFERENCE_OBJECT, REFERENCE_OBJECT,
    REFERENCE_ID,     REFERENCE_AZURE,  REFERENCE_WELL_KNOWN,
};

struct found {
    const struct value *members[COUNT(members)];
};

static bool is_set(const struct value *v)
{
    return v && v->kind != VALUE_NULL && !(v->kind == VALUE_STRING && v->len == 0);
}

/* The members that are set; the first two of different forms are an error. */
static bool find_members(const struct value *v, const struct source *src, struct found *f,
                         struct reference *out, struct err *e)
{
    int first = -1;

    for (size_t i = 0; i < COUNT(members); i++) {
        const struct value *m = member_fold(v, str_c(members[i]));
        if (!is_set(m))
            continue;
        if (m->kind != (i == MEMBER_AZURE ? VALUE_OBJECT : VALUE_STRING))
            return COMPLAIN(m, "%s must be %s", members[i],
                            i == MEMBER_AZURE ? "an object" : "a string");
        f->members[i] = m;
        if (first >= 0 && forms[first] != forms[i])
            return COMPLAIN(m, "%s and %s exclude each other", members[first], members[i]);
        first = first < 0 ? (int)i : first;
        out->form = forms[i];
    }
    return first >= 0 || COMPLAIN(v, "the reference is empty: give a name, an armId, or azure");
}

static bool same_as_known(const struct value *m, const char *what, str known,
                          const struct source *src, struct err *e)
{
    return !m || !known.len || str_eq(value_str(m), known) ||
           COMPLAIN(m, "%s must be %.*s here, not %.*s", what, STR_ARG(known),
                    STR_ARG(value_str(m)));
}

static bool read_object(const struct value *v, const struct reference_rule *rule,
                        const struct source *src, const struct found *f, struct reference *out,
                        struct err *e)
{
    bool known = rule->kind.len > 0;
    const struct value *name = f->members[MEMBER_NAME];

    out->group = known ? rule->group : value_str(f->members[MEMBER_GROUP]);
    out->kind = known ? rule->kind : value_str(f->members[MEMBER_KIND]);
    out->name = value_str(name);
    if (!name)
        return COMPLAIN(v, "the reference has no name");
    if (str_has_prefix(out->name, STR("/")))
        return COMPLAIN(name, "\"%.*s\" is not an object name: put ARM ids in armId",
                        STR_ARG(out->name));
    if (!known && (!out->group.len || !out->kind.len))
        return COMPLAIN(v, "a reference by name also needs %s",
                        out->group.len  ? "kind"
                        : out->kind.len ? "group"
                                        : "group and kind");
    return same_as_known(f->members[MEMBER_GROUP], "group", rule->group, src, e) &&
           same_as_known(f->members[MEMBER_KIND], "kind", rule->kind, src, e);
}

static bool read_id(const struct source *src, const struct found *f, struct reference *out,
                    struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct value *id = f->members[MEMBER_ID];
    struct arm_id parsed;

    out->id = value_str(id);
    if (arm_id_parse(a, out->id, &parsed, e))
        return true;
    out->at = id;
    return err_at(e, source_where(src ? src : &nowhere, id));
}

static bool read_azure(const struct source *src, const struct found *f, struct reference *out,
                       struct err *e)
{
    const struct value *azure = f->members[MEMBER_AZURE];
    out->subscription = value_get_str(azure, STR("subscription"));
    out->resource_group = value_get_str(azure, STR("resourceGroup"));
    out->path = value_get_str(azure, STR("name"));
    for (size_t i = 0; i < value_len(azure); i++) {
        str key = value_key(&azure->items[i]);
        if (!str_eq(key, STR("subscription")) && !str_eq(key, STR("resourceGroup")) &&
            !str_eq(key, STR("name")))
            return COMPLAIN(&azure->items[i],
                            "unknown field \"%.*s\": azure has subscription, resourceGroup and "
                            "name",
                            STR_ARG(key));
    }
    size_t slashes = str_count_char(out->path, '/');
    if (slashes < 2 || slashes % 2)
        return COMPLAIN(azure, "azure.name must be Provider/type/name, with more /type/name for "
                               "children");
    return true;
}

bool reference_read(const struct value *v, const struct reference_rule *rule,
                    const struct source *src, struct reference *out, struct err *e)
{
    struct found f = {0};

    *out = (struct reference){.at = v};
    if (!value_is(v, VALUE_OBJECT))
        return COMPLAIN(v, "a reference must be an object");
    if (!find_members(v, src, &f, out, e))
        return false;
    if (rule->builtin == BUILTIN_KUBERNETES_OWNER && out->form != REFERENCE_OBJECT)
        return COMPLAIN(v, "only an object of Kubernetes can be named here: give its name");
    switch (out->form) {
    case REFERENCE_OBJECT:
        return read_object(v, rule, src, &f, out, e);
    case REFERENCE_ID:
        return read_id(src, &f, out, e);
    case REFERENCE_AZURE:
        return read_azure(src, &f, out, e);
    case REFERENCE_WELL_KNOWN:
        out->well_known = value_str(f.members[MEMBER_WELL_KNOWN]);
        return rule->builtin == BUILTIN_WELL_KNOWN_REFERENCE ||
               COMPLAIN(f.members[MEMBER_WELL_KNOWN], "wellKnownName is not possible here");
    }
    return false;
}

struct object_key reference_key(const struct reference *r, str namespace)
{
    return (struct object_key){
        .group = r->group, .kind = r->kind, .namespace = namespace, .name = r->name};
}

bool reference_azure_id(struct arena *a, const struct reference *r, str subscription,
                        str holder_group, str *out, struct err *e)
{
    str sub = r->subscription.len ? r->subscription : subscription;
    str group = r->resource_group.len ? r->resource_group : holder_group;
    struct arm_id check;

    if (!group.len)
        return err_set(e, ERR_INVALID,
                       "azure.resourceGroup must be given: the holder is in no resource group");
    *out = str_fmt(a, "/subscriptions/%.*s/resourceGroups/%.*s/providers/%.*s", STR_ARG(sub),
                   STR_ARG(group), STR_ARG(r->path));
    return arm_id_parse(a, *out, &check, e);
}
