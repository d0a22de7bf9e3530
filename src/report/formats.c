/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.c - the table of output formats. To add one: report.h says how.
 */
#include "report/internal.h"

const struct report_format *const report_formats[] = {
    &report_text,     &report_json,  &report_yaml,   &report_patches, &report_junit, &report_html,
    &report_markdown, &report_sarif, &report_github, &report_csv,     NULL,
};
