/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster.c - the service account of the pod we run in; see config.h. */
#include "kube/config/config_internal.h"

#define USUAL_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

static str file_of(struct arena *a, const struct kube_flags *flags, const char *name)
{
    str folder = flags->service_account.len ? flags->service_account : STR(USUAL_FOLDER);

    return file_join(a, folder, str_c(name));
}

bool kube_in_cluster(struct arena *a, const struct kube_flags *flags)
{
    str host = str_c(getenv("KUBERNETES_SERVICE_HOST"));
    str port = str_c(getenv("KUBERNETES_SERVICE_PORT"));

    return host.len && port.len && file_kind(file_of(a, flags, "token")) == FILE_REGULAR;
}

str kube_in_cluster_namespace(struct arena *a, const struct kube_flags *flags)
{
    str text = str_c(getenv("POD_NAMESPACE"));

    if (text.len || !file_read_max(a, file_of(a, flags, "namespace"), KIB, &text, NULL))
        return text;
    return str_trim(text);
}

bool kube_in_cluster_config(struct arena *a, const struct kube_flags *flags, struct kube_config *c,
                            struct err *e)
{
    str host = str_c(getenv("KUBERNETES_SERVICE_HOST"));
    str port = str_c(getenv("KUBERNETES_SERVICE_PORT"));
    bool is_v6 = str_find_char(host, ':') != STR_NPOS;

    c->server = str_fmt(a, "https://%s%.*s%s:%.*s", is_v6 ? "[" : "", STR_ARG(host),
                        is_v6 ? "]" : "", STR_ARG(port));
    c->token_file = file_of(a, flags, "token");
    c->in_cluster = true;
    /* Without a CA of its own, the pod trusts the system's CAs, as in client-go. */
    struct http_pem *ca = &c->http.tls.ca;
    *ca = (struct http_pem){.file = file_of(a, flags, "ca.crt")};
    if (!file_read_max(a, ca->file, KUBE_FILE_MAX, &ca->text, NULL) || !ca->text.len)
        *ca = (struct http_pem){0};
    if (flags->token.len) {
        c->token = flags->token;
        c->token_file = STR_NONE;
    }
    return file_read_max(a, c->token_file.len ? c->token_file : file_of(a, flags, "token"),
                         KUBE_FILE_MAX, &(str){0}, e);
}
