/* SPDX-License-Identifier: Apache-2.0 */
/*
 * junit.c - the report as JUnit XML: differences, validation issues and unmatched objects as test
 * suites.
 */
#include "report/internal.h"
#include "text/xml.h"

#include <time.h>

struct testcase {
    str classname, name;
    str skipped; /* message; empty: not skipped */
    str failure_type, failure_message, failure_text;
};

struct suite {
    const char *name;
    struct testcase *items;
    size_t len, cap;
    const struct result_verdict *verdict; /* NULL: not what the suite is about */
};

/* ---- Cases. ---- */

static struct testcase diff_case(struct arena *a, const struct results *r,
                                 const struct result_diff *d)
{
    struct testcase c = {
        .classname = str_fmt(a, "Matching Reference CR: %.*s", STR_ARG(d->template)),
        .name = str_fmt(a, "CR: %.*s", STR_ARG(d->object)),
    };

    if (d->text.len) {
        c.failure_type = STR("Difference");
        c.failure_message = str_fmt(a,
                                    "Differences found in CR: %.*s, Compared To Reference CR: %.*s",
                                    STR_ARG(d->object), STR_ARG(d->template));
        c.failure_text = d->text;
    } else if (d->patched && r->overrides.len) {
        c.skipped = str_fmt(a, "Patched with %.*s; Reasons given: %.*s",
                            STR_ARG(diff_overrides(r, d)),
                            STR_ARG(str_join(a, d->reasons, d->reason_count, STR(", "))));
    }
    return c;
}

static struct suite diff_suite(struct arena *a, const struct results *r)
{
    struct suite s = {.name = "Detected Differences Between Cluster CRs and Expected CRs"};

    for (size_t i = 0; i < r->diffs.len; i++)
        VEC_PUSH(a, &s, diff_case(a, r, &r->diffs.items[i]));
    return s;
}

static struct testcase issue_case(struct arena *a, const struct result_issue *issue)
{
    str *paths = ARENA_ARRAY(a, str, issue->count);

    for (size_t i = 0; i < issue->count; i++)
        paths[i] = issue->templates[i].path;
    return (struct testcase){
        .classname = str_fmt(a, "Part:%.*s Component: %.*s", STR_ARG(issue->part),
                             STR_ARG(issue->component)),
        .name = STR("Reference validation failure"),
        .failure_type = STR("Validation Issue"),
        .failure_message = str_fmt(a, "%.*s: %.*s", STR_ARG(issue->message),
                                   STR_ARG(str_join(a, paths, issue->count, STR(",")))),
    };
}

static int compare_cases(const void *x, const void *y)
{
    const struct testcase *p = x, *q = y;

    return str_cmp(p->classname, q->classname);
}

static struct suite issue_suite(struct arena *a, const struct results *r)
{
    struct suite s = {.name = "Reference validation"};
    struct testcase fine = {
        .name = STR("No reference validation issues: All expected CRs exist in the cluster")};

    for (size_t i = 0; i < r->issues.len; i++)
        VEC_PUSH(a, &s, issue_case(a, &r->issues.items[i]));
    if (s.len)
        qsort(s.items, s.len, sizeof(*s.items), compare_cases);
    else
        VEC_PUSH(a, &s, fine);
    return s;
}

static struct suite unmatched_suite(struct arena *a, const struct results *r)
{
    struct suite s = {.name = "Unmatched Cluster Resources"};
    struct testcase fine = {.name = STR("All Cluster CRs are matched to reference CRs ")};

    for (size_t i = 0; i < r->unmatched.len; i++) {
        str id = r->unmatched.items[i];
        struct testcase c = {
            .name = id,
            .failure_type = STR("Unmatched CR"),
            .failure_message = str_fmt(a, "Cluster resource '%.*s' is unmatched.", STR_ARG(id)),
        };
        VEC_PUSH(a, &s, c);
    }
    if (!s.len)
        VEC_PUSH(a, &s, fine);
    return s;
}

static struct testcase note_case(struct arena *a, const struct result_note *note)
{
    struct testcase c = {.classname = STR("Input"), .name = place_text(a, note->place)};

    if (note->failed) {
        c.failure_type = STR("Not Compared");
        c.failure_message = note->reason;
    } else {
        c.skipped = note->reason;
    }
    return c;
}

/* Our own suite: what could not be compared. */
static struct suite verdict_suite(struct arena *a, const struct results *r)
{
    struct suite s = {.name = "Completeness of the comparison", .verdict = &r->verdict};
    struct testcase fine = {.name = STR("Everything was compared")};
    struct testcase partial = {.classname = STR("Input"),
                               .name = STR("Objects " UNMATCHED_WORDS),
                               .skipped = counted(a, r->verdict.unmatched, "object")};

    for (size_t i = 0; i < r->verdict.notes.len; i++)
        VEC_PUSH(a, &s, note_case(a, &r->verdict.notes.items[i]));
    if (r->verdict.unmatched)
        VEC_PUSH(a, &s, partial);
    if (!s.len)
        VEC_PUSH(a, &s, fine);
    return s;
}

/* ---- Elements. ---- */

static void attr_number(struct arena *a, struct xml *x, str name, size_t n)
{
    xml_attr(x, name, str_fmt(a, "%zu", n));
}

static size_t count_failures(const struct suite *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->len; i++)
        n += s->items[i].failure_type.len > 0;
    return n;
}

static size_t count_skipped(const struct suite *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->len; i++)
        n += s->items[i].skipped.len > 0;
    return n;
}

static void add_property(struct xml *x, str name, str value)
{
    xml_open(x, STR("property"));
    xml_attr(x, STR("name"), name);
    xml_attr(x, STR("value"), value);
    xml_close(x);
}

static void add_case(struct xml *x, const struct testcase *c)
{
    xml_open(x, STR("testcase"));
    xml_attr(x, STR("classname"), c->classname);
    xml_attr(x, STR("name"), c->name);
    xml_attr(x, STR("time"), STR("0"));
    if (c->skipped.len) {
        xml_open(x, STR("skipped"));
        xml_attr(x, STR("message"), c->skipped);
        xml_close(x);
    }
    xml_open(x, STR("properties"));
    xml_close(x);
    if (c->failure_type.len) {
        xml_open(x, STR("failure"));
        xml_attr(x, STR("message"), c->failure_message);
        xml_attr(x, STR("type"), c->failure_type);
        xml_text(x, c->failure_text);
        xml_close(x);
    }
    xml_close(x);
}

static void add_completeness(struct arena *a, struct xml *x, const struct result_verdict *v)
{
    const struct {
        str name;
        size_t n;
    } counts[] = {{STR("FailedDocuments"), v->failed},
                  {STR("FailedCRs"), v->failed_objects},
                  {STR("UnmatchedCRs"), v->unmatched}};

    add_property(x, STR("Comparison"), str_c(verdict_state_name(verdict_state(v))));
    for (size_t i = 0; i < COUNT(counts); i++)
        add_property(x, counts[i].name, str_fmt(a, "%zu", counts[i].n));
}

static void add_suite(struct arena *a, struct xml *x, const struct results *r, str stamp,
                      const struct suite *s)
{
    xml_open(x, STR("testsuite"));
    attr_number(a, x, STR("tests"), s->len);
    attr_number(a, x, STR("failures"), count_failures(s));
    attr_number(a, x, STR("skipped"), count_skipped(s));
    xml_attr(x, STR("time"), STR("0"));
    xml_attr(x, STR("name"), str_c(s->name));
    xml_attr(x, STR("timestamp"), stamp);
    xml_open(x, STR("properties"));
    add_property(x, STR("MetadataHash"), r->hash);
    add_property(x, STR("TotalCRs"), str_fmt(a, "%zu", r->total));
    if (s->verdict)
        add_completeness(a, x, s->verdict);
    xml_close(x);
    for (size_t i = 0; i < s->len; i++)
        add_case(x, &s->items[i]);
    xml_close(x);
}

/* RFC 3339 in local time. */
static str time_stamp(struct arena *a, int64_t now)
{
    time_t seconds = (time_t)(now / NS_PER_SEC);
    struct tm tm;
    char text[32];

    localtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    if (tm.tm_gmtoff == 0)
        return str_fmt(a, "%sZ", text);
    long minutes = labs(tm.tm_gmtoff) / 60;
    return str_fmt(a, "%s%c%02ld:%02ld", text, tm.tm_gmtoff < 0 ? '-' : '+', minutes / 60,
                   minutes % 60);
}

static bool write_junit(const struct results *r, const struct report_options *o, struct buf *out,
                        struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct suite suites[] = {diff_suite(a, r), issue_suite(a, r), unmatched_suite(a, r),
                                   verdict_suite(a, r)};
    size_t count = COUNT(suites) - !r->verdict.known;
    struct xml x = xml_begin(out, STR("\t"));
    size_t tests = 0, failures = 0, skipped = 0;

    (void)e;
    for (size_t i = 0; i < count; i++) {
        tests += suites[i].len;
        failures += count_failures(&suites[i]);
        skipped += count_skipped(&suites[i]);
    }
    xml_header(&x);
    xml_open(&x, STR("testsuites"));
    xml_attr(&x, STR("name"),
             STR("Comparison results of known valid reference configuration and a set of specific "
                 "cluster CRs"));
    attr_number(a, &x, STR("tests"), tests);
    attr_number(a, &x, STR("failures"), failures);
    xml_attr(&x, STR("errors"), STR("0"));
    attr_number(a, &x, STR("skipped"), skipped);
    xml_attr(&x, STR("time"), STR("0"));
    for (size_t i = 0; i < count; i++)
        add_suite(a, &x, r, time_stamp(a, o->now), &suites[i]);
    xml_close(&x);
    buf_char(out, '\n');
    return true;
}

const struct report_format report_junit = {
    .name = "junit",
    .help = "JUnit XML, for build servers",
    .endings = ".xml",
    .original = true,
    .write = write_junit,
    .write_fleet = fleet_write_junit,
};
