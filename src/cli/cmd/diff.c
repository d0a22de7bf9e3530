/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - plumb diff: shows the differences between two files of documents. */
#include "cli/options/list_rules.h"
#include "cli/objects.h"
#include "cli/print.h"
#include "base/quote.h"
#include "compare/secret.h"
#include "diff/diff.h"
#include "value/diff.h"

struct diff_values {
    struct str_list by;
    bool ignore_order, show_secrets;
    str output;
};

static const char *const formats[] = {"json", "list", "text", NULL};

static const struct option diff_options[] = {
    {"by", 0, OPTION_ARRAY, offsetof(struct diff_values, by),
     .help = "Match elements of lists by these `FIELDS`: PATH=FIELD[,FIELD...] or "
             "FIELD[,FIELD...]",
     .may_be_empty = true},
    {"ignore-order", 0, OPTION_BOOL, offsetof(struct diff_values, ignore_order),
     .help = "The order of lists does not matter"},
    {"output", 'o', OPTION_STRING, offsetof(struct diff_values, output), .value = "text",
     .help = "Write as `FORMAT`: json, list or text", .choices = formats},
    {"show-secrets", 0, OPTION_BOOL, offsetof(struct diff_values, show_secrets),
     .help = "Show what Secrets hold"},
};

/* One comparison of two files. */
struct job {
    struct call *call;
    struct list_rules rules;
    struct diff_options options;
    bool show_secrets;
    struct value *found; /* -o json: the list to print at the end */
    bool (*show)(struct job *j, struct arena *a, const struct object_pair *pair,
                 const struct differences *d, struct err *e);
};

static str place_of(struct arena *a, const struct doc *doc, const struct value *v, bool column)
{
    struct where at = source_where(doc->source, v);

    if (at.line == 0)
        return at.file;
    if (!column)
        return str_fmt(a, "%.*s:%u", STR_ARG(at.file), at.line);
    return str_fmt(a, "%.*s:%u:%u", STR_ARG(at.file), at.line, at.column);
}

static str label_of(const struct object_pair *pair)
{
    return pair->old ? pair->old->label : pair->new_->label;
}

/* ---- Text: a unified difference of both documents, written the same way. ---- */

static bool yaml_of(struct arena *a, const struct object *o, str *out, struct err *e)
{
    struct buf text = buf_new(a, OUTPUT_MAX);

    if (o && !yaml_write(&text, o->doc.root, NUMBERS_PLAIN, e))
        return err_at(e, source_where(o->doc.source, o->doc.root));
    *out = buf_str(&text);
    return true;
}

static void add_title(struct job *j, struct arena *a, enum output_style style, const char *mark,
                      const struct object *o)
{
    struct output *out = j->call->out;

    output_style(out, style);
    if (o)
        output_fmt(out, "%s %.*s%s%.*s", mark,
                   STR_ARG(quote_line(a, place_of(a, &o->doc, o->doc.root, false))),
                   o->label.len ? " " : "", STR_ARG(quote_line(a, o->label)));
    else
        output_fmt(out, "%s /dev/null", mark);
    output_style(out, STYLE_PLAIN);
    output_add(out, STR("\n"));
}

static enum output_style style_of(str line)
{
    switch (line.len ? line.ptr[0] : ' ') {
    case '+':
        return STYLE_ADDED;
    case '-':
        return STYLE_MISSING;
    case '@':
        return STYLE_PLACE;
    default:
        return STYLE_PLAIN;
    }
}

static bool show_text(struct job *j, struct arena *a, const struct object_pair *pair,
                      const struct differences *d, struct err *e)
{
    struct buf hunks = buf_new(a, OUTPUT_MAX);
    struct output *out = j->call->out;
    str old = STR_NONE, new_ = STR_NONE, rest, line;

    (void)d;
    if (!yaml_of(a, pair->old, &old, e) || !yaml_of(a, pair->new_, &new_, e))
        return false;
    (void)diff_unified(&hunks, old, new_, DIFF_CONTEXT);
    if (!buf_check(&hunks, e))
        return false;
    add_title(j, a, STYLE_MISSING, "---", pair->old);
    add_title(j, a, STYLE_ADDED, "+++", pair->new_);
    rest = buf_str(&hunks);
    while (str_next_line(&rest, &line)) {
        output_style(out, style_of(line));
        output_text(out, line);
        output_style(out, STYLE_PLAIN);
        output_add(out, STR("\n"));
    }
    return true;
}

/* ---- List: one line per difference, with its position on both sides. ---- */

#define SHOWN_MAX 120 /* bytes of a value in a line */

static str path_text(struct arena *a, const struct difference *d)
{
    struct path path = path_of_trail(a, d->at);
    struct buf text = buf_new(a, OUTPUT_MAX);

    path_print_dotted(&text, &path);
    return path.len ? buf_str(&text) : STR(".");
}

static void add_values(struct buf *line, const struct difference *d)
{
    if (d->kind == DIFFERENCE_REORDERED)
        return;
    buf_add(line, STR(": "));
    if (d->old_)
        print_short(line, d->old_, SHOWN_MAX);
    if (d->old_ && d->new_)
        buf_add(line, STR(" -> "));
    if (d->new_)
        print_short(line, d->new_, SHOWN_MAX);
}

static void add_places(struct buf *line, struct arena *a, const struct object_pair *pair,
                       const struct difference *d)
{
    buf_add(line, STR("  ("));
    if (d->old_)
        buf_add(line, quote_line(a, place_of(a, &pair->old->doc, d->old_, false)));
    if (d->old_ && d->new_)
        buf_add(line, STR(", "));
    if (d->new_)
        buf_add(line, quote_line(a, place_of(a, &pair->new_->doc, d->new_, false)));
    buf_add(line, STR(")\n"));
}

static bool show_list(struct job *j, struct arena *a, const struct object_pair *pair,
                      const struct differences *d, struct err *e)
{
    struct buf text = buf_new(a, OUTPUT_MAX);
    str label = label_of(pair);

    if (label.len)
        buf_fmt(&text, "%.*s\n", STR_ARG(quote_line(a, label)));
    for (size_t i = 0; i < d->count; i++) {
        buf_fmt(&text, "%s%s %.*s", label.len ? "  " : "", difference_kind_name(d->items[i].kind),
                STR_ARG(quote_line(a, path_text(a, &d->items[i]))));
        add_values(&text, &d->items[i]);
        add_places(&text, a, pair, &d->items[i]);
    }
    if (!buf_check(&text, e))
        return false;
    output_text(j->call->out, buf_str(&text));
    return true;
}

/* ---- JSON: a list of objects, for programs. ---- */

/* A list that was only reordered would be repeated on both sides: its positions are enough. */
static void add_side(struct arena *a, struct value *item, const struct object *o,
                     const struct value *v, str side, bool shown)
{
    if (!v)
        return;
    if (shown)
        value_set(a, item, side, value_copy(a, v));
    value_set_str(a, item, str_concat(a, side, STR("At")), place_of(a, &o->doc, v, true));
}

static bool show_json(struct job *j, struct arena *a, const struct object_pair *pair,
                      const struct differences *d, struct err *e)
{
    struct arena *run = j->call->arena;

    (void)a;
    (void)e;
    for (size_t i = 0; i < d->count; i++) {
        struct value *item = value_object(run);
        bool shown = d->items[i].kind != DIFFERENCE_REORDERED;
        value_set_str(run, item, STR("kind"), str_c(difference_kind_name(d->items[i].kind)));
        if (label_of(pair).len)
            value_set_str(run, item, STR("object"), label_of(pair));
        value_set_str(run, item, STR("path"), path_text(run, &d->items[i]));
        add_side(run, item, pair->old, d->items[i].old_, STR("old"), shown);
        add_side(run, item, pair->new_, d->items[i].new_, STR("new"), shown);
        value_add(run, j->found, item);
    }
    return true;
}

/* ---- The command. ---- */

/* The pair with Secrets masked; shown has room for both objects. */
static struct object_pair mask_pair(struct arena *a, const struct object_pair *pair,
                                    struct object shown[2])
{
    struct object_pair out = *pair;
    struct value *roots[] = {pair->old ? pair->old->doc.root : NULL,
                             pair->new_ ? pair->new_->doc.root : NULL};

    if (pair->old)
        shown[0] = *pair->old;
    if (pair->new_)
        shown[1] = *pair->new_;
    secret_mask_pair(a, secret_values_of(a, roots, COUNT(roots)),
                     pair->old ? &shown[0].doc.root : &(struct value *){NULL},
                     pair->new_ ? &shown[1].doc.root : &(struct value *){NULL});
    if (pair->old)
        out.old = &shown[0];
    if (pair->new_)
        out.new_ = &shown[1];
    return out;
}

static bool compare(struct job *j, struct arena *a, const struct object_pair *pair, struct err *e)
{
    struct object shown[2];
    struct object_pair masked = *pair;
    struct differences d;

    if (!j->show_secrets)
        masked = mask_pair(a, pair, shown);
    const struct value *old = masked.old ? masked.old->doc.root : NULL;
    const struct value *new_ = masked.new_ ? masked.new_->doc.root : NULL;

    if (!list_rules_fit(&j->rules, a, new_ ? new_ : old, e))
        return false;
    j->options.rules = j->rules.items;
    j->options.rule_count = j->rules.len;
    d = value_diff(a, old, new_, &j->options);
    if (d.count == 0)
        return true;
    if (j->call->status == STATUS_FINE)
        j->call->status = STATUS_DIFFERENT;
    return j->show(j, a, &masked, &d, e);
}

static bool compare_all(struct job *j, const struct object_pairs *pairs, struct err *e)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < pairs->len; i++) {
        if (!compare(j, a, &pairs->items[i], e))
            return false;
        arena_reset(a);
    }
    return j->show != show_json || print_as_json(j->call->out, j->found, e);
}

static bool cmd_diff(struct call *c, struct err *e)
{
    const struct diff_values *v = c->values;
    struct job j = {
        .call = c,
        .options = {.ignore_order = v->ignore_order},
        .show_secrets = v->show_secrets,
        .found = value_list(c->arena),
        .show = str_eq(v->output, STR("json"))   ? show_json
                : str_eq(v->output, STR("list")) ? show_list
                                                 : show_text,
    };
    struct objects old, new_;
    struct object_pairs pairs;

    if (str_eq(c->args[0], STR("-")) && str_eq(c->args[1], STR("-")))
        return err_set(e, ERR_USAGE, "only one of OLD and NEW can be standard input");
    if (!list_rules_read(c->arena, &v->by, &j.rules, e) || !objects_read(c, c->args[0], &old, e) ||
        !objects_read(c, c->args[1], &new_, e))
        return false;
    if (!old.len && !new_.len && c->status == STATUS_FINE)
        return err_set(e, ERR_NOT_FOUND, "there is no document in %.*s, and none in %.*s",
                       STR_ARG(c->args[0]), STR_ARG(c->args[1]));
    pairs = objects_match(c->arena, &old, &new_);
    return compare_all(&j, &pairs, e);
}

const struct command command_diff = {
    .name = "diff",
    .args = "OLD NEW",
    .brief = "Show what differs between two files or folders",
    .help = "Compares the content of documents in YAML or JSON, not their text: the order of\n"
            "keys, quotes, indentation and comments do not matter, and neither does whether a\n"
            "number is written 1 or 1.0. Kubernetes objects are compared with the object of\n"
            "the same apiVersion, kind, namespace and name, other documents with the one at\n"
            "the same position. OLD and NEW are files, or folders, of which all .json, .yaml\n"
            "and .yml files are read; one of them may be - for standard input.\n"
            "\n"
            "Elements of lists are matched by name, id or key when all of them have it, else\n"
            "scalars by what they are and everything else by position. --by names other\n"
            "fields, for all lists that have them or for those at one path, in which * stands\n"
            "for any step.\n"
            "\n"
            "text is a unified difference of both sides written as normalised YAML; list has a\n"
            "line per difference with its path and its place in both files; json is the same\n"
            "for programs. What Secrets hold is masked. Exit status: 0 when there is no\n"
            "difference, 1 when there is one, 2 when something went wrong or neither side has a\n"
            "document.\n",
    .examples = "  plumb diff deployed.yaml declared.yaml\n"
                "  plumb diff -o list deployed.yaml declared.yaml\n"
                "  plumb diff --by spec.ports=port,protocol old.yaml new.yaml\n"
                "  kubectl get deploy web -o yaml | plumb diff - web.yaml\n",
    .options = diff_options,
    .option_count = COUNT(diff_options),
    .values_size = sizeof(struct diff_values),
    .args_min = 2,
    .args_max = 2,
    .complete = COMPLETE_FILES,
    .run = cmd_diff,
};
