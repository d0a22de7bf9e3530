/* SPDX-License-Identifier: Apache-2.0 */
/* mailbox.c - passes news from any thread to the operator's thread. */
#include "operator/internal.h"

#include "base/block.h"
#include "base/lock.h"

struct bag {
    struct arena *arena;
    VEC(struct mail) mails;
};

struct mailbox {
    struct lock lock;
    struct bag bags[2];
    unsigned filling; /* the bag that is being filled; the other one is being read */
};

struct mailbox *mailbox_new(void)
{
    struct mailbox *m = block_new(sizeof *m);

    *m = (struct mailbox){.lock = LOCK_INIT};
    /* Bodies of Secrets pass through here. */
    for (size_t i = 0; i < COUNT(m->bags); i++)
        m->bags[i].arena = arena_new_secret();
    return m;
}

void mailbox_free(struct mailbox *m)
{
    for (size_t i = 0; i < COUNT(m->bags); i++)
        arena_free(m->bags[i].arena);
    block_free(m);
}

struct arm_answer mail_answer(struct arena *a, const struct arm_answer *answer)
{
    struct arm_answer copy = *answer;

    copy.body = str_copy(a, answer->body);
    copy.async_operation = str_copy(a, answer->async_operation);
    copy.operation_location = str_copy(a, answer->operation_location);
    copy.location = str_copy(a, answer->location);
    copy.request_id = str_copy(a, answer->request_id);
    copy.failure = str_copy(a, answer->failure);
    return copy;
}

void mailbox_put(struct mailbox *m, const struct mail *mail)
{
    AUTO_LOCK guard = lock_take(&m->lock);
    struct bag *bag = &m->bags[m->filling];
    struct arena *a = bag->arena;

    VEC_PUSH(a, &bag->mails,
             ((struct mail){.ticket = mail->ticket,
                            .key = {.group = str_copy(a, mail->key.group),
                                    .kind = str_copy(a, mail->key.kind),
                                    .namespace = str_copy(a, mail->key.namespace),
                                    .name = str_copy(a, mail->key.name)},
                            .answer = mail_answer(a, &mail->answer)}));
}

size_t mailbox_take(struct mailbox *m, const struct mail **out)
{
    AUTO_LOCK guard = lock_take(&m->lock);
    struct bag *full = &m->bags[m->filling], *old = &m->bags[!m->filling];

    arena_reset(old->arena);
    old->mails.items = NULL;
    old->mails.len = old->mails.cap = 0;
    m->filling = !m->filling;
    *out = full->mails.items;
    return full->mails.len;
}
