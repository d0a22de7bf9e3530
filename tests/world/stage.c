/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c - store, simulated Azure and operator in one thread; see stage.h. */
#include "world/stage.h"

#include "azure/crd.h"
#include "azure/resolve.h"
#include "text/json/json.h"
#include "text/url.h"

/* Where the virtual time of the simulator begins: 2026-01-01. */
#define SIM_BEGIN (INT64_C(1767225600) * NS_PER_SEC)

struct stage_kind {
    struct stage *s;
    str group, version, kind, plural; /* version: the one that is stored */
    str applied;                      /* the one in which the last object was created */
    bool global;                      /* without namespace */
    bool metadata_only;
    struct local_watch *watch;
    int64_t told; /* when its last event arrives: they keep their order */
};

/* ---- Small things. --------------------------------------------------------------------------- */

static int64_t latency(struct stage *s)
{
    return (int64_t)(1 + world_below(s->w, 200)) * NS_PER_MS;
}

static bool fault(struct stage *s, unsigned percent)
{
    return percent && !s->calm && world_chance(s->w, percent);
}

struct value *stage_parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    char *copy = str_z(a, str_c(text));
    struct value *v = NULL;

    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    src->text = str_c(copy);
    return json_read(a, src, NULL, &v, NULL) ? v : NULL;
}

static str print(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

/* How often the one who lost the lease looks around, until it finds out. */
#define LOST_STEP (NS_PER_SEC / 4)

static void step(struct stage *s);
static void restart_after_crash(void *ctx);
static void step_lost(struct stage *s);

/* ---- Pieces. --------------------------------------------------------------------------------- */

/*
 * What lives for a while has an arena of its own: a request under way, an object in the cache. A
 * day of thousands of objects would not fit into memory otherwise.
 */
struct stage_piece {
    struct stage_piece *next, **at;
    struct arena *arena;
};

static void *piece_new(struct stage *s, size_t size)
{
    struct arena *a = arena_new();
    struct stage_piece *p = arena_alloc(a, size);

    *p = (struct stage_piece){.next = s->pieces, .at = &s->pieces, .arena = a};
    if (p->next)
        p->next->at = &p->next;
    s->pieces = p;
    return p;
}

static void piece_free(struct stage_piece *p)
{
    *p->at = p->next;
    if (p->next)
        p->next->at = p->at;
    arena_free(p->arena);
}

/* ---- The ports. ------------------------------------------------------------------------------ */

struct flight {
    struct stage_piece piece;
    unsigned landings; /* that are left */
    struct stage *s;
    unsigned life;
    uint64_t ticket;
    str path, object;     /* of the request, and whose it is */
    struct effect effect; /* of one that waits before it is sent */
    struct budget_grant grant;
    bool granted;
    struct arm_answer answer;
};

static void tell(const struct flight *f)
{
    struct stage *s = f->s;

    if (f->life == s->life) {
        operator_tell(s->operator, f->ticket, &f->answer);
        step(s);
    } else if (s->lost && f->life == s->lost_life) {
        operator_tell(s->lost, f->ticket, &f->answer);
        step_lost(s);
    }
}

static void remove_flight(struct map *flying, const struct flight *f)
{
    if (flying && map_get(flying, f->object) == f)
        map_remove(flying, f->object);
}

static void land(void *ctx)
{
    struct flight *f = ctx;
    struct stage *s = f->s;

    remove_flight(s->flying, f);
    remove_flight(s->lost_flying, f);
    if (f->granted) {
        const struct budget_signal nothing = budget_signal_none();
        budget_answer(s->budget, &f->grant, world_now(s->w), &nothing);
        f->granted = false;
    }
    tell(f);
    if (!--f->landings)
        piece_free(&f->piece);
}

/* The same answer once more: nobody waits for it. */
static void land_again(void *ctx)
{
    struct flight *f = ctx;

    tell(f);
    if (!--f->landings)
        piece_free(&f->piece);
}

static bool is_rejected(struct stage *s, struct arena *kept, const struct effect *effect,
                        struct arm_answer *out)
{
    const char *why = s->rejects && effect_is_write(effect) ? s->rejects(s, effect) : NULL;

    if (!why)
        return false;
    out->http = 422;
    out->body = str_fmt(kept,
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                        "\"reason\":\"Invalid\",\"message\":\"%s\",\"code\":422}",
                        why);
    world_note(s->w, "rejected: %s %.*s", effect_method(effect->kind), STR_ARG(effect->url));
    return true;
}

/* The answer lives in kept. */
static void ask_store(struct stage *s, struct arena *kept, const struct effect *effect,
                      struct arm_answer *out)
{
    AUTO_ARENA a = arena_new();
    struct local client = local_client(store_handler(s->w->store));

    if (is_rejected(s, kept, effect, out))
        return;
    client.type = effect->kind == KUBE_PATCH        ? STR("application/merge-patch+json")
                  : effect->kind == KUBE_PATCH_JSON ? STR("application/json-patch+json")
                                                    : STR("application/json");
    client.agent = STR("plumb-operator");
    out->http = local_ask(&client, effect_method(effect->kind), str_z(a, effect->url),
                          str_z(a, effect->body));
    out->body = str_copy(kept, client.text);
    world_note(s->w, "%s %.*s %.*s: %d", effect_method(effect->kind), STR_ARG(effect->url),
               STR_ARG(str_slice(effect->body, 0, 60)), out->http);
    if (effect->kind != KUBE_GET && out->http < 300 && client.body)
        stage_know(s, client.body,
                   object_is_deleting(client.body) &&
                       !object_has_finalizer(client.body, STR(FINALIZER)));
    local_end(&client);
    if (effect->kind != KUBE_GET)
        ++*(str_has_suffix(effect->url, STR("/status")) ? &s->status_writes : &s->kube_writes);
}

/* The simulator's time is the world's. */
struct sim_response stage_call_sim(struct stage *s, struct arena *a, const char *method, str path,
                                   str query, str body)
{
    struct http_headers headers = {0};
    struct sim_response r = {0};
    int64_t passed = world_now(s->w) - s->sim_time;

    http_header_add(a, &headers, STR("Content-Type"), STR("application/json"));
    if (passed > 0)
        sim_advance(s->sim, passed);
    s->sim_time = world_now(s->w);
    sim_handle(s->sim, a,
               &(struct sim_request){.method = str_c(method),
                                     .path = path,
                                     .query = query,
                                     .base = STR(STAGE_ENDPOINT),
                                     .headers = &headers,
                                     .body = body},
               &r);
    world_note(s->w, "%s %.*s: %d", method, STR_ARG(path), r.status);
    return r;
}

unsigned stage_puts(const struct stage *s, str id)
{
    AUTO_ARENA a = arena_new();

    return (unsigned)(uintptr_t)map_get(s->puts, str_lower(a, id));
}

static void count_put(struct stage *s, str path, int status)
{
    AUTO_ARENA a = arena_new();
    str id = str_lower(a, path);
    uintptr_t n = (uintptr_t)map_get(s->puts, id);

    if (status >= 300) {
        s->refused++;
        return;
    }
    if (!n)
        VEC_PUSH(s->w->arena, &s->order, id = str_copy(s->w->arena, id));
    map_set(s->puts, id, (void *)(n + 1));
}

/* Errors that pass by themselves, as recordings have them. */
static const struct {
    int status;
    const char *body;
} troubles[] = {
    {429, "{\"error\":{\"code\":\"RetryableError\",\"message\":\"A retryable error occurred.\"}}"},
    {409, "{\"error\":{\"code\":\"AnotherOperationInProgress\",\"message\":\"Another operation on "
          "this or dependent resource is in progress.\"}}"},
    {500, "{\"error\":{\"code\":\"InternalServerError\",\"message\":\"An error occurred.\"}}"},
    {503, "{\"error\":{\"code\":\"ServerTimeout\",\"message\":\"Please retry later.\"}}"},
    {502, "<html>bad gateway</html>"},
};

static void ask_azure(struct stage *s, struct arena *kept, const struct effect *effect,
                      struct arm_answer *out)
{
    str path, query = STR_NONE;
    int64_t seconds;

    str_cut(str_without_prefix(effect->url, STR(STAGE_ENDPOINT)), STR("?"), &path, &query);
    if (s->denies && str_eq_fold(path, str_c(s->denies))) {
        *out = (struct arm_answer){.failure = STR(STAGE_DENIED), .denied = true, .retry_after = -1};
        return;
    }
    if (fault(s, s->options.faults.refused)) {
        size_t i = world_below(s->w, COUNT(troubles));
        world_note(s->w, "%s %.*s: trouble %d", effect_method(effect->kind), STR_ARG(path),
                   troubles[i].status);
        *out = (struct arm_answer){
            .http = troubles[i].status, .body = str_c(troubles[i].body), .retry_after = -1};
        return;
    }
    if (effect->kind == ARM_DELETE && s->deaf) {
        s->deaf--;
        s->arm_writes++;
        *out = (struct arm_answer){.http = 200, .retry_after = -1};
        return;
    }
    str plain;
    if (!url_unescape(kept, path, false, &plain))
        plain = str_copy(kept, path);
    bool creates = effect->kind == ARM_PUT && s->counts_created &&
                   str_contains(plain, STR("/storageAccounts/")) &&
                   stage_azure(s, "GET", plain, STR("2023-01-01"), STR_NONE).status == 404;
    struct sim_response r = stage_call_sim(s, kept, effect_method(effect->kind), plain,
                                           str_copy(kept, query), str_copy(kept, effect->body));
    ++*(effect_is_write(effect) ? &s->arm_writes : &s->arm_reads);
    s->activity_reads += str_contains(effect->url, STR("/eventtypes/management/"));
    s->polls += effect->kind == ARM_GET && str_contains(plain, STR("/operation"));
    s->posts += effect->kind == ARM_POST;
    s->created += creates && r.status < 300;
    if (effect->kind == ARM_PUT) {
        const struct stage_put put = {str_copy(s->w->arena, plain),
                                      str_copy(s->w->arena, effect->body)};
        VEC_PUSH(s->w->arena, &s->sent, put);
        count_put(s, plain, r.status);
        if (r.status >= 300)
            world_note(s->w, "refused: %.*s", STR_ARG(str_slice(r.body, 0, 180)));
    }
    *out = (struct arm_answer){
        .http = r.drop ? 0 : r.status,
        .body = r.body,
        .async_operation = http_header_get(&r.headers, STR("Azure-AsyncOperation")),
        .operation_location = http_header_get(&r.headers, STR("Operation-Location")),
        .location = http_header_get(&r.headers, STR("Location")),
        .request_id = http_header_get(&r.headers, STR("x-ms-request-id")),
        .retry_after = -1};
    if (str_to_i64(http_header_get(&r.headers, STR("Retry-After")), &seconds))
        out->retry_after = seconds * NS_PER_SEC;
    if (s->twist)
        s->twist(s, effect, out);
}

static int64_t delay_of(struct stage *s, const struct flight *f)
{
    int64_t delay = latency(s);

    if (s->slow_id && str_contains(f->path, str_c(s->slow_id)))
        return s->slow_by;
    return delay;
}

/* The process ends, the last request done. */
static void crash_if_due(struct stage *s)
{
    if (!s->crash_after || --s->crash_after)
        return;
    s->life++;
    world_after(s->w, 1, restart_after_crash, s);
}

/* Azure's own bucket of writes, whose pace a budget keeps. */
static struct budget_rate bucket_of_writes(const struct stage *s)
{
    return (struct budget_rate){s->options.paced, s->options.paced / 20.0};
}

static void check_pace(struct stage *s, const struct effect *effect)
{
    const struct budget_rate rate = bucket_of_writes(s);
    double passed = (double)(world_now(s->w) - s->paced_at) / (double)NS_PER_SEC;

    if (!s->budget || !effect_is_arm(effect->kind) || !effect_is_write(effect))
        return;
    s->bucket += passed * rate.per_second;
    s->bucket = s->bucket > rate.burst ? rate.burst : s->bucket;
    s->paced_at = world_now(s->w);
    world_expect(s->w, s->bucket >= 1, "a write that Azure would throttle");
    s->bucket--;
}

/* A request goes out, and its answer is on its way. */
static void send(struct flight *f, const struct effect *effect)
{
    struct stage *s = f->s;
    const struct stage_faults *faults = &s->options.faults;

    if (fault(s, faults->lost_request)) {
        world_note(s->w, "lost: %s %.*s", effect_method(effect->kind), STR_ARG(effect->url));
    } else {
        check_pace(s, effect);
        (effect_is_arm(effect->kind) ? ask_azure : ask_store)(s, f->piece.arena, effect,
                                                              &f->answer);
        if (fault(s, faults->lost_answer)) {
            world_note(s->w, "the answer is lost");
            f->answer = (struct arm_answer){.retry_after = -1};
        }
    }
    crash_if_due(s);
    int64_t delay = delay_of(s, f);
    world_after(s->w, f->answer.http || f->answer.denied ? delay : 30 * NS_PER_SEC, land, f);
    f->landings = 1;
    if (f->answer.http && fault(s, faults->twice)) {
        f->landings++;
        world_after(s->w, delay + latency(s), land_again, f);
    }
}

/* As the pipes do it (net/term.h): what has waited is sent by whoever still leads. */
static void send_held(void *ctx)
{
    struct flight *f = ctx;

    f->landings = 1;
    if (f->life == f->s->life && f->s->leads)
        send(f, &f->effect);
    else
        land(f);
}

static void keep_effect(struct flight *f, const struct effect *effect)
{
    struct arena *a = f->piece.arena;

    f->effect = *effect;
    f->effect.url = f->path;
    f->effect.body = str_copy(a, effect->body);
    f->effect.account = str_copy(a, effect->account);
}

static void hold(struct flight *f, const struct effect *effect)
{
    world_note(f->s->w, "held: %s %.*s", effect_method(effect->kind), STR_ARG(effect->url));
    keep_effect(f, effect);
    world_after(f->s->w, (int64_t)(1 + world_below(f->s->w, 20)) * NS_PER_SEC, send_held, f);
}

/* As the pipes do it: what the budget lets go is sent, the rest waits for its turn. */
static void let_go(void *ctx)
{
    struct stage *s = ctx;
    int64_t now = world_now(s->w), again;
    struct budget_grant grant;
    struct flight *f;

    if (s->budget_due <= now)
        s->budget_due = INT64_MAX;
    while ((f = budget_next(s->budget, now, &grant, &again))) {
        f->grant = grant;
        f->granted = true;
        f->landings = 1;
        if (f->life == s->life)
            send(f, &f->effect);
        else
            land(f); /* of a process that has ended */
    }
    if (again < s->budget_due) {
        s->budget_due = again;
        world_after(s->w, again > now ? again - now : 0, let_go, s);
    }
}

static void queue(struct flight *f, const struct effect *effect)
{
    static const enum budget_priority priorities[] = {[PRIORITY_USER] = BUDGET_USER,
                                                      [PRIORITY_POLL] = BUDGET_POLL,
                                                      [PRIORITY_PERIODIC] = BUDGET_SWEEP};
    struct stage *s = f->s;
    AUTO_ERR e = {0};

    keep_effect(f, effect);
    world_expect(s->w,
                 budget_submit(s->budget,
                               &(struct budget_request){
                                   .subscription = STR(STAGE_SUBSCRIPTION),
                                   .principal = STR("plumb"),
                                   .namespace = STR("default"),
                                   .verb = budget_verb_of(str_c(effect_method(effect->kind))),
                                   .priority = priorities[effect->priority],
                                   .item = f},
                               world_now(s->w), &e),
                 "%.*s", STR_ARG(e.text));
    let_go(s);
}

static void ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct stage *s = ctx;
    struct flight *f = piece_new(s, sizeof *f);
    struct map *flying = s->runs_lost ? s->lost_flying : s->flying;
    AUTO_ARENA a = arena_new();
    const bool write = effect_is_write(effect);

    clock_skew(0);
    world_expect(s->w, !write || !s->runs_lost, "law 4: a write of the one who lost the lease");
    if (!s->runs_lost)
        stage_check_effect(s, effect);
    s->trace = str_hash(str_fmt(a, "%llx %d %.*s %.*s", (unsigned long long)s->trace,
                                (int)effect->kind, STR_ARG(effect->url), STR_ARG(effect->body)));
    f->s = s;
    f->life = s->runs_lost ? s->lost_life : s->life;
    f->ticket = ticket;
    f->path = str_copy(f->piece.arena, effect->url);
    f->answer.retry_after = -1;
    f->object = object_key_text(f->piece.arena, effect->key);
    map_remove(flying, f->object); /* the key of an earlier one goes with it */
    map_set(flying, f->object, f);
    if (s->budget && effect_is_arm(effect->kind))
        queue(f, effect);
    else
        (write && fault(s, s->options.faults.held) ? hold : send)(f, effect);
    clock_skew(s->skew);
}

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct stage *s = ctx;
    const struct value *object = map_get(s->cache, object_key_text(a, key));

    return object ? value_copy(a, object) : NULL;
}

const struct value *stage_cached(struct stage *s, struct arena *a, const struct object_key *key)
{
    return find(s, a, key);
}

void stage_read(struct stage *s, const struct effect *effect, struct arm_answer *out)
{
    *out = (struct arm_answer){.retry_after = -1};
    (effect_is_arm(effect->kind) ? ask_azure : ask_store)(s, s->w->arena, effect, out);
}

static bool leads(void *ctx)
{
    const struct stage *s = ctx;

    return s->leads && !s->runs_lost;
}

static void event(void *ctx, const struct report *report)
{
    struct stage *s = ctx;

    VEC_PUSH(s->w->arena, &s->events,
             str_fmt(s->w->arena, "%s %.*s %.*s", report->action, STR_ARG(report->key->name),
                     STR_ARG(report->message)));
    VEC_PUSH(s->w->arena, &s->reports,
             ((struct stage_report){.reason = str_c(report->action),
                                    .object = str_copy(s->w->arena, report->key->name),
                                    .message = str_copy(s->w->arena, report->message),
                                    .warning = report->warning}));
}

bool stage_has_event_with(const struct stage *s, const char *reason, const char *text)
{
    for (size_t i = 0; i < s->events.len; i++)
        if (str_has_prefix(s->events.items[i], str_c(reason)) &&
            str_contains(s->events.items[i], str_c(text)))
            return true;
    return false;
}

unsigned stage_count_events(const struct stage *s, const char *reason)
{
    unsigned count = 0;

    for (size_t i = 0; i < s->events.len; i++)
        count += str_has_prefix(s->events.items[i], str_c(reason));
    return count;
}

bool stage_has_event(const struct stage *s, const char *reason)
{
    return stage_has_event_with(s, reason, "");
}

static void tally(void *ctx, const struct tally *t)
{
    struct stage *s = ctx;

    if (t->cause)
        map_set(s->causes, str_c(t->cause),
                (void *)((uintptr_t)map_get(s->causes, str_c(t->cause)) + 1));
}

unsigned stage_caused(const struct stage *s, const char *cause)
{
    return (unsigned)(uintptr_t)map_get(s->causes, str_c(cause));
}

/* ---- The cache. ------------------------------------------------------------------------------ */

struct news {
    struct stage_piece piece;
    struct stage *s;
    struct value *object;
    bool gone;
};

static void arrive(void *ctx)
{
    AUTO_ARENA a = arena_new();
    struct news *n = ctx, *old;
    struct stage *s = n->s;
    struct object_key key = object_key_of(n->object);
    str text = object_key_text(a, &key);

    old = map_get(s->cached, text);
    if (n->gone) {
        map_remove(s->cache, text);
        map_remove(s->cached, text);
    } else {
        text = old ? text : str_copy(s->w->arena, text);
        map_set(s->cache, text, n->object);
        map_set(s->cached, text, n);
    }
    operator_changed(s->operator, & key);
    step(s);
    if (s->lost) {
        operator_changed(s->lost, &key);
        step_lost(s);
    }
    if (old)
        piece_free(&old->piece);
    if (n->gone)
        piece_free(&n->piece);
}

static void take_event(struct stage *s, struct stage_kind *kind, const struct value *event_)
{
    if (str_eq(value_get_str(event_, STR("type")), STR("BOOKMARK")))
        return;
    struct news *n = piece_new(s, sizeof *n);
    n->s = s;
    n->object = value_copy(n->piece.arena, value_get(event_, STR("object")));
    n->gone = str_eq(value_get_str(event_, STR("type")), STR("DELETED"));
    stage_know(s, n->object, n->gone);
    if (kind->metadata_only) {
        value_unset(n->object, STR("data"));
        value_unset(n->object, STR("stringData"));
    }
    int64_t at = world_now(s->w) + latency(s);
    if (fault(s, s->options.faults.late))
        at += (int64_t)world_below(s->w, 30) * NS_PER_SEC;
    kind->told = at > kind->told ? at : kind->told;
    /* A missed event: a later list shows what became of it. */
    if (fault(s, s->options.faults.missed))
        kind->told += 60 * NS_PER_SEC;
    world_after(s->w, kind->told - world_now(s->w), arrive, n);
}

static void look(void *ctx)
{
    struct stage *s = ctx;
    const struct value *event_;

    for (size_t i = 0; i < s->kinds.len; i++) {
        while ((event_ = local_watch_next(s->kinds.items[i]->watch)))
            take_event(s, s->kinds.items[i], event_);
        world_expect(s->w, !local_watch_ended(s->kinds.items[i]->watch), "a watch ended");
    }
}

/* ---- The operator. --------------------------------------------------------------------------- */

static void prune(void *ctx, struct arena *a, const struct object_key *key, struct value *status)
{
    const struct stage *s = ctx;

    (void)a;
    (void)key;
    if (s->options.foreign)
        (void)value_unset(status, STR("operatorStatus"));
}

static void step_planned(void *ctx)
{
    struct stage *s = ctx;

    if (s->planned <= world_now(s->w))
        s->planned = INT64_MAX;
    step(s);
}

struct operator_config stage_config(const struct stage *s)
{
    struct operator_config config = s->options.config;

    config.model = s->model;
    if (!config.subscription.len)
        config.subscription = STR(STAGE_SUBSCRIPTION);
    config.endpoint = STR(STAGE_ENDPOINT);
    if (!config.namespace.len)
        config.namespace = STR("plumb-system");
    if (!config.version.len)
        config.version = STR("v0.1.0");
    if (!config.period)
        config.period = STAGE_PERIOD;
    config.digest_key = STR("a key that stays");
    return config;
}

static void judged(void *ctx, const struct value *record)
{
    struct stage *s = ctx;

    s->options.judged(s->options.judged_ctx, record);
}

static void start(struct stage *s)
{
    const struct operator_config config = stage_config(s);

    s->ports = (struct ports){.ctx = s,
                              .find = find,
                              .read = ask,
                              .write = s->options.observe ? NULL : ask,
                              .leads = leads,
                              .judged = s->options.judged ? judged : NULL,
                              .event = event,
                              .prune = prune,
                              .tally = tally};
    s->life++;
    s->flying = map_new(s->w->arena);
    s->operator= operator_new(&config, &s->ports);
    for (size_t i = 0; i < map_len(s->cache); i++) {
        struct object_key key = object_key_of(map_at(s->cache, i));
        operator_changed(s->operator, & key);
    }
}

static void drop_lost(void *ctx)
{
    struct stage *s = ctx;

    operator_free(s->lost);
    s->lost = NULL;
}

void stage_restart(struct stage *s, const struct operator_config *config)
{
    if (config)
        s->options.config = *config;
    operator_free(s->operator);
    start(s);
    step(s);
}

static void restart_after_crash(void *ctx)
{
    stage_restart(ctx, NULL);
}

static void get_lease(void *ctx)
{
    ((struct stage *)ctx)->leads = true;
}

static void step_lost_planned(void *ctx)
{
    step_lost(ctx);
}

/* Another operator gets the lease; this one goes on for a moment, as its process does. */
static void take_over(struct stage *s)
{
    world_note(s->w, "another operator gets the lease");
    s->lost = s->operator;
    s->lost_life = s->life;
    s->lost_flying = s->flying;
    start(s);
    int64_t left = (int64_t)(1 + world_below(s->w, 10)) * LOST_STEP;
    for (int64_t at = LOST_STEP; at < left; at += LOST_STEP)
        world_after(s->w, at, step_lost_planned, s);
    world_after(s->w, left, drop_lost, s);
}

/* Up to two days, forwards or backwards. */
static void jump(struct stage *s)
{
    s->skew = (int64_t)world_below(s->w, UINT64_C(4) * 24 * 3600) * NS_PER_SEC - 48 * WORLD_HOUR;
    world_note(s->w, "the operator's clock is off by %lld s", (long long)(s->skew / NS_PER_SEC));
}

static void misfortune(struct stage *s)
{
    struct stage_faults *f = &s->options.faults;

    if (s->calm)
        return;
    if (f->takeovers && !s->lost && s->leads && world_chance(s->w, 3)) {
        f->takeovers--;
        take_over(s);
    }
    if (f->jumps && world_chance(s->w, 2)) {
        f->jumps--;
        jump(s);
    }
    if (f->throttled && world_chance(s->w, 2)) {
        f->throttled--;
        stage_fault(s, "{'faults':[{'kind':'throttle','method':'PUT','retryAfter':45,'count':2},"
                       "{'kind':'throttle','method':'DELETE','retryAfter':20,'count':1}]}");
    }
    if (f->crashes && world_chance(s->w, 3)) {
        f->crashes--;
        world_note(s->w, "the operator crashes");
        operator_free(s->operator);
        start(s);
    }
    if (f->leases && s->leads && world_chance(s->w, 2)) {
        f->leases--;
        world_note(s->w, "the lease is lost");
        s->leads = false;
        world_after(s->w, (int64_t)(1 + world_below(s->w, 60)) * NS_PER_SEC, get_lease, s);
    }
}

static int64_t run_operator(struct stage *s, struct operator* o)
{
    int64_t now = world_now(s->w), due;

    s->runs_lost = o == s->lost;
    clock_skew(s->skew);
    due = operator_step(o);
    clock_skew(0);
    s->runs_lost = false;
    world_expect(s->w, world_now(s->w) == now, "law 6: the operator waits");
    return due;
}

static void step_lost(struct stage *s)
{
    if (s->lost)
        (void)run_operator(s, s->lost);
}

static void step(struct stage *s)
{
    misfortune(s);
    int64_t due = run_operator(s, s->operator);
    if (due >= s->planned || due == INT64_MAX)
        return;
    s->planned = due;
    world_after(s->w, due > world_now(s->w) ? due - world_now(s->w) : 0, step_planned, s);
}

void stage_run(struct stage *s, int64_t time)
{
    world_run(s->w, world_now(s->w) + time);
}

void stage_take_over(struct stage *s)
{
    if (!s->lost && s->leads)
        take_over(s);
    step(s);
}

void stage_calm(struct stage *s)
{
    s->calm = true;
    s->leads = true;
    s->skew = 0;
}

/* ---- The cluster. ---------------------------------------------------------------------------- */

static void begin_watch(struct stage *s, struct stage_kind *kind)
{
    AUTO_ARENA a = arena_new();
    str path = kind->group.len ? str_fmt(a, "/apis/%.*s/%.*s/%.*s", STR_ARG(kind->group),
                                         STR_ARG(kind->version), STR_ARG(kind->plural))
                               : str_fmt(a, "/api/v1/%.*s", STR_ARG(kind->plural));

    kind->s = s;
    kind->watch =
        local_watch(&s->w->client,
                    str_z(a, str_fmt(a, "%.*s?watch=true&timeoutSeconds=8640000", STR_ARG(path))));
    world_expect(s->w, kind->watch, "no watch: %.*s", STR_ARG(s->w->client.text));
    VEC_PUSH(s->w->arena, &s->kinds, kind);
}

static void add_core(struct stage *s, const char *kind, const char *plural, bool global)
{
    struct stage_kind *k = ARENA_NEW(s->w->arena, struct stage_kind);

    *k = (struct stage_kind){.kind = str_c(kind),
                             .plural = str_c(plural),
                             .global = global,
                             .metadata_only = str_eq(str_c(kind), STR("Secret"))};
    begin_watch(s, k);
}

/* What only stored objects of the reference operator have. */
static void add_stored_members(struct arena *a, struct value *version)
{
    struct value *schema = value_get(value_get(version, STR("schema")), STR("openAPIV3Schema"));
    struct value *spec = value_get(value_get(schema, STR("properties")), STR("spec"));
    struct value *members = value_get(spec, STR("properties"));

    value_set(a, members, STR("originalVersion"), stage_parse(a, "{'type':'string'}"));
    value_set(a, members, STR("$propertyBag"),
              stage_parse(a, "{'type':'object','additionalProperties':{'type':'string'}}"));
    (void)value_unset(spec, STR("required"));
}

/* Objects are stored in a version of its own, which nobody applies. */
static void add_twin(struct arena *a, struct value *definition)
{
    struct value *versions = value_get(value_get(definition, STR("spec")), STR("versions"));
    struct value *twin = NULL;

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *v = &versions->items[i];
        if (!value_is_true(value_get(v, STR("storage"))))
            continue;
        twin = value_clone(a, v);
        value_set_bool(a, v, STR("storage"), false);
        value_set_str(a, twin, STR("name"),
                      str_concat(a, value_get_str(v, STR("name")), STR("storage")));
        add_stored_members(a, twin);
    }
    value_add(a, versions, twin);
    object_set_label(a, definition, STR("app.kubernetes.io/name"), STR("azure-service-operator"));
}

/* As the reference operator's definitions are. */
static void forget_place(struct value *definition)
{
    struct value *versions = value_get(value_get(definition, STR("spec")), STR("versions"));

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *schema =
            value_get(value_get(&versions->items[i], STR("schema")), STR("openAPIV3Schema"));
        struct value *status = value_get(value_get(schema, STR("properties")), STR("status"));
        (void)value_unset(value_get(status, STR("properties")), STR("operatorStatus"));
    }
}

static void define(struct stage *s, const struct model_resource *hub)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **versions;
    size_t count;

    world_expect(s->w, model_versions(s->model, a, hub->group, hub->kind, &versions, &count, &e),
                 "no versions: %.*s", STR_ARG(e.text));
    struct value *built =
        value_clone(a, crd_build(a, (const struct model_resource *const *)versions, count,
                                 &(struct crd_options){0}));
    if (s->options.foreign)
        forget_place(built);
    if (s->options.twins)
        add_twin(a, built);
    str definition = print(a, built);
    world_expect(s->w,
                 local_ask(&s->w->client, "POST",
                           "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           str_z(a, definition)) == 201,
                 "a definition was refused: %.*s", STR_ARG(s->w->client.text));
}

static struct stage_kind *find_kind(struct stage *s, str kind)
{
    for (size_t i = 0; i < s->kinds.len; i++)
        if (str_eq(s->kinds.items[i]->kind, kind))
            return s->kinds.items[i];
    return NULL;
}

static struct stage_kind *kind_of(struct stage *s, str group, str kind)
{
    struct stage_kind *k;
    const struct model_resource *hub;
    AUTO_ERR e = {0};

    for (size_t i = 0; i < s->kinds.len; i++)
        if (str_eq(s->kinds.items[i]->kind, kind) && str_eq(s->kinds.items[i]->group, group))
            return s->kinds.items[i];
    world_expect(s->w, model_find_hub(s->model, group, kind, &hub, &e), "%.*s", STR_ARG(e.text));
    define(s, hub);
    k = ARENA_NEW(s->w->arena, struct stage_kind);
    *k = (struct stage_kind){
        .group = hub->group, .version = hub->version, .kind = hub->kind, .plural = hub->plural};
    if (s->options.twins)
        k->version = str_concat(s->w->arena, hub->version, STR("storage"));
    begin_watch(s, k);
    return k;
}

/* The path of a collection, in the version of the object. */
static str collection(struct stage *s, struct arena *a, const struct value *object)
{
    struct object_key key = object_key_of(object);
    struct stage_kind *k = kind_of(s, key.group, key.kind);
    str api = value_get_str(object, STR("apiVersion")), group, version;
    str namespace = key.namespace.len ? key.namespace : STR("default");

    api_version_split(api, &group, &version);
    k->applied = str_copy(s->w->arena, version);
    if (k->global)
        return str_fmt(a, "/api/%.*s/%.*s", STR_ARG(api), STR_ARG(k->plural));
    return str_fmt(a, "/%s/%.*s/namespaces/%.*s/%.*s", key.group.len ? "apis" : "api", STR_ARG(api),
                   STR_ARG(namespace), STR_ARG(k->plural));
}

int stage_apply(struct stage *s, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    str path = collection(s, a, object);

    world_note(s->w, "apply %.*s %.*s", STR_ARG(value_get_str(object, STR("kind"))),
               STR_ARG(object_name(object)));
    return local_ask(&s->w->client, "POST", str_z(a, path), str_z(a, print(a, object)));
}

void stage_apply_text(struct stage *s, const char *text)
{
    AUTO_ARENA a = arena_new();
    struct value *object = stage_parse(a, text);

    world_expect(s->w, object, "not JSON: %s", text);
    world_expect(s->w, stage_apply(s, object) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
}

static str path_of(struct stage *s, struct arena *a, const char *kind, const char *name)
{
    struct stage_kind *k = find_kind(s, str_c(kind));

    world_expect(s->w, k, "nobody has defined %s", kind);
    if (k->global)
        return str_fmt(a, "/api/v1/%.*s/%s", STR_ARG(k->plural), name);
    if (!k->group.len)
        return str_fmt(a, "/api/v1/namespaces/default/%.*s/%s", STR_ARG(k->plural), name);
    return str_fmt(a, "/apis/%.*s/%.*s/namespaces/default/%.*s/%s", STR_ARG(k->group),
                   STR_ARG(k->applied), STR_ARG(k->plural), name);
}

void stage_patch(struct stage *s, const char *kind, const char *name, const char *patch)
{
    AUTO_ARENA a = arena_new();
    str path = path_of(s, a, kind, name);
    struct value *v = stage_parse(a, patch);

    world_note(s->w, "patch %s %s", kind, name);
    world_expect(s->w, v, "not JSON: %s", patch);
    s->w->client.type = STR("application/merge-patch+json");
    int status = local_ask(&s->w->client, "PATCH", str_z(a, path), str_z(a, print(a, v)));
    s->w->client.type = STR_NONE;
    world_expect(s->w, status == 200, "the patch was refused: %.*s", STR_ARG(s->w->client.text));
}

static void delete_with(struct stage *s, const char *kind, const char *name, const char *options)
{
    AUTO_ARENA a = arena_new();
    str path = path_of(s, a, kind, name);

    world_note(s->w, "delete %s %s", kind, name);
    world_expect(s->w, local_ask(&s->w->client, "DELETE", str_z(a, path), options) == 200,
                 "the deletion was refused: %.*s", STR_ARG(s->w->client.text));
}

void stage_delete(struct stage *s, const char *kind, const char *name)
{
    delete_with(s, kind, name, "");
}

void stage_delete_foreground(struct stage *s, const char *kind, const char *name)
{
    delete_with(s, kind, name, "{\"propagationPolicy\":\"Foreground\"}");
}

const struct value *stage_get(struct stage *s, const char *kind, const char *name)
{
    AUTO_ARENA a = arena_new();

    return local_ask(&s->w->client, "GET", str_z(a, path_of(s, a, kind, name)), "") == 200
               ? s->w->client.body
               : NULL;
}

struct condition stage_condition(struct stage *s, const char *kind, const char *name)
{
    const struct value *object = stage_get(s, kind, name);
    struct condition ready = {0};

    world_expect(s->w, object, "%s %s is not there", kind, name);
    (void)condition_get(value_get(object, STR("status")), STR("Ready"), &ready);
    return ready;
}

void stage_expect_ready(struct stage *s, const char *kind, const char *name)
{
    struct condition ready = stage_condition(s, kind, name);
    const struct value *object = s->w->client.body;

    world_expect(s->w,
                 str_eq(ready.status, STR("True")) && str_eq(ready.reason, STR("Succeeded")) &&
                     ready.generation == object_generation(object),
                 "%s %s is not Ready: %.*s %.*s", kind, name, STR_ARG(ready.reason),
                 STR_ARG(ready.message));
    world_expect(s->w, !object_annotation(object, STR(ANNOTATION_POLL_TOKEN)).len,
                 "%s %s still has a poll token", kind, name);
}

void stage_expect(struct stage *s, const char *kind, const char *name, const char *reason,
                  const char *message)
{
    struct condition ready = stage_condition(s, kind, name);

    world_expect(s->w,
                 str_eq(ready.reason, str_c(reason)) &&
                     (!message || str_contains(ready.message, str_c(message))),
                 "%s %s should be %s (%s), not %.*s (%.*s)", kind, name, reason,
                 message ? message : "", STR_ARG(ready.reason), STR_ARG(ready.message));
}

/* ---- Opening. -------------------------------------------------------------------------------- */

void stage_open(struct stage *s, struct world *w, const struct stage_options *options)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    *s = (struct stage){.w = w,
                        .options = *options,
                        .planned = INT64_MAX,
                        .leads = true,
                        .cache = map_new(w->arena),
                        .cached = map_new(w->arena),
                        .budget_due = INT64_MAX,
                        .bucket = options->paced,
                        .puts = map_new(w->arena),
                        .causes = map_new(w->arena),
                        .known = map_new(w->arena),
                        .polled = map_new(w->arena)};
    /* Azure's clock, which begins on its own, shows what that of the world does. */
    s->sim_time = SIM_BEGIN;
    config.seed = w->seed;
    config.virtual_time = config.unlimited = true;
    config.keeps = options->keeps;
    world_expect(w, model_open(w->arena, STR_NONE, &s->model, &e) && sim_new(&config, &s->sim, &e),
                 "%.*s", STR_ARG(e.text));
    if (options->paced) {
        struct budget_limits limits = budget_published();
        limits.rates[BUDGET_WRITE] = bucket_of_writes(s);
        s->budget = budget_new(&limits);
    }
    world_open(w);
    add_core(s, "Namespace", "namespaces", true);
    add_core(s, "Secret", "secrets", false);
    add_core(s, "ConfigMap", "configmaps", false);
    start(s);
    w->look = look;
    w->look_ctx = s;
}

void stage_close(struct stage *s)
{
    drop_lost(s);
    operator_free(s->operator);
    s->w->look = NULL;
    for (size_t i = 0; i < s->kinds.len; i++)
        local_watch_close(s->kinds.items[i]->watch);
    while (s->pieces)
        piece_free(s->pieces);
    if (s->budget)
        budget_free(s->budget);
    sim_free(s->sim);
    model_close(s->model);
}
