/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_live.c - the objects of a comparison, from the cluster: asking, and the words of the
 * original when there is no answer.
 */
#include "base/quote.h"
#include "compare/live.h"

struct collecting {
    struct compare *compare;
};

static bool keep(void *ctx, struct arena *a, struct value *object, struct err *e)
{
    struct compare *c = ((struct collecting *)ctx)->compare;
    struct object *o = VEC_ADD(c->arena, &c->objects);

    (void)a;
    (void)e;
    o->root = value_copy(c->arena, object);
    o->identity = identity_of(o->root);
    o->id = identity_id(c->arena, &o->identity);
    c->verdict.documents++;
    return true;
}

/* client-go logs before it fails. */
static bool fail_discovery(struct compare *c, struct err *e)
{
    str text;

    if (c->options->improved)
        return err_wrap(e, "the cluster cannot be asked; name files with -f to do without");
    text = str_fmt(c->arena, "couldn't get current server API group list: %.*s", STR_ARG(e->text));
    if (!str_has_prefix(e->text, STR("unable to retrieve the complete list")))
        journal_error(&c->journal, "\"Unhandled Error\" err=%.*s logger=\"UnhandledError\"",
                      STR_ARG(quote_of(c->arena, text)));
    return err_wrap(e, "failed to get clusters resource types");
}

static bool collect(struct compare *c, struct live *l, struct err *e)
{
    struct collecting collecting = {c};

    if (!live_discover(l, e))
        return fail_discovery(c, e);
    if (!live_choose(l, c->reference.templates.items, c->reference.templates.len, &c->journal, e))
        return false;
    return live_each(l, keep, &collecting, e) ||
           err_wrap(e, "error occurred while trying to fetch resources");
}

bool source_live_collect(struct compare *c, struct err *e)
{
    struct live *l = NULL;
    bool ok = live_open(c->arena, c->options->cluster, &l, e) && collect(c, l, e);

    live_close(l);
    return ok;
}
