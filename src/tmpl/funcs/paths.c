/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.c - file paths, as Go's packages path and path/filepath see them (on Linux the same).
 */
#include "tmpl/funcs/families.h"

#include "go/path.h"

static bool fn_clean(struct tmpl_call *c)
{
    return return_str(c, file_clean(c->arena, arg_str(c, 0)));
}

static bool fn_base(struct tmpl_call *c)
{
    return return_str(c, go_path_base(arg_str(c, 0)));
}

static bool fn_dir(struct tmpl_call *c)
{
    return return_str(c, go_path_dir(c->arena, arg_str(c, 0)));
}

static bool fn_ext(struct tmpl_call *c)
{
    return return_str(c, go_path_ext(arg_str(c, 0)));
}

static bool fn_is_abs(struct tmpl_call *c)
{
    return return_bool(c, str_has_prefix(arg_str(c, 0), STR("/")));
}

#define TEXT_TO_TEXT "func(string) string"

const struct tmpl_func tmpl_path_funcs[] = {
    {"base", TEXT_TO_TEXT, SPRIG, fn_base, "The last element of a path", "{{ base \"foo/bar\" }}"},
    {"clean", TEXT_TO_TEXT, SPRIG, fn_clean, "The shortest spelling of a path",
     "{{ clean \"foo//bar/..\" }}"},
    {"dir", TEXT_TO_TEXT, SPRIG, fn_dir, "A path without its last element",
     "{{ dir \"foo/bar\" }}"},
    {"ext", TEXT_TO_TEXT, SPRIG, fn_ext, "The suffix of a path, with its dot",
     "{{ ext \"foo.bar\" }}"},
    {"isAbs", "func(string) bool", SPRIG, fn_is_abs, "Whether a path begins at the root",
     "{{ isAbs \"/a\" }}"},
    {"osBase", TEXT_TO_TEXT, SPRIG, fn_base, "As base", "{{ osBase \"/foo/bar\" }}"},
    {"osClean", TEXT_TO_TEXT, SPRIG, fn_clean, "As clean", "{{ osClean \"/foo//bar\" }}"},
    {"osDir", TEXT_TO_TEXT, SPRIG, fn_dir, "As dir", "{{ osDir \"/foo/bar\" }}"},
    {"osExt", TEXT_TO_TEXT, SPRIG, fn_ext, "As ext", "{{ osExt \"/foo.bar\" }}"},
    {"osIsAbs", "func(string) bool", SPRIG, fn_is_abs, "As isAbs", "{{ osIsAbs \"/a\" }}"},
    {0},
};
