/* SPDX-License-Identifier: Apache-2.0 */
/*
 * originals.c - the names of the originals. One line per face.
 */
#include "cli/compat/originals.h"
#include "cli/cmd/compare_cli.h"

static int face_compare(const char *program, size_t argc, char *const *argv)
{
    return (int)compat_main(program, argc, argv);
}

static const struct face faces[] = {
    {"cluster-compare", face_compare},
    {"cluster_compare", face_compare},
    {"helm-convert", face_helm_convert},
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
