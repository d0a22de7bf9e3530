/* SPDX-License-Identifier: Apache-2.0 */
/* test_states.c - states as tables: an object in, the next step out. */
#include "../test.h"

#include "base/utf8.h"
#include "operator/internal.h"
#include "text/json/json.h"

#define KIND "'apiVersion':'resources.azure.com/v1api20200601','kind':'ResourceGroup',"
#define OURS "'finalizers':['" FINALIZER "']"
#define ID "'" ANNOTATION_RESOURCE_ID "':'/subscriptions/S/resourceGroups/rg'"

static struct value *parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    char *copy = str_z(a, str_c(text));
    struct value *v = NULL;

    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    src->text = str_c(copy);
    assert_true(json_read(a, src, NULL, &v, NULL));
    return v;
}

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    (void)a;
    (void)key;
    return ctx;
}

/* ---- LOOK. ----------------------------------------------------------------------------------- */

static const struct {
    const char *metadata; /* NULL: there is no object */
    uint64_t version;     /* of our last write */
    enum pass_step_kind kind;
    enum state to;
} looks[] = {
    {NULL, 0, STEP_FORGET, 0},
    {"'resourceVersion':'5'", 0, STEP_TO, STATE_CLAIM},
    {"'resourceVersion':'5'", 6, STEP_REST, 0},
    {"'resourceVersion':'5'," OURS ",'annotations':{" ID "}", 5, STEP_TO, STATE_GATHER},
    {"'resourceVersion':'5'," OURS, 5, STEP_TO, STATE_CLAIM},
    {OURS ",'annotations':{" ID ",'" ANNOTATION_POLICY "':'skip'}", 0, STEP_TO, STATE_READ},
    {OURS ",'annotations':{'" ANNOTATION_OPERATOR_NAMESPACE "':'other'}", 0, STEP_REST, 0},
    {OURS ",'annotations':{" ID ",'" ANNOTATION_POLL_ID "':'" POLLER_PUT "'}", 0, STEP_TO,
     STATE_FOLLOW},
    {"'annotations':{" ID ",'" ANNOTATION_POLL_ID "':'" POLLER_PUT "'}", 0, STEP_TO, STATE_CLAIM},
    {OURS ",'deletionTimestamp':'2026-01-02T03:04:05Z'", 0, STEP_TO, STATE_REMOVE},
    {"'deletionTimestamp':'2026-01-02T03:04:05Z'", 0, STEP_REST, 0},
    {OURS ",'deletionTimestamp':'2026-01-02T03:04:05Z','annotations':{" ID ",'" ANNOTATION_POLICY
          "':'detach-on-delete'}",
     0, STEP_TO, STATE_RELEASE},
};

static void look_goes_where_the_object_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(looks); i++) {
        AUTO_ARENA a = arena_new();
        struct operator_config config = {.namespace = STR("plumb-system")};
        struct card card = {.key = {.group = STR("resources.azure.com"),
                                    .kind = STR("ResourceGroup"),
                                    .namespace = STR("default"),
                                    .name = STR("rg")},
                            .version = looks[i].version};
        str text =
            str_fmt(a, "{" KIND "'metadata':{%s}}", looks[i].metadata ? looks[i].metadata : "");
        struct ports ports = {.ctx = looks[i].metadata ? parse(a, str_z(a, text)) : NULL,
                              .find = find};
        struct pass p = {.arena = a, .config = &config, .ports = &ports, .card = &card};

        assert_true(model_open(a, STR_NONE, &config.model, NULL));
        struct pass_step step = state_look(&p);
        assert_int_equal(step.kind, looks[i].kind);
        if (step.kind == STEP_TO)
            assert_int_equal(step.to, looks[i].to);
        model_close(config.model);
    }
}

/* ---- Patches. -------------------------------------------------------------------------------- */

static void a_patch_says_only_what_differs(void **state)
{
    AUTO_ARENA a = arena_new();

    (void)state;
    assert_null(meta_patch(a, parse(a, "{'a':{'b':1}}"), parse(a, "{'a':{'b':1}}")));
    assert_true(value_equal(
        meta_patch(a, parse(a, "{'a':{'b':1,'c':2},'d':[1]}"), parse(a, "{'a':{'b':1},'d':[2]}")),
        parse(a, "{'a':{'c':null},'d':[2]}")));
}

/* ---- Conditions. ----------------------------------------------------------------------------- */

static const struct {
    const char *code, *reason;
} reasons[] = {
    {"Conflict", "Conflict"}, {"Some Code!", "SomeCode"}, {"400", "Code400"},
    {"a_b_", "a_b"},          {"", "UnknownError"},       {"???", "UnknownError"},
};

static void codes_become_valid_reasons(void **state)
{
    AUTO_ARENA a = arena_new();

    (void)state;
    for (size_t i = 0; i < COUNT(reasons); i++)
        assert_string_equal(str_z(a, status_reason(a, str_c(reasons[i].code))), reasons[i].reason);
}

struct fixture {
    struct arena *arena;
    struct operator_config config;
    struct ports ports;
    struct card card;
    struct pass pass;
};

static struct pass *fixture(struct fixture *f, const char *object)
{
    struct arena *a = arena_new();

    *f = (struct fixture){.arena = a,
                          .config = {.namespace = STR("plumb-system"), .period = 900 * NS_PER_SEC},
                          .ports = {.find = find},
                          .card = {.key = {.group = STR("resources.azure.com"),
                                           .kind = STR("ResourceGroup"),
                                           .namespace = STR("default"),
                                           .name = STR("rg")}}};
    f->pass = (struct pass){.arena = a,
                            .config = &f->config,
                            .ports = &f->ports,
                            .card = &f->card,
                            .now = INT64_C(1800000000) * NS_PER_SEC,
                            .object = parse(a, object)};
    assert_true(model_open(a, STR_NONE, &f->config.model, NULL));
    assert_true(model_find_hub(f->config.model, STR("resources.azure.com"), STR("ResourceGroup"),
                               &f->pass.resource, NULL));
    f->pass.hub = f->pass.resource;
    return &f->pass;
}

static void end(struct fixture *f)
{
    model_close(f->config.model);
    arena_free(f->arena);
}

/* Failures are counted across restarts, until something changes that they may come from. */
static void failures_count_until_something_changes(void **state)
{
    (void)state;
    for (int renewed = 0; renewed < 2; renewed++) {
        struct fixture f;
        struct pass *p = fixture(&f, "{" KIND "'metadata':{},'status':{'operatorStatus':{"
                                     "'attempt':7}}}");

        f.ports.ctx = (void *)p->object;
        f.card.renewed = renewed;
        (void)state_look(p);
        assert_int_equal(f.card.attempt, renewed ? 0 : 7);
        assert_false(f.card.renewed);
        end(&f);
    }
}

#define READY                                                                                      \
    "'status':{'conditions':[{'type':'Ready','status':'True','reason':'Succeeded',"                \
    "'observedGeneration':1,'lastTransitionTime':'2026-01-02T03:04:05Z'}]}"

static void an_equal_status_is_not_written(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}," READY "}");
    struct condition ready = status_condition(p, "", "Succeeded", STR_NONE);
    struct condition info = status_condition(p, "Info", "Reconciling", STR_NONE);

    (void)state;
    assert_null(status_patch(p, NULL, &ready));
    assert_null(status_patch(p, NULL, &info)); /* work does not hide what holds */
    memory_set_text(p, "rule", STR("any"));
    assert_non_null(status_patch(p, NULL, &ready));
    end(&f);
}

static void a_large_status_is_cut_and_says_so(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
    struct condition ready = status_condition(p, "", "Succeeded", STR_NONE), cut;
    struct value *body = value_object(f.arena), *tags = value_object(f.arena);

    (void)state;
    value_set(f.arena, body, STR("tags"), tags);
    assert_non_null(status_patch(p, body, &ready));
    /* A list that the status keeps: conditions of another kind are as good as any. */
    struct value *status = value_object(f.arena), *list = value_list(f.arena);
    for (int i = 0; i < 5000; i++)
        value_add(f.arena, list, value_string(f.arena, str_fmt(f.arena, "%0200d", i)));
    value_set(f.arena, status, STR("ids"), list);
    status_bound(p, status);
    assert_int_equal(value_len(value_get(status, STR("ids"))), 50);
    assert_true(condition_get(status, STR("Truncated"), &cut));
    assert_true(str_contains(cut.message, STR("ids (5000 elements")));
    end(&f);
}

static str repeated(struct arena *a, char c, size_t count)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&b, c, count);
    return buf_str(&b);
}

/* Many lists that are a little too long, and after them what no list is to blame for. */
static void a_status_of_any_shape_becomes_small_enough(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
    struct arena *a = f.arena;
    struct value *status = value_object(a), *lists = value_object(a), *map = value_object(a);
    struct condition cut;
    struct buf b = buf_new(a, BUF_UNLIMITED);

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct value *list = value_list(a);
        for (int k = 0; k < 51; k++)
            value_add(a, list, value_string(a, str_fmt(a, "%020d", k)));
        value_set(a, lists, str_fmt(a, "l%d", i), list);
    }
    for (int i = 0; i < 5000; i++)
        value_set_str(a, map, str_fmt(a, "k%d", i), str_fmt(a, "%0200d", i));
    value_set(a, status, STR("lists"), lists);
    value_set(a, status, STR("map"), map);
    value_set_str(a, status, STR("text"), repeated(a, 'x', 600000));
    value_set_str(a, status, STR("id"), STR("kept"));
    status_bound(p, status);
    assert_true(json_write(&b, status, &json_exact, NULL));
    assert_true(b.len <= 512 * KIB);
    assert_true(condition_get(status, STR("Truncated"), &cut));
    assert_true(str_eq(value_get_str(status, STR("id")), STR("kept")));
    end(&f);
}

static void secrets_never_get_into_a_message(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
    struct condition bad =
        status_condition(p, "Warning", "Failed", STR("password hunter22 is too short"));

    (void)state;
    VEC_PUSH(p->arena, &p->secrets, STR("hunter22"));
    struct value *patch = status_patch(p, NULL, &bad);
    struct condition shown;
    assert_true(condition_get(value_get(patch, STR("status")), STR("Ready"), &shown));
    assert_string_equal(str_z(f.arena, shown.message), "password *** is too short");
    end(&f);
}

/* Requests are quoted as JSON, URLs and headers spell them. */
static void secrets_are_masked_however_they_are_spelled(void **state)
{
    static const struct {
        const char *said, *shown;
    } cases[] = {
        {"{\"value\":\"pass \\\"&1\"}", "{\"value\":\"***\"}"},
        {"{\"value\":\"pass \\\"\\u00261\"}", "{\"value\":\"***\"}"},
        {"/values/pass%20%22&1/x", "/values/***/x"},
        {"?value=pass+%22%261", "?value=***"},
        {"?value=pass%20%22%261", "?value=***"},
        {"value cGFzcyAiJjE= is wrong", "value *** is wrong"},
        {"{\"value\":\"pass \\u0022\\u00261\"}", "{\"value\":\"***\"}"},
        {"\"{\\\"value\\\":\\\"pass \\\\\\\"&1\\\"}\"", "\"{\\\"value\\\":\\\"***\\\"}\""},
        {"<b>pass &quot;&amp;1</b>", "<b>***</b>"},
        {"%7b%22pass%20%22%261%22", "%7b%22***%22"},
        {"dXNlcjpwYXNzICImMQ==", "dXNlcjp***=="},
        {"dXNlcjpwYXNzICImMS1hbmQtbW9yZQ", "dXNlcjp***"},
        {"pass \"&1 and pass \"&1-and-more", "*** and ***"},
        {"a\r\n\033[2J\u202e", "a\\r\n\\x1b[2J\\u202e"},
    };
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");

    (void)state;
    mask_value(p, STR("pass \"&1"));
    mask_value(p, STR("pass \"&1-and-more"));
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(str_z(f.arena, status_without_secrets(p, str_c(cases[i].said))),
                            cases[i].shown);
    assert_true(str_eq(status_masked(p, STR("\033")), STR("\033")));
    end(&f);
}

/* Whoever can make Azure quote a short secret ten thousand times must not fill the memory. */
static void a_secret_that_is_quoted_often_is_masked_in_one_go(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
    struct buf quoted = buf_new(f.arena, BUF_UNLIMITED);

    (void)state;
    for (int i = 0; i < 10000; i++)
        buf_add(&quoted, STR("abcd "));
    VEC_PUSH(p->arena, &p->secrets, STR("abcd"));
    size_t before = arena_used(f.arena);
    str masked = status_without_secrets(p, buf_str(&quoted));
    assert_false(str_contains(masked, STR("abcd")));
    assert_int_equal(masked.len, 40000);
    assert_true(arena_used(f.arena) - before < 1 * MIB);
    end(&f);
}

/* Half a character would come back from the API server as another one, and be written again. */
static void a_long_message_ends_with_a_whole_character(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
    struct condition shown, bad = status_condition(p, "Warning", "Failed", STR_NONE);

    (void)state;
    bad.message = str_concat(f.arena, repeated(f.arena, 'x', 4095), STR("\xc3\xa9\xc3\xa9"));
    struct value *patch = status_patch(p, NULL, &bad);
    assert_true(condition_get(value_get(patch, STR("status")), STR("Ready"), &shown));
    assert_int_equal(utf8_find_invalid(shown.message), STR_NPOS);
    end(&f);
}

/* ---- SEND, REMOVE: what the answer to the last write of the status shows counts. ------------- */

#define DELETING "'deletionTimestamp':'2026-01-02T03:04:05Z'"
#define WITH_POLICY(policy) "'annotations':{" ID ",'" ANNOTATION_POLICY "':'" policy "'}"

static const struct {
    const char *metadata;
    bool deletes;
    enum pass_step_kind kind;
    enum state to;
} decided[] = {
    {OURS ",'annotations':{" ID "}", false, STEP_ASK, 0},
    {OURS ",'annotations':{" ID "}," DELETING, false, STEP_REST, 0},
    {OURS "," WITH_POLICY("skip"), false, STEP_REST, 0},
    {OURS ",'annotations':{" ID "}," DELETING, true, STEP_ASK, 0},
    {OURS "," WITH_POLICY("detach-on-delete") "," DELETING, true, STEP_TO, STATE_RELEASE},
};

static void nothing_is_written_that_is_not_wanted_any_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(decided); i++) {
        struct fixture f;
        struct pass *p = fixture(&f, "{" KIND "'metadata':{" OURS ",'annotations':{" ID "}}}");
        str now = str_fmt(f.arena, "{" KIND "'metadata':{%s}}", decided[i].metadata);
        struct buf body = buf_new(f.arena, BUF_UNLIMITED);

        assert_true(json_write(&body, parse(f.arena, str_z(f.arena, now)), &json_exact, NULL));
        p->account.endpoint = STR("https://azure");
        p->cause.name = "absent";
        p->request.body = value_object(f.arena);
        p->phase = 1; /* the status was patched */
        p->answer = &(struct arm_answer){.http = 200, .body = buf_str(&body), .retry_after = -1};
        struct pass_step step = decided[i].deletes ? state_remove(p) : state_send(p);
        assert_int_equal(step.kind, decided[i].kind);
        if (step.kind == STEP_TO)
            assert_int_equal(step.to, decided[i].to);
        end(&f);
    }
}

/* The id is gone from the annotations: what was claimed is still known. */
static void an_object_without_its_id_leaves_nothing_behind(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{" OURS "," DELETING
                                 "},'status':{'operatorStatus':{'claimedId':"
                                 "'/subscriptions/S/resourceGroups/rg'}}}");

    (void)state;
    p->account = (struct account){.endpoint = STR("https://azure"), .subscription = STR("S")};
    struct pass_step step = state_remove(p);
    assert_int_equal(step.kind, STEP_ASK);
    assert_true(str_contains(step.effect.url, STR("/subscriptions/S/resourceGroups/rg?")));
    end(&f);
}

/* ---- FOLLOW. --------------------------------------------------------------------------------- */

static const struct {
    const char *method;
    int64_t retry_after;
    enum state to;
} ends[] = {
    {"PUT", -1, STATE_GATHER},
    {"PUT", 7 * NS_PER_SEC, STATE_GATHER},
    {"DELETE", 7 * NS_PER_SEC, STATE_REMOVE},
};

/* Who says Retry-After at the end of an operation, too, is not asked for the resource before. */
static void the_end_of_an_operation_says_when_to_look(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct fixture f;
        struct pass *p = fixture(&f, "{" KIND "'metadata':{" OURS ",'annotations':{" ID "}}}");
        bool deletes = str_eq(str_c(ends[i].method), STR("DELETE"));

        p->account.endpoint = STR("https://azure");
        p->following = true;
        p->operation = (struct lro){.method = str_c(ends[i].method),
                                    .url = STR("https://azure/x"),
                                    .poll_url = STR("https://azure/operation"),
                                    .protocol = deletes ? LRO_LOCATION : LRO_ASYNC,
                                    .next = LRO_POLL};
        p->answer = &(struct arm_answer){.http = deletes ? 404 : 200,
                                         .body = STR("{\"status\":\"Succeeded\"}"),
                                         .retry_after = ends[i].retry_after};
        struct pass_step step = state_follow(p);
        if (ends[i].retry_after > 0) {
            assert_int_equal(step.kind, STEP_PAUSE);
            assert_int_equal(step.delay, ends[i].retry_after);
            p->paused = true;
            step = state_follow(p);
        }
        assert_int_equal(step.kind, STEP_TO);
        assert_int_equal(step.to, ends[i].to);
        assert_false(p->paused);
        end(&f);
    }
}

/* ---- EXPLAIN: when it is tried again. -------------------------------------------------------- */

static void what_only_users_can_mend_is_still_looked_at(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");

    (void)state;
    (void)step_explain(p, "Error", "Failed", STR("no"));
    p->state = STATE_EXPLAIN;
    struct pass_step step = state_explain(p);
    assert_int_equal(step.kind, STEP_ASK);
    assert_true(str_contains(step.effect.body, STR("checked again every 15 minutes")));
    assert_true(str_contains(step.effect.body, STR("nextRetry")));
    end(&f);
}

static void retries_are_spread_and_the_status_says_when(void **state)
{
    int64_t least = INT64_MAX, most = 0;

    (void)state;
    random_fake(1);
    for (int i = 0; i < 50; i++) {
        struct fixture f;
        struct pass *p = fixture(&f, "{" KIND "'metadata':{'generation':1}}");
        char stamp[CLOCK_STAMP];
        (void)step_explain(p, "Warning", "Failed", STR("no"));
        p->verdict.rule = rules_retry(rules_errors(), STR("very-slow"));
        struct pass_step written = state_explain(p);
        assert_int_equal(written.kind, STEP_ASK);
        struct pass_step step = state_explain(p);
        assert_int_equal(step.kind, STEP_REST);
        clock_stamp(p->now + step.delay, stamp);
        assert_true(str_contains(written.effect.body,
                                 str_fmt(p->arena, "\"nextRetry\":\"%.19sZ\"", stamp)));
        least = step.delay < least ? step.delay : least;
        most = step.delay > most ? step.delay : most;
        end(&f);
    }
    random_real();
    assert_true(least >= 45 * NS_PER_SEC && least < 49 * NS_PER_SEC);
    assert_true(most <= 60 * NS_PER_SEC && most > 56 * NS_PER_SEC);
}

#define WAITING(message)                                                                           \
    "'status':{'conditions':[{'type':'Ready','status':'False','severity':'Warning',"               \
    "'reason':'WaitingForOwner','message':'" message "','observedGeneration':1}]}"

static const struct {
    const char *object, *reason, *message;
    bool waits;
    int reports;
} news[] = {
    {"{" KIND "'metadata':{'generation':1}}", "WaitingForOwner", "Pending", true, 1},
    {"{" KIND "'metadata':{'generation':1}," WAITING("Pending") "}", "WaitingForOwner", "Pending",
     true, 0},
    {"{" KIND "'metadata':{'generation':1}," WAITING("Pending") "}", "WaitingForOwner",
     "Reconciling", true, 0},
    {"{" KIND "'metadata':{'generation':1}," WAITING("Pending") "}", "ReferenceNotFound", "Pending",
     true, 1},
    {"{" KIND "'metadata':{'generation':2}," WAITING("Pending") "}", "WaitingForOwner", "Pending",
     true, 1},
    {"{" KIND "'metadata':{'generation':1}," WAITING("no") "}", "WaitingForOwner", "never", false,
     1},
};

static void count_report(void *ctx, const struct report *report)
{
    (void)report;
    ++*(int *)ctx;
}

static void only_news_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(news); i++) {
        struct fixture f;
        struct pass *p = fixture(&f, news[i].object);
        int reports = 0;

        f.ports.ctx = &reports;
        f.ports.event = count_report;
        (void)(news[i].waits ? step_wait(p, news[i].reason, str_c(news[i].message))
                             : step_explain(p, "Warning", news[i].reason, str_c(news[i].message)));
        p->state = STATE_EXPLAIN;
        (void)state_explain(p);
        assert_int_equal(reports, news[i].reports);
        end(&f);
    }
}

/* ---- JUDGE: causes. -------------------------------------------------------------------------- */

#define MEMORY(digest) "'operatorStatus':{'payloadDigest':'" digest "','apiVersion':'2020-06-01'}"
#define TRUE_AT(generation)                                                                        \
    "'conditions':[{'type':'Ready','status':'True','observedGeneration':" generation "}]"

static const struct {
    const char *status, *body, *cause; /* NULL: none */
} causes[] = {
    {"", NULL, "absent"},
    {TRUE_AT("1"), "{'location':'westus2'}", NULL},
    {TRUE_AT("0"), "{'location':'westus2'}", "generation"},
    {"", "{'location':'westus2'}", "generation"},
    {MEMORY("ab:1"), "{'location':'westus2'}", NULL},
    {MEMORY("ab:2"), "{'location':'westus2'}", "payload"},
    {MEMORY("cd:2") "," TRUE_AT("1"), "{'location':'westus2'}", NULL}, /* another key */
    {"'operatorStatus':{'payloadDigest':'ab:1','apiVersion':'2018-01-01'}",
     "{'location':'westus2'}", NULL}, /* compared by what is set */
    {"'operatorStatus':{'payloadDigest':'ab:1','apiVersion':'2018-01-01'}", "{'location':'eastus'}",
     "drift"},
    {MEMORY("ab:1"), "{'location':'eastus'}", "drift"},
    {MEMORY("ab:1"), "{'location':'westus2','properties':{'provisioningState':'Failed'}}",
     "failed"},
};

static void judge_names_the_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(causes); i++) {
        struct fixture f;
        AUTO_ARENA a = arena_new();
        struct pass *p =
            fixture(&f, str_z(a, str_fmt(a, "{" KIND "'metadata':{'generation':1},'status':{%s}}",
                                         causes[i].status)));
        struct cause cause;

        p->generation = 1;
        p->digest = STR("ab:1");
        p->request.body = parse(p->arena, "{'location':'westus2'}");
        p->body = causes[i].body ? parse(p->arena, causes[i].body) : NULL;
        assert_int_equal(judge_cause(p, &cause), causes[i].cause != NULL);
        if (causes[i].cause)
            assert_string_equal(cause.name, causes[i].cause);
        end(&f);
    }
}

/* ---- Paths. ---------------------------------------------------------------------------------- */

/* Whoever may name a Secret must not reach another namespace with it. */
static void a_name_does_not_lead_to_another_place(void **state)
{
    struct fixture f;
    struct pass *p = fixture(&f, "{" KIND "'metadata':{'name':'rg'}}");
    const struct object_key all = {.namespace = STR("default")};

    (void)state;
    assert_str(pass_plain_path(p, STR("Secret"), STR("default"), STR("../../other/secrets/x?y#z")),
               STR("/api/v1/namespaces/default/secrets/..%2F..%2Fother%2Fsecrets%2Fx%3Fy%23z"));
    assert_str(pass_plain_path(p, STR("ConfigMap"), STR("default"), STR("a.b-c")),
               STR("/api/v1/namespaces/default/configmaps/a.b-c"));
    assert_str(pass_path_of(p, STR("v1"), STR("secrets"), &all),
               STR("/api/v1/namespaces/default/secrets"));
    str path = pass_path(p, "/status");
    assert_true(str_has_prefix(path, STR("/apis/resources.azure.com/")));
    assert_true(str_has_suffix(path, STR("/namespaces/default/resourcegroups/rg/status")));
    end(&f);
}

/* ---- Owners. --------------------------------------------------------------------------------- */

/* An object is bound to one uid: another owner of the same name never gets it. */
static void an_owner_made_anew_gets_nothing(void **state)
{
    (void)state;
    for (int same = 0; same <= 1; same++) {
        AUTO_ARENA a = arena_new();
        struct operator_config config = {.namespace = STR("plumb-system")};
        struct card card = {.key = {.kind = STR("StorageAccount"), .namespace = STR("default")}};
        struct ports ports = {.find = find};
        struct value *object = parse(
            a, same ? "{'metadata':{'ownerReferences':[{'apiVersion':'resources.azure.com/v1',"
                      "'kind':'ResourceGroup','name':'rg','uid':'new'}]}}"
                    : "{'metadata':{'ownerReferences':[{'apiVersion':'resources.azure.com/v1',"
                      "'kind':'ResourceGroup','name':'rg','uid':'old'}]}}");
        struct pass p = {
            .arena = a, .config = &config, .ports = &ports, .card = &card, .object = object};
        struct owner owner = {
            .form = OWNER_OBJECT,
            .key = {.group = STR("resources.azure.com"),
                    .kind = STR("ResourceGroup"),
                    .name = STR("rg")},
            .object = parse(a, "{" KIND "'metadata':{'name':'rg','uid':'new','generation':1},"
                               "'status':{'conditions':[{'type':'Ready','status':'True',"
                               "'observedGeneration':1}]}}")};
        struct pass_step otherwise;

        assert_int_equal(owner_is_ready(&p, &owner, &otherwise), same);
        assert_int_equal(owner_bind(&p, &owner, value_clone(a, object)), same);
        if (!same)
            assert_true(str_contains(p.verdict.message, STR("created again")));
    }
}

/* Labels are compared with those that an earlier process wrote, and must not be written anew. */
static void labels_are_the_same_in_every_process(void **state)
{
    (void)state;
    AUTO_ARENA a = arena_new();
    char text[64];
    const str cut = {text, sizeof(text)}, fits = str_slice(cut, 0, 63);

    memset(text, 'o', sizeof(text));

    assert_str(owner_label(a, fits), fits);
    assert_str(owner_label(a, cut),
               STR("oooooooooooooooooooooooooooooooooooooooooooooooooooooo-2b2858db"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_goes_where_the_object_says),
        cmocka_unit_test(failures_count_until_something_changes),
        cmocka_unit_test(a_patch_says_only_what_differs),
        cmocka_unit_test(codes_become_valid_reasons),
        cmocka_unit_test(an_equal_status_is_not_written),
        cmocka_unit_test(a_large_status_is_cut_and_says_so),
        cmocka_unit_test(a_status_of_any_shape_becomes_small_enough),
        cmocka_unit_test(secrets_never_get_into_a_message),
        cmocka_unit_test(secrets_are_masked_however_they_are_spelled),
        cmocka_unit_test(a_secret_that_is_quoted_often_is_masked_in_one_go),
        cmocka_unit_test(a_long_message_ends_with_a_whole_character),
        cmocka_unit_test(nothing_is_written_that_is_not_wanted_any_more),
        cmocka_unit_test(an_object_without_its_id_leaves_nothing_behind),
        cmocka_unit_test(the_end_of_an_operation_says_when_to_look),
        cmocka_unit_test(what_only_users_can_mend_is_still_looked_at),
        cmocka_unit_test(retries_are_spread_and_the_status_says_when),
        cmocka_unit_test(only_news_is_reported),
        cmocka_unit_test(judge_names_the_cause),
        cmocka_unit_test(a_name_does_not_lead_to_another_place),
        cmocka_unit_test(an_owner_made_anew_gets_nothing),
        cmocka_unit_test(labels_are_the_same_in_every_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
