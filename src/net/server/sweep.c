/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - a thread that notices clients who left while their connection was suspended,
 * twice a second; see internal.h.
 */
#include "net/server/internal.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SWEEP_MS 500

static bool has_left(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct pollfd p = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* Sockets of suspended connections stay open, so they can be polled under the lock. */
static void sweep(struct server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    for (struct server_request *r = s->requests; r; r = r->next)
        if (r->suspended && !r->gone)
            r->gone = has_left(r->connection);
    for (struct server_stream *stream = s->streams; stream; stream = stream->next)
        if (stream->suspended && has_left(stream->connection)) {
            stream->gone = true;
            server_resume_stream(stream);
        }
}

static void *run(void *ctx)
{
    struct server *s = ctx;
    struct pollfd wake = {.fd = s->wake, .events = POLLIN};

    while (poll(&wake, 1, SWEEP_MS) <= 0)
        sweep(s);
    return NULL;
}

bool server_sweeper_start(struct server *s)
{
    sigset_t all, before;

    s->wake = eventfd(0, EFD_CLOEXEC);
    if (s->wake < 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&s->sweeper, NULL, run, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok)
        close(s->wake);
    return ok;
}

void server_sweeper_stop(struct server *s)
{
    const uint64_t one = 1;

    if (write(s->wake, &one, sizeof(one)) == sizeof(one))
        pthread_join(s->sweeper, NULL);
    close(s->wake);
}
