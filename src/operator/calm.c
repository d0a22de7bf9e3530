/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm.c - ends passes early if nothing has changed: the object, payload and mode are the same, and
 * Azure's answer is byte for byte the same as at the last look that found nothing to do. Judging is
 * pure and would find nothing again, so it is skipped.
 *
 * The payload is the same as long as the object and everything it is made from are unchanged, which
 * the graph reports (calm_disturb). So the resource is read first, and the payload is made only if
 * the answer differs. Secrets and ConfigMaps are read for each look, so with those the payload is
 * made first.
 *
 * The pass is never cut short if anything else matters: if there is news, a hook asks questions,
 * something is exported, or a child was written. Now and then it is not cut short for no reason at
 * all, so that anything missing from this list does no lasting harm.
 */
#include "operator/internal.h"

/* The most looks in a row. */
#define CALM_LOOKS 16

/* Hash of an answer and of what decides what to do about it; 0: something else decides, too. */
static uint64_t mark_of(struct pass *p, str body)
{
    if (!body.len || p->owner_body || p->ports->judged)
        return 0;
    return str_hash(str_fmt(p->arena, "%d %llx", (int)drift_mode(p),
                            (unsigned long long)str_hash(body))) |
           1;
}

/* Whether nothing is known that distinguishes this look from the last. */
static bool is_like_last(const struct pass *p)
{
    const struct card *card = p->card;

    return card->calm.mark && p->timed && !p->sent && !card->child_written && !card->put &&
           card->calm.version == object_version(p->object) && card->calm.looks < CALM_LOOKS;
}

bool calm_may_be(const struct pass *p)
{
    return is_like_last(p) && !p->card->calm.reads && !p->ports->judged;
}

bool calm_is(struct pass *p, str body)
{
    struct card *card = p->card;

    p->mark = mark_of(p, body);
    if (!p->mark || p->mark != card->calm.mark || !is_like_last(p) ||
        (!p->ungathered && card->calm.payload != str_hash(p->digest)))
        return false;
    card->calm.looks++;
    return true;
}

struct pass_step calm_end(struct pass *p)
{
    p->calm = true;
    p->needs_complete = false; /* the needs of the skipped states are unchanged */
    p->card->attempt = 0;
    p->card->well = true;
    drift_tally_avoided(p);
    return (struct pass_step){.kind = STEP_PERIOD};
}

void calm_note(struct pass *p)
{
    const struct drift *x = p->drift;
    bool calm = p->mark && p->digest.len && !p->tried && x && !x->learn && !x->news.count &&
                !x->held.count && !x->evolved.count && !read_is_busy(p->body) &&
                !read_has_failed(p->body);

    p->card->calm.version = calm ? object_version(p->object) : 0;
    p->card->calm.payload = calm ? str_hash(p->digest) : 0;
    p->card->calm.mark = calm ? p->mark : 0;
    p->card->calm.looks = 0;
    p->card->calm.reads = p->known != NULL;
}

void calm_disturb(struct card *card)
{
    card->calm.mark = 0;
}
