/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_scalar.c - what a scalar means: THE place where plain text becomes a bool, number or null.
 *
 * The rules are those of YAML 1.1 as Go's yaml.v2 applies them, tried in this order:
 *
 *   1. words            y yes true on, n no false off, ~ null and nothing, .inf .nan
 *   2. dates            2001-02-03 and the like stay strings, whatever else they look like
 *   3. integers         123 0x1F 0o17 017 0b11, underscores anywhere; up to 64 bits, else 4.
 *   4. floats           1.5 .5 1. 1e3; one beyond float64 stays a string
 *   5. strings          everything else
 *
 * To add a word: add a line to the table. Numbers keep all their digits in JSON's spelling; what Go
 * would round them to is decided on output.
 */
#include "text/yaml_internal.h"

#include "value/number.h"

/* ---- Words. ---- */

enum word_kind { WORD_NULL, WORD_TRUE, WORD_FALSE, WORD_INF };

struct word {
    str text;
    enum word_kind kind;
    const char *inf; /* as Go prints it */
};

static const struct word words[] = {
    {STR_INIT("y"), WORD_TRUE, 0},         {STR_INIT("Y"), WORD_TRUE, 0},
    {STR_INIT("yes"), WORD_TRUE, 0},       {STR_INIT("Yes"), WORD_TRUE, 0},
    {STR_INIT("YES"), WORD_TRUE, 0},       {STR_INIT("true"), WORD_TRUE, 0},
    {STR_INIT("True"), WORD_TRUE, 0},      {STR_INIT("TRUE"), WORD_TRUE, 0},
    {STR_INIT("on"), WORD_TRUE, 0},        {STR_INIT("On"), WORD_TRUE, 0},
    {STR_INIT("ON"), WORD_TRUE, 0},        {STR_INIT("n"), WORD_FALSE, 0},
    {STR_INIT("N"), WORD_FALSE, 0},        {STR_INIT("no"), WORD_FALSE, 0},
    {STR_INIT("No"), WORD_FALSE, 0},       {STR_INIT("NO"), WORD_FALSE, 0},
    {STR_INIT("false"), WORD_FALSE, 0},    {STR_INIT("False"), WORD_FALSE, 0},
    {STR_INIT("FALSE"), WORD_FALSE, 0},    {STR_INIT("off"), WORD_FALSE, 0},
    {STR_INIT("Off"), WORD_FALSE, 0},      {STR_INIT("OFF"), WORD_FALSE, 0},
    {STR_INIT("~"), WORD_NULL, 0},         {STR_INIT("null"), WORD_NULL, 0},
    {STR_INIT("Null"), WORD_NULL, 0},      {STR_INIT("NULL"), WORD_NULL, 0},
    {STR_INIT(".nan"), WORD_INF, "NaN"},   {STR_INIT(".NaN"), WORD_INF, "NaN"},
    {STR_INIT(".NAN"), WORD_INF, "NaN"},   {STR_INIT(".inf"), WORD_INF, "+Inf"},
    {STR_INIT(".Inf"), WORD_INF, "+Inf"},  {STR_INIT(".INF"), WORD_INF, "+Inf"},
    {STR_INIT("+.inf"), WORD_INF, "+Inf"}, {STR_INIT("+.Inf"), WORD_INF, "+Inf"},
    {STR_INIT("+.INF"), WORD_INF, "+Inf"}, {STR_INIT("-.inf"), WORD_INF, "-Inf"},
    {STR_INIT("-.Inf"), WORD_INF, "-Inf"}, {STR_INIT("-.INF"), WORD_INF, "-Inf"},
};
enum { WORD_LEN_MAX = 5 };

static const struct word *find_word(str text)
{
    if (text.len > WORD_LEN_MAX)
        return NULL;
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].text.ptr[0] == text.ptr[0] && str_eq(words[i].text, text))
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

/* What a first character promises. */
enum hint { HINT_STRING, HINT_WORD, HINT_DOT, HINT_NUMBER };

static enum hint hint_of(uint8_t c)
{
    static const uint8_t hints[256] = {
        ['+'] = HINT_NUMBER, ['-'] = HINT_NUMBER, ['0' ... '9'] = HINT_NUMBER, ['.'] = HINT_DOT,
        ['~'] = HINT_WORD,   ['y'] = HINT_WORD,   ['Y'] = HINT_WORD,           ['n'] = HINT_WORD,
        ['N'] = HINT_WORD,   ['t'] = HINT_WORD,   ['T'] = HINT_WORD,           ['f'] = HINT_WORD,
        ['F'] = HINT_WORD,   ['o'] = HINT_WORD,   ['O'] = HINT_WORD,
    };

    return (enum hint)hints[c];
}

/* ---- Dates. ---- */

static bool is_digit(str s, size_t i)
{
    return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';
}

/* Takes one or two digits; exactly two when fixed. */
static bool take_number(str *s, bool fixed, int *out)
{
    size_t len = is_digit(*s, 1) ? 2 : 1;

    if (!is_digit(*s, 0) || (fixed && len == 1))
        return false;
    *out = len == 2 ? (s->ptr[0] - '0') * 10 + s->ptr[1] - '0' : s->ptr[0] - '0';
    *s = str_from(*s, len);
    return true;
}

static bool take_char(str *s, char c)
{
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static int days_in(int month, int year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : days[month - 1];
}

/* h:m:s with an optional fraction. */
static bool take_time(str *s)
{
    int hour, minute, second;

    if (!take_number(s, false, &hour) || !take_char(s, ':') || !take_number(s, false, &minute) ||
        !take_char(s, ':') || !take_number(s, false, &second))
        return false;
    if (s->len > 1 && (s->ptr[0] == '.' || s->ptr[0] == ',') && is_digit(*s, 1))
        for (*s = str_from(*s, 1); is_digit(*s, 0);)
            *s = str_from(*s, 1);
    return hour < 24 && minute < 60 && second < 60;
}

/* Z or ±hh:mm. */
static bool take_zone(str *s)
{
    int hours, minutes;

    if (take_char(s, 'Z'))
        return true;
    if (!take_char(s, '+') && !take_char(s, '-'))
        return false;
    return take_number(s, true, &hours) && take_char(s, ':') && take_number(s, true, &minutes) &&
           hours <= 24 && minutes <= 60;
}

static bool is_date(str s)
{
    int century, years, month, day;

    if (s.len < 8 || s.ptr[4] != '-' || !take_number(&s, true, &century) ||
        !take_number(&s, true, &years) || !take_char(&s, '-'))
        return false;
    if (!take_number(&s, false, &month) || !take_char(&s, '-') || !take_number(&s, false, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > days_in(month, century * 100 + years))
        return false;
    if (!s.len)
        return true;
    if (take_char(&s, 'T') || take_char(&s, 't'))
        return take_time(&s) && take_zone(&s) && !s.len;
    if (s.ptr[0] != ' ')
        return false;
    while (take_char(&s, ' '))
        continue;
    return take_time(&s) && !s.len;
}

/* ---- Numbers. ---- */

static void set_text(struct value *v, enum value_kind kind, str text)
{
    v->kind = (uint8_t)kind;
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static bool parse_digits(str s, unsigned base, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)digit_value(s.ptr[i]);
        if (digit >= base || __builtin_mul_overflow(*out, (uint64_t)base, out) ||
            __builtin_add_overflow(*out, (uint64_t)digit, out))
            return false;
    }
    return true;
}

/* The base that a prefix announces; takes the prefix off. A lone 0 is octal without digits. */
static unsigned take_base(str *s)
{
    unsigned base = 10;

    if (s->ptr[0] != '0')
        return base;
    switch (s->len > 2 ? s->ptr[1] | 0x20 : 0) {
    case 'x':
        base = 16;
        break;
    case 'o':
        base = 8;
        break;
    case 'b':
        base = 2;
        break;
    default:
        *s = str_from(*s, 1);
        return 8;
    }
    *s = str_from(*s, 2);
    return base;
}

/* An integer that fits Go's int64, or uint64 when it has no sign. */
static bool parse_integer(str s, bool *negative, uint64_t *out)
{
    bool sign = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+');

    *negative = sign && s.ptr[0] == '-';
    if (sign)
        s = str_from(s, 1);
    if (!s.len)
        return false;
    unsigned base = take_base(&s);
    if (!parse_digits(s, base, out))
        return false;
    return !sign || *out <= (uint64_t)INT64_MAX + *negative;
}

/* Upstream: a sign is accepted between "0b" and the digits too. */
static bool parse_odd_binary(str s, bool *negative, uint64_t *out)
{
    if (s.len < 4 || !str_has_prefix(s, STR("0b")) || (s.ptr[2] != '-' && s.ptr[2] != '+'))
        return false;
    *negative = s.ptr[2] == '-';
    return parse_digits(str_from(s, 3), 2, out) && *out <= (uint64_t)INT64_MAX + *negative;
}

static void set_integer(struct arena *a, struct value *v, str as_is, bool negative, uint64_t n)
{
    char text[24];
    int len =
        snprintf(text, sizeof(text), "%s%llu", negative && n ? "-" : "", (unsigned long long)n);
    str s = {text, (size_t)len};

    set_text(v, VALUE_INT, str_eq(s, as_is) ? as_is : str_copy(a, s));
}

/* The parts of [sign](.digits | digits[.[digits]])[exponent]. */
struct decimal {
    bool negative, point;
    str whole, fraction, exponent; /* the exponent with its letter */
};

static str take_digits(str *s)
{
    size_t n = 0;

    while (is_digit(*s, n))
        n++;
    str digits = str_slice(*s, 0, n);
    *s = str_from(*s, n);
    return digits;
}

static bool parse_decimal(str s, struct decimal *d)
{
    *d = (struct decimal){.negative = s.ptr[0] == '-'};
    if (s.ptr[0] == '-' || s.ptr[0] == '+')
        s = str_from(s, 1);
    d->whole = take_digits(&s);
    d->point = take_char(&s, '.');
    if (d->point)
        d->fraction = take_digits(&s);
    if (!d->whole.len && !d->fraction.len)
        return false;
    if (!s.len)
        return true;
    d->exponent = s;
    if (!take_char(&s, 'e') && !take_char(&s, 'E'))
        return false;
    if (!take_char(&s, '+'))
        (void)take_char(&s, '-');
    return take_digits(&s).len && !s.len;
}

/* JSON's spelling: digits on both sides of the point, no leading zeros, no plus. */
static str spell_decimal(struct arena *a, const struct decimal *d, bool force_point)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str whole = d->whole;

    while (whole.len > 1 && whole.ptr[0] == '0')
        whole = str_from(whole, 1);
    if (d->negative)
        buf_char(&b, '-');
    buf_add(&b, whole.len ? whole : STR("0"));
    if (d->point || force_point) {
        buf_char(&b, '.');
        buf_add(&b, d->fraction.len ? d->fraction : STR("0"));
    }
    buf_add(&b, d->exponent);
    return buf_str(&b);
}

/*
 * A float, unless it is beyond float64. One spelled like an integer is one that Go's 64 bits cannot
 * hold, which stays exact here, or one like 08, which is decimal but a float.
 */
static bool resolve_float(struct arena *a, str plain, str as_is, struct value *v)
{
    struct decimal d;
    uint64_t n;
    double value;

    if (!parse_decimal(plain, &d))
        return false;
    bool integer = !d.point && !d.exponent.len;
    bool small = integer && parse_digits(d.whole, 10, &n) &&
                 !(d.negative && n > (uint64_t)INT64_MAX + 1);
    bool sure = as_is.ptr == plain.ptr && d.whole.len && d.fraction.len && !d.exponent.len &&
                (d.whole.ptr[0] != '0' || d.whole.len == 1) && plain.ptr[0] != '+' &&
                plain.len < 300;
    str text = sure ? as_is : spell_decimal(a, &d, small);
    if (!sure && !number_to_double(text, &value))
        return false;
    set_text(v, integer && !small ? VALUE_INT : VALUE_FLOAT, text);
    return true;
}

static str without_underscores(struct arena *a, str s)
{
    if (str_find_char(s, '_') == STR_NPOS)
        return s;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            buf_char(&b, s.ptr[i]);
    return buf_str(&b);
}

/* Up to 18 decimal digits: what nearly all integers are, and sure to fit. */
static bool is_plain_integer(str s)
{
    size_t sign = s.ptr[0] == '-', i = sign;

    while (is_digit(s, i))
        i++;
    return i == s.len && i - sign >= 1 && i <= 18 && (s.ptr[sign] != '0' || s.len == 1);
}

static bool resolve_number(struct arena *a, str text, struct value *v)
{
    if (is_plain_integer(text)) {
        set_text(v, VALUE_INT, text);
        return true;
    }
    str plain = without_underscores(a, text);
    bool negative;
    uint64_t n;

    if (!plain.len)
        return false;
    if (parse_integer(plain, &negative, &n)) {
        set_integer(a, v, text, negative, n);
        return true;
    }
    if (resolve_float(a, plain, text, v))
        return true;
    if (!parse_odd_binary(plain, &negative, &n))
        return false;
    set_integer(a, v, text, negative, n);
    return true;
}

/* Behind a point Go's own syntax of floats holds: underscores may stand between digits. */
static bool resolve_dotted(struct arena *a, str text, struct value *v)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '_' && !(i && is_digit(text, i - 1) && is_digit(text, i + 1)))
            return false;
    return resolve_float(a, without_underscores(a, text), text, v);
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
        set_text(v, VALUE_FLOAT, str_c(word->inf));
        v->tag = RAW_INF;
        break;
    }
}

/* How text is resolved. */
struct rules {
    bool dates;  /* dates stay strings, whatever else they look like */
    bool yaml12; /* see read_options */
};

/* Resolves text to whatever it looks like. *date tells that it is a string because it is one. */
static void resolve_any(struct arena *a, str text, struct rules rules, struct value *v, bool *date)
{
    enum hint hint = text.len ? hint_of((uint8_t)text.ptr[0]) : HINT_STRING;
    const struct word *word;

    *date = false;
    if (!text.len) {
        v->kind = VALUE_NULL;
        return;
    }
    set_text(v, VALUE_STRING, text);
    if (hint == HINT_STRING)
        return;
    if ((word = find_word(text)) && !(rules.yaml12 && is_word_of_old(word)))
        set_word(v, word);
    else if (hint == HINT_DOT)
        (void)resolve_dotted(a, text, v);
    else if (hint == HINT_NUMBER && !(rules.dates && (*date = is_date(text))))
        (void)resolve_number(a, text, v);
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
    set_text(v, VALUE_STRING, why);
    v->tag = RAW_BAD;
}

/* An integer becomes a float where a float is asked for, if it is an int64. */
static bool make_float(struct arena *a, struct value *v)
{
    int64_t i;

    if (v->kind != VALUE_INT || !number_to_i64(value_text(v), &i))
        return false;
    set_text(v, VALUE_FLOAT, str_concat(a, value_text(v), STR(".0")));
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

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Standard alphabet, padding required, line breaks ignored, as Go's StdEncoding. */
static bool decode_base64(str in, struct buf *out)
{
    uint32_t bits = 0;
    size_t digits = 0, padding = 0;

    for (size_t i = 0; i < in.len; i++) {
        char c = in.ptr[i];
        if (c == '\n' || c == '\r')
            continue;
        if (c == '=' && digits % 4 >= 2 && digits % 4 + padding < 4) {
            padding++;
            continue;
        }
        int value = base64_value(c);
        if (value < 0 || padding)
            return false;
        bits = bits << 6 | (unsigned)value;
        if (++digits % 4 == 0)
            for (int shift = 16; shift >= 0; shift -= 8)
                buf_char(out, (char)(bits >> shift));
    }
    if (digits % 4 == 0)
        return !padding;
    if (digits % 4 + padding != 4)
        return false;
    buf_char(out, (char)(bits >> (digits % 4 == 2 ? 4 : 10)));
    if (digits % 4 == 3)
        buf_char(out, (char)(bits >> 2));
    return true;
}

static void resolve_binary(struct arena *a, str text, struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (decode_base64(text, &b))
        set_text(v, VALUE_STRING, buf_str(&b));
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
        set_text(v, VALUE_STRING, event->value);
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

    switch (text.len ? hint_of((uint8_t)text.ptr[0]) : HINT_WORD) {
    case HINT_STRING:
        return true;
    case HINT_WORD:
        return text.len && !find_word(text);
    default:
        break;
    }
    AUTO_ARENA a = arena_new();
    resolve_any(a, text, (struct rules){.dates = true}, &v, &date);
    return v.kind == VALUE_STRING && !date;
}

bool yaml_is_base60(str s)
{
    size_t groups = 0;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (!is_digit(s, 0))
        return false;
    while (is_digit(s, 0) || (s.len && s.ptr[0] == '_'))
        s = str_from(s, 1);
    for (; s.len && s.ptr[0] == ':'; groups++) {
        if (!is_digit(s, 1) || (is_digit(s, 2) && s.ptr[1] > '5'))
            return false;
        s = str_from(s, is_digit(s, 2) ? 3 : 2);
    }
    if (!groups)
        return false;
    if (take_char(&s, '.'))
        while (is_digit(s, 0) || (s.len && s.ptr[0] == '_'))
            s = str_from(s, 1);
    return !s.len;
}
