/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credential.c - tokens, cached while they are valid; see credential.h.
 */
#include "arm/credential/internal.h"

/* How long to wait after a failed renewal, while the old token is still used. */
#define RENEW_AGAIN (30 * NS_PER_SEC)
/* A token is not used right before it expires, since requests take time. */
#define MARGIN (10 * NS_PER_SEC)
/* How long callers that waited for a failed attempt share its error. */
#define FAILURE_SHARED NS_PER_SEC
/* Scopes times tenants: there are only a few. */
#define ENTRIES_MAX 256

/* The token of one tenant and scope. */
struct entry {
    struct entry *next;
    str tenant, scope;
    struct arena *secret; /* for the token */
    str token;
    int64_t renew, ends; /* clock_mono */
    bool fetching;
    struct err failure; /* of the last attempt */
    int64_t failed;     /* when */
};

struct credential {
    struct arena *secret;
    struct credential_settings settings;
    struct client_cert *cert;
    struct lock lock;
    struct entry *entries;
    size_t entry_count;
    struct credential_listener *listeners;
};

/* A fetch, which its caller sends. */
struct credential_fetch {
    struct credential *credential;
    struct entry *entry;
    struct arena *arena;
    struct token_call call;
    struct token_flow flow;
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

bool credential_new(const struct credential_settings *settings, struct credential **out,
                    struct err *e)
{
    struct credential *c = block_new(sizeof(*c));

    *c = (struct credential){.secret = arena_new_secret(), .lock = LOCK_INIT};
    c->settings = copy_settings(c->secret, settings);
    if (!check_ids(settings, e) ||
        (settings->kind == CREDENTIAL_CERTIFICATE &&
         !client_cert_read(settings->certificate, settings->password, &c->cert, e))) {
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

/* Stores the result of a fetch; answer is NULL when it failed. Returns the listeners. */
static struct credential_listener *settle(struct credential *c, struct entry *t,
                                          const struct token_answer *answer,
                                          const struct err *failure)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    struct credential_listener *waiting = c->listeners;

    if (answer)
        keep(t, answer);
    else
        keep_failure(t, failure);
    t->fetching = false;
    c->listeners = NULL;
    return waiting;
}

static void notify_all(struct credential_listener *waiting)
{
    struct credential_listener *next;

    for (; waiting; waiting = next) {
        next = waiting->next;
        waiting->tell(waiting->ctx);
    }
}

enum step { STEP_USE, STEP_FETCH, STEP_FAIL, STEP_WAIT };

/* Decides what a caller that began at that time has to do; asked: it has fetched. */
static enum step decide(struct entry *t, int64_t began, bool asked, struct arena *a, str *token,
                        struct err *e)
{
    int64_t now = clock_mono();

    if (t->fetching && !is_good(t, now))
        return STEP_WAIT;
    /* A token that was just fetched is used, however short its lifetime is. */
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

/* ---- Getting tokens. ---- */

static enum credential_state begin_fetch(struct credential *c, struct entry *t,
                                         struct credential_wish *wish)
{
    struct arena *a = arena_new_secret();
    struct credential_fetch *f = ARENA_NEW(a, struct credential_fetch);
    struct token_answer answer;
    AUTO_ERR failure = {0};

    *f = (struct credential_fetch){.credential = c, .entry = t, .arena = a};
    f->call = (struct token_call){
        .settings = &c->settings, .cert = c->cert, .tenant = t->tenant, .scope = t->scope};
    enum token_next next = token_flow_begin(&f->flow, a, &f->call, &answer, &failure);
    wish->fetched = true;
    if (next == TOKEN_SEND) {
        wish->fetch = f;
        return CREDENTIAL_FETCH;
    }
    notify_all(settle(c, t, next == TOKEN_DONE ? &answer : NULL, &failure));
    arena_free(a);
    return CREDENTIAL_READY;
}

/* Gets one of the tokens; CREDENTIAL_READY when there is one. */
static enum credential_state try_one(struct credential *c, struct arena *a, str tenant, str scope,
                                     struct credential_wish *wish, str *token)
{
    enum step step;
    struct entry *t;

    do {
        {
            AUTO_LOCK guard = lock_take(&c->lock);
            t = entry_of(c, tenant, scope);
            if (!t) {
                (void)err_set(&wish->failure, ERR_LIMIT, "more than %d scopes are asked for",
                              ENTRIES_MAX);
                return CREDENTIAL_FAILED;
            }
            step = decide(t, wish->began, wish->fetched, a, token, &wish->failure);
            if (step == STEP_WAIT) {
                wish->listener.next = c->listeners;
                c->listeners = &wish->listener;
                return CREDENTIAL_WAIT;
            }
        }
        if (step == STEP_FAIL)
            (void)wrap(c, tenant, &wish->failure);
        if (step != STEP_FETCH) {
            wish->fetched = false;
            return step == STEP_USE ? CREDENTIAL_READY : CREDENTIAL_FAILED;
        }
    } while (begin_fetch(c, t, wish) == CREDENTIAL_READY);
    return CREDENTIAL_FETCH;
}

enum credential_state credential_try(struct credential *c, struct arena *a, str scope,
                                     struct credential_wish *wish)
{
    struct buf text = buf_new(a, MIB);
    enum credential_state state;

    if (!wish->began)
        wish->began = clock_mono();
    state = try_one(c, a, c->settings.tenant, scope, wish, &wish->token);
    for (size_t i = 0; state == CREDENTIAL_READY && i < c->settings.tenant_count; i++) {
        str token = STR_NONE;
        state = try_one(c, a, c->settings.tenants[i], scope, wish, &token);
        buf_fmt(&text, "%sBearer %.*s", i ? ", " : "", STR_ARG(token));
    }
    wish->auxiliary = buf_str(&text);
    return state;
}

bool credential_forget(struct credential *c, struct credential_listener *l)
{
    AUTO_LOCK guard = lock_take(&c->lock);
    struct credential_listener **at = &c->listeners;

    while (*at && *at != l)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = l->next;
    return true;
}

const struct http_request *credential_fetch_request(const struct credential_fetch *f, bool *direct)
{
    *direct = f->flow.direct;
    return &f->flow.request;
}

struct arena *credential_fetch_arena(struct credential_fetch *f)
{
    return f->arena;
}

bool credential_fetch_answer(struct credential_fetch *f, const struct http_response *response,
                             const struct err *failure, int64_t *wait)
{
    struct token_answer answer;
    AUTO_ERR e = {0};
    enum token_next next = token_flow_step(&f->flow, response, failure, wait, &answer, &e);

    if (next == TOKEN_SEND)
        return true;
    notify_all(settle(f->credential, f->entry, next == TOKEN_DONE ? &answer : NULL, &e));
    arena_free(f->arena);
    return false;
}

void credential_fetch_end(struct credential_fetch *f, const struct err *failure)
{
    notify_all(settle(f->credential, f->entry, NULL, failure));
    arena_free(f->arena);
}

void credential_refuse(struct credential *c, str token)
{
    AUTO_LOCK guard = lock_take(&c->lock);

    for (struct entry *t = c->entries; t; t = t->next)
        if (str_eq(t->token, token))
            t->token = STR_NONE;
}
