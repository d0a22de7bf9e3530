/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_model.c - the whole resource model from published types, against reading their JSON.
 *
 * The types are not ours to keep: without them beside the project there is nothing to measure.
 */
#include "bench.h"

#include "azure/derive/derive.h"
#include "text/json/json.h"

static const str types = STR_INIT("../shared/azure/types");

struct input {
    struct arena *arena;
    str *texts;
    size_t count, bytes;
};

/* All type files, as texts. */
static void collect(struct arena *a, str folder, struct input *in)
{
    AUTO_ERR e = {0};
    str *names;
    size_t count;

    bench_check(file_list(a, folder, &names, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        str path = file_join(a, folder, names[i]);
        if (file_kind(path) == FILE_FOLDER) {
            collect(a, path, in);
            continue;
        }
        in->texts =
            arena_grow(a, in->texts, in->count * sizeof(str), (in->count + 1) * sizeof(str));
        bench_check(file_read(a, path, &in->texts[in->count], &e), &e);
        in->bytes += in->texts[in->count++].len;
    }
}

static size_t read_round(void *ctx)
{
    struct input *in = ctx;

    in->arena = arena_new();
    for (size_t i = 0; i < in->count; i++) {
        const struct source src = {.text = in->texts[i]};
        struct value *root;
        AUTO_ERR e = {0};
        bench_check(json_read(in->arena, &src, NULL, &root, &e), &e);
    }
    return arena_held(in->arena) + in->bytes;
}

static size_t derive_round(void *ctx)
{
    const struct derive_options options = {.types = types, .overlay = STR("api/overlay")};
    struct input *in = ctx;
    struct derive_result r;
    AUTO_ERR e = {0};

    in->arena = arena_new();
    bench_check(derive_models(in->arena, &options, &r, &e), &e);
    return arena_held(in->arena);
}

static void drop(void *ctx)
{
    arena_free(((struct input *)ctx)->arena);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    struct input in = {0};

    if (file_kind(types) != FILE_FOLDER) {
        printf("model: no published types beside the project, nothing to measure\n");
        return;
    }
    collect(a, types, &in);
    bench_run(&(struct bench_case){.name = "model: read type files",
                                   .bytes = in.bytes,
                                   .run = read_round,
                                   .after = drop,
                                   .ctx = &in});
    bench_run(&(struct bench_case){.name = "model: derive all models",
                                   .bytes = in.bytes,
                                   .run = derive_round,
                                   .after = drop,
                                   .ctx = &in,
                                   .reference = "model: read type files",
                                   .target = 0.05});
}

const struct benchmark bench_model = {
    .name = "model",
    .help = "the resource model of Azure from published types",
    .run = run,
};
