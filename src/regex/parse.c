/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - parses Go's regular expressions into a tree.
 *
 * The parser keeps a stack of finished parts. A bar or a closing parenthesis turns everything above
 * the last bar or opening parenthesis into one part. Alternatives gather below their bar, which
 * moves up as they come.
 *
 * p->rest is always an end of the pattern; the piece that an error shows is the part between two
 * such ends.
 */
#include "regex/internal.h"

#define REPEAT_MAX 1000
/* Our limit, not Go's: no sane pattern is longer, and compiling takes more than linear time. */
#define PATTERN_MAX (4 * MIB)

static const char bad_repeat[] = "invalid repeat count";

bool rx_parser_fail(struct parser *p, const char *fault, str at)
{
    if (!p->fault) {
        p->fault = fault;
        p->fault_at = at;
    }
    return false;
}

bool rx_parser_next(struct parser *p, str *rest, uint32_t *r)
{
    size_t width;

    if (!rest->len) {
        *r = RUNE_ERROR;
        return true;
    }
    *r = utf8_decode(*rest, &width);
    if (*r == RUNE_ERROR && width == 1)
        return rx_parser_fail(p, "invalid UTF-8", *rest);
    *rest = str_from(*rest, width);
    return true;
}

/* The text between two ends of the pattern. */
static str between(str from, str to)
{
    return str_slice(from, 0, from.len - to.len);
}

/* ---- Parts ---- */

/* The parts above the last bar or parenthesis. */
static size_t open_parts(const struct parser *p)
{
    size_t count = 0;

    for (struct node *n = rx_stack_top(p, 0); n && n->op < NODE_PSEUDO; n = rx_stack_top(p, count))
        count++;
    return count;
}

static void collapse_parts(struct parser *p, enum node_op op)
{
    size_t count = open_parts(p);

    p->stack.len -= count;
    rx_stack_push(p, rx_node_collapse(p, p->stack.items + p->stack.len, count, op));
}

static void concat(struct parser *p)
{
    rx_stack_join_literals(p);
    if (open_parts(p))
        collapse_parts(p, NODE_CONCAT);
    else
        rx_stack_push(p, rx_node_new(p, NODE_EMPTY));
}

static void alternate(struct parser *p)
{
    rx_node_clean(rx_stack_top(p, 0));
    collapse_parts(p, NODE_ALTERNATE);
}

/* Turns two single characters with a bar between into one set; returns whether it did. */
static bool merge_over_bar(struct parser *p)
{
    struct node *top = rx_stack_top(p, 0), *below = rx_stack_top(p, 2);

    if (!below || !rx_node_is_class(top) || !rx_node_is_class(below))
        return false;
    struct node *into = top->op > below->op ? top : below;
    struct node *from = into == top ? below : top;
    p->stack.items[p->stack.len - 3] = into;
    rx_node_merge(p, into, from);
    rx_node_reuse(p, from);
    p->stack.len--;
    return true;
}

/* Moves the top part below the bar that is under it. False when there is no bar. */
static bool sink_below_bar(struct parser *p)
{
    struct node *top = rx_stack_top(p, 0), *bar = rx_stack_top(p, 1);

    if (!bar || bar->op != NODE_VERTICAL_BAR)
        return false;
    if (merge_over_bar(p))
        return true;
    if (rx_stack_top(p, 2))
        rx_node_clean(rx_stack_top(p, 2));
    p->stack.items[p->stack.len - 2] = top;
    p->stack.items[p->stack.len - 1] = bar;
    return true;
}

static void parse_bar(struct parser *p)
{
    concat(p);
    if (!sink_below_bar(p))
        rx_stack_push_op(p, NODE_VERTICAL_BAR);
}

/* Ends a group or the whole: what is above the last parenthesis becomes one part. */
static void close_parts(struct parser *p)
{
    concat(p);
    if (sink_below_bar(p))
        p->stack.len--;
    alternate(p);
}

static bool parse_right_paren(struct parser *p)
{
    close_parts(p);
    struct node *inner = rx_stack_top(p, 0), *paren = rx_stack_top(p, 1);
    if (!paren || paren->op != NODE_LEFT_PAREN)
        return rx_parser_fail(p, "unexpected )", p->whole);
    p->stack.len -= 2;
    p->flags = paren->flags;
    if (!paren->capture) {
        rx_stack_push(p, inner);
        return true;
    }
    paren->op = NODE_CAPTURE;
    paren->subs = ARENA_ARRAY(p->arena, struct node *, 1);
    paren->subs[0] = inner;
    paren->sub_count = 1;
    rx_stack_push(p, paren);
    return true;
}

/* ---- Groups and flags ---- */

static void open_group(struct parser *p, str name)
{
    VEC_PUSH(p->arena, &p->names, name);
    rx_stack_push_op(p, NODE_LEFT_PAREN)->capture = (uint32_t)p->names.len;
}

static bool is_group_name(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c != '_' && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            return false;
    }
    return name.len > 0;
}

/* (?P<name> or (?<name>; skip is the number of bytes before the name. */
static bool parse_named_group(struct parser *p, size_t skip)
{
    static const char bad_name[] = "invalid named capture";
    size_t end = str_find_char(p->rest, '>');
    str name = str_slice(p->rest, skip, end), all = str_slice(p->rest, 0, end);
    size_t bad = utf8_find_invalid(end == STR_NPOS ? p->rest : name);

    if (bad != STR_NPOS)
        return rx_parser_fail(p, "invalid UTF-8", str_from(end == STR_NPOS ? p->rest : name, bad));
    if (end == STR_NPOS)
        return rx_parser_fail(p, bad_name, p->rest);
    if (!is_group_name(name))
        return rx_parser_fail(p, bad_name, str_slice(p->rest, 0, all.len + 1));
    p->rest = str_from(p->rest, end + 1);
    open_group(p, name);
    return true;
}

/* Switches one flag. False when c is not a flag. */
static bool set_flag(uint8_t *flags, uint32_t c, bool on)
{
    static const struct {
        char letter;
        uint8_t flag;
        bool inverted;
    } letters[] = {
        {'U', FLAG_NON_GREEDY, false},
        {'i', FLAG_FOLD, false},
        {'m', FLAG_ONE_LINE, true},
        {'s', FLAG_DOT_NL, false},
    };

    for (size_t i = 0; i < COUNT(letters); i++) {
        if (c != (uint32_t)letters[i].letter)
            continue;
        if (on != letters[i].inverted)
            *flags |= letters[i].flag;
        else
            *flags &= (uint8_t)~letters[i].flag;
        return true;
    }
    return false;
}

/* (?i) switches flags to the end of the group, (?i: for a group of its own. */
static bool parse_flags(struct parser *p)
{
    str rest = str_from(p->rest, 2);
    uint8_t flags = p->flags;
    bool on = true, any = false;
    uint32_t c;

    while (rest.len) {
        if (!rx_parser_next(p, &rest, &c))
            return false;
        if (set_flag(&flags, c, on)) {
            any = true;
        } else if (c == '-' && on) {
            on = any = false;
        } else if ((c == ':' || c == ')') && (on || any)) {
            p->rest = rest;
            if (c == ':')
                rx_stack_push_op(p, NODE_LEFT_PAREN);
            p->flags = flags;
            return true;
        } else {
            break;
        }
    }
    return rx_parser_fail(p, "invalid or unsupported Perl syntax", between(p->rest, rest));
}

static bool parse_left_paren(struct parser *p)
{
    str s = p->rest;

    if (!str_has_prefix(s, STR("(?"))) {
        p->rest = str_from(s, 1);
        open_group(p, STR_NONE);
        return true;
    }
    if (s.len > 4 && str_has_prefix(s, STR("(?P<")))
        return parse_named_group(p, 4);
    if (s.len > 3 && str_has_prefix(s, STR("(?<")))
        return parse_named_group(p, 3);
    return parse_flags(p);
}

/* ---- Repetitions ---- */

/* Puts a repetition around the part on top. from begins with its operator, after follows it. */
static bool repeat(struct parser *p, const struct node *like, str from, str after)
{
    uint8_t flags = p->flags;

    if (str_has_prefix(after, STR("?"))) {
        after = str_from(after, 1);
        flags ^= FLAG_NON_GREEDY;
    }
    if (p->last_repeat.len)
        return rx_parser_fail(p, "invalid nested repetition operator",
                              between(p->last_repeat, after));
    struct node *sub = rx_stack_top(p, 0);
    if (!sub || sub->op >= NODE_PSEUDO)
        return rx_parser_fail(p, "missing argument to repetition operator", between(from, after));
    struct node *n = rx_node_new(p, like->op);
    n->min = like->min;
    n->max = like->max;
    n->flags = flags;
    n->subs = ARENA_ARRAY(p->arena, struct node *, 1);
    n->subs[0] = sub;
    n->sub_count = 1;
    p->stack.items[p->stack.len - 1] = n;
    rx_limits_check(p, n);
    if (!p->fault && (n->min >= 2 || n->max >= 2) && !rx_limits_repeat_ok(n, REPEAT_MAX))
        return rx_parser_fail(p, bad_repeat, between(from, after));
    p->rest = after;
    p->last_repeat = from;
    return true;
}

static bool parse_operator(struct parser *p)
{
    enum node_op op = p->rest.ptr[0] == '*'   ? NODE_STAR
                      : p->rest.ptr[0] == '+' ? NODE_PLUS
                                              : NODE_QUEST;
    const struct node like = {.op = (uint8_t)op};

    return repeat(p, &like, p->rest, str_from(p->rest, 1));
}

/*
 * A number without leading zeros; all that are too large count as the same. False when there is
 * none.
 */
static bool parse_number(str *rest, int *out)
{
    size_t digits = 0;
    int n = 0;

    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        if (n <= REPEAT_MAX)
            n = n * 10 + (rest->ptr[digits] - '0');
        digits++;
    }
    if (!digits || (digits > 1 && rest->ptr[0] == '0'))
        return false;
    *rest = str_from(*rest, digits);
    *out = n;
    return true;
}

static bool skip_char(str *rest, char c)
{
    if (!rest->len || rest->ptr[0] != c)
        return false;
    *rest = str_from(*rest, 1);
    return true;
}

/* Parses {2}, {2,} or {2,5}. False for anything else; the brace is then literal. */
static bool scan_counts(str *rest, int *min, int *max)
{
    *rest = str_from(*rest, 1);
    if (!parse_number(rest, min))
        return false;
    *max = *min;
    if (skip_char(rest, ',')) {
        *max = -1;
        if (rest->len && rest->ptr[0] != '}' && !parse_number(rest, max))
            return false;
    }
    return skip_char(rest, '}');
}

static bool parse_counts(struct parser *p, bool *found)
{
    str after = p->rest;
    int min, max;

    *found = scan_counts(&after, &min, &max);
    if (!*found)
        return true;
    if (min > REPEAT_MAX || max > REPEAT_MAX || (max >= 0 && min > max))
        return rx_parser_fail(p, bad_repeat, between(p->rest, after));
    const struct node like = {.op = NODE_REPEAT, .min = (int16_t)min, .max = (int16_t)max};
    return repeat(p, &like, p->rest, after);
}

/* ---- Everything else ---- */

/* \Q...\E: all of it literal. Without \E, to the end. */
static bool parse_quoted(struct parser *p)
{
    str text, rest;
    uint32_t r;

    str_cut(str_from(p->rest, 2), STR("\\E"), &text, &rest);
    while (text.len) {
        if (!rx_parser_next(p, &text, &r))
            return false;
        rx_stack_push_literal(p, r);
    }
    p->rest = rest;
    return true;
}

static void push_op(struct parser *p, enum node_op op, size_t width)
{
    rx_stack_push_op(p, op);
    p->rest = str_from(p->rest, width);
}

static bool parse_class_or_escape(struct parser *p)
{
    struct node *n = rx_node_new(p, NODE_CLASS);
    enum class_result result;
    uint32_t r;

    n->flags = p->flags;
    result = rx_class_parse_unicode(p, &p->rest, &n->ranges);
    if (result == CLASS_NONE)
        result = rx_class_parse_perl(p, &p->rest, &n->ranges);
    if (result == CLASS_FOUND)
        rx_stack_push(p, n);
    if (result != CLASS_NONE)
        return result == CLASS_FOUND;
    rx_node_reuse(p, n);
    if (!rx_class_parse_escape(p, &p->rest, &r))
        return false;
    rx_stack_push_literal(p, r);
    return true;
}

static bool parse_backslash(struct parser *p)
{
    switch (p->rest.len > 1 ? p->rest.ptr[1] : '\0') {
    case 'A':
        push_op(p, NODE_BEGIN_TEXT, 2);
        return true;
    case 'b':
        push_op(p, NODE_WORD_BOUNDARY, 2);
        return true;
    case 'B':
        push_op(p, NODE_NO_WORD_BOUNDARY, 2);
        return true;
    case 'C': /* a single byte, which a match by code points cannot have */
        return rx_parser_fail(p, "invalid escape sequence", str_slice(p->rest, 0, 2));
    case 'Q':
        return parse_quoted(p);
    case 'z':
        push_op(p, NODE_END_TEXT, 2);
        return true;
    default:
        return parse_class_or_escape(p);
    }
}

static bool parse_literal(struct parser *p)
{
    uint32_t r;

    if (!rx_parser_next(p, &p->rest, &r))
        return false;
    rx_stack_push_literal(p, r);
    return true;
}

static bool parse_brace(struct parser *p)
{
    bool found;

    if (!parse_counts(p, &found))
        return false;
    return found || parse_literal(p);
}

static bool parse_part(struct parser *p)
{
    bool one_line = p->flags & FLAG_ONE_LINE;

    switch (p->rest.ptr[0]) {
    case '(':
        return parse_left_paren(p);
    case ')':
        p->rest = str_from(p->rest, 1);
        return parse_right_paren(p);
    case '|':
        p->rest = str_from(p->rest, 1);
        parse_bar(p);
        return true;
    case '^':
        push_op(p, one_line ? NODE_BEGIN_TEXT : NODE_BEGIN_LINE, 1);
        return true;
    case '$':
        push_op(p, one_line ? NODE_END_TEXT : NODE_END_LINE, 1);
        return true;
    case '.':
        push_op(p, p->flags & FLAG_DOT_NL ? NODE_ANY : NODE_ANY_NOT_NL, 1);
        return true;
    case '[':
        return rx_class_parse_bracket(p);
    case '*':
    case '+':
    case '?':
        return parse_operator(p);
    case '{':
        return parse_brace(p);
    case '\\':
        return parse_backslash(p);
    default:
        return parse_literal(p);
    }
}

static bool parse_all(struct parser *p)
{
    if (p->whole.len > PATTERN_MAX)
        return rx_parser_fail(p, "expression too large", str_slice(p->whole, 0, 64));
    while (p->rest.len) {
        str before = p->last_repeat;
        if (!parse_part(p) || p->fault)
            return false;
        if (p->last_repeat.ptr == before.ptr)
            p->last_repeat = STR_NONE;
    }
    close_parts(p);
    if (!p->fault && p->stack.len != 1)
        rx_parser_fail(p, "missing closing )", p->whole);
    return !p->fault;
}

/* The message may contain NUL, where a format would stop. */
static bool report(const struct parser *p, struct err *e)
{
    err_set(e, ERR_INVALID, "error parsing regexp: %s", p->fault);
    if (!e)
        return false;
    const str parts[] = {e->text, STR(": `"), p->fault_at, STR("`")};
    e->text = str_join(e->owner, parts, COUNT(parts), STR(""));
    return false;
}

bool rx_parse(struct parser *p, str pattern, struct node **out, struct err *e)
{
    p->whole = p->rest = pattern;
    p->flags = FLAG_ONE_LINE;
    if (!parse_all(p))
        return report(p, e);
    *out = p->stack.items[0];
    return true;
}
