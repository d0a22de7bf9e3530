/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.h - messages that are worded as the originals word them, in plain words.
 *
 *     json: cannot unmarshal array into Go struct field ReferenceV1.parts of type compare.PartV1
 *     parts is a list, expected a mapping
 *
 * Under the originals' names every byte counts; under our own, the types of Go and the originals'
 * slips of the pen help nobody. May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* The text itself when there is nothing to put differently; else a new one in a. */
str go_plain(struct arena *a, str text);
