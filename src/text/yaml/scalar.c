/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar.c - what a scalar means: THE place where plain text becomes a bool, number or null.
 *
 * The rules are those of YAML 1.1 as Go's yaml.v2 applies them, tried in this order:
 *
 *   1. words            y yes true on, n no false off, ~ null and nothing, .inf .nan
 *   2. dates            2001-02-03 and the like stay strings, whatever else they look like
 *   3. integers         123 0x1F 0o17 017 0b11, underscores anywhere; up to 64 bits, else 4.
 *   4. floats           1.5 .5 1. 1e3; one beyond float64 stays a string
 *   5. strings          everything else
 *
 * To add a word: add it to the table behind those of its length, move the bounds in find_word, and
 * add its beginning to begins_word.
 * Numbers keep all their digits in JSON's spelling; what Go would round them to is decided on
 * output.
 */
#include "text/yaml/internal.h"

#include "base/hot.h"
#include "text/codec.h"
#include "value/number.h"

/* ---- Words. ---- */

enum word_kind { WORD_NULL, WORD_TRUE, WORD_FALSE, WORD_INF };

struct word {
    str text;
    enum word_kind kind;
    const char *inf; /* as Go prints it */
};

/* By length, for find_word. */
static const struct word words[] = {
    {STR_INIT("y"), WORD_TRUE, 0},         {STR_INIT("Y"), WORD_TRUE, 0},
    {STR_INIT("n"), WORD_FALSE, 0},        {STR_INIT("N"), WORD_FALSE, 0},
    {STR_INIT("~"), WORD_NULL, 0},         {STR_INIT("on"), WORD_TRUE, 0},
    {STR_INIT("On"), WORD_TRUE, 0},        {STR_INIT("ON"), WORD_TRUE, 0},
    {STR_INIT("no"), WORD_FALSE, 0},       {STR_INIT("No"), WORD_FALSE, 0},
    {STR_INIT("NO"), WORD_FALSE, 0},       {STR_INIT("yes"), WORD_TRUE, 0},
    {STR_INIT("Yes"), WORD_TRUE, 0},       {STR_INIT("YES"), WORD_TRUE, 0},
    {STR_INIT("off"), WORD_FALSE, 0},      {STR_INIT("Off"), WORD_FALSE, 0},
    {STR_INIT("OFF"), WORD_FALSE, 0},      {STR_INIT("true"), WORD_TRUE, 0},
    {STR_INIT("True"), WORD_TRUE, 0},      {STR_INIT("TRUE"), WORD_TRUE, 0},
    {STR_INIT("null"), WORD_NULL, 0},      {STR_INIT("Null"), WORD_NULL, 0},
    {STR_INIT("NULL"), WORD_NULL, 0},      {STR_INIT(".nan"), WORD_INF, "NaN"},
    {STR_INIT(".NaN"), WORD_INF, "NaN"},   {STR_INIT(".NAN"), WORD_INF, "NaN"},
    {STR_INIT(".inf"), WORD_INF, "+Inf"},  {STR_INIT(".Inf"), WORD_INF, "+Inf"},
    {STR_INIT(".INF"), WORD_INF, "+Inf"},  {STR_INIT("false"), WORD_FALSE, 0},
    {STR_INIT("False"), WORD_FALSE, 0},    {STR_INIT("FALSE"), WORD_FALSE, 0},
    {STR_INIT("+.inf"), WORD_INF, "+Inf"}, {STR_INIT("+.Inf"), WORD_INF, "+Inf"},
    {STR_INIT("+.INF"), WORD_INF, "+Inf"}, {STR_INIT("-.inf"), WORD_INF, "-Inf"},
    {STR_INIT("-.Inf"), WORD_INF, "-Inf"}, {STR_INIT("-.INF"), WORD_INF, "-Inf"},
};

/* Whether the beginning is that of a word, in whatever letters; most keys are not even that. */
static bool begins_word(str text)
{
    const uint8_t *p = (const uint8_t *)text.ptr;
    uint32_t key = 0;

    if (text.len >= 4)
        key = ((uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]) | 0x20202020;
    else
        for (size_t i = 0; i < text.len; i++)
            key = key << 8 | p[i] | 0x20;
    switch (key) {
    case 'y':
    case 'n':
    case '~' | 0x20:
    case 'o' << 8 | 'n':
    case 'n' << 8 | 'o':
    case 'y' << 16 | 'e' << 8 | 's':
    case 'o' << 16 | 'f' << 8 | 'f':
    case 't' << 24 | 'r' << 16 | 'u' << 8 | 'e':
    case 'n' << 24 | 'u' << 16 | 'l' << 8 | 'l':
    case '.' << 24 | 'n' << 16 | 'a' << 8 | 'n':
    case '.' << 24 | 'i' << 16 | 'n' << 8 | 'f':
    case 'f' << 24 | 'a' << 16 | 'l' << 8 | 's':
    case '+' << 24 | '.' << 16 | 'i' << 8 | 'n':
    case '-' << 24 | '.' << 16 | 'i' << 8 | 'n':
        return true;
    default:
        return false;
    }
}

static const struct word *find_word(str text)
{
    /* Where the words of a length begin; those of the next one end them. */
    static const uint8_t from[] = {0, 0, 5, 11, 17, 29, COUNT(words)};

    _Static_assert(COUNT(from) == YAML_WORD_MAX + 2, "a number per length");
    if (text.len > YAML_WORD_MAX || !begins_word(text))
        return NULL;
    for (size_t i = from[text.len]; i < from[text.len + 1]; i++)
        if (words[i].text.ptr[0] == text.ptr[0] && hot_same(words[i].text.ptr, text.ptr, text.len))
            return &words[i];
    return NULL;
}

/* Whether the newer dialect takes the word for text: all booleans but the spellings of true, false.
 */
static bool is_word_of_old(const struct word *word)
{
    char first = (char)(word->text.ptr[0] | 0x20);

    return (word->kind == WORD_TRUE || word->kind == WORD_FALSE) && first != 't' && first != 'f';
}

const uint8_t yaml_hints[256] = {
    ['+'] = YAML_HINT_NUMBER, ['-'] = YAML_HINT_NUMBER, ['0' ... '9'] = YAML_HINT_NUMBER,
    ['.'] = YAML_HINT_DOT,    ['~'] = YAML_HINT_WORD,   ['y'] = YAML_HINT_WORD,
    ['Y'] = YAML_HINT_WORD,   ['n'] = YAML_HINT_WORD,   ['N'] = YAML_HINT_WORD,
    ['t'] = YAML_HINT_WORD,   ['T'] = YAML_HINT_WORD,   ['f'] = YAML_HINT_WORD,
    ['F'] = YAML_HINT_WORD,   ['o'] = YAML_HINT_WORD,   ['O'] = YAML_HINT_WORD,
};

static enum yaml_hint hint_of(str text)
{
    return (enum yaml_hint)yaml_hints[(uint8_t)text.ptr[0]];
}

/* ---- Putting it together. ---- */

static void set_word(struct value *v, const struct word *word)
{
    switch (word->kind) {
    case WORD_NULL:
        v->kind = VALUE_NULL;
        break;
    case WORD_TRUE:
    case WORD_FALSE:
        v->kind = VALUE_BOOL;
        v->truth = word->kind == WORD_TRUE;
        break;
    case WORD_INF:
        yaml_set_text(v, VALUE_FLOAT, str_c(word->inf));
        v->tag = RAW_INF;
        break;
    }
}

void yaml_resolve_known_word(str text, bool yaml12, struct value *v)
{
    const struct word *word = find_word(text);

    if (word && !(yaml12 && is_word_of_old(word)))
        set_word(v, word);
}

/* How text is resolved. */
struct rules {
    bool dates;  /* dates stay strings, whatever else they look like */
    bool yaml12; /* see read_options */
};

/* Resolves text to whatever it looks like. *date: it is a string because it is a date. */
static void resolve_any(struct arena *a, str text, struct rules rules, struct value *v, bool *date)
{
    enum yaml_hint hint = text.len ? hint_of(text) : YAML_HINT_TEXT;
    const struct word *word;

    *date = false;
    if (!text.len) {
        v->kind = VALUE_NULL;
        return;
    }
    yaml_set_text(v, VALUE_STRING, text);
    if (hint == YAML_HINT_TEXT || (hint == YAML_HINT_NUMBER && yaml_ends_as_text(text)))
        return;
    if ((word = find_word(text)) && !(rules.yaml12 && is_word_of_old(word)))
        set_word(v, word);
    else if (hint == YAML_HINT_DOT)
        (void)yaml_dotted_number(a, text, v);
    else if (hint == YAML_HINT_NUMBER && !(rules.dates && (*date = yaml_is_date(a, text))))
        (void)yaml_number(a, text, v);
}

/* The tags that decide, without their common prefix "tag:yaml.org,2002:". */
enum tag {
    TAG_NONE,
    TAG_STR,
    TAG_BOOL,
    TAG_INT,
    TAG_FLOAT,
    TAG_NULL,
    TAG_DATE,
    TAG_BINARY,
    TAG_OTHER
};

static enum tag find_tag(str tag)
{
    static const struct {
        str name;
        enum tag tag;
    } tags[] = {
        {STR_INIT("str"), TAG_STR},       {STR_INIT("bool"), TAG_BOOL},
        {STR_INIT("int"), TAG_INT},       {STR_INIT("float"), TAG_FLOAT},
        {STR_INIT("null"), TAG_NULL},     {STR_INIT("timestamp"), TAG_DATE},
        {STR_INIT("binary"), TAG_BINARY},
    };
    const str prefix = STR("tag:yaml.org,2002:");

    if (!tag.len)
        return TAG_NONE;
    if (!str_has_prefix(tag, prefix))
        return TAG_OTHER;
    for (size_t i = 0; i < COUNT(tags); i++)
        if (str_eq(tags[i].name, str_from(tag, prefix.len)))
            return tags[i].tag;
    return TAG_OTHER;
}

static const char *tag_name(enum tag tag)
{
    static const char *const names[] = {
        [TAG_STR] = "!!str",     [TAG_BOOL] = "!!bool", [TAG_INT] = "!!int",
        [TAG_FLOAT] = "!!float", [TAG_NULL] = "!!null", [TAG_DATE] = "!!timestamp",
    };

    return names[tag];
}

/* What a resolved value is to Go, where an integer beyond 64 bits is a float. */
static enum tag tag_of(const struct value *v, bool date)
{
    uint64_t u;
    int64_t i;

    switch (v->kind) {
    case VALUE_NULL:
        return TAG_NULL;
    case VALUE_BOOL:
        return TAG_BOOL;
    case VALUE_INT:
        return number_to_i64(value_text(v), &i) || number_to_u64(value_text(v), &u) ? TAG_INT
                                                                                    : TAG_FLOAT;
    case VALUE_FLOAT:
        return TAG_FLOAT;
    default:
        return date ? TAG_DATE : TAG_STR;
    }
}

static void set_bad(struct value *v, str why)
{
    yaml_set_text(v, VALUE_STRING, why);
    v->tag = RAW_BAD;
}

/* An integer becomes a float where a float is asked for, if it is an int64. */
static bool make_float(struct arena *a, struct value *v)
{
    int64_t i;

    if (v->kind != VALUE_INT || !number_to_i64(value_text(v), &i))
        return false;
    yaml_set_text(v, VALUE_FLOAT, str_concat(a, value_text(v), STR(".0")));
    return true;
}

static void check_tag(struct arena *a, enum tag want, enum tag got, str text, struct value *v)
{
    if (want == got || (want == TAG_FLOAT && make_float(a, v)))
        return;
    set_bad(v, str_fmt(a, "cannot decode %s `%.*s` as a %s", tag_name(got), STR_ARG(text),
                       tag_name(want)));
}

/* ---- !!binary. ---- */

static void resolve_binary(struct arena *a, str text, struct value *v)
{
    str bytes;
    size_t bad;

    if (base64_decode(a, text, &bytes, &bad))
        yaml_set_text(v, VALUE_STRING, bytes);
    else
        set_bad(v, STR("!!binary value contains invalid base64 data"));
}

void yaml_resolve(struct arena *a, const struct yevent *event, bool yaml12, struct value *v)
{
    enum tag want = find_tag(event->tag);
    struct rules rules = {.dates = want == TAG_NONE || want == TAG_DATE, .yaml12 = yaml12};
    bool date;

    if (want == TAG_BINARY) {
        resolve_binary(a, event->value, v);
    } else if (want == TAG_STR || want == TAG_OTHER || (want == TAG_NONE && !event->implicit)) {
        yaml_set_text(v, VALUE_STRING, event->value);
    } else {
        resolve_any(a, event->value, rules, v, &date);
        if (want != TAG_NONE)
            check_tag(a, want, tag_of(v, date), event->value, v);
    }
}

bool yaml_reads_as_string(str text)
{
    struct value v = {0};
    bool date;

    switch (text.len ? hint_of(text) : YAML_HINT_WORD) {
    case YAML_HINT_TEXT:
        return true;
    case YAML_HINT_WORD:
        return text.len && !find_word(text);
    case YAML_HINT_NUMBER:
        if (yaml_ends_as_text(text))
            return true;
        break;
    default:
        break;
    }
    AUTO_ARENA a = arena_new();
    resolve_any(a, text, (struct rules){.dates = true}, &v, &date);
    return v.kind == VALUE_STRING && !date;
}
