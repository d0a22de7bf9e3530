/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - rewrites messages of the originals in plain words.
 *
 *     json: cannot unmarshal array into Go struct field ReferenceV1.parts of type compare.PartV1
 *     parts is a list, expected a mapping
 *
 * When plumb runs under the originals' names, every byte counts; under our own name, Go types and
 * the originals' slips help nobody. May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* The text itself when there is nothing to rewrite; else a new one in a. */
str go_plain(struct arena *a, str text);
