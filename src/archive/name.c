/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - recognizes archives and their members by name and first bytes; see archive.h. */
#include "archive/internal.h"

/* The last byte of a suffix is the end of the name. */
static const struct suffix {
    const char *text;
    bool single; /* it may also contain a single document */
} suffixes[] = {
    {".tar", false}, {".tgz", false}, {".tbz2", false}, {".txz", false}, {".tzst", false},
    {".zip", false}, {".gz", true},   {".bz2", true},   {".xz", true},   {".zst", true},
};

bool pack_takes(str name)
{
    return str_has_suffix(name, STR(".json")) || str_has_suffix(name, STR(".yaml")) ||
           str_has_suffix(name, STR(".yml"));
}

bool pack_is_single(str name, str *inner)
{
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (suffixes[i].single && str_has_suffix(name, str_c(suffixes[i].text))) {
            *inner = str_without_suffix(name, str_c(suffixes[i].text));
            return pack_takes(*inner);
        }
    return false;
}

bool pack_is_name(str name)
{
    str inner;

    for (size_t i = 0; i < COUNT(suffixes); i++) {
        str suffix = str_c(suffixes[i].text);
        if (!str_has_suffix(name, suffix))
            continue;
        inner = str_without_suffix(name, suffix);
        return !suffixes[i].single || str_has_suffix(inner, STR(".tar")) || pack_takes(inner);
    }
    return false;
}

/* The magic number of skippable frames, which zstd may begin with, ends in any hex digit. */
bool pack_is_compressed(str start)
{
    static const str magics[] = {
        {"\x1F\x8B", 2},
        {"\x28\xB5\x2F\xFD", 4},
        {"\xFD"
         "7zXZ",
         5},
        {"BZh", 3},
    };

    for (size_t i = 0; i < COUNT(magics); i++)
        if (str_has_prefix(start, magics[i]))
            return true;
    return start.len >= 4 && ((uint8_t)start.ptr[0] & 0xF0) == 0x50 &&
           str_has_prefix(str_from(start, 1), STR("\x2A\x4D\x18"));
}

bool pack_is_zip(str start)
{
    return str_has_prefix(start, STR("PK\x03\x04")) || str_has_prefix(start, STR("PK\x05\x06"));
}

bool pack_is_named(str name, str *stem)
{
    *stem = name;
    if (!pack_is_name(name))
        return false;
    *stem = str_slice(name, 0, str_rfind_char(name, '.'));
    if (str_has_suffix(*stem, STR(".tar")) || pack_takes(*stem))
        *stem = str_slice(*stem, 0, str_rfind_char(*stem, '.'));
    return true;
}

bool pack_is(str name, str start)
{
    return pack_is_compressed(start) || pack_is_zip(start) ||
           str_has_prefix(str_from(start, 257), STR("ustar")) || pack_is_name(name);
}

str pack_name_fault(str name)
{
    str element, rest = name;

    if (!name.len)
        return STR("it has no name, or one that is not UTF-8");
    if (name.len > PACK_NAME_MAX)
        return STR("its name is too long");
    if (name.ptr[0] == '/')
        return STR("its name is absolute");
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (str_eq(element, STR("..")))
            return STR("its name leads out of the archive");
    }
    return STR_NONE;
}
