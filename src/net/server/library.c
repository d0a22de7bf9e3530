/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - libmicrohttpd and GnuTLS, loaded with the first server.
 *
 * Most runs of the program have no server, and the two pull in ten other libraries. The functions
 * here have the libraries' own names; none may be called before server_library_load. GnuTLS is the
 * one that libmicrohttpd uses: a library is not loaded twice.
 *
 * To use another of their functions: add its name to a list and a function below.
 */
/* Must precede our headers, which poison names that these use. */
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdarg.h>

#include "net/server/internal.h"

#define MHD_FUNCTIONS(X)                                                                           \
    X(MHD_add_response_header)                                                                     \
    X(MHD_create_response_from_buffer)                                                             \
    X(MHD_create_response_from_callback)                                                           \
    X(MHD_destroy_response)                                                                        \
    X(MHD_get_connection_info)                                                                     \
    X(MHD_get_connection_values)                                                                   \
    X(MHD_get_daemon_info)                                                                         \
    X(MHD_queue_response)                                                                          \
    X(MHD_resume_connection)                                                                       \
    X(MHD_start_daemon_va)                                                                         \
    X(MHD_stop_daemon)                                                                             \
    X(MHD_suspend_connection)

#define GNUTLS_FUNCTIONS(X)                                                                        \
    X(gnutls_certificate_get_peers)                                                                \
    X(gnutls_pcert_deinit)                                                                         \
    X(gnutls_pcert_list_import_x509_raw)                                                           \
    X(gnutls_privkey_deinit)                                                                       \
    X(gnutls_privkey_import_x509_raw)                                                              \
    X(gnutls_privkey_init)                                                                         \
    X(gnutls_session_get_ptr)                                                                      \
    X(gnutls_x509_crt_deinit)                                                                      \
    X(gnutls_x509_crt_get_dn_by_oid)                                                               \
    X(gnutls_x509_crt_import)                                                                      \
    X(gnutls_x509_crt_init)                                                                        \
    X(gnutls_x509_trust_list_add_trust_mem)                                                        \
    X(gnutls_x509_trust_list_deinit)                                                               \
    X(gnutls_x509_trust_list_init)                                                                 \
    X(gnutls_x509_trust_list_verify_crt2)

static struct {
#define X(name) __typeof__ (&(name))(name);
    MHD_FUNCTIONS(X)
#undef X
} mhd;

static const char *const mhd_names[] = {
#define X(name) #name,
    MHD_FUNCTIONS(X)
#undef X
};

static struct library mhd_library = {
    .name = &library_microhttpd, .names = mhd_names, .count = COUNT(mhd_names), .lock = LOCK_INIT};

static struct {
#define X(name) __typeof__ (&(name))(name);
    GNUTLS_FUNCTIONS(X)
#undef X
} gnutls;

static const char *const gnutls_names[] = {
#define X(name) #name,
    GNUTLS_FUNCTIONS(X)
#undef X
};

static struct library gnutls_library = {.name = &library_gnutls,
                                        .names = gnutls_names,
                                        .count = COUNT(gnutls_names),
                                        .lock = LOCK_INIT};

bool server_library_load(struct err *e)
{
    _Static_assert(sizeof(mhd) == COUNT(mhd_names) * sizeof(void *), "a pointer per function");
    _Static_assert(sizeof(gnutls) == COUNT(gnutls_names) * sizeof(void *),
                   "a pointer per function");
    return library_load(&mhd_library, &mhd, e) && library_load(&gnutls_library, &gnutls, e);
}

/* ---- libmicrohttpd. ---- */

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept,
                                    void *accept_ctx, MHD_AccessHandlerCallback access, void *ctx,
                                    ...)
{
    va_list options;

    va_start(options, ctx);
    struct MHD_Daemon *daemon =
        mhd.MHD_start_daemon_va(flags, port, accept, accept_ctx, access, ctx, options);
    va_end(options);
    return daemon;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *name,
                                        const char *value)
{
    return mhd.MHD_add_response_header(response, name, value);
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *bytes,
                                                     enum MHD_ResponseMemoryMode mode)
{
    return mhd.MHD_create_response_from_buffer(size, bytes, mode);
}

struct MHD_Response *MHD_create_response_from_callback(uint64_t size, size_t block,
                                                       MHD_ContentReaderCallback read, void *ctx,
                                                       MHD_ContentReaderFreeCallback done)
{
    return mhd.MHD_create_response_from_callback(size, block, read, ctx, done);
}

void MHD_destroy_response(struct MHD_Response *response)
{
    mhd.MHD_destroy_response(response);
}

/* Nothing that we query takes further arguments. */
const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
                                                        enum MHD_ConnectionInfoType type, ...)
{
    return mhd.MHD_get_connection_info(connection, type);
}

int MHD_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                              MHD_KeyValueIterator each, void *ctx)
{
    return mhd.MHD_get_connection_values(connection, kind, each, ctx);
}

/* Nothing that we query takes further arguments. */
const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon,
                                                enum MHD_DaemonInfoType type, ...)
{
    return mhd.MHD_get_daemon_info(daemon, type);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *response)
{
    return mhd.MHD_queue_response(connection, status, response);
}

void MHD_resume_connection(struct MHD_Connection *connection)
{
    mhd.MHD_resume_connection(connection);
}

void MHD_stop_daemon(struct MHD_Daemon *daemon)
{
    mhd.MHD_stop_daemon(daemon);
}

void MHD_suspend_connection(struct MHD_Connection *connection)
{
    mhd.MHD_suspend_connection(connection);
}

/* ---- GnuTLS. ---- */

const gnutls_datum_t *gnutls_certificate_get_peers(gnutls_session_t session, unsigned *list_size)
{
    return gnutls.gnutls_certificate_get_peers(session, list_size);
}

void gnutls_pcert_deinit(gnutls_pcert_st *cert)
{
    gnutls.gnutls_pcert_deinit(cert);
}

int gnutls_pcert_list_import_x509_raw(gnutls_pcert_st *pcerts, unsigned *pcert_max,
                                      const gnutls_datum_t *data, gnutls_x509_crt_fmt_t format,
                                      unsigned flags)
{
    return gnutls.gnutls_pcert_list_import_x509_raw(pcerts, pcert_max, data, format, flags);
}

void gnutls_privkey_deinit(gnutls_privkey_t key)
{
    gnutls.gnutls_privkey_deinit(key);
}

int gnutls_privkey_import_x509_raw(gnutls_privkey_t pkey, const gnutls_datum_t *data,
                                   gnutls_x509_crt_fmt_t format, const char *password,
                                   unsigned flags)
{
    return gnutls.gnutls_privkey_import_x509_raw(pkey, data, format, password, flags);
}

int gnutls_privkey_init(gnutls_privkey_t *key)
{
    return gnutls.gnutls_privkey_init(key);
}

void *gnutls_session_get_ptr(gnutls_session_t session)
{
    return gnutls.gnutls_session_get_ptr(session);
}

void gnutls_x509_crt_deinit(gnutls_x509_crt_t cert)
{
    gnutls.gnutls_x509_crt_deinit(cert);
}

int gnutls_x509_crt_get_dn_by_oid(gnutls_x509_crt_t cert, const char *oid, unsigned indx,
                                  unsigned raw_flag, void *buf, size_t *buf_size)
{
    return gnutls.gnutls_x509_crt_get_dn_by_oid(cert, oid, indx, raw_flag, buf, buf_size);
}

int gnutls_x509_crt_import(gnutls_x509_crt_t cert, const gnutls_datum_t *data,
                           gnutls_x509_crt_fmt_t format)
{
    return gnutls.gnutls_x509_crt_import(cert, data, format);
}

int gnutls_x509_crt_init(gnutls_x509_crt_t *cert)
{
    return gnutls.gnutls_x509_crt_init(cert);
}

int gnutls_x509_trust_list_add_trust_mem(gnutls_x509_trust_list_t list, const gnutls_datum_t *cas,
                                         const gnutls_datum_t *crls, gnutls_x509_crt_fmt_t type,
                                         unsigned tl_flags, unsigned tl_vflags)
{
    return gnutls.gnutls_x509_trust_list_add_trust_mem(list, cas, crls, type, tl_flags, tl_vflags);
}

void gnutls_x509_trust_list_deinit(gnutls_x509_trust_list_t list, unsigned all)
{
    gnutls.gnutls_x509_trust_list_deinit(list, all);
}

int gnutls_x509_trust_list_init(gnutls_x509_trust_list_t *list, unsigned size)
{
    return gnutls.gnutls_x509_trust_list_init(list, size);
}

int gnutls_x509_trust_list_verify_crt2(gnutls_x509_trust_list_t list, gnutls_x509_crt_t *cert_list,
                                       unsigned cert_list_size, gnutls_typed_vdata_st *data,
                                       unsigned elements, unsigned flags, unsigned *voutput,
                                       gnutls_verify_output_function func)
{
    return gnutls.gnutls_x509_trust_list_verify_crt2(list, cert_list, cert_list_size, data,
                                                     elements, flags, voutput, func);
}
