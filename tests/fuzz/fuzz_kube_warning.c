/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_kube_warning.c - any bytes as a "Warning" header.
 *
 * Reading comes to an end, and what is read can be shown: it is UTF-8 without control characters.
 */
#include "kube/warning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str rest = {(const char *)data, size};
    struct kube_warning w;
    size_t left = rest.len + 1;
    AUTO_ERR e = {0};

    while (rest.len && kube_warning_read(a, &rest, &w, &e)) {
        if (rest.len >= left || w.code < 0 || w.code > 999 ||
            utf8_find_invalid(w.text) != STR_NPOS || str_find_char(w.text, '\n') != STR_NPOS)
            abort();
        left = rest.len;
    }
    return 0;
}
