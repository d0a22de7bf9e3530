/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_kubeconfig.c - any bytes as a kubeconfig, and as what a credential plugin prints.
 *
 * A kubeconfig is accepted or refused with a place; a credential has a token or a certificate with
 * its key.
 */
#include "kube/config/config_internal.h"
#include "kube/exec_internal.h"
#include "text/yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text = {(const char *)data, size};
    struct kube_credential c;
    struct source src;
    struct value *root;

    if (yaml_source(a, STR("k"), text, &src, NULL) && yaml_read(a, &src, NULL, &root, NULL) &&
        !kubeconfig_check(&src, root, &e) && !e.at.line)
        abort();
    if (kube_exec_parse(a, STR("client.authentication.k8s.io/v1"), text, &c, NULL) &&
        !c.token.len && !(c.cert.len && c.key.len))
        abort();
    return 0;
}
