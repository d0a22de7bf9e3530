/* SPDX-License-Identifier: Apache-2.0 */
/* fault_server.c - a scripted server; see fault_server.h. */
/* Must precede our headers, which poison names that these use. */
#include <openssl/ssl.h>

#include "support/fault_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longer than any client here waits, however busy the machine is. */
#define WAIT_MS 30000
#define HOUR (3600 * NS_PER_SEC)
#define REQUEST_MAX (64 * KIB)

struct fault_server {
    struct arena *arena;
    const struct fault_step *steps;
    size_t count;
    SSL_CTX *ssl;
    int listening, wake;
    unsigned port;
    str url;
    pthread_t thread;
    struct lock lock;
    size_t connections, requests, closed;
    char request[REQUEST_MAX];
    size_t request_len;
};

struct peer {
    int fd;
    SSL *ssl;
};

static ssize_t peer_read(struct peer *p, char *out, size_t max)
{
    return p->ssl ? SSL_read(p->ssl, out, (int)max) : recv(p->fd, out, max, 0);
}

static bool peer_write(struct peer *p, const char *data, size_t len)
{
    if (!len)
        return true;
    if (p->ssl)
        return SSL_write(p->ssl, data, (int)len) > 0;
    return send(p->fd, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* True if fd became readable; false if the server stops or after the longest wait. */
static bool wait_for(struct fault_server *s, int fd, int ms)
{
    struct pollfd p[] = {{.fd = s->wake, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

    return poll(p, 2, ms) > 0 && !p[0].revents && p[1].revents;
}

/* Whether the head and the announced body are complete. */
static bool is_whole(str request)
{
    str head, body, rest, line;
    uint64_t length = 0;

    if (!str_cut(request, STR("\r\n\r\n"), &head, &body))
        return false;
    rest = head;
    while (str_next_line(&rest, &line))
        if (str_eq_fold(str_slice(line, 0, 15), STR("Content-Length:")) &&
            !str_to_u64(str_trim(str_from(line, 15)), &length))
            length = 0;
    return body.len >= length;
}

static void keep(struct fault_server *s, const char *data, size_t len)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    if (len > REQUEST_MAX - s->request_len)
        len = REQUEST_MAX - s->request_len;
    memcpy(s->request + s->request_len, data, len);
    s->request_len += len;
}

static void forget_request(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->request_len = 0;
}

static void count_request(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->requests += is_whole(str_of(s->request, s->request_len));
}

static void read_request(struct fault_server *s, struct peer *p, size_t only)
{
    char piece[4096];
    size_t total = 0;

    while (!is_whole(str_of(s->request, s->request_len)) && s->request_len < REQUEST_MAX) {
        bool buffered = p->ssl && SSL_pending(p->ssl);
        if (!buffered && !wait_for(s, p->fd, WAIT_MS))
            return;
        ssize_t n = peer_read(p, piece, only && only < sizeof(piece) ? only : sizeof(piece));
        if (n <= 0)
            return;
        keep(s, piece, (size_t)n);
        total += (size_t)n;
        if (only && total >= only)
            return;
    }
}

/* Until it should stop, or the other side gives up. */
static void drip(struct fault_server *s, struct peer *p, str reply, const struct fault_step *step)
{
    size_t i = step->drip_from;

    if (!peer_write(p, reply.ptr, i))
        return;
    while (i < reply.len) {
        struct pollfd stop[] = {{.fd = s->wake, .events = POLLIN},
                                {.fd = p->fd, .events = POLLRDHUP}};
        if (!peer_write(p, reply.ptr + i, 1))
            return;
        clock_wire_advance(2 * NS_PER_SEC);
        if (poll(stop, 2, clock_wire_poll((int)step->drip_ms)) > 0)
            return;
        i += i + 1 < reply.len || !step->endless;
    }
}

static void count_closed(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->closed++;
}

/* Waits until the other side closes, so that what was sent is read before we do. */
static void linger(struct fault_server *s, struct peer *p)
{
    char piece[4096];

    shutdown(p->fd, SHUT_WR);
    count_closed(s);
    while (wait_for(s, p->fd, 200) && recv(p->fd, piece, sizeof(piece), 0) > 0)
        continue;
}

static void reset(struct peer *p)
{
    struct linger hard = {.l_onoff = 1};

    setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
}

static void finish(struct fault_server *s, struct peer *p, enum fault_end end)
{
    if (end == FAULT_HANG) {
        struct pollfd stop[] = {{.fd = s->wake, .events = POLLIN},
                                {.fd = p->fd, .events = POLLRDHUP}};
        /* Check repeatedly: what was sent may be read only after the first time. */
        for (int ms = 0; ms < WAIT_MS && poll(stop, 2, 1) == 0; ms++)
            clock_wire_advance(HOUR);
    } else if (end == FAULT_RESET) {
        reset(p);
    } else {
        if (p->ssl)
            SSL_shutdown(p->ssl);
        linger(s, p);
    }
}

static void act(struct fault_server *s, struct peer *p, const struct fault_step *step)
{
    str reply = {step->reply, step->reply_len};

    if (step->reply && !step->reply_len)
        reply = str_c(step->reply);
    if (step->first_reply) {
        read_request(s, p, 0);
        count_request(s);
        peer_write(p, step->first_reply, strlen(step->first_reply));
        forget_request(s);
    }
    if (!step->before_request) {
        read_request(s, p, step->read_only);
        count_request(s);
    }
    if (step->drip_ms)
        drip(s, p, reply, step);
    else
        peer_write(p, reply.ptr, reply.len);
    finish(s, p, step->end);
}

static bool start_tls(struct fault_server *s, struct peer *p)
{
    struct timeval limit = {.tv_sec = WAIT_MS / 1000};

    setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    p->ssl = SSL_new(s->ssl);
    SSL_set_fd(p->ssl, p->fd);
    return SSL_accept(p->ssl) == 1;
}

static const struct fault_step *next_step(struct fault_server *s)
{
    static const struct fault_step close_at_once = {.before_request = true, .before_tls = true};
    AUTO_LOCK guard = lock_take(&s->lock);
    size_t i = s->connections++;

    s->request_len = 0;
    if (i < s->count)
        return &s->steps[i];
    return s->count && s->steps[s->count - 1].again ? &s->steps[s->count - 1] : &close_at_once;
}

static void serve(struct fault_server *s, int fd)
{
    struct peer p = {.fd = fd};
    const struct fault_step *step = next_step(s);

    if (!s->ssl || step->before_tls || start_tls(s, &p))
        act(s, &p, step);
    else
        linger(s, &p);
    if (p.ssl)
        SSL_free(p.ssl);
    close(fd);
}

static void *run(void *ctx)
{
    struct fault_server *s = ctx;

    for (;;) {
        struct pollfd p[] = {{.fd = s->wake, .events = POLLIN},
                             {.fd = s->listening, .events = POLLIN}};
        poll(p, 2, -1);
        if (p[0].revents)
            return NULL;
        int fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            serve(s, fd);
    }
}

static SSL_CTX *new_context(const struct fault_tls *tls)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    BIO *c = BIO_new_mem_buf(tls->cert.ptr, (int)tls->cert.len);
    BIO *k = BIO_new_mem_buf(tls->key.ptr, (int)tls->key.len);
    X509 *cert = PEM_read_bio_X509(c, NULL, NULL, NULL);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(k, NULL, NULL, NULL);

    SSL_CTX_use_certificate(ctx, cert);
    SSL_CTX_use_PrivateKey(ctx, key);
    if (tls->client_ca.len) {
        BIO *ca = BIO_new_mem_buf(tls->client_ca.ptr, (int)tls->client_ca.len);
        X509 *trusted = PEM_read_bio_X509(ca, NULL, NULL, NULL);
        X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), trusted);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        X509_free(trusted);
        BIO_free(ca);
    }
    X509_free(cert);
    EVP_PKEY_free(key);
    BIO_free(c);
    BIO_free(k);
    return ctx;
}

static void listen_somewhere(struct fault_server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);

    s->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->listening, (struct sockaddr *)&address, len) || listen(s->listening, 64) ||
        getsockname(s->listening, (struct sockaddr *)&address, &len))
        abort();
    s->port = ntohs(address.sin_port);
}

struct fault_server *fault_server_start(const struct fault_step *steps, size_t count,
                                        const struct fault_tls *tls)
{
    struct arena *a = arena_new();
    struct fault_server *s = ARENA_NEW(a, struct fault_server);

    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to sockets that are closed */
    s->arena = a;
    s->steps = steps;
    s->count = count;
    s->lock = (struct lock)LOCK_INIT;
    s->ssl = tls ? new_context(tls) : NULL;
    s->wake = eventfd(0, EFD_CLOEXEC);
    listen_somewhere(s);
    s->url = str_fmt(a, "%s://127.0.0.1:%u", tls ? "https" : "http", s->port);
    if (pthread_create(&s->thread, NULL, run, s))
        abort();
    return s;
}

void fault_server_stop(struct fault_server *s)
{
    const uint64_t one = 1;

    if (write(s->wake, &one, sizeof(one)) != sizeof(one))
        abort();
    pthread_join(s->thread, NULL);
    close(s->listening);
    close(s->wake);
    SSL_CTX_free(s->ssl);
    arena_free(s->arena);
}

str fault_server_url(const struct fault_server *s)
{
    return s->url;
}

unsigned fault_server_port(const struct fault_server *s)
{
    return s->port;
}

size_t fault_server_connections(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->connections;
}

size_t fault_server_requests(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->requests;
}

size_t fault_server_closed(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->closed;
}

str fault_server_request(struct fault_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return str_of(s->request, s->request_len);
}
