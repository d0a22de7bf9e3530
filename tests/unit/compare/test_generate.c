/* SPDX-License-Identifier: Apache-2.0 */
/* test_generate.c - references made from captured objects. */
#include "../test.h"

#include "compare/generate/generate.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A folder for each test. ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/plumb-generate-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static str path_of(struct arena *a, const char *name)
{
    return file_join(a, str_c(folder), str_c(name));
}

static void write_file(struct arena *a, const char *name, const char *text)
{
    AUTO_ERR e = {0};
    str path = path_of(a, name);

    assert_ok(file_make_folder(str_slice(path, 0, str_rfind_char(path, '/')), &e), &e);
    assert_ok(file_write(path, str_c(text), 0600, &e), &e);
}

static str read_file(struct arena *a, const char *name)
{
    AUTO_ERR e = {0};
    str text;

    return file_read(a, path_of(a, name), &text, &e) ? text : str_copy(a, e.text);
}

/* ---- Running. ---- */

struct outcome {
    struct buf out, note, log;
};

static void add_line(void *ctx, char severity, str text)
{
    buf_fmt(ctx, "%c %.*s\n", severity, STR_ARG(text));
}

static bool run(struct arena *a, struct outcome *o, struct err *e)
{
    const struct generate_options options = {
        .dialect = &dialect_original,
        .config = path_of(a, "config.yaml"),
        .folder = path_of(a, "mg"),
        .output = path_of(a, "ref"),
        .log = {.line = add_line, .ctx = &o->log, .verbose = true},
    };

    *o = (struct outcome){buf_new(a, MIB), buf_new(a, MIB), buf_new(a, MIB)};
    return generate_run(a, &options, &o->out, &o->note, e);
}

static void run_fine(struct arena *a, struct outcome *o)
{
    AUTO_ERR e = {0};

    assert_ok(run(a, o, &e), &e);
}

/* ---- Tests. ---- */

TEST(what_clusters_add_is_removed)
{
    AUTO_ARENA a = arena_new();
    struct outcome o;

    write_file(a, "config.yaml",
               "omitAnnotations: [mine]\nomitLabels: [x/y]\n"
               "resources: [{kind: A, apiVersion: v1, required: true}]\n");
    write_file(a, "mg/x/namespaces/n.yaml",
               "apiVersion: v1\nkind: A\nmetadata:\n  name: n\n  uid: u\n  generation: 3\n"
               "  annotations: {mine: 1, olm.providedAPIs: p}\n"
               "  labels: {x/y: z, operators.coreos.com/a: '', keep: 'yes'}\n"
               "  managedFields: []\n  selfLink: s\nstatus: {a: b}\nspec: {n: 007, on: off}\n");
    run_fine(a, &o);
    assert_str(
        read_file(a, "ref/A/n.yaml"),
        STR("apiVersion: v1\nkind: A\nmetadata:\n  labels:\n    keep: \"yes\"\n  name: \"n\"\n"
            "spec:\n  \"n\": 7\n  \"on\": \"off\"\n"));
}

TEST(names_are_made_fit_for_files_and_never_overwritten)
{
    AUTO_ARENA a = arena_new();
    struct outcome o;

    write_file(a, "config.yaml",
               "resources: [{kind: A/../b c, apiVersion: v1}, {kind: ..., apiVersion: v1}]\n");
    write_file(a, "mg/namespaces/n.yaml",
               "{apiVersion: v1, kind: A/../b c, metadata: {name: -.x..y}}\n"
               "---\n{apiVersion: v1, kind: A/../b c, metadata: {name: é/ö-}}\n"
               "---\n{apiVersion: v1, kind: ..., metadata: {name: x:y, namespace: a}}\n"
               "---\n{apiVersion: v1, kind: ..., metadata: {name: x y, namespace: a}}\n"
               "---\n{apiVersion: v1, kind: ..., metadata: {name: x.y}}\n");
    run_fine(a, &o);
    run_fine(a, &o);
    assert_true(str_contains(read_file(a, "ref/metadata.yaml"),
                             STR("- anyOf:\n    - path: resource/x-y-2.yaml\n"
                                 "    - path: resource/x-y-3.yaml\n"
                                 "    - path: resource/x.y-1.yaml\n    name: resource\n"
                                 "  description: Optional ... resources\n"
                                 "  name: optional-resource\n")));
    assert_true(str_contains(read_file(a, "ref/metadata.yaml"),
                             STR("    - path: resource/unnamed-2.yaml\n"
                                 "    - path: resource/unnamed-3.yaml\n")));
}

TEST(objects_are_found_in_the_order_of_the_names)
{
    AUTO_ARENA a = arena_new();
    struct outcome o;

    write_file(a, "config.yaml", "resources: [{kind: A, apiVersion: v1, names: [b, a]}]\n");
    write_file(a, "mg/z/namespaces/1.yaml", "{apiVersion: v1, kind: A, metadata: {name: a}}\n");
    write_file(a, "mg/b/cluster-scoped-resources/1.yaml",
               "kind: AList\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: b}}\n- x\n"
               "- {kind: A, metadata: {name: a}}\n- {apiVersion: v1, kind: A, metadata: {name: "
               "c}}\n");
    write_file(a, "mg/b/namespaces/dup.yaml", "{apiVersion: v1, kind: A, metadata: {name: b}}\n");
    write_file(a, "mg/b/namespaces/bad.yaml",
               "{apiVersion: v1, kind: A, metadata: {name: a, name: a}}\n");
    write_file(a, "mg/b/namespaces/list.yaml", "[]\n");
    write_file(a, "mg/b/namespaces/other.yml", "{apiVersion: v1, kind: A, metadata: {name: a}}\n");
    run_fine(a, &o);
    assert_true(
        str_contains(read_file(a, "ref/metadata.yaml"), STR("path: A/b.yaml\n    - path: A/a.y")));
    assert_str(buf_str(&o.out),
               str_fmt(a,
                       "Generated reference at: %s/ref\n  Total resources captured: 2\n"
                       "  Resource types: 1\n",
                       folder));
}

TEST(merged_members_give_way)
{
    AUTO_ARENA a = arena_new();
    struct outcome o;

    write_file(a, "config.yaml", "resources: [{kind: A, apiVersion: v1}]\n");
    write_file(a, "mg/namespaces/n.yaml",
               "apiVersion: v1\nkind: A\nmetadata: {name: ok}\n"
               "own: {<<: {p: no, q: merged}, p: own}\n"
               "first: {p: own, <<: [{p: no, q: first}, {q: no, r: second}]}\n");
    write_file(a, "mg/namespaces/twice.yaml",
               "apiVersion: v1\nkind: A\nmetadata: {name: twice}\nx: {<<: {p: a}, <<: {q: b}}\n");
    run_fine(a, &o);
    assert_str(read_file(a, "ref/A/ok.yaml"),
               STR("apiVersion: v1\nfirst:\n  p: own\n  q: first\n  r: second\nkind: A\n"
                   "metadata:\n  name: ok\nown:\n  p: own\n  q: merged\n"));
    assert_true(str_contains(buf_str(&o.out), STR("captured: 1\n")));
}

TEST(an_optional_row_without_a_source_is_a_warning)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct outcome o;

    write_file(a, "config.yaml",
               "resources:\n- {kind: A, apiVersion: v1, namespace: ns}\n"
               "- {kind: B, apiVersion: v1, required: true}\n");
    write_file(a, "mg/x.yaml", "");
    assert_false(run(a, &o, &e));
    assert_str(e.text, str_fmt(a,
                               "failed to fetch B: no must-gather data found under %s/mg (expected "
                               "cluster-scoped-resources/ or namespaces/)",
                               folder));
    assert_true(str_contains(buf_str(&o.log),
                             STR("I Fetching A (v1) in namespace ns...\nW failed to fetch optional "
                                 "resource A (v1): no must-gather data found under ")));
    assert_true(str_has_suffix(buf_str(&o.log), STR("I Fetching B (v1)...\n")));
}

static const struct {
    const char *config, *want;
} config_cases[] = {
    {"", "configuration must specify at least one resource"},
    {"apiVersion: \"a\\\"b\"", "configuration apiVersion \"a\\\"b\" is invalid; must be one of: "
                               "refgen/v1"},
    {"resources: [{}]\nomitLabels: [a, '']", "omitLabels[1]: key must not be empty"},
    {"resources: [{}]\nomitAnnotations: ['a\"']",
     "omitAnnotations[0]: key must not contain double quotes"},
    {"resources: {}", "invalid YAML in configuration file: error unmarshaling JSON: while decoding "
                      "JSON: json: cannot unmarshal object into Go struct field "
                      "RefgenConfig.resources of type []generate.ResourceSpec"},
    {"a: 1\na: 2", "invalid YAML in configuration file: error converting YAML to JSON: yaml: "
                   "unmarshal errors:\n  line 2: key \"a\" already set in map"},
};

TEST(a_config_is_checked)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(config_cases); i++) {
        AUTO_ERR e = {0};
        struct outcome o;
        write_file(a, "config.yaml", config_cases[i].config);
        assert_false(run(a, &o, &e));
        assert_str(e.text, str_c(config_cases[i].want));
    }
}

TEST(a_source_must_be_a_folder)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct outcome o;

    write_file(a, "config.yaml", "resources: [{kind: A}]");
    assert_false(run(a, &o, &e));
    assert_str(e.text, str_fmt(a, "must-gather directory does not exist: %s/mg", folder));
    write_file(a, "mg", "");
    assert_false(run(a, &o, &e));
    assert_str(e.text, str_fmt(a, "must-gather path is not a directory: %s/mg", folder));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
RUN_TESTS(IN_FOLDER(what_clusters_add_is_removed),
          IN_FOLDER(names_are_made_fit_for_files_and_never_overwritten),
          IN_FOLDER(objects_are_found_in_the_order_of_the_names),
          IN_FOLDER(merged_members_give_way),
          IN_FOLDER(an_optional_row_without_a_source_is_a_warning), IN_FOLDER(a_config_is_checked),
          IN_FOLDER(a_source_must_be_a_folder))
