/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - the files of api/sim: how each type behaves.
 *
 * Every key must be known and every value must have its type, so that nothing in a file is silently
 * ignored; errors name file and line. The built-in files are one embedded text, in which a line
 * that begins with a form feed names the file that follows; each but common.json is read when a
 * type of its provider is first used, since reading them all takes a while.
 */
#include "sim/types.h"

#include "azure/member.h"
#include "base/embed.h"
#include "text/json/json.h"

#include <assert.h>

EMBED(sim_types, "build/gen/sim.types");

/* Far beyond any legitimate file. */
#define TYPES_MAX 100000

struct sim_types {
    struct arena *arena;
    struct map *unread; /* embedded files that were not needed yet: struct source */
    struct map *types;  /* by name in lower case */
    bool late;          /* what is there takes precedence over what is read now */
    const struct value *actions;
    const struct value *roles;
    struct sim_limits limits;
    struct sim_references references;
    struct sim_type usual;
};

/* ---- Types. -----------------------------------------------------------------------------------
 */

static bool read_mirrors(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"at", sim_read_members, offsetof(struct sim_mirror, at)},
        {"flat", fields_bool, offsetof(struct sim_mirror, flat)},
        {"readOnly", fields_bool, offsetof(struct sim_mirror, read_only)},
        {0}};
    struct sim_type *type = out;

    if (!value_is(v, VALUE_OBJECT))
        return fields_fail(f, v, "mirrors must say where each child type is shown");
    for (size_t i = 0; i < v->len; i++) {
        struct sim_mirror m = {.type = value_key(&v->items[i])};
        if (!fields_read(f, &v->items[i], fields, &m))
            return false;
        if (!m.at.len)
            return fields_fail(f, &v->items[i], "a mirror needs at");
        VEC_PUSH(f->arena, &type->mirrors, m);
    }
    return true;
}

static bool read_actions(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_OBJECT))
        return fields_fail(f, v, "actions must hold an answer for each name");
    return fields_any(f, v, out);
}

static bool read_built_in(struct fields *f, const struct value *v, void *out)
{
    bool good = value_is(v, VALUE_OBJECT);

    for (size_t i = 0; good && i < v->len; i++)
        good = v->items[i].kind == VALUE_OBJECT;
    return good ? fields_any(f, v, out) : fields_fail(f, v, "builtIn must hold properties by name");
}

/* What the service reverts to: paths and their values. */
static bool read_keeps(struct fields *f, const struct value *v, void *out)
{
    struct path path;

    if (!value_is(v, VALUE_OBJECT))
        return fields_fail(f, v, "keeps must hold values by path");
    for (size_t i = 0; i < v->len; i++)
        if (!path_parse_dotted(f->arena, value_key(&v->items[i]), &path, f->e))
            return fields_fail(f, &v->items[i], "keeps must hold values by path");
    return fields_any(f, v, out);
}

/* Fills in defaults, from what the type says or from what is usual. */
static void complete(struct fields *f, struct sim_type *type)
{
    const struct sim_types *t = f->ctx;

    if (!type->create.len)
        type->create = t->usual.create;
    if (!type->update.len) {
        struct sim_answer update = type->create.items[type->create.len - 1];
        update.status = update.status == 202 ? 202 : 200;
        if (update.poller == POLLER_RELATIVE)
            update.poller = POLLER_NONE;
        VEC_PUSH(f->arena, &type->update, update);
    }
    if (!type->remove.len)
        type->remove = t->usual.remove;
}

static bool read_type(struct fields *f, const struct value *v)
{
    static const struct field fields[] = {
        {"actions", read_actions, offsetof(struct sim_type, actions)},
        {"builtIn", read_built_in, offsetof(struct sim_type, built_in)},
        {"create", sim_read_answers, offsetof(struct sim_type, create)},
        {"delete", sim_read_answers, offsetof(struct sim_type, remove)},
        {"deleteMatch", fields_bool, offsetof(struct sim_type, delete_match)},
        {"deleteQuery", fields_text, offsetof(struct sim_type, delete_query)},
        {"exclusive", fields_bool, offsetof(struct sim_type, exclusive)},
        {"exclusiveSiblings", fields_bool, offsetof(struct sim_type, siblings)},
        {"headOnly", fields_bool, offsetof(struct sim_type, head_only)},
        {"inUse", sim_read_uses, 0},
        {"keeps", read_keeps, offsetof(struct sim_type, keeps)},
        {"keepsOmitted", fields_bool, offsetof(struct sim_type, keeps_omitted)},
        {"listDrops", sim_read_names, offsetof(struct sim_type, list_drops)},
        {"mirrors", read_mirrors, 0},
        {"missing", sim_read_missing, offsetof(struct sim_type, missing)},
        {"rules", sim_read_rules, 0},
        {"softDelete", fields_text, offsetof(struct sim_type, soft_delete)},
        {"troubles", sim_read_troubles, 0},
        {"undeletable", fields_bool, offsetof(struct sim_type, undeletable)},
        {"update", sim_read_answers, offsetof(struct sim_type, update)},
        {"versions", sim_read_names, offsetof(struct sim_type, versions)},
        {0},
    };
    struct sim_type *type = ARENA_NEW(f->arena, struct sim_type);
    const struct sim_types *t = f->ctx;

    type->name = value_key(v);
    if (str_find_char(type->name, '/') == STR_NPOS)
        return fields_fail(f, v, "a type is written Provider/type");
    if (map_len(t->types) == TYPES_MAX)
        return fields_fail(f, v, "more than %d types", TYPES_MAX);
    if (!fields_read(f, v, fields, type))
        return err_wrap(f->e, "type %.*s", STR_ARG(type->name));
    complete(f, type);
    str key = str_lower(f->arena, type->name);
    if (!t->late || !map_has(t->types, key))
        map_set(t->types, key, type);
    return true;
}

static bool read_types(struct fields *f, const struct value *v, void *out)
{
    (void)out;
    if (!value_is(v, VALUE_OBJECT))
        return fields_fail(f, v, "types must be an object");
    for (size_t i = 0; i < v->len; i++)
        if (!read_type(f, &v->items[i]))
            return false;
    return true;
}

static bool read_roles(struct fields *f, const struct value *v, void *out)
{
    bool good = value_is(v, VALUE_OBJECT);

    for (size_t i = 0; good && i < v->len; i++)
        good = value_is(&v->items[i], VALUE_STRING);
    return good ? fields_any(f, v, out) : fields_fail(f, v, "roles must hold a name for each id");
}

/* ---- Files. -----------------------------------------------------------------------------------
 */

static struct sim_answers only_answer(struct arena *a, struct sim_answer answer)
{
    struct sim_answers answers = {0};

    VEC_PUSH(a, &answers, answer);
    return answers;
}

struct sim_types *sim_types_new(struct arena *a)
{
    struct sim_types *t = ARENA_NEW(a, struct sim_types);

    t->arena = a;
    t->types = map_new(a);
    t->unread = map_new(a);
    t->usual.name = STR("unknown");
    t->usual.unheard = true;
    t->usual.create = only_answer(a, (struct sim_answer){.status = 201});
    t->usual.update = only_answer(a, (struct sim_answer){.status = 200});
    t->usual.remove = only_answer(a, (struct sim_answer){.status = 200, .body = BODY_EMPTY});
    return t;
}

bool sim_types_read(struct sim_types *t, const struct source *src, struct err *e)
{
    static const struct field fields[] = {
        {"actions", read_actions, offsetof(struct sim_types, actions)},
        {"limits", sim_read_limits, offsetof(struct sim_types, limits)},
        {"references", sim_read_references, offsetof(struct sim_types, references)},
        {"roles", read_roles, offsetof(struct sim_types, roles)},
        {"types", read_types, 0},
        {0},
    };
    struct fields f = {.arena = t->arena, .source = src, .e = e, .ctx = t};
    struct value *root;

    return json_read(t->arena, src, NULL, &root, e) && fields_read(&f, root, fields, t);
}

bool sim_types_builtin(struct sim_types *t, struct err *e)
{
    str rest = EMBEDDED(sim_types), part;

    str_cut(rest, STR("\f"), &part, &rest);
    while (rest.len) {
        struct source *src = ARENA_NEW(t->arena, struct source);
        str_cut(rest, STR("\f"), &part, &rest);
        str_cut(part, STR("\n"), &src->file, &src->text);
        /* "api/sim/microsoft.network.json" belongs to the provider microsoft.network. */
        str provider = str_without_suffix(file_base(src->file), STR(".json"));
        if (str_find_char(provider, '.') != STR_NPOS)
            map_set(t->unread, provider, src);
        else if (!sim_types_read(t, src, e))
            return false;
    }
    return true;
}

/* Reads the built-in file of a provider when it is first needed. */
static void read_provider(struct sim_types *t, str provider)
{
    const struct source *src = map_get(t->unread, provider);
    AUTO_ERR e = {0};

    if (!src)
        return;
    map_set(t->unread, provider, NULL);
    t->late = true;
    bool good = sim_types_read(t, src, &e);
    t->late = false;
    (void)good;
    assert(good);
}

static str provider_of(struct arena *a, str type)
{
    size_t slash = str_find_char(type, '/');

    return str_lower(a, str_slice(type, 0, slash == STR_NPOS ? type.len : slash));
}

bool sim_types_all(struct sim_types *t, struct err *e)
{
    for (size_t i = 0; i < map_len(t->unread); i++) {
        const struct source *src = map_at(t->unread, i);
        if (src && !sim_types_read(t, src, e))
            return false;
        map_set(t->unread, map_key(t->unread, i), NULL);
    }
    return true;
}

const struct sim_type *sim_types_find(struct arena *a, struct sim_types *t, str type)
{
    read_provider(t, provider_of(a, type));
    const struct sim_type *found = map_get(t->types, str_lower(a, type));

    return found ? found : &t->usual;
}

const struct value *sim_types_roles(const struct sim_types *t)
{
    return t->roles;
}

bool sim_types_keep(struct arena *a, struct sim_types *t, str provider, str kept_as)
{
    read_provider(t, provider_of(a, provider));
    for (size_t i = 0; i < map_len(t->types); i++) {
        const struct sim_type *type = map_at(t->types, i);
        str own = str_slice(type->name, 0, str_find_char(type->name, '/'));
        if (type->soft_delete.len && str_eq_fold(type->soft_delete, kept_as) &&
            str_eq_fold(own, provider))
            return true;
    }
    return false;
}

bool sim_types_provider(struct arena *a, struct sim_types *t, str provider)
{
    read_provider(t, provider_of(a, provider));
    for (size_t i = 0; i < map_len(t->types); i++) {
        const struct sim_type *type = map_at(t->types, i);
        if (str_eq_fold(str_slice(type->name, 0, str_find_char(type->name, '/')), provider))
            return true;
    }
    return false;
}

const struct sim_references *sim_types_references(const struct sim_types *t)
{
    return &t->references;
}

const struct sim_limits *sim_types_limits(const struct sim_types *t)
{
    return &t->limits;
}

const struct value *sim_types_action(const struct sim_types *t, const struct sim_type *type,
                                     str name)
{
    const struct value *own = member_fold(type->actions, name);

    return own ? own : member_fold(t->actions, name);
}
