/* SPDX-License-Identifier: Apache-2.0 */
/* ext_all.h - declares the hooks of each kind that has any. */
#pragma once

#include "operator/ext.h"

extern const struct azure_ext ext_authorization_role_assignment;
extern const struct azure_ext ext_dataprotection_backup_instance;
extern const struct azure_ext ext_keyvault_vault;
