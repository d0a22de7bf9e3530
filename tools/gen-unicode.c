/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen-unicode.c - turns the files of the Unicode database into C tables.
 *
 *     gen-unicode FOLDER > unicode_tables.h
 *
 * Reads UnicodeData.txt, Scripts.txt, PropertyValueAliases.txt, PropList.txt and CaseFolding.txt.
 * The result is included by src/base/unicode.c alone. It holds no pointers, so that the program
 * starts without relocating it:
 *
 *   unicode_ranges   the ranges of all sets, one set after the other
 *   unicode_sets     name, first range and number of ranges: categories, then scripts
 *   unicode_aliases  long names of categories
 *   unicode_cases    code points that have other cases, with their mappings and the next code point
 *                    that matches without case
 *
 * Stands alone: it is built before anything else, and ends with a message at the first surprise.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNES = 0x110000,
    NAME_MAX_LEN = 24, /* with the final NUL; also in src/base/unicode.c */
    SETS_MAX = 400,
    FIELDS_MAX = 16,
};

struct mapping {
    uint32_t upper, lower, title, fold; /* fold: CaseFolding's target; 0 means itself everywhere */
};

struct member {
    char name[NAME_MAX_LEN];
    uint8_t id; /* categories: index into categories; scripts: value in script_of */
};

static uint8_t category_of[RUNES], script_of[RUNES], space_of[RUNES];
static struct mapping mapping_of[RUNES];
static uint32_t orbit_next[RUNES];
static struct member categories[64], scripts[256];
static size_t category_count, script_count;

/* ---- Reading ---- */

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "gen-unicode: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

static char *trim(char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    for (char *end = s + strlen(s); end > s && strchr(" \t\r\n", end[-1]); end--)
        end[-1] = '\0';
    return s;
}

/* Cuts a line at semicolons; fields that are missing are empty. */
static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;

    for (char *next = line; next && count < FIELDS_MAX;) {
        char *field = strsep(&next, ";");
        fields[count++] = trim(field);
    }
    for (size_t i = count; i < FIELDS_MAX; i++)
        fields[i] = "";
    return count;
}

static uint32_t parse_rune(const char *text)
{
    char *end;
    unsigned long r = strtoul(text, &end, 16);

    if (end == text || r >= RUNES)
        fail("not a code point: %s", text);
    return (uint32_t)r;
}

/* "0041" or "0041..005A". */
static void parse_range(const char *text, uint32_t *lo, uint32_t *hi)
{
    const char *dots = strstr(text, "..");

    *lo = parse_rune(text);
    *hi = dots ? parse_rune(dots + 2) : *lo;
}

typedef void line_fn(char *fields[FIELDS_MAX], size_t count);

/* Calls fn for each line that holds data; comments are cut off. */
static void read_file(const char *folder, const char *name, line_fn *fn)
{
    char path[4096], *line = NULL, *fields[FIELDS_MAX];
    size_t size = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f)
        fail("cannot open %s", path);
    while (getline(&line, &size, f) >= 0) {
        char *comment = strchr(line, '#');
        if (comment)
            *comment = '\0';
        if (*trim(line))
            fn(fields, split(line, fields));
    }
    free(line);
    fclose(f);
}

static uint8_t member_id(struct member *members, size_t *count, size_t max, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(members[i].name, name))
            return (uint8_t)i;
    if (*count == max || strlen(name) >= NAME_MAX_LEN)
        fail("too many names, or too long: %s", name);
    snprintf(members[*count].name, NAME_MAX_LEN, "%s", name);
    return (uint8_t)(*count)++;
}

static uint32_t mapped(const char *field, uint32_t fallback)
{
    return *field ? parse_rune(field) : fallback;
}

/* Two lines with "First>" and "Last>" stand for everything between them. */
static void read_character(char *fields[FIELDS_MAX], size_t count)
{
    static uint32_t first;
    uint32_t r = parse_rune(fields[0]);
    uint8_t id = member_id(categories, &category_count, 64, fields[2]);

    if (count < 15)
        fail("UnicodeData.txt: %zu fields", count);
    if (strstr(fields[1], ", First>"))
        first = r;
    for (uint32_t i = strstr(fields[1], ", Last>") ? first : r; i <= r; i++)
        category_of[i] = id;
    mapping_of[r].upper = mapped(fields[12], r);
    mapping_of[r].lower = mapped(fields[13], r);
    mapping_of[r].title = mapped(fields[14], mapping_of[r].upper);
}

static void read_script(char *fields[FIELDS_MAX], size_t count)
{
    uint32_t lo, hi;
    uint8_t id = member_id(scripts, &script_count, 255, fields[1]);

    (void)count;
    parse_range(fields[0], &lo, &hi);
    for (uint32_t r = lo; r <= hi; r++)
        script_of[r] = id;
}

static void read_property(char *fields[FIELDS_MAX], size_t count)
{
    uint32_t lo, hi;

    (void)count;
    if (strcmp(fields[1], "White_Space"))
        return;
    parse_range(fields[0], &lo, &hi);
    for (uint32_t r = lo; r <= hi; r++)
        space_of[r] = 1;
}

/* Only the foldings from one code point to one: common and simple. */
static void read_folding(char *fields[FIELDS_MAX], size_t count)
{
    (void)count;
    if (!strcmp(fields[1], "C") || !strcmp(fields[1], "S"))
        mapping_of[parse_rune(fields[0])].fold = parse_rune(fields[2]);
}

/* ---- Orbits ---- */

static uint32_t fold_target(uint32_t r)
{
    return mapping_of[r].fold ? mapping_of[r].fold : r;
}

/*
 * Links all code points that fold to the same one into a ring in rising order. A code point that
 * nothing folds to and that folds to nothing is alone, also when it has an upper or lower case, as
 * U+0130 and U+0131 have.
 */
static void link_orbits(void)
{
    static uint32_t last[RUNES], first[RUNES];
    static bool seen[RUNES];

    for (uint32_t r = 0; r < RUNES; r++) {
        uint32_t target = fold_target(r);
        orbit_next[r] = r;
        if (!seen[target])
            first[target] = r;
        else
            orbit_next[last[target]] = r;
        seen[target] = true;
        last[target] = r;
        orbit_next[r] = first[target];
    }
}

/* ---- Writing ---- */

struct set {
    char name[NAME_MAX_LEN];
    size_t first, count;
};

static struct set sets[SETS_MAX];
static size_t set_count, range_count;

typedef bool member_fn(uint32_t r, const char *name, uint8_t id);

static bool in_category(uint32_t r, const char *name, uint8_t id)
{
    (void)name;
    return category_of[r] == id;
}

/* "L" is all of Lu, Ll ... */
static bool in_group(uint32_t r, const char *name, uint8_t id)
{
    (void)id;
    return categories[category_of[r]].name[0] == name[0];
}

static bool in_cased(uint32_t r, const char *name, uint8_t id)
{
    const char *category = categories[category_of[r]].name;

    (void)name, (void)id;
    return !strcmp(category, "Lu") || !strcmp(category, "Ll") || !strcmp(category, "Lt");
}

static bool in_script(uint32_t r, const char *name, uint8_t id)
{
    (void)name;
    return script_of[r] == id;
}

static bool in_space(uint32_t r, const char *name, uint8_t id)
{
    (void)name, (void)id;
    return space_of[r] != 0;
}

static void write_ranges(const char *name, uint8_t id, member_fn *has)
{
    struct set *s = &sets[set_count++];

    if (set_count == SETS_MAX)
        fail("too many sets");
    snprintf(s->name, NAME_MAX_LEN, "%s", name);
    s->first = range_count;
    printf("    /* %s */\n", name);
    for (uint32_t r = 0; r < RUNES; r++) {
        if (!has(r, name, id))
            continue;
        uint32_t lo = r;
        while (r + 1 < RUNES && has(r + 1, name, id))
            r++;
        printf("    {0x%X, 0x%X},\n", lo, r);
        range_count++;
    }
    s->count = range_count - s->first;
}

/* Sorted by name, so that sets can be searched; "Cn" is 0 and so the default of category_of. */
static void write_category_ranges(void)
{
    static const char groups[] = "CLMNPSZ";

    for (size_t i = 0; i < category_count; i++)
        write_ranges(categories[i].name, (uint8_t)i, in_category);
    for (const char *g = groups; *g; g++)
        write_ranges((char[]){*g, '\0'}, 0, in_group);
    write_ranges("LC", 0, in_cased);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct set *)a)->name, ((const struct set *)b)->name);
}

static void write_sets(size_t category_sets)
{
    qsort(sets, category_sets, sizeof(*sets), by_name);
    qsort(sets + category_sets, set_count - category_sets, sizeof(*sets), by_name);
    printf("};\n\nenum { UNICODE_CATEGORY_SETS = %zu };\n\n", category_sets);
    printf("static const struct unicode_named unicode_sets[] = {\n");
    for (size_t i = 0; i < set_count; i++)
        printf("    {\"%s\", %zu, %zu},\n", sets[i].name, sets[i].first, sets[i].count);
    printf("};\n\n");
    for (size_t i = 0; i < category_sets; i++)
        printf("enum { UNICODE_SET_%s = %zu };\n", sets[i].name, i);
    printf("enum { UNICODE_SET_White_Space = %zu };\n", set_count - 1);
}

static void write_all_ranges(void)
{
    printf("static const struct unicode_range unicode_ranges[] = {\n");
    write_category_ranges();
    size_t category_sets = set_count;
    for (size_t i = 1; i < script_count; i++)
        write_ranges(scripts[i].name, (uint8_t)i, in_script);
    /* Not a script: its name keeps it last and out of reach of a search by canonical name. */
    write_ranges("~space", 0, in_space);
    write_sets(category_sets);
}

static void write_alias(char *fields[FIELDS_MAX], size_t count)
{
    if (strcmp(fields[0], "gc"))
        return;
    for (size_t i = 2; i < count; i++)
        if (*fields[i])
            printf("    {\"%s\", UNICODE_SET_%s},\n", fields[i], fields[1]);
}

/* A code point outside UnicodeData.txt has no mapping at all. */
static bool has_cases(uint32_t r)
{
    const struct mapping *m = &mapping_of[r];

    if (orbit_next[r] != r)
        return true;
    return m->upper && (m->upper != r || m->lower != r || m->title != r);
}

static void write_cases(void)
{
    printf("static const struct unicode_case unicode_cases[] = {\n");
    for (uint32_t r = 1; r < RUNES; r++) {
        const struct mapping *m = &mapping_of[r];
        if (has_cases(r))
            printf("    {0x%X, 0x%X, 0x%X, 0x%X, 0x%X},\n", r, m->upper, m->lower, m->title,
                   orbit_next[r]);
    }
    printf("};\n");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: gen-unicode FOLDER");
    member_id(categories, &category_count, 64, "Cn");
    member_id(scripts, &script_count, 255, "");
    read_file(argv[1], "UnicodeData.txt", read_character);
    read_file(argv[1], "Scripts.txt", read_script);
    read_file(argv[1], "PropList.txt", read_property);
    read_file(argv[1], "CaseFolding.txt", read_folding);
    link_orbits();
    printf("/* Made by tools/gen-unicode.c; do not edit. */\n");
    write_all_ranges();
    printf("\nstatic const struct unicode_alias unicode_aliases[] = {\n");
    read_file(argv[1], "PropertyValueAliases.txt", write_alias);
    printf("};\n\n");
    write_cases();
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
