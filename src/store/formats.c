/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formats.c - the formats of strings that Kubernetes checks in custom resources.
 *
 * To add one: a line in the table, either a pattern or a function. Formats that are not listed are
 * not checked, as in Kubernetes.
 */
#include "store/internal.h"

#include "go/time.h"
#include "regex/regex.h"
#include "text/codec.h"
#include "text/url.h"

#include <arpa/inet.h>

static bool is_date_time(str s)
{
    AUTO_ARENA a = arena_new();
    struct gotime t;

    return gotime_parse(a, STR(GOTIME_RFC3339), s, NULL, &t, NULL);
}

static bool is_date(str s)
{
    AUTO_ARENA a = arena_new();
    struct gotime t;

    return gotime_parse(a, STR("2006-01-02"), s, NULL, &t, NULL);
}

static bool is_byte(str s)
{
    AUTO_ARENA a = arena_new();
    size_t bad;
    str out;

    return base64_decode(a, s, &out, &bad);
}

static bool is_uri(str s)
{
    AUTO_ARENA a = arena_new();
    struct url u;

    return url_parse(a, s, &u, NULL) && (u.scheme.len || str_has_prefix(s, STR("/")));
}

static bool is_address(str s, int family)
{
    AUTO_ARENA a = arena_new();
    unsigned char out[16];

    return inet_pton(family, str_z(a, s), out) == 1;
}

static bool is_ipv4(str s)
{
    return is_address(s, AF_INET);
}

static bool is_ipv6(str s)
{
    return is_address(s, AF_INET6);
}

static bool is_cidr(str s)
{
    str address, bits;
    uint64_t n;

    if (!str_cut(s, STR("/"), &address, &bits) || !str_to_u64(bits, &n))
        return false;
    return is_ipv4(address) ? n <= 32 : is_ipv6(address) && n <= 128;
}

static bool is_duration(str s)
{
    int64_t ns;

    return duration_parse(s, &ns, NULL);
}

static const struct {
    const char *name;
    const char *pattern; /* or fits */
    bool (*fits)(str s);
} formats[] = {
    {"byte", NULL, is_byte},
    {"cidr", NULL, is_cidr},
    {"date", NULL, is_date},
    {"date-time", NULL, is_date_time},
    {"datetime", NULL, is_date_time},
    {"duration", NULL, is_duration},
    {"email", "^[^@\\s]+@[^@\\s]+$", NULL},
    {"hostname",
     "^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?)(\\.[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}"
     "[a-zA-Z0-9_])?)*\\.?$",
     NULL},
    {"ipv4", NULL, is_ipv4},
    {"ipv6", NULL, is_ipv6},
    {"mac", "^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", NULL},
    {"uri", NULL, is_uri},
    {"uuid", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$", NULL},
    {"uuid3", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?3[0-9A-F]{3}-?[0-9A-F]{4}-?[0-9A-F]{12}$", NULL},
    {"uuid4", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?4[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$",
     NULL},
    {"uuid5", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?5[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$",
     NULL},
};

bool store_format_fits(struct store *s, str format, str text)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (!str_eq(format, str_c(formats[i].name)))
            continue;
        if (formats[i].fits)
            return formats[i].fits(text);
        return regex_match(store_regex(s->regexes, str_c(formats[i].pattern)), text);
    }
    return true;
}
