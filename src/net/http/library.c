/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - libcurl, loaded with the first client.
 *
 * It pulls in two dozen other libraries, such as Kerberos and LDAP, which took two thirds of the
 * startup time of a program that mostly reads files. The functions here have curl's own names, so
 * that its header still checks the types of options; none may be called before curl_load.
 *
 * To use another function of curl: add its name to CURL_FUNCTIONS and a function below.
 */
#include "net/http/http_internal.h"

#include <stdarg.h>

#define CURL_FUNCTIONS(X)                                                                          \
    X(curl_easy_cleanup)                                                                           \
    X(curl_easy_getinfo)                                                                           \
    X(curl_easy_init)                                                                              \
    X(curl_easy_setopt)                                                                            \
    X(curl_global_init)                                                                            \
    X(curl_multi_add_handle)                                                                       \
    X(curl_multi_cleanup)                                                                          \
    X(curl_multi_info_read)                                                                        \
    X(curl_multi_init)                                                                             \
    X(curl_multi_perform)                                                                          \
    X(curl_multi_poll)                                                                             \
    X(curl_multi_remove_handle)                                                                    \
    X(curl_multi_setopt)                                                                           \
    X(curl_multi_socket_action)

/* Variadic functions are macros, which a name without a parenthesis does not expand. */
static struct {
#define X(name) __typeof__ (&(name))(name);
    CURL_FUNCTIONS(X)
#undef X
} lib;

static const char *const names[] = {
#define X(name) #name,
    CURL_FUNCTIONS(X)
#undef X
};

static struct library library = {
    .name = &library_curl, .names = names, .count = COUNT(names), .lock = LOCK_INIT};

bool curl_load(struct err *e)
{
    _Static_assert(sizeof(lib) == COUNT(names) * sizeof(void *), "a pointer per function");
    return library_load(&library, &lib, e);
}

void(curl_easy_cleanup)(CURL *curl)
{
    (lib.curl_easy_cleanup)(curl);
}

/* All values are returned through a pointer. */
CURLcode(curl_easy_getinfo)(CURL *curl, CURLINFO info, ...)
{
    va_list ap;

    va_start(ap, info);
    void *out = va_arg(ap, void *);
    va_end(ap);
    return (lib.curl_easy_getinfo)(curl, info, out);
}

CURL *(curl_easy_init)(void)
{
    return (lib.curl_easy_init)();
}

/* The number of an option shows the type of its value. */
static bool is_number(int option)
{
    const int type = option / 10000 * 10000;

    _Static_assert(sizeof(curl_off_t) == sizeof(long), "numbers are passed alike");
    return type == CURLOPTTYPE_LONG || type == CURLOPTTYPE_OFF_T;
}

CURLcode(curl_easy_setopt)(CURL *curl, CURLoption option, ...)
{
    void *pointer = NULL;
    long number = 0;
    va_list ap;

    va_start(ap, option);
    if (is_number((int)option))
        number = va_arg(ap, long);
    else
        pointer = va_arg(ap, void *);
    va_end(ap);
    return is_number((int)option) ? (lib.curl_easy_setopt)(curl, option, number)
                                  : (lib.curl_easy_setopt)(curl, option, pointer);
}

CURLcode(curl_global_init)(long flags)
{
    return (lib.curl_global_init)(flags);
}

CURLMcode(curl_multi_add_handle)(CURLM *multi_handle, CURL *curl_handle)
{
    return (lib.curl_multi_add_handle)(multi_handle, curl_handle);
}

CURLMcode(curl_multi_cleanup)(CURLM *multi_handle)
{
    return (lib.curl_multi_cleanup)(multi_handle);
}

CURLMsg *(curl_multi_info_read)(CURLM *multi_handle, int *msgs_in_queue)
{
    return (lib.curl_multi_info_read)(multi_handle, msgs_in_queue);
}

CURLM *(curl_multi_init)(void)
{
    return (lib.curl_multi_init)();
}

CURLMcode(curl_multi_perform)(CURLM *multi_handle, int *running_handles)
{
    return (lib.curl_multi_perform)(multi_handle, running_handles);
}

CURLMcode(curl_multi_poll)(CURLM *multi_handle, struct curl_waitfd *extra_fds, unsigned extra_nfds,
                           int timeout_ms, int *ret)
{
    return (lib.curl_multi_poll)(multi_handle, extra_fds, extra_nfds, timeout_ms, ret);
}

CURLMcode(curl_multi_remove_handle)(CURLM *multi_handle, CURL *curl_handle)
{
    return (lib.curl_multi_remove_handle)(multi_handle, curl_handle);
}

CURLMcode(curl_multi_setopt)(CURLM *multi_handle, CURLMoption option, ...)
{
    void *pointer = NULL;
    long number = 0;
    va_list ap;

    va_start(ap, option);
    if (is_number((int)option))
        number = va_arg(ap, long);
    else
        pointer = va_arg(ap, void *);
    va_end(ap);
    return is_number((int)option) ? (lib.curl_multi_setopt)(multi_handle, option, number)
                                  : (lib.curl_multi_setopt)(multi_handle, option, pointer);
}

CURLMcode(curl_multi_socket_action)(CURLM *multi_handle, curl_socket_t s, int ev_bitmask,
                                    int *running_handles)
{
    return (lib.curl_multi_socket_action)(multi_handle, s, ev_bitmask, running_handles);
}
