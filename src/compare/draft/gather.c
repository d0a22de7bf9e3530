/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - reads the objects of all inputs, and finds which are variants of one template. */
#include "compare/draft/internal.h"
#include "compare/run_internal.h"
#include "kube/config/config.h"

static const char context_prefix[] = "context:";

struct gathering {
    struct arena *arena;
    const struct draft_options *options;
    struct draft_report *report;
    struct omit_list omit;
    size_t input;
    struct map *by_identity; /* id to struct variants */
};

/* ---- Kinds. ---- */

static bool kind_is_wanted(const struct draft_options *o, const struct identity *i)
{
    for (size_t k = 0; k < o->kinds.len; k++) {
        str wanted = o->kinds.items[k];
        size_t slash = str_rfind_char(wanted, '/');
        if (str_eq(slash == STR_NPOS ? wanted : str_from(wanted, slash + 1), i->kind) &&
            (slash == STR_NPOS || str_eq(str_slice(wanted, 0, slash), i->api_version)))
            return true;
    }
    return !o->kinds.len;
}

/* Clusters are asked for the kinds of templates. */
static bool set_kinds(struct arena *a, const struct draft_options *o, struct reference *r,
                      struct err *e)
{
    for (size_t k = 0; k < o->kinds.len; k++) {
        size_t slash = str_rfind_char(o->kinds.items[k], '/');
        struct template *t = VEC_ADD(a, &r->templates);
        if (slash == STR_NPOS)
            return err_set(e, ERR_USAGE,
                           "--kinds: a cluster needs the apiVersion of %.*s too, such as "
                           "apps/v1/Deployment",
                           STR_ARG(o->kinds.items[k]));
        t->identity.api_version = str_slice(o->kinds.items[k], 0, slash);
        t->identity.kind = str_from(o->kinds.items[k], slash + 1);
    }
    return r->templates.len ||
           err_set(e, ERR_USAGE,
                   "say with --kinds which objects of the cluster are wanted, such as "
                   "apps/v1/Deployment,v1/ConfigMap");
}

/* ---- Reading. ---- */

static bool set_omitted(struct gathering *g, struct err *e)
{
    const struct value *list = omit_built_in(g->arena);

    for (size_t i = 0; i < value_len(list); i++) {
        struct omit_path *path;
        if (!omit_path_read(g->arena, value_get_str(value_at(list, i), STR("pathToKey")), false,
                            &path, e))
            return false;
        VEC_PUSH(g->arena, &g->omit, path);
    }
    return true;
}

static bool add_object(struct gathering *g, const struct object *o, struct err *e)
{
    struct identity identity = identity_of(o->root);
    str id = identity_id(g->arena, &identity);
    struct variants *all = map_get(g->by_identity, id);
    struct variant *v;

    if (!kind_is_wanted(g->options, &identity)) {
        g->report->left_out++;
        return true;
    }
    if (++g->report->objects > DRAFT_OBJECTS_MAX)
        return err_set(e, ERR_LIMIT, "there are more than %d objects; choose some with --kinds",
                       DRAFT_OBJECTS_MAX);
    if (!all) {
        all = ARENA_NEW(g->arena, struct variants);
        map_set(g->by_identity, id, all);
    }
    all->inputs += !all->len || all->items[all->len - 1].input != g->input;
    v = VEC_ADD(g->arena, all);
    *v = (struct variant){.root = o->root, .identity = identity, .input = g->input};
    omit_fields(g->arena, v->root, &g->omit);
    return true;
}

static bool take_document(struct gathering *g, struct run *r, struct input *in,
                          struct document *doc, struct err *e)
{
    if (doc->source && !doc->failed)
        document_read(in, doc);
    if (doc->source && !doc->failed && doc->root->kind != VALUE_NULL)
        object_add(in, doc);
    for (size_t i = 0; i < in->faults.len; i++) {
        const struct result_note *note = &in->faults.items[i].note;
        str place = place_text(g->arena, note->place);
        log_buffer_warn(&r->log, "%.*s%s%.*s", STR_ARG(place), place.len ? ": " : "",
                        STR_ARG(note->reason));
        g->report->unread++;
    }
    for (size_t i = 0; i < in->objects.len; i++)
        if (!add_object(g, &in->objects.items[i], e))
            return false;
    return true;
}

static bool read_feed(struct gathering *g, struct run *r, struct feed *f, struct err *e)
{
    for (;;) {
        struct input in = {
            .arena = g->arena, .dialect = &dialect_native, .log = {.arena = g->arena}};
        struct document doc = {0};
        size_t stream;
        bool more = feed_next(f, &in, &doc, &stream);
        if (!take_document(g, r, &in, &doc, e))
            return false;
        if (!more)
            return true;
    }
}

static bool read_input(struct gathering *g, str name, struct err *e)
{
    struct kube_flags flags = g->options->cluster ? *g->options->cluster : (struct kube_flags){0};
    struct compare_options options = {.cluster = &flags,
                                      .recursive = true,
                                      .dialect = &dialect_native,
                                      .one_of_many = true,
                                      .log = g->options->log};
    struct compare c = {0};
    struct run r = run_begin(g->arena, &c, &options);
    struct input in = {.arena = g->arena, .dialect = &dialect_native, .log = {.arena = g->arena}};
    struct feed *feed = NULL;
    size_t before = g->report->objects;

    if (str_has_prefix(name, str_c(context_prefix))) {
        flags.context = str_without_prefix(name, str_c(context_prefix));
        if (!set_kinds(g->arena, g->options, &c.reference, e))
            return false;
    } else {
        VEC_PUSH(g->arena, &options.files, name);
    }
    bool ok = feed_open(&r, &in, &feed, e) && take_document(g, &r, &in, &(struct document){0}, e) &&
              read_feed(g, &r, feed, e);
    feed_close(feed);
    log_buffer_flush(&r.log, &options.log);
    if (ok && g->report->objects == before)
        return err_set(e, ERR_NOT_FOUND, "%.*s holds no objects%s", STR_ARG(name),
                       g->options->kinds.len ? " of these kinds" : "");
    return ok;
}

/* ---- Objects whose names vary. ---- */

/* What stays the same: the name or the namespace is left out. */
static str partial_key(struct arena *a, const struct identity *i, bool name)
{
    return str_fmt(a, "%.*s\n%.*s\n%.*s", STR_ARG(i->api_version), STR_ARG(i->kind),
                   STR_ARG(name ? i->name : i->namespace));
}

/* Whether a group can take part: some inputs lack it, and it has one object in each of the others.
 */
static bool may_vary(const struct gathering *g, const struct variants *v)
{
    return v->inputs < g->options->inputs.len && v->inputs == v->len;
}

/* Moves what belongs together into the first of its groups. */
static void join(struct arena *a, struct variants *into, struct variants *from)
{
    for (size_t i = 0; i < from->len; i++)
        VEC_PUSH(a, into, from->items[i]);
    into->inputs += from->inputs;
    from->len = from->inputs = 0;
}

/*
 * Joins groups that are alike but for the name, or the namespace, when together they are one object
 * of each input.
 */
static void join_varying(struct gathering *g, bool by_name)
{
    struct map *alike = map_new(g->arena); /* key to struct variants, the groups as a list */
    struct list {
        struct variants **items;
        size_t len, cap;
    };

    for (size_t i = 0; i < map_len(g->by_identity); i++) {
        struct variants *v = map_at(g->by_identity, i);
        if (!v->len || !may_vary(g, v))
            continue;
        str key = partial_key(g->arena, &v->items[0].identity, by_name);
        struct list *list = map_get(alike, key);
        if (!list) {
            list = ARENA_NEW(g->arena, struct list);
            map_set(alike, key, list);
        }
        VEC_PUSH(g->arena, list, v);
    }
    for (size_t i = 0; i < map_len(alike); i++) {
        const struct list *list = map_at(alike, i);
        AUTO_ARENA scratch = arena_new();
        bool *seen = ARENA_ARRAY(scratch, bool, g->options->inputs.len);
        size_t inputs = 0, objects = 0;
        for (size_t k = 0; k < list->len; k++)
            for (size_t m = 0; m < list->items[k]->len; m++) {
                inputs += !seen[list->items[k]->items[m].input];
                seen[list->items[k]->items[m].input] = true;
                objects++;
            }
        if (list->len < 2 || inputs != objects || inputs != g->options->inputs.len)
            continue;
        for (size_t k = 1; k < list->len; k++)
            join(g->arena, list->items[0], list->items[k]);
    }
}

/* ---- All of them. ---- */

static int by_identity(const void *x, const void *y)
{
    const struct identity *p = &((const struct variants *)x)->items[0].identity;
    const struct identity *q = &((const struct variants *)y)->items[0].identity;
    int order = str_cmp(p->namespace, q->namespace);

    order = order ? order : str_cmp(p->kind, q->kind);
    order = order ? order : str_cmp(p->api_version, q->api_version);
    return order ? order : str_cmp(p->name, q->name);
}

bool draft_gather(struct arena *a, const struct draft_options *o, struct variant_groups *out,
                  struct draft_report *report, struct err *e)
{
    struct gathering g = {.arena = a, .options = o, .report = report, .by_identity = map_new(a)};

    if (!set_omitted(&g, e))
        return false;
    for (; g.input < o->inputs.len; g.input++)
        if (!read_input(&g, o->inputs.items[g.input], e))
            return false;
    join_varying(&g, false);
    join_varying(&g, true);
    for (size_t i = 0; i < map_len(g.by_identity); i++) {
        const struct variants *v = map_at(g.by_identity, i);
        if (v->len)
            VEC_PUSH(a, out, *v);
    }
    if (out->len)
        qsort(out->items, out->len, sizeof(*out->items), by_identity);
    return true;
}
