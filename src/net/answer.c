/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - a machine with one function per part of an answer; see answer.h.
 *
 * A function takes what it needs from the piece and says how it went; ANSWER_MORE with bytes left
 * means that another part comes next.
 */
#include "net/answer.h"

/* A size in hexadecimal digits, and extensions that nobody uses. */
#define CHUNK_LINE_MAX 1024
/* What is announced is believed up to that before it comes. */
#define RESERVE_MAX (1 * MIB)

void answer_begin(struct answer *p, struct arena *a, str method, const struct answer_limits *limits,
                  struct http_response *response)
{
    *p = (struct answer){.arena = a,
                         .response = response,
                         .limits = *limits,
                         .no_body = str_eq(method, STR("HEAD")),
                         .line = buf_new(a, BUF_UNLIMITED),
                         .body = buf_new(a, BUF_UNLIMITED)};
}

static enum answer_state broken(struct answer *p, const char *why)
{
    p->why = why;
    return ANSWER_BROKEN;
}

static enum answer_state finish(struct answer *p)
{
    p->response->body = buf_str(&p->body);
    return ANSWER_DONE;
}

/* ---- The head. ---- */

/* Names of headers: letters, digits, and what is neither a blank nor used between them. */
static bool is_token(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i], letter = c | 0x20;
        if ((letter >= 'a' && letter <= 'z') || c == '-' || (c >= '0' && c <= '9'))
            continue;
        if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
            return false;
    }
    return s.len > 0;
}

static bool is_clean(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (((unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\t') || s.ptr[i] == 0x7f)
            return false;
    return true;
}

/* "HTTP/1.1 200 OK" */
static bool read_status(struct answer *p, str line)
{
    int64_t status;
    str code = str_slice(line, 9, 12);

    if (!(str_has_prefix(line, STR("HTTP/1.1 ")) || str_has_prefix(line, STR("HTTP/1.0 "))) ||
        code.len != 3 || code.ptr[0] < '1' || code.ptr[0] > '9' || !str_to_i64(code, &status) ||
        (line.len > 12 && line.ptr[12] != ' '))
        return false;
    p->response->status = (int)status;
    p->keep = line.ptr[7] == '1';
    return true;
}

static bool read_headers(struct answer *p, str rest)
{
    str line, name, value;

    p->response->headers.len = 0;
    while (str_next_line(&rest, &line)) {
        line = str_without_suffix(line, STR("\r"));
        if (!line.len)
            return true;
        if (!str_cut(line, STR(":"), &name, &value) || !is_token(name) ||
            !is_clean(value = str_trim(value)))
            return false;
        http_header_add(p->arena, &p->response->headers, name, value);
    }
    return true;
}

/* Whether a header that is a list has that element. */
static bool lists(const struct http_headers *h, str name, str wanted)
{
    for (size_t i = 0; i < h->len; i++) {
        str rest = h->items[i].value, one;
        if (!str_eq_fold(h->items[i].name, name))
            continue;
        while (rest.len) {
            str_cut(rest, STR(","), &one, &rest);
            if (str_eq_fold(str_trim(one), wanted))
                return true;
        }
    }
    return false;
}

/* All that are there must agree. False: they do not, or are no numbers. */
static bool read_length(struct answer *p, bool *found)
{
    const struct http_headers *h = &p->response->headers;
    uint64_t length;

    *found = false;
    for (size_t i = 0; i < h->len; i++) {
        if (!str_eq_fold(h->items[i].name, STR("Content-Length")))
            continue;
        if (!str_to_u64(h->items[i].value, &length) || (*found && length != p->left))
            return false;
        p->left = length;
        *found = true;
    }
    return true;
}

static enum answer_state expect_length(struct answer *p)
{
    if (p->limits.body && p->left > p->limits.body)
        return ANSWER_BODY_LARGE;
    p->part = ANSWER_LENGTH;
    if (!p->left)
        return finish(p);
    buf_room(&p->body, p->left < RESERVE_MAX ? (size_t)p->left : RESERVE_MAX);
    return ANSWER_MORE;
}

/* How the body comes. */
static enum answer_state begin_body(struct answer *p)
{
    const struct http_headers *h = &p->response->headers;
    const int status = p->response->status;
    bool has_length;

    p->head_done = true;
    if (lists(h, STR("Connection"), STR("close")))
        p->keep = false;
    if (p->no_body || status == 204 || status == 304)
        return finish(p);
    if (http_header_has(h, STR("Content-Encoding")) &&
        !str_eq_fold(http_header_get(h, STR("Content-Encoding")), STR("identity")))
        return broken(p, "compressed answer, gzip or another, which nobody asked for");
    if (http_header_has(h, STR("Transfer-Encoding"))) {
        if (!str_eq_fold(http_header_get(h, STR("Transfer-Encoding")), STR("chunked")))
            return broken(p, "unsupported transfer encoding");
        /* A length beside it may be somebody else's: nothing more is believed afterwards. */
        p->keep = p->keep && !http_header_has(h, STR("Content-Length"));
        p->part = ANSWER_CHUNK_SIZE;
        return ANSWER_MORE;
    }
    if (!read_length(p, &has_length))
        return broken(p, "bad Content-Length");
    if (has_length)
        return expect_length(p);
    p->keep = false;
    p->part = ANSWER_UNTIL_CLOSE;
    return ANSWER_MORE;
}

/* The head is complete. Names and values stay in it. */
static enum answer_state take_head(struct answer *p, str head)
{
    str line;

    str_next_line(&head, &line);
    if (!read_status(p, str_without_suffix(line, STR("\r"))))
        return broken(p, "malformed HTTP response");
    if (!read_headers(p, head))
        return broken(p, "malformed header of HTTP response");
    if (p->response->status == 101)
        return broken(p, "unexpected switch of protocols");
    if (p->response->status >= 200)
        return begin_body(p);
    p->line = buf_new(p->arena, BUF_UNLIMITED);
    return ANSWER_MORE;
}

/* Where the empty line ends that ends the head, or 0. from was looked at before. */
static size_t head_end(str text, size_t from)
{
    for (size_t i = from; i < text.len; i++) {
        const char *lf = memchr(text.ptr + i, '\n', text.len - i);
        if (!lf)
            return 0;
        i = (size_t)(lf - text.ptr);
        if (i + 1 < text.len && text.ptr[i + 1] == '\n')
            return i + 2;
        if (i + 2 < text.len && text.ptr[i + 1] == '\r' && text.ptr[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

static enum answer_state feed_head(struct answer *p, str piece, size_t *used)
{
    const size_t before = p->line.len;
    size_t end = before ? 0 : head_end(piece, 0);

    /* Mostly the head comes as a whole, with the body behind it, which is not wanted here. */
    buf_add(&p->line, end ? str_slice(piece, 0, end) : piece);
    if (before)
        end = head_end(buf_str(&p->line), before > 3 ? before - 3 : 0);
    *used = end ? end - before : piece.len;
    p->head_bytes += *used;
    if (p->limits.head && p->head_bytes > p->limits.head)
        return ANSWER_HEAD_LARGE;
    if (end)
        return take_head(p, str_slice(buf_str(&p->line), 0, end));
    if (p->line.len >= 5 && !str_has_prefix(buf_str(&p->line), STR("HTTP/")))
        return broken(p, "malformed HTTP response");
    return ANSWER_MORE;
}

/* ---- The body. ---- */

static enum answer_state feed_length(struct answer *p, str piece, size_t *used)
{
    *used = piece.len < p->left ? piece.len : (size_t)p->left;
    buf_add(&p->body, str_slice(piece, 0, *used));
    p->left -= *used;
    return p->left ? ANSWER_MORE : finish(p);
}

static enum answer_state feed_until_close(struct answer *p, str piece, size_t *used)
{
    *used = piece.len;
    if (p->limits.body && p->body.len + piece.len > p->limits.body)
        return ANSWER_BODY_LARGE;
    buf_add(&p->body, piece);
    return ANSWER_MORE;
}

/* Collects a line. False: it is not complete, or too long, which *state says. */
static bool take_line(struct answer *p, str piece, size_t *used, str *line,
                      enum answer_state *state)
{
    size_t lf = str_find_char(piece, '\n');

    *used = lf == STR_NPOS ? piece.len : lf + 1;
    *state = ANSWER_MORE;
    buf_add(&p->line, str_slice(piece, 0, *used));
    if (p->line.len > CHUNK_LINE_MAX) {
        *state = broken(p, "malformed chunk of HTTP response");
        return false;
    }
    *line = str_trim(buf_str(&p->line));
    if (lf == STR_NPOS)
        return false;
    buf_truncate(&p->line, 0);
    return true;
}

static bool read_hex(str s, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char *digits = "0123456789abcdef";
        const char *d = strchr(digits, s.ptr[i] | 0x20);
        if (!s.ptr[i] || !d || *out >> 60)
            return false;
        *out = *out << 4 | (uint64_t)(d - digits);
    }
    return s.len > 0;
}

static enum answer_state feed_chunk_size(struct answer *p, str piece, size_t *used)
{
    enum answer_state state;
    str line, size, extension;

    if (!take_line(p, piece, used, &line, &state))
        return state;
    str_cut(line, STR(";"), &size, &extension);
    if (!read_hex(str_trim(size), &p->left))
        return broken(p, "malformed chunk of HTTP response");
    if (p->limits.body && p->left > p->limits.body - p->body.len)
        return ANSWER_BODY_LARGE;
    p->part = p->left ? ANSWER_CHUNK : ANSWER_TRAILER;
    return ANSWER_MORE;
}

static enum answer_state feed_chunk(struct answer *p, str piece, size_t *used)
{
    *used = piece.len < p->left ? piece.len : (size_t)p->left;
    buf_add(&p->body, str_slice(piece, 0, *used));
    p->left -= *used;
    if (!p->left)
        p->part = ANSWER_CHUNK_END;
    return ANSWER_MORE;
}

static enum answer_state feed_chunk_end(struct answer *p, str piece, size_t *used)
{
    enum answer_state state;
    str line;

    if (!take_line(p, piece, used, &line, &state))
        return state;
    p->part = ANSWER_CHUNK_SIZE;
    return line.len ? broken(p, "malformed chunk of HTTP response") : ANSWER_MORE;
}

static enum answer_state feed_trailer(struct answer *p, str piece, size_t *used)
{
    enum answer_state state;
    bool complete;
    str line;

    complete = take_line(p, piece, used, &line, &state);
    p->head_bytes += *used;
    if (p->limits.head && p->head_bytes > p->limits.head)
        return ANSWER_HEAD_LARGE;
    return complete && !line.len ? finish(p) : state;
}

enum answer_state answer_feed(struct answer *p, str piece, size_t *used)
{
    static enum answer_state (*const parts[])(struct answer *, str, size_t *) = {
        [ANSWER_HEAD] = feed_head,
        [ANSWER_LENGTH] = feed_length,
        [ANSWER_UNTIL_CLOSE] = feed_until_close,
        [ANSWER_CHUNK_SIZE] = feed_chunk_size,
        [ANSWER_CHUNK] = feed_chunk,
        [ANSWER_CHUNK_END] = feed_chunk_end,
        [ANSWER_TRAILER] = feed_trailer,
    };
    enum answer_state state = ANSWER_MORE;

    *used = 0;
    p->began = p->began || piece.len;
    while (state == ANSWER_MORE && *used < piece.len) {
        size_t n = 0;
        bool in_head = p->part == ANSWER_HEAD;
        state = parts[p->part](p, str_from(piece, *used), &n);
        *used += n;
        /* The head stays where it is: its headers point there. */
        if (in_head && p->part != ANSWER_HEAD)
            p->line = buf_new(p->arena, BUF_UNLIMITED);
    }
    return state;
}

enum answer_state answer_close(struct answer *p)
{
    if (p->part == ANSWER_UNTIL_CLOSE)
        return finish(p);
    return broken(p, "unexpected EOF");
}
