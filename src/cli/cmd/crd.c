/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd.c - plumb crd: the CustomResourceDefinitions of the model's kinds, printed or applied.
 */
#include "azure/crd.h"
#include "azure/derive/describe.h"
#include "cli/commands.h"
#include "cli/options/kinds.h"
#include "cli/options/kube.h"
#include "cli/print.h"
#include "kube/client.h"
#include "kube/transport.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"
#include "object/object.h"

struct crd_values {
    struct str_list kinds;
    str format, model, descriptions, kubeconfig, context;
    bool apply, sizes;
};

static const char *const formats[] = {"json", "yaml", NULL};

static const struct option crd_options[] = {
    {"apply", 0, OPTION_BOOL, offsetof(struct crd_values, apply),
     .help = "Apply the definitions to the cluster of the kubeconfig instead of printing them"},
    {"context", 0, OPTION_STRING, offsetof(struct crd_values, context),
     .help = "apply: use the `CONTEXT` of the kubeconfig"},
    {"descriptions", 0, OPTION_STRING, offsetof(struct crd_values, descriptions),
     .help = "Take descriptions from the published types in `FOLDER`",
     .complete = COMPLETE_FOLDERS},
    {"format", 0, OPTION_STRING, offsetof(struct crd_values, format), .value = "yaml",
     .help = "Write as `FORMAT`: json (one per line) or yaml", .choices = formats},
    {"kinds", 0, OPTION_STRINGS, offsetof(struct crd_values, kinds),
     .help = "Only kinds that fit one of the `PATTERNS`: RouteTable, network*/*, Virtual*"},
    {"kubeconfig", 0, OPTION_STRING, offsetof(struct crd_values, kubeconfig),
     .help = "apply: use this kubeconfig `FILE`", .complete = COMPLETE_FILES},
    {"model", 0, OPTION_STRING, offsetof(struct crd_values, model),
     .help = "Use the model files in `FOLDER` instead of those in the program",
     .complete = COMPLETE_FOLDERS},
    {"sizes", 0, OPTION_BOOL, offsetof(struct crd_values, sizes),
     .help = "List the size of each definition as JSON instead of the definitions"},
};

struct printing {
    struct call *call;
    const struct crd_values *values;
    struct crd_options options;
    struct kube_transport *cluster; /* where to apply them; NULL: print them */
    size_t count, bytes;
};

static bool print_crd(struct printing *p, struct arena *a, const struct value *crd, size_t versions,
                      struct err *e)
{
    str text, name = object_name(crd);
    struct output *out = p->call->out;
    struct buf b = buf_new(a, OUTPUT_MAX);

    if (!p->values->sizes && str_eq(p->values->format, STR("yaml"))) {
        if (!yaml_write(&b, crd, NUMBERS_EXACT, e) || !buf_check(&b, e))
            return false;
        output_add(out, p->count++ ? STR("---\n") : STR_NONE);
        output_add(out, buf_str(&b));
        return true;
    }
    if (!json_write(&b, crd, &json_exact, e) || !buf_check(&b, e))
        return false;
    text = buf_str(&b);
    p->count++;
    p->bytes += text.len;
    if (p->values->sizes)
        output_fmt(out, "%8zu  %2zu version%s  %.*s\n", text.len, versions,
                   versions == 1 ? " " : "s", STR_ARG(name));
    else
        output_add(out, str_concat(p->call->arena, text, STR("\n")));
    return true;
}

/* ---- Applying. ---- */

static bool open_cluster(struct call *c, struct kube_transport **out, struct err *e)
{
    const struct crd_values *v = c->values;
    struct kube_flags flags = {
        .kubeconfig = v->kubeconfig, .context = v->context, .warn = {.tell = kube_show_warning}};
    struct kube_config *config;

    return kube_config_load(c->arena, &flags, &config, e) &&
           kube_transport_new(config, STR("plumb/" PLUMB_VERSION), out, e);
}

/*
 * Uses server-side apply, and takes over fields that others own, as these are complete definitions.
 * A server without it, such as plumb serve, gets a patch or a new object instead.
 */
static bool write_crd(struct kube_transport *t, struct arena *a, const struct kube_call *call,
                      const struct value *crd, struct err *e)
{
    static const struct kube_write_options options = {.field_manager = STR_INIT("plumb"),
                                                      .force = true};
    static const struct kube_write_options plain = {.field_manager = STR_INIT("plumb")};
    struct kube_call all = *call;

    if (kube_patch(t, a, call, KUBE_APPLY_PATCH, crd, &options, NULL, e))
        return true;
    if (e->kind != ERR_INVALID)
        return false;
    all.name = STR_NONE;
    return kube_patch(t, a, call, KUBE_MERGE_PATCH, crd, &plain, NULL, e) ||
           (e->kind == ERR_NOT_FOUND && kube_create(t, a, &all, crd, &plain, NULL, e));
}

static bool apply_crd(struct printing *p, struct arena *a, const struct value *crd, struct err *e)
{
    static const struct kube_resource definitions = {.group = STR_INIT("apiextensions.k8s.io"),
                                                     .version = STR_INIT("v1"),
                                                     .name = STR_INIT("customresourcedefinitions"),
                                                     .kind = STR_INIT("CustomResourceDefinition")};
    str name = object_name(crd);
    struct kube_call call = {.resource = &definitions, .name = name};

    if (!write_crd(p->cluster, a, &call, crd, e))
        return err_wrap(e, "definition %.*s", STR_ARG(name));
    output_fmt(p->call->out, "%.*s\n", STR_ARG(name));
    return true;
}

static bool print_all(struct printing *p, const struct kind_list *kinds, struct err *e)
{
    for (size_t i = 0, end; i < kinds->len; i = end) {
        end = kind_list_end(kinds, i);
        AUTO_ARENA a = arena_new();
        const struct value *crd = crd_build(a, kinds->items + i, end - i, &p->options);
        if (!(p->cluster ? apply_crd(p, a, crd, e) : print_crd(p, a, crd, end - i, e)))
            return false;
    }
    if (p->values->sizes)
        output_fmt(p->call->out, "%8zu  bytes in %zu definitions\n", p->bytes, p->count);
    return true;
}

static bool cmd_crd(struct call *c, struct err *e)
{
    const struct crd_values *v = c->values;
    struct printing p = {.call = c, .values = v};
    struct kind_list kinds;
    struct model *m;

    if (v->apply && v->sizes)
        return err_set(e, ERR_USAGE, "--apply and --sizes exclude each other");
    if (!model_open(c->arena, v->model, &m, e))
        return false;
    if (v->descriptions.len) {
        p.options.describe = describe_property;
        p.options.describe_ctx = describe_open(c->arena, v->descriptions);
    }
    bool ok = kind_list_select(c->arena, m, &v->kinds, &kinds, e) &&
              (!v->apply || open_cluster(c, &p.cluster, e)) && print_all(&p, &kinds, e) &&
              (!v->descriptions.len || describe_check(p.options.describe_ctx, e));
    if (p.cluster)
        kube_transport_free(p.cluster);
    model_close(m);
    return ok;
}

const struct command command_crd = {
    .name = "crd",
    .args = "",
    .brief = "Print the CustomResourceDefinitions of Azure's kinds",
    .help = "One definition per kind, with all its API versions, for kubectl apply. Patterns are\n"
            "those of the shell, for a kind (RouteTable, Virtual*) or for group/kind\n"
            "(network.azure.com/*, storage*/Storage*); letters count without regard to case.\n"
            "\n"
            "Descriptions are left out, so that the definitions stay small; --descriptions takes\n"
            "them from a folder with Azure's published types, PROVIDER/VERSION/types.json.\n"
            "\n"
            "--apply sends them to a cluster instead, by server-side apply, and prints the name\n"
            "of each that was taken.\n",
    .examples = "  plumb crd --apply --kinds 'network.azure.com/*'\n"
                "  plumb crd --kinds 'network.azure.com/*' --format json\n"
                "  plumb crd --sizes\n",
    .options = crd_options,
    .option_count = COUNT(crd_options),
    .values_size = sizeof(struct crd_values),
    .args_max = 0,
    .run = cmd_crd,
};
