/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_live.c - comparisons of a running cluster: the real API server of tools/kube-test/up, with
 * custom resources of 2 KB.
 *
 *   compare live      all of them listed and compared once, by a process of its own
 *   compare --watch   the same, and then they are watched: what is held in memory
 *
 * Without the programs of the server in the cache there is only a line that says so.
 */
#include "bench.h"

#include "base/process.h"
#include "kube/client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OBJECTS = 10000, ITEMS = 16 };

static const struct kube_resource widgets = {.group = STR_INIT("bench.example.com"),
                                             .version = STR_INIT("v1"),
                                             .name = STR_INIT("widgets"),
                                             .kind = STR_INIT("Widget"),
                                             .namespaced = true};
static const struct kube_resource definitions = {.group = STR_INIT("apiextensions.k8s.io"),
                                                 .version = STR_INIT("v1"),
                                                 .name = STR_INIT("customresourcedefinitions"),
                                                 .kind = STR_INIT("CustomResourceDefinition")};

struct cluster {
    struct arena *arena;
    str folder; /* of the server and of the reference */
    str kubeconfig, reference;
    struct kube_transport *transport;
    size_t bytes;              /* of all objects as JSON, about */
    int64_t wall, cpu, memory; /* of the last round */
};

static int64_t child_cpu; /* of all processes so far, in ns */

static int64_t clock_children(void)
{
    return child_cpu;
}

static void must(bool ok, const char *what)
{
    bench_check(ok, &(struct err){.text = str_c(what)});
}

/* ---- The server. ---- */

static bool run_up(struct arena *a, const char *first, const char *second)
{
    const char *const args[] = {"tools/kube-test/up", first, second, NULL};
    int status = -1;
    AUTO_ERR e = {0};
    str out;

    return process_run(a, args, &out, &status, &e) && status == 0;
}

static struct value *object(struct arena *a, struct value *in, const char *key)
{
    return value_set(a, in, str_c(key), value_object(a));
}

static struct value *head(struct arena *a, const char *api, const char *kind, str name)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("apiVersion"), str_c(api));
    value_set_str(a, v, STR("kind"), str_c(kind));
    value_set_str(a, object(a, v, "metadata"), STR("name"), name);
    return v;
}

static void define(struct cluster *c)
{
    struct arena *a = c->arena;
    struct value *crd = head(a, "apiextensions.k8s.io/v1", "CustomResourceDefinition",
                             STR("widgets.bench.example.com"));
    struct value *spec = object(a, crd, "spec"), *names, *version;
    const struct kube_call call = {.resource = &definitions};
    AUTO_ERR e = {0};

    value_set_str(a, spec, STR("group"), widgets.group);
    value_set_str(a, spec, STR("scope"), STR("Namespaced"));
    names = object(a, spec, "names");
    value_set_str(a, names, STR("plural"), widgets.name);
    value_set_str(a, names, STR("kind"), widgets.kind);
    version = value_add(a, value_set(a, spec, STR("versions"), value_list(a)), value_object(a));
    value_set_str(a, version, STR("name"), widgets.version);
    value_set_bool(a, version, STR("served"), true);
    value_set_bool(a, version, STR("storage"), true);
    struct value *schema = object(a, object(a, version, "schema"), "openAPIV3Schema");
    value_set_str(a, schema, STR("type"), STR("object"));
    value_set_bool(a, schema, STR("x-kubernetes-preserve-unknown-fields"), true);
    bench_check(kube_create(c->transport, a, &call, crd, NULL, NULL, &e), &e);
}

static struct value *make_widget(struct arena *a, size_t n)
{
    struct value *v = head(a, "bench.example.com/v1", "Widget", str_fmt(a, "w%05zu", n));
    struct value *items = value_set(a, object(a, v, "spec"), STR("items"), value_list(a));

    for (size_t i = 0; i < ITEMS; i++) {
        struct value *item = value_add(a, items, value_object(a));
        value_set_str(a, item, STR("name"), str_fmt(a, "item-%zu", i));
        value_set_str(a, item, STR("image"),
                      str_fmt(a, "registry.example.com/app:%zu", (n + i) % 99));
        value_set_int(a, item, STR("port"), (int64_t)(8000 + i));
        value_set_str(a, item, STR("text"), str_fmt(a, "value %zu of %zu", i, n));
    }
    return v;
}

/* The first ones are tried until the server knows their definition. */
static void create(struct cluster *c)
{
    const struct kube_call call = {.resource = &widgets, .namespace = STR_INIT("default")};
    AUTO_ARENA a = arena_new();
    int tries = 0;

    for (size_t n = 0; n < OBJECTS; n++) {
        AUTO_ERR e = {0};
        while (!kube_create(c->transport, a, &call, make_widget(a, n), NULL, NULL, &e)) {
            bench_check(n == 0 && ++tries < 100, &e);
            clock_sleep(100 * NS_PER_MS);
        }
        arena_reset(a);
    }
}

/* One template for all of them, which wants half of what there is in another way. */
static void write_reference(struct cluster *c)
{
    static const char metadata[] = "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n"
                                   "    allOf:\n    - path: widget.yaml\n";
    static const char widget[] =
        "apiVersion: bench.example.com/v1\nkind: Widget\nmetadata:\n  name: {{ .metadata.name }}\n"
        "  namespace: default\nspec:\n  items:\n{{- range .spec.items }}\n"
        "  - name: {{ .name }}\n    image: {{ .image }}\n    port: {{ .port }}\n"
        "    text: {{ .text }}\n{{- end }}\n";
    AUTO_ERR e = {0};

    bench_check(file_write(file_join(c->arena, c->reference, STR("metadata.yaml")), str_c(metadata),
                           0600, &e) &&
                    file_write(file_join(c->arena, c->reference, STR("widget.yaml")), str_c(widget),
                               0600, &e),
                &e);
}

static bool count_bytes(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct cluster *c = ctx;

    (void)a;
    (void)item;
    (void)e;
    c->bytes++;
    return true;
}

static void fill(struct cluster *c)
{
    const struct kube_flags flags = {.kubeconfig = c->kubeconfig};
    const struct kube_call call = {.resource = &widgets};
    const struct kube_list_options pages = {.limit = KUBE_PAGE};
    struct kube_config *config;
    AUTO_ERR e = {0};

    bench_check(kube_config_load(c->arena, &flags, &config, &e) &&
                    kube_transport_new(config, STR("bench"), &c->transport, &e),
                &e);
    define(c);
    create(c);
    write_reference(c);
    bench_check(kube_list(c->transport, &call, &pages, count_bytes, c, NULL, NULL, &e), &e);
    must(c->bytes == OBJECTS, "objects are missing");
    kube_transport_free(c->transport);
    c->bytes = OBJECTS * (size_t)2000;
}

/* ---- Rounds. ---- */

static pid_t start(struct cluster *c, bool watch, int output)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
    str path = str_of(self, n > 0 ? (size_t)n : 0);
    str plumb =
        str_fmt(c->arena, "%.*s/plumb", STR_ARG(str_slice(path, 0, str_rfind_char(path, '/'))));
    char *const args[] = {str_z(c->arena, plumb),
                          (char *)"compare",
                          (char *)"-r",
                          str_z(c->arena, c->reference),
                          (char *)"--kubeconfig",
                          str_z(c->arena, c->kubeconfig),
                          (char *)(watch ? "--watch" : NULL),
                          NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    posix_spawn_file_actions_init(&actions);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    must(posix_spawn(&pid, args[0], &actions, NULL, args, environ) == 0, "plumb does not start");
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* The most that a process has held; what wait4 says includes what we held when we started it. */
static int64_t memory_of(pid_t pid)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text, before, after;
    uint64_t kib;

    if (!file_read(a, str_fmt(a, "/proc/%d/status", (int)pid), &text, &e) ||
        !str_cut(text, STR("VmHWM:"), &before, &after) || !str_cut(after, STR("kB"), &text, &after))
        return 0;
    return str_to_u64(str_trim(text), &kib) ? (int64_t)(kib * KIB) : 0;
}

/* Looks often: at the end it is too late. */
static void finish(struct cluster *c, pid_t pid)
{
    struct rusage used = {0};
    int status = 0;
    pid_t ended = 0;

    c->memory = 0;
    while (!ended || (ended < 0 && errno == EINTR)) {
        int64_t now = memory_of(pid);
        c->memory = now > c->memory ? now : c->memory;
        clock_sleep(2 * NS_PER_MS);
        ended = wait4(pid, &status, WNOHANG, &used);
    }
    must(WIFEXITED(status) && WEXITSTATUS(status) < 2, "plumb compare failed");
    c->cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_SEC +
             (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
    child_cpu += c->cpu;
}

static void show(const struct cluster *c)
{
    printf("    %.2f s, %.2f s of CPU, at most %.1f MiB; %.1f us of CPU per object\n",
           (double)c->wall / 1e9, (double)c->cpu / 1e9, (double)c->memory / (double)MIB,
           (double)c->cpu / 1e3 / OBJECTS);
    fflush(stdout);
}

static size_t compare_round(void *ctx)
{
    struct cluster *c = ctx;
    int64_t from = clock_mono();

    finish(c, start(c, false, -1));
    c->wall = clock_mono() - from;
    return (size_t)c->memory;
}

/* Until the first line, which says that everything was read, and the end by a signal. */
static size_t watch_round(void *ctx)
{
    struct cluster *c = ctx;
    int64_t from = clock_mono();
    int ends[2];
    char byte;

    must(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    pid_t pid = start(c, true, ends[1]);
    close(ends[1]);
    must(read(ends[0], &byte, 1) == 1, "plumb compare --watch says nothing");
    c->wall = clock_mono() - from;
    int64_t memory = memory_of(pid);
    kill(pid, SIGINT);
    while (read(ends[0], &byte, 1) == 1)
        ;
    close(ends[0]);
    finish(c, pid);
    c->memory = memory > c->memory ? memory : c->memory;
    return (size_t)c->memory;
}

static void measure(struct cluster *c)
{
    bench_run(&(struct bench_case){.name = "compare live",
                                   .bytes = c->bytes,
                                   .run = compare_round,
                                   .ctx = c,
                                   .clock = clock_children});
    show(c);
    bench_run(&(struct bench_case){.name = "compare --watch",
                                   .bytes = c->bytes,
                                   .run = watch_round,
                                   .ctx = c,
                                   .clock = clock_children});
    show(c);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    struct cluster c = {.arena = a};

    if (!run_up(a, "cached", "crds")) {
        printf("compare live: skipped, tools/kube-test/up --crds has not been run\n");
        return;
    }
    c.folder = bench_folder(a);
    c.reference = c.folder;
    c.kubeconfig = file_join(a, c.folder, STR("kubeconfig"));
    if (run_up(a, "--crds", str_z(a, c.folder))) {
        fill(&c);
        measure(&c);
    } else {
        printf("compare live: skipped, the API server does not start\n");
    }
    run_up(a, "down", str_z(a, c.folder));
    bench_folder_remove(a, c.folder);
}

const struct benchmark bench_live = {
    .name = "live", .help = "a real API server, compared and watched", .run = run};
