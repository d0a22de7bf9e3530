/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm.c - a client of Azure Resource Manager: the parts shared by all calls.
 */
#include "arm/arm_internal.h"

#include "text/url.h"
#include "net/redact.h"

#define TIMEOUT (60 * NS_PER_SEC)

struct arm *arm_new(const struct arm_config *config)
{
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
    return m;
}

void arm_free(struct arm *m)
{
    if (m)
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

bool arm_refused(struct arena *a, const struct arm_result *result, struct err *e)
{
    return err_set(e, kind_of(result->error.http), "%.*s: %.*s", STR_ARG(result->error.code),
                   STR_ARG(cloud_error_text(a, &result->error)));
}

struct arm_answer arm_answer_of(const struct arm_result *r)
{
    return (struct arm_answer){
        .http = r->status,
        .body = r->body,
        .async_operation = http_header_get(&r->headers, STR("Azure-AsyncOperation")),
        .operation_location = http_header_get(&r->headers, STR("Operation-Location")),
        .location = http_header_get(&r->headers, STR("Location")),
        .retry_after = r->retry_after,
        .request_id = http_header_get(&r->headers, STR("x-ms-request-id"))};
}
