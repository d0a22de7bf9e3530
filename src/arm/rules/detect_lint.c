/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect_lint.c - checks api/rules/detect.json: rules about members of single kinds, for the
 * comparison.
 */
#include "arm/rules/internal.h"

#include "base/map.h"
#include "text/json/json.h"

struct line {
    str group, kind, is, mode, source;
    struct str_list at, rules;
};

static bool read_is(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"children", 0}, {"fold", 1}, {"hidden", 2},
                                              {"json", 3},     {"xml", 4},  {0}};
    int word;

    return fields_word(f, v, words, &word) && fields_text(f, v, out);
}

static bool read_mode(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"correct", 0}, {"put-only", 1}, {"report", 2}, {0}};
    int word;

    return fields_word(f, v, words, &word) && fields_text(f, v, out);
}

/* What an entry must have besides its kind and its source; NULL: nothing is missing. */
static const char *lacks(str list, const struct line *line)
{
    if (str_eq(list, STR("off")))
        return line->rules.len ? NULL : "rules";
    if (str_eq(list, STR("modes")))
        return line->mode.len ? NULL : "mode";
    return line->is.len && line->at.len ? NULL : "at and is";
}

static bool read_lines(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"at", rules_read_texts, offsetof(struct line, at)},
        {"group", fields_text, offsetof(struct line, group)},
        {"is", read_is, offsetof(struct line, is)},
        {"kind", fields_text, offsetof(struct line, kind)},
        {"mode", read_mode, offsetof(struct line, mode)},
        {"rules", rules_read_texts, offsetof(struct line, rules)},
        {"source", fields_text, offsetof(struct line, source)},
        {0},
    };
    struct rules_findings *found = f->ctx;
    struct map *seen = map_new(f->arena);

    if (!value_is(v, VALUE_LIST))
        return fields_fail(f, v, "%.*s must be a list", STR_ARG(value_key(v)));
    for (size_t i = 0; i < v->len; i++) {
        struct line line = {0};
        if (!fields_read(f, &v->items[i], fields, &line))
            return false;
        if (!line.group.len || !line.kind.len || !line.source.len)
            return fields_fail(f, &v->items[i], "a line needs group, kind and source");
        const char *lacking = lacks(value_key(v), &line);
        if (lacking)
            return fields_fail(f, &v->items[i], "a line needs %s", lacking);
        str place = str_fmt(f->arena, "%.*s/%.*s/%.*s", STR_ARG(line.group), STR_ARG(line.kind),
                            STR_ARG(str_join(f->arena, line.at.items, line.at.len, STR("/"))));
        if (map_set(seen, place, found))
            rules_found(found, &v->items[i], "there is a line for the same place before");
    }
    *(size_t *)out += v->len;
    return true;
}

static bool read_name(struct fields *f, const struct value *v, void *out)
{
    (void)out;
    return str_eq(value_str(v), STR("detect")) || fields_fail(f, v, "rules must be \"detect\"");
}

bool detect_lint(struct rules_findings *found, size_t *count, struct err *e)
{
    static const struct field fields[] = {{"members", read_lines, 0},
                                          {"modes", read_lines, 0},
                                          {"off", read_lines, 0},
                                          {"rules", read_name, 0},
                                          {0}};
    struct fields f = {.arena = found->arena, .source = found->source, .e = e, .ctx = found};
    struct value *root;

    return json_read(found->arena, found->source, NULL, &root, e) &&
           fields_read(&f, root, fields, count);
}
