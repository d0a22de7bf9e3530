/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - plumb why: shows what the operator decided about an object, and why. */
#include "cli/cluster.h"
#include "cli/print.h"
#include "operator/why.h"

struct why_values {
    struct kube_values kube;
    str output;
    bool kinds;
};

static const char *const formats[] = {"json", "text", NULL};

static const struct option why_options[] = {
    {"kinds", 0, OPTION_BOOL, offsetof(struct why_values, kinds),
     .help = "List the kinds whose objects drift most, in all namespaces or in that of -n"},
    {"output", 'o', OPTION_STRING, offsetof(struct why_values, output), .value = "text",
     .help = "Write as `FORMAT`: json or text", .choices = formats},
};

/* The most bytes of values in a line. */
#define VALUE_SHOWN 200
/* How many of a kind's paths, of kinds, and of differences are shown as text; JSON has all. */
#define PATHS_SHOWN 5
#define KINDS_SHOWN 30
#define KNOWN_SHOWN 50

/* ---- One object. ----------------------------------------------------------------------------- */

static str get(const struct value *v, const char *member)
{
    return value_get_str(v, str_c(member));
}

static void print_value(struct call *c, const char *word, const struct value *v)
{
    struct buf b = buf_new(c->arena, OUTPUT_MAX);

    if (!v)
        return;
    print_short(&b, v, VALUE_SHOWN);
    output_fmt(c->out, "%s %.*s", word, STR_ARG(buf_str(&b)));
}

static void print_state(struct call *c, const struct value *w)
{
    const struct value *object = value_get(w, STR("object")), *synced = value_get(w, STR("synced"));
    bool good = str_eq(get(w, "state"), STR("Ready"));

    output_fmt(c->out, "%.*s %.*s/%.*s: ", STR_ARG(get(object, "kind")),
               STR_ARG(get(object, "namespace")), STR_ARG(get(object, "name")));
    output_style(c->out, good ? STYLE_ADDED : STYLE_MISSING);
    output_fmt(c->out, "%.*s", STR_ARG(get(w, "state")));
    output_style(c->out, STYLE_PLAIN);
    output_fmt(c->out, "%s%.*s\n", get(w, "since").len ? " since " : "", STR_ARG(get(w, "since")));
    if (get(w, "message").len)
        output_fmt(c->out, "  %.*s\n", STR_ARG(get(w, "message")));
    if (get(w, "resourceId").len)
        output_fmt(c->out, "  id      %.*s\n", STR_ARG(get(w, "resourceId")));
    if (get(w, "policy").len)
        output_fmt(c->out, "  policy  %.*s\n", STR_ARG(get(w, "policy")));
    if (get(w, "mode").len)
        output_fmt(c->out, "  mode    %.*s\n", STR_ARG(get(w, "mode")));
    if (synced)
        output_fmt(c->out, "  synced  %.*s%s%.*s%s%.*s\n", STR_ARG(get(synced, "status")),
                   get(synced, "reason").len ? " " : "", STR_ARG(get(synced, "reason")),
                   get(synced, "message").len ? ": " : "", STR_ARG(get(synced, "message")));
}

static void print_waits(struct call *c, const struct value *w)
{
    const struct value *waits = value_get(w, STR("waits"));
    const struct value *attempt = value_get(waits, STR("attempt"));
    bool ready = str_eq(get(w, "state"), STR("Ready"));

    if (ready || !waits) {
        if (!ready &&
            str_eq(get(value_at(value_get(w, STR("decisions")), 0), "action"), STR("wait")))
            output_add(c->out, STR("  next    when what it waits for changes\n"));
        return;
    }
    if (get(waits, "nextRetry").len)
        output_fmt(c->out, "  next    tried again at %.*s", STR_ARG(get(waits, "nextRetry")));
    else
        output_add(c->out, STR("  next    when what it waits for changes"));
    if (attempt)
        output_fmt(c->out, ", after %.*s failed attempts", STR_ARG(value_text(attempt)));
    output_add(c->out, STR("\n"));
    if (get(waits, "class").len)
        output_fmt(c->out, "  error   %.*s, by %.*s\n", STR_ARG(get(waits, "class")),
                   STR_ARG(get(waits, "rule")));
    if (get(waits, "requestId").len)
        output_fmt(c->out, "  request %.*s\n", STR_ARG(get(waits, "requestId")));
}

/* The message of a PUT contains the paths; if there is none, they are listed. */
static void print_decision(struct call *c, const struct value *d)
{
    const struct value *paths = value_get(d, STR("paths"));
    str message = get(d, "message");

    output_fmt(c->out, "  %.*s  %-7.*s %.*s\n", STR_ARG(get(d, "time")), STR_ARG(get(d, "action")),
               STR_ARG(get(d, "reason")));
    if (message.len)
        output_fmt(c->out, "      %.*s\n", STR_ARG(message));
    for (size_t i = 0; !message.len && i < value_len(paths); i++)
        output_fmt(c->out, "      %.*s\n", STR_ARG(value_str(value_at(paths, i))));
    if (get(d, "by").len)
        output_fmt(c->out, "      last modified by %.*s%s%.*s\n", STR_ARG(get(d, "by")),
                   get(d, "at").len ? " at " : "", STR_ARG(get(d, "at")));
}

static void print_known(struct call *c, const struct value *w)
{
    const struct value *known = value_get(w, STR("knownDifferences"));
    const struct value *settled = value_get(w, STR("settled"));

    if (!value_len(known))
        return;
    output_fmt(c->out, "\nKnown differences, which are not corrected%s:\n",
               settled && !value_is_true(settled) ? " (still being learned)" : "");
    for (size_t i = 0; i < known->len && i < KNOWN_SHOWN; i++) {
        const struct value *k = value_at(known, i);
        output_fmt(c->out, "  %-10.*s %.*s:", STR_ARG(get(k, "cause")), STR_ARG(get(k, "path")));
        print_value(c, " wanted", value_get(k, STR("wanted")));
        print_value(c, value_get(k, STR("wanted")) ? ", found" : " found",
                    value_get(k, STR("found")));
        print_value(c, " found a long value,", value_get(k, STR("digest")));
        output_add(c->out, STR("\n"));
    }
    if (known->len > KNOWN_SHOWN)
        output_fmt(c->out, "  and %zu more: -o json\n", (size_t)known->len - KNOWN_SHOWN);
}

static void print_guard(struct call *c, const struct value *w)
{
    const struct value *guard = value_get(w, STR("guard"));

    if (!value_len(guard))
        return;
    output_add(c->out,
               STR("\nCorrected so far; a path that does not stay corrected is given up:\n"));
    for (size_t i = 0; i < guard->len; i++) {
        const struct value *g = value_at(guard, i);
        output_fmt(c->out, "  %.*s: %.*s times,", STR_ARG(get(g, "path")),
                   STR_ARG(value_text(value_get(g, STR("puts")))));
        print_value(c, " wanted", value_get(g, STR("wanted")));
        print_value(c, value_get(g, STR("wanted")) ? ", found" : " found",
                    value_get(g, STR("found")));
        output_add(c->out, STR("\n"));
    }
}

static void print_object(struct call *c, const struct value *w)
{
    const struct value *decisions = value_get(w, STR("decisions"));

    print_state(c, w);
    print_waits(c, w);
    output_fmt(c->out, "\n%s\n",
               value_len(decisions) ? "Last decisions, newest first:"
                                    : "No decision is written down in its status.");
    for (size_t i = 0; i < value_len(decisions); i++)
        print_decision(c, value_at(decisions, i));
    print_known(c, w);
    print_guard(c, w);
}

static bool show_object(struct cluster *cl, struct err *e)
{
    struct call *c = cl->call;
    const struct why_values *v = c->values;
    const struct kube_resource *resource;
    struct object_key key;
    struct value *object;

    if (!cluster_name(cl, c->args[0], &key, &resource, e))
        return false;
    const struct kube_call call = {.resource = resource,
                                   .namespace = resource->namespaced ? key.namespace : STR_NONE,
                                   .name = key.name};
    if (!kube_get(cl->transport, c->arena, &call, &object, e)) {
        if (e->kind == ERR_NOT_FOUND)
            return err_set(e, ERR_NOT_FOUND, "%.*s \"%.*s\" not found in namespace %.*s",
                           STR_ARG(key.kind), STR_ARG(key.name), STR_ARG(key.namespace));
        return false;
    }
    struct value *w = why_object(c->arena, object);
    if (str_eq(v->output, STR("json")))
        return print_as_json(c->out, w, e);
    print_object(c, w);
    return true;
}

/* ---- All kinds. ------------------------------------------------------------------------------ */

static bool take(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    (void)a;
    (void)e;
    why_kinds_add(ctx, item);
    return true;
}

static str number(const struct value *v, const char *member)
{
    return value_text(value_get(v, str_c(member)));
}

static void print_kind(struct call *c, const struct value *k)
{
    const struct value *paths = value_get(k, STR("paths"));

    output_fmt(c->out, "%-40.*s %8.*s %8.*s %8.*s %8.*s %8.*s %8.*s\n", STR_ARG(get(k, "kind")),
               STR_ARG(number(k, "objects")), STR_ARG(number(k, "corrections")),
               STR_ARG(number(k, "reports")), STR_ARG(number(k, "stuck")),
               STR_ARG(number(k, "losses")), STR_ARG(number(k, "puts")));
    for (size_t i = 0; i < value_len(paths) && i < PATHS_SHOWN; i++)
        output_fmt(c->out, "  %.*s (%.*s)\n", STR_ARG(get(value_at(paths, i), "path")),
                   STR_ARG(number(value_at(paths, i), "count")));
    if (value_len(paths) > PATHS_SHOWN)
        output_fmt(c->out, "  and %zu more paths: -o json\n", value_len(paths) - PATHS_SHOWN);
}

static bool show_kinds(struct cluster *cl, struct err *e)
{
    struct call *c = cl->call;
    const struct why_values *v = c->values;
    struct why_kinds *kinds = why_kinds_new(c->arena);

    if (!cluster_list(cl, v->kube.namespace, take, kinds, e))
        return false;
    struct value *list = why_kinds_list(kinds);
    if (str_eq(v->output, STR("json")))
        return print_as_json(c->out, list, e);
    output_fmt(c->out, "%-40s %8s %8s %8s %8s %8s %8s\n", "KIND", "OBJECTS", "DRIFT", "REPORTED",
               "STUCK", "LOSSES", "PUTS");
    for (size_t i = 0; i < value_len(list) && i < KINDS_SHOWN; i++)
        print_kind(c, value_at(list, i));
    if (value_len(list) > KINDS_SHOWN)
        output_fmt(c->out, "and %zu more kinds: -o json\n", value_len(list) - KINDS_SHOWN);
    return true;
}

static bool cmd_why(struct call *c, struct err *e)
{
    const struct why_values *v = c->values;
    AUTO_ARENA secrets = arena_new_secret();
    struct cluster cl;

    if (v->kinds == (c->arg_count > 0))
        return err_set(e, ERR_USAGE, "name an object as KIND/NAME, or give --kinds");
    if (!cluster_open(c, secrets, &v->kube, &cl, e))
        return false;
    bool ok = v->kinds ? show_kinds(&cl, e) : show_object(&cl, e);
    cluster_close(&cl);
    return ok;
}

const struct command command_why = {
    .name = "why",
    .args = "[KIND/NAME]",
    .brief = "Show what was decided about an object of Azure, and why",
    .help = "Shows what the operator has written down in the status of a custom resource: its\n"
            "state, what it waits for and when it is tried again, the last decisions with their\n"
            "reasons, paths and the values wanted and found, who last changed the resource, the\n"
            "differences that are known and not corrected, and what did not stay corrected.\n"
            "\n"
            "With --kinds, counts all of that by kind, the noisiest kind first: corrections and\n"
            "reports of drift among the last decisions, objects that do not converge, values\n"
            "that Azure did not keep, and the paths that drift most.\n",
    .examples = "  plumb why storageaccount/files\n"
                "  plumb why virtualnetwork/net -n shop -o json\n"
                "  plumb why --kinds\n",
    .options = why_options,
    .option_count = COUNT(why_options),
    .values_size = sizeof(struct why_values),
    .connects = true,
    .kube_offset = offsetof(struct why_values, kube),
    .args_min = 0,
    .args_max = 1,
    .run = cmd_why,
};
