/* SPDX-License-Identifier: Apache-2.0 */
/*
 * junit.c - a report in memory, and as XML.
 */
#include "report/junit.h"
#include "base/gotime.h"
#include "text/xml.h"

struct junit junit_new(struct arena *a, str hash, int64_t total, str stamp)
{
    return (struct junit){
        .arena = a,
        .hash = hash,
        .stamp = stamp,
        .total = total,
        .suites =
            {
                [JUNIT_OBJECTS] = {.name =
                                       "Detected Differences Between Cluster CRs and Expected CRs"},
                [JUNIT_ISSUES] = {.name = "Reference validation",
                                  .if_empty = "No reference validation issues: All expected CRs "
                                              "exist in the cluster"},
                [JUNIT_UNMATCHED] = {.name = "Unmatched Cluster Resources",
                                     /* Upstream: the blank at the end. */
                                     .if_empty = "All Cluster CRs are matched to reference CRs "},
            },
    };
}

str junit_stamp(struct arena *a)
{
    struct buf b = buf_new(a, KIB);

    gotime_format(&b, gotime_now(zone_local(a)), STR(GOTIME_RFC3339));
    return buf_str(&b);
}

/* ---- Filling. ---- */

static void add_case(struct junit *j, int suite, const struct junit_case *c)
{
    struct junit_suite *s = &j->suites[suite];

    VEC_PUSH(j->arena, &s->cases, *c);
    if (c->failed)
        s->failures++;
    else if (c->skipped.ptr)
        s->skipped++;
}

void junit_add_object(struct junit *j, const struct junit_object *o)
{
    struct junit_case c = {
        .class_name = str_concat(j->arena, STR("Matching Reference CR: "), o->template),
        .name = str_concat(j->arena, STR("CR: "), o->id),
    };

    if (o->diff.len) {
        c.failed = true;
        c.failure_type = STR("Difference");
        c.failure_message = str_fmt(j->arena,
                                    "Differences found in CR: %.*s, Compared To Reference CR: %.*s",
                                    STR_ARG(o->id), STR_ARG(o->template));
        c.failure_text = o->diff;
    } else if (o->patched.len) {
        str reasons = str_join(j->arena, o->reasons, o->reason_count, STR(", "));
        c.skipped = str_fmt(j->arena, "Patched with %.*s; Reasons given: %.*s", STR_ARG(o->patched),
                            STR_ARG(reasons));
    }
    add_case(j, JUNIT_OBJECTS, &c);
}

void junit_add_issue(struct junit *j, str part, str component, str message, const str *paths,
                     size_t count)
{
    str joined = str_join(j->arena, paths, count, STR(","));

    add_case(
        j, JUNIT_ISSUES,
        &(struct junit_case){
            .class_name =
                str_fmt(j->arena, "Part:%.*s Component: %.*s", STR_ARG(part), STR_ARG(component)),
            .name = STR("Reference validation failure"),
            .failed = true,
            .failure_type = STR("Validation Issue"),
            .failure_message = str_fmt(j->arena, "%.*s: %.*s", STR_ARG(message), STR_ARG(joined)),
        });
}

void junit_add_unmatched(struct junit *j, str id)
{
    add_case(j, JUNIT_UNMATCHED,
             &(struct junit_case){
                 .name = id,
                 .failed = true,
                 .failure_type = STR("Unmatched CR"),
                 .failure_message =
                     str_fmt(j->arena, "Cluster resource '%.*s' is unmatched.", STR_ARG(id)),
             });
}

/* ---- Writing. ---- */

static int compare_classes(const void *x, const void *y)
{
    const struct junit_case *a = x, *b = y;

    return str_cmp(a->class_name, b->class_name);
}

/* Suites that must not be empty say so with a case; issues are put in order. */
static void complete(struct junit *j)
{
    struct junit_suite *issues = &j->suites[JUNIT_ISSUES];

    for (int i = 0; i < JUNIT_SUITES; i++)
        if (!j->suites[i].cases.len && j->suites[i].if_empty)
            add_case(j, i, &(struct junit_case){.name = str_c(j->suites[i].if_empty)});
    if (issues->cases.len > 1)
        qsort(issues->cases.items, issues->cases.len, sizeof(*issues->cases.items),
              compare_classes);
}

static void number_attr(struct junit *j, struct xml *x, str name, size_t n)
{
    xml_attr(x, name, str_fmt(j->arena, "%zu", n));
}

static void write_property(struct xml *x, str name, str value)
{
    xml_open(x, STR("property"));
    xml_attr(x, STR("name"), name);
    xml_attr(x, STR("value"), value);
    xml_close(x);
}

static void write_properties(struct junit *j, struct xml *x)
{
    xml_open(x, STR("properties"));
    write_property(x, STR("MetadataHash"), j->hash);
    write_property(x, STR("TotalCRs"), str_fmt(j->arena, "%lld", (long long)j->total));
    xml_close(x);
}

static void write_failure(struct xml *x, const struct junit_case *c)
{
    xml_open(x, STR("failure"));
    xml_attr(x, STR("message"), c->failure_message);
    xml_attr(x, STR("type"), c->failure_type);
    xml_text(x, c->failure_text);
    xml_close(x);
}

static void write_case(struct xml *x, const struct junit_case *c)
{
    xml_open(x, STR("testcase"));
    xml_attr(x, STR("classname"), c->class_name);
    xml_attr(x, STR("name"), c->name);
    xml_attr(x, STR("time"), STR("0"));
    if (c->skipped.ptr) {
        xml_open(x, STR("skipped"));
        xml_attr(x, STR("message"), c->skipped);
        xml_close(x);
    }
    xml_open(x, STR("properties"));
    xml_close(x);
    if (c->failed)
        write_failure(x, c);
    xml_close(x);
}

static void write_suite(struct junit *j, struct xml *x, const struct junit_suite *s)
{
    xml_open(x, STR("testsuite"));
    number_attr(j, x, STR("tests"), s->cases.len);
    number_attr(j, x, STR("failures"), s->failures);
    number_attr(j, x, STR("skipped"), s->skipped);
    xml_attr(x, STR("time"), STR("0"));
    xml_attr(x, STR("name"), str_c(s->name));
    xml_attr(x, STR("timestamp"), j->stamp);
    write_properties(j, x);
    for (size_t i = 0; i < s->cases.len; i++)
        write_case(x, &s->cases.items[i]);
    xml_close(x);
}

void junit_write(struct junit *j, struct buf *out)
{
    struct xml x = xml_begin(out, STR("\t"));
    size_t tests = 0, failures = 0, skipped = 0;

    complete(j);
    for (int i = 0; i < JUNIT_SUITES; i++) {
        tests += j->suites[i].cases.len;
        failures += j->suites[i].failures;
        skipped += j->suites[i].skipped;
    }
    xml_header(&x);
    xml_open(&x, STR("testsuites"));
    xml_attr(&x, STR("name"),
             STR("Comparison results of known valid reference configuration and a "
                 "set of specific cluster CRs"));
    number_attr(j, &x, STR("tests"), tests);
    number_attr(j, &x, STR("failures"), failures);
    number_attr(j, &x, STR("errors"), 0);
    number_attr(j, &x, STR("skipped"), skipped);
    xml_attr(&x, STR("time"), STR("0"));
    for (int i = 0; i < JUNIT_SUITES; i++)
        write_suite(j, &x, &j->suites[i]);
    xml_close(&x);
    buf_char(out, '\n');
}
