/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calm.c - looks that find everything as it was: the same object, payload and mode, and to the byte
 * the same answer of Azure as at a look that found nothing to do. Judging is pure and would find
 * nothing again, so the pass ends without it.
 *
 * It is not left out where more than that decides: when there is news, when a hook asks questions,
 * when something is exported, when a child was written; and now and then for no reason at all, so
 * that nothing forgotten here stays so.
 */
#include "operator/internal.h"

/* So many looks in a row. */
#define CALM_LOOKS 16

/* Of all that decides but for the object; 0: something else does, too. */
static uint64_t mark_of(struct pass *p, str body)
{
    if (!p->digest.len || !body.len || p->owner_body || p->ports->judged)
        return 0;
    return str_hash(str_fmt(p->arena, "%.*s %d %llx", STR_ARG(p->digest), (int)drift_mode(p),
                            (unsigned long long)str_hash(body))) |
           1;
}

bool calm_is(struct pass *p, str body)
{
    struct card *card = p->card;

    p->mark = mark_of(p, body);
    if (!p->mark || p->mark != card->calm.mark || !p->timed || p->sent || card->child_written ||
        card->put || card->calm.version != object_version(p->object) ||
        card->calm.looks >= CALM_LOOKS)
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
    bool calm = p->mark && !p->tried && x && !x->learn && !x->news.count && !x->held.count &&
                !x->evolved.count && !read_is_busy(p->body) && !read_has_failed(p->body);

    p->card->calm.version = calm ? object_version(p->object) : 0;
    p->card->calm.mark = calm ? p->mark : 0;
    p->card->calm.looks = 0;
}
