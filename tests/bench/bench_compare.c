/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_compare.c - whole comparisons, each by a process of its own.
 *
 * Rates come from the CPU time of that process, threads included; memory is the most it held. Below
 * each row stand the times and, for growth, the time per object.
 *
 *   compare N objects     compare-gen.py writes them, a file each
 *   compare unmatched     10,000 objects that no template fits, against libyaml's events alone
 *   compare archive       a tar of 1 GB through a pipe: memory must not grow with it
 *   compare tiny          a million documents through a pipe
 *   compare fleet         400 archives of 200 objects, at most 128 MiB and a minute
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

extern char **environ;

#define ARCHIVE_BYTES ((size_t)1000 * 1000 * 1000)
enum { UNMATCHED = 10000, TINY = 1000000, SITES = 400, SITE_OBJECTS = 200 };
#define FLEET_MEMORY (128 * MIB)
#define FLEET_TIME (60 * NS_PER_SEC)

static int64_t child_cpu; /* of all processes so far, in ns */

struct comparison {
    struct arena *arena;
    str folder;        /* of reference and objects */
    const char *input; /* -f, or --fleet */
    bool fleet;
    void (*feed)(FILE *to);    /* writes standard input, or NULL */
    int64_t wall, cpu, memory; /* of the last round */
};

static int64_t clock_children(void)
{
    return child_cpu;
}

/* ---- Processes. ---- */

const char *bench_program(struct arena *a)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
    str path = str_of(self, n > 0 ? (size_t)n : 0);

    path = str_slice(path, 0, str_rfind_char(path, '/'));
    return str_z(a, str_fmt(a, "%.*s/plumb", STR_ARG(path)));
}

static pid_t start(const char *const *args, int input)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    posix_spawn_file_actions_init(&actions);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&pid, args[0], &actions, NULL, (char *const *)args, environ))
        bench_check(false, &(struct err){.text = str_c(args[0])});
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static int64_t time_ns(struct timeval t)
{
    return t.tv_sec * NS_PER_SEC + t.tv_usec * 1000;
}

/* Waits, and answers how the process ended. */
static int finish(pid_t pid, struct comparison *c)
{
    struct rusage used = {0};
    int status = 0;

    while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    int64_t cpu = time_ns(used.ru_utime) + time_ns(used.ru_stime);
    child_cpu += cpu;
    if (c) {
        c->cpu = cpu;
        c->memory = (int64_t)used.ru_maxrss * (int64_t)KIB;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int bench_command(const char *const *args, int64_t *memory)
{
    struct comparison c = {0};
    int status = finish(start(args, -1), &c);

    if (memory)
        *memory = c.memory;
    return status;
}

static void write_input(const struct comparison *c, int fd)
{
    FILE *to = fdopen(fd, "w");

    if (!to)
        return;
    c->feed(to);
    fclose(to);
}

static size_t compare_round(void *ctx)
{
    struct comparison *c = ctx;
    str reference = str_fmt(c->arena, "%.*s/reference/metadata.yaml", STR_ARG(c->folder));
    const char *const args[] = {
        bench_program(c->arena),     "compare", "-r", str_z(c->arena, reference),
        c->fleet ? "--fleet" : "-f", c->input,  "-R", NULL};
    int64_t from = clock_mono();
    int ends[2] = {-1, -1};

    if (c->feed && pipe2(ends, O_CLOEXEC))
        bench_check(false, &(struct err){.text = STR("no pipe")});
    pid_t pid = start(args, ends[0]);
    if (c->feed) {
        close(ends[0]);
        write_input(c, ends[1]);
    }
    int status = finish(pid, c);
    c->wall = clock_mono() - from;
    if (status != 0 && status != 1)
        bench_check(false, &(struct err){.text = STR("plumb compare failed")});
    return (size_t)c->memory;
}

static void show(const struct comparison *c, size_t objects)
{
    printf("    %.2f s, %.2f s of CPU, at most %.1f MiB", (double)c->wall / 1e9,
           (double)c->cpu / 1e9, (double)c->memory / (double)MIB);
    if (objects)
        printf("; %.1f us of CPU per object", (double)c->cpu / 1e3 / (double)objects);
    printf("\n");
    fflush(stdout);
}

/* ---- Inputs. ---- */

str bench_folder(struct arena *a)
{
    char *path = str_z(a, STR("/tmp/plumb-bench-XXXXXX"));

    bench_check(mkdtemp(path) != NULL, &(struct err){.text = STR("no temporary folder")});
    return str_c(path);
}

void bench_folder_remove(struct arena *a, str folder)
{
    const char *const args[] = {"rm", "-rf", str_z(a, folder), NULL};

    finish(start(args, -1), NULL);
}

bool bench_generate(struct arena *a, str folder, size_t count)
{
    const char *const args[] = {"python3", "tests/bench/compare-gen.py", str_z(a, folder),
                                str_z(a, str_fmt(a, "%zu", count)), NULL};

    return finish(start(args, -1), NULL) == 0;
}

static size_t folder_bytes(struct arena *a, str folder)
{
    size_t total = 0;
    str *names;
    size_t count;
    AUTO_ERR e = {0};

    bench_check(file_list(a, folder, &names, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        AUTO_ARENA scratch = arena_new();
        str path = file_join(scratch, folder, names[i]), text;
        if (file_kind(path) == FILE_FOLDER)
            total += folder_bytes(scratch, path);
        else if (file_read(scratch, path, &text, &e))
            total += text.len;
    }
    return total;
}

static void write_object(FILE *to, size_t i)
{
    fprintf(to,
            "---\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: widget-%zu\n"
            "  namespace: default\n  uid: %016zx\n  labels:\n    app: guestbook\n    part: p%zu\n"
            "spec:\n  items:\n",
            i, i * 2654435761u, i % 7);
    for (size_t k = 0; k < 16; k++)
        fprintf(to,
                "  - name: item-%zu\n    image: registry.example.com/app:%zu\n    port: %zu\n"
                "    text: \"value %zu of %zu\"\n",
                k, (i + k) % 99, 8000 + k, k, i);
}

static void write_unmatched(FILE *to)
{
    for (size_t i = 0; i < UNMATCHED; i++)
        write_object(to, i);
}

static void write_tiny(FILE *to)
{
    for (size_t i = 0; i < TINY; i++)
        fprintf(to, "---\napiVersion: v1\nkind: Widget\nmetadata:\n  name: w%zu\n", i);
}

/* ---- An archive. ---- */

static void write_header(FILE *to, const char *name, size_t size)
{
    char block[512] = {0};
    unsigned sum = 0;

    snprintf(block, 100, "%s", name);
    snprintf(block + 100, 8, "%07o", 0644);
    snprintf(block + 108, 8, "%07o", 0);
    snprintf(block + 116, 8, "%07o", 0);
    snprintf(block + 124, 12, "%011zo", size);
    snprintf(block + 136, 12, "%011o", 0);
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(block); i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    fwrite(block, 1, sizeof(block), to);
}

static void write_member(FILE *to, const char *name, str text)
{
    static const char zeros[512];

    write_header(to, name, text.len);
    fwrite(text.ptr, 1, text.len, to);
    fwrite(zeros, 1, (512 - text.len % 512) % 512, to);
}

/* As in a must-gather, most of it is logs. */
static void write_archive(FILE *to)
{
    static char log[60000];
    static const char end[1024];
    char name[100];

    memset(log, 'x', sizeof(log));
    for (size_t i = 0, total = 0; total < ARCHIVE_BYTES; i++) {
        char *data = NULL;
        size_t size = 0;
        FILE *text = open_memstream(&data, &size);
        for (size_t k = 0; text && k < 10; k++)
            write_object(text, 10 * i + k);
        if (text)
            fclose(text);
        snprintf(name, sizeof(name), "must-gather/namespaces/n%zu/widgets.yaml", i);
        write_member(to, name, str_of(data, size));
        snprintf(name, sizeof(name), "must-gather/namespaces/n%zu/pod.log", i);
        write_member(to, name, str_of(log, sizeof(log)));
        total += size + sizeof(log);
        free(data);
    }
    fwrite(end, 1, sizeof(end), to);
}

/* ---- Rows. ---- */

static void measure_objects(struct arena *a, size_t count)
{
    str folder = bench_folder(a);
    struct comparison c = {.arena = a, .folder = folder};
    str objects = file_join(a, folder, STR("resources"));

    if (!bench_generate(a, folder, count))
        bench_check(false, &(struct err){.text = STR("compare-gen.py failed: is python3 there?")});
    c.input = str_z(a, objects);
    size_t bytes = folder_bytes(a, objects);
    bench_run(&(struct bench_case){.name = str_z(a, str_fmt(a, "compare %zu objects", count)),
                                   .bytes = bytes,
                                   .run = compare_round,
                                   .ctx = &c,
                                   .clock = clock_children});
    show(&c, count);
    bench_folder_remove(a, folder);
}

static size_t events_round(void *ctx)
{
    const str *text = ctx;
    yaml_parser_t parser;
    yaml_event_t event;
    bool done = false;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->ptr, text->len);
    while (!done) {
        bench_check(yaml_parser_parse(&parser, &event), &(struct err){.text = STR("libyaml")});
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return 0;
}

static void measure_unmatched(struct arena *a, str folder)
{
    str path = file_join(a, folder, STR("unmatched.yaml")), text;
    struct comparison c = {.arena = a, .folder = folder, .input = str_z(a, path)};
    FILE *to = fopen(c.input, "w");
    AUTO_ERR e = {0};

    bench_check(to != NULL, &(struct err){.text = path});
    write_unmatched(to);
    fclose(to);
    bench_check(file_read(a, path, &text, &e), &e);
    bench_run(&(struct bench_case){
        .name = "libyaml unmatched", .bytes = text.len, .run = events_round, .ctx = &text});
    bench_run(&(struct bench_case){.name = "compare unmatched",
                                   .bytes = text.len,
                                   .run = compare_round,
                                   .ctx = &c,
                                   .clock = clock_children,
                                   .reference = "libyaml unmatched",
                                   .target = 0.5});
    show(&c, UNMATCHED);
}

/* memory: the most that a byte of input may cost. */
static void measure_stream(struct arena *a, str folder, const char *name, size_t bytes,
                           void (*feed)(FILE *), double memory)
{
    struct comparison c = {.arena = a, .folder = folder, .input = "-", .feed = feed};

    bench_run(&(struct bench_case){.name = name,
                                   .bytes = bytes,
                                   .run = compare_round,
                                   .ctx = &c,
                                   .clock = clock_children,
                                   .memory_target = memory});
    show(&c, 0);
}

static bool generate_sites(struct arena *a, str folder)
{
    const char *const args[] = {"python3",
                                "tests/bench/compare-gen.py",
                                str_z(a, folder),
                                str_z(a, str_fmt(a, "%d", SITE_OBJECTS)),
                                "10",
                                str_z(a, str_fmt(a, "%d", SITES)),
                                NULL};

    return finish(start(args, -1), NULL) == 0;
}

static void run_fleet(void)
{
    AUTO_ARENA a = arena_new();
    str folder = bench_folder(a), sites = file_join(a, folder, STR("sites"));
    struct comparison c = {.arena = a, .folder = folder, .input = str_z(a, sites), .fleet = true};

    if (!generate_sites(a, folder))
        bench_check(false, &(struct err){.text = STR("compare-gen.py failed: is python3 there?")});
    size_t bytes = SITES * folder_bytes(a, file_join(a, folder, STR("resources")));
    bench_run(&(struct bench_case){.name = "compare fleet of 400",
                                   .bytes = bytes,
                                   .run = compare_round,
                                   .ctx = &c,
                                   .clock = clock_children,
                                   .memory_target = (double)FLEET_MEMORY / (double)bytes});
    show(&c, (size_t)SITES * SITE_OBJECTS);
    printf("    %s of %.0f s for a fleet\n",
           c.wall <= FLEET_TIME ? "within the limit" : "over the limit", (double)FLEET_TIME / 1e9);
    bench_folder_remove(a, folder);
}

static void run_compare(void)
{
    AUTO_ARENA a = arena_new();
    str folder = bench_folder(a);

    signal(SIGPIPE, SIG_IGN);
    for (size_t count = 1000; count <= 100000; count *= 10)
        measure_objects(a, count);
    bench_generate(a, folder, 24);
    measure_unmatched(a, folder);
    measure_stream(a, folder, "compare archive 1 GB", ARCHIVE_BYTES, write_archive, 0.1);
    measure_stream(a, folder, "compare tiny documents", (size_t)TINY * 62, write_tiny, 1.7);
    bench_folder_remove(a, folder);
}

const struct benchmark bench_compare = {
    .name = "compare",
    .help = "whole comparisons: objects, archives, a million documents",
    .run = run_compare,
};

const struct benchmark bench_fleet = {
    .name = "fleet",
    .help = "400 archives against one reference",
    .run = run_fleet,
};
