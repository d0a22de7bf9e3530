/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_rules.h - the ConfigMap that rules of kinds come from (--rules configmap/NAME), followed.
 *
 *     if (live_rules_due(r, now)) read the ConfigMap, and live_rules_tell(r, http, body)
 *     if (live_rules_pending(r)) { end the operator; rules = live_rules_take(r); begin anew }
 *
 * It is read again when a watch shows that it has changed, and once in a while for those who watch
 * other namespaces only. Rules that cannot be read leave those that are in force, with a warning;
 * so does a ConfigMap that is gone.
 *
 * Any thread may call live_rules_changed and live_rules_tell; the rest is the owner's.
 */
#pragma once

#include "arm/rules/kind.h"
#include "object/object.h"

/* How often it is read without news. */
#define LIVE_RULES_EVERY (60 * NS_PER_SEC)

struct live_rules;

/* version: the resourceVersion of the ConfigMap whose rules are in force. */
struct live_rules *live_rules_new(str namespace, str name, str version);
/* r may be NULL. */
void live_rules_free(struct live_rules *r);

/* An object has changed; true when it is the ConfigMap, which is due then. r may be NULL. */
bool live_rules_changed(struct live_rules *r, const struct object_key *key);
/* Whether it is to be read now, by clock_mono. Then it is not due again before it was told. */
bool live_rules_due(struct live_rules *r, int64_t now);
/* The answer to that; http 0: there is none. True when there are other rules now. */
bool live_rules_tell(struct live_rules *r, int http, str body);
/* Whether there are other rules than those in force. r may be NULL. */
bool live_rules_pending(struct live_rules *r);
/* Puts them in force. Those of before are freed: nobody may use them any more. */
const struct kind_set *live_rules_take(struct live_rules *r);
