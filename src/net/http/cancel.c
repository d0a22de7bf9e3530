/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cancel.c - a flag that wakes threads waiting for the network; see http.h.
 *
 * An eventfd that is written once and never read: every thread that polls it wakes up, now and
 * later. It is the whole flag, so that raising it from a signal handler is a single write.
 */
#include "net/http/http.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The longest sleep between two looks at the flag. */
#define LOOK_EVERY (50 * NS_PER_MS)

struct http_cancel {
    struct arena *arena;
    int fd;
    atomic_bool raised;
};

struct http_cancel *http_cancel_new(void)
{
    struct arena *a = arena_new();
    struct http_cancel *c = ARENA_NEW(a, struct http_cancel);

    c->arena = a;
    c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return c;
}

void http_cancel_free(struct http_cancel *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    arena_free(c->arena);
}

void http_cancel_raise(struct http_cancel *c)
{
    const uint64_t one = 1;

    atomic_store(&c->raised, true);
    /* Without a descriptor waiting threads notice when they next check the flag. */
    if (c->fd >= 0 && write(c->fd, &one, sizeof(one)) < 0)
        return;
}

bool http_cancel_raised(const struct http_cancel *c)
{
    return c && atomic_load(&c->raised);
}

int http_cancel_fd(const struct http_cancel *c)
{
    return c->fd;
}

bool http_cancel_wait(const struct http_cancel *c, int64_t ns, struct err *e)
{
    while (ns > 0 && !http_cancel_raised(c)) {
        int64_t step = c && ns > LOOK_EVERY ? LOOK_EVERY : ns;
        clock_sleep(step);
        ns -= step;
    }
    if (http_cancel_raised(c))
        return err_set(e, ERR_CANCELLED, "context canceled");
    return true;
}
