/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_wire.c - bytes to and from a connection that curl has made; see engine_internal.h.
 *
 * curl looks for its connection and goes through its filters for each piece, which is a tenth of
 * the cost of a small request. So its socket and its TLS session are used directly: TLS reads from
 * the socket itself and no longer through curl, which only closes both in the end. TLS within the
 * TLS of a proxy is left to curl.
 */
/* Before our headers, which poison names that these use. */
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/engine_internal.h"

#include <errno.h>

/* Where a TLS context keeps its line. */
static int line_index;
static pthread_once_t line_index_once = PTHREAD_ONCE_INIT;

static void make_index(void)
{
    line_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
}

/* curl does not show the session once it has let go of the connection; TLS does before that. */
static void on_handshake(const SSL *ssl, int where, int value)
{
    struct line *l = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), line_index);

    (void)value;
    if (l && where == SSL_CB_HANDSHAKE_START)
        l->ssl = (struct ssl_st *)(uintptr_t)ssl;
}

/*
 * Without reading ahead, the five bytes before each record would be read by a call of their own;
 * and two buffers of 17 KB would be taken and given back with each answer.
 */
static CURLcode on_context(CURL *easy, void *context, void *ctx)
{
    SSL_CTX *tls = context;

    (void)easy;
    SSL_CTX_set_read_ahead(tls, 1);
    SSL_CTX_clear_mode(tls, SSL_MODE_RELEASE_BUFFERS);
    if (line_index >= 0 && SSL_CTX_set_ex_data(tls, line_index, ctx))
        SSL_CTX_set_info_callback(tls, on_handshake);
    return CURLE_OK;
}

void wire_prepare(struct line *l)
{
    pthread_once(&line_index_once, make_index);
    curl_easy_setopt(l->transfer.easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
    curl_easy_setopt(l->transfer.easy, CURLOPT_SSL_CTX_DATA, l);
}

void wire_begin(struct line *l)
{
    const bool tls = str_has_prefix(l->origin->name, STR("https:"));
    BIO *bio;

    l->wire = WIRE_CURL;
    if (l->transfer.tls_proxy || (tls && !l->ssl))
        return;
    if (!tls) {
        l->wire = WIRE_PLAIN;
        return;
    }
    SSL_CTX_set_info_callback(SSL_get_SSL_CTX(l->ssl), NULL);
    bio = BIO_new_socket(l->fd, BIO_NOCLOSE);
    if (!bio)
        return;
    SSL_set_bio(l->ssl, bio, bio);
    l->wire = WIRE_TLS;
}

/* ---- Failures, worded as curl words them. ---- */

static CURLcode broken(struct line *l, CURLcode result, int number)
{
    l->transfer.number = number;
    snprintf(l->transfer.text, sizeof(l->transfer.text), "%s failure: %s",
             result == CURLE_SEND_ERROR ? "Send" : "Recv", err_errno_text(number));
    return result;
}

static CURLcode broken_tls(struct line *l, CURLcode result)
{
    const unsigned long code = ERR_peek_error();
    char text[160];

    ERR_clear_error();
    /* A server that goes without a word has not broken TLS, but no answer may end like that. */
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return result;
    ERR_error_string_n(code, text, sizeof(text));
    snprintf(l->transfer.text, sizeof(l->transfer.text), "OpenSSL: %s", text);
    return result;
}

/* ---- Plain. ---- */

static CURLcode plain_recv(struct line *l, char *data, size_t size, size_t *n)
{
    const ssize_t got = recv(l->fd, data, size, 0);

    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? CURLE_AGAIN : broken(l, CURLE_RECV_ERROR, errno);
    *n = (size_t)got;
    return CURLE_OK;
}

static CURLcode plain_send(struct line *l, const char *data, size_t size, size_t *n)
{
    const ssize_t sent = send(l->fd, data, size, MSG_NOSIGNAL);

    if (sent < 0)
        return errno == EAGAIN || errno == EINTR ? CURLE_AGAIN : broken(l, CURLE_SEND_ERROR, errno);
    *n = (size_t)sent;
    return CURLE_OK;
}

/* ---- TLS. ---- */

/* What it means that a call on the session did not succeed. */
static CURLcode tls_outcome(struct line *l, CURLcode failure)
{
    const int number = errno;

    switch (SSL_get_error(l->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return CURLE_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return failure == CURLE_RECV_ERROR ? CURLE_OK : failure;
    case SSL_ERROR_SYSCALL:
        return number ? broken(l, failure, number) : failure;
    default:
        return broken_tls(l, failure);
    }
}

static CURLcode tls_recv(struct line *l, char *data, size_t size, size_t *n)
{
    ERR_clear_error();
    errno = 0;
    return SSL_read_ex(l->ssl, data, size, n) ? CURLE_OK : tls_outcome(l, CURLE_RECV_ERROR);
}

static CURLcode tls_send(struct line *l, const char *data, size_t size, size_t *n)
{
    ERR_clear_error();
    errno = 0;
    return SSL_write_ex(l->ssl, data, size, n) ? CURLE_OK : tls_outcome(l, CURLE_SEND_ERROR);
}

/* ---- Curl. ---- */

static CURLcode curl_recv(struct line *l, char *data, size_t size, size_t *n)
{
    return curl_easy_recv(l->transfer.easy, data, size, n);
}

static CURLcode curl_send(struct line *l, const char *data, size_t size, size_t *n)
{
    return curl_easy_send(l->transfer.easy, data, size, n);
}

static const struct {
    CURLcode (*recv)(struct line *l, char *data, size_t size, size_t *n);
    CURLcode (*send)(struct line *l, const char *data, size_t size, size_t *n);
} wires[] = {
    [WIRE_CURL] = {curl_recv, curl_send},
    [WIRE_PLAIN] = {plain_recv, plain_send},
    [WIRE_TLS] = {tls_recv, tls_send},
};

CURLcode wire_recv(struct line *l, char *data, size_t size, size_t *n)
{
    *n = 0;
    return wires[l->wire].recv(l, data, size, n);
}

CURLcode wire_send(struct line *l, const char *data, size_t size, size_t *n)
{
    *n = 0;
    return wires[l->wire].send(l, data, size, n);
}
