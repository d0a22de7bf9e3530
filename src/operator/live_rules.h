/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_rules.h - watches the ConfigMap that rules of kinds come from (--rules configmap/NAME).
 *
 *     if (live_rules_due(r, now)) read the ConfigMap, and live_rules_tell(r, http, body)
 *     if (live_rules_pending(r)) { end the operator; rules = live_rules_take(r); start over }
 *
 * It is read again when a watch shows a change, and regularly for operators that watch only other
 * namespaces. If the rules cannot be read, or the ConfigMap is gone, a warning is logged and the
 * current rules stay in force.
 *
 * Any thread may call live_rules_changed and live_rules_tell; the rest is the owner's.
 */
#pragma once

#include "arm/rules/kind.h"
#include "object/object.h"

/* How often it is read without any news. */
#define LIVE_RULES_EVERY (60 * NS_PER_SEC)

struct live_rules;

/* version: the resourceVersion of the ConfigMap whose rules are in force. */
struct live_rules *live_rules_new(str namespace, str name, str version);
/* r may be NULL. */
void live_rules_free(struct live_rules *r);

/* An object has changed. True if it is the ConfigMap, which is then due. r may be NULL. */
bool live_rules_changed(struct live_rules *r, const struct object_key *key);
/*
 * Whether it is to be read now, by clock_mono. If so, it is not due again before live_rules_tell.
 */
bool live_rules_due(struct live_rules *r, int64_t now);
/* Delivers what was read; http 0: no answer. True if there are new rules. */
bool live_rules_tell(struct live_rules *r, int http, str body);
/* Whether there are newer rules than those in force. r may be NULL. */
bool live_rules_pending(struct live_rules *r);
/* Puts the new rules in force and frees the old ones, which must no longer be in use. */
const struct kind_set *live_rules_take(struct live_rules *r);
