/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warning.c - reads the entries of "Warning" headers, as strictly as client-go: three digits, one
 * blank between the parts, and complete, printable text.
 */
#include "kube/warning.h"

static bool fail(const char *what, struct err *e)
{
    return err_set(e, ERR_INVALID, "a \"Warning\" header of the server %s", what);
}

static bool read_code(str text, int *out)
{
    *out = 0;
    if (text.len != 3)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        *out = *out * 10 + (text.ptr[i] - '0');
    }
    return true;
}

/* A quoted string, in which a backslash escapes the next character. */
static bool read_quoted(struct arena *a, str *rest, str *out, struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);
    size_t i = 1;

    if (!str_has_prefix(*rest, STR("\"")))
        return fail("has a text without quotes", e);
    for (; i < rest->len && rest->ptr[i] != '"'; i++) {
        i += rest->ptr[i] == '\\' && i + 1 < rest->len;
        if ((unsigned char)rest->ptr[i] < ' ' || rest->ptr[i] == 0x7F)
            return fail("has control characters", e);
        buf_char(&text, rest->ptr[i]);
    }
    if (i >= rest->len)
        return fail("has a text without an end", e);
    *rest = str_trim(str_from(*rest, i + 1));
    *out = buf_str(&text);
    return true;
}

bool kube_warning_read(struct arena *a, str *rest, struct kube_warning *out, struct err *e)
{
    str code, after, date;

    *rest = str_trim(*rest);
    if (!str_cut(*rest, STR(" "), &code, &after) || !read_code(code, &out->code))
        return fail("does not begin with a code", e);
    if (!str_cut(after, STR(" "), &out->agent, rest) || !out->agent.len)
        return fail("names no agent", e);
    if (!read_quoted(a, rest, &out->text, e) ||
        (str_has_prefix(*rest, STR("\"")) && !read_quoted(a, rest, &date, e)))
        return false;
    if (utf8_find_invalid(out->text) != STR_NPOS)
        return fail("is not UTF-8", e);
    if (rest->len && !str_has_prefix(*rest, STR(",")))
        return fail("has something behind its text", e);
    *rest = str_trim(str_from(*rest, 1));
    return true;
}
