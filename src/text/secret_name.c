/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_name.c - names of secret values; see secret_name.h.
 *
 * To add a name: put its ending in secret_endings[], as lowercase letters and digits only.
 */
#include "text/secret_name.h"

static const char *const secret_endings[] = {
    "accesskey",  "accountkey",  "apikey",    "assertion",  "clientkeydata", "connectionstring",
    "credential", "credentials", "masterkey", "passphrase", "passwd",        "password",
    "primarykey", "privatekey",  "pwd",       "sastoken",   "secret",        "secondarykey",
    "secretkey",  "secretvalue", "sharedkey", "signature",  "token",
};

/* Names with such an ending that are not secret: continuation tokens of paged lists. */
static const char *const harmless_names[] = {"continuationtoken", "nextpagetoken", "pagetoken",
                                             "skiptoken"};

/* Only the letters and digits, in lowercase: client_secret and clientSecret are the same. */
static str plain_text(str text, char *room)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            room[n++] = c;
    }
    return str_of(room, n);
}

static bool is_harmless(str plain)
{
    for (size_t i = 0; i < COUNT(harmless_names); i++)
        if (str_eq(plain, str_c(harmless_names[i])))
            return true;
    return false;
}

/* DB_PASS, dbPass: a word of its own, unlike in "bypass". Alone it often means something else. */
static bool ends_with_pass(str name)
{
    str end = str_from(name, name.len < 5 ? name.len : name.len - 4);
    char before = end.len ? name.ptr[name.len - 5] : '\0', letter = (char)(before | 0x20);

    return str_eq_fold(end, STR("pass")) &&
           (letter < 'a' || letter > 'z' || (before >= 'a' && end.ptr[0] == 'P'));
}

bool secret_name_is(str name)
{
    char room[64];
    str end = name.len > sizeof(room) ? str_from(name, name.len - sizeof(room)) : name;
    str plain = plain_text(end, room);

    if (is_harmless(plain))
        return false;
    if (ends_with_pass(name))
        return true;
    /* There may be several: DB_PASSWORD_2. */
    while (plain.len && plain.ptr[plain.len - 1] >= '0' && plain.ptr[plain.len - 1] <= '9')
        plain.len--;
    for (size_t i = 0; i < COUNT(secret_endings); i++)
        if (str_has_suffix(plain, str_c(secret_endings[i])))
            return true;
    return false;
}

bool secret_name_is_in(struct arena *a, str text)
{
    str plain = plain_text(text, arena_alloc_raw(a, text.len + 1));

    for (size_t i = 0; i < COUNT(secret_endings); i++)
        if (str_contains(plain, str_c(secret_endings[i])))
            return true;
    return str_contains(plain, STR("bearer"));
}
