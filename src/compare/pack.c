/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - the members of archives; see pack.h.
 *
 * An archive that is a member of another one is a level above it: the library is given the bytes of
 * the member as it asks for them, so that at any time one buffer per level is in memory.
 */
#include "compare/pack.h"

#include "compare/pack_lib.h"

#include <errno.h>

#define BUFFER (64 * KIB)

/* One archive. */
struct level {
    struct reader reader; /* of the current member */
    struct pack *pack;
    str name;
    struct reader *from;
    struct archive *lib;
    char *buffer;
    bool raw;         /* one document, compressed */
    struct err fault; /* of from */
    /* Of the current member: */
    bool open, broken, holes;
    uint64_t size;     /* read so far */
    uint64_t declared; /* 0: not known */
    const char *block; /* what is left of its current block */
    size_t left;
};

struct pack {
    struct arena *arena;
    const struct pack_lib *lib;
    struct level levels[PACK_DEPTH_MAX];
    size_t depth;
    size_t members;
    uint64_t unpacked; /* bytes, at all levels */
    bool refused;      /* a limit was passed: nothing more is read */
    str name;
    struct err fault; /* of opening, until it was told */
};

/* ---- Names. ---- */

/* The last byte of a suffix is the end of the name. */
static const struct suffix {
    const char *text;
    bool single; /* it may also hold one document */
} suffixes[] = {
    {".tar", false}, {".tgz", false}, {".tbz2", false}, {".txz", false}, {".tzst", false},
    {".zip", false}, {".gz", true},   {".bz2", true},   {".xz", true},   {".zst", true},
};

bool pack_takes(str name)
{
    return str_has_suffix(name, STR(".json")) || str_has_suffix(name, STR(".yaml")) ||
           str_has_suffix(name, STR(".yml"));
}

/* Whether the name is that of a single document that was compressed; *inner is without the suffix.
 */
static bool is_single(str name, str *inner)
{
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (suffixes[i].single && str_has_suffix(name, str_c(suffixes[i].text))) {
            *inner = str_without_suffix(name, str_c(suffixes[i].text));
            return pack_takes(*inner);
        }
    return false;
}

/* By name: members are only looked into when they say that they are archives. */
static bool is_pack_name(str name)
{
    str inner;

    for (size_t i = 0; i < COUNT(suffixes); i++) {
        str suffix = str_c(suffixes[i].text);
        if (!str_has_suffix(name, suffix))
            continue;
        inner = str_without_suffix(name, suffix);
        return !suffixes[i].single || str_has_suffix(inner, STR(".tar")) || pack_takes(inner);
    }
    return false;
}

bool pack_is_named(str name, str *stem)
{
    *stem = name;
    if (!is_pack_name(name))
        return false;
    *stem = str_slice(name, 0, str_rfind_char(name, '.'));
    if (str_has_suffix(*stem, STR(".tar")) || pack_takes(*stem))
        *stem = str_slice(*stem, 0, str_rfind_char(*stem, '.'));
    return true;
}

bool pack_is(str name, str start)
{
    static const str magics[] = {
        {"\x1F\x8B", 2},
        {"\x28\xB5\x2F\xFD", 4},
        {"\xFD"
         "7zXZ",
         5},
        {"BZh", 3},
        {"PK\x03\x04", 4},
        {"PK\x05\x06", 4},
    };

    for (size_t i = 0; i < COUNT(magics); i++)
        if (str_has_prefix(start, magics[i]))
            return true;
    return str_has_prefix(str_from(start, 257), STR("ustar")) || is_pack_name(name);
}

/* Why a member of that name is not read; empty when nothing speaks against it. */
static str name_fault(str name)
{
    str element, rest = name;

    if (!name.len)
        return STR("it has no name");
    if (name.ptr[0] == '/')
        return STR("its name is absolute");
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (str_eq(element, STR("..")))
            return STR("its name leads out of the archive");
    }
    return STR_NONE;
}

/* ---- Bytes. ---- */

static struct level *top(struct pack *p)
{
    return &p->levels[p->depth - 1];
}

/* What the library asks for. */
static ssize_t give_bytes(struct archive *lib, void *ctx, const void **out)
{
    struct level *l = ctx;
    size_t got = 0;

    *out = l->buffer;
    if (l->from->read(l->from, l->buffer, BUFFER, &got, &l->fault))
        return (ssize_t)got;
    l->pack->lib->archive_set_error(lib, EIO, "%.*s", STR_ARG(l->fault.text));
    return ARCHIVE_FATAL;
}

static la_int64_t give_place(struct archive *lib, void *ctx, la_int64_t offset, int whence)
{
    const struct level *l = ctx;
    int64_t now = l->from->seek(l->from, offset, whence);

    (void)lib;
    return now < 0 ? ARCHIVE_FATAL : now;
}

static bool fail(struct level *l, struct err *e)
{
    const char *text = l->pack->lib->archive_error_string(l->lib);

    return err_set(e, ERR_INVALID, "%s", text ? text : "the archive cannot be read");
}

/* What a small archive may become, whatever is in it. */
static bool check_size(struct pack *p, size_t more, struct err *e)
{
    uint64_t packed = (uint64_t)p->lib->archive_filter_bytes(p->levels[0].lib, -1);
    uint64_t passed = (uint64_t)p->lib->archive_filter_bytes(p->levels[0].lib, 0);

    p->unpacked += more;
    if (p->unpacked > passed)
        passed = p->unpacked;
    if (passed <= PACK_RATIO_FREE || passed / PACK_RATIO_MAX <= packed)
        return true;
    p->refused = true;
    return err_set(e, ERR_LIMIT, "it unpacks to more than %d times its size, which is not trusted",
                   PACK_RATIO_MAX);
}

/* The next block of the current member, which is no longer open when there is none. */
static bool next_block(struct level *l, struct err *e)
{
    const void *data = NULL;
    size_t size = 0;
    la_int64_t offset = 0;
    int status;

    do {
        status = l->pack->lib->archive_read_data_block(l->lib, &data, &size, &offset);
    } while (status == ARCHIVE_OK && !size);
    l->open = status != ARCHIVE_EOF;
    if (!l->open)
        return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return fail(l, e);
    l->holes |= (uint64_t)offset != l->size;
    l->block = data;
    l->left = size;
    l->size = (uint64_t)offset + size;
    return check_size(l->pack, size, e);
}

/* What a document must not be, though others may. */
static bool check_member(struct level *l, struct err *e)
{
    if (l->holes || (!l->open && l->declared > l->size))
        return err_set(e, ERR_INVALID, "it has holes, as no document has");
    if (l->size > PACK_MEMBER_MAX)
        return err_set(e, ERR_LIMIT, "it is larger than the limit of %zu bytes",
                       (size_t)PACK_MEMBER_MAX);
    return true;
}

static bool read_member(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct level *l = (struct level *)r;

    *got = 0;
    if (!l->left && l->open && !(next_block(l, e) && check_member(l, e))) {
        l->broken = true;
        return false;
    }
    *got = l->left < size ? l->left : size;
    if (!*got)
        return true;
    memcpy(to, l->block, *got);
    l->block += *got;
    l->left -= *got;
    return true;
}

/* ---- Levels. ---- */

static void choose_formats(const struct pack_lib *lib, struct archive *a, bool raw)
{
    lib->archive_read_support_filter_bzip2(a);
    lib->archive_read_support_filter_gzip(a);
    lib->archive_read_support_filter_xz(a);
    lib->archive_read_support_filter_zstd(a);
    if (raw) {
        lib->archive_read_support_format_raw(a);
        return;
    }
    lib->archive_read_support_format_tar(a);
    lib->archive_read_support_format_zip(a);
}

static bool push(struct pack *p, str name, struct reader *from, struct err *e)
{
    const struct pack_lib *lib = p->lib;
    char *buffer;
    str inner;

    if (p->depth == PACK_DEPTH_MAX)
        return err_set(e, ERR_LIMIT, "archives are nested deeper than %d levels", PACK_DEPTH_MAX);
    struct level *l = &p->levels[p->depth];
    buffer = l->buffer ? l->buffer : arena_alloc_text(p->arena, BUFFER);
    *l = (struct level){.pack = p,
                        .name = name,
                        .from = from,
                        .buffer = buffer,
                        .raw = is_single(name, &inner),
                        .reader = {.read = read_member}};
    l->lib = lib->archive_read_new();
    choose_formats(lib, l->lib, l->raw);
    lib->archive_read_set_callback_data(l->lib, l);
    lib->archive_read_set_read_callback(l->lib, give_bytes);
    if (from->seek)
        lib->archive_read_set_seek_callback(l->lib, give_place);
    p->depth++;
    return lib->archive_read_open1(l->lib) == ARCHIVE_OK || fail(l, e);
}

static void pop(struct pack *p)
{
    struct level *l = top(p);

    p->lib->archive_read_free(l->lib);
    err_clear(&l->fault);
    l->lib = NULL;
    p->depth--;
}

struct pack *pack_open(struct arena *a, str name, struct reader *reader)
{
    struct pack *p = ARENA_NEW(a, struct pack);

    p->arena = a;
    p->name = name;
    p->lib = pack_lib_load(&p->fault);
    if (p->lib && !push(p, name, reader, &p->fault) && p->depth)
        pop(p);
    return p;
}

void pack_close(struct pack *p)
{
    while (p && p->depth)
        pop(p);
    if (p)
        err_clear(&p->fault);
}

/* ---- Members. ---- */

static str entry_name(const struct pack_lib *lib, struct archive_entry *entry)
{
    const char *name = lib->archive_entry_pathname_utf8(entry);

    if (!name)
        name = lib->archive_entry_pathname(entry);
    return name ? str_c(name) : STR_NONE;
}

static bool is_link_or_device(const struct pack_lib *lib, struct archive_entry *entry)
{
    return lib->archive_entry_hardlink(entry) || lib->archive_entry_filetype(entry) != AE_IFREG;
}

static bool give_fault(struct arena *a, struct pack_member *out, str name, const struct err *e)
{
    *out = (struct pack_member){
        .kind = PACK_FAILED, .name = str_copy(a, name), .reason = str_copy(a, e->text)};
    return true;
}

/* An archive among the members: it is read before the rest of this one. False: nothing to tell. */
static bool enter(struct pack *p, struct arena *a, str name, struct pack_member *out)
{
    size_t depth = p->depth;
    AUTO_ERR e = {0};

    if (push(p, str_copy(p->arena, name), &top(p)->reader, &e))
        return false;
    if (p->depth > depth)
        pop(p);
    return give_fault(a, out, name, &e);
}

/* What a member is. False when there is nothing to tell of it. */
static bool take(struct pack *p, struct arena *a, struct archive_entry *entry,
                 struct pack_member *out)
{
    struct level *l = top(p);
    str name = entry_name(p->lib, entry);
    str fault = l->raw ? STR_NONE : name_fault(name);

    if (p->lib->archive_entry_filetype(entry) == AE_IFDIR)
        return false;
    bool documents = l->raw || pack_takes(name), wanted = documents || is_pack_name(name);
    if (!fault.len && is_link_or_device(p->lib, entry))
        fault = STR("links and devices are not followed");
    *out = (struct pack_member){.kind = fault.len ? PACK_IGNORED : PACK_DOCUMENTS,
                                .reader = &l->reader};
    /* Of what would have been read, somebody should know; the rest is only counted. */
    if (!wanted)
        return fault.len > 0;
    out->reason = fault;
    out->name = l->raw ? l->name : str_fmt(a, "%.*s!%.*s", STR_ARG(l->name), STR_ARG(name));
    return fault.len || documents || enter(p, a, out->name, out);
}

/* Passes over what nobody has read: here, so that limits hold. */
static bool skip_rest(struct level *l, struct err *e)
{
    while (l->open && !l->broken)
        if (!next_block(l, e))
            return false;
    return true;
}

static bool next_entry(struct level *l, struct archive_entry **entry, struct err *e)
{
    struct pack *p = l->pack;

    *entry = NULL;
    if (!skip_rest(l, e))
        return false;
    int status = p->lib->archive_read_next_header(l->lib, entry);
    if (status == ARCHIVE_EOF) {
        *entry = NULL;
        return true;
    }
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return fail(l, e);
    l->open = true;
    l->broken = l->holes = false;
    l->size = l->left = 0;
    la_int64_t declared = p->lib->archive_entry_size(*entry);
    l->declared = declared > 0 ? (uint64_t)declared : 0;
    if (++p->members <= PACK_MEMBERS_MAX)
        return check_size(p, 0, e);
    p->refused = true;
    return err_set(e, ERR_LIMIT, "it has more than %d members", PACK_MEMBERS_MAX);
}

bool pack_next(struct pack *p, struct arena *a, struct pack_member *out)
{
    if (p->fault.kind != ERR_NONE) {
        give_fault(a, out, p->name, &p->fault);
        err_clear(&p->fault);
        return true;
    }
    while (p->depth && !p->refused) {
        struct level *l = top(p);
        struct archive_entry *entry;
        AUTO_ERR e = {0};
        bool told = l->broken, ok = next_entry(l, &entry, &e);
        if (ok && entry) {
            if (take(p, a, entry, out))
                return true;
            continue;
        }
        if (!ok)
            give_fault(a, out, l->name, &e);
        pop(p);
        if (!ok && !told)
            return true;
    }
    return false;
}
