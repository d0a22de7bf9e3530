/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - one search, for counting its instructions; see ../linear-regex.
 *
 *     regex PATTERN COUNT
 *
 * searches COUNT times "a" and a "b". Prints whether it matched.
 */
#include "regex/regex.h"

int main(int argc, char **argv)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct regex *re;
    uint64_t count;

    if (argc != 3 || !str_to_u64(str_c(argv[2]), &count))
        return 2;
    if (!regex_compile(a, str_c(argv[1]), &re, &e)) {
        fprintf(stderr, "%.*s\n", STR_ARG(e.text));
        return 2;
    }
    buf_repeat(&text, 'a', count);
    buf_char(&text, 'b');
    puts(regex_match(re, buf_str(&text)) ? "match" : "no match");
    return 0;
}
