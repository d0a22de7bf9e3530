/* SPDX-License-Identifier: Apache-2.0 */
/*
 * issues.c - finds the issues of components: one rule per kind of group.
 *
 * To add a kind of group: write its check, give it a struct group_rule, and list it in the version
 * of the metadata file that has it.
 */
#include "compare/reference/reference_internal.h"

/* ---- Lists of templates. ---- */

/* There is room for all templates of the component. */
static void list_template(struct result_issue *issue, const struct template *t, bool described)
{
    issue->templates[issue->count++] =
        (struct result_template){t->path, described ? t->description : STR_NONE};
}

static size_t count_matched(const size_t *matches, size_t count)
{
    size_t matched = 0;

    for (size_t i = 0; i < count; i++)
        matched += matches[i] > 0;
    return matched;
}

static void list_all(const struct template *t, const size_t *matches, size_t count, bool matched,
                     struct result_issue *issue)
{
    for (size_t i = 0; i < count; i++)
        if ((matches[i] > 0) == matched)
            list_template(issue, &t[i], false);
}

/* ---- Rules. ---- */

static const char missing_text[] = "Missing CRs";
static const char too_many_text[] = "Should only match one but matched";

static size_t check_all_of(const struct template *t, const size_t *matches, size_t count,
                           struct result_issue *issue)
{
    issue->message = str_c(missing_text);
    for (size_t i = 0; i < count; i++)
        if (!matches[i])
            list_template(issue, &t[i], true);
    return issue->count;
}

static size_t check_all_or_none_of(const struct template *t, const size_t *matches, size_t count,
                                   struct result_issue *issue)
{
    issue->message = str_c(missing_text);
    if (count_matched(matches, count))
        list_all(t, matches, count, false, issue);
    return issue->count;
}

static size_t check_any_of(const struct template *t, const size_t *matches, size_t count,
                           struct result_issue *issue)
{
    (void)t;
    (void)matches;
    (void)count;
    (void)issue;
    return 0;
}

static size_t check_any_one_of(const struct template *t, const size_t *matches, size_t count,
                               struct result_issue *issue)
{
    issue->message = str_c(too_many_text);
    if (count_matched(matches, count) > 1)
        list_all(t, matches, count, true, issue);
    return 0;
}

static size_t check_none_of(const struct template *t, const size_t *matches, size_t count,
                            struct result_issue *issue)
{
    issue->message = STR("These should not have been matched");
    list_all(t, matches, count, true, issue);
    return 0;
}

static size_t check_one_of(const struct template *t, const size_t *matches, size_t count,
                           struct result_issue *issue)
{
    if (count_matched(matches, count))
        return check_any_one_of(t, matches, count, issue);
    issue->message = STR("One of the following is required");
    list_all(t, matches, count, false, issue);
    return 1;
}

static size_t check_required(const struct template *t, const size_t *matches, size_t count,
                             struct result_issue *issue)
{
    issue->message = str_c(missing_text);
    for (size_t i = 0; i < count; i++)
        if (t[i].required && !matches[i])
            list_template(issue, &t[i], true);
    return issue->count;
}

static size_t check_optional(const struct template *t, const size_t *matches, size_t count,
                             struct result_issue *issue)
{
    size_t required = 0;

    for (size_t i = 0; i < count; i++)
        required += t[i].required;
    check_required(t, matches, count, issue);
    if (issue->count == required)
        issue->count = 0;
    return issue->count;
}

const struct group_rule group_all_of = {"allOf", check_all_of};
const struct group_rule group_all_or_none_of = {"allOrNoneOf", check_all_or_none_of};
const struct group_rule group_any_of = {"anyOf", check_any_of};
const struct group_rule group_any_one_of = {"anyOneOf", check_any_one_of};
const struct group_rule group_none_of = {"noneOf", check_none_of};
const struct group_rule group_one_of = {"oneOf", check_one_of};
const struct group_rule group_required = {"Required", check_required};
const struct group_rule group_optional = {"Optional", check_optional};

/* ---- All components. ---- */

/*
 * Upstream: descriptions are known by path, so that a template that is listed twice has the last
 * one everywhere.
 */
static void share_descriptions(struct arena *a, struct result_issue *issue)
{
    struct map *last = map_new(a);

    for (size_t i = 0; i < issue->count; i++)
        if (issue->templates[i].description.len)
            map_set(last, issue->templates[i].path, &issue->templates[i].description);
    for (size_t i = 0; i < issue->count; i++) {
        const str *description = map_get(last, issue->templates[i].path);
        if (description)
            issue->templates[i].description = *description;
    }
}

static int compare_issues(const struct result_issue *x, const struct result_issue *y)
{
    int order = str_cmp(x->part, y->part);

    return order ? order : str_cmp(x->component, y->component);
}

/* Upstream: parts and components of one name overwrite each other; a part does so as a whole. */
static void drop_part(struct results *out, str part, size_t before)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->issues.len; i++)
        if (i >= before || !str_eq(out->issues.items[i].part, part))
            out->issues.items[kept++] = out->issues.items[i];
    out->issues.len = kept;
}

static void add_issue(struct arena *a, struct results *out, const struct result_issue *issue,
                      size_t first)
{
    for (size_t i = first; i < out->issues.len; i++)
        if (str_eq(out->issues.items[i].component, issue->component)) {
            out->issues.items[i] = *issue;
            return;
        }
    VEC_PUSH(a, &out->issues, *issue);
}

static void check_component(struct arena *a, const struct reference *r, const struct part *part,
                            const struct component *c, const struct map *matches, size_t first,
                            struct results *out)
{
    struct result_issue issue = {.part = part->name, .component = c->name};
    size_t *counts = ARENA_ARRAY(a, size_t, c->count);

    issue.templates = ARENA_ARRAY(a, struct result_template, c->count);
    for (size_t i = 0; i < c->count; i++) {
        const size_t *n = map_get(matches, r->templates.items[c->first + i].path);
        counts[i] = n ? *n : 0;
    }
    size_t missing = c->rule->check(&r->templates.items[c->first], counts, c->count, &issue);
    out->missing += missing;
    issue.lacks = missing > 0;
    if (issue.count > 1)
        share_descriptions(a, &issue);
    if (issue.count)
        add_issue(a, out, &issue, first);
}

static int order_issues(const void *x, const void *y)
{
    return compare_issues(x, y);
}

void issues_find(struct arena *a, const struct reference *r, const struct map *matches,
                 struct results *out)
{
    for (size_t i = 0; i < r->parts.len; i++) {
        const struct part *part = &r->parts.items[i];
        size_t first = out->issues.len;
        for (size_t k = 0; k < part->components.len; k++)
            check_component(a, r, part, &part->components.items[k], matches, first, out);
        if (out->issues.len > first)
            drop_part(out, part->name, first);
    }
    if (out->issues.len)
        qsort(out->issues.items, out->issues.len, sizeof(*out->issues.items), order_issues);
}
