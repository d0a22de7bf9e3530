/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - the last exchanges, for people and tests, limited in number and bytes. */
#include "sim/internal.h"

#include <string.h>

/* The most that is kept of each body. */
#define SHOWN_MAX (64 * KIB)

struct entry {
    struct entry *next;
    str text;
};

struct sim_log {
    struct entry *first, *last;
    size_t len, bytes;
    uint64_t number;
};

struct sim_log *sim_log_new(void)
{
    struct sim_log *l = block_new(sizeof *l);

    memset(l, 0, sizeof *l);
    return l;
}

static void drop_first(struct sim_log *l)
{
    struct entry *e = l->first;

    l->first = e->next;
    if (!l->first)
        l->last = NULL;
    l->len--;
    l->bytes -= e->text.len;
    sim_keep(&e->text, STR_NONE);
    block_free(e);
}

void sim_log_clear(struct sim_log *l)
{
    while (l->first)
        drop_first(l);
}

void sim_log_free(struct sim_log *l)
{
    sim_log_clear(l);
    block_free(l);
}

static void set_body(struct arena *a, struct value *v, const char *name, str body)
{
    if (body.len)
        value_set_str(a, v, str_c(name), str_slice(body, 0, SHOWN_MAX));
}

/* Headers that say how to continue. */
static void set_headers(struct arena *a, struct value *v, const struct http_headers *headers)
{
    static const char *const shown[] = {"Azure-AsyncOperation", "Location", "Retry-After"};

    for (size_t i = 0; i < COUNT(shown); i++)
        if (http_header_has(headers, str_c(shown[i])))
            value_set_str(a, v, str_c(shown[i]), http_header_get(headers, str_c(shown[i])));
}

void sim_log_add(struct sim_call *c)
{
    struct sim_log *l = c->sim->log;
    struct arena *a = c->arena;
    struct value *v = value_object(a);
    struct entry *e = block_new(sizeof *e);

    value_set_int(a, v, STR("number"), (int64_t)++l->number);
    value_set_str(a, v, STR("time"), sim_stamp(a, sim_now(c->sim)));
    value_set_str(a, v, STR("kind"), str_c(c->kind));
    value_set_str(a, v, STR("method"), c->q->method);
    value_set_str(a, v, STR("path"), c->q->path);
    if (c->q->query.len)
        value_set_str(a, v, STR("query"), c->q->query);
    value_set_int(a, v, STR("status"), c->r->status);
    if (c->created)
        value_set_bool(a, v, STR("created"), true);
    if (c->drop)
        value_set_bool(a, v, STR("dropped"), true);
    set_headers(a, v, &c->r->headers);
    /* Bodies of the tokens endpoint hold secrets. */
    if (strcmp(c->kind, "other") != 0) {
        set_body(a, v, "request", c->q->body);
        set_body(a, v, "response", c->r->body);
    }
    memset(e, 0, sizeof *e);
    sim_keep(&e->text, sim_json(a, v));
    if (l->last)
        l->last->next = e;
    else
        l->first = e;
    l->last = e;
    l->len++;
    l->bytes += e->text.len;
    while (l->len > SIM_LOG_MAX || l->bytes > SIM_LOG_BYTES)
        drop_first(l);
}

struct value *sim_log_list(struct sim_log *l, struct arena *a, size_t last)
{
    struct value *list = value_list(a);
    size_t skip = last && last < l->len ? l->len - last : 0;

    for (const struct entry *e = l->first; e; e = e->next)
        if (skip)
            skip--;
        else
            value_add(a, list, sim_parse(a, e->text));
    return list;
}
