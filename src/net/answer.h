/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - reads answers of HTTP/1.1 from bytes as they come in.
 *
 *     answer_begin(&p, a, STR("GET"), &limits, &response);
 *     while ((state = answer_feed(&p, piece, &used)) == ANSWER_MORE) piece = more bytes;
 *     at the end of the connection instead: state = answer_close(&p);
 *
 * No network and no clock: for the engine (engine.h) and for fuzzing. Bodies come with a length, in
 * chunks, or until the connection ends. Interim answers are skipped, trailers too. What is left of
 * a piece (used < piece.len) belongs to nobody: nothing was asked for it. Lengths are checked
 * before anything is stored. One thread at a time; the response lives as long as a.
 */
#pragma once

#include "net/http.h"

enum answer_state {
    ANSWER_MORE,
    ANSWER_DONE,
    ANSWER_BROKEN,     /* no HTTP/1.x, or cut off; p->why says what is wrong */
    ANSWER_HEAD_LARGE, /* more than limits->head */
    ANSWER_BODY_LARGE,
};

struct answer_limits {
    size_t head, body; /* 0: none */
};

/* What comes next. */
enum answer_part {
    ANSWER_HEAD,
    ANSWER_LENGTH,
    ANSWER_UNTIL_CLOSE,
    ANSWER_CHUNK_SIZE,
    ANSWER_CHUNK,
    ANSWER_CHUNK_END,
    ANSWER_TRAILER,
};

struct answer {
    struct arena *arena;
    struct http_response *response;
    struct answer_limits limits;
    bool no_body;    /* HEAD */
    bool began;      /* a byte has come */
    bool head_done;  /* of the last answer, not of an interim one */
    bool keep;       /* at the end: the connection may be used again */
    const char *why; /* ANSWER_BROKEN */
    /* Its own business. */
    enum answer_part part;
    struct buf line; /* a head or a line of chunks that is not complete */
    struct buf body;
    uint64_t left;     /* of the body or chunk */
    size_t head_bytes; /* of all heads and the trailer */
};

/* Fills response with status, headers and body in the course of time. */
void answer_begin(struct answer *p, struct arena *a, str method, const struct answer_limits *limits,
                  struct http_response *response);
/* Takes a piece; *used says how much of it. Not after an end. */
enum answer_state answer_feed(struct answer *p, str piece, size_t *used);
/* The connection has ended: ANSWER_DONE when that is how the body ends. */
enum answer_state answer_close(struct answer *p);
