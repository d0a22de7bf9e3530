/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - tokens to events: the grammar.
 *
 * The state says what may come next; the stack of states, where to go on once a node is finished.
 * A problem is reported at the token that does not fit.
 */
#include "text/yaml/scan_internal.h"

enum state {
    STATE_FIRST_DOC,
    STATE_DOC,
    STATE_DOC_CONTENT,
    STATE_DOC_END,
    STATE_BLOCK_NODE,
    STATE_BLOCK_SEQ_FIRST,
    STATE_BLOCK_SEQ,
    STATE_INDENTLESS_SEQ,
    STATE_BLOCK_MAP_FIRST,
    STATE_BLOCK_MAP_KEY,
    STATE_BLOCK_MAP_VALUE,
    STATE_FLOW_SEQ_FIRST,
    STATE_FLOW_SEQ,
    STATE_PAIR_KEY, /* "[a: b]": a mapping of one pair inside a flow sequence */
    STATE_PAIR_VALUE,
    STATE_PAIR_END,
    STATE_FLOW_MAP_FIRST,
    STATE_FLOW_MAP_KEY,
    STATE_FLOW_MAP_VALUE,
    STATE_FLOW_MAP_EMPTY_VALUE,
    STATE_END,
};

/* Where a node stands decides which tokens it may begin with. */
enum place { PLACE_FLOW, PLACE_BLOCK, PLACE_BLOCK_OR_INDENTLESS };

#define SET(kind) (1u << (kind))

static bool is_one_of(const struct ytoken *t, uint32_t set)
{
    return SET(t->kind) & set;
}

void yparse_begin(struct yparse *p, struct arena *a, struct arena *scratch, str text)
{
    *p = (struct yparse){.state = STATE_FIRST_DOC};
    yscan_begin(&p->scan, a, scratch, text);
}

static bool fail(struct yparse *p, const char *text, struct ymark at)
{
    p->scan.problem = (struct yproblem){.kind = YPROBLEM_GRAMMAR, .text = text, .at = at};
    return false;
}

static void push_state(struct yparse *p, enum state state)
{
    *VEC_NEXT(p->scan.scratch, &p->states) = (uint8_t)state;
}

static void pop_state(struct yparse *p)
{
    p->state = p->states.items[--p->states.len];
}

static const struct ytoken *take_and_peek(struct yparse *p)
{
    yscan_take(&p->scan);
    return yscan_peek(&p->scan);
}

static bool give(struct yevent *out, enum yevent_kind kind, struct ymark start)
{
    *out = (struct yevent){.kind = kind, .start = start};
    return true;
}

/* A node that is not there: null. */
static bool give_empty(struct yparse *p, struct yevent *out, enum state next, struct ymark at)
{
    p->state = (uint8_t)next;
    *out = (struct yevent){.kind = YEVENT_SCALAR, .start = at, .implicit = true};
    return true;
}

/* ---- Documents. ---- */

static bool add_handle(struct yparse *p, struct ytag_handle h, bool again, struct ymark at)
{
    for (size_t i = 0; i < p->handles.len; i++)
        if (str_eq(p->handles.items[i].handle, h.handle))
            return again || fail(p, "found duplicate %TAG directive", at);
    VEC_PUSH(p->scan.scratch, &p->handles, h);
    return true;
}

/*
 * Handles are searched one by one, and every tag that uses one becomes as long as its prefix: both
 * have a limit far beyond what documents need.
 */
static bool check_tag_directive(struct yparse *p, const struct ytoken *t)
{
    if (p->handles.len < YAML_HANDLES_MAX && t->suffix.len <= YAML_PREFIX_MAX)
        return true;
    fail(p,
         t->suffix.len > YAML_PREFIX_MAX ? "prefix of %TAG directive is longer than 256 bytes"
                                         : "found more than 100 %TAG directives",
         t->start);
    p->scan.problem.limit = true;
    return false;
}

static bool take_directive(struct yparse *p, const struct ytoken *t, bool *version_seen)
{
    if (t->kind == YTOKEN_TAG_DIRECTIVE && !t->value.len)
        return true;
    if (t->kind == YTOKEN_TAG_DIRECTIVE)
        return check_tag_directive(p, t) &&
               add_handle(p, (struct ytag_handle){t->value, t->suffix}, false, t->start);
    if (*version_seen)
        return fail(p, "found duplicate %YAML directive", t->start);
    *version_seen = true;
    return t->value.len == 0x101 || (p->scan.lenient && t->value.len >> 8 == 1) ||
           fail(p, "found incompatible YAML document", t->start);
}

static bool take_directives(struct yparse *p)
{
    const struct ytoken *t = yscan_peek(&p->scan);
    bool version_seen = false;

    while (t && is_one_of(t, SET(YTOKEN_VERSION) | SET(YTOKEN_TAG_DIRECTIVE))) {
        if (!take_directive(p, t, &version_seen))
            return false;
        t = take_and_peek(p);
    }
    if (!t)
        return false;
    add_handle(p, (struct ytag_handle){STR("!"), STR("!")}, true, t->start);
    add_handle(p, (struct ytag_handle){STR("!!"), STR("tag:yaml.org,2002:")}, true, t->start);
    return true;
}

static bool start_explicit(struct yparse *p, struct yevent *out, struct ymark start)
{
    if (!take_directives(p))
        return false;
    const struct ytoken *t = yscan_peek(&p->scan);
    if (!t)
        return false;
    if (t->kind != YTOKEN_DOC_START)
        return fail(p, "did not find expected <document start>", t->start);
    push_state(p, STATE_DOC_END);
    p->state = STATE_DOC_CONTENT;
    yscan_take(&p->scan);
    return give(out, YEVENT_DOC_START, start);
}

static bool parse_document_start(struct yparse *p, struct yevent *out, bool first)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    while (t && !first && t->kind == YTOKEN_DOC_END)
        t = take_and_peek(p);
    if (!t)
        return false;
    struct ymark start = t->start;
    if (t->kind == YTOKEN_STREAM_END) {
        p->state = STATE_END;
        return give(out, YEVENT_STREAM_END, start);
    }
    if (!first ||
        is_one_of(t, SET(YTOKEN_VERSION) | SET(YTOKEN_TAG_DIRECTIVE) | SET(YTOKEN_DOC_START)))
        return start_explicit(p, out, start);
    if (!take_directives(p))
        return false;
    push_state(p, STATE_DOC_END);
    p->state = STATE_BLOCK_NODE;
    return give(out, YEVENT_DOC_START, start);
}

static bool parse_document_end(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    give(out, YEVENT_DOC_END, t->start);
    if (t->kind == YTOKEN_DOC_END)
        yscan_take(&p->scan);
    p->handles.len = 0;
    p->state = STATE_DOC;
    return true;
}

/* ---- Nodes. ---- */

struct properties {
    str anchor, handle, suffix;
    bool has_tag;
    struct ymark start, tag_at;
};

/* An anchor and a tag, in either order, at most one of each. */
static const struct ytoken *take_properties(struct yparse *p, const struct ytoken *t,
                                            struct properties *out)
{
    bool has_anchor = false;

    out->start = t->start;
    while (t && ((t->kind == YTOKEN_ANCHOR && !has_anchor) ||
                 (t->kind == YTOKEN_TAG && !out->has_tag))) {
        if (t->kind == YTOKEN_ANCHOR) {
            has_anchor = true;
            out->anchor = t->value;
        } else {
            out->has_tag = true;
            out->handle = t->value;
            out->suffix = t->suffix;
            out->tag_at = t->start;
        }
        t = take_and_peek(p);
    }
    return t;
}

static bool spell_tag(struct yparse *p, const struct properties *props, str *out)
{
    if (!props->has_tag)
        return true;
    if (!props->handle.len) {
        *out = props->suffix;
        return true;
    }
    for (size_t i = 0; i < p->handles.len && !out->len; i++)
        if (str_eq(p->handles.items[i].handle, props->handle))
            *out = str_concat(p->scan.arena, p->handles.items[i].prefix, props->suffix);
    return out->len || fail(p, "found undefined tag handle", props->tag_at);
}

static bool give_scalar(struct yparse *p, const struct ytoken *t, struct yevent *out)
{
    out->kind = YEVENT_SCALAR;
    out->value = t->value;
    out->implicit = out->tag.len ? str_eq(out->tag, STR("!")) : t->plain;
    yscan_take(&p->scan);
    pop_state(p);
    return true;
}

static bool open_collection(struct yparse *p, struct yevent *out, enum yevent_kind kind,
                            enum state next)
{
    out->kind = kind;
    p->state = (uint8_t)next;
    return true;
}

static bool parse_content(struct yparse *p, const struct ytoken *t, struct yevent *out,
                          enum place place)
{
    switch (t->kind) {
    case YTOKEN_SCALAR:
        return give_scalar(p, t, out);
    case YTOKEN_FLOW_SEQ:
        return open_collection(p, out, YEVENT_SEQ, STATE_FLOW_SEQ_FIRST);
    case YTOKEN_FLOW_MAP:
        return open_collection(p, out, YEVENT_MAP, STATE_FLOW_MAP_FIRST);
    case YTOKEN_BLOCK_ENTRY:
        if (place == PLACE_BLOCK_OR_INDENTLESS)
            return open_collection(p, out, YEVENT_SEQ, STATE_INDENTLESS_SEQ);
        break;
    case YTOKEN_BLOCK_SEQ:
        if (place != PLACE_FLOW)
            return open_collection(p, out, YEVENT_SEQ, STATE_BLOCK_SEQ_FIRST);
        break;
    case YTOKEN_BLOCK_MAP:
        if (place != PLACE_FLOW)
            return open_collection(p, out, YEVENT_MAP, STATE_BLOCK_MAP_FIRST);
        break;
    default:
        break;
    }
    if (!out->anchor.len && !out->tag.len)
        return fail(p, "did not find expected node content", t->start);
    out->kind = YEVENT_SCALAR;
    out->implicit = !out->tag.len;
    pop_state(p);
    return true;
}

static bool parse_node(struct yparse *p, struct yevent *out, enum place place)
{
    struct properties props = {0};
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind == YTOKEN_ALIAS) {
        give(out, YEVENT_ALIAS, t->start);
        out->anchor = t->value;
        yscan_take(&p->scan);
        pop_state(p);
        return true;
    }
    if (!(t = take_properties(p, t, &props)))
        return false;
    *out = (struct yevent){.start = props.start, .anchor = props.anchor};
    return spell_tag(p, &props, &out->tag) && parse_content(p, t, out, place);
}

/* A node unless the next token is one of those that show its absence. */
static bool parse_node_unless(struct yparse *p, struct yevent *out, uint32_t absent,
                              enum state next, enum place place)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (is_one_of(t, absent))
        return give_empty(p, out, next, t->start);
    push_state(p, next);
    return parse_node(p, out, place);
}

/* The same behind an indicator, which is taken; an absent node stands right behind it. */
static bool parse_node_behind(struct yparse *p, struct yevent *out, uint32_t absent,
                              enum state next, enum place place)
{
    struct ymark end = yscan_peek(&p->scan)->end;
    const struct ytoken *t = take_and_peek(p);

    if (!t)
        return false;
    if (is_one_of(t, absent))
        return give_empty(p, out, next, end);
    push_state(p, next);
    return parse_node(p, out, place);
}

static bool parse_document_content(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (!is_one_of(t, SET(YTOKEN_VERSION) | SET(YTOKEN_TAG_DIRECTIVE) | SET(YTOKEN_DOC_START) |
                          SET(YTOKEN_DOC_END) | SET(YTOKEN_STREAM_END)))
        return parse_node(p, out, PLACE_BLOCK);
    pop_state(p);
    return give_empty(p, out, p->state, t->start);
}

/* ---- Collections. ---- */

static bool end_collection(struct yparse *p, struct yevent *out, enum yevent_kind kind)
{
    give(out, kind, yscan_peek(&p->scan)->start);
    yscan_take(&p->scan);
    pop_state(p);
    return true;
}

static bool parse_block_seq(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind == YTOKEN_BLOCK_ENTRY)
        return parse_node_behind(p, out, SET(YTOKEN_BLOCK_ENTRY) | SET(YTOKEN_BLOCK_END),
                                 STATE_BLOCK_SEQ, PLACE_BLOCK);
    if (t->kind == YTOKEN_BLOCK_END)
        return end_collection(p, out, YEVENT_SEQ_END);
    return fail(p, "did not find expected '-' indicator", t->start);
}

/* "key:" followed by dashes in the same column: nothing but the next key ends the sequence. */
static bool parse_indentless_seq(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind == YTOKEN_BLOCK_ENTRY)
        return parse_node_behind(p, out,
                                 SET(YTOKEN_BLOCK_ENTRY) | SET(YTOKEN_KEY) | SET(YTOKEN_VALUE) |
                                     SET(YTOKEN_BLOCK_END),
                                 STATE_INDENTLESS_SEQ, PLACE_BLOCK);
    pop_state(p);
    return give(out, YEVENT_SEQ_END, t->start);
}

#define NO_BLOCK_VALUE (SET(YTOKEN_KEY) | SET(YTOKEN_VALUE) | SET(YTOKEN_BLOCK_END))

static bool parse_block_map_key(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind == YTOKEN_KEY)
        return parse_node_behind(p, out, NO_BLOCK_VALUE, STATE_BLOCK_MAP_VALUE,
                                 PLACE_BLOCK_OR_INDENTLESS);
    if (t->kind == YTOKEN_BLOCK_END)
        return end_collection(p, out, YEVENT_MAP_END);
    return fail(p, "did not find expected key", t->start);
}

static bool parse_block_map_value(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind != YTOKEN_VALUE)
        return give_empty(p, out, STATE_BLOCK_MAP_KEY, t->start);
    return parse_node_behind(p, out, NO_BLOCK_VALUE, STATE_BLOCK_MAP_KEY,
                             PLACE_BLOCK_OR_INDENTLESS);
}

/* Takes the comma before an item that is not the first. */
static const struct ytoken *take_comma(struct yparse *p, bool first, const char *problem)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t || first)
        return t;
    if (t->kind == YTOKEN_FLOW_ENTRY)
        return take_and_peek(p);
    fail(p, problem, t->start);
    return NULL;
}

static bool parse_flow_seq(struct yparse *p, struct yevent *out, bool first)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (t && t->kind != YTOKEN_FLOW_SEQ_END)
        t = take_comma(p, first, "did not find expected ',' or ']'");
    if (!t)
        return false;
    if (t->kind == YTOKEN_FLOW_SEQ_END)
        return end_collection(p, out, YEVENT_SEQ_END);
    if (t->kind == YTOKEN_KEY) {
        give(out, YEVENT_MAP, t->start);
        yscan_take(&p->scan);
        p->state = STATE_PAIR_KEY;
        return true;
    }
    push_state(p, STATE_FLOW_SEQ);
    return parse_node(p, out, PLACE_FLOW);
}

#define NO_PAIR_VALUE (SET(YTOKEN_FLOW_ENTRY) | SET(YTOKEN_FLOW_SEQ_END))

/* Upstream: when the key is absent, the token that shows it is lost. */
static bool parse_pair_key(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (!is_one_of(t, SET(YTOKEN_VALUE) | NO_PAIR_VALUE)) {
        push_state(p, STATE_PAIR_VALUE);
        return parse_node(p, out, PLACE_FLOW);
    }
    struct ymark end = t->end;
    yscan_take(&p->scan);
    return give_empty(p, out, STATE_PAIR_VALUE, end);
}

static bool parse_pair_value(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (t->kind != YTOKEN_VALUE)
        return give_empty(p, out, STATE_PAIR_END, t->start);
    if (!take_and_peek(p))
        return false;
    return parse_node_unless(p, out, NO_PAIR_VALUE, STATE_PAIR_END, PLACE_FLOW);
}

static bool parse_pair_end(struct yparse *p, struct yevent *out)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    p->state = STATE_FLOW_SEQ;
    return give(out, YEVENT_MAP_END, t->start);
}

static bool parse_flow_map_key(struct yparse *p, struct yevent *out, bool first)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (t && t->kind != YTOKEN_FLOW_MAP_END)
        t = take_comma(p, first, "did not find expected ',' or '}'");
    if (!t)
        return false;
    if (t->kind == YTOKEN_FLOW_MAP_END)
        return end_collection(p, out, YEVENT_MAP_END);
    if (t->kind == YTOKEN_KEY) {
        if (!take_and_peek(p))
            return false;
        return parse_node_unless(
            p, out, SET(YTOKEN_VALUE) | SET(YTOKEN_FLOW_ENTRY) | SET(YTOKEN_FLOW_MAP_END),
            STATE_FLOW_MAP_VALUE, PLACE_FLOW);
    }
    push_state(p, STATE_FLOW_MAP_EMPTY_VALUE);
    return parse_node(p, out, PLACE_FLOW);
}

static bool parse_flow_map_value(struct yparse *p, struct yevent *out, bool empty)
{
    const struct ytoken *t = yscan_peek(&p->scan);

    if (!t)
        return false;
    if (empty || t->kind != YTOKEN_VALUE)
        return give_empty(p, out, STATE_FLOW_MAP_KEY, t->start);
    if (!take_and_peek(p))
        return false;
    return parse_node_unless(p, out, SET(YTOKEN_FLOW_ENTRY) | SET(YTOKEN_FLOW_MAP_END),
                             STATE_FLOW_MAP_KEY, PLACE_FLOW);
}

bool yparse_next(struct yparse *p, struct yevent *out)
{
    switch ((enum state)p->state) {
    case STATE_FIRST_DOC:
        return parse_document_start(p, out, true);
    case STATE_DOC:
        return parse_document_start(p, out, false);
    case STATE_DOC_CONTENT:
        return parse_document_content(p, out);
    case STATE_DOC_END:
        return parse_document_end(p, out);
    case STATE_BLOCK_NODE:
        return parse_node(p, out, PLACE_BLOCK);
    case STATE_BLOCK_SEQ_FIRST:
        yscan_take(&p->scan);
        return parse_block_seq(p, out);
    case STATE_BLOCK_SEQ:
        return parse_block_seq(p, out);
    case STATE_INDENTLESS_SEQ:
        return parse_indentless_seq(p, out);
    case STATE_BLOCK_MAP_FIRST:
        yscan_take(&p->scan);
        return parse_block_map_key(p, out);
    case STATE_BLOCK_MAP_KEY:
        return parse_block_map_key(p, out);
    case STATE_BLOCK_MAP_VALUE:
        return parse_block_map_value(p, out);
    case STATE_FLOW_SEQ_FIRST:
        yscan_take(&p->scan);
        return parse_flow_seq(p, out, true);
    case STATE_FLOW_SEQ:
        return parse_flow_seq(p, out, false);
    case STATE_PAIR_KEY:
        return parse_pair_key(p, out);
    case STATE_PAIR_VALUE:
        return parse_pair_value(p, out);
    case STATE_PAIR_END:
        return parse_pair_end(p, out);
    case STATE_FLOW_MAP_FIRST:
        yscan_take(&p->scan);
        return parse_flow_map_key(p, out, true);
    case STATE_FLOW_MAP_KEY:
        return parse_flow_map_key(p, out, false);
    case STATE_FLOW_MAP_VALUE:
        return parse_flow_map_value(p, out, false);
    case STATE_FLOW_MAP_EMPTY_VALUE:
        return parse_flow_map_value(p, out, true);
    case STATE_END:
        break;
    }
    return give(out, YEVENT_STREAM_END, p->scan.at);
}
