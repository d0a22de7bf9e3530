/* SPDX-License-Identifier: Apache-2.0 */
/* test_keeper.c - the file of decisions: appending, rotation, and permissions. */
#include "../test.h"

#include "base/file.h"
#include "operator/replay.h"
#include "value/value.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plumb-keeper-XXXXXX";
static str file, older;

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void name_files(struct arena *a)
{
    file = str_fmt(a, "%s/decisions.jsonl", folder);
    older = str_concat(a, file, STR(".1"));
}

static struct keeper *keep(struct arena *a, int first, int last)
{
    struct keeper *k = NULL;
    AUTO_ERR e = {0};

    assert_ok(keeper_open(file, &k, &e), &e);
    for (int i = first; i <= last; i++) {
        struct value *record = value_object(a);
        value_set_int(a, record, STR("record"), i);
        keeper_add(k, record);
    }
    return k;
}

static str text_of(struct arena *a, str path)
{
    str text = STR_NONE;
    AUTO_ERR e = {0};

    assert_ok(file_read(a, path, &text, &e), &e);
    return text;
}

TEST(a_file_is_appended_to_and_nobody_else_reads_it)
{
    AUTO_ARENA a = arena_new();
    struct stat st;

    name_files(a);
    keeper_close(keep(a, 1, 2));
    keeper_close(keep(a, 3, 3));
    assert_str(text_of(a, file), STR("{\"record\":1}\n{\"record\":2}\n{\"record\":3}\n"));
    assert_int_equal(stat(str_z(a, file), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    unlink(str_z(a, file));
}

TEST(a_full_file_becomes_the_older_one)
{
    AUTO_ARENA a = arena_new();
    struct stat st;

    name_files(a);
    keeper_close(keep(a, 1, 1));
    assert_int_equal(truncate(str_z(a, file), KEEPER_BYTES_MAX - 20), 0);
    keeper_close(keep(a, 2, 4)); /* the first of them fits */
    assert_int_equal(stat(str_z(a, older), &st), 0);
    assert_int_equal(st.st_size, KEEPER_BYTES_MAX - 20 + 13);
    assert_str(text_of(a, file), STR("{\"record\":3}\n{\"record\":4}\n"));
    unlink(str_z(a, file));
    unlink(str_z(a, older));
}

TEST(a_record_that_is_too_long_is_left_out)
{
    AUTO_ARENA a = arena_new();
    char *text = arena_alloc_text(a, KEEPER_LINE_MAX);
    struct value *record = value_object(a);

    name_files(a);
    memset(text, 'x', KEEPER_LINE_MAX);
    value_set_str(a, record, STR("text"), str_of(text, KEEPER_LINE_MAX));
    struct keeper *k = keep(a, 1, 1);
    keeper_add(k, record);
    keeper_close(k);
    assert_str(text_of(a, file), STR("{\"record\":1}\n"));
    unlink(str_z(a, file));
}

TEST(a_folder_that_is_missing_is_an_error)
{
    struct keeper *k = NULL;
    AUTO_ERR e = {0};

    assert_false(keeper_open(STR("/nowhere/at/all/decisions.jsonl"), &k, &e));
    assert_true(str_contains(e.text, STR("/nowhere/at/all/decisions.jsonl")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_appended_to_and_nobody_else_reads_it),
        cmocka_unit_test(a_full_file_becomes_the_older_one),
        cmocka_unit_test(a_record_that_is_too_long_is_left_out),
        cmocka_unit_test(a_folder_that_is_missing_is_an_error)};

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
