/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder: archive.c reads archives, name.c recognizes them
 * by name and magic bytes.
 */
#pragma once

#include "archive/archive.h"

/* Whether the name is that of a single document that was compressed; *inner is without the suffix.
 */
bool pack_is_single(str name, str *inner);
/* Whether the name is that of an archive, or of a compressed document. */
bool pack_is_name(str name);
/* By the first bytes. */
bool pack_is_compressed(str start);
bool pack_is_zip(str start);
/* Why a member of that name is not read; empty when nothing speaks against it. */
str pack_name_fault(str name);
