/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - a store, a simulated Azure and an operator in one thread, for scenarios.
 *
 *     struct stage s;
 *     stage_open(&s, w, &(struct stage_options){0});
 *     stage_apply_text(&s, "{...}");
 *     stage_run(&s, 10 * WORLD_MINUTE);
 *     stage_expect_ready(&s, "StorageAccount", "plumbstore");
 *     stage_close(&s);
 *
 * The ports call the store and the simulator at once and put the answer on the heap, delayed by a
 * latency from the seed. Watch events reach the cache late, too, so that its view may be outdated.
 * Faults are changes to what is on the heap. The laws of the operator are checked at the ports, for
 * every request (stage_laws.c).
 */
#pragma once

#include "support/world.h"

#include "arm/budget/budget.h"
#include "azure/model/model.h"
#include "base/map.h"
#include "object/condition.h"
#include "object/names.h"
#include "object/object.h"
#include "operator/operator.h"
#include "sim/sim.h"

#define STAGE_SUBSCRIPTION "00000000-0000-0000-0000-000000000000"
#define STAGE_ENDPOINT "http://azure"
#define STAGE_PERIOD (15 * WORLD_MINUTE)
#define STAGE_SOMEBODY "eve@example.com"
#define STAGE_GROUP "/subscriptions/" STAGE_SUBSCRIPTION "/resourceGroups/rg"

/* Microsoft Entra's error for a wrong secret, with plumb's advice (arm/credential/token.c). */
#define STAGE_DENIED                                                                               \
    "getting a token for client 55555555-0000-0000-0000-000000000000 in tenant "                   \
    "contoso.onmicrosoft.com: "                                                                    \
    "AADSTS7000215: Invalid client secret provided; check "                                        \
    "AZURE_CLIENT_SECRET: it must be the value of the secret, not its id"

/* Percentages of the requests or events that a fault can affect. */
struct stage_faults {
    unsigned lost_request, lost_answer, twice; /* requests */
    unsigned late, missed; /* cache events: held back, or seen by a later list */
    unsigned refused;      /* transient errors of Azure */
    unsigned crashes;      /* how many, in the whole run */
    unsigned leases;       /* how often the lease is lost for a while */
    unsigned takeovers;    /* how often another operator gets it while this one still runs */
    unsigned held;         /* writes that wait before they are sent */
    unsigned jumps;        /* of the operator's wall clock */
    unsigned throttled;    /* how often the simulator rejects writes with a Retry-After */
};

struct stage_options {
    struct stage_faults faults;
    struct operator_config config; /* 0 or empty members get defaults */
    bool observe;                  /* without a writer */
    bool keeps;                    /* Azure keeps what a PUT omits */
    /* Gets the inputs of verdicts; may be NULL. */
    void (*judged)(void *ctx, const struct value *record);
    void *judged_ctx;
    bool foreign; /* definitions have no operatorStatus */
    bool twins;   /* and are stored in the newest version's twin, like the reference operator's */
    /*
     * Requests to Azure go through a budget with a burst of this many writes, and a twentieth of it
     * per second; more fail the run. 0: they are sent at once.
     */
    unsigned paced;
};

struct stage_kind;
struct stage_piece;

/* An Event. */
struct stage_report {
    str reason, object, message;
    bool warning;
};

/* A PUT that was sent to Azure, whatever the answer. */
struct stage_put {
    str id, body;
};

struct stage {
    struct world *w;
    struct stage_options options;
    struct model *model;
    struct sim *sim;
    int64_t sim_time; /* the last world time that the simulator knows */
    VEC(struct stage_kind *) kinds;
    struct map *cache;  /* key to the object */
    struct map *cached; /* key to the piece that holds its memory */
    struct stage_piece *pieces;
    struct budget *budget; /* NULL: requests are sent at once */
    int64_t budget_due, paced_at;
    double bucket; /* writes that Azure would accept now */
    struct operator* operator;
    struct ports ports;
    unsigned life;
    int64_t planned; /* when the operator is stepped next */
    bool leads;
    bool calm; /* no more faults */
    /* What goes wrong, when set. */
    unsigned crash_after; /* requests until the operator crashes; their answers are lost */
    int64_t skew;         /* how far the operator's clock is ahead of everybody else's */
    void (*twist)(struct stage *s, const struct effect *effect, struct arm_answer *answer);
    /* Why the API server rejects a write of the operator; NULL: it is accepted. */
    const char *(*rejects)(struct stage *s, const struct effect *effect);
    const char *slow_id; /* answers about this id are delayed by slow_by */
    int64_t slow_by;
    bool counts_created;
    unsigned created; /* accounts created by accepted PUTs, if counts_created */
    /* The operator that has lost the lease to another one but has not noticed yet. */
    struct operator* lost;
    unsigned lost_life;
    struct map *lost_flying;
    bool runs_lost; /* it is the one making the request */
    /* What has been seen at the ports. */
    struct map *puts;   /* id in lower case to the number of PUTs that were accepted */
    struct map *flying; /* objects with a request under way */
    struct map *known;  /* of stage_laws.c */
    struct map *polled; /* paths in all poll tokens that were ever stored */
    VEC(str) order;     /* of the first PUTs */
    VEC(str) events;    /* "reason object message" */
    VEC(struct stage_put) sent;
    VEC(struct stage_report) reports; /* the same */
    const char *denies;               /* requests about this id fail: the credential is wrong */
    uint64_t trace;                   /* hash of all requests, in order */
    unsigned deaf;                    /* how many DELETEs succeed but do nothing */
    unsigned refused;                 /* writes that Azure rejected */
    unsigned activity_reads;          /* of the activity log */
    unsigned polls;                   /* of operations */
    struct map *causes;               /* causes of PUTs to their number */
    unsigned kube_writes, status_writes, arm_writes, arm_reads, posts;
};

void stage_open(struct stage *s, struct world *w, const struct stage_options *options);
/* Ends the operator and everything else. */
void stage_close(struct stage *s);
/* Recreates the operator, with another configuration if one is given. */
void stage_restart(struct stage *s, const struct operator_config *config);
/*
 * Gives the lease to another operator while this one goes on for a moment, unless one is already
 * doing so.
 */
void stage_take_over(struct stage *s);
void stage_run(struct stage *s, int64_t time);
/* Ends all faults; their effects remain. */
void stage_calm(struct stage *s);

/* The operator's configuration. */
struct operator_config stage_config(const struct stage *s);
/* A read by somebody else, answered at once. */
void stage_read(struct stage *s, const struct effect *effect, struct arm_answer *out);
/* The object in the operator's cache, or NULL. */
const struct value *stage_cached(struct stage *s, struct arena *a, const struct object_key *key);

/* ---- The cluster. ---- */

/* Creates an object, and a definition of its kind if there is none. Returns the status. */
int stage_apply(struct stage *s, const struct value *object);
/* The same from text with ' for "; must succeed. */
void stage_apply_text(struct stage *s, const char *text);
/* A merge patch, with ' for ". */
void stage_patch(struct stage *s, const char *kind, const char *name, const char *patch);
void stage_delete(struct stage *s, const char *kind, const char *name);
/* The same with foreground deletion: its dependents go first. */
void stage_delete_foreground(struct stage *s, const char *kind, const char *name);
/* NULL if it does not exist. Lives until the next request to the store. */
const struct value *stage_get(struct stage *s, const char *kind, const char *name);
struct condition stage_condition(struct stage *s, const char *kind, const char *name);
void stage_expect_ready(struct stage *s, const char *kind, const char *name);
/* Expects this reason of the condition Ready, and this part of its message (NULL: any). */
void stage_expect(struct stage *s, const char *kind, const char *name, const char *reason,
                  const char *message);
/* How many PUTs had this cause. */
unsigned stage_caused(const struct stage *s, const char *cause);
/* Whether an Event with this reason was sent whose message contains this text. */
bool stage_has_event_with(const struct stage *s, const char *reason, const char *text);
unsigned stage_count_events(const struct stage *s, const char *reason);
/* Whether an Event with this reason was sent. */
bool stage_has_event(const struct stage *s, const char *reason);

/* ---- Azure. ---- */

/* A request to the simulator, at the time of the world. */
struct sim_response stage_call_sim(struct stage *s, struct arena *a, const char *method, str path,
                                   str query, str body);
/* A request by somebody else. */
struct sim_response stage_azure(struct stage *s, const char *method, str id, str api_version,
                                str body);
/* Somebody changes a member in the portal; value is JSON, NULL removes it. */
void stage_change(struct stage *s, const char *id, const char *path, const char *value);
/* The service itself changes a member, without a write by anybody. */
void stage_evolve(struct stage *s, const char *id, const char *path, const char *value);
/* The body of a resource, which must exist. */
const struct value *stage_body(struct stage *s, const char *id, const char *api_version);
bool stage_is_in_azure(struct stage *s, const char *id);
unsigned stage_puts(const struct stage *s, str id);
/* Behaviours of types, as in api/sim, as JSON with ' for ". */
void stage_types(struct stage *s, const char *types);
/* A fault of the simulator, as JSON with ' for ". */
void stage_fault(struct stage *s, const char *fault);
/* Ends all of these faults. */
void stage_end_faults(struct stage *s);
/* All ids in the simulator. */
const struct value *stage_resources(struct stage *s);

struct value *stage_parse(struct arena *a, const char *text); /* with ' for " */

/* ---- stage_laws.c ---- */

/* Notes that the store has this object now. */
void stage_know(struct stage *s, const struct value *object, bool gone);
void stage_check_effect(struct stage *s, const struct effect *effect);
/* Lets time pass; no pass may start meanwhile. */
void stage_expect_quiet(struct stage *s, int64_t time);
/*
 * At the end: checks that nothing is in Azure without an object that knows it, and that no
 * finalizer was lost.
 */
void stage_check_end(struct stage *s);
