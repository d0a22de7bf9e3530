/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evolve.c - Azure evolves: a new member that appears on many objects of a kind was not added by a
 * user.
 *
 * The first object that shows a new member is not corrected at once: others of its kind are looked
 * at within the next minutes. If enough of them show it too, it is reported once and held; else it
 * is drift like any other. Kinds with few objects do not wait.
 */
#include "operator/internal.h"

#include "base/map.h"

/* The least number of objects, and one in how many of their kind. */
#define EVOLVE_LEAST 10
#define EVOLVE_SHARE 5
/* Others are looked at within a minute; the answer is known soon after. */
#define PROBE_TIME (60 * NS_PER_SEC)
#define ANSWER_TIME (150 * NS_PER_SEC)
/*
 * The most findings; further new members are drift. Findings that were not confirmed are forgotten.
 */
#define FINDINGS_MAX 1000

struct finding {
    struct arena *arena;
    int64_t first;
    struct map *objects; /* that show it, by key */
    bool held;
};

struct evolving {
    struct arena *arena;
    struct map *findings; /* by kind and path */
};

struct evolving *evolving_new(struct arena *a)
{
    struct evolving *v = ARENA_NEW(a, struct evolving);

    *v = (struct evolving){.arena = a, .findings = map_new(a)};
    return v;
}

void evolving_free(struct evolving *v)
{
    for (size_t i = 0; i < map_len(v->findings); i++)
        arena_free(((struct finding *)map_at(v->findings, i))->arena);
}

/* NULL: there are too many. */
static struct finding *find(struct evolving *v, str key, int64_t now, int64_t period, bool *fresh)
{
    struct finding *f = map_get(v->findings, key);

    *fresh = !f || (!f->held && now - f->first > period);
    if (!*fresh)
        return f;
    if (!f && map_len(v->findings) >= FINDINGS_MAX)
        return NULL;
    if (f)
        arena_free(f->arena);
    struct arena *a = arena_new();
    f = ARENA_NEW(a, struct finding);
    *f = (struct finding){.arena = a, .first = now, .objects = map_new(a)};
    map_set(v->findings, map_has(v->findings, key) ? key : str_copy(v->arena, key), f);
    return f;
}

static bool is_kin(const struct card *x, const struct card *y)
{
    return str_eq(x->key.kind, y->key.kind) && str_eq(x->key.group, y->key.group);
}

static size_t count_kin(const struct cards *cards, const struct card *card)
{
    size_t count = 0;

    for (size_t i = 0; i < cards_count(cards); i++)
        count += is_kin(cards_at(cards, i), card);
    return count;
}

/* Has this many other objects looked at soon. */
static void probe(const struct evolve_ask *q, size_t count)
{
    size_t done = 0;

    for (size_t i = 0; i < cards_count(q->cards) && done < count; i++) {
        struct card *other = cards_at(q->cards, i);
        if (other != q->card && is_kin(other, q->card))
            q->wake(q->ctx, other, (int64_t)(++done) * PROBE_TIME / (int64_t)count);
    }
}

enum evolve evolving_judge(struct evolving *v, const struct evolve_ask *q, str path, size_t *shown,
                           size_t *all)
{
    AUTO_ARENA a = arena_new();
    str key = str_fmt(a, "%.*s/%.*s\n%.*s", STR_ARG(q->card->key.group), STR_ARG(q->card->key.kind),
                      STR_ARG(path));
    bool fresh;

    *all = count_kin(q->cards, q->card);
    if (*all < EVOLVE_LEAST)
        return EVOLVE_NO;
    struct finding *f = find(v, key, q->now, q->period, &fresh);
    if (!f)
        return EVOLVE_NO;
    if (!map_has(f->objects, q->card->text))
        map_set(f->objects, str_copy(f->arena, q->card->text), f);
    *shown = map_len(f->objects);
    if (f->held)
        return EVOLVE_HELD;
    size_t enough = (*all + EVOLVE_SHARE - 1) / EVOLVE_SHARE;
    enough = enough < EVOLVE_LEAST ? EVOLVE_LEAST : enough;
    if (*shown >= enough) {
        f->held = true;
        return EVOLVE_FOUND;
    }
    if (fresh)
        probe(q, enough + EVOLVE_LEAST);
    return q->now - f->first < ANSWER_TIME ? EVOLVE_WAIT : EVOLVE_NO;
}
