/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - images in the storage of a local container engine. Only the engine knows its storage,
 * so it is asked to save an image, and its output is read as a stream: nothing is written to disk,
 * and nothing in the image is run.
 */
#include "oci/internal.h"

#include "base/process.h"

/* Engines take a while before they begin to print. */
#define SILENCE_MAX (600 * NS_PER_SEC)
#define ARGS_MAX 8

const struct image_engine image_docker = {"docker-daemon://", {"docker", "save"}};
const struct image_engine image_podman = {
    "containers-storage://", {"podman", "save", "--quiet", "--format", "docker-archive"}};

/* Reads the engine's output. */
struct output {
    struct reader reader;
    struct process_stream *stream;
    bool ended;
};

static bool read_output(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct output *o = (struct output *)r;

    if (!process_read(o->stream, to, size, got, e))
        return false;
    o->ended = !*got;
    return true;
}

/* Only a few zeros may follow the end of the archive. */
static void read_rest(struct output *o)
{
    char piece[4096];
    AUTO_ERR ignored = {0};
    size_t got;

    for (int i = 0; i < 256 && !o->ended; i++)
        if (!read_output(&o->reader, piece, sizeof(piece), &got, &ignored))
            return;
}

/* Names are passed on a command line: they must not be options or contain shell characters. */
static bool is_name(str image)
{
    for (size_t i = 0; i < image.len; i++) {
        char ch = image.ptr[i];
        bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                     (ch >= '0' && ch <= '9');
        if (!plain && !strchr("._-/:@", ch))
            return false;
    }
    return image.len && image.ptr[0] != '-';
}

static bool open_engine(struct arena *a, const struct image_engine *engine, str image,
                        struct process_stream **out, struct err *e)
{
    const char *argv[ARGS_MAX] = {0};
    const struct process process = {.argv = argv, .keep_errors = true, .silence_max = SILENCE_MAX};
    size_t count = 0;

    for (; engine->command[count]; count++)
        argv[count] = engine->command[count];
    argv[count] = str_z(a, image);
    if (process_open(a, &process, out, e))
        return true;
    return err_wrap(e,
                    "%s, which %s needs, cannot be run: install it, or read the image from a "
                    "registry by container://",
                    engine->command[0], engine->scheme);
}

bool image_engine_read(struct arena *a, const struct image_engine *engine, str image,
                       struct image_files *files, struct err *e)
{
    struct output o = {.reader = {.read = read_output}};
    const char *name = engine->command[0];
    int status = 0;

    if (!is_name(image))
        return err_set(e, ERR_INVALID, "%.*s is not an image name", STR_ARG(image));
    if (!open_engine(a, engine, image, &o.stream, e))
        return false;
    bool ok = image_saved_read(a, &o.reader, STR_NONE, files, e);
    if (ok)
        read_rest(&o);
    process_close(o.stream, &status);
    if (o.ended && status != 0) {
        str said = process_said(o.stream);
        return err_set(e, ERR_IO, "%s save %.*s failed with status %d%s%.*s", name, STR_ARG(image),
                       status, said.len ? ": " : "", STR_ARG(said));
    }
    return ok || err_wrap(e, "what %s save printed", name);
}
