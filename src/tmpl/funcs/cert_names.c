/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cert_names.c - the alternative names of a certificate: DNS names and IP addresses; see
 * cert_job.h.
 */
#include "tmpl/funcs/cert_job.h"

#include <arpa/inet.h>

static bool add_alt(struct cert_job *j, int type, int string_type, const void *bytes, size_t len)
{
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *string = ASN1_STRING_type_new(string_type);

    if (!j->alt)
        j->alt = GENERAL_NAMES_new();
    if (!name || !string || !j->alt || !ASN1_STRING_set(string, bytes, (int)len)) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(string);
        return call_fail(j->call, "out of memory");
    }
    GENERAL_NAME_set0_value(name, type, string);
    sk_GENERAL_NAME_push(j->alt, name);
    return true;
}

static bool is_ascii(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] > 0x7f)
            return false;
    return true;
}

/* Upstream: names are looked at in CreateCertificate, so its words come before. */
static bool add_dns(struct cert_job *j, str name)
{
    struct buf quoted = buf_new(j->arena, BUF_UNLIMITED);

    if (is_ascii(name))
        return add_alt(j, GEN_DNS, V_ASN1_IA5STRING, name.ptr, name.len);
    go_quote(&quoted, name);
    return call_fail(j->call,
                     "error creating certificate: x509: %.*s cannot be encoded as an IA5String",
                     STR_ARG(buf_str(&quoted)));
}

/* An address of IPv4, also when it is written as one of IPv6, has four bytes. */
static bool add_ip(struct cert_job *j, str text)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    unsigned char ip[16];
    const char *z = str_z(j->arena, text);
    bool whole = strlen(z) == text.len;

    if (whole && inet_pton(AF_INET, z, ip) == 1)
        return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip, 4);
    if (!whole || inet_pton(AF_INET6, z, ip) != 1)
        return call_fail(j->call, "error parsing ip: %.*s", STR_ARG(text));
    if (memcmp(ip, mapped, sizeof(mapped)) == 0)
        return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip + 12, 4);
    return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip, 16);
}

/* The texts of a list. what begins the error about an element of another type. */
static bool texts_of(struct tmpl_call *c, struct tv list, const char *what, str **out)
{
    size_t count = tv_len(c->rt, list);

    *out = ARENA_ARRAY(c->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        struct tv item = tv_concrete(tv_at(c->rt, list, i));
        if (item.type != TV_STRING)
            return call_fail(
                c, "%s: %.*s is not a string", what,
                STR_ARG(item.type == TV_INVALID ? STR("<nil>") : tv_to_str(c->rt, item)));
        (*out)[i] = tv_text(item);
    }
    return true;
}

/* IP addresses are checked before names, but names come first in the certificate. */
bool cert_add_names(struct cert_job *j, struct tv ips, struct tv names)
{
    struct tmpl_call *c = j->call;
    size_t ip_count = tv_len(c->rt, ips), name_count = tv_len(c->rt, names);
    GENERAL_NAMES *addresses;
    str *texts;

    if (!texts_of(c, ips, "error parsing ip", &texts))
        return false;
    for (size_t i = 0; i < ip_count; i++)
        if (!add_ip(j, texts[i]))
            return false;
    if (!texts_of(c, names, "error processing alternate dns name", &texts))
        return false;
    addresses = j->alt;
    j->alt = NULL;
    for (size_t i = 0; i < name_count; i++) {
        if (!add_dns(j, texts[i])) {
            GENERAL_NAMES_free(addresses);
            return false;
        }
    }
    if (!j->alt)
        j->alt = addresses;
    else if (addresses) {
        for (int i = 0; i < sk_GENERAL_NAME_num(addresses); i++)
            sk_GENERAL_NAME_push(j->alt, sk_GENERAL_NAME_value(addresses, i));
        sk_GENERAL_NAME_free(addresses);
    }
    return true;
}
