/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_ports.c - the ports: requests to the store and the simulator, and what goes wrong on the
 * way.
 */
#include "world/stage_internal.h"

#include "text/json/json.h"
#include "text/url.h"

struct sent_effect {
    struct stage_piece piece;
    unsigned landings; /* remaining ones */
    struct stage *s;
    unsigned life;
    uint64_t ticket;
    str path, object;     /* of the request, and its object */
    struct effect effect; /* if it waits before it is sent */
    struct budget_grant grant;
    bool granted;
    struct arm_answer answer;
};

static void tell(const struct sent_effect *f)
{
    struct stage *s = f->s;

    if (f->life == s->life) {
        operator_tell(s->operator, f->ticket, &f->answer);
        stage_step(s);
    } else if (s->lost && f->life == s->lost_life) {
        operator_tell(s->lost, f->ticket, &f->answer);
        stage_step_lost(s);
    }
}

static void remove_sent(struct map *flying, const struct sent_effect *f)
{
    if (flying && map_get(flying, f->object) == f)
        map_remove(flying, f->object);
}

static void land(void *ctx)
{
    struct sent_effect *f = ctx;
    struct stage *s = f->s;

    remove_sent(s->flying, f);
    remove_sent(s->lost_flying, f);
    if (f->granted) {
        const struct budget_signal nothing = budget_signal_none();
        budget_answer(s->budget, &f->grant, world_now(s->w), &nothing);
        f->granted = false;
    }
    tell(f);
    if (!--f->landings)
        stage_piece_free(&f->piece);
}

/* Delivers the same answer again, which nothing waits for. */
static void land_again(void *ctx)
{
    struct sent_effect *f = ctx;

    tell(f);
    if (!--f->landings)
        stage_piece_free(&f->piece);
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

    if (is_rejected(s, kept, effect, out))
        return;
    struct local client = local_client(store_handler(s->w->store));
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

/* Transient errors, as in recordings. */
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
    if (stage_happens(s, s->options.faults.refused)) {
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

static int64_t delay_of(struct stage *s, const struct sent_effect *f)
{
    int64_t delay = stage_latency(s);

    if (s->slow_id && str_contains(f->path, str_c(s->slow_id)))
        return s->slow_by;
    return delay;
}

/* The process ends after the last request was executed. */
static void crash_if_due(struct stage *s)
{
    if (!s->crash_after || --s->crash_after)
        return;
    s->life++;
    world_after(s->w, 1, stage_restart_after_crash, s);
}

/* Azure's own bucket of writes, which a budget respects. */
struct budget_rate stage_bucket(const struct stage *s)
{
    return (struct budget_rate){s->options.paced, s->options.paced / 20.0};
}

static void check_pace(struct stage *s, const struct effect *effect)
{
    const struct budget_rate rate = stage_bucket(s);
    double passed = (double)(world_now(s->w) - s->paced_at) / (double)NS_PER_SEC;

    if (!s->budget || !effect_is_arm(effect->kind) || !effect_is_write(effect))
        return;
    s->bucket += passed * rate.per_second;
    s->bucket = s->bucket > rate.burst ? rate.burst : s->bucket;
    s->paced_at = world_now(s->w);
    world_expect(s->w, s->bucket >= 1, "a write that Azure would throttle");
    s->bucket--;
}

/* Sends a request, and schedules its answer. */
static void send(struct sent_effect *f, const struct effect *effect)
{
    struct stage *s = f->s;
    const struct stage_faults *faults = &s->options.faults;

    if (stage_happens(s, faults->lost_request)) {
        world_note(s->w, "lost: %s %.*s", effect_method(effect->kind), STR_ARG(effect->url));
    } else {
        check_pace(s, effect);
        (effect_is_arm(effect->kind) ? ask_azure : ask_store)(s, f->piece.arena, effect,
                                                              &f->answer);
        if (stage_happens(s, faults->lost_answer)) {
            world_note(s->w, "the answer is lost");
            f->answer = (struct arm_answer){.retry_after = -1};
        }
    }
    crash_if_due(s);
    int64_t delay = delay_of(s, f);
    world_after(s->w, f->answer.http || f->answer.denied ? delay : 30 * NS_PER_SEC, land, f);
    f->landings = 1;
    if (f->answer.http && stage_happens(s, faults->twice)) {
        f->landings++;
        world_after(s->w, delay + stage_latency(s), land_again, f);
    }
}

/* Like the pipes (net/term.h): sends what has waited, if the operator still leads. */
static void send_held(void *ctx)
{
    struct sent_effect *f = ctx;

    f->landings = 1;
    if (f->life == f->s->life && f->s->leads)
        send(f, &f->effect);
    else
        land(f);
}

static void keep_effect(struct sent_effect *f, const struct effect *effect)
{
    struct arena *a = f->piece.arena;

    f->effect = *effect;
    f->effect.url = f->path;
    f->effect.body = str_copy(a, effect->body);
    f->effect.account = str_copy(a, effect->account);
}

static void hold(struct sent_effect *f, const struct effect *effect)
{
    world_note(f->s->w, "held: %s %.*s", effect_method(effect->kind), STR_ARG(effect->url));
    keep_effect(f, effect);
    world_after(f->s->w, (int64_t)(1 + world_below(f->s->w, 20)) * NS_PER_SEC, send_held, f);
}

/* Like the pipes: sends what the budget allows; the rest waits for its turn. */
static void let_go(void *ctx)
{
    struct stage *s = ctx;
    int64_t now = world_now(s->w), again;
    struct budget_grant grant;
    struct sent_effect *f;

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

static void queue(struct sent_effect *f, const struct effect *effect)
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

void stage_ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct stage *s = ctx;
    struct sent_effect *f = stage_piece_new(s, sizeof *f);
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
    map_remove(flying, f->object); /* this removes the key of an earlier one, too */
    map_set(flying, f->object, f);
    if (s->budget && effect_is_arm(effect->kind))
        queue(f, effect);
    else
        (write && stage_happens(s, s->options.faults.held) ? hold : send)(f, effect);
    clock_skew(s->skew);
}

const struct value *stage_find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct stage *s = ctx;
    const struct value *object = map_get(s->cache, object_key_text(a, key));

    return object ? value_copy(a, object) : NULL;
}

const struct value *stage_cached(struct stage *s, struct arena *a, const struct object_key *key)
{
    return stage_find(s, a, key);
}

void stage_read(struct stage *s, const struct effect *effect, struct arm_answer *out)
{
    *out = (struct arm_answer){.retry_after = -1};
    (effect_is_arm(effect->kind) ? ask_azure : ask_store)(s, s->w->arena, effect, out);
}

bool stage_leads(void *ctx)
{
    const struct stage *s = ctx;

    return s->leads && !s->runs_lost;
}

void stage_event(void *ctx, const struct report *report)
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

void stage_tally(void *ctx, const struct tally *t)
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
