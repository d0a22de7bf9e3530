/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - a store in a folder, behind HTTPS; see serve.h. */
#include "store/serve.h"

#include "base/log.h"
#include "net/server/handler_serve.h"
#include "store/access.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Enough for a few busy clients; watches need no threads. */
#define SERVE_THREADS 4
#define SERVE_CONNECTIONS 2000
/* How often certificates are checked. */
#define RENEW_EVERY (3600 * NS_PER_SEC)

struct store_served {
    struct arena *arena;
    str folder, address, url, kubeconfig;
    int lock;
    struct store *store;
    struct store_access access;
    struct server *server;
    /* For the thread that renews the certificates. */
    struct lock keeping;
    pthread_cond_t changed;
    pthread_t keeper;
    bool keeps, ending; /* it was started; it should end */
    int64_t expires;    /* when the server's certificate expires */
};

struct store_serve_config store_serve_defaults(void)
{
    return (struct store_serve_config){.store = store_defaults()};
}

/* ---- The folder. ---- */

/* Creates a folder that only its owner can access. */
static bool make_folder(str folder, struct err *e)
{
    AUTO_ARENA a = arena_new();
    bool is_new = file_kind(folder) == FILE_MISSING;

    if (!file_make_folder(folder, e))
        return false;
    return !is_new || !chmod(str_z(a, folder), 0700) || err_errno(e, errno, "chmod", folder);
}

static bool in_use(str folder, str path, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str holder = STR_NONE;

    if (file_read_max(a, path, 64, &holder, NULL) && str_trim(holder).len)
        return err_set(e, ERR_EXISTS, "%.*s is in use by process %.*s", STR_ARG(folder),
                       STR_ARG(str_trim(holder)));
    return err_set(e, ERR_EXISTS, "%.*s is in use by another process", STR_ARG(folder));
}

/* Only for the error that other processes get. */
static void note_holder(int fd)
{
    AUTO_ARENA a = arena_new();
    str text = str_fmt(a, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) || pwrite(fd, text.ptr, text.len, 0) < 0)
        return;
}

/*
 * A folder may come from somebody else, for store check: a link in it could lead to any file, which
 * would be written to.
 */
static bool refuse_links(str folder, struct err *e)
{
    static const char *const names[] = {"lock", "store.db", "store.db-journal", "store.db-shm",
                                        "store.db-wal"};
    AUTO_ARENA a = arena_new();
    struct stat st;

    for (size_t i = 0; i < COUNT(names); i++) {
        str path = file_join(a, folder, str_c(names[i]));
        if (!lstat(str_z(a, path), &st) && !S_ISREG(st.st_mode))
            return err_set(e, ERR_INVALID, "%.*s: not a regular file", STR_ARG(path));
    }
    return true;
}

bool store_folder_lock(str folder, int *fd, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str path = file_join(a, folder, STR("lock"));

    *fd = -1;
    if (!refuse_links(folder, e))
        return false;
    *fd = open(str_z(a, path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return err_errno(e, errno, "open", path);
    if (flock(*fd, LOCK_EX | LOCK_NB)) {
        int number = errno;
        fd_cleanup(fd);
        return number == EWOULDBLOCK ? in_use(folder, path, e) : err_errno(e, number, "lock", path);
    }
    note_holder(*fd);
    return true;
}

str store_folder_database(struct arena *a, str folder)
{
    return file_join(a, folder, STR("store.db"));
}

/* Clients on this machine use loopback if the server listens on every address. */
static str url_of(struct store_served *s, str address)
{
    if (str_eq(address, STR("0.0.0.0")) || str_eq(address, STR("::")))
        return str_fmt(s->arena, "https://127.0.0.1:%u", server_port(s->server));
    return server_url(s->server);
}

/* ---- Certificates. ---- */

bool store_served_renew(struct store_served *s, int64_t now, struct err *e)
{
    AUTO_ARENA a = arena_new_secret();
    AUTO_LOCK guard = lock_take(&s->keeping);
    struct store_access fresh;

    if (s->expires - now > STORE_RENEW_BEFORE)
        return true;
    if (!store_access_open(a, s->folder, s->address, now, &fresh, e) ||
        !server_trust(s->server, fresh.ca.cert, e) ||
        !server_renew(s->server, fresh.server.cert, fresh.server.key, e) ||
        !store_access_write(&fresh, s->folder, s->url, e))
        return false;
    s->expires = issue_end(fresh.server.cert);
    return true;
}

/* False at the end. */
static bool rest(struct store_served *s)
{
    AUTO_LOCK guard = lock_take(&s->keeping);

    if (!s->ending)
        clock_wire_wait(&s->changed, &s->keeping.mutex, RENEW_EVERY);
    return !s->ending;
}

static void *keep_certificates(void *ctx)
{
    struct store_served *s = ctx;

    while (rest(s)) {
        AUTO_ERR e = {0};
        if (!store_served_renew(s, clock_now(), &e))
            LOG_WARN("certificates were not renewed", LOG_STR("error", e.text));
    }
    return NULL;
}

static void stop_keeping(struct store_served *s)
{
    {
        AUTO_LOCK guard = lock_take(&s->keeping);
        s->ending = true;
        pthread_cond_signal(&s->changed);
    }
    if (s->keeps)
        pthread_join(s->keeper, NULL);
    pthread_cond_destroy(&s->changed);
}

/* ---- Beginning and ending. ---- */

/* Bodies of unauthorised requests are not read. */
static bool is_allowed(void *ctx, struct server_request *r)
{
    const struct handler *guard = ctx;
    const struct handler_call head = {.method = server_method(r),
                                      .path = server_path(r),
                                      .client = server_client(r),
                                      .headers = server_headers(r)};

    return store_access_allows(guard->ctx, &head);
}

static bool start(struct store_served *s, const struct store_serve_config *config, struct err *e)
{
    const struct handler *inner = store_handler(s->store);
    struct server_config listen = {
        .handle = handler_serve,
        .wants_body = is_allowed,
        .ctx = &s->access.handler,
        .address = config->address,
        .port = config->port,
        .threads = SERVE_THREADS,
        .connections_max = SERVE_CONNECTIONS,
        .body_max = STORE_BODY_MAX + KIB, /* a little more, so that the store words the error */
        .header_max = STORE_HEADER_MAX,
        .cert = s->access.server.cert,
        .key = s->access.server.key,
        .client_ca = s->access.ca.cert,
    };

    store_access_guard(&s->access, config->wrap ? config->wrap(config->wrap_ctx, inner) : inner);
    if (!server_start(&listen, &s->server, e))
        return false;
    s->url = url_of(s, config->address);
    return store_access_write(&s->access, s->folder, s->url, e);
}

bool store_serve(const struct store_serve_config *config, struct store_served **out, struct err *e)
{
    struct arena *a = arena_new_secret();
    struct store_served *s = ARENA_NEW(a, struct store_served);
    struct store_config store = config->store;

    s->arena = a;
    s->lock = -1;
    s->keeping = (struct lock)LOCK_INIT;
    pthread_cond_init(&s->changed, NULL);
    s->address = str_copy(a, config->address);
    s->folder = str_copy(a, config->data);
    s->kubeconfig = file_join(a, s->folder, STR("kubeconfig"));
    store.path = store_folder_database(a, s->folder);
    if (!make_folder(s->folder, e) || !store_folder_lock(s->folder, &s->lock, e) ||
        !store_access_open(a, s->folder, s->address, clock_now(), &s->access, e) ||
        !store_open(&store, &s->store, e) || !start(s, config, e)) {
        store_serve_end(s, 0);
        return false;
    }
    s->expires = issue_end(s->access.server.cert);
    s->keeps = pthread_create(&s->keeper, NULL, keep_certificates, s) == 0;
    *out = s;
    return true;
}

void store_serve_end(struct store_served *s, int64_t grace)
{
    if (!s)
        return;
    stop_keeping(s);
    server_stop(s->server, grace);
    store_close(s->store);
    fd_cleanup(&s->lock);
    arena_free(s->arena);
}

struct store *store_served_store(const struct store_served *s)
{
    return s->store;
}

str store_served_url(const struct store_served *s)
{
    return server_url(s->server);
}

str store_served_kubeconfig(const struct store_served *s)
{
    return s->kubeconfig;
}
