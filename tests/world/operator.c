/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator.c - the life of three resources, with and without faults: they are created in the order
 * of their owners, a change behind their back is corrected, and everything is deleted with the
 * group.
 */
#include "world/scenarios.h"
#include "world/stage.h"

#include "operator/ext.h"
#include "value/source.h"

static const struct {
    const char *kind, *name, *text, *id, *version;
} things[] = {
    {"ResourceGroup", "rg",
     "{'apiVersion':'resources.azure.com/v1api20200601','kind':'ResourceGroup','metadata':{'name':"
     "'rg'},'spec':{'location':'westus2'}}",
     STAGE_GROUP, "2020-06-01"},
    {"StorageAccount", "plumbstore",
     "{'apiVersion':'storage.azure.com/v20230101','kind':'StorageAccount','metadata':{'name':"
     "'plumbstore'},'spec':{'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},"
     "'owner':{'name':'rg'},'accessTier':'Hot'}}",
     STAGE_GROUP "/providers/Microsoft.Storage/storageAccounts/plumbstore", "2023-01-01"},
    {"VirtualNetwork", "vnet",
     "{'apiVersion':'network.azure.com/v20250301','kind':'VirtualNetwork','metadata':{'name':'vnet'"
     "},'spec':{'location':'westus2','owner':{'name':'rg'},'addressSpace':{'addressPrefixes':["
     "'10.0.0.0/8']}}}",
     STAGE_GROUP "/providers/Microsoft.Network/virtualNetworks/vnet", "2025-03-01"},
};

static void expect_all_ready(struct stage *s)
{
    for (size_t i = 0; i < COUNT(things); i++)
        stage_expect_ready(s, things[i].kind, things[i].name);
}

static void apply_all(struct stage *s)
{
    size_t first = world_below(s->w, COUNT(things)), by = 1 + world_below(s->w, 2);

    for (size_t i = 0; i < COUNT(things); i++) {
        stage_apply_text(s, things[(first + i * by) % COUNT(things)].text);
        stage_run(s, (int64_t)world_below(s->w, 20) * NS_PER_SEC);
    }
}

/* Somebody changes the storage account in the portal. */
static void drift(struct stage *s)
{
    struct sim_response r = stage_azure(s, "PATCH", str_c(things[1].id), str_c(things[1].version),
                                        STR("{\"properties\":{\"accessTier\":\"Cool\"}}"));
    world_expect(s->w, r.status < 300, "the change was refused: %.*s", STR_ARG(r.body));
    stage_run(s, STAGE_PERIOD + STAGE_PERIOD / 4 + 2 * WORLD_MINUTE);
    const struct value *body = stage_body(s, things[1].id, things[1].version);
    world_expect(
        s->w,
        str_eq(value_get_str(value_get(body, STR("properties")), STR("accessTier")), STR("Hot")),
        "the change was not corrected");
}

static void expect_puts(struct stage *s, unsigned group, unsigned account, unsigned network)
{
    const unsigned want[] = {group, account, network};

    for (size_t i = 0; i < COUNT(things); i++)
        world_expect(s->w, stage_puts(s, str_c(things[i].id)) == want[i], "%u PUTs of %s, not %u",
                     stage_puts(s, str_c(things[i].id)), things[i].name, want[i]);
}

static void delete_group(struct stage *s)
{
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 60 * WORLD_MINUTE);
    for (size_t i = 0; i < COUNT(things); i++) {
        world_expect(s->w, !stage_is_in_azure(s, things[i].id), "%s is left in Azure",
                     things[i].name);
        world_expect(s->w, !stage_get(s, things[i].kind, things[i].name),
                     "%s is left in the store: %.*s", things[i].name, STR_ARG(s->w->client.text));
    }
}

static void tell_story(struct world *w, const struct stage_faults *faults)
{
    static const struct stage_faults none;
    static struct stage s;
    bool calm = !memcmp(faults, &none, sizeof none);

    stage_open(&s, w, &(struct stage_options){.faults = *faults});
    apply_all(&s);
    stage_run(&s, (calm ? 10 : 120) * WORLD_MINUTE);
    stage_calm(&s);
    stage_run(&s, calm ? 0 : 30 * WORLD_MINUTE);
    expect_all_ready(&s);
    world_expect(w, s.order.len && str_eq_fold(s.order.items[0], STR(STAGE_GROUP)),
                 "the group was not the first");
    if (calm) {
        expect_puts(&s, 1, 1, 1);
        unsigned writes = s.status_writes;
        stage_run(&s, 3 * STAGE_PERIOD);
        world_expect(w, s.status_writes == writes, "%u statuses were written that did not differ",
                     s.status_writes - writes);
        expect_puts(&s, 1, 1, 1);
    }
    stage_check_end(&s);
    drift(&s);
    expect_all_ready(&s);
    if (calm)
        expect_puts(&s, 1, 2, 1);
    s.calm = calm;
    delete_group(&s);
    world_expect(w, operator_stats(s.operator).objects == 0, "the operator remembers something");
    stage_close(&s);
}

void operator_story(struct world *w)
{
    tell_story(w, &(struct stage_faults){0});
}

/* ---- Law 8. ---------------------------------------------------------------------------------- */

static struct decision next_only(const struct ext_input *in, struct decision next)
{
    (void)in;
    return next;
}

static struct error_verdict next_verdict(const struct ext_input *in,
                                         const struct cloud_error *error, struct error_verdict next)
{
    (void)in;
    (void)error;
    return next;
}

static struct ext_exports next_exports(const struct ext_input *in, struct ext_exports next)
{
    (void)in;
    return next;
}

/* The hook for the owner is not among them, as it costs a read of the owner. */
#define NEXT_ONLY(name)                                                                            \
    {                                                                                              \
        .kind = name, .claim = next_only, .payload = next_only, .check = next_only,                \
        .classify = next_verdict, .post_check = next_only, .secrets = next_exports,                \
        .configs = next_exports, .success = next_only, .delete = next_only                         \
    }

static const struct azure_ext group_hooks = NEXT_ONLY("resources.azure.com/ResourceGroup");
static const struct azure_ext account_hooks = NEXT_ONLY("storage.azure.com/StorageAccount");
static const struct azure_ext network_hooks = NEXT_ONLY("network.azure.com/VirtualNetwork");
static const struct azure_ext *const hooks_next[] = {&group_hooks, &network_hooks, &account_hooks,
                                                     NULL};

static uint64_t trace_with(struct world *w, const struct operator_config *config)
{
    static struct stage s;

    stage_open(&s, w, &(struct stage_options){.config = *config});
    apply_all(&s);
    stage_run(&s, 20 * WORLD_MINUTE);
    expect_all_ready(&s);
    delete_group(&s);
    stage_close(&s);
    return s.trace;
}

/* A hook that only returns next, an empty rule file and no file behave the same. */
void operator_hooks(struct world *w)
{
    static const struct source empty = {
        .text = STR_INIT("{\"rules\":\"kind\",\"kind\":\"resources.azure.com/ResourceGroup\"}")};
    static const struct source *const files[] = {&empty};
    static struct arena *rules_arena;
    struct kind_set *rules;
    AUTO_ERR e = {0};

    if (!rules_arena)
        rules_arena = arena_new();
    world_expect(w, kind_set_overlay(rules_arena, files, 1, &rules, &e), "%.*s", STR_ARG(e.text));
    /* The first run of a process also includes one-time work, such as the seed of hashes. */
    (void)trace_with(w, &(struct operator_config){0});
    world_again(w);
    uint64_t plain = trace_with(w, &(struct operator_config){0});
    world_again(w);
    uint64_t next = trace_with(w, &(struct operator_config){.hooks = hooks_next});
    world_again(w);
    uint64_t ruled = trace_with(w, &(struct operator_config){.rules = rules});
    world_expect(w, plain == next, "law 8: hooks that return next change the requests");
    world_expect(w, plain == ruled, "law 8: an empty file of rules changes the requests");
}

void operator_crashes(struct world *w)
{
    tell_story(w, &(struct stage_faults){.crashes = 1 + (unsigned)world_below(w, 5)});
}

void operator_faults(struct world *w)
{
    tell_story(w, &(struct stage_faults){.lost_request = 3,
                                         .lost_answer = 3,
                                         .twice = 5,
                                         .late = 10,
                                         .missed = 2,
                                         .refused = 10,
                                         .crashes = (unsigned)world_below(w, 5),
                                         .leases = (unsigned)world_below(w, 3),
                                         .takeovers = (unsigned)world_below(w, 4),
                                         .held = 3,
                                         .jumps = (unsigned)world_below(w, 3),
                                         .throttled = (unsigned)world_below(w, 3)});
}
