/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.c - what comparisons depend on is lost or changes, for all objects at once: statuses, the
 * comparator, the API version, the time of day, the operator.
 *
 * Exactly those are written that differ from what was set (with a memory: from what was recorded),
 * never faster than Azure's write bucket allows; the second time none are.
 */
#include "world/behaviours.h"

#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)
/* The most writes at once: less than the number of objects that differ. */
#define AT_ONCE (scenario_scale > 1 ? 200u : 20u)

static struct stage stage;

struct loss {
    bool foreign;   /* on definitions of the reference operator */
    bool remembers; /* the memory is not lost */
    void (*lose)(struct stage *s, unsigned round);
    void (*check)(struct stage *s, unsigned round); /* that it was lost; may be NULL */
};

#define ACCOUNTS "storage.azure.com/v20230101"
#define TABLES "network.azure.com/v20250301"

static void ask_range(struct stage *s, unsigned first, unsigned count, const char *path,
                      const char *below, const char *patch)
{
    struct local client = local_client(store_handler(s->w->store));

    client.type = STR("application/merge-patch+json");
    for (unsigned i = first; i < first + count; i++) {
        int status = local_askf(&client, "PATCH", patch, "/apis/%s%u%s", path, i, below);
        world_expect(s->w, status == 200, "refused: %.*s", STR_ARG(client.text));
    }
    local_end(&client);
}

static void ask_accounts(struct stage *s, const char *below, const char *patch)
{
    ask_range(s, 0, many_accounts(), ACCOUNTS "/namespaces/default/storageaccounts/many", below,
              patch);
}

static void ask_tables(struct stage *s, const char *below, const char *patch)
{
    ask_range(s, many_accounts(), many_tables(), TABLES "/namespaces/default/routetables/table",
              below, patch);
}

static void ask_each(struct stage *s, const char *below, const char *patch)
{
    ask_accounts(s, below, patch);
    ask_tables(s, below, patch);
}

static void lose_status(struct stage *s, unsigned round)
{
    (void)round;
    ask_each(s, "/status", "{\"status\":null}");
}

static void change_comparator(struct stage *s, unsigned round)
{
    (void)round;
    ask_each(s, "/status", "{\"status\":{\"operatorStatus\":{\"comparator\":0}}}");
}

#define LAST_APPLIED(version, kind)                                                                \
    "{\"metadata\":{\"annotations\":{\"" ANNOTATION_LAST_APPLIED                                   \
    "\":\"{\\\"apiVersion\\\":\\\"" version "\\\",\\\"kind\\\":\\\"" kind "\\\"}\"}}}"

/* A user applies all files in another version, and back again. */
static void upgrade(struct stage *s, unsigned round)
{
    ask_accounts(s, "",
                 round ? LAST_APPLIED(ACCOUNTS, "StorageAccount")
                       : LAST_APPLIED("storage.azure.com/v20220901", "StorageAccount"));
    ask_tables(s, "",
               round ? LAST_APPLIED(TABLES, "RouteTable")
                     : LAST_APPLIED("network.azure.com/v1api20240301", "RouteTable"));
}

static void expect_upgraded(struct stage *s, unsigned round)
{
    const struct value *status = value_get(stage_get(s, "StorageAccount", "many4"), STR("status"));
    str version = value_get_str(value_get(status, STR("operatorStatus")), STR("apiVersion"));

    world_expect(s->w, str_eq(version, round ? STR("2023-01-01") : STR("2022-09-01")),
                 "the version is %.*s", STR_ARG(version));
}

static void jump(struct stage *s, unsigned round)
{
    s->skew = (round ? -2 : 3) * 24 * WORLD_HOUR;
}

/*
 * What the reference operator leaves behind: its annotations and a condition, but nothing of ours.
 */
static void leave(struct stage *s, unsigned round)
{
    (void)round;
    ask_each(s, "",
             "{\"metadata\":{\"annotations\":{\"" ANNOTATION_KNOWN "\":null,"
             "\"" ANNOTATION_API_VERSION "\":null}}}");
}

/* Somebody changes what a third of the accounts set, and what a few of the others leave to Azure.
 */
static unsigned change(struct stage *s, bool remembers, struct map *expected)
{
    unsigned count = 0;

    for (unsigned i = 0; i < many_accounts(); i++) {
        bool set = i % 3 == 0, unset = i % 7 == 1 && !set;
        if (!set && !unset)
            continue;
        const char *name = str_z(s->w->arena, str_fmt(s->w->arena, "many%u", i));
        const char *id = many_id(s, "StorageAccount", name);
        stage_change(s, id, set ? "properties.accessTier" : "properties.minimumTlsVersion",
                     set ? "\"Cool\"" : "\"TLS1_1\"");
        if (set || remembers) {
            map_set(expected, str_lower(s->w->arena, str_c(id)), s);
            count++;
        }
    }
    return count;
}

static void expect_written(struct stage *s, size_t from, const struct map *expected)
{
    for (size_t i = from; i < s->sent.len; i++)
        world_expect(s->w, map_has(expected, str_lower(s->w->arena, s->sent.items[i].id)),
                     "%.*s was written without a reason: %.*s", STR_ARG(s->sent.items[i].id),
                     STR_ARG(s->sent.items[i].body));
    world_expect(s->w, s->sent.len - from == map_len(expected), "%zu writes, not %zu",
                 s->sent.len - from, map_len(expected));
}

static void run(struct world *w, const struct loss *loss)
{
    struct stage *s = &stage;

    many_open(s, w, &(struct stage_options){.foreign = loss->foreign, .paced = AT_ONCE}, NULL);
    for (unsigned round = 0; round < 2; round++) {
        struct map *expected = map_new(w->arena);
        size_t from = s->sent.len;
        s->leads = false; /* nothing is done meanwhile */
        unsigned count = round ? 0 : change(s, loss->remembers, expected);
        loss->lose(s, round);
        stage_run(s, WORLD_MINUTE);
        s->leads = true;
        stage_restart(s, NULL);
        stage_run(s, 2 * A_PERIOD + count * NS_PER_SEC * 20 / AT_ONCE);
        expect_written(s, from, expected);
        if (loss->check)
            loss->check(s, round);
    }
    stage_close(s);
}

void drift_forgotten(struct world *w)
{
    run(w, &(struct loss){.lose = lose_status});
}

void drift_compared_anew(struct world *w)
{
    run(w, &(struct loss){.lose = change_comparator});
}

void drift_upgraded(struct world *w)
{
    run(w, &(struct loss){.lose = upgrade, .check = expect_upgraded});
}

void drift_jumped(struct world *w)
{
    run(w, &(struct loss){.lose = jump, .remembers = true});
}

void drift_adopted(struct world *w)
{
    run(w, &(struct loss){.lose = leave, .foreign = true});
}
