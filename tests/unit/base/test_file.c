/* SPDX-License-Identifier: Apache-2.0 */
/* test_file.c - files with limits, and what happens when the system fails at any point. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static str folder;
static struct arena *lifetime;

static int make_folder(void **state)
{
    char name[] = "/tmp/plumb-test-XXXXXX";

    (void)state;
    lifetime = arena_new();
    folder = str_copy(lifetime, str_c(mkdtemp(name)));
    return 0;
}

static int remove_folder(void **state)
{
    AUTO_ARENA a = arena_new();
    str *names;
    size_t count;

    (void)state;
    if (file_list(a, folder, &names, &count, NULL))
        for (size_t i = 0; i < count; i++)
            unlink(str_z(a, file_join(a, folder, names[i])));
    rmdir(str_z(a, folder));
    arena_free(lifetime);
    return 0;
}

TEST(what_is_written_is_read_back)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("x")), text;

    assert_ok(file_write(path, STR("one\0two"), 0644, &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_str(text, STR("one\0two"));
    assert_int_equal(text.ptr[text.len], '\0');
    assert_ok(file_write(path, STR(""), 0644, &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_int_equal(text.len, 0);
}

TEST(a_file_over_the_limit_is_refused)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("big")), text;

    assert_ok(file_write(path, STR("0123456789"), 0644, &e), &e);
    assert_ok(file_read_max(a, path, 10, &text, &e), &e);
    assert_ok(file_read_max(a, path, SIZE_MAX, &text, &e), &e);
    assert_str(text, STR("0123456789"));
    assert_false(file_read_max(a, path, 9, &text, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_str(e.at.file, path);
}

TEST(a_pipe_over_the_limit_is_refused_too)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int ends[2];
    str text;

    assert_int_equal(pipe(ends), 0);
    assert_ok(file_write_fd(ends[1], STR("pipe"), STR("0123456789"), &e), &e);
    close(ends[1]);
    assert_false(file_read_fd(a, ends[0], STR("pipe"), 9, &text, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    close(ends[0]);
}

TEST(missing_files_and_folders_say_so)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text, path = file_join(a, folder, STR("none"));

    assert_false(file_read(a, path, &text, &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_str(e.text, str_fmt(a, "open %.*s: no such file or directory", STR_ARG(path)));
    assert_false(file_read(a, folder, &text, &e));
    assert_str(e.text, str_fmt(a, "read %.*s: is a directory", STR_ARG(folder)));
    assert_int_equal(file_kind(path), FILE_MISSING);
    assert_int_equal(file_kind(folder), FILE_FOLDER);
    assert_int_equal(file_kind(STR("/dev/null")), FILE_OTHER);
}

TEST(names_are_listed_in_order)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str *names;
    size_t count;

    assert_ok(file_write(file_join(a, folder, STR("b")), STR("x"), 0644, &e), &e);
    assert_ok(file_write(file_join(a, folder, STR("a")), STR("x"), 0644, &e), &e);
    assert_ok(file_list(a, folder, &names, &count, &e), &e);
    assert_true(count >= 2);
    for (size_t i = 1; i < count; i++)
        assert_true(str_cmp(names[i - 1], names[i]) < 0);
}

static mode_t mode_of(struct arena *a, str path)
{
    struct stat st;

    assert_int_equal(stat(str_z(a, path), &st), 0);
    return st.st_mode & 0777;
}

TEST(a_replacement_keeps_the_permissions)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("private"));
    mode_t mask = umask(027);

    assert_ok(file_write(path, STR("one"), 0644, &e), &e);
    assert_int_equal(mode_of(a, path), 0640);
    assert_int_equal(chmod(str_z(a, path), 0600), 0);
    assert_ok(file_write(path, STR("two"), 0644, &e), &e);
    assert_int_equal(mode_of(a, path), 0600);
    umask(mask);
}

/* Every system call of a replacement fails once: the old text must survive each time. */
TEST(a_replacement_that_fails_anywhere_leaves_the_old_file)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("kept")), text, *names;
    size_t before, after;

    assert_ok(file_write(path, STR("old"), 0644, &e), &e);
    assert_ok(file_list(a, folder, &names, &before, &e), &e);
    unsigned n = 0;
    for (bool ok = false; !ok; n++) {
        fault_arm(n + 1, ENOSPC);
        ok = file_write(path, STR("new"), 0644, &e);
        bool was_hit = fault_calls() > n;
        fault_arm(0, 0);
        assert_ok(file_read(a, path, &text, &e), &e);
        assert_str(text, ok ? STR("new") : STR("old"));
        assert_int_equal(ok, !was_hit);
        assert_ok(file_list(a, folder, &names, &after, &e), &e);
        assert_int_equal(after, before);
    }
    assert_int_equal(n, 5); /* create, write, sync and rename failed once each, then none */
}

TEST(a_read_that_fails_anywhere_says_which_file)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("r")), text;

    assert_ok(file_write(path, STR("text"), 0644, &e), &e);
    for (unsigned n = 1; n <= 2; n++) {
        fault_arm(n, EIO);
        bool ok = file_read(a, path, &text, &e);
        fault_arm(0, 0);
        assert_false(ok);
        assert_int_equal(e.kind, ERR_IO);
        assert_str(e.at.file, path);
    }
}

TEST(an_interrupted_read_goes_on)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("i")), text;

    assert_ok(file_write(path, STR("text"), 0644, &e), &e);
    fault_arm(2, EINTR);
    bool ok = file_read(a, path, &text, &e);
    fault_arm(0, 0);
    assert_ok(ok, &e);
    assert_str(text, STR("text"));
}

TEST(paths_join_and_split)
{
    AUTO_ARENA a = arena_new();

    assert_str(file_join(a, STR("a/"), STR("b")), STR("a/b"));
    assert_str(file_join(a, STR("a"), STR("b")), STR("a/b"));
    assert_str(file_join(a, STR(""), STR("b")), STR("b"));
    assert_str(file_join(a, STR("a"), STR("/b")), STR("/b"));
    assert_str(file_base(STR("a/b.yaml")), STR("b.yaml"));
    assert_str(file_base(STR("b")), STR("b"));
}

/* Names of every kind that an old or new file may have. */
TEST(links_stay_links_and_long_names_are_fine)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str target = file_join(a, folder, STR("target")), link = file_join(a, folder, STR("link")),
        text;
    char *name = arena_alloc(a, 256);

    assert_ok(file_write(target, STR("old"), 0600, &e), &e);
    assert_int_equal(symlink("target", str_z(a, link)), 0);
    assert_ok(file_write(link, STR("new"), 0600, &e), &e);
    assert_ok(file_read(a, target, &text, &e), &e);
    assert_str(text, STR("new"));
    assert_int_equal(unlink(str_z(a, link)), 0);
    assert_int_equal(unlink(str_z(a, target)), 0);
    str path = file_join(a, folder, str_of(memset(name, 'n', 255), 255));
    assert_ok(file_write(path, STR("x"), 0600, &e), &e);
    assert_int_equal(unlink(str_z(a, path)), 0);
}

/* A device and a pipe are no files to be replaced: what is written goes to them. */
TEST(what_is_no_file_is_written_to)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("pipe"));
    char got[8] = "";

    assert_int_equal(mkfifo(str_z(a, path), 0600), 0);
    AUTO_FD reader = open(str_z(a, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_ok(file_write(path, STR("text"), 0600, &e), &e);
    assert_int_equal(read(reader, got, sizeof(got)), 4);
    assert_ok(file_write(STR("/dev/null"), STR("text"), 0600, &e), &e);
    assert_int_equal(file_kind(STR("/dev/null")), FILE_OTHER);
    assert_false(file_write(folder, STR("x"), 0600, &e));
    assert_true(str_has_suffix(e.text, STR(": is a directory")));
    assert_int_equal(unlink(str_z(a, path)), 0);
}

TEST(a_draft_is_not_seen_before_its_end)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("draft")), text;
    struct file_draft d;

    assert_ok(file_write(path, STR("old"), 0600, &e), &e);
    assert_ok(file_begin(path, 0600, &d, &e), &e);
    assert_ok(file_write_fd(d.fd, path, STR("new"), &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_str(text, STR("old"));
    file_drop(&d);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_str(text, STR("old"));
    assert_ok(file_begin(path, 0600, &d, &e), &e);
    assert_ok(file_write_fd(d.fd, path, STR("new"), &e), &e);
    assert_ok(file_commit(&d, &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_str(text, STR("new"));
    assert_int_equal(unlink(str_z(a, path)), 0);
}

TEST(a_file_is_written_in_its_place)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str path = file_join(a, folder, STR("w")), text;

    assert_ok(file_write(path, STR("long text"), 0600, &e), &e);
    assert_ok(file_write(path, STR("short"), 0600, &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_str(text, STR("short"));
    assert_false(file_write(STR(""), STR("x"), 0600, &e));
    assert_str(e.text, STR("open : no such file or directory"));
}

TEST(folders_are_made_with_those_above)
{
    static const char *const made[] = {"d/e/f", "d/e", "d"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str deep = file_join(a, folder, STR("d/e/f")), file = file_join(a, folder, STR("d/x"));

    assert_ok(file_make_folder(deep, &e), &e);
    assert_int_equal(file_kind(deep), FILE_FOLDER);
    assert_ok(file_make_folder(deep, &e), &e);
    assert_ok(file_write(file, STR(""), 0600, &e), &e);
    assert_false(file_make_folder(file_join(a, file, STR("y")), &e));
    assert_str(e.text, str_fmt(a, "mkdir %.*s: not a directory", STR_ARG(file)));
    unlink(str_z(a, file));
    for (size_t i = 0; i < COUNT(made); i++)
        rmdir(str_z(a, file_join(a, folder, str_c(made[i]))));
}

TEST(paths_are_cleaned_as_go_cleans_them)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        {"", "."},
        {".", "."},
        {"/", "/"},
        {"a//b/", "a/b"},
        {"a/../b", "b"},
        {"a/..", "."},
        {"../a", "../a"},
        {"a/../../..", "../.."},
        {"/..", "/"},
        {"/../a/./", "/a"},
        {"./a", "a"},
        {"../../a/../b", "../../b"},
        {"/a/../..", "/"},
        {"a/b/../../c", "c"},
        {"..a/...", "..a/..."},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(file_clean(a, str_c(cases[i].in)), str_c(cases[i].want));
}

TEST(absolute_paths_are_clean)
{
    static const struct {
        str in, want;
    } cases[] = {
        {STR_INIT("/a//b/./c/../d/"), STR_INIT("/a/b/d")},
        {STR_INIT("/"), STR_INIT("/")},
        {STR_INIT("/../.."), STR_INIT("/")},
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str got;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_ok(file_absolute(a, cases[i].in, &got, &e), &e);
        assert_str(got, cases[i].want);
    }
    assert_ok(file_absolute(a, STR("x/../y"), &got, &e), &e);
    assert_true(got.ptr[0] == '/' && str_has_suffix(got, STR("/y")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_file_over_the_limit_is_refused),
        cmocka_unit_test(a_pipe_over_the_limit_is_refused_too),
        cmocka_unit_test(missing_files_and_folders_say_so),
        cmocka_unit_test(names_are_listed_in_order),
        cmocka_unit_test(links_stay_links_and_long_names_are_fine),
        cmocka_unit_test(what_is_no_file_is_written_to),
        cmocka_unit_test(a_draft_is_not_seen_before_its_end),
        cmocka_unit_test(a_replacement_keeps_the_permissions),
        cmocka_unit_test(a_replacement_that_fails_anywhere_leaves_the_old_file),
        cmocka_unit_test(a_read_that_fails_anywhere_says_which_file),
        cmocka_unit_test(an_interrupted_read_goes_on),
        cmocka_unit_test(paths_join_and_split),
        cmocka_unit_test(a_file_is_written_in_its_place),
        cmocka_unit_test(folders_are_made_with_those_above),
        cmocka_unit_test(paths_are_cleaned_as_go_cleans_them),
        cmocka_unit_test(absolute_paths_are_clean),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
