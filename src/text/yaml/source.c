/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - bytes from outside to a source: byte order marks and UTF-16. */
#include "text/yaml/internal.h"

struct utf16 {
    str bytes;
    bool big; /* big-endian */
};

static uint32_t unit_at(const struct utf16 *in, size_t i)
{
    uint32_t first = (uint8_t)in->bytes.ptr[i], second = (uint8_t)in->bytes.ptr[i + 1];

    return in->big ? first << 8 | second : second << 8 | first;
}

/* One code point, whose width in bytes is *width; on failure *problem says why, in Go's words. */
static uint32_t rune_at(const struct utf16 *in, size_t i, size_t *width, const char **problem)
{
    size_t left = in->bytes.len - i;

    *width = 2;
    if (left < 2) {
        *problem = "incomplete UTF-16 character";
        return 0;
    }
    uint32_t high = unit_at(in, i);
    if ((high & 0xFC00) == 0xDC00)
        *problem = "unexpected low surrogate area";
    if ((high & 0xFC00) != 0xD800)
        return high;
    *width = 4;
    if (left < 4) {
        *problem = "incomplete UTF-16 surrogate pair";
        return 0;
    }
    uint32_t low = unit_at(in, i + 2);
    if ((low & 0xFC00) != 0xDC00)
        *problem = "expected low surrogate area";
    return 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
}

static bool from_utf16(struct arena *a, struct utf16 in, struct source *out, struct err *e)
{
    struct buf b = buf_new(a, TEXT_MAX);
    const char *problem = NULL;

    for (size_t i = 2, width; i < in.bytes.len; i += width) {
        uint32_t rune = rune_at(&in, i, &width, &problem);
        if (!problem && !yscan_is_allowed(rune))
            problem = "control characters are not allowed";
        if (problem) {
            out->text = buf_str(&b);
            err_set(e, ERR_INVALID, "yaml: %s", problem);
            return err_at(e, source_where_offset(out, b.len));
        }
        buf_rune(&b, rune);
    }
    out->text = buf_str(&b);
    return buf_check(&b, e) || err_at(e, (struct where){.file = out->file});
}

static bool to_utf8(struct arena *a, str bytes, struct source *out, struct err *e)
{
    if (str_has_prefix(bytes, STR("\xFF\xFE")))
        return from_utf16(a, (struct utf16){bytes, false}, out, e);
    if (str_has_prefix(bytes, STR("\xFE\xFF")))
        return from_utf16(a, (struct utf16){bytes, true}, out, e);
    out->text = str_without_prefix(bytes, STR("\xEF\xBB\xBF"));
    return true;
}

bool yaml_source(struct arena *a, str file, str bytes, struct source *out, struct err *e)
{
    *out = (struct source){.file = file, .text = bytes};
    if (bytes.len > TEXT_MAX) {
        err_set(e, ERR_LIMIT, "yaml: text is larger than 4 GiB");
        return err_at(e, (struct where){.file = file});
    }
    if (!to_utf8(a, bytes, out, e))
        return false;
    source_remember(a, out);
    return true;
}
