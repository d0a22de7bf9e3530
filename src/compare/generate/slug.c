/* SPDX-License-Identifier: Apache-2.0 */
/* slug.c - makes file names from object ids: lower-case ASCII letters, digits, "-" and "_". */
#include "compare/pair/difftool_internal.h"

/* Letters beyond ASCII that names may have, and how they are written without. */
static const struct {
    uint32_t from;
    const char *to;
} letters[] = {
    {0xBC, "1/4"}, {0xBD, "1/2"}, {0xBE, "3/4"}, {0x20AC, "EU"}, {0xC6, "AE"}, {0xD0, "D"},
    {0xD8, "O"},   {0xDE, "Th"},  {0xDF, "ss"},  {0xE6, "ae"},   {0xF0, "d"},  {0xF8, "o"},
    {0xFE, "th"},  {0x110, "D"},  {0x111, "d"},  {0x126, "H"},   {0x127, "h"}, {0x131, "i"},
    {0x141, "L"},  {0x142, "l"},  {0x152, "OE"}, {0x153, "oe"},  {0x166, "T"}, {0x167, "t"},
};

/* Base letters of U+00C0 to U+00FF and U+0100 to U+017F that carry marks; blanks are above. */
static const char latin1[] = "AAAAAA CEEEEIIII NOOOOO  UUUUY  aaaaaa ceeeeiiii nooooo  uuuuy y";
static const char latin_a[] = "AaAaAaCcCcCcCcDd  EeEeEeEeEeGgGgGgGgHh  IiIiIiIiI   JjKk LlLlLl"
                              "    NnNnNn   OoOoOo  RrRrRrSsSsSsSsTtTt  UuUuUuUuUuUuWwYyYZzZzZzs";

/* Greek from U+0386 and Cyrillic from U+0400 on. */
static const char *const greek[] = {
    "A", NULL, "E",  "E",  "I",  NULL, "O",  NULL, "U", "O", "I", "A", "B", "G",  "D",
    "E", "Z",  "E",  "Th", "I",  "K",  "L",  "M",  "N", "X", "O", "P", "R", NULL, "S",
    "T", "U",  "Ph", "Kh", "Ps", "O",  "I",  "U",  "a", "e", "e", "i", "u", "a",  "b",
    "g", "d",  "e",  "z",  "e",  "th", "i",  "k",  "l", "m", "n", "x", "o", "p",  "r",
    "s", "s",  "t",  "u",  "ph", "kh", "ps", "o",  "i", "u", "o", "u", "o",
};
static const char *const cyrillic[] = {
    "Ie", "Io",  "Dj", "Gj",   "Ie", "Dz", "I",  "Yi",  "J",  "Lj", "Nj", "Tsh", "Kj", "I",
    "U",  "Dzh", "A",  "B",    "V",  "G",  "D",  "E",   "Zh", "Z",  "I",  "I",   "K",  "L",
    "M",  "N",   "O",  "P",    "R",  "S",  "T",  "U",   "F",  "Kh", "Ts", "Ch",  "Sh", "Shch",
    "'",  "Y",   "'",  "E",    "Iu", "Ia", "a",  "b",   "v",  "g",  "d",  "e",   "zh", "z",
    "i",  "i",   "k",  "l",    "m",  "n",  "o",  "p",   "r",  "s",  "t",  "u",   "f",  "kh",
    "ts", "ch",  "sh", "shch", "'",  "y",  "'",  "e",   "iu", "ia", "ie", "io",  "dj", "gj",
    "ie", "dz",  "i",  "yi",   "j",  "lj", "nj", "tsh", "kj", "i",  "u",  "dzh",
};

static const struct {
    uint32_t first;
    const char *const *names;
    size_t count;
} alphabets[] = {{0x386, greek, COUNT(greek)}, {0x400, cyrillic, COUNT(cyrillic)}};

static void add_foreign(struct buf *out, uint32_t r)
{
    for (size_t i = 0; i < COUNT(alphabets); i++) {
        uint32_t first = alphabets[i].first;
        if (r >= first && r < first + alphabets[i].count && alphabets[i].names[r - first])
            buf_add(out, str_c(alphabets[i].names[r - first]));
    }
}

static void add_letter(struct buf *out, uint32_t r)
{
    char base = ' ';

    for (size_t i = 0; i < COUNT(letters); i++)
        if (letters[i].from == r) {
            buf_add(out, str_c(letters[i].to));
            return;
        }
    if (r >= 0xC0 && r < 0xC0 + sizeof(latin1) - 1)
        base = latin1[r - 0xC0];
    else if (r >= 0x100 && r < 0x100 + sizeof(latin_a) - 1)
        base = latin_a[r - 0x100];
    if (base != ' ')
        buf_char(out, base);
    else
        add_foreign(out, r);
}

static bool is_dash(uint32_t r)
{
    return r >= 0x2010 && r <= 0x2015;
}

static void add_rune(struct buf *out, uint32_t r)
{
    if (r == '"' || r == '\'' || r == 0x2019)
        return;
    if (r == '&')
        buf_add(out, STR("and"));
    else if (r == '@')
        buf_add(out, STR("at"));
    else if (is_dash(r))
        buf_char(out, '-');
    else if (r < 0x80)
        buf_char(out, (char)r);
    else
        add_letter(out, r);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* ASCII that is kept or dropped: not what add_rune replaces. */
static bool is_simple(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((signed char)text.ptr[i] < 0 || text.ptr[i] == '&' || text.ptr[i] == '@' ||
            text.ptr[i] == '"' || text.ptr[i] == '\'')
            return false;
    return true;
}

/* Only letters, digits and signs that names may have are left. */
static str to_ascii(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t width;

    if (is_simple(text))
        return text;
    for (size_t i = 0; i < text.len; i += width)
        add_rune(&out, utf8_decode(str_from(text, i), &width));
    return buf_str(&out);
}

str slug_make(struct arena *a, str text)
{
    str ascii = to_ascii(a, str_trim(text));
    char *out = arena_alloc_text(a, ascii.len);
    size_t len = 0;

    for (size_t i = 0; i < ascii.len; i++) {
        char c = ascii.ptr[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        c = is_plain(c) ? c : '-';
        if (c != '-' || !len || out[len - 1] != '-')
            out[len++] = c;
    }
    return str_trim_set(str_of(out, len), STR("-_"));
}
