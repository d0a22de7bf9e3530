/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a tree to YAML as sigs.k8s.io/yaml.Marshal writes it.
 *
 * Go writes JSON first, reads that as YAML, and writes the result. For nearly all trees the detour
 * changes nothing but the spelling of numbers. It matters where JSON's text is not what YAML takes
 * it for: control characters that JSON may contain and YAML may not, U+0085, which is a line break
 * there, and keys too long to be found. Trees that have one of these take the detour here too,
 * unless numbers are to be exact and alike: then so is the text.
 */
#include "text/yaml/internal.h"

#include "text/json/json.h"
#include "value/number.h"

struct writer {
    struct yemit emit;
    struct arena *scratch; /* of sorted members */
    enum number_rule numbers;
    struct err *e;
};

/* Where a node stands. */
enum place { PLACE_ROOT, PLACE_ITEM, PLACE_VALUE };

static bool write_node(struct writer *w, const struct value *v, enum place place);

/* ---- Scalars. ---- */

/* Literal when there are lines, quoted when plain text would read as something else. */
static void choose_style(const struct yemit *m, struct yscalar *scalar, str text)
{
    yemit_analyze(m, scalar, text);
    if (scalar->multiline && str_find_char(text, '\n') != STR_NPOS)
        scalar->style = YSTYLE_LITERAL;
    else if (yaml_reads_as_string(text) && !yaml_is_base60(text))
        scalar->style = YSTYLE_PLAIN;
    else
        scalar->style = YSTYLE_DOUBLE;
}

/* What most texts are: words that need no quotes. */
static bool is_plain_word(str text)
{
    return yemit_is_word(text) && yaml_reads_as_string(text);
}

static void write_text(struct writer *w, str text)
{
    struct yscalar scalar;

    if (is_plain_word(text)) {
        yemit_word(&w->emit, text);
        return;
    }
    choose_style(&w->emit, &scalar, text);
    yemit_scalar(&w->emit, &scalar, false);
}

/* As it was read, plain text. */
static void write_plain(struct writer *w, str text)
{
    const struct yscalar scalar = {
        .text = text, .style = YSTYLE_PLAIN, .plain_ok = true, .single_ok = true};

    yemit_scalar(&w->emit, &scalar, false);
}

/* A number or another word that is not a string. */
static void write_word(struct writer *w, str text)
{
    yemit_word(&w->emit, text);
}

/*
 * A float that JSON spells like an integer is read back as one, if 64 bits can hold it. -0 loses
 * its sign that way.
 */
static size_t spell_double(char out[NUMBER_MAX], double d)
{
    size_t len = number_format(out, d, NUMBER_JSON);
    int64_t i;
    uint64_t u;
    str text = {out, len};

    if (str_eq(text, STR("-0"))) {
        out[0] = '0';
        return 1;
    }
    if (number_is_integer(text) && (number_to_i64(text, &i) || number_to_u64(text, &u)))
        return len;
    return number_format(out, d, NUMBER_G);
}

static bool stays_integer(const struct writer *w, const struct value *v)
{
    int64_t i;
    uint64_t u;

    if (v->kind != VALUE_INT || w->numbers == NUMBERS_FLOAT)
        return false;
    return number_to_i64(value_text(v), &i) ||
           (w->numbers == NUMBERS_YAML && number_to_u64(value_text(v), &u));
}

static bool write_number(struct writer *w, const struct value *v)
{
    char out[NUMBER_MAX];
    str text = value_text(v);
    double d;

    if (w->numbers == NUMBERS_PLAIN) {
        struct buf plain = buf_new(w->scratch, BUF_UNLIMITED);
        number_plain(&plain, text);
        write_word(w, buf_str(&plain));
        return true;
    }
    if (w->numbers == NUMBERS_EXACT || stays_integer(w, v)) {
        write_word(w, str_eq(text, STR("-0")) ? STR("0") : text);
        return true;
    }
    if (!number_to_double(text, &d))
        return err_set(w->e, ERR_INVALID, "json: unsupported value: %s", d < 0 ? "-Inf" : "+Inf");
    write_word(w,
               (str){out, w->emit.pretty ? number_format(out, d, NUMBER_G) : spell_double(out, d)});
    return true;
}

/* ---- Collections. ---- */

static void write_empty(struct writer *w, char open, char close)
{
    yemit_indicator(&w->emit, open, true, true, false);
    yemit_indicator(&w->emit, close, false, false, false);
}

/*
 * A list below a key is not indented further than the key, unless it stands beside the colon or
 * the text is to be pretty.
 */
static bool write_list(struct writer *w, const struct value *v, enum place place)
{
    struct yemit *m = &w->emit;
    int32_t indent = m->indent;

    if (indent < 0)
        m->indent = 0;
    else if (place != PLACE_VALUE || m->indention || m->pretty)
        m->indent += 2;
    for (size_t i = 0; i < v->len; i++) {
        yemit_indent(m);
        yemit_indicator(m, '-', true, false, true);
        if (!write_node(w, &v->items[i], PLACE_ITEM))
            return false;
    }
    m->indent = indent;
    return true;
}

enum { SIMPLE_KEY_MAX = 128 };

/* "key:", or "? key" and ":" on the next line when the key is long or has line breaks. */
static void write_key(struct writer *w, str key)
{
    struct yemit *m = &w->emit;
    struct yscalar scalar;

    yemit_indent(m);
    if (key.len <= SIMPLE_KEY_MAX && is_plain_word(key)) {
        yemit_word(m, key);
        yemit_indicator(m, ':', false, false, false);
        return;
    }
    choose_style(m, &scalar, key);
    if (!scalar.multiline && key.len <= SIMPLE_KEY_MAX) {
        yemit_scalar(m, &scalar, true);
        yemit_indicator(m, ':', false, false, false);
        return;
    }
    yemit_indicator(m, '?', true, false, true);
    yemit_scalar(m, &scalar, false);
    yemit_indent(m);
    yemit_indicator(m, ':', true, false, true);
}

static int by_natural_order(const void *x, const void *y)
{
    return yaml_key_compare(value_key(*(struct value *const *)x),
                            value_key(*(struct value *const *)y));
}

static int by_pretty_order(const void *x, const void *y)
{
    return yaml_key_compare_pretty(value_key(*(struct value *const *)x),
                                   value_key(*(struct value *const *)y));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_letter_keys(const struct value *object)
{
    for (size_t i = 0; i < object->len; i++)
        for (size_t k = 0; k < object->items[i].key_len; k++)
            if (!is_letter(object->items[i].key[k]))
                return false;
    return true;
}

/* Keys that are but letters, which most are, come in the order of their bytes. */
struct value **yaml_sort_members(struct arena *a, const struct value *v, bool pretty)
{
    if (has_letter_keys(v))
        return value_sorted(a, v);
    int (*order)(const void *, const void *) = pretty ? by_pretty_order : by_natural_order;
    struct value **members = ARENA_ARRAY(a, struct value *, v->len);
    bool sorted = true;

    for (size_t i = 0; i < v->len; i++) {
        members[i] = &v->items[i];
        sorted = sorted && (i == 0 || order(&members[i - 1], &members[i]) < 0);
    }
    if (!sorted)
        qsort(members, v->len, sizeof(struct value *), order);
    return members;
}

static bool write_object(struct writer *w, const struct value *v)
{
    struct arena_mark mark = arena_mark(w->scratch);
    struct value **members = yaml_sort_members(w->scratch, v, w->emit.pretty);
    struct yemit *m = &w->emit;
    int32_t indent = m->indent;

    m->indent = indent < 0 ? 0 : indent + 2;
    for (size_t i = 0; i < v->len; i++) {
        write_key(w, value_key(members[i]));
        if (!write_node(w, members[i], PLACE_VALUE))
            return false;
    }
    m->indent = indent;
    arena_rewind(w->scratch, mark);
    return true;
}

static bool write_node(struct writer *w, const struct value *v, enum place place)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_NULL:
        write_word(w, STR("null"));
        return true;
    case VALUE_BOOL:
        write_word(w, v->truth ? STR("true") : STR("false"));
        return true;
    case VALUE_INT:
    case VALUE_FLOAT:
        return write_number(w, v);
    case VALUE_STRING:
        if (w->emit.pretty && v->tag == YAML_PLAIN)
            write_plain(w, value_text(v));
        else
            write_text(w, value_text(v));
        return true;
    case VALUE_LIST:
        if (v->len)
            return write_list(w, v, place);
        write_empty(w, '[', ']');
        return true;
    case VALUE_OBJECT:
        if (v->len)
            return write_object(w, v);
        write_empty(w, '{', '}');
        return true;
    }
    return true;
}

/* ---- The detour through JSON. ---- */

/* How many bytes are below DEL, eight at a time. */
static size_t count_ascii(str s)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    size_t i = 0;

    for (uint64_t x; s.len - i >= sizeof(x); i += sizeof(x)) {
        memcpy(&x, s.ptr + i, sizeof(x));
        if ((x | ((x & ones * 0x7F) + ones)) & ones * 0x80)
            break;
    }
    return i;
}

/* Characters that JSON writes as they are and YAML does not read as they are. */
bool yaml_is_odd_text(str s)
{
    for (size_t i = count_ascii(s), width = 1; i < s.len; i += width) {
        uint8_t c = (uint8_t)s.ptr[i];
        width = 1;
        if (c < 0x7F)
            continue;
        uint32_t rune = utf8_decode(str_from(s, i), &width);
        if (rune == 0x85 || !yscan_is_allowed(rune) || (rune == RUNE_ERROR && width == 1))
            return true;
    }
    return false;
}

static bool find_odd(void *ctx, struct value *v, size_t depth)
{
    bool *found = ctx;

    (void)depth;
    *found = *found || v->key_len > YAML_LONG_KEY || yaml_is_odd_text(value_key(v)) ||
             yaml_is_odd_text(value_str(v));
    return !*found;
}

static bool write_direct(struct buf *out, const struct value *v, enum number_rule numbers,
                         bool pretty, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct writer w = {.scratch = scratch, .numbers = numbers, .e = e};

    w.emit = (struct yemit){
        .out = out, .pretty = pretty, .indent = -1, .whitespace = true, .indention = true};
    if (!write_node(&w, v, PLACE_ROOT))
        return false;
    yemit_indent(&w.emit);
    return buf_check(out, e);
}

static bool write_detour(struct buf *out, const struct value *v, enum number_rule numbers,
                         struct err *e)
{
    const struct json_style style = {.sorted = true, .html = true, .numbers = numbers};
    const struct read_options options = {.go = true};
    AUTO_ARENA a = arena_new();
    struct buf json = buf_new(a, TEXT_MAX);
    struct value *again;

    if (!json_write(&json, v, &style, e) || !buf_check(&json, e))
        return false;
    struct source src = {.text = buf_str(&json)};
    if (!yaml_read(a, &src, &options, &again, e)) {
        if (e)
            e->at = (struct where){0};
        return false;
    }
    return write_direct(out, again, numbers == NUMBERS_EXACT ? numbers : NUMBERS_YAML, false, e);
}

bool yaml_write(struct buf *out, const struct value *v, enum number_rule numbers, struct err *e)
{
    bool odd = false;

    if (numbers != NUMBERS_PLAIN)
        value_walk((struct value *)v, find_odd, &odd);
    return odd ? write_detour(out, v, numbers, e) : write_direct(out, v, numbers, false, e);
}

bool yaml_write_pretty(struct buf *out, const struct value *v, enum number_rule numbers,
                       struct err *e)
{
    return write_direct(out, v, numbers, true, e);
}
