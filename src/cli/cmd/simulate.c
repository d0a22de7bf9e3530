/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.c - plumb simulate: runs a simulated Azure Resource Manager on this machine until a
 * signal.
 */
#include "cli/input.h"
#include "cli/stop.h"
#include "net/server/handler_serve.h"
#include "sim/sim.h"
#include "text/yaml/yaml.h"

struct simulate_values {
    int64_t port, seed;
    str state, tenant;
    bool auth, virtual_time;
    struct str_list behaviour, faults, presets;
};

static const struct option simulate_options[] = {
    {"auth", 0, OPTION_BOOL, offsetof(struct simulate_values, auth),
     .help = "Refuse requests without a token of the tokens endpoint"},
    {"behaviour", 0, OPTION_ARRAY, offsetof(struct simulate_values, behaviour),
     .help = "Read how types behave from `FILE`, which wins over what is known",
     .complete = COMPLETE_FILES},
    {"faults", 0, OPTION_ARRAY, offsetof(struct simulate_values, faults),
     .help = "Begin with the faults of the plan `FILE`", .complete = COMPLETE_FILES},
    {"port", 0, OPTION_INT, offsetof(struct simulate_values, port), .value = "8642",
     .help = "Listen on this `PORT` of 127.0.0.1; 0 takes a free one"},
    {"preset", 0, OPTION_STRINGS, offsetof(struct simulate_values, presets),
     .help =
         "Behave as `NAMES` say: azure, hourly, quick, strict, troubled, unlimited, unregistered",
     .choices = sim_presets},
    {"seed", 0, OPTION_INT, offsetof(struct simulate_values, seed), .value = "1",
     .help = "Make ids and keys from this `NUMBER`"},
    {"state", 0, OPTION_STRING, offsetof(struct simulate_values, state),
     .help = "Keep everything but the log in the SQLite `FILE`", .complete = COMPLETE_FILES},
    {"tenant", 0, OPTION_STRING, offsetof(struct simulate_values, tenant),
     .help = "Give tokens to this tenant `ID` only"},
    {"virtual-time", 0, OPTION_BOOL, offsetof(struct simulate_values, virtual_time),
     .help = "Let time stand still until POST /_sim/time moves it"},
};

static bool configure(const struct simulate_values *v, struct sim_config *config, struct err *e)
{
    *config = sim_defaults();
    if (v->port < 0 || v->port > 65535)
        return err_set(e, ERR_USAGE, "--port must be from 0 to 65535");
    config->seed = (uint64_t)v->seed;
    config->state = v->state;
    config->tenant = v->tenant;
    config->auth = v->auth;
    config->virtual_time = v->virtual_time;
    for (size_t i = 0; i < v->presets.len; i++)
        if (!sim_preset(config, v->presets.items[i], e))
            return false;
    return true;
}

typedef bool add_fn(struct sim *s, const struct source *src, struct err *e);

static bool add_files(struct call *c, struct sim *s, const struct str_list *files, add_fn *add,
                      struct err *e)
{
    for (size_t i = 0; i < files->len; i++) {
        struct source src = {.file = files->items[i]};
        if (!file_read(c->arena, input_path(src.file), &src.text, e) || !add(s, &src, e))
            return false;
    }
    return true;
}

static bool serve(struct call *c, struct sim *s, uint16_t port, struct err *e)
{
    struct server_config config = {.handle = handler_serve,
                                   .ctx = (void *)sim_handler(s),
                                   .port = port,
                                   .body_max = SIM_BODY_MAX};
    struct server *server;

    if (!server_start(&config, &server, e))
        return false;
    stop_on_signals();
    output_fmt(c->out, "The simulated ARM listens on %.*s\n", STR_ARG(server_url(server)));
    bool announced = output_finish(c->out, e);
    if (announced)
        stop_wait();
    server_stop(server, NS_PER_SEC);
    return announced;
}

static bool cmd_simulate(struct call *c, struct err *e)
{
    const struct simulate_values *v = c->values;
    struct sim_config config;
    struct sim *s;

    if (!configure(v, &config, e) || !sim_new(&config, &s, e))
        return false;
    bool ok = add_files(c, s, &v->behaviour, sim_add_types, e) &&
              add_files(c, s, &v->faults, sim_add_faults, e) && serve(c, s, (uint16_t)v->port, e);
    sim_free(s);
    return ok;
}

const struct command command_simulate = {
    .name = "simulate",
    .args = "",
    .brief = "Run a simulated Azure Resource Manager on this machine",
    .help = "Listens on 127.0.0.1 and answers as Azure Resource Manager does: any type of\n"
            "resource, groups and parents that must exist, operations that take time, limits\n"
            "on the number of requests, and the habits of each type. Resources are in memory\n"
            "unless --state names a file. A signal (Ctrl-C) ends it.\n"
            "\n"
            "Below /_sim/ it tells about itself (log, assert, resources), makes trouble on\n"
            "demand (faults), moves its time (time) and begins anew (reset); GET /_sim/ lists\n"
            "all of it. docs/simulator.md has a walk.\n",
    .examples = "  plumb simulate\n"
                "  plumb simulate --port 0 --virtual-time --faults plan.yaml\n"
                "  plumb simulate --tenant contoso --auth --preset hourly,unregistered\n",
    .options = simulate_options,
    .option_count = COUNT(simulate_options),
    .values_size = sizeof(struct simulate_values),
    .args_min = 0,
    .args_max = 0,
    .run = cmd_simulate,
};
