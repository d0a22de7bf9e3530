/* SPDX-License-Identifier: Apache-2.0 */
/*
 * providers.c - registration of resource providers with a subscription. Usually all are registered;
 * with the preset unregistered each must be registered first, which takes a few reads.
 */
#include "sim/internal.h"

#include <string.h>

/* Reads that still say "Registering". */
#define READS 2
#define PROVIDERS_MAX 100000

struct provider {
    struct table_node node; /* subscription/provider in lower case */
    bool registered;
    int reads;
};

static struct provider *provider_of(struct sim *s, str key, bool make)
{
    return (struct provider *)(make ? sim_node(s->providers, key, sizeof(struct provider),
                                               PROVIDERS_MAX)
                                    : table_find(s->providers, key));
}

static struct provider *find_provider(struct sim_call *c, str name, bool make)
{
    str key = str_lower(c->arena,
                        str_fmt(c->arena, "%.*s/%.*s", STR_ARG(c->id.subscription), STR_ARG(name)));

    return provider_of(c->sim, key, make);
}

bool sim_take_provider(struct sim *s, str key, const struct value *v)
{
    struct provider *p = provider_of(s, key, true);
    int64_t registered, reads;

    if (!p || !value_to_i64(value_get(v, STR("registered")), &registered) ||
        !value_to_i64(value_get(v, STR("reads")), &reads) || reads < 0 || reads > READS)
        return false;
    p->registered = registered != 0;
    p->reads = (int)reads;
    return true;
}

static bool is_builtin(str name)
{
    return str_eq_fold(name, STR("Microsoft.Resources")) ||
           str_eq_fold(name, STR("Microsoft.Authorization"));
}

static const char *state_of(struct sim_call *c, str name)
{
    struct provider *p = find_provider(c, name, false);

    if (!p)
        return c->sim->config.unregistered && !is_builtin(name) ? "NotRegistered" : "Registered";
    if (!p->registered)
        return "NotRegistered";
    return p->reads > 0 ? "Registering" : "Registered";
}

bool sim_provider_ready(struct sim_call *c)
{
    str name = c->id.block_count ? c->id.blocks[c->id.block_count - 1].provider : STR_NONE;

    if (!name.len || !c->id.subscription.len || strcmp(state_of(c, name), "Registered") == 0)
        return true;
    sim_refuse(c, 409, "MissingSubscriptionRegistration",
               "The subscription is not registered to use namespace '%.*s'. See "
               "https://aka.ms/rps-not-found for how to register subscriptions.",
               STR_ARG(name));
    return false;
}

static void reply_provider(struct sim_call *c, str name)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a);

    value_set_str(a, v, STR("id"),
                  str_fmt(a, "/subscriptions/%.*s/providers/%.*s", STR_ARG(c->id.subscription),
                          STR_ARG(name)));
    value_set_str(a, v, STR("namespace"), name);
    value_set_str(a, v, STR("registrationPolicy"), STR("RegistrationRequired"));
    value_set_str(a, v, STR("registrationState"), str_c(state_of(c, name)));
    sim_reply(c, 200, v);
}

/* Takes the next segment of a path. */
static str next_part(str *path)
{
    str part;

    str_cut(*path, STR("/"), &part, path);
    return part;
}

/* /subscriptions/S/providers/NS, and POST .../register and .../unregister. */
bool sim_provider(struct sim_call *c)
{
    str action = str_trim_set(c->q->path, STR("/"));
    str word = next_part(&action), subscription = next_part(&action);
    str providers = next_part(&action), name = next_part(&action);
    bool get = str_eq(c->q->method, STR("GET")) && !action.len;
    bool on = str_eq_fold(action, STR("register")), off = str_eq_fold(action, STR("unregister"));

    if (!str_eq_fold(word, STR("subscriptions")) || !str_eq_fold(providers, STR("providers")) ||
        !name.len || !(get || (str_eq(c->q->method, STR("POST")) && (on || off))))
        return false;
    c->id.subscription = subscription;
    struct provider *p = find_provider(c, name, !get);
    if (p && !get) {
        p->reads = on && !p->registered ? READS : p->reads;
        p->registered = on;
    }
    reply_provider(c, name);
    if (p && get && p->reads > 0)
        p->reads--;
    if (p)
        sim_database_fact(
            c->sim->database, "provider", p->node.key,
            str_fmt(c->arena, "{\"registered\":%d,\"reads\":%d}", p->registered, p->reads));
    return true;
}
