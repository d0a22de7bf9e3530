/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - the text of a chart's template: that of the reference, with capture groups replaced
 * by their defaults and lookups by values, in a loop over the objects of values.yaml.
 */
#include "base/unicode.h"
#include "compare/helm/internal.h"
#include "compare/pair/inline_internal.h"
#include "compare/nested_internal.h"

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

struct lookup {
    struct span at;
    bool many; /* lookupCRs */
    str key;
};

/* Where white space begins, or with other the rest, at from or later; else the end. */
static size_t find_space(str text, size_t from, bool other)
{
    size_t i = from, width;

    for (; i < text.len; i += width)
        if (unicode_is_space(utf8_decode(str_from(text, i), &width)) != other)
            break;
    return i;
}

/*
 * Behind the word that begins at from; 0: it does not end. A quoted word and one in parentheses may
 * hold white space; what follows their end belongs to them. Upstream: quotes in parentheses are not
 * seen, and a word that begins with a closing parenthesis ends with an opening one.
 */
static size_t end_of_word(str text, size_t from)
{
    bool quoted = false;
    long depth = 0;

    for (size_t i = from; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\\')
            i++;
        else if (c == '"' && !depth)
            quoted = !quoted;
        else if ((c == '(' || c == ')') && !quoted)
            depth += c == '(' ? 1 : -1;
        if (!depth && !quoted)
            return find_space(text, i, false);
    }
    return 0;
}

/* Moves *at behind the next words. False when there are less, or one of them does not end. */
static bool skip_words(str text, size_t *at, int count)
{
    for (; count > 0; count--) {
        size_t from = find_space(text, *at, true);
        *at = end_of_word(text, from);
        if (!*at)
            return false;
    }
    return true;
}

/* A name made from a call: runs of other characters than letters and digits become one "_". */
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

/* The next call. Upstream: behind one with too few words nothing is looked at. */
static bool next_lookup(struct arena *a, str text, size_t *at, struct lookup *out)
{
    const str word = STR("lookupCR");
    size_t found;

    while (*at < text.len && (found = str_find(str_from(text, *at), word)) != STR_NPOS) {
        size_t from = *at + found, end = from + word.len;
        char c = end < text.len ? text.ptr[end] : 'x';
        out->many = c == 's';
        *at = end + 1;
        if (!out->many && !unicode_is_space((uint8_t)c))
            continue;
        if (out->many)
            end++;
        if (!skip_words(text, &end, 4))
            return false;
        out->at = (struct span){from, end};
        out->key = key_of(a, span_text(text, out->at));
        *at = end;
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
    struct lookup l;
    size_t at = 0, next = 0;

    while (next_lookup(a, text, &next, &l))
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
