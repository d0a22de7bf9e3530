/* SPDX-License-Identifier: Apache-2.0 */
/* card.c - what is remembered of each object: one card per object, found by key. */
#include "operator/internal.h"

#include "base/block.h"
#include "base/map.h"

struct cards {
    struct map *by_text;
};

struct cards *cards_new(struct arena *a)
{
    struct cards *c = ARENA_NEW(a, struct cards);

    c->by_text = map_new(a);
    return c;
}

size_t cards_count(const struct cards *c)
{
    return map_len(c->by_text);
}

struct card *cards_at(const struct cards *c, size_t i)
{
    return map_at(c->by_text, i);
}

struct card *cards_find(const struct cards *c, str text)
{
    return map_get(c->by_text, text);
}

/* A part of the copied text: group, kind, namespace and name, separated by slashes. */
static str next_part(str *rest, size_t len)
{
    str part = str_slice(*rest, 0, len);

    *rest = str_from(*rest, len + 1);
    return part;
}

struct card *cards_add(struct cards *c, const struct object_key *key, str text)
{
    struct card *card = block_new(sizeof *card + text.len);
    char *copy = (char *)(card + 1);

    memcpy(copy, text.ptr, text.len);
    *card = (struct card){.text = str_of(copy, text.len), .key = *key};
    str rest = card->text;
    card->key.group = next_part(&rest, key->group.len);
    card->key.kind = next_part(&rest, key->kind.len);
    card->key.namespace = next_part(&rest, key->namespace.len);
    card->key.name = next_part(&rest, key->name.len);
    map_set(c->by_text, card->text, card);
    return card;
}

void cards_remove(struct cards *c, struct card *card)
{
    map_remove(c->by_text, card->text);
    block_free(card->needs);
    block_free(card);
}

void cards_free(struct cards *c)
{
    while (cards_count(c))
        cards_remove(c, cards_at(c, cards_count(c) - 1));
}
