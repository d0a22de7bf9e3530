/* SPDX-License-Identifier: Apache-2.0 */
/* sim_world.h - a simulator and its last answer, for the tests of this folder. */
#pragma once

#include "../test.h"

#include "sim/sim.h"
#include "text/json/json.h"

#define SUB "/subscriptions/s"
#define GROUP SUB "/resourceGroups/g"
#define BASE "http://127.0.0.1:1"

struct world {
    struct arena *a;
    struct sim *s;
    struct sim_response r;
    struct value *body;
};

static inline struct world begin(const struct sim_config *config)
{
    struct world w = {.a = arena_new()};
    AUTO_ERR e = {0};

    assert_ok(sim_new(config, &w.s, &e), &e);
    return w;
}

static inline void end(struct world *w)
{
    sim_free(w->s);
    arena_free(w->a);
}

/* Sends a request to a path or URL with its query. */
static inline int ask_url(struct world *w, const char *method, str url, str body)
{
    struct sim_request q = {.method = str_c(method), .base = STR(BASE), .body = body};
    struct source src;

    str_cut(str_without_prefix(url, STR(BASE)), STR("?"), &q.path, &q.query);
    sim_handle(w->s, w->a, &q, &w->r);
    src = (struct source){.text = w->r.body};
    if (!w->r.body.len || !json_read(w->a, &src, NULL, &w->body, NULL))
        w->body = NULL;
    return w->r.status;
}

/* The same with an api-version. */
static inline int ask(struct world *w, const char *method, const char *path, const char *body)
{
    return ask_url(w, method, str_fmt(w->a, "%s?api-version=2024-03-01", path), str_c(body));
}

static inline str code(const struct world *w)
{
    return value_get_str(value_get(w->body, STR("error")), STR("code"));
}

static inline str header(const struct world *w, const char *name)
{
    return http_header_get(&w->r.headers, str_c(name));
}

static inline void add_types(struct world *w, const char *text)
{
    struct source src = {.file = STR("t.json"), .text = str_c(text)};
    AUTO_ERR e = {0};

    assert_ok(sim_add_types(w->s, &src, &e), &e);
}
