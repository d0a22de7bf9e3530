/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_feed.c - files that change, vanish or fail while they are read: losses are reported, and the
 * rest is read.
 */
#include "../test.h"

#include "compare/input/input_internal.h"
#include "compare/run_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-feed-XXXXXX";
static char one[64], two[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(one, sizeof(one), "%s/1.yaml", folder);
    snprintf(two, sizeof(two), "%s/2.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(one);
    unlink(two);
    return rmdir(folder);
}

/* Documents enough for several reads. */
static void write_documents(struct arena *a, const char *path, size_t count)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    for (size_t i = 0; i < count; i++)
        buf_fmt(&text, "kind: A\nmetadata: {name: n%zu}\n---\n", i);
    assert_ok(file_write(str_c(path), buf_str(&text), 0644, &e), &e);
}

/* What the reading of the folder gave. */
struct outcome_of_reading {
    size_t documents;
    struct str_list faults;
};

typedef void disturb(void);

/* Reads everything; disturbs after the first document. */
static struct outcome_of_reading read_all(struct arena *a, disturb *disturbance, bool native)
{
    struct compare_options options = {.dialect = native ? &dialect_native : &dialect_original};
    struct run r = {.arena = a, .options = &options};
    struct input in = {
        .arena = a, .dialect = native ? &dialect_native : &dialect_original, .log = {.arena = a}};
    struct outcome_of_reading out = {0};
    struct document doc;
    struct feed *feed;
    size_t stream;
    AUTO_ERR e = {0};

    VEC_PUSH(a, &options.files, str_c(folder));
    assert_ok(feed_open(&r, &in, &feed, &e), &e);
    while (feed_next(feed, &in, &doc, &stream)) {
        if (out.documents == 0 && disturbance)
            disturbance();
        out.documents += !doc.failed;
    }
    feed_close(feed);
    fault_arm(0, 0);
    for (size_t i = 0; i < in.faults.len; i++)
        VEC_PUSH(a, &out.faults,
                 str_fmt(a, "%.*s: %.*s", STR_ARG(file_base(in.faults.items[i].note.place.file)),
                         STR_ARG(in.faults.items[i].note.reason)));
    return out;
}

static void cut(void)
{
    assert_int_equal(truncate(one, 100), 0);
}

static void append(void)
{
    FILE *f = fopen(one, "a");

    assert_non_null(f);
    fputs("kind: B\n", f);
    fclose(f);
}

static void vanish(void)
{
    unlink(two);
}

static void fail_reading(void)
{
    fault_arm(1, EIO);
}

static const struct {
    disturb *disturbance;
    size_t documents; /* at least */
    const char *file, *fault;
} cases[] = {
    {NULL, 10001, NULL, NULL},
    {cut, 10, "1.yaml: ", "the file as it is now: it changed while it was read"},
    {append, 10001, "1.yaml: ", "the file as it is now: it changed while it was read"},
    {vanish, 10000, "2.yaml: open ", ": no such file or directory"},
    {fail_reading, 10, "1.yaml: read ", ": input/output error"},
};

TEST(files_that_change_are_told)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        write_documents(a, one, 10000);
        write_documents(a, two, 1);
        struct outcome_of_reading got = read_all(a, cases[i].disturbance, true);
        assert_true(got.documents >= cases[i].documents);
        assert_int_equal(got.faults.len, cases[i].fault ? 1 : 0);
        if (!cases[i].fault)
            continue;
        str fault = got.faults.items[0];
        assert_true(str_has_prefix(fault, str_c(cases[i].file)));
        assert_true(str_has_suffix(fault, str_c(cases[i].fault)));
    }
}

/* The original takes what it finds. */
TEST(the_original_tells_nothing_of_changes)
{
    AUTO_ARENA a = arena_new();

    write_documents(a, one, 10000);
    write_documents(a, two, 1);
    assert_int_equal(read_all(a, cut, false).faults.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_change_are_told),
        cmocka_unit_test(the_original_tells_nothing_of_changes),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
