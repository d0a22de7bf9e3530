/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm_text.c - the text of a chart's template: that of the reference, with capture groups replaced
 * by their defaults and lookups by values, in a loop over the objects of values.yaml.
 */
#include "compare/helm_internal.h"
#include "compare/inline.h"
#include "compare/nested.h"

#define SPACE " \t\n\v\f\r"

str helm_component(struct arena *a, str path)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    path = str_without_suffix(str_without_suffix(path, STR(".yaml")), STR(".yml"));
    for (size_t i = 0; i < path.len; i++)
        buf_char(&b, str_find_char(STR("/-."), path.ptr[i]) == STR_NPOS ? path.ptr[i] : '_');
    return buf_str(&b);
}

/* A part of a text, from and to in bytes. */
struct span {
    size_t from, to;
};

static str span_text(str text, struct span s)
{
    return str_slice(text, s.from, s.to);
}

/* ---- Capture groups. ---- */

/* The mapping of defaults in the values of a component, or NULL; *owner is what holds it. */
static struct value *group_defaults(const struct value *values, str component, struct value **owner)
{
    struct value *list = value_get(values, component);

    *owner = value_at(list, 0);
    struct value *defaults = value_get(*owner, STR("captureGroup_defaults"));
    return value_is(defaults, VALUE_OBJECT) && defaults->len ? defaults : NULL;
}

static str replace_groups(struct arena *a, str text, str component, const struct value *defaults,
                          struct buf *note)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct span group;
    size_t at = 0;
    str name;

    for (; group_next(text, at, &group, &name); at = group.to) {
        const struct value *v = value_get(defaults, name);
        struct buf shown = buf_new(a, BUF_UNLIMITED);
        buf_add(&out, str_slice(text, at, group.from));
        if (!v) {
            buf_add(&out, span_text(text, group));
            continue;
        }
        go_print(&shown, v, true);
        buf_add(&out, buf_str(&shown));
        buf_fmt(note,
                "  %.*s replacing CaptureGroup (?<%.*s>...) at [%zu:%zu] with default: %.*s\n",
                STR_ARG(component), STR_ARG(name), group.from, group.to, STR_ARG(buf_str(&shown)));
    }
    buf_add(&out, str_from(text, at));
    return buf_str(&out);
}

static str apply_groups(struct arena *a, const struct template *t, str text, str component,
                        const struct value *values, struct buf *note)
{
    struct value *owner, *defaults;

    if (!t->per_field.len)
        return text;
    defaults = group_defaults(values, component, &owner);
    if (!defaults)
        return text;
    text = replace_groups(a, text, component, defaults, note);
    value_unset(owner, STR("captureGroup_defaults"));
    return text;
}

/* ---- Lookups. ---- */

/*
 * How many parentheses may be found not to close. Each costs a look at the rest of the text, and no
 * text that was parsed has more of them than comments can hold.
 */
#define UNCLOSED_MAX 100

struct scan {
    str text;
    size_t at;
    unsigned unclosed;
};

struct lookup {
    struct span at;
    bool many; /* lookupCRs */
    str key;
};

static bool is_space(char c)
{
    return str_find_char(STR(SPACE), c) != STR_NPOS;
}

/* Behind the quote that closes a string which begins at from; 0: none does. */
static size_t end_of_quoted(str text, size_t from)
{
    for (size_t i = from + 1; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            i++;
        else if (text.ptr[i] == '"')
            return i + 1;
    }
    return 0;
}

/* The same for parentheses; quotes are not seen. */
static size_t end_of_parens(str text, size_t from)
{
    size_t depth = 0;

    for (size_t i = from; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            i++;
        else if (text.ptr[i] == '(')
            depth++;
        else if (text.ptr[i] == ')' && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* Moves *at behind the next word. False when there is none, or none that ends. */
static bool skip_word(struct scan *s, size_t *at)
{
    str text = s->text;
    size_t i = *at;

    while (i < text.len && is_space(text.ptr[i]))
        i++;
    if (i == text.len)
        return false;
    if (text.ptr[i] == '"')
        i = end_of_quoted(text, i);
    else if (text.ptr[i] == '(')
        i = s->unclosed < UNCLOSED_MAX ? end_of_parens(text, i) : 0;
    if (!i) {
        s->unclosed++;
        return false;
    }
    while (i < text.len && !is_space(text.ptr[i]))
        i++;
    *at = i;
    return true;
}

static bool skip_words(struct scan *s, size_t *at, int count)
{
    while (count > 0 && skip_word(s, at))
        count--;
    return !count;
}

/* A name made of a call: what is no letter or digit is "_", not repeated and not at the end. */
static str key_of(struct arena *a, str call)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < call.len; i++) {
        char c = call.ptr[i], lower = (char)(c | 0x20);
        bool usual = (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z');
        if (usual)
            buf_char(&b, c);
        else if (!b.len || b.data[b.len - 1] != '_')
            buf_char(&b, '_');
    }
    str key = buf_str(&b);
    return str_without_suffix(key, STR("_"));
}

/* The next call. */
static bool next_lookup(struct arena *a, struct scan *s, struct lookup *out)
{
    const str word = STR("lookupCR");
    size_t found;

    while ((found = str_find(str_from(s->text, s->at), word)) != STR_NPOS) {
        size_t from = s->at + found, end = from + word.len;
        s->at = end;
        out->many = end < s->text.len && s->text.ptr[end] == 's';
        if (out->many)
            end++;
        else if (end == s->text.len || !is_space(s->text.ptr[end]))
            continue;
        if (!skip_words(s, &end, 4))
            continue;
        out->at = (struct span){from, end};
        out->key = key_of(a, span_text(s->text, out->at));
        s->at = end;
        return true;
    }
    return false;
}

static void tell_lookups(str text, str component, const struct lookup *lookups, size_t count,
                         struct buf *note)
{
    if (!count)
        return;
    buf_fmt(note, "  %.*s detected %zu lookups: [", STR_ARG(component), count);
    for (size_t i = 0; i < count; i++)
        buf_fmt(note, "%s{%.*s %s %.*s %zu %zu}", i ? " " : "",
                STR_ARG(span_text(text, lookups[i].at)), lookups[i].many ? "true" : "false",
                STR_ARG(lookups[i].key), lookups[i].at.from, lookups[i].at.to);
    buf_add(note, STR("]\n"));
}

static str apply_lookups(struct arena *a, str text, str component, struct buf *note)
{
    VEC(struct lookup) lookups = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct scan scan = {.text = text};
    struct lookup l;
    size_t at = 0;

    while (next_lookup(a, &scan, &l))
        VEC_PUSH(a, &lookups, l);
    tell_lookups(text, component, lookups.items, lookups.len, note);
    for (size_t i = 0; i < lookups.len; i++) {
        struct span s = lookups.items[i].at;
        str instead = str_fmt(a, "($.Values.global.lookup_substitutions.%.*s)",
                              STR_ARG(lookups.items[i].key));
        buf_fmt(note, "  %.*s replacing {{ %.*s }} at [%zu:%zu] with %.*s\n", STR_ARG(component),
                STR_ARG(span_text(text, s)), s.from, s.to, STR_ARG(instead));
        buf_add(&out, str_slice(text, at, s.from));
        buf_add(&out, instead);
        at = s.to;
    }
    buf_add(&out, str_from(text, at));
    return buf_str(&out);
}

/* ---- The whole. ---- */

str helm_text(struct arena *a, const struct template *t, str text, struct value *values,
              struct buf *note)
{
    str component = helm_component(a, t->path);
    struct buf out = buf_new(a, BUF_UNLIMITED);

    text = apply_groups(a, t, text, component, values, note);
    text = apply_lookups(a, text, component, note);
    buf_fmt(&out,
            "{{- $values := list (dict)}}\n"
            "{{- if .Values.%.*s}}\n"
            "{{- $values = .Values.%.*s }}\n"
            "{{- end }}\n"
            "{{- range $values -}}\n"
            "---\n",
            STR_ARG(component), STR_ARG(component));
    buf_add(&out, text);
    buf_add(&out, STR(" \n{{ end -}}\n"));
    return buf_str(&out);
}
