/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - a simulated Azure Resource Manager, as awkward as the recorded one.
 *
 *     struct sim_config config = sim_defaults();
 *     struct sim *s;
 *     if (!sim_new(&config, &s, e))
 *         return false;
 *     struct sim_response r;
 *     sim_handle(s, a, &(struct sim_request){.method = STR("PUT"), .path = path, ...}, &r);
 *     sim_free(s);
 *
 * It knows nothing of sockets: sim_handle turns a request into an answer, and sim_handler is that
 * as a handler, which a server (net/server/handler_serve.h) or a client of this process asks. Any
 * resource type is accepted; how a type behaves (protocol of its operations, defaults it adds,
 * values it changes) is data, the files of api/sim, see docs/simulator.md. Groups and parents must
 * exist, ids have no case, what is deleted takes its children along.
 *
 * Paths that begin with /_sim/ are about the simulator itself: its log, counters, faults and time.
 *
 * With the same seed, virtual time and the same requests in the same order, the answers are the
 * same. sim_handle may be called from any thread; requests are handled one at a time.
 */
#pragma once

#include "net/handler.h"

struct sim;
struct source;

/* The most of what foreign input can make grow. */
#define SIM_RESOURCES_MAX 1000000
#define SIM_OPERATIONS_MAX 100000
#define SIM_FAULTS_MAX 1000
#define SIM_LOG_MAX 10000
#define SIM_LOG_BYTES (64 * MIB)
#define SIM_BODY_MAX (4 * MIB)

/* How many requests a subscription may send: a bucket of so many, filled again at so many a second.
 */
struct sim_rate {
    double size, refill;
};

struct sim_config {
    uint64_t seed;
    str tenant;        /* whose credentials are accepted; empty: any */
    bool virtual_time; /* time moves only by POST /_sim/time */
    bool auth;         /* every request must carry a token of the tokens endpoint */
    bool unregistered; /* providers must be registered before they accept resources */
    bool troubled;     /* types reject some resources a few times before they accept them */
    bool quick;        /* operations end within a second or two */
    bool unlimited;    /* nothing is throttled */
    bool keeps;        /* a PUT keeps what it omits */
    bool strict;       /* only api-versions that are known, and references to what is there */
    bool bare;         /* without the behaviours in the program: all types are unknown */
    bool no_model;     /* types without habits are not looked up in the resource model */
    struct sim_rate reads, writes, deletes;
    str state; /* a SQLite file that keeps everything but the log; empty: memory only */
};

/* Seed 1, any tenant, real time, the published buckets. */
struct sim_config sim_defaults(void);
/* Changes config as a preset says: azure, hourly, quick, strict, troubled, unlimited,
 * unregistered. The error names them. */
MUST_CHECK bool sim_preset(struct sim_config *config, str name, struct err *e);
/* The names of all presets, ended by NULL. */
extern const char *const sim_presets[];

/* Texts of config are copied. */
MUST_CHECK bool sim_new(const struct sim_config *config, struct sim **out, struct err *e);
void sim_free(struct sim *s);

/* Adds a file of behaviours, as in api/sim; its types replace those of the same name. */
MUST_CHECK bool sim_add_types(struct sim *s, const struct source *src, struct err *e);
/* Reads all behaviours in the program, which otherwise are read when they are asked for: a test of
 * them. */
MUST_CHECK bool sim_read_types(struct sim *s, struct err *e);
/* Adds the faults of a plan in YAML or JSON. Errors name its lines. */
MUST_CHECK bool sim_add_faults(struct sim *s, const struct source *src, struct err *e);

struct sim_request {
    str method;
    str path;  /* unescaped */
    str query; /* raw */
    str base;  /* scheme and host that URLs in answers begin with: "http://127.0.0.1:8080" */
    const struct http_headers *headers; /* may be NULL */
    str body;
};

struct sim_response {
    int status;
    struct http_headers headers;
    str body;  /* JSON when not empty, unless the headers say otherwise */
    bool drop; /* the connection is to be closed without an answer */
};

/* The answer lives as long as a. */
void sim_handle(struct sim *s, struct arena *a, const struct sim_request *q,
                struct sim_response *r);
/* The same as a handler, which is driven: it answers before it returns. Lives as long as s. */
const struct handler *sim_handler(const struct sim *s);

/* Moves virtual time; without virtual time it adds to the real one. */
void sim_advance(struct sim *s, int64_t ns);
