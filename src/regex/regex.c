/* SPDX-License-Identifier: Apache-2.0 */
/* regex.c - compiling, searching and splitting; see regex.h. Replacing is in replace.c. */
#include "regex/internal.h"

/*
 * Our limit, not Go's: how many positions a search may have to keep, for all groups of all threads.
 * Only patterns of thousands of characters with hundreds of groups come near it.
 */
#define SLOTS_MAX (8 * MIB)

/* ---- Compiling ---- */

static const str *copy_names(struct arena *a, const struct parser *p)
{
    str *names = ARENA_ARRAY(a, str, p->names.len + 1);

    for (size_t i = 0; i < p->names.len; i++)
        names[i + 1] = str_copy(a, p->names.items[i]);
    return names;
}

/* How many threads there can be at once. */
static size_t waiting_insts(const struct regex *re)
{
    size_t count = 0;

    for (size_t i = 0; i < re->inst_count; i++)
        count += re->insts[i].op >= INST_RUNE || re->insts[i].op == INST_MATCH;
    return count;
}

bool regex_compile(struct arena *a, str pattern, struct regex **out, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct parser p = {.arena = scratch};
    struct node *root;

    if (!rx_parse(&p, pattern, &root, e))
        return false;
    struct regex *re = ARENA_NEW(a, struct regex);
    re->pattern = str_copy(a, pattern);
    re->names = copy_names(a, &p);
    re->groups = p.names.len;
    rx_emit(a, re, rx_node_simplify(scratch, root));
    if (waiting_insts(re) * 2 * (re->groups + 1) > SLOTS_MAX)
        return err_set(e, ERR_LIMIT, "error parsing regexp: expression too large: `%.*s`",
                       STR_ARG(str_slice(pattern, 0, 64)));
    *out = re;
    return true;
}

size_t regex_groups(const struct regex *re)
{
    return re->groups;
}

str regex_group_name(const struct regex *re, size_t i)
{
    return i <= re->groups ? re->names[i] : STR_NONE;
}

/* ---- Searching ---- */

static bool is_word(str text, size_t pos)
{
    if (pos >= text.len)
        return false;
    char c = text.ptr[pos];
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/*
 * Looking at bytes suffices: words and line ends are ASCII, and no other character contains such
 * bytes.
 */
bool rx_condition_holds(str text, size_t pos, uint32_t condition)
{
    switch (condition) {
    case NODE_BEGIN_LINE:
        return pos == 0 || text.ptr[pos - 1] == '\n';
    case NODE_END_LINE:
        return pos == text.len || text.ptr[pos] == '\n';
    case NODE_BEGIN_TEXT:
        return pos == 0;
    case NODE_END_TEXT:
        return pos == text.len;
    default: /* there is no word before position 0: pos - 1 is out of range then */
        return (is_word(text, pos) != is_word(text, pos - 1)) == (condition == NODE_WORD_BOUNDARY);
    }
}

size_t rx_skip(const struct regex *re, str text, size_t pos)
{
    if (!re->can_skip)
        return pos;
    if (re->prefix.len) {
        size_t at = str_find(str_from(text, pos), re->prefix);
        return at == STR_NPOS ? STR_NPOS : pos + at;
    }
    while (pos < text.len && !re->first[(unsigned char)text.ptr[pos]])
        pos++;
    return pos < text.len ? pos : STR_NPOS;
}

void regex_limit(struct regex *re, uint64_t *left)
{
    re->left = left;
}

/* A step costs more in a search that tracks many groups, which have to be copied. */
bool rx_pay(struct search *s)
{
    uint64_t cost = (s->steps - s->paid) * (1 + s->slot_count / 8);
    uint64_t *left = s->re->left;

    s->paid = s->steps;
    if (!left)
        return true;
    *left = *left > cost ? *left - cost : 0;
    return *left > 0;
}

bool rx_search_run(struct search *s, size_t from, enum search_engine engine)
{
    bool found;

    if (engine == SEARCH_BEST)
        engine = rx_backtrack_fits(s, from) ? SEARCH_BACKTRACK : SEARCH_PIKE;
    found = engine == SEARCH_PIKE ? rx_pike_run(s, from) : rx_backtrack_run(s, from);
    return rx_pay(s) && found;
}

bool regex_match(const struct regex *re, str text)
{
    struct backtrack_room room;
    struct search s = {.re = re, .text = text, .room = &room};
    bool found = rx_search_run(&s, 0, SEARCH_BEST);

    arena_free(s.arena);
    return found;
}

bool regex_match_within(const struct regex *re, str text, uint64_t *left)
{
    struct regex own = *re;

    own.left = left;
    return regex_match(&own, text);
}

static void read_span(const struct search *s, size_t i, struct span *out)
{
    *out = (struct span){STR_NPOS, STR_NPOS};
    if (2 * i + 1 < s->slot_count && s->slots[2 * i + 1] != STR_NPOS)
        *out = (struct span){s->slots[2 * i], s->slots[2 * i + 1]};
}

static struct search search_new(struct arena *a, const struct regex *re, str text, size_t spans)
{
    struct search s = {.re = re, .text = text, .arena = a};

    s.slot_count = 2 * (spans <= re->groups ? spans : re->groups + 1);
    s.slots = ARENA_ARRAY(a, size_t, s.slot_count);
    return s;
}

bool regex_find(const struct regex *re, str text, size_t from, struct span *spans, size_t count)
{
    AUTO_ARENA scratch = arena_new();
    struct search s = search_new(scratch, re, text, count);

    if (from > text.len || !rx_search_run(&s, from, SEARCH_BEST))
        return false;
    for (size_t i = 0; i < count; i++)
        read_span(&s, i, &spans[i]);
    return true;
}

/* ---- All matches ---- */

/* The position after the character at pos, or after the end. */
static size_t after_char(str text, size_t pos)
{
    size_t width = 1;

    if (pos < text.len)
        rx_decode(text, pos, &width);
    return pos + width;
}

static void add_match(struct arena *a, struct spans *all, size_t *cap, const struct search *s)
{
    if (all->count == *cap) {
        size_t size = all->stride * sizeof(struct span), old = *cap;
        *cap = old ? old * 2 : 4;
        all->items = arena_grow(a, all->items, old * size, arena_array_size(*cap, size));
    }
    for (size_t i = 0; i < all->stride; i++)
        read_span(s, i, &all->items[all->count * all->stride + i]);
    all->count++;
}

/* An empty match right after another match does not count. */
struct spans regex_find_all(struct arena *a, const struct regex *re, str text, int64_t limit,
                            size_t count)
{
    AUTO_ARENA scratch = arena_new();
    struct search s = search_new(scratch, re, text, count);
    struct spans all = {.stride = count};
    size_t last_end = STR_NPOS, cap = 0;

    assert(count);
    for (size_t pos = 0; pos <= text.len && (limit < 0 || all.count < (uint64_t)limit);) {
        if (!rx_search_run(&s, pos, SEARCH_BEST))
            break;
        size_t begin = s.slots[0], end = s.slots[1];
        if (end != pos || begin != last_end)
            add_match(a, &all, &cap, &s);
        pos = end == pos ? after_char(text, pos) : end;
        last_end = end;
    }
    return all;
}

/* ---- Splitting ---- */

/* Upstream: a match that ends at 0 cuts nothing, and a cut at the end of the text adds no piece. */
str *regex_split(struct arena *a, const struct regex *re, str text, int64_t limit, size_t *count)
{
    VEC(str) pieces = {0};
    size_t from = 0, to = 0;

    *count = 0;
    if (limit == 0)
        return NULL;
    if (re->pattern.len && !text.len) {
        VEC_PUSH(a, &pieces, text);
        *count = 1;
        return pieces.items;
    }
    struct spans all = regex_find_all(a, re, text, limit, 1);
    for (size_t i = 0; i < all.count; i++) {
        if (limit > 0 && pieces.len >= (uint64_t)limit - 1)
            break;
        to = all.items[i].from;
        if (all.items[i].to)
            VEC_PUSH(a, &pieces, str_slice(text, from, to));
        from = all.items[i].to;
    }
    if (to != text.len)
        VEC_PUSH(a, &pieces, str_from(text, from));
    *count = pieces.len;
    return pieces.items;
}

str regex_quote(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr("\\.+*?()|[]{}^$", text.ptr[i]))
            buf_char(&out, '\\');
        buf_char(&out, text.ptr[i]);
    }
    return buf_str(&out);
}
