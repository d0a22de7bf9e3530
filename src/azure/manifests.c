/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifests.c - a resolver over objects in memory.
 */
#include "azure/manifests.h"

#include "arm/id.h"
#include "text/codec.h"

struct manifests {
    struct arena *arena;
    str namespace;
    VEC(struct doc) docs;
    struct map *by_name;  /* "group/kind/namespace/name" to the index + 1 */
    struct map *anywhere; /* "group/kind//name" to the index + 1 of the first */
    struct resolver resolver;
    struct buf *notes; /* only while guessing */
};

/* ---- Objects. -------------------------------------------------------------------------------- */

static str key_of(struct arena *a, const struct manifests *m, const struct object_key *n)
{
    struct object_key key = *n;

    if (!key.namespace.len)
        key.namespace = m->namespace;
    return object_key_text(a, &key);
}

static str key_anywhere(struct arena *a, const struct object_key *n)
{
    return str_fmt(a, "%.*s/%.*s//%.*s", STR_ARG(n->group), STR_ARG(n->kind), STR_ARG(n->name));
}

bool manifests_add(struct manifests *m, const struct doc *doc)
{
    struct object_key name = object_key_of(doc->root);
    str key = key_of(m->arena, m, &name);
    bool fresh = !map_has(m->by_name, key);

    VEC_PUSH(m->arena, &m->docs, *doc);
    map_set(m->by_name, key, (void *)(uintptr_t)m->docs.len);
    key = key_anywhere(m->arena, &name);
    if (!map_has(m->anywhere, key))
        map_set(m->anywhere, key, (void *)(uintptr_t)m->docs.len);
    return fresh;
}

size_t manifests_count(const struct manifests *m)
{
    return m->docs.len;
}

const struct doc *manifests_at(const struct manifests *m, size_t i)
{
    return &m->docs.items[i];
}

const struct doc *manifests_find(const struct manifests *m, const struct object_key *name)
{
    AUTO_ARENA a = arena_new();
    size_t i = (size_t)(uintptr_t)map_get(m->by_name, key_of(a, m, name));

    return i ? &m->docs.items[i - 1] : NULL;
}

static bool find_object(void *ctx, struct arena *a, const struct object_key *name,
                        const struct value **out, struct err *e)
{
    const struct manifests *m = ctx;
    const struct doc *doc = manifests_find(m, name);

    (void)a;
    *out = doc ? doc->root : NULL;
    return doc || err_set(e, ERR_NOT_FOUND, "there is no %.*s \"%.*s\" of group %.*s",
                          STR_ARG(name->kind), STR_ARG(name->name), STR_ARG(name->group));
}

/* ---- Secrets and config maps. ---------------------------------------------------------------- */

static bool find_plain(const struct manifests *m, const char *kind, str namespace, str name,
                       const struct value **out, struct err *e)
{
    struct object_key n = {.kind = str_c(kind), .namespace = namespace, .name = name};
    const struct doc *doc = manifests_find(m, &n);

    *out = doc ? doc->root : NULL;
    return doc || err_set(e, ERR_NOT_FOUND, "there is no %s \"%.*s\"", kind, STR_ARG(name));
}

static bool no_key(const char *kind, str name, str key, struct err *e)
{
    return err_set(e, ERR_NOT_FOUND, "%s \"%.*s\" has no key \"%.*s\"", kind, STR_ARG(name),
                   STR_ARG(key));
}

static bool secret_value(struct arena *a, const struct value *secret, str name, str key, str *out,
                         struct err *e)
{
    const struct value *plain = value_get(value_get(secret, STR("stringData")), key);
    const struct value *coded = value_get(value_get(secret, STR("data")), key);
    size_t bad;

    if (!plain && !coded)
        return no_key("Secret", name, key, e);
    *out = value_str(plain);
    return plain || base64_decode(a, value_str(coded), out, &bad) ||
           err_set(e, ERR_INVALID, "Secret \"%.*s\": the value of \"%.*s\" is not base64",
                   STR_ARG(name), STR_ARG(key));
}

static bool find_secret(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                        struct err *e)
{
    const struct value *secret;

    return find_plain(ctx, "Secret", namespace, name, &secret, e) &&
           secret_value(a, secret, name, key, out, e);
}

static bool find_secret_map(void *ctx, struct arena *a, str namespace, str name,
                            const struct value **out, struct err *e)
{
    static const char *const parts[] = {"data", "stringData"};
    struct value *all = value_object(a);
    const struct value *secret;
    str text = STR_NONE;

    if (!find_plain(ctx, "Secret", namespace, name, &secret, e))
        return false;
    for (size_t p = 0; p < COUNT(parts); p++) {
        const struct value *part = value_get(secret, str_c(parts[p]));
        for (size_t i = 0; i < value_len(part); i++) {
            str key = value_key(&part->items[i]);
            if (!secret_value(a, secret, name, key, &text, e))
                return false;
            value_set_str(a, all, key, text);
        }
    }
    *out = all;
    return true;
}

static bool find_config(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                        struct err *e)
{
    const struct value *config;

    (void)a;
    if (!find_plain(ctx, "ConfigMap", namespace, name, &config, e))
        return false;
    const struct value *v = value_get(value_get(config, STR("data")), key);
    *out = value_str(v);
    return v || no_key("ConfigMap", name, key, e);
}

/* ---- Guessing. ------------------------------------------------------------------------------- */

static bool guess_secret(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                         struct err *e)
{
    struct manifests *m = ctx;
    AUTO_ARENA moment = arena_new();
    AUTO_ERR missing = {0};

    (void)e;
    if (!find_secret(ctx, moment, namespace, name, key, out, &missing))
        buf_fmt(m->notes, "%.*s\n", STR_ARG(missing.text));
    *out = str_fmt(a, "{secret %.*s/%.*s}", STR_ARG(name), STR_ARG(key));
    return true;
}

static bool guess_secret_map(void *ctx, struct arena *a, str namespace, str name,
                             const struct value **out, struct err *e)
{
    struct manifests *m = ctx;
    AUTO_ARENA moment = arena_new();
    AUTO_ERR missing = {0};
    const struct value *found = NULL;
    struct value *all = value_object(a);

    (void)e;
    if (!find_secret_map(ctx, moment, namespace, name, &found, &missing)) {
        buf_fmt(m->notes, "%.*s\n", STR_ARG(missing.text));
        value_set_str(a, all, STR("{keys}"), str_fmt(a, "{secret %.*s}", STR_ARG(name)));
    } else {
        for (size_t i = 0; i < value_len(found); i++) {
            str key = str_copy(a, value_key(&found->items[i]));
            value_set_str(a, all, key,
                          str_fmt(a, "{secret %.*s/%.*s}", STR_ARG(name), STR_ARG(key)));
        }
    }
    *out = all;
    return true;
}

static bool guess_config(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                         struct err *e)
{
    struct manifests *m = ctx;
    AUTO_ERR missing = {0};

    (void)e;
    if (find_config(ctx, a, namespace, name, key, out, &missing))
        return true;
    buf_fmt(m->notes, "%.*s\n", STR_ARG(missing.text));
    *out = str_fmt(a, "{config map %.*s/%.*s}", STR_ARG(name), STR_ARG(key));
    return true;
}

void manifests_describe_missing(const struct manifests *m, const struct object_key *name,
                                struct buf *out)
{
    AUTO_ARENA a = arena_new();
    size_t i = (size_t)(uintptr_t)map_get(m->anywhere, key_anywhere(a, name));
    str here = name->namespace.len ? name->namespace : m->namespace;

    if (!i) {
        buf_fmt(out, "there is no %.*s \"%.*s\" in these files", STR_ARG(name->kind),
                STR_ARG(name->name));
        return;
    }
    str there = object_key_of(m->docs.items[i - 1].root).namespace;
    there = there.len ? there : m->namespace;
    buf_fmt(out,
            "%.*s \"%.*s\" is in namespace \"%.*s\", but only objects in \"%.*s\" can be referred "
            "to from here",
            STR_ARG(name->kind), STR_ARG(name->name), STR_ARG(there), STR_ARG(here));
}

/* The usual id of a missing object: its own name, and braces for those above it. */
static bool guess_id(void *ctx, struct arena *a, const struct object_key *name, str *out,
                     struct err *e)
{
    struct manifests *m = ctx;
    const struct model_resource *res;
    str names[OWNERS_MAX], subscription = m->resolver.subscription;
    size_t parts = 0;

    if (!model_find_hub(m->resolver.model, name->group, name->kind, &res, e))
        return false;
    manifests_describe_missing(m, name, m->notes);
    buf_char(m->notes, '\n');
    if (res->scope == SCOPE_SUBSCRIPTION) {
        *out = arm_id_of_group(a, subscription, name->name);
        return true;
    }
    for (size_t i = 0; i < res->arm_type.len && parts < OWNERS_MAX; i++)
        if (res->arm_type.ptr[i] == '/')
            names[parts++] = STR("{owner}");
    if (!parts)
        return err_set(e, ERR_INVALID, "kind %.*s is not an Azure resource", STR_ARG(name->kind));
    names[parts - 1] = res->fixed_name.len ? res->fixed_name : name->name;
    str base = res->scope == SCOPE_TENANT ? STR_NONE
                                          : arm_id_of_group(a, subscription, STR("{group}"));
    return arm_id_of_resource(a, base, res->arm_type, names, parts, out, e);
}

void manifests_guess(struct manifests *m, struct buf *notes)
{
    m->notes = notes;
    m->resolver.secret = guess_secret;
    m->resolver.secret_map = guess_secret_map;
    m->resolver.config = guess_config;
    m->resolver.missing = guess_id;
}

/* ---- The whole. ------------------------------------------------------------------------------ */

struct manifests *manifests_new(struct arena *a, struct model *model, str subscription)
{
    struct manifests *m = ARENA_NEW(a, struct manifests);

    *m = (struct manifests){
        .arena = a, .namespace = STR("default"), .by_name = map_new(a), .anywhere = map_new(a)};
    m->resolver = (struct resolver){.model = model,
                                    .subscription = subscription,
                                    .compute = true,
                                    .ctx = m,
                                    .object = find_object,
                                    .secret = find_secret,
                                    .config = find_config,
                                    .secret_map = find_secret_map};
    return m;
}

const struct resolver *manifests_resolver(const struct manifests *m)
{
    return &m->resolver;
}
