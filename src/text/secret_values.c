/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_values.c - finds values of Secrets in texts; see secret_values.h.
 *
 * Each form of a value to look for (literal, quoted, in base64) is a needle. Needles are sorted:
 * the longest one that a text begins with is the last one not greater than the text, or one of the
 * needles that this one begins with (parent). A filter on the first bytes avoids the search at
 * nearly all places of a text. Indentation after a line break is ignored in both needle and text,
 * because templates indent values of several lines.
 */
#include "text/secret_values.h"
#include "base/map.h"
#include "base/strset.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "go/quote.h"
#include "text/codec.h"
#include "text/html.h"
#include "text/json/json.h"
#include "text/secret_name.h"
#include "text/url.h"

#include <limits.h>

#define NONE SIZE_MAX
#define FILTER_BITS 65536
/* How many quoted parts of one message are checked, and how long they are at least. */
#define QUOTES_MAX 100
#define QUOTED_MIN 4
/* Words of a value that are masked on their own: how many at most, and how long at least. */
#define WORDS_MAX 256
#define WORD_MIN 20
/* Longer values are not looked up among those that were seen. */
#define SEEN_MAX (4 * KIB)
/* How much of a value that is a file is searched for words. */
#define FILE_KEPT (256 * KIB)

struct needle {
    str text;
    size_t value;  /* the number of the value */
    size_t parent; /* the longest other needle that it begins with, or NONE */
    bool cut;      /* the value is longer */
    bool exposed;  /* it and its parents occur in other objects */
};

struct secret_values {
    struct arena *arena;
    str mask;
    struct {
        struct needle *items;
        size_t len, cap;
    } needles;
    struct strset *seen; /* values that were added, until all are */
    size_t count;        /* of values */
    bool *open;          /* by value: it occurs in other objects, or identifies one */
    uint8_t filter[FILTER_BITS / 8];
};

/* ---- Secrets in objects. ---- */

static const char *const secret_fields[] = {"data", "stringData"};

static bool has_kind(const struct value *v, str kind)
{
    return str_eq(value_get_str(v, STR("kind")), kind);
}

bool secret_is_list(const struct value *v)
{
    return has_kind(v, STR("SecretList"));
}

/* "kind: Secret" or "kind: SecretList". For most objects, this is all that is searched for. */
static bool says_secret(const struct value *v)
{
    return v->kind == VALUE_STRING && v->len >= 6 && v->key_len == 4 &&
           memcmp(v->key, "kind", 4) == 0 && memcmp(v->text, "Secret", 6) == 0 &&
           (v->len == 6 || str_eq(value_str(v), STR("SecretList")));
}

bool secret_holds(const struct value *v)
{
    if (!value_is_container(v))
        return false;
    for (size_t i = 0; i < v->len; i++) {
        const struct value *item = &v->items[i];
        if (item->kind >= VALUE_LIST ? secret_holds(item) : says_secret(item))
            return true;
    }
    return false;
}

/* ---- Needles. ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without indentation after line ends. */
static str normal_form(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    bool indents = false;

    if (str_find_char(text, '\n') == STR_NPOS)
        return str_copy(a, text);
    for (size_t i = 0; i < text.len; i++) {
        indents = text.ptr[i] == '\n' || (indents && is_blank(text.ptr[i]));
        if (!indents || text.ptr[i] == '\n')
            buf_char(&out, text.ptr[i]);
    }
    return buf_str(&out);
}

static void add_needle(struct secret_values *s, str text, bool cut)
{
    if (text.len < SECRET_VALUE_MIN)
        return;
    struct needle n = {.text = normal_form(s->arena, text), .value = s->count, .cut = cut};
    if (n.text.len >= SECRET_VALUE_MIN)
        VEC_PUSH(s->arena, &s->needles, n);
}

static str with_instead(struct arena *a, str text, char what, str instead)
{
    const str sign = str_of(&what, 1);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    bool more = str_find_char(text, what) != STR_NPOS;
    str before;

    if (!more)
        return text;
    while (more) {
        more = str_cut(text, sign, &before, &text);
        buf_add(&out, before);
        buf_add(&out, more ? instead : STR_NONE);
    }
    return buf_str(&out);
}

/* Decodes base64 as Kubernetes does, or else the URL-safe alphabet without padding. */
static bool decode(struct arena *a, str text, str *plain)
{
    size_t bad;

    if (base64_decode(a, text, plain, &bad))
        return true;
    text = with_instead(a, with_instead(a, text, '-', STR("+")), '_', STR("/"));
    text = str_concat(a, text, str_slice(STR("=="), 0, -text.len % 4));
    return base64_decode(a, text, plain, &bad);
}

/*
 * Adds base64 without its padding, which is optional; find includes it in the match. scratch is for
 * temporary texts.
 */
static void add_encoded(struct secret_values *s, struct arena *scratch, str encoded, bool cut)
{
    while (encoded.len > SECRET_VALUE_MIN && str_has_suffix(encoded, STR("=")))
        encoded.len--;
    add_needle(s, encoded, cut);
    str other = with_instead(scratch, encoded, '+', STR("-"));
    other = with_instead(scratch, other, '/', STR("_"));
    if (!str_eq(other, encoded))
        add_needle(s, other, cut);
}

/*
 * Adds the base64 of a value encoded alone, and as part of something longer ("user:password"): that
 * depends on its offset modulo three, and the digits it shares with its neighbours are unknown.
 */
static void add_base64(struct secret_values *s, struct arena *scratch, str plain, bool cut)
{
    for (size_t before = 0; before < 3; before++) {
        struct buf text = buf_new(scratch, BUF_UNLIMITED);
        buf_repeat(&text, ' ', before);
        buf_add(&text, plain);
        str encoded = base64_encode(scratch, buf_str(&text));
        size_t from = before ? before + 1 : 0;
        if (!cut)
            add_encoded(s, scratch, str_from(encoded, from), false);
        add_encoded(s, scratch, str_slice(encoded, from, text.len * CHAR_BIT / 6), cut);
    }
}

/* Adds another spelling, such as the one between quotes or in a URL. */
static void add_spelled(struct secret_values *s, str plain, str spelled, bool cut)
{
    if (!str_eq(plain, spelled))
        add_needle(s, spelled, cut);
}

/* The template functions that change case: lower, upper, title, untitle, swapcase. */
enum letters { LETTERS_LOWER, LETTERS_UPPER, LETTERS_TITLE, LETTERS_UNTITLE, LETTERS_SWAPPED };

/* begins: r is the first letter of a word. */
static uint32_t letter(uint32_t r, enum letters how, bool begins)
{
    if (r < 'A')
        return r;
    switch (how) {
    case LETTERS_LOWER:
        return unicode_to_lower(r);
    case LETTERS_UPPER:
        return unicode_to_upper(r);
    case LETTERS_TITLE:
        return begins ? unicode_to_title(r) : r;
    case LETTERS_UNTITLE:
        return begins ? unicode_to_lower(r) : r;
    default:
        return unicode_is_lower(r) ? unicode_to_upper(r) : unicode_to_lower(r);
    }
}

/*
 * Whether a word begins after r: for untitle after white space, for title also after other signs.
 */
static bool ends_name(uint32_t r, enum letters how)
{
    bool sign = r < 0x80 && r != '_' && !unicode_is_letter(r) && !unicode_is_digit(r);

    return unicode_is_space(r) || (how == LETTERS_TITLE && sign);
}

static str in_letters(struct arena *a, str text, enum letters how)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    char encoded[UTF8_MAX];
    bool begins = true;

    for (size_t at = 0, width; at < text.len; at += width) {
        uint32_t r = utf8_decode(str_from(text, at), &width), other = letter(r, how, begins);
        if (other == r)
            buf_add(&out, str_slice(text, at, at + width));
        else
            buf_add(&out, str_of(encoded, utf8_encode(encoded, other)));
        begins = ends_name(r, how);
    }
    return buf_str(&out);
}

/*
 * What YAML makes of a value of several lines that a template puts between quotes: a line break is
 * a blank, and of several one less is left.
 */
static str folded(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t breaks = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\n') {
            while (!breaks && out.len && is_blank(out.data[out.len - 1]))
                buf_truncate(&out, out.len - 1);
            breaks++;
        } else if (!breaks || !is_blank(c)) {
            if (breaks)
                buf_repeat(&out, breaks > 1 ? '\n' : ' ', breaks > 1 ? breaks - 1 : 1);
            breaks = 0;
            buf_char(&out, c);
        }
    }
    return buf_str(&out);
}

/* Adds what template functions make of a value: other case, escapes for URLs, HTML and scripts. */
static void add_functions(struct secret_values *s, struct arena *scratch, str kept, bool cut)
{
    struct buf html = buf_new(scratch, BUF_UNLIMITED), js = buf_new(scratch, BUF_UNLIMITED);
    struct buf query = buf_new(scratch, BUF_UNLIMITED);

    url_query_escape(&query, kept);
    html_escape(&html, kept);
    js_escape(&js, kept);
    add_spelled(s, kept, buf_str(&query), cut);
    add_spelled(s, buf_str(&query), with_instead(scratch, buf_str(&query), '+', STR("%20")), cut);
    add_spelled(s, kept, buf_str(&html), cut);
    add_spelled(s, kept, buf_str(&js), cut);
    for (enum letters how = LETTERS_LOWER; how <= LETTERS_SWAPPED; how++)
        add_spelled(s, kept, in_letters(scratch, kept, how), cut);
}

static void add_forms(struct secret_values *s, str plain)
{
    AUTO_ARENA scratch = arena_new();
    bool cut = plain.len > SECRET_VALUE_KEPT;
    str kept = str_slice(plain, 0, SECRET_VALUE_KEPT);
    struct buf json = buf_new(scratch, BUF_UNLIMITED);
    str quoted = go_quoted(scratch, kept);
    str hex = hex_encode(scratch, (const unsigned char *)kept.ptr, kept.len);

    json_write_string(&json, kept, true);
    add_needle(s, kept, cut);
    add_spelled(s, kept, str_slice(quoted, 1, quoted.len - 1), cut);
    add_spelled(s, kept, str_slice(buf_str(&json), 1, json.len - 1), cut);
    add_spelled(s, kept, with_instead(scratch, kept, '\'', STR("''")), cut);
    if (str_find_char(kept, '\n') != STR_NPOS)
        add_spelled(s, kept, folded(scratch, kept), cut);
    add_functions(s, scratch, kept, cut);
    add_needle(s, hex, cut);
    add_spelled(s, hex, in_letters(scratch, hex, LETTERS_UPPER), cut);
    add_base64(s, scratch, kept, cut);
}

/* ---- Words of a value. ---- */

/*
 * A value may be a file: a PEM key, settings in JSON, YAML or lines, a registry login, a URL.
 * Templates take such values apart, so the secrets in them are masked on their own: values with a
 * secret name, passwords in URLs, and long words with digits, which keys and tokens consist of.
 */
struct words {
    struct secret_values *set;
    size_t counts[2]; /* of words without and with a secret name */
    bool named;       /* the next word has a secret name */
    bool decoded;     /* the text was encoded in the value */
    str last;
};

static void take_words(struct words *w, str text);

/* A word may be base64: a key, a text such as "user:password". */
static void add_decoded(struct words *w, str word, bool has_name)
{
    struct words inner = {.set = w->set, .decoded = true};
    str plain, user, password;

    if (w->decoded || !decode(w->set->arena, word, &plain) || plain.len < SECRET_VALUE_MIN ||
        utf8_find_invalid(plain) != STR_NPOS)
        return;
    plain = str_trim(plain);
    if (!has_name) {
        add_needle(w->set, str_slice(plain, 0, SECRET_VALUE_KEPT), plain.len > SECRET_VALUE_KEPT);
        w->set->count++;
        return;
    }
    add_forms(w->set, plain);
    w->set->count++;
    if (str_cut(plain, STR(":"), &user, &password)) {
        add_forms(w->set, password);
        w->set->count++;
    }
    take_words(&inner, plain);
}

/* Values with a name are added in all forms; long words only literally, since there are many. */
static void add_word(struct words *w, str word, bool has_name)
{
    if (word.len < SECRET_VALUE_MIN || w->counts[has_name]++ >= WORDS_MAX)
        return;
    if (has_name)
        add_forms(w->set, word);
    else
        add_needle(w->set, str_slice(word, 0, SECRET_VALUE_KEPT), word.len > SECRET_VALUE_KEPT);
    w->set->count++;
    add_decoded(w, word, has_name);
}

static bool ends_word(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'`,;{}[]<>&", c);
}

static bool is_secret_name(str name)
{
    static const char *const names[] = {"auth", "_auth", "pass", "pwd"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_fold(name, str_c(names[i])))
            return true;
    return secret_name_is(name);
}

static bool is_long_and_random(str word)
{
    bool digit = false, letter = false;

    for (size_t i = 0; i < word.len; i++) {
        digit |= word.ptr[i] >= '0' && word.ptr[i] <= '9';
        letter |= (word.ptr[i] | 0x20) >= 'a' && (word.ptr[i] | 0x20) <= 'z';
    }
    return word.len >= WORD_MIN && digit && letter;
}

/* Handles "name=", "name:" or only the sign, whose value is in this word or the next one. */
static void take_word(struct words *w, str word)
{
    size_t start, end, sign = 0;
    bool was_named = w->named;

    while (sign < word.len && word.ptr[sign] != '=' && word.ptr[sign] != ':')
        sign++;
    str name = sign ? str_slice(word, 0, sign) : w->last, rest = str_from(word, sign + 1);
    bool names = sign < word.len && is_secret_name(name);
    w->named = names && !rest.len;
    w->last = word;
    if (url_find_password(word, &start, &end))
        add_word(w, str_slice(word, start, end), true);
    else if (names || was_named)
        add_word(w, names ? rest : word, true);
    else if (!str_contains(word, STR("://")) && is_long_and_random(word))
        add_word(w, word, false);
}

static void take_words(struct words *w, str text)
{
    for (size_t from = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && !ends_word(text.ptr[i]))
            continue;
        if (i > from)
            take_word(w, str_slice(text, from, i));
        from = i + 1;
    }
}

/* Starts with a private key, since any number of certificates may come before it. */
static void add_words(struct secret_values *s, str plain)
{
    struct words w = {.set = s};
    size_t key = str_find(plain, STR("PRIVATE KEY-----"));

    if (str_find_char(str_slice(plain, 0, FILE_KEPT), '\0') != STR_NPOS)
        return;
    if (key != STR_NPOS) {
        take_words(&w, str_slice(plain, key, key + FILE_KEPT));
        plain = str_slice(plain, 0, key);
        w = (struct words){.set = s};
    }
    take_words(&w, str_slice(plain, 0, FILE_KEPT));
}

static void add_value(struct secret_values *s, str plain)
{
    str trimmed = str_trim(plain);

    if (str_eq(plain, s->mask))
        return;
    add_forms(s, plain);
    if (trimmed.len != plain.len)
        add_forms(s, trimmed);
    s->count++;
    add_words(s, trimmed);
}

static str without_blanks(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++)
        if (!is_blank(text.ptr[i]) && text.ptr[i] != '\r' && text.ptr[i] != '\n')
            buf_char(&out, text.ptr[i]);
    return buf_str(&out);
}

/* Whether the value was added before: copies of a Secret are in many namespaces. Notes it. */
static bool is_seen(struct secret_values *s, str text, bool encoded)
{
    AUTO_ARENA scratch = arena_new_secret();

    return text.len <= SEEN_MAX &&
           !strset_add(s->seen, str_concat(scratch, encoded ? STR("d") : STR("s"), text), NULL);
}

/* Adds the values below a field; those of data are in base64. */
static void add_field(struct secret_values *s, const struct value *v, bool encoded)
{
    str text, plain;

    if (value_is_container(v)) {
        for (size_t i = 0; i < v->len; i++)
            add_field(s, &v->items[i], encoded);
        return;
    }
    text = value_text(v);
    if (!text.len || is_seen(s, text, encoded))
        return;
    if (!encoded || !decode(s->arena, without_blanks(s->arena, text), &plain)) {
        add_value(s, text);
        return;
    }
    if (str_eq(plain, s->mask))
        return;
    AUTO_ARENA scratch = arena_new();
    bool cut = text.len > SECRET_VALUE_KEPT;
    add_needle(s, str_slice(text, 0, SECRET_VALUE_KEPT), cut);
    if (text.len >= SECRET_VALUE_MIN)
        add_base64(s, scratch, str_slice(text, 0, SECRET_VALUE_KEPT), cut);
    add_value(s, plain);
}

static void collect(struct secret_values *s, const struct value *v, bool is_item)
{
    bool is_list = v->kind == VALUE_OBJECT && secret_is_list(v);

    if (v->kind == VALUE_OBJECT && (is_item || has_kind(v, STR("Secret"))))
        for (size_t i = 0; i < COUNT(secret_fields); i++) {
            const struct value *field = value_get(v, str_c(secret_fields[i]));
            if (field)
                add_field(s, field, i == 0);
        }
    for (size_t i = 0; value_is_container(v) && i < v->len; i++) {
        const struct value *item = &v->items[i];
        bool items = is_list && str_eq(value_key(item), STR("items")) && item->kind == VALUE_LIST;
        for (size_t k = 0; items && k < item->len; k++)
            collect(s, &item->items[k], true);
        if (!items && value_is_container(item))
            collect(s, item, false);
    }
}

/* ---- Order. ---- */

/* Whether the next eight bytes of both are the same, without a line break. */
static bool has_same_word(str needle, size_t i, str text, size_t at)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t x, y;

    if (needle.len - i < sizeof(x) || text.len - at < sizeof(y))
        return false;
    memcpy(&x, needle.ptr + i, sizeof(x));
    memcpy(&y, text.ptr + at, sizeof(y));
    uint64_t ends = x ^ (ones * '\n');
    return x == y && !((ends - ones) & ~ends & (ones * 0x80));
}

/*
 * How many bytes of the needle the text begins with; *taken is how many bytes of the text that is.
 */
static size_t common(str needle, str text, size_t *taken)
{
    size_t i = 0, at = 0;

    while (has_same_word(needle, i, text, at)) {
        i += sizeof(uint64_t);
        at += sizeof(uint64_t);
    }
    while (i < needle.len && at < text.len && needle.ptr[i] == text.ptr[at]) {
        at++;
        if (needle.ptr[i++] != '\n')
            continue;
        while (at < text.len && is_blank(text.ptr[at]))
            at++;
        while (has_same_word(needle, i, text, at)) {
            i += sizeof(uint64_t);
            at += sizeof(uint64_t);
        }
    }
    *taken = at;
    return i;
}

/* Whether the needle is not greater than the text, or the text begins with it. */
static bool is_before(str needle, str text)
{
    size_t at, i = common(needle, text, &at);

    return i == needle.len ||
           (at < text.len && (unsigned char)needle.ptr[i] < (unsigned char)text.ptr[at]);
}

static int compare_needles(const void *x, const void *y)
{
    const struct needle *p = x, *q = y;
    size_t len = p->text.len < q->text.len ? p->text.len : q->text.len;
    int order = memcmp(p->text.ptr, q->text.ptr, len);

    if (order)
        return order;
    if (p->text.len != q->text.len)
        return p->text.len < q->text.len ? -1 : 1;
    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->cut - q->cut;
}

static uint32_t filter_bit(const char *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return (uint32_t)((bytes * 0x9E3779B97F4A7C15u) >> 48);
}

static bool is_double(const struct needle *x, const struct needle *y)
{
    return x->value == y->value && x->cut == y->cut && str_eq(x->text, y->text);
}

/*
 * The same text may be a form of different values, one of which other objects show and one of which
 * they do not: it stays for both, one the parent of the other.
 */
static void drop_doubles(struct secret_values *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->needles.len; i++)
        if (!kept || !is_double(&s->needles.items[i], &s->needles.items[kept - 1]))
            s->needles.items[kept++] = s->needles.items[i];
    s->needles.len = kept;
}

static void sort(struct secret_values *s)
{
    struct needle *all = s->needles.items;

    qsort(all, s->needles.len, sizeof(*all), compare_needles);
    drop_doubles(s);
    for (size_t i = 0; i < s->needles.len; i++) {
        uint32_t bit = filter_bit(all[i].text.ptr);
        size_t parent = i ? i - 1 : NONE;
        s->filter[bit / 8] |= (uint8_t)(1 << bit % 8);
        while (parent != NONE && !str_has_prefix(all[i].text, all[parent].text))
            parent = all[parent].parent;
        all[i].parent = parent;
    }
}

/* ---- Finding. ---- */

/* The last needle that is not greater than the text, or NONE. */
static size_t find_before(const struct secret_values *s, str text)
{
    size_t low = 0, high = s->needles.len;

    if (text.len < SECRET_VALUE_MIN)
        return NONE;
    uint32_t bit = filter_bit(text.ptr);
    if (!(s->filter[bit / 8] & (1 << bit % 8)))
        return NONE;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (is_before(s->needles.items[middle].text, text))
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : NONE;
}

/* The longest needle of a secret that the text begins with, or NULL; *taken is its length there. */
static const struct needle *find(const struct secret_values *s, str text, size_t *taken)
{
    size_t at = find_before(s, text);

    if (at == NONE)
        return NULL;
    size_t same = common(s->needles.items[at].text, text, taken);
    while (at != NONE &&
           (s->needles.items[at].text.len > same || s->open[s->needles.items[at].value]))
        at = s->needles.items[at].parent;
    if (at == NONE)
        return NULL;
    (void)common(s->needles.items[at].text, text, taken);
    while (*taken < text.len && text.ptr[*taken] == '=')
        ++*taken;
    if (s->needles.items[at].cut)
        *taken = text.len;
    return &s->needles.items[at];
}

/* ---- What is not secret. ---- */

static void expose_text(struct secret_values *s, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        str rest = str_from(text, i);
        size_t at = find_before(s, rest), taken;
        size_t same = at == NONE ? 0 : common(s->needles.items[at].text, rest, &taken);
        for (; at != NONE && !s->needles.items[at].exposed; at = s->needles.items[at].parent)
            if (s->needles.items[at].text.len <= same) {
                s->open[s->needles.items[at].value] = true;
                s->needles.items[at].exposed = true;
            }
    }
}

/* Leaves out the parents that are open: they are not looked for. */
static void skip_open(struct secret_values *s)
{
    for (size_t i = 0; i < s->needles.len; i++) {
        size_t parent = s->needles.items[i].parent;
        if (parent != NONE && s->open[s->needles.items[parent].value])
            s->needles.items[i].parent = s->needles.items[parent].parent;
    }
}

static void expose_tree(struct secret_values *s, const struct value *v)
{
    if (!value_is_container(v)) {
        expose_text(s, value_text(v));
        return;
    }
    for (size_t i = 0; i < v->len; i++) {
        if (v->kind == VALUE_OBJECT)
            expose_text(s, value_key(&v->items[i]));
        expose_tree(s, &v->items[i]);
    }
}

/* The identity of an object. */
static void expose_identity(struct secret_values *s, const struct value *v)
{
    const struct value *meta = value_get(v, STR("metadata"));

    expose_text(s, value_get_str(v, STR("apiVersion")));
    expose_text(s, value_get_str(v, STR("kind")));
    expose_text(s, value_get_str(meta, STR("namespace")));
    expose_text(s, value_get_str(meta, STR("name")));
}

/* The same for the objects embedded in it, and all keys. */
static void expose_identities(struct secret_values *s, const struct value *v)
{
    expose_identity(s, v);
    for (size_t i = 0; i < v->len; i++) {
        if (v->kind == VALUE_OBJECT)
            expose_text(s, value_key(&v->items[i]));
        if (value_is_container(&v->items[i]))
            expose_identities(s, &v->items[i]);
    }
}

static struct secret_values *new_set(struct arena *a, str mask)
{
    struct secret_values *s = ARENA_NEW(a, struct secret_values);

    s->arena = a;
    s->mask = mask;
    s->seen = strset_new(a, 0);
    return s;
}

/* False when the set is empty. */
static bool finish(struct secret_values *s)
{
    strset_free(s->seen);
    s->seen = NULL;
    if (!s->needles.len)
        return false;
    s->open = ARENA_ARRAY(s->arena, bool, s->count);
    sort(s);
    return true;
}

struct secret_values *secret_values_of(struct arena *a, struct value *const *objects, size_t count)
{
    struct secret_values *s = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!objects[i] || !secret_holds(objects[i]))
            continue;
        if (!s)
            s = new_set(a, STR("***"));
        collect(s, objects[i], false);
    }
    if (!s || !finish(s))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (objects[i] && secret_holds(objects[i]))
            expose_identities(s, objects[i]);
        else if (objects[i])
            expose_tree(s, objects[i]);
    skip_open(s);
    return s;
}

struct secret_values *secret_values_within(struct arena *a, const struct value *object,
                                           bool is_secret, str mask)
{
    struct secret_values *s;

    if (!is_secret && !secret_holds(object))
        return NULL;
    s = new_set(a, mask);
    collect(s, object, is_secret);
    if (!finish(s))
        return NULL;
    expose_identity(s, object);
    skip_open(s);
    return s;
}

/* ---- Hiding. ---- */

/* Needles that a message contains. */
struct hits {
    const struct needle *items[16];
    size_t len;
};

static str hide(struct arena *a, const struct secret_values *s, str text, struct hits *hits)
{
    struct buf out = {0};
    size_t done = 0, taken;

    for (size_t i = 0; i + SECRET_VALUE_MIN <= text.len; i++) {
        const struct needle *n = find(s, str_from(text, i), &taken);
        if (!n)
            continue;
        if (!out.arena)
            out = buf_new(a, BUF_UNLIMITED);
        buf_add(&out, str_slice(text, done, i));
        buf_add(&out, s->mask);
        done = i + taken;
        i = done - 1;
        if (hits && hits->len < COUNT(hits->items))
            hits->items[hits->len++] = n;
    }
    if (!done)
        return text;
    buf_add(&out, str_from(text, done));
    return buf_str(&out);
}

str secret_values_hide(struct arena *a, const struct secret_values *s, str text)
{
    return s ? hide(a, s, text, NULL) : text;
}

/*
 * Whether a quoted piece is part of a value: of one that was found, its end even if it is shorter;
 * in backquotes, where errors about patterns quote only the part that is wrong, of any.
 */
static bool is_fragment(const struct secret_values *s, const struct hits *hits, str piece,
                        char quote)
{
    for (size_t i = 0; piece.len && i < hits->len; i++)
        if (piece.len < QUOTED_MIN ? str_has_suffix(hits->items[i]->text, piece)
                                   : str_contains(hits->items[i]->text, piece))
            return true;
    if (quote != '`' || piece.len < QUOTED_MIN)
        return false;
    for (size_t i = 0; i < s->needles.len; i++)
        if (!s->open[s->needles.items[i].value] && str_contains(s->needles.items[i].text, piece))
            return true;
    return false;
}

static bool is_in_word(str text, size_t i)
{
    return i < text.len &&
           (unicode_is_letter((uint8_t)text.ptr[i]) || unicode_is_digit((uint8_t)text.ptr[i]));
}

/* Whether a quoted piece begins at i. An apostrophe within a word does not begin one. */
static bool is_quote(str text, size_t i)
{
    char c = text.ptr[i];

    return c == '"' || c == '`' || (c == '\'' && (!i || !is_in_word(text, i - 1)));
}

/* The position of the quote that closes the one at start, or NONE. */
static size_t quote_end(str text, size_t start)
{
    char quote = text.ptr[start];

    for (size_t i = start + 1; i < text.len; i++)
        if (quote == '"' && text.ptr[i] == '\\')
            i++;
        else if (text.ptr[i] == quote && !(quote == '\'' && is_in_word(text, i + 1)))
            return i;
    return NONE;
}

str secret_values_hide_message(struct arena *a, const struct secret_values *s, str text)
{
    struct hits hits = {0};

    if (!s)
        return text;
    str shown = hide(a, s, text, &hits);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t done = 0, quotes = 0;
    for (size_t i = 0; i < shown.len && quotes < QUOTES_MAX; i++) {
        size_t end = is_quote(shown, i) ? quote_end(shown, i) : NONE;
        if (end == NONE)
            continue;
        quotes++;
        if (is_fragment(s, &hits, str_slice(shown, i + 1, end), shown.ptr[i])) {
            buf_add(&out, str_slice(shown, done, i + 1));
            buf_add(&out, s->mask);
            done = end;
        }
        i = end;
    }
    if (!done)
        return shown;
    buf_add(&out, str_from(shown, done));
    return buf_str(&out);
}

/* ---- Trees. ---- */

struct hiding {
    struct arena *arena;
    const struct secret_values *values;
    bool found;
};

static void set_text(struct value *v, str text)
{
    v->kind = VALUE_STRING;
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
}

static bool is_text(const struct value *v)
{
    return v && (v->kind == VALUE_STRING || value_is_number(v));
}

static void hide_texts(struct hiding *h, struct value *before, struct value *after)
{
    bool both = is_text(before) && is_text(after);
    bool differ = both && !value_equal(before, after);
    str old = value_text(before), new_ = value_text(after);
    str shown_old = secret_values_hide(h->arena, h->values, old);
    str shown_new = secret_values_hide(h->arena, h->values, new_);

    if (shown_old.ptr == old.ptr && shown_new.ptr == new_.ptr)
        return;
    h->found = true;
    if (differ && str_eq(shown_old, shown_new)) {
        shown_old = str_concat(h->arena, shown_old, STR(" (before)"));
        shown_new = str_concat(h->arena, shown_new, STR(" (after)"));
    }
    if (before && shown_old.ptr != old.ptr)
        set_text(before, shown_old);
    if (after && shown_new.ptr != new_.ptr)
        set_text(after, shown_new);
}

struct value *secret_counterpart(const struct value *v, size_t i, const struct value *other)
{
    if (!other || other->kind != v->kind)
        return NULL;
    if (v->kind == VALUE_OBJECT)
        return value_get(other, value_key(&v->items[i]));
    return i < other->len ? &other->items[i] : NULL;
}

static bool identifies(str key, int level)
{
    return level == 0 ? str_eq(key, STR("kind")) || str_eq(key, STR("apiVersion"))
                      : level == 1 && (str_eq(key, STR("name")) || str_eq(key, STR("namespace")));
}

static str hide_key(const struct hiding *h, const struct value *member)
{
    return secret_values_hide(h->arena, h->values, value_key(member));
}

static bool has_hidden_key(const struct hiding *h, const struct value *v)
{
    for (size_t i = 0; value_is(v, VALUE_OBJECT) && i < v->len; i++)
        if (hide_key(h, &v->items[i]).ptr != v->items[i].key)
            return true;
    return false;
}

/* The number to go on from for keys that become this one: all before it are taken. */
static size_t *number_of(struct arena *a, struct map *numbers, str shown)
{
    size_t *n = map_get(numbers, shown);

    if (!n) {
        n = ARENA_NEW(a, size_t);
        *n = 2;
        map_set(numbers, shown, n);
    }
    return n;
}

/*
 * Templates can turn values into keys. Masked keys are numbered if they would be the same, or equal
 * to an unmasked key of the other version.
 */
static void hide_keys(struct hiding *h, struct value *v, const struct value *other)
{
    if (!has_hidden_key(h, v))
        return;
    AUTO_ARENA scratch = arena_new();
    struct map *numbers = map_new(scratch);
    struct value *out = value_object(h->arena);
    for (size_t i = 0; i < v->len; i++) {
        str shown = hide_key(h, &v->items[i]), key = shown;
        bool hidden = shown.ptr != v->items[i].key;
        while (value_get(out, key) || (hidden && value_get(other, key)))
            key = str_fmt(h->arena, "%.*s (%zu)", STR_ARG(shown),
                          (*number_of(scratch, numbers, shown))++);
        value_set(h->arena, out, key, &v->items[i]);
    }
    v->items = out->items;
    v->room = out->room;
    v->indexed = out->indexed;
    h->found = true;
}

static void hide_tree(struct hiding *h, struct value *before, struct value *after, int level);

/* Masks an expected name that differs from the object's: it must still differ afterwards. */
static void hide_expected(struct hiding *h, struct value *v, const struct value *name)
{
    hide_tree(h, v, NULL, 2);
    if (name && value_equal(v, name))
        set_text(v, str_concat(h->arena, value_text(v), STR(" (before)")));
}

/* level: 0 in the object itself, 1 in its metadata, 2 elsewhere. */
static void hide_tree(struct hiding *h, struct value *before, struct value *after, int level)
{
    if (!value_is_container(before) && !value_is_container(after)) {
        hide_texts(h, before, after);
        return;
    }
    for (int side = 0; side < 2; side++) {
        struct value *v = side ? after : before, *other = side ? before : after;
        for (size_t i = 0; value_is_container(v) && i < v->len; i++) {
            struct value *item = &v->items[i], *there = secret_counterpart(v, i, other);
            str key = v->kind == VALUE_OBJECT ? value_key(item) : STR_NONE;
            int below = level == 0 && str_eq(key, STR("metadata")) ? 1 : 2;
            /* Only the object's actual name identifies it, not the expected one. */
            if (identifies(key, level)) {
                if (!side && !(there && value_equal(item, there)))
                    hide_expected(h, item, there);
                continue;
            }
            if (side && there)
                continue;
            hide_tree(h, side ? there : item, side ? item : there, below);
        }
        if (is_text(v))
            hide_texts(h, side ? NULL : v, side ? v : NULL);
    }
    const struct value unmasked = before ? *before : (struct value){0};
    hide_keys(h, before, after);
    hide_keys(h, after, &unmasked);
}

bool secret_values_hide_pair(struct arena *a, const struct secret_values *s, struct value *before,
                             struct value *after)
{
    struct hiding h = {a, s, false};

    if (s)
        hide_tree(&h, before, after, 0);
    return h.found;
}

bool secret_values_hide_all(struct arena *a, const struct secret_values *s, struct value *before,
                            struct value *after)
{
    struct hiding h = {a, s, false};

    if (s)
        hide_tree(&h, before, after, 2);
    return h.found;
}
