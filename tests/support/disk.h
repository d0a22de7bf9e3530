/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - a disk in memory for SQLite, which can lose power, be full, or be read-only.
 *
 *     struct disk *disk = disk_new();
 *     config.vfs = disk_vfs(disk);
 *     ...
 *     disk_lose_power(disk);            everything since the last sync is forgotten
 *     db_close(d);                      what it still writes goes nowhere
 *     disk_return_power(disk);
 *
 * A file has what was written and what was synced; a loss of power takes the former back to the
 * latter. One thread at a time.
 */
#pragma once

#include "base/base.h"

struct disk;

struct disk *disk_new(void);
/* All databases on it must be closed. */
void disk_free(struct disk *d);
/* SQLite's name of this disk; valid until disk_free. */
const char *disk_vfs(const struct disk *d);

/* Everything fails from now on, or after so many more writes and syncs. */
void disk_lose_power(struct disk *d);
void disk_lose_power_after(struct disk *d, unsigned operations);
/* The files are what was synced; those that never were are gone. */
void disk_return_power(struct disk *d);
/* While full, a write that makes a file longer fails; while read-only, every write does. */
void disk_fill(struct disk *d, bool full);
void disk_protect(struct disk *d, bool read_only);
/* How often files were synced so far. */
uint64_t disk_syncs(const struct disk *d);
