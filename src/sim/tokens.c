/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.c - the token endpoint: any credential of the tenant is accepted, others are not. Also the
 * endpoint of managed identities, GET /metadata/identity/oauth2/token.
 */
#include "sim/internal.h"

#include "text/url.h"

#define LIFETIME 3599

static str token_prefix(struct sim_call *c)
{
    return str_fmt(c->arena, "sim.%.*s.",
                   STR_ARG(sim_guid_of(c->sim, c->arena, c->sim->config.tenant)));
}

static void give_token(struct sim_call *c, str principal)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a);
    int64_t until = sim_now(c->sim) / NS_PER_SEC + LIFETIME;

    value_set_str(a, v, STR("token_type"), STR("Bearer"));
    value_set_int(a, v, STR("expires_in"), LIFETIME);
    value_set_int(a, v, STR("ext_expires_in"), LIFETIME);
    value_set_str(a, v, STR("expires_on"), str_fmt(a, "%lld", (long long)until));
    value_set_str(a, v, STR("access_token"),
                  str_fmt(a, "%.*s%.*s.%lld", STR_ARG(token_prefix(c)),
                          STR_ARG(sim_guid_of(c->sim, a, principal)), (long long)until));
    sim_reply(c, 200, v);
}

static void refuse_token(struct sim_call *c, const char *error, int number, str text)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a), *codes = value_list(a);

    value_set_str(a, v, STR("error"), str_c(error));
    value_set_str(a, v, STR("error_description"),
                  str_fmt(a, "AADSTS%d: %.*s", number, STR_ARG(text)));
    value_add(a, codes, value_int(a, number));
    value_set(a, v, STR("error_codes"), codes);
    sim_reply(c, 400, v);
}

static str form(struct sim_call *c, const char *name)
{
    str value;

    return url_query_get(c->arena, c->q->body, str_c(name), &value) ? value : STR_NONE;
}

static void answer_form(struct sim_call *c, str tenant)
{
    str wanted = c->sim->config.tenant, client = form(c, "client_id");

    if (wanted.len && !str_eq_fold(tenant, wanted))
        refuse_token(c, "invalid_request", 90002,
                     str_fmt(c->arena, "Tenant '%.*s' not found.", STR_ARG(tenant)));
    else if (!client.len || !form(c, "grant_type").len)
        refuse_token(c, "invalid_request", 900144,
                     STR("The request body must contain 'grant_type' and 'client_id'."));
    else if (!form(c, "client_secret").len && !form(c, "client_assertion").len)
        refuse_token(c, "invalid_client", 7000218,
                     STR("The request body must contain 'client_assertion' or 'client_secret'."));
    else
        give_token(c, client);
}

bool sim_token(struct sim_call *c)
{
    str path = str_trim_set(c->q->path, STR("/")), tenant, rest;

    if (str_eq(path, STR("metadata/identity/oauth2/token"))) {
        if (str_eq_fold(http_header_get(c->q->headers, STR("Metadata")), STR("true")))
            give_token(c, sim_query(c, "client_id"));
        else
            refuse_token(c, "invalid_request", 0, STR("The header Metadata: true is required."));
        return true;
    }
    if (!str_cut(path, STR("/"), &tenant, &rest) ||
        (!str_eq(rest, STR("oauth2/v2.0/token")) && !str_eq(rest, STR("oauth2/token"))))
        return false;
    answer_form(c, tenant);
    return true;
}

/* sim.<tenant>.<principal>.<seconds since 1970> */
static bool is_good(struct sim_call *c, str token)
{
    size_t dot = str_rfind_char(token, '.');
    int64_t until;

    return str_has_prefix(token, token_prefix(c)) && dot != STR_NPOS &&
           str_to_i64(str_from(token, dot + 1), &until) && sim_now(c->sim) / NS_PER_SEC < until;
}

bool sim_authorized(struct sim_call *c)
{
    str header = http_header_get(c->q->headers, STR("Authorization"));
    str token = str_trim(str_without_prefix(header, STR("Bearer ")));

    if (!header.len && !c->sim->config.auth)
        return true;
    if (!header.len)
        sim_refuse(c, 401, "AuthenticationFailed",
                   "Authentication failed. The 'Authorization' header is missing.");
    else if (!is_good(c, token))
        sim_refuse(c, 401, "InvalidAuthenticationToken",
                   "The access token is invalid: get one from /TENANT/oauth2/v2.0/token.");
    else
        return true;
    sim_header(c, "WWW-Authenticate", STR("Bearer authorization_uri=\"/oauth2/authorize\""));
    return false;
}
