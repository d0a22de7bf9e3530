/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_sim.c - the simulated ARM against recorded PUTs: the same body is put to it, and its
 * answers must be shaped like the recorded ones. Compared are the status, the headers that say how
 * it goes on, and the members of the body, those of the answer and those of the first GET after the
 * end; values are not, since ids and times differ.
 *
 * A case passes when at most a few members are missing or too many: MEMBERS_OFF of a hundred. How
 * many are alike in every member is told at the end. Types of which the simulator knows nothing are
 * left out.
 */
#include "vectors.h"

#include "arm/id.h"
#include "sim/sim.h"
#include "text/json/json.h"

#include <stdio.h>
#include <stdlib.h>

#define MEMBERS_OFF 10

static size_t total, exact, status_alike;

struct world {
    struct arena *a;
    struct sim *s;
    struct sim_response r;
};

static int ask(struct world *w, const char *method, str path, str version, str body)
{
    struct sim_request q = {.method = str_c(method),
                            .path = path,
                            .query = str_fmt(w->a, "api-version=%.*s", STR_ARG(version)),
                            .base = STR("http://sim"),
                            .body = body};

    sim_handle(w->s, w->a, &q, &w->r);
    return w->r.status;
}

static struct value *read_json(struct arena *a, str text)
{
    struct source src = {.text = text};
    struct value *v;

    return text.len && json_read(a, &src, NULL, &v, NULL) ? v : NULL;
}

static str text_of(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

/* Everything above the resource, from the outside in. */
static void make_parents(struct world *w, const struct arm_id *id, str version)
{
    struct arm_id parent;

    if (!arm_id_parent(w->a, id, &parent) || (!parent.group.len && !parent.block_count))
        return;
    make_parents(w, &parent, version);
    ask(w, "PUT", arm_id_print(w->a, &parent), version, STR("{\"location\":\"westus2\"}"));
    ask(w, "POST", STR("/_sim/time"), version, STR_NONE);
}

/* ---- Shapes. ---- */

/* Adds the path of every member; elements of lists share one, and so do members named by ids. */
static void collect(struct arena *a, const struct value *v, str path, struct map *out)
{
    for (size_t i = 0; i < value_len(v); i++) {
        str key = value_key(&v->items[i]);
        if (v->kind == VALUE_LIST || str_has_prefix(key, STR("/")))
            key = STR("*");
        str below = str_fmt(a, "%.*s/%.*s", STR_ARG(path), STR_ARG(key));
        map_set(out, str_lower(a, below), (void *)v);
        collect(a, &v->items[i], below, out);
    }
}

/* How many members only one of both has; the first few are printed. */
static size_t members_off(struct arena *a, const struct value *got, const struct value *want,
                          size_t *all, struct buf *why)
{
    struct map *g = map_new(a), *m = map_new(a);
    size_t off = 0;

    collect(a, got, STR_NONE, g);
    collect(a, want, STR_NONE, m);
    for (size_t i = 0; i < map_len(m); i++)
        if (!map_has(g, map_key(m, i)) && ++off < 5)
            buf_fmt(why, "  missing: %.*s\n", STR_ARG(map_key(m, i)));
    for (size_t i = 0; i < map_len(g); i++)
        if (!map_has(m, map_key(g, i)) && ++off < 5)
            buf_fmt(why, "  too many: %.*s\n", STR_ARG(map_key(g, i)));
    *all += map_len(m);
    return off;
}

static str poller_of(const struct sim_response *r)
{
    if (http_header_has(&r->headers, STR("Azure-AsyncOperation")))
        return STR("async");
    str location = http_header_get(&r->headers, STR("Location"));
    return !location.len || str_has_prefix(location, STR("/")) ? STR("none") : STR("location");
}

/* ---- A case. ---- */

static bool same_protocol(struct world *w, const struct value *vector, int status, struct buf *why)
{
    str poller = value_get_str(vector, STR("poller")), got = poller_of(&w->r);
    int64_t want = 0;

    /* State of the resource itself: the headers do not show it. */
    if (str_eq(poller, STR("body")))
        poller = STR("none");
    if (!value_to_i64(value_get(vector, STR("putStatus")), &want))
        want = 0;
    if (want == status && str_eq(got, poller))
        return true;
    buf_fmt(why, "  answered %d %.*s, recorded %d %.*s\n", status, STR_ARG(got), (int)want,
            STR_ARG(poller));
    return false;
}

/* Whether the recorded PUT was the first one of its resource is not known. */
static bool put(struct world *w, const struct value *vector, str path, str version, struct buf *why)
{
    str body = text_of(w->a, value_get(vector, STR("put")));

    if (same_protocol(w, vector, ask(w, "PUT", path, version, body), why))
        return true;
    sim_advance(w->s, 86400 * NS_PER_SEC);
    if (!same_protocol(w, vector, ask(w, "PUT", path, version, body), why))
        return false;
    buf_truncate(why, 0);
    return true;
}

static bool compare(struct world *w, const struct value *vector, const struct arm_id *id,
                    struct buf *why)
{
    str path = value_get_str(vector, STR("path")),
        version = value_get_str(vector, STR("apiVersion"));
    const struct value *observed = value_get(vector, STR("observed"));
    const struct value *response = value_get(vector, STR("putResponse"));
    size_t all = 0, off = 0;

    make_parents(w, id, version);
    bool alike = put(w, vector, path, version, why);
    const struct value *answer = read_json(w->a, w->r.body);
    if (value_is(response, VALUE_STRING))
        response = observed;
    if (alike && response && value_is(answer, VALUE_OBJECT))
        off += members_off(w->a, answer, response, &all, why);
    sim_advance(w->s, 86400 * NS_PER_SEC);
    ask(w, "GET", path, version, STR_NONE);
    off += members_off(w->a, read_json(w->a, w->r.body), observed, &all, why);
    total++;
    status_alike += alike;
    exact += alike && off == 0;
    return alike && off * 100 <= all * MEMBERS_OFF;
}

/* SIM_TYPES names a folder of behaviours that are tried instead of those in the program. */
static bool add_folder(struct arena *a, struct sim *s, str folder, struct err *e)
{
    str *names;
    size_t count;

    if (!file_list(a, folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct source src = {.file = file_join(a, folder, names[i])};
        if (!file_read(a, src.file, &src.text, e) || !sim_add_types(s, &src, e))
            return false;
    }
    return true;
}

static bool start(struct arena *a, struct sim **out, struct err *e)
{
    struct sim_config config = sim_defaults();
    const char *folder = getenv("SIM_TYPES");

    config.virtual_time = config.unlimited = true;
    config.bare = folder != NULL;
    return sim_new(&config, out, e) && (!folder || add_folder(a, *out, str_c(folder), e));
}

/* One simulator serves all cases, since it reads its files for long; each case finds it new. */
static struct sim *shared;

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    struct arm_id id;
    AUTO_ERR e = {0};

    if (!value_get(vector, STR("put")) || !value_get(vector, STR("observed")))
        return vector_differs(why, "case", STR("no PUT, or nothing observed"), STR_NONE);
    if (!arm_id_parse(a, value_get_str(vector, STR("path")), &id, &e) ||
        (!shared && !start(a, &shared, &e)))
        return vector_differs(why, "start", e.text, STR_NONE);
    struct world w = {.a = a, .s = shared};
    ask(&w, "POST", STR("/_sim/reset"), STR_NONE, STR_NONE);
    return compare(&w, vector, &id, why);
}

static void finish(void)
{
    if (shared)
        sim_free(shared);
    shared = NULL;
    printf("%zu cases: status and protocol alike in %zu, every member alike in %zu\n", total,
           status_alike, exact);
}

const struct vector_kind vector_arm_sim = {.name = "arm-sim",
                                           .help = "answers of the simulated ARM",
                                           .run = run,
                                           .document = true,
                                           .list = "",
                                           .finish = finish};
