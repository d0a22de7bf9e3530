/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - what each object is made from: owners, references, Secrets, ConfigMaps, Namespaces.
 *
 * Needs are keys as texts. A need that no object has any more is forgotten, together with its
 * digest, which would not be kept up to date.
 */
#include "operator/internal.h"

#include "base/block.h"
#include "base/map.h"

struct users {
    str need;      /* stored after the struct */
    uint64_t seen; /* graph_news */
    struct card **cards;
    size_t len, cap;
};

struct graph {
    struct map *users; /* need to struct users */
};

struct graph *graph_new(struct arena *a)
{
    struct graph *g = ARENA_NEW(a, struct graph);

    g->users = map_new(a);
    return g;
}

static void forget(struct graph *g, struct users *u)
{
    map_remove(g->users, u->need);
    block_free(u->cards);
    block_free(u);
}

void graph_free(struct graph *g)
{
    while (map_len(g->users))
        forget(g, map_at(g->users, map_len(g->users) - 1));
}

static struct users *users_of(struct graph *g, str need)
{
    struct users *u = map_get(g->users, need);

    if (u)
        return u;
    u = block_new(sizeof *u + need.len);
    *u = (struct users){.need = str_of((const char *)(u + 1), need.len)};
    memcpy(u + 1, need.ptr, need.len);
    map_set(g->users, u->need, u);
    return u;
}

static void push(struct users *u, struct card *card)
{
    if (u->len == u->cap) {
        size_t cap = u->cap ? 2 * u->cap : 2;
        struct card **cards = block_new(arena_array_size(cap, sizeof(struct card *)));
        if (u->len)
            memcpy(cards, u->cards, u->len * sizeof(struct card *));
        block_free(u->cards);
        u->cards = cards;
        u->cap = cap;
    }
    u->cards[u->len++] = card;
}

static void drop(struct graph *g, struct users *u, const struct card *card)
{
    for (size_t i = 0; i < u->len; i++)
        if (u->cards[i] == card)
            u->cards[i] = u->cards[--u->len];
    if (!u->len)
        forget(g, u);
}

static bool has(const struct card *card, str need)
{
    for (size_t i = 0; i < card->need_count; i++)
        if (str_eq(card->needs[i], need))
            return true;
    return false;
}

static void link(struct graph *g, struct card *card, str need)
{
    if (has(card, need))
        return;
    if (card->need_count == card->need_cap) {
        uint32_t cap = card->need_cap ? 2 * card->need_cap : 4;
        str *needs = block_new(arena_array_size(cap, sizeof(str)));
        if (card->need_count)
            memcpy(needs, card->needs, card->need_count * sizeof(str));
        block_free(card->needs);
        card->needs = needs;
        card->need_cap = cap;
    }
    struct users *u = users_of(g, need);
    push(u, card);
    card->needs[card->need_count++] = u->need;
}

void graph_add(struct graph *g, struct card *card, const struct str_list *needs)
{
    for (size_t i = 0; i < needs->len; i++)
        link(g, card, needs->items[i]);
}

void graph_set(struct graph *g, struct card *card, const struct str_list *needs)
{
    for (uint32_t i = 0; i < card->need_count;) {
        str need = card->needs[i];
        if (str_list_has(needs, need)) {
            i++;
            continue;
        }
        card->needs[i] = card->needs[--card->need_count];
        drop(g, map_get(g->users, need), card);
    }
    graph_add(g, card, needs);
    if (!card->need_count) {
        block_free(card->needs);
        card->needs = NULL;
        card->need_cap = 0;
    }
}

void graph_each(const struct graph *g, str need, void (*fn)(void *ctx, struct card *card),
                void *ctx)
{
    const struct users *u = map_get(g->users, need);

    for (size_t i = 0; u && i < u->len; i++)
        fn(ctx, u->cards[i]);
}

bool graph_has(const struct graph *g, str need)
{
    const struct users *u = map_get(g->users, need);

    return u && u->len;
}

str graph_export(struct arena *a, str text)
{
    return str_concat(a, STR("export "), text);
}

bool graph_news(struct graph *g, str need, uint64_t digest)
{
    struct users *u = users_of(g, need);
    bool news = !digest || u->seen != digest; /* being gone is always news */

    u->seen = digest;
    if (!u->len && !digest)
        forget(g, u);
    return news;
}
