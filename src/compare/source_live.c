/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_live.c - the objects of a comparison, from the cluster: asking type by type, and the words
 * of the original when there is no answer.
 */
#include "compare/input.h"
#include "base/quote.h"
#include "compare/internal.h"
#include "compare/live.h"

struct source_live {
    struct live *live;
    size_t type;         /* the next one */
    struct arena *arena; /* of the objects of one type; NULL: none */
    struct {
        struct value **items;
        size_t len, cap;
    } objects;
    size_t next;
};

/* client-go logs before it fails. */
static bool fail_discovery(struct compare *c, struct err *e)
{
    if (c->options->improved)
        return err_wrap(e, "the cluster cannot be asked%s",
                        c->options->one_of_many ? "" : "; name files with -f to do without");
    str text =
        str_fmt(c->arena, "couldn't get current server API group list: %.*s", STR_ARG(e->text));
    if (!str_has_prefix(e->text, STR("unable to retrieve the complete list")))
        journal_error(&c->journal, "\"Unhandled Error\" err=%.*s logger=\"UnhandledError\"",
                      STR_ARG(quote_of(c->arena, text)));
    return err_wrap(e, "failed to get clusters resource types");
}

bool source_live_open(struct compare *c, struct source_live **out, struct err *e)
{
    const struct reference *r = &c->reference;
    struct source_live *s = ARENA_NEW(c->arena, struct source_live);

    *out = s;
    if (!live_open(c->arena, c->options->cluster, &s->live, e))
        return false;
    if (!live_discover(s->live, e))
        return fail_discovery(c, e);
    return live_choose(s->live, r->templates.items, r->templates.len, &c->journal, e);
}

void source_live_close(struct source_live *s)
{
    if (!s)
        return;
    arena_free(s->arena);
    live_close(s->live);
}

static bool keep(void *ctx, struct arena *a, struct value *object, struct err *e)
{
    struct source_live *s = ctx;
    struct value *copy = value_copy(s->arena, object);

    (void)a;
    (void)e;
    VEC_PUSH(s->arena, &s->objects, copy);
    return true;
}

/* Asks for the next type. One that is refused is a fault like a file that cannot be read. */
static bool list_next(struct source_live *s, struct input *in, struct document *out)
{
    AUTO_ERR e = {0};

    arena_free(s->arena);
    s->arena = arena_new();
    s->objects.items = NULL;
    s->objects.len = s->objects.cap = s->next = 0;
    if (live_each(s->live, s->type++, keep, s, &e))
        return true;
    str text = str_copy(in->arena, e.text);
    s->objects.len = 0;
    in->documents++;
    out->failed = true;
    input_fail(in, text, (struct result_place){0}, text);
    return false;
}

static void hand_over(struct source_live *s, struct input *in, struct document *out)
{
    struct object *o = VEC_ADD(in->arena, &in->objects);

    o->root = value_copy(in->arena, s->objects.items[s->next++]);
    o->identity = identity_of(o->root);
    o->id = identity_id(in->arena, &o->identity);
    in->documents++;
    /* Nothing is left to be read. */
    out->root = value_null(in->arena);
}

bool source_live_next(struct source_live *s, struct input *in, struct document *out, size_t *stream)
{
    bool listed = true;

    *out = (struct document){0};
    while (listed && s->next == s->objects.len) {
        if (s->type == live_type_count(s->live))
            return false;
        listed = list_next(s, in, out);
    }
    if (listed)
        hand_over(s, in, out);
    *stream = s->type;
    return true;
}
