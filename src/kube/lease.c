/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.c - leader election. The steps are those of client-go's tryAcquireOrRenew.
 */
#include "kube/lease.h"
#include "object/object.h"

static const struct kube_resource leases = {
    .group = STR_INIT("coordination.k8s.io"),
    .version = STR_INIT("v1"),
    .name = STR_INIT("leases"),
    .kind = STR_INIT("Lease"),
    .namespaced = true,
};

struct lease {
    struct arena *arena;
    struct kube_transport *transport;
    struct lease_config config;
    struct kube_call one, all;
    /* The last record seen, and when, by clock_mono. */
    struct arena *seen_arena;
    struct value *seen;
    int64_t seen_at;
    int64_t due; /* when the current attempt must have succeeded */

    struct lock lock; /* guards everything below */
    bool leader;
    uint64_t term;   /* how often it has become the leader */
    int64_t renewed; /* when the last successful attempt began */
    struct arena *holder_arena;
    str holder;
};

/* ---- Records -------------------------------------------------------------------------------- */

static const struct value *spec_of(const struct value *lease)
{
    return value_get(lease, STR("spec"));
}

static str holder_of(const struct value *lease)
{
    return value_get_str(spec_of(lease), STR("holderIdentity"));
}

static int64_t number_of(const struct value *lease, const char *key)
{
    int64_t number;

    return value_to_i64(value_get(spec_of(lease), str_c(key)), &number) ? number : 0;
}

/* "2026-03-05T07:08:09.123456Z" */
static str micro_time(struct arena *a, int64_t now)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(now, stamp);
    return str_fmt(a, "%.20s%06dZ", stamp, (int)(now % NS_PER_SEC / 1000));
}

static void publish_holder(struct lease *l, str holder)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    if (str_eq(l->holder, holder))
        return;
    arena_reset(l->holder_arena);
    l->holder = str_copy(l->holder_arena, holder);
}

/* A record's time runs from when its change was first seen. */
static void observe(struct lease *l, const struct value *record)
{
    bool changed = !l->seen || !value_equal(spec_of(record), spec_of(l->seen));
    struct arena *fresh = arena_new();
    struct value *copy = value_copy(fresh, record);

    arena_free(l->seen_arena);
    l->seen_arena = fresh;
    l->seen = copy;
    if (changed)
        l->seen_at = clock_mono();
    publish_holder(l, holder_of(copy));
}

static bool is_mine(const struct lease *l)
{
    return str_eq(holder_of(l->seen), l->config.identity);
}

static bool has_run_out(const struct lease *l)
{
    int64_t seconds = number_of(l->seen, "leaseDurationSeconds");
    int64_t duration = seconds > 0 && seconds < 86400 ? seconds * NS_PER_SEC : l->config.duration;

    return clock_mono() - l->seen_at >= duration;
}

/* The record that makes us the leader, or keeps us in office; everything not ours is unchanged. */
static struct value *record_for(const struct lease *l, struct arena *a)
{
    struct value *record = l->seen ? value_copy(a, l->seen) : value_object(a);
    bool renewing = l->seen && is_mine(l);
    int64_t transitions = l->seen ? number_of(l->seen, "leaseTransitions") : 0;
    str now = micro_time(a, clock_now());

    if (!l->seen) {
        struct value *meta = object_make_meta(a, record);
        value_set_str(a, meta, STR("name"), l->config.name);
        value_set_str(a, meta, STR("namespace"), l->config.namespace);
    }
    struct value *spec = value_get(record, STR("spec"));
    if (!value_is(spec, VALUE_OBJECT))
        spec = value_set(a, record, STR("spec"), value_object(a));
    value_set_str(a, record, STR("apiVersion"), STR("coordination.k8s.io/v1"));
    value_set_str(a, record, STR("kind"), STR("Lease"));
    value_set_str(a, spec, STR("holderIdentity"), l->config.identity);
    value_set_int(a, spec, STR("leaseDurationSeconds"), l->config.duration / NS_PER_SEC);
    value_set_str(a, spec, STR("renewTime"), now);
    if (!renewing)
        value_set_str(a, spec, STR("acquireTime"), now);
    value_set_int(a, spec, STR("leaseTransitions"), transitions + (l->seen && !renewing ? 1 : 0));
    return record;
}

/* ---- Attempts ------------------------------------------------------------------------------- */

static int64_t due_of(struct lease *l, int64_t began)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    return (l->leader ? l->renewed : began) + l->config.deadline;
}

/*
 * Sets the timeout for one request: half of the deadline, so that there is time for another one,
 * and no more than what is left of it. It is not retried either: the next step does that.
 */
static bool take_time(struct lease *l, struct err *e)
{
    int64_t left = l->due - clock_mono(), half = l->config.deadline / 2;

    if (left <= 0)
        return err_set(e, ERR_IO, "the lease was not renewed within %g s",
                       (double)l->config.deadline / (double)NS_PER_SEC);
    l->one.timeout = l->all.timeout = left < half ? left : half;
    return true;
}

static bool write(struct lease *l, struct arena *a, const struct value *record, bool creates,
                  struct err *e)
{
    struct value *out;

    if (!take_time(l, e) ||
        !(creates ? kube_create(l->transport, a, &l->all, record, NULL, &out, e)
                  : kube_update(l->transport, a, &l->one, record, NULL, &out, e)))
        return false;
    observe(l, out);
    return true;
}

static void forget_record(struct lease *l)
{
    arena_free(l->seen_arena);
    l->seen_arena = NULL;
    l->seen = NULL;
    publish_holder(l, STR_NONE);
}

static bool attempt(struct lease *l, struct arena *a, struct err *e)
{
    struct value *record;

    /* The usual case: nothing has changed since our last renewal. */
    if (l->seen && is_mine(l) && !has_run_out(l) && write(l, a, record_for(l, a), false, e))
        return true;
    err_clear(e);
    if (!take_time(l, e) || !kube_get(l->transport, a, &l->one, &record, e)) {
        if (e->kind != ERR_NOT_FOUND)
            return false;
        err_clear(e);
        forget_record(l);
        return write(l, a, record_for(l, a), true, e);
    }
    observe(l, record);
    if (holder_of(l->seen).len && !is_mine(l) && !has_run_out(l))
        return err_set(e, ERR_CONFLICT, "the lease is held by %.*s", STR_ARG(l->holder));
    return write(l, a, record_for(l, a), false, e);
}

/* A failed attempt does not matter until the deadline. */
static bool conclude(struct lease *l, bool ok, int64_t began)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    if (ok) {
        l->term += !l->leader;
        l->leader = true;
        l->renewed = began;
    } else if (l->leader && (clock_mono() - l->renewed >= l->config.deadline ||
                             !str_eq(l->holder, l->config.identity))) {
        l->leader = false;
    }
    return l->leader;
}

/* When the leader's next attempt is due: as usual, but the last one not after the deadline. */
static int64_t renewal_due(struct lease *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);
    int64_t left = l->renewed + l->config.deadline - clock_mono();

    if (left >= l->config.retry)
        return l->config.retry;
    return left > 0 ? left : 0;
}

int64_t lease_step(struct lease *l, struct err *e)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR own = {0};
    int64_t began = clock_mono();

    l->due = due_of(l, began);
    bool ok = attempt(l, a, &own);

    if (!ok)
        err_copy(e, &own);
    if (conclude(l, ok, began))
        return renewal_due(l);
    /* Jitter, so that candidates do not all come at once: client-go's factor. */
    return l->config.retry + (int64_t)random_below((uint64_t)l->config.retry / 10 * 12 + 1);
}

uint64_t lease_term(struct lease *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    return l->leader && clock_mono() - l->renewed < l->config.deadline ? l->term : 0;
}

bool lease_held(struct lease *l)
{
    return lease_term(l) != 0;
}

static bool step_down(struct lease *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);
    bool was = l->leader;

    l->leader = false;
    return was;
}

static bool give_back(struct lease *l, struct arena *a, struct err *e)
{
    struct value *record = record_for(l, a), *spec = value_get(record, STR("spec"));

    value_set_str(a, spec, STR("holderIdentity"), STR(""));
    value_set_int(a, spec, STR("leaseDurationSeconds"), 1);
    value_set_str(a, spec, STR("acquireTime"), value_get_str(spec, STR("renewTime")));
    return write(l, a, record, false, e);
}

/* A renewal whose response was lost has changed the record without our knowledge. */
void lease_release(struct lease *l)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *record;

    if (!step_down(l) || l->config.keep || !l->seen || !is_mine(l))
        return;
    l->due = clock_mono() + l->config.deadline;
    if (give_back(l, a, &e) || e.kind != ERR_CONFLICT)
        return;
    err_clear(&e);
    if (!take_time(l, &e) || !kube_get(l->transport, a, &l->one, &record, &e))
        return;
    observe(l, record);
    if (is_mine(l) && !give_back(l, a, &e))
        err_clear(&e);
}

void lease_run(struct lease *l, struct http_cancel *cancel, void (*on_change)(void *ctx, bool held),
               void *ctx)
{
    AUTO_ERR e = {0};
    bool reported = false;

    do {
        int64_t wait = lease_step(l, &e);
        bool held = lease_held(l);
        if (held != reported && on_change)
            on_change(ctx, held);
        reported = held;
        if (!http_cancel_wait(cancel, wait, &e))
            break;
    } while (!http_cancel_raised(cancel));
    lease_release(l);
    if (reported && on_change)
        on_change(ctx, false);
}

/* ---- Life ----------------------------------------------------------------------------------- */

static bool check_times(const struct lease_config *c, struct err *e)
{
    if (c->duration <= c->deadline)
        return err_set(e, ERR_INVALID, "leaseDuration must be greater than renewDeadline");
    if (c->deadline <= c->retry / 10 * 12)
        return err_set(e, ERR_INVALID,
                       "renewDeadline must be greater than retryPeriod*JitterFactor");
    if (c->duration < NS_PER_SEC || c->retry <= 0)
        return err_set(e, ERR_INVALID,
                       "leaseDuration must be a second or more, retryPeriod greater than zero");
    if (!c->identity.len || !c->name.len || !c->namespace.len)
        return err_set(e, ERR_INVALID, "a lease needs a namespace, a name and an identity");
    return true;
}

bool lease_new(struct kube_transport *t, const struct lease_config *config, struct lease **out,
               struct err *e)
{
    struct lease_config c = *config;

    c.duration = c.duration ? c.duration : 15 * NS_PER_SEC;
    c.deadline = c.deadline ? c.deadline : 10 * NS_PER_SEC;
    c.retry = c.retry ? c.retry : 2 * NS_PER_SEC;
    if (!check_times(&c, e))
        return false;
    struct arena *a = arena_new();
    struct lease *l = ARENA_NEW(a, struct lease);
    c.namespace = str_copy(a, c.namespace);
    c.name = str_copy(a, c.name);
    c.identity = str_copy(a, c.identity);
    *l = (struct lease){.arena = a, .transport = t, .config = c, .lock = LOCK_INIT};
    l->holder_arena = arena_new();
    l->all =
        (struct kube_call){.resource = &leases, .namespace = c.namespace, .retry = &retry_never};
    l->one = l->all;
    l->one.name = c.name;
    *out = l;
    return true;
}

void lease_free(struct lease *l)
{
    if (!l)
        return;
    arena_free(l->seen_arena);
    arena_free(l->holder_arena);
    arena_free(l->arena);
}
