/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_internal.h - what the files of the engine share. Only the thread of the engine touches any
 * of it, but for what is said to be under the lock.
 */
#pragma once

#include "net/answer.h"
#include "net/engine.h"
#include "net/internal.h"

/* A request on its way. Lives in the arena of its caller. */
struct job {
    struct job *next;
    struct http_job spec;
    struct http_response response;
    str origin, target; /* "https://host:port" and "/path?query", parts of its URL */
    int64_t started;    /* clock_wire */
    bool repeatable, again;
};

/* One server: its connections at rest, and who waits for one. */
struct origin {
    struct origin *next;
    struct arena *arena;
    str name;
    size_t lines; /* open or being opened */
    struct line *idle;
    struct job *waiting, **waiting_end;
};

/* How bytes go to and fro. */
enum wire { WIRE_CURL, WIRE_PLAIN, WIRE_TLS };

enum line_state { LINE_CONNECTING, LINE_IDLE, LINE_SENDING, LINE_RECEIVING };

/* A connection. */
struct line {
    struct line *next, *before; /* in the list of all */
    struct line *next_idle;
    struct http_engine *engine;
    struct origin *origin;
    struct arena *arena; /* secret: requests carry tokens */
    enum line_state state;
    struct job *job;
    struct transfer transfer; /* of the connecting; then for wording failures */
    CURLM *multi;             /* LINE_CONNECTING: of this line alone */
    int64_t timer;            /* when curl wants to be called; INT64_MAX: not */
    int fd;
    enum wire wire;
    struct ssl_st *ssl; /* WIRE_TLS */
    str peer;
    bool used;             /* has answered a request before */
    int64_t rested;        /* since when it is idle */
    int64_t active;        /* when something last came */
    struct arena *request; /* secret too: what is sent */
    struct buf out;
    size_t out_at;
    struct answer answer;
};

struct http_engine {
    struct arena *arena;
    struct http_client *client;
    unsigned connections_max;
    int epoll, wake;
    pthread_t thread;
    struct lock lock;
    /* Under the lock. */
    struct job *fresh, **fresh_end;
    bool closing;
    bool asleep; /* and must be woken */
    struct http_engine_stats stats;
    /* Of the thread. */
    void (*settled)(void *ctx);
    void *settled_ctx;
    bool unsettled; /* a done was called since */
    struct origin *origins;
    struct line *lines;
    struct job *again; /* to be sent once more */
    size_t jobs;       /* not concluded */
    struct line **owners;
    size_t owner_count;
    int64_t ticked;
    char *scratch; /* ENGINE_PIECE bytes */
};

#define ENGINE_PIECE (64 * KIB)

/* ---- engine.c ---- */

/* The end of a job. failure NULL: there is an answer. */
void engine_conclude(struct http_engine *g, struct job *j, const struct err *failure);
/* Sends j once more, soon. */
void engine_again(struct http_engine *g, struct job *j);
/* What has opened and closed, for the statistics. */
void engine_count(struct http_engine *g, bool opened, bool closed);
/* Says whose socket fd is; NULL: nobody's. */
void engine_own(struct http_engine *g, int fd, struct line *l);
/* Ends a job that has no line. */
void engine_fail(struct http_engine *g, struct job *j, CURLcode result, enum transfer_stop stop);
/* Whether j must end, and by which of the two reasons. */
bool engine_overdue(const struct http_engine *g, const struct job *j, int64_t now, CURLcode *result,
                    enum transfer_stop *stop);

/* ---- engine_line.c ---- */

/* A new connection for j. */
void line_open(struct http_engine *g, struct origin *o, struct job *j);
/* Whether a line that rested is good for j. */
bool line_is_alive(struct line *l, const struct job *j);
/* Puts j on a line that has none. */
void line_use(struct line *l, struct job *j);
/* Something happened on its socket fd. */
void line_event(struct line *l, int fd, unsigned events);
/* Looks at the time and at the flags. The line may be closed by it. */
void line_tick(struct line *l, int64_t now);
/* Ends its job, if it has one, and closes it. */
void line_fail(struct line *l, CURLcode result, enum transfer_stop stop);
/* Closes it; it has no job. */
void line_close(struct line *l);

/* ---- engine_wire.c ---- */

/* Before curl connects l. */
void wire_prepare(struct line *l);
/* Once it has: finds out how to talk on l->fd. */
void wire_begin(struct line *l);
/* CURLE_AGAIN: not now. *n is 0 at the end of what comes. */
CURLcode wire_recv(struct line *l, char *data, size_t size, size_t *n);
CURLcode wire_send(struct line *l, const char *data, size_t size, size_t *n);
