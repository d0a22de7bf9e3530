/* SPDX-License-Identifier: Apache-2.0 */
/* ext_all.h - one line for each kind with code of its own. */
#pragma once

#include "operator/ext.h"

extern const struct azure_ext ext_authorization_role_assignment;
extern const struct azure_ext ext_dataprotection_backup_instance;
extern const struct azure_ext ext_keyvault_vault;
