/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.c - aliases, merges, duplicate and odd keys: what Go does when it decodes a document
 * that has been parsed.
 *
 * The unfinished tree is walked in Go's order and finished in place. Go decodes an anchor anew for
 * each alias and counts every step, so that a small document cannot become a huge one: here an
 * anchor is finished once and its count is remembered; an alias adds the count before it copies.
 */
#include "text/yaml/internal.h"

/* Bytes that aliases may repeat: Go counts nodes only, and a text of 1 MB is one of them. */
#define ALIASED_MAX (64 * MIB)

struct expanding {
    struct yreader *r;
    uint64_t decoded, aliased; /* Go's counts */
    uint64_t bytes, repeated;  /* of texts and keys; of those that aliases stand for */
    uint32_t aliases;          /* how many are being followed */
    uint32_t depth, deepest;
    struct buf complaints;  /* of strict reading, one per line */
    uint32_t complaint_pos; /* of the first */
    size_t complained;      /* unless go: how many there are, the first of them in complaints */
    VEC(uint32_t) lines;    /* line starts, computed on demand */
    struct where begin;     /* where the document begins */
};

static bool expand(struct expanding *x, struct value *v);

static bool fail(struct expanding *x, enum err_kind kind, uint32_t pos, str text)
{
    struct yreader *r = x->r;

    err_set(r->e, kind, "yaml: %.*s", STR_ARG(text));
    return err_at(r->e, source_where_offset(r->src, pos ? pos - 1 : r->base));
}

/* A scalar that is not what its tag says; the message has it between backticks. */
static bool fail_value(struct expanding *x, const struct value *v)
{
    str message = value_text(v);
    size_t begin = str_find_char(message, '`'), end = str_rfind_char(message, '`');

    if (begin == STR_NPOS)
        return fail(x, ERR_INVALID, v->pos, message);
    str shown = yaml_shown(x->r, str_slice(message, begin + 1, end));
    return fail(x, ERR_INVALID, v->pos,
                str_fmt(x->r->scratch, "%.*s`%.*s`%.*s", STR_ARG(str_slice(message, 0, begin)),
                        STR_ARG(shown), STR_ARG(str_slice(message, end + 1, message.len))));
}

/* ---- Counting. ---- */

/* How much of the work may come from aliases: nearly all in small documents, little in large ones.
 */
static double allowed_ratio(uint64_t decoded)
{
    const double low = 400000, high = 4000000;

    if ((double)decoded <= low)
        return 0.99;
    if ((double)decoded >= high)
        return 0.10;
    return 0.99 - 0.89 * (((double)decoded - low) / (high - low));
}

static bool count(struct expanding *x, uint64_t nodes, const struct value *at)
{
    x->decoded += nodes;
    if (x->aliases)
        x->aliased += nodes;
    if (x->aliased > 100 && x->decoded > 1000 &&
        (double)x->aliased / (double)x->decoded > allowed_ratio(x->decoded))
        return fail(x, ERR_LIMIT, at->pos, STR("document contains excessive aliasing"));
    return true;
}

static bool repeat_bytes(struct expanding *x, const struct yanchor *anchor, const struct value *at)
{
    x->bytes += anchor->bytes;
    x->repeated += anchor->bytes;
    return x->repeated <= ALIASED_MAX ||
           fail(x, ERR_LIMIT, at->pos, STR("document contains excessive aliasing"));
}

static bool enter(struct expanding *x, uint32_t levels, const struct value *at)
{
    if (x->depth + levels > VALUE_DEPTH_MAX)
        return fail(x, ERR_LIMIT, at->pos, STR("exceeded max depth of 10000"));
    if (x->depth + levels > x->deepest)
        x->deepest = x->depth + levels;
    return true;
}

/* ---- Anchors. ---- */

static struct yanchor *anchor_of(struct expanding *x, const struct value *v)
{
    return &x->r->anchors.items[v->len];
}

/* Makes v the node, staying the member or element that it is. */
static void replace(struct value *v, const struct value *node)
{
    struct value kept = *v;

    *v = *node;
    v->key = kept.key;
    v->key_len = kept.key_len;
}

static bool finish_anchor(struct expanding *x, struct yanchor *anchor)
{
    uint64_t before = x->decoded, bytes = x->bytes;
    uint32_t deepest = x->deepest;

    anchor->complaints = x->complaints.len;
    anchor->state = ANCHOR_BUSY;
    x->deepest = x->depth;
    if (!expand(x, &anchor->node))
        return false;
    anchor->complaints_end = x->complaints.len;
    anchor->state = ANCHOR_DONE;
    anchor->cost = x->decoded - before;
    anchor->bytes = x->bytes - bytes;
    anchor->height = x->deepest - x->depth;
    if (deepest > x->deepest)
        x->deepest = deepest;
    return true;
}

/* The place of the anchor itself. */
static bool expand_anchored(struct expanding *x, struct value *v)
{
    struct yanchor *anchor = anchor_of(x, v);

    if (anchor->state == ANCHOR_RAW && !finish_anchor(x, anchor))
        return false;
    replace(v, &anchor->node);
    return true;
}

/* Go finds the duplicates of an anchor again for each alias. */
static void repeat_complaints(struct expanding *x, const struct yanchor *anchor)
{
    str all = buf_str(&x->complaints);

    if (x->r->opts->go && anchor->complaints_end > anchor->complaints)
        buf_add(&x->complaints, str_copy(x->r->scratch, str_slice(all, anchor->complaints,
                                                                  anchor->complaints_end)));
}

static bool follow_alias(struct expanding *x, struct value *v)
{
    struct yanchor *anchor = anchor_of(x, v);
    uint32_t pos = v->pos;

    if (anchor->state == ANCHOR_RAW) {
        if (!finish_anchor(x, anchor))
            return false;
    } else {
        if (!count(x, anchor->cost, v) || !repeat_bytes(x, anchor, v) ||
            !enter(x, anchor->height, v))
            return false;
        repeat_complaints(x, anchor);
    }
    replace(v, value_clone(x->r->arena, &anchor->node));
    v->pos = pos;
    return true;
}

static bool expand_alias(struct expanding *x, struct value *v)
{
    struct yanchor *anchor = anchor_of(x, v);

    if (!count(x, 1, v))
        return false;
    if (anchor->state == ANCHOR_BUSY) {
        str text =
            str_fmt(x->r->scratch, "anchor '%.*s' value contains itself", STR_ARG(anchor->name));
        return fail(x, ERR_INVALID, v->pos, text);
    }
    x->aliases++;
    bool ok = follow_alias(x, v);
    x->aliases--;
    return ok;
}

/* ---- Lines of duplicates. ---- */

static size_t break_width(str s, size_t i)
{
    uint8_t c = (uint8_t)s.ptr[i];

    if (c == '\n')
        return 1;
    if (c == '\r')
        return i + 1 < s.len && s.ptr[i + 1] == '\n' ? 2 : 1;
    if (c == 0xC2 && i + 1 < s.len && (uint8_t)s.ptr[i + 1] == 0x85)
        return 2;
    bool wide = c == 0xE2 && i + 2 < s.len && (uint8_t)s.ptr[i + 1] == 0x80 &&
                ((uint8_t)s.ptr[i + 2] & 0xFE) == 0xA8;
    return wide ? 3 : 0;
}

/* Go counts all line breaks of YAML; places count those that people's editors count. */
static void find_lines(struct expanding *x, bool all)
{
    str text = x->r->text;

    VEC_PUSH(x->r->scratch, &x->lines, 0);
    for (size_t i = 0, width; i < text.len; i += width ? width : 1) {
        width = all ? break_width(text, i) : text.ptr[i] == '\n';
        if (width)
            VEC_PUSH(x->r->scratch, &x->lines, (uint32_t)(i + width));
    }
    /* An end in the middle of a line counts as a line of its own: see yscan_mark. */
    VEC_PUSH(x->r->scratch, &x->lines, (uint32_t)text.len + 1);
}

/* Index of the line in which offset lies. */
static size_t find_line(const struct expanding *x, size_t offset)
{
    size_t low = 0;

    for (size_t high = x->lines.len; high - low > 1;) {
        size_t middle = low + (high - low) / 2;
        if (x->lines.items[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t line_of(struct expanding *x, const struct value *v)
{
    if (!x->lines.len)
        find_lines(x, true);
    return find_line(x, v->pos - 1 - x->r->base) + 1;
}

/* As source_where, without counting from the beginning of the text for each of many. */
static struct where where_of(struct expanding *x, const struct value *v)
{
    size_t offset = v->pos - 1 - x->r->base;
    struct where at = x->begin;

    if (!x->lines.len) {
        find_lines(x, false);
        at = x->begin = source_where_offset(x->r->src, x->r->base);
    }
    size_t line = find_line(x, offset);
    size_t column = utf8_count(str_slice(x->r->text, x->lines.items[line], offset)) + 1;
    at.line += (uint32_t)line;
    at.column = (uint32_t)column + (line ? 0 : at.column - 1);
    return at;
}

/* ---- Objects. ---- */

/* An object being put together again. */
struct object {
    VEC(struct value) members;
    struct value_index index;
    bool keeps;   /* what is there wins */
    bool merging; /* members come from a merge: those carry RAW_MERGE */
};

/* Messages print foreign keys and values: beyond this they are cut. */
#define MESSAGE_MAX (1 * MIB)

static void complain(struct expanding *x, const struct value *v, str key)
{
    if (x->r->opts->duplicates == DUPLICATE_LAST_WINS) {
        if (x->r->opts->warn) {
            str text = str_fmt(x->r->scratch, "key %.*s already set in map", STR_ARG(key));
            x->r->opts->warn(x->r->opts->warn_ctx, where_of(x, v), text);
        }
        return;
    }
    if (!x->complaint_pos)
        x->complaint_pos = v->pos;
    if (!x->r->opts->go && ++x->complained > DUPLICATE_KEYS_SHOWN)
        return;
    buf_fmt(&x->complaints, "\n  line %zu: key %.*s already set in map", line_of(x, v),
            STR_ARG(key));
}

/*
 * Whether a member may silently replace an existing one: it came from a merge, which is there to be
 * overridden. Upstream: Go's strict reads reject that too.
 */
static bool may_override(const struct expanding *x, const struct value *there)
{
    return there->tag & RAW_MERGE && !x->r->opts->go;
}

static void complain_about_key(struct expanding *x, const struct value *v, const struct value *key)
{
    struct buf printed = buf_new(x->r->scratch, MESSAGE_MAX);

    if (value_is(key, VALUE_NULL))
        buf_add(&printed, STR("<nil>"));
    else if (key)
        yaml_go_syntax(&printed, key);
    else
        yaml_go_key(&printed, v);
    complain(x, v, buf_str(&printed));
}

/*
 * Sets a member whose key v carries. key is the key itself where there is one: it is what a
 * complaint prints.
 */
static void set_member(struct expanding *x, struct object *o, const struct value *v,
                       const struct value *key)
{
    struct arena *scratch = x->r->scratch;
    size_t at =
        value_index_find(scratch, &o->index, o->members.items, o->members.len, value_key(v));

    if (at == o->members.len)
        VEC_PUSH(scratch, &o->members, *v);
    else if (o->keeps)
        return;
    else if (!may_override(x, &o->members.items[at]))
        complain_about_key(x, v, key);
    o->members.items[at] = *v;
    if (o->merging)
        o->members.items[at].tag |= RAW_MERGE;
}

static bool fail_key(struct expanding *x, const struct value *key)
{
    struct buf b = buf_new(x->r->scratch, MESSAGE_MAX);

    yaml_go_syntax(&b, key);
    str shown = yaml_shown(x->r, buf_str(&b));
    return fail(x, ERR_INVALID, key->pos,
                str_fmt(x->r->scratch, "invalid map key: %.*s", STR_ARG(shown)));
}

/* A key and its value, which are adjacent. */
static bool expand_pair(struct expanding *x, struct object *o, struct value *key, struct value *v)
{
    str text = STR("<nil>");

    key->tag &= RAW_WHAT;
    if (!expand(x, key))
        return false;
    if (value_is_container(key))
        return fail_key(x, key);
    if (!expand(x, v))
        return false;
    enum ykey_kind kind = yaml_key_kind(key);
    if (!yaml_key_text(x->r->arena, key, &text)) {
        x->r->odd_keys = true;
        if (kind == YKEY_UINT)
            text = value_text(key);
    }
    v->key = text.ptr;
    v->key_len = (uint32_t)text.len;
    v->tag |= (uint8_t)((unsigned)kind << RAW_KEY_SHIFT);
    set_member(x, o, v, key);
    return true;
}

static bool expand_member(struct expanding *x, struct object *o, struct value *v)
{
    if (!count(x, 1, v) || !expand(x, v))
        return false;
    set_member(x, o, v, NULL);
    return true;
}

static bool merge_object(struct expanding *x, struct object *o, struct value *v)
{
    if (!expand(x, v))
        return false;
    for (size_t i = 0; i < v->len; i++)
        set_member(x, o, &v->items[i], NULL);
    return true;
}

/* What a node is before it is expanded: Go decides by that. */
static bool is_object(struct expanding *x, const struct value *v)
{
    switch (v->tag & RAW_WHAT) {
    case RAW_ALIAS:
    case RAW_ANCHORED:
        return anchor_of(x, v)->object;
    case RAW_PAIRS:
        return true;
    default:
        return v->kind == VALUE_OBJECT;
    }
}

static bool fail_merge(struct expanding *x, const struct value *v)
{
    return fail(x, ERR_INVALID, v->pos,
                STR("map merge requires map or sequence of maps as the value"));
}

/* Merges in the order in which earlier ones win. */
static bool merge_list(struct expanding *x, struct object *o, struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        struct value *item = &v->items[o->keeps ? i : v->len - 1 - i];
        if (!is_object(x, item))
            return fail_merge(x, item);
        if (!merge_object(x, o, item))
            return false;
    }
    return true;
}

static bool merge_any(struct expanding *x, struct object *o, struct value *v)
{
    if (is_object(x, v))
        return merge_object(x, o, v);
    if ((v->tag & RAW_WHAT) == RAW_ANCHORED)
        v = &anchor_of(x, v)->node;
    if (v->tag & RAW_WHAT || v->kind != VALUE_LIST)
        return fail_merge(x, v);
    return merge_list(x, o, v);
}

static bool merge(struct expanding *x, struct object *o, struct value *v)
{
    o->merging = true;
    bool ok = merge_any(x, o, v);
    o->merging = false;
    return ok;
}

/* go-yaml 3: what is merged never goes over members of the object, wherever it stands. */
static bool merge_later(struct expanding *x, struct object *o, struct value *merged)
{
    o->keeps = true;
    return merge(x, o, merged);
}

static bool expand_items(struct expanding *x, struct object *o, struct value *items, size_t n)
{
    struct value *later = NULL;

    for (size_t i = 0; i < n; i++) {
        bool ok = true;
        if (items[i].tag & RAW_MERGE) {
            if (!x->r->opts->yaml12)
                ok = merge(x, o, &items[i + 1]);
            else if (later)
                complain(x, &items[i], STR("\"<<\""));
            later = &items[i + 1];
            i++;
        } else if (items[i].tag & RAW_KEY) {
            ok = expand_pair(x, o, &items[i], &items[i + 1]);
            i++;
        } else {
            ok = expand_member(x, o, &items[i]);
        }
        if (!ok)
            return false;
    }
    return !later || !x->r->opts->yaml12 || merge_later(x, o, later);
}

static bool expand_pairs(struct expanding *x, struct value *v)
{
    struct object *o = ARENA_NEW(x->r->scratch, struct object);

    if (!expand_items(x, o, v->items, v->len))
        return false;
    value_adopt(x->r->arena, v, VALUE_OBJECT, o->members.items, o->members.len);
    v->tag = 0;
    return true;
}

/* ---- Everything. ---- */

static bool expand_children(struct expanding *x, struct value *v)
{
    if ((v->tag & RAW_WHAT) == RAW_PAIRS)
        return expand_pairs(x, v);
    for (size_t i = 0; i < v->len; i++) {
        if (v->kind == VALUE_OBJECT && !count(x, 1, v))
            return false;
        if (!expand(x, &v->items[i]))
            return false;
    }
    return true;
}

static bool expand(struct expanding *x, struct value *v)
{
    switch (v->tag & RAW_WHAT) {
    case RAW_ALIAS:
        return expand_alias(x, v);
    case RAW_ANCHORED:
        return expand_anchored(x, v);
    case RAW_BAD:
        return count(x, 1, v) && fail_value(x, v);
    default:
        break;
    }
    if (!count(x, 1, v))
        return false;
    x->bytes += v->key_len + (value_is_container(v) ? 0 : v->len);
    if (!value_is_container(v))
        return true;
    if (!enter(x, 1, v))
        return false;
    x->depth++;
    bool ok = expand_children(x, v);
    x->depth--;
    return ok;
}

/* ---- What JSON does not have. ---- */

static bool find_odd_key(void *ctx, struct value *v, size_t depth)
{
    struct value **found = ctx;
    enum ykey_kind kind = (enum ykey_kind)(v->tag >> RAW_KEY_SHIFT);

    (void)depth;
    if (!*found && (kind == YKEY_NULL || kind == YKEY_UINT))
        *found = v;
    return !*found;
}

static bool fail_odd_key(struct expanding *x, const struct value *v)
{
    struct yreader *r = x->r;
    struct buf b = buf_new(r->scratch, MESSAGE_MAX);
    uint64_t u;

    if (v->kind == VALUE_NULL)
        buf_add(&b, STR("<nil>"));
    else
        yaml_go_syntax(&b, v);
    str shown = yaml_shown(r, buf_str(&b));
    if (str_to_u64(value_key(v), &u))
        err_set(r->e, ERR_INVALID, "unsupported map key of type: uint64, key: 0x%llx, value: %.*s",
                (unsigned long long)u, STR_ARG(shown));
    else
        err_set(r->e, ERR_INVALID,
                "unsupported map key of type: %%!s(<nil>), key: <nil>, value: %.*s",
                STR_ARG(shown));
    return err_at(r->e, source_where(r->src, v));
}

/* The first one in the order in which Go writes JSON. */
static const struct value *find_infinite(const struct value *v)
{
    const struct value *found = NULL;

    if ((v->tag & RAW_WHAT) == RAW_INF)
        return v;
    if (v->kind == VALUE_OBJECT) {
        AUTO_ARENA a = arena_new();
        struct value **members = value_sorted(a, v);
        for (size_t i = 0; i < v->len && !found; i++)
            found = find_infinite(members[i]);
    } else if (v->kind == VALUE_LIST) {
        for (size_t i = 0; i < v->len && !found; i++)
            found = find_infinite(&v->items[i]);
    }
    return found;
}

static bool clear_tag(void *ctx, struct value *v, size_t depth)
{
    (void)ctx;
    (void)depth;
    v->tag = 0;
    return true;
}

static bool check_json(struct expanding *x, struct value *root)
{
    struct yreader *r = x->r;
    struct value *odd = NULL;

    if (r->odd_keys)
        value_walk(root, find_odd_key, &odd);
    if (odd)
        return fail_odd_key(x, odd);
    const struct value *inf = r->infinite ? find_infinite(root) : NULL;
    if (inf) {
        err_set(r->e, ERR_INVALID, "json: unsupported value: %.*s", STR_ARG(value_text(inf)));
        return err_at(r->e, source_where(r->src, inf));
    }
    value_walk(root, clear_tag, NULL);
    return true;
}

bool yaml_expand(struct yreader *r, struct value *root)
{
    struct expanding x = {.r = r, .decoded = 1};

    x.complaints = buf_new(r->scratch, MESSAGE_MAX);
    if (!expand(&x, root))
        return false;
    if (x.complained > DUPLICATE_KEYS_SHOWN)
        buf_fmt(&x.complaints, "\n  %zu more duplicate keys are not shown, %zu in all",
                x.complained - DUPLICATE_KEYS_SHOWN, x.complained);
    if (x.complaint_pos)
        return fail(&x, ERR_INVALID, x.complaint_pos,
                    str_concat(r->scratch, STR("unmarshal errors:"), buf_str(&x.complaints)));
    return check_json(&x, root);
}
