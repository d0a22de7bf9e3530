/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - plumb report: converts a JSON report to another format; and the program
 * report-creator, which converts it to JUnit.
 */
#include "cli/compat/cobra.h"
#include "cli/commands.h"
#include "cli/options/formats.h"
#include "cli/compat/originals.h"
#include "report/fleet_read.h"
#include "report/report.h"
#include "report/results_json.h"
#include "value/source.h"

#include <unistd.h>

struct report_values {
    str json, output, format;
    bool own_name; /* plumb report, which accepts "-" */
};

static const struct option creator_options[] = {
    {"json", 'j', OPTION_STRING, offsetof(struct report_values, json),
     .help = "Path to the file including the json output of the cluster-compare command",
     .complete = COMPLETE_FILES},
    {"output", 'o', OPTION_STRING, offsetof(struct report_values, output), .value = "report.xml",
     .help = "Path to save the report", .complete = COMPLETE_FILES},
};

static bool read_json(struct arena *a, const struct report_values *v, struct source *out,
                      struct err *e)
{
    if (str_eq(v->json, STR("-")) && v->own_name) {
        *out = (struct source){.file = STR("<stdin>")};
        return file_read_fd(a, STDIN_FILENO, out->file, FILE_MAX, &out->text, e);
    }
    *out = (struct source){.file = v->json};
    return file_read(a, v->json, &out->text, e) || err_wrap(e, "failed to read comparison file");
}

static bool make_report(struct arena *a, const struct source *source,
                        const struct report_format *format, struct buf *out, struct err *e)
{
    const struct report_options options = {.now = clock_now()};
    struct results results;

    if (!results_from_json(a, source, &results, e))
        return err_wrap(e, "failed to unmarshal json");
    return format->write(&results, &options, out, e) ||
           err_wrap(e, "failed to write %s report", format->name);
}

/* With missing parts taken for empty ones, anything would be a report without a difference. */
static bool check_report(struct arena *a, const struct source *source, struct err *e)
{
    return results_check_json(a, source, e) ||
           err_wrap(e, "%.*s is not a comparison report; write one with -o json",
                    STR_ARG(source->file));
}

static bool write_report(const struct report_values *v, str text, struct err *e)
{
    return file_write(v->output, text, 0666, e) || err_wrap(e, "failed to create output file");
}

/* ---- plumb report. ---- */

static const struct option report_options[] = {
    {"format", 'F', OPTION_STRING, offsetof(struct report_values, format),
     .words = &format_words_report},
    {"json", 'j', OPTION_STRING, offsetof(struct report_values, json),
     .help = "Read the JSON report in `FILE`; - is standard input", .complete = COMPLETE_FILES},
    {"output", 'o', OPTION_STRING, offsetof(struct report_values, output), .value = "-",
     .help = "Write to `FILE`; - is standard output", .complete = COMPLETE_FILES},
};

/* The requested format, else that of the output's suffix, else the default. */
static bool choose_name(struct arena *a, const struct report_values *v, bool fleet, str *name,
                        struct err *e)
{
    const struct report_format *by_ending = report_find_file(v->output);

    if (v->format.len)
        *name = v->format;
    else if (by_ending)
        *name = str_c(by_ending->name);
    else if (str_eq(v->output, STR("-")))
        *name = fleet ? STR("html") : STR("junit");
    else
        return err_set(
            e, ERR_USAGE, "the ending of %.*s names no format: give one with -F, which is %.*s",
            STR_ARG(v->output),
            STR_ARG(format_list(a, fleet ? FORMATS_FLEET : FORMATS_SINGLE, true, " or ")));
    return true;
}

static bool make_fleet(struct arena *a, const struct source *source,
                       const struct report_format *format, struct buf *out, struct err *e)
{
    const struct report_options options = {.now = clock_now()};
    struct fleet fleet;

    if (!fleet_from_json(a, source, &fleet, e))
        return err_wrap(e, "%.*s is not a fleet report written by plumb", STR_ARG(source->file));
    return format->write_fleet(&fleet, &options, out, e);
}

static bool fail_format(struct arena *a, const struct source *source, str name, bool fleet,
                        struct err *e)
{
    if (!fleet)
        return err_set(e, ERR_USAGE, "%.*s is for reports of fleets, and %.*s is that of one site",
                       STR_ARG(name), STR_ARG(source->file));
    return err_set(e, ERR_USAGE,
                   "%.*s is the report of a fleet, and %.*s is not for fleets: %.*s are",
                   STR_ARG(source->file), STR_ARG(name),
                   STR_ARG(format_list(a, FORMATS_FLEET, true, " and ")));
}

/* FILE is the same as --json. */
static bool take_file(const struct call *c, struct report_values *v, struct err *e)
{
    if (c->arg_count && v->json.len)
        return err_set(e, ERR_USAGE, "name one JSON report: %.*s or --json %.*s",
                       STR_ARG(c->args[0]), STR_ARG(v->json));
    if (c->arg_count)
        v->json = c->args[0];
    v->own_name = true;
    return v->json.len || err_set(e, ERR_USAGE, "name a JSON report, or - for standard input");
}

static bool cmd_report(struct call *c, struct err *e)
{
    struct report_values v = *(const struct report_values *)c->values;
    struct buf out = buf_new(c->arena, BUF_UNLIMITED);
    struct source source;
    str name = STR_NONE;

    if (!take_file(c, &v, e) || !read_json(c->arena, &v, &source, e))
        return false;
    bool fleet = fleet_is_report(&source);
    if (!choose_name(c->arena, &v, fleet, &name, e))
        return false;
    const struct report_format *format = report_find(name, fleet);
    if (!format)
        return fail_format(c->arena, &source, name, fleet, e);
    if (!(fleet ? make_fleet(c->arena, &source, format, &out, e)
                : make_report(c->arena, &source, format, &out, e) &&
                      check_report(c->arena, &source, e)))
        return false;
    if (!str_eq(v.output, STR("-")))
        return write_report(&v, buf_str(&out), e);
    output_add(c->out, buf_str(&out));
    return true;
}

const struct command command_report = {
    .name = "report",
    .args = "[FILE]",
    .brief = "Turn the JSON report of a comparison into another format",
    .help = "Reads what 'plumb compare -o json' has written and writes it in another format: a\n"
            "page for a browser, a comment for a pull request, a JUnit report. The latter has\n"
            "three suites: one case for each object that was compared, which failed when the\n"
            "object differs; one for each fault of the reference's components; and one for\n"
            "each object that matches nothing.\n"
            "\n"
            "Of a fleet (plumb compare --fleet ... -o json) it makes a page or a table. What is\n"
            "written goes to standard output, or to the file of -o, whose ending says the\n"
            "format.\n"
            "\n"
            "Linked to the name report-creator, the program behaves as the tool of that name.\n",
    .examples = "  plumb compare reference objects -o json > compare.json\n"
                "  plumb report compare.json -o report.html\n"
                "  plumb report compare.json -o junit.xml\n"
                "  plumb compare reference objects -o json | plumb report - -F markdown\n",
    .options = report_options,
    .option_count = COUNT(report_options),
    .values_size = sizeof(struct report_values),
    .args_max = 1,
    .complete = COMPLETE_FILES,
    .run = cmd_report,
};

/* ---- report-creator. ---- */

static bool create_report(struct arena *a, const void *values, struct err *e)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct source source;

    return read_json(a, values, &source, e) &&
           make_report(a, &source, report_find(STR("junit"), false), &out, e) &&
           write_report(values, buf_str(&out), e);
}

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
    .options = creator_options,
    .option_count = COUNT(creator_options),
    .values_size = sizeof(struct report_values),
    .run = create_report,
};

int compat_report_creator(const char *program, size_t argc, char *const *argv)
{
    (void)program;
    return cobra_run(&report_creator, argc, argv);
}
