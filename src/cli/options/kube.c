/* SPDX-License-Identifier: Apache-2.0 */
/* kube.c - kubectl's connection flags; see kube.h. */
#include "cli/options/kube.h"
#include "cli/commands.h"

#define AT(member) offsetof(struct kube_values, member)

const struct option kube_options[] = {
    {"as", 0, OPTION_STRING, AT(as), .help = "Act as this `USER`, a person or a service account"},
    {"as-group", 0, OPTION_ARRAY, AT(as_group),
     .help = "Act as a member of this `GROUP`; may be given several times"},
    {"as-uid", 0, OPTION_STRING, AT(as_uid), .help = "Act under this `UID`"},
    {"as-user-extra", 0, OPTION_ARRAY, AT(as_user_extra),
     .help = "Act with this extra `KEY=VALUE`; may be given several times"},
    {"cache-dir", 0, OPTION_STRING, AT(cache_dir),
     .help = "Accepted for compatibility; nothing is cached on disk in `FOLDER`",
     .complete = COMPLETE_FOLDERS},
    {"certificate-authority", 0, OPTION_STRING, AT(certificate_authority),
     .help = "Trust servers whose certificate the authority of this `FILE` has signed",
     .complete = COMPLETE_FILES},
    {"client-certificate", 0, OPTION_STRING, AT(client_certificate),
     .help = "Present the certificate in this `FILE`", .complete = COMPLETE_FILES},
    {"client-key", 0, OPTION_STRING, AT(client_key),
     .help = "The key in this `FILE` belongs to the client certificate",
     .complete = COMPLETE_FILES},
    {"cluster", 0, OPTION_STRING, AT(cluster), .help = "Talk to this `CLUSTER` of the kubeconfig"},
    {"context", 0, OPTION_STRING, AT(context), .help = "Use this `CONTEXT` of the kubeconfig"},
    {"disable-compression", 0, OPTION_BOOL, AT(disable_compression),
     .help = "Ask the server not to compress its answers"},
    {"insecure-skip-tls-verify", 0, OPTION_BOOL, AT(insecure_skip_tls_verify),
     .help = "Do not check the server's certificate: the connection is not secure"},
    {"kubeconfig", 0, OPTION_STRING, AT(kubeconfig), .help = "Read this kubeconfig `FILE`",
     .complete = COMPLETE_FILES},
    {"namespace", 'n', OPTION_STRING, AT(namespace), .help = "Work in this `NAMESPACE`"},
    {"password", 0, OPTION_STRING, AT(password), .help = "The `PASSWORD` for basic authentication"},
    {"request-timeout", 0, OPTION_STRING, AT(request_timeout), .value = "0",
     .help = "Give up on a request after this `TIME`, such as 30s or 5m; 0 is never"},
    {"server", 's', OPTION_STRING, AT(server), .help = "The `ADDRESS` of the API server"},
    {"tls-server-name", 0, OPTION_STRING, AT(tls_server_name),
     .help = "The server's certificate is for this `NAME`, not for that of its address"},
    {"token", 0, OPTION_STRING, AT(token), .help = "The bearer `TOKEN` to present"},
    {"user", 0, OPTION_STRING, AT(user),
     .help = "Use the credentials of this `USER` of the kubeconfig"},
    {"username", 0, OPTION_STRING, AT(username), .help = "The `NAME` for basic authentication"},
};
const size_t kube_option_count = COUNT(kube_options);

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
        .as_groups = v->as_group,
        .as_user_extra = v->as_user_extra,
        .request_timeout = v->request_timeout,
        .disable_compression = v->disable_compression,
        .cache_dir = v->cache_dir,
        .warn = {.tell = kube_show_warning},
    };
}
