/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - the vocabulary of the whole program.
 *
 * Every other folder includes this header. It collects the following; read them in this order,
 * which takes ten minutes:
 *
 *   arena.h   memory that belongs to a lifetime
 *   str.h     text as pointer and length
 *   utf8.h    code points
 *   buf.h     text that grows, up to a maximum
 *   vec.h     arrays that grow
 *   map.h     text to pointer, in insertion order
 *   strset.h  which texts have been seen
 *   block.h   memory with a lifetime of its own, for the few places that need it
 *   table.h   a hash table of individually allocated entries
 *   csv.h     records of comma-separated values
 *   err.h     how a function fails, and how the message gathers context
 *   fault.h   how tests make input and output fail
 *   file.h    reading files with limits
 *   clock.h   time and randomness, replaceable in tests
 *   log.h     levelled, structured log
 *   lock.h    mutual exclusion for the few places that share mutable state
 *   library.h shared libraries that are loaded when first needed
 *   pool.h    threads with ordered results
 *
 * Nothing here knows about Kubernetes, YAML or Azure.
 */
#pragma once

#include "base/attr.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/buf.h"
#include "base/vec.h"
#include "base/map.h"
#include "base/strset.h"
#include "base/block.h"
#include "base/table.h"
#include "base/csv.h"
#include "base/err.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/lock.h"
#include "base/library.h"
#include "base/pool.h"
