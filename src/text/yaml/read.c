/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - events to a tree.
 *
 * Nodes of open collections are collected on one stack and moved to a block that fits exactly when
 * their collection ends. A document without anchors, odd keys and duplicates, which is nearly every
 * one, is then finished. Otherwise the tree holds some nodes with a mark in value.tag, which
 * yaml_expand resolves: only then is it known that the whole document can be parsed, which Go
 * demands before it decodes anything.
 */
#include "text/yaml/internal.h"

/* An open collection. */
struct frame {
    size_t first; /* its nodes begin here on the stack */
    bool object, has_key;
    bool odd_key; /* the current one is not one of JSON's */
    bool pairs;   /* members are pairs of nodes */
    bool typed;   /* keys keep their kinds */
    uint32_t pos;
    uint32_t anchor; /* its number + 1, or 0 */
    struct value key;
    struct value_index index;
    struct arena_mark index_mark;
};

struct building {
    struct yreader *reader;
    struct yparse parse;
    struct arena *indexes; /* of the frames, in brackets like them */
    struct map *anchors;   /* name to number + 1 */
    VEC(struct frame) frames;
    VEC(struct value) nodes;
    struct value root;
    bool ended; /* nothing follows */
};

/* Go's words for a key without a colon in time point anywhere but there. */
#define LONG_KEY                                                                                   \
    "no ':' within 1024 characters of where a key begins; a longer key is written after \"? \", "  \
    "its ':' on the next line"

/* A problem as Go words it, with its place. Always false. */
static bool fail_parse(struct building *b)
{
    const struct yproblem *problem = &b->parse.scan.problem;
    enum err_kind kind = problem->limit ? ERR_LIMIT : ERR_INVALID;
    struct yreader *r = b->reader;
    uint32_t line = problem->at.line;
    const char *text = b->parse.scan.long_key && !r->opts->go ? LONG_KEY : problem->text;

    if (line)
        err_set(r->e, kind, "yaml: line %u: %s", line + (problem->kind == YPROBLEM_SCAN), text);
    else
        err_set(r->e, kind, "yaml: %s", text);
    return err_at(r->e, source_where_offset(r->src, r->base + problem->at.pos));
}

/* Says where; e is filled. Always false. */
static bool fail_at(struct building *b, struct ymark at)
{
    struct yreader *r = b->reader;

    return err_at(r->e, source_where_offset(r->src, r->base + at.pos));
}

/* ---- Members. ---- */

static struct frame *top(struct building *b)
{
    return b->frames.len ? &b->frames.items[b->frames.len - 1] : NULL;
}

static void push_node(struct building *b, const struct value *v)
{
    *VEC_NEXT(b->reader->scratch, &b->nodes) = *v;
}

/* A key together with its value as two nodes, for yaml_expand to decide. */
static void push_pair(struct building *b, struct frame *f, const struct value *v)
{
    f->pairs = true;
    b->reader->special = true;
    if (!(f->key.tag & RAW_MERGE))
        f->key.tag |= RAW_KEY;
    push_node(b, &f->key);
    push_node(b, v);
}

/*
 * Whether the key has a text and none of the members so far has it. Strict reading may have to
 * print a key later, so all but strings are kept as they are.
 */
static bool key_is_new(struct building *b, struct frame *f, str *text)
{
    if (f->key.kind != VALUE_STRING && b->reader->opts->duplicates == DUPLICATE_ERROR)
        return false;
    if (f->key.tag || !yaml_key_text(b->reader->arena, &f->key, text))
        return false;
    size_t n = b->nodes.len - f->first;
    return value_index_find(b->indexes, &f->index, b->nodes.items + f->first, n, *text) == n;
}

static void add_member(struct building *b, struct frame *f, struct value *v)
{
    str key;

    f->has_key = false;
    if (f->pairs || f->typed || !key_is_new(b, f, &key)) {
        push_pair(b, f, v);
        return;
    }
    v->key = key.ptr;
    v->key_len = (uint32_t)key.len;
    push_node(b, v);
}

/*
 * Below a key that is not a scalar, or the value of one that JSON does not have, keys keep their
 * kinds: all that can come of it is a message that prints them.
 */
static void take_key(struct building *b, struct frame *f, const struct value *v)
{
    str text;

    f->key = *v;
    f->has_key = true;
    f->odd_key = !(v->tag & RAW_WHAT) && !yaml_key_text(b->reader->arena, v, &text);
    b->reader->odd_keys |= f->odd_key;
}

static void add_node(struct building *b, struct value *v)
{
    struct frame *f = top(b);

    if (!f)
        b->root = *v;
    else if (!f->object)
        push_node(b, v);
    else if (f->has_key)
        add_member(b, f, v);
    else
        take_key(b, f, v);
}

/* ---- Anchors. ---- */

static uint32_t new_anchor(struct building *b, str name, bool object)
{
    struct yreader *r = b->reader;

    if (!name.len)
        return 0;
    r->special = true;
    if (!b->anchors)
        b->anchors = map_new(r->scratch);
    VEC_PUSH(r->scratch, &r->anchors, ((struct yanchor){.name = name, .object = object}));
    map_set(b->anchors, name, (void *)(uintptr_t)r->anchors.len);
    return (uint32_t)r->anchors.len;
}

/*
 * Whether it is one, a list of some, or a patch of one. YAML has many ways to write "kind: Secret",
 * and this one cannot be read: the word is enough.
 */
static bool says_secret(str document)
{
    return str_contains(document, STR("Secret")) || str_contains(document, STR("stringData"));
}

str yaml_quotable(enum quote_rule rule, str document, str text)
{
    bool hides = rule == QUOTE_NEVER || (rule == QUOTE_UNLESS_SECRET && says_secret(document));

    return hides ? STR("***") : text;
}

str yaml_shown(const struct yreader *r, str text)
{
    return yaml_quotable(r->opts->quotes, r->text, text);
}

/* Leaves the node with its anchor and makes v a reference to it. */
static void anchor_node(struct building *b, uint32_t anchor, struct value *v)
{
    if (!anchor)
        return;
    b->reader->anchors.items[anchor - 1].node = *v;
    *v = (struct value){.tag = RAW_ANCHORED, .pos = v->pos, .len = anchor - 1};
}

static bool add_alias(struct building *b, const struct yevent *event)
{
    size_t anchor = b->anchors ? (size_t)map_get(b->anchors, event->anchor) : 0;
    uint32_t pos = (uint32_t)b->reader->base + event->start.pos + 1;

    if (!anchor) {
        err_set(b->reader->e, ERR_INVALID, "yaml: unknown anchor '%.*s' referenced",
                STR_ARG(yaml_shown(b->reader, event->anchor)));
        return fail_at(b, event->start);
    }
    add_node(b, &(struct value){.tag = RAW_ALIAS, .pos = pos, .len = (uint32_t)anchor - 1});
    return true;
}

/* ---- Events. ---- */

static bool is_merge(const struct yevent *event)
{
    return str_eq(event->value, STR("<<")) &&
           (event->implicit || str_eq(event->tag, STR("tag:yaml.org,2002:merge")));
}

/* !!binary can be any bytes; trees hold valid text, unless Go's answer is wanted. */
static bool check_text(struct building *b, const struct yevent *event, const struct value *v)
{
    if (v->kind != VALUE_STRING || b->reader->opts->go ||
        utf8_find_invalid(value_text(v)) == STR_NPOS)
        return true;
    err_set(b->reader->e, ERR_INVALID, "yaml: !!binary holds bytes that are not UTF-8");
    return fail_at(b, event->start);
}

static bool add_scalar(struct building *b, const struct yevent *event)
{
    struct frame *f = top(b);
    struct value v = {.pos = (uint32_t)b->reader->base + event->start.pos + 1};
    uint32_t anchor = new_anchor(b, event->anchor, false);

    yaml_resolve(b->reader->arena, event, b->reader->opts->yaml12, &v);
    if (UNLIKELY(event->tag.len) && !check_text(b, event, &v))
        return false;
    if (v.tag) {
        b->reader->special = true;
        b->reader->infinite |= v.tag == RAW_INF;
    }
    anchor_node(b, anchor, &v);
    if (f && f->object && !f->has_key && is_merge(event))
        v.tag |= RAW_MERGE;
    add_node(b, &v);
    return true;
}

static bool open_collection(struct building *b, const struct yevent *event)
{
    struct frame *outer = top(b);
    bool object = event->kind == YEVENT_MAP;
    bool in_odd = outer && outer->object && (!outer->has_key || outer->odd_key);
    /* Asked for before the push, which may move the frames. */
    bool typed = in_odd || (outer && outer->typed);

    if (b->frames.len == VALUE_DEPTH_MAX) {
        err_set(b->reader->e, ERR_LIMIT, "yaml: exceeded max depth of %d", VALUE_DEPTH_MAX);
        return fail_at(b, event->start);
    }
    uint32_t anchor = new_anchor(b, event->anchor, object);
    VEC_PUSH(b->reader->scratch, &b->frames,
             ((struct frame){
                 .first = b->nodes.len,
                 .object = object,
                 .typed = typed,
                 .pos = (uint32_t)b->reader->base + event->start.pos + 1,
                 .anchor = anchor,
                 .index_mark = arena_mark(b->indexes),
             }));
    return true;
}

static void close_collection(struct building *b)
{
    struct frame f = b->frames.items[--b->frames.len];
    struct value v = {.pos = f.pos};
    enum value_kind kind = f.object && !f.pairs ? VALUE_OBJECT : VALUE_LIST;

    value_adopt(b->reader->arena, &v, kind, b->nodes.items + f.first, b->nodes.len - f.first);
    if (f.pairs)
        v.tag = RAW_PAIRS;
    b->nodes.len = f.first;
    arena_rewind(b->indexes, f.index_mark);
    anchor_node(b, f.anchor, &v);
    add_node(b, &v);
}

static bool take_event(struct building *b, const struct yevent *event)
{
    switch (event->kind) {
    case YEVENT_ALIAS:
        return add_alias(b, event);
    case YEVENT_SCALAR:
        return add_scalar(b, event);
    case YEVENT_SEQ:
    case YEVENT_MAP:
        return open_collection(b, event);
    case YEVENT_SEQ_END:
    case YEVENT_MAP_END:
        close_collection(b);
        return true;
    default:
        return true;
    }
}

/* Every node is an event, and so is every end of a collection. */
static bool fail_too_many(struct building *b, const struct yevent *event, size_t max)
{
    err_set(b->reader->e, ERR_LIMIT, "yaml: more than the limit of %zu values", max);
    return fail_at(b, event->start);
}

/* Up to the end of the first document; what follows is not looked at. */
static bool build(struct building *b)
{
    struct yreader *r = b->reader;
    struct yevent event = {0};
    size_t max = r->opts->nodes_max ? r->opts->nodes_max : TEXT_NODES_MAX, count = 0;

    do {
        if (!yparse_next(&b->parse, &event))
            return fail_parse(b);
        if (UNLIKELY(++count > max))
            return fail_too_many(b, &event, max);
        if (!take_event(b, &event))
            return false;
    } while (event.kind != YEVENT_STREAM_END && event.kind != YEVENT_DOC_END);
    b->ended = event.kind == YEVENT_STREAM_END;
    return true;
}

/* Looks for the beginning of the document behind the one that was built. */
static bool find_next(struct building *b, const struct ypart *part)
{
    struct yevent event = {0};

    if (!part->next)
        return true;
    if (!b->ended && !yparse_next(&b->parse, &event))
        return fail_parse(b);
    *part->next = event.kind == YEVENT_DOC_START ? part->from + event.start.pos : part->to;
    return true;
}

/* Notes whether the text ends with the document that was built. */
static void note_alone(struct building *b, bool *alone)
{
    struct yevent event = {0};

    if (alone && !*alone)
        *alone = b->ended || (yparse_next(&b->parse, &event) && event.kind == YEVENT_STREAM_END);
}

bool yaml_read_proper(struct arena *a, const struct ypart *part, const struct read_options *opts,
                      struct value **out, struct err *e)
{
    static const struct read_options defaults = {0};
    AUTO_ARENA scratch = arena_new();
    AUTO_ARENA indexes = arena_new();
    struct yreader r = {
        .arena = a,
        .scratch = scratch,
        .src = part->src,
        .opts = opts ? opts : &defaults,
        .base = part->from,
        .text = str_slice(part->src->text, part->from, part->to),
        .e = e,
    };
    struct building b = {.reader = &r, .indexes = indexes};

    *out = NULL;
    if (part->src->text.len > TEXT_MAX) {
        err_set(e, ERR_LIMIT, "yaml: text is larger than 4 GiB");
        return err_at(e, (struct where){.file = part->src->file});
    }
    yparse_begin(&b.parse, a, scratch, r.text);
    b.parse.scan.lenient = !r.opts->go;
    VEC_ADD(scratch, &b.nodes);
    b.nodes.len = 0;
    if (!build(&b) || !find_next(&b, part) || (r.special && !yaml_expand(&r, &b.root)))
        return false;
    if (!part->next)
        note_alone(&b, r.opts->alone);
    *out = arena_alloc_raw(a, sizeof(**out));
    **out = b.root;
    return true;
}

bool yaml_read_part(struct arena *a, const struct ypart *part, const struct read_options *opts,
                    struct value **out, struct err *e)
{
    if (!yaml_fast(a, part, opts, out))
        return yaml_read_proper(a, part, opts, out, e);
    if (opts && opts->alone)
        *opts->alone = true;
    return true;
}

static bool fail_rest(const struct source *src, enum yaml_rest rest, uint32_t line, struct err *e)
{
    err_set(e, ERR_INVALID, "yaml: %s",
            rest == YAML_REST_LOOSE ? YAML_REST_LOOSE_TEXT
                                    : "another document begins here, where one is expected");
    return err_at(e, (struct where){src->file, src->lines_before + line, 1});
}

static bool read_single(struct arena *a, const struct ypart *part, struct read_options opts,
                        struct value **out, struct err *e)
{
    bool alone = false;
    uint32_t line;

    opts.alone = &alone;
    if (!yaml_read_part(a, part, &opts, out, e))
        return false;
    enum yaml_rest rest = alone ? YAML_REST_NONE : yaml_rest(part->src->text, &line);
    return rest == YAML_REST_NONE || fail_rest(part->src, rest, line, e);
}

bool yaml_read(struct arena *a, const struct source *src, const struct read_options *opts,
               struct value **out, struct err *e)
{
    const struct ypart all = {.src = src, .to = src->text.len};

    if (opts && opts->single)
        return read_single(a, &all, *opts, out, e);
    return yaml_read_part(a, &all, opts, out, e);
}

bool yaml_read_next(struct arena *a, const struct source *src, const struct read_options *opts,
                    size_t *offset, struct value **out, struct err *e)
{
    const struct ypart rest = {.src = src, .from = *offset, .to = src->text.len, .next = offset};

    *out = NULL;
    return *offset >= src->text.len || yaml_read_part(a, &rest, opts, out, e);
}
