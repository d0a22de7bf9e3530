/* SPDX-License-Identifier: Apache-2.0 */
/* model_internal.h - the subcommands of plumb model that have their own files. */
#pragma once

#include "cli/commands.h"

/*
 * Prints the tree of a kind: properties, types, paths in ARM, roles. c->args[0] is the kind, as for
 * kind_list_find. folder has the model files; empty: the built-in ones.
 */
MUST_CHECK bool cmd_model_show(struct call *c, str folder, bool status, struct err *e);
