/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_arm_types.c - type files and overlays of others: whatever is read is derived from, and what
 * that gives is written and read back as JSON.
 *
 * Input: a type file, and after a NUL an overlay. Without one, the overlay offers one kind.
 */
#include "azure/derive/derive.h"
#include "text/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char usual[] = "{\"format\":1,\"kinds\":{\"T\":{\"type\":\"A.B/c\",\"versions\":["
                            "\"v20200101\"]},\"U\":{\"type\":\"A.B/c/d\",\"versions\":["
                            "\"v20200101\"]}}}";

static void check_written(struct arena *a, const struct derive_result *r)
{
    for (size_t i = 0; i < r->models.len; i++) {
        struct buf text = buf_new(a, 64 * MIB);
        AUTO_ERR e = {0};
        if (!derive_write(&text, r->models.items[i].root, &e))
            continue;
        const struct source src = {.text = buf_str(&text)};
        struct value *back;
        bool ok = json_read(a, &src, NULL, &back, &e);
        assert(ok && value_equal(back, r->models.items[i].root));
        (void)ok;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str types, overlay;
    struct overlay o;
    struct derive_result r;

    if (!str_cut(str_of((const char *)data, size), STR("\0"), &types, &overlay))
        overlay = str_c(usual);
    const struct source type_source = {.file = STR("types"), .text = types};
    const struct source overlay_source = {.file = STR("overlay"), .text = overlay};
    struct type_folder *folder = type_folder_new(a);
    bool read = type_folder_add(folder, STR("a.b"), STR("2020-01-01"), &type_source, &e);
    if (!overlay_parse(a, &overlay_source, STR("g"), &o, &e) || !read)
        return 0;
    const struct derive_options options = {.notes = true};
    if (!derive_with(a, &o, folder, &options, &r, &e))
        return 0;
    check_written(a, &r);
    return 0;
}
