/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone.c - reads zone files and looks up what applies at a given time.
 *
 * A file holds the kinds of time a zone has had (offset, abbreviation), the times of the changes,
 * and a rule for the time after the last. Version 1 has 32 bits per time; later versions repeat
 * everything with 64 bits, which is what is read here.
 */
#include "go/zone_internal.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/map.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"
#define ZONE_FILE_MAX (1 * MIB)
/*
 * How many zones the process keeps. There are about 600; the limit stops odd spellings of their
 * names from filling memory.
 */
#define ZONES_KEPT 1024

struct zone_kind {
    int32_t offset;
    bool is_dst;
    str name;
};

struct zone {
    str name;
    bool is_fixed;
    struct zone_kind *kinds;
    size_t kind_count;
    int64_t *changes;      /* times, sorted */
    uint8_t *change_kinds; /* what begins there */
    size_t change_count;
    size_t first_kind; /* before the first change */
    bool has_rule;
    struct zone_rule rule; /* after the last change */
};

/* ---- Reading a file ---- */

enum {
    COUNT_UTC_FLAGS,
    COUNT_STD_FLAGS,
    COUNT_LEAPS,
    COUNT_CHANGES,
    COUNT_KINDS,
    COUNT_NAMES,
    COUNTS
};

struct reader {
    str rest;
    bool bad;
};

static str take(struct reader *r, size_t n)
{
    str s = str_slice(r->rest, 0, n);

    if (n > r->rest.len) {
        r->bad = true;
        return STR_NONE;
    }
    r->rest = str_from(r->rest, n);
    return s;
}

static uint64_t big_endian(str s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n = n << 8 | (uint8_t)s.ptr[i];
    return n;
}

/* Reads the header at the start of each half. False when it is not valid. */
static bool take_header(struct reader *r, char *version, size_t counts[COUNTS])
{
    bool is_magic = str_eq(take(r, 4), STR("TZif"));
    str rest = take(r, 16);

    if (!is_magic || r->bad)
        return false;
    *version = rest.ptr[0];
    for (int i = 0; i < COUNTS; i++)
        counts[i] = big_endian(take(r, 4));
    return !r->bad && (*version == 0 || *version == '2' || *version == '3');
}

static void skip_body(struct reader *r, const size_t counts[COUNTS], size_t width)
{
    take(r, counts[COUNT_CHANGES] * (width + 1) + counts[COUNT_KINDS] * 6 + counts[COUNT_NAMES] +
                counts[COUNT_LEAPS] * (width + 4) + counts[COUNT_STD_FLAGS] +
                counts[COUNT_UTC_FLAGS]);
}

static bool read_kinds(struct arena *a, struct zone *z, str data, str names)
{
    z->kinds = ARENA_ARRAY(a, struct zone_kind, z->kind_count);
    for (size_t i = 0; i < z->kind_count; i++) {
        str one = str_slice(data, 6 * i, 6 * i + 6), name;
        size_t at = (uint8_t)one.ptr[5];
        if (at >= names.len)
            return false;
        str_cut(str_from(names, at), STR("\0"), &name, &(str){0});
        z->kinds[i] = (struct zone_kind){.offset = (int32_t)big_endian(str_slice(one, 0, 4)),
                                         .is_dst = one.ptr[4] != 0,
                                         .name = str_copy(a, name)};
    }
    return z->kind_count > 0;
}

static bool read_changes(struct arena *a, struct zone *z, str moments, str kinds, size_t width)
{
    size_t n = z->change_count;

    z->changes = ARENA_ARRAY(a, int64_t, n);
    z->change_kinds = ARENA_ARRAY(a, uint8_t, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t moment = big_endian(str_slice(moments, i * width, (i + 1) * width));
        z->changes[i] = width == 4 ? (int32_t)moment : (int64_t)moment;
        z->change_kinds[i] = (uint8_t)kinds.ptr[i];
        if (z->change_kinds[i] >= z->kind_count)
            return false;
    }
    return true;
}

/* What applied before the first transition: the file does not say, so guess as Go does. */
static size_t find_first_kind(const struct zone *z)
{
    bool used = false;

    for (size_t i = 0; i < z->change_count; i++)
        used = used || z->change_kinds[i] == 0;
    if (!used)
        return 0;
    if (z->change_count && z->kinds[z->change_kinds[0]].is_dst)
        for (size_t i = z->change_kinds[0]; i-- > 0;)
            if (!z->kinds[i].is_dst)
                return i;
    for (size_t i = 0; i < z->kind_count; i++)
        if (!z->kinds[i].is_dst)
            return i;
    return 0;
}

static bool read_body(struct arena *a, struct reader *r, const size_t counts[COUNTS], size_t width,
                      struct zone *z)
{
    str moments = take(r, counts[COUNT_CHANGES] * width);
    str change_kinds = take(r, counts[COUNT_CHANGES]);
    str kinds = take(r, counts[COUNT_KINDS] * 6);
    str names = take(r, counts[COUNT_NAMES]);

    take(r, counts[COUNT_LEAPS] * (width + 4) + counts[COUNT_STD_FLAGS] + counts[COUNT_UTC_FLAGS]);
    z->change_count = counts[COUNT_CHANGES];
    z->kind_count = counts[COUNT_KINDS];
    return !r->bad && read_kinds(a, z, kinds, names) &&
           read_changes(a, z, moments, change_kinds, width);
}

bool zone_read(struct arena *a, str name, str data, const struct zone **out, struct err *e)
{
    struct reader r = {.rest = data};
    struct zone *z = ARENA_NEW(a, struct zone);
    size_t counts[COUNTS], width = 4;
    char version;
    bool ok = take_header(&r, &version, counts);

    if (ok && version) {
        skip_body(&r, counts, width);
        width = 8;
        ok = take_header(&r, &version, counts);
    }
    if (!ok || !read_body(a, &r, counts, width, z))
        return err_set(e, ERR_INVALID, "malformed time zone information");
    z->name = str_copy(a, name);
    z->first_kind = find_first_kind(z);
    if (r.rest.len > 2 && r.rest.ptr[0] == '\n' && r.rest.ptr[r.rest.len - 1] == '\n')
        z->has_rule = zone_rule_parse(str_copy(a, str_slice(r.rest, 1, r.rest.len - 1)), &z->rule);
    *out = z;
    return true;
}

/* ---- Finding a zone ---- */

static struct lock kept_lock = LOCK_INIT;
static struct arena *kept_arena;
static struct map *kept; /* path to struct zone */

static const struct zone *kept_find(str path)
{
    AUTO_LOCK guard = lock_take(&kept_lock);

    (void)guard;
    return kept ? map_get(kept, path) : NULL;
}

/* Parses data into the kept zones, or into a when these are full. */
static bool keep(struct arena *a, str path, str name, str data, const struct zone **out,
                 struct err *e)
{
    AUTO_LOCK guard = lock_take(&kept_lock);
    struct zone *already;
    struct arena_mark mark;

    (void)guard;
    if (!kept) {
        kept_arena = arena_new();
        kept = map_new(kept_arena);
    }
    already = map_get(kept, path);
    if (already) {
        *out = already;
        return true;
    }
    if (map_len(kept) >= ZONES_KEPT)
        return zone_read(a, name, data, out, e);
    mark = arena_mark(kept_arena);
    if (!zone_read(kept_arena, name, data, out, e)) {
        arena_rewind(kept_arena, mark);
        return false;
    }
    map_set(kept, str_copy(kept_arena, path), (void *)(uintptr_t)*out);
    return true;
}

static bool load(struct arena *a, str path, str name, const struct zone **out, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    str data;

    *out = kept_find(path);
    if (*out)
        return true;
    return file_read_max(scratch, path, ZONE_FILE_MAX, &data, e) &&
           keep(a, path, name, data, out, e);
}

bool zone_find(struct arena *a, str name, const struct zone **out, struct err *e)
{
    *out = NULL;
    if (!name.len || str_eq(name, STR("UTC")))
        return true;
    if (name.ptr[0] == '/' || name.ptr[0] == '\\' || str_contains(name, STR("..")) ||
        str_find_char(name, '\0') != STR_NPOS)
        return err_set(e, ERR_INVALID, "time: invalid location name");
    if (name.len > 255)
        return err_set(e, ERR_LIMIT, "time: the location name is too long");
    return load(a, file_join(a, STR(ZONE_FOLDER), name), name, out, e);
}

const struct zone *zone_local(struct arena *a)
{
    const char *env = getenv("TZ");
    const struct zone *z = NULL;
    str tz = str_without_prefix(str_c(env), STR(":"));
    bool ok;

    if (!env)
        ok = load(a, STR("/etc/localtime"), STR("Local"), &z, NULL);
    else if (tz.len && tz.ptr[0] == '/')
        ok = load(a, tz, tz, &z, NULL);
    else
        ok = zone_find(a, tz, &z, NULL);
    return ok ? z : NULL;
}

const struct zone *zone_fixed(struct arena *a, str name, int32_t offset)
{
    struct zone *z = ARENA_NEW(a, struct zone);

    z->name = str_copy(a, name);
    z->is_fixed = true;
    z->kinds = ARENA_NEW(a, struct zone_kind);
    z->kinds[0] = (struct zone_kind){.offset = offset, .name = z->name};
    z->kind_count = 1;
    return z;
}

/* ---- Asking a zone ---- */

str zone_name(const struct zone *z)
{
    return z ? z->name : STR("UTC");
}

static struct zone_span span_of(const struct zone *z, size_t kind, int64_t start, int64_t end)
{
    const struct zone_kind *k = &z->kinds[kind];

    return (struct zone_span){k->name, k->offset, k->is_dst, start, end};
}

struct zone_span zone_at(const struct zone *z, int64_t sec)
{
    size_t low = 0, high, n;

    if (!z)
        return (struct zone_span){STR("UTC"), 0, false, INT64_MIN, INT64_MAX};
    n = z->change_count;
    if (n && sec < z->changes[0])
        return span_of(z, z->first_kind, INT64_MIN, z->changes[0]);
    for (high = n; high - low > 1 && n;) {
        size_t middle = low + (high - low) / 2;
        if (sec < z->changes[middle])
            high = middle;
        else
            low = middle;
    }
    if (z->has_rule && low + 1 >= n)
        return zone_rule_at(&z->rule, n ? z->changes[low] : INT64_MIN, sec);
    if (!n)
        return span_of(z, 0, INT64_MIN, INT64_MAX);
    return span_of(z, z->change_kinds[low], z->changes[low],
                   low + 1 < n ? z->changes[low + 1] : INT64_MAX);
}

bool zone_offset_named(const struct zone *z, str abbreviation, int64_t local_sec, int32_t *offset)
{
    bool found = false;

    for (size_t i = 0; z && i < z->kind_count; i++) {
        struct zone_span span;
        if (!str_eq(z->kinds[i].name, abbreviation))
            continue;
        span = zone_at(z, local_sec - z->kinds[i].offset);
        if (str_eq(span.name, abbreviation)) {
            *offset = span.offset;
            return true;
        }
        if (!found)
            *offset = z->kinds[i].offset;
        found = true;
    }
    return found;
}

bool zone_equal(const struct zone *x, const struct zone *y)
{
    if (x == y)
        return true;
    return x && y && x->is_fixed == y->is_fixed && str_eq(x->name, y->name) &&
           (!x->is_fixed || x->kinds[0].offset == y->kinds[0].offset);
}

bool zone_is_hours(const struct zone *z)
{
    int32_t offset = z && z->is_fixed && !z->name.len ? z->kinds[0].offset : 1;

    return offset % 3600 == 0 && offset >= -12 * 3600 && offset <= 14 * 3600;
}
