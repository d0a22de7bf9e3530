/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - runs recorded vectors; see vectors.h.
 *
 * Exit codes: 0 when all passed, 1 when some failed, 2 when they could not be run. What could not
 * be run counts as one failure per file, so that nobody takes it for a success.
 */
#include "vectors.h"

#include "text/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

str vector_file;

enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_UNUSABLE = 2 };
enum { SHOWN_MAX = 2000 }; /* bytes of one text in a report of a failure */
#define WHY_MAX (64 * KIB)

/* ---- What kinds use. ---- */

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Standard base64 with padding. False when it is not. */
static bool decode_base64(struct arena *a, str s, str *out)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    uint32_t bits = 0;
    int have = 0;

    while (s.len && s.ptr[s.len - 1] == '=')
        s.len--;
    for (size_t i = 0; i < s.len; i++) {
        int digit = base64_digit(s.ptr[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            buf_char(&b, (char)(bits >> have & 0xFF));
        }
    }
    *out = buf_str(&b);
    return have < 6;
}

bool vector_text(struct arena *a, const struct value *vector, const char *key, str *out)
{
    const struct value *plain = value_get(vector, str_c(key));
    const struct value *encoded = value_get(vector, str_fmt(a, "%s_b64", key));

    if (value_is(encoded, VALUE_STRING))
        return decode_base64(a, value_str(encoded), out);
    *out = value_str(plain);
    return value_is(plain, VALUE_STRING);
}

static void add_shown(struct buf *why, const char *label, str text)
{
    buf_fmt(why, "    %s [", label);
    buf_add(why, str_slice(text, 0, SHOWN_MAX));
    buf_add(why, text.len > SHOWN_MAX ? STR("...]\n") : STR("]\n"));
}

bool vector_differs(struct buf *why, const char *what, str got, str want)
{
    buf_fmt(why, "  %s differs\n", what);
    add_shown(why, "got ", got);
    add_shown(why, "want", want);
    return false;
}

/* ---- Running. ---- */

static void run_one(struct arena *a, const struct vector_kind *kind, const struct value *vector,
                    struct vector_tally *tally)
{
    struct buf why = buf_new(a, WHY_MAX);

    if (kind->applies && !kind->applies(a, vector)) {
        tally->left_out++;
        return;
    }
    if (kind->run_parts) {
        kind->run_parts(a, vector, tally);
        return;
    }
    if (kind->run(a, vector, &why)) {
        tally->passed++;
        return;
    }
    tally->failed++;
    str id = value_get_str(vector, STR("id"));
    if (!id.len)
        id = vector_file;
    printf("FAILED %.*s\n%.*s", STR_ARG(id), STR_ARG(buf_str(&why)));
}

/* One line of a file. Errors name file and line, not the place inside the line alone. */
static bool run_line(struct arena *a, const struct vector_kind *kind, str line,
                     struct vector_tally *tally, struct err *e)
{
    struct source src = {.text = line};
    struct value *vector;

    if (!json_read(a, &src, NULL, &vector, e))
        return false;
    if (!value_is(vector, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "a vector must be an object, this is a %s",
                       value_kind_name((enum value_kind)vector->kind));
    run_one(a, kind, vector, tally);
    return true;
}

static bool run_lines(const struct vector_kind *kind, str path, struct vector_tally *tally,
                      struct err *e)
{
    AUTO_ARENA file = arena_new();
    AUTO_ARENA a = arena_new();
    str rest, line;

    if (!file_read(file, path, &rest, e))
        return false;
    for (uint32_t number = 1; str_next_line(&rest, &line); number++) {
        if (!str_trim(line).len)
            continue;
        if (!run_line(a, kind, line, tally, e)) {
            uint32_t column = e->at.column;
            e->at = (struct where){0};
            return err_at(e, (struct where){.file = path, .line = number, .column = column});
        }
        arena_reset(a);
    }
    return true;
}

static bool run_document(const struct vector_kind *kind, str path, struct vector_tally *tally,
                         struct err *e)
{
    AUTO_ARENA file = arena_new();
    AUTO_ARENA a = arena_new();
    struct source src = {.file = path};
    const struct value *list;
    struct value *root;

    if (!file_read(file, path, &src.text, e) || !json_read(file, &src, NULL, &root, e))
        return false;
    if (!kind->list) {
        run_one(a, kind, root, tally);
        return true;
    }
    list = kind->list[0] ? value_get(root, str_c(kind->list)) : root;
    if (!value_is(list, VALUE_LIST))
        return err_set(e, ERR_INVALID, "%.*s: there is no list \"%s\"", STR_ARG(path), kind->list);
    for (size_t i = 0; i < list->len; i++) {
        run_one(a, kind, &list->items[i], tally);
        arena_reset(a);
    }
    return true;
}

/* Documents of a folder, in the order of their names. */
static bool run_folder(const struct vector_kind *kind, str path, struct vector_tally *tally,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct dirent **names;
    int count = scandir(str_z(a, path), &names, NULL, alphasort);
    bool ok = count >= 0 || err_errno(e, errno, "open", path);

    for (int i = 0; i < count; i++) {
        vector_file = str_fmt(a, "%.*s/%s", STR_ARG(path), names[i]->d_name);
        if (ok && str_has_suffix(vector_file, STR(".json")))
            ok = run_document(kind, vector_file, tally, e);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return ok;
}

static bool run_file(const struct vector_kind *kind, str path, struct vector_tally *tally,
                     struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct stat st;

    vector_file = path;
    if (kind->run_file)
        return kind->run_file(a, path, tally, e);
    if (!kind->document)
        return run_lines(kind, path, tally, e);
    if (stat(str_z(a, path), &st) == 0 && S_ISDIR(st.st_mode))
        return run_folder(kind, path, tally, e);
    return run_document(kind, path, tally, e);
}

/* ---- The command line. ---- */

static void print_kinds(FILE *to)
{
    fprintf(to, "Kinds:\n");
    for (size_t i = 0; vector_kinds[i]; i++)
        fprintf(to, "  %-12s %s\n", vector_kinds[i]->name, vector_kinds[i]->help);
}

/* Names alone, for scripts. */
static void print_names(void)
{
    for (size_t i = 0; vector_kinds[i]; i++)
        puts(vector_kinds[i]->name);
}

static void print_usage(FILE *to)
{
    fprintf(to,
            "Usage: vectors KIND FILE...\n"
            "       vectors --kinds\n"
            "Runs recorded vectors, one JSON object per line, and prints what differs. Of some\n"
            "kinds a FILE is one document, or a folder of them.\n\n");
    print_kinds(to);
}

static const struct vector_kind *find_kind(const char *name)
{
    for (size_t i = 0; vector_kinds[i]; i++)
        if (!strcmp(vector_kinds[i]->name, name))
            return vector_kinds[i];
    return NULL;
}

static int run_files(const struct vector_kind *kind, char **paths)
{
    AUTO_ARENA a = arena_new();
    struct vector_tally tally = {0};
    bool unusable = false;

    for (; *paths; paths++) {
        AUTO_ERR e = {0};
        if (run_file(kind, str_c(*paths), &tally, &e))
            continue;
        unusable = true;
        tally.failed++;
        fflush(stdout);
        fprintf(stderr, "vectors: %.*s\n", STR_ARG(err_message(a, &e)));
    }
    if (kind->finish)
        kind->finish();
    printf("%zu passed, %zu failed", tally.passed, tally.failed);
    if (tally.left_out)
        printf(", %zu not applicable", tally.left_out);
    printf("\n");
    if (unusable)
        return EXIT_UNUSABLE;
    return tally.failed ? EXIT_FAILED : EXIT_PASSED;
}

int main(int argc, char **argv)
{
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        print_usage(stdout);
        return EXIT_PASSED;
    }
    if (argc == 2 && !strcmp(argv[1], "--kinds")) {
        print_names();
        return EXIT_PASSED;
    }
    if (argc < 3) {
        print_usage(stderr);
        return EXIT_UNUSABLE;
    }
    const struct vector_kind *kind = find_kind(argv[1]);
    if (!kind) {
        fprintf(stderr, "vectors: unknown kind \"%s\"\n", argv[1]);
        print_kinds(stderr);
        return EXIT_UNUSABLE;
    }
    return run_files(kind, argv + 2);
}
