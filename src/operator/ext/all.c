/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.c - the kinds with hooks, in alphabetical order.
 *
 * To add one: first look whether a rule can say it (api/rules, docs/rules.md). If not, write
 * <group>_<kind>.c with one struct azure_ext, declare it in ext_all.h, add a line here and cases to
 * tests/unit/operator/test_ext_hooks.c.
 */
#include "operator/ext/ext_all.h"

#include <stddef.h>

const struct azure_ext *const azure_exts[] = {
    &ext_authorization_role_assignment,
    &ext_dataprotection_backup_instance,
    &ext_keyvault_vault,
    NULL,
};
