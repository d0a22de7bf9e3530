/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_layout.c - finds the elements of a layout, and formats a time by one.
 */
#include "go/time_internal.h"

#include "base/clock.h"

#define DIGITS_MASK 0xfff /* Upstream: the number of digits is kept in twelve bits */

/* ---- Layouts ---- */

/*
 * Elements by their spelling. Of those that fit the first one wins, so longer ones come before
 * shorter ones that begin the same.
 */
static const struct {
    const char *text;
    enum gotime_element element;
    struct offset_shape shape;
} elements[] = {
    {"January", ELEMENT_LONG_MONTH, {0}},
    {"Jan", ELEMENT_MONTH, {0}},
    {"Monday", ELEMENT_LONG_WEEKDAY, {0}},
    {"Mon", ELEMENT_WEEKDAY, {0}},
    {"MST", ELEMENT_ZONE_NAME, {0}},
    {"01", ELEMENT_ZERO_MONTH, {0}},
    {"02", ELEMENT_ZERO_DAY, {0}},
    {"03", ELEMENT_ZERO_HOUR12, {0}},
    {"04", ELEMENT_ZERO_MINUTE, {0}},
    {"05", ELEMENT_ZERO_SECOND, {0}},
    {"06", ELEMENT_YEAR, {0}},
    {"002", ELEMENT_ZERO_YEARDAY, {0}},
    {"15", ELEMENT_HOUR, {0}},
    {"1", ELEMENT_NUM_MONTH, {0}},
    {"2006", ELEMENT_LONG_YEAR, {0}},
    {"2", ELEMENT_DAY, {0}},
    {"_2", ELEMENT_UNDER_DAY, {0}},
    {"__2", ELEMENT_UNDER_YEARDAY, {0}},
    {"3", ELEMENT_HOUR12, {0}},
    {"4", ELEMENT_MINUTE, {0}},
    {"5", ELEMENT_SECOND, {0}},
    {"PM", ELEMENT_UPPER_PM, {0}},
    {"pm", ELEMENT_LOWER_PM, {0}},
    {"-070000", ELEMENT_OFFSET, {.has_minutes = true, .has_seconds = true}},
    {"-07:00:00", ELEMENT_OFFSET, {.has_minutes = true, .has_seconds = true, .has_colons = true}},
    {"-0700", ELEMENT_OFFSET, {.has_minutes = true}},
    {"-07:00", ELEMENT_OFFSET, {.has_minutes = true, .has_colons = true}},
    {"-07", ELEMENT_OFFSET, {0}},
    {"Z070000", ELEMENT_OFFSET, {.is_iso = true, .has_minutes = true, .has_seconds = true}},
    {"Z07:00:00",
     ELEMENT_OFFSET,
     {.is_iso = true, .has_minutes = true, .has_seconds = true, .has_colons = true}},
    {"Z0700", ELEMENT_OFFSET, {.is_iso = true, .has_minutes = true}},
    {"Z07:00", ELEMENT_OFFSET, {.is_iso = true, .has_minutes = true, .has_colons = true}},
    {"Z07", ELEMENT_OFFSET, {.is_iso = true}},
};

/* "Jan" in "Janet" is not a month. */
static bool is_word_cut(str at, enum gotime_element element)
{
    return (element == ELEMENT_MONTH || element == ELEMENT_WEEKDAY) && at.len > 3 &&
           at.ptr[3] >= 'a' && at.ptr[3] <= 'z';
}

/* ".000" or ",999" at the start of at. */
static bool find_fraction(str at, struct gotime_chunk *c)
{
    size_t n = 1;

    if (at.len < 2 || (at.ptr[1] != '0' && at.ptr[1] != '9'))
        return false;
    while (n < at.len && at.ptr[n] == at.ptr[1])
        n++;
    if (go_digit_at(at, n))
        return false;
    c->element = ELEMENT_FRACTION;
    c->digits = (int)((n - 1) & DIGITS_MASK);
    c->fraction_trims = at.ptr[1] == '9';
    c->text = str_slice(at, 0, n);
    return true;
}

static bool find_element(str at, struct gotime_chunk *c)
{
    if (at.ptr[0] == '.' || at.ptr[0] == ',')
        return find_fraction(at, c);
    for (size_t i = 0; i < COUNT(elements); i++) {
        if (elements[i].text[0] != at.ptr[0])
            continue;
        str text = str_c(elements[i].text);
        if (!str_has_prefix(at, text) || is_word_cut(at, elements[i].element))
            continue;
        c->element = elements[i].element;
        c->shape = elements[i].shape;
        c->text = str_slice(at, 0, text.len);
        return true;
    }
    return false;
}

struct gotime_chunk gotime_next_chunk(str layout)
{
    struct gotime_chunk c = {.prefix = layout};

    for (size_t i = 0; i < layout.len; i++) {
        str at = str_from(layout, i);
        if (!at.ptr[0] || !strchr("JM012345_PpZ-.,", at.ptr[0]))
            continue;
        /* The line before a year is text, not the space of _2. */
        if (str_has_prefix(at, STR("_2006")) || !find_element(at, &c))
            continue;
        c.prefix = str_slice(layout, 0, i);
        c.rest = str_from(at, c.text.len);
        return c;
    }
    return c;
}

/* ---- Formatting ---- */

static void add_number(struct buf *out, int64_t n, int width)
{
    if (n < 0)
        buf_char(out, '-');
    buf_fmt(out, "%0*llu", width, (unsigned long long)(n < 0 ? -(uint64_t)n : (uint64_t)n));
}

static void add_offset(struct buf *out, int32_t offset, struct offset_shape shape)
{
    int minutes = offset / 60, seconds = offset;

    if (offset == 0 && shape.is_iso) {
        buf_char(out, 'Z');
        return;
    }
    /* Upstream: the sign is that of the minutes, so 30 seconds west are "+00:00:-30". */
    buf_char(out, minutes < 0 ? '-' : '+');
    if (minutes < 0) {
        minutes = -minutes;
        seconds = -seconds;
    }
    add_number(out, minutes / 60, 2);
    if (shape.has_colons)
        buf_char(out, ':');
    if (shape.has_minutes)
        add_number(out, minutes % 60, 2);
    if (shape.has_seconds) {
        if (shape.has_colons)
            buf_char(out, ':');
        add_number(out, seconds % 60, 2);
    }
}

static void add_fraction(struct buf *out, int32_t nsec, const struct gotime_chunk *c)
{
    char digits[16];
    int n = c->digits < 9 ? c->digits : 9;

    snprintf(digits, sizeof(digits), "%09d", (int)nsec);
    while (c->fraction_trims && n > 0 && digits[n - 1] == '0')
        n--;
    if (n == 0 && c->fraction_trims)
        return;
    buf_char(out, c->text.ptr[0]);
    buf_add(out, str_of(digits, (size_t)n));
}

static void add_padded(struct buf *out, int n, int width)
{
    buf_fmt(out, "%*d", width, n);
}

static int hour12(int hour)
{
    return hour % 12 ? hour % 12 : 12;
}

static void add_clock(struct buf *out, const struct gotime_fields *f, enum gotime_element element)
{
    switch (element) {
    case ELEMENT_HOUR:
        add_number(out, f->hour, 2);
        break;
    case ELEMENT_HOUR12:
        add_number(out, hour12(f->hour), 1);
        break;
    case ELEMENT_ZERO_HOUR12:
        add_number(out, hour12(f->hour), 2);
        break;
    case ELEMENT_MINUTE:
        add_number(out, f->minute, 1);
        break;
    case ELEMENT_ZERO_MINUTE:
        add_number(out, f->minute, 2);
        break;
    case ELEMENT_SECOND:
        add_number(out, f->second, 1);
        break;
    case ELEMENT_ZERO_SECOND:
        add_number(out, f->second, 2);
        break;
    case ELEMENT_UPPER_PM:
        buf_add(out, f->hour >= 12 ? STR("PM") : STR("AM"));
        break;
    default:
        buf_add(out, f->hour >= 12 ? STR("pm") : STR("am"));
    }
}

static void add_date(struct buf *out, const struct gotime_fields *f, enum gotime_element element)
{
    switch (element) {
    case ELEMENT_LONG_MONTH:
        buf_add(out, str_c(gotime_month_name(f->month)));
        break;
    case ELEMENT_MONTH:
        buf_add(out, str_of(gotime_month_name(f->month), 3));
        break;
    case ELEMENT_NUM_MONTH:
        add_number(out, f->month, 1);
        break;
    case ELEMENT_ZERO_MONTH:
        add_number(out, f->month, 2);
        break;
    case ELEMENT_LONG_WEEKDAY:
        buf_add(out, str_c(gotime_weekday_name(f->weekday)));
        break;
    case ELEMENT_WEEKDAY:
        buf_add(out, str_of(gotime_weekday_name(f->weekday), 3));
        break;
    case ELEMENT_DAY:
        add_number(out, f->day, 1);
        break;
    case ELEMENT_UNDER_DAY:
        add_padded(out, f->day, 2);
        break;
    case ELEMENT_ZERO_DAY:
        add_number(out, f->day, 2);
        break;
    case ELEMENT_UNDER_YEARDAY:
        add_padded(out, f->yearday, 3);
        break;
    case ELEMENT_ZERO_YEARDAY:
        add_number(out, f->yearday, 3);
        break;
    case ELEMENT_LONG_YEAR:
        add_number(out, f->year, 4);
        break;
    default: /* ELEMENT_YEAR */
        add_number(out, (f->year < 0 ? -f->year : f->year) % 100, 2);
    }
}

static void add_element(struct buf *out, const struct gotime_fields *f, int32_t nsec,
                        const struct gotime_chunk *c)
{
    switch (c->element) {
    case ELEMENT_ZONE_NAME:
        if (f->zone_name.len)
            buf_add(out, f->zone_name);
        else
            add_offset(out, f->zone_offset, (struct offset_shape){.has_minutes = true});
        break;
    case ELEMENT_OFFSET:
        add_offset(out, f->zone_offset, c->shape);
        break;
    case ELEMENT_FRACTION:
        add_fraction(out, nsec, c);
        break;
    case ELEMENT_HOUR:
    case ELEMENT_HOUR12:
    case ELEMENT_ZERO_HOUR12:
    case ELEMENT_MINUTE:
    case ELEMENT_ZERO_MINUTE:
    case ELEMENT_SECOND:
    case ELEMENT_ZERO_SECOND:
    case ELEMENT_UPPER_PM:
    case ELEMENT_LOWER_PM:
        add_clock(out, f, c->element);
        break;
    default:
        add_date(out, f, c->element);
    }
}

void gotime_format(struct buf *out, struct gotime t, str layout)
{
    struct gotime_fields f = gotime_fields(t);

    while (layout.len) {
        struct gotime_chunk c = gotime_next_chunk(layout);
        buf_add(out, c.prefix);
        if (c.element == ELEMENT_NONE)
            return;
        add_element(out, &f, t.nsec, &c);
        layout = c.rest;
    }
}

void gotime_string(struct buf *out, struct gotime t)
{
    uint64_t ns = t.mono < 0 ? -(uint64_t)t.mono : (uint64_t)t.mono;

    gotime_format(out, t, STR("2006-01-02 15:04:05.999999999 -0700 MST"));
    if (t.has_mono)
        buf_fmt(out, " m=%c%llu.%09llu", t.mono < 0 ? '-' : '+',
                (unsigned long long)(ns / (uint64_t)NS_PER_SEC),
                (unsigned long long)(ns % (uint64_t)NS_PER_SEC));
}

void gotime_go_string(struct buf *out, struct gotime t, const struct zone *local)
{
    struct gotime_fields f = gotime_fields(t);

    buf_fmt(out, "time.Date(%lld, time.%s, %d, %d, %d, %d, %d, ", (long long)f.year,
            gotime_month_name(f.month), f.day, f.hour, f.minute, f.second, (int)t.nsec);
    if (!t.zone) {
        buf_add(out, STR("time.UTC)"));
    } else if (t.zone == local) {
        buf_add(out, STR("time.Local)"));
    } else {
        buf_add(out, STR("time.Location("));
        gotime_quote(out, zone_name(t.zone));
        buf_add(out, STR("))"));
    }
}

void gotime_quote(struct buf *out, str s)
{
    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= 0x80 || c < ' ') {
            buf_fmt(out, "\\x%02x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            buf_char(out, '\\');
        buf_char(out, (char)c);
    }
    buf_char(out, '"');
}

str gotime_quoted(struct arena *a, str s)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    gotime_quote(&b, s);
    return buf_str(&b);
}
