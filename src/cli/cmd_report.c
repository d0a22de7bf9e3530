/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_report.c - plumb report, and the program report-creator: a JUnit report from a JSON report.
 */
#include "cli/cobra.h"
#include "cli/commands.h"
#include "cli/faces.h"
#include "report/report.h"
#include "report/results_json.h"
#include "value/source.h"

struct report_values {
    str json, output;
};

static const struct option report_options[] = {
    {"json", 'j', OPTION_STRING, offsetof(struct report_values, json),
     .help = "Path to the file including the json output of the cluster-compare command",
     .complete = COMPLETE_FILES},
    {"output", 'o', OPTION_STRING, offsetof(struct report_values, output), .value = "report.xml",
     .help = "Path to save the report", .complete = COMPLETE_FILES},
};

static bool make_report(struct arena *a, const void *values, struct err *e)
{
    const struct report_values *v = values;
    const struct report_options options = {.now = clock_now()};
    struct source source = {.file = v->json};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct results results;

    if (!file_read(a, v->json, &source.text, e))
        return err_wrap(e, "failed to read comparison file");
    if (!results_from_json(a, &source, &results, e))
        return err_wrap(e, "failed to unmarshal json");
    if (!report_find(STR("junit"))->write(&results, &options, &out, e))
        return err_wrap(e, "failed to write junit report");
    if (!file_write(v->output, buf_str(&out), 0666, e))
        return err_wrap(e, "failed to create output file");
    return true;
}

static bool cmd_report(struct call *c, struct err *e)
{
    const struct report_values *v = c->values;

    if (!v->json.len)
        return err_set(e, ERR_USAGE, "a JSON report is needed: --json");
    return make_report(c->arena, c->values, e);
}

const struct command command_report = {
    .name = "report",
    .args = "",
    .brief = "Turn the JSON report of a comparison into a JUnit report",
    .help = "Reads what 'plumb compare -o json' has written and writes it as a JUnit report,\n"
            "which test environments can show. It has three suites: one case for each object\n"
            "that was compared, which failed when the object differs; one for each fault of\n"
            "the reference's components; and one for each object that matches nothing.\n"
            "\n"
            "Linked to the name report-creator, the program behaves as the tool of that name.\n",
    .examples = "  plumb compare -r reference/metadata.yaml -f objects -o json > compare.json\n"
                "  plumb report -j compare.json -o junit.xml\n",
    .options = report_options,
    .option_count = COUNT(report_options),
    .values_size = sizeof(struct report_values),
    .run = cmd_report,
};

static const struct cobra report_creator = {
    .name = "create-report",
    .usage = "create-report -j <COMPARE_JSON_OUTPUT_PATH>",
    .help =
        "report-creator is a CLI tool that allows creating a JUnit test report from the output of "
        "the 'kubectl cluster-compare' plugin. The command uses the JSON format output of the "
        "'kubectl cluster-compare' plugin. This tol can be handy in automatic test environments.\n"
        "\n"
        " The tool divides the result of the cluster compare into 3 test suites:\n"
        "\n"
        "  1.  Diff test suite - Each test in the suite represents a CR that is matched and diffed "
        "to a reference CR. The test will be reported as failed if there are differences between "
        "the cluster cr and the expected CR. The full diff will be included in the test case "
        "failure message. In case there are no differences for the CR, the test will be marked as "
        "successful.\n"
        "  2.  Missing CRs test suite - Each test in this suite represents a missing CR from the "
        "cluster that appeared in the reference and was expected to appear in the cluster but "
        "wasn't found/identified. If there are no missing CRs, this test suite will contain one "
        "successful test indicating that the cluster contains all the expected CRs.\n"
        "  3.  Unmatched CRs test suite - This suite includes all the CRs in the cluster that were "
        "not matched to any reference. Each unmatched CR will be represented as a test case that "
        "failed. If there are no unmatched CRs, then this suite will include one successful test "
        "case representing that there are no unmatched CRs.",
    .options = report_options,
    .option_count = COUNT(report_options),
    .values_size = sizeof(struct report_values),
    .run = make_report,
};

int face_report_creator(const char *program, size_t argc, char *const *argv)
{
    (void)program;
    return cobra_run(&report_creator, argc, argv);
}
