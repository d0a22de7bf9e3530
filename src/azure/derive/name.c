/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.c - spells names: identifiers, references, plurals.
 *
 * Upstream: the reference operator makes Go identifiers of ARM names and compares those, so names
 * are cut into words as it does: at blanks, at changes from lower to upper case, before the last
 * capital of an acronym, and between letters and digits.
 */
#include "azure/derive/internal.h"

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}
static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static bool is_word(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c) || (unsigned char)c >= 0x80;
}

/* Whether a new word begins at i, which is inside a word. */
static bool word_begins(str s, size_t i)
{
    char c = s.ptr[i];
    bool after_lower = is_lower(s.ptr[i - 1]);
    bool before_lower = i + 1 < s.len && is_lower(s.ptr[i + 1]);

    return (is_upper(c) && (after_lower || before_lower)) || is_digit(c) != is_digit(s.ptr[i - 1]);
}

static char upper(char c)
{
    return is_lower(c) ? (char)(c - 'a' + 'A') : c;
}
static char lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* Appends one word: all lowercase, or with a capital first letter. */
static void add_word(struct buf *out, str word, bool small)
{
    for (size_t i = 0; i < word.len; i++)
        buf_char(out, small ? lower(word.ptr[i]) : i == 0 ? upper(word.ptr[i]) : word.ptr[i]);
}

/* Appends the words of a part without underscores. small: the first one in lowercase. */
static void add_words(struct buf *out, str part, bool small)
{
    size_t begin = 0;

    for (size_t i = 0; i <= part.len; i++) {
        bool end = i == part.len || !is_word(part.ptr[i]);
        if (!end && (i == begin || !word_begins(part, i)))
            continue;
        if (i > begin) {
            add_word(out, str_slice(part, begin, i), small);
            small = false;
        }
        begin = end ? i + 1 : i;
    }
}

/* Names that words would spell badly. */
static const struct {
    str name, identifier;
} special[] = {
    {STR_INIT("$schema"), STR_INIT("Schema")},
    {STR_INIT("*"), STR_INIT("Star")},
    {STR_INIT("apiVersion"), STR_INIT("APIVersion")},
};

str name_identifier(struct arena *a, str name, bool exported)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    bool small = !exported;
    str part;

    name = str_trim_set(name, STR("_"));
    for (size_t i = 0; i < COUNT(special); i++) {
        if (!str_eq(special[i].name, name))
            continue;
        buf_add(&out, special[i].identifier);
        out.data[0] = exported ? out.data[0] : lower(out.data[0]);
        return buf_str(&out);
    }
    for (bool more = true; more; small = false) {
        more = str_cut(name, STR("_"), &part, &name);
        size_t before = out.len;
        if (before)
            buf_char(&out, '_');
        size_t begun = out.len;
        add_words(&out, part, small);
        if (out.len == begun)
            buf_truncate(&out, before);
    }
    return buf_str(&out);
}

/* Without a final Id, ID, Ids or IDs; the name itself when it has none. */
static str without_id(str s)
{
    str t = str_without_suffix(s, STR("s"));

    if (str_has_suffix(t, STR("Id")) || str_has_suffix(t, STR("ID")))
        return str_slice(t, 0, t.len - 2);
    return s;
}

str name_reference(struct arena *a, str name, bool many)
{
    str suffix = many ? STR("References") : STR("Reference");
    str s = name_identifier(a, name, true);

    if (str_eq_fold(s, STR("id")))
        return name_identifier(a, suffix, false);
    if (str_eq_fold(s, suffix))
        return name_identifier(a, s, false);
    return name_identifier(a, str_concat(a, without_id(s), suffix), false);
}

static bool ends_in_one_of(str s, const str *ends, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_has_suffix(s, ends[i]))
            return true;
    return false;
}

static bool is_vowel(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

static const str hissing[] = {STR_INIT("s"), STR_INIT("x"), STR_INIT("z"), STR_INIT("ch"),
                              STR_INIT("sh")};

str name_plural(struct arena *a, str kind)
{
    str k = str_lower(a, kind);

    if (k.len > 1 && str_has_suffix(k, STR("y")) && !is_vowel(k.ptr[k.len - 2]))
        return str_concat(a, str_slice(k, 0, k.len - 1), STR("ies"));
    return str_concat(a, k, ends_in_one_of(k, hissing, COUNT(hissing)) ? STR("es") : STR("s"));
}

str name_singular(struct arena *a, str word)
{
    str stem = str_without_suffix(word, STR("es"));

    if (str_has_suffix(word, STR("ies")))
        return str_concat(a, str_slice(word, 0, word.len - 3), STR("y"));
    if (stem.len != word.len && ends_in_one_of(stem, hissing, COUNT(hissing)))
        return stem;
    return str_has_suffix(word, STR("ss")) ? word : str_without_suffix(word, STR("s"));
}

str name_last(str path)
{
    return str_from(path, str_rfind_char(path, '/') + 1); /* from 0 when there is no slash */
}

str name_below(struct arena *a, str holder, str prop)
{
    str first = name_identifier(a, name_last(holder), true);

    return str_join(a, (str[]){first, name_identifier(a, prop, true)}, 2, STR("_"));
}
