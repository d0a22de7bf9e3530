/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - plumb tree: shows an object in a cluster with its owners, dependents and references. */
#include "cli/cluster.h"
#include "cli/print.h"
#include "object/names.h"
#include "operator/tree.h"

struct tree_values {
    struct kube_values kube;
    str output;
};

static const char *const formats[] = {"json", "text", NULL};

static const struct option tree_options[] = {
    {"output", 'o', OPTION_STRING, offsetof(struct tree_values, output), .value = "text",
     .help = "Write as `FORMAT`: json or text", .choices = formats},
};

/* What was read, and from where. */
struct reading {
    struct call *call;
    struct cluster cluster;
    struct tree *tree;
    struct object_key key;
};

/* ---- Reading. -------------------------------------------------------------------------------- */

static bool take(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct reading *r = ctx;

    (void)a;
    (void)e;
    tree_add(r->tree, value_copy(r->call->arena, item));
    return true;
}

/* Whether a Secret or ConfigMap exists; only its metadata is requested. */
static bool is_present(struct reading *r, const struct object_key *key)
{
    const bool secret = str_eq(key->kind, STR("Secret"));
    const struct kube_resource resource = {.version = STR("v1"),
                                           .name = secret ? STR("secrets") : STR("configmaps"),
                                           .namespaced = true};
    const struct kube_call call = {.resource = &resource,
                                   .namespace = key->namespace,
                                   .name = key->name,
                                   .metadata_only = true};
    struct value *found;

    return kube_get(r->cluster.transport, r->call->arena, &call, &found, NULL);
}

static str state_of(struct reading *r, const struct object_key *key, str *message)
{
    const struct tree_node *n = tree_find(r->tree, key);

    *message = STR_NONE;
    if (n)
        return tree_state(n, message);
    if (!key->group.len)
        return is_present(r, key) ? STR("present") : STR("missing");
    return STR("missing");
}

/* ---- Text. ----------------------------------------------------------------------------------- */

#define COLUMN 60

static void print_line(struct reading *r, str indent, str what, str state, str message)
{
    struct output *out = r->call->out;
    size_t width = 0, line_len = indent.len + what.len;

    for (size_t i = 0; i < line_len; i++) {
        char c = i < indent.len ? indent.ptr[i] : what.ptr[i - indent.len];
        width += (c & 0xC0) != 0x80;
    }
    bool good = str_eq(state, STR("Ready")) || str_eq(state, STR("present"));
    output_fmt(out, "%.*s%.*s%*s  ", STR_ARG(indent), STR_ARG(what),
               width < COLUMN ? (int)(COLUMN - width) : 0, "");
    output_style(out, good ? STYLE_ADDED : STYLE_MISSING);
    output_fmt(out, "%.*s", STR_ARG(state));
    output_style(out, STYLE_PLAIN);
    if (message.len)
        output_fmt(out, ": %.*s", STR_ARG(message));
    output_fmt(out, "\n");
}

static void print_needs(struct reading *r, const struct tree_node *n, str indent)
{
    struct arena *a = r->call->arena;

    for (size_t i = 0; i < n->needs.len; i++) {
        const struct need *need = &n->needs.items[i];
        str message, state;
        if (need->kind == NEED_OWNER)
            continue;
        str arrow = need_is_export(need) ? STR("» ") : STR("→ ");
        if (need_is_in_cluster(need)) {
            state = state_of(r, &need->object, &message);
            print_line(r, indent,
                       str_fmt(a, "%.*s%.*s %.*s (%.*s)", STR_ARG(arrow),
                               STR_ARG(need->object.kind), STR_ARG(need->object.name),
                               STR_ARG(need->path)),
                       state, STR_NONE);
        } else {
            output_fmt(r->call->out, "%.*s%.*s%.*s (%.*s)\n", STR_ARG(indent), STR_ARG(arrow),
                       STR_ARG(value_get_str(need->at, STR("armId"))), STR_ARG(need->path));
        }
    }
}

static void print_below(struct reading *r, const struct tree_node *n, str indent)
{
    struct arena *a = r->call->arena;

    for (size_t i = 0; i < n->child_count; i++) {
        const struct tree_node *child = n->children[i];
        bool last = i + 1 == n->child_count;
        str message, state = tree_state(child, &message);
        print_line(r, str_concat(a, indent, last ? STR("└─ ") : STR("├─ ")),
                   str_fmt(a, "%.*s %.*s", STR_ARG(child->key.kind), STR_ARG(child->key.name)),
                   state, message);
        str deeper = str_concat(a, indent, last ? STR("   ") : STR("│  "));
        print_needs(r, child, str_concat(a, deeper, child->child_count ? STR("│  ") : STR("   ")));
        print_below(r, child, deeper);
    }
}

/* Prints the owners from the topmost down to the object; returns the indent below it. */
static str print_owners(struct reading *r, const struct tree_node *n)
{
    struct arena *a = r->call->arena;
    str indent = STR_NONE, message, state;

    if (n->owner)
        indent = print_owners(r, n->owner);
    else if (n->wants)
        print_line(r, STR_NONE,
                   str_fmt(a, "%.*s %.*s", STR_ARG(n->wants->kind), STR_ARG(n->wants->name)),
                   STR("missing"), STR_NONE);
    if (n->wants)
        indent = indent.len ? indent : STR("");
    state = tree_state(n, &message);
    str text = str_fmt(a, "%.*s %.*s", STR_ARG(n->key.kind), STR_ARG(n->key.name));
    print_line(r, n->wants ? str_concat(a, indent, STR("└─ ")) : STR_NONE, text, state, message);
    return n->wants ? str_concat(a, indent, STR("   ")) : STR_NONE;
}

static void print_text(struct reading *r, const struct tree_node *n)
{
    struct arena *a = r->call->arena;
    str indent = print_owners(r, n);

    print_needs(r, n, str_concat(a, indent, n->child_count ? STR("│  ") : STR("   ")));
    print_below(r, n, indent);
}

/* ---- JSON. ----------------------------------------------------------------------------------- */

static void set_state(struct arena *a, struct value *out, str state, str message)
{
    value_set_str(a, out, STR("state"), state);
    if (message.len)
        value_set_str(a, out, STR("message"), message);
}

static struct value *need_json(struct reading *r, const struct need *need)
{
    struct arena *a = r->call->arena;
    struct value *out = value_object(a);
    str message;

    value_set_str(a, out, STR("type"), str_c(need_kind_name(need->kind)));
    value_set_str(a, out, STR("path"), need->path);
    if (!need_is_in_cluster(need)) {
        value_set_str(a, out, STR("id"), value_get_str(need->at, STR("armId")));
        return out;
    }
    value_set(a, out, STR("object"), object_key_value(a, &need->object));
    str state = state_of(r, &need->object, &message);
    set_state(a, out, state, message);
    return out;
}

static struct value *node_json(struct reading *r, const struct tree_node *n, bool deep)
{
    struct arena *a = r->call->arena;
    struct value *out = value_object(a), *needs = value_list(a), *children = value_list(a);
    str message, state = tree_state(n, &message);
    str id = object_annotation(n->object, STR(ANNOTATION_RESOURCE_ID));

    value_set(a, out, STR("object"), object_key_value(a, &n->key));
    set_state(a, out, state, message);
    if (id.len)
        value_set_str(a, out, STR("resourceId"), id);
    if (!deep)
        return out;
    for (size_t i = 0; i < n->needs.len; i++)
        if (n->needs.items[i].kind != NEED_OWNER)
            value_add(a, needs, need_json(r, &n->needs.items[i]));
    for (size_t i = 0; i < n->child_count; i++)
        value_add(a, children, node_json(r, n->children[i], true));
    value_set(a, out, STR("references"), needs);
    value_set(a, out, STR("dependents"), children);
    return out;
}

static bool print_json(struct reading *r, const struct tree_node *n, struct err *e)
{
    struct arena *a = r->call->arena;
    struct value *out = node_json(r, n, true), *owners = value_list(a);

    const struct tree_node *top = n;

    for (const struct tree_node *o = n->owner; o; o = o->owner) {
        value_add(a, owners, node_json(r, o, false));
        top = o;
    }
    if (top->wants) {
        struct value *missing = value_object(a);
        value_set(a, missing, STR("object"), object_key_value(a, top->wants));
        set_state(a, missing, STR("missing"), STR_NONE);
        value_add(a, owners, missing);
    }
    value_set(a, out, STR("owners"), owners);
    return print_as_json(r->call->out, out, e);
}

/* ---- The command. ---------------------------------------------------------------------------- */

static bool show(struct reading *r, struct err *e)
{
    const struct tree_values *v = r->call->values;
    const struct kube_resource *resource;

    if (!cluster_name(&r->cluster, r->call->args[0], &r->key, &resource, e) ||
        !cluster_list(&r->cluster, r->key.namespace, take, r, e))
        return false;
    const struct tree_node *n = tree_find(r->tree, &r->key);
    if (!n)
        return err_set(e, ERR_NOT_FOUND, "%.*s \"%.*s\" not found in namespace %.*s",
                       STR_ARG(r->key.kind), STR_ARG(r->key.name), STR_ARG(r->key.namespace));
    if (str_eq(v->output, STR("json")))
        return print_json(r, n, e);
    print_text(r, n);
    return true;
}

static bool cmd_tree(struct call *c, struct err *e)
{
    const struct tree_values *v = c->values;
    AUTO_ARENA secrets = arena_new_secret();
    struct reading r = {.call = c};

    if (!cluster_open(c, secrets, &v->kube, &r.cluster, e))
        return false;
    r.tree = tree_new(c->arena, r.cluster.model);
    bool ok = show(&r, e);
    cluster_close(&r.cluster);
    return ok;
}

const struct command command_tree = {
    .name = "tree",
    .args = "KIND/NAME",
    .brief = "Show an object with its owners, dependents and references",
    .help = "Reads the custom resources of a namespace and shows one of them in its place: the\n"
            "owners above it, what depends on it below, and what each refers to (→) or exports\n"
            "(»), with the state of everything: Ready, or the reason of its condition and its\n"
            "message. What is named and does not exist is missing.\n",
    .examples = "  plumb tree resourcegroup/demo\n"
                "  plumb tree virtualnetwork/net -n shop -o json\n",
    .options = tree_options,
    .option_count = COUNT(tree_options),
    .values_size = sizeof(struct tree_values),
    .connects = true,
    .kube_offset = offsetof(struct tree_values, kube),
    .args_min = 1,
    .args_max = 1,
    .run = cmd_tree,
};
