/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - texts without their secrets; see redact.h.
 *
 * To add a name: its ending in letters and digits alone, lower case, to secret_endings[].
 */
#include "net/redact.h"

#include "text/codec.h"
#include "text/json.h"
#include "text/url.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static const char *const secret_endings[] = {
    "accesskey",  "accountkey",  "apikey",     "assertion",    "clientkeydata", "connectionstring",
    "credential", "credentials", "passphrase", "passwd",       "password",      "primarykey",
    "privatekey", "sastoken",    "secret",     "secondarykey", "secretkey",     "secretvalue",
    "sharedkey",  "signature",   "token",
};

/* Names that end so and are none: where a list goes on. */
static const char *const harmless_names[] = {"continuationtoken", "nextpagetoken", "pagetoken",
                                             "skiptoken", "$skiptoken"};

static const char *const secret_headers[] = {
    "authorization", "cookie",    "ocp-apim-subscription-key", "proxy-authorization",
    "set-cookie",    "x-api-key", "x-identity-header",         "x-ms-authorization-auxiliary",
};

/* In queries only: too common as names elsewhere. */
static const char *const secret_parameters[] = {"code", "sig"};

/* In texts that are not understood. */
static const char *const secret_words[] = {"password", "secret", "token", "private key", "bearer "};

static bool is_listed(str name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_fold(name, str_c(list[i])))
            return true;
    return false;
}

#define IS_LISTED(name, list) is_listed((name), (list), COUNT(list))

/* Letters and digits of a short name, lower case: client_secret and clientSecret are the same. */
static str plain_name(str name, char out[static 64])
{
    size_t n = 0;

    for (size_t i = 0; i < name.len && n < 64; i++) {
        char c = name.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    return str_of(out, n);
}

bool redact_is_secret_name(str name)
{
    char room[64];
    str plain = plain_name(name.len > 64 ? str_from(name, name.len - 64) : name, room);

    if (IS_LISTED(plain, harmless_names))
        return false;
    for (size_t i = 0; i < COUNT(secret_endings); i++)
        if (str_has_suffix(plain, str_c(secret_endings[i])))
            return true;
    return false;
}

str redact_header(struct arena *a, str name, str value)
{
    (void)a;
    return IS_LISTED(name, secret_headers) || redact_is_secret_name(name) ? STR(REDACTED) : value;
}

/* ---- Queries and forms ---------------------------------------------------------------------- */

static void redact_pairs(struct arena *a, struct buf *out, str pairs)
{
    str rest = pairs, pair, name, value, plain;
    bool more = pairs.len > 0;

    while (more) {
        more = str_cut(rest, STR("&"), &pair, &rest);
        bool has_value = str_cut(pair, STR("="), &name, &value);
        plain = url_unescape(a, name, true, &plain) ? plain : name;
        if (has_value && (redact_is_secret_name(plain) || IS_LISTED(plain, secret_parameters)))
            buf_fmt(out, "%.*s=" REDACTED, STR_ARG(name));
        else
            buf_add(out, pair);
        if (more)
            buf_char(out, '&');
    }
}

/* "user:password@" before the host. */
static void redact_authority(struct buf *out, str before)
{
    size_t start = str_find(before, STR("://")), slash, at;
    str authority, user, password;

    if (start == STR_NPOS) {
        buf_add(out, before);
        return;
    }
    authority = str_from(before, start + 3);
    slash = str_find_char(authority, '/');
    at = str_rfind_char(str_slice(authority, 0, slash), '@');
    if (at != STR_NPOS && str_cut(str_slice(authority, 0, at), STR(":"), &user, &password)) {
        buf_add(out, str_slice(before, 0, start + 3));
        buf_fmt(out, "%.*s:xxxxx", STR_ARG(user));
        buf_add(out, str_from(authority, at));
    } else {
        buf_add(out, before);
    }
}

str redact_url(struct arena *a, str url)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before, query;
    bool has_query = str_cut(url, STR("?"), &before, &query);

    redact_authority(&b, before);
    if (has_query)
        buf_char(&b, '?');
    redact_pairs(a, &b, query);
    return buf_str(&b);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

struct redaction {
    struct arena *arena;
    bool changed;
};

static void redact_value(struct redaction *r, struct value *v, bool is_secret);

static void replace(struct redaction *r, struct value *v, str text)
{
    bool is_text = v->kind == VALUE_STRING || value_is_number(v);

    if (!is_text || (v->kind == VALUE_STRING && !v->len) || str_eq(value_text(v), text))
        return;
    v->kind = VALUE_STRING;
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
    r->changed = true;
}

/* Every text in v. */
static void replace_all(struct redaction *r, struct value *v, str text)
{
    if (!value_is_container(v)) {
        replace(r, v, text);
        return;
    }
    for (size_t i = 0; i < v->len; i++)
        replace_all(r, &v->items[i], text);
}

/* An object in a text: kubectl keeps a copy of what was applied in an annotation. */
static void redact_nested(struct redaction *r, struct value *v, bool is_secret)
{
    str inner = value_str(v);
    struct redaction own = {r->arena, false};
    struct source src = {.text = inner};
    struct value *tree;
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    if (!json_read(r->arena, &src, NULL, &tree, NULL)) {
        replace(r, v, STR(REDACTED));
        return;
    }
    redact_value(&own, tree, is_secret);
    if (own.changed && json_write(&b, tree, &json_exact, NULL))
        replace(r, v, buf_str(&b));
}

static void redact_member(struct redaction *r, struct value *v, bool is_secret, bool is_key)
{
    str key = value_key(v);

    if (str_eq(key, STR(LAST_APPLIED)))
        redact_nested(r, v, is_secret);
    else if (is_secret && str_eq(key, STR("data")))
        replace_all(r, v, STR("UkVEQUNURUQ="));
    else if (is_secret && (str_eq(key, STR("stringData")) || str_eq(key, STR("value"))))
        replace_all(r, v, STR(REDACTED));
    else if (redact_is_secret_name(key) || (is_key && str_eq(key, STR("value"))) ||
             str_contains(value_str(v), STR("PRIVATE KEY-----")))
        replace(r, v, STR(REDACTED));
}

/* is_secret: v is a Secret, or a part of one in which its data may stand. */
static void redact_value(struct redaction *r, struct value *v, bool is_secret)
{
    str kind = value_get_str(v, STR("kind"));
    bool is_key = value_get(v, STR("keyName")) != NULL;

    is_secret |= str_eq(kind, STR("Secret")) || str_eq(kind, STR("SecretList"));
    if (!value_is_container(v))
        return;
    for (size_t i = 0; i < v->len; i++) {
        struct value *item = &v->items[i];
        if (v->kind == VALUE_OBJECT)
            redact_member(r, item, is_secret, is_key);
        redact_value(r, item, is_secret);
    }
}

static bool mentions_secrets(str text)
{
    for (size_t i = 0; i < COUNT(secret_words); i++) {
        str word = str_c(secret_words[i]);
        for (size_t at = 0; at + word.len <= text.len; at++)
            if (str_eq_fold(str_slice(text, at, at + word.len), word))
                return true;
    }
    return false;
}

/* One or more values of JSON; what does not read as such is kept only when it is harmless. */
static str redact_json(struct arena *a, str body, bool is_secret)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct redaction r = {a, false};
    struct source src = {.text = body};
    struct value *v;
    size_t offset = 0, before = 0;
    bool ok;

    while ((ok = json_read_next(a, &src, NULL, &offset, &v, NULL)) && v) {
        redact_value(&r, v, is_secret);
        if (!json_write(&b, v, &json_exact, NULL))
            return STR(REDACTED);
        if (offset < body.len && body.ptr[offset] == '\n')
            buf_char(&b, '\n');
        before = offset;
    }
    str tail = ok ? STR_NONE : str_from(body, before);
    if (is_secret || mentions_secrets(tail)) {
        r.changed |= tail.len > 0;
        tail = tail.len ? STR(REDACTED) : tail;
    }
    buf_add(&b, tail);
    return r.changed ? buf_str(&b) : body;
}

static bool is_secret_url(str url)
{
    str path, rest, segment;
    bool more = true;

    str_cut(url, STR("?"), &path, &rest);
    while (more) {
        more = str_cut(path, STR("/"), &segment, &path);
        if (str_eq_fold(segment, STR("secrets")))
            return true;
    }
    return false;
}

str redact_body(struct arena *a, str url, str content_type, str body)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str start = str_trim(str_slice(body, 0, 64));
    bool looks_json = start.len && strchr("{[\"", start.ptr[0]);

    if (str_has_prefix(content_type, STR("application/x-www-form-urlencoded"))) {
        redact_pairs(a, &b, body);
        return buf_str(&b);
    }
    if (looks_json)
        return redact_json(a, body, is_secret_url(url));
    if (body.len && (is_secret_url(url) || mentions_secrets(body)))
        return STR(REDACTED);
    return body;
}
