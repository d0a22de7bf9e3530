/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owners.c - templates that need no object because others refer to it, in owner references or as a
 * subject of a role binding.
 *
 * Objects are gone by the time it is known that all of them are valid, so for each its references
 * are kept, if some template has that id.
 */
#include "compare/pair/owners_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/nested_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/reference_internal.h"
#include "object/object.h"

struct owners {
    const struct reference *reference;
    struct map *ids; /* of templates, to struct named */
};

/* Templates of one id, and how often objects refer to it. */
struct named {
    size_t by_owner, by_subject;
};

/* Reading of one object. */
struct noting {
    struct arena *arena;
    const struct owners *owners;
    struct owner_facts *out;
};

struct owners *owners_new(struct arena *a, const struct reference *r)
{
    struct owners *o = ARENA_NEW(a, struct owners);

    o->reference = r;
    o->ids = map_new(a);
    for (size_t i = 0; i < r->templates.len; i++) {
        str id = identity_id(a, &r->templates.items[i].identity);
        if (!map_has(o->ids, id))
            map_set(o->ids, id, ARENA_NEW(a, struct named));
    }
    return o;
}

static void add_id(struct noting *x, bool subject, struct identity identity)
{
    AUTO_ARENA scratch = arena_new();
    struct named *named = map_get(x->owners->ids, identity_id(scratch, &identity));

    if (named)
        VEC_PUSH(x->arena, x->out, ((struct owner_fact){named, subject}));
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

/* What is wrong with a member that should be text, in the original's words. */
static str fault_of(struct arena *a, const struct value *entry, const char *key)
{
    struct step step = {.kind = STEP_KEY, .key = str_c(key)};
    const struct path path = {&step, 1};
    AUTO_ERR e = {0};
    bool found;
    str text;

    if (nested_string(a, entry, &path, false, &text, &found, &e))
        return STR("<nil>");
    return str_copy(a, e.text);
}

/* Reports members of an entry that are not strings. keys has three elements. */
static void note_skipped(struct noting *x, struct log_buffer *log, const char *what,
                         const struct value *entry, const char *const *keys)
{
    log_buffer_info(log, "Skipping %s with non-string fields: %.*s %.*s %.*s", what,
                    STR_ARG(fault_of(x->arena, entry, keys[0])),
                    STR_ARG(fault_of(x->arena, entry, keys[1])),
                    STR_ARG(fault_of(x->arena, entry, keys[2])));
}

static void add_owner(struct noting *x, const struct value *entry, str namespace)
{
    static const char *const keys[] = {"apiVersion", "kind", "name", NULL};
    struct identity i = {.api_version = value_get_str(entry, STR("apiVersion")),
                         .kind = value_get_str(entry, STR("kind")),
                         .name = value_get_str(entry, STR("name"))};

    if (!has_text_only(entry, keys)) {
        note_skipped(x, &x->out->owners, "ownerReference", entry, keys);
        return;
    }
    if (!i.api_version.len || !i.kind.len || !i.name.len)
        return;
    add_id(x, false, i);
    i.namespace = namespace;
    if (namespace.len)
        add_id(x, false, i);
}

static void add_subject(struct noting *x, const struct value *entry)
{
    static const char *const keys[] = {"kind", "name", "namespace", NULL};
    struct identity i = {.api_version = STR("v1"),
                         .kind = STR("ServiceAccount"),
                         .name = value_get_str(entry, STR("name"))};

    if (!has_text_only(entry, keys)) {
        note_skipped(x, &x->out->subjects, "subject", entry, keys);
        return;
    }
    if (!str_eq(value_get_str(entry, STR("kind")), i.kind) || !i.name.len)
        return;
    add_id(x, true, i);
    i.namespace = value_get_str(entry, STR("namespace"));
    if (i.namespace.len)
        add_id(x, true, i);
}

void owners_note(struct arena *a, const struct owners *owners, const struct object *o,
                 struct owner_facts *out)
{
    struct noting x = {a, owners, out};
    const struct value *refs = value_get(object_meta(o->root), STR("ownerReferences"));
    const struct value *subjects = value_get(o->root, STR("subjects"));
    bool binding = str_eq(o->identity.kind, STR("ClusterRoleBinding")) ||
                   str_eq(o->identity.kind, STR("RoleBinding"));

    for (size_t i = 0; value_is(refs, VALUE_LIST) && i < refs->len; i++)
        if (refs->items[i].kind == VALUE_OBJECT)
            add_owner(&x, &refs->items[i], o->identity.namespace);
    for (size_t i = 0; binding && value_is(subjects, VALUE_LIST) && i < subjects->len; i++)
        if (subjects->items[i].kind == VALUE_OBJECT)
            add_subject(&x, &subjects->items[i]);
}

void owners_take(const struct owner_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ++*(facts[i].subject ? &facts[i].named->by_subject : &facts[i].named->by_owner);
}

void owners_drop(const struct owner_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        --*(facts[i].subject ? &facts[i].named->by_subject : &facts[i].named->by_owner);
}

static void check_template(const struct owners *o, const struct template *t, struct log_buffer *log,
                           struct str_list *paths)
{
    str id = identity_id(log->arena, &t->identity);
    const struct named *named = map_get(o->ids, id);
    const char *relation = named->by_owner ? "ownerReferences" : "RBAC subjects";

    if (!named->by_owner && !named->by_subject)
        return;
    log_buffer_info(log, "Found resource %.*s via %s", STR_ARG(id), relation);
    log_buffer_info(log, "Template %.*s found via %s (content not validated)", STR_ARG(t->path),
                    relation);
    VEC_PUSH(log->arena, paths, t->path);
}

void owners_find(const struct owners *o, struct log_buffer *log, struct str_list *paths)
{
    for (size_t i = 0; i < o->reference->templates.len; i++)
        check_template(o, &o->reference->templates.items[i], log, paths);
}
