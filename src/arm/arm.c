/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm.c - requests to Azure Resource Manager: the client, and one call after the other.
 */
#include "arm/arm_internal.h"

#include "text/url.h"
#include "net/redact.h"

#define TIMEOUT (60 * NS_PER_SEC)

/*
 * HTTP/2 would put all requests on one connection, and all of them behind one that is slow.
 * Redirects are answers: a token must not follow them.
 */
struct http_config arm_http(const struct http_config *given)
{
    struct http_config http = given ? *given : http_defaults();

    http.http1 = true;
    http.redirects_max = 0;
    http.no_compression = true;
    http.user_agent = STR_NONE; /* each request has its own */
    return http;
}

bool arm_new(const struct arm_config *config, struct arm **out, struct err *e)
{
    struct http_config http = arm_http(config->http);
    struct arena *a = arena_new();
    struct arm *m = ARENA_NEW(a, struct arm);

    *m = (struct arm){.arena = a, .config = *config};
    m->settings = credential_settings(config->credential);
    m->scope = cloud_scope(a, &m->settings->cloud);
    m->config.region = str_copy(a, config->region);
    m->config.agent = config->agent.len
                          ? str_fmt(a, "plumb/" PLUMB_VERSION " %.*s", STR_ARG(config->agent))
                          : STR("plumb/" PLUMB_VERSION);
    if (!m->config.rules)
        m->config.rules = rules_errors();
    if (!m->config.timeout)
        m->config.timeout = TIMEOUT;
    if (http_client_new(&http, &m->http, e)) {
        *out = m;
        return true;
    }
    arena_free(a);
    return false;
}

void arm_free(struct arm *m)
{
    if (!m)
        return;
    http_client_free(m->http);
    arena_free(m->arena);
}

/* ---- What is sent. ---- */

static void add_path(struct buf *url, str path)
{
    str part;

    while (path.len) {
        str_cut(str_without_prefix(path, STR("/")), STR("/"), &part, &path);
        buf_char(url, '/');
        url_path_escape(url, part);
    }
}

str arm_url(struct arm *m, struct arena *a, const struct arm_call *call)
{
    struct buf url = buf_new(a, BUF_UNLIMITED);

    buf_add(&url, m->settings->cloud.endpoint);
    add_path(&url, call->id);
    add_path(&url, call->action);
    if (call->api_version.len)
        url_query_add(&url, STR("api-version"), call->api_version);
    if (call->query.len)
        buf_fmt(&url, "%c%.*s", call->api_version.len ? '&' : '?', STR_ARG(call->query));
    return buf_str(&url);
}

bool arm_check_home(struct arm *m, str url, const char *what, struct err *e)
{
    AUTO_ARENA a = arena_new();

    if (lro_is_home(url, m->settings->cloud.endpoint))
        return true;
    return err_set(e, ERR_DENIED, "%s leads to %.*s, which is not %.*s: rejected", what,
                   STR_ARG(redact_url(a, url)), STR_ARG(m->settings->cloud.endpoint));
}

static enum err_kind kind_of(int status)
{
    static const struct {
        int status;
        enum err_kind kind;
    } kinds[] = {{401, ERR_DENIED},   {403, ERR_DENIED},   {404, ERR_NOT_FOUND},
                 {409, ERR_CONFLICT}, {412, ERR_CONFLICT}, {429, ERR_THROTTLED}};

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].status == status)
            return kinds[i].kind;
    return status >= 400 && status < 500 ? ERR_INVALID : ERR_IO;
}

bool arm_refused(struct arm *m, struct arena *a, const struct arm_call *call,
                 struct arm_result *result, struct err *e)
{
    const struct error_facts facts = {.error = &result->error,
                                      .method = call->method,
                                      .group = call->group,
                                      .kind = call->kind,
                                      .api_version = call->api_version};

    if (!result->verdict.retry)
        rules_classify(a, m->config.rules, &facts, &result->verdict);
    return err_set(e, kind_of(result->error.http), "%.*s: %.*s", STR_ARG(result->error.code),
                   STR_ARG(cloud_error_text(a, &result->error)));
}

bool arm_send(struct arm *m, struct arena *a, const struct arm_call *call,
              struct arm_result *result, struct err *e)
{
    if (!arm_exchange(m, a, call, arm_url(m, a, call), false, result, e))
        return false;
    return !result->verdict.retry || arm_refused(m, a, call, result, e);
}

bool arm_exists(struct arm *m, struct arena *a, const struct arm_call *call, bool *exists,
                struct err *e)
{
    struct arm_call head = *call;
    struct arm_result result;

    head.method = STR("HEAD");
    *exists = arm_send(m, a, &head, &result, e);
    if (*exists)
        return true;
    if (result.status != 404)
        return false;
    if (e)
        err_clear(e);
    return true;
}
