/* SPDX-License-Identifier: Apache-2.0 */
#include "support/api_server.h"

#include "net/server/server.h"
#include "support/pushed.h"
#include "text/json/json.h"
#include "text/patch/patch.h"

#include <stdlib.h>

const struct kube_resource api_widgets = {
    .group = STR_INIT("example.com"),
    .version = STR_INIT("v1"),
    .name = STR_INIT("widgets"),
    .kind = STR_INIT("Widget"),
    .namespaced = true,
};

struct stored {
    str collection; /* "/apis/example.com/v1/widgets" */
    str namespace, name;
    uint64_t version;
    str text; /* JSON; empty: deleted */
};

struct event {
    uint64_t version;
    str collection;
    const char *type;
    str text;
};

struct watcher {
    struct pushed *stream; /* NULL: ended */
    str collection;
};

struct scripted {
    const char *target, *type, *body;
    int status;
    bool broken, used, lasting;
};

struct api_server {
    struct lock lock;
    struct arena *arena;
    struct server *server;
    struct kube_config config;
    struct kube_transport *transport;
    uint64_t version, oldest;
    bool initial_events, unwatchable;
    const char *warning;
    VEC(struct stored) objects;
    VEC(struct event) events;
    VEC(struct watcher) watchers;
    struct scripted script[64];
    size_t script_len;
    struct buf requests, accepts;
};

/* ---- Objects -------------------------------------------------------------------------------- */

static void send_event(struct pushed *stream, struct arena *a, const char *type, str text)
{
    pushed_write(stream, str_fmt(a, "{\"type\":\"%s\",\"object\":%.*s}\n", type, STR_ARG(text)));
}

static void publish(struct api_server *s, str collection, const char *type, str text)
{
    const struct event event = {s->version, collection, type, text};

    VEC_PUSH(s->arena, &s->events, event);
    for (size_t i = 0; i < s->watchers.len; i++) {
        struct watcher *w = &s->watchers.items[i];
        if (w->stream && str_eq(w->collection, collection))
            send_event(w->stream, s->arena, type, text);
    }
}

static struct stored *find(struct api_server *s, str collection, str namespace, str name)
{
    for (size_t i = 0; i < s->objects.len; i++) {
        struct stored *o = &s->objects.items[i];
        if (o->text.len && str_eq(o->collection, collection) && str_eq(o->namespace, namespace) &&
            str_eq(o->name, name))
            return o;
    }
    return NULL;
}

static str write_json(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!json_write(&b, v, &json_exact, &e))
        abort();
    return buf_str(&b);
}

static struct value *read_json(struct arena *a, str text)
{
    const struct source src = {.text = text};
    struct value *v;
    AUTO_ERR e = {0};

    return json_read(a, &src, NULL, &v, &e) ? v : NULL;
}

/* Stores a tree under the next version; returns its text. */
static str store(struct api_server *s, str collection, str namespace, str name,
                 struct value *object)
{
    struct arena *a = s->arena;
    struct stored *o = find(s, collection, namespace, name);
    struct value *meta = value_get(object, STR("metadata"));
    bool is_new = !o;

    if (!meta)
        meta = value_set(a, object, STR("metadata"), value_object(a));
    s->version++;
    value_set_str(a, meta, STR("name"), name);
    value_set_str(a, meta, STR("namespace"), namespace);
    value_set_str(a, meta, STR("resourceVersion"),
                  str_fmt(a, "%llu", (unsigned long long)s->version));
    if (!value_get(meta, STR("uid")))
        value_set_str(a, meta, STR("uid"),
                      str_fmt(a, "uid-%.*s-%.*s", STR_ARG(namespace), STR_ARG(name)));
    if (is_new) {
        o = VEC_ADD(a, &s->objects);
        *o = (struct stored){.collection = str_copy(a, collection),
                             .namespace = str_copy(a, namespace),
                             .name = str_copy(a, name)};
    }
    o->version = s->version;
    o->text = write_json(a, object);
    publish(s, o->collection, is_new ? "ADDED" : "MODIFIED", o->text);
    return o->text;
}

static void drop(struct api_server *s, struct stored *o)
{
    struct value *object = read_json(s->arena, o->text);

    s->version++;
    value_set_str(s->arena, value_get(object, STR("metadata")), STR("resourceVersion"),
                  str_fmt(s->arena, "%llu", (unsigned long long)s->version));
    publish(s, o->collection, "DELETED", write_json(s->arena, object));
    o->text = STR_NONE;
}

#define WIDGETS STR("/apis/example.com/v1/widgets")

uint64_t api_put(struct api_server *s, const char *namespace, const char *name, const char *members)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    str text = str_fmt(s->arena, "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\"%s%s}",
                       members ? "," : "", members ? members : "");

    store(s, WIDGETS, str_c(namespace), str_c(name), read_json(s->arena, text));
    return s->version;
}

void api_delete(struct api_server *s, const char *namespace, const char *name)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    struct stored *o = find(s, WIDGETS, str_c(namespace), str_c(name));

    if (o)
        drop(s, o);
}

/* ---- Answers -------------------------------------------------------------------------------- */

static void reply(struct server_request *r, int status, str body)
{
    server_reply(r, status, STR("application/json"), body);
}

static void refuse(struct server_request *r, int code, const char *reason, const char *message)
{
    reply(r, code,
          str_fmt(server_arena(r),
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}",
                  message, reason, code));
}

/* A parsed path. */
struct place {
    str collection, namespace, name, subresource;
};

static struct place place_of(struct arena *a, str path)
{
    struct place p = {.collection = path};
    str before, after;

    if (str_cut(path, STR("/namespaces/"), &before, &after)) {
        str rest, plural;
        str_cut(after, STR("/"), &p.namespace, &rest);
        str_cut(rest, STR("/"), &plural, &after);
        str_cut(after, STR("/"), &p.name, &p.subresource);
        p.collection = str_fmt(a, "%.*s/%.*s", STR_ARG(before), STR_ARG(plural));
    }
    return p;
}

static bool listed(const struct stored *o, const struct place *p)
{
    return o->text.len && str_eq(o->collection, p->collection) &&
           (!p->namespace.len || str_eq(o->namespace, p->namespace));
}

/* continue is "VERSION-INDEX". */
static void list(struct api_server *s, struct server_request *r, const struct place *p)
{
    struct buf b = buf_new(server_arena(r), BUF_UNLIMITED);
    uint64_t limit = 0, from = 0, version = s->version, given = 0;
    str token = server_query(r, STR("continue"), NULL), first, second;

    if (!str_to_u64(server_query(r, STR("limit"), NULL), &limit))
        limit = 0;
    if (token.len && (!str_cut(token, STR("-"), &first, &second) || !str_to_u64(first, &version) ||
                      !str_to_u64(second, &from))) {
        refuse(r, 400, "BadRequest", "continue key is not valid");
        return;
    }
    if (token.len && version < s->oldest) {
        refuse(r, 410, "Expired", "The provided continue parameter is too old");
        return;
    }
    buf_add(&b, STR("{\"apiVersion\":\"x/v1\",\"items\":["));
    size_t i = (size_t)from;
    for (; i < s->objects.len && (!limit || given < limit); i++) {
        if (listed(&s->objects.items[i], p))
            buf_fmt(&b, "%s%.*s", given++ ? ", " : " ", STR_ARG(s->objects.items[i].text));
    }
    buf_fmt(&b, "],\"kind\":\"XList\",\"metadata\":{\"resourceVersion\":\"%llu\"",
            (unsigned long long)version);
    if (i < s->objects.len)
        buf_fmt(&b, ",\"continue\":\"%llu-%zu\"", (unsigned long long)version, i);
    buf_add(&b, STR("}}"));
    reply(r, 200, buf_str(&b));
}

static str bookmark(struct arena *a, uint64_t version, bool end_of_initial)
{
    return str_fmt(a,
                   "{\"kind\":\"Widget\",\"apiVersion\":\"example.com/v1\",\"metadata\":"
                   "{\"resourceVersion\":\"%llu\"%s}}",
                   (unsigned long long)version,
                   end_of_initial ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}"
                                  : "");
}

static void send_initial(struct api_server *s, struct pushed *stream, const struct place *p)
{
    for (size_t i = 0; i < s->objects.len; i++)
        if (listed(&s->objects.items[i], p))
            send_event(stream, s->arena, "ADDED", s->objects.items[i].text);
    send_event(stream, s->arena, "BOOKMARK", bookmark(s->arena, s->version, true));
}

static void watch(struct api_server *s, struct server_request *r, const struct place *p)
{
    bool initial = str_eq(server_query(r, STR("sendInitialEvents"), NULL), STR("true"));
    uint64_t from = 0;

    if (s->unwatchable) {
        refuse(r, 405, "MethodNotAllowed", "the server does not allow this method");
        return;
    }
    if (initial && !s->initial_events) {
        refuse(r, 422, "Invalid", "sendInitialEvents is forbidden");
        return;
    }
    if (!str_to_u64(server_query(r, STR("resourceVersion"), NULL), &from))
        from = s->version;
    if (!initial && from < s->oldest) {
        refuse(r, 410, "Expired", "too old resource version");
        return;
    }
    struct watcher w = {.collection = str_copy(s->arena, p->collection)};
    w.stream = pushed_begin(r, 64 * MIB);
    if (initial)
        send_initial(s, w.stream, p);
    for (size_t i = 0; !initial && i < s->events.len; i++) {
        const struct event *event = &s->events.items[i];
        if (event->version > from && str_eq(event->collection, w.collection))
            send_event(w.stream, s->arena, event->type, event->text);
    }
    VEC_PUSH(s->arena, &s->watchers, w);
}

static void write_object(struct api_server *s, struct server_request *r, const struct place *p)
{
    bool is_post = str_eq(server_method(r), STR("POST"));
    struct value *object = read_json(s->arena, str_copy(s->arena, server_body(r)));
    const struct value *meta = value_get(object, STR("metadata"));
    str name = is_post ? value_get_str(meta, STR("name")) : p->name;
    struct stored *o = find(s, p->collection, p->namespace, name);
    str expected = value_get_str(meta, STR("resourceVersion"));

    if (!object)
        refuse(r, 400, "BadRequest", "the body is not JSON");
    else if (is_post && o)
        refuse(r, 409, "AlreadyExists", "it already exists");
    else if (!is_post && !o)
        refuse(r, 404, "NotFound", "it is not found");
    else if (expected.len &&
             !str_eq(expected,
                     o ? str_fmt(s->arena, "%llu", (unsigned long long)o->version) : STR("none")))
        refuse(r, 409, "Conflict", "the object has been modified");
    else {
        if (str_eq(server_method(r), STR("PATCH")))
            object = patch_merge_values(s->arena, read_json(s->arena, o->text), object);
        reply(r, is_post ? 201 : 200, store(s, p->collection, p->namespace, name, object));
    }
}

static void remove_object(struct api_server *s, struct server_request *r, const struct place *p)
{
    struct stored *o = find(s, p->collection, p->namespace, p->name);

    if (!o) {
        refuse(r, 404, "NotFound", "it is not found");
        return;
    }
    drop(s, o);
    reply(r, 200, STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}"));
}

static void get_object(struct api_server *s, struct server_request *r, const struct place *p)
{
    const struct stored *o = find(s, p->collection, p->namespace, p->name);

    if (o)
        reply(r, 200, o->text);
    else
        refuse(r, 404, "NotFound", "it is not found");
}

/* ---- Requests ------------------------------------------------------------------------------- */

static bool answered_by_script(struct api_server *s, struct server_request *r)
{
    for (size_t i = 0; i < s->script_len; i++) {
        struct scripted *line = &s->script[i];
        if (line->used || !str_has_prefix(server_target(r), str_c(line->target)))
            continue;
        line->used = !line->lasting;
        if (!line->broken) {
            server_reply(r, line->status, str_c(line->type), str_c(line->body));
            return true;
        }
        struct pushed *stream = pushed_begin(r, 64 * KIB);
        pushed_write(stream, STR("{\"items\":[{\"metadata\":{\"name\":\"half\"}},{"));
        pushed_end(stream, true);
        return true;
    }
    return false;
}

static void note(struct api_server *s, struct server_request *r)
{
    str method = server_method(r), target = server_target(r);
    str accept = server_header(r, STR("Accept"));

    buf_fmt(&s->requests, "%.*s %.*s\n", STR_ARG(method), STR_ARG(target));
    buf_fmt(&s->accepts, "%.*s %.*s %.*s\n", STR_ARG(method), STR_ARG(target), STR_ARG(accept));
}

static bool discovered(struct server_request *r)
{
    static const char list[] =
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"example.com\"},"
        "\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":\"widgets\","
        "\"singularResource\":\"widget\",\"responseKind\":{\"group\":\"example.com\","
        "\"version\":\"v1\",\"kind\":\"Widget\"},\"scope\":\"Namespaced\",\"verbs\":[\"get\","
        "\"list\",\"watch\"]}]}]}]}";
    static const char none[] = "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}";
    bool groups = str_eq(server_path(r), STR("/apis"));

    if (!groups && !str_eq(server_path(r), STR("/api")))
        return false;
    server_reply(r, 200,
                 STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
                 str_c(groups ? list : none));
    return true;
}

static void handle(void *ctx, struct server_request *r)
{
    struct api_server *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);
    struct place p = place_of(server_arena(r), server_path(r));
    str method = server_method(r);

    note(s, r);
    if (s->warning)
        server_add_header(r, STR("Warning"), str_c(s->warning));
    if (answered_by_script(s, r) || discovered(r))
        return;
    if (str_eq(method, STR("DELETE")))
        remove_object(s, r, &p);
    else if (!str_eq(method, STR("GET")))
        write_object(s, r, &p);
    else if (p.name.len)
        get_object(s, r, &p);
    else if (server_query(r, STR("watch"), NULL).len)
        watch(s, r, &p);
    else
        list(s, r, &p);
}

/* ---- Life ----------------------------------------------------------------------------------- */

struct api_server *api_start(void)
{
    struct arena *a = arena_new();
    struct api_server *s = ARENA_NEW(a, struct api_server);
    const struct server_config config = {.handle = handle, .ctx = s};
    AUTO_ERR e = {0};

    s->arena = a;
    s->lock = (struct lock)LOCK_INIT;
    s->requests = buf_new(a, 16 * MIB);
    s->accepts = buf_new(a, 16 * MIB);
    s->version = 100;
    if (!server_start(&config, &s->server, &e))
        abort();
    s->config.server = server_url(s->server);
    s->config.http = http_defaults();
    s->config.http.no_proxy = true;
    if (!kube_transport_new(&s->config, STR("test"), &s->transport, &e))
        abort();
    return s;
}

struct kube_transport *api_transport(struct api_server *s)
{
    return s->transport;
}

str api_url(const struct api_server *s)
{
    return server_url(s->server);
}

void api_warn(struct api_server *s, const char *value)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->warning = value;
}

void api_end_watches(struct api_server *s, bool broken)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    for (size_t i = 0; i < s->watchers.len; i++) {
        if (s->watchers.items[i].stream)
            pushed_end(s->watchers.items[i].stream, broken);
        s->watchers.items[i].stream = NULL;
    }
    s->watchers.len = 0;
}

void api_stop(struct api_server *s)
{
    api_end_watches(s, true);
    kube_transport_free(s->transport);
    server_stop(s->server, 0);
    arena_free(s->arena);
}

void api_compact(struct api_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->oldest = ++s->version;
}

void api_bookmark(struct api_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    for (size_t i = 0; i < s->watchers.len; i++)
        if (s->watchers.items[i].stream)
            send_event(s->watchers.items[i].stream, s->arena, "BOOKMARK",
                       bookmark(s->arena, s->version, false));
}

size_t api_watches(struct api_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    size_t count = 0;

    for (size_t i = 0; i < s->watchers.len; i++)
        count += s->watchers.items[i].stream && !pushed_gone(s->watchers.items[i].stream);
    return count;
}

void api_unwatchable(struct api_server *s, bool refused)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->unwatchable = refused;
}

void api_initial_events(struct api_server *s, bool offered)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->initial_events = offered;
}

static void add_line(struct api_server *s, struct scripted line)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    if (s->script_len == COUNT(s->script))
        abort();
    s->script[s->script_len++] = line;
}

void api_answer(struct api_server *s, const char *target, int status, const char *type,
                const char *body)
{
    add_line(s, (struct scripted){.target = target, .status = status, .type = type, .body = body});
}

void api_answer_always(struct api_server *s, const char *target, int status, const char *type,
                       const char *body)
{
    add_line(s,
             (struct scripted){
                 .target = target, .status = status, .type = type, .body = body, .lasting = true});
}

void api_answer_no_more(struct api_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    for (size_t i = 0; i < s->script_len; i++)
        s->script[i].used = true;
}

void api_break(struct api_server *s, const char *target)
{
    add_line(s, (struct scripted){.target = target, .broken = true});
}

str api_requests(struct api_server *s, struct arena *a, bool accept)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return str_copy(a, buf_str(accept ? &s->accepts : &s->requests));
}

void api_forget_requests(struct api_server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    buf_truncate(&s->requests, 0);
    buf_truncate(&s->accepts, 0);
}
