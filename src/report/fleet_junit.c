/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_junit.c - a fleet for build servers: a suite per site, with a case per finding, or a passed
 * one. A site that was not compared completely has a failed case.
 */
#include "report/fleet_internal.h"
#include "text/xml.h"

#define FIELDS_SHOWN 20

static void attr_number(struct arena *a, struct xml *x, str name, size_t n)
{
    xml_attr(x, name, str_fmt(a, "%zu", n));
}

static void add_case(struct xml *x, str class, str name, const char *type, str failure)
{
    xml_open(x, STR("testcase"));
    xml_attr(x, STR("classname"), class);
    xml_attr(x, STR("name"), name);
    if (failure.len) {
        xml_open(x, STR("failure"));
        xml_attr(x, STR("type"), str_c(type));
        xml_attr(x, STR("message"), failure);
        xml_close(x);
    }
    xml_close(x);
}

static bool is_drift(const struct fleet *f, uint32_t index)
{
    return f->findings.items[index].kind != FLEET_UNMATCHED;
}

static size_t count_failures(const struct fleet *f, const struct fleet_site *s)
{
    size_t count = s->error.len > 0 || fleet_site_is_incomplete(s);

    for (size_t i = 0; i < s->findings.len; i++)
        count += is_drift(f, s->findings.items[i]);
    return count;
}

static void add_site(struct xml *x, const struct fleet *f, const struct fleet_site *s)
{
    AUTO_ARENA a = arena_new();
    size_t failures = count_failures(f, s);

    xml_open(x, STR("testsuite"));
    xml_attr(x, STR("name"), s->name);
    attr_number(a, x, STR("tests"), failures ? failures : 1);
    attr_number(a, x, STR("failures"), failures);
    if (s->error.len)
        add_case(x, s->name, STR("compared"), "NotCompared", s->error);
    else if (fleet_site_is_incomplete(s))
        add_case(x, s->name, STR("complete"), "Incomplete", fleet_incomplete_text(a, s));
    for (size_t i = 0; i < s->findings.len; i++) {
        const struct fleet_finding *found = &f->findings.items[s->findings.items[i]];
        if (is_drift(f, s->findings.items[i]))
            add_case(x, found->template, fleet_subject(a, found),
                     found->kind == FLEET_MISSING ? "Missing" : "Difference",
                     fleet_what(a, found, FIELDS_SHOWN));
    }
    if (!failures)
        add_case(x, s->name, STR("as expected"), "", STR_NONE);
    xml_close(x);
}

bool fleet_write_junit(const struct fleet *f, const struct report_options *o, struct buf *out,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct xml x = xml_begin(out, STR("\t"));
    size_t tests = 0, failures = 0;

    (void)o;
    (void)e;
    for (size_t i = 0; i < f->sites.len; i++) {
        size_t count = count_failures(f, &f->sites.items[i]);
        failures += count;
        tests += count ? count : 1;
    }
    xml_header(&x);
    xml_open(&x, STR("testsuites"));
    xml_attr(&x, STR("name"), fleet_headline(a, f));
    attr_number(a, &x, STR("tests"), tests);
    attr_number(a, &x, STR("failures"), failures);
    for (size_t i = 0; i < f->sites.len; i++)
        add_site(&x, f, &f->sites.items[i]);
    xml_close(&x);
    buf_char(out, '\n');
    return true;
}
