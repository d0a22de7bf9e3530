/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact_text.c - finds secrets in prose by their shape: see redact_text in redact.h.
 *
 * The text is scanned once from left to right: at each position a rule either removes a piece or
 * leaves it to the next rule.
 */
#include "net/redact.h"
#include "text/secret_name.h"

struct walk {
    struct arena *arena;
    str text;
    size_t at;
    struct buf out;
};

static char char_at(const struct walk *w, size_t i)
{
    return i < w->text.len ? w->text.ptr[i] : '\0';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static bool is_one_of(char c, const char *list)
{
    return c && str_find_char(str_c(list), c) != STR_NPOS;
}

/* The end of the run of characters not in list, from i on. */
static size_t until(const struct walk *w, size_t i, const char *list)
{
    while (i < w->text.len && !is_one_of(w->text.ptr[i], list))
        i++;
    return i;
}

static bool begins(const struct walk *w, size_t i, const char *what)
{
    return str_has_prefix(str_from(w->text, i), str_c(what));
}

static void take_away(struct walk *w, size_t begin, size_t end)
{
    buf_add(&w->out, str_slice(w->text, w->at, begin));
    buf_add(&w->out, STR(REDACTED));
    w->at = end;
}

/* ---- Rules. Each is true when it went on. ---------------------------------------------------- */

static bool take_url(struct walk *w)
{
    if (!begins(w, w->at, "https://") && !begins(w, w->at, "http://"))
        return false;
    size_t end = until(w, w->at, " \t\r\n\"'<>\\");
    buf_add(&w->out, redact_url(w->arena, str_slice(w->text, w->at, end)));
    w->at = end;
    return true;
}

/* The longest line before a private key, up to the mark. */
#define KEY_NAME_MAX 40

static bool take_private_key(struct walk *w)
{
    static const str mark = STR_INIT("PRIVATE KEY-----");
    str rest = str_from(w->text, w->at);

    if (!begins(w, w->at, "-----BEGIN "))
        return false;
    size_t name = str_find(str_slice(rest, 0, KEY_NAME_MAX + mark.len), mark), end;
    if (name == STR_NPOS)
        return false;
    end = str_find(str_from(rest, name + mark.len), mark);
    take_away(w, w->at, end == STR_NPOS ? w->text.len : w->at + name + end + 2 * mark.len);
    return true;
}

/* The header and the body of a token are JSON, so both start with the same three characters. */
static bool take_jwt(struct walk *w)
{
    size_t end = w->at, dots = 0;

    if (!begins(w, w->at, "eyJ"))
        return false;
    while (is_word(char_at(w, end)) || (char_at(w, end) == '.' && is_word(char_at(w, end + 1))))
        dots += w->text.ptr[end++] == '.';
    if (!dots || end - w->at < 20)
        return false;
    take_away(w, w->at, end);
    return true;
}

/* "Bearer x" and "Basic x", where x looks like more than a word. */
static bool take_credentials(struct walk *w, str word, size_t end)
{
    if ((!str_eq_fold(word, STR("Bearer")) && !str_eq_fold(word, STR("Basic"))) ||
        char_at(w, end) != ' ')
        return false;
    size_t last = until(w, end + 1, " \t\r\n\"'\\,;)");
    if (last - end <= 16)
        return false;
    take_away(w, end + 1, last);
    return true;
}

/*
 * The end of a quoted text that begins at i. In JSON inside a text its quotes have backslashes, and
 * quotes within it have more of them.
 */
static size_t quoted_end(const struct walk *w, size_t i, char quote, size_t slashes)
{
    size_t before = 0;

    for (; i < w->text.len; i++) {
        char c = w->text.ptr[i];
        if (c == quote && before % (2 * (slashes + 1)) == slashes)
            return i - slashes;
        before = c == '\\' ? before + 1 : 0;
    }
    return i;
}

/* The shortest login in base64 in a file of registries, and the shortest token. */
#define LOGIN_MIN 12
#define TOKEN_MIN 20

/*
 * password=x, AccountKey=x; and "password": "x", also in JSON inside a text. The "auth" of a
 * registry is one only if it is quoted.
 */
static bool take_named(struct walk *w, str word, size_t end)
{
    size_t i = end, slashes = 0;

    bool is_login = str_eq(word, STR("auth")) || str_eq(word, STR("_auth"));
    if (!is_login && !secret_name_is(word) && !str_eq(word, STR("sig")))
        return false;
    while (is_one_of(char_at(w, i), "\\\"' "))
        i++;
    if (!is_one_of(char_at(w, i), "=:"))
        return false;
    bool assigned = char_at(w, i++) == '=';
    for (; is_one_of(char_at(w, i), "\\ "); i++)
        slashes = char_at(w, i) == '\\' ? slashes + 1 : 0;
    bool quoted = is_one_of(char_at(w, i), "\"'");
    if (!(assigned && !is_login) && !quoted)
        return false;
    i += quoted;
    /* Three quotes, as in TOML. */
    if (quoted && char_at(w, i) == char_at(w, i - 1) && char_at(w, i + 1) == char_at(w, i))
        i += 2;
    size_t last = quoted ? quoted_end(w, i, char_at(w, i - 1), slashes)
                         : until(w, i, " \t\r\n\"'\\,;&)");
    if (last == i || (is_login && last - i < LOGIN_MIN))
        return false;
    take_away(w, i, last);
    return true;
}

/* "<password>x</password>". */
static bool take_element(struct walk *w, str word, size_t end)
{
    if (!w->at || w->text.ptr[w->at - 1] != '<' || char_at(w, end) != '>' || !secret_name_is(word))
        return false;
    size_t last = until(w, end + 1, "<");
    if (last == end + 1 || !begins(w, last, "</"))
        return false;
    take_away(w, end + 1, last);
    return true;
}

/* Tokens that say what they are. */
static bool take_token(struct walk *w, str word, size_t end)
{
    static const char *const prefixes[] = {"ghp_", "gho_",        "ghs_",  "ghu_",
                                           "ghr_", "github_pat_", "glpat-"};

    for (size_t i = 0; i < COUNT(prefixes) && word.len >= TOKEN_MIN; i++)
        if (str_has_prefix(word, str_c(prefixes[i]))) {
            take_away(w, w->at, end);
            return true;
        }
    return false;
}

static void take_word(struct walk *w)
{
    size_t end = w->at;

    while (is_word(char_at(w, end)))
        end++;
    str word = str_slice(w->text, w->at, end);
    if (take_jwt(w) || take_credentials(w, word, end) || take_named(w, word, end) ||
        take_element(w, word, end) || take_token(w, word, end))
        return;
    buf_add(&w->out, word);
    w->at = end;
}

str redact_text(struct arena *a, str text)
{
    struct walk w = {.arena = a, .text = text, .out = buf_new(a, BUF_UNLIMITED)};

    while (w.at < text.len) {
        if (take_url(&w) || take_private_key(&w))
            continue;
        if (is_word(text.ptr[w.at]))
            take_word(&w);
        else
            buf_char(&w.out, text.ptr[w.at++]);
    }
    return str_eq(buf_str(&w.out), text) ? text : buf_str(&w.out);
}
