/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - the model files of api/model, embedded in the program.
 *
 * tools/gen-model.c packs them at build time: a line "plumb model 2", a line "GROUP VERSION PACKED
 * SIZE KIND..." per file, an empty line, then the files one after the other, each deflated by zlib.
 * A kind with a star is stored in the version of the file. Packed, they take a ninth of the space,
 * and unpacking costs a third of the time it takes to read the JSON: docs/design/azure-model.md has
 * the figures.
 */
#include "azure/model/internal.h"

#include "base/embed.h"

#include <zlib.h>

EMBED(model_pack, "build/gen/model.pack");

static bool bad_pack(struct err *e)
{
    return err_set(e, ERR_INVALID, "the model in this program is damaged: build it again");
}

/* The next word of a line. */
static str next_word(str *line)
{
    str word;

    str_cut(*line, STR(" "), &word, line);
    return word;
}

static bool read_entry(str line, size_t *offset, str body, struct model_file *f)
{
    uint64_t packed, size;

    f->group = next_word(&line);
    f->version = next_word(&line);
    if (!str_to_u64(next_word(&line), &packed) || !str_to_u64(next_word(&line), &size) ||
        packed > body.len - *offset || size > MODEL_FILE_MAX)
        return false;
    f->packed = str_slice(body, *offset, *offset + packed);
    f->size = size;
    f->kinds = line;
    *offset += packed;
    return true;
}

bool model_packed_files(struct arena *a, struct model_file **out, size_t *count, struct err *e)
{
    str pack = EMBEDDED(model_pack), head, body, line;
    VEC(struct model_file) files = {0};
    size_t offset = 0;

    if (!str_cut(pack, STR("\n\n"), &head, &body) || !str_next_line(&head, &line) ||
        !str_eq(line, STR("plumb model 2")))
        return bad_pack(e);
    while (str_next_line(&head, &line)) {
        struct model_file f = {0};
        if (!read_entry(line, &offset, body, &f))
            return bad_pack(e);
        VEC_PUSH(a, &files, f);
    }
    *out = files.items;
    *count = files.len;
    return true;
}

bool model_unpack(struct arena *a, const struct model_file *f, str *out, struct err *e)
{
    char *text = arena_alloc_text(a, f->size + 1);
    uLongf size = f->size;
    int code = uncompress((Bytef *)text, &size, (const Bytef *)f->packed.ptr, f->packed.len);

    text[f->size] = 0;
    *out = str_of(text, f->size);
    return (code == Z_OK && size == f->size) || bad_pack(e);
}
