/* SPDX-License-Identifier: Apache-2.0 */
/* replace.c - replacing matches, and the templates of replacements; see regex.h. */
#include "regex/internal.h"

/* ---- Templates ---- */

/* The longest run of letters, digits and underscores. */
static size_t name_len(str s)
{
    size_t len = 0, width;

    for (; len < s.len; len += width) {
        uint32_t r = utf8_decode(str_from(s, len), &width);
        if (!unicode_is_letter(r) && !unicode_is_digit(r) && r != '_')
            break;
    }
    return len;
}

/* The name after a $: "name" or "{name}" at the start of *rest, which is moved past it. */
static bool take_name(str *rest, str *name)
{
    bool braced = str_has_prefix(*rest, STR("{"));
    str s = str_from(*rest, braced);
    size_t len = name_len(s);

    if (!len || (braced && (len == s.len || s.ptr[len] != '}')))
        return false;
    *name = str_slice(s, 0, len);
    *rest = str_from(s, len + braced);
    return true;
}

/* A number without leading zeros is a group by position. Anything else is a name. */
static bool group_number(str name, size_t *out)
{
    uint64_t number;

    if ((name.len > 1 && name.ptr[0] == '0') || name.len > 9 || !str_to_u64(name, &number))
        return false;
    *out = number;
    return true;
}

/* Of several groups with the same name, the first that took part. */
static struct span find_group(const struct regex *re, str name, const struct span *spans)
{
    static const struct span none = {STR_NPOS, STR_NPOS};
    size_t number;

    if (group_number(name, &number))
        return number <= re->groups ? spans[number] : none;
    for (size_t i = 1; i <= re->groups; i++)
        if (str_eq(re->names[i], name) && spans[i].from != STR_NPOS)
            return spans[i];
    return none;
}

void regex_expand(const struct regex *re, str template_, str text, const struct span *spans,
                  struct buf *out)
{
    str before, rest, name;

    while (str_cut(template_, STR("$"), &before, &rest)) {
        buf_add(out, before);
        template_ = rest;
        if (str_has_prefix(rest, STR("$"))) {
            buf_char(out, '$');
            template_ = str_from(rest, 1);
        } else if (!take_name(&template_, &name)) {
            buf_char(out, '$');
        } else {
            struct span span = find_group(re, name, spans);
            if (span.from != STR_NPOS)
                buf_add(out, str_slice(text, span.from, span.to));
        }
    }
    buf_add(out, template_);
}

/* ---- Replacing ---- */

/*
 * Goes from match to match as Go does. An empty match right after another is skipped, as in
 * regex_find_all.
 */
static void replace(const struct regex *re, str text, str with, bool literal, struct buf *out)
{
    AUTO_ARENA scratch = arena_new();
    literal = literal || str_find_char(with, '$') == STR_NPOS;
    struct spans all = regex_find_all(scratch, re, text, -1, literal ? 1 : re->groups + 1);
    size_t from = 0;

    for (size_t i = 0; i < all.count; i++) {
        const struct span *spans = &all.items[i * all.stride];
        buf_add(out, str_slice(text, from, spans[0].from));
        if (literal)
            buf_add(out, with);
        else
            regex_expand(re, with, text, spans, out);
        from = spans[0].to;
    }
    buf_add(out, str_from(text, from));
}

void regex_replace(const struct regex *re, str text, str with, struct buf *out)
{
    replace(re, text, with, false, out);
}

void regex_replace_literal(const struct regex *re, str text, str with, struct buf *out)
{
    replace(re, text, with, true, out);
}
