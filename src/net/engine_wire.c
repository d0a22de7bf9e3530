/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_wire.c - bytes to and from a connection that curl has made; see engine_internal.h.
 *
 * curl looks for its connection and goes through its filters for each piece, which is a tenth of the
 * cost of a small request. It shows the socket and the TLS session, so they are used directly: TLS
 * reads from the socket itself and no longer through curl, which only closes it in the end. TLS
 * within the TLS of a proxy is left to curl.
 */
/* Before our headers, which poison names that these use. */
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/engine_internal.h"

#include <errno.h>

/*
 * Else the five bytes before each record would be read by a call of their own, and two buffers of
 * 17 KB be taken and given back with each answer.
 */
static CURLcode on_context(CURL *easy, void *context, void *ctx)
{
    (void)easy;
    (void)ctx;
    SSL_CTX_set_read_ahead((SSL_CTX *)context, 1);
    SSL_CTX_clear_mode((SSL_CTX *)context, SSL_MODE_RELEASE_BUFFERS);
    return CURLE_OK;
}

void wire_prepare(struct line *l)
{
    curl_easy_setopt(l->transfer.easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
}

void wire_begin(struct line *l)
{
    const struct curl_tlssessioninfo *info = NULL;
    BIO *bio;

    l->wire = WIRE_CURL;
    if (l->transfer.tls_proxy)
        return;
    if (!str_has_prefix(l->origin->name, STR("https:"))) {
        l->wire = WIRE_PLAIN;
        return;
    }
    if (curl_easy_getinfo(l->transfer.easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
        info->backend != CURLSSLBACKEND_OPENSSL || !info->internals)
        return;
    bio = BIO_new_socket(l->fd, BIO_NOCLOSE);
    if (!bio)
        return;
    l->ssl = info->internals;
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
        return errno == EAGAIN || errno == EINTR ? CURLE_AGAIN
                                                 : broken(l, CURLE_RECV_ERROR, errno);
    *n = (size_t)got;
    return CURLE_OK;
}

static CURLcode plain_send(struct line *l, const char *data, size_t size, size_t *n)
{
    const ssize_t sent = send(l->fd, data, size, MSG_NOSIGNAL);

    if (sent < 0)
        return errno == EAGAIN || errno == EINTR ? CURLE_AGAIN
                                                 : broken(l, CURLE_SEND_ERROR, errno);
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
