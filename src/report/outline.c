/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline.c - results in reading order, and short texts about them.
 */
#include "report/internal.h"
#include "text/json/json.h"

/* ---- Names. ---- */

/* A namespace is a DNS label; a name may contain the separator. */
static bool is_label(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && !(s.ptr[i] >= '0' && s.ptr[i] <= '9') &&
            s.ptr[i] != '-')
            return false;
    return s.len > 0 && s.len <= 63;
}

struct object_name object_name_of(str id)
{
    struct object_name n = {0};
    str rest, namespace, name;

    if (!str_cut(id, STR("_"), &n.api, &rest) || !str_cut(rest, STR("_"), &n.kind, &rest))
        return (struct object_name){.name = id};
    n.name = rest;
    if (str_cut(rest, STR("_"), &namespace, &name) && is_label(namespace)) {
        n.namespace = namespace;
        n.name = name;
    }
    return n;
}

str counted(struct arena *a, size_t n, const char *thing)
{
    return str_fmt(a, "%zu %s%s", n, thing, n == 1 ? "" : "s");
}

const char *result_kind_name(enum result_kind kind)
{
    static const char *const names[] = {
        [RESULT_CHANGED] = "changed", [RESULT_MISSING] = "missing", [RESULT_EXTRA] = "extra"};

    return names[kind];
}

/* Goes back to the start of a code point. */
static size_t rune_start(str s, size_t at)
{
    while (at > 0 && ((unsigned char)s.ptr[at] & 0xC0) == 0x80)
        at--;
    return at;
}

str field_text(struct arena *a, const struct value *v, size_t max)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!v)
        return STR("absent");
    if (!json_write(&out, v, &json_exact, &e))
        return STR("?");
    str text = buf_str(&out);
    if (text.len <= max)
        return text;
    return str_fmt(a, "%.*s…", STR_ARG(str_slice(text, 0, rune_start(text, max))));
}

str field_change(struct arena *a, const struct result_field *f, size_t max)
{
    str expected = field_text(a, f->expected, max), actual = field_text(a, f->actual, max);

    if (f->kind == RESULT_EXTRA)
        return str_concat(a, actual, STR(", not expected"));
    actual = f->kind == RESULT_MISSING ? STR("missing") : actual;
    return str_fmt(a, "%.*s, expected %.*s", STR_ARG(actual), STR_ARG(expected));
}

str issue_words(const struct result_issue *issue)
{
    return str_eq(issue->message, STR("Missing CRs")) ? STR("missing from the cluster")
                                                      : issue->message;
}

str headline(struct arena *a, const struct results *r)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (r->total == 0)
        buf_add(&out, STR("No object was compared"));
    else if (r->differing)
        buf_fmt(&out, "%zu of %s differ%s", r->differing, str_z(a, counted(a, r->total, "object")),
                r->differing == 1 ? "s" : "");
    else if (r->total == 1)
        buf_add(&out, STR("1 object as expected"));
    else
        buf_fmt(&out, "All %zu objects as expected", r->total);
    if (r->missing)
        buf_fmt(&out, ", %zu missing from the cluster", r->missing);
    if (results_unmatched(r))
        buf_fmt(&out, ", %zu " UNMATCHED_WORDS, results_unmatched(r));
    return buf_str(&out);
}

/* ---- Differences. ---- */

struct diff_lines diff_lines_of(str text)
{
    struct diff_lines d = {.rest = text};
    str rest = text, line;

    while (str_has_prefix(rest, STR("diff ")) || str_has_prefix(rest, STR("--- ")) ||
           str_has_prefix(rest, STR("+++ ")))
        if (!str_next_line(&rest, &line))
            break;
    if (str_has_prefix(rest, STR("@@ "))) {
        d.rest = rest;
        d.hunks = true;
    }
    return d;
}

bool diff_lines_next(struct diff_lines *d, str *line)
{
    return str_next_line(&d->rest, line);
}

str diff_alike_key(struct arena *a, const struct result_diff *d)
{
    struct buf key = buf_new(a, BUF_UNLIMITED);

    if (!d->fields.len || d->fields.cut || d->patched)
        return STR_NONE;
    buf_add(&key, d->template);
    for (size_t i = 0; i < d->fields.len; i++) {
        const struct result_field *f = &d->fields.items[i];
        buf_char(&key, 0);
        buf_add(&key, f->path);
        buf_char(&key, (char)f->kind);
        buf_add(&key, field_text(a, f->expected, SIZE_MAX));
        buf_char(&key, 0);
        buf_add(&key, field_text(a, f->actual, SIZE_MAX));
    }
    return buf_str(&key);
}

struct diff_count diff_count_lines(str text)
{
    struct diff_lines d = diff_lines_of(text);
    struct diff_count n = {0};
    str line;

    while (d.hunks && diff_lines_next(&d, &line)) {
        n.added += str_has_prefix(line, STR("+"));
        n.removed += str_has_prefix(line, STR("-"));
    }
    return n;
}

/* ---- Groups. ---- */

struct builder {
    struct arena *arena;
    struct outline outline;
    struct map *places; /* part, NUL, component to index + 1 */
};

static struct group *group_at(struct builder *b, str part, str component)
{
    str key = str_fmt(b->arena, "%.*s%c%.*s", STR_ARG(part), 0, STR_ARG(component));
    uintptr_t at = (uintptr_t)map_get(b->places, key);

    if (at)
        return &b->outline.items[at - 1];
    struct group *g = VEC_ADD(b->arena, &b->outline);
    g->part = part;
    g->component = component;
    map_set(b->places, key, (void *)(uintptr_t)b->outline.len);
    return g;
}

/* The original's reports do not have the part: use the folder of the template. */
static struct group *group_of_diff(struct builder *b, const struct result_diff *d)
{
    size_t slash = str_rfind_char(d->template, '/');

    if (d->part.len || d->component.len)
        return group_at(b, d->part, d->component);
    return group_at(b, STR("Templates"),
                    slash == STR_NPOS ? STR("reference") : str_slice(d->template, 0, slash));
}

static int entry_rank(const struct entry *e)
{
    if (e->issue)
        return 0;
    if (diff_is_finding(e->diff))
        return 1;
    return e->diff->patched ? 2 : 3;
}

static int compare_entries(const void *x, const void *y)
{
    const struct entry *p = x, *q = y;
    int order = entry_rank(p) - entry_rank(q);

    if (order || p->issue)
        return order;
    order = str_cmp(p->diff->object, q->diff->object);
    if (order)
        return order;
    return p->diff < q->diff ? -1 : p->diff > q->diff;
}

static int compare_groups(const void *x, const void *y)
{
    const struct group *p = x, *q = y;
    int order = str_cmp(p->part, q->part);

    return order ? order : str_cmp(p->component, q->component);
}

struct outline outline_of(struct arena *a, const struct results *r)
{
    struct builder b = {.arena = a, .places = map_new(a)};

    for (size_t i = 0; i < r->issues.len; i++) {
        const struct result_issue *issue = &r->issues.items[i];
        struct group *g = group_at(&b, issue->part, issue->component);
        VEC_PUSH(a, &g->entries, (struct entry){.issue = issue});
        g->findings++;
    }
    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *d = &r->diffs.items[i];
        struct group *g = group_of_diff(&b, d);
        VEC_PUSH(a, &g->entries, (struct entry){.diff = d});
        g->findings += diff_is_finding(d);
    }
    for (size_t i = 0; i < b.outline.len; i++)
        qsort(b.outline.items[i].entries.items, b.outline.items[i].entries.len,
              sizeof(struct entry), compare_entries);
    if (b.outline.len)
        qsort(b.outline.items, b.outline.len, sizeof(struct group), compare_groups);
    return b.outline;
}
