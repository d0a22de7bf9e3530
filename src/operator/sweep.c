/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - looks at many objects with one list, if their resources are in the same collection.
 *
 * A collection is the list of a type in a subscription, else in a group, or of the children of one
 * parent. When one of several objects in it is due, it lists the collection and also reads its own
 * resource. If the list shows the same as the read, the other objects are checked against the list,
 * all at once; else the list is not used for some hours. Nothing is written because of a list
 * alone: a resource that differs is read first.
 */
#include "operator/internal.h"

#include "arm/id.h"
#include "base/map.h"
#include "text/json/json.h"
#include "text/url.h"

/* With fewer objects, they are read one by one. */
#define SWEEP_LEAST 4
/* How long others may use a list, and how long a sweep may take. */
#define FRESH_TIME (90 * NS_PER_SEC)
#define SWEEP_TIME (300 * NS_PER_SEC)
/* When to retry a list that failed, or lacked something that a read has. */
#define BAD_TIME (21600 * NS_PER_SEC)
#define SWEEP_BYTES_MAX (64 * MIB)
/* How many pages may show nothing new: a list of empty pages could lead in circles for ever. */
#define SWEEP_EMPTY_MAX 20
#define COLLECTIONS_MAX 100000

struct collection {
    str key; /* account and URL */
    str url;
    size_t count;         /* objects in it */
    struct card *sweeper; /* who lists it now, or NULL */
    int64_t begun, fresh, bad_until;
    struct arena *arena; /* of what was listed, NULL: nothing */
    struct map *bodies;  /* id in lower case to JSON, a str */
    size_t bytes, pages;
    size_t left; /* objects that have not used it yet */
};

struct sweeps {
    struct arena *arena;
    struct map *collections;
};

struct sweeps *sweeps_new(struct arena *a)
{
    struct sweeps *w = ARENA_NEW(a, struct sweeps);

    *w = (struct sweeps){.arena = a, .collections = map_new(a)};
    return w;
}

static void forget_bodies(struct collection *c)
{
    if (c->arena)
        arena_free(c->arena);
    c->arena = NULL;
    c->bodies = NULL;
    c->bytes = c->pages = 0;
    c->fresh = 0;
}

void sweeps_free(struct sweeps *w)
{
    for (size_t i = 0; i < map_len(w->collections); i++)
        forget_bodies(map_at(w->collections, i));
}

/* ---- Who is where. --------------------------------------------------------------------------- */

/* The paths of the lists that a resource is in: of the subscription, and of its parent. */
static void list_paths(struct arena *a, const struct arm_id *id, str *wide, str *narrow)
{
    struct arm_id up;

    *wide = *narrow = STR_NONE;
    if (!id->block_count && id->group.len)
        *wide = str_fmt(a, "/subscriptions/%.*s/resourceGroups", STR_ARG(id->subscription));
    if (id->block_count != 1 || !id->group.len || !arm_id_parent(a, id, &up))
        return;
    const struct arm_block *block = &id->blocks[0];
    str type = block->pairs[block->count - 1].type;
    str base = arm_id_print(a, &up);
    if (block->count > 1) {
        *narrow = str_fmt(a, "%.*s/%.*s", STR_ARG(base), STR_ARG(type));
        return;
    }
    *wide = str_fmt(a, "/subscriptions/%.*s/providers/%.*s/%.*s", STR_ARG(id->subscription),
                    STR_ARG(block->provider), STR_ARG(type));
    *narrow = str_fmt(a, "%.*s/providers/%.*s/%.*s", STR_ARG(base), STR_ARG(block->provider),
                      STR_ARG(type));
}

static struct collection *collection_of(struct sweeps *w, struct pass *p, str path)
{
    if (!path.len || !pass_in_scope(p, path))
        return NULL;
    str url = pass_url_of(p, path, p->resource->api_version);
    str key =
        str_lower(p->arena, str_fmt(p->arena, "%.*s %.*s", STR_ARG(p->account.key), STR_ARG(url)));
    struct collection *c = map_get(w->collections, key);
    if (c || map_len(w->collections) >= COLLECTIONS_MAX)
        return c;
    c = ARENA_NEW(w->arena, struct collection);
    *c = (struct collection){.key = str_copy(w->arena, key), .url = str_copy(w->arena, url)};
    map_set(w->collections, c->key, c);
    return c;
}

static void set_place(struct collection **place, struct collection *next)
{
    if (*place == next)
        return;
    if (*place)
        (*place)->count--;
    if (next)
        next->count++;
    *place = next;
}

void sweep_join(struct sweeps *w, struct pass *p)
{
    struct arm_id id;
    str wide, narrow;

    if (!arm_id_parse(p->arena, pass_id(p), &id, NULL))
        return;
    list_paths(p->arena, &id, &wide, &narrow);
    set_place(&p->card->lists[0], collection_of(w, p, wide));
    set_place(&p->card->lists[1], collection_of(w, p, narrow));
}

void sweep_end(struct card *card)
{
    for (size_t i = 0; i < COUNT(card->lists); i++)
        if (card->lists[i] && card->lists[i]->sweeper == card)
            card->lists[i]->sweeper = NULL;
}

void sweep_leave(struct card *card)
{
    sweep_end(card);
    for (size_t i = 0; i < COUNT(card->lists); i++)
        set_place(&card->lists[i], NULL);
}

bool sweep_is_in(const struct card *card, const struct collection *c)
{
    return card->lists[0] == c || card->lists[1] == c;
}

/* ---- Looking. -------------------------------------------------------------------------------- */

static struct collection *choose(const struct card *card, int64_t now)
{
    for (size_t i = 0; i < COUNT(card->lists); i++) {
        struct collection *c = card->lists[i];
        if (c && c->count >= SWEEP_LEAST && c->bad_until <= now)
            return c;
    }
    return NULL;
}

static bool take_body(struct collection *c, struct pass *p, int64_t now, str *out)
{
    if (!c->bodies || !c->fresh || now - c->fresh > FRESH_TIME)
        return false;
    const str *body = map_get(c->bodies, str_lower(p->arena, pass_id(p)));
    if (!body)
        return false;
    *out = str_copy(p->arena, *body);
    if (c->left-- <= 1)
        forget_bodies(c);
    return true;
}

enum sweep sweep_ask(struct sweeps *w, struct pass *p, int64_t now, str *out)
{
    sweep_join(w, p);
    struct collection *c = choose(p->card, now);
    if (!c || !p->timed)
        return SWEEP_GET;
    if (take_body(c, p, now, out))
        return SWEEP_BODY;
    if (c->sweeper && now - c->begun < SWEEP_TIME)
        return SWEEP_WAIT;
    if (c->fresh && now - c->fresh <= FRESH_TIME)
        return SWEEP_GET; /* the list does not have it */
    forget_bodies(c);
    c->sweeper = p->card;
    c->begun = now;
    p->sweep = c;
    *out = c->url;
    return SWEEP_LIST;
}

/* ---- Listing. -------------------------------------------------------------------------------- */

static void give_up(struct collection *c, int64_t now)
{
    forget_bodies(c);
    c->bad_until = now + BAD_TIME;
}

static bool keep(struct pass *p, struct collection *c, const struct value *item)
{
    struct buf text = buf_new(p->arena, BUF_UNLIMITED);
    str id = value_get_str(item, STR("id"));

    if (!id.len || !json_write(&text, item, &json_exact, NULL))
        return false;
    str *body = ARENA_NEW(c->arena, str);
    *body = str_copy(c->arena, buf_str(&text));
    map_set(c->bodies, str_lower(c->arena, id), body);
    c->bytes += text.len + id.len;
    return c->bytes <= SWEEP_BYTES_MAX;
}

bool sweep_page(struct pass *p, const struct arm_answer *answer, int64_t now, str *next)
{
    struct collection *c = p->sweep;
    const struct value *page = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;
    const struct value *list = value_get(page, STR("value"));
    bool good = value_is(list, VALUE_LIST);

    if (!c->arena) {
        c->arena = arena_new();
        c->bodies = map_new(c->arena);
    }
    for (size_t i = 0; good && i < list->len; i++)
        good = keep(p, c, &list->items[i]);
    *next = value_get_str(page, STR("nextLink"));
    if (good && next->len && !url_same_origin(*next, p->account.endpoint))
        good = false;
    if (++c->pages > map_len(c->bodies) + SWEEP_EMPTY_MAX)
        good = false;
    /* A missing answer is not a reason to distrust the list. */
    if (!good && (answer->http == 0 || answer->http == 429 || answer->http >= 500))
        forget_bodies(c);
    else if (!good)
        give_up(c, now);
    return good && next->len > 0;
}

/* Removes what changes from one answer to the next. */
static const struct value *without_etag(struct pass *p, const struct value *body)
{
    struct value *v = value_clone(p->arena, body);

    (void)value_unset(v, STR("etag"));
    return v;
}

void sweep_sample(struct pass *p, int64_t now)
{
    struct collection *c = p->sweep;
    const str *listed = c->bodies ? map_get(c->bodies, str_lower(p->arena, pass_id(p))) : NULL;

    c->sweeper = NULL;
    if (!c->bodies || !p->body || read_is_busy(p->body)) {
        forget_bodies(c);
        return;
    }
    if (!listed ||
        !value_equal(without_etag(p, pass_read_json(p, *listed)), without_etag(p, p->body))) {
        give_up(c, now);
        return;
    }
    c->fresh = now;
    c->left = c->count - 1;
    p->published = c;
}
