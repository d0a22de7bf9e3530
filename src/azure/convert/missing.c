/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing.c - a resolver around another one that remembers what was looked up last.
 *
 * Errors are for people; code that waits for an object must know its key. When a lookup ends in
 * ERR_NOT_FOUND, the last thing looked up is what is missing, however deep in a chain of owners.
 */
#include "azure/convert/internal.h"

static bool ask_object(void *ctx, struct arena *a, const struct object_key *name,
                       const struct value **out, struct err *e)
{
    struct asking *q = ctx;

    q->object = *name;
    q->key = STR_NONE;
    return q->r->object(q->r->ctx, a, name, out, e);
}

static void ask(struct asking *q, const char *kind, str namespace, str name, str key)
{
    q->object = (struct object_key){.kind = str_c(kind), .namespace = namespace, .name = name};
    q->key = key;
}

static bool ask_secret(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                       struct err *e)
{
    struct asking *q = ctx;

    ask(q, "Secret", namespace, name, key);
    return q->r->secret(q->r->ctx, a, namespace, name, key, out, e);
}

static bool ask_config(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                       struct err *e)
{
    struct asking *q = ctx;

    ask(q, "ConfigMap", namespace, name, key);
    return q->r->config(q->r->ctx, a, namespace, name, key, out, e);
}

static bool ask_secret_map(void *ctx, struct arena *a, str namespace, str name,
                           const struct value **out, struct err *e)
{
    struct asking *q = ctx;

    ask(q, "Secret", namespace, name, STR_NONE);
    return q->r->secret_map(q->r->ctx, a, namespace, name, out, e);
}

static bool ask_missing(void *ctx, struct arena *a, const struct object_key *name, str *out,
                        struct err *e)
{
    struct asking *q = ctx;

    return q->r->missing(q->r->ctx, a, name, out, e);
}

struct resolver asking_resolver(struct asking *q)
{
    return (struct resolver){.model = q->r->model,
                             .subscription = q->r->subscription,
                             .compute = q->r->compute,
                             .ctx = q,
                             .object = q->r->object ? ask_object : NULL,
                             .secret = q->r->secret ? ask_secret : NULL,
                             .config = q->r->config ? ask_config : NULL,
                             .secret_map = q->r->secret_map ? ask_secret_map : NULL,
                             .missing = q->r->missing ? ask_missing : NULL};
}

void missing_add(struct arena *a, struct missing *m, const struct asking *q, str path, str text)
{
    struct missing_item *item = VEC_ADD(a, m);

    *item = (struct missing_item){.path = str_copy(a, path),
                                  .object = {.group = str_copy(a, q->object.group),
                                             .kind = str_copy(a, q->object.kind),
                                             .namespace = str_copy(a, q->object.namespace),
                                             .name = str_copy(a, q->object.name)},
                                  .key = str_copy(a, q->key),
                                  .text = str_copy(a, text)};
}

bool missing_fail(const struct missing *m, struct where at, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < m->len; i++)
        buf_fmt(&text, "%s%.*s", i ? "; " : "", STR_ARG(m->items[i].text));
    err_set_str(e, ERR_NOT_FOUND, buf_str(&text));
    return err_at(e, at);
}
