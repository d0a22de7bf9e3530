/* SPDX-License-Identifier: Apache-2.0 */
/* bench_json.c - reading and writing JSON, against copying memory and against jansson. */
#include "bench.h"

#include "text/json/json.h"

#include <jansson.h>
#include <malloc.h>

struct input {
    str text;
    char *copy; /* room for text */
    const struct json_style *style;
    struct arena *arena; /* of tree */
    struct value *tree;  /* of text */
    json_t *other;       /* the same, of jansson */
    size_t other_memory;
};

static size_t copy_round(void *ctx)
{
    struct input *in = ctx;

    memcpy(in->copy, in->text.ptr, in->text.len);
    return 0;
}

static size_t heap_in_use(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static size_t jansson_read_round(void *ctx)
{
    struct input *in = ctx;
    size_t before = in->other_memory ? 0 : heap_in_use();

    in->other = json_loadb(in->text.ptr, in->text.len, 0, NULL);
    bench_check(in->other != NULL, &(struct err){.text = STR("jansson cannot read its input")});
    if (!in->other_memory)
        in->other_memory = heap_in_use() - before + in->text.len;
    return in->other_memory;
}

static void jansson_free(void *ctx)
{
    json_decref(((struct input *)ctx)->other);
}

static size_t read_round(void *ctx)
{
    struct input *in = ctx;
    struct source src = {.text = in->text};
    AUTO_ERR e = {0};

    in->arena = arena_new();
    bench_check(json_read(in->arena, &src, NULL, &in->tree, &e), &e);
    return arena_held(in->arena) + in->text.len;
}

static void read_free(void *ctx)
{
    arena_free(((struct input *)ctx)->arena);
}

static size_t write_round(void *ctx)
{
    struct input *in = ctx;
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);

    bench_check(json_write(&out, in->tree, in->style, &e), &e);
    return 0;
}

static size_t jansson_write_round(void *ctx)
{
    struct input *in = ctx;
    char *text = json_dumps(in->other, JSON_COMPACT);

    free(text);
    return 0;
}

static void bench_reading(struct input *in)
{
    bench_run(&(struct bench_case){
        .name = "memcpy", .bytes = in->text.len, .run = copy_round, .ctx = in});
    bench_run(&(struct bench_case){.name = "json read, jansson",
                                   .bytes = in->text.len,
                                   .run = jansson_read_round,
                                   .after = jansson_free,
                                   .ctx = in,
                                   .reference = "memcpy"});
    bench_run(&(struct bench_case){.name = "json read",
                                   .bytes = in->text.len,
                                   .run = read_round,
                                   .after = read_free,
                                   .ctx = in,
                                   .reference = "json read, jansson",
                                   .target = 4,
                                   .memory_target = 3});
}

static void bench_writing(struct input *in)
{
    struct bench_case c = {.name = "json write, jansson",
                           .bytes = in->text.len,
                           .run = jansson_write_round,
                           .ctx = in,
                           .reference = "memcpy"};

    bench_run(&c);
    c.run = write_round;
    c.reference = c.name;
    c.target = 2;
    c.name = "json write";
    in->style = &json_exact;
    bench_run(&c);
    c.name = "json write, as Go";
    in->style = &json_go;
    bench_run(&c);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct input in = {.text = bench_podlist_json(bench_size())};
    struct source src = {.text = in.text};

    in.copy = arena_alloc_text(a, in.text.len);
    bench_reading(&in);
    bench_check(json_read(a, &src, NULL, &in.tree, &e), &e);
    in.other = json_loadb(in.text.ptr, in.text.len, 0, NULL);
    bench_writing(&in);
    json_decref(in.other);
}

const struct benchmark bench_json = {
    .name = "json",
    .help = "reading and writing JSON",
    .run = run,
};
