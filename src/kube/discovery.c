/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discovery.c - asks a server what it serves; see discovery.h.
 *
 * The steps are client-go's: request /api and /apis in the newest format that the server knows; if
 * one of them responds in the old format, request every group version separately, several at a
 * time.
 */
#include "kube/discovery_internal.h"

#include "kube/items_internal.h"
#include "object/object.h"

#define ACCEPT_DISCOVERY                                                                           \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                        \
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"                   \
    "application/json"

/* How many requests for single versions are in flight at once. */
#define DISCOVERY_THREADS 4

struct asking {
    struct kube_transport *transport;
    struct http_cancel *cancel;
};

/* These are lists in every response: anything else would be taken for an empty one. */
static bool check_lists(const struct value *answer, struct err *e)
{
    static const char *const names[] = {"groups", "items", "resources", "versions"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (!kube_check_kind(answer, str_c(names[i]), VALUE_LIST, e))
            return false;
    return true;
}

static bool is_aggregated(const struct value *answer)
{
    return str_eq(value_get_str(answer, STR("kind")), STR("APIGroupDiscoveryList"));
}

/* Every response has its list, even if it is empty: without one, it is something else. */
static bool check_has_list(const struct value *answer, str path, struct err *e)
{
    str name = is_aggregated(answer)        ? STR("items")
               : str_eq(path, STR("/api"))  ? STR("versions")
               : str_eq(path, STR("/apis")) ? STR("groups")
                                            : STR("resources");

    if (!value_get(answer, name))
        return err_set(e, ERR_INVALID, "the server's response has no \"%.*s\"", STR_ARG(name));
    return !str_eq(value_get_str(answer, STR("kind")), STR("Status")) ||
           err_set(e, ERR_INVALID, "the server's response is a Status");
}

/* Upstream: for these two, client-go does not read the Status of an error response. */
static bool is_raw(const struct asking *q, str path)
{
    return kube_transport_config(q->transport)->client_go &&
           (str_eq(path, STR("/api")) || str_eq(path, STR("/apis")));
}

static bool get(const struct asking *q, struct arena *a, str path, const char *accept,
                struct value **out, struct err *e)
{
    struct http_request request = {.url = str_concat(a, path, STR("?timeout=32s")),
                                   .cancel = q->cancel};
    struct http_response response;

    http_header_add(a, &request.headers, STR("Accept"), str_c(accept));
    if (!kube_send(q->transport, a, &request, &retry_kube, &response, e)) {
        /* If a plugin or file is missing, it is not the server that reports "not found". */
        if (e && e->kind == ERR_NOT_FOUND)
            e->kind = ERR_INVALID;
        return false;
    }
    if (response.status / 100 != 2)
        return is_raw(q, path) ? kube_answer_failed_raw(a, &response, e)
                               : kube_answer_failed(a, STR("GET"), NULL, &response, NULL, e);
    bool client_go = kube_transport_config(q->transport)->client_go;
    bool ok = (client_go || kube_answer_read(&response, e)) &&
              kube_json_read(a, response.body, out, e);
    if (ok && !value_is(*out, VALUE_OBJECT))
        ok = err_set(e, ERR_INVALID, "the server sent %s where an object should be",
                     value_kind_name(*out ? (*out)->kind : VALUE_NULL));
    if (!ok || !check_lists(*out, e) || (!client_go && !check_has_list(*out, path, e))) {
        kube_answer_unread(&response, e);
        return err_wrap(e, "%.*s", STR_ARG(path));
    }
    return true;
}

/* ---- Versions on their own ------------------------------------------------------------------ */

struct version_job {
    struct arena *arena; /* for the response */
    const struct kube_version *version;
    struct value *list; /* NULL: failed */
    struct err failure;
};

struct version_run {
    const struct asking *asking;
    struct discovery_build *build;
    struct version_job *jobs;
    size_t next;
};

static bool produce(void *ctx, void **item, struct err *e)
{
    struct version_run *run = ctx;

    (void)e;
    *item = run->next < run->build->versions.len ? &run->jobs[run->next] : NULL;
    if (*item)
        run->jobs[run->next].version = &run->build->versions.items[run->next];
    run->next++;
    return true;
}

static bool work(void *ctx, void *item, struct err *e)
{
    const struct version_run *run = ctx;
    struct version_job *job = item;
    const struct kube_version *v = job->version;

    (void)e;
    job->arena = arena_new();
    str path = str_fmt(job->arena, "%s/%.*s", v->group.len ? "/apis" : "/api",
                       STR_ARG(api_version_join(job->arena, v->group, v->version)));
    if (!get(run->asking, job->arena, path, "application/json", &job->list, &job->failure))
        job->list = NULL;
    return true;
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct version_run *run = ctx;
    struct version_job *job = item;
    struct kube_version *v = &run->build->versions.items[job - run->jobs];
    bool ok = true;

    if (job->list) {
        ok = discovery_add_resources(run->build, v, job->list, e);
    } else {
        v->failure = str_copy(run->build->arena, job->failure.text);
        v->error = job->failure.kind;
    }
    err_clear(&job->failure);
    arena_free(job->arena);
    job->arena = NULL;
    return ok;
}

static bool ask_versions(const struct asking *q, struct discovery_build *b, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct version_run run = {
        .asking = q, .build = b, .jobs = ARENA_ARRAY(a, struct version_job, b->versions.len)};
    const struct pool_job job = {.produce = produce, .work = work, .consume = consume, .ctx = &run};
    struct pool *pool = pool_new(DISCOVERY_THREADS);
    bool ok = pool_run(pool, &job, e);

    pool_free(pool);
    for (size_t i = 0; i < b->versions.len; i++) {
        err_clear(&run.jobs[i].failure);
        arena_free(run.jobs[i].arena);
    }
    if (http_cancel_raised(q->cancel))
        return err_set(e, ERR_CANCELLED, "cancelled");
    return ok;
}

/* ---- Everything ----------------------------------------------------------------------------- */

/* Adds the group versions from a response in either format, as in the old one. */
static bool add_names(struct discovery_build *b, const struct value *answer, struct err *e)
{
    if (!answer || !is_aggregated(answer))
        return !answer || discovery_add_groups(b, answer, e);
    struct discovery_build whole = {.arena = b->arena};
    if (!discovery_add_aggregated(&whole, answer, e))
        return false;
    for (size_t i = 0; i < whole.versions.len; i++) {
        struct kube_version v = whole.versions.items[i];
        v.doubt = STR_NONE;
        VEC_PUSH(b->arena, &b->versions, v);
    }
    return true;
}

static bool build(const struct asking *q, struct arena *a, struct discovery_build *b,
                  bool *aggregated, struct err *e)
{
    struct value *core = NULL, *groups = NULL;

    /* Servers that only serve extensions have no /api. */
    if (!get(q, a, STR("/api"), ACCEPT_DISCOVERY, &core, e)) {
        if (!e || e->kind != ERR_NOT_FOUND)
            return false;
        err_clear(e);
        core = NULL;
    }
    if (!get(q, a, STR("/apis"), ACCEPT_DISCOVERY, &groups, e))
        return false;
    *aggregated = (!core || is_aggregated(core)) && is_aggregated(groups);
    if (*aggregated)
        return (!core || discovery_add_aggregated(b, core, e)) &&
               discovery_add_aggregated(b, groups, e);
    return add_names(b, core, e) && add_names(b, groups, e) && ask_versions(q, b, e);
}

bool kube_discover(struct kube_transport *t, struct arena *a, struct http_cancel *cancel,
                   struct kube_discovery **out, struct err *e)
{
    AUTO_ARENA answers = arena_new();
    AUTO_ERR own = {0};
    const struct asking q = {.transport = t, .cancel = cancel};
    struct discovery_build b = {.arena = a};
    struct kube_discovery *d = ARENA_NEW(a, struct kube_discovery);

    if (!build(&q, answers, &b, &d->aggregated, &own)) {
        err_copy(e, &own);
        return kube_mask(t, e);
    }
    discovery_publish(&b, d);
    *out = d;
    return true;
}

bool kube_discovery_complete(const struct kube_discovery *d, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    enum err_kind kind = ERR_NONE;

    for (size_t i = 0; i < d->version_count; i++) {
        const struct kube_version *v = &d->versions[i];
        if (!v->failure.len)
            continue;
        buf_add(&b,
                b.len ? STR(", ") : STR("unable to retrieve the complete list of server APIs: "));
        buf_add(&b, api_version_join(a, v->group, v->version));
        buf_fmt(&b, ": %.*s", STR_ARG(v->failure));
        kind = v->error;
    }
    return kind == ERR_NONE || err_set_str(e, kind, buf_str(&b));
}
