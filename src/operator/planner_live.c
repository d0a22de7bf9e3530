/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planner_live.c - plans against an API server and Azure Resource Manager; see planner_live.h.
 *
 * The caller's thread is the only worker of the pipe to Azure: it steps the planner and then waits
 * for the next answer. Another thread tells the user when that takes long.
 */
#include "operator/planner_live.h"

#include "arm/pipe.h"
#include "base/clock.h"
#include "base/map.h"
#include "operator/accounts.h"
#include "operator/live_url.h"
#include "text/codec.h"
#include "text/json/json.h"
#include "text/url.h"

/* The cluster's answer about an object. */
struct fetched {
    int status;
    const struct value *object;
};

/* Whose answer a call to Azure is. */
struct asked {
    uint64_t ticket;
    struct account_client *client;
};

/* When the user is told that something takes long, and how often again. */
#define TELL_FIRST (10 * NS_PER_SEC)
#define TELL_AGAIN (30 * NS_PER_SEC)

/* The thread that tells. */
struct teller {
    pthread_t thread;
    struct lock lock;
    pthread_cond_t changed;
    bool runs, over;
};

struct planning {
    struct arena *arena; /* Secrets may be in it */
    const struct planner_live_config *config;
    struct planner *planner;
    struct accounts *accounts;
    struct arm_gate *gate;
    struct arm_pipe *pipe;
    struct teller teller;
    struct map *fetched;            /* object_key_text to struct fetched */
    VEC(struct object_key) secrets; /* that accounts are waiting for */
};

/* ---- The cluster. ---------------------------------------------------------------------------- */

/* Given objects take precedence over those of the cluster, which are read once. */
static const struct fetched *look_up(struct planning *l, const struct object_key *key)
{
    str text = object_key_text(l->arena, key);
    struct fetched *f = map_get(l->fetched, text);
    const struct value *given = planner_find(l->planner, key);
    struct value *object = NULL;

    if (f && !given)
        return f;
    f = ARENA_NEW(l->arena, struct fetched);
    *f = (struct fetched){.status = given ? 200 : 404, .object = given};
    if (given)
        return f;
    if (l->config->fetch)
        f->status = l->config->fetch(l->config->ctx, l->arena, key, &object);
    f->object = f->status == 200 ? object : NULL;
    map_set(l->fetched, text, f);
    return f;
}

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    const struct value *object = look_up(ctx, key)->object;

    return object ? value_copy(a, object) : NULL;
}

/* Values of stringData take precedence, as on the API server. */
static const struct value *with_data(struct arena *a, const struct value *secret)
{
    const struct value *plain = value_get(secret, STR("stringData"));
    struct value *out, *data;

    if (!value_len(plain))
        return secret;
    out = value_clone(a, secret);
    data = value_get(out, STR("data"));
    if (!value_is(data, VALUE_OBJECT))
        data = value_set(a, out, STR("data"), value_object(a));
    for (size_t i = 0; i < plain->len; i++)
        value_set_str(a, data, value_key(&plain->items[i]),
                      base64_encode(a, value_text(&plain->items[i])));
    return out;
}

/* The answer to a GET of a Secret or a ConfigMap. */
static int get(struct planning *l, struct arena *a, const struct object_key *key, str *body)
{
    const struct fetched *f = look_up(l, key);
    struct buf b = buf_new(a, BUF_UNLIMITED);

    *body = STR_NONE;
    if (f->object && json_write(&b, with_data(a, f->object), &json_exact, NULL))
        *body = buf_str(&b);
    return f->status;
}

/* "/api/v1/namespaces/NAMESPACE/secrets/NAME". */
static bool read_path(struct arena *a, str path, struct object_key *out)
{
    str plural;

    *out = (struct object_key){0};
    if (!str_has_prefix(path, STR("/api/v1/namespaces/")) ||
        !str_cut(str_without_prefix(path, STR("/api/v1/namespaces/")), STR("/"), &out->namespace,
                 &path) ||
        !str_cut(path, STR("/"), &plural, &out->name) ||
        !url_unescape(a, out->name, false, &out->name))
        return false;
    out->kind = str_eq(plural, STR("secrets")) ? STR("Secret") : STR("ConfigMap");
    return str_eq(plural, STR("secrets")) || str_eq(plural, STR("configmaps"));
}

static void ask_cluster(struct planning *l, uint64_t ticket, const struct effect *effect)
{
    AUTO_ARENA a = arena_new_secret();
    struct arm_answer answer = {.http = 404, .retry_after = -1};
    struct object_key key;

    if (read_path(a, effect->url, &key))
        answer.http = get(l, a, &key, &answer.body);
    planner_tell(l->planner, ticket, &answer);
}

/* ---- Accounts. ------------------------------------------------------------------------------- */

static enum account_state account_of(void *ctx, struct arena *a, const struct value *object,
                                     struct account *out, struct err *e)
{
    struct planning *l = ctx;

    return accounts_of(l->accounts, a, object, out, e);
}

/* It is read after the planner's step: accounts_tell must not be called from within. */
static void read_secret(void *ctx, str namespace, str name)
{
    struct planning *l = ctx;
    const struct object_key key = {.kind = STR("Secret"),
                                   .namespace = str_copy(l->arena, namespace),
                                   .name = str_copy(l->arena, name)};

    VEC_PUSH(l->arena, &l->secrets, key);
}

/* True if something may go on. */
static bool tell_accounts(struct planning *l)
{
    AUTO_ARENA a = arena_new_secret();
    bool any = l->secrets.len > 0;

    for (size_t i = 0; i < l->secrets.len; i++) {
        const struct object_key *key = &l->secrets.items[i];
        str body;
        int status = get(l, a, key, &body);
        accounts_tell(l->accounts, key->namespace, key->name, status, body);
        planner_changed(l->planner, key);
    }
    l->secrets.len = 0;
    return any;
}

/* ---- Azure. ---------------------------------------------------------------------------------- */

static void ask_azure(struct planning *l, uint64_t ticket, const struct effect *effect)
{
    AUTO_ARENA a = arena_new();
    struct account_client *client = accounts_take(l->accounts, effect->account);
    struct arm_call call = {.method = str_c(effect_method(effect->kind)),
                            .body = effect->body,
                            .priority = BUDGET_SWEEP,
                            .namespace = effect->account};

    if (client) {
        if (!live_read_url(a, accounts_endpoint(client), effect->url, &call))
            call.address = effect->url;
        struct asked *asked = ARENA_NEW(l->arena, struct asked);
        *asked = (struct asked){ticket, client};
        if (arm_pipe_start(l->pipe, accounts_arm(client), &call, asked, NULL))
            return;
        accounts_give(l->accounts, client);
    }
    planner_tell(l->planner, ticket, &(struct arm_answer){.retry_after = NS_PER_SEC});
}

static void ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    assert(!effect_is_write(effect));
    (effect_is_arm(effect->kind) ? ask_azure : ask_cluster)(ctx, ticket, effect);
}

static void take_answer(struct planning *l)
{
    struct arm_done *done = arm_pipe_next(l->pipe);
    struct asked *asked = done->ctx;
    const struct arm_answer answer = arm_done_answer(done);

    planner_tell(l->planner, asked->ticket, &answer);
    accounts_give(l->accounts, asked->client);
    arm_pipe_release(l->pipe, done);
}

/* ---- Waiting. -------------------------------------------------------------------------------- */

/* The longest time for which Azure wants no requests. */
static int64_t pause_of(struct planning *l, struct arena *a)
{
    struct budget_stats *stats;
    size_t count = arm_gate_stats(l->gate, a, &stats);
    int64_t longest = 0;

    for (size_t i = 0; i < count; i++)
        if (stats[i].paused > longest)
            longest = stats[i].paused;
    return longest;
}

static void tell_why(struct planning *l)
{
    AUTO_ARENA a = arena_new();
    size_t calls = arm_pipe_stats(l->pipe).unreleased;
    const char *s = calls == 1 ? "" : "s";
    int64_t pause = pause_of(l, a);

    if (!calls)
        return;
    l->config->waits(
        l->config->ctx,
        pause ? str_fmt(a,
                        "Azure throttles requests: %zu request%s wait%s, and the next can be sent "
                        "in %lld s",
                        calls, s, calls == 1 ? "s" : "", (long long)pause / NS_PER_SEC + 1)
              : str_fmt(a, "still waiting for Azure to respond to %zu request%s", calls, s));
}

/* False: the plan is made. */
static bool wait_until(struct teller *t, int64_t time)
{
    AUTO_LOCK guard = lock_take(&t->lock);

    while (!t->over && clock_mono() < time)
        clock_wait(&t->changed, &t->lock.mutex, time);
    return !t->over;
}

static void *tell(void *ctx)
{
    struct planning *l = ctx;

    for (int64_t ns = TELL_FIRST; wait_until(&l->teller, clock_mono() + ns); ns = TELL_AGAIN)
        tell_why(l);
    return NULL;
}

static void start_teller(struct planning *l)
{
    struct teller *t = &l->teller;

    t->lock = (struct lock)LOCK_INIT;
    clock_cond_init(&t->changed);
    /* Without the thread there is a plan, too. */
    t->runs = l->config->waits && pthread_create(&t->thread, NULL, tell, l) == 0;
}

static void end_teller(struct planning *l)
{
    struct teller *t = &l->teller;

    {
        AUTO_LOCK guard = lock_take(&t->lock);
        t->over = true;
        pthread_cond_signal(&t->changed);
    }
    if (t->runs)
        pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock.mutex);
}

/* ---- All of it. ------------------------------------------------------------------------------ */

static bool start(struct planning *l, struct err *e)
{
    const struct planner_live_config *c = l->config;
    const struct budget_limits limits = budget_published();
    const struct planner_config planner = {
        .operator= c->operator, .ctx = l, .find = find, .account = account_of, .read = ask};
    l->gate = arm_gate_new(&limits);
    const struct accounts_config accounts = {.gate = l->gate,
                                             .global = c->credential,
                                             .cloud = c->cloud,
                                             .own_cloud = c->own_cloud,
                                             .agent = c->agent,
                                             .find = find,
                                             .read = read_secret,
                                             .ctx = l};
    const struct arm_pipe_config pipe = {.http = c->http, .gate = l->gate};

    l->planner = planner_new(&planner);
    return accounts_new(&accounts, &l->accounts, e) && arm_pipe_new(&pipe, &l->pipe, e);
}

static void end(struct planning *l)
{
    if (l->pipe)
        arm_pipe_free(l->pipe);
    planner_free(l->planner);
    accounts_free(l->accounts);
    arm_gate_free(l->gate);
}

bool planner_live(const struct planner_live_config *config, struct arena *a, struct value **out,
                  struct err *e)
{
    AUTO_ARENA secrets = arena_new_secret();
    struct planning l = {.arena = secrets, .config = config, .fetched = map_new(secrets)};
    bool ok = start(&l, e);

    for (size_t i = 0; ok && i < config->object_count; i++)
        planner_add(l.planner, config->objects[i]);
    start_teller(&l);
    while (ok) {
        bool flying = planner_step(l.planner);
        if (tell_accounts(&l))
            continue;
        if (flying)
            take_answer(&l);
        else if (!planner_hurry(l.planner))
            break;
    }
    end_teller(&l);
    if (ok)
        *out = planner_report(l.planner, a);
    end(&l);
    return ok;
}
