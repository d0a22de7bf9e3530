/* SPDX-License-Identifier: Apache-2.0 */
/* sim.c - the life of one request, and what all parts of the simulator use. */
#include "sim/internal.h"

#include "text/codec.h"
#include "text/json/json.h"
#include "text/url.h"

#include <openssl/sha.h>
#include <string.h>

/* Virtual time starts here, so that runs can be repeated: 2026-01-01. */
#define EPOCH (INT64_C(1767225600) * NS_PER_SEC)

/* ---- Configuration. ---------------------------------------------------------------------------
 */

const char *const sim_presets[] = {"azure",    "hourly",    "quick",        "strict",
                                   "troubled", "unlimited", "unregistered", NULL};

struct sim_config sim_defaults(void)
{
    return (struct sim_config){
        .seed = 1, .reads = {250, 25}, .writes = {200, 10}, .deletes = {200, 10}};
}

bool sim_preset(struct sim_config *config, str name, struct err *e)
{
    const struct sim_config usual = sim_defaults();

    if (str_eq(name, STR("azure"))) {
        config->reads = usual.reads;
        config->writes = config->deletes = usual.writes;
    } else if (str_eq(name, STR("hourly"))) {
        config->reads = (struct sim_rate){12000, 12000.0 / 3600};
        config->writes = (struct sim_rate){1200, 1200.0 / 3600};
        config->deletes = (struct sim_rate){15000, 15000.0 / 3600};
    } else if (str_eq(name, STR("quick"))) {
        config->quick = true;
    } else if (str_eq(name, STR("strict"))) {
        config->strict = true;
    } else if (str_eq(name, STR("troubled"))) {
        config->troubled = true;
    } else if (str_eq(name, STR("unlimited"))) {
        config->unlimited = true;
    } else if (str_eq(name, STR("unregistered"))) {
        config->unregistered = true;
    } else {
        return err_set(e, ERR_USAGE,
                       "there is no preset \"%.*s\"; known are azure, hourly, quick, strict, "
                       "troubled, unlimited and unregistered",
                       STR_ARG(name));
    }
    return true;
}

/* Empties a table; kind: its name in the state file, or NULL. */
static void clear_nodes(struct sim *s, struct table *t, const char *kind)
{
    struct table_at at = {0};
    struct table_node *node;

    while ((node = table_each(t, &at))) {
        if (kind)
            sim_database_fact(s->database, kind, node->key, STR_NONE);
        table_drop(t, node);
        sim_keep(&node->key, STR_NONE);
        block_free(node);
    }
}

static void clear_store(struct sim_store *t)
{
    struct sim_resource *root = sim_store_root(t);

    while (root->first)
        sim_store_remove(t, root->first);
}

static void set_start(struct sim *s)
{
    s->chance = s->config.seed;
    s->time = s->config.virtual_time ? EPOCH : 0;
}

void sim_reset(struct sim *s)
{
    while (s->oldest)
        sim_operation_forget(s, s->oldest);
    clear_nodes(s, s->buckets, NULL);
    clear_nodes(s, s->providers, "provider");
    clear_nodes(s, s->attempts, "attempt");
    clear_store(s->store);
    clear_store(s->deleted);
    sim_faults_clear(s->faults);
    sim_log_clear(s->log);
    sim_activity_clear(s);
    s->counters = (struct sim_counters){0};
    set_start(s);
}

bool sim_new(const struct sim_config *config, struct sim **out, struct err *e)
{
    struct arena *a = arena_new();
    struct sim *s = ARENA_NEW(a, struct sim);

    pthread_mutex_init(&s->lock.mutex, NULL);
    s->arena = a;
    s->handler = (struct handler){sim_answer_call, s};
    s->config = *config;
    s->config.tenant = str_copy(a, config->tenant);
    s->config.state = str_copy(a, config->state);
    s->types = sim_types_new(a);
    s->usual = sim_usual_new(s->arena);
    s->store = sim_store_new();
    s->deleted = sim_store_new();
    s->operations = table_new();
    s->buckets = table_new();
    s->providers = table_new();
    s->attempts = table_new();
    s->faults = sim_faults_new();
    s->log = sim_log_new();
    s->activity = sim_activity_new();
    s->clock = clock_now();
    set_start(s);
    *out = s;
    if ((config->bare || sim_types_builtin(s->types, e)) &&
        (!config->state.len || sim_database_open(s, e)))
        return true;
    sim_free(s);
    return false;
}

void sim_free(struct sim *s)
{
    sim_database_close(s->database);
    s->database = NULL;
    sim_store_keep(s->store, NULL, false);
    sim_store_keep(s->deleted, NULL, true);
    sim_reset(s);
    table_free(s->operations);
    table_free(s->buckets);
    table_free(s->providers);
    table_free(s->attempts);
    sim_usual_free(s->usual);
    sim_faults_free(s->faults);
    sim_log_free(s->log);
    sim_activity_free(s);
    sim_store_free(s->store);
    sim_store_free(s->deleted);
    pthread_mutex_destroy(&s->lock.mutex);
    arena_free(s->arena);
}

bool sim_add_types(struct sim *s, const struct source *src, struct err *e)
{
    struct source *kept = ARENA_NEW(s->arena, struct source);

    kept->file = str_copy(s->arena, src->file);
    kept->text = str_copy(s->arena, src->text);
    return sim_types_read(s->types, kept, e);
}

bool sim_read_types(struct sim *s, struct err *e)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return sim_types_all(s->types, e);
}

bool sim_add_faults(struct sim *s, const struct source *src, struct err *e)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return sim_faults_read(s, src, e);
}

/* ---- Time and chance. -------------------------------------------------------------------------
 */

int64_t sim_now(const struct sim *s)
{
    return s->config.virtual_time ? s->time : s->clock + s->time;
}

void sim_advance(struct sim *s, int64_t ns)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->time += ns;
}

/* splitmix64: small, and good enough for ids. */
uint64_t sim_random(struct sim *s)
{
    uint64_t z = s->chance += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static str guid_of_bytes(struct arena *a, const unsigned char *bytes)
{
    str hex = hex_encode(a, bytes, 16);

    return str_fmt(a, "%.8s-%.4s-4%.3s-a%.3s-%.12s", hex.ptr, hex.ptr + 8, hex.ptr + 13,
                   hex.ptr + 17, hex.ptr + 20);
}

str sim_guid(struct sim *s, struct arena *a)
{
    uint64_t words[2] = {sim_random(s), sim_random(s)};

    return guid_of_bytes(a, (const unsigned char *)words);
}

str sim_guid_of(struct sim *s, struct arena *a, str text)
{
    unsigned char sum[SHA256_DIGEST_LENGTH];
    str seeded = str_fmt(a, "%llu:%.*s", (unsigned long long)s->config.seed, STR_ARG(text));

    SHA256((const unsigned char *)seeded.ptr, seeded.len, sum);
    return guid_of_bytes(a, sum);
}

str sim_stamp(struct arena *a, int64_t now)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(now, stamp);
    return str_fmt(a, "%.23s0000Z", stamp);
}

/* ---- JSON and answers. ------------------------------------------------------------------------
 */

str sim_json(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

struct value *sim_parse(struct arena *a, str text)
{
    struct source src = {.text = str_copy(a, text)};
    struct value *v;

    return json_read(a, &src, NULL, &v, NULL) ? v : value_object(a);
}

void sim_header(struct sim_call *c, const char *name, str value)
{
    http_header_set(c->arena, &c->r->headers, str_c(name), value);
}

void sim_reply(struct sim_call *c, int status, const struct value *body)
{
    c->r->status = status;
    c->r->body = body ? sim_json(c->arena, body) : STR_NONE;
}

void sim_refuse(struct sim_call *c, int status, const char *code, const char *format, ...)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a), *error;
    va_list args;

    va_start(args, format);
    str message = str_vfmt(a, format, args);
    va_end(args);
    error = value_set(a, v, STR("error"), value_object(a));
    value_set_str(a, error, STR("code"), str_c(code));
    value_set_str(a, error, STR("message"), message);
    sim_reply(c, status, v);
}

str sim_query(struct sim_call *c, const char *name)
{
    str value;

    return url_query_get(c->arena, c->q->query, str_c(name), &value) ? value : STR_NONE;
}

/* ---- The request. -----------------------------------------------------------------------------
 */

static const struct method {
    const char *name, *kind;
    int64_t offset; /* of its counter */
} methods[] = {
    {"DELETE", "delete", offsetof(struct sim_counters, deletes)},
    {"GET", "read", offsetof(struct sim_counters, reads)},
    {"HEAD", "read", offsetof(struct sim_counters, reads)},
    {"PATCH", "write", offsetof(struct sim_counters, writes)},
    {"POST", "action", offsetof(struct sim_counters, actions)},
    {"PUT", "write", offsetof(struct sim_counters, writes)},
};

static const struct method *method_of(str name)
{
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_eq(name, str_c(methods[i].name)))
            return &methods[i];
    return NULL;
}

static bool read_body(struct sim_call *c)
{
    struct source src = {.text = c->q->body};
    AUTO_ERR e = {0};

    if (!c->q->body.len || json_read(c->arena, &src, NULL, &c->body, &e))
        return true;
    sim_refuse(c, 400, "InvalidRequestContent",
               "The request content was invalid and could not be deserialized: '%.*s'.",
               STR_ARG(e.text));
    return false;
}

static bool check_version(struct sim_call *c)
{
    if (!c->api_version.len) {
        sim_refuse(c, 400, "MissingApiVersionParameter",
                   "The api-version query parameter (?api-version=) is required for all requests.");
        return false;
    }
    if (c->api_version.len >= 10 && c->api_version.ptr[4] == '-' && c->api_version.ptr[7] == '-')
        return true;
    sim_refuse(c, 400, "InvalidApiVersionParameter",
               "The api-version '%.*s' is invalid: it must be a date, as in 2024-03-01.",
               STR_ARG(c->api_version));
    return false;
}

static void handle_resource(struct sim_call *c)
{
    str method = c->q->method;

    if (sim_deleted(c, STR_NONE))
        return;
    if (str_eq(method, STR("GET")))
        sim_get(c);
    else if (str_eq(method, STR("HEAD")))
        sim_head(c);
    else if (str_eq(method, STR("DELETE")))
        sim_delete(c);
    else if (str_eq(method, STR("PUT")) || str_eq(method, STR("PATCH")))
        sim_put(c, method.len == 5);
    else
        sim_refuse(c, 405, "MethodNotAllowed", "%.*s is not possible here.", STR_ARG(method));
}

/* Adds an accepted request to the activity log. */
static void note_activity(struct sim_call *c)
{
    bool deletes = strcmp(c->kind, "delete") == 0;
    struct sim_author by = sim_author_of(c);

    if (c->r->status >= 300 || (!deletes && strcmp(c->kind, "write") != 0))
        return;
    sim_activity_add(c, arm_id_print(c->arena, &c->id), &by,
                     str_fmt(c->arena, "%.*s/%s", STR_ARG(c->type), deletes ? "delete" : "write"));
}

static void handle_other(struct sim_call *c, const struct err *e)
{
    size_t slash = str_rfind_char(c->q->path, '/');

    if ((str_eq(c->q->method, STR("GET")) && sim_list_deleted(c)) || sim_list(c))
        return;
    if (str_eq(c->q->method, STR("POST")) && slash != STR_NPOS)
        sim_action(c, str_slice(c->q->path, 0, slash), str_from(c->q->path, slash + 1));
    else
        sim_refuse(c, 404, "InvalidResourceId", "%.*s", STR_ARG(e->text));
}

/* The subscription that a request is charged to, even if the path is not an id. */
static str subscription_in(str path)
{
    str rest = str_from(path, STR("/subscriptions/").len), sub;

    if (!str_eq_fold(str_slice(path, 0, STR("/subscriptions/").len), STR("/subscriptions/")))
        return STR_NONE;
    str_cut(rest, STR("/"), &sub, &rest);
    return sub;
}

/* Looks up the behaviour of c's type: in its file, or the model. */
void sim_recognize(struct sim_call *c)
{
    c->behaviour = sim_types_find(c->arena, c->sim->types, c->type);
    if (c->behaviour->unheard && c->type.len)
        c->behaviour = sim_usual_type(c);
}

static void identify(struct sim_call *c, bool *is_id, struct err *e)
{
    c->api_version = sim_query(c, "api-version");
    *is_id = arm_id_parse(c->arena, c->q->path, &c->id, e);
    if (*is_id) {
        c->type = arm_id_type(c->arena, &c->id);
        c->name = arm_id_name(&c->id);
    } else {
        c->id = (struct arm_id){.subscription = subscription_in(c->q->path)};
    }
    sim_recognize(c);
}

static void handle_arm(struct sim_call *c)
{
    const struct method *method = method_of(c->q->method);
    AUTO_ERR e = {0};
    bool is_id;

    if (!method) {
        sim_refuse(c, 405, "MethodNotAllowed", "%.*s is not known.", STR_ARG(c->q->method));
        return;
    }
    c->kind = method->kind;
    identify(c, &is_id, &e);
    if (!sim_authorized(c) || !sim_admit(c) || sim_faults_before(c) || sim_poll(c))
        return;
    ++*(int64_t *)((char *)&c->sim->counters + method->offset);
    if (!check_version(c) || !read_body(c) || (is_id && !sim_version_known(c)) || sim_graph(c) ||
        sim_activity(c) || sim_role(c) || sim_provider(c))
        return;
    if (is_id && !str_eq(c->q->method, STR("POST"))) {
        handle_resource(c);
        note_activity(c);
    } else {
        handle_other(c, &e);
    }
}

/* Handles a request about resources: executes, counts and logs it. */
static void handle_counted(struct sim_call *c)
{
    struct sim *s = c->sim;

    s->counters.requests++;
    if (!sim_token(c))
        handle_arm(c);
    if (str_eq(c->q->method, STR("HEAD")))
        c->r->body = STR_NONE;
    s->counters.refused += c->r->status >= 400;
    s->counters.dropped += c->drop;
    sim_header(c, "x-ms-request-id", sim_guid(s, c->arena));
    if (c->r->body.len && !http_header_has(&c->r->headers, STR("Content-Type")))
        sim_header(c, "Content-Type", STR("application/json; charset=utf-8"));
    sim_log_add(c);
}

static void not_saved(struct sim_call *c, const struct err *e)
{
    sim_refuse(c, 500, "StateNotSaved", "%.*s", STR_ARG(e->text));
}

void sim_handle(struct sim *s, struct arena *a, const struct sim_request *q, struct sim_response *r)
{
    static const struct http_headers none = {0};
    struct sim_request copy = *q;
    uint64_t batch;
    AUTO_ERR e = {0};

    *r = (struct sim_response){0};
    if (!copy.headers)
        copy.headers = &none;
    struct sim_call c = {.sim = s, .arena = a, .q = &copy, .r = r, .kind = "other"};
    if (!sim_database_ready(s->database, &e)) {
        not_saved(&c, &e);
        return;
    }
    {
        AUTO_LOCK guard = lock_take(&s->lock);
        s->clock = clock_now();
        if (str_has_prefix(q->path, STR("/_sim/")) || str_eq(q->path, STR("/_sim")))
            sim_admin(&c);
        else
            handle_counted(&c);
        sim_keep_counters(s, a);
        batch = sim_database_seal(s->database);
    }
    r->drop = c.drop;
    if (!sim_database_wait(s->database, batch, &e))
        not_saved(&c, &e);
}
