/* SPDX-License-Identifier: Apache-2.0 */
/* test_fleet.c - formats of fleets: foreign text in each of them, and what spreadsheets would run.
 */
#include "sample.h"

#include "compare/fleet/fleet.h"
#include "report/report.h"

#define EVIL "=cmd|' /c'!A1\033[2J\n<script>alert(1)</script>,\"x\"\xff"

/* Three sites whose names, objects, values and errors are not to be trusted. */
static struct fleet sample_fleet(struct arena *a)
{
    struct fleet fleet = {.reference = STR("ref<b>"), .hash = STR("abc")};
    struct fleet_groups *g = fleet_groups_new(a, &fleet);
    struct fleet_finding f = {.kind = FLEET_DIFFERS,
                              .object = STR("v1_ConfigMap_shop_" EVIL),
                              .template = STR("@t.yaml"),
                              .description = STR(EVIL),
                              .text = STR("@@ -1 +1 @@\n-a\n+" EVIL "\n")};
    const struct fleet_finding gone = {
        .kind = FLEET_MISSING, .template = STR("+m.yaml"), .message = STR("Missing CRs")};
    const struct fleet_finding other = {.kind = FLEET_UNMATCHED, .object = STR(EVIL)};

    for (size_t i = 0; i < 3; i++) {
        struct fleet_site *s = VEC_ADD(a, &fleet.sites);
        s->name = i == 1 ? STR(EVIL) : str_fmt(a, "site%zu", i);
        s->source = str_fmt(a, "sites/%.*s", STR_ARG(s->name));
        s->verdict = (struct result_verdict){.known = true, .complete = i == 0, .failed = i == 1};
    }
    fleet.sites.items[2].error = STR(EVIL);
    VEC_PUSH(a, &fleet.sites.items[1].verdict.notes,
             ((struct result_note){{STR("o.yaml"), 3}, STR(EVIL), true}));
    VEC_PUSH(a, &f.fields,
             ((struct result_field){.path = STR("data.a"),
                                    .kind = RESULT_EXTRA,
                                    .actual = value_string(a, STR(EVIL))}));
    fleet_groups_add(g, 0, &f);
    fleet_groups_add(g, 0, &gone);
    fleet_groups_add(g, 1, &gone);
    fleet_groups_add(g, 1, &other);
    fleet_groups_finish(g);
    return fleet;
}

static str write_fleet(struct arena *a, const char *format, bool terminal)
{
    const struct report_options options = {
        .now = INT64_C(1700000000) * NS_PER_SEC, .terminal = terminal, .colour = terminal};
    struct fleet fleet = sample_fleet(a);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    assert_non_null(report_find(str_c(format), true));
    assert_ok(report_find(str_c(format), true)->write_fleet(&fleet, &options, &out, &e), &e);
    return buf_str(&out);
}

TEST(only_formats_of_fleets_are_found)
{
    assert_ptr_equal(report_find(STR("text"), true), &report_text);
    assert_null(report_find(STR("csv"), false));
    assert_null(report_find(STR("sarif"), true));
    assert_null(report_find(STR("generate-patches"), true));
}

TEST(a_page_holds_foreign_text_as_text)
{
    AUTO_ARENA a = arena_new();
    str page = write_fleet(a, "html", false), first, rest;

    assert_false(str_contains(page, STR("<script>alert")));
    assert_false(str_contains(page, STR("ref<b>")));
    assert_false(str_contains(page, STR("\033")));
    assert_has(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    /* The only script is that of the page. */
    assert_true(str_cut(page, STR("<script>"), &first, &rest));
    assert_false(str_contains(rest, STR("<script>")));
}

TEST(a_table_holds_a_row_per_line_and_no_formula)
{
    AUTO_ARENA a = arena_new();
    str rest = write_fleet(a, "csv", false), line;
    size_t rows = 0;

    while (str_next_line(&rest, &line)) {
        rows++;
        assert_null(memchr("=+-@\t", line.ptr[0], 5));
        assert_false(str_contains(line, STR(",=")));
        assert_false(str_contains(line, STR(",@")));
        assert_false(str_contains(line, STR(",+")));
        assert_false(str_contains(line, STR("\033")));
    }
    /*
     * Heads, two findings of the first site, two of the second, one for what could not be compared
     * of it, one for the site that failed.
     */
    assert_int_equal(rows, 7);
    assert_has(write_fleet(a, "csv", false), "\"'@t.yaml\"");
}

TEST(a_terminal_gets_no_commands_but_ours)
{
    AUTO_ARENA a = arena_new();
    str text = write_fleet(a, "text", true);

    assert_false(str_contains(text, STR("\033[2J")));
    assert_has(text, "\033[1mSummary\033[0m");
    assert_has(text, "\\x1b[2J");
}

TEST(a_complete_verdict_is_green_on_a_terminal)
{
    const struct report_options options = {.terminal = true, .colour = true};
    AUTO_ARENA a = arena_new();
    struct fleet fleet = {.reference = STR("ref"), .hash = STR("abc")};
    struct fleet_groups *g = fleet_groups_new(a, &fleet);
    struct fleet_site *s = VEC_ADD(a, &fleet.sites);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    s->name = STR("site");
    s->verdict = (struct result_verdict){.known = true, .complete = true};
    fleet_groups_finish(g);
    assert_ok(report_text.write_fleet(&fleet, &options, &out, &e), &e);
    assert_has(buf_str(&out), "\033[32mVerdict: complete\033[0m");
}

TEST(data_can_be_read_back)
{
    AUTO_ARENA a = arena_new();

    assert_has(write_fleet(a, "json", false), "\"NumSites\":3");
    assert_has(write_fleet(a, "json", false), "\"State\":\"failed\"");
    assert_has(write_fleet(a, "yaml", false), "Kind: unmatched");
}

RUN_TESTS(cmocka_unit_test(only_formats_of_fleets_are_found),
          cmocka_unit_test(a_page_holds_foreign_text_as_text),
          cmocka_unit_test(a_table_holds_a_row_per_line_and_no_formula),
          cmocka_unit_test(a_terminal_gets_no_commands_but_ours),
          cmocka_unit_test(a_complete_verdict_is_green_on_a_terminal),
          cmocka_unit_test(data_can_be_read_back))
