/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - urlParse and urlJoin, on text/url.h.
 */
#include "text/url.h"
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

static bool parse(struct tmpl_call *c, str text, const char *context, struct url *u)
{
    AUTO_ERR e = {0};

    if (url_parse_value(c->arena, text, u, &e))
        return true;
    return call_fail_str(c, str_fmt(c->arena, "%s: %.*s", context, STR_ARG(e.text)));
}

static bool fn_url_parse(struct tmpl_call *c)
{
    struct tv map = tv_map_new(c->rt, TV_MAP);
    struct url u;

    if (!parse(c, arg_str(c, 0), "unable to parse url", &u))
        return false;
    tv_set(c->rt, map, STR("scheme"), tv_str(u.scheme));
    tv_set(c->rt, map, STR("host"), tv_str(u.host));
    tv_set(c->rt, map, STR("hostname"), tv_str(url_hostname(&u)));
    tv_set(c->rt, map, STR("path"), tv_str(u.path));
    tv_set(c->rt, map, STR("query"), tv_str(u.query));
    tv_set(c->rt, map, STR("opaque"), tv_str(u.opaque));
    tv_set(c->rt, map, STR("fragment"), tv_str(u.fragment));
    tv_set(c->rt, map, STR("userinfo"), tv_str(u.userinfo));
    return return_tv(c, map);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* The text under key, empty when there is none. */
static bool get_text(struct tmpl_call *c, const char *key, str *out)
{
    struct tv item;

    *out = STR_NONE;
    if (!tv_get(c->rt, arg_tv(c, 0), str_c(key), &item))
        return true;
    item = tv_concrete(item);
    if (item.type == TV_INVALID)
        return call_fail(c, NIL_DEREFERENCE);
    if (item.type != TV_STRING)
        return call_fail(c, "unable to parse %s key, must be of type string, but %s found", key,
                         tv_info(item.type)->kind_name);
    *out = tv_text(item);
    return true;
}

static bool fn_url_join(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    struct url u = {0}, user = {0};
    str info;

    if (!get_text(c, "scheme", &u.scheme) || !get_text(c, "host", &u.host) ||
        !get_text(c, "path", &u.path) || !get_text(c, "query", &u.query) ||
        !get_text(c, "opaque", &u.opaque) || !get_text(c, "fragment", &u.fragment) ||
        !get_text(c, "userinfo", &info))
        return false;
    info = info.len ? str_concat(c->arena, STR("proto://"), info) : info;
    if (info.len && !parse(c, str_concat(c->arena, info, STR("@host")),
                           "unable to parse userinfo in dict", &user))
        return false;
    u.userinfo = user.userinfo;
    u.has_user = user.has_user;
    url_write(&b, &u);
    return return_call_buf(c, &b);
}

const struct tmpl_func tmpl_url_funcs[] = {
    {"urlJoin", "func(map[string]any) string", SPRIG, fn_url_join, "The URL of a map of its parts",
     "{{ urlJoin (dict \"scheme\" \"https\" \"host\" \"example.org\") }}"},
    {"urlParse", "func(string) map[string]any", SPRIG, fn_url_parse, "The parts of a URL",
     "{{ (urlParse \"https://example.org/a\").host }}"},
    {0},
};
