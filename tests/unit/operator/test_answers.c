/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_answers.c - answers at inconvenient times: each request is answered by hand, so that
 * anything can happen in between.
 */
#include "../test.h"

#include "azure/model/model.h"
#include "object/names.h"
#include "operator/operator.h"
#include "text/json/json.h"

#define START (INT64_C(1800000000) * NS_PER_SEC)
#define ID "/subscriptions/S/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/acc"
#define PATH "/namespaces/default/storageaccounts/acc"

struct fake {
    struct arena *arena;
    struct operator* operator;
    struct model *model;
    const struct value *object; /* the only one that the cache has */
    /* The last request. */
    uint64_t ticket;
    enum effect_kind kind;
    str url, body;
    unsigned asked;
};

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct fake *f = ctx;

    (void)a;
    return str_eq(key->kind, STR("StorageAccount")) ? f->object : NULL;
}

static void ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct fake *f = ctx;

    f->ticket = ticket;
    f->kind = effect->kind;
    f->url = str_copy(f->arena, effect->url);
    f->body = str_copy(f->arena, effect->body);
    f->asked++;
}

static void begin(struct fake *f)
{
    struct operator_config config = {.subscription = STR("S"),
                                     .endpoint = STR("https://azure"),
                                     .namespace = STR("plumb-system"),
                                     .period = 900 * NS_PER_SEC};
    const struct ports ports = {.ctx = f, .find = find, .read = ask, .write = ask};

    clock_drive(START);
    *f = (struct fake){.arena = arena_new()};
    assert_true(model_open(f->arena, STR_NONE, &f->model, NULL));
    config.model = f->model;
    f->operator= operator_new(&config, &ports);
}

static void end(struct fake *f)
{
    operator_free(f->operator);
    model_close(f->model);
    arena_free(f->arena);
    clock_real();
}

/* The cache shows this object from now on; metadata and annotations with ' for ". */
static void show(struct fake *f, const char *metadata, const char *annotations)
{
    static const struct object_key key = {.group = STR_INIT("storage.azure.com"),
                                          .kind = STR_INIT("StorageAccount"),
                                          .namespace = STR_INIT("default"),
                                          .name = STR_INIT("acc")};
    struct source *src = ARENA_NEW(f->arena, struct source);
    struct value *v;
    char *text = str_z(
        f->arena,
        str_fmt(f->arena,
                "{'apiVersion':'storage.azure.com/v20230101','kind':'StorageAccount','metadata':{"
                "'name':'acc','namespace':'default','generation':1,%s,'annotations':{%s}},'spec':{"
                "'location':'westus2','owner':{'armId':'/subscriptions/S/resourceGroups/g'}}}",
                metadata, annotations));

    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    src->text = str_c(text);
    assert_true(json_read(f->arena, src, NULL, &v, NULL));
    f->object = v;
    operator_changed(f->operator, & key);
    (void)operator_step(f->operator);
}

static void answer(struct fake *f, int http, const char *body, const char *request_id)
{
    operator_tell(
        f->operator, f->ticket,
        &(struct arm_answer){
            .http = http, .body = str_c(body), .request_id = str_c(request_id), .retry_after = -1});
    (void)operator_step(f->operator);
}

/* Lets time pass until the next request, which must be of this kind. */
static void await(struct fake *f, enum effect_kind kind)
{
    const unsigned before = f->asked;

    for (int i = 0; i < 600 && f->asked == before; i++) {
        clock_drive(clock_mono() + NS_PER_SEC);
        (void)operator_step(f->operator);
    }
    assert_int_equal(f->asked, before + 1);
    assert_int_equal(f->kind, kind);
}

#define DETACHED "'" ANNOTATION_RESOURCE_ID "':'" ID "','" ANNOTATION_POLICY "':'detach-on-delete'"

/*
 * The old object has gone by a write whose answer was lost. While the operator asks what became of
 * it, another one of its name is made: the answer is about the old one, the news about the new one.
 */
TEST(an_object_that_is_made_anew_is_looked_at)
{
    struct fake f;

    begin(&f);
    show(&f,
         "'uid':'old','resourceVersion':'5','deletionTimestamp':'2026-01-01T00:00:00Z',"
         "'finalizers':['" FINALIZER "']",
         DETACHED);
    assert_int_equal(f.kind, KUBE_PATCH);
    answer(&f, 0, "", "");
    await(&f, KUBE_GET);
    assert_true(str_has_suffix(f.url, STR(PATH)));
    const unsigned asked = f.asked;
    show(&f, "'uid':'new','resourceVersion':'9'", "");
    assert_int_equal(f.asked, asked);
    answer(&f, 404, "{}", "");
    if (f.asked == asked)
        await(&f, f.kind);
    assert_true(f.asked > asked);
    end(&f);
}

#define RUNNING                                                                                    \
    "'" ANNOTATION_RESOURCE_ID "':'" ID "','" ANNOTATION_GENERATION "':'1','" ANNOTATION_POLL_ID   \
    "':'GenericClient.CreateOrUpdateByID','" ANNOTATION_POLL_TOKEN "':'{\\'type\\':"               \
    "\\'GenericResource\\',\\'token\\':{\\'type\\':\\'loc\\',\\'pollURL\\':"                       \
    "\\'https://azure/operations/1\\',\\'state\\':\\'InProgress\\'}}'"
#define FIRST_ID "11111111-2222-3333-4444-555555555555"
#define LONG_TEXT                                                                                  \
    "\"................................................................................"           \
    "................................................................................"             \
    "................................................................................\""

/* Answers to polls do not last: the id of one of them must, when those after it have none. */
TEST(the_id_of_a_request_outlives_its_answer)
{
    struct fake f;

    begin(&f);
    show(&f,
         "'uid':'u','resourceVersion':'5','labels':{'" LABEL_OWNER_NAME "':'g'},"
         "'finalizers':['" FINALIZER "']",
         RUNNING);
    assert_int_equal(f.kind, ARM_GET);
    answer(&f, 202, "", FIRST_ID);
    for (int i = 0; i < 3; i++) {
        await(&f, ARM_GET);
        answer(&f, 202, "{\"a\":" LONG_TEXT "}", "");
    }
    await(&f, ARM_GET);
    const unsigned asked = f.asked;
    answer(&f, 409,
           "{\"error\":{\"code\":\"AllocationFailed\",\"message\":\"no capacity\",\"details\":"
           "[{\"code\":\"A\",\"message\":" LONG_TEXT "}]}}",
           "");
    assert_int_equal(f.asked, asked + 1);
    for (int i = 0; i < 3 && !str_has_suffix(f.url, STR("/status")); i++)
        answer(&f, 200, "{\"metadata\":{\"resourceVersion\":\"6\"}}", "");
    assert_true(str_contains(f.body, STR("AllocationFailed")));
    assert_true(str_contains(f.body, STR("\"requestId\":\"" FIRST_ID "\"")));
    end(&f);
}

RUN_TESTS(cmocka_unit_test(an_object_that_is_made_anew_is_looked_at),
          cmocka_unit_test(the_id_of_a_request_outlives_its_answer))
