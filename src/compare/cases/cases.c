/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c - finds and runs the cases of a reference; see cases.h. */
#include "compare/cases/internal.h"
#include "compare/reference/root_internal.h"
#include "base/file.h"
#include "base/inside.h"
#include "text/yaml/yaml.h"
#include "value/source.h"

static const char expected_name[] = "expected.yaml";
static const char overrides_name[] = "overrides.yaml";
static const char config_name[] = "user-config.yaml";

struct running {
    struct arena *arena;
    const struct case_options *options;
    str folder;
    struct case_coverage coverage;
    struct case_report *report;
};

/* ---- Finding. ---- */

static str without_slashes(str path)
{
    while (path.len > 1 && str_has_suffix(path, STR("/")))
        path = str_slice(path, 0, path.len - 1);
    return path;
}

static bool cases_folder(struct arena *a, const struct case_options *o, str *out, struct err *e)
{
    size_t slash = str_rfind_char(o->reference, '/');

    if (o->folder.len)
        *out = o->folder;
    else if (root_is_remote(o->reference))
        return err_set(e, ERR_USAGE,
                       "the reference is not a local folder: name the folder of its cases with "
                       "--cases");
    else if (file_kind(o->reference) == FILE_FOLDER)
        *out = file_join(a, o->reference, STR("tests"));
    else
        *out = slash == STR_NPOS ? STR("tests")
                                 : file_join(a, str_slice(o->reference, 0, slash), STR("tests"));
    *out = without_slashes(*out);
    if (file_kind(*out) == FILE_FOLDER)
        return true;
    return err_set(e, ERR_NOT_FOUND,
                   "there is no folder %.*s; make one with a folder for each case, which holds "
                   "objects, and run 'plumb reference test --accept'",
                   STR_ARG(*out));
}

static void add_case(struct running *r, str name)
{
    struct case_result *c = VEC_ADD(r->arena, &r->report->cases);

    c->name = name;
    c->folder = file_join(r->arena, r->folder, name);
}

static bool find_all(struct running *r, struct err *e)
{
    str *names;
    size_t count;

    if (!file_list(r->arena, r->folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (names[i].ptr[0] != '.' &&
            file_kind(file_join(r->arena, r->folder, names[i])) == FILE_FOLDER)
            add_case(r, names[i]);
    if (!r->report->cases.len)
        return err_set(e, ERR_NOT_FOUND, "%.*s holds no cases: a case is a folder in it",
                       STR_ARG(r->folder));
    if (r->report->cases.len > CASES_MAX)
        return err_set(e, ERR_LIMIT, "%.*s holds more than %d cases", STR_ARG(r->folder),
                       CASES_MAX);
    return true;
}

static bool is_name(str name)
{
    return name.len && !str_eq(name, STR(".")) && !str_eq(name, STR("..")) &&
           str_find_char(name, '/') == STR_NPOS;
}

static bool find_named(struct running *r, struct err *e)
{
    for (size_t i = 0; i < r->options->names.len; i++) {
        str name = without_slashes(r->options->names.items[i]);
        /* --accept writes to the folder of a case: not to any other. */
        if (!is_name(name))
            return err_set(e, ERR_USAGE, "a case is a folder in %.*s, not \"%.*s\"",
                           STR_ARG(r->folder), STR_ARG(name));
        if (file_kind(file_join(r->arena, r->folder, name)) != FILE_FOLDER)
            return err_set(e, ERR_NOT_FOUND, "%.*s holds no case %.*s", STR_ARG(r->folder),
                           STR_ARG(name));
        add_case(r, name);
    }
    return true;
}

/* ---- Links. ---- */

/*
 * Cases come with the reference, and are trusted as little: a link could have any file compared and
 * shown, or overwritten with --accept. What is below links counts, too: comparing follows them.
 */
struct link_check {
    struct arena *arena;
    str folder; /* that links must stay in */
    size_t checked;
};

static bool check_links(struct link_check *c, str name, int depth, struct err *e)
{
    str path = file_join(c->arena, c->folder, name), *names;
    AUTO_FD fd = -1;
    size_t count;

    if (depth > LINK_DEPTH_MAX || c->checked++ > CASE_FILES_MAX)
        return err_set(e, ERR_LIMIT,
                       "%.*s: more than %d files, or folders deeper than %d levels; is there a "
                       "circle of links?",
                       STR_ARG(path), CASE_FILES_MAX, LINK_DEPTH_MAX);
    if (!inside_open(c->folder, name, false, &fd, e))
        return false;
    if (file_kind(path) != FILE_FOLDER)
        return true;
    if (!file_list(c->arena, path, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_links(c, file_join(c->arena, name, names[i]), depth + 1, e))
            return false;
    return true;
}

/* Links may lead to other files of the reference, or of the folder that --cases names. */
static bool check_case(const struct running *r, const struct case_result *found, struct err *e)
{
    AUTO_ARENA a = arena_new();
    size_t slash = str_rfind_char(r->folder, '/');
    struct link_check c = {.arena = a, .folder = r->folder};
    str name = found->name;

    if (r->options->outside_links)
        return true;
    if (!r->options->folder.len) {
        c.folder = slash == STR_NPOS ? STR(".") : str_slice(r->folder, 0, slash);
        name = file_join(a, STR("tests"), name);
    }
    return check_links(&c, without_slashes(name), 0, e);
}

/* ---- One case. ---- */

/* What is to be compared, and the files with a meaning of their own. */
static bool find_inputs(struct arena *a, const struct case_result *c, struct compare_options *o,
                        struct err *e)
{
    str *names;
    size_t count;

    if (!file_list(a, c->folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        str path = file_join(a, c->folder, names[i]);
        if (str_eq(names[i], str_c(overrides_name)))
            o->overrides = path;
        else if (str_eq(names[i], str_c(config_name)))
            o->config = path;
        else if (names[i].ptr[0] != '.' && !str_eq(names[i], str_c(expected_name)))
            VEC_PUSH(a, &o->files, path);
    }
    return o->files.len ||
           err_set(e, ERR_NOT_FOUND, "%.*s holds nothing to compare", STR_ARG(c->folder));
}

static bool compare_case(struct running *r, struct arena *a, const struct case_result *c,
                         struct value **found, struct err *e)
{
    struct tmpl_coverage *coverage = tmpl_coverage_new(a);
    struct compare_options options = {.reference = without_slashes(r->options->reference),
                                      .outside_links = r->options->outside_links,
                                      .recursive = true,
                                      .dialect = &dialect_native,
                                      .one_of_many = true,
                                      .all = true,
                                      .threads = 1,
                                      .coverage = coverage};
    struct results results;
    const struct compare *compare;
    AUTO_ERR fault = {0};

    if (!find_inputs(a, c, &options, e) || !compare_load(a, &options, &compare, e))
        return false;
    (void)!compare_run(a, compare, &options, &results, &fault);
    case_coverage_add(&r->coverage, compare, coverage, &results);
    *found = case_findings(a, &results, &fault, c->folder);
    return true;
}

/* *out is NULL when there is no such file. */
static bool read_expected(struct arena *a, str path, struct value **out, struct err *e)
{
    struct source *source = ARENA_NEW(a, struct source);
    const struct read_options options = {.duplicates = DUPLICATE_ERROR, .single = true};
    str bytes;

    *out = NULL;
    if (file_kind(path) == FILE_MISSING)
        return true;
    return file_read(a, path, &bytes, e) && yaml_source(a, path, bytes, source, e) &&
           yaml_read(a, source, &options, out, e);
}

static bool accept(struct arena *a, struct case_result *c, const struct value *found, str path,
                   struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    c->state = CASE_ACCEPTED;
    return yaml_write(&text, found, NUMBERS_PLAIN, e) && file_write(path, buf_str(&text), 0666, e);
}

/* The findings in the arena of the report, as the differences will point into them. */
static void judge(struct running *r, struct case_result *c, const struct value *expected,
                  const struct value *found)
{
    c->state = CASE_FAILED;
    if (!expected) {
        c->error = STR("there is no expected.yaml; --accept writes it");
        return;
    }
    c->diff = value_diff(r->arena, value_copy(r->arena, expected), value_copy(r->arena, found),
                         &case_diff_options);
    if (!c->diff.count)
        c->state = CASE_PASSED;
}

static bool run_case(struct running *r, struct case_result *c, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str path = file_join(a, c->folder, str_c(expected_name));
    struct value *expected, *found;
    AUTO_ERR fault = {0};

    if (!check_case(r, c, e) || !compare_case(r, a, c, &found, e))
        return err_wrap(e, "case %.*s", STR_ARG(c->name));
    if (read_expected(a, path, &expected, &fault)) {
        judge(r, c, expected, found);
    } else {
        c->state = CASE_FAILED;
        c->error = str_copy(r->arena, err_message(a, &fault));
    }
    return c->state == CASE_PASSED || !r->options->accept || accept(a, c, found, path, e);
}

/* ---- All of them. ---- */

bool cases_run(struct arena *a, const struct case_options *options, struct case_report *out,
               struct err *e)
{
    struct running r = {
        .arena = a, .options = options, .coverage = {a, map_new(a), map_new(a)}, .report = out};

    *out = (struct case_report){0};
    if (!cases_folder(a, options, &r.folder, e) ||
        !(options->names.len ? find_named(&r, e) : find_all(&r, e)))
        return false;
    for (size_t i = 0; i < out->cases.len; i++) {
        if (!run_case(&r, &out->cases.items[i], e))
            return false;
        out->passed += out->cases.items[i].state == CASE_PASSED;
        out->failed += out->cases.items[i].state == CASE_FAILED;
        out->accepted += out->cases.items[i].state == CASE_ACCEPTED;
    }
    case_coverage_finish(&r.coverage, out);
    return true;
}
