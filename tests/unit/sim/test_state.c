/* SPDX-License-Identifier: Apache-2.0 */
/* test_state.c - a state file: the next simulator goes on where the last one stopped. */
#include "sim_world.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ODD GROUP "/providers/Example.Odd/things/x"
#define VNET GROUP "/providers/Microsoft.Network/virtualNetworks/v"
#define VAULT GROUP "/providers/Microsoft.KeyVault/vaults/k"
#define DELETED SUB "/providers/Microsoft.KeyVault/locations/westus2/deletedVaults/k"

static char path[] = "/tmp/plumb-sim-state-XXXXXX";

static struct sim_config config(void)
{
    struct sim_config c = sim_defaults();

    c.state = str_c(path);
    c.virtual_time = true;
    return c;
}

static int make_file(void **state)
{
    (void)state;
    memcpy(path, "/tmp/plumb-sim-state-XXXXXX", sizeof path);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int drop_file(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char name[64];

    (void)state;
    for (size_t i = 0; i < COUNT(endings); i++) {
        (void)snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    return 0;
}

static void restart(struct world *w, const struct sim_config *c)
{
    end(w);
    *w = begin(c);
}

static str state_of(const struct world *w)
{
    return value_get_str(value_get(w->body, STR("properties")), STR("provisioningState"));
}

TEST(resources_and_deleted_vaults_outlive_the_simulator)
{
    struct sim_config c = config();
    struct world w = begin(&c);

    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    ask(&w, "PUT", ODD, "{\"a\":1}");
    ask(&w, "PUT", VAULT, "{\"location\":\"x\"}");
    sim_advance(w.s, 3600 * NS_PER_SEC);
    ask(&w, "DELETE", VAULT, "");
    restart(&w, &c);
    assert_int_equal(ask(&w, "GET", ODD, ""), 200);
    assert_int_equal(ask(&w, "GET", DELETED, ""), 200);
    ask(&w, "DELETE", ODD, "");
    restart(&w, &c);
    assert_int_equal(ask(&w, "GET", ODD, ""), 404);
    assert_str(code(&w), STR("ResourceNotFound"));
    end(&w);
}

/* How many writes the activity log has; the body holds them. */
static size_t activities(struct world *w)
{
    assert_int_equal(
        ask_url(w, "GET",
                STR(SUB "/providers/Microsoft.Insights/eventtypes/management/values"
                        "?api-version=2015-04-01&$filter=eventTimestamp%20ge%20%272000-01-01%27"),
                STR_NONE),
        200);
    return value_len(value_get(w->body, STR("value")));
}

TEST(the_activity_log_outlives_the_simulator)
{
    struct sim_config c = config();
    struct world w = begin(&c);

    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    sim_advance(w.s, 60 * NS_PER_SEC);
    ask(&w, "PUT", ODD, "{\"a\":1}");
    restart(&w, &c);
    ask(&w, "DELETE", ODD, "");
    restart(&w, &c);
    assert_int_equal(activities(&w), 3);
    const struct value *list = value_get(w.body, STR("value"));
    assert_str(value_get_str(value_get(value_at(list, 0), STR("operationName")), STR("value")),
               STR("Example.Odd/things/delete"));
    assert_str(value_get_str(value_at(list, 1), STR("resourceId")), STR(ODD));
    assert_str(value_get_str(value_at(list, 1), STR("caller")), STR("anonymous"));
    assert_str(value_get_str(value_at(list, 2), STR("eventTimestamp")),
               STR("2026-01-01T00:00:00.0000000Z"));
    assert_int_equal(ask_url(&w, "POST", STR("/_sim/reset"), STR_NONE), 204);
    assert_int_equal(activities(&w), 0);
    restart(&w, &c);
    assert_int_equal(activities(&w), 0);
    end(&w);
}

TEST(operations_go_on_after_a_restart)
{
    struct sim_config c = config();
    struct world w = begin(&c);

    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    assert_int_equal(ask(&w, "PUT", VNET, "{\"location\":\"x\",\"properties\":{}}"), 201);
    str kept = header(&w, "Azure-AsyncOperation");
    char *url = strndup(kept.ptr, kept.len);
    restart(&w, &c);
    ask(&w, "GET", VNET, "");
    assert_str(state_of(&w), STR("Updating"));
    assert_int_equal(ask_url(&w, "GET", str_c(url), STR_NONE), 200);
    assert_str(value_get_str(w.body, STR("status")), STR("InProgress"));
    for (int i = 0; i < 20 && !str_eq(value_get_str(w.body, STR("status")), STR("Succeeded"));
         i++) {
        restart(&w, &c);
        ask_url(&w, "GET", str_c(url), STR_NONE);
    }
    assert_str(value_get_str(w.body, STR("status")), STR("Succeeded"));
    ask(&w, "GET", VNET, "");
    assert_str(state_of(&w), STR("Succeeded"));
    free(url);
    end(&w);
}

TEST(a_delete_goes_on_after_a_restart)
{
    struct sim_config c = config();
    struct world w = begin(&c);

    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    assert_int_equal(ask(&w, "DELETE", GROUP, ""), 202);
    restart(&w, &c);
    assert_int_equal(ask(&w, "GET", GROUP, ""), 200);
    sim_advance(w.s, 3600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "GET", GROUP, ""), 404);
    restart(&w, &c);
    assert_int_equal(ask(&w, "GET", GROUP, ""), 404);
    end(&w);
}

static int64_t counter(struct world *w, const char *name)
{
    int64_t n = -1;

    ask(w, "GET", "/_sim/assert", "");
    return value_to_i64(value_get(w->body, str_c(name)), &n) ? n : -1;
}

TEST(counters_registrations_and_time_are_kept)
{
    struct sim_config c = config();

    c.unregistered = true;
    struct world w = begin(&c);
    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    ask(&w, "POST", SUB "/providers/Example.Odd/register", "");
    ask(&w, "GET", SUB "/providers/Example.Odd", "");
    ask_url(&w, "POST", STR("/_sim/time?advance=24h"), STR_NONE);
    str now = value_get_str(w.body, STR("now"));
    char *kept = strndup(now.ptr, now.len);
    restart(&w, &c);
    ask(&w, "GET", "/_sim/time", "");
    assert_str(value_get_str(w.body, STR("now")), str_c(kept));
    free(kept);
    ask(&w, "GET", SUB "/providers/Example.Odd", "");
    assert_str(value_get_str(w.body, STR("registrationState")), STR("Registering"));
    ask(&w, "GET", SUB "/providers/Example.Odd", "");
    assert_str(value_get_str(w.body, STR("registrationState")), STR("Registered"));
    assert_int_equal(counter(&w, "requests"), 5);
    assert_int_equal(counter(&w, "writes"), 1);
    end(&w);
}

/* Puts one resource after the other and tells each that was confirmed. */
static void put_many(int out)
{
    struct sim_config c = config();

    c.unlimited = true;
    struct world w = begin(&c);
    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    for (int i = 0; i < 10000; i++) {
        str id = str_fmt(w.a, GROUP "/providers/Example.Odd/things/x%d", i);
        if (ask(&w, "PUT", str_z(w.a, id), "{\"a\":1}") != 201 || write(out, &i, sizeof i) < 0)
            break;
        arena_reset(w.a);
    }
    _exit(0);
}

TEST(a_killed_simulator_forgets_nothing_it_confirmed)
{
    int pipes[2], last = -1, n;
    struct sim_config c = config();

    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        put_many(pipes[1]);
    close(pipes[1]);
    while (last < 200 && read(pipes[0], &n, sizeof n) == sizeof n)
        last = n;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (read(pipes[0], &n, sizeof n) == sizeof n)
        last = n;
    close(pipes[0]);
    assert_true(last >= 200);
    c.unlimited = true;
    struct world w = begin(&c);
    for (int i = 0; i <= last; i++) {
        str id = str_fmt(w.a, GROUP "/providers/Example.Odd/things/x%d", i);
        assert_int_equal(ask(&w, "GET", str_z(w.a, id), ""), 200);
        arena_reset(w.a);
    }
    end(&w);
}

enum { THREADS = 8, EACH = 25 };

struct worker {
    struct sim *sim;
    int number;
};

static void *put_some(void *ctx)
{
    const struct worker *worker = ctx;
    AUTO_ARENA a = arena_new();

    for (int i = 0; i < EACH; i++) {
        struct sim_request q = {
            .method = STR("PUT"),
            .path = str_fmt(a, GROUP "/providers/Example.Odd/things/t%d-%d", worker->number, i),
            .query = STR("api-version=2024-03-01"),
            .body = STR("{}")};
        struct sim_response r;
        sim_handle(worker->sim, a, &q, &r);
    }
    return NULL;
}

TEST(threads_share_transactions_and_lose_nothing)
{
    struct sim_config c = config();
    struct worker workers[THREADS];
    pthread_t threads[THREADS];

    c.unlimited = true;
    struct world w = begin(&c);
    ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){w.s, i};
        assert_int_equal(pthread_create(&threads[i], NULL, put_some, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    restart(&w, &c);
    ask(&w, "GET", "/_sim/resources", "");
    assert_int_equal(value_len(w.body), THREADS * EACH + 1);
    assert_int_equal(counter(&w, "writes"), THREADS * EACH + 1);
    end(&w);
}

static mode_t mode_of(const char *ending)
{
    struct stat st;
    char name[64];

    (void)snprintf(name, sizeof name, "%s%s", path, ending);
    assert_int_equal(stat(name, &st), 0);
    return st.st_mode & 07777;
}

TEST(nobody_else_can_read_the_state)
{
    struct sim_config c = config();
    const mode_t before = umask(0);

    for (int i = 0; i < 2; i++) {
        if (i)
            chmod(path, 0644); /* one of an older version */
        else
            unlink(path);
        struct world w = begin(&c);
        ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
        assert_int_equal(mode_of(""), 0600);
        assert_int_equal(mode_of("-wal"), 0600);
        end(&w);
    }
    umask(before);
}

static void assert_not_opened(const struct sim_config *c, const char *why)
{
    AUTO_ERR e = {0};
    struct sim *s;

    assert_false(sim_new(c, &s, &e));
    assert_true(str_contains(e.text, str_c(why)));
}

TEST(a_state_belongs_to_one_simulator_at_a_time)
{
    struct sim_config c = config();
    struct world w = begin(&c);
    int status = -1;

    assert_not_opened(&c, "another simulator is using it");
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        AUTO_ERR e = {0};
        struct sim *s;
        _exit(sim_new(&c, &s, &e) ? 1 : 0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"x\"}"), 201);
    restart(&w, &c);
    assert_int_equal(ask(&w, "GET", GROUP, ""), 200);
    end(&w);
}

TEST(only_a_regular_file_can_be_a_state)
{
    struct sim_config c = config();

    c.state = STR("/dev/null");
    assert_not_opened(&c, "not a regular file");
    c.state = STR("/tmp");
    assert_not_opened(&c, "not a regular file");
    c.state = STR("no/such/folder/state");
    assert_not_opened(&c, "no such file or directory");
}

/* Files of this process may not become larger from now on, as if the disk were full. */
static void fill_disk(bool full)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = full ? 1 : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_is_reported_until_there_is_room_and_nothing_confirmed_is_lost)
{
    struct sim_config c = config();

    c.unlimited = true;
    struct world w = begin(&c);
    for (int i = 0; i < 3; i++) {
        ask(&w, "PUT", GROUP, "{\"location\":\"x\"}");
        fill_disk(true);
        for (int k = 0; k < 10; k++) {
            int status = ask(&w, "PUT", ODD, "{\"a\":1}");
            if (status == 500)
                assert_str(code(&w), STR("StateNotSaved"));
            assert_int_equal(status, 500);
        }
        fill_disk(false);
        int status = ask(&w, "PUT", ODD, "{\"a\":2}");
        assert_true(status == 200 || status == 201);
        assert_int_equal(ask(&w, "GET", ODD, ""), 200);
        restart(&w, &c);
        assert_int_equal(ask(&w, "GET", ODD, ""), 200);
        assert_int_equal(ask(&w, "GET", GROUP, ""), 200);
    }
    end(&w);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_file, drop_file)

RUN_TESTS(CASE(resources_and_deleted_vaults_outlive_the_simulator),
          CASE(the_activity_log_outlives_the_simulator), CASE(operations_go_on_after_a_restart),
          CASE(a_delete_goes_on_after_a_restart), CASE(counters_registrations_and_time_are_kept),
          CASE(a_killed_simulator_forgets_nothing_it_confirmed),
          CASE(threads_share_transactions_and_lose_nothing), CASE(nobody_else_can_read_the_state),
          CASE(a_state_belongs_to_one_simulator_at_a_time),
          CASE(only_a_regular_file_can_be_a_state),
          CASE(a_full_disk_is_reported_until_there_is_room_and_nothing_confirmed_is_lost))
