/* SPDX-License-Identifier: Apache-2.0 */
/* kube.c - kubectl's connection flags; see kube.h. */
#include "cli/options/kube.h"
#include "cli/commands.h"

#define AT(member) offsetof(struct kube_values, member)

const struct option kube_options[] = {
    {"as", 0, OPTION_STRING, AT(as),
     .help = "Username to impersonate for the operation. User could be a regular user or a service "
             "account in a namespace."},
    {"as-group", 0, OPTION_ARRAY, AT(as_group),
     .help =
         "Group to impersonate for the operation, this flag can be repeated to specify multiple "
         "groups."},
    {"as-uid", 0, OPTION_STRING, AT(as_uid), .help = "UID to impersonate for the operation."},
    {"as-user-extra", 0, OPTION_ARRAY, AT(as_user_extra),
     .help = "User extras to impersonate for the operation, this flag can be repeated to specify "
             "multiple values for the same key."},
    {"cache-dir", 0, OPTION_STRING, AT(cache_dir),
     .help = "Accepted for compatibility; nothing is cached on disk", .complete = COMPLETE_FOLDERS},
    {"certificate-authority", 0, OPTION_STRING, AT(certificate_authority),
     .help = "Path to a cert file for the certificate authority", .complete = COMPLETE_FILES},
    {"client-certificate", 0, OPTION_STRING, AT(client_certificate),
     .help = "Path to a client certificate file for TLS", .complete = COMPLETE_FILES},
    {"client-key", 0, OPTION_STRING, AT(client_key), .help = "Path to a client key file for TLS",
     .complete = COMPLETE_FILES},
    {"cluster", 0, OPTION_STRING, AT(cluster), .help = "The name of the kubeconfig cluster to use"},
    {"context", 0, OPTION_STRING, AT(context), .help = "The name of the kubeconfig context to use"},
    {"disable-compression", 0, OPTION_BOOL, AT(disable_compression),
     .help = "If true, opt-out of response compression for all requests to the server"},
    {"insecure-skip-tls-verify", 0, OPTION_BOOL, AT(insecure_skip_tls_verify),
     .help = "If true, the server's certificate will not be checked for validity. This will make "
             "your HTTPS connections insecure"},
    {"kubeconfig", 0, OPTION_STRING, AT(kubeconfig),
     .help = "Path to the kubeconfig file to use for CLI requests.", .complete = COMPLETE_FILES},
    {"namespace", 'n', OPTION_STRING, AT(namespace),
     .help = "If present, the namespace scope for this CLI request"},
    {"password", 0, OPTION_STRING, AT(password),
     .help = "Password for basic authentication to the API server"},
    {"request-timeout", 0, OPTION_STRING, AT(request_timeout), .value = "0",
     .help = "The length of time to wait before giving up on a single server request. Non-zero "
             "values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero "
             "means don't timeout requests."},
    {"server", 's', OPTION_STRING, AT(server),
     .help = "The address and port of the Kubernetes API server"},
    {"tls-server-name", 0, OPTION_STRING, AT(tls_server_name),
     .help = "Server name to use for server certificate validation. If it is not provided, the "
             "hostname used to contact the server is used"},
    {"token", 0, OPTION_STRING, AT(token),
     .help = "Bearer token for authentication to the API server"},
    {"user", 0, OPTION_STRING, AT(user), .help = "The name of the kubeconfig user to use"},
    {"username", 0, OPTION_STRING, AT(username),
     .help = "Username for basic authentication to the API server"},
};
const size_t kube_option_count = COUNT(kube_options);

static struct kube_list list_of(const struct option_list *from)
{
    return (struct kube_list){from->items, from->len, from->cap};
}

void kube_show_warning(void *ctx, str text)
{
    (void)ctx;
    message_hint("Warning: %.*s", STR_ARG(text));
}

struct kube_flags kube_values_flags(const struct options *o, const struct kube_values *v)
{
    return (struct kube_flags){
        .kubeconfig = v->kubeconfig,
        .context = v->context,
        .cluster = v->cluster,
        .user = v->user,
        .namespace = v->namespace,
        .server = v->server,
        .tls_server_name = v->tls_server_name,
        .certificate_authority = v->certificate_authority,
        .insecure_skip_tls_verify = v->insecure_skip_tls_verify,
        .insecure_given = options_given(o, STR("insecure-skip-tls-verify")),
        .client_certificate = v->client_certificate,
        .client_key = v->client_key,
        .token = v->token,
        .username = v->username,
        .password = v->password,
        .as = v->as,
        .as_uid = v->as_uid,
        .as_groups = list_of(&v->as_group),
        .as_user_extra = list_of(&v->as_user_extra),
        .request_timeout = v->request_timeout,
        .disable_compression = v->disable_compression,
        .cache_dir = v->cache_dir,
        .warn = {.tell = kube_show_warning},
    };
}
