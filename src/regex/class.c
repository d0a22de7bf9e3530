/* SPDX-License-Identifier: Apache-2.0 */
/* class.c - sets of characters and escapes in patterns; see internal.h. */
#include "regex/internal.h"

#include "go/strconv.h"

static const char bad_range[] = "invalid character class range";

/* ---- Sets with names ---- */

/* Named sets such as [:word:] and \w; each has up to four ranges. */
struct named_set {
    str name;
    uint8_t count;
    struct unicode_range ranges[4];
};

static const struct named_set posix_sets[] = {
    {STR_INIT("alnum"), 3, {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {STR_INIT("alpha"), 2, {{'A', 'Z'}, {'a', 'z'}}},
    {STR_INIT("ascii"), 1, {{0, 0x7F}}},
    {STR_INIT("blank"), 2, {{'\t', '\t'}, {' ', ' '}}},
    {STR_INIT("cntrl"), 2, {{0, 0x1F}, {0x7F, 0x7F}}},
    {STR_INIT("digit"), 1, {{'0', '9'}}},
    {STR_INIT("graph"), 1, {{'!', '~'}}},
    {STR_INIT("lower"), 1, {{'a', 'z'}}},
    {STR_INIT("print"), 1, {{' ', '~'}}},
    {STR_INIT("punct"), 4, {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {STR_INIT("space"), 2, {{'\t', '\r'}, {' ', ' '}}},
    {STR_INIT("upper"), 1, {{'A', 'Z'}}},
    {STR_INIT("word"), 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {STR_INIT("xdigit"), 3, {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

static const struct named_set perl_sets[] = {
    {STR_INIT("d"), 1, {{'0', '9'}}},
    {STR_INIT("s"), 3, {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
    {STR_INIT("w"), 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
};

static const struct named_set *find_set(const struct named_set *sets, size_t count, str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(sets[i].name, name))
            return &sets[i];
    return NULL;
}

/* Folding a large set takes a while, and patterns repeat themselves: each set is folded once. */
struct folded_set {
    const struct unicode_range *of;
    struct ranges ranges;
    struct folded_set *next;
};

static struct unicode_set fold_once(struct parser *p, struct unicode_set set)
{
    struct folded_set *f = p->folded;

    while (f && f->of != set.ranges)
        f = f->next;
    if (!f) {
        f = ARENA_NEW(p->arena, struct folded_set);
        *f = (struct folded_set){set.ranges, rx_ranges_fold_set(p->arena, set), p->folded};
        p->folded = f;
    }
    return rx_ranges_set(&f->ranges);
}

static void add_set(struct parser *p, struct ranges *r, struct unicode_set set, bool negated)
{
    if (p->flags & FLAG_FOLD)
        set = fold_once(p, set);
    rx_ranges_add_set(p->arena, r, set, negated);
}

static void add_named(struct parser *p, struct ranges *r, const struct named_set *set, bool negated)
{
    add_set(p, r, (struct unicode_set){set->ranges, set->count}, negated);
}

enum class_result rx_class_parse_perl(struct parser *p, str *rest, struct ranges *r)
{
    if (rest->len < 2 || rest->ptr[0] != '\\')
        return CLASS_NONE;
    char letter = (char)(rest->ptr[1] | 0x20);
    const struct named_set *set = find_set(perl_sets, COUNT(perl_sets), str_of(&letter, 1));
    if (!set)
        return CLASS_NONE;
    add_named(p, r, set, rest->ptr[1] != letter);
    *rest = str_from(*rest, 2);
    return CLASS_FOUND;
}

/* [:alpha:] and [:^alpha:], inside brackets. Without ":]" it is not a class name. */
static enum class_result parse_posix(struct parser *p, str *rest, struct ranges *r)
{
    if (rest->len <= 2 || rest->ptr[0] != '[' || rest->ptr[1] != ':')
        return CLASS_NONE;
    size_t end = p->no_posix ? STR_NPOS : str_find(str_from(*rest, 2), STR(":]"));
    p->no_posix = end == STR_NPOS;
    if (p->no_posix)
        return CLASS_NONE;
    str name = str_slice(*rest, 2, 2 + end);
    bool negated = str_has_prefix(name, STR("^"));
    const struct named_set *set = find_set(posix_sets, COUNT(posix_sets), str_from(name, negated));
    if (!set) {
        rx_parser_fail(p, bad_range, str_slice(*rest, 0, end + 4));
        return CLASS_FAILED;
    }
    add_named(p, r, set, negated);
    *rest = str_from(*rest, end + 4);
    return CLASS_FOUND;
}

/* Records an error if s has invalid UTF-8. */
static bool check_utf8(struct parser *p, str s)
{
    size_t bad = utf8_find_invalid(s);

    return bad == STR_NPOS || rx_parser_fail(p, "invalid UTF-8", str_from(s, bad));
}

/* The name in \pL or \p{Greek} at the start of *rest, which is moved past it. */
static bool take_unicode_name(struct parser *p, str *rest, str *name)
{
    str s = *rest, after = str_from(s, 2);
    uint32_t r;

    if (!rx_parser_next(p, &after, &r))
        return false;
    *name = str_slice(s, 2, s.len - after.len);
    if (r == '{') {
        size_t end = str_find_char(s, '}');
        if (end == STR_NPOS)
            return check_utf8(p, s) && rx_parser_fail(p, bad_range, s);
        *name = str_slice(s, 3, end);
        after = str_from(s, end + 1);
        if (!check_utf8(p, *name))
            return false;
    }
    *rest = after;
    return true;
}

enum class_result rx_class_parse_unicode(struct parser *p, str *rest, struct ranges *r)
{
    str from = *rest, name;
    struct unicode_set set;
    bool inverted;

    if (from.len < 2 || from.ptr[0] != '\\' || (from.ptr[1] != 'p' && from.ptr[1] != 'P'))
        return CLASS_NONE;
    if (!take_unicode_name(p, rest, &name))
        return CLASS_FAILED;
    bool negated = from.ptr[1] == 'P';
    if (str_has_prefix(name, STR("^"))) {
        negated = !negated;
        name = str_from(name, 1);
    }
    if (!unicode_set_find(name, &set, &inverted)) {
        rx_parser_fail(p, bad_range, str_slice(from, 0, from.len - rest->len));
        return CLASS_FAILED;
    }
    add_set(p, r, set, negated != inverted);
    return CLASS_FOUND;
}

/* ---- Escapes ---- */

static bool is_alnum(uint32_t r)
{
    return (r >= '0' && r <= '9') || (r >= 'A' && r <= 'Z') || (r >= 'a' && r <= 'z');
}

static bool is_octal(str s)
{
    return s.len && s.ptr[0] >= '0' && s.ptr[0] <= '7';
}

/*
 * The result of parsing an escape. *rest is moved past everything that was examined, because the
 * message shows it.
 */
enum escape { ESCAPE_OK, ESCAPE_BAD, ESCAPE_FAILED };

/* Up to three octal digits, the first of which has been taken already. */
static enum escape parse_octal(str *rest, uint32_t *r)
{
    for (int i = 1; i < 3 && is_octal(*rest); i++) {
        *r = *r * 8 + (uint32_t)(rest->ptr[0] - '0');
        *rest = str_from(*rest, 1);
    }
    return ESCAPE_OK;
}

/* Hexadecimal digits up to the closing brace. */
static enum escape parse_braced(struct parser *p, str *rest, uint32_t *r)
{
    uint32_t c = 0;

    *r = 0;
    for (size_t digits = 0; rest->len; digits++) {
        if (!rx_parser_next(p, rest, &c))
            return ESCAPE_FAILED;
        if (c == '}')
            return digits ? ESCAPE_OK : ESCAPE_BAD;
        int digit = go_hex_digit(c);
        if (digit < 0)
            return ESCAPE_BAD;
        *r = *r * 16 + (uint32_t)digit;
        if (*r > RUNE_MAX)
            return ESCAPE_BAD;
    }
    return ESCAPE_BAD;
}

static enum escape parse_hex(struct parser *p, str *rest, uint32_t *r)
{
    uint32_t high, low;

    if (!rest->len)
        return ESCAPE_BAD;
    if (!rx_parser_next(p, rest, &high))
        return ESCAPE_FAILED;
    if (high == '{')
        return parse_braced(p, rest, r);
    if (!rx_parser_next(p, rest, &low))
        return ESCAPE_FAILED;
    if (go_hex_digit(high) < 0 || go_hex_digit(low) < 0)
        return ESCAPE_BAD;
    *r = (uint32_t)(go_hex_digit(high) * 16 + go_hex_digit(low));
    return ESCAPE_OK;
}

static enum escape parse_escaped(struct parser *p, str *rest, uint32_t c, uint32_t *r)
{
    static const char letters[] = "afnrtv", meanings[] = "\a\f\n\r\t\v";
    const char *letter = c && c < 0x80 ? strchr(letters, (int)c) : NULL;

    if (letter) {
        *r = (uint32_t)meanings[letter - letters];
        return ESCAPE_OK;
    }
    *r = c - '0';
    /* A single digit would refer back to a group, which cannot be done in linear time. */
    if (c == '0' || (c >= '1' && c <= '7' && is_octal(*rest)))
        return parse_octal(rest, r);
    if (c == 'x')
        return parse_hex(p, rest, r);
    *r = c;
    return c < 0x80 && !is_alnum(c) ? ESCAPE_OK : ESCAPE_BAD;
}

bool rx_class_parse_escape(struct parser *p, str *rest, uint32_t *r)
{
    str from = *rest;
    uint32_t c;

    *rest = str_from(*rest, 1);
    if (!rest->len)
        return rx_parser_fail(p, "trailing backslash at end of expression", STR(""));
    if (!rx_parser_next(p, rest, &c))
        return false;
    enum escape escape = parse_escaped(p, rest, c, r);
    if (escape == ESCAPE_BAD)
        rx_parser_fail(p, "invalid escape sequence", str_slice(from, 0, from.len - rest->len));
    return escape == ESCAPE_OK;
}

/* ---- Brackets ---- */

static bool parse_char(struct parser *p, str *rest, str bracket, uint32_t *r)
{
    if (!rest->len)
        return rx_parser_fail(p, "missing closing ]", bracket);
    if (rest->ptr[0] == '\\')
        return rx_class_parse_escape(p, rest, r);
    return rx_parser_next(p, rest, r);
}

/* One character, or two with a hyphen between. A hyphen before ] is itself. */
static bool parse_range(struct parser *p, str *rest, str bracket, struct ranges *r)
{
    str from = *rest;
    uint32_t lo = 0, hi;

    if (!parse_char(p, rest, bracket, &lo))
        return false;
    hi = lo;
    if (rest->len >= 2 && rest->ptr[0] == '-' && rest->ptr[1] != ']') {
        *rest = str_from(*rest, 1);
        if (!parse_char(p, rest, bracket, &hi))
            return false;
        if (hi < lo)
            return rx_parser_fail(p, bad_range, str_slice(from, 0, from.len - rest->len));
    }
    if (p->flags & FLAG_FOLD)
        rx_ranges_add_folded(p->arena, r, lo, hi);
    else
        rx_ranges_add(p->arena, r, lo, hi);
    return true;
}

static bool parse_item(struct parser *p, str *rest, str bracket, struct ranges *r)
{
    enum class_result result = parse_posix(p, rest, r);

    if (result == CLASS_NONE)
        result = rx_class_parse_unicode(p, rest, r);
    if (result == CLASS_NONE)
        result = rx_class_parse_perl(p, rest, r);
    if (result == CLASS_NONE)
        return parse_range(p, rest, bracket, r);
    return result == CLASS_FOUND;
}

bool rx_class_parse_bracket(struct parser *p)
{
    str bracket = p->rest, rest = str_from(bracket, 1);
    struct node *n = rx_node_new(p, NODE_CLASS);
    bool negated = str_has_prefix(rest, STR("^"));

    n->flags = p->flags;
    rest = str_from(rest, negated);
    /* A ] that comes first is itself. */
    for (bool first = true; first || !rest.len || rest.ptr[0] != ']'; first = false)
        if (!parse_item(p, &rest, bracket, &n->ranges))
            return false;
    rx_ranges_clean(&n->ranges);
    if (negated)
        rx_ranges_negate(p->arena, &n->ranges);
    p->rest = str_from(rest, 1);
    rx_stack_push(p, n);
    return true;
}
