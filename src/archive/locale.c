/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locale.c - the locale in which libarchive works; see internal.h.
 *
 * The library converts names from UTF-8 to the locale of the thread, and has none for a name that
 * does not fit. The program's own locale is always "C", which has ASCII only.
 */
/* Before our headers, which poison names that this uses. */
#include <locale.h>

#include "archive/internal.h"

struct pack_locale {
    locale_t utf8;   /* 0 if the system has no such locale: such names are errors then */
    locale_t before; /* of the thread, while inside */
};

struct pack_locale *pack_locale_new(struct arena *a)
{
    struct pack_locale *l = ARENA_NEW(a, struct pack_locale);

    l->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!l->utf8)
        l->utf8 = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    return l;
}

void pack_locale_enter(struct pack_locale *l)
{
    if (l->utf8)
        l->before = uselocale(l->utf8);
}

void pack_locale_leave(struct pack_locale *l)
{
    if (l->utf8)
        uselocale(l->before);
}

void pack_locale_free(struct pack_locale *l)
{
    if (l->utf8)
        freelocale(l->utf8);
    l->utf8 = (locale_t)0;
}
