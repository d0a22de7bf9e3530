/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - an in-memory disk for SQLite that can lose power, be full, or be read-only.
 *
 *     struct disk *disk = disk_new();
 *     config.vfs = disk_vfs(disk);
 *     ...
 *     disk_lose_power(disk);            everything since the last sync is forgotten
 *     db_close(d);                      what it still writes is lost
 *     disk_return_power(disk);
 *
 * A file has its written and its synced content; a loss of power reverts the former to the latter.
 * One thread at a time.
 */
#pragma once

#include "base/base.h"

struct disk;

struct disk *disk_new(void);
/* All databases on it must be closed. */
void disk_free(struct disk *d);
/* SQLite's name for this disk; valid until disk_free. */
const char *disk_vfs(const struct disk *d);

/* Makes everything fail from now on, or after this many more writes and syncs. */
void disk_lose_power(struct disk *d);
void disk_lose_power_after(struct disk *d, unsigned operations);
/* Files have their synced content; those that were never synced are gone. */
void disk_return_power(struct disk *d);
/* While full, writes that extend a file fail; while read-only, all writes do. */
void disk_fill(struct disk *d, bool full);
void disk_protect(struct disk *d, bool read_only);
/* How often files have been synced. */
uint64_t disk_syncs(const struct disk *d);
