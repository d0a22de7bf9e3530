/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faces.c - the names of the originals. One line per face.
 */
#include "cli/faces.h"

static const struct face faces[] = {
    {"report-creator", face_report_creator},
};

const struct face *face_find(const char *program)
{
    str name = file_base(str_c(program));

    for (size_t i = 0; i < COUNT(faces); i++)
        if (str_has_suffix(name, str_c(faces[i].name)))
            return &faces[i];
    return NULL;
}
