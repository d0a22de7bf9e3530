/* SPDX-License-Identifier: Apache-2.0 */
/* redact.c - removes secrets from texts; see redact.h. */
#include "net/redact.h"

#include "text/codec.h"
#include "text/json/json.h"
#include "text/secret_name.h"
#include "text/secret_values.h"
#include "text/spelled.h"
#include "text/url.h"

#define REDACTED_BASE64 "UkVEQUNURUQ="
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static const char *const secret_headers[] = {
    "authorization", "cookie",    "ocp-apim-subscription-key", "proxy-authorization",
    "set-cookie",    "x-api-key", "x-identity-header",         "x-ms-authorization-auxiliary",
};

/* Only in queries: too common as names elsewhere. */
static const char *const secret_parameters[] = {"auth", "code", "jwt", "key",
                                                "pass", "pwd",  "sas", "sig"};

/*
 * URLs of operations of Resource Manager are signed: certificate, hash and signature have
 * one-letter names, which mean nothing by themselves.
 */
static const char *const signed_parameters[] = {"c", "h", "s"};

/* What identifies a text as a secret, whatever its name. */
static const char *const secret_marks[] = {
    "PRIVATE KEY-----", "AccountKey=", "SharedAccessKey=", "SharedAccessSignature="};

static bool is_listed(str name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_fold(name, str_c(list[i])))
            return true;
    return false;
}

#define IS_LISTED(name, list) is_listed((name), (list), COUNT(list))

str redact_header(struct arena *a, str name, str value)
{
    if (IS_LISTED(name, secret_headers) || secret_name_is(name))
        return STR(REDACTED);
    /* "Location: /operations/1?sig=x" is a URL, too. */
    bool has_url = str_contains(value, STR("://")) || str_find_char(value, '?') != STR_NPOS;
    return has_url ? redact_url(a, value) : value;
}

/* ---- Queries and forms ---------------------------------------------------------------------- */

/* How often a text is searched again for what masking something else has exposed. */
#define ROUNDS 4

/*
 * Masks until nothing is left to mask: a password with a "/" may keep an earlier one from being
 * found, until it is masked itself. A text that does not settle is masked as a whole.
 */
static str settle(struct arena *a, str text, str (*hide)(struct arena *, str))
{
    for (int i = 0; i < ROUNDS; i++) {
        str next = hide(a, text);
        if (str_eq(next, text))
            return text;
        text = next;
    }
    return STR(REDACTED);
}

static str hide_passwords(struct arena *a, str text)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    size_t start, end, last = str_rfind_char(text, '@');
    /* What follows the last "@" has none: it is not searched again after each. */
    str rest = str_slice(text, 0, last == STR_NPOS ? 0 : last + 1);

    while (url_find_password(rest, &start, &end)) {
        buf_add(&b, str_slice(rest, 0, start));
        buf_add(&b, STR(URL_HIDDEN));
        rest = str_from(rest, end);
    }
    buf_add(&b, rest);
    buf_add(&b, str_from(text, last == STR_NPOS ? 0 : last + 1));
    return buf_str(&b);
}

/* Masks the passwords of all URLs in a text, where one may be a parameter of another. */
str redact_passwords(struct arena *a, str text)
{
    return settle(a, text, hide_passwords);
}

static bool has_parameter(str pairs, str wanted)
{
    str rest = pairs, pair, name, value;

    for (bool more = pairs.len > 0; more;) {
        more = str_cut(rest, STR("&"), &pair, &rest);
        if (str_cut(pair, STR("="), &name, &value) && str_eq(name, wanted))
            return true;
    }
    return false;
}

static bool is_signed(str pairs)
{
    for (size_t i = 0; i < COUNT(signed_parameters); i++)
        if (!has_parameter(pairs, str_c(signed_parameters[i])))
            return false;
    return true;
}

/* is_of_signed: the query or form is a signed one. */
static bool is_secret_parameter(str name, bool is_of_signed)
{
    return secret_name_is(name) || IS_LISTED(name, secret_parameters) ||
           (is_of_signed && IS_LISTED(name, signed_parameters));
}

/* Handles each pair separately: masking one does not affect how others are parsed. */
static void redact_pairs(struct arena *a, struct buf *out, str pairs)
{
    str rest = pairs, pair, name, value, plain;
    bool more = pairs.len > 0, is_of_signed = is_signed(pairs);

    while (more) {
        more = str_cut(rest, STR("&"), &pair, &rest);
        bool has_value = str_cut(pair, STR("="), &name, &value);
        plain = url_unescape(a, name, true, &plain) ? plain : name;
        bool is_secret = is_secret_parameter(plain, is_of_signed);
        buf_add(out, redact_passwords(a, name));
        if (has_value)
            buf_char(out, '=');
        if (has_value)
            buf_add(out, is_secret ? STR(REDACTED) : redact_passwords(a, value));
        if (more)
            buf_char(out, '&');
    }
}

/* Where parameters start: at "?", or at one that was taken for a part of the path and escaped. */
static void cut_query(str url, str *before, str *mark, str *query)
{
    size_t plain = str_find_char(url, '?'), upper = str_find(url, STR("%3F")),
           lower = str_find(url, STR("%3f")), escaped = upper < lower ? upper : lower,
           at = escaped < plain ? escaped : plain, len = escaped < plain ? 3 : 1;

    *before = str_slice(url, 0, at);
    *mark = at == STR_NPOS ? STR_NONE : str_slice(url, at, at + len);
    *query = at == STR_NPOS ? STR_NONE : str_from(url, at + len);
}

/*
 * A password may contain a "?" or "#", so the URL's own is masked before looking for these; but
 * only if there is a scheme before them.
 */
static str hide_secrets_of_url(struct arena *a, str url)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str whole, before, mark, query, fragment;
    size_t scheme = str_find(url, STR("://"));
    bool is_absolute = scheme != STR_NPOS &&
                       str_find_char(str_slice(url, 0, scheme), '?') == STR_NPOS &&
                       str_find_char(str_slice(url, 0, scheme), '#') == STR_NPOS;
    bool has_fragment = str_cut(is_absolute ? url_shown(a, url) : url, STR("#"), &whole, &fragment);

    cut_query(whole, &before, &mark, &query);
    buf_add(&b, redact_passwords(a, before));
    buf_add(&b, mark);
    redact_pairs(a, &b, query);
    if (has_fragment)
        buf_char(&b, '#');
    redact_pairs(a, &b, fragment);
    return buf_str(&b);
}

str redact_url(struct arena *a, str url)
{
    return settle(a, url, hide_secrets_of_url);
}

str redact_place(struct arena *a, str place)
{
    return str_contains(place, STR("://")) ? redact_url(a, place) : url_shown(a, place);
}

/* What ends a URL in a message, and what may follow it there. */
#define URL_ENDS " \t\r\n\"'`<>"
#define URL_FOLLOWS STR(":;,.)")

str redact_urls(struct arena *a, str text)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str rest = text;

    while (rest.len) {
        size_t end = 0;
        while (end < rest.len && !strchr(URL_ENDS, rest.ptr[end]))
            end++;
        str word = str_slice(rest, 0, end), url = word;
        while (url.len && str_find_char(URL_FOLLOWS, url.ptr[url.len - 1]) != STR_NPOS)
            url.len--;
        buf_add(&b, redact_place(a, url));
        buf_add(&b, str_slice(rest, url.len, end + 1));
        rest = str_from(rest, end + 1);
    }
    return str_eq(buf_str(&b), text) ? text : buf_str(&b);
}

/* ---- Texts that hold a secret ---------------------------------------------------------------- */

/* Shorter secrets could be ordinary words. */
#define SECRET_MIN 6

str redact_all(struct arena *a, str text, str secret, str mask)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before;

    if (!secret.len || !str_contains(text, secret))
        return text;
    for (bool more = true; more;) {
        more = str_cut(text, secret, &before, &text);
        buf_add(&b, before);
        buf_add(&b, more ? mask : STR_NONE);
    }
    return buf_str(&b);
}

static str without(struct arena *a, str text, str secret)
{
    return secret.len < SECRET_MIN ? text : spelled_replace(a, text, secret, STR(REDACTED));
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* With duplicate names it is unclear which one counts, so treat that as not understood. */
static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};

struct redaction {
    struct arena *arena;
    bool changed;
    bool met_secret; /* there was a Kubernetes Secret in the input */
    struct {
        str *items;
        size_t len, cap;
    } values;                          /* of the current Secret */
    const struct secret_values *whole; /* of all Secrets in the current object */
    bool in_whole;                     /* there is one */
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

/*
 * Masks a text, or a list of texts. An object of such a name usually says where a secret is kept,
 * but it may have the value itself.
 */
static void replace_named(struct redaction *r, struct value *v)
{
    bool is_list = v->kind == VALUE_LIST;
    struct value *inside = v->kind == VALUE_OBJECT ? value_get(v, STR("value")) : NULL;

    if (inside)
        replace(r, inside, STR(REDACTED));
    for (size_t i = 0; is_list && i < v->len; i++)
        replace(r, &v->items[i], STR(REDACTED));
    replace(r, v, STR(REDACTED));
}

/* Masks an object inside a text: kubectl keeps a copy of what was applied in an annotation. */
static void redact_nested(struct redaction *r, struct value *v, bool is_secret)
{
    struct redaction own = {.arena = r->arena};
    struct source src = {.text = value_str(v)};
    struct value *tree;
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    if (!json_read(r->arena, &src, &strict, &tree, NULL)) {
        replace(r, v, STR(REDACTED));
        return;
    }
    redact_value(&own, tree, is_secret);
    r->met_secret |= own.met_secret;
    if (own.changed)
        replace(r, v, json_write(&b, tree, &json_exact, NULL) ? buf_str(&b) : STR(REDACTED));
}

/* Notes the values of a Secret, before they are replaced. */
static void note_values(struct redaction *r, const struct value *fields, bool encoded)
{
    str text, plain;
    size_t bad;

    for (size_t i = 0; i < value_len(fields); i++) {
        text = value_text(&fields->items[i]);
        if (!text.len || str_eq(text, STR(REDACTED_BASE64)))
            continue;
        VEC_PUSH(r->arena, &r->values, text);
        if (encoded && base64_decode(r->arena, text, &plain, &bad))
            VEC_PUSH(r->arena, &r->values, plain);
    }
}

static bool looks_like_json(str text)
{
    str start = str_trim(text);

    return start.len && (start.ptr[0] == '{' || start.ptr[0] == '[');
}

/* How many bytes are searched for copies in all: a Secret has few values or few annotations. */
#define COPIES_MAX (4 * MIB)

static bool is_too_much(const struct redaction *r, const struct value *annotations)
{
    size_t len = 0;

    for (size_t i = 0; i < value_len(annotations); i++)
        len += value_str(&annotations->items[i]).len;
    return r->values.len && len > COPIES_MAX / r->values.len;
}

/*
 * Tools keep copies of a Secret's values in its annotations, in JSON or any other form. What would
 * take too long to search is masked.
 */
static void redact_copies(struct redaction *r, struct value *annotations)
{
    bool all = is_too_much(r, annotations);

    for (size_t i = 0; i < value_len(annotations); i++) {
        struct value *v = &annotations->items[i];
        str text = value_str(v);
        if (looks_like_json(text))
            redact_nested(r, v, true);
        else if (str_contains(text, STR("data:")) || str_contains(text, STR("Data:")))
            replace(r, v, STR(REDACTED));
        text = all ? STR(REDACTED) : value_str(v);
        for (size_t k = 0; !all && k < r->values.len; k++)
            text = without(r->arena, text, r->values.items[k]);
        replace(r, v, text);
    }
}

/* False if the value of this member must still be searched. */
static bool redact_member(struct redaction *r, struct value *v, bool is_secret, bool is_key)
{
    str key = value_key(v);

    if (str_eq(key, STR(LAST_APPLIED)) && v->kind == VALUE_STRING) {
        redact_nested(r, v, is_secret);
        return true;
    }
    if (is_secret && str_eq(key, STR("data"))) {
        replace_all(r, v, STR(REDACTED_BASE64));
        return true;
    }
    if (is_secret && (str_eq(key, STR("stringData")) || str_eq(key, STR("value")))) {
        replace_all(r, v, STR(REDACTED));
        return true;
    }
    if (secret_name_is(key) || (is_key && str_eq(key, STR("value"))))
        replace_named(r, v);
    return false;
}

/* A text without what looks like a secret, whether it is a file, a URL or prose. */
static str without_shapes(struct arena *a, str text)
{
    for (size_t i = 0; i < COUNT(secret_marks); i++)
        if (str_contains(text, str_c(secret_marks[i])))
            return STR(REDACTED);
    if (str_has_prefix(text, STR("https://")) || str_has_prefix(text, STR("http://")))
        text = redact_url(a, text);
    return redact_lines(a, redact_text(a, redact_urls(a, text)));
}

/* A text whose name does not identify it as a secret. */
static void redact_string(struct redaction *r, struct value *v)
{
    bool has_secret = redact_has_secret(value_str(v));

    /* A manifest, as in a ConfigMap. */
    if (has_secret && looks_like_json(value_str(v)))
        redact_nested(r, v, false);
    else if (has_secret)
        replace(r, v, STR(REDACTED));
    /* First what is known: the rest might leave a part of it. */
    str text = secret_values_hide(r->arena, r->whole, value_str(v));
    replace(r, v, without_shapes(r->arena, text));
}

/* ---- Whole objects. ---- */

static bool is_of_secret(const struct value *v)
{
    str kind = value_get_str(v, STR("kind"));

    return str_eq(kind, STR("Secret")) || str_eq(kind, STR("SecretList"));
}

/* Whether it is a single object; those of a list are handled separately. */
static bool is_whole(const struct value *v)
{
    return value_is(v, VALUE_OBJECT) && value_is(value_get(v, STR("metadata")), VALUE_OBJECT) &&
           !value_is(value_get(v, STR("items")), VALUE_LIST);
}

static void hide_whole(struct redaction *r, struct value *v)
{
    for (size_t i = 0; i < value_len(v); i++)
        hide_whole(r, &v->items[i]);
    if (v->kind == VALUE_STRING)
        replace(r, v, secret_values_hide(r->arena, r->whole, value_text(v)));
}

/* Masks an object that contains Secrets, with all copies of their values elsewhere in it. */
static void redact_whole(struct redaction *r, struct value *v)
{
    struct value *notes = value_get(value_get(v, STR("metadata")), STR("annotations"));

    if (!r->whole)
        return;
    for (size_t i = 0; i < value_len(notes); i++) {
        if (looks_like_json(value_str(&notes->items[i])))
            redact_nested(r, &notes->items[i], false);
    }
    hide_whole(r, v);
}

/* Arguments of programs: "--password", "x". */
static void redact_arguments(struct redaction *r, struct value *list)
{
    for (size_t i = 0; i + 1 < list->len; i++) {
        str text = value_str(&list->items[i]);
        if (str_has_prefix(text, STR("-")) && secret_name_is(text))
            replace_named(r, &list->items[i + 1]);
    }
}

static void redact_parts(struct redaction *r, struct value *v, bool is_secret)
{
    /* Azure's keys, and variables of containers. */
    bool is_key = value_get(v, STR("keyName")) || secret_name_is(value_get_str(v, STR("name"))) ||
                  secret_name_is(value_get_str(v, STR("key")));

    r->met_secret |= is_secret;
    if (is_secret && value_is(value_get(v, STR("metadata")), VALUE_OBJECT)) {
        r->values.len = 0;
        note_values(r, value_get(v, STR("data")), true);
        note_values(r, value_get(v, STR("stringData")), false);
        redact_copies(r, value_get(value_get(v, STR("metadata")), STR("annotations")));
    }
    if (v->kind == VALUE_STRING)
        redact_string(r, v);
    if (v->kind == VALUE_LIST)
        redact_arguments(r, v);
    for (size_t i = 0; i < value_len(v); i++) {
        struct value *item = &v->items[i];
        if (v->kind != VALUE_OBJECT || !redact_member(r, item, is_secret, is_key))
            redact_value(r, item, is_secret);
    }
}

/* is_secret: v is a Secret, or a part of one that may contain its data. */
static void redact_value(struct redaction *r, struct value *v, bool is_secret)
{
    is_secret |= is_of_secret(v);
    if (r->in_whole || !is_whole(v)) {
        redact_parts(r, v, is_secret);
        return;
    }
    AUTO_ARENA values = arena_new();
    r->in_whole = true;
    r->whole = secret_values_within(values, v, is_secret, STR(REDACTED));
    redact_parts(r, v, is_secret);
    redact_whole(r, v);
    r->in_whole = false;
    r->whole = NULL;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

/* Handles what follows the last valid value: it is kept only if it is harmless. */
static void redact_tail(struct redaction *r, struct buf *out, str tail, bool is_first)
{
    str rest = str_trim(tail);
    bool is_harmless = !rest.len || str_eq(rest, STR(REDACTED));

    if (is_harmless || !(r->met_secret || secret_name_is_in(r->arena, rest))) {
        str shown = without_shapes(r->arena, tail);
        r->changed |= !str_eq(shown, tail);
        buf_add(out, shown);
        return;
    }
    /* Keep it separate from the previous value, so that redacting again gives the same result. */
    if (!is_first)
        buf_char(out, '\n');
    buf_add(out, STR(REDACTED));
    r->changed = true;
}

/* Masks one or more JSON values, with everything between them unchanged. */
static str redact_json(struct arena *a, str body, bool is_secret)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct redaction r = {.arena = a, .met_secret = is_secret};
    struct source src = {.text = body};
    struct value *v;
    size_t offset = 0, before = 0;

    while (json_read_next(a, &src, &strict, &offset, &v, NULL) && v) {
        buf_add(&b, str_slice(body, before, v->pos - 1));
        redact_value(&r, v, is_secret);
        if (!json_write(&b, v, &json_exact, NULL))
            return STR(REDACTED);
        before = offset;
    }
    redact_tail(&r, &b, str_from(body, before), before == 0);
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

static bool is_form(str content_type)
{
    str form = STR("application/x-www-form-urlencoded");

    return str_eq_fold(str_slice(content_type, 0, form.len), form);
}

str redact_body(struct arena *a, str url, str content_type, str body)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str text = str_trim(body);
    bool looks_json = text.len && str_find_char(STR("{[\""), text.ptr[0]) != STR_NPOS;

    if (looks_json)
        return redact_json(a, body, is_secret_url(url));
    if (is_form(content_type)) {
        redact_pairs(a, &b, body);
        return buf_str(&b);
    }
    if (text.len && (is_secret_url(url) || secret_name_is_in(a, body)))
        return STR(REDACTED);
    return without_shapes(a, body);
}

/* ---- What comes back ------------------------------------------------------------------------ */

struct sent {
    struct arena *arena;
    str text; /* without what was masked so far */
};

static void hide(struct sent *s, str secret)
{
    s->text = without(s->arena, s->text, secret);
}

/* Masks it as sent, and as servers decode it. */
static void hide_escaped(struct sent *s, str secret, bool plus)
{
    str plain;

    hide(s, secret);
    if (url_unescape(s->arena, secret, plus, &plain))
        hide(s, plain);
}

/* A user without a password is a token. */
static void hide_password(struct sent *s, str user_and_password)
{
    str user, password;

    str_cut(user_and_password, STR(":"), &user, &password);
    hide_escaped(s, url_is_token(user_and_password) ? user : password, false);
}

/* "Bearer x", "Basic dTpw", or something without a scheme. */
static void hide_credentials(struct sent *s, str value)
{
    str scheme, rest, plain;
    size_t bad;

    hide(s, str_cut(value, STR(" "), &scheme, &rest) ? str_trim(rest) : value);
    if (str_eq_fold(scheme, STR("Basic")) && base64_decode(s->arena, str_trim(rest), &plain, &bad))
        hide_password(s, plain);
}

static void hide_pairs(struct sent *s, str pairs)
{
    str rest = pairs, pair, name, value, plain;
    bool is_of_signed = is_signed(pairs);

    for (bool more = pairs.len > 0; more;) {
        more = str_cut(rest, STR("&"), &pair, &rest);
        if (!str_cut(pair, STR("="), &name, &value))
            continue;
        plain = url_unescape(s->arena, name, true, &plain) ? plain : name;
        if (is_secret_parameter(plain, is_of_signed))
            hide_escaped(s, value, true);
    }
}

/* The HTTP client sends the user and password of a URL in a header. */
static void hide_url(struct sent *s, str url)
{
    struct url u;
    str plain;

    if (!url_parse(s->arena, url, &u, NULL))
        return;
    hide_pairs(s, u.query);
    if (!u.has_user || !url_unescape(s->arena, u.userinfo, false, &plain))
        return;
    hide(s, base64_encode(s->arena, plain));
    hide_password(s, u.userinfo);
}

str redact_sent(struct arena *a, const struct http_request *r, str text)
{
    struct sent s = {a, text};

    if (text.len < SECRET_MIN)
        return text;
    for (size_t i = 0; i < r->headers.len; i++) {
        const struct http_header *h = &r->headers.items[i];
        if (IS_LISTED(h->name, secret_headers) || secret_name_is(h->name))
            hide_credentials(&s, h->value);
    }
    hide_url(&s, r->url);
    if (is_form(http_header_get(&r->headers, STR("Content-Type"))))
        hide_pairs(&s, r->body);
    return s.text;
}

void redact_answer(struct arena *a, const struct http_request *r, struct http_response *response,
                   struct err *e)
{
    bool is_fine = response->status / 100 == 2;

    for (size_t i = 0; i < response->headers.len; i++) {
        struct http_header *h = &response->headers.items[i];
        if (!is_fine || str_eq_fold(h->name, STR("Warning")))
            h->value = redact_sent(a, r, h->value);
    }
    if (!is_fine)
        response->body = redact_sent(a, r, response->body);
    if (e && e->kind)
        err_set_str(e, e->kind, str_copy(a, redact_sent(a, r, e->text)));
}
