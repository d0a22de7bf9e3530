/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - plumb serve: runs the embedded Kubernetes API until a signal. */
#include "cli/commands.h"
#include "cli/operating.h"
#include "cli/options/kinds.h"
#include "cli/stop.h"
#include "net/server/handler_serve.h"
#include "operator/schedule.h"
#include "sim/sim.h"
#include "store/serve.h"

/* The subscription of a simulated Azure. */
#define SUBSCRIPTION "00000000-0000-0000-0000-000000000000"

struct serve_values {
    str data, listen, period;
    int64_t port, azure_port, confirm;
    bool operate, simulate;
    struct str_list kinds, presets;
};

static const struct option serve_options[] = {
    {"azure-port", 0, OPTION_INT, offsetof(struct serve_values, azure_port), .value = "8642",
     .help = "simulate: the simulated Azure listens on this `PORT` of 127.0.0.1; 0: a free one"},
    {"confirm-deletes", 0, OPTION_INT, offsetof(struct serve_values, confirm), .value = "0",
     .help = "operate: ask for confirmation when more than `N` objects would be deleted within ten "
             "minutes"},
    {"crd-pattern", 0, OPTION_STRINGS, offsetof(struct serve_values, kinds), .value = "*",
     .help = "operate: install the definitions of kinds that fit one of the `PATTERNS`"},
    {"data", 0, OPTION_STRING, offsetof(struct serve_values, data),
     .help = "Keep everything in this `FOLDER`, which is made when it is missing",
     .complete = COMPLETE_FOLDERS},
    {"listen", 0, OPTION_STRING, offsetof(struct serve_values, listen), .value = "127.0.0.1",
     .help = "Listen on this IP `ADDRESS`; 0.0.0.0 and :: are all of the machine"},
    {"operate", 0, OPTION_BOOL, offsetof(struct serve_values, operate),
     .help = "Keep Azure as the objects declare it, as plumb operate does"},
    {"port", 0, OPTION_INT, offsetof(struct serve_values, port), .value = "8643",
     .help = "Listen on this `PORT`; 0 takes a free one"},
    {"preset", 0, OPTION_STRINGS, offsetof(struct serve_values, presets), .value = "quick",
     .help = "simulate: behave as `NAMES` say, as for plumb simulate", .choices = sim_presets},
    {"simulate", 0, OPTION_BOOL, offsetof(struct serve_values, simulate),
     .help = "operate: use a simulated Azure in this process instead of the real one"},
    {"sync-period", 0, OPTION_STRING, offsetof(struct serve_values, period),
     .help = "operate: check each object every `DURATION` (15m), or never"},
};

static bool configure(const struct serve_values *v, struct store_serve_config *config,
                      struct err *e)
{
    *config = store_serve_defaults();
    if (!v->data.len)
        return err_set(e, ERR_USAGE, "--data is missing: the folder that keeps the objects");
    if (v->port < 0 || v->port > 65535)
        return err_set(e, ERR_USAGE, "--port must be from 0 to 65535");
    if (v->azure_port < 0 || v->azure_port > 65535)
        return err_set(e, ERR_USAGE, "--azure-port must be from 0 to 65535");
    if (v->confirm < 0 || v->confirm > UINT32_MAX)
        return err_set(e, ERR_USAGE, "--confirm-deletes must be 0 or more");
    if (v->simulate && !v->operate)
        return err_set(e, ERR_USAGE, "--simulate needs --operate");
    config->data = v->data;
    config->address = v->listen;
    config->port = (uint16_t)v->port;
    return true;
}

static bool announce(struct call *c, const struct store_served *served, struct err *e)
{
    output_fmt(c->out, "The Kubernetes API listens on %.*s\n", STR_ARG(store_served_url(served)));
    output_fmt(c->out, "export KUBECONFIG=%.*s\n", STR_ARG(store_served_kubeconfig(served)));
    return output_finish(c->out, e);
}

/* ---- The simulated Azure. -------------------------------------------------------------------- */

struct simulated {
    struct sim *sim;
    struct server *server;
};

static bool simulate(struct call *c, struct simulated *out, struct err *e)
{
    const struct serve_values *v = c->values;
    struct sim_config config = sim_defaults();

    for (size_t i = 0; i < v->presets.len; i++)
        if (!sim_preset(&config, v->presets.items[i], e))
            return false;
    /* Its resources live as long as the objects that declare them. */
    config.state = str_fmt(c->arena, "%.*s/azure.db", STR_ARG(v->data));
    if (!sim_new(&config, &out->sim, e))
        return false;
    const struct server_config server = {.handle = handler_serve,
                                         .ctx = (void *)sim_handler(out->sim),
                                         .port = (uint16_t)v->azure_port,
                                         .body_max = SIM_BODY_MAX};
    if (!server_start(&server, &out->server, e))
        return false;
    output_fmt(c->out, "The simulated Azure listens on %.*s\n", STR_ARG(server_url(out->server)));
    return true;
}

static void simulate_end(struct simulated *s)
{
    if (s->server)
        server_stop(s->server, 0);
    if (s->sim)
        sim_free(s->sim);
}

/* ---- The operator. --------------------------------------------------------------------------- */

static bool settle(struct call *c, struct arena *a, const struct simulated *s, struct operating *o,
                   struct err *e)
{
    const struct serve_values *v = c->values;

    if (!operating_settings(a, o->transport, STR_NONE, STR_NONE, &o->settings, e))
        return false;
    if (v->period.len && !schedule_parse(v->period, &o->settings.period, e))
        return err_wrap(e, "--sync-period");
    if (s->server) {
        o->settings.credential = operating_simulated(a, server_url(s->server), STR(SUBSCRIPTION));
        o->settings.has_credential = true;
        o->settings.cloud = o->settings.credential.cloud;
    }
    if (!o->settings.namespace.len)
        o->settings.namespace = STR("default");
    return true;
}

/* Runs until a signal. The store has only one process, so no lease is needed. */
static bool operate(struct call *c, struct arena *a, const struct simulated *s, struct operating *o,
                    struct err *e)
{
    const struct serve_values *v = c->values;
    struct kind_names kinds;

    if (!settle(c, a, s, o, e) || !model_open(c->arena, STR_NONE, &o->config.operator.model, e))
        return false;
    bool ok = kind_names_select(c->arena, o->config.operator.model, &v->kinds, &kinds, e);
    if (ok) {
        o->config.identity = STR("plumb-serve");
        o->config.operator.confirm_deletes =(unsigned) v->confirm;
        o->config.install = kinds.items;
        o->config.install_count = kinds.len;
        ok = operating_start(o, e);
    }
    if (ok) {
        stop_wait();
        operating_stop(o);
    }
    model_close(o->config.operator.model);
    return ok;
}

/* The store and the simulated Azure are called in this process, without a socket. */
static bool connect_and_operate(struct call *c, const struct store_served *served,
                                const struct simulated *s, struct err *e)
{
    struct kube_config cluster = {
        .server = STR("http://store"), .namespace = STR("default"), .http = http_defaults()};
    struct http_config azure = http_defaults();
    AUTO_ARENA secrets = arena_new_secret();
    struct operating o = {0};

    cluster.http.local = store_handler(store_served_store(served));
    if (s->sim) {
        azure.local = sim_handler(s->sim);
        o.config.http = &azure;
    }
    if (!kube_transport_new(&cluster, STR("plumb-operator/" PLUMB_VERSION), &o.transport, e))
        return false;
    bool ok = operate(c, secrets, s, &o, e);
    kube_transport_free(o.transport);
    return ok;
}

static bool run(struct call *c, const struct store_served *served, struct err *e)
{
    const struct serve_values *v = c->values;
    struct simulated s = {0};
    bool ok = (!v->simulate || simulate(c, &s, e)) && announce(c, served, e);

    if (ok && v->operate)
        ok = connect_and_operate(c, served, &s, e);
    else if (ok)
        stop_wait();
    simulate_end(&s);
    return ok;
}

static bool cmd_serve(struct call *c, struct err *e)
{
    struct store_serve_config config;
    struct store_served *served;

    if (!configure(c->values, &config, e))
        return false;
    stop_on_signals();
    if (!store_serve(&config, &served, e))
        return false;
    bool ok = run(c, served, e);
    store_serve_end(served, NS_PER_SEC);
    return ok;
}

const struct command command_serve = {
    .name = "serve",
    .args = "",
    .brief = "Serve the Kubernetes API from one folder on this machine",
    .help = "Listens on 127.0.0.1 with HTTPS and answers as a Kubernetes API server does for\n"
            "namespaces, secrets, configmaps, events, leases, customresourcedefinitions and\n"
            "every custom resource: with watches, finalizers, garbage collection and schemas,\n"
            "but without pods. Everything is in the folder that --data names; a write is\n"
            "answered when it is on disk. A signal (Ctrl-C) ends it.\n"
            "\n"
            "FOLDER/kubeconfig is written at every start and works with kubectl. Who can read\n"
            "it may do everything, so other addresses than loopback must be asked for with\n"
            "--listen. docs/serve.md has a walk of five minutes.\n"
            "\n"
            "With --operate the operator runs in the same process, with the credential of the\n"
            "environment, and with --simulate against a simulated Azure, whose resources are\n"
            "kept in FOLDER, too: everything that plumb operate does, on one machine and for\n"
            "free. docs/operate.md has a walk.\n",
    .examples = "  plumb serve --data ~/plumb\n"
                "  KUBECONFIG=~/plumb/kubeconfig kubectl get namespaces\n"
                "  plumb serve --data ~/plumb --operate --simulate\n"
                "  plumb serve --data /var/lib/plumb --listen 10.0.0.5 --port 6443\n",
    .options = serve_options,
    .option_count = COUNT(serve_options),
    .values_size = sizeof(struct serve_values),
    .args_min = 0,
    .args_max = 0,
    .run = cmd_serve,
};
