/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c - what servers do wrong; see faults.h. To add a fault: a line in faults[]. */
#include "support/faults.h"

#include <stdlib.h>
#include <zlib.h>

#define HEAD_OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#define STATUS(line) "HTTP/1.1 " line "\r\nConnection: close\r\nContent-Length: 0\r\n"
#define BUSY STATUS("429 Too Many Requests")
#define UNAVAILABLE STATUS("503 Service Unavailable")
#define TEXT(type, len, body)                                                                      \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nConnection: close\r\nContent-Length: " len       \
    "\r\n\r\n" body

#define FAULT(title, kind, ...) .name = title, .class = kind, .step = {__VA_ARGS__}
#define RESET .end = FAULT_RESET
#define HANG .end = FAULT_HANG
#define SENDS(text) .reply = text
#define CHUNKS "Transfer-Encoding: chunked\r\n\r\n"
#define LENGTH_99 "Content-Length: 99\r\n\r\n"
#define DRIP_HEAD HEAD_OK "Content-Length: 99999\r\n\r\n"
/* A reset may discard what was in transit. */
#define LOST_IN_ANSWER .want = "unexpected EOF", .or_want = "connection reset by peer"
#define LOST_IN_REQUEST .want = "connection reset by peer", .or_want = "broken pipe"

const struct fault faults[] = {
    {FAULT("reset before the request", FAULT_LOST, .before_request = true, RESET), LOST_IN_REQUEST,
     .uncertain = true},
    {FAULT("reset in the request", FAULT_LOST, .read_only = 10, RESET), LOST_IN_REQUEST},
    {FAULT("reset after the request", FAULT_LOST, RESET), .want = "connection reset by peer"},
    {FAULT("closed after the request", FAULT_LOST, .end = FAULT_CLOSE), .want = "EOF"},
    {FAULT("closed in the status line", FAULT_LOST, SENDS("HTTP/1.1 2")), .want = "EOF"},
    {FAULT("closed in the head", FAULT_LOST, SENDS(HEAD_OK "X-Y")), .want = "unexpected EOF"},
    {FAULT("reset in the head", FAULT_LOST, SENDS(HEAD_OK "X-Y"), RESET), LOST_IN_ANSWER},
    {FAULT("closed behind the head", FAULT_LOST, SENDS(HEAD_OK LENGTH_99)),
     .want = "unexpected EOF"},
    {FAULT("half a body", FAULT_LOST, SENDS(HEAD_OK LENGTH_99 "{\"ite")), .want = "unexpected EOF"},
    {FAULT("half a body and a reset", FAULT_LOST, SENDS(HEAD_OK LENGTH_99 "{\"ite"), RESET),
     LOST_IN_ANSWER},
    {FAULT("half a chunk", FAULT_LOST, SENDS(HEAD_OK CHUNKS "10\r\n{\"ite")),
     .want = "unexpected EOF"},
    {FAULT("no last chunk", FAULT_LOST, SENDS(HEAD_OK CHUNKS "5\r\n{\"ite\r\n")),
     .want = "unexpected EOF"},
    {FAULT("a chunk that is no number", FAULT_LOST, SENDS(HEAD_OK CHUNKS "zz\r\n{}")),
     .want = "unexpected EOF"},
    {FAULT("a chunk larger than the world", FAULT_LOST,
           SENDS(HEAD_OK CHUNKS "ffffffffffffffffff\r\n{}")),
     .want = "unexpected EOF"},
    {FAULT("429 with seconds", FAULT_PATIENT, SENDS(BUSY "Retry-After: 2\r\n\r\n")), .status = 429},
    {FAULT("429 with a date", FAULT_PATIENT,
           SENDS(BUSY "Retry-After: Thu, 01 Jan 1970 00:00:17 GMT\r\n\r\n")),
     .status = 429},
    {FAULT("429 for an hour", FAULT_LATER, SENDS(BUSY "Retry-After: 3600\r\n\r\n")), .status = 429},
    {FAULT("429 without a word", FAULT_REFUSES, SENDS(BUSY "\r\n")), .status = 429},
    {FAULT("429 with nonsense", FAULT_REFUSES, SENDS(BUSY "Retry-After: soon\r\n\r\n")),
     .status = 429},
    {FAULT("500", FAULT_REFUSES, SENDS(STATUS("500 Internal Server Error") "\r\n")), .status = 500},
    {FAULT("502 of a proxy", FAULT_REFUSES,
           SENDS("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n"
                 "Content-Length: 11\r\n\r\nbad gateway")),
     .status = 502},
    {FAULT("503", FAULT_REFUSES, SENDS(UNAVAILABLE "\r\n")), .status = 503},
    {FAULT("503 with seconds", FAULT_PATIENT, SENDS(UNAVAILABLE "Retry-After: 1\r\n\r\n")),
     .status = 503},
    {FAULT("503 for an hour", FAULT_LATER, SENDS(UNAVAILABLE "Retry-After: 3600\r\n\r\n")),
     .status = 503},
    {FAULT("a page for people", FAULT_CONTENT,
           SENDS(TEXT("text/html", "22", "<html>log in</html>...")))},
    {FAULT("an empty answer", FAULT_CONTENT, SENDS(TEXT("application/json", "0", "")))},
    {FAULT("half an object", FAULT_CONTENT, SENDS(TEXT("application/json", "5", "{\"ite")))},
    {FAULT("a list of nothing", FAULT_CONTENT, SENDS(TEXT("application/json", "2", "[]")))},
    {FAULT("binary", FAULT_CONTENT,
           SENDS(TEXT("application/vnd.kubernetes.protobuf", "4", "k8s\1")))},
    {FAULT("4 GB announced", FAULT_LARGE, SENDS(HEAD_OK "Content-Length: 4294967296\r\n\r\n{")),
     .want = "the body of the answer has more than "},
    {FAULT("a bomb", FAULT_LARGE, 0), .body = FAULT_BOMB,
     .want = "the body of the answer has more than "},
    {FAULT("a compression that nobody asked for", FAULT_BROKEN,
           SENDS(HEAD_OK "Content-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd")),
     .want = "the answer is encoded as \"br\", which was not asked for"},
    {FAULT("gzip that is none", FAULT_BROKEN,
           SENDS(HEAD_OK "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd")),
     .want = "gzip: invalid data"},
    {FAULT("gzip that ends early", FAULT_BROKEN, 0), .body = FAULT_CUT_GZIP,
     .want = "gzip: unexpected EOF"},
    {FAULT("no HTTP", FAULT_BROKEN, SENDS("SSH-2.0-OpenSSH_9.2\r\n")), .want = "HTTP"},
    {FAULT("silence", FAULT_TIME, HANG), .want = "nothing came from the server for ",
     .or_want = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"},
    {FAULT("silence in the body", FAULT_TIME, SENDS(HEAD_OK LENGTH_99 "{"), HANG),
     /* Nothing since, or next to nothing in total: it depends on when the head arrived. */
     .want = "came from the server ",
     .or_want = "context deadline exceeded (Client.Timeout or context cancellation while reading"},
    {FAULT("a head that drips", FAULT_TIME, SENDS(HEAD_OK "X-Y: "), .drip_ms = 10, .endless = true),
     /* Nothing, or next to nothing: lines of a head count when they are complete. */
     .want = "came from the server ",
     .or_want = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"},
    {FAULT("a body that drips", FAULT_TIME, SENDS(DRIP_HEAD "{ "),
           .drip_from = sizeof(DRIP_HEAD) - 1, .drip_ms = 10, .endless = true),
     .want = " bytes came from the server in ",
     .or_want = "context deadline exceeded (Client.Timeout or context cancellation while reading"},
};
const size_t fault_count = COUNT(faults);

static struct arena *kept;
/* Compressed once, because that takes longer than everything else. */
static str bomb;

static str packed(struct arena *a, str text)
{
    size_t room = text.len + 1024;
    unsigned char *out = arena_alloc(a, room);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text.ptr,
                  .avail_in = (uInt)text.len,
                  .next_out = out,
                  .avail_out = (uInt)room};

    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END)
        abort();
    deflateEnd(&z);
    return str_of((const char *)out, z.total_out);
}

void faults_begin(void)
{
    char *nothing;

    kept = arena_new();
    nothing = arena_alloc(kept, 5 * MIB);
    memset(nothing, 'x', 5 * MIB);
    bomb = packed(kept, str_of(nothing, 5 * MIB));
    random_fake(1);
}

void faults_end(void)
{
    arena_free(kept);
    clock_real();
    random_real();
}

struct fault_step fault_step_of(struct arena *a, const struct fault *f, const char *proper)
{
    struct fault_step step = f->step;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str body;

    if (f->body == FAULT_AS_WRITTEN)
        return step;
    body = f->body == FAULT_BOMB ? bomb : packed(a, str_c(proper));
    if (f->body == FAULT_CUT_GZIP)
        body.len -= 9;
    buf_fmt(&b, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", body.len);
    buf_add(&b, body);
    step.reply = b.data;
    step.reply_len = b.len;
    return step;
}

struct fault_step fault_proper(struct arena *a, int status, const char *headers, str body)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b, "HTTP/1.1 %d X\r\n%sConnection: close\r\nContent-Length: %zu\r\n\r\n", status,
            headers, body.len);
    buf_add(&b, body);
    return (struct fault_step){.reply = b.data, .reply_len = b.len};
}

bool fault_is_told(const struct fault *f, str text)
{
    return str_contains(text, str_c(f->want)) ||
           (f->or_want && str_contains(text, str_c(f->or_want)));
}
