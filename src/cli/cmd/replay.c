/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - plumb replay: judges decisions again that plumb operate has recorded. */
#include "arm/rules/kind.h"
#include "azure/model/model.h"
#include "base/file.h"
#include "cli/input.h"
#include "cli/print.h"
#include "operator/replay.h"
#include "text/json/json.h"

struct replay_values {
    str model, output, rules;
};

static const char *const formats[] = {"json", "text", NULL};

static const struct option replay_options[] = {
    {"model", 0, OPTION_STRING, offsetof(struct replay_values, model),
     .help = "Use the model files in `FOLDER` instead of those in the program",
     .complete = COMPLETE_FOLDERS},
    {"output", 'o', OPTION_STRING, offsetof(struct replay_values, output), .value = "text",
     .help = "Write as `FORMAT`: json or text", .choices = formats},
    {"rules", 0, OPTION_STRING, offsetof(struct replay_values, rules),
     .help = "Lay the rules of kinds in this `FOLDER` over the built-in ones, as then",
     .complete = COMPLETE_FOLDERS},
};

struct replaying {
    struct call *call;
    struct model *model;
    struct kind_set *rules;
    size_t all, same, inexact, different;
    struct value *list; /* of those that differ */
};

static void add_different(struct replaying *r, str file, size_t line, const struct replay *one)
{
    struct arena *a = r->call->arena;
    struct value *v = value_object(a);

    value_set_str(a, v, STR("file"), file);
    value_set_int(a, v, STR("line"), (int64_t)line);
    value_set_str(a, v, STR("object"), str_copy(a, one->object));
    value_set_str(a, v, STR("time"), str_copy(a, one->time));
    value_set_str(a, v, STR("was"), str_copy(a, one->was));
    value_set_str(a, v, STR("is"), str_copy(a, one->is));
    value_add(a, r->list, v);
}

static bool replay_line(struct replaying *r, struct arena *a, str file, size_t number, str line,
                        struct err *e)
{
    struct source source = {.text = line};
    struct value *record = NULL;
    AUTO_ERR why = {0};
    struct replay one;

    if (!json_read(a, &source, NULL, &record, &why))
        err_set(e, ERR_INVALID, "not a JSON document: %.*s", STR_ARG(why.text));
    if (!record || !replay_judge(a, r->model, r->rules, record, &one, e))
        return err_at(e, (struct where){.file = file, .line = (uint32_t)number});
    r->all++;
    r->inexact += one.inexact;
    r->same += !one.inexact && one.same;
    if (!one.inexact && !one.same) {
        r->different++;
        add_different(r, file, number, &one);
    }
    return true;
}

/* An invalid line is reported; the others are judged. */
static bool replay_file(struct replaying *r, str file, struct err *e)
{
    AUTO_ARENA text_arena = arena_new();
    AUTO_ARENA a = arena_new();
    str text, line;

    if (!file_read_max(text_arena, input_path(file), KEEPER_BYTES_MAX + KEEPER_LINE_MAX, &text, e))
        return false;
    for (size_t number = 1; str_next_line(&text, &line); number++) {
        AUTO_ERR bad = {0};
        if (line.len && !replay_line(r, a, file, number, line, &bad))
            call_report(r->call, &bad);
        arena_reset(a);
    }
    return true;
}

static void print_text(struct replaying *r)
{
    struct output *out = r->call->out;

    for (size_t i = 0; i < value_len(r->list); i++) {
        const struct value *v = value_at(r->list, i);
        output_fmt(out, "%.*s:%.*s: %.*s at %.*s\n", STR_ARG(value_get_str(v, STR("file"))),
                   STR_ARG(value_text(value_get(v, STR("line")))),
                   STR_ARG(value_get_str(v, STR("object"))),
                   STR_ARG(value_get_str(v, STR("time"))));
        output_style(out, STYLE_MISSING);
        output_fmt(out, "- %.*s\n", STR_ARG(value_get_str(v, STR("was"))));
        output_style(out, STYLE_ADDED);
        output_fmt(out, "+ %.*s\n", STR_ARG(value_get_str(v, STR("is"))));
        output_style(out, STYLE_PLAIN);
    }
    output_fmt(out, "%zu decisions: %zu the same, %zu different", r->all, r->same, r->different);
    if (r->inexact)
        output_fmt(out, ", %zu that need what was masked", r->inexact);
    output_add(out, STR("\n"));
}

static bool print(struct replaying *r, struct err *e)
{
    const struct replay_values *v = r->call->values;
    struct arena *a = r->call->arena;
    struct value *out = value_object(a);

    if (!str_eq(v->output, STR("json"))) {
        print_text(r);
        return true;
    }
    value_set_int(a, out, STR("decisions"), (int64_t)r->all);
    value_set_int(a, out, STR("same"), (int64_t)r->same);
    value_set_int(a, out, STR("masked"), (int64_t)r->inexact);
    value_set(a, out, STR("different"), r->list);
    return print_as_json(r->call->out, out, e);
}

static bool cmd_replay(struct call *c, struct err *e)
{
    /* In a folder, also the rotated files of the operator. */
    static const char *const endings[] = {".json", ".jsonl", ".jsonl.1", NULL};
    const struct replay_values *v = c->values;
    struct replaying r = {.call = c, .list = value_list(c->arena)};
    struct str_list files = {0};
    bool ok = true;

    if (v->rules.len && !kind_set_open(c->arena, v->rules, &r.rules, e))
        return err_wrap(e, "--rules");
    for (size_t i = 0; i < c->arg_count; i++)
        if (!input_add_ending(c->arena, c->args[i], endings, &files, e))
            return false;
    if (!model_open(c->arena, v->model, &r.model, e))
        return false;
    for (size_t i = 0; ok && i < files.len; i++)
        ok = replay_file(&r, files.items[i], e);
    ok = ok && print(&r, e);
    /* Otherwise it would say that all are the same, although there are none. */
    if (ok && !r.all && c->status == STATUS_FINE)
        ok = err_set(e, ERR_NOT_FOUND, "no decision is in what was read");
    if (r.different && c->status == STATUS_FINE)
        c->status = STATUS_DIFFERENT;
    model_close(r.model);
    return ok;
}

const struct command command_replay = {
    .name = "replay",
    .args = "FILE...",
    .brief = "Judge decisions that plumb operate has kept again",
    .help = "Reads files written by plumb operate --keep-decisions and decides each case again,\n"
            "with this program and its model: whether Azure is written to, for which cause and\n"
            "because of which paths. Nothing else is asked, so the answer is the same on every\n"
            "machine. Verdicts that differ from the recorded ones are shown. A folder stands\n"
            "for the .json, .jsonl and .jsonl.1 files below it, - for standard input.\n"
            "\n"
            "Secrets are masked in these files. A decision that cannot be repeated without them\n"
            "is marked as such when it is kept, and only counted here. Exit status: 0 when all\n"
            "verdicts are the same, 1 when one differs, 2 when a line cannot be read or there is\n"
            "no decision.\n",
    .examples = "  plumb operate --observe --keep-decisions decisions.jsonl\n"
                "  plumb replay decisions.jsonl.1 decisions.jsonl\n",
    .options = replay_options,
    .option_count = COUNT(replay_options),
    .values_size = sizeof(struct replay_values),
    .args_min = 1,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_replay,
};
