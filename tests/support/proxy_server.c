/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_server.c - a proxy for tests; see proxy_server.h. */
#include "support/proxy_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct proxy_server {
    struct arena *arena;
    pthread_t thread;
    struct lock lock; /* of asked */
    struct buf asked;
    int listening, wake;
    unsigned port, target;
    const char *refusal;
};

static void note(struct proxy_server *p, const char *what, str text)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    buf_truncate(&p->asked, 0);
    buf_fmt(&p->asked, "%s%.*s", what, STR_ARG(text));
}

/* False if the server stops. */
static bool readable(const struct proxy_server *p, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = p->wake, .events = POLLIN}};

    while (poll(fds, 2, -1) < 0)
        continue;
    return !fds[1].revents;
}

static bool get(const struct proxy_server *p, int fd, char *out, size_t len)
{
    for (size_t got = 0; got < len;) {
        ssize_t n = readable(p, fd) ? recv(fd, out + got, len - got, 0) : 0;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static bool put(int fd, str text)
{
    while (text.len) {
        ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        text = str_from(text, (size_t)n);
    }
    return true;
}

/* ---- What clients ask. ---- */

/* Called after the first byte of the greeting. No password is required. */
static bool serve_socks(struct proxy_server *p, int fd)
{
    char head[4], methods[255], name[256];
    unsigned char len = 4;

    if (!get(p, fd, head, 1) || !get(p, fd, methods, (unsigned char)head[0]) ||
        !put(fd, str_of("\5\0", 2)) || !get(p, fd, head, sizeof(head)))
        return false;
    bool named = head[3] == 3;
    if (named && !get(p, fd, (char *)&len, 1))
        return false;
    if (!get(p, fd, name, (size_t)(head[3] == 4 ? 16 : len)) || !get(p, fd, head, 2))
        return false;
    note(p, named ? "name " : "address", named ? str_of(name, len) : STR_NONE);
    return put(fd, str_of("\5\0\0\1\0\0\0\0\0\0", 10));
}

/* Called after the first byte. */
static bool serve_connect(struct proxy_server *p, int fd, char first)
{
    char text[8192] = {first};
    size_t len = 1;
    str line, rest;

    while (!str_has_suffix(str_of(text, len), STR("\r\n\r\n")))
        if (len == sizeof(text) || !get(p, fd, text + len++, 1))
            return false;
    str_cut(str_of(text, len), STR(" HTTP/"), &line, &rest);
    note(p, "", line);
    if (!p->refusal)
        return put(fd, STR("HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n"));
    put(fd, str_c(p->refusal));
    return false;
}

static int reach(const struct proxy_server *p)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)p->target),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
        abort();
    return fd;
}

static bool pass_on(int from, int to)
{
    char piece[16384];
    ssize_t n = recv(from, piece, sizeof(piece), 0);

    return n > 0 && put(to, str_of(piece, (size_t)n));
}

static void relay(const struct proxy_server *p, int here)
{
    int there = reach(p);
    bool more = true;

    while (more) {
        struct pollfd fds[] = {{.fd = here, .events = POLLIN},
                               {.fd = there, .events = POLLIN},
                               {.fd = p->wake, .events = POLLIN}};
        if (poll(fds, 3, -1) < 0)
            continue;
        more = !fds[2].revents && (!fds[0].revents || pass_on(here, there)) &&
               (!fds[1].revents || pass_on(there, here));
    }
    close(there);
}

static void serve(struct proxy_server *p, int fd)
{
    char first;

    if (get(p, fd, &first, 1) && (first == 5 ? serve_socks(p, fd) : serve_connect(p, fd, first)))
        relay(p, fd);
    close(fd);
}

static void *run(void *ctx)
{
    struct proxy_server *p = ctx;

    while (readable(p, p->listening)) {
        int fd = accept4(p->listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            serve(p, fd);
    }
    return NULL;
}

/* ---- Life. ---- */

static void listen_somewhere(struct proxy_server *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);

    p->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->listening < 0 || bind(p->listening, (struct sockaddr *)&at, len) ||
        listen(p->listening, 16) || getsockname(p->listening, (struct sockaddr *)&at, &len))
        abort();
    p->port = ntohs(at.sin_port);
}

struct proxy_server *proxy_server_start(unsigned target_port, const char *refusal)
{
    struct arena *a = arena_new();
    struct proxy_server *p = ARENA_NEW(a, struct proxy_server);

    *p = (struct proxy_server){
        .arena = a, .lock = LOCK_INIT, .target = target_port, .refusal = refusal};
    p->asked = buf_new(a, 16 * KIB);
    p->wake = eventfd(0, EFD_CLOEXEC);
    listen_somewhere(p);
    if (pthread_create(&p->thread, NULL, run, p))
        abort();
    return p;
}

void proxy_server_stop(struct proxy_server *p)
{
    const uint64_t one = 1;

    if (write(p->wake, &one, sizeof(one)) != sizeof(one))
        abort();
    pthread_join(p->thread, NULL);
    close(p->listening);
    close(p->wake);
    arena_free(p->arena);
}

unsigned proxy_server_port(const struct proxy_server *p)
{
    return p->port;
}

str proxy_server_asked(struct proxy_server *p, struct arena *a)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return str_copy(a, buf_str(&p->asked));
}
