/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_crd.c - plumb crd: the CustomResourceDefinitions of the model's kinds.
 */
#include "azure/crd.h"
#include "azure/describe.h"
#include "cli/commands.h"
#include "cli/kinds.h"
#include "cli/print.h"
#include "text/json.h"
#include "text/yaml.h"

struct crd_values {
    struct option_list kinds;
    str format, model, descriptions;
    bool sizes;
};

static const char *const formats[] = {"json", "yaml", NULL};

static const struct option crd_options[] = {
    {"descriptions", 0, OPTION_STRING, offsetof(struct crd_values, descriptions),
     .help = "Take descriptions from the published types in `FOLDER`",
     .complete = COMPLETE_FOLDERS},
    {"format", 0, OPTION_STRING, offsetof(struct crd_values, format), .value = "yaml",
     .help = "Write as `FORMAT`: json (one per line) or yaml", .choices = formats},
    {"kinds", 0, OPTION_STRINGS, offsetof(struct crd_values, kinds),
     .help = "Only kinds that fit one of the `PATTERNS`: RouteTable, network*/*, Virtual*"},
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
    size_t count, bytes;
};

static bool to_json(struct arena *a, const struct value *crd, str *out, struct err *e)
{
    struct buf b = buf_new(a, OUTPUT_MAX);

    if (!json_write(&b, crd, &json_exact, e) || !buf_check(&b, e))
        return false;
    *out = buf_str(&b);
    return true;
}

static bool print_crd(struct printing *p, struct arena *a, const struct value *crd, size_t versions,
                      struct err *e)
{
    str text, name = value_get_str(value_get(crd, STR("metadata")), STR("name"));
    struct output *out = p->call->out;

    if (!p->values->sizes && str_eq(p->values->format, STR("yaml"))) {
        struct buf b = buf_new(a, OUTPUT_MAX);
        if (!yaml_write(&b, crd, NUMBERS_EXACT, e) || !buf_check(&b, e))
            return false;
        output_add(out, p->count++ ? STR("---\n") : STR_NONE);
        output_add(out, buf_str(&b));
        return true;
    }
    if (!to_json(a, crd, &text, e))
        return false;
    p->count++;
    p->bytes += text.len;
    if (p->values->sizes)
        output_fmt(out, "%8zu  %2zu version%s  %.*s\n", text.len, versions,
                   versions == 1 ? " " : "s", STR_ARG(name));
    else
        output_fmt(out, "%.*s\n", STR_ARG(text));
    return true;
}

/* One kind: resources[from..to) are its versions. */
static bool print_kind(struct printing *p, const struct model_resource *const *versions,
                       size_t count, struct err *e)
{
    AUTO_ARENA a = arena_new();

    return print_crd(p, a, crd_build(a, versions, count, &p->options), count, e);
}

static bool print_all(struct printing *p, const struct kind_list *kinds, struct err *e)
{
    for (size_t i = 0, end; i < kinds->len; i = end) {
        end = kind_list_end(kinds, i);
        if (!print_kind(p, kinds->items + i, end - i, e))
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

    if (!model_open(c->arena, v->model, &m, e))
        return false;
    if (v->descriptions.len) {
        p.options.describe = describe_property;
        p.options.describe_ctx = describe_open(c->arena, v->descriptions);
    }
    bool ok = kind_list_select(c->arena, m, &v->kinds, &kinds, e) && print_all(&p, &kinds, e) &&
              (!v->descriptions.len || describe_check(p.options.describe_ctx, e));
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
            "them from a folder with Azure's published types, PROVIDER/VERSION/types.json.\n",
    .examples = "  plumb crd | kubectl apply --server-side -f -\n"
                "  plumb crd --kinds 'network.azure.com/*' --format json\n"
                "  plumb crd --sizes\n",
    .options = crd_options,
    .option_count = COUNT(crd_options),
    .values_size = sizeof(struct crd_values),
    .args_max = 0,
    .run = cmd_crd,
};
