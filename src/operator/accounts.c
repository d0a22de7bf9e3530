/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounts.c - the credentials of objects, and their clients; see accounts.h.
 *
 * An entry is what we know about one Secret: the version that was read, and a client or an error.
 * Clients are reference-counted: the entry holds one reference, and so does every request under
 * way.
 */
#include "operator/accounts.h"

#include "base/block.h"
#include "base/lock.h"
#include "base/map.h"
#include "object/names.h"
#include "text/codec.h"
#include "text/json/json.h"
#include "value/source.h"

#define GLOBAL "global"
#define SECRET_OF_NAMESPACE "aso-credential"
/* How long to wait before a Secret that could not be read is read again. */
#define READ_AGAIN (5 * NS_PER_SEC)

struct account_client {
    unsigned users;
    struct credential *credential;
    struct arm *arm;
};

struct entry {
    struct arena *arena; /* of this and its texts */
    str key, namespace, name;
    str uid;          /* of the Namespace: a new one with that name is a different one */
    uint64_t version; /* of the Secret that was read */
    bool reading;
    struct account_client *client; /* NULL: none yet, or problem says why */
    str problem;
    bool transient; /* the problem may be over at again */
    int64_t again;
};

struct accounts {
    struct arena *arena;
    struct accounts_config config;
    struct lock lock;
    struct map *entries; /* "namespace/name" */
    struct account_client *global;
};

/* ---- Clients. -------------------------------------------------------------------------------- */

static bool new_client(struct accounts *s, const struct credential_settings *settings,
                       struct account_client **out, struct err *e)
{
    struct account_client *c = block_new(sizeof *c);

    *c = (struct account_client){.users = 1};
    if (!credential_new(settings, &c->credential, e)) {
        block_free(c);
        return false;
    }
    const struct arm_config config = {
        .credential = c->credential, .gate = s->config.gate, .agent = s->config.agent};
    c->arm = arm_new(&config);
    *out = c;
    return true;
}

/* c may be NULL. */
static void free_client(struct account_client *c)
{
    if (!c)
        return;
    arm_free(c->arm);
    credential_free(c->credential);
    block_free(c);
}

/* Drops a reference; returns the client if it was the last one, to be freed without the lock. */
static struct account_client *unuse(struct account_client *c)
{
    return c && --c->users == 0 ? c : NULL;
}

struct account_client *accounts_take(struct accounts *s, str key)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    struct entry *entry = map_get(s->entries, key);
    struct account_client *c = str_eq(key, STR(GLOBAL)) ? s->global : entry ? entry->client : NULL;

    if (c)
        c->users++;
    return c;
}

struct arm *accounts_arm(struct account_client *c)
{
    return c->arm;
}

str accounts_endpoint(const struct account_client *c)
{
    return credential_settings(c->credential)->cloud.endpoint;
}

void accounts_give(struct accounts *s, struct account_client *c)
{
    struct account_client *last;

    {
        AUTO_LOCK guard = lock_take(&s->lock);
        last = unuse(c);
    }
    free_client(last);
}

/* ---- Secrets. -------------------------------------------------------------------------------- */

struct secret_keys {
    struct arena *arena;
    const struct value *data;
};

static bool get_key(void *ctx, const char *key, str *value)
{
    struct secret_keys *k = ctx;
    const struct value *v = value_get(k->data, str_c(key));
    size_t bad;

    return v && base64_decode(k->arena, value_str(v), value, &bad);
}

static bool client_of_secret(struct accounts *s, const struct entry *entry,
                             const struct value *secret, struct account_client **out, struct err *e)
{
    AUTO_ARENA a = arena_new_secret();
    struct secret_keys ctx = {a, value_get(secret, STR("data"))};
    const struct credential_keys keys = {get_key, &ctx};
    const struct credential_options options = {
        .origin = str_fmt(a, "Secret %.*s", STR_ARG(entry->key)),
        .scoped = true,
        .own_cloud = s->config.own_cloud,
        .cloud = s->config.cloud};
    struct credential_settings settings = {0};

    return credential_select(a, &keys, &options, &settings, e) && new_client(s, &settings, out, e);
}

/* Turns what was read into a client, or a problem. */
static void take_answer(struct accounts *s, struct arena *a, const struct entry *entry, int status,
                        str body, struct entry *next)
{
    AUTO_ERR e = {0};
    struct source src = {.text = body};
    struct value *secret = NULL;

    if (status == 200 && json_read(a, &src, NULL, &secret, &e)) {
        next->version = object_version(secret);
        if (!client_of_secret(s, entry, secret, &next->client, &e))
            next->problem = str_copy(a, e.text);
        return;
    }
    next->transient = true;
    if (status)
        next->problem = str_fmt(a, "Secret %.*s cannot be read: the API server answers %d",
                                STR_ARG(entry->key), status);
    else
        next->problem = str_fmt(a, "Secret %.*s cannot be read: the API server does not answer",
                                STR_ARG(entry->key));
}

static struct entry *find_entry(struct accounts *s, struct arena *a, str namespace, str name)
{
    return map_get(s->entries, object_path(a, namespace, name));
}

void accounts_tell(struct accounts *s, str namespace, str name, int status, str body)
{
    AUTO_ARENA a = arena_new_secret();
    struct account_client *old = NULL;
    struct entry *entry, next = {0};

    {
        AUTO_LOCK guard = lock_take(&s->lock);
        entry = find_entry(s, a, namespace, name);
    }
    /* An entry that is being read is not removed. */
    if (!entry)
        return;
    take_answer(s, a, entry, status, body, &next);
    {
        AUTO_LOCK guard = lock_take(&s->lock);
        entry->reading = false;
        if (!str_eq(entry->problem, next.problem))
            entry->problem = str_copy(entry->arena, next.problem);
        entry->transient = next.transient;
        entry->again = clock_mono() + READ_AGAIN;
        if (!next.transient) {
            entry->version = next.version;
            old = unuse(entry->client);
            entry->client = next.client;
        }
    }
    free_client(old);
}

/* ---- Choosing. ------------------------------------------------------------------------------- */

void accounts_step(struct accounts *s)
{
    AUTO_ARENA a = arena_new();
    VEC(struct object_key) due = {0};

    {
        AUTO_LOCK guard = lock_take(&s->lock);
        for (size_t i = 0; i < map_len(s->entries); i++) {
            struct entry *entry = map_at(s->entries, i);
            if (entry->reading || !entry->transient || clock_mono() < entry->again)
                continue;
            entry->reading = true;
            VEC_PUSH(a, &due,
                     ((struct object_key){.namespace = str_copy(a, entry->namespace),
                                          .name = str_copy(a, entry->name)}));
        }
    }
    for (size_t i = 0; i < due.len; i++)
        s->config.read(s->config.ctx, due.items[i].namespace, due.items[i].name);
}

static struct entry *add_entry(struct accounts *s, const struct object_key *secret)
{
    struct arena *a = arena_new();
    struct entry *entry = ARENA_NEW(a, struct entry);

    *entry = (struct entry){.arena = a,
                            .namespace = str_copy(a, secret->namespace),
                            .name = str_copy(a, secret->name),
                            .key = object_path(a, secret->namespace, secret->name)};
    map_set(s->entries, entry->key, entry);
    return entry;
}

static void remove_entry(struct accounts *s, struct entry *entry)
{
    map_remove(s->entries, entry->key);
    free_client(unuse(entry->client));
    arena_free(entry->arena);
}

static str uid_of(struct accounts *s, struct arena *a, str namespace)
{
    const struct object_key key = {.kind = STR("Namespace"), .name = namespace};

    return object_uid(s->config.find(s->config.ctx, a, &key));
}

/* Credentials from a Secret of an earlier Namespace are no longer used. */
static void bind_entry(struct entry *entry, str uid)
{
    if (str_eq(entry->uid, uid))
        return;
    free_client(unuse(entry->client));
    entry->client = NULL;
    entry->version = 0;
    entry->uid = str_copy(entry->arena, uid);
}

/*
 * Forgets credentials of namespaces and Secrets that are gone, but only if there are many entries.
 */
static void forget_some(struct accounts *s, struct arena *a)
{
    for (size_t i = map_len(s->entries); i-- > 0;) {
        struct entry *entry = map_at(s->entries, i);
        const struct object_key namespace = {.kind = STR("Namespace"), .name = entry->namespace};
        const struct object_key secret = {
            .kind = STR("Secret"), .namespace = entry->namespace, .name = entry->name};
        if (!entry->reading && (!s->config.find(s->config.ctx, a, &namespace) ||
                                !s->config.find(s->config.ctx, a, &secret)))
            remove_entry(s, entry);
    }
}

static enum account_state ready(struct arena *a, str key, const struct account_client *c,
                                struct account *out)
{
    out->key = str_copy(a, key);
    out->subscription = str_copy(a, credential_settings(c->credential)->subscription);
    out->endpoint = str_copy(a, accounts_endpoint(c));
    return ACCOUNT_READY;
}

/* The account of an existing Secret in this version. *read: it must be read first. */
static enum account_state look_at(struct accounts *s, struct arena *a,
                                  const struct object_key *secret, uint64_t version,
                                  struct account *out, bool *read, struct err *e)
{
    str uid = uid_of(s, a, secret->namespace);
    AUTO_LOCK guard = lock_take(&s->lock);
    struct entry *entry = find_entry(s, a, secret->namespace, secret->name);

    if (!entry && map_len(s->entries) >= ACCOUNTS_MAX)
        forget_some(s, a);
    if (!entry && map_len(s->entries) >= ACCOUNTS_MAX) {
        (void)err_set(e, ERR_LIMIT, "more than %d Secrets with credentials are in use",
                      ACCOUNTS_MAX);
        return ACCOUNT_MISSING;
    }
    if (!entry)
        entry = add_entry(s, secret);
    bind_entry(entry, uid);
    if (!entry->reading && !entry->transient && entry->version < version)
        *read = entry->reading = true;
    if (entry->problem.len && (!*read || entry->transient)) {
        (void)err_set(e, ERR_INVALID, "%.*s", STR_ARG(entry->problem));
        return ACCOUNT_MISSING;
    }
    if (entry->reading || !entry->client)
        return ACCOUNT_PENDING;
    return ready(a, entry->key, entry->client, out);
}

static enum account_state of_secret(struct accounts *s, struct arena *a,
                                    const struct object_key *secret, uint64_t version,
                                    struct account *out, struct err *e)
{
    bool read = false;
    enum account_state state = look_at(s, a, secret, version, out, &read, e);

    if (read)
        s->config.read(s->config.ctx, secret->namespace, secret->name);
    return state;
}

/* Whether to use what is left of a Secret that is gone: only for objects that are being deleted. */
static bool is_kept(struct accounts *s, struct arena *a, const struct object_key *secret,
                    struct account *out)
{
    str uid = uid_of(s, a, secret->namespace);
    AUTO_LOCK guard = lock_take(&s->lock);
    const struct entry *entry = find_entry(s, a, secret->namespace, secret->name);

    return entry && entry->client && str_eq(entry->uid, uid) &&
           ready(a, entry->key, entry->client, out) == ACCOUNT_READY;
}

static enum account_state of_operator(struct accounts *s, struct arena *a, str namespace,
                                      struct account *out, struct err *e)
{
    if (s->global)
        return ready(a, STR(GLOBAL), s->global, out);
    (void)err_set(e, ERR_NOT_FOUND,
                  "no credential: the operator has none of its own; create the Secret %.*s/%s, or "
                  "name one with the annotation %s",
                  STR_ARG(namespace), SECRET_OF_NAMESPACE, ANNOTATION_CREDENTIAL_FROM);
    return ACCOUNT_MISSING;
}

enum account_state accounts_of(struct accounts *s, struct arena *a, const struct value *object,
                               struct account *out, struct err *e)
{
    str named = object_annotation(object, STR(ANNOTATION_CREDENTIAL_FROM));
    struct object_key secret = {.kind = STR("Secret"),
                                .namespace = str_copy(a, object_namespace(object)),
                                .name = named.len ? str_copy(a, named) : STR(SECRET_OF_NAMESPACE)};

    *out = (struct account){.needs = {secret}, .need_count = 1};
    if (str_contains(named, STR("/"))) {
        (void)err_set(e, ERR_INVALID,
                      "%s is \"%.*s\"; it must be the name of a Secret in the namespace of the "
                      "object, without \"/\"",
                      ANNOTATION_CREDENTIAL_FROM, STR_ARG(named));
        return ACCOUNT_MISSING;
    }
    const struct value *found = s->config.find(s->config.ctx, a, &secret);
    if (found)
        return of_secret(s, a, &secret, object_version(found), out, e);
    if (object_is_deleting(object) && is_kept(s, a, &secret, out))
        return ACCOUNT_READY;
    if (!named.len)
        return of_operator(s, a, secret.namespace, out, e);
    (void)err_set(e, ERR_NOT_FOUND, "Secret %.*s/%.*s of the annotation %s does not exist",
                  STR_ARG(secret.namespace), STR_ARG(named), ANNOTATION_CREDENTIAL_FROM);
    return ACCOUNT_MISSING;
}

/* ---- All of it. ------------------------------------------------------------------------------ */

bool accounts_new(const struct accounts_config *config, struct accounts **out, struct err *e)
{
    struct arena *a = arena_new();
    struct accounts *s = ARENA_NEW(a, struct accounts);

    *s = (struct accounts){.arena = a, .config = *config, .lock = LOCK_INIT, .entries = map_new(a)};
    s->config.agent = str_copy(a, config->agent);
    if (!config->global || new_client(s, config->global, &s->global, e)) {
        *out = s;
        return true;
    }
    accounts_free(s);
    return false;
}

void accounts_free(struct accounts *s)
{
    if (!s)
        return;
    while (map_len(s->entries))
        remove_entry(s, map_at(s->entries, map_len(s->entries) - 1));
    if (s->global)
        accounts_give(s, s->global);
    arena_free(s->arena);
}

size_t accounts_count(struct accounts *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return map_len(s->entries);
}
