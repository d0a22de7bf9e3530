/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential.c - tokens, kept as long as they are good.
 */
#include "azure/credential_internal.h"

/* After a failed renewal the old token serves on; so long until the next try. */
#define RENEW_AGAIN (30 * NS_PER_SEC)
/* A token is not used in the last moments of its life: requests take time. */
#define MARGIN (10 * NS_PER_SEC)
/* Those who waited for a failed try share its error for so long. */
#define FAILURE_SHARED NS_PER_SEC
#define METADATA_CONNECT (3 * NS_PER_SEC)
/* Scopes times tenants: a few. */
#define ENTRIES_MAX 256

/* The token of one tenant and scope. */
struct entry {
    struct entry *next;
    str tenant, scope;
    struct arena *secret; /* of the token */
    str token;
    int64_t renew, ends; /* clock_mono */
    bool fetching;
    struct err failure; /* of the last try */
    int64_t failed;     /* when */
};

struct credential {
    struct arena *secret;
    struct credential_settings settings;
    struct client_cert *cert;
    struct http_client *http, *direct;
    struct lock lock;
    pthread_cond_t fetched;
    struct entry *entries;
    size_t entry_count;
};

static struct credential_settings copy_settings(struct arena *a,
                                                const struct credential_settings *s)
{
    struct credential_settings c = *s;
    str *tenants = ARENA_ARRAY(a, str, s->tenant_count);
    str *const texts[] = {&c.subscription,   &c.tenant,         &c.client,         &c.secret,
                          &c.certificate,    &c.password,       &c.token_file,     &c.metadata,
                          &c.cloud.endpoint, &c.cloud.audience, &c.cloud.authority};

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    for (size_t i = 0; i < s->tenant_count; i++)
        tenants[i] = str_copy(a, s->tenants[i]);
    c.tenants = tenants;
    if (s->program)
        c.program = str_z(a, str_c(s->program));
    return c;
}

/* The metadata service is on the machine itself: no proxy, and it answers at once or never. */
static bool open_direct(struct credential *c, struct err *e)
{
    struct http_config config = http_defaults();

    if (c->settings.kind != CREDENTIAL_MANAGED)
        return true;
    config.no_proxy = true;
    config.connect_timeout = METADATA_CONNECT;
    config.redirects_max = 0;
    return http_client_new(&config, &c->direct, e);
}

/* Ids become parts of URLs: letters, digits, hyphens and dots. */
static bool check_id(const char *key, str id, struct err *e)
{
    for (size_t i = 0; i < id.len; i++) {
        char ch = id.ptr[i];
        bool fine = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
                    (ch >= 'A' && ch <= 'Z') || ch == '-' || ch == '.';
        if (!fine)
            return err_set(e, ERR_INVALID, "%s is not an id: letters, digits, - and . only", key);
    }
    return true;
}

static bool check_ids(const struct credential_settings *s, struct err *e)
{
    if (!check_id("AZURE_TENANT_ID", s->tenant, e) || !check_id("AZURE_CLIENT_ID", s->client, e) ||
        !check_id("AZURE_SUBSCRIPTION_ID", s->subscription, e))
        return false;
    for (size_t i = 0; i < s->tenant_count; i++)
        if (!check_id("AZURE_ADDITIONAL_TENANTS", s->tenants[i], e))
            return false;
    return true;
}

static bool prepare(struct credential *c, struct err *e)
{
    const struct credential_settings *s = &c->settings;

    if (!check_ids(s, e))
        return false;
    if (s->kind == CREDENTIAL_CERTIFICATE &&
        !client_cert_read(s->certificate, s->password, &c->cert, e))
        return false;
    return open_direct(c, e);
}

bool credential_new(const struct credential_settings *settings, struct http_client *http,
                    struct credential **out, struct err *e)
{
    struct credential *c = block_new(sizeof(*c));

    *c = (struct credential){.secret = arena_new_secret(), .lock = LOCK_INIT};
    pthread_cond_init(&c->fetched, NULL);
    c->http = http_client_ref(http);
    c->settings = copy_settings(c->secret, settings);
    if (!prepare(c, e)) {
        credential_free(c);
        return false;
    }
    *out = c;
    return true;
}

void credential_free(struct credential *c)
{
    struct entry *next;

    if (!c)
        return;
    for (struct entry *t = c->entries; t; t = next) {
        next = t->next;
        if (t->secret)
            arena_free(t->secret);
        err_clear(&t->failure);
    }
    client_cert_free(c->cert);
    if (c->direct)
        http_client_free(c->direct);
    http_client_free(c->http);
    pthread_cond_destroy(&c->fetched);
    pthread_mutex_destroy(&c->lock.mutex);
    arena_free(c->secret);
    block_free(c);
}

const struct credential_settings *credential_settings(const struct credential *c)
{
    return &c->settings;
}

/* ---- The cache. Under the lock unless said otherwise. ---- */

static struct entry *entry_of(struct credential *c, str tenant, str scope)
{
    struct entry *t = c->entries;

    while (t && !(str_eq(t->tenant, tenant) && str_eq(t->scope, scope)))
        t = t->next;
    if (t || c->entry_count >= ENTRIES_MAX)
        return t;
    t = ARENA_NEW(c->secret, struct entry);
    t->tenant = str_copy(c->secret, tenant);
    t->scope = str_copy(c->secret, scope);
    t->failed = INT64_MIN;
    t->next = c->entries;
    c->entries = t;
    c->entry_count++;
    return t;
}

static bool is_good(const struct entry *t, int64_t now)
{
    return t->token.len && now < t->ends;
}

static void keep(struct entry *t, const struct token_answer *answer)
{
    const int64_t now = clock_mono();

    if (!t->secret)
        t->secret = arena_new_secret();
    arena_reset(t->secret);
    t->token = str_copy(t->secret, answer->token);
    t->renew = now + answer->lifetime / 2;
    t->ends = now +
              (answer->lifetime > 2 * MARGIN ? answer->lifetime - MARGIN : answer->lifetime / 2);
}

static void keep_failure(struct entry *t, const struct err *failure)
{
    t->failed = clock_mono();
    t->renew = t->failed + RENEW_AGAIN;
    if (!is_good(t, t->failed))
        t->token = STR_NONE;
    err_clear(&t->failure);
    err_copy(&t->failure, failure);
}

/* Without the lock; t is ours because it is marked as being fetched. */
static void fetch(struct credential *c, struct entry *t)
{
    AUTO_ARENA a = arena_new_secret();
    const struct token_call call = {.settings = &c->settings,
                                    .cert = c->cert,
                                    .http = c->http,
                                    .direct = c->direct,
                                    .tenant = t->tenant,
                                    .scope = t->scope};
    struct token_answer answer;
    AUTO_ERR failure = {0};
    bool ok = token_fetch(a, &call, &answer, &failure);

    AUTO_LOCK guard = lock_take(&c->lock);
    if (ok)
        keep(t, &answer);
    else
        keep_failure(t, &failure);
    t->fetching = false;
    pthread_cond_broadcast(&c->fetched);
}

enum step { STEP_USE, STEP_FETCH, STEP_FAIL };

/* What this caller has to do. Waits while another one asks and there is no token to go on with. */
static enum step decide(struct credential *c, struct entry *t, bool asked, struct arena *a,
                        str *token, struct err *e)
{
    int64_t now = clock_mono(), began = now;

    while (t->fetching && !is_good(t, now)) {
        pthread_cond_wait(&c->fetched, &c->lock.mutex);
        now = clock_mono();
    }
    /* One that was just got is used however short its life is. */
    if (t->token.len && (asked || (is_good(t, now) && (t->fetching || now < t->renew)))) {
        *token = str_copy(a, t->token);
        return STEP_USE;
    }
    if (asked || (t->failed >= began && now - t->failed < FAILURE_SHARED && !is_good(t, now))) {
        err_copy(e, &t->failure);
        return STEP_FAIL;
    }
    t->fetching = true;
    return STEP_FETCH;
}

static bool token_of(struct credential *c, struct arena *a, str tenant, str scope, str *token,
                     struct err *e)
{
    bool asked = false;
    struct entry *t;

    for (;;) {
        {
            AUTO_LOCK guard = lock_take(&c->lock);
            t = entry_of(c, tenant, scope);
            if (!t)
                return err_set(e, ERR_LIMIT, "more than %d scopes are asked for", ENTRIES_MAX);
            enum step step = decide(c, t, asked, a, token, e);
            if (step != STEP_FETCH)
                return step == STEP_USE;
        }
        fetch(c, t);
        asked = true;
    }
}

/* "getting a token for client x in tenant y: ..." Always false. */
static bool wrap(const struct credential *c, str tenant, struct err *e)
{
    if (c->settings.kind == CREDENTIAL_CLI)
        return err_wrap(e, "getting a token");
    if (c->settings.kind == CREDENTIAL_MANAGED)
        return err_wrap(e, "getting a token for the managed identity %.*s",
                        STR_ARG(c->settings.client));
    return err_wrap(e, "getting a token for client %.*s in tenant %.*s",
                    STR_ARG(c->settings.client), STR_ARG(tenant));
}

bool credential_token(struct credential *c, struct arena *a, str scope, str *token, struct err *e)
{
    return token_of(c, a, c->settings.tenant, scope, token, e) || wrap(c, c->settings.tenant, e);
}

bool credential_auxiliary(struct credential *c, struct arena *a, str scope, str *out, struct err *e)
{
    struct buf text = buf_new(a, MIB);

    for (size_t i = 0; i < c->settings.tenant_count; i++) {
        str tenant = c->settings.tenants[i], token = STR_NONE;
        if (!token_of(c, a, tenant, scope, &token, e))
            return wrap(c, tenant, e);
        buf_fmt(&text, "%sBearer %.*s", i ? ", " : "", STR_ARG(token));
    }
    *out = buf_str(&text);
    return buf_check(&text, e);
}

void credential_refuse(struct credential *c, str token)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    for (struct entry *t = c->entries; t; t = t->next)
        if (str_eq(t->token, token))
            t->token = STR_NONE;
}
