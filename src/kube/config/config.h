/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - which cluster to use, and as which user: kubeconfig files as kubectl reads them.
 *
 *     struct kube_flags flags = {.context = STR("prod")};
 *     struct kube_config *config;
 *     if (!kube_config_load(a, &flags, &config, e))
 *         return false;
 *
 * It comes from the same places as in client-go: only the file of --kubeconfig, if given; else the
 * files of KUBECONFIG, merged (for each name the first file that has it wins; missing files are
 * skipped); else ~/.kube/config. Flags override all of these. If none of them names a server, the
 * service account of the pod we run in is used. If there is none, loading fails with ERR_NOT_FOUND.
 *
 * Messages are those of client-go where it has one. A configuration never changes once loaded and
 * may be read from any thread; it lives as long as a, which should be wiped when freed
 * (arena_new_secret) because keys and tokens are in it. transport.h makes requests with it.
 */
#pragma once

#include "net/http/http.h"
#include "value/source.h"

/*
 * Receives the server's warnings ("Warning" headers with code 299, as for deprecated APIs). tell is
 * called from any thread that makes requests, one call at a time; text is valid during it.
 */
struct kube_warn {
    void (*tell)(void *ctx, str text); /* NULL: ignored */
    void *ctx;
    bool repeat; /* report every time; else each text once, and at most KUBE_WARNINGS_MAX of them */
};
#define KUBE_WARNINGS_MAX 1000

/*
 * kubectl's connection flags; empty means not given. File names are relative to the current folder.
 */
struct kube_flags {
    str kubeconfig, context, cluster, user, namespace;
    str server, tls_server_name, certificate_authority;
    bool insecure_skip_tls_verify;
    bool insecure_given; /* the flag was given, even as =false */
    str client_certificate, client_key, token, username, password;
    str as, as_uid;
    struct str_list as_groups;
    struct str_list as_user_extra; /* key=value */
    str request_timeout;           /* "30s", "5" (seconds), "0": none */
    bool disable_compression;
    str cache_dir; /* accepted; nothing is cached on disk */
    /* The folder of a pod's credentials; empty: /var/run/secrets/kubernetes.io/serviceaccount. */
    str service_account;
    struct kube_warn warn;
    /*
     * Behave like programs built with client-go: configuration errors in one line, credential
     * errors that name their request, discovery that does not read a Status, lists that may be
     * anything. Otherwise errors are worded as in kubectl, and responses are checked strictly.
     */
    bool client_go;
};

/* How to run a credential plugin; see kubeconfig's users[].user.exec. */
struct kube_exec {
    str command; /* as it will be run: relative paths have been resolved */
    struct str_list args;
    struct http_header *env; /* name and value, in addition to our own environment */
    size_t env_count;
    str api_version; /* client.authentication.k8s.io/v1 or v1beta1 */
    str install_hint;
    bool provide_cluster_info;
    const struct value *cluster_config; /* the cluster's extension for plugins, or NULL */
    int64_t patience; /* nanoseconds it may take without a terminal; 0: five minutes */
    enum kube_interactive {
        KUBE_INTERACTIVE_IF_AVAILABLE,
        KUBE_INTERACTIVE_NEVER,
        KUBE_INTERACTIVE_ALWAYS
    } interactive;
};

struct kube_extra {
    str key;
    struct str_list values;
};

struct kube_config {
    str server;    /* "https://10.0.0.1:6443", maybe with a path, without a slash at the end */
    str namespace; /* never empty: "default" when nothing says otherwise */
    bool namespace_given;
    str context, cluster, user; /* the names that were selected; empty when there are none */
    bool in_cluster;
    struct http_config http; /* TLS, proxy, timeouts: what http_client_new takes */

    /* The credentials, at most one of these, in client-go's order of precedence. */
    str token;
    str token_file; /* read again every minute; wins over token */
    str username, password;
    bool basic;
    const struct kube_exec *exec; /* NULL: none */

    str as, as_uid;
    struct str_list as_groups;
    struct kube_extra *as_extra;
    size_t as_extra_count;
    struct kube_warn warn;
    bool client_go; /* as in the flags */
};

MUST_CHECK bool kube_config_load(struct arena *a, const struct kube_flags *flags,
                                 struct kube_config **out, struct err *e);

/* The names of all contexts, sorted. */
MUST_CHECK bool kube_config_contexts(struct arena *a, const struct kube_flags *flags,
                                     struct str_list *out, struct err *e);

/* kubectl's --request-timeout: "0" none, a number of seconds, or a duration of Go. */
MUST_CHECK bool kube_timeout_parse(str text, int64_t *ns, struct err *e);
