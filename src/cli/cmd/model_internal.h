/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_internal.h - the words after plumb model that have a file of their own.
 */
#pragma once

#include "cli/commands.h"

/*
 * Prints the tree of a kind: properties, types, places in ARM, roles. c->args[0] is the kind as
 * kind_list_find takes it. folder: of model files, empty for those in the program.
 */
MUST_CHECK bool cmd_model_show(struct call *c, str folder, bool status, struct err *e);
