/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - the production side of the ports, and the thread that owns the operator; see live.h.
 *
 * Each operator has a number, its life: answers to requests of an earlier one are dropped, as after
 * a crash.
 */
#include "operator/live.h"

#include "arm/pipe.h"
#include "base/lock.h"
#include "base/log.h"
#include "kube/events.h"
#include "kube/lease.h"
#include "kube/pipe.h"
#include "base/block.h"
#include "base/prometheus.h"
#include "base/queue.h"
#include "operator/accounts.h"
#include "operator/budget_metrics.h"
#include "operator/checkpoint.h"
#include "operator/digest_key.h"
#include "operator/install.h"
#include "operator/kinds.h"
#include "operator/live_rules.h"
#include "operator/live_url.h"
#include "operator/metrics.h"
#include "operator/replay.h"
#include "operator/state_metrics.h"
#include "operator/write_metrics.h"

#include <pthread.h>
#include <stdatomic.h>

/* How often the lease and the stop flag are checked. */
#define LOOK_EVERY (NS_PER_SEC / 4)
/*
 * How late work may begin, so that what is due soon after is done with it: waking the owner, and
 * two other threads for the request, costs half as much as a check.
 */
#define GATHER (10 * NS_PER_MS)
/* Longer pauses that Azure asks for are shown in the status of the object. */
#define THROTTLED_QUIETLY (5 * NS_PER_SEC)
/* Where and how often the last checks are saved. */
#define CHECKPOINT_NAME "plumb-checkpoint"
#define CHECKPOINT_MEMBER "checkpoint"
#define CHECKPOINT_EVERY (300 * NS_PER_SEC)
#define CHECKPOINT_TIMEOUT (5 * NS_PER_SEC)
/* Between attempts to install definitions. */
#define INSTALL_WAIT_MAX (60 * NS_PER_SEC)

/* What a call to Azure is for. */
struct asked {
    uint64_t ticket;
    unsigned life;
    int64_t at; /* by clock_mono */
    struct account_client *client;
};

struct live {
    struct arena *arena;
    struct live_config config;
    struct kube_watches *hub;
    struct kinds *kinds;
    struct kube_pipe *kube;
    pthread_t kube_thread;
    bool taking;         /* it was started */
    bool holding;        /* the thread that renews the lease was started, too */
    bool starving;       /* that thread could not be started, which was reported */
    struct lease *lease; /* NULL: none is needed */
    pthread_t lease_thread;
    struct http_cancel *lease_cancel;

    struct keeper *keeper;    /* NULL: decisions are not kept */
    struct live_rules *rules; /* NULL: they are not watched */
    struct accounts *accounts;
    struct events *events;
    struct request_metrics *requests;
    struct write_metrics *writes;
    struct state_metrics *states;
    struct arm_gate *gate;
    struct arm_pipe *pipe;
    pthread_t pipe_thread;
    struct http_cancel *stopping; /* raised to abandon requests under way */

    pthread_t install_thread;
    bool installing; /* it was started */

    struct lock lock;
    pthread_cond_t changed;
    _Atomic uint64_t lease_term;   /* in which the operator began */
    bool news;                     /* something happened since the last step */
    struct checkpoint *checkpoint; /* the owner's */
    int64_t checkpoint_due;        /* by clock_mono */
    bool checkpoint_news;
    struct operator* operator; /* under the lock; created and freed only by the owner */
    unsigned life;
    atomic_bool ready, leads;
    struct operator_stats stats; /* of the last step, under the lock */
    struct kinds_stats kinds_stats;
    struct queue_stats queue; /* as of queue_look, about a second ago */
    int64_t unsynced_since;   /* the same; 0: everything is Ready */
    int64_t queue_look;
};

/* ---- News. ----------------------------------------------------------------------------------- */

static void wake(void *ctx)
{
    struct live *l = ctx;
    AUTO_LOCK guard = lock_take(&l->lock);

    l->news = true;
    pthread_cond_signal(&l->changed);
}

static void on_changed(void *ctx, const struct object_key *key)
{
    struct live *l = ctx;
    bool rules = live_rules_changed(l->rules, key);
    AUTO_LOCK guard = lock_take(&l->lock);

    if (!l->operator&& !rules)
        return;
    if (l->operator)
        operator_changed(l->operator, key);
    l->news = true;
    pthread_cond_signal(&l->changed);
}

static void answer(struct live *l, unsigned life, uint64_t ticket, const struct arm_answer *a)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    if (!l->operator|| life != l->life)
        return;
    operator_tell(l->operator, ticket, a);
    l->news = true;
    pthread_cond_signal(&l->changed);
}

/* ---- The API server. ------------------------------------------------------------------------- */

/* Why a request was sent. */
enum kube_why { WHY_EFFECT, WHY_SECRET, WHY_EVENT, WHY_CHECKPOINT, WHY_RULES };

struct kube_asked {
    struct arena *arena; /* of this; Secrets may be in it */
    enum kube_why why;
    uint64_t ticket;         /* WHY_EFFECT */
    unsigned life;           /* the term of the request; TERM_NONE: whoever leads */
    str namespace, name;     /* WHY_SECRET */
    str text;                /* WHY_CHECKPOINT */
    struct event_call event; /* WHY_EVENT */
};

static struct kube_asked *new_asked(enum kube_why why, unsigned life)
{
    struct arena *a = arena_new_secret();
    struct kube_asked *asked = ARENA_NEW(a, struct kube_asked);

    *asked = (struct kube_asked){.arena = a, .why = why, .life = life};
    return asked;
}

/* False: nothing was sent, and asked was freed. */
static bool start_kube(struct live *l, const struct kube_ask *ask, struct kube_asked *asked)
{
    AUTO_ERR e = {0};
    struct kube_ask q = *ask;

    q.term = asked->life;
    if (kube_pipe_start(l->kube, &q, asked, &e))
        return true;
    LOG_WARN("request to the API server was not started", LOG_STR("error", e.text));
    arena_free(asked->arena);
    return false;
}

static void ask_kube(struct live *l, uint64_t ticket, const struct effect *effect)
{
    static const struct {
        enum kube_verb verb;
        enum kube_patch_type patch;
    } verbs[EFFECT_COUNT] = {[KUBE_GET] = {KUBE_VERB_GET, 0},
                             [KUBE_CREATE] = {KUBE_VERB_CREATE, 0},
                             [KUBE_PATCH] = {KUBE_VERB_PATCH, KUBE_MERGE_PATCH},
                             [KUBE_PATCH_JSON] = {KUBE_VERB_PATCH, KUBE_JSON_PATCH},
                             [KUBE_DELETE] = {KUBE_VERB_DELETE, 0}};
    const struct kube_ask ask = {.verb = verbs[effect->kind].verb,
                                 .patch = verbs[effect->kind].patch,
                                 .path = effect->url,
                                 .text = effect->body,
                                 .call = {.cancel = l->stopping}};
    struct kube_asked *asked = new_asked(WHY_EFFECT, l->life);

    asked->ticket = ticket;
    if (!start_kube(l, &ask, asked))
        answer(l, l->life, ticket, &(struct arm_answer){.retry_after = -1});
}

static void read_secret(void *ctx, str namespace, str name)
{
    static const struct kube_resource secrets = {
        .version = STR_INIT("v1"), .name = STR_INIT("secrets"), .namespaced = true};
    struct live *l = ctx;
    struct kube_asked *asked = new_asked(WHY_SECRET, TERM_NONE);
    const struct kube_call place = {.resource = &secrets, .namespace = namespace, .name = name};
    const struct kube_ask ask = {.verb = KUBE_VERB_GET,
                                 .path = kube_call_path(asked->arena, &place),
                                 .call = {.cancel = l->stopping}};

    asked->namespace = str_copy(asked->arena, namespace);
    asked->name = str_copy(asked->arena, name);
    if (!start_kube(l, &ask, asked))
        accounts_tell(l->accounts, namespace, name, 0, STR_NONE);
}

static void on_secret(struct live *l, const struct kube_asked *asked, const struct kube_done *done)
{
    const struct object_key key = {
        .kind = STR("Secret"), .namespace = asked->namespace, .name = asked->name};

    accounts_tell(l->accounts, asked->namespace, asked->name, done->http, done->body);
    on_changed(l, &key);
}

static void on_effect(struct live *l, const struct kube_asked *asked, const struct kube_done *done)
{
    if (!done->http && !http_cancel_raised(l->stopping))
        LOG_WARN("API server does not answer", LOG_STR("path", done->ask.path),
                 LOG_STR("error", done->failure.text));
    answer(l, asked->life, asked->ticket,
           &(struct arm_answer){.http = done->http, .body = done->body, .retry_after = -1});
}

/* True: asked is in use by another request, or was freed. */
static bool on_event(struct live *l, struct kube_asked *asked, const struct kube_done *done)
{
    if (!done->ok)
        LOG_DEBUG("event was not sent", LOG_STR("error", done->failure.text));
    if (!events_settle(l->events, &asked->event, done->ok ? NULL : &done->failure))
        return false;
    (void)start_kube(l, &asked->event.ask, asked);
    return true;
}

/* ---- The checkpoint, a ConfigMap beside the operator. ---- */

static const struct kube_resource config_maps = {.version = STR_INIT("v1"),
                                                 .name = STR_INIT("configmaps"),
                                                 .kind = STR_INIT("ConfigMap"),
                                                 .namespaced = true};
static const struct kube_write_options checkpoint_options = {
    .field_manager = STR_INIT("plumb-operator")};

/* A merge patch if the object exists, else the object itself. */
static struct kube_ask checkpoint_ask(const struct live *l, enum kube_verb verb, str text)
{
    return (struct kube_ask){
        .verb = verb,
        .patch = KUBE_MERGE_PATCH,
        .call = {.resource = &config_maps,
                 .namespace = l->config.operator.namespace,
                 .name = verb == KUBE_VERB_CREATE ? STR_NONE : STR(CHECKPOINT_NAME),
                 .timeout = CHECKPOINT_TIMEOUT},
        .text = text,
        .write = checkpoint_options};
}

static str checkpoint_text(struct live *l, struct arena *a)
{
    return str_fmt(a,
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"
                   "\"data\":{\"%s\":\"%.*s\"}}",
                   CHECKPOINT_NAME, CHECKPOINT_MEMBER,
                   STR_ARG(checkpoint_write(l->checkpoint, a, clock_now())));
}

/* Called before there is an operator. Failing to read it is not an error. */
static void read_checkpoint(struct live *l)
{
    AUTO_ARENA a = arena_new();
    const struct kube_ask ask = checkpoint_ask(l, KUBE_VERB_GET, STR_NONE);
    struct value *found = NULL;

    if (kube_do(l->config.transport, a, &ask, &found, NULL))
        checkpoint_read(l->checkpoint,
                        value_get_str(value_get(found, STR("data")), STR(CHECKPOINT_MEMBER)));
}

static bool wants_checkpoint(const struct live *l)
{
    return l->checkpoint_news && !l->config.observe && (!l->lease || lease_held(l->lease));
}

static void start_checkpoint(struct live *l)
{
    l->checkpoint_due = clock_mono() + CHECKPOINT_EVERY;
    if (!wants_checkpoint(l))
        return;
    struct kube_asked *asked = new_asked(WHY_CHECKPOINT, l->life);
    asked->text = checkpoint_text(l, asked->arena);
    const struct kube_ask ask = checkpoint_ask(l, KUBE_VERB_PATCH, asked->text);
    l->checkpoint_news = false;
    (void)start_kube(l, &ask, asked);
}

/* True: asked is in use by another request, or was freed. */
static bool on_checkpoint(struct live *l, struct kube_asked *asked, const struct kube_done *done)
{
    if (done->http != 404 || done->ask.verb != KUBE_VERB_PATCH)
        return false;
    const struct kube_ask ask = checkpoint_ask(l, KUBE_VERB_CREATE, asked->text);
    (void)start_kube(l, &ask, asked);
    return true;
}

/* ---- Rules. ---- */

static void read_rules(struct live *l)
{
    struct kube_asked *asked = new_asked(WHY_RULES, TERM_NONE);
    const struct kube_call place = {.resource = &config_maps,
                                    .namespace = l->config.operator.namespace,
                                    .name = l->config.rules_map};
    const struct kube_ask ask = {.verb = KUBE_VERB_GET,
                                 .path = kube_call_path(asked->arena, &place),
                                 .call = {.cancel = l->stopping}};

    if (!start_kube(l, &ask, asked))
        live_rules_tell(l->rules, 0, STR_NONE);
}

static void on_rules(struct live *l, const struct kube_done *done)
{
    if (live_rules_tell(l->rules, done->http, done->body))
        wake(l);
}

/* At the end, when answers are no longer accepted. */
static void write_last_checkpoint(struct live *l)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    if (!wants_checkpoint(l))
        return;
    struct kube_ask ask = checkpoint_ask(l, KUBE_VERB_PATCH, checkpoint_text(l, a));
    ask.call.retry = &retry_never;
    if (kube_do(l->config.transport, a, &ask, NULL, &e) || e.kind != ERR_NOT_FOUND)
        return;
    ask = checkpoint_ask(l, KUBE_VERB_CREATE, ask.text);
    ask.call.retry = &retry_never;
    (void)!kube_do(l->config.transport, a, &ask, NULL, NULL);
}

static void *take_kube_answers(void *ctx)
{
    struct live *l = ctx;
    struct kube_done *done;

    while ((done = kube_pipe_next(l->kube))) {
        struct kube_asked *asked = done->ctx;
        bool goes_on = false;
        switch (asked->why) {
        case WHY_EFFECT:
            on_effect(l, asked, done);
            break;
        case WHY_SECRET:
            on_secret(l, asked, done);
            break;
        case WHY_EVENT:
            goes_on = on_event(l, asked, done);
            break;
        case WHY_CHECKPOINT:
            goes_on = on_checkpoint(l, asked, done);
            break;
        case WHY_RULES:
            on_rules(l, done);
            break;
        }
        kube_pipe_release(l->kube, done);
        if (!goes_on)
            arena_free(asked->arena);
    }
    return NULL;
}

/* ---- Azure. ---------------------------------------------------------------------------------- */

static void ask_azure(struct live *l, uint64_t ticket, const struct effect *effect)
{
    static const enum budget_priority priorities[] = {[PRIORITY_USER] = BUDGET_USER,
                                                      [PRIORITY_POLL] = BUDGET_POLL,
                                                      [PRIORITY_PERIODIC] = BUDGET_SWEEP};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct account_client *client = accounts_take(l->accounts, effect->account);
    struct arm_call call = {.method = str_c(effect_method(effect->kind)),
                            .patience = THROTTLED_QUIETLY,
                            .body = effect->body,
                            .priority = priorities[effect->priority],
                            .namespace = effect->account,
                            .term = l->life,
                            .cancel = l->stopping};

    if (!client) {
        answer(l, l->life, ticket, &(struct arm_answer){.retry_after = NS_PER_SEC});
        return;
    }
    if (!live_read_url(a, accounts_endpoint(client), effect->url, &call))
        call.address = effect->url;
    struct asked *asked = block_new(sizeof *asked);
    *asked = (struct asked){ticket, l->life, clock_mono(), client};
    if (arm_pipe_start(l->pipe, accounts_arm(client), &call, asked, &e))
        return;
    LOG_WARN("request to Azure was not started", LOG_STR("error", e.text));
    answer(l, l->life, ticket, &(struct arm_answer){.retry_after = NS_PER_SEC});
    accounts_give(l->accounts, client);
    block_free(asked);
}

static void on_azure_answer(struct live *l, const struct arm_done *done)
{
    struct asked *asked = done->ctx;
    const struct arm_answer a = arm_done_answer(done);

    request_metrics_add(l->requests, done->call.id, done->call.method, done->result.status,
                        clock_mono() - asked->at);
    if (!done->result.status && !http_cancel_raised(l->stopping))
        LOG_WARN("Azure does not answer", LOG_STR("method", done->call.method),
                 LOG_STR("id", done->call.id), LOG_STR("error", done->failure.text));
    answer(l, asked->life, asked->ticket, &a);
}

static void *take_azure_answers(void *ctx)
{
    struct live *l = ctx;
    struct arm_done *done;

    while ((done = arm_pipe_next(l->pipe))) {
        struct asked *asked = done->ctx;
        on_azure_answer(l, done);
        arm_pipe_release(l->pipe, done);
        accounts_give(l->accounts, asked->client);
        block_free(asked);
    }
    return NULL;
}

/* ---- The ports. ------------------------------------------------------------------------------ */

static const struct value *port_find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct live *l = ctx;

    return kinds_find(l->kinds, a, key);
}

static void port_ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    (effect_is_arm(effect->kind) ? ask_azure : ask_kube)(ctx, ticket, effect);
}

static bool port_leads(void *ctx)
{
    struct live *l = ctx;

    return !l->lease || lease_held(l->lease);
}

/* Below what the pipe accepts, beyond which a request, and thus a healthy object, would fail. */
static bool port_crowded(void *ctx, bool user)
{
    struct live *l = ctx;
    size_t calls = arm_pipe_stats(l->pipe).unreleased;

    return calls >= (user ? ARM_CALLS_MAX / 10 * 9 : ARM_CALLS_MAX / 2);
}

/* Like port_leads, for the pipes, before each attempt: whether the operator's own term still runs.
 * */
static bool term_runs(void *ctx)
{
    struct live *l = ctx;

    return !l->lease || lease_term(l->lease) == atomic_load(&l->lease_term);
}

static enum account_state port_account(void *ctx, struct arena *a, const struct value *object,
                                       struct account *out, struct err *e)
{
    struct live *l = ctx;

    return accounts_of(l->accounts, a, object, out, e);
}

/* CRDs of the reference operator have fields for what Azure returns, and nothing else. */
static void port_prune(void *ctx, struct arena *a, const struct object_key *key,
                       struct value *status)
{
    struct live *l = ctx;

    (void)a;
    if (!kinds_is_own(l->kinds, key))
        (void)value_unset(status, STR("operatorStatus"));
}

static int64_t port_checked(void *ctx, const struct object_key *key)
{
    struct live *l = ctx;

    return checkpoint_age(l->checkpoint, key, clock_now());
}

static void port_well(void *ctx, const struct object_key *key)
{
    struct live *l = ctx;

    checkpoint_note(l->checkpoint, key, clock_now());
    l->checkpoint_news = true;
}

static void port_judged(void *ctx, const struct value *record)
{
    keeper_add(((struct live *)ctx)->keeper, record);
}

static void port_event(void *ctx, const struct report *report)
{
    struct live *l = ctx;
    const struct event event = {.about = report->object,
                                .warning = report->warning,
                                .reason = str_c(report->action),
                                .message = report->message};
    struct kube_asked *asked = new_asked(WHY_EVENT, l->life);

    if (events_decide(l->events, asked->arena, &event, &asked->event))
        (void)start_kube(l, &asked->event.ask, asked);
    else
        arena_free(asked->arena);
}

static void port_log(void *ctx, const struct report *report)
{
    (void)ctx;
    LOG_AT(report->warning ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, report->action,
           LOG_STR("kind", report->key->kind), LOG_STR("namespace", report->key->namespace),
           LOG_STR("name", report->key->name), LOG_STR("reason", report->reason),
           LOG_STR("message", report->message), );
}

static void port_state(void *ctx, const struct object_key *key, enum object_state from,
                       enum object_state to)
{
    struct live *l = ctx;

    state_metrics_move(l->states, key, from, to);
}

static void port_tally(void *ctx, const struct tally *tally)
{
    struct live *l = ctx;

    write_metrics_add(l->writes, tally);
}

/* ---- The owner's thread. --------------------------------------------------------------------- */

static void *install(void *ctx)
{
    struct live *l = ctx;
    const struct install_config config = {.transport = l->config.transport,
                                          .model = l->config.operator.model,
                                          .kinds = l->config.install,
                                          .count = l->config.install_count,
                                          .cancel = l->stopping,
                                          .leads = port_leads,
                                          .ctx = l};
    struct install_stats stats;
    int64_t wait = NS_PER_SEC;

    for (;;) {
        AUTO_ERR e = {0};
        if (install_definitions(&config, &stats, &e)) {
            LOG_INFO("definitions installed", LOG_INT("created", (int64_t)stats.created),
                     LOG_INT("replaced", (int64_t)stats.replaced),
                     LOG_INT("kept", (int64_t)stats.kept));
            return NULL;
        }
        if (http_cancel_raised(l->stopping))
            return NULL;
        if (e.kind != ERR_CANCELLED)
            LOG_WARN("definitions were not installed", LOG_STR("error", e.text));
        err_clear(&e);
        if (!http_cancel_wait(l->stopping, wait, &e))
            return NULL;
        wait = wait < INSTALL_WAIT_MAX ? 2 * wait : wait;
    }
}

/* Once per process, if it leads. */
static void start_installing(struct live *l)
{
    if (!l->installing && l->config.install_count && !l->config.observe)
        l->installing = pthread_create(&l->install_thread, NULL, install, l) == 0;
}

/* Never empty: unkeyed digests could be guessed. A per-process key detects changes, too. */
static str read_digest_key(struct live *l, struct arena *a)
{
    AUTO_ERR e = {0};
    char own[32];
    str key = digest_key_read(a, l->config.transport, l->config.operator.namespace,
                              !l->config.observe, &e);

    if (key.len)
        return key;
    if (!l->config.observe)
        LOG_WARN("digests have a key of this process only", LOG_STR("error", e.text));
    random_bytes(own, sizeof(own));
    return str_copy(a, str_of(own, sizeof(own)));
}

static void begin(struct live *l, uint64_t lease_term)
{
    const struct ports ports = {.ctx = l,
                                .find = port_find,
                                .account = port_account,
                                .leads = port_leads,
                                .crowded = port_crowded,
                                .prune = port_prune,
                                .checked = port_checked,
                                .well = port_well,
                                .read = port_ask,
                                .write = l->config.observe ? NULL : port_ask,
                                .event = l->config.observe ? NULL : port_event,
                                .judged = l->keeper ? port_judged : NULL,
                                .log = port_log,
                                .state = port_state,
                                .tally = port_tally};
    AUTO_ARENA a = arena_new_secret();
    struct operator_config config = l->config.operator;

    atomic_store(&l->lease_term, lease_term);
    read_checkpoint(l);
    config.digest_key = read_digest_key(l, a);
    struct operator* o = operator_new(&config, &ports);

    {
        AUTO_LOCK guard = lock_take(&l->lock);
        l->operator= o;
        l->life++;
    }
    kinds_each(l->kinds, on_changed, l);
    struct kinds_stats stats = kinds_stats(l->kinds);
    LOG_INFO("operating", LOG_INT("kinds", (int64_t)stats.kinds),
             LOG_INT("objects", (int64_t)stats.objects));
}

/* What is waiting in the pipes will never be sent. */
static void drop(struct live *l)
{
    struct operator* o;

    arm_pipe_cancel(l->pipe, l->life);
    kube_pipe_cancel(l->kube, l->life);
    {
        AUTO_LOCK guard = lock_take(&l->lock);
        o = l->operator;
        l->operator= NULL;
        l->life++;
    }
    operator_free(o);
}

/* New rules need a new operator, which looks at everything again, as after a crash. */
static void follow_rules(struct live *l)
{
    if (l->rules && live_rules_due(l->rules, clock_mono()))
        read_rules(l);
    if (!live_rules_pending(l->rules))
        return;
    drop(l);
    l->config.operator.rules = live_rules_take(l->rules);
}

/* Does what there is to do, and returns when, by clock_mono, to look again. */
static int64_t step(struct live *l)
{
    const uint64_t term = l->lease ? lease_term(l->lease) : 1;
    int64_t due = INT64_MAX;

    kinds_step(l->kinds);
    accounts_step(l->accounts);
    if (!atomic_load(&l->ready) && kinds_synced(l->kinds))
        atomic_store(&l->ready, true);
    if (l->operator&& term != l->lease_term) {
        LOG_WARN("the lease is lost");
        drop(l);
    }
    follow_rules(l);
    if (term)
        start_installing(l);
    if (!l->operator&& term && atomic_load(&l->ready))
        begin(l, term);
    atomic_store(&l->leads, l->operator!= NULL);
    if (l->operator)
        due = operator_step(l->operator);
    if (l->operator&& clock_mono() >= l->checkpoint_due)
        start_checkpoint(l);
    return due;
}

static void wait(struct live *l, int64_t due)
{
    struct kinds_stats kinds = kinds_stats(l->kinds);
    AUTO_LOCK guard = lock_take(&l->lock);

    int64_t look = clock_mono() + LOOK_EVERY;

    l->kinds_stats = kinds;
    if (l->operator&& clock_mono() >= l->queue_look) {
        operator_queue_stats(l->operator, & l->queue);
        l->unsynced_since = operator_unsynced_since(l->operator);
        l->queue_look = clock_mono() + NS_PER_SEC;
    }
    l->stats = l->operator? operator_stats(l->operator) : (struct operator_stats){0};
    due = due < look - GATHER ? due + GATHER : look;
    while (!l->news && clock_mono() < due)
        clock_wait(&l->changed, &l->lock.mutex, due);
    l->news = false;
}

static void *keep_lease(void *ctx)
{
    struct live *l = ctx;

    lease_run(l->lease, l->lease_cancel, NULL, NULL);
    return NULL;
}

/* Tried at each step until it works; in the meantime another replica may lead. */
static void start_holding(struct live *l)
{
    if (!l->lease || l->holding)
        return;
    l->holding = pthread_create(&l->lease_thread, NULL, keep_lease, l) == 0;
    if (!l->holding && !l->starving)
        LOG_WARN("no thread can be started for the lease; trying again");
    l->starving = !l->holding;
}

void live_run(struct live *l, struct http_cancel *cancel)
{
    while (!http_cancel_raised(cancel)) {
        start_holding(l);
        wait(l, step(l));
    }
    if (l->operator)
        write_last_checkpoint(l);
    drop(l);
    atomic_store(&l->leads, false);
    if (!l->holding)
        return;
    http_cancel_raise(l->lease_cancel);
    pthread_join(l->lease_thread, NULL);
}

/* ---- All of it. ------------------------------------------------------------------------------ */

static bool start_azure(struct live *l, struct err *e)
{
    struct budget_limits limits = l->config.limits ? *l->config.limits : budget_published();
    const struct arm_pipe_config pipe = {
        .http = l->config.http, .gate = arm_gate_new(&limits), .leads = term_runs, .ctx = l};
    const struct accounts_config accounts = {.gate = pipe.gate,
                                             .global = l->config.credential,
                                             .cloud = l->config.cloud,
                                             .own_cloud = l->config.own_cloud,
                                             .agent = l->config.agent,
                                             .find = port_find,
                                             .read = read_secret,
                                             .ctx = l};

    l->gate = pipe.gate;
    l->stopping = http_cancel_new();
    l->requests = request_metrics_new();
    l->writes = write_metrics_new();
    l->states = state_metrics_new();
    if (!accounts_new(&accounts, &l->accounts, e) || !arm_pipe_new(&pipe, &l->pipe, e))
        return false;
    if (pthread_create(&l->pipe_thread, NULL, take_azure_answers, l) == 0)
        return true;
    arm_pipe_free(l->pipe);
    l->pipe = NULL;
    return err_set(e, ERR_LIMIT, "no thread can be started");
}

static bool start_lease(struct live *l, struct err *e)
{
    const struct lease_config config = {.namespace = l->config.lease_namespace,
                                        .name = l->config.lease_name,
                                        .identity = l->config.identity};

    l->lease_cancel = http_cancel_new();
    return !config.name.len || lease_new(l->config.transport, &config, &l->lease, e);
}

static bool start_pipe(struct live *l, struct err *e)
{
    l->events = events_new(STR("plumb"), l->config.identity);
    l->kube = kube_pipe_new(
        &(struct kube_pipe_config){.transport = l->config.transport, .leads = term_runs, .ctx = l});
    l->taking = pthread_create(&l->kube_thread, NULL, take_kube_answers, l) == 0;
    return l->taking || err_set(e, ERR_LIMIT, "no thread can be started");
}

static void stop_pipe(struct live *l)
{
    if (l->taking) {
        kube_pipe_cancel(l->kube, TERM_ALL);
        kube_pipe_close(l->kube);
        pthread_join(l->kube_thread, NULL);
    }
    if (l->kube)
        kube_pipe_free(l->kube);
    if (l->events)
        events_free(l->events);
}

static void copy_texts(struct live *l)
{
    struct live_config *c = &l->config;
    str *const texts[] = {&c->agent, &c->lease_name, &c->lease_namespace, &c->identity,
                          &c->rules_map};
    str *namespaces = ARENA_ARRAY(l->arena, str, c->namespace_count + 1);

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(l->arena, *texts[i]);
    for (size_t i = 0; i < c->namespace_count; i++)
        namespaces[i] = str_copy(l->arena, c->namespaces[i]);
    c->namespaces = namespaces;
}

bool live_start(const struct live_config *config, struct live **out, struct err *e)
{
    struct arena *a = arena_new();
    struct live *l = ARENA_NEW(a, struct live);
    pthread_condattr_t attributes;

    *l = (struct live){.arena = a, .config = *config, .lock = LOCK_INIT};
    l->checkpoint = checkpoint_new();
    l->checkpoint_due = clock_mono() + CHECKPOINT_EVERY;
    copy_texts(l);
    if (config->rules_map.len)
        l->rules =
            live_rules_new(config->operator.namespace, config->rules_map, config->rules_version);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&l->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if ((config->keep.len && !keeper_open(config->keep, &l->keeper, e)) || !start_azure(l, e) ||
        !start_lease(l, e) || !start_pipe(l, e)) {
        live_stop(l);
        return false;
    }
    l->hub = kube_watches_new(config->transport);
    l->kinds = kinds_new(&(struct kinds_config){.hub = l->hub,
                                                .model = config->operator.model,
                                                .namespaces = l->config.namespaces,
                                                .namespace_count = config->namespace_count,
                                                .changed = on_changed,
                                                .wake = wake,
                                                .ctx = l});
    *out = l;
    return true;
}

static void stop_azure(struct live *l)
{
    if (l->pipe) {
        arm_pipe_cancel(l->pipe, TERM_ALL);
        arm_pipe_close(l->pipe);
        pthread_join(l->pipe_thread, NULL);
        arm_pipe_free(l->pipe);
    }
    accounts_free(l->accounts);
    arm_gate_free(l->gate);
    http_cancel_free(l->stopping);
    request_metrics_free(l->requests);
    write_metrics_free(l->writes);
    state_metrics_free(l->states);
}

void live_stop(struct live *l)
{
    if (!l)
        return;
    http_cancel_raise(l->stopping);
    if (l->installing)
        pthread_join(l->install_thread, NULL);
    if (l->kinds)
        kinds_free(l->kinds);
    if (l->hub)
        kube_watches_free(l->hub);
    stop_pipe(l);
    stop_azure(l);
    if (l->lease)
        lease_free(l->lease);
    if (l->lease_cancel)
        http_cancel_free(l->lease_cancel);
    pthread_cond_destroy(&l->changed);
    keeper_close(l->keeper);
    live_rules_free(l->rules);
    checkpoint_free(l->checkpoint);
    arena_free(l->arena);
}

bool live_ready(struct live *l)
{
    return atomic_load(&l->ready);
}

bool live_leads(struct live *l)
{
    return atomic_load(&l->leads);
}

void live_metrics(struct live *l, struct buf *out)
{
    struct operator_stats o;
    struct kinds_stats k;
    struct events_stats e;
    struct queue_named queue = {.name = STR("operator")};
    int64_t since;

    const struct arm_pipe_stats azure = arm_pipe_stats(l->pipe);

    events_stats(l->events, &e);
    {
        AUTO_LOCK guard = lock_take(&l->lock);
        o = l->stats;
        k = l->kinds_stats;
        queue.stats = l->queue;
        since = l->operator? l->unsynced_since : 0;
    }
    const struct {
        const char *name, *type, *help;
        double value;
    } numbers[] = {
        {"leader_election_master_status", "gauge", "Whether this process leads.", live_leads(l)},
        {"plumb_accounts", "gauge", "Credential Secrets in use.",
         (double)accounts_count(l->accounts)},
        {"plumb_cache_bytes", "gauge", "Size of the watch caches.", (double)k.bytes},
        {"plumb_events_dropped_total", "counter", "Events that were not sent.", (double)e.dropped},
        {"plumb_kinds", "gauge", "Kinds of Azure resources that are watched.", (double)k.kinds},
        {"plumb_listed_looks_total", "counter", "Looks at resources that a list answered.",
         (double)o.listed},
        {"plumb_objects", "gauge", "Objects of Azure's kinds.", (double)k.objects},
        {"plumb_passes_total", "counter", "Passes over objects.", (double)o.passes},
        {"plumb_reads_total", "counter", "Reads, of objects and of Azure.", (double)o.reads},
        {"plumb_requests_in_flight", "gauge", "Objects with a request under way.",
         (double)o.flying},
        {"plumb_requests_waiting", "gauge",
         "Requests to Azure that wait for the budget or for another try.",
         (double)(azure.waiting + azure.retrying)},
        {"plumb_unchanged_looks_total", "counter",
         "Looks at which nothing had changed, to the byte.", (double)o.unchanged},
        {"plumb_unsynced_age_seconds", "gauge",
         "How long the oldest object that is not Ready is not.",
         since ? (double)(clock_now() - since) / NS_PER_SEC : 0},
        {"plumb_watch_failures_total", "counter", "Failed lists and watches.", (double)k.failures},
        {"plumb_write_requests_total", "counter", "Writes, to objects and to Azure.",
         (double)o.writes},
        {"plumb_writes_withheld_total", "counter",
         "Writes that were decided and not made, as by --observe.", (double)o.withheld},
    };
    for (size_t i = 0; i < COUNT(numbers); i++)
        prom_number(out, numbers[i].name, numbers[i].type, numbers[i].help, numbers[i].value);
    budget_metrics(l->gate, out);
    queue_metrics(out, &queue, 1);
    state_metrics_write(l->states, out);
    write_metrics_write(l->writes, out);
    request_metrics_write(l->requests, out);
}
