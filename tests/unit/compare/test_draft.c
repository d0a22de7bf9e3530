/* SPDX-License-Identifier: Apache-2.0 */
/* test_draft.c - a reference drafted from the objects of two running clusters. */
#include "../test.h"

#include "compare/draft/draft.h"
#include "kube/config/config.h"
#include "support/api_server.h"

#include <ftw.h>
#include <stdlib.h>

struct fixture {
    struct arena *a;
    struct api_server *berlin, *paris;
    char folder[32];
    struct kube_flags flags;
    struct draft_report report;
    struct err e;
};

static void ignore_line(void *ctx, char severity, str text)
{
    (void)ctx, (void)severity, (void)text;
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){.a = arena_new(), .berlin = api_start(), .paris = api_start()};
    memcpy(f->folder, "/tmp/plumb-draft-XXXXXX", 24);
    assert_non_null(mkdtemp(f->folder));
    f->flags.kubeconfig = str_fmt(f->a, "%s/config", f->folder);
    str config = str_fmt(f->a,
                         "apiVersion: v1\nkind: Config\nclusters:\n"
                         "- {name: b, cluster: {server: \"%.*s\"}}\n"
                         "- {name: p, cluster: {server: \"%.*s\"}}\n"
                         "users: [{name: u, user: {token: t}}]\ncontexts:\n"
                         "- {name: berlin, context: {cluster: b, user: u}}\n"
                         "- {name: paris, context: {cluster: p, user: u}}\n",
                         STR_ARG(api_url(f->berlin)), STR_ARG(api_url(f->paris)));
    assert_ok(file_write(f->flags.kubeconfig, config, 0600, &f->e), &f->e);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void end(struct fixture *f)
{
    (void)nftw(f->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    api_stop(f->berlin);
    api_stop(f->paris);
    err_clear(&f->e);
    arena_free(f->a);
}

static bool draft(struct fixture *f, const char *first, const char *second, const char *kind)
{
    struct draft_options o = {.folder = str_fmt(f->a, "%s/reference", f->folder),
                              .cluster = &f->flags,
                              .log = {.line = ignore_line}};

    VEC_PUSH(f->a, &o.inputs, str_c(first));
    if (second)
        VEC_PUSH(f->a, &o.inputs, str_c(second));
    if (kind)
        VEC_PUSH(f->a, &o.kinds, str_c(kind));
    return draft_run(f->a, &o, &f->report, &f->e);
}

static str written(struct fixture *f, const char *name)
{
    str text = STR_NONE;

    assert_ok(file_read(f->a, str_fmt(f->a, "%s/reference/%s", f->folder, name), &text, &f->e),
              &f->e);
    return text;
}

TEST(what_varies_between_clusters_is_taken_from_the_object)
{
    struct fixture f;

    begin(&f);
    api_put(f.berlin, "shop", "web", "\"spec\":{\"size\":1,\"colour\":\"red\"}");
    api_put(f.paris, "shop", "web", "\"spec\":{\"size\":2,\"colour\":\"red\"}");
    api_put(f.paris, "shop", "extra", "\"spec\":{\"size\":7}");
    assert_ok(draft(&f, "context:berlin", "context:paris", "example.com/v1/Widget"), &f.e);
    assert_int_equal(f.report.objects, 3);
    assert_int_equal(f.report.templates, 2);
    assert_int_equal(f.report.optional, 1);
    str web = written(&f, "widget/shop-web.yaml"), extra = written(&f, "widget/shop-extra.yaml");
    assert_true(str_contains(web, STR("  colour: red\n")));
    assert_true(str_contains(web, STR(".spec.size")));
    assert_false(str_contains(web, STR("size: 1\n")));
    assert_true(str_contains(extra, STR("  size: 7\n")));
    /* What the server alone decides is nowhere. */
    assert_false(str_contains(web, STR("resourceVersion")));
    end(&f);
}

TEST(clusters_are_compared_clean_with_what_was_made_of_them)
{
    struct fixture f;
    const struct compare *c;
    struct results r;

    begin(&f);
    api_put(f.berlin, "shop", "web", "\"spec\":{\"size\":1}");
    api_put(f.paris, "shop", "web", "\"spec\":{\"size\":2}");
    assert_ok(draft(&f, "context:berlin", "context:paris", "example.com/v1/Widget"), &f.e);
    f.flags.context = STR("paris");
    struct compare_options o = {.reference = str_fmt(f.a, "%s/reference", f.folder),
                                .cluster = &f.flags,
                                .dialect = &dialect_native,
                                .threads = 1,
                                .log = {.line = ignore_line}};
    assert_ok(compare_load(f.a, &o, &c, &f.e) && compare_run(f.a, c, &o, &r, &f.e), &f.e);
    assert_int_equal(r.differing, 0);
    assert_int_equal(r.issues.len, 0);
    assert_int_equal(r.diffs.len, 1);
    end(&f);
}

/* Each fault, and what its message has in it. */
static const struct {
    const char *input, *kind, *want;
} faults[] = {
    {"context:berlim", "example.com/v1/Widget", "did you mean \"berlin\"?"},
    {"context:oslo", "example.com/v1/Widget", "there are: berlin, paris"},
    {"context:berlin", NULL, "say with --kinds"},
    {"context:berlin", "Widget", "a cluster needs the apiVersion of Widget"},
    {"context:berlin", "example.com/v1/Widget", "context:berlin holds no objects of these kinds"},
};

TEST(faults_of_contexts_say_what_to_do)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct fixture f;
        begin(&f);
        assert_false(draft(&f, faults[i].input, NULL, faults[i].kind));
        if (!str_contains(f.e.text, str_c(faults[i].want)))
            fail_msg("%s: %.*s", faults[i].input, STR_ARG(f.e.text));
        end(&f);
    }
}

RUN_TESTS(cmocka_unit_test(what_varies_between_clusters_is_taken_from_the_object),
          cmocka_unit_test(clusters_are_compared_clean_with_what_was_made_of_them),
          cmocka_unit_test(faults_of_contexts_say_what_to_do))
