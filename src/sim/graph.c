/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - Resource Graph: POST /providers/Microsoft.ResourceGraph/resources with a query.
 *
 * The table resources has top-level resources, and children that have their own location;
 * resourcecontainers has subscriptions and groups. The language is that of kql.h. Errors have
 * Resource Graph's codes and texts.
 */
#include "sim/internal.h"
#include "sim/kql.h"

#include "text/codec.h"

#define PAGE_MAX 1000
/* The most rows of one query. */
#define ROWS_MAX 100000
/* Queries of one principal: this many in five seconds. */
#define QUOTA 15
#define QUOTA_SECONDS 5

struct question {
    struct sim_call *call;
    const struct value *body;
    struct kql *query;
    bool containers; /* the table */
    uint64_t top, skip;
    bool table; /* the form of the answer */
    struct value *rows;
};

/* ---- Refusals. ---------------------------------------------------------------------------------
 */

static struct value *add_detail(struct arena *a, struct value *details, const char *code, str text)
{
    struct value *detail = value_add(a, details, value_object(a));

    value_set_str(a, detail, STR("code"), str_c(code));
    value_set_str(a, detail, STR("message"), text);
    return detail;
}

static struct value *refuse(struct sim_call *c, const char *code, str text)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a), *error = value_set(a, v, STR("error"), value_object(a));

    value_set_str(a, error, STR("code"), STR("BadRequest"));
    value_set_str(a, error, STR("message"),
                  str_fmt(a,
                          "Please provide below info when asking for support: timestamp = %.*s, "
                          "correlationId = %.*s.",
                          STR_ARG(sim_stamp(a, sim_now(c->sim))), STR_ARG(sim_guid(c->sim, a))));
    struct value *details = value_set(a, error, STR("details"), value_list(a));
    add_detail(a, details, code, text);
    c->body = v; /* answered by refused, once it is complete */
    return details;
}

static bool refused(struct sim_call *c, const char *code, str text)
{
    refuse(c, code, text);
    sim_reply(c, 400, c->body);
    return false;
}

static bool refuse_query(struct sim_call *c, const struct kql_fault *fault)
{
    struct arena *a = c->arena;
    struct value *details =
        refuse(c, "InvalidQuery",
               STR("Query is invalid. Please refer to the documentation for the Azure Resource "
                   "Graph service and fix the error before retrying."));
    str text = fault->message;

    if (str_eq(str_c(fault->code), STR("ParserFailure")))
        text = str_fmt(a, "ParserFailure (line:%zu, col:%zu): %.*s", fault->line, fault->column,
                       STR_ARG(fault->message));
    struct value *detail = add_detail(a, details, fault->code, text);
    value_set_int(a, detail, STR("line"), (int64_t)fault->line);
    value_set_int(a, detail, STR("characterPositionInLine"), (int64_t)fault->column);
    value_set_str(a, detail, STR("token"), fault->token);
    sim_reply(c, 400, c->body);
    return false;
}

/* ---- Rows. -------------------------------------------------------------------------------------
 */

static bool is_group(const struct sim_resource *r)
{
    return str_eq_fold(r->type, STR("Microsoft.Resources/resourceGroups"));
}

static bool is_subscription(const struct sim_resource *r)
{
    return str_eq_fold(r->type, STR("Microsoft.Resources/subscriptions"));
}

/* Whether r may be a row of the table. */
static bool belongs(const struct question *q, const struct sim_resource *r,
                    const struct value *shown)
{
    str below = str_from(r->type, str_find_char(r->type, '/') + 1);

    if (q->containers || is_group(r) || is_subscription(r))
        return q->containers && (is_group(r) || is_subscription(r));
    return str_find_char(below, '/') == STR_NPOS || value_get_str(shown, STR("location")).len;
}

static void copy_columns(struct arena *a, struct value *row, const struct value *shown)
{
    static const char *const texts[] = {"kind", "location", "managedBy"};
    static const char *const others[] = {"sku",      "plan",  "properties",      "tags",
                                         "identity", "zones", "extendedLocation"};

    for (size_t i = 0; i < COUNT(texts); i++)
        value_set_str(a, row, str_c(texts[i]), value_get_str(shown, str_c(texts[i])));
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct value *v = value_get(shown, str_c(others[i]));
        value_set(a, row, str_c(others[i]), v ? v : value_null(a));
    }
}

static str table_type(struct arena *a, const struct sim_resource *r)
{
    return is_group(r) ? STR("microsoft.resources/subscriptions/resourcegroups")
                       : str_lower(a, r->type);
}

static struct value *row_of(struct sim_call *c, const struct sim_resource *r,
                            const struct value *shown)
{
    struct arena *a = c->arena;
    struct value *row = value_object(a);
    struct arm_id id;

    if (!arm_id_parse(a, r->id, &id, NULL))
        id = (struct arm_id){0};
    value_set_str(a, row, STR("id"), r->id);
    value_set_str(a, row, STR("name"), arm_id_name(&id));
    value_set_str(a, row, STR("type"), table_type(a, r));
    value_set_str(a, row, STR("tenantId"), c->sim->config.tenant);
    value_set_str(a, row, STR("resourceGroup"), str_lower(a, id.group));
    value_set_str(a, row, STR("subscriptionId"), id.subscription);
    copy_columns(a, row, shown);
    return row;
}

/* Whether the query includes the subscription that r is, or is in. */
static bool is_asked(const struct question *q, const struct sim_resource *subscription)
{
    const struct value *list = value_get(q->body, STR("subscriptions"));
    str name = str_from(subscription->id, str_rfind_char(subscription->id, '/') + 1);

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq_fold(value_str(&list->items[i]), name))
            return true;
    return !value_len(list);
}

/* Rows are made in a separate arena; those that pass the first conditions are kept. */
static bool add_row(struct question *q, struct arena *moment, struct sim_resource *r)
{
    struct sim_call own = *q->call;
    struct value *shown;

    own.arena = moment;
    shown = r->body.len ? sim_show(&own, r) : value_object(moment);
    if ((!r->body.len && !is_subscription(r)) || !belongs(q, r, shown))
        return true;
    struct value *row = row_of(&own, r, shown);
    if (!kql_wants(moment, q->query, row))
        return true;
    if (q->rows->len == ROWS_MAX)
        return refused(q->call, "ResponsePayloadTooLarge",
                       STR("The query gives too many rows: add a condition."));
    value_add(q->call->arena, q->rows, value_copy(q->call->arena, row));
    return true;
}

static bool add_subscription(struct question *q, struct sim_resource *top)
{
    AUTO_ARENA moment = arena_new();
    struct sim_resource *r = top->first, *next;

    if (!add_row(q, moment, top))
        return false;
    for (; r; r = next) {
        next = sim_next_below(top, r, false);
        if (!sim_settle(q->call, r, false))
            continue;
        next = sim_next_below(top, r, true);
        if (!add_row(q, moment, r))
            return false;
        arena_reset(moment);
    }
    return true;
}

static bool collect(struct question *q)
{
    q->rows = value_list(q->call->arena);
    for (struct sim_resource *r = sim_store_root(q->call->sim->store)->first; r; r = r->next)
        if (is_subscription(r) && is_asked(q, r) && !add_subscription(q, r))
            return false;
    return true;
}

/* ---- The question. -----------------------------------------------------------------------------
 */

static bool read_number(struct question *q, const char *name, uint64_t max, uint64_t *out)
{
    const struct value *v = value_get(value_get(q->body, STR("options")), str_c(name));
    int64_t n;

    if (!v)
        return true;
    if (!value_to_i64(v, &n) || n < 0 || (uint64_t)n > max)
        return refused(q->call, "InvalidOptions",
                       str_fmt(q->call->arena, "%s must be a number from 0 to %llu.", name,
                               (unsigned long long)max));
    *out = (uint64_t)n;
    return true;
}

/* Tokens are valid only for the same query. */
static str token_at(struct question *q, uint64_t at)
{
    struct arena *a = q->call->arena;
    str query = value_get_str(q->body, STR("query"));

    return base64_encode(a, str_fmt(a, "%llu.%.*s", (unsigned long long)at,
                                    STR_ARG(sim_guid_of(q->call->sim, a, query))));
}

static bool read_token(struct question *q)
{
    str token = value_get_str(value_get(q->body, STR("options")), STR("$skipToken"));
    str text, number, rest;
    size_t bad;

    if (!token.len)
        return true;
    if (base64_decode(q->call->arena, token, &text, &bad)) {
        str_cut(text, STR("."), &number, &rest);
        if (str_to_u64(number, &q->skip) && str_eq(token, token_at(q, q->skip)))
            return true;
    }
    return refused(q->call, "InvalidSkipToken",
                   STR("The $skipToken is not one of this query: use it as it was given."));
}

static bool read_form(struct question *q)
{
    str form = value_get_str(value_get(q->body, STR("options")), STR("resultFormat"));

    q->table = str_eq_fold(form, STR("table"));
    return !form.len || q->table || str_eq_fold(form, STR("objectArray")) ||
           refused(q->call, "InvalidOptions", STR("resultFormat is table or objectArray."));
}

static bool read_query(struct question *q)
{
    str text = value_get_str(q->body, STR("query"));
    struct kql_fault fault;

    if (!text.len)
        return refused(q->call, "InvalidQuery", STR("The query must not be empty."));
    if (!kql_parse(q->call->arena, text, &q->query, &fault))
        return refuse_query(q->call, &fault);
    q->containers = str_eq_fold(kql_table(q->query), STR("resourcecontainers"));
    return q->containers || str_eq_fold(kql_table(q->query), STR("resources")) ||
           refused(q->call, "DisallowedLogicalTableName",
                   str_fmt(q->call->arena, "Table %.*s is invalid, unsupported or disallowed.",
                           STR_ARG(kql_table(q->query))));
}

/* ---- The answer. -------------------------------------------------------------------------------
 */

static const char *column_type(const struct value *v)
{
    if (value_is_number(v))
        return "long";
    return value_is(v, VALUE_STRING) ? "string" : value_is(v, VALUE_BOOL) ? "boolean" : "object";
}

static struct value *as_table(struct arena *a, const struct value *rows)
{
    struct value *table = value_object(a);
    struct value *columns = value_set(a, table, STR("columns"), value_list(a));
    struct value *lines = value_set(a, table, STR("rows"), value_list(a));

    for (size_t i = 0; rows->len && i < rows->items[0].len; i++) {
        const struct value *v = &rows->items[0].items[i];
        struct value *column = value_add(a, columns, value_object(a));
        value_set_str(a, column, STR("name"), value_key(v));
        value_set_str(a, column, STR("type"), str_c(column_type(v)));
    }
    for (size_t i = 0; i < rows->len; i++) {
        struct value *line = value_add(a, lines, value_list(a));
        for (size_t k = 0; k < rows->items[i].len; k++)
            value_add(a, line, &rows->items[i].items[k]);
    }
    return table;
}

static void answer(struct question *q, const struct value *rows)
{
    struct arena *a = q->call->arena;
    struct value *v = value_object(a), *page = value_list(a);
    size_t total = value_len(rows), i = (size_t)q->skip;

    for (; i < total && page->len < q->top; i++)
        value_add(a, page, &rows->items[i]);
    bool more = i < total && value_get(&rows->items[0], STR("id"));
    value_set_int(a, v, STR("totalRecords"), (int64_t)total);
    value_set_int(a, v, STR("count"), (int64_t)page->len);
    value_set(a, v, STR("data"), q->table ? as_table(a, page) : page);
    value_set(a, v, STR("facets"), value_list(a));
    value_set_str(a, v, STR("resultTruncated"), i < total ? STR("true") : STR("false"));
    if (more)
        value_set_str(a, v, STR("$skipToken"), token_at(q, i));
    sim_reply(q->call, 200, v);
}

/* How many queries a principal may send, reported in separate headers. */
static bool has_quota(struct sim_call *c)
{
    static const struct sim_rate rate = {QUOTA, (double)QUOTA / QUOTA_SECONDS};
    int64_t left, wait;
    bool ok = sim_take(c, str_fmt(c->arena, "graph|%.*s", STR_ARG(sim_principal(c))), &rate, &left,
                       &wait);

    sim_header(c, "x-ms-user-quota-remaining",
               str_fmt(c->arena, "%lld", ok ? (long long)left : 0LL));
    sim_header(c, "x-ms-user-quota-resets-after", STR("00:00:05"));
    if (ok)
        return true;
    sim_header(c, "Retry-After", str_fmt(c->arena, "%lld", (long long)wait));
    c->sim->counters.throttled++;
    sim_refuse(c, 429, "RateLimiting",
               "Client application has been throttled and should not attempt to repeat the request "
               "until an amount of time has elapsed.");
    return false;
}

bool sim_graph(struct sim_call *c)
{
    struct question q = {.call = c, .body = c->body, .top = PAGE_MAX};

    if (!str_eq_fold(str_trim_set(c->q->path, STR("/")),
                     STR("providers/Microsoft.ResourceGraph/resources")) ||
        !str_eq(c->q->method, STR("POST")))
        return false;
    if (has_quota(c) && read_form(&q) && read_number(&q, "$top", PAGE_MAX, &q.top) &&
        read_number(&q, "$skip", SIM_RESOURCES_MAX, &q.skip) && read_token(&q) && read_query(&q) &&
        collect(&q))
        answer(&q, kql_run(c->arena, q.query, q.rows));
    return true;
}
