/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cert_job.h - makes one certificate, in one call from a template.
 *
 *     struct cert_job j = {.call = c, .arena = c->arena, .name = ..., .key = ..., ...};
 *     if (cert_add_names(&j, ips, names) && cert_issue(&j, &pem)) ...
 *
 * Failures have been reported to the call (call_fail) in Go's words. certs.c fills in jobs and
 * frees what they hold.
 */
#pragma once

#include "tmpl/funcs/crypto.h"

#include "tmpl/rt.h"

struct cert_job {
    struct tmpl_call *call;
    struct arena *arena;
    X509 *cert;         /* made by cert_issue */
    X509 *parent;       /* NULL: signed by its own key */
    EVP_PKEY *key;      /* of the certificate */
    EVP_PKEY *signer;   /* NULL: key */
    GENERAL_NAMES *alt; /* NULL: none */
    str name;
    int64_t days;
    bool authority;
};

/* cert_names.c: adds two lists of texts, IP addresses and DNS names, to the alternative names. */
MUST_CHECK bool cert_add_names(struct cert_job *j, struct tv ips, struct tv names);

/* cert_issue.c: makes and signs the certificate; *out is its PEM and lives as long as the arena. */
MUST_CHECK bool cert_issue(struct cert_job *j, str *out);
