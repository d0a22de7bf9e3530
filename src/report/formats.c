/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.c - the table of output formats. To add one: report.h says how.
 */
#include "report/internal.h"

const struct report_format *const report_formats[] = {
    &report_json,     &report_yaml,  &report_patches, &report_junit, &report_html,
    &report_markdown, &report_sarif, &report_github,  NULL,
};

bool report_explains(const struct report_format *format)
{
    return format == &report_text || format == &report_html || format == &report_json ||
           format == &report_yaml;
}

const struct report_format *report_find(str name)
{
    for (size_t i = 0; report_formats[i]; i++)
        if (str_eq(name, str_c(report_formats[i]->name)))
            return report_formats[i];
    return NULL;
}

bool report_is_original(const struct report_format *format)
{
    return format == &report_json || format == &report_yaml || format == &report_patches ||
           format == &report_junit || format == &report_text;
}
