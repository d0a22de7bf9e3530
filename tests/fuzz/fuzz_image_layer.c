/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_image_layer.c - any members as the layers of an image: whiteouts, links, odd types and
 * names.
 *
 * A line is a member: its type, and name, text and link parted by tabs; an empty line begins the
 * next layer, and a line with "!" makes the rest bytes as they are. What is listed has names that
 * do not lead out, and is text or has a fault with one.
 */
#include "oci/internal.h"

static void add_member(struct buf *tar, str name, char type, str bytes, str link)
{
    unsigned char head[512] = {0};
    unsigned sum = 0;

    memcpy(head, name.ptr, name.len < 100 ? name.len : 100);
    snprintf((char *)head + 124, 12, "%011zo", bytes.len);
    memset(head + 148, ' ', 8);
    head[156] = (unsigned char)type;
    memcpy(head + 157, link.ptr, link.len < 100 ? link.len : 100);
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(head); i++)
        sum += head[i];
    snprintf((char *)head + 148, 8, "%06o", sum);
    buf_add(tar, str_of((char *)head, sizeof(head)));
    buf_add(tar, bytes);
    buf_repeat(tar, '\0', (512 - bytes.len % 512) % 512);
}

static void add_line(struct buf *tar, str line)
{
    str fields[3] = {STR(""), STR(""), STR("")}, rest = str_from(line, 1);
    bool more = true;

    for (size_t i = 0; i < COUNT(fields) && more; i++)
        more = str_cut(rest, STR("\t"), &fields[i], &rest);
    add_member(tar, fields[0], line.ptr[0], fields[1], fields[2]);
}

static bool add_layer(struct image_files *f, struct buf *tar)
{
    AUTO_ERR e = {0};

    struct image_layer layer;

    buf_repeat(tar, '\0', 1024);
    struct image_bytes from = image_bytes_of(buf_str(tar));
    bool ok = image_layer_read(image_files_arena(f), image_files_folder(f), image_files_budget(f),
                               &from.reader, &layer, &e);
    if (!ok && !e.text.len)
        abort();
    if (ok)
        image_files_lay(f, &layer);
    buf_truncate(tar, 0);
    return ok;
}

static void check(struct arena *a, const struct image_files *f)
{
    struct str_list names = {0};

    image_files_list(f, a, &names);
    for (size_t i = 0; i < names.len; i++) {
        AUTO_ERR e = {0};
        str text, element, rest = names.items[i];
        for (bool more = true; more;) {
            more = str_cut(rest, STR("/"), &element, &rest);
            if (!element.len || str_eq(element, STR("..")) || str_eq(element, STR(".")))
                abort();
        }
        if (!image_files_read(f, names.items[i], &text, &e) && !e.text.len)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str rest = str_of((const char *)data, size), line;
    struct image_files *files = image_files_new(a, size % 2 ? STR("ref") : STR_NONE);
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    while (str_next_line(&rest, &line)) {
        if (str_eq(line, STR("!"))) {
            buf_add(&tar, rest);
            break;
        }
        if (line.len)
            add_line(&tar, line);
        else if (!add_layer(files, &tar))
            break;
    }
    add_layer(files, &tar);
    check(a, files);
    return 0;
}
