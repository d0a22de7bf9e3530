/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_live.c - reads the objects of a comparison from a cluster, type by type and page by page,
 * with the original's errors if there is no answer.
 */
#include "compare/input/input_internal.h"
#include "compare/run_internal.h"
#include "compare/input/live_internal.h"
#include "object/object.h"

struct source_live {
    struct live *live;
    size_t doubts; /* that were told */
    size_t type;   /* the next one; that of the page is the one before */
    struct kube_pages *pages;
    struct kube_page page;
    struct arena *arena; /* of the page */
    size_t next;         /* of its objects */
    /*
     * The names that earlier pages of the type had, while there may be more: a list that has to
     * begin anew has them again.
     */
    struct strset *given;
    struct arena *names;
};

/* client-go logs before it fails. */
static bool fail_discovery(struct run *r, const struct live *l, struct err *e)
{
    if (r->options->dialect->own_words)
        return err_wrap(e, "the cluster cannot be asked%s",
                        r->options->one_of_many ? "" : "; name files with -f to do without");
    if (!live_discovery(l))
        live_tell_failure(r->arena, e, &r->log);
    else
        live_tell_versions(l, &r->log);
    return err_wrap(e, "failed to get clusters resource types");
}

bool live_begin(struct run *r, struct live **out, struct err *e)
{
    const struct reference *reference = &r->compare->reference;

    if (!live_open(r->arena, r->options->cluster, true, out, e))
        return !r->options->dialect->own_words && err_wrap(e, "failed to create discovery client");
    r->cluster_name = live_name(*out, r->arena);
    bool known = live_discover(*out, e);
    live_warnings(*out, r->options->dialect->own_words, &r->log);
    if (!known)
        return fail_discovery(r, *out, e);
    return live_choose(*out, reference->templates.items, reference->templates.len, &r->log, e);
}

bool source_live_open(struct run *r, struct source_live **out, struct err *e)
{
    struct source_live *s = ARENA_NEW(r->arena, struct source_live);

    *out = s;
    s->arena = arena_new();
    return live_begin(r, &s->live, e);
}

static void end_type(struct source_live *s)
{
    kube_pages_free(s->pages);
    s->pages = NULL;
    if (s->names) {
        strset_free(s->given);
        arena_free(s->names);
    }
    s->names = NULL;
}

void source_live_close(struct source_live *s)
{
    if (!s)
        return;
    end_type(s);
    arena_free(s->arena);
    live_close(s->live);
}

/* Whether the object was not on an earlier page. */
static bool is_new(struct source_live *s, struct value *object)
{
    str key = str_fmt(s->arena, "%.*s/%.*s", STR_ARG(object_namespace(object)),
                      STR_ARG(object_name(object)));

    return strset_add(s->given, key, NULL);
}

/* Remembers the objects of a page that others may follow, and drops those that come again. */
static void check_page(struct source_live *s)
{
    struct kube_page *p = &s->page;
    size_t kept = 0;

    if (!s->names && p->last)
        return;
    if (!s->names) {
        s->names = arena_new();
        s->given = strset_new(s->names, 0);
    }
    for (size_t i = 0; i < p->len; i++)
        if (is_new(s, p->items[i]) || !p->again)
            p->items[kept++] = p->items[i];
    p->len = kept;
}

/* Requests the next page. A type that may not be read is an error like an unreadable file. */
static bool list_next(struct source_live *s, struct input *in, struct document *out)
{
    AUTO_ERR e = {0};

    arena_reset(s->arena);
    s->next = 0;
    if (!s->pages)
        s->pages = live_pages(s->live, s->type++);
    bool ok = kube_pages_next(s->pages, s->arena, &s->page, &e);
    live_warnings(s->live, in->dialect->own_words, &in->log);
    if (ok)
        check_page(s);
    if (!ok || s->page.last)
        end_type(s);
    if (ok)
        return true;
    str text = str_copy(in->arena, e.text);
    s->page.len = 0;
    in->documents++;
    out->failed = true;
    input_fail(in, text, (struct result_place){0}, text);
    return false;
}

static void tell_doubt(struct source_live *s, struct input *in, struct document *out)
{
    str text = str_copy(in->arena, live_doubt(s->live, s->doubts++));

    in->documents++;
    out->failed = true;
    input_fail(in, text, (struct result_place){0}, text);
}

static void hand_over(struct source_live *s, struct input *in, struct document *out)
{
    struct value *item = s->page.items[s->next++];
    AUTO_ERR e = {0};

    in->documents++;
    /* Nothing is left to be read. */
    out->root = value_null(in->arena);
    if (!s->page.alone && !live_accepts(s->live, s->type - 1, item, &e)) {
        str text = str_copy(in->arena, e.text);
        input_fail(in, text, (struct result_place){0}, text);
        return;
    }
    struct object *o = VEC_ADD(in->arena, &in->objects);
    o->root = value_copy(in->arena, item);
    live_fit(s->live, s->type - 1, o->root);
    o->identity = identity_of(o->root);
    o->id = identity_id(in->arena, &o->identity);
}

bool source_live_next(struct source_live *s, struct input *in, struct document *out, size_t *stream)
{
    bool listed = true;

    *out = (struct document){0};
    if (s->doubts < live_doubt_count(s->live)) {
        tell_doubt(s, in, out);
        /* Types have the numbers up to their count. */
        *stream = live_type_count(s->live) + s->doubts;
        return true;
    }
    while (listed && s->next == s->page.len) {
        if (!s->pages && s->type == live_type_count(s->live))
            return false;
        listed = list_next(s, in, out);
    }
    if (listed)
        hand_over(s, in, out);
    *stream = s->type;
    return true;
}
