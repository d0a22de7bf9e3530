/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decisions.c - the last decisions about an object, newest first, in status.operatorStatus.
 *
 * They are for people (plumb why) and never influence anything. They are added only when a status
 * is written anyway, and only a few short ones are kept, so they cost no requests.
 */
#include "operator/internal.h"

/* How many decisions a status keeps, and how much of its paths and texts a decision keeps. */
#define DECISIONS_MAX 10
#define PATHS_MAX 5
#define MESSAGE_MAX 1024

static void set_paths(struct pass *p, struct value *one, const struct deviations *changes)
{
    struct value *paths = value_list(p->arena);

    for (size_t i = 0; changes && i < changes->count && i < PATHS_MAX; i++)
        value_add(p->arena, paths, value_string(p->arena, changes->items[i].path));
    if (paths->len)
        value_set(p->arena, one, STR("paths"), paths);
}

/* The last writer, according to Azure. */
static void set_author(struct pass *p, struct value *one)
{
    const struct author author = author_of(p);

    if (!author.by.len)
        return;
    value_set_str(p->arena, one, STR("by"), status_cut(author.by, 256));
    if (author.at.len)
        value_set_str(p->arena, one, STR("at"), status_cut(author.at, 64));
}

void decisions_add(struct pass *p, const struct made *d)
{
    const struct value *old = memory_get(p, "decisions"), *last = value_at(old, 0);
    struct value *list = value_list(p->arena), *one = value_object(p->arena);
    str message = status_without_secrets(p, d->message);

    if (d->once && str_eq(value_get_str(last, STR("action")), str_c(d->action)) &&
        str_eq(value_get_str(last, STR("reason")), d->reason))
        return;
    value_set_str(p->arena, one, STR("time"), memory_stamp(p->arena, p->now));
    value_set_str(p->arena, one, STR("action"), str_c(d->action));
    value_set_str(p->arena, one, STR("reason"), d->reason);
    if (message.len)
        value_set_str(p->arena, one, STR("message"), status_cut(message, MESSAGE_MAX));
    set_paths(p, one, d->changes);
    if (d->by_others)
        set_author(p, one);
    value_add(p->arena, list, one);
    for (size_t i = 0; i < value_len(old) && list->len < DECISIONS_MAX; i++)
        value_add(p->arena, list, value_clone(p->arena, value_at(old, i)));
    memory_set(p, "decisions", list);
}
