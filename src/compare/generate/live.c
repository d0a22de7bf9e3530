/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - reads the objects of a running cluster for the rows of a config. Discovery runs when the
 * first row needs it. A row that fails does not affect the others, nor does a part of the server
 * that does not answer.
 */
#include "compare/generate/internal.h"
#include "compare/input/live_internal.h"
#include "go/quote.h"

struct generate_live {
    struct arena *arena;
    struct live *live;
    struct log_buffer *log; /* NULL: nothing is logged, and errors are ours, not the original's */
    bool asked;
    struct err fault; /* of asking */
};

bool generate_live_open(struct arena *a, const struct kube_flags *flags, struct log_buffer *log,
                        struct generate_live **out, struct err *e)
{
    struct generate_live *g = ARENA_NEW(a, struct generate_live);

    g->arena = a;
    g->log = log;
    *out = g;
    return live_open(a, flags, false, &g->live, e) ||
           err_wrap(e, "failed to create dynamic client");
}

void generate_live_close(struct generate_live *g)
{
    if (!g)
        return;
    live_close(g->live);
    err_clear(&g->fault);
}

static bool discover(struct generate_live *g, struct err *e)
{
    if (!g->asked) {
        g->asked = true;
        (void)!live_discover(g->live, &g->fault);
    }
    if (live_discovery(g->live))
        return true;
    if (g->log)
        live_tell_failure(g->arena, &g->fault, g->log);
    return err_copy(e, &g->fault);
}

/* Go's ParseGroupVersion allows one slash. */
static bool check_version(struct arena *a, str api_version, struct err *e)
{
    size_t slash = str_find_char(api_version, '/');

    if (slash == STR_NPOS || str_find_char(str_from(api_version, slash + 1), '/') == STR_NPOS)
        return true;
    return err_set(e, ERR_INVALID, "invalid apiVersion %.*s: unexpected GroupVersion string: %.*s",
                   STR_ARG(go_quoted(a, api_version)), STR_ARG(api_version));
}

static bool find_resource(struct generate_live *g, const struct wanted *row,
                          const struct kube_resource **out, struct err *e)
{
    /* Without a version any of the group without a name will do, which has but one. */
    str version = row->api_version.len ? row->api_version : STR("v1");
    bool ok = discover(g, e);

    *out = ok ? kube_kind_exact(live_discovery(g->live), version, row->kind) : NULL;
    if (ok && !*out)
        ok = err_set(e, ERR_NOT_FOUND, "no matches for kind %.*s in version %.*s",
                     STR_ARG(go_quoted(g->arena, row->kind)),
                     STR_ARG(go_quoted(g->arena, row->api_version)));
    return ok || err_wrap(e, "failed to find API for %.*s (%.*s)", STR_ARG(row->kind),
                          STR_ARG(row->api_version));
}

struct filling {
    struct arena *arena;
    struct wanted *row;
};

static bool keep(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    const struct filling *f = ctx;
    struct value *root = value_copy(f->arena, item);

    (void)a;
    (void)e;
    VEC_PUSH(f->arena, &f->row->found,
             ((struct object){.root = root, .identity = identity_of(root)}));
    return true;
}

/* Of one object, by its name; what means something to selectors is escaped. */
static str name_selector(struct arena *a, str name)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_add(&out, STR("metadata.name="));
    for (size_t i = 0; i < name.len; i++) {
        if (strchr("\\,=", name.ptr[i]))
            buf_char(&out, '\\');
        buf_char(&out, name.ptr[i]);
    }
    return buf_str(&out);
}

static bool list(struct generate_live *g, const struct kube_resource *r, struct wanted *row,
                 str name, struct err *e)
{
    struct filling f = {g->arena, row};
    struct kube_status status = {0};
    struct kube_call call = {.resource = r, .namespace = row->namespace, .status = &status};
    struct kube_list_options options = {.limit = KUBE_PAGE};

    if (name.len)
        options.fields = name_selector(g->arena, name);
    if (kube_list(live_transport(g->live), &call, &options, keep, &f, g->arena, NULL, e))
        return true;
    /* The original says no more than the server. */
    if (g->log && status.silent)
        err_set_str(e, e->kind, STR_NONE);
    return err_wrap(e, "list cluster resources");
}

static bool list_names(struct generate_live *g, const struct kube_resource *r, struct wanted *row,
                       struct err *e)
{
    struct map *seen = map_new(g->arena);

    for (size_t i = 0; i < row->names.len; i++) {
        str name = row->names.items[i];
        if (!name.len || map_has(seen, name))
            continue;
        map_set(seen, name, row);
        if (!list(g, r, row, name, e))
            return err_wrap(e, "failed to fetch %.*s %.*s", STR_ARG(row->kind),
                            STR_ARG(go_quoted(g->arena, name)));
    }
    return true;
}

bool generate_live_fill(struct generate_live *g, struct wanted *row, struct err *e)
{
    const struct kube_resource *r;

    if (!check_version(g->arena, row->api_version, e) || !find_resource(g, row, &r, e))
        return false;
    if (row->names.len)
        return list_names(g, r, row, e);
    return list(g, r, row, STR_NONE, e) || err_wrap(e, "failed to fetch %.*s", STR_ARG(row->kind));
}
