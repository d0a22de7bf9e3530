/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - checks names, labels and values like Kubernetes. */
#include "store/internal.h"

const char store_subdomain_rule[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const char store_label_rule[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_letter_or_digit(char c)
{
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/* Certain characters at both ends, and others in between. */
static bool is_made_of(str s, bool (*end)(char c), const char *between)
{
    if (!s.len || !end(s.ptr[0]) || !end(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!end(s.ptr[i]) && str_find_char(str_c(between), s.ptr[i]) == STR_NPOS)
            return false;
    return true;
}

bool store_is_label(str s)
{
    return s.len <= 63 && is_made_of(s, is_lower_or_digit, "-");
}

bool store_is_subdomain(str s)
{
    str rest = s, part;

    if (!s.len || s.len > 253)
        return false;
    for (bool more = true; more;) {
        more = str_cut(rest, STR("."), &part, &rest);
        if (!is_made_of(part, is_lower_or_digit, "-"))
            return false;
    }
    return true;
}

bool store_is_label_value(str s)
{
    return !s.len || (s.len <= 63 && is_made_of(s, is_letter_or_digit, "-_."));
}

bool store_is_qualified_name(str s)
{
    str prefix, name;

    if (str_cut(s, STR("/"), &prefix, &name)) {
        if (!store_is_subdomain(prefix))
            return false;
    } else {
        name = s;
    }
    return name.len && store_is_label_value(name);
}
