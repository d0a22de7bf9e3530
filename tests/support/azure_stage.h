/* SPDX-License-Identifier: Apache-2.0 */
/*
 * azure_stage.h - the simulated ARM, behind a socket or in this process, and clients for it.
 *
 * The simulator has virtual time, so operations end by being polled; the types Test.Lro/async,
 * both, location, relative, body and none cover all protocols, each with three polls.
 *
 *     struct azure_stage s;
 *     azure_stage_start(&s, preset, on_request, ctx);
 *     struct azure_client c;
 *     azure_client_open(&c, azure_stage_url(&s));        or, without a socket:
 *     azure_client_open_local(&c, azure_stage_handler(&s));
 *     ... c.wait, or c.arm and c.pipe ...
 *     azure_client_close(&c);
 *     azure_stage_stop(&s);
 *
 * A failure ends the program.
 */
#pragma once

#include "net/server/handler_serve.h"
#include "sim/sim.h"
#include "support/arm_wait.h"

#define AZURE_SUBSCRIPTION "00000000-0000-4000-8000-000000000001"
#define AZURE_GROUP "/subscriptions/" AZURE_SUBSCRIPTION "/resourceGroups/g"
#define AZURE_TENANT "tenant-of-the-stage"
/* The prefix of the secrets that all output is searched for. */
#define AZURE_SECRET "planted-secret-of-the-stage"

/* How the types Test.Lro/... behave, for sim_add_types. */
extern const char azure_stage_types[];

/* Sees a request before it is handled, and again (after) before its answer is sent. Any thread. */
typedef void azure_watch(void *ctx, const struct handler_call *c, bool after);

struct azure_stage {
    struct handler handler;
    struct sim *sim;
    struct server *server;
    azure_watch *watch;
    void *ctx;
};

/* preset as in plumb simulate, or empty. The group AZURE_GROUP already exists. */
void azure_stage_start(struct azure_stage *s, const char *preset, azure_watch *watch, void *ctx);
void azure_stage_stop(struct azure_stage *s);
str azure_stage_url(const struct azure_stage *s);
const struct handler *azure_stage_handler(const struct azure_stage *s);
/* Calls the simulator directly and returns the status. body gets the answer; may be NULL. */
int azure_stage_ask(struct azure_stage *s, struct arena *a, const char *method, const char *path,
                    const char *sent, str *body);
/* A counter of /_sim/assert. */
int64_t azure_stage_count(struct azure_stage *s, const char *name);

struct azure_client {
    struct arena *a;
    struct http_client *http;
    struct credential *credential;
    struct arm_gate *gate;
    struct arm *arm;
    struct arm_pipe *pipe;
    struct arm_wait wait; /* by arm and pipe */
};

void azure_client_open(struct azure_client *c, str url);
void azure_client_open_local(struct azure_client *c, const struct handler *h);
void azure_client_close(struct azure_client *c);
/* A call about "TYPE/NAME" in the group. */
struct arm_call azure_call(struct arena *a, const char *method, const char *type, const char *name,
                           const char *body);
