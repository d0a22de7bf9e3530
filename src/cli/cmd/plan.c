/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - plumb plan: shows what would be sent to Azure for manifests. */
#include "azure/plan.h"
#include "base/quote.h"
#include "cli/cmd/plan_live.h"
#include "cli/findings.h"
#include "cli/input.h"
#include "cli/print.h"

static const char *const formats[] = {"github", "html", "json", "markdown", "sarif", "text", NULL};
static const char *const policies[] = {"manage", "skip", "detach-on-delete", NULL};

static const struct option plan_options[] = {
    {"all", 0, OPTION_BOOL, offsetof(struct plan_values, all),
     .help = "Plan for the objects of all namespaces of the cluster"},
    {"allow-scope", 0, OPTION_ARRAY, offsetof(struct plan_values, scopes),
     .help = "Read nothing in Azure outside of this `ID`, as plumb operate would"},
    {"azure-endpoint", 0, OPTION_STRING, offsetof(struct plan_values, azure),
     .help = "Ask the simulated Azure at this `URL`, without a credential"},
    {"default-policy", 0, OPTION_STRING, offsetof(struct plan_values, policy),
     .help = "The `POLICY` of objects whose annotations name none", .choices = policies},
    {"filename", 'f', OPTION_ARRAY, offsetof(struct plan_values, files),
     .help = "Read manifests from `FILE` or a folder; - is standard input",
     .complete = COMPLETE_FILES},
    {"model", 0, OPTION_STRING, offsetof(struct plan_values, model),
     .help = "Use the model files in `FOLDER` instead of those in the program",
     .complete = COMPLETE_FOLDERS},
    {"no-cluster", 0, OPTION_BOOL, offsetof(struct plan_values, no_cluster),
     .help = "Read nothing from a cluster: all objects are in the files"},
    {"offline", 0, OPTION_BOOL, offsetof(struct plan_values, offline),
     .help = "Talk to nobody: neither to a cluster nor to Azure"},
    {"operator-namespace", 0, OPTION_STRING, offsetof(struct plan_values, namespace),
     .help = "Plan as the operator of this `NAMESPACE`"},
    {"output", 'o', OPTION_STRING, offsetof(struct plan_values, output), .value = "text",
     .help = "Write as `FORMAT`: html, json, markdown or text; with --offline json, text, or "
             "github and sarif, which show findings",
     .choices = formats},
    INPUT_RECURSIVE(struct plan_values),
    {"rules", 0, OPTION_STRING, offsetof(struct plan_values, rules),
     .help = "Lay the rules of kinds in this `FOLDER` over the built-in ones",
     .complete = COMPLETE_FOLDERS},
    {"strict", 0, OPTION_BOOL, offsetof(struct plan_values, strict),
     .help = "Report owners and references to objects that do not exist as findings"},
    {"subscription", 0, OPTION_STRING, offsetof(struct plan_values, subscription),
     .value = "{subscription}", .help = "The `ID` of the subscription that ids begin with"},
};

/* ---- Reading. ---- */

/* Documents must outlive this function, so they all share the arena of the run. */
static bool read_file(struct call *c, struct manifests *m, str name, size_t *count, struct err *e)
{
    struct input *in = ARENA_NEW(c->arena, struct input);
    struct doc doc;

    if (!input_open(c, c->arena, name, true, in, e))
        return false;
    for (;;) {
        if (!input_next(c->arena, in, &doc, e))
            return false;
        if (!doc.root)
            return true;
        const struct value *items = value_get(doc.root, STR("items"));
        if (!value_is(doc.root, VALUE_OBJECT))
            return source_err(e, doc.source, doc.root, "an object is expected, not %s",
                              value_kind_name((enum value_kind)doc.root->kind));
        if (!str_eq(value_get_str(doc.root, STR("kind")), STR("List")))
            items = NULL;
        if (!items) {
            manifests_add(m, &doc);
            *count += 1;
            continue;
        }
        for (size_t i = 0; i < value_len(items); i++)
            manifests_add(m, &(struct doc){.root = value_at(items, i), .source = doc.source});
        *count += value_len(items);
    }
}

static bool read_all(struct call *c, struct manifests *m, struct err *e)
{
    const struct plan_values *v = c->values;
    struct call words = *c;
    struct str_list files;
    size_t count = 0;
    str *names = ARENA_ARRAY(c->arena, str, v->files.len + c->arg_count + 1);

    words.arg_count = 0;
    for (size_t i = 0; i < v->files.len; i++)
        names[words.arg_count++] = v->files.items[i];
    for (size_t i = 0; i < c->arg_count; i++)
        names[words.arg_count++] = c->args[i];
    words.args = names;
    if (words.arg_count == 0)
        return err_set(e, ERR_USAGE, "name manifests with -f FILE");
    if (!input_files(&words, &files, e))
        return false;
    for (size_t i = 0; i < files.len; i++)
        if (!read_file(c, m, files.items[i], &count, e))
            return false;
    return count > 0 || err_set(e, ERR_INVALID, "there are no objects in these files");
}

/* ---- Printing. ---- */

static void print_findings(struct call *c, const struct plan *p)
{
    for (size_t i = 0; i < p->findings.len; i++) {
        const struct finding *f = &p->findings.items[i];
        AUTO_ERR e = {0};
        err_set(&e, ERR_INVALID, "%.*s: %.*s", STR_ARG(f->path), STR_ARG(f->text));
        err_at(&e, f->at);
        call_report(c, &e);
    }
}

static bool print_text(struct call *c, const struct plan *p, struct err *e)
{
    struct json_style style = json_exact;

    style.indent = STR("  ");
    for (size_t i = 0; i < p->count; i++) {
        const struct plan_step *s = &p->steps[i];
        struct object_key n = object_key_of(s->doc->root);
        struct buf body = buf_new(c->arena, OUTPUT_MAX);
        str notes = s->notes, line;
        output_fmt(c->out, "# %zu. %.*s/%.*s %.*s %.*s\n", i + 1, STR_ARG(n.group),
                   STR_ARG(s->resource->version), STR_ARG(n.kind),
                   STR_ARG(quote_line(c->arena, n.name)));
        while (str_next_line(&notes, &line))
            output_fmt(c->out, "# %.*s\n", STR_ARG(line));
        if (!s->request.id.len)
            continue;
        if (!json_write(&body, s->request.body, &style, e))
            return false;
        output_fmt(c->out, "PUT %.*s?api-version=%.*s\n%.*s\n\n",
                   STR_ARG(quote_line(c->arena, s->request.id)), STR_ARG(s->request.api_version),
                   STR_ARG(buf_str(&body)));
    }
    return true;
}

static struct value *step_json(struct arena *a, const struct plan_step *s)
{
    struct value *out = value_object(a), *object = value_object(a), *notes = value_list(a);
    struct object_key n = object_key_of(s->doc->root);
    str rest = s->notes, line;

    value_set_str(a, object, STR("apiVersion"), value_get_str(s->doc->root, STR("apiVersion")));
    value_set_str(a, object, STR("kind"), n.kind);
    value_set_str(a, object, STR("namespace"), n.namespace);
    value_set_str(a, object, STR("name"), n.name);
    value_set(a, out, STR("object"), object);
    if (s->request.id.len) {
        value_set_str(a, out, STR("method"), STR("PUT"));
        value_set_str(a, out, STR("path"), s->request.id);
        value_set_str(a, out, STR("apiVersion"), s->request.api_version);
        value_set(a, out, STR("body"), s->request.body);
    }
    while (str_next_line(&rest, &line))
        value_add(a, notes, value_string(a, line));
    value_set(a, out, STR("notes"), notes);
    return out;
}

static struct value *finding_json(struct arena *a, const struct finding *f)
{
    struct value *out = value_object(a), *finding = value_object(a);

    value_set_str(a, finding, STR("file"), f->at.file);
    value_set_int(a, finding, STR("line"), f->at.line);
    value_set_int(a, finding, STR("column"), f->at.column);
    value_set_str(a, finding, STR("path"), f->path);
    value_set_str(a, finding, STR("text"), f->text);
    value_set(a, out, STR("finding"), finding);
    return out;
}

/* Prints the findings, or else the steps: with findings nothing would be sent. */
static bool print_json(struct call *c, const struct plan *p, struct err *e)
{
    struct value *list = value_list(c->arena);

    for (size_t i = 0; i < p->findings.len; i++)
        value_add(c->arena, list, finding_json(c->arena, &p->findings.items[i]));
    for (size_t i = 0; i < p->count && !p->findings.len; i++)
        value_add(c->arena, list, step_json(c->arena, &p->steps[i]));
    return print_as_json(c->out, list, e);
}

/* With findings nothing is sent. */
static size_t count_requests(const struct plan *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->count && !p->findings.len; i++)
        n += p->steps[i].request.id.len > 0;
    return n;
}

/* ---- For other tools: the findings alone. ---- */

static const struct finding_rule manifest_rule[] = {
    {"manifest", "nothing is sent while a manifest has faults"}, {0}};

static struct tool_findings tool_findings(struct arena *a, const struct plan *p)
{
    struct tool_findings out = {0};

    for (size_t i = 0; i < p->findings.len; i++) {
        const struct finding *f = &p->findings.items[i];
        struct tool_finding finding = {
            .at = f->at,
            .rule = manifest_rule->name,
            .severity = "error",
            .advice = manifest_rule->advice,
            .text = str_fmt(a, "%.*s: %.*s", STR_ARG(f->path), STR_ARG(f->text)),
        };
        VEC_PUSH(a, &out, finding);
    }
    return out;
}

static bool print_for_tools(struct call *c, const struct plan *p, str format, struct err *e)
{
    struct tool_findings findings = tool_findings(c->arena, p);

    if (findings.len)
        c->status = STATUS_TROUBLE;
    if (str_eq(format, STR("sarif")))
        return findings_print_sarif(c, &findings, manifest_rule, e);
    findings_print_github(c, &findings, "plumb plan",
                          str_fmt(c->arena, "%zu finding%s, %zu request%s", findings.len,
                                  findings.len == 1 ? "" : "s", count_requests(p),
                                  count_requests(p) == 1 ? "" : "s"));
    return true;
}

/* How many ignored objects get a line each; the others are only counted. */
#define IGNORED_SHOWN 20

static void print_ignored(const struct plan *p)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < p->ignored.len && i < IGNORED_SHOWN; i++) {
        const struct doc *doc = p->ignored.items[i];
        struct object_key n = object_key_of(doc->root);
        str text = n.kind.len ? str_fmt(a, "%.*s %.*s is not about Azure: ignored", STR_ARG(n.kind),
                                        STR_ARG(n.name))
                              : STR("a document without kind: ignored");
        message_warning(source_where(doc->source, doc->root), text);
    }
    if (p->ignored.len > IGNORED_SHOWN)
        message_warning((struct where){0}, str_fmt(a, "%zu more documents are ignored, %zu in all",
                                                   p->ignored.len - IGNORED_SHOWN, p->ignored.len));
}

static bool for_tools(str format)
{
    return str_eq(format, STR("github")) || str_eq(format, STR("sarif"));
}

static bool check_values(const struct plan_values *v, bool files, struct err *e)
{
    bool page = str_eq(v->output, STR("html")) || str_eq(v->output, STR("markdown"));

    if (v->offline && page)
        return err_set(e, ERR_USAGE,
                       "-o %.*s needs Azure: --offline knows github, json, sarif and text",
                       STR_ARG(v->output));
    if (!v->offline && for_tools(v->output))
        return err_set(e, ERR_USAGE, "-o %.*s shows what is wrong with files: give --offline",
                       STR_ARG(v->output));
    if (v->offline || files)
        return !v->all || err_set(e, ERR_USAGE, "--all plans for a cluster, not for files");
    if (v->no_cluster)
        return err_set(e, ERR_USAGE, "--no-cluster needs manifests: name them with -f FILE");
    if (!v->all && !v->kube.namespace.len)
        return err_set(e, ERR_USAGE,
                       "name manifests with -f FILE, a namespace with -n, or give --all");
    return true;
}

/* Problems in the files are found before any requests are made. */
static bool plan_files(struct call *c, struct model *model, struct err *e)
{
    const struct plan_values *v = c->values;
    struct manifests *m = manifests_new(c->arena, model, v->subscription);
    struct plan p;

    if (!read_all(c, m, e) || !plan_make(c->arena, m, v->offline && v->strict, &p, e))
        return false;
    print_ignored(&p);
    if (!p.count && !p.findings.len)
        return err_set(e, ERR_NOT_FOUND, "no object in these files is one of Azure");
    if (!for_tools(v->output))
        print_findings(c, &p);
    bool json = str_eq(v->output, STR("json"));
    if (!v->offline && !p.findings.len)
        return plan_live(c, m, model, e);
    if (count_requests(&p))
        c->status = STATUS_DIFFERENT;
    if (for_tools(v->output))
        return print_for_tools(c, &p, v->output, e);
    if (json)
        return print_json(c, &p, e);
    return p.findings.len || print_text(c, &p, e);
}

static bool cmd_plan(struct call *c, struct err *e)
{
    const struct plan_values *v = c->values;
    bool files = v->files.len || c->arg_count;
    struct model *model;

    if (!check_values(v, files, e) || !model_open(c->arena, v->model, &model, e))
        return false;
    bool ok = files || v->offline ? plan_files(c, model, e) : plan_live(c, NULL, model, e);
    model_close(model);
    return ok;
}

const struct command command_plan = {
    .name = "plan",
    .args = "[FILE...]",
    .brief = "Show what would be created, changed and deleted in Azure",
    .help = "Looks at the custom resources of files (-f), of a namespace (-n) or of all of them\n"
            "(--all) as plumb operate does, reads Azure, and shows what the operator would do:\n"
            "create, update, delete or nothing, and what blocks an object. Only members that\n"
            "change are listed: + is added, ~ changed, - removed. Nothing is written, neither to\n"
            "the cluster nor to Azure. Objects of files are applied over those of the cluster in\n"
            "thought. Settings and credentials are those of plumb operate.\n"
            "\n"
            "With --offline nobody is asked: custom resources in files are checked against the\n"
            "resource model (unknown fields, wrong types, values that are not allowed, missing\n"
            "owners, ids of the wrong type), each finding with file, line, field and what is\n"
            "allowed; without findings, the requests are printed that would be sent, owners and\n"
            "whatever is referred to first.\n"
            "\n"
            "Secrets are never printed: {secret NAME/KEY} stands for them offline, (secret)\n"
            "otherwise. With --strict, owners and references to objects that do not exist are\n"
            "findings. Objects whose reconcile policy is skip are not sent. Exit status: 0 when\n"
            "there is nothing to do, 1 when there is, 2 when something is wrong or no object in\n"
            "the files is one of Azure.\n",
    .examples = "  plumb plan -f manifests/\n"
                "  plumb plan --all -o markdown\n"
                "  plumb plan -n shop --azure-endpoint http://127.0.0.1:8642\n"
                "  plumb plan --offline -f network.yaml -o json\n"
                "  plumb plan --offline -f manifests -o github\n"
                "  plumb plan --offline -f app.yaml --subscription \"$SUBSCRIPTION\"\n",
    .options = plan_options,
    .option_count = COUNT(plan_options),
    .values_size = sizeof(struct plan_values),
    .connects = true,
    .kube_offset = offsetof(struct plan_values, kube),
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_plan,
};
