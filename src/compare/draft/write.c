/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - writes a merged tree as a template.
 *
 * The tree is written as YAML, and each hole becomes an expression that takes the value from the
 * object and writes it as JSON. A template is also run with an empty object, so every step must
 * cope with missing values: chains of fields do; for list elements range is used, and for members
 * whose names are not identifiers, index inside with.
 */
#include "compare/draft/internal.h"
#include "go/quote.h"
#include "text/yaml/yaml.h"
#include "value/path.h"

/* The way to a place: what comes before and behind, and the expression for the place itself. */
struct way {
    struct arena *arena;
    struct buf before;
    size_t ends; /* blocks that are open */
    str at;      /* "." or a variable, with fields */
};

static bool is_identifier(str key)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return key.len > 0;
}

static void add_field(struct way *w, str key)
{
    w->at = str_fmt(w->arena, "%.*s%s%.*s", STR_ARG(w->at), str_eq(w->at, STR(".")) ? "" : ".",
                    STR_ARG(key));
}

/* Not a loop up to the index: templates of long lists would take too many steps. */
static void go_to_element(struct way *w, size_t index)
{
    buf_fmt(&w->before, "{{ with $v%zu := %.*s }}{{ if gt (len $v%zu) %zu }}", w->ends,
            STR_ARG(w->at), w->ends, index);
    w->at = str_fmt(w->arena, "(index $v%zu %zu)", w->ends, index);
    w->ends += 2;
}

/* index gives the value, which is only looked into when there is one. */
static void go_to_member(struct way *w, str key, bool last)
{
    str quoted = go_quoted(w->arena, key);

    buf_fmt(&w->before, "{{ with $v%zu := %.*s }}", w->ends, STR_ARG(w->at));
    w->at = str_fmt(w->arena, "index $v%zu %.*s", w->ends, STR_ARG(quoted));
    w->ends++;
    if (last)
        return;
    buf_fmt(&w->before, "{{ with $v%zu := %.*s }}", w->ends, STR_ARG(w->at));
    w->at = str_fmt(w->arena, "$v%zu", w->ends);
    w->ends++;
}

static struct way way_to(struct arena *a, const struct path *path, size_t steps)
{
    struct way w = {.arena = a, .before = buf_new(a, BUF_UNLIMITED), .at = STR(".")};

    for (size_t i = 0; i < steps; i++) {
        const struct step *s = &path->steps[i];
        if (s->kind == STEP_INDEX)
            go_to_element(&w, s->index);
        else if (is_identifier(s->key))
            add_field(&w, s->key);
        else
            go_to_member(&w, s->key, i + 1 == steps);
    }
    return w;
}

static void add_ends(struct buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add(out, STR("{{ end }}"));
}

/* ---- Expressions. ---- */

static void add_value(struct arena *a, const struct hole *h, struct buf *out)
{
    struct way w = way_to(a, &h->path, h->path.len);

    buf_add(out, buf_str(&w.before));
    buf_fmt(out, "{{ %.*s | toJson }}", STR_ARG(w.at));
    add_ends(out, w.ends);
}

/* The line of a member, only where the object has the member. */
static void add_optional(struct arena *a, const struct hole *h, str line, struct buf *out)
{
    const struct step *last = &h->path.steps[h->path.len - 1];
    struct way w = way_to(a, &h->path, h->path.len - 1);
    bool plain = str_eq(w.at, STR(".")) || !str_has_prefix(w.at, STR("index "));

    buf_add(out, STR("{{- "));
    buf_add(out, str_from(buf_str(&w.before), w.before.len ? 3 : 0));
    buf_fmt(out, "%sif hasKey (default (dict) %s%.*s%s) %.*s }}\n", w.before.len ? "{{ " : "",
            plain ? "" : "(", STR_ARG(w.at), plain ? "" : ")", STR_ARG(go_quoted(a, last->key)));
    buf_add(out, line);
    add_value(a, h, out);
    buf_add(out, STR("\n{{- end }}"));
    add_ends(out, w.ends);
    buf_char(out, '\n');
}

/* ---- The text. ---- */

/* What looks like an action in an object is written by one. */
static void add_literal(struct buf *out, str text)
{
    str before;

    while (str_cut(text, STR("{{"), &before, &text)) {
        buf_add(out, before);
        buf_add(out, STR("{{ \"{{\" }}"));
    }
    buf_add(out, before);
}

/* The hole in a line and what stands before it. */
static const struct hole *find_hole(const struct holes *holes, str line, str *before)
{
    str rest;
    uint64_t index;

    if (!str_cut(line, holes->mark, before, &rest))
        return NULL;
    str_cut(rest, STR("x"), &rest, &line);
    return str_to_u64(rest, &index) && index < holes->len ? &holes->items[index] : NULL;
}

static void add_line(struct arena *a, const struct holes *holes, str line, struct buf *out)
{
    struct buf literal = buf_new(a, BUF_UNLIMITED);
    str before = line;
    const struct hole *h = find_hole(holes, line, &before);

    add_literal(&literal, before);
    if (h && h->optional) {
        add_optional(a, h, buf_str(&literal), out);
        return;
    }
    buf_add(out, buf_str(&literal));
    if (h)
        add_value(a, h, out);
    buf_char(out, '\n');
}

bool draft_template(struct arena *a, const struct value *merged, const struct holes *holes,
                    struct buf *out, struct err *e)
{
    struct buf yaml = buf_new(a, BUF_UNLIMITED);
    str line, rest;

    if (!yaml_write(&yaml, merged, NUMBERS_PLAIN, e))
        return false;
    rest = buf_str(&yaml);
    while (str_next_line(&rest, &line))
        add_line(a, holes, line, out);
    return true;
}
