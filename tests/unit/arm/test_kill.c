/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_kill.c - kill -9 at every step of a long-running PUT and DELETE.
 *
 * This program starts itself as the client ("drive"), a separate process that keeps the token of
 * its operation in a file, as the operator keeps it in an annotation. The client is killed with
 * SIGKILL at one point, by itself or by the simulator, when a request arrives or before its answer;
 * then another one is started, which must end in the same state, without a second create. Every
 * such point is tested for each protocol.
 */
#include "../test.h"

#include "support/azure_stage.h"
#include "text/json/json.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* This program. Its link in /proc would be that of valgrind. */
static const char *self;

/* When a client dies. The number says at which of several. */
enum moment_kind {
    NEVER,
    BEFORE_SENDING, /* itself */
    AT_ARRIVAL,     /* the n-th request has come, nothing is done yet */
    BEFORE_ANSWER,  /* the n-th request is done, its answer has not left */
    BEFORE_KEEPING, /* itself: the answer is there, the token is not written yet */
    AFTER_KEEPING,  /* itself */
    AFTER_POLL,     /* itself, after the n-th */
};

/* ---- The client: drive URL METHOD TYPE FILE KIND NUMBER. ---- */

struct drive {
    struct azure_client client;
    struct arena *a;
    struct arm_call call;
    str file;
    enum moment_kind kind;
    int64_t number;
    struct arm_result result;
    struct lro operation;
    struct err e;
};

static void die_at(const struct drive *d, enum moment_kind kind, int64_t number)
{
    if (d->kind == kind && (kind != AFTER_POLL || d->number == number))
        raise(SIGKILL);
}

/* As the operator does: what was begun is taken up, else it is (once more) begun. */
static bool begin_or_resume(struct drive *d)
{
    str token;

    if (file_read(d->a, d->file, &token, NULL) && token.len &&
        arm_wait_resume(&d->client.wait, d->a, &d->call, token, &d->operation, &d->e))
        return true;
    die_at(d, BEFORE_SENDING, 0);
    for (int tries = 0; tries < 20; tries++) {
        err_clear(&d->e);
        if (arm_wait_begin(&d->client.wait, d->a, &d->call, &d->operation, &d->result, &d->e))
            break;
        /* What the first one began is still under way. */
        if (d->e.kind != ERR_CONFLICT)
            return false;
        clock_sleep(10 * NS_PER_SEC);
    }
    die_at(d, BEFORE_KEEPING, 0);
    if (d->operation.next == LRO_POLL &&
        !file_write(d->file, lro_token(d->a, &d->operation), 0600, &d->e))
        return false;
    die_at(d, AFTER_KEEPING, 0);
    return !d->e.kind;
}

static bool follow(struct drive *d)
{
    for (int64_t polls = 1; d->operation.next == LRO_POLL; polls++) {
        clock_sleep(d->operation.wait);
        if (!arm_wait_poll(&d->client.wait, d->a, &d->call, &d->operation, &d->result, &d->e))
            return false;
        die_at(d, AFTER_POLL, polls);
    }
    return true;
}

static int drive(char **args)
{
    struct drive d = {.a = arena_new(), .file = str_c(args[3])};
    int64_t kind;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    clock_fake(INT64_C(1800000000) * NS_PER_SEC);
    if (!str_to_i64(str_c(args[4]), &kind) || !str_to_i64(str_c(args[5]), &d.number))
        return 2;
    d.kind = (enum moment_kind)kind;
    azure_client_open(&d.client, str_c(args[0]));
    d.call = azure_call(d.a, args[1], args[2], "x",
                        strcmp(args[1], "PUT") ? "" : "{\"location\":\"westus2\"}");
    if (!begin_or_resume(&d) || !follow(&d)) {
        fprintf(stderr, "drive: %.*s\n", STR_ARG(d.e.text));
        return 1;
    }
    azure_client_close(&d.client);
    arena_free(d.a);
    return 0;
}

/* ---- The test. ---- */

struct play {
    struct azure_stage stage;
    struct arena *a;
    const char *method, *type, *file;
    struct lock lock;
    pid_t client;
    enum moment_kind kind;
    int64_t number, seen;
};

/* Tokens do not count: they are asked for before every first request. */
static void watch(void *ctx, const struct handler_call *c, bool after)
{
    struct play *p = ctx;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (str_has_suffix(c->path, STR("/token")))
        return;
    p->seen += !after;
    if (p->seen == p->number && p->client > 0 &&
        ((p->kind == AT_ARRIVAL && !after) || (p->kind == BEFORE_ANSWER && after))) {
        kill(p->client, SIGKILL);
        p->client = 0;
    }
}

/* Answers how the client ended: its exit code, or minus the signal. */
static int run_client(struct play *p, enum moment_kind kind, int64_t number)
{
    char kind_text[16], number_text[16];
    int status;
    pid_t pid;

    snprintf(kind_text, sizeof(kind_text), "%d", (int)kind);
    snprintf(number_text, sizeof(number_text), "%d", (int)number);
    const char *const argv[] = {self,      "drive",     str_z(p->a, azure_stage_url(&p->stage)),
                                p->method, p->type,     p->file,
                                kind_text, number_text, NULL};
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->kind = kind;
        p->number = number;
        p->seen = 0;
        pid = p->client = fork();
        if (!pid) {
            execve(self, (char *const *)(uintptr_t)argv, environ);
            _exit(127);
        }
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    AUTO_LOCK guard = lock_take(&p->lock);
    p->client = 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void ask(struct play *p, const char *method, const char *path, const char *body, int want)
{
    assert_int_equal(azure_stage_ask(&p->stage, p->a, method, path, body, NULL), want);
}

/* PUTs of the resource that were answered by 201. */
static size_t answered_created(struct play *p)
{
    struct source src = {.file = STR("log")};
    AUTO_ERR e = {0};
    struct value *log;
    size_t n = 0;

    azure_stage_ask(&p->stage, p->a, "GET", "/_sim/log", "", &src.text);
    assert_ok(json_read(p->a, &src, NULL, &log, &e), &e);
    for (size_t i = 0; i < value_len(log); i++) {
        const struct value *x = value_at(log, i);
        int64_t status = 0;
        bool known = value_to_i64(value_get(x, STR("status")), &status);
        n += known && str_eq(value_get_str(x, STR("method")), STR("PUT")) &&
             str_contains(value_get_str(x, STR("path")), STR("/Test.Lro/")) && status == 201;
    }
    return n;
}

/* How often it was created: by what was answered, and (202 says nothing) by what was written. */
static size_t creates(struct play *p)
{
    const int64_t group = 1, written = azure_stage_count(&p->stage, "writes") - group -
                                       azure_stage_count(&p->stage, "noopWrites");
    const size_t answered = answered_created(p);

    return answered > (size_t)written ? answered : (size_t)written;
}

/* What is there now, but for what every change changes. */
static str state_of(struct play *p)
{
    str body, path = str_fmt(p->a, AZURE_GROUP "/providers/%s/x?api-version=2024-03-01", p->type);
    int status;

    /* Time passes: an operation that nobody asks about comes to its end. */
    ask(p, "POST", "/_sim/time?advance=24h", "", 200);
    status = azure_stage_ask(&p->stage, p->a, "GET", str_z(p->a, path), "", &body);
    return status == 200 ? body : str_fmt(p->a, "%d", status);
}

static void prepare(struct play *p)
{
    azure_stage_start(&p->stage, "unlimited", watch, p);
    unlink(p->file);
}

/* The group, and what is to be deleted; without another process. */
static void put_before(struct play *p, bool resource)
{
    struct azure_client c;
    struct arm_result result;
    AUTO_ERR e = {0};
    struct arm_call call = azure_call(p->a, "PUT", p->type, "x", "{\"location\":\"westus2\"}");
    struct arm_call group = call;

    azure_client_open(&c, azure_stage_url(&p->stage));
    group.id = STR(AZURE_GROUP);
    assert_ok(arm_wait_send(&c.wait, &group, &result, &e), &e);
    if (resource)
        assert_ok(arm_wait_send(&c.wait, &call, &result, &e), &e);
    ask(p, "POST", "/_sim/time?advance=24h", "", 200);
    azure_client_close(&c);
}

/* One life cut at a moment, and another to the end. False when there is no such moment any more. */
static bool two_lives(struct arena *a, const char *method, const char *type, const char *file,
                      enum moment_kind kind, int64_t number, str *want)
{
    struct play p = {.a = a, .method = method, .type = type, .file = file, .lock = LOCK_INIT};
    int first;

    prepare(&p);
    put_before(&p, !strcmp(method, "DELETE"));
    first = run_client(&p, kind, number);
    if (first == -SIGKILL)
        assert_int_equal(run_client(&p, NEVER, 0), 0);
    else
        assert_int_equal(first, 0);
    str got = state_of(&p);
    if (!want->len)
        *want = got;
    if (!str_eq(got, *want) || creates(&p) > 1)
        print_error("%s %s, killed at %d, %d: %zu creates\n", method, type, (int)kind, (int)number,
                    creates(&p));
    assert_str(got, *want);
    assert_true(creates(&p) <= 1);
    azure_stage_stop(&p.stage);
    unlink(file);
    return first == -SIGKILL;
}

static const enum moment_kind once[] = {BEFORE_SENDING, BEFORE_KEEPING, AFTER_KEEPING};
static const enum moment_kind many[] = {AT_ARRIVAL, BEFORE_ANSWER, AFTER_POLL};

static unsigned kill_everywhere(const char *method, const char *type, const char *file)
{
    unsigned kills = 0;
    AUTO_ARENA keep = arena_new();
    str want = STR_NONE;

    assert_false(two_lives(keep, method, type, file, NEVER, 0, &want));
    for (size_t i = 0; i < COUNT(once); i++) {
        AUTO_ARENA a = arena_new();
        kills += two_lives(a, method, type, file, once[i], 0, &want);
    }
    for (size_t i = 0; i < COUNT(many); i++)
        for (int64_t n = 1; n < 20; n++) {
            AUTO_ARENA a = arena_new();
            if (!two_lives(a, method, type, file, many[i], n, &want))
                break;
            kills++;
        }
    return kills;
}

/* Starting a hundred simulators takes minutes there; one protocol shows what it can show. */
static bool is_under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload && strstr(preload, "vgpreload");
}

TEST(killed_at_every_step_it_ends_the_same_and_creates_once)
{
    static const char *const types[] = {"Test.Lro/async", "Test.Lro/location", "Test.Lro/body"};
    char file[] = "/tmp/plumb-kill-XXXXXX";
    int fd = mkstemp(file);
    unsigned kills = 0;

    assert_true(fd >= 0);
    close(fd);
    const bool briefly = is_under_valgrind();

    for (size_t i = 0; i < (briefly ? 1 : COUNT(types)); i++) {
        kills += kill_everywhere("PUT", types[i], file);
        if (!briefly)
            kills += kill_everywhere("DELETE", types[i], file);
    }
    unlink(file);
    print_message("killed %u times\n", kills);
    assert_true(kills >= (briefly ? 10 : 50));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_step_it_ends_the_same_and_creates_once)};

    self = argv[0];
    if (argc == 8 && !strcmp(argv[1], "drive"))
        return drive(argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
