/* SPDX-License-Identifier: Apache-2.0 */
/* url.c - URLs as Go's net/url reads and writes them; see url.h. */
#include "text/url.h"
#include "go/quote.h"
#include "go/strconv.h"

#include <arpa/inet.h>

/* Which part of a URL is escaped: each has characters that need no escaping. */
enum part { PART_PATH, PART_USER, PART_HOST, PART_ZONE, PART_FRAGMENT };

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

/* Runs that need no escaping are added at once. */
static void escape(struct buf *b, str s, enum part part)
{
    size_t from = 0;

    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        if (!needs_escape(ch, part))
            continue;
        buf_add(b, str_slice(s, from, i));
        buf_fmt(b, "%%%02X", ch);
        from = i + 1;
    }
    buf_add(b, str_from(s, from));
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Where results live and errors go. */
struct reader {
    struct arena *arena;
    struct err *e;
    bool shows_users; /* errors show users without a password, which may be tokens */
};

/* Sets the error about a URL. Always false. */
static bool fail_quoted(struct reader *c, const char *before, str what, const char *after)
{
    str quoted = go_quoted(c->arena, what);

    return err_set(c->e, ERR_INVALID, "%s %.*s%s", before, STR_ARG(quoted), after);
}

/* The byte that s[at..at + 3) encodes. */
static bool take_escape(struct reader *c, str s, size_t at, enum part part, unsigned char *out)
{
    str text = str_slice(s, at, at + 3);
    int high = text.len == 3 ? go_hex_digit((unsigned char)text.ptr[1]) : -1;
    int low = text.len == 3 ? go_hex_digit((unsigned char)text.ptr[2]) : -1;
    bool percent = str_eq(text, STR("%25"));

    if (high < 0 || low < 0)
        return fail_quoted(c, "invalid URL escape", text, "");
    *out = (unsigned char)(high << 4 | low);
    /* In hosts only non-ASCII characters may be escaped; in zones also harmless ones. */
    if (part == PART_HOST && high < 8 && !percent)
        return fail_quoted(c, "invalid URL escape", text, "");
    if (part == PART_ZONE && !percent && *out != ' ' && needs_escape(*out, PART_HOST))
        return fail_quoted(c, "invalid URL escape", text, "");
    return true;
}

static bool unescape(struct reader *c, str s, enum part part, str *out)
{
    struct buf b = buf_new(c->arena, s.len);

    if (part != PART_HOST && part != PART_ZONE && str_find_char(s, '%') == STR_NPOS) {
        *out = s;
        return true;
    }
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

/* The address between brackets, without its zone, must be an IPv6 address. */
static bool check_address(struct reader *c, str s)
{
    unsigned char bytes[16];
    str address, zone;
    bool zoned = str_cut(s, STR("%"), &address, &zone);
    char *z = str_z(c->arena, address);

    if (inet_pton(AF_INET6, z, bytes) == 1 && (!zoned || zone.len))
        return true;
    if (inet_pton(AF_INET, z, bytes) == 1 && !zoned)
        return err_set(c->e, ERR_INVALID, "invalid IP-literal");
    return fail_quoted(c, "invalid host: ParseAddr(", s, "): unable to parse IP");
}

static bool parse_bracketed(struct reader *c, str host, size_t open, str *out)
{
    size_t close = str_rfind_char(host, ']'), zone;
    str name, zone_text = STR_NONE, port;

    if (close == STR_NPOS || close < open)
        return err_set(c->e, ERR_INVALID, "missing ']' in host");
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

static bool parse_host(struct reader *c, str host, str *out)
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
static bool parse_userinfo(struct reader *c, str s, str *out)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);
    str user, password;
    bool has_password = str_cut(s, STR(":"), &user, &password);

    if (!is_userinfo(s))
        return err_set(c->e, ERR_INVALID, "net/url: invalid userinfo");
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

static bool parse_authority(struct reader *c, str authority, struct url *u)
{
    size_t at = str_rfind_char(authority, '@');

    u->has_user = at != STR_NPOS;
    if (!u->has_user)
        return parse_host(c, authority, &u->host);
    return parse_host(c, str_from(authority, at + 1), &u->host) &&
           parse_userinfo(c, str_slice(authority, 0, at), &u->userinfo);
}

/* "http:" off the front of *rest. */
static bool parse_scheme(struct reader *c, str *rest, str *scheme)
{
    for (size_t i = 0; i < rest->len; i++) {
        unsigned char ch = (unsigned char)rest->ptr[i];
        if (ch == ':') {
            if (i == 0)
                return err_set(c->e, ERR_INVALID, "missing protocol scheme");
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

/*
 * Go keeps the spelling of a path whose escapes differ from those it would write itself, if that
 * spelling is valid: "/a%2Fb" must not become "/a/b".
 */
static bool is_proper_path(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char ch = (unsigned char)s.ptr[i];
        if (needs_escape(ch, PART_PATH) && !is_one_of(ch, "!'()*[]%"))
            return false;
    }
    return true;
}

static bool parse_path(struct reader *c, str text, struct url *u)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    if (!unescape(c, text, PART_PATH, &u->path))
        return false;
    escape(&b, u->path, PART_PATH);
    if (!str_eq(buf_str(&b), text) && is_proper_path(text))
        u->raw_path = text;
    return true;
}

/* A URL without its fragment. */
static bool parse_rest(struct reader *c, str text, struct url *u)
{
    str rest = text, segment, after;

    if (has_control(text))
        return err_set(c->e, ERR_INVALID, "net/url: invalid control character in URL");
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
            return err_set(c->e, ERR_INVALID, "first path segment in URL cannot contain colon");
    }
    if (str_has_prefix(rest, STR("//")) && (u->scheme.len || !str_has_prefix(rest, STR("///")))) {
        str authority = str_from(rest, 2);
        size_t slash = str_find_char(authority, '/');
        rest = slash == STR_NPOS ? STR_NONE : str_from(authority, slash);
        if (!parse_authority(c, str_slice(authority, 0, slash), u))
            return false;
    }
    return parse_path(c, rest, u);
}

static bool is_number(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return true;
}

/* What comes before a path, query or fragment. */
static str first_part(str rest)
{
    size_t end = 0;

    while (end < rest.len && str_find_char(STR("/?#"), rest.ptr[end]) == STR_NPOS)
        end++;
    return str_slice(rest, 0, end);
}

/*
 * An authority: where it begins and ends, and its last "@", or STR_NPOS. Ends and signs are kept
 * from one to the next, since a text without slashes may have many that end together.
 */
struct authority {
    size_t from, end, at;
};

static void authority_begin(struct authority *a, str url, size_t from)
{
    a->from = from;
    if (from < a->end) {
        a->at = a->at != STR_NPOS && a->at < from ? STR_NPOS : a->at;
        return;
    }
    str part = first_part(str_from(url, from));
    size_t at = str_rfind_char(part, '@');
    a->end = from + part.len;
    a->at = at == STR_NPOS ? STR_NPOS : from + at;
}

/*
 * The last "@" of an authority, which ends the password. With a "/" in the password, the authority
 * seems to end there, after an invalid port: then it is the last "@" of all, which is last.
 */
static size_t find_password_end(const struct authority *a, str url, size_t last)
{
    str text = str_slice(url, a->from, a->end), host, port;

    if (a->at != STR_NPOS || str_has_prefix(text, STR("[")) ||
        !str_cut(text, STR(":"), &host, &port) || is_number(port))
        return a->at;
    return last;
}

bool url_is_token(str user_and_password)
{
    str user, password;

    return !str_cut(user_and_password, STR(":"), &user, &password) ||
           (user.len && (!password.len || str_eq(password, STR("x-oauth-basic"))));
}

/* The same for the URL with this authority; tokens count only if requested. */
static bool find_password_at(const struct authority *a, str url, size_t last, bool tokens,
                             size_t *start, size_t *end)
{
    size_t at = find_password_end(a, url, last);

    if (at == STR_NPOS || at == a->from)
        return false;
    str user = str_slice(url, a->from, at);
    bool is_token = url_is_token(user);
    if (is_token && !tokens)
        return false;
    *start = is_token ? a->from : a->from + str_find_char(user, ':') + 1;
    *end = at;
    return true;
}

/* Whether a text ends with a scheme that may have a user, case-insensitively. */
static bool ends_with_scheme(str text)
{
    static const str schemes[] = {STR_INIT("http"), STR_INIT("https"), STR_INIT("socks5"),
                                  STR_INIT("socks5h")};

    for (size_t i = 0; i < COUNT(schemes); i++)
        if (text.len >= schemes[i].len &&
            str_eq_fold(str_from(text, text.len - schemes[i].len), schemes[i]))
            return true;
    return false;
}

/*
 * Where the next authority begins, at or after from: after "://", or after "http:" with any number
 * of slashes, a common mistake.
 */
static bool find_authority(str url, size_t from, size_t *out)
{
    for (size_t i = from, colon; (colon = str_find_char(str_from(url, i), ':')) != STR_NPOS;) {
        i += colon + 1;
        if (!str_has_prefix(str_from(url, i), STR("//")) &&
            !ends_with_scheme(str_slice(url, 0, i - 1)))
            continue;
        while (i < url.len && url.ptr[i] == '/')
            i++;
        *out = i;
        return true;
    }
    return false;
}

/* The first URL may have none but contain another one, in its path or after a second scheme. */
static bool find_password(str url, bool tokens, size_t *start, size_t *end)
{
    struct authority a = {0};
    size_t last = str_rfind_char(url, '@');

    if (last == STR_NPOS)
        return false;
    for (size_t from = 0; find_authority(url, from, &from) && from < last;) {
        authority_begin(&a, url, from);
        if (find_password_at(&a, url, last, tokens, start, end))
            return true;
    }
    return false;
}

bool url_find_password(str url, size_t *start, size_t *end)
{
    return find_password(url, true, start, end);
}

str url_shown(struct arena *a, str url)
{
    size_t start, end;

    if (!url_find_password(url, &start, &end))
        return url;
    return str_fmt(a, "%.*s" URL_HIDDEN "%.*s", STR_ARG(str_slice(url, 0, start)),
                   STR_ARG(str_from(url, end)));
}

/*
 * Puts "parse URL: " before the error, with only the first len bytes of the URL. Always false. If a
 * password contains "/" or "#", its beginning was taken for a port, which the error quotes.
 */
static bool fail_parse(struct reader *c, str url, size_t len)
{
    size_t start, end;
    str shown = str_slice(url, 0, len);

    if (find_password(url, !c->shows_users, &start, &end) && start < len) {
        shown = str_fmt(c->arena, "%.*s" URL_HIDDEN "%.*s", STR_ARG(str_slice(url, 0, start)),
                        STR_ARG(end < len ? str_slice(url, end, len) : STR_NONE));
        if (first_part(str_slice(url, start, end)).len < end - start)
            err_set(c->e, ERR_INVALID, "net/url: invalid userinfo");
    }
    return err_wrap(c->e, "parse %.*s", STR_ARG(go_quoted(c->arena, shown)));
}

static bool parse(struct reader *c, str text, struct url *out)
{
    str before, fragment;

    *out = (struct url){0};
    str_cut(text, STR("#"), &before, &fragment);
    if (!parse_rest(c, before, out))
        return fail_parse(c, text, before.len);
    if (!unescape(c, fragment, PART_FRAGMENT, &out->fragment))
        return fail_parse(c, text, text.len);
    return true;
}

bool url_parse(struct arena *a, str text, struct url *out, struct err *e)
{
    return parse(&(struct reader){.arena = a, .e = e}, text, out);
}

bool url_parse_value(struct arena *a, str text, struct url *out, struct err *e)
{
    return parse(&(struct reader){.arena = a, .e = e, .shows_users = true}, text, out);
}

static bool find_port(str host, size_t *colon)
{
    *colon = str_rfind_char(host, ':');
    return *colon != STR_NPOS && is_port(str_from(host, *colon));
}

str url_hostname(const struct url *u)
{
    str host = u->host;
    size_t colon;

    if (find_port(host, &colon))
        host = str_slice(host, 0, colon);
    if (str_has_prefix(host, STR("[")) && str_has_suffix(host, STR("]")))
        host = str_slice(host, 1, host.len - 1);
    return host;
}

str url_port(const struct url *u)
{
    size_t colon;

    return find_port(u->host, &colon) ? str_from(u->host, colon + 1) : STR_NONE;
}

unsigned url_port_number(const struct url *u)
{
    static const struct {
        str scheme;
        unsigned port;
    } usual[] = {
        {STR_INIT("http"), 80},
        {STR_INIT("https"), 443},
        {STR_INIT("socks5"), 1080},
        {STR_INIT("socks5h"), 1080},
    };
    uint64_t n;
    str port = url_port(u);

    if (port.len)
        return str_to_u64(port, &n) && n <= UINT16_MAX ? (unsigned)n : 0;
    for (size_t i = 0; i < COUNT(usual); i++)
        if (str_eq(u->scheme, usual[i].scheme))
            return usual[i].port;
    return 0;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* An unescaped colon in the first part would end a scheme. */
static bool looks_like_scheme(str path)
{
    size_t slash = str_find_char(path, '/'), colon = str_find_char(path, ':');

    return colon != STR_NPOS && (slash == STR_NPOS || colon < slash);
}

static void write_path(struct buf *b, const struct url *u, bool first)
{
    if (u->path.len && u->path.ptr[0] != '/' && u->host.len)
        buf_char(b, '/');
    if (first && looks_like_scheme(u->raw_path.len ? u->raw_path : u->path))
        buf_add(b, STR("./"));
    if (str_eq(u->path, STR("*")))
        buf_add(b, u->path);
    else if (u->raw_path.len)
        buf_add(b, u->raw_path);
    else
        escape(b, u->path, PART_PATH);
}

void url_write(struct buf *b, const struct url *u)
{
    size_t start = b->len;

    if (u->scheme.len) {
        buf_add(b, u->scheme);
        buf_char(b, ':');
    }
    if (u->opaque.len) {
        buf_add(b, u->opaque);
    } else {
        if (u->host.len || u->has_user || (u->scheme.len && u->path.len))
            buf_add(b, STR("//"));
        if (u->has_user) {
            buf_add(b, u->userinfo);
            buf_char(b, '@');
        }
        escape(b, u->host, PART_HOST);
        write_path(b, u, b->len == start);
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

str url_text(struct arena *a, const struct url *u)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    url_write(&b, u);
    return buf_str(&b);
}

void url_path_escape(struct buf *out, str segment)
{
    size_t from = 0; /* runs that need no escaping are added at once */

    for (size_t i = 0; i < segment.len; i++) {
        unsigned char ch = (unsigned char)segment.ptr[i];
        if (is_alphanumeric(ch) || (!needs_escape(ch, PART_PATH) && !is_one_of(ch, "/;,?")))
            continue;
        buf_add(out, str_slice(segment, from, i));
        buf_fmt(out, "%%%02X", ch);
        from = i + 1;
    }
    buf_add(out, str_from(segment, from));
}

bool url_unescape(struct arena *a, str text, bool plus, str *out)
{
    struct buf b = buf_new(a, text.len);

    for (size_t i = 0; i < text.len; i++) {
        char ch = text.ptr[i];
        if (ch == '%') {
            int high = i + 2 < text.len ? go_hex_digit((unsigned char)text.ptr[i + 1]) : -1;
            int low = i + 2 < text.len ? go_hex_digit((unsigned char)text.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            ch = (char)(high << 4 | low);
            i += 2;
        } else if (ch == '+' && plus) {
            ch = ' ';
        }
        buf_char(&b, ch);
    }
    *out = buf_str(&b);
    return true;
}
