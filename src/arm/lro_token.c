/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lro_token.c - operations that outlive the process: saved in an annotation and resumed later.
 *
 * The order of the members is that of the reference operator, and so is the escaping, so that
 * either program can take over from the other.
 */
#include "arm/lro.h"
#include "text/json/json.h"
#include "text/url.h"
#include "net/redact.h"

static const str type_put = STR_INIT("GenericResource");
static const str type_delete = STR_INIT("GenericDeleteResponse");
/* The only action that the reference operator follows. */
static const str type_sync = STR_INIT("BackupInstancesClientSyncBackupInstanceResponse");

static str type_of(str method)
{
    if (str_eq(method, STR("POST")))
        return type_sync;
    return str_eq(method, STR("DELETE")) ? type_delete : type_put;
}

str lro_token(struct arena *a, const struct lro *o)
{
    static const struct json_style style = {.html = true};
    struct value *root = value_object(a), *token = value_object(a);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    bool by_url = o->protocol == LRO_ASYNC || o->protocol == LRO_OPERATION;

    if (by_url) {
        value_set_str(a, token, o->protocol == LRO_ASYNC ? STR("asyncURL") : STR("oplocURL"),
                      o->poll_url);
        value_set_str(a, token, STR("locURL"), STR_NONE);
        value_set_str(a, token, STR("origURL"), o->url);
        value_set_str(a, token, STR("method"), o->method);
        value_set_str(a, token, STR("finalState"), STR_NONE);
    } else {
        value_set_str(a, token, STR("type"),
                      o->protocol == LRO_LOCATION ? STR("loc") : STR("body"));
        value_set_str(a, token, STR("pollURL"), o->poll_url);
    }
    value_set_str(a, token, STR("state"), o->state);
    value_set_str(a, root, STR("type"), type_of(o->method));
    value_set(a, root, STR("token"), token);
    return json_write(&out, root, &style, NULL) ? buf_str(&out) : STR_NONE;
}

/* ---- Reading. -------------------------------------------------------------------------------- */

static enum lro_protocol protocol_of(const struct value *token)
{
    str type = value_get_str(token, STR("type"));

    if (value_get(token, STR("asyncURL")))
        return LRO_ASYNC;
    if (str_eq(type, STR("body")))
        return LRO_RESOURCE;
    if (str_eq(type, STR("loc")))
        return LRO_LOCATION;
    return value_get(token, STR("oplocURL")) ? LRO_OPERATION : LRO_NONE;
}

static str poll_url_of(const struct value *token, enum lro_protocol protocol)
{
    static const char *const keys[] = {[LRO_ASYNC] = "asyncURL",
                                       [LRO_OPERATION] = "oplocURL",
                                       [LRO_LOCATION] = "pollURL",
                                       [LRO_RESOURCE] = "pollURL"};

    return value_get_str(token, str_c(keys[protocol]));
}

static bool is_ip(str host)
{
    for (size_t i = 0; i < host.len; i++)
        if (host.ptr[i] != '.' && (host.ptr[i] < '0' || host.ptr[i] > '9'))
            return str_find_char(host, ':') != STR_NPOS;
    return true;
}

/* Host names only: nothing that two URL parsers could understand differently. */
static bool is_plain_host(str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i] | 0x20;
        if (!(c >= 'a' && c <= 'z') && !(host.ptr[i] >= '0' && host.ptr[i] <= '9') &&
            host.ptr[i] != '-' && host.ptr[i] != '.')
            return false;
    }
    return host.len && host.ptr[0] != '.';
}

bool lro_is_home(str url, str endpoint)
{
    AUTO_ARENA a = arena_new();
    struct url u, home;
    str host, own;

    if (!url_parse(a, url, &u, NULL) || !url_parse(a, endpoint, &home, NULL))
        return false;
    host = url_hostname(&u);
    own = url_hostname(&home);
    if (!str_eq(u.scheme, home.scheme) || url_port_number(&u) != url_port_number(&home) ||
        u.has_user || !own.len)
        return false;
    if (str_eq_fold(host, own))
        return true;
    /* Only over TLS, where the certificate proves the name of the host. */
    if (!str_eq(u.scheme, STR("https")) || is_ip(own) || !is_plain_host(host) ||
        host.len <= own.len + 1)
        return false;
    return host.ptr[host.len - own.len - 1] == '.' &&
           str_eq_fold(str_from(host, host.len - own.len), own);
}

static bool check_host(str url, str endpoint, struct err *e)
{
    AUTO_ARENA a = arena_new();

    if (lro_is_home(url, endpoint))
        return true;
    return err_set(e, ERR_DENIED,
                   "the operation would be followed to %.*s, which is not %.*s: rejected, "
                   "the operation is started again",
                   STR_ARG(redact_url(a, url)), STR_ARG(endpoint));
}

static bool fill(const struct value *token, str method, str endpoint, struct lro *o, struct err *e)
{
    o->protocol = protocol_of(token);
    if (o->protocol == LRO_NONE)
        return err_set(e, ERR_INVALID, "the token of the operation names no way to follow it");
    o->method = method;
    o->poll_url = poll_url_of(token, o->protocol);
    o->url = value_get_str(token, STR("origURL"));
    o->state = value_get_str(token, STR("state"));
    if (!check_host(o->poll_url, endpoint, e) || (o->url.len && !check_host(o->url, endpoint, e)))
        return false;
    o->next = LRO_POLL;
    return true;
}

bool lro_resume(struct arena *a, str token, str method, str endpoint, struct lro *out,
                struct err *e)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *root;

    *out = (struct lro){0};
    src->text = str_copy(a, token);
    if (!json_read(a, src, NULL, &root, e))
        return err_wrap(e, "the token of the operation is broken");
    if (!str_eq(value_get_str(root, STR("type")), type_of(method)))
        return err_set(e, ERR_INVALID, "the token of the operation is about \"%.*s\", not %.*s",
                       STR_ARG(value_get_str(root, STR("type"))), STR_ARG(type_of(method)));
    return fill(value_get(root, STR("token")), method, endpoint, out, e);
}
