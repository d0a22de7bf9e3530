/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.c - requests tokens from Microsoft Entra, the metadata service or the Azure CLI.
 */
#include "arm/credential/internal.h"

#include "base/process.h"
#include "net/retry.h"
#include "text/json/json.h"
#include "text/url.h"

/* Token files and responses are a few kilobytes. */
#define TOKEN_MAX (1 * MIB)
/* The endpoint's error message is cut at this length. */
#define SAID_MAX 500
/* Longer lifetimes are cut to this. */
#define LIFETIME_MAX (604800 * NS_PER_SEC)
/* A clock that is off by less is corrected. */
#define SKEW_MAX 3600
#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
#define CLOCK_IS_WRONG "AADSTS700024"

/* ---- Responses. ---- */

/* Numbers may be strings. */
static bool number_of(const struct value *root, const char *key, int64_t *out)
{
    const struct value *v = value_get(root, str_c(key));

    return value_to_i64(v, out) || (value_is(v, VALUE_STRING) && str_to_i64(value_str(v), out));
}

static int64_t lifetime_of(const struct value *root, int64_t now)
{
    int64_t seconds;

    if (!number_of(root, "expires_in", &seconds)) {
        if (!number_of(root, "expires_on", &seconds))
            return 300 * NS_PER_SEC;
        /* Dates in the far future would overflow. */
        if (seconds > now / NS_PER_SEC + LIFETIME_MAX / NS_PER_SEC)
            return LIFETIME_MAX;
        seconds = seconds < now / NS_PER_SEC ? 0 : seconds - now / NS_PER_SEC;
    }
    if (seconds < 0)
        return 0;
    return seconds > LIFETIME_MAX / NS_PER_SEC ? LIFETIME_MAX : seconds * NS_PER_SEC;
}

/* The first line of the error message, without trace ids, which differ each time. */
static str said_by(const struct value *root)
{
    str text = value_get_str(root, STR("error_description")), line;

    if (!text.len)
        text = value_get_str(root, STR("error"));
    if (!text.len)
        text = value_get_str(value_get(root, STR("error")), STR("message"));
    if (!str_next_line(&text, &line))
        return STR_NONE;
    str_cut(line, STR(" Trace ID:"), &line, &text);
    return str_trim(str_slice(line, 0, SAID_MAX));
}

/* Tokens go into a header: only printable ASCII is allowed. */
static bool is_token(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~')
            return false;
    return text.len > 0;
}

bool token_answer_read(struct arena *a, int status, str body, int64_t now, struct token_answer *out,
                       struct err *e)
{
    const struct source src = {.file = STR("token"), .text = body};
    struct value *root = NULL;
    str said, status_text = http_status_text(a, status);

    if (body.len > TOKEN_MAX || !json_read(a, &src, NULL, &root, NULL))
        root = NULL;
    out->token = value_get_str(root, STR("access_token"));
    if (!out->token.len)
        out->token = value_get_str(root, STR("accessToken"));
    out->lifetime = lifetime_of(root, now);
    if (status == 200 && is_token(out->token))
        return true;
    said = status == 200 ? STR("there is no token in the answer") : said_by(root);
    if (said.len)
        return err_set(e, status == 429 ? ERR_THROTTLED : ERR_DENIED, "%.*s", STR_ARG(said));
    return err_set(e, ERR_IO, "answered %.*s", STR_ARG(status_text));
}

/* ---- What to check. ---- */

static const struct {
    const char *code, *advice;
} advices[] = {
    {"AADSTS1002012", "check AZURE_RESOURCE_MANAGER_AUDIENCE"},
    {"AADSTS50194", "check AZURE_TENANT_ID: the application is of another tenant"},
    {"AADSTS500011", "check AZURE_RESOURCE_MANAGER_AUDIENCE and AZURE_TENANT_ID"},
    {"AADSTS700016",
     "check AZURE_CLIENT_ID and AZURE_TENANT_ID: the application is not in the tenant"},
    {"AADSTS70021",
     "check that the federated credential of the identity names the issuer of the cluster and the "
     "service account of the operator"},
    {"AADSTS700024", "check the clock of this machine"},
    {"AADSTS700027",
     "check that the certificate in AZURE_CLIENT_CERTIFICATE is the one of the application"},
    {"AADSTS7000112", "the application is disabled: enable it in the tenant"},
    {"AADSTS7000215", "check AZURE_CLIENT_SECRET: it must be the value of the secret, not its id"},
    {"AADSTS7000222",
     "the client secret has expired: make a new one and put it into AZURE_CLIENT_SECRET"},
    {"AADSTS900023", "check AZURE_TENANT_ID"},
    {"AADSTS90002",
     "check AZURE_TENANT_ID, and AZURE_AUTHORITY_HOST if it is not the public cloud"},
};

/* Whether text contains this code, and not a longer one. */
static bool names(str text, str code)
{
    size_t at = str_find(text, code);
    str rest = str_from(text, at == STR_NPOS ? text.len : at + code.len);

    return at != STR_NPOS && !(rest.len && rest.ptr[0] >= '0' && rest.ptr[0] <= '9');
}

bool token_advise(struct err *e)
{
    if (!e)
        return false;
    for (size_t i = 0; i < COUNT(advices); i++)
        if (names(e->text, str_c(advices[i].code))) {
            AUTO_ARENA a = arena_new();
            return err_set_str(e, e->kind,
                               str_fmt(a, "%.*s; %s",
                                       STR_ARG(str_without_suffix(e->text, STR("."))),
                                       advices[i].advice));
        }
    return false;
}

/* ---- Microsoft Entra. ---- */

static const struct retry_rule entra_rules[] = {{.from = 429, .to = 429}, {.from = 500, .to = 599}};
static const struct retry_policy entra_policy = {
    .name = "entra",
    .attempts_max = 4,
    .first = 500 * NS_PER_MS,
    .max = 8 * NS_PER_SEC,
    .factor = 200,
    .jitter = 20,
    .asked_max = 30 * NS_PER_SEC,
    .total_max = 60 * NS_PER_SEC,
    .rules = entra_rules,
    .rule_count = COUNT(entra_rules),
};

static bool read_token_file(struct arena *a, const struct token_call *call, str *out, struct err *e)
{
    if (!file_read_max(a, call->settings->token_file, TOKEN_MAX, out, e))
        return err_wrap(e, "the token of the service account cannot be read; check that the pod "
                           "has the label azure.workload.identity/use and the volume");
    *out = str_trim(*out);
    if (is_token(*out))
        return true;
    return err_set(e, ERR_INVALID, "%.*s holds no token; check the projected volume of the pod",
                   STR_ARG(call->settings->token_file));
}

static bool add_proof(struct arena *a, const struct token_call *call, str url, int64_t now,
                      struct buf *form, struct err *e)
{
    str assertion;

    if (call->settings->kind == CREDENTIAL_SECRET) {
        url_query_add(form, STR("client_secret"), call->settings->secret);
        return true;
    }
    if (call->settings->kind == CREDENTIAL_WORKLOAD) {
        if (!read_token_file(a, call, &assertion, e))
            return false;
    } else if (!client_cert_valid(call->cert, now, e) ||
               !client_cert_assert(a, call->cert, call->settings, url, now, &assertion, e)) {
        return false;
    }
    url_query_add(form, STR("client_assertion_type"), STR(ASSERTION_TYPE));
    url_query_add(form, STR("client_assertion"), assertion);
    return true;
}

/* Makes the request, at the time f->now. */
static bool ask_entra(struct token_flow *f, struct err *e)
{
    const struct token_call *call = f->call;
    struct arena *a = f->arena;
    struct buf form = buf_new(a, 4 * MIB);

    f->retry = retry_begin(&entra_policy);
    f->request = (struct http_request){
        .method = STR("POST"), .url = f->url, .timeout = 30 * NS_PER_SEC, .body_max = TOKEN_MAX};
    url_query_add(&form, STR("grant_type"), STR("client_credentials"));
    url_query_add(&form, STR("client_id"), call->settings->client);
    url_query_add(&form, STR("scope"), call->scope);
    if (!add_proof(a, call, f->url, f->now, &form, e) || !buf_check(&form, e))
        return err_wrap(e, "%.*s", STR_ARG(f->url));
    f->request.body = str_from(buf_str(&form), 1); /* without the "?" */
    http_header_add(a, &f->request.headers, STR("Content-Type"),
                    STR("application/x-www-form-urlencoded"));
    http_header_add(a, &f->request.headers, STR("Accept"), STR("application/json"));
    return true;
}

/* How many seconds our clock is behind that of the server. */
static int64_t skew_of(const struct http_response *response, int64_t now)
{
    int64_t seconds;

    if (!http_date_parse(http_header_get(&response->headers, STR("Date")), now, &seconds))
        return 0;
    return seconds - now / NS_PER_SEC;
}

static bool explain_skew(int64_t skew, struct err *e)
{
    const int64_t size = skew < 0 ? -skew : skew;
    const bool hours = size >= 7200;
    AUTO_ARENA a = arena_new();

    return err_set_str(e, ERR_INVALID,
                       str_fmt(a,
                               "%.*s; the clock of this machine is %lld %s %s that of the "
                               "token endpoint: set it right",
                               STR_ARG(e->text), (long long)(size / (hours ? 3600 : 60)),
                               hours ? "hours" : "minutes", skew > 0 ? "behind" : "ahead of"));
}

/* For a response that is not what it should be. */
static bool explain_trouble(str url, const struct http_response *response, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str status = http_status_text(a, response->status);

    return err_set_str(e, e->kind,
                       str_fmt(a,
                               "%.*s is in trouble (%.*s): %.*s; check AZURE_AUTHORITY_HOST, any "
                               "proxy on the way and the status of Azure",
                               STR_ARG(url), STR_ARG(status), STR_ARG(e->text)));
}

static bool begin_entra(struct token_flow *f, struct err *e)
{
    f->url = str_fmt(f->arena, "%.*s%.*s/oauth2/v2.0/token",
                     STR_ARG(f->call->settings->cloud.authority), STR_ARG(f->call->tenant));
    return ask_entra(f, e);
}

static bool fail_entra(struct token_flow *f, const struct http_response *response,
                       const struct err *failure, struct err *e)
{
    (void)err_copy(e, failure);
    (void)http_explain(e, response);
    (void)err_wrap(e, "no answer; check AZURE_AUTHORITY_HOST and whether the network lets us out");
    return err_wrap(e, "%.*s", STR_ARG(f->url));
}

/* A clock that is slightly off is corrected, once. */
static enum token_next take_entra(struct token_flow *f, const struct http_response *response,
                                  struct token_answer *out, struct err *e)
{
    int64_t skew;

    if (token_answer_read(f->arena, response->status, response->body, f->now, out, e))
        return TOKEN_DONE;
    if (response->status >= 500) {
        (void)explain_trouble(f->url, response, e);
        return TOKEN_FAILED;
    }
    skew = skew_of(response, f->now);
    if (f->tries++ || !names(e->text, STR(CLOCK_IS_WRONG)) || (skew < 60 && skew > -60)) {
        (void)token_advise(e);
        return TOKEN_FAILED;
    }
    if (skew > SKEW_MAX || skew < -SKEW_MAX || f->call->settings->kind == CREDENTIAL_WORKLOAD) {
        (void)explain_skew(skew, e);
        return TOKEN_FAILED;
    }
    f->now += skew * NS_PER_SEC;
    err_clear(e);
    return ask_entra(f, e) ? TOKEN_SEND : TOKEN_FAILED;
}

/* ---- The metadata service. ---- */

static const struct retry_rule metadata_rules[] = {{.from = 404, .to = 404},
                                                   {.from = 410, .to = 410},
                                                   {.from = 429, .to = 429},
                                                   {.from = 500, .to = 599}};
static const struct retry_policy metadata_policy = {
    .name = "metadata",
    .attempts_max = 5,
    .first = 800 * NS_PER_MS,
    .max = 30 * NS_PER_SEC,
    .factor = 200,
    .jitter = 20,
    .asked_max = 60 * NS_PER_SEC,
    .total_max = 90 * NS_PER_SEC,
    .rules = metadata_rules,
    .rule_count = COUNT(metadata_rules),
};

static bool begin_metadata(struct token_flow *f, struct err *e)
{
    const struct credential_settings *s = f->call->settings;
    struct buf url = buf_new(f->arena, 8 * KIB);

    buf_fmt(&url, "%.*s/metadata/identity/oauth2/token", STR_ARG(s->metadata));
    url_query_add(&url, STR("api-version"), STR("2018-02-01"));
    url_query_add(&url, STR("resource"), str_without_suffix(f->call->scope, STR("/.default")));
    if (s->client.len)
        url_query_add(&url, STR("client_id"), s->client);
    f->direct = true;
    f->retry = retry_begin(&metadata_policy);
    f->request = (struct http_request){.method = STR("GET"),
                                       .url = buf_str(&url),
                                       .timeout = 10 * NS_PER_SEC,
                                       .body_max = TOKEN_MAX};
    http_header_add(f->arena, &f->request.headers, STR("Metadata"), STR("true"));
    return buf_check(&url, e);
}

static bool fail_metadata(struct token_flow *f, const struct err *failure, struct err *e)
{
    (void)err_copy(e, failure);
    return err_wrap(e,
                    "there is no metadata service of a managed identity here; check that this "
                    "runs on a machine of Azure and that the network lets it reach %.*s, or "
                    "use another kind of credential",
                    STR_ARG(f->call->settings->metadata));
}

static enum token_next take_metadata(struct token_flow *f, const struct http_response *response,
                                     struct token_answer *out, struct err *e)
{
    if (token_answer_read(f->arena, response->status, response->body, clock_now(), out, e))
        return TOKEN_DONE;
    if (response->status == 400)
        (void)err_set_str(e, ERR_DENIED,
                          str_fmt(f->arena,
                                  "%.*s; check that the identity with AZURE_CLIENT_ID is "
                                  "assigned to this machine",
                                  STR_ARG(e->text)));
    else
        (void)err_wrap(e, "the metadata service at %.*s", STR_ARG(f->call->settings->metadata));
    return TOKEN_FAILED;
}

/* ---- The Azure CLI. ---- */

static bool fetch_cli(struct arena *a, const struct token_call *call, struct token_answer *out,
                      struct err *e)
{
    const char *program = call->settings->program ? call->settings->program : "az";
    const char *const argv[] = {program,
                                "account",
                                "get-access-token",
                                "--output",
                                "json",
                                "--resource",
                                str_z(a, str_without_suffix(call->scope, STR("/.default"))),
                                call->tenant.len ? "--tenant" : NULL,
                                str_z(a, call->tenant),
                                NULL};
    const struct process process = {.argv = argv, .output_max = TOKEN_MAX};
    int status;
    str text;

    if (!process_run_as(a, &process, &text, &status, e))
        return err_wrap(e, "the Azure CLI cannot be run; install it, or use another credential");
    if (status != 0)
        return err_set(e, ERR_DENIED, "the Azure CLI gave no token (exit status %d); run: az login",
                       status);
    if (!token_answer_read(a, 200, text, clock_now(), out, e))
        return err_wrap(e, "the Azure CLI");
    return true;
}

/* ---- The flow. ---- */

enum token_next token_flow_begin(struct token_flow *f, struct arena *a,
                                 const struct token_call *call, struct token_answer *out,
                                 struct err *e)
{
    *f = (struct token_flow){.arena = a, .call = call, .now = clock_now()};
    if (call->settings->kind == CREDENTIAL_CLI)
        return fetch_cli(a, call, out, e) ? TOKEN_DONE : TOKEN_FAILED;
    bool ok = call->settings->kind == CREDENTIAL_MANAGED ? begin_metadata(f, e) : begin_entra(f, e);
    return ok ? TOKEN_SEND : TOKEN_FAILED;
}

enum token_next token_flow_step(struct token_flow *f, const struct http_response *response,
                                const struct err *failure, int64_t *wait, struct token_answer *out,
                                struct err *e)
{
    const bool managed = f->call->settings->kind == CREDENTIAL_MANAGED;

    *wait = 0;
    if (retry_next(&f->retry, &f->request, response, wait))
        return TOKEN_SEND;
    *wait = 0;
    if (!failure)
        return managed ? take_metadata(f, response, out, e) : take_entra(f, response, out, e);
    (void)(managed ? fail_metadata(f, failure, e) : fail_entra(f, response, failure, e));
    return TOKEN_FAILED;
}
