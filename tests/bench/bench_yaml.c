/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_yaml.c - reading and writing YAML, against libyaml.
 *
 * libyaml only reads events here and writes the same events again: no tree, no resolution of
 * scalars. It is what a reader built on it could reach at best.
 */
#include "bench.h"

#include "text/yaml/yaml.h"

#include <yaml.h>

struct input {
    str text;
    struct arena *arena; /* of tree */
    struct value *tree;  /* of text */
    struct arena *out_arena;
};

static size_t libyaml_read_round(void *ctx)
{
    struct input *in = ctx;
    yaml_parser_t parser;
    yaml_event_t event;
    bool more = true;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)in->text.ptr, in->text.len);
    while (more) {
        bench_check(yaml_parser_parse(&parser, &event),
                    &(struct err){.text = STR("libyaml cannot read its input")});
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return 0;
}

static int count_written(void *ctx, unsigned char *bytes, size_t len)
{
    (void)bytes;
    *(size_t *)ctx += len;
    return 1;
}

/* Reads and writes; what reading takes is not taken off, which flatters us a little. */
static size_t libyaml_copy_round(void *ctx)
{
    struct input *in = ctx;
    yaml_parser_t parser;
    yaml_emitter_t emitter;
    yaml_event_t event;
    size_t written = 0;
    bool more = true;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)in->text.ptr, in->text.len);
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, count_written, &written);
    while (more) {
        bench_check(yaml_parser_parse(&parser, &event),
                    &(struct err){.text = STR("libyaml cannot read its input")});
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_emitter_emit(&emitter, &event);
    }
    yaml_emitter_delete(&emitter);
    yaml_parser_delete(&parser);
    return 0;
}

static size_t read_round(void *ctx)
{
    struct input *in = ctx;
    struct source src = {.text = in->text};
    AUTO_ERR e = {0};

    in->arena = arena_new();
    bench_check(yaml_read(in->arena, &src, NULL, &in->tree, &e), &e);
    return arena_held(in->arena) + in->text.len;
}

static void drop_tree(void *ctx)
{
    arena_free(((struct input *)ctx)->arena);
}

static size_t write_round(void *ctx)
{
    struct input *in = ctx;
    AUTO_ERR e = {0};

    in->out_arena = arena_new();
    struct buf out = buf_new(in->out_arena, BUF_UNLIMITED);
    bench_check(yaml_write(&out, in->tree, NUMBERS_GO, &e), &e);
    return 0;
}

static void drop_output(void *ctx)
{
    arena_free(((struct input *)ctx)->out_arena);
}

static void run(void)
{
    struct input in = {.text = bench_podlist_yaml(bench_size())};
    size_t bytes = in.text.len;

    bench_run(&(struct bench_case){.name = "yaml read, libyaml events",
                                   .bytes = bytes,
                                   .run = libyaml_read_round,
                                   .ctx = &in});
    bench_run(&(struct bench_case){.name = "yaml read",
                                   .bytes = bytes,
                                   .run = read_round,
                                   .after = drop_tree,
                                   .ctx = &in,
                                   .reference = "yaml read, libyaml events",
                                   .target = 0.75,
                                   .memory_target = 3});
    read_round(&in);
    bench_run(&(struct bench_case){.name = "yaml read and write, libyaml",
                                   .bytes = bytes,
                                   .run = libyaml_copy_round,
                                   .ctx = &in});
    bench_run(&(struct bench_case){.name = "yaml write",
                                   .bytes = bytes,
                                   .run = write_round,
                                   .after = drop_output,
                                   .ctx = &in,
                                   .reference = "yaml read and write, libyaml",
                                   .target = 2});
    drop_tree(&in);
}

const struct benchmark bench_yaml = {
    .name = "yaml",
    .help = "reading and writing YAML, against libyaml",
    .run = run,
};
