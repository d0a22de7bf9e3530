/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - what a comparison found, in the form of expected.yaml. */
#include "compare/cases/internal.h"

/* Texts name files by their paths; the folder of the case is taken out of them. */
static str without_folder(struct arena *a, str text, str folder)
{
    str prefix = str_fmt(a, "%.*s/", STR_ARG(folder));
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str before, rest = text;

    while (str_cut(rest, prefix, &before, &rest))
        buf_add(&out, before);
    buf_add(&out, before);
    return buf_str(&out);
}

static void add_texts(struct arena *a, struct value *v, str key, const str *texts, size_t count)
{
    struct value *list = count ? value_set(a, v, key, value_list(a)) : NULL;

    for (size_t i = 0; i < count; i++)
        value_add(a, list, value_string(a, texts[i]));
}

/* ---- Objects. ---- */

static void add_field(struct arena *a, struct value *list, const struct result_field *f)
{
    struct value *v = value_add(a, list, value_object(a));

    value_set_str(a, v, STR("path"), f->path);
    if (f->expected)
        value_set(a, v, STR("expected"), f->expected);
    if (f->actual)
        value_set(a, v, STR("actual"), f->actual);
}

static void add_object(struct arena *a, struct value *list, const struct result_diff *d)
{
    struct value *v = value_add(a, list, value_object(a)), *fields;

    value_set_str(a, v, STR("object"), d->object);
    value_set_str(a, v, STR("template"), d->template);
    if (d->patched)
        add_texts(a, v, STR("overriddenFor"), d->reasons, d->reason_count);
    if (!d->differs)
        return;
    fields = value_set(a, v, STR("differs"), value_list(a));
    for (size_t i = 0; i < d->fields.len; i++)
        add_field(a, fields, &d->fields.items[i]);
}

/* ---- Components. ---- */

static void add_issue(struct arena *a, struct value *list, const struct result_issue *issue)
{
    struct value *v = value_add(a, list, value_object(a)), *templates;

    value_set_str(a, v, STR("part"), issue->part);
    value_set_str(a, v, STR("component"), issue->component);
    value_set_str(a, v, STR("message"), issue->message);
    templates = value_set(a, v, STR("templates"), value_list(a));
    for (size_t i = 0; i < issue->count; i++)
        value_add(a, templates, value_string(a, issue->templates[i].path));
}

/* ---- The whole. ---- */

/* That nothing matched is a note too, which unmatched and issues say better. */
static void add_failures(struct arena *a, struct value *v, const struct result_verdict *verdict,
                         str folder)
{
    struct str_list reasons = {0};

    for (size_t i = 0; i < verdict->notes.len; i++)
        if (verdict->notes.items[i].failed && (verdict->failed || verdict->failed_objects))
            VEC_PUSH(a, &reasons, without_folder(a, verdict->notes.items[i].reason, folder));
    add_texts(a, v, STR("failed"), reasons.items, reasons.len);
}

struct value *case_findings(struct arena *a, const struct results *r, const struct err *fault,
                            str folder)
{
    struct value *v = value_object(a), *list;

    if (fault->kind != ERR_NONE) {
        value_set_str(a, v, STR("error"), without_folder(a, err_message(a, fault), folder));
        return v;
    }
    value_set_str(a, v, STR("verdict"), str_c(verdict_state_name(verdict_state(&r->verdict))));
    list = r->diffs.len ? value_set(a, v, STR("objects"), value_list(a)) : NULL;
    for (size_t i = 0; i < r->diffs.len; i++)
        add_object(a, list, &r->diffs.items[i]);
    list = r->issues.len ? value_set(a, v, STR("issues"), value_list(a)) : NULL;
    for (size_t i = 0; i < r->issues.len; i++)
        add_issue(a, list, &r->issues.items[i]);
    add_texts(a, v, STR("unmatched"), r->unmatched.items, r->unmatched.len);
    add_failures(a, v, &r->verdict, folder);
    return v;
}

/* ---- Comparing it. ---- */

static const str object_identity[] = {STR_INIT("object")};
static const str issue_identity[] = {STR_INIT("part"), STR_INIT("component"), STR_INIT("message")};
static const str field_identity[] = {STR_INIT("path")};

#define KEY(name)                                                                                  \
    {                                                                                              \
        .kind = STEP_KEY, .key = STR_INIT(name)                                                    \
    }
static struct step objects_path[] = {KEY("objects")};
static struct step issues_path[] = {KEY("issues")};
static struct step differs_path[] = {KEY("objects"), KEY("*"), KEY("differs")};

static const struct list_rule rules[] = {
    {{objects_path, COUNT(objects_path)}, LIST_BY_FIELDS, object_identity, COUNT(object_identity)},
    {{issues_path, COUNT(issues_path)}, LIST_BY_FIELDS, issue_identity, COUNT(issue_identity)},
    {{differs_path, COUNT(differs_path)}, LIST_BY_FIELDS, field_identity, COUNT(field_identity)},
};

const struct diff_options case_diff_options = {
    .rules = rules, .rule_count = COUNT(rules), .ignore_order = true};
