/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube.h - kubectl's connection flags, for every command that talks to a cluster.
 *
 *     struct kube_values kube = {0};
 *     options_add(&o, kube_options, kube_option_count, &kube);
 *     ...
 *     struct kube_flags flags = kube_values_flags(&o, &kube);
 */
#pragma once

#include "cli/options/options.h"
#include "kube/config/config.h"

struct kube_values {
    str kubeconfig, context, cluster, user, namespace, server, token, username, password;
    str certificate_authority, client_certificate, client_key, tls_server_name;
    str as, as_uid, request_timeout, cache_dir;
    struct str_list as_group, as_user_extra;
    bool insecure_skip_tls_verify, disable_compression;
};

extern const struct option kube_options[];
extern const size_t kube_option_count;

/* Prints a warning of the server on standard error, as kubectl does; see struct kube_warn. */
void kube_show_warning(void *ctx, str text);

/* The options that were given, for kube_config_load. Lives as long as the values. */
struct kube_flags kube_values_flags(const struct options *o, const struct kube_values *v);
