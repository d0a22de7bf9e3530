/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - sorts objects so that each comes after those it needs.
 *
 * Owners come before what they own, what is referred to before what refers to it, and what exports
 * a Secret or ConfigMap before what reads it (azure/needs.h). References by id count too, even to
 * something inside the resource. Otherwise the given order is kept, even for objects in a
 * dependency cycle: those take several attempts in Azure. May be called from any thread.
 */
#pragma once

#include "azure/needs.h"

struct order_item {
    struct object_key key; /* an empty namespace is "default" */
    str id;                /* in Azure; empty if unknown */
    const struct needs *needs;
};

/* The indexes of the items in the new order. Lives as long as a. */
size_t *order_by_needs(struct arena *a, const struct order_item *items, size_t count);
