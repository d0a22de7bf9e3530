/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the only loop: from the mailbox to due keys, passes and effects.
 *
 * A key belongs to the loop (taken from the queue, but not done) while its pass waits for an
 * answer, so that no second pass over the same object can start, and news about it waits until the
 * first one rests.
 */
#include "operator/internal.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/queue.h"
#include "azure/needs.h"
#include "go/time.h"
#include "object/names.h"
#include "operator/schedule.h"

/* More steps without a request mean a cycle of states. */
#define STEPS_MAX 100
/* How long to wait for a referenced object that is not Ready. */
#define PATIENCE (600 * NS_PER_SEC)
/* Without the lease nothing is written; if it comes back, passes go on after a while. */
#define LEASE_WAIT (5 * NS_PER_SEC)

/* Objects in a list are looked at in this many slices, this far apart. */
#define LISTED_SLICES 20
#define LISTED_SLICE NS_PER_SEC

/* While too many requests to Azure are waiting, the next object is delayed by about this long. */
#define CROWD_WAIT (2 * NS_PER_SEC)

/* Arenas of passes are kept for the next ones: how many, and up to which size. */
#define SPARES 8
#define SPARE_MAX (256 * KIB)

/* Deletions of the last ten minutes are counted in slices of ten seconds. */
#define DELETES_SLICES 60

struct operator
{
    struct arena *arena;
    struct operator_config config;
    struct ports ports;
    struct cards *cards;
    struct graph *graph;
    struct queue *queue;
    struct mailbox *mailbox;
    struct evolving *evolving;
    struct sweeps *sweeps;
    struct map *flying; /* the bytes of a ticket to its card */
    uint64_t ticket;
    struct operator_stats stats;
    size_t unsynced;              /* cards with unsynced set */
    struct arena *spares[SPARES]; /* of passes that have ended */
    size_t spare_count;
    struct deleted {
        int64_t slice;
        size_t count;
    } deleted[DELETES_SLICES];
};

struct operator* operator_new(const struct operator_config *config, const struct ports *ports)
{
    struct arena *a = arena_new();
    struct operator* o = ARENA_NEW(a, struct operator);

    *o = (struct operator){.arena = a,
                           .config = *config,
                           .ports = *ports,
                           .cards = cards_new(a),
                           .graph = graph_new(a),
                           .queue = queue_new(0),
                           .mailbox = mailbox_new(),
                           .evolving = evolving_new(a),
                           .sweeps = sweeps_new(a),
                           .flying = map_new(a)};
    o->config.subscription = str_copy(a, config->subscription);
    o->config.endpoint = str_copy(a, config->endpoint);
    o->config.namespace = str_copy(a, config->namespace);
    o->config.version = str_copy(a, config->version);
    o->config.digest_key = str_copy(a, config->digest_key);
    if (!o->config.patience)
        o->config.patience = PATIENCE;
    str *scopes = ARENA_ARRAY(a, str, config->scope_count);
    for (size_t i = 0; i < config->scope_count; i++)
        scopes[i] = str_copy(a, config->scopes[i]);
    o->config.scopes = scopes;
    return o;
}

/* Wipes an arena for the next pass; memory of a large object is freed. */
static void keep_spare(struct operator* o, struct arena *a)
{
    if (o->spare_count == COUNT(o->spares) || arena_held(a) > SPARE_MAX) {
        arena_free(a);
        return;
    }
    arena_reset(a);
    o->spares[o->spare_count++] = a;
}

static void end_pass(struct operator* o, struct card *card)
{
    struct pass *p = card->pass;

    card->pass = NULL;
    if (!p)
        return;
    for (size_t i = 0; i < COUNT(p->polls); i++)
        if (p->polls[i])
            arena_free(p->polls[i]);
    keep_spare(o, p->arena);
}

static void set_unsynced(struct operator* o, struct card *card, int64_t since)
{
    o->unsynced += (since != 0) - (card->unsynced != 0);
    card->unsynced = since;
}

/* Counts the object in the state in which its pass leaves it. */
static void enter(struct operator* o, struct card *card, enum object_state state)
{
    const struct pass *p = card->pass;

    if (p && p->object && object_is_deleting(p->object) && state != OBJECT_UNKNOWN)
        state = OBJECT_DELETING;
    if (o->ports.state && card->state != state)
        o->ports.state(o->ports.ctx, &card->key, card->state, state);
    card->state = (uint8_t)state;
    if (state == OBJECT_READY || state == OBJECT_UNKNOWN)
        set_unsynced(o, card, 0);
    else if (!card->unsynced)
        set_unsynced(o, card, clock_now());
}

void operator_free(struct operator* o)
{
    if (!o)
        return;
    for (size_t i = 0; i < cards_count(o->cards); i++) {
        end_pass(o, cards_at(o->cards, i));
        enter(o, cards_at(o->cards, i), OBJECT_UNKNOWN);
    }
    while (o->spare_count)
        arena_free(o->spares[--o->spare_count]);
    cards_free(o->cards);
    graph_free(o->graph);
    evolving_free(o->evolving);
    sweeps_free(o->sweeps);
    queue_free(o->queue);
    mailbox_free(o->mailbox);
    arena_free(o->arena);
}

void operator_changed(struct operator* o, const struct object_key *key)
{
    mailbox_put(o->mailbox, &(struct mail){.key = *key});
}

void operator_tell(struct operator* o, uint64_t ticket, const struct arm_answer *answer)
{
    mailbox_put(o->mailbox, &(struct mail){.ticket = ticket, .answer = *answer});
}

struct operator_stats operator_stats(const struct operator* o)
{
    struct operator_stats stats = o->stats;

    stats.objects = cards_count(o->cards);
    stats.flying = map_len(o->flying);
    return stats;
}

int64_t operator_unsynced_since(const struct operator* o)
{
    int64_t oldest = 0;

    for (size_t i = 0; o->unsynced && i < cards_count(o->cards); i++) {
        const struct card *card = cards_at(o->cards, i);
        if (card->unsynced && !card->overlaps && (!oldest || card->unsynced < oldest))
            oldest = card->unsynced;
    }
    return oldest;
}

void operator_queue_stats(const struct operator* o, struct queue_stats *out)
{
    queue_stats(o->queue, out);
}

/* ---- Deletions. ------------------------------------------------------------------------------ */

/* Deletions are counted by time slice; the slices of the last ten minutes are added up. */
#define DELETES_SLICE (10 * NS_PER_SEC)

struct below {
    struct operator* o;
    struct map *seen; /* an object with several owners counts once */
    str uid;
    size_t count, depth;
};

/* Counts everything that Azure would delete with it: its dependents, and theirs. */
static void count_below(void *ctx, struct card *card)
{
    struct below *b = ctx;
    AUTO_ARENA a = arena_new(); /* of one object: there may be ten thousand */

    if (b->depth > OWNERS_MAX || map_has(b->seen, card->text))
        return;
    const struct value *object = b->o->ports.find(b->o->ports.ctx, a, &card->key);
    if (!object_is_owned_by(object, b->uid))
        return;
    map_set(b->seen, card->text, card);
    struct below deeper = {b->o, b->seen, object_uid(object), 0, b->depth + 1};
    graph_each(b->o->graph, card->text, count_below, &deeper);
    b->count += 1 + deeper.count;
}

static size_t count_deletes(void *ctx, const struct card *card, size_t *now)
{
    AUTO_ARENA a = arena_new();
    struct operator* o = ctx;
    struct below below = {o, map_new(a), object_uid(card->pass->object), 1, 0};
    size_t recent = 0;

    map_set(below.seen, card->text, NULL);
    if (below.uid.len)
        graph_each(o->graph, card->text, count_below, &below);
    *now = below.count;
    int64_t slice = clock_mono() / DELETES_SLICE;
    for (size_t i = 0; i < COUNT(o->deleted); i++)
        if (o->deleted[i].slice + DELETES_SLICES > slice)
            recent += o->deleted[i].count;
    return recent;
}

static void note_delete(void *ctx, const struct card *card)
{
    struct operator* o = ctx;
    int64_t slice = clock_mono() / DELETES_SLICE;
    struct deleted *d = &o->deleted[(size_t)slice % DELETES_SLICES];
    size_t now;

    (void)count_deletes(o, card, &now);
    if (d->slice != slice)
        *d = (struct deleted){.slice = slice};
    d->count += now;
}

/* ---- Copies. --------------------------------------------------------------------------------- */

/* Rarely called: only for claimed objects about which nothing was decided yet. */
static const struct value *find_holder(void *ctx, const struct pass *p, str id)
{
    struct operator* o = ctx;
    AUTO_ARENA a = arena_new();
    uint64_t number = str_hash(str_lower(a, id));

    for (size_t i = 0; i < cards_count(o->cards); i++) {
        const struct card *card = cards_at(o->cards, i);
        if (card->id != number || card == p->card || !str_eq(card->key.kind, p->card->key.kind) ||
            !str_eq(card->key.group, p->card->key.group))
            continue;
        const struct value *other = o->ports.find(o->ports.ctx, p->arena, &card->key);
        if (other && object_has_finalizer(other, STR(FINALIZER)) && copy_number(other) == number &&
            copy_is_older(other, p->object))
            return other;
    }
    return NULL;
}

/* ---- Azure evolves. -------------------------------------------------------------------------- */

static void wake_after(void *ctx, struct card *card, int64_t delay)
{
    struct operator* o = ctx;

    queue_add_after(o->queue, card->text, QUEUE_NORMAL, delay);
}

static enum evolve evolves(void *ctx, const struct card *card, str path, size_t *shown, size_t *all)
{
    struct operator* o = ctx;
    const struct evolve_ask ask = {.cards = o->cards,
                                   .card = card,
                                   .now = clock_mono(),
                                   .period = o->config.period,
                                   .wake = wake_after,
                                   .ctx = o};

    return evolving_judge(o->evolving, &ask, path, shown, all);
}

/* ---- Passes. --------------------------------------------------------------------------------- */

static void begin_pass(struct operator* o, struct card *card)
{
    /* It contains values of Secrets. */
    struct arena *a = o->spare_count ? o->spares[--o->spare_count] : arena_new_secret();

    card->pass = ARENA_NEW(a, struct pass);
    *card->pass = (struct pass){.arena = a,
                                .config = &o->config,
                                .ports = &o->ports,
                                .card = card,
                                .priority = card->well ? PRIORITY_PERIODIC : PRIORITY_USER,
                                .deletes = count_deletes,
                                .deleted = note_delete,
                                .deletes_ctx = o,
                                .holder = find_holder,
                                .evolves = evolves,
                                .sweeps = o->sweeps,
                                .timed = card->swept || card->suspect ||
                                         (card->resumed && !card->renewed) ||
                                         (card->due && card->due <= clock_mono())};
    card->waits = card->swept = false;
    o->stats.passes++;
}

/* Notes that Azure may show in the owner what was written to its child. */
static void tell_owner(struct operator* o, struct pass *p)
{
    const struct value *owner;
    struct object_key key;

    if (!p->tried || !p->resource || !pass_owner(p, &owner, &key))
        return;
    struct card *card = cards_find(o->cards, object_key_text(p->arena, &key));
    if (card)
        card->child_written = true;
}

static void rest(struct operator* o, struct card *card, int64_t delay)
{
    tell_owner(o, card->pass);
    if (card->pass->needs_complete)
        graph_set(o->graph, card, &card->pass->needs);
    sweep_end(card);
    o->stats.listed += card->pass->listed;
    o->stats.unchanged += card->pass->calm;
    end_pass(o, card);
    queue_done(o->queue, card->text);
    if (card->again)
        delay = 0;
    card->again = false;
    if (delay != STEP_NEVER)
        queue_add_after(o->queue, card->text, QUEUE_NORMAL, delay);
}

/* A pass that was only postponed says nothing about the state. */
static void enter_rest(struct operator* o, struct card *card)
{
    const struct verdict *v = &card->pass->verdict;

    if (card->pass->state != STATE_EXPLAIN)
        return;
    card->resumed = false;
    enter(o, card,
          v->waits                            ? OBJECT_WAITING
          : str_eq(v->severity, STR("Error")) ? OBJECT_STOPPED
                                              : OBJECT_RETRYING);
}

static void forget(struct operator* o, struct card *card)
{
    AUTO_ARENA a = arena_new();
    const struct value *object = o->ports.find(o->ports.ctx, a, &card->key);

    /* A new object of that name exists, and its news was taken for that of the old one. */
    if (object && card->seen != meta_intent(object)) {
        rest(o, card, 0);
        return;
    }
    enter(o, card, OBJECT_UNKNOWN);
    end_pass(o, card);
    queue_done(o->queue, card->text);
    graph_set(o->graph, card, &(struct str_list){0});
    sweep_leave(card);
    cards_remove(o->cards, card);
}

static void pause_pass(struct operator* o, struct card *card, int64_t delay)
{
    card->resume = clock_mono() + delay;
    enter(o, card, OBJECT_IN_PROGRESS);
    queue_done(o->queue, card->text);
    queue_add_after(o->queue, card->text, QUEUE_NORMAL, delay);
}

static int64_t next_period(const struct operator* o, const struct card *card)
{
    const struct pass *p = card->pass;

    return schedule_vary(p ? schedule_period(o->config.period, p->object, drift_writes(p))
                           : o->config.period);
}

/* Reports what a mode without a writer would have done. */
static void withhold(struct operator* o, struct card *card, const struct effect *effect)
{
    AUTO_ARENA a = arena_new();
    str place, query;

    o->stats.withheld++;
    if (!o->ports.log || !card->pass->object)
        return;
    str_cut(effect->url, STR("?"), &place, &query);
    o->ports.log(o->ports.ctx,
                 &(struct report){.key = &card->key,
                                  .object = card->pass->object,
                                  .action = "Withheld",
                                  .reason = str_c(effect_method(effect->kind)),
                                  .message = str_fmt(a, "would send %s %.*s",
                                                     effect_method(effect->kind), STR_ARG(place))});
}

/* Without a writer: true if the pass goes on with a simulated answer. */
static bool withheld(struct operator* o, struct card *card, const struct effect *effect)
{
    withhold(o, card, effect);
    if (outcome_imagine(card->pass, effect))
        return true;
    outcome_tell(card->pass, OUTCOME_WITHHELD, effect);
    card->pass->tried = false; /* so that nothing relies on it */
    rest(o, card, next_period(o, card));
    return false;
}

/* True if the answer is already there. */
static bool ask(struct operator* o, struct card *card, const struct effect *effect)
{
    bool write = effect_is_write(effect);

    if (write && !o->ports.write)
        return withheld(o, card, effect);
    if (write && o->ports.leads && !o->ports.leads(o->ports.ctx)) {
        rest(o, card, LEASE_WAIT);
        return false;
    }
    card->ticket = ++o->ticket;
    map_set(o->flying, str_of((const char *)&card->ticket, sizeof card->ticket), card);
    ++*(write ? &o->stats.writes : &o->stats.reads);
    (write ? o->ports.write : o->ports.read)(o->ports.ctx, card->ticket, effect);
    return false;
}

/* Whether it will be looked at by then. */
static bool is_due(const struct card *card, int64_t then)
{
    return card->well ? card->due && card->due <= then : card->resumed;
}

/* Now that the list is there, looks at other objects in it, unless they are due much later. */
static void wake_listed(struct operator* o, const struct pass *p)
{
    int64_t now = clock_mono(), far = now + o->config.period / 4 * 5;
    size_t count = 0;

    for (size_t i = 0; i < cards_count(o->cards); i++) {
        struct card *card = cards_at(o->cards, i);
        if (card == p->card || card->pass || !is_due(card, far) || !sweep_is_in(card, p->published))
            continue;
        card->swept = true;
        queue_add_after(o->queue, card->text, QUEUE_NORMAL,
                        (int64_t)(count++ % LISTED_SLICES) * LISTED_SLICE);
    }
}

/* Goes from state to state until there is something to wait for. */
static void advance(struct operator* o, struct card *card)
{
    struct pass *p = card->pass;
    int64_t delay;

    p->now = clock_now();
    for (unsigned steps = 0;; steps++) {
        assert(steps < STEPS_MAX);
        struct pass_step step = state_run(p);
        if (p->needs_changed)
            graph_add(o->graph, card, &p->needs);
        p->needs_changed = false;
        for (size_t i = 0; i < p->exported.len; i++)
            graph_news(o->graph, p->exported.items[i].need, p->exported.items[i].version);
        p->exported.len = 0;
        if (p->published)
            wake_listed(o, p);
        p->published = NULL;
        switch (step.kind) {
        case STEP_TO:
            p->state = step.to;
            p->phase = 0;
            continue;
        case STEP_ASK:
            if (ask(o, card, &step.effect))
                continue;
            return;
        case STEP_PAUSE:
            pause_pass(o, card, step.delay);
            return;
        case STEP_REST:
            outcome_tell(p, p->state == STATE_EXPLAIN ? OUTCOME_BLOCKED : OUTCOME_WAITS, NULL);
            enter_rest(o, card);
            rest(o, card, step.delay);
            return;
        case STEP_PERIOD:
            outcome_tell(p, OUTCOME_WELL, NULL);
            enter(o, card, OBJECT_READY);
            /* If another look follows soon, it is not done yet. */
            if (o->ports.well && !step.delay)
                o->ports.well(o->ports.ctx, &card->key);
            /* A second look must not come later than a short period requires. */
            delay = next_period(o, card);
            if (step.delay && step.delay < delay)
                delay = step.delay;
            card->due = clock_mono() + delay;
            card->resumed = false;
            rest(o, card, delay);
            return;
        case STEP_FORGET:
            outcome_tell(p, OUTCOME_GONE, NULL);
            forget(o, card);
            return;
        }
    }
}

void operator_hurry(struct operator* o)
{
    o->config.patience = 0;
    for (size_t i = 0; i < cards_count(o->cards); i++)
        if (cards_at(o->cards, i)->waits)
            queue_add(o->queue, cards_at(o->cards, i)->text, QUEUE_NORMAL);
}

/* If tens of thousands of objects are due at once, as after the first start, some come later. */
static bool comes_later(struct operator* o, const struct card *card)
{
    if (card->pass || !o->ports.crowded || !o->ports.crowded(o->ports.ctx, card->renewed))
        return false;
    queue_done(o->queue, card->text);
    queue_add_after(o->queue, card->text, QUEUE_NORMAL, schedule_vary(CROWD_WAIT));
    return true;
}

/* Handles a key that is due: a new pass, the end of a pause, or news during one. */
static void run(struct operator* o, struct card *card)
{
    AUTO_ARENA a = arena_new();
    int64_t left = card->pass ? card->resume - clock_mono() : 0;

    if (comes_later(o, card))
        return;
    if (left > 0) {
        const struct value *object = o->ports.find(o->ports.ctx, a, &card->key);
        if (object && object_is_deleting(object) == object_is_deleting(card->pass->object)) {
            card->again = true;
            pause_pass(o, card, left);
            return;
        }
        /* A deletion does not wait for what it cancels. */
        end_pass(o, card);
    }
    if (card->pass)
        card->pass->paused = true;
    else
        begin_pass(o, card);
    advance(o, card);
}

/* ---- News. ----------------------------------------------------------------------------------- */

static void wake_waiting(void *ctx, struct card *card)
{
    struct operator* o = ctx;

    calm_disturb(card);
    if (card->waits || card->pass)
        queue_add(o->queue, card->text, QUEUE_NORMAL);
}

/* Earlier failures may have been caused by what has changed: they no longer count. */
static void wake(void *ctx, struct card *card)
{
    struct operator* o = ctx;

    calm_disturb(card);
    card->renewed |= !card->waits;
    queue_add(o->queue, card->text, QUEUE_NORMAL);
}

/*
 * Something that it is made from, but did not wait for, is Ready now: perhaps it failed because of
 * that.
 */
static void wake_unwell(void *ctx, struct card *card)
{
    calm_disturb(card);
    if (card->waits || card->pass || !card->well)
        wake(ctx, card);
}

/* This often at once, then once in a while, as each look is a request to Azure. */
#define LOOKS_BURST 5
#define LOOKS_EVERY (60 * NS_PER_SEC)

/* Somebody changed what it uses or writes, and may do so again. */
static void wake_limited(void *ctx, struct card *card)
{
    struct operator* o = ctx;
    int64_t now = clock_mono(), used = card->looks > now ? card->looks : now;
    int64_t wait = used - now - LOOKS_BURST * LOOKS_EVERY;

    calm_disturb(card);
    if (wait <= 0)
        card->looks = used + LOOKS_EVERY;
    queue_add_after(o->queue, card->text, QUEUE_NORMAL, wait > 0 ? wait : 0);
}

/* A healthy object can wait if a Secret or ConfigMap is written all the time. */
static void wake_user(void *ctx, struct card *card)
{
    (card->well && !card->waits ? wake_limited : wake)(ctx, card);
}

/*
 * While it is writing, changes are its own; it learns the version from the answer. It never deletes
 * there, so a deletion is always news.
 */
static void wake_exporter(void *ctx, struct card *card)
{
    if (!card->pass || card->pass->state != STATE_EXPORT)
        wake_limited(ctx, card);
}

static bool is_ready(const struct value *object)
{
    return condition_is_true(value_get(object, STR("status")), STR("Ready"),
                             object_generation(object));
}

/* Whether nothing is under way, and the last pass left nothing to do. */
static bool is_at_rest(const struct value *object)
{
    return is_ready(object) && !object_is_deleting(object) &&
           object_has_finalizer(object, STR(FINALIZER)) &&
           !object_annotation(object, STR(ANNOTATION_POLL_TOKEN)).len;
}

/* Notes the current state of an object's exports: from now on, changes to them are news. */
static void foresee_export(struct operator* o, struct card *card, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();
    const struct value *found = o->ports.find(o->ports.ctx, a, key);
    str export = graph_export(a, object_key_text(a, key));

    graph_add(o->graph, card, &(struct str_list){.items = &export, .len = 1});
    (void)graph_news(o->graph, export, found ? object_version(found) : 0);
}

/* Notes the Namespace, whose policy applies to objects without one. */
static void foresee_namespace(struct operator* o, struct card *card)
{
    AUTO_ARENA a = arena_new();
    struct object_key key = {.kind = STR("Namespace"), .name = card->key.namespace};
    str text = object_key_text(a, &key);

    graph_add(o->graph, card, &(struct str_list){.items = &text, .len = 1});
    (void)graph_news(o->graph, text, meta_intent(o->ports.find(o->ports.ctx, a, &key)));
}

/* Notes what its next pass would find out, so that news wakes the object even before that. */
static void foresee(struct operator* o, struct card *card, const struct value *object,
                    const struct model_resource *resource)
{
    AUTO_ARENA a = arena_new();
    struct str_list keys = {0};
    struct needs needs = {0};
    struct account account;

    foresee_namespace(o, card);
    needs_of(a, resource, object, &needs);
    for (size_t i = 0; i < needs.len; i++) {
        if (need_is_export(&needs.items[i]))
            foresee_export(o, card, &needs.items[i].object);
        else if (need_is_in_cluster(&needs.items[i]))
            VEC_PUSH(a, &keys, object_key_text(a, &needs.items[i].object));
    }
    if (o->ports.account) {
        (void)o->ports.account(o->ports.ctx, a, object, &account, NULL);
        for (size_t i = 0; i < account.need_count; i++)
            VEC_PUSH(a, &keys, object_key_text(a, &account.needs[i]));
    }
    graph_add(o->graph, card, &keys);
}

/*
 * After a restart: joins the lists that the resource is in, so that the first looks use them. True:
 * it was healthy in an earlier process, so that it can wait for a list.
 */
static bool foresee_lists(struct operator* o, struct card *card, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    struct pass p = {
        .arena = a, .config = &o->config, .ports = &o->ports, .card = card, .object = object};
    struct pass_step otherwise;

    memory_load(&p);
    bool known = pass_resource(&p, &otherwise) && pass_account(&p, &otherwise);
    card->waits = false; /* its first pass finds out */
    if (known)
        sweep_join(o->sweeps, &p);
    return known && value_is_true(memory_get(&p, "settled"));
}

/* The same: an object that was found healthy waits for the end of its period. */
static bool continue_rest(struct operator* o, struct card *card, const struct value *object)
{
    int64_t ago = o->ports.checked ? o->ports.checked(o->ports.ctx, &card->key) : -1;

    if (ago < 0 || !is_at_rest(object))
        return false;
    AUTO_ARENA a = arena_new();
    struct pass p = {
        .arena = a, .config = &o->config, .ports = &o->ports, .card = card, .object = object};
    if (!model_find_hub(o->config.model, card->key.group, card->key.kind, &p.resource, NULL))
        return false;
    int64_t left = schedule_vary(schedule_period(o->config.period, object, drift_writes(&p))) - ago;
    if (left <= 0)
        return false;
    foresee(o, card, object, p.resource);
    card->seen = meta_intent(object);
    card->well = true;
    card->due = clock_mono() + left;
    queue_add_after(o->queue, card->text, QUEUE_NORMAL, left);
    return true;
}

/*
 * Whether somebody removed the finalizer or id: until they are restored, a deletion would leave the
 * resource behind.
 */
static bool has_lost_claim(const struct card *card, const struct value *object)
{
    return card->well && object && !object_is_deleting(object) &&
           !(object_has_finalizer(object, STR(FINALIZER)) &&
             object_annotation(object, STR(ANNOTATION_RESOURCE_ID)).len);
}

/* Whether news about an object is a reason to look at it. Its owner may change at any time. */
static bool must_look(const struct card *card, const struct value *object)
{
    return card->outdated || card->overlaps || card->seen != meta_intent(object) ||
           has_lost_claim(card, object);
}

/* Since when an object that is new to this process has not been Ready, according to its status. */
static int64_t unsynced_since(struct arena *a, const struct value *object)
{
    int64_t now = clock_now();
    struct condition ready;
    struct gotime time;
    str text = value_get_str(object_meta(object), STR("creationTimestamp"));

    if (condition_get(value_get(object, STR("status")), STR("Ready"), &ready))
        text = str_eq(ready.status, STR("True")) ? STR_NONE : ready.since;
    if (!gotime_parse(a, STR(GOTIME_RFC3339), text, NULL, &time, NULL) ||
        time.sec >= now / NS_PER_SEC || time.sec <= 0)
        return now;
    return time.sec * NS_PER_SEC;
}

static void take_change(struct operator* o, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();
    str text = object_key_text(a, key);
    struct card *card = cards_find(o->cards, text);

    const struct value *object = o->ports.find(o->ports.ctx, a, key);
    /* A Namespace: objects that follow its policy look again if that has changed. */
    if (!key->group.len && str_eq(key->kind, STR("Namespace"))) {
        if (graph_news(o->graph, text, meta_intent(object)))
            graph_each(o->graph, text, wake, o);
        return;
    }
    /* A Secret or ConfigMap: objects that use it look again. */
    if (!key->group.len) {
        str export = graph_export(a, text);
        graph_each(o->graph, text, wake_user, o);
        if (graph_has(o->graph, export) &&
            graph_news(o->graph, export, object ? object_version(object) : 0))
            graph_each(o->graph, export, object ? wake_exporter : wake_limited, o);
        return;
    }
    bool resting = false;
    if (!card && object) {
        card = cards_add(o->cards, key, text);
        card->resumed = !o->config.impatient && is_at_rest(object) &&
                        foresee_lists(o, card, object);
        resting = continue_rest(o, card, object);
        if (!resting)
            set_unsynced(o, card, unsynced_since(a, object));
        enter(o, card, resting ? OBJECT_READY : OBJECT_PENDING);
    }
    if (card)
        card->id = copy_number(object);
    if (card && !resting && must_look(card, object)) {
        bool renewed = card->seen && card->seen != meta_intent(object);
        card->renewed |= renewed;
        if (renewed && object && !card->unsynced)
            set_unsynced(o, card, clock_now());
        card->well = card->well && card->outdated;
        queue_add(o->queue, card->text, QUEUE_NORMAL);
    }
    /* Wakes dependents, unless it looks the same to them: a record in its status is not news. */
    if (graph_has(o->graph, text) && graph_news(o->graph, text, meta_shown(object)))
        graph_each(o->graph, text, is_ready(object) ? wake_unwell : wake_waiting, o);
}

/* There may be many answers to polls: each replaces the one before the last. */
static struct arena *answer_arena(struct pass *p)
{
    if (p->state != STATE_FOLLOW)
        return p->arena;
    struct arena **a = &p->polls[p->polled ^= 1];
    if (*a)
        arena_reset(*a);
    else
        *a = arena_new();
    return *a;
}

static void take_answer(struct operator* o, uint64_t ticket, const struct arm_answer *answer)
{
    str key = str_of((const char *)&ticket, sizeof ticket);
    struct card *card = map_get(o->flying, key);

    if (!card)
        return;
    map_remove(o->flying, key);
    card->ticket = 0;
    struct arena *a = answer_arena(card->pass);
    struct arm_answer *copy = ARENA_NEW(a, struct arm_answer);
    *copy = mail_answer(a, answer);
    card->pass->answer = copy;
    advance(o, card);
}

int64_t operator_step(struct operator* o)
{
    AUTO_ARENA a = arena_new();
    const struct mail *mails;
    size_t count = mailbox_take(o->mailbox, &mails);
    int64_t due;
    str key;

    for (size_t i = 0; i < count; i++) {
        if (mails[i].ticket)
            take_answer(o, mails[i].ticket, &mails[i].answer);
        else
            take_change(o, &mails[i].key);
    }
    while (queue_poll(o->queue, a, &key, &due)) {
        struct card *card = cards_find(o->cards, key);
        if (card)
            run(o, card);
        else
            queue_done(o->queue, key);
    }
    return due;
}
