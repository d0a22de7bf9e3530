/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim.h - a simulated Azure Resource Manager, with the quirks of the real one.
 *
 *     struct sim_config config = sim_defaults();
 *     struct sim *s;
 *     if (!sim_new(&config, &s, e))
 *         return false;
 *     struct sim_response r;
 *     sim_handle(s, a, &(struct sim_request){.method = STR("PUT"), .path = path, ...}, &r);
 *     sim_free(s);
 *
 * It has no sockets of its own: sim_handle turns a request into an answer, and sim_handler wraps it
 * as a handler for a server (net/server/handler_serve.h) or for clients in the same process. Any
 * resource type is accepted; how a type behaves (how its operations are polled, which defaults it
 * adds, which values it changes) is data, in the files of api/sim, see docs/simulator.md. Groups
 * and parents must exist, ids are case-insensitive, and deleting a resource deletes its children.
 *
 * Paths that begin with /_sim/ control the simulator itself: its log, counters, faults and time.
 *
 * With virtual time, the same seed and the same requests in the same order give the same answers.
 * sim_handle may be called from any thread; requests are handled one at a time.
 */
#pragma once

#include "net/handler.h"

struct sim;
struct source;

/* Limits on what foreign input can make grow. */
#define SIM_RESOURCES_MAX 1000000
#define SIM_OPERATIONS_MAX 100000
#define SIM_FAULTS_MAX 1000
#define SIM_LOG_MAX 10000
#define SIM_LOG_BYTES (64 * MIB)
#define SIM_BODY_MAX (4 * MIB)

/* How many requests a subscription may send: a token bucket of this size, refilled at this rate per
 * second. */
struct sim_rate {
    double size, refill;
};

struct sim_config {
    uint64_t seed;
    str tenant;        /* the tenant whose credentials are accepted; empty: any */
    bool virtual_time; /* time advances only by POST /_sim/time */
    bool auth;         /* every request must carry a token of the tokens endpoint */
    bool unregistered; /* providers must be registered before they accept resources */
    bool troubled;     /* types reject some resources a few times before they accept them */
    bool quick;        /* operations end within a second or two */
    bool unlimited;    /* nothing is throttled */
    bool keeps;        /* a PUT keeps what it omits */
    bool strict;       /* accept only known api-versions, and references to existing resources */
    bool bare;         /* without the built-in behaviours: all types are unknown */
    bool no_model;     /* types without a file are not looked up in the resource model */
    struct sim_rate reads, writes, deletes;
    str state; /* a SQLite file that keeps everything but the log; empty: memory only */
};

/* Seed 1, any tenant, real time, Azure's published limits. */
struct sim_config sim_defaults(void);
/* Applies a preset: azure, hourly, quick, strict, troubled, unlimited, unregistered. The error
 * lists them. */
MUST_CHECK bool sim_preset(struct sim_config *config, str name, struct err *e);
/* The names of all presets, NULL-terminated. */
extern const char *const sim_presets[];

/* Texts of config are copied. */
MUST_CHECK bool sim_new(const struct sim_config *config, struct sim **out, struct err *e);
void sim_free(struct sim *s);

/* Adds a file of behaviours, as in api/sim; its types replace those of the same name. */
MUST_CHECK bool sim_add_types(struct sim *s, const struct source *src, struct err *e);
/* Reads all built-in behaviours, which otherwise are read on demand, as a test of them. */
MUST_CHECK bool sim_read_types(struct sim *s, struct err *e);
/* Adds the faults of a plan in YAML or JSON. Errors name its lines. */
MUST_CHECK bool sim_add_faults(struct sim *s, const struct source *src, struct err *e);

struct sim_request {
    str method;
    str path;  /* unescaped */
    str query; /* raw */
    str base;  /* scheme and host of URLs in answers: "http://127.0.0.1:8080" */
    const struct http_headers *headers; /* may be NULL */
    str body;
};

struct sim_response {
    int status;
    struct http_headers headers;
    str body;  /* JSON when not empty, unless the headers say otherwise */
    bool drop; /* close the connection without an answer */
};

/* The answer lives as long as a. */
void sim_handle(struct sim *s, struct arena *a, const struct sim_request *q,
                struct sim_response *r);
/* The same as a handler, which always answers before it returns. Lives as long as s. */
const struct handler *sim_handler(const struct sim *s);

/* Advances virtual time; without virtual time, adds an offset to real time. */
void sim_advance(struct sim *s, int64_t ns);
