/* SPDX-License-Identifier: Apache-2.0 */
/* test_inside.c - which files below a folder can be opened, and which links lead out of it. */
#include "../test.h"

#include "base/fault.h"
#include "base/inside.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char world[] = "/tmp/plumb-inside-XXXXXX";

static str path_of(struct arena *a, const char *name)
{
    return file_join(a, str_c(world), str_c(name));
}

static void write_file(struct arena *a, const char *name, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(path_of(a, name), text, 0644, &e), &e);
}

/* "W" at the beginning of a target is the folder of the test. */
static const struct {
    const char *name, *target;
} links[] = {
    {"ref/absolute", "W/ref/sub/file"},
    {"ref/beside", "W/ref-beside/file"},
    {"ref/device", "/dev/zero"},
    {"ref/folder", "sub"},
    {"ref/itself", "."},
    {"ref/loop", "loop"},
    {"ref/nowhere", "gone"},
    {"ref/out", "../secret"},
    {"ref/out-and-in", "../ref/sub/file"},
    {"ref/parent", ".."},
    {"ref/relative", "sub/file"},
    {"ref/sub/up", "../relative"},
    {"link", "ref"},
};

static int make_world(void **state)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    (void)state;
    if (!mkdtemp(world))
        return -1;
    assert_ok(file_make_folder(path_of(a, "ref/sub"), &e), &e);
    assert_ok(file_make_folder(path_of(a, "ref-beside"), &e), &e);
    write_file(a, "ref/sub/file", STR("inside"));
    write_file(a, "ref-beside/file", STR("outside"));
    write_file(a, "secret", STR("outside"));
    assert_int_equal(mkfifo(str_z(a, path_of(a, "ref/pipe")), 0600), 0);
    for (size_t i = 0; i < COUNT(links); i++) {
        const char *target = links[i].target;
        str full = target[0] == 'W' ? path_of(a, target + 2) : str_c(target);
        assert_int_equal(symlink(str_z(a, full), str_z(a, path_of(a, links[i].name))), 0);
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static int remove_world(void **state)
{
    (void)state;
    return nftw(world, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What a file holds, or what is wrong with it, without the path before. */
static str look(struct arena *a, str folder, str name, bool outside)
{
    AUTO_ERR e = {0};
    str text, before, reason;

    if (inside_read(a, folder, name, outside, 1 * KIB, &text, &e))
        return text;
    assert_true(str_contains(e.text, inside_path(a, folder, name)));
    str_cut(e.text, STR(": "), &before, &reason);
    str_cut(reason, STR(";"), &reason, &before);
    return str_copy(a, reason);
}

#define OUT "a link leads out of the reference"
#define SPECIAL "neither a file nor a folder"

static const struct {
    const char *name, *want, *anywhere; /* NULL: the same */
} cases[] = {
    {"sub/file", "inside", NULL},
    {"absolute", "inside", NULL},
    {"relative", "inside", NULL},
    {"sub/up", "inside", NULL},
    {"folder/file", "inside", NULL},
    {"folder/up", "inside", NULL},
    {"itself/sub/file", "inside", NULL},
    {"out-and-in", "inside", NULL},
    {"out", OUT, "outside"},
    {"beside", OUT, "outside"},
    {"parent/secret", OUT, "outside"},
    {"parent/ref/sub/file", "inside", NULL},
    {"parent", OUT, "is a directory"},
    {"itself", "is a directory", NULL},
    {"sub", "is a directory", NULL},
    {"gone", "no such file or directory", NULL},
    {"nowhere", "no such file or directory", NULL},
    {"sub/file/x", "not a directory", NULL},
    {"loop", "too many levels of symbolic links", NULL},
    {"pipe", SPECIAL, NULL},
    {"device", SPECIAL, NULL},
};

static void a_link_is_followed_when_it_stays_inside(void **state)
{
    AUTO_ARENA a = arena_new();
    const char *const folders[] = {"ref", "link", "ref/../ref/"};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(folders); k++) {
            str name = str_c(cases[i].name), folder = path_of(a, folders[k]);
            assert_str(look(a, folder, name, false), str_c(cases[i].want));
            assert_str(look(a, folder, name, true),
                       str_c(cases[i].anywhere ? cases[i].anywhere : cases[i].want));
        }
}

static void nothing_is_outside_of_the_root(void **state)
{
    AUTO_ARENA a = arena_new();

    (void)state;
    assert_str(look(a, STR("/"), str_from(path_of(a, "ref/out"), 1), false), STR("outside"));
}

static void a_failing_system_is_reported(void **state)
{
    AUTO_ARENA a = arena_new();

    (void)state;
    fault_arm(1, EIO);
    assert_str(look(a, path_of(a, "ref"), STR("sub/file"), false), STR("input/output error"));
    fault_arm(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_followed_when_it_stays_inside),
        cmocka_unit_test(nothing_is_outside_of_the_root),
        cmocka_unit_test(a_failing_system_is_reported),
    };
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
