/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.c - faults on demand: read from a plan or from POST /_sim/faults, matched against each
 * request, used up one by one.
 *
 *     faults:
 *       - kind: fail            # status, code, detail, message, retryAfter, retryDate, shape
 *         method: PUT           # which requests: method, type (may end in *), id; all by default
 *         type: "Microsoft.Network*"
 *         status: 503
 *         count: 2              # how many of them; 0: all from now on
 *         after: 3              # not the first three
 *
 * To add a kind: a word in read_kind, and the place that asks for it.
 */
#include "sim/types.h"

#include "text/yaml/yaml.h"
#include "value/path.h"

#include <string.h>

enum fault_kind {
    FAULT_CHANGE,    /* a property changes behind the client's back: id, at, value */
    FAULT_DROP,      /* the connection is closed once the request was applied */
    FAULT_FAIL,      /* an answer instead of ARM's */
    FAULT_OPERATION, /* accepted, and then the operation fails: code, message */
    FAULT_POLICY,    /* tags are added to what is stored */
    FAULT_SLOW,      /* operations take factor times as many polls */
    FAULT_THROTTLE,  /* 429 with retryAfter */
};

struct fault {
    struct fault *next;
    struct arena *arena;
    enum fault_kind kind;
    str method, type, id, code, message, detail;
    int64_t count, after, status, retry_after, factor;
    enum sim_shape shape;
    bool forever, html, retry_date;
    struct path at;
    const struct value *value, *tags, *node;
};

struct sim_faults {
    struct fault *first;
    size_t len;
};

struct sim_faults *sim_faults_new(void)
{
    struct sim_faults *f = block_new(sizeof *f);

    memset(f, 0, sizeof *f);
    return f;
}

static void remove_at(struct sim_faults *f, struct fault **link)
{
    struct fault *gone = *link;

    *link = gone->next;
    f->len--;
    arena_free(gone->arena);
}

void sim_faults_clear(struct sim_faults *f)
{
    while (f->first)
        remove_at(f, &f->first);
}

void sim_faults_free(struct sim_faults *f)
{
    sim_faults_clear(f);
    block_free(f);
}

/* ---- Matching. --------------------------------------------------------------------------------
 */

static bool type_fits(str pattern, str type)
{
    if (!pattern.len)
        return true;
    if (pattern.ptr[pattern.len - 1] != '*')
        return str_eq_fold(pattern, type);
    return type.len >= pattern.len - 1 &&
           str_eq_fold(str_slice(pattern, 0, pattern.len - 1), str_slice(type, 0, pattern.len - 1));
}

static bool fits(const struct sim_call *c, const struct fault *f)
{
    return (!f->method.len || str_eq_fold(f->method, c->q->method)) &&
           type_fits(f->type, c->type) && (!f->id.len || str_eq_fold(f->id, c->q->path));
}

/* Counts c, and returns the link to the first fault of a kind that is due for it; NULL: none. */
static struct fault **due(struct sim_call *c, enum fault_kind kind)
{
    for (struct fault **link = &c->sim->faults->first; *link; link = &(*link)->next) {
        struct fault *f = *link;
        if (f->kind != kind || !fits(c, f))
            continue;
        if (f->after > 0)
            f->after--;
        else
            return link;
    }
    return NULL;
}

static void use_up(struct sim_call *c, struct fault **link)
{
    struct fault *f = *link;

    if (!f->forever && --f->count <= 0)
        remove_at(c->sim->faults, link);
}

/* ---- Acting. ----------------------------------------------------------------------------------
 */

static void change(struct sim_call *c, const struct fault *f)
{
    (void)sim_make_change(
        c, &(struct sim_change){.id = f->id, .at = f->at, .value = f->value, .by = SIM_SOMEBODY});
}

/* For changes, every request counts, whatever it is about. */
static void make_changes(struct sim_call *c)
{
    struct sim_faults *faults = c->sim->faults;

    for (struct fault **link = &faults->first; *link;) {
        if ((*link)->kind == FAULT_CHANGE && (*link)->after-- <= 0) {
            change(c, *link);
            remove_at(faults, link);
        } else {
            link = &(*link)->next;
        }
    }
}

static void fail(struct sim_call *c, const struct fault *f)
{
    struct sim_refusal refusal = {.status = (int)f->status,
                                  .code = f->code,
                                  .message = f->message,
                                  .detail = f->detail,
                                  .shape = f->shape,
                                  .retry_after = f->retry_after,
                                  .retry_date = f->retry_date};

    sim_refuse_as(c, &refusal, c->q->path);
}

bool sim_faults_before(struct sim_call *c)
{
    struct fault **link;

    make_changes(c);
    if ((link = due(c, FAULT_DROP))) {
        c->drop = true;
        use_up(c, link);
    }
    if ((link = due(c, FAULT_THROTTLE))) {
        c->sim->counters.throttled++;
        fail(c, *link);
    } else if ((link = due(c, FAULT_FAIL))) {
        fail(c, *link);
    } else {
        return false;
    }
    use_up(c, link);
    return true;
}

bool sim_faults_operation(struct sim_call *c, str *code, str *message)
{
    struct fault **link = due(c, FAULT_OPERATION);

    if (!link)
        return false;
    *code = str_copy(c->arena, (*link)->code);
    *message = str_copy(c->arena, (*link)->message);
    use_up(c, link);
    return true;
}

int64_t sim_faults_slowness(struct sim_call *c)
{
    struct fault **link = due(c, FAULT_SLOW);
    int64_t factor = link ? (*link)->factor : 1;

    if (link)
        use_up(c, link);
    return factor;
}

void sim_faults_policy(struct sim_call *c, struct value *stored)
{
    struct fault **link = due(c, FAULT_POLICY);

    if (!link)
        return;
    struct value *tags = value_get(stored, STR("tags"));
    if (!value_is(tags, VALUE_OBJECT))
        tags = value_set(c->arena, stored, STR("tags"), value_object(c->arena));
    const struct value *added = (*link)->tags;
    for (size_t i = 0; i < value_len(added); i++)
        value_set(c->arena, tags, str_copy(c->arena, value_key(&added->items[i])),
                  value_copy(c->arena, &added->items[i]));
    use_up(c, link);
}

/* ---- Reading. ---------------------------------------------------------------------------------
 */

static bool read_kind(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word kinds[] = {
        {"change", FAULT_CHANGE},     {"drop", FAULT_DROP},
        {"fail", FAULT_FAIL},         {"operation", FAULT_OPERATION},
        {"policy", FAULT_POLICY},     {"slow", FAULT_SLOW},
        {"throttle", FAULT_THROTTLE}, {0}};

    return fields_word(f, v, kinds, out);
}

static bool read_number(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 1000000, out);
}

static bool read_path(struct fields *f, const struct value *v, void *out)
{
    return path_parse_dotted(f->arena, value_str(v), out, f->e) ||
           err_at(f->e, source_where(f->source, v));
}

static const struct field fields[] = {
    {"after", read_number, offsetof(struct fault, after)},
    {"at", read_path, offsetof(struct fault, at)},
    {"code", fields_text, offsetof(struct fault, code)},
    {"count", read_number, offsetof(struct fault, count)},
    {"detail", fields_text, offsetof(struct fault, detail)},
    {"factor", read_number, offsetof(struct fault, factor)},
    {"html", fields_bool, offsetof(struct fault, html)},
    {"id", fields_text, offsetof(struct fault, id)},
    {"kind", read_kind, offsetof(struct fault, kind)},
    {"message", fields_text, offsetof(struct fault, message)},
    {"method", fields_text, offsetof(struct fault, method)},
    {"retryAfter", read_number, offsetof(struct fault, retry_after)},
    {"retryDate", fields_bool, offsetof(struct fault, retry_date)},
    {"shape", sim_read_shape, offsetof(struct fault, shape)},
    {"status", read_number, offsetof(struct fault, status)},
    {"tags", fields_any, offsetof(struct fault, tags)},
    {"type", fields_text, offsetof(struct fault, type)},
    {"value", fields_any, offsetof(struct fault, value)},
    {0},
};

static bool check(struct fields *f, const struct fault *fault, const struct value *v)
{
    if (!value_get(v, STR("kind")))
        return fields_fail(f, v, "a fault needs a kind");
    if (fault->kind == FAULT_CHANGE && (!fault->id.len || !fault->at.len))
        return fields_fail(f, v, "a change needs the id of a resource, and at");
    if (fault->kind == FAULT_POLICY && !value_is(fault->tags, VALUE_OBJECT))
        return fields_fail(f, v, "a policy needs tags");
    if (fault->kind == FAULT_SLOW && (fault->factor < 1 || fault->factor > 1000))
        return fields_fail(f, v, "slow needs a factor from 1 to 1000");
    if (fault->kind == FAULT_FAIL && (fault->status < 400 || fault->status > 599))
        return fields_fail(f, v, "fail needs a status from 400 to 599");
    return true;
}

static void complete(struct fault *f, const struct value *v)
{
    if (!value_get(v, STR("count")))
        f->count = f->kind != FAULT_POLICY && f->kind != FAULT_SLOW;
    f->forever = f->count == 0;
    if (f->kind == FAULT_THROTTLE) {
        f->status = 429;
        if (!f->retry_after)
            f->retry_after = 10;
        if (!f->code.len)
            f->code = STR("TooManyRequests");
    }
    if (f->html)
        f->shape = SHAPE_HTML;
    if (!f->code.len)
        f->code = STR("SimulatedFault");
    if (!f->message.len)
        f->message = STR("This is a fault that the simulator was told to make.");
}

static bool read_fault(struct sim *s, const struct source *src, const struct value *given,
                       struct err *e)
{
    struct fault **end = &s->faults->first;

    if (!value_is(given, VALUE_OBJECT))
        return source_err(e, src, given, "a fault is an object");
    if (s->faults->len == SIM_FAULTS_MAX)
        return source_err(e, src, given, "more than %d faults", SIM_FAULTS_MAX);
    struct arena *a = arena_new();
    struct value *v = value_copy(a, given);
    struct fault *f = ARENA_NEW(a, struct fault);
    struct fields reading = {.arena = a, .source = src, .e = e};
    f->arena = a;
    f->node = v;
    if (!fields_read(&reading, v, fields, f) || !check(&reading, f, v)) {
        arena_free(a);
        return false;
    }
    complete(f, v);
    while (*end)
        end = &(*end)->next;
    *end = f;
    s->faults->len++;
    return true;
}

bool sim_faults_read(struct sim *s, const struct source *src, struct err *e)
{
    static const struct read_options options = {.single = true};
    AUTO_ARENA a = arena_new();
    struct value *root;
    const struct value *list;

    if (!yaml_read(a, src, &options, &root, e))
        return false;
    list = value_get(root, STR("faults"));
    if (!list && value_is(root, VALUE_OBJECT) && value_get(root, STR("kind")))
        return read_fault(s, src, root, e);
    if (!value_is(list, VALUE_LIST))
        return source_err(e, src, root, "a plan is an object with a list of faults");
    for (size_t i = 0; i < list->len; i++)
        if (!read_fault(s, src, &list->items[i], e))
            return false;
    return true;
}

struct value *sim_faults_list(struct sim *s, struct arena *a)
{
    struct value *list = value_list(a);

    for (const struct fault *f = s->faults->first; f; f = f->next) {
        struct value *v = value_add(a, list, value_copy(a, f->node));
        value_set_int(a, v, STR("count"), f->count);
        value_set_int(a, v, STR("after"), f->after < 0 ? 0 : f->after);
    }
    return list;
}
