/* SPDX-License-Identifier: Apache-2.0 */
/* operate.c - plumb operate: keeps Azure in the state that a cluster's custom resources declare. */
#include "cli/commands.h"
#include "cli/operating.h"
#include "cli/options/kinds.h"
#include "cli/options/kube.h"
#include "cli/stop.h"
#include "arm/rules/kind.h"
#include "net/redact.h"
#include "operator/schedule.h"

struct operate_values {
    struct kube_values kube;
    struct str_list scopes, kinds, target;
    str health, keep, metrics, lease_name, lease_namespace, namespace, period, policy, rules,
        settings;
    int64_t confirm, patience;
    bool no_lease, observe, take_over;
};

static const char *const policies[] = {"manage", "skip", "detach-on-delete", NULL};

static const struct option operate_options[] = {
    {"allow-scope", 0, OPTION_ARRAY, offsetof(struct operate_values, scopes),
     .help = "Read and write nothing in Azure outside of this `ID`; may be given more than once"},
    {"confirm-deletes", 0, OPTION_INT, offsetof(struct operate_values, confirm), .value = "0",
     .help = "Ask for confirmation when more than `N` objects would be deleted within ten minutes"},
    {"crd-pattern", 0, OPTION_STRINGS, offsetof(struct operate_values, kinds),
     .help = "Install the definitions of kinds that fit one of the `PATTERNS`: network*/*"},
    {"default-policy", 0, OPTION_STRING, offsetof(struct operate_values, policy),
     .help = "The `POLICY` of objects whose annotations name none", .choices = policies},
    {"health-addr", 0, OPTION_STRING, offsetof(struct operate_values, health), .value = "0",
     .help = "Answer /healthz, /readyz and /metrics on `ADDRESS`: HOST:PORT, :PORT; 0: do not"},
    {"keep-decisions", 0, OPTION_STRING, offsetof(struct operate_values, keep),
     .help = "Append what each decision was made from to `FILE`, for plumb replay",
     .complete = COMPLETE_FILES},
    {"lease-name", 0, OPTION_STRING, offsetof(struct operate_values, lease_name),
     .value = SETTINGS_LEASE, .help = "Lead by the Lease `NAME`"},
    {"lease-namespace", 0, OPTION_STRING, offsetof(struct operate_values, lease_namespace),
     .help = "in this `NAMESPACE` instead of the operator's own"},
    {"metrics-addr", 0, OPTION_STRING, offsetof(struct operate_values, metrics), .value = "0",
     .help = "Answer /metrics on `ADDRESS`, too"},
    {"no-lease", 0, OPTION_BOOL, offsetof(struct operate_values, no_lease),
     .help = "Operate without a Lease: nobody else may"},
    {"observe", 0, OPTION_BOOL, offsetof(struct operate_values, observe),
     .help = "Write nothing, neither to objects nor to Azure, and log what would be"},
    {"operator-namespace", 0, OPTION_STRING, offsetof(struct operate_values, namespace),
     .help = "Be the operator of this `NAMESPACE`; POD_NAMESPACE and " OPERATING_NAMESPACE
             " otherwise"},
    {"reference-patience", 0, OPTION_DURATION, offsetof(struct operate_values, patience),
     .value = "10m0s", .help = "Send references to what is not ready after this `DURATION`"},
    {"rules", 0, OPTION_STRING, offsetof(struct operate_values, rules),
     .help = "Lay the rules of kinds in this `FOLDER`, or in configmap/NAME, over the "
             "built-in ones"},
    {"settings-secret", 0, OPTION_STRING, offsetof(struct operate_values, settings),
     .value = SETTINGS_SECRET,
     .help = "Read settings that the environment lacks from the Secret `NAME`",
     .may_be_empty = true},
    {"sync-period", 0, OPTION_STRING, offsetof(struct operate_values, period),
     .help = "Check each object every `DURATION` (15m), or never"},
    {"take-over", 0, OPTION_BOOL, offsetof(struct operate_values, take_over),
     .help = "Operate objects of another operator's namespace, too"},
    {"target-namespaces", 0, OPTION_STRINGS, offsetof(struct operate_values, target),
     .help = "Only objects in these `NAMESPACES`"},
};

/* Options take precedence over settings. */
static bool take_options(const struct operate_values *v, struct operating *o, str namespace,
                         struct err *e)
{
    o->settings.namespace = namespace;
    if (v->target.len)
        o->settings.target = v->target;
    if (v->period.len && !schedule_parse(v->period, &o->settings.period, e))
        return err_wrap(e, "--sync-period");
    if (v->policy.len && !settings_policy(v->policy, &o->settings.policy, e))
        return err_wrap(e, "--default-policy");
    if (v->confirm < 0 || v->confirm > UINT32_MAX)
        return err_set(e, ERR_USAGE, "--confirm-deletes must be 0 or more");
    o->health = v->health;
    o->metrics = v->metrics;
    o->config.observe = v->observe;
    o->config.keep = v->keep;
    o->config.operator.take_over = v->take_over;
    o->config.operator.confirm_deletes =(unsigned) v->confirm;
    o->config.operator.patience = v->patience;
    o->config.operator.scopes = v->scopes.items;
    o->config.operator.scope_count = v->scopes.len;
    if (v->no_lease || v->observe)
        return true;
    o->config.lease_name = v->lease_name;
    o->config.lease_namespace = v->lease_namespace.len ? v->lease_namespace : namespace;
    return true;
}

static bool choose_kinds(struct call *c, struct operating *o, str namespace, struct err *e)
{
    const struct operate_values *v = c->values;
    struct kind_names kinds = {0};

    if (v->rules.len &&
        !operating_rules(c->arena, o->transport, namespace, v->rules, &o->config, e))
        return err_wrap(e, "--rules");
    if (v->kinds.len &&
        !kind_names_select(c->arena, o->config.operator.model, &v->kinds, &kinds, e))
        return err_wrap(e, "--crd-pattern");
    o->config.install = kinds.items;
    o->config.install_count = kinds.len;
    return true;
}

static bool announce(struct call *c, const struct operating *o, const struct kube_config *cluster,
                     struct err *e)
{
    const struct settings *s = &o->settings;
    str server = redact_place(c->arena, cluster->server);

    output_fmt(c->out, "plumb %s the objects of %.*s\n",
               o->config.observe ? "observes" : "operates", STR_ARG(server));
    if (s->has_credential)
        output_fmt(c->out, "in subscription %.*s of %.*s\n", STR_ARG(s->credential.subscription),
                   STR_ARG(s->cloud.endpoint));
    else
        output_add(c->out, STR("without a credential of its own: objects need theirs\n"));
    return output_finish(c->out, e);
}

static bool operate(struct call *c, struct arena *a, const struct kube_config *cluster,
                    struct operating *o, struct err *e)
{
    const struct operate_values *v = c->values;
    str namespace = operating_namespace(v->namespace, cluster);

    if (!operating_settings(a, o->transport, namespace, v->settings, &o->settings, e) ||
        !take_options(v, o, namespace, e) ||
        !model_open(c->arena, STR_NONE, &o->config.operator.model, e))
        return false;
    o->config.identity = operating_identity(c->arena);
    bool ok = choose_kinds(c, o, namespace, e) && announce(c, o, cluster, e) &&
              operating_start(o, e);
    if (ok) {
        stop_wait();
        operating_stop(o);
    }
    model_close(o->config.operator.model);
    return ok;
}

static bool cmd_operate(struct call *c, struct err *e)
{
    const struct operate_values *v = c->values;
    struct kube_flags flags = kube_values_flags(c->options, &v->kube);
    AUTO_ARENA secrets = arena_new_secret();
    struct operating o = {0};
    struct kube_config *cluster;

    stop_on_signals();
    if (!kube_config_load(secrets, &flags, &cluster, e) ||
        !kube_transport_new(cluster, STR("plumb-operator/" PLUMB_VERSION), &o.transport, e))
        return false;
    bool ok = operate(c, secrets, cluster, &o, e);
    kube_transport_free(o.transport);
    return ok;
}

const struct command command_operate = {
    .name = "operate",
    .args = "",
    .brief = "Keep Azure as the custom resources of a cluster declare it",
    .help = "Takes the custom resources of Azure Service Operator v2 from a cluster, creates what\n"
            "they declare in Azure, corrects what was changed there, deletes what was deleted,\n"
            "and reports in each object's condition Ready what it waits for. A signal (Ctrl-C)\n"
            "ends it; what is under way goes on in Azure and is taken up by the next start.\n"
            "\n"
            "Settings and credentials are those of the reference operator: environment variables\n"
            "(AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET, ...),\n"
            "the Secret aso-controller-settings, and per namespace or object the Secrets\n"
            "aso-credential and those of the annotation credential-from. The lease is the\n"
            "reference operator's, too, so that only one of the two operates at a time.\n"
            "\n"
            "Kinds are taken up as their definitions come and go. docs/operate.md has a walk.\n",
    .examples = "  plumb operate --observe\n"
                "  plumb operate --crd-pattern 'resources*/*,network*/*' --health-addr :8081\n"
                "  plumb operate --allow-scope /subscriptions/S/resourceGroups/test\n",
    .options = operate_options,
    .option_count = COUNT(operate_options),
    .values_size = sizeof(struct operate_values),
    .connects = true,
    .kube_offset = offsetof(struct operate_values, kube),
    .args_min = 0,
    .args_max = 0,
    .run = cmd_operate,
};
