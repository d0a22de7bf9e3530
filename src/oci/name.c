/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - names of images, as docker reads them: "host:5000/org/name:tag@sha256:...". */
#include "oci/oci.h"

static bool is_of(str text, const char *more)
{
    for (size_t i = 0; i < text.len; i++) {
        char ch = text.ptr[i];
        bool plain = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9');
        if (!plain && !strchr(more, ch))
            return false;
    }
    return text.len > 0;
}

/* Whether the first element of a name is a registry and not a part of the repository. */
static bool is_registry(str element)
{
    return str_find_char(element, '.') != STR_NPOS || str_find_char(element, ':') != STR_NPOS ||
           str_eq(element, STR("localhost"));
}

static bool is_repository(str text)
{
    str element, rest = text;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (!is_of(element, "._-") || element.ptr[0] == '.')
            return false;
    }
    return true;
}

bool image_name_parse(struct arena *a, str text, struct image_name *out, struct err *e)
{
    str name, first, rest;

    *out = (struct image_name){0};
    str_cut(text, STR("@"), &name, &out->digest);
    size_t slash = str_rfind_char(name, '/'), colon = str_rfind_char(name, ':');
    if (colon != STR_NPOS && (slash == STR_NPOS || colon > slash)) {
        out->tag = str_from(name, colon + 1);
        name = str_slice(name, 0, colon);
    }
    if (str_cut(name, STR("/"), &first, &rest) && is_registry(first)) {
        out->registry = first;
        out->repository = rest;
    } else {
        out->registry = STR("docker.io");
        out->repository = rest.len ? name : str_concat(a, STR("library/"), name);
    }
    bool tagged = out->tag.len ? is_of(str_lower(a, out->tag), "._-") : out->digest.len > 0;
    if (!is_repository(out->repository) || !tagged || (out->digest.len && !is_of(out->digest, ":")))
        return err_set(e, ERR_INVALID, "%.*s is not an image name with a tag or digest",
                       STR_ARG(text));
    return true;
}
