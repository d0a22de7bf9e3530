/* SPDX-License-Identifier: Apache-2.0 */
/* test_html.c - the HTML report: foreign text, differences, anchors, everything it can show. */
#include <openssl/evp.h>

#include "sample.h"

#include "report/internal.h"
#include "text/codec.h"

static const struct {
    str text, want;
} shown[] = {
    {STR_INIT("plain ä 漢"), STR_INIT("plain ä 漢")},
    {STR_INIT("<script>alert('x')</script>"),
     STR_INIT("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;")},
    {STR_INIT("a & \"b\""), STR_INIT("a &amp; &#34;b&#34;")},
    {STR_INIT("tab\tline\n"), STR_INIT("tab\tline\n")},
    {STR_INIT("\033[31m"), STR_INIT("<span class=\"ctl\" title=\"U+001B\">␛</span>[31m")},
    {STR_INIT("a\0b"), STR_INIT("a<span class=\"ctl\" title=\"U+0000\">␀</span>b")},
    {STR_INIT("\x7f\r"), STR_INIT("<span class=\"ctl\" title=\"U+007F\">␡</span>"
                                  "<span class=\"ctl\" title=\"U+000D\">␍</span>")},
    {STR_INIT("x\u202ey"), STR_INIT("x<span class=\"ctl\" title=\"U+202E\">U+202E</span>y")},
    {STR_INIT("\u200b\ufeff"), STR_INIT("<span class=\"ctl\" title=\"U+200B\">U+200B</span>"
                                        "<span class=\"ctl\" title=\"U+FEFF\">U+FEFF</span>")},
    {STR_INIT("\xff<"), STR_INIT("<span class=\"ctl\" title=\"not UTF-8\">\\xff</span>&lt;")},
    {STR_INIT("\xc3"), STR_INIT("<span class=\"ctl\" title=\"not UTF-8\">\\xc3</span>")},
};

TEST(foreign_text_is_text_and_controls_are_visible)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(shown); i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        html_show(&out, shown[i].text);
        assert_str(buf_str(&out), shown[i].want);
    }
}

TEST(attributes_cannot_be_left)
{
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);

    html_attr(&out, STR("\" onload=\"x\n\033"));
    assert_str(buf_str(&out), STR("&#34; onload=&#34;x\\n\\x1b"));
}

static const struct {
    const char *diff, *want;
} diffs[] = {
    {"@@ -4 +9 @@\n-a: 10\n+a: 12\n",
     "<pre class=\"diff\"><span class=\"l h\"><span>@@ -4 +9 @@\n</span></span>"
     "<span class=\"run\"><span class=\"side\"><span class=\"l d\" data-o=\"4\"><span>-a: "
     "<b>10</b>\n</span></span></span>"
     "<span class=\"side\"><span class=\"l a\" data-n=\"9\"><span>+a: "
     "<b>12</b>\n</span></span></span></span></pre>"},
    /* As many lines must go as come to be compared one by one. */
    {"@@ -1 +1,2 @@\n-a: 1\n+a: 2\n+b: 3\n",
     "<pre class=\"diff\"><span class=\"l h\"><span>@@ -1 +1,2 @@\n</span></span>"
     "<span class=\"run\"><span class=\"side\"><span class=\"l d\" data-o=\"1\"><span>-a: "
     "1\n</span></span></span>"
     "<span class=\"side\"><span class=\"l a\" data-n=\"1\"><span>+a: 2\n</span></span>"
     "<span class=\"l a\" data-n=\"2\"><span>+b: 3\n</span></span></span></span></pre>"},
    /* Lines without anything in common are not marked. */
    {"@@ -1 +1 @@\n-some longer text\n+0\n",
     "<pre class=\"diff\"><span class=\"l h\"><span>@@ -1 +1 @@\n</span></span>"
     "<span class=\"run\"><span class=\"side\"><span class=\"l d\" data-o=\"1\"><span>-some longer "
     "text\n</span></span></span>"
     "<span class=\"side\"><span class=\"l a\" "
     "data-n=\"1\"><span>+0\n</span></span></span></span></pre>"},
    {"@@ -1,2 +1 @@\n x\n-y\n\\ No newline at end of file\n",
     "<pre class=\"diff\"><span class=\"l h\"><span>@@ -1,2 +1 @@\n</span></span>"
     "<span class=\"l\" data-o=\"1\" data-n=\"1\"><span> x\n</span></span>"
     "<span class=\"run\"><span class=\"side\"><span class=\"l d\" "
     "data-o=\"2\"><span>-y\n</span></span></span>"
     "<span class=\"side\"></span></span>"
     "<span class=\"l h\"><span>\\ No newline at end of file\n</span></span></pre>"},
    /* Another program's difference is shown as it is. */
    {"1c1\n< a\n---\n> b\n", "<pre class=\"diff\"><span class=\"l h\"><span>1c1\n</span></span>"
                             "<span class=\"l h\"><span>&lt; a\n</span></span>"
                             "<span class=\"l h\"><span>---\n</span></span>"
                             "<span class=\"l h\"><span>&gt; b\n</span></span></pre>"},
    {"", "<pre class=\"diff\"></pre>"},
};

TEST(differences_have_numbers_and_mark_what_changed)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(diffs); i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        html_diff(&out, str_c(diffs[i].diff));
        assert_str(buf_str(&out), str_c(diffs[i].want));
    }
}

TEST(marks_never_split_a_character)
{
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);

    html_diff(&out, STR("@@ -1 +1 @@\n-key: (ä)\n+key: (ö)\n"));
    assert_has(buf_str(&out), "key: (<b>ä</b>)");
    assert_has(buf_str(&out), "key: (<b>ö</b>)");
}

TEST(places_have_names_of_their_own)
{
    AUTO_ARENA a = arena_new();
    struct html_ids ids = {a, map_new(a)};

    assert_str(html_id(&ids, STR("apps/v1_Deployment_a_\"b")), STR("apps-v1_Deployment_a_-b"));
    assert_str(html_id(&ids, STR("apps/v1_Deployment_a_'b")), STR("apps-v1_Deployment_a_-b-2"));
    assert_str(html_id(&ids, STR("apps/v1_Deployment_a_<b")), STR("apps-v1_Deployment_a_-b-3"));
}

static const struct {
    const char *id, *api, *kind, *namespace, *name;
} names[] = {
    {"apps/v1_Deployment_shop_web", "apps/v1", "Deployment", "shop", "web"},
    {"v1_Namespace_shop", "v1", "Namespace", "", "shop"},
    {"rbac.authorization.k8s.io/v1_ClusterRole_system:a_b", "rbac.authorization.k8s.io/v1",
     "ClusterRole", "", "system:a_b"},
    {"odd", "", "", "", "odd"},
    {"", "", "", "", ""},
};

static const struct {
    const char *text, *want;
} linked[] = {
    {"see https://a.example/x?y=1&z, chapter 4.",
     "see <a rel=\"noopener noreferrer\" href=\"https://a.example/x?y=1&amp;z\">"
     "https://a.example/x?y=1&amp;z</a>, chapter 4."},
    {"(http://a.example/)", "(<a rel=\"noopener noreferrer\" href=\"http://a.example/\">"
                            "http://a.example/</a>)"},
    {"javascript:alert(1) ftp://x https://", "javascript:alert(1) ftp://x https://"},
    {"https://a\"><b>", "<a rel=\"noopener noreferrer\" href=\"https://a\">https://a</a>"
                        "&#34;&gt;&lt;b&gt;"},
};

TEST(only_addresses_of_the_web_become_links)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(linked); i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        html_show_links(&out, str_c(linked[i].text));
        assert_str(buf_str(&out), str_c(linked[i].want));
    }
}

TEST(ids_are_taken_apart)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        struct object_name n = object_name_of(str_c(names[i].id));
        assert_str(n.api, str_c(names[i].api));
        assert_str(n.kind, str_c(names[i].kind));
        assert_str(n.namespace, str_c(names[i].namespace));
        assert_str(n.name, str_c(names[i].name));
    }
}

TEST(markup_in_an_object_is_never_markup_of_the_page)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    r.diffs.items[0].object = STR("v1_<img src=x onerror=alert(1)>_a_b");
    r.diffs.items[0].component = STR("</h3><script>");
    r.hash = STR("</script>");
    str page = write_as(a, "html", &r);
    assert_false(str_contains(page, STR("<script>alert")));
    assert_false(str_contains(page, STR("<img")));
    assert_false(str_contains(page, STR("</h3><script>")));
    assert_has(page, "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_has(page, "Content-Security-Policy");
}

/* What stands between the two, the last time that begin does. */
static str last_between(str page, str begin, str end)
{
    str rest = page;
    size_t at;

    while ((at = str_find(rest, begin)) != STR_NPOS)
        rest = str_slice(rest, at + begin.len, rest.len);
    assert_int_not_equal(rest.len, page.len);
    at = str_find(rest, end);
    assert_int_not_equal(at, STR_NPOS);
    return str_slice(rest, 0, at);
}

static str allowed_by(struct arena *a, const char *directive, str text)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len;

    assert_int_equal(EVP_Digest(text.ptr, text.len, sum, &len, EVP_sha256(), NULL), 1);
    str hash = base64_encode(a, str_of((const char *)sum, len));
    return str_fmt(a, "%s 'sha256-%.*s';", directive, STR_ARG(hash));
}

TEST(the_policy_allows_the_look_and_the_script_of_the_page)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_results(a, &r);
    str page = write_as(a, "html", &r);
    str policy = last_between(page, STR("Content-Security-Policy\""), STR(">"));
    str look = last_between(page, STR("<style>"), STR("</style>"));
    str script = last_between(page, STR("<script>"), STR("</script>"));
    assert_true(look.len > 1000 && script.len > 1000);
    assert_true(str_contains(policy, allowed_by(a, "style-src", look)));
    assert_true(str_contains(policy, allowed_by(a, "script-src", script)));
}

static const char *const everything[] = {
    "<span class=\"badge incomplete\">Incomplete</span>",
    "<b>12</b> read · <b>2</b> skipped · <b>1</b> failed",
    "<b>7</b> matched · <b>1</b> not matched · <b>4</b> duplicate · <b>5</b> failed",
    "<b>90</b> compared · <b>8</b> left out",
    "<b>6</b> ignored",
    "fieldsToOmit x: &lt;a&gt;",
    "bad &lt;yaml&gt;",
    "o.yaml:3",
    "<summary>1 field</summary>",
    "50%\\n::error::x",
    "p/web.yaml:3",
    "Which template: 2 candidates",
    "fits &lt;best&gt;",
    "1 suppressed field",
    "Since the earlier report <span class=\"badge missing\">Worse</span>",
    "<p>data.&lt;b&gt;</p>",
    "<summary>Fixed: 1</summary>",
};

TEST(verdict_fields_explanations_and_baseline_are_shown)
{
    AUTO_ARENA a = arena_new();
    struct results r;

    sample_everything(a, &r);
    str page = write_as(a, "html", &r);
    for (size_t i = 0; i < COUNT(everything); i++)
        assert_has(page, everything[i]);
}

TEST(a_page_without_anything_is_a_page)
{
    AUTO_ARENA a = arena_new();
    struct results r = {0};
    str page = write_as(a, "html", &r);

    assert_has(page, "No object was compared");
    assert_has(page, "</html>");
}

RUN_TESTS(cmocka_unit_test(foreign_text_is_text_and_controls_are_visible),
          cmocka_unit_test(attributes_cannot_be_left),
          cmocka_unit_test(differences_have_numbers_and_mark_what_changed),
          cmocka_unit_test(marks_never_split_a_character),
          cmocka_unit_test(places_have_names_of_their_own), cmocka_unit_test(ids_are_taken_apart),
          cmocka_unit_test(only_addresses_of_the_web_become_links),
          cmocka_unit_test(markup_in_an_object_is_never_markup_of_the_page),
          cmocka_unit_test(the_policy_allows_the_look_and_the_script_of_the_page),
          cmocka_unit_test(verdict_fields_explanations_and_baseline_are_shown),
          cmocka_unit_test(a_page_without_anything_is_a_page))
