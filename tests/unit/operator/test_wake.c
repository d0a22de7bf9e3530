/* SPDX-License-Identifier: Apache-2.0 */
/* test_wake.c - many objects and one piece of news: exactly those that wait for it are woken. */
#include "../test.h"

#include "base/clock.h"
#include "base/map.h"
#include "operator/operator.h"
#include "object/names.h"
#include "text/json/json.h"

#include "azure/model/model.h"

#define OBJECTS 10000

struct fake {
    struct arena *arena;
    struct operator* operator;
    struct map *objects; /* by key */
    struct map *secrets; /* by path: the answer */
    unsigned asked;
};

static str key_text(struct arena *a, unsigned i, bool secret)
{
    struct object_key key = {.group = secret ? STR_NONE : STR("sql.azure.com"),
                             .kind = secret ? STR("Secret") : STR("Server"),
                             .namespace = STR("default"),
                             .name = str_fmt(a, "n%u", i)};

    return object_key_text(a, &key);
}

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct fake *f = ctx;

    return map_get(f->objects, object_key_text(a, key));
}

static void read(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct fake *f = ctx;
    const char *body = map_get(f->secrets, effect->url);

    f->asked++;
    operator_tell(f->operator, ticket,
                  &(struct arm_answer){.http = body                          ? 200
                                               : effect_is_arm(effect->kind) ? 503
                                                                             : 404,
                                       .body = str_c(body),
                                       .retry_after = -1});
}

/* Every patch is accepted, and changes nothing. */
static void write(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct fake *f = ctx;
    AUTO_ARENA a = arena_new();
    str path = str_without_suffix(effect->url, STR("/status"));
    struct object_key key = {.group = STR("sql.azure.com"),
                             .kind = STR("Server"),
                             .namespace = STR("default"),
                             .name = str_from(path, str_rfind_char(path, '/') + 1)};
    struct buf b = buf_new(a, BUF_UNLIMITED);

    assert_true(json_write(&b, find(f, a, &key), &json_exact, NULL));
    operator_tell(f->operator, ticket,
                  &(struct arm_answer){.http = 200, .body = buf_str(&b), .retry_after = -1});
}

static void add_object(struct fake *f, unsigned i)
{
    struct source *src = ARENA_NEW(f->arena, struct source);
    struct value *v;

    src->text = str_fmt(
        f->arena,
        "{\"apiVersion\":\"sql.azure.com/v20211101\",\"kind\":\"Server\",\"metadata\":{\"name\":"
        "\"n%u\",\"namespace\":\"default\",\"uid\":\"u%u\",\"generation\":1,\"resourceVersion\":"
        "\"1\",\"finalizers\":[\"" FINALIZER "\"],\"annotations\":{\"" ANNOTATION_RESOURCE_ID
        "\":\"/subscriptions/S/resourceGroups/g/providers/Microsoft.Sql/servers/n%u\"}},\"spec\":{"
        "\"location\":\"westus2\",\"owner\":{\"armId\":\"/subscriptions/S/resourceGroups/g\"},"
        "\"administratorLoginPassword\":{\"name\":\"n%u\",\"key\":\"k\"}}}",
        i, i, i, i);
    assert_true(json_read(f->arena, src, NULL, &v, NULL));
    map_set(f->objects, key_text(f->arena, i, false), v);
    struct object_key key = object_key_of(v);
    operator_changed(f->operator, & key);
}

static void run(struct fake *f)
{
    uint64_t before;

    do {
        before = operator_stats(f->operator).passes + f->asked;
        (void)operator_step(f->operator);
    } while (operator_stats(f->operator).flying ||
             before != operator_stats(f->operator).passes + f->asked);
}

static void one_key_of_a_secret_wakes_one_of_ten_thousand(void **state)
{
    struct fake f = {.arena = arena_new()};
    struct operator_config config = {.subscription = STR("S"),
                                     .endpoint = STR("https://azure"),
                                     .namespace = STR("plumb-system"),
                                     .period = 900 * NS_PER_SEC};
    struct ports ports = {.ctx = &f, .find = find, .read = read, .write = write};

    (void)state;
    f.objects = map_new(f.arena);
    f.secrets = map_new(f.arena);
    assert_true(model_open(f.arena, STR_NONE, &config.model, NULL));
    f.operator= operator_new(&config, &ports);
    for (unsigned i = 0; i < OBJECTS; i++)
        add_object(&f, i);
    run(&f);
    struct operator_stats before = operator_stats(f.operator);
    assert_int_equal(before.objects, OBJECTS);
    assert_int_equal(before.passes, OBJECTS);
    map_set(f.secrets, STR("/api/v1/namespaces/default/secrets/n4711"),
            "{\"metadata\":{\"name\":\"n4711\"},\"data\":{\"k\":\"cGx1bWI=\"}}");
    operator_changed(f.operator, &(struct object_key){
                         .kind = STR("Secret"), .namespace = STR("default"), .name = STR("n4711")});
    (void)operator_step(f.operator);
    assert_int_equal(operator_stats(f.operator).passes, before.passes + 1);
    operator_free(f.operator);
    model_close(config.model);
    arena_free(f.arena);
}

/* ---- After a restart. ------------------------------------------------------------------------ */

static int64_t just_checked(void *ctx, const struct object_key *key)
{
    (void)ctx;
    (void)key;
    return 0;
}

static void put(struct fake *f, const struct object_key *key, const char *json)
{
    struct source *src = ARENA_NEW(f->arena, struct source);
    struct value *v = NULL;

    src->text = str_c(json);
    assert_true(!json || json_read(f->arena, src, NULL, &v, NULL));
    map_set(f->objects, object_key_text(f->arena, key), v);
    operator_changed(f->operator, key);
    (void)operator_step(f->operator);
}

/* An object that an earlier process found well rests, and still hears of what concerns it. */
static void news_reach_objects_that_rest_since_the_start(void **state)
{
    const struct object_key account = {STR("storage.azure.com"), STR("StorageAccount"),
                                       STR("default"), STR("acc")};
    const struct object_key namespace = {.kind = STR("Namespace"), .name = STR("default")};
    const struct object_key secret = {
        .kind = STR("Secret"), .namespace = STR("default"), .name = STR("out")};
    static const struct {
        bool namespace;
        const char *json;
        unsigned passes;
    } news[] = {
        {true, "{\"metadata\":{\"name\":\"default\",\"labels\":{\"a\":\"b\"}}}", 0},
        {true,
         "{\"metadata\":{\"name\":\"default\",\"annotations\":{\"" ANNOTATION_POLICY
         "\":\"skip\"}}}",
         1},
        {false, "{\"metadata\":{\"name\":\"out\",\"resourceVersion\":\"5\"}}", 0},
        {false, "{\"metadata\":{\"name\":\"out\",\"resourceVersion\":\"6\"}}", 1},
        {false, NULL, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(news); i++) {
        struct fake f = {.arena = arena_new()};
        struct operator_config config = {.subscription = STR("S"),
                                         .endpoint = STR("https://azure"),
                                         .namespace = STR("plumb-system"),
                                         .period = 900 * NS_PER_SEC};
        struct ports ports = {
            .ctx = &f, .find = find, .read = read, .write = write, .checked = just_checked};

        f.objects = map_new(f.arena);
        f.secrets = map_new(f.arena);
        assert_true(model_open(f.arena, STR_NONE, &config.model, NULL));
        f.operator= operator_new(&config, &ports);
        put(&f, &namespace, "{\"metadata\":{\"name\":\"default\"}}");
        put(&f, &secret, "{\"metadata\":{\"name\":\"out\",\"resourceVersion\":\"5\"}}");
        put(&f, &account,
            "{\"apiVersion\":\"storage.azure.com/v20230101\",\"kind\":\"StorageAccount\","
            "\"metadata\":{\"name\":\"acc\",\"namespace\":\"default\",\"uid\":\"u\","
            "\"generation\":1,\"resourceVersion\":\"4\",\"finalizers\":[\"" FINALIZER
            "\"],\"annotations\":{\"" ANNOTATION_RESOURCE_ID
            "\":\"/subscriptions/S/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/"
            "acc\"}},\"spec\":{\"location\":\"westus2\",\"owner\":{\"armId\":\"/subscriptions/S/"
            "resourceGroups/g\"},\"operatorSpec\":{\"secrets\":{\"key1\":{\"name\":\"out\","
            "\"key\":\"k\"}}}},\"status\":{\"conditions\":[{\"type\":\"Ready\","
            "\"status\":\"True\",\"observedGeneration\":1}]}}");
        assert_int_equal(operator_stats(f.operator).passes, 0);
        put(&f, news[i].namespace ? &namespace : &secret, news[i].json);
        assert_int_equal(operator_stats(f.operator).passes, news[i].passes);
        operator_free(f.operator);
        model_close(config.model);
        arena_free(f.arena);
    }
}

/* ---- Too many at once. ----------------------------------------------------------------------- */

static bool is_crowded(void *ctx, bool user)
{
    struct fake *f = ctx;

    return !user && f->asked >= 100;
}

/* No request is made that the way to Azure would not take. */
static void a_crowd_comes_bit_by_bit(void **state)
{
    struct fake f = {.arena = arena_new()};
    struct operator_config config = {.subscription = STR("S"),
                                     .endpoint = STR("https://azure"),
                                     .namespace = STR("plumb-system"),
                                     .period = 900 * NS_PER_SEC};
    struct ports ports = {
        .ctx = &f, .find = find, .read = read, .write = write, .crowded = is_crowded};

    (void)state;
    clock_drive(NS_PER_SEC);
    f.objects = map_new(f.arena);
    f.secrets = map_new(f.arena);
    assert_true(model_open(f.arena, STR_NONE, &config.model, NULL));
    f.operator= operator_new(&config, &ports);
    for (unsigned i = 0; i < 250; i++)
        add_object(&f, i);
    (void)operator_step(f.operator);
    assert_int_equal(operator_stats(f.operator).passes, 100);
    for (unsigned passes = 200; passes <= 300; passes += 100) {
        f.asked = 0;
        clock_drive(clock_mono() + 10 * NS_PER_SEC);
        (void)operator_step(f.operator);
        assert_int_equal(operator_stats(f.operator).passes, passes < 250 ? passes : 250);
    }
    operator_free(f.operator);
    model_close(config.model);
    arena_free(f.arena);
    clock_real();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key_of_a_secret_wakes_one_of_ten_thousand),
        cmocka_unit_test(news_reach_objects_that_rest_since_the_start),
        cmocka_unit_test(a_crowd_comes_bit_by_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
