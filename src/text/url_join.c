/* SPDX-License-Identifier: Apache-2.0 */
/* url_join.c - combines URLs, and handles their queries; see url.h. */
#include "text/html.h"
#include "text/url.h"

/* The path as spelled in a URL. */
static str spelled_path(struct arena *a, const struct url *u)
{
    const struct url bare = {.path = u->path, .raw_path = u->raw_path};

    return str_without_prefix(url_text(a, &bare), STR("./"));
}

/* Resolves "." and ".." in a path that begins with "/". */
static str clean_path(struct arena *a, str path)
{
    VEC(str) parts = {0};
    str rest = path, part;
    bool more = true, folder = false;

    while (more) {
        more = str_cut(rest, STR("/"), &part, &rest);
        folder = str_eq(part, STR(".")) || str_eq(part, STR(".."));
        if (str_eq(part, STR("..")) && parts.len > 1)
            parts.len--;
        else if (!folder)
            VEC_PUSH(a, &parts, part);
    }
    str text = str_join(a, parts.items, parts.len, STR("/"));
    if (folder && !str_has_suffix(text, STR("/")))
        text = str_concat(a, text, STR("/"));
    return str_has_prefix(text, STR("/")) ? text : str_concat(a, STR("/"), text);
}

/* Resolves the path of ref against base. Both are spelled with their escapes. */
static str resolve_path(struct arena *a, str base, str ref)
{
    size_t slash = str_rfind_char(base, '/');

    if (str_has_prefix(ref, STR("/")))
        return clean_path(a, ref);
    base = slash == STR_NPOS ? STR("/") : str_slice(base, 0, slash + 1);
    return clean_path(a, str_concat(a, base, ref));
}

static bool set_path(struct arena *a, struct url *u, str spelled)
{
    u->raw_path = spelled;
    return url_unescape(a, spelled, false, &u->path);
}

bool url_resolve(struct arena *a, str base, str ref, str *out, struct err *e)
{
    struct url b, r;
    str path;

    if (!url_parse(a, base, &b, e) || !url_parse(a, ref, &r, e))
        return false;
    if (r.scheme.len) {
        *out = ref;
        return true;
    }
    r.scheme = b.scheme;
    if (!r.host.len) {
        r.host = b.host;
        r.userinfo = b.userinfo;
        r.has_user = b.has_user;
        path = spelled_path(a, &r);
        if (!path.len && !r.query.len)
            r.query = b.query;
        path = path.len ? resolve_path(a, spelled_path(a, &b), path) : spelled_path(a, &b);
        if (!set_path(a, &r, path))
            return err_set(e, ERR_INVALID, "invalid path in URL %.*s", STR_ARG(ref));
    }
    *out = url_text(a, &r);
    return true;
}

str url_join(struct arena *a, str base, str path)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before, base_query, own, query;
    bool has_base_query = str_cut(base, STR("?"), &before, &base_query);
    bool has_query = str_cut(path, STR("?"), &own, &query);

    before = str_without_suffix(before, STR("/"));
    own = str_without_prefix(own, STR("/"));
    buf_add(&b, before);
    if (own.len || str_has_suffix(path, STR("/"))) {
        buf_char(&b, '/');
        buf_add(&b, own);
    }
    if (has_base_query || has_query)
        buf_char(&b, '?');
    buf_add(&b, base_query);
    if (base_query.len && query.len)
        buf_char(&b, '&');
    buf_add(&b, query);
    return buf_str(&b);
}

bool url_same_origin(str x, str y)
{
    AUTO_ARENA a = arena_new();
    struct url first, second;

    return url_parse(a, x, &first, NULL) && url_parse(a, y, &second, NULL) && first.host.len &&
           str_eq(first.scheme, second.scheme) &&
           str_eq_fold(url_hostname(&first), url_hostname(&second)) &&
           url_port_number(&first) == url_port_number(&second);
}

void url_query_add(struct buf *out, str name, str value)
{
    str so_far = buf_str(out);

    if (str_find_char(so_far, '?') == STR_NPOS)
        buf_char(out, '?');
    else if (!str_has_suffix(so_far, STR("?")) && !str_has_suffix(so_far, STR("&")))
        buf_char(out, '&');
    url_query_escape(out, name);
    buf_char(out, '=');
    url_query_escape(out, value);
}

bool url_query_next(struct arena *a, str *query, str *name, str *value)
{
    str pair, rest;

    if (!query->len)
        return false;
    str_cut(*query, STR("&"), &pair, &rest);
    str_cut(pair, STR("="), name, value);
    if (!url_unescape(a, *name, true, name) || !url_unescape(a, *value, true, value))
        return false;
    *query = rest;
    return true;
}

bool url_query_get(struct arena *a, str query, str name, str *out)
{
    str rest = query, pair, key, value;
    bool more = query.len > 0;

    while (more) {
        more = str_cut(rest, STR("&"), &pair, &rest);
        str_cut(pair, STR("="), &key, &value);
        if (url_unescape(a, key, true, &key) && str_eq(key, name))
            return url_unescape(a, value, true, out);
    }
    return false;
}
