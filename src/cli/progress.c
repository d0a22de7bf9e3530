/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - shows the progress of a long run. */
#include "cli/progress.h"

#include <unistd.h>

/* A shorter run shows nothing. */
#define PROGRESS_AFTER (1 * NS_PER_SEC)
#define PROGRESS_EVERY (100 * NS_PER_MS)

struct progress progress_new(int fd)
{
    str term = str_c(getenv("TERM"));

    return (struct progress){.fd = fd,
                             .things = "objects",
                             .wanted = isatty(fd) && term.len && !str_eq(term, STR("dumb")),
                             .began = clock_mono()};
}

static void write_line(const struct progress *p, str text)
{
    (void)!file_write_fd(p->fd, STR("standard error"), text, NULL);
}

void progress_step(struct progress *p, size_t done, size_t total)
{
    AUTO_ARENA a = arena_new();
    int64_t now;

    if (!p->wanted)
        return;
    now = clock_mono();
    if (now - p->began < PROGRESS_AFTER || now - p->drawn < PROGRESS_EVERY)
        return;
    p->drawn = now;
    p->shown = true;
    if (total)
        write_line(p, str_fmt(a, "\r\033[K%zu of %zu %s compared (%zu %%)", done, total, p->things,
                              100 * done / total));
    else
        write_line(p, str_fmt(a, "\r\033[K%zu %s compared", done, p->things));
}

void progress_clear(struct progress *p)
{
    if (p->shown)
        write_line(p, STR("\r\033[K"));
    p->shown = false;
}
