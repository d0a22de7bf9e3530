/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_regex.c - searching a large text, and short ones.
 *
 * The large text is a list of objects as YAML, in which all matches are found; searching it for a
 * byte that is not there is what can be reached. The last rows are a pattern that makes engines
 * with naive backtracking give up: what counts there is that twice the text takes twice the steps.
 */
#include "bench.h"

#include "regex/internal.h"

#define TEXT_MAX ((size_t)8 * 1000 * 1000)
#define HARD_LEN ((size_t)100 * 1000)

struct task {
    const struct regex *re;
    str text;
    size_t found;
};

static size_t memchr_round(void *ctx)
{
    struct task *t = ctx;

    t->found = str_find_char(t->text, '\x01') != STR_NPOS;
    return 0;
}

static size_t find_round(void *ctx)
{
    struct task *t = ctx;
    AUTO_ARENA a = arena_new();

    t->found = regex_find_all(a, t->re, t->text, -1, t->re->groups + 1).count;
    return 0;
}

/* Each line on its own, as fields of objects are. */
static size_t lines_round(void *ctx)
{
    struct task *t = ctx;
    str rest = t->text, line;

    t->found = 0;
    while (str_next_line(&rest, &line))
        t->found += regex_match(t->re, line);
    return 0;
}

static const struct regex *compile(struct arena *a, const char *pattern)
{
    AUTO_ERR e = {0};
    struct regex *re = NULL;

    bench_check(regex_compile(a, str_c(pattern), &re, &e), &e);
    return re;
}

static void bench_large(struct arena *a, str text)
{
    static const struct {
        const char *name, *pattern;
    } cases[] = {
        {"regex literal", "restartPolicy: Always"},
        {"regex alternation", "Running|Pending|Succeeded|Failed"},
        {"regex without case", "(?i)imagepullpolicy"},
        {"regex address", "[0-9]{1,3}(?:\\.[0-9]{1,3}){3}"},
        {"regex groups", "(\\w+): (\\d+)"},
        {"regex lines", "(?m)^\\s+name: (\\S+)$"},
        {"regex Unicode", "\\pL+"},
    };
    struct task t = {.text = text};

    bench_run(
        &(struct bench_case){.name = "memchr", .bytes = text.len, .run = memchr_round, .ctx = &t});
    for (size_t i = 0; i < COUNT(cases); i++) {
        t.re = compile(a, cases[i].pattern);
        bench_run(&(struct bench_case){.name = cases[i].name,
                                       .bytes = text.len,
                                       .run = find_round,
                                       .ctx = &t,
                                       .reference = "memchr"});
    }
    t.re = compile(a, "^\\s*(image|name): ([a-z0-9./-]+)");
    bench_run(&(struct bench_case){.name = "regex each line",
                                   .bytes = text.len,
                                   .run = lines_round,
                                   .ctx = &t,
                                   .reference = "memchr"});
}

static str many(struct arena *a, size_t count)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&b, 'a', count);
    buf_char(&b, 'b');
    return buf_str(&b);
}

static uint64_t count_steps(struct arena *a, const struct regex *re, str text)
{
    struct search s = {.re = re, .text = text, .arena = a};

    rx_search_run(&s, 0, SEARCH_BEST);
    return s.steps;
}

static void bench_hard(struct arena *a)
{
    struct task t = {.re = compile(a, "(a+)+$"), .text = many(a, HARD_LEN)};
    uint64_t once = count_steps(a, t.re, t.text);
    uint64_t twice = count_steps(a, t.re, many(a, 2 * HARD_LEN));

    bench_run(&(struct bench_case){
        .name = "regex (a+)+$", .bytes = t.text.len, .run = find_round, .ctx = &t});
    printf("%-26s %zu characters: %llu steps, twice as many: %llu, ratio %.3f\n", "", HARD_LEN,
           (unsigned long long)once, (unsigned long long)twice, (double)twice / (double)once);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();

    bench_large(a, bench_podlist_yaml(bench_size() < TEXT_MAX ? bench_size() : TEXT_MAX));
    bench_hard(a);
}

const struct benchmark bench_regex = {
    .name = "regex",
    .help = "searching with regular expressions",
    .run = run,
};
