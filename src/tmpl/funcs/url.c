/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - urlParse and urlJoin, as Go's net/url reads and writes URLs.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include <arpa/inet.h>

/* Which part of a URL is escaped: each has characters that stand for themselves. */
enum part { PART_PATH, PART_USER, PART_HOST, PART_ZONE, PART_FRAGMENT };

struct url {
    str scheme, host, path, query, opaque, fragment, userinfo;
};

static bool is_alphanumeric(unsigned char ch)
{
    return (ch >= '0' && ch <= '9') || ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z');
}

static bool is_one_of(unsigned char ch, const char *set)
{
    return ch && strchr(set, ch);
}

static bool needs_escape(unsigned char ch, enum part part)
{
    if (is_alphanumeric(ch) || is_one_of(ch, "-_.~"))
        return false;
    switch (part) {
    case PART_HOST:
    case PART_ZONE:
        return !is_one_of(ch, "!$&'()*+,;=:[]<>\"");
    case PART_PATH:
        return !is_one_of(ch, "$&+,/:;=@");
    case PART_USER:
        return !is_one_of(ch, "$&+,;=");
    case PART_FRAGMENT:
        return !is_one_of(ch, "$&+,/:;=?@!()*");
    }
    return true;
}

static void escape(struct buf *b, str s, enum part part)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        if (needs_escape(ch, part))
            buf_fmt(b, "%%%02X", ch);
        else
            buf_char(b, (char)ch);
    }
}

/* ---- Reading ------------------------------------------------------------------------------------
 */

/* Says what is wrong in a URL. Always false. */
static bool fail_quoted(struct tmpl_call *c, const char *before, str what, const char *after)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    buf_fmt(&b, "%s ", before);
    go_quote(&b, what);
    buf_add(&b, str_c(after));
    return call_fail_str(c, buf_str(&b));
}

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    ch |= 0x20;
    return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* The byte that s[at..at + 3) stands for. */
static bool take_escape(struct tmpl_call *c, str s, size_t at, enum part part, unsigned char *out)
{
    str text = str_slice(s, at, at + 3);
    int high = text.len == 3 ? hex_value(text.ptr[1]) : -1;
    int low = text.len == 3 ? hex_value(text.ptr[2]) : -1;
    bool percent = str_eq(text, STR("%25"));

    if (high < 0 || low < 0)
        return fail_quoted(c, "invalid URL escape", text, "");
    *out = (unsigned char)(high << 4 | low);
    /* In hosts only what is not ASCII may be escaped; in zones also what is harmless. */
    if (part == PART_HOST && high < 8 && !percent)
        return fail_quoted(c, "invalid URL escape", text, "");
    if (part == PART_ZONE && !percent && *out != ' ' && needs_escape(*out, PART_HOST))
        return fail_quoted(c, "invalid URL escape", text, "");
    return true;
}

static bool unescape(struct tmpl_call *c, str s, enum part part, str *out)
{
    struct buf b = buf_new(c->arena, s.len);

    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        if (ch == '%') {
            if (!take_escape(c, s, i, part, &ch))
                return false;
            i += 2;
        } else if ((part == PART_HOST || part == PART_ZONE) && ch < 0x80 &&
                   needs_escape(ch, part)) {
            return fail_quoted(c, "invalid character", str_of(s.ptr + i, 1), " in host name");
        }
        buf_char(&b, (char)ch);
    }
    *out = buf_str(&b);
    return true;
}

static bool is_port(str s)
{
    if (!s.len)
        return true;
    if (s.ptr[0] != ':')
        return false;
    for (size_t i = 1; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    return true;
}

/* The address between brackets, without its zone, must be one of IPv6. */
static bool check_address(struct tmpl_call *c, str s)
{
    unsigned char bytes[16];
    str address, zone;
    bool zoned = str_cut(s, STR("%"), &address, &zone);
    char *z = str_z(c->arena, address);

    if (inet_pton(AF_INET6, z, bytes) == 1 && (!zoned || zone.len))
        return true;
    if (inet_pton(AF_INET, z, bytes) == 1 && !zoned)
        return call_fail(c, "invalid IP-literal");
    return fail_quoted(c, "invalid host: ParseAddr(", s, "): unable to parse IP");
}

static bool parse_bracketed(struct tmpl_call *c, str host, size_t open, str *out)
{
    size_t close = str_rfind_char(host, ']'), zone;
    str name, zone_text = STR_NONE, port;

    if (close == STR_NPOS || close < open)
        return call_fail(c, "missing ']' in host");
    port = str_from(host, close + 1);
    if (!is_port(port))
        return fail_quoted(c, "invalid port", port, " after host");
    name = str_slice(host, open + 1, close);
    zone = str_find(name, STR("%25"));
    if (zone != STR_NPOS && !unescape(c, str_from(name, zone), PART_ZONE, &zone_text))
        return false;
    if (!unescape(c, str_slice(name, 0, zone), PART_HOST, &name))
        return false;
    name = str_concat(c->arena, name, zone_text);
    if (!check_address(c, name))
        return false;
    *out = str_fmt(c->arena, "[%.*s]%.*s", STR_ARG(name), STR_ARG(port));
    return true;
}

static bool parse_host(struct tmpl_call *c, str host, str *out)
{
    size_t open = str_rfind_char(host, '['), colon = str_rfind_char(host, ':');

    if (open != STR_NPOS)
        return parse_bracketed(c, host, open, out);
    if (colon != STR_NPOS && !is_port(str_from(host, colon)))
        return fail_quoted(c, "invalid port", str_from(host, colon), " after host");
    return unescape(c, host, PART_HOST, out);
}

static bool is_userinfo(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_alphanumeric((unsigned char)s.ptr[i]) &&
            !is_one_of((unsigned char)s.ptr[i], "-._:~!$&'()*+,;=%@"))
            return false;
    return true;
}

/* User and password, in the spelling that writing a URL gives them. */
static bool parse_userinfo(struct tmpl_call *c, str s, str *out)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);
    str user, password;
    bool has_password = str_cut(s, STR(":"), &user, &password);

    if (!is_userinfo(s))
        return call_fail(c, "net/url: invalid userinfo");
    if (!unescape(c, user, PART_USER, &user) || !unescape(c, password, PART_USER, &password))
        return false;
    escape(&b, user, PART_USER);
    if (has_password) {
        buf_char(&b, ':');
        escape(&b, password, PART_USER);
    }
    *out = buf_str(&b);
    return true;
}

static bool parse_authority(struct tmpl_call *c, str authority, struct url *u)
{
    size_t at = str_rfind_char(authority, '@');

    if (at == STR_NPOS)
        return parse_host(c, authority, &u->host);
    return parse_host(c, str_from(authority, at + 1), &u->host) &&
           parse_userinfo(c, str_slice(authority, 0, at), &u->userinfo);
}

/* "http:" off the front of *rest. */
static bool parse_scheme(struct tmpl_call *c, str *rest, str *scheme)
{
    for (size_t i = 0; i < rest->len; i++) {
        unsigned char ch = (unsigned char)rest->ptr[i];
        if (ch == ':') {
            if (i == 0)
                return call_fail(c, "missing protocol scheme");
            *scheme = str_lower(c->arena, str_slice(*rest, 0, i));
            *rest = str_from(*rest, i + 1);
            return true;
        }
        if (!is_alphanumeric(ch) && !is_one_of(ch, "+-."))
            return true;
        if (i == 0 && ((ch >= '0' && ch <= '9') || is_one_of(ch, "+-.")))
            return true;
    }
    return true;
}

static bool has_control(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
            return true;
    return false;
}

/* A URL without its fragment. */
static bool parse_rest(struct tmpl_call *c, str text, struct url *u)
{
    str rest = text, segment, after;

    if (has_control(text))
        return call_fail(c, "net/url: invalid control character in URL");
    if (str_eq(text, STR("*"))) {
        u->path = text;
        return true;
    }
    if (!parse_scheme(c, &rest, &u->scheme))
        return false;
    str_cut(rest, STR("?"), &rest, &u->query);
    if (!str_has_prefix(rest, STR("/"))) {
        if (u->scheme.len) {
            u->opaque = rest;
            return true;
        }
        str_cut(rest, STR("/"), &segment, &after);
        if (str_find_char(segment, ':') != STR_NPOS)
            return call_fail(c, "first path segment in URL cannot contain colon");
    }
    if (str_has_prefix(rest, STR("//")) && (u->scheme.len || !str_has_prefix(rest, STR("///")))) {
        str authority = str_from(rest, 2);
        size_t slash = str_find_char(authority, '/');
        rest = slash == STR_NPOS ? STR_NONE : str_from(authority, slash);
        if (!parse_authority(c, str_slice(authority, 0, slash), u))
            return false;
    }
    return unescape(c, rest, PART_PATH, &u->path);
}

/* Puts "context: parse URL: " before the error. Always false. */
static bool fail_parse(struct tmpl_call *c, const char *context, str url)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    buf_fmt(&b, "%s: parse ", context);
    go_quote(&b, url);
    buf_add(&b, STR(": "));
    buf_add(&b, c->error);
    return call_fail_str(c, buf_str(&b));
}

static bool parse(struct tmpl_call *c, str text, const char *context, struct url *u)
{
    str before, fragment;

    *u = (struct url){0};
    str_cut(text, STR("#"), &before, &fragment);
    if (!parse_rest(c, before, u))
        return fail_parse(c, context, before);
    if (!unescape(c, fragment, PART_FRAGMENT, &u->fragment))
        return fail_parse(c, context, text);
    return true;
}

static str hostname(str host)
{
    size_t colon = str_rfind_char(host, ':');

    if (colon != STR_NPOS && is_port(str_from(host, colon)))
        host = str_slice(host, 0, colon);
    if (str_has_prefix(host, STR("[")) && str_has_suffix(host, STR("]")))
        host = str_slice(host, 1, host.len - 1);
    return host;
}

static bool fn_url_parse(struct tmpl_call *c)
{
    struct tv map = tv_map_new(c->rt, TV_MAP);
    struct url u;

    if (!parse(c, arg_str(c, 0), "unable to parse url", &u))
        return false;
    tv_set(c->rt, map, STR("scheme"), tv_str(u.scheme));
    tv_set(c->rt, map, STR("host"), tv_str(u.host));
    tv_set(c->rt, map, STR("hostname"), tv_str(hostname(u.host)));
    tv_set(c->rt, map, STR("path"), tv_str(u.path));
    tv_set(c->rt, map, STR("query"), tv_str(u.query));
    tv_set(c->rt, map, STR("opaque"), tv_str(u.opaque));
    tv_set(c->rt, map, STR("fragment"), tv_str(u.fragment));
    tv_set(c->rt, map, STR("userinfo"), tv_str(u.userinfo));
    return return_tv(c, map);
}

/* ---- Writing ------------------------------------------------------------------------------------
 */

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

static void write_path(struct buf *b, const struct url *u)
{
    size_t slash = str_find_char(u->path, '/'), colon = str_find_char(u->path, ':');

    if (u->path.len && u->path.ptr[0] != '/' && u->host.len)
        buf_char(b, '/');
    if (!b->len && colon != STR_NPOS && (slash == STR_NPOS || colon < slash))
        buf_add(b, STR("./"));
    if (str_eq(u->path, STR("*")))
        buf_add(b, u->path);
    else
        escape(b, u->path, PART_PATH);
}

static void write_url(struct buf *b, const struct url *u, bool has_user)
{
    if (u->scheme.len) {
        buf_add(b, u->scheme);
        buf_char(b, ':');
    }
    if (u->opaque.len) {
        buf_add(b, u->opaque);
    } else {
        if (u->host.len || has_user || (u->scheme.len && u->path.len))
            buf_add(b, STR("//"));
        if (has_user) {
            buf_add(b, u->userinfo);
            buf_char(b, '@');
        }
        escape(b, u->host, PART_HOST);
        write_path(b, u);
    }
    if (u->query.len) {
        buf_char(b, '?');
        buf_add(b, u->query);
    }
    if (u->fragment.len) {
        buf_char(b, '#');
        escape(b, u->fragment, PART_FRAGMENT);
    }
}

static bool fn_url_join(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    struct url u, user = {0};
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
    write_url(&b, &u, user.userinfo.ptr != NULL);
    return return_call_buf(c, &b);
}

const struct tmpl_func tmpl_url_funcs[] = {
    {"urlJoin", "func(map[string]any) string", SPRIG, fn_url_join, "The URL of a map of its parts",
     "{{ urlJoin (dict \"scheme\" \"https\" \"host\" \"example.org\") }}"},
    {"urlParse", "func(string) map[string]any", SPRIG, fn_url_parse, "The parts of a URL",
     "{{ (urlParse \"https://example.org/a\").host }}"},
    {0},
};
