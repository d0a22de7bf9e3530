/* SPDX-License-Identifier: Apache-2.0 */
#include "support/budget_fleet.h"

#define SEC NS_PER_SEC
#define STEP (50 * NS_PER_MS)
#define LIMITED "Microsoft.Compute"
#define NAMESPACES_MAX 300
/* The misbehaving request no more while this many of their requests are waiting. */
#define BAD_OPEN 20000

/* Azure's side of a bucket. */
struct server_bucket {
    double level;
    struct budget_rate rate;
    uint64_t throttled;
};

/* The life of one request. */
struct fleet_call {
    struct fleet_call *next;
    struct budget_grant grant;
    struct budget_request request;
    int64_t born, arrives, answered;
    uint64_t number; /* the same in both runs */
    unsigned polls_left;
    bool bad, counted, throttled;
    int64_t remaining, provider_remaining;
};

struct fleet {
    const struct budget_fleet *plan;
    struct arena *a;
    struct budget *b;
    struct server_bucket server[BUDGET_VERBS], limited[BUDGET_VERBS];
    struct fleet_call *under_way, *later, *spare;
    str names[NAMESPACES_MAX];
    double due[BUDGET_VERBS + 1]
              [2]; /* requests that are due: by verb, and sweeps; limited or not */
    uint64_t number;
    double urgent_time, sweep_time, bad_done;
    uint64_t urgent, sweeps;
    size_t bad_open; /* requested but not done */
};

/* ---- Plans. ---- */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* From min to max. */
static double draw(uint64_t *state, double min, double max)
{
    *state = mix(*state);
    return min + (double)(*state >> 11) / 9007199254740992.0 * (max - min);
}

static void draw_rates(uint64_t *state, struct budget_fleet *p)
{
    static const char *const presets[] = {"published", "own"};
    const size_t which = (size_t)draw(state, 0, 1.999);
    const struct budget_limits l = budget_published();

    p->preset = presets[which];
    for (size_t i = 0; i < BUDGET_VERBS; i++) {
        p->rates[i] = l.rates[i];
        if (which == 1)
            p->rates[i] = (struct budget_rate){draw(state, 60, 1000), draw(state, 5, 60)};
    }
}

struct budget_fleet budget_fleet_plan(uint64_t seed)
{
    uint64_t state = mix(seed);
    struct budget_fleet p = {.seed = seed};

    draw_rates(&state, &p);
    p.limited = draw(&state, 0, 1) < 0.7;
    for (size_t i = 0; i < BUDGET_VERBS; i++)
        p.limits[i] = (struct budget_rate){draw(&state, 20, 200), draw(&state, 1, 8)};
    p.namespaces = (unsigned)draw(&state, 3, draw(&state, 4, 200));
    p.bad = 1 + (unsigned)draw(&state, 0, draw(&state, 0, 0.3) * p.namespaces);
    p.bad_rate = (unsigned)draw(&state, 20, 120);
    p.load = draw(&state, 0.1, 0.6);
    p.limited_load = draw(&state, 0.05, 0.5);
    p.polls = (unsigned)draw(&state, 0, 6);
    p.slowest_ms = (unsigned)draw(&state, 300, 3000);
    p.minutes = 4;
    return p;
}

/* ---- Asking. ---- */

static struct fleet_call *new_call(struct fleet *f)
{
    struct fleet_call *x = f->spare;

    if (!x)
        return ARENA_NEW(f->a, struct fleet_call);
    f->spare = x->next;
    *x = (struct fleet_call){0};
    return x;
}

static void submit(struct fleet *f, struct fleet_call *x, int64_t now)
{
    AUTO_ERR e = {0};

    x->request.item = x;
    x->born = now;
    if (budget_submit(f->b, &x->request, now, &e))
        return;
    fprintf(stderr, "%.*s\n", STR_ARG(e.text));
    abort();
}

static struct fleet_call *ask(struct fleet *f, size_t namespace, enum budget_priority priority,
                              enum budget_verb verb, bool limited, int64_t now)
{
    struct fleet_call *x = new_call(f);

    x->bad = namespace < f->plan->bad;
    x->polls_left = verb == BUDGET_READ ? 0 : f->plan->polls;
    x->number = x->bad ? f->number : mix(f->plan->seed ^ f->number++);
    x->request =
        (struct budget_request){.subscription = STR("s"),
                                .principal = STR("p"),
                                .region = STR("westeurope"),
                                .provider = limited ? STR(LIMITED) : STR("Microsoft.Network"),
                                .namespace = f->names[namespace],
                                .priority = priority,
                                .verb = verb};
    submit(f, x, now);
    return x;
}

/*
 * The rate that the others request: their share of what we use of a bucket. Polls are reads, so
 * sweeps get what is left.
 */
static double wanted(const struct budget_fleet *p, size_t kind, bool limited)
{
    const struct budget_rate *rates = limited ? p->limits : p->rates;
    const double load = 0.9 * (limited ? p->limited_load : p->load) * (p->namespaces - p->bad) /
                        p->namespaces;
    const double reads = rates[BUDGET_READ].per_second / (p->polls + 1.0) / 2;
    double rate;

    if (kind == BUDGET_VERBS)
        return load * rates[BUDGET_READ].per_second / 2;
    if (kind == BUDGET_READ)
        return 0;
    /* Each change is followed by polls, of writes and deletes together. */
    rate = rates[kind].per_second;
    return load * (rate < reads ? rate : reads) / 2;
}

static void work(struct fleet *f, int64_t now)
{
    const struct budget_fleet *p = f->plan;

    for (size_t kind = 0; kind <= BUDGET_VERBS; kind++)
        for (int limited = 0; limited <= p->limited; limited++) {
            double *due = &f->due[kind][limited];
            /* Requests to the provider go through the general bucket as well. */
            double rate = wanted(p, kind, limited);
            if (p->limited && !limited && rate > wanted(p, kind, true))
                rate -= wanted(p, kind, true);
            for (*due += rate * (double)STEP / (double)SEC; *due >= 1; *due -= 1) {
                const size_t namespace = p->bad +
                                         mix(p->seed + f->number) % (p->namespaces - p->bad);
                if (kind == BUDGET_VERBS)
                    ask(f, namespace, BUDGET_SWEEP, BUDGET_READ, limited, now);
                else
                    ask(f, namespace, BUDGET_USER, (enum budget_verb)kind, limited, now);
            }
        }
}

static void misbehave(struct fleet *f, int64_t now)
{
    for (size_t namespace = 0; namespace < f->plan->bad && now % SEC == 0; namespace ++)
        for (unsigned i = 0; i < f->plan->bad_rate && f->bad_open < BAD_OPEN; i++) {
            const bool limited = f->plan->limited && i % 4 == 0;
            for (size_t verb = 0; verb < BUDGET_VERBS; verb++)
                ask(f, namespace, BUDGET_USER, (enum budget_verb)verb, limited, now)->polls_left =
                    0;
            ask(f, namespace, BUDGET_POLL, BUDGET_READ, limited, now);
            f->bad_open += BUDGET_VERBS + 1;
        }
}

/* ---- Answers. ---- */

static void poll_later(struct fleet *f, const struct fleet_call *x, int64_t now)
{
    struct fleet_call *poll = new_call(f);

    *poll = (struct fleet_call){.born = now + 5 * SEC,
                                .number = mix(x->number),
                                .polls_left = x->polls_left - 1,
                                .request = x->request};
    poll->request.priority = BUDGET_POLL;
    poll->request.verb = BUDGET_READ;
    poll->next = f->later;
    f->later = poll;
}

static void finish(struct fleet *f, struct fleet_call *x, int64_t now)
{
    struct budget_signal s = budget_signal_none();

    s.throttled = x->throttled;
    s.remaining = x->remaining;
    s.provider_remaining = x->provider_remaining;
    s.provider_window = x->provider_remaining < 0 ? -1 : 60 * SEC;
    budget_answer(f->b, &x->grant, now, &s);
    if (x->bad) {
        f->bad_done++;
        f->bad_open--;
    } else if (x->request.priority == BUDGET_SWEEP) {
        f->sweep_time += (double)(now - x->born);
        f->sweeps++;
    } else {
        f->urgent_time += (double)(now - x->born);
        f->urgent++;
        if (x->polls_left)
            poll_later(f, x, now);
    }
    x->next = f->spare;
    f->spare = x;
}

static void arrive(struct fleet *f, struct fleet_call *x)
{
    struct server_bucket *k = &f->server[x->request.verb];
    struct server_bucket *own = &f->limited[x->request.verb];
    const bool limited = str_eq(x->request.provider, STR(LIMITED));

    x->counted = true;
    x->throttled = k->level < 1 || (limited && own->level < 1);
    k->throttled += k->level < 1;
    own->throttled += limited && own->level < 1;
    if (!x->throttled) {
        k->level -= 1;
        own->level -= limited;
    }
    x->remaining = (int64_t)k->level;
    x->provider_remaining = limited ? (int64_t)own->level : -1;
}

static void move_calls(struct fleet *f, int64_t now)
{
    for (struct fleet_call **at = &f->under_way, *x; (x = *at);) {
        if (!x->counted && x->arrives <= now)
            arrive(f, x);
        if (x->answered <= now) {
            *at = x->next;
            finish(f, x, now);
        } else {
            at = &x->next;
        }
    }
    for (struct fleet_call **at = &f->later, *x; (x = *at);) {
        if (x->born > now) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        submit(f, x, now);
    }
}

static void let_go(struct fleet *f, int64_t now)
{
    struct budget_grant grant;
    struct fleet_call *x;
    int64_t again;

    while ((x = budget_next(f->b, now, &grant, &again))) {
        const uint64_t luck = mix(x->number);
        x->grant = grant;
        x->arrives = now + (int64_t)(luck % 400) * NS_PER_MS;
        x->answered = x->arrives + (100 + (int64_t)(luck / 400 % f->plan->slowest_ms)) * NS_PER_MS;
        x->next = f->under_way;
        f->under_way = x;
    }
}

/* ---- Running. ---- */

static void refill(struct server_bucket *k)
{
    k->level += k->rate.per_second;
    if (k->level > k->rate.burst)
        k->level = k->rate.burst;
}

static void open_fleet(struct fleet *f, const struct budget_fleet *p)
{
    struct budget_limits l = budget_published();
    struct budget_provider known[BUDGET_VERBS];

    for (size_t i = 0; i < BUDGET_VERBS; i++) {
        l.rates[i] = p->rates[i];
        known[i] = (struct budget_provider){STR(LIMITED), (enum budget_verb)i, p->limits[i]};
        f->server[i] = (struct server_bucket){.level = p->rates[i].burst, .rate = p->rates[i]};
        f->limited[i] = (struct server_bucket){.level = p->limits[i].burst, .rate = p->limits[i]};
    }
    l.providers = known;
    l.provider_count = p->limited ? BUDGET_VERBS : 0;
    f->plan = p;
    f->a = arena_new();
    f->b = budget_new(&l);
    for (size_t i = 0; i < p->namespaces; i++)
        f->names[i] = str_fmt(f->a, "namespace-%zu", i);
}

static void run(struct fleet *f, const struct budget_fleet *p, bool misbehaving)
{
    *f = (struct fleet){0};
    open_fleet(f, p);
    for (int64_t now = 0; now < p->minutes * 60 * SEC; now += STEP) {
        for (size_t i = 0; i < BUDGET_VERBS && now % SEC == 0; i++) {
            refill(&f->server[i]);
            refill(&f->limited[i]);
        }
        work(f, now);
        if (misbehaving)
            misbehave(f, now);
        move_calls(f, now);
        let_go(f, now);
    }
    budget_free(f->b);
    arena_free(f->a);
}

static double mean(double sum, uint64_t count)
{
    return count ? sum / (double)count : 1;
}

struct budget_outcome budget_fleet_run(const struct budget_fleet *p)
{
    static struct fleet calm, rough; /* too large for the stack */
    struct budget_outcome o = {0};

    assert(p->namespaces <= NAMESPACES_MAX && p->bad < p->namespaces);
    run(&calm, p, false);
    run(&rough, p, true);
    for (size_t i = 0; i < BUDGET_VERBS; i++)
        o.throttled += calm.server[i].throttled + calm.limited[i].throttled +
                       rough.server[i].throttled + rough.limited[i].throttled;
    o.urgent = mean(rough.urgent_time, rough.urgent) / mean(calm.urgent_time, calm.urgent);
    o.sweep = mean(rough.sweep_time, rough.sweeps) / mean(calm.sweep_time, calm.sweeps);
    o.counted = rough.urgent + rough.sweeps;
    o.missing = 1 - (double)o.counted / (double)(calm.urgent + calm.sweeps);
    o.bad_done = rough.bad_done;
    return o;
}

bool budget_fleet_is_well(const struct budget_outcome *o)
{
    return !o->throttled && o->urgent < 1.1 && o->sweep < 1.1 && o->missing < 0.02;
}

str budget_fleet_text(struct arena *a, const struct budget_fleet *p, const struct budget_outcome *o)
{
    return str_fmt(a,
                   "fleet %llu: %s, %u of %u namespaces misbehave by %u/s, load %.0f %%%s: %llu "
                   "throttled; users and polls %+.1f %%, sweeps %+.1f %%, %.1f %% "
                   "missing; %llu requests, %.0f of "
                   "the misbehaving",
                   (unsigned long long)p->seed, p->preset, p->bad, p->namespaces, p->bad_rate,
                   p->load * 100, p->limited ? ", a provider with limits" : "",
                   (unsigned long long)o->throttled, (o->urgent - 1) * 100, (o->sweep - 1) * 100,
                   o->missing * 100, (unsigned long long)o->counted, o->bad_done);
}
