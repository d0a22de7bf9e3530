/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sarif.c - the report as SARIF 2.1.0, for code scanning and editors.
 *
 * A rule is a template. A result is a field that differs, or an object if its fields are unknown; a
 * missing template; an object without a template. A fingerprint identifies what is different, but
 * not its position in the file or its value, so it survives edits elsewhere.
 */
#include <openssl/evp.h>

#include "report/internal.h"
#include "text/codec.h"
#include "text/json/json.h"

#define VALUE_SHOWN 400

struct log {
    struct arena *arena;
    struct value *rules, *results;
    struct map *indexes; /* id of a rule to its index + 1 */
};

/* ---- Pieces. ---- */

static struct value *text_node(struct arena *a, str text)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("text"), text);
    return v;
}

/* A path as a relative or file: reference; all but plain characters are escaped as %XX. */
static str uri_of(struct arena *a, str path)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (str_has_prefix(path, STR("/")))
        buf_add(&out, STR("file://"));
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || str_find_char(STR("-._~/!"), c) != STR_NPOS)
            buf_char(&out, c);
        else
            buf_fmt(&out, "%%%02X", (unsigned)(unsigned char)c);
    }
    return buf_str(&out);
}

static void set_physical(struct arena *a, struct value *location, str file, uint32_t line)
{
    struct value *physical = value_set(a, location, STR("physicalLocation"), value_object(a));
    struct value *artifact = value_set(a, physical, STR("artifactLocation"), value_object(a));

    value_set_str(a, artifact, STR("uri"), uri_of(a, file));
    if (line) {
        struct value *region = value_set(a, physical, STR("region"), value_object(a));
        value_set_int(a, region, STR("startLine"), line);
    }
}

static void set_logical(struct arena *a, struct value *location, str object)
{
    struct value *list = value_set(a, location, STR("logicalLocations"), value_list(a));
    struct value *logical = value_add(a, list, value_object(a));
    struct object_name n = object_name_of(object);

    value_set_str(a, logical, STR("name"), n.name);
    value_set_str(a, logical, STR("fullyQualifiedName"), object);
    value_set_str(a, logical, STR("kind"), STR("resource"));
}

/* Sets what stays the same as long as the finding is the same. */
static void set_fingerprint(struct arena *a, struct value *result, const str *parts, size_t count)
{
    static const char zero[] = {0};
    str text = str_join(a, parts, count, str_of(zero, 1));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    EVP_Digest(text.len ? text.ptr : "", text.len, digest, &len, EVP_sha256(), NULL);

    struct value *prints = value_set(a, result, STR("partialFingerprints"), value_object(a));
    value_set_str(a, prints, STR("plumbFinding/v1"), hex_encode(a, digest, len));
}

/* ---- Rules. ---- */

static int64_t rule_index(struct log *l, str id, str brief, str description)
{
    uintptr_t at = (uintptr_t)map_get(l->indexes, id);

    if (at)
        return (int64_t)at - 1;
    struct value *rule = value_add(l->arena, l->rules, value_object(l->arena));
    value_set_str(l->arena, rule, STR("id"), id);
    value_set(l->arena, rule, STR("shortDescription"), text_node(l->arena, brief));
    if (description.len)
        value_set(l->arena, rule, STR("fullDescription"),
                  text_node(l->arena, str_trim(description)));
    map_set(l->indexes, id, (void *)(uintptr_t)l->rules->len);
    return l->rules->len - 1;
}

static int64_t template_rule(struct log *l, str path, str description)
{
    return rule_index(l, path,
                      str_fmt(l->arena, "Objects are as template %.*s says", STR_ARG(path)),
                      description);
}

static struct value *add_result(struct log *l, str rule, int64_t index, const char *level, str text)
{
    struct value *result = value_add(l->arena, l->results, value_object(l->arena));

    value_set_str(l->arena, result, STR("ruleId"), rule);
    value_set_int(l->arena, result, STR("ruleIndex"), index);
    value_set_str(l->arena, result, STR("level"), str_c(level));
    value_set(l->arena, result, STR("message"), text_node(l->arena, text));
    return result;
}

static struct value *add_location(struct arena *a, struct value *result, str key)
{
    return value_add(a, value_set(a, result, key, value_list(a)), value_object(a));
}

/* ---- Results. ---- */

static str field_message(struct arena *a, const struct result_diff *d, const struct result_field *f)
{
    str expected = field_text(a, f->expected, VALUE_SHOWN);
    str actual = field_text(a, f->actual, VALUE_SHOWN);

    return str_fmt(a, "%.*s: %.*s is %s: expected %.*s, found %.*s", STR_ARG(d->object),
                   STR_ARG(f->path), result_kind_name(f->kind), STR_ARG(expected), STR_ARG(actual));
}

static void add_field(struct log *l, const struct result_diff *d, const struct result_field *f,
                      int64_t rule)
{
    struct arena *a = l->arena;
    struct value *result = add_result(l, d->template, rule, "error", field_message(a, d, f));
    struct value *location = add_location(a, result, STR("locations"));
    const struct result_place *place = f->object.file.len ? &f->object : &d->place;
    str parts[] = {d->template, d->object, f->path, str_c(result_kind_name(f->kind))};

    if (place->file.len)
        set_physical(a, location, place->file, place->line);
    set_logical(a, location, d->object);
    if (f->template.file.len) {
        struct value *related = add_location(a, result, STR("relatedLocations"));
        set_physical(a, related, f->template.file, f->template.line);
        value_set(a, related, STR("message"), text_node(a, STR("what the template expects")));
    }
    set_fingerprint(a, result, parts, COUNT(parts));
}

static void add_whole(struct log *l, const struct result_diff *d, int64_t rule)
{
    struct arena *a = l->arena;
    struct value *result =
        add_result(l, d->template, rule, "error",
                   str_fmt(a, "%.*s differs from what %.*s expects:\n%.*s", STR_ARG(d->object),
                           STR_ARG(d->template), STR_ARG(diff_lines_of(d->text).rest)));
    struct value *location = add_location(a, result, STR("locations"));
    str parts[] = {d->template, d->object};

    if (d->place.file.len)
        set_physical(a, location, d->place.file, d->place.line);
    set_logical(a, location, d->object);
    set_fingerprint(a, result, parts, COUNT(parts));
}

static void add_diff(struct log *l, const struct result_diff *d)
{
    int64_t rule = template_rule(l, d->template, d->description);

    if (!diff_is_finding(d))
        return;
    for (size_t i = 0; i < d->fields.len; i++)
        add_field(l, d, &d->fields.items[i], rule);
    if (!d->fields.len)
        add_whole(l, d, rule);
}

static void add_issue(struct log *l, const struct result_issue *issue)
{
    struct arena *a = l->arena;

    for (size_t i = 0; i < issue->count; i++) {
        const struct result_template *t = &issue->templates[i];
        str parts[] = {STR("issue"), issue->part, issue->component, t->path};
        struct value *result = add_result(
            l, t->path, template_rule(l, t->path, t->description), "error",
            str_fmt(a, "%.*s / %.*s: %.*s: %.*s", STR_ARG(issue->part), STR_ARG(issue->component),
                    STR_ARG(issue_words(issue)), STR_ARG(t->path)));
        set_physical(a, add_location(a, result, STR("locations")), t->path, 0);
        set_fingerprint(a, result, parts, COUNT(parts));
    }
}

static void add_unmatched(struct log *l, str id)
{
    struct arena *a = l->arena;
    str rule = STR("unmatched"), parts[] = {STR("unmatched"), id};
    int64_t index = rule_index(l, rule, STR("Every object is matched by the reference"), STR_NONE);
    struct value *result = add_result(
        l, rule, index, "note", str_fmt(a, "%.*s is not matched by the reference", STR_ARG(id)));

    set_logical(a, add_location(a, result, STR("locations")), id);
    set_fingerprint(a, result, parts, COUNT(parts));
}

/* ---- The log. ---- */

static void add_notes(struct arena *a, struct value *invocation, const struct result_verdict *v)
{
    struct value *list = value_set(a, invocation, STR("toolExecutionNotifications"), value_list(a));

    for (size_t i = 0; i < v->notes.len; i++) {
        const struct result_note *n = &v->notes.items[i];
        struct value *note = value_add(a, list, value_object(a));
        value_set_str(a, note, STR("level"), n->failed ? STR("error") : STR("note"));
        value_set(a, note, STR("message"), text_node(a, n->reason));
        if (n->place.file.len)
            set_physical(a, add_location(a, note, STR("locations")), n->place.file, n->place.line);
    }
}

/* Like in the other reports, without what is in notifications and results. */
static void add_verdict(struct arena *a, struct value *properties, const struct results *r)
{
    struct value *tree = value_object(a);

    report_verdict_tree(a, tree, r);
    struct value *verdict = value_get(tree, STR("Verdict"));
    if (!verdict)
        return;
    value_unset(verdict, STR("notes"));
    value_set(a, properties, STR("comparison"), verdict);
}

static struct value *make_run(struct arena *a, const struct results *r)
{
    struct value *run = value_object(a);
    struct value *tool = value_set(a, run, STR("tool"), value_object(a));
    struct value *driver = value_set(a, tool, STR("driver"), value_object(a));
    struct log l = {a, .indexes = map_new(a)};

    value_set_str(a, driver, STR("name"), STR("plumb"));
    value_set_str(a, driver, STR("version"), STR(PLUMB_VERSION));
    l.rules = value_set(a, driver, STR("rules"), value_list(a));
    struct value *invocations = value_set(a, run, STR("invocations"), value_list(a));
    struct value *invocation = value_add(a, invocations, value_object(a));
    value_set_bool(a, invocation, STR("executionSuccessful"),
                   !r->verdict.known || r->verdict.complete);
    if (r->verdict.notes.len)
        add_notes(a, invocation, &r->verdict);
    l.results = value_set(a, run, STR("results"), value_list(a));
    for (size_t i = 0; i < r->diffs.len; i++)
        add_diff(&l, &r->diffs.items[i]);
    for (size_t i = 0; i < r->issues.len; i++)
        add_issue(&l, &r->issues.items[i]);
    for (size_t i = 0; r->unmatched_all && i < r->unmatched.len; i++)
        add_unmatched(&l, r->unmatched.items[i]);
    struct value *properties = value_set(a, run, STR("properties"), value_object(a));
    value_set_str(a, properties, STR("referenceHash"), r->hash);
    value_set_int(a, properties, STR("objectsCompared"), (int64_t)r->total);
    add_verdict(a, properties, r);
    return run;
}

static bool write_sarif(const struct results *r, const struct report_options *o, struct buf *out,
                        struct err *e)
{
    const struct json_style style = {.numbers = NUMBERS_EXACT, .indent = STR("  ")};
    AUTO_ARENA a = arena_new();
    struct value *log = value_object(a);

    (void)o;
    value_set_str(a, log, STR("$schema"),
                  STR("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                      "sarif-schema-2.1.0.json"));
    value_set_str(a, log, STR("version"), STR("2.1.0"));
    struct value *runs = value_set(a, log, STR("runs"), value_list(a));
    value_add(a, runs, make_run(a, r));
    if (!json_write(out, log, &style, e))
        return false;
    buf_char(out, '\n');
    return true;
}

const struct report_format report_sarif = {
    .name = "sarif",
    .help = "SARIF 2.1.0, for code scanning",
    .endings = ".sarif",
    .write = write_sarif,
};
