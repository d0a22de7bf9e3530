/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifests.c - plumb manifests: what a cluster needs to run plumb.
 *
 * The objects are a template (manifests.yaml), rendered with names and access rules. The rules are
 * made here, from the chosen kinds and their exports. tests/golden/manifests/rights runs the
 * operator with exactly these rights, and checks that each of them is used.
 */
#include "cli/input.h"
#include "cli/options/kinds.h"
#include "base/embed.h"
#include "base/file.h"
#include "base/quote.h"
#include "compare/compare.h"
#include "tmpl/tmpl.h"
#include "value/value.h"

EMBED(manifests_yaml, "src/cli/cmd/manifests.yaml");

/* The most lines of a settings file. */
#define SETTINGS_LINES_MAX 1000
#define SETTINGS_FILE_MAX (1 * MIB)

struct manifests_values {
    struct str_list kinds;
    str at, env, image, name, namespace;
    int64_t port;
};

static const struct option manifests_options[] = {
    {"at", 0, OPTION_STRING, offsetof(struct manifests_values, at),
     .help = "watch: the `ADDRESS` where pods find the reference, a URL or an image, when it is "
             "not REFERENCE itself"},
    {"from-env", 0, OPTION_STRING, offsetof(struct manifests_values, env),
     .help = "operate: fill in the settings from this `FILE` of lines NAME=VALUE",
     .complete = COMPLETE_FILES},
    {"image", 0, OPTION_STRING, offsetof(struct manifests_values, image),
     .value = "plumb:" PLUMB_VERSION, .help = "Run this container `IMAGE`"},
    {"kinds", 0, OPTION_STRINGS, offsetof(struct manifests_values, kinds),
     .help = "operate: only kinds that fit one of the `PATTERNS`: network*/*, Virtual*"},
    {"name", 0, OPTION_STRING, offsetof(struct manifests_values, name), .value = "plumb",
     .help = "Give the objects this `NAME`"},
    {"namespace", 'n', OPTION_STRING, offsetof(struct manifests_values, namespace),
     .value = "plumb-system", .help = "Run in this `NAMESPACE`"},
    {"port", 0, OPTION_INT, offsetof(struct manifests_values, port), .value = "8081",
     .help = "Answer probes and metrics on this `PORT`"},
};

/* ---- Rules. ---- */

static struct value *texts(struct arena *a, const char *const *items)
{
    struct value *list = value_list(a);

    for (size_t i = 0; items[i]; i++)
        value_add(a, list, value_string(a, str_c(items[i])));
    return list;
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Adds a rule for the resources of a group; returns the list of resources, to be added to. */
static struct value *add_rule(struct arena *a, struct value *rules, str group,
                              const char *const *resources, const char *const *verbs)
{
    struct value *rule = value_add(a, rules, value_object(a)), *out;

    value_add(a, value_set(a, rule, STR("apiGroups"), value_list(a)), value_string(a, group));
    out = value_set(a, rule, STR("resources"), texts(a, resources));
    value_set(a, rule, STR("verbs"), texts(a, verbs));
    return out;
}

/* What the kinds can export. */
struct exports {
    bool secrets, config_maps;
};

static void note_exports(const struct model_resource *r, struct exports *x)
{
    for (size_t i = 0; i < r->spec->prop_count; i++) {
        const struct model_prop *p = &r->spec->props[i];
        const struct model_type *t = p->role == ROLE_OPERATOR_SPEC ? p->shape->object : NULL;
        for (size_t k = 0; t && k < t->prop_count; k++) {
            x->secrets |= str_has_prefix(t->props[k].name, STR("secret"));
            x->config_maps |= str_has_prefix(t->props[k].name, STR("configMap"));
        }
    }
}

/* Whether objects of the kind can own objects of other chosen kinds. */
static bool can_own(const struct kind_list *list, const struct model_resource *r)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct model_resource *other = list->items[i];
        if (other->has_owner && (!other->owner_kind.len || (str_eq(other->owner_group, r->group) &&
                                                            str_eq(other->owner_kind, r->kind))))
            return true;
    }
    return false;
}

/* Adds a resource or subresource to the rule of its group, which is created with the first. */
static void add_resource(struct arena *a, struct value *rules, struct value **resources,
                         const struct model_resource *r, const char *part, const char *const *verbs)
{
    if (!*resources)
        *resources = add_rule(a, rules, r->group, TEXTS(NULL), verbs);
    value_add(a, *resources, value_string(a, str_fmt(a, "%.*s%s", STR_ARG(r->plural), part)));
}

/*
 * Rules for the kinds themselves, up to three for each group; *kinds is how many there are. These
 * objects are never deleted, but servers with OwnerReferencesPermissionEnforcement, such as
 * OpenShift, require the right to delete an object for setting its owner, and the right to write an
 * owner's finalizers for blocking its deletion.
 */
static void add_kinds(struct arena *a, struct value *rules, const struct kind_list *list,
                      struct exports *x, size_t *kinds)
{
    struct value *objects = NULL, *status = NULL, *finalizers = NULL;
    str group = STR_NONE;

    for (size_t i = 0; i < list->len; i = kind_list_end(list, i)) {
        const struct model_resource *r = list->items[i];
        if (!str_eq(group, r->group))
            objects = status = finalizers = NULL;
        group = r->group;
        add_resource(a, rules, &objects, r, "", TEXTS("delete", "get", "list", "patch", "watch"));
        add_resource(a, rules, &status, r, "/status", TEXTS("patch"));
        if (can_own(list, r))
            add_resource(a, rules, &finalizers, r, "/finalizers", TEXTS("update"));
        for (size_t k = i; k < kind_list_end(list, i); k++)
            note_exports(list->items[k], x);
        ++*kinds;
    }
}

static void add_core(struct arena *a, struct value *rules, const struct exports *x)
{
    static const char *const reads[] = {"get", "list", "watch", NULL};
    static const char *const writes[] = {"create", "delete", "get", "list", "patch", "watch", NULL};

    add_rule(a, rules, STR("apiextensions.k8s.io"), TEXTS("customresourcedefinitions"),
             TEXTS("create", "get", "list", "update", "watch"));
    add_rule(a, rules, STR(""), TEXTS("namespaces"), TEXTS("list", "watch"));
    add_rule(a, rules, STR(""), TEXTS("secrets"), x->secrets ? writes : reads);
    add_rule(a, rules, STR(""), TEXTS("configmaps"), x->config_maps ? writes : reads);
    add_rule(a, rules, STR(""), TEXTS("events"), TEXTS("create", "patch"));
}

/*
 * Rules for what it keeps in its own namespace: the Lease, the checkpoint, the key for digests. If
 * it can write in all namespaces, it needs no more for its own.
 */
static struct value *own_rules(struct arena *a, const struct exports *x)
{
    struct value *rules = value_list(a);

    add_rule(a, rules, STR("coordination.k8s.io"), TEXTS("leases"),
             TEXTS("create", "get", "update"));
    if (!x->config_maps)
        add_rule(a, rules, STR(""), TEXTS("configmaps"), TEXTS("create", "patch"));
    if (!x->secrets)
        add_rule(a, rules, STR(""), TEXTS("secrets"), TEXTS("create"));
    return rules;
}

/* ---- Settings. ---- */

static const char *const settings_names[] = {
    "ALLOW_MULTI_ENV_MANAGEMENT",
    "AZURE_ADDITIONAL_TENANTS",
    "AZURE_AUTHORITY_HOST",
    "AZURE_CLIENT_CERTIFICATE",
    "AZURE_CLIENT_CERTIFICATE_PASSWORD",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_OPERATOR_MODE",
    "AZURE_RESOURCE_MANAGER_AUDIENCE",
    "AZURE_RESOURCE_MANAGER_ENDPOINT",
    "AZURE_SUBSCRIPTION_ID",
    "AZURE_SYNC_PERIOD",
    "AZURE_TARGET_NAMESPACES",
    "AZURE_TENANT_ID",
    "AZURE_USER_AGENT_SUFFIX",
    "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS",
    "DEFAULT_RECONCILE_POLICY",
    "MAX_CONCURRENT_RECONCILES",
    "RATE_LIMIT_MODE",
};

/* The most similar name; *known if it is the name itself. */
static const char *nearest_setting(str name, bool *known)
{
    const char *best = settings_names[0];
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < COUNT(settings_names); i++) {
        size_t distance = str_distance(name, str_c(settings_names[i]));
        if (distance < least) {
            least = distance;
            best = settings_names[i];
        }
    }
    *known = str_eq(name, str_c(best));
    return best;
}

static str unquoted(str value)
{
    bool quoted = value.len >= 2 && (value.ptr[0] == '"' || value.ptr[0] == '\'') &&
                  value.ptr[value.len - 1] == value.ptr[0];

    return quoted ? str_slice(value, 1, value.len - 1) : value;
}

static bool add_setting(struct arena *a, struct value *settings, str line, struct err *e)
{
    str name, value;
    bool known;

    if (!line.len || line.ptr[0] == '#')
        return true;
    if (!str_cut(str_without_prefix(line, STR("export ")), STR("="), &name, &value))
        return err_set(e, ERR_INVALID, "expected NAME=VALUE");
    const char *nearest = nearest_setting(str_trim(name), &known);
    if (!known)
        return err_set(e, ERR_INVALID, "unknown setting \"%.*s\"; did you mean %s?",
                       STR_ARG(quote_line(a, str_trim(name))), nearest);
    value_set_str(a, settings, str_trim(name), unquoted(str_trim(value)));
    return true;
}

static bool read_settings(struct arena *a, str file, struct value *settings, struct err *e)
{
    struct where at = {.file = file};
    str text, line;

    if (!file_read_max(a, file, SETTINGS_FILE_MAX, &text, e))
        return false;
    while (str_next_line(&text, &line)) {
        at.line++;
        if (at.line > SETTINGS_LINES_MAX)
            err_set(e, ERR_LIMIT, "more than %d lines", SETTINGS_LINES_MAX);
        else if (add_setting(a, settings, str_trim(line), e))
            continue;
        return err_at(e, at);
    }
    return true;
}

static bool make_settings(struct arena *a, str file, struct value *data, struct err *e)
{
    static const char *const usual[] = {"AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET",
                                        "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID"};
    struct value *settings = value_set(a, data, STR("settings"), value_object(a));

    value_set_bool(a, data, STR("filled"), file.len > 0);
    for (size_t i = 0; i < COUNT(usual) && !file.len; i++)
        value_set_str(a, settings, str_c(usual[i]), STR(""));
    return !file.len || read_settings(a, file, settings, e);
}

/* ---- Operating and watching. ---- */

static void add_arg(struct arena *a, struct value *data, str text)
{
    struct value *args = value_get(data, STR("args"));

    if (!args)
        args = value_set(a, data, STR("args"), value_list(a));
    value_add(a, args, value_string(a, text));
}

static bool prepare_operate(struct call *c, struct model *m, struct value *data, struct err *e)
{
    const struct manifests_values *v = c->values;
    struct arena *a = c->arena;
    struct value *rules = value_list(a), *kinds = value_list(a);
    struct kind_list list = {0};
    struct exports exports = {0};
    size_t count = 0;

    if (!kind_list_select(a, m, &v->kinds, &list, e))
        return err_wrap(e, "--kinds");
    add_kinds(a, kinds, &list, &exports, &count);
    add_core(a, rules, &exports);
    for (size_t i = 0; i < value_len(kinds); i++)
        value_add(a, rules, value_at(kinds, i));
    value_set(a, data, STR("clusterRules"), rules);
    value_set(a, data, STR("rules"), own_rules(a, &exports));
    value_set_int(a, data, STR("kindCount"), (int64_t)count);
    add_arg(a, data, STR("operate"));
    add_arg(a, data,
            str_fmt(a, "--crd-pattern=%.*s",
                    STR_ARG(v->kinds.len ? str_join(a, v->kinds.items, v->kinds.len, STR(","))
                                         : STR("*"))));
    add_arg(a, data, str_fmt(a, "--health-addr=:%d", (int)v->port));
    return make_settings(a, input_path(v->env), data, e);
}

/* The plural of a kind, as guessed by Kubernetes' own tools. */
static str guess_plural(struct arena *a, str kind)
{
    str lower = str_lower(a, kind);
    bool vowel = lower.len > 1 && str_find_char(STR("aeiou"), lower.ptr[lower.len - 2]) != STR_NPOS;

    if (str_has_suffix(lower, STR("endpoints")))
        return lower;
    if (str_has_suffix(lower, STR("s")) || str_has_suffix(lower, STR("x")) ||
        str_has_suffix(lower, STR("ch")) || str_has_suffix(lower, STR("sh")))
        return str_concat(a, lower, STR("es"));
    if (str_has_suffix(lower, STR("y")) && !vowel)
        return str_fmt(a, "%.*sies", STR_ARG(str_slice(lower, 0, lower.len - 1)));
    return str_concat(a, lower, STR("s"));
}

static bool prepare_watch(struct call *c, struct value *data, struct err *e)
{
    const struct manifests_values *v = c->values;
    struct arena *a = c->arena;
    const struct compare_options options = {.reference = c->args[1], .dialect = &dialect_native};
    const struct compare_options there = {.reference = v->at.len ? v->at : c->args[1]};
    struct value *rules = value_set(a, data, STR("clusterRules"), value_list(a));
    struct compare_kinds kinds = {0};
    const struct compare *compare;

    if (!compare_is_remote(&there))
        return err_set(e, ERR_USAGE,
                       "pods cannot read the folder %.*s: publish the reference, and name its URL "
                       "or image with --at",
                       STR_ARG(there.reference));
    if (!compare_load(a, &options, &compare, e))
        return false;
    compare_kinds(a, compare, &kinds);
    for (size_t i = 0; i < kinds.len; i++)
        value_add(a, add_rule(a, rules, kinds.items[i].group, TEXTS(NULL), TEXTS("list", "watch")),
                  value_string(a, guess_plural(a, kinds.items[i].kind)));
    add_arg(a, data, STR("compare"));
    add_arg(a, data, str_fmt(a, "--reference=%.*s", STR_ARG(there.reference)));
    add_arg(a, data, STR("--watch"));
    add_arg(a, data, str_fmt(a, "--metrics-addr=:%d", (int)v->port));
    value_set_bool(a, data, STR("remote"), true);
    return true;
}

/* ---- The command. ---- */

/* Checks that Kubernetes accepts a name of a namespace or of an object. */
static bool check_name(const char *option, str name, struct err *e)
{
    bool good = name.len > 0 && name.len <= 50 && name.ptr[0] != '-' &&
                name.ptr[name.len - 1] != '-';

    for (size_t i = 0; i < name.len; i++) {
        char ch = name.ptr[i];
        good &= (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '-';
    }
    return good || err_set(e, ERR_USAGE,
                           "%s: \"%.*s\" must have 1 to 50 lower-case letters, digits and dashes",
                           option, STR_ARG(name));
}

static bool check_values(struct call *c, bool watch, struct err *e)
{
    const struct manifests_values *v = c->values;
    static const char *const of_operate[] = {"from-env", "kinds"};

    if (v->port < 1 || v->port > UINT16_MAX)
        return err_set(e, ERR_USAGE, "--port must be from 1 to 65535");
    for (size_t i = 0; i < COUNT(of_operate) && watch; i++)
        if (options_given(c->options, str_c(of_operate[i])))
            return err_set(e, ERR_USAGE, "--%s has no effect with 'plumb manifests watch'",
                           of_operate[i]);
    if (!watch && v->at.len)
        return err_set(e, ERR_USAGE, "--at has no effect without 'plumb manifests watch'");
    return check_name("--namespace", v->namespace, e) && check_name("--name", v->name, e);
}

static bool print_manifests(struct call *c, struct value *data, bool watch, struct err *e)
{
    const struct manifests_values *v = c->values;
    struct arena *a = c->arena;
    struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_HELM});
    struct buf out = buf_new(a, OUTPUT_MAX);
    struct tmpl_run run = {.data = data};

    value_set_bool(a, data, STR("watch"), watch);
    value_set_str(a, data, STR("version"), STR(PLUMB_VERSION));
    value_set_str(a, data, STR("image"), v->image);
    value_set_str(a, data, STR("name"), v->name);
    value_set_str(a, data, STR("namespace"), v->namespace);
    value_set_int(a, data, STR("port"), v->port);
    if (!tmpl_parse(set, STR("manifests.yaml"), EMBEDDED(manifests_yaml), e) ||
        !tmpl_execute(a, set, STR("manifests.yaml"), &run, &out, e) || !buf_check(&out, e))
        return false;
    output_add(c->out, buf_str(&out));
    return true;
}

static const char *const *manifests_words(struct arena *a)
{
    static const char *const words[] = {"operate", "watch", NULL};

    (void)a;
    return words;
}

static bool prepare(struct call *c, bool watch, struct value *data, struct err *e)
{
    struct model *m;

    if (watch)
        return prepare_watch(c, data, e);
    if (!model_open(c->arena, STR_NONE, &m, e))
        return false;
    bool ok = prepare_operate(c, m, data, e) && print_manifests(c, data, false, e);
    model_close(m);
    return ok;
}

static bool cmd_manifests(struct call *c, struct err *e)
{
    bool watch = c->arg_count && str_eq(c->args[0], STR("watch"));
    struct value *data = value_object(c->arena);

    if (c->arg_count && !watch && !str_eq(c->args[0], STR("operate")))
        return err_set(e, ERR_USAGE, "unknown word \"%.*s\"; there are: operate, watch",
                       STR_ARG(c->args[0]));
    if (c->arg_count != (watch ? 2u : c->arg_count ? 1u : 0u))
        return err_set(e, ERR_USAGE,
                       "usage: plumb manifests [operate], plumb manifests watch "
                       "REFERENCE");
    return check_values(c, watch, e) && prepare(c, watch, data, e) &&
           (!watch || print_manifests(c, data, true, e));
}

const struct command command_manifests = {
    .name = "manifests",
    .args = "[operate | watch REFERENCE]",
    .brief = "Print what a cluster needs to run plumb",
    .help = "Prints the objects for 'kubectl apply -f -': Namespace, ServiceAccount, access\n"
            "rules, Deployment, PodDisruptionBudget, metrics Service and NetworkPolicy; for the\n"
            "operator also the Secret with its settings, to be filled in (or --from-env). The\n"
            "rules cover exactly the kinds of --kinds (all without it) and what they export;\n"
            "of 'watch', the kinds of the reference.\n"
            "\n"
            "The container runs without any privilege, with a read-only root. docs/install.md\n"
            "says how the image is made.\n",
    .examples =
        "  plumb manifests --kinds 'resources*/*,network*/*' >operator.yaml\n"
        "  plumb manifests --from-env azure.env --image IMAGE | kubectl apply -f -\n"
        "  plumb manifests watch reference --at https://example.com/reference/metadata.yaml\n",
    .options = manifests_options,
    .option_count = COUNT(manifests_options),
    .values_size = sizeof(struct manifests_values),
    .args_max = 2,
    .complete = COMPLETE_FILES,
    .words = manifests_words,
    .run = cmd_manifests,
};
