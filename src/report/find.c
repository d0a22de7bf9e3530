/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - finds formats by their names and by file names. */
#include "report/report.h"

const struct report_format *report_find(str name, bool fleet)
{
    for (size_t i = 0; report_formats[i]; i++) {
        const struct report_format *f = report_formats[i];
        if (str_eq(name, str_c(f->name)))
            return (fleet ? f->write_fleet != NULL : f->write != NULL) ? f : NULL;
    }
    return NULL;
}

static bool ends_as(const struct report_format *f, str file)
{
    str rest = str_c(f->endings), ending;

    while (rest.len) {
        str_cut(rest, STR(" "), &ending, &rest);
        if (str_has_suffix(file, ending))
            return true;
    }
    return false;
}

const struct report_format *report_find_file(str file)
{
    for (size_t i = 0; report_formats[i]; i++)
        if (report_formats[i]->endings && ends_as(report_formats[i], file))
            return report_formats[i];
    return NULL;
}
