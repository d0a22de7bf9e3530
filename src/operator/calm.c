/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm.c - looks that find everything as it was: the same object, payload and mode, and to the byte
 * the same answer of Azure as at a look that found nothing to do. Judging is pure and would find
 * nothing again, so the pass ends without it.
 *
 * The payload is the same as long as the object is and nothing that it is made from: the graph
 * tells of that (calm_disturb). So Azure is asked first, and the payload is made only if the answer
 * is another one. Secrets and ConfigMaps are read anew for each look: there the payload comes
 * first.
 *
 * Nothing is left out where more than that decides: when there is news, when a hook asks questions,
 * when something is exported, when a child was written; and now and then for no reason at all, so
 * that nothing forgotten here stays so.
 */
#include "operator/internal.h"

/* So many looks in a row. */
#define CALM_LOOKS 16

/* Of an answer and what is done about it; 0: something else decides, too. */
static uint64_t mark_of(struct pass *p, str body)
{
    if (!body.len || p->owner_body || p->ports->judged)
        return 0;
    return str_hash(str_fmt(p->arena, "%d %llx", (int)drift_mode(p),
                            (unsigned long long)str_hash(body))) |
           1;
}

/* Nothing is known that makes this look another one than the last. */
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
    p->needs_complete = false; /* those of the states that are left out are as they were */
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
