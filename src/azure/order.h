/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - sorts objects so that what is needed comes before what needs it.
 *
 * Owners come before what they own, what is referred to before what refers to it, and what exports
 * a Secret or ConfigMap before what reads it (azure/needs.h), also when it is
 * referred to by its id or by that of something inside it. Otherwise the given order is kept. So is
 * that of objects in a dependency cycle: those take several attempts in Azure. Any thread may call
 * this.
 */
#pragma once

#include "azure/needs.h"

struct order_item {
    struct object_key key; /* an empty namespace is "default" */
    str id;                /* in Azure; empty when it is not known */
    const struct needs *needs;
};

/* The indexes of the items in their order. Lives as long as a. */
size_t *order_by_needs(struct arena *a, const struct order_item *items, size_t count);
