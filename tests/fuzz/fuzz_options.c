/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_options.c - a command line of any bytes is read or refused, never more.
 *
 * The words end at NUL bytes. Nothing gets lost: there are no more words than were given, and every
 * refusal has a text.
 */
#include "cli/options/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct values {
    bool all;
    int64_t count, number, wait;
    str format, name;
    struct str_list files, words;
};

static const struct option table[] = {
    {"all", 'a', OPTION_BOOL, offsetof(struct values, all), .help = ""},
    {"count", 'c', OPTION_COUNT, offsetof(struct values, count), .help = ""},
    {"files", 'f', OPTION_STRINGS, offsetof(struct values, files), .value = "a,b", .help = ""},
    {"name", 0, OPTION_STRING, offsetof(struct values, name), .bare = "me", .help = ""},
    {"number", 'n', OPTION_INT, offsetof(struct values, number), .value = "4", .help = ""},
    {"wait", 'w', OPTION_DURATION, offsetof(struct values, wait), .value = "1m30s", .help = ""},
    {"words", 'x', OPTION_ARRAY, offsetof(struct values, words), .help = ""},
};

#define WORDS_MAX 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct values v = {0};
    struct options o = options_new(a);
    char *text = str_z(a, str_of((const char *)data, size)), *argv[WORDS_MAX];
    size_t argc = 0;

    for (size_t i = 1; i < size && argc < WORDS_MAX; i += strlen(text + i) + 1)
        argv[argc++] = text + i;
    o.stop_at_word = size && (data[0] & 1);
    o.kubectl = size && (data[0] & 2);
    options_defaults(a, table, COUNT(table), &v);
    options_add(&o, table, COUNT(table), &v);
    if (!options_parse(&o, argc, argv, &e) && (e.kind == ERR_NONE || e.text.len == 0))
        abort();
    if (o.word_count > argc)
        abort();
    if (o.unknown.len)
        (void)options_suggest(&o, o.unknown);
    return 0;
}
