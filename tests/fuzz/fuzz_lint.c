/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lint.c - a reference made of the bytes: lines "%% NAME" begin its files.
 *
 * Findings are in order and name a file and one line of text. What the check has no error for, a
 * comparison takes.
 */
#include "compare/lint/lint.h"
#include "compare/compare.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Only these names: they lie in a folder that every run uses again. */
static const char *const names[] = {"metadata.yaml", "a.yaml",    "b.yaml",
                                    "f.tmpl",        "over.yaml", "config.yaml"};
enum { OVERRIDES = 4, CONFIG = 5 };

static char folder[] = "/tmp/fuzz-lint-XXXXXX";

static void remove_files(void)
{
    char path[100];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
}

static void remove_folder(void)
{
    remove_files();
    rmdir(folder);
}

static void make_folder(void)
{
    static bool made;

    if (made)
        return;
    made = true;
    if (!mkdtemp(folder))
        abort();
    atexit(remove_folder);
}

static str path_of(struct arena *a, size_t i)
{
    return str_fmt(a, "%s/%s", folder, names[i]);
}

/* Writes the text of one file; *given tells which there are. */
static void write_file(struct arena *a, str name, str text, bool *given)
{
    AUTO_ERR e = {0};

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, str_c(names[i]))) {
            given[i] = true;
            if (!file_write(path_of(a, i), text, 0600, &e))
                abort();
        }
}

static void write_files(struct arena *a, str text, bool *given)
{
    str part, name;

    for (bool more = true; more;) {
        more = str_cut(text, STR("\n%% "), &part, &text);
        if (!str_cut(str_without_prefix(part, STR("%% ")), STR("\n"), &name, &part))
            part = STR_NONE;
        write_file(a, name, part, given);
    }
}

static void check_findings(const struct lint_report *r)
{
    size_t errors = 0, warnings = 0;

    for (size_t i = 0; i < r->findings.len; i++) {
        const struct lint_finding *f = &r->findings.items[i];
        assert(f->at.file.len && f->text.len && str_find_char(f->text, '\n') == STR_NPOS);
        errors += f->rule->severity == LINT_ERROR;
        warnings += f->rule->severity == LINT_WARNING;
        const struct lint_finding *before = i ? f - 1 : NULL;
        if (before && str_eq(before->at.file, f->at.file))
            assert(before->at.line <= f->at.line);
    }
    assert(errors + warnings + r->left_out == r->errors + r->warnings);
}

static bool loads(struct arena *a, const struct lint_options *o)
{
    const struct compare_options options = {.reference = o->reference,
                                            .overrides = o->overrides,
                                            .config = o->config,
                                            .dialect = &dialect_native};
    const struct compare *c;
    AUTO_ERR e = {0};

    return compare_load(a, &options, &c, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    bool given[COUNT(names)] = {0};
    struct lint_report report;

    if (size > 8192)
        return 0;
    make_folder();
    remove_files();
    write_files(a, str_of((const char *)data, size), given);
    const struct lint_options options = {.reference = str_c(folder),
                                         .overrides = given[OVERRIDES] ? path_of(a, OVERRIDES)
                                                                       : STR_NONE,
                                         .config = given[CONFIG] ? path_of(a, CONFIG) : STR_NONE};
    if (!lint_run(a, &options, &report, &e)) {
        assert(!given[0]);
        return 0;
    }
    check_findings(&report);
    assert(report.errors || loads(a, &options));
    return 0;
}
