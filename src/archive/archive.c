/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.c - reads the members of archives; see archive.h.
 *
 * An archive inside another one is a level of its own: the library reads the bytes of that member
 * as it needs them, so that only one buffer per level is in memory.
 */
#include "archive/internal.h"
#include "archive/library.h"
#include "base/strset.h"

#include <errno.h>

#define BUFFER (64 * KIB)
/*
 * How much compressed data the library gets at a time: between two pieces it may unpack any amount,
 * and a few bytes of zstd can expand to 128 KiB.
 */
#define PIECE (1 * KIB)
/* How much of a zip is read at a time when it is read in any order. */
#define SEEK_PIECE (8 * KIB)

/* One archive. */
struct level {
    struct reader reader; /* for the current member */
    struct pack *pack;
    str name;
    struct reader *from;
    struct gzip *gzips[2]; /* if the archive is gzipped, perhaps twice: from reads from these */
    struct archive *lib;
    char *buffer;
    size_t have, used;   /* bytes in the buffer, and how many of them the library got */
    bool ended;          /* the input has ended */
    size_t chunk, piece; /* how much is read and given at a time */
    uint64_t given;      /* the position after what the library got */
    size_t zeros;        /* how many bytes at its end are zero, up to a block of a tar */
    /* For the search for the next member: */
    bool searching;
    uint64_t start;  /* where it began, in the unpacked data */
    uint64_t asked;  /* bytes given since */
    bool seeks;      /* a zip that is read by its directory */
    bool raw;        /* one document, compressed */
    bool zip_member; /* zip_name has not been counted */
    bool is_xz;
    struct xz xz;
    struct zip_order zip;
    struct buf zip_name;   /* of the current member */
    struct arena *seen_in; /* memory of seen */
    struct strset *seen;   /* the documents of a tar, each as a hash of its name */
    struct err fault;      /* the error of from */
    struct arena_mark mark;
    /* About the current member: */
    bool open, broken, holes;
    bool windowed;     /* unpacking it takes as much memory as it is long */
    bool warned;       /* by the library, about its header */
    bool unreadable;   /* nobody wanted it */
    int status;        /* the library's last status */
    uint64_t size;     /* read so far */
    uint64_t declared; /* 0: not known */
    const char *block; /* the rest of its current block */
    size_t left;
};

struct pack {
    struct arena *arena;
    struct arena *names; /* for the names of levels */
    enum pack_use use;
    const struct pack_lib *lib;
    struct pack_locale *locale; /* while the library works */
    struct level levels[PACK_DEPTH_MAX];
    size_t depth;
    size_t members;
    uint64_t unpacked; /* bytes, at all levels */
    bool refused;      /* a limit was exceeded: nothing more is read */
    str name;
    struct err fault; /* the error of opening, until it has been reported */
};

/* ---- Bytes. ---- */

static struct level *top(struct pack *p)
{
    return &p->levels[p->depth - 1];
}

/* The position of the library in the unpacked data (0), or in its input (-1). */
static uint64_t place(const struct level *l, int filter)
{
    la_int64_t at = l->pack->lib->archive_filter_bytes(l->lib, filter);

    return at > 0 ? (uint64_t)at : 0;
}

/* How many bytes of the archive itself have been read. */
static uint64_t packed(const struct level *l)
{
    return l->gzips[0] ? gzip_taken(l->gzips[0]) : place(l, -1);
}

/* Fails when too much has been unpacked so far, whatever it was. */
static bool check_ratio(struct pack *p, uint64_t passed, struct err *e)
{
    if (passed <= PACK_RATIO_FREE || passed / PACK_RATIO_MAX <= packed(&p->levels[0]))
        return true;
    p->refused = true;
    return err_set(e, ERR_LIMIT, "it unpacks to more than %d times its size, which is not trusted",
                   PACK_RATIO_MAX);
}

/*
 * Limits what the library does between two of our calls: it would read and keep names, maps and
 * directories of any length.
 */
static bool check_search(struct level *l, struct err *e)
{
    uint64_t passed = place(l, 0);
    bool far = l->seeks ? l->asked > PACK_DIRECTORY_MAX : passed > l->start + PACK_HEADER_MAX;

    if (!check_ratio(l->pack, passed, e))
        return false;
    if (l->given > place(l, -1) + PACK_HEADER_MAX || (l->searching && far))
        return err_set(e, ERR_LIMIT, "no member begins within %zu bytes", (size_t)PACK_HEADER_MAX);
    return true;
}

/* At the end, the last buffer is kept for read_rest: the library may not have looked at it. */
static bool fill_buffer(struct level *l, struct err *e)
{
    size_t got = 0;

    if (!l->from->read(l->from, l->buffer, l->chunk, &got, e))
        return false;
    l->ended = !got;
    l->used = l->ended ? l->have : 0;
    l->have = l->ended ? l->have : got;
    return true;
}

#define TAR_BLOCK 512

static void count_zeros(struct level *l, const char *bytes, size_t size)
{
    size_t zeros = 0;

    while (zeros < size && zeros < TAR_BLOCK && !bytes[size - 1 - zeros])
        zeros++;
    l->zeros = zeros == size ? l->zeros + zeros : zeros;
}

static ssize_t fail_reading(struct level *l)
{
    l->pack->lib->archive_set_error(l->lib, EIO, "%.*s", STR_ARG(l->fault.text));
    return ARCHIVE_FATAL;
}

/* The library's read callback. */
static ssize_t give_bytes(struct archive *lib, void *ctx, const void **out)
{
    struct level *l = ctx;

    (void)lib;
    if ((l->used == l->have && !fill_buffer(l, &l->fault)) || !check_search(l, &l->fault))
        return fail_reading(l);
    size_t left = l->have - l->used, size = left < l->piece ? left : l->piece;
    *out = l->buffer + l->used;
    if (l->is_xz && !xz_take(&l->xz, str_of(*out, size), &l->fault))
        return fail_reading(l);
    count_zeros(l, l->buffer + l->used, size);
    l->used += size;
    l->given += size;
    l->asked += size;
    return (ssize_t)size;
}

static la_int64_t give_place(struct archive *lib, void *ctx, la_int64_t offset, int whence)
{
    struct level *l = ctx;

    (void)lib;
    if (whence == SEEK_CUR)
        offset -= (la_int64_t)(l->have - l->used);
    l->have = l->used = 0;
    int64_t now = l->from->seek(l->from, offset, whence);
    l->given = now < 0 ? l->given : (uint64_t)now;
    return now < 0 ? ARCHIVE_FATAL : now;
}

static bool fail(struct level *l, struct err *e)
{
    const char *text = l->pack->lib->archive_error_string(l->lib);

    /* Our own read error is better than what the library makes of it. */
    if (l->fault.kind != ERR_NONE)
        return err_set(e, l->fault.kind, "%.*s", STR_ARG(l->fault.text));
    return err_set(e, ERR_INVALID, "%s", text ? text : "the archive cannot be read");
}

/* Limits what a small archive may expand to, whatever it contains. */
static bool check_size(struct pack *p, size_t more, struct err *e)
{
    uint64_t passed = place(&p->levels[0], 0);

    p->unpacked += more;
    return check_ratio(p, p->unpacked > passed ? p->unpacked : passed, e);
}

/*
 * Gets the next block for the current member, which is closed when there is none. A warning is
 * about a checksum or a length.
 */
static bool next_block(struct level *l, struct err *e)
{
    const void *data = NULL;
    size_t size = 0;
    la_int64_t offset = 0;

    do {
        l->status = l->pack->lib->archive_read_data_block(l->lib, &data, &size, &offset);
    } while (l->status == ARCHIVE_OK && !size);
    l->open = l->status != ARCHIVE_EOF;
    if (!l->open)
        return true;
    if (l->status != ARCHIVE_OK && l->status != ARCHIVE_WARN)
        return fail(l, e);
    l->holes |= (uint64_t)offset != l->size;
    l->block = data;
    l->left = size;
    l->size = (uint64_t)offset + size;
    if (!check_size(l->pack, size, e))
        return false;
    if (l->windowed && l->size > PACK_WINDOW_MAX) {
        l->status = ARCHIVE_FAILED;
        return err_set(e, ERR_LIMIT,
                       "it is larger than the limit of %zu bytes for members of a zip that are "
                       "packed by LZMA or XZ",
                       (size_t)PACK_WINDOW_MAX);
    }
    return l->status == ARCHIVE_OK || fail(l, e);
}

/* Checks what applies only to documents. */
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
    /* Archives may be concatenated, and nothing may be skipped silently. */
    lib->archive_read_set_format_option(a, "tar", "read_concatenated_archives", "1");
}

static bool open_library(struct level *l, struct err *e)
{
    const struct pack_lib *lib = l->pack->lib;

    l->lib = lib->archive_read_new();
    choose_formats(lib, l->lib, l->raw);
    lib->archive_read_set_callback_data(l->lib, l);
    lib->archive_read_set_read_callback(l->lib, give_bytes);
    if (l->seeks)
        lib->archive_read_set_seek_callback(l->lib, give_place);
    if (lib->archive_read_open1(l->lib) != ARCHIVE_OK)
        return fail(l, e);
    /* The last one stands for the archive itself. Each may take PACK_WINDOW_MAX bytes. */
    return lib->archive_filter_count(l->lib) <= 2 ||
           err_set(e, ERR_LIMIT, "it is packed several times");
}

/* Decides by the first bytes how to read the archive. */
static bool choose_way(struct level *l, struct err *e)
{
    l->chunk = GZIP_START_MAX;
    if (!fill_buffer(l, e))
        return false;
    for (size_t i = 0; gzip_is(str_of(l->buffer, l->have)); i++) {
        if (i == COUNT(l->gzips))
            return err_set(e, ERR_LIMIT, "it is packed by gzip more than twice");
        l->gzips[i] = gzip_new(l->from, str_of(l->buffer, l->have));
        l->from = gzip_reader(l->gzips[i]);
        l->have = 0;
        if (!fill_buffer(l, e))
            return false;
    }
    l->chunk = BUFFER;
    str start = str_of(l->buffer, l->have);
    l->seeks = l->from->seek && pack_is_zip(start);
    l->piece = pack_is_compressed(start) ? PIECE : BUFFER;
    l->is_xz = xz_is(start);
    xz_begin(&l->xz);
    if (l->seeks)
        l->chunk = SEEK_PIECE;
    return true;
}

static bool push(struct pack *p, str name, struct reader *from, struct err *e)
{
    char *buffer;
    str inner;

    if (p->depth == PACK_DEPTH_MAX)
        return err_set(e, ERR_LIMIT, "archives are nested deeper than %d levels", PACK_DEPTH_MAX);
    struct level *l = &p->levels[p->depth];
    buffer = l->buffer ? l->buffer : arena_alloc_text(p->arena, BUFFER);
    struct arena_mark mark = arena_mark(p->names);
    *l = (struct level){.pack = p,
                        .name = str_copy(p->names, name),
                        .from = from,
                        .buffer = buffer,
                        .mark = mark,
                        .zip_name = buf_new(p->names, BUF_UNLIMITED),
                        .raw = pack_is_single(name, &inner),
                        .reader = {.read = read_member}};
    p->depth++;
    return choose_way(l, e) && open_library(l, e);
}

static void close_library(struct level *l)
{
    if (l->lib)
        l->pack->lib->archive_read_free(l->lib);
    l->lib = NULL;
    err_clear(&l->fault);
}

static void pop(struct pack *p)
{
    struct level *l = top(p);

    close_library(l);
    strset_free(l->seen);
    arena_free(l->seen_in);
    for (size_t i = COUNT(l->gzips); i-- > 0;)
        gzip_free(l->gzips[i]);
    arena_rewind(p->names, l->mark);
    p->depth--;
}

/* When the directory of a zip is too large to keep: starts over, reading it member by member. */
static bool read_in_order(struct level *l, struct err *e)
{
    close_library(l);
    l->seeks = false;
    l->given = l->asked = 0;
    l->used = l->have = 0;
    l->chunk = BUFFER;
    if (l->from->seek(l->from, 0, SEEK_SET) != 0)
        return err_set(e, ERR_IO, "it cannot be read from the beginning again");
    return open_library(l, e);
}

struct pack *pack_open(struct arena *a, str name, struct reader *reader, enum pack_use use)
{
    struct pack *p = ARENA_NEW(a, struct pack);

    p->arena = a;
    p->names = arena_new();
    p->use = use;
    p->name = name;
    p->lib = pack_lib_load(&p->fault);
    p->locale = pack_locale_new(a);
    pack_locale_enter(p->locale);
    if (p->lib && !push(p, name, reader, &p->fault) && p->depth)
        pop(p);
    pack_locale_leave(p->locale);
    return p;
}

size_t pack_members(const struct pack *p)
{
    return p ? p->members : 0;
}

void pack_close(struct pack *p)
{
    if (!p)
        return;
    while (p->depth)
        pop(p);
    pack_locale_free(p->locale);
    err_clear(&p->fault);
    arena_free(p->names);
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

/* Whether only its archiver knows what it is, such as the rest of a file from another volume. */
static bool is_unknown(const struct pack_lib *lib, struct archive_entry *entry)
{
    return !lib->archive_entry_hardlink(entry) && !lib->archive_entry_filetype(entry);
}

static int format_of(const struct level *l)
{
    return l->pack->lib->archive_format(l->lib) & ARCHIVE_FORMAT_BASE_MASK;
}

/* The name of a member may begin with "./" or not. */
static str plain_name(str name)
{
    return str_without_prefix(name, STR("./"));
}

/* Names may be long, and there may be a million of them. */
static uint64_t name_hash(str name)
{
    return str_hash(plain_name(name));
}

static bool is_seen(const struct level *l, str name)
{
    const uint64_t hash = name_hash(name);

    return l->seen && (strset_len(l->seen) >= PACK_LINKED_MAX ||
                       strset_has(l->seen, str_of((const char *)&hash, sizeof(hash))));
}

/* Why the target of a hard link is not read; empty if it is, or if this is not a link. */
static str link_fault(const struct level *l, struct archive_entry *entry)
{
    const char *link = l->pack->lib->archive_entry_hardlink(entry);
    str target = link ? str_c(link) : STR_NONE;

    if (!link)
        return STR_NONE;
    if (!pack_takes(target) && !pack_is_name(target))
        return STR("a link to a member that is not read, because of its name");
    return is_seen(l, target) ? STR_NONE : STR("a link to a member that does not come before it");
}

/* Remembers names that links may refer to: a link comes after its target. */
static void remember_document(struct level *l, struct archive_entry *entry, str name)
{
    if (format_of(l) != ARCHIVE_FORMAT_TAR || name.len > PACK_NAME_MAX ||
        (!pack_takes(name) && !pack_is_name(name)) || link_fault(l, entry).len)
        return;
    if (!l->seen) {
        l->seen_in = arena_new();
        l->seen = strset_new(l->seen_in, 0);
    }
    const uint64_t hash = name_hash(name);
    if (strset_len(l->seen) < PACK_LINKED_MAX)
        (void)strset_add(l->seen, str_of((const char *)&hash, sizeof(hash)), NULL);
}

static bool give_fault(struct arena *a, struct pack_member *out, str name, const struct err *e)
{
    *out = (struct pack_member){
        .kind = PACK_FAILED, .name = str_copy(a, name), .reason = str_copy(a, e->text)};
    return true;
}

/*
 * Enters an archive among the members, which is read before the rest of this one. False when there
 * is nothing to report.
 */
static bool enter(struct pack *p, struct arena *a, str name, struct pack_member *out)
{
    size_t depth = p->depth;
    AUTO_ERR e = {0};

    if (push(p, name, &top(p)->reader, &e))
        return false;
    if (p->depth > depth)
        pop(p);
    return give_fault(a, out, name, &e);
}

/* What the library reports in warnings about anything but the conversion of texts. */
#define LIBRARY_MISC (-1)

/*
 * Where the library passes over records of an extended header, the name may be among them: what is
 * left of it need not look like a document's.
 */
static bool is_doubtful(const struct level *l)
{
    return l->warned && format_of(l) == ARCHIVE_FORMAT_TAR &&
           l->pack->lib->archive_errno(l->lib) == LIBRARY_MISC;
}

/* Why a member is not read; empty if it is. */
static str member_fault(const struct level *l, struct archive_entry *entry, str name)
{
    str fault = l->raw ? STR_NONE : pack_name_fault(name);

    if (!fault.len && is_unknown(l->pack->lib, entry))
        return STR("not a whole file: it may continue one from another volume");
    if (!fault.len)
        fault = link_fault(l, entry);
    if (!fault.len && is_link_or_device(l->pack->lib, entry))
        return STR("links and devices are not followed");
    return fault;
}

/* The archive and the member, for messages: the name may be a megabyte long. */
static str shown_name(struct arena *a, const struct level *l, str name)
{
    bool cut = name.len > PACK_NAME_MAX;

    return str_fmt(a, "%.*s!%.*s%s", STR_ARG(l->name),
                   STR_ARG(str_slice(name, 0, cut ? 100 : name.len)), cut ? "..." : "");
}

/* Every member, as it would lie in a folder. */
static bool take_file(struct arena *a, const struct level *l, bool folder, str fault, str name,
                      struct pack_member *out)
{
    out->path = str_copy(a, name);
    if (!fault.len)
        out->kind = folder ? PACK_FOLDER : pack_takes(name) ? PACK_DOCUMENTS : PACK_OTHER;
    out->reason = fault;
    out->name = shown_name(a, l, name);
    return true;
}

/* One flipped bit can turn a document into a folder. Real folders have no content. */
static bool take_folder(struct arena *a, const struct level *l, str name, struct pack_member *out)
{
    str plain = str_without_suffix(name, STR("/"));

    if (!l->declared || (!pack_takes(plain) && !pack_is_name(plain)))
        return false;
    out->kind = PACK_FAILED;
    out->reason = STR("a folder that has content");
    out->name = shown_name(a, l, name);
    return true;
}

/* For members that may be documents, whatever their names say. */
static bool fail_member(struct arena *a, const struct level *l, str name, str fault,
                        struct pack_member *out)
{
    out->kind = PACK_FAILED;
    out->reason = fault;
    out->name = shown_name(a, l, name);
    return true;
}

/* Classifies a member. False when there is nothing to report about it. */
static bool take(struct pack *p, struct arena *a, struct archive_entry *entry,
                 struct pack_member *out)
{
    struct level *l = top(p);
    str name = entry_name(p->lib, entry);
    bool folder = p->lib->archive_entry_filetype(entry) == AE_IFDIR;
    str fault = folder ? pack_name_fault(name) : member_fault(l, entry, name);

    *out = (struct pack_member){.kind = fault.len ? PACK_IGNORED : PACK_DOCUMENTS,
                                .reader = &l->reader};
    if (is_doubtful(l))
        return fail_member(a, l, name, STR("its header is broken, and its name may be wrong"), out);
    if (!folder && !name.len && !l->raw)
        return fail_member(a, l, name, fault, out);
    if (p->use == PACK_AS_FOLDER && !l->raw)
        return take_file(a, l, folder, fault, name, out);
    if (folder)
        return take_folder(a, l, name, out);
    bool documents = l->raw || pack_takes(name), wanted = documents || pack_is_name(name);
    /* Report members we would have read; others are only counted. */
    if (!wanted)
        return fault.len > 0;
    /*
     * A link is only ignored, since its documents are elsewhere; with a bad name, they are not read
     * at all.
     */
    if (fault.len && (!is_link_or_device(p->lib, entry) || is_unknown(p->lib, entry) ||
                      link_fault(l, entry).len))
        out->kind = PACK_FAILED;
    out->reason = fault;
    out->name = l->raw ? str_copy(a, l->name) : shown_name(a, l, name);
    return fault.len || documents || enter(p, a, out->name, out);
}

/*
 * Skips unread data; done here, so that limits apply. Errors in unwanted data do not matter as long
 * as the library can go on.
 */
static bool skip_rest(struct level *l, struct err *e)
{
    while (l->open && !l->broken) {
        if (next_block(l, e))
            continue;
        if ((l->status != ARCHIVE_FAILED && l->status != ARCHIVE_WARN) || l->pack->refused)
            return false;
        err_clear(e);
        l->unreadable = true;
        l->open = l->status == ARCHIVE_WARN;
    }
    return true;
}

/* Lets the library find the next header. */
static bool find_entry(struct level *l, struct archive_entry **entry, struct err *e)
{
    l->searching = true;
    l->start = place(l, 0);
    l->asked = 0;
    l->status = l->pack->lib->archive_read_next_header(l->lib, entry);
    l->searching = false;
    if (l->status == ARCHIVE_OK || l->status == ARCHIVE_WARN || l->status == ARCHIVE_EOF)
        return true;
    return fail(l, e);
}

/* ---- What the library does not check. ---- */

/* Gets the next byte of the rest. False: it has seen enough. */
typedef bool rest_fn(void *ctx, char byte);

/* Passes the remaining bytes of the input to fn, up to max. */
static bool read_rest(struct level *l, uint64_t max, rest_fn *fn, void *ctx, struct err *e)
{
    uint64_t unread = l->given - place(l, -1), end = l->given + max;
    size_t at = unread < l->used ? l->used - (size_t)unread : 0;

    for (; l->given < end; at = 0) {
        for (; at < l->have; at++)
            if (!fn(ctx, l->buffer[at]))
                return true;
        if (!fill_buffer(l, e))
            return false;
        if (l->ended)
            return true;
        l->given += l->have;
    }
    return true;
}

/* Zeros are fine: tapes are padded with them. */
static bool is_zero(void *ctx, char byte)
{
    bool *found = ctx;

    *found = byte != 0;
    return !*found;
}

/* The library ends silently when something else follows bzip2 or zstd. */
static bool check_rest(struct level *l, struct err *e)
{
    bool found = false;

    return read_rest(l, PACK_HEADER_MAX, is_zero, &found, e) &&
           (!found || err_set(e, ERR_INVALID,
                              "something that is not a part of it follows the compressed data"));
}

struct looking {
    str mark;
    size_t seen; /* how many bytes of the mark */
    struct zip_order *zip;
};

static bool look_for_mark(void *ctx, char byte)
{
    struct looking *k = ctx;

    k->seen = byte == k->mark.ptr[k->seen] ? k->seen + 1 : byte == k->mark.ptr[0];
    zip_take(k->zip, byte);
    return k->seen < k->mark.len && k->zip->outside <= PACK_HEADER_MAX;
}

/* To the library, a zip that is read in order ends where its directory begins, whatever follows. */
static bool check_next_zip(struct level *l, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct looking k = {.mark = STR("PK\003\004"), .zip = &l->zip};

    l->zip.entry = buf_new(a, BUF_UNLIMITED);
    if (!read_rest(l, PACK_LONG_DIRECTORY_MAX, look_for_mark, &k, e))
        return false;
    if (k.seen == k.mark.len)
        return err_set(e, ERR_INVALID, "another zip archive follows it");
    return zip_check_order(&l->zip, e);
}

/*
 * A tar ends with blocks of zeros. To the library, one that was cut between two members looks the
 * same: at most the padding of the last member follows, or a header with facts about the next one.
 */
static bool check_tar(const struct level *l, struct err *e)
{
    bool zeros = l->piece == PIECE || l->zeros >= TAR_BLOCK;

    return (zeros && place(l, 0) >= l->start + TAR_BLOCK) ||
           err_set(e, ERR_INVALID, "it ends without the mark of its end: members may be missing");
}

static bool is_zip(const struct level *l)
{
    return format_of(l) == ARCHIVE_FORMAT_ZIP;
}

/* At the end: checks that the library has not missed anything. */
static bool check_end(struct level *l, struct err *e)
{
    if (format_of(l) == ARCHIVE_FORMAT_TAR && !check_tar(l, e))
        return false;
    if (is_zip(l))
        return l->seeks ? zip_check(l->from, e) : check_next_zip(l, e);
    return l->piece != PIECE || check_rest(l, e);
}

/* The library gives the method of the current member with the name of the format. */
static bool is_windowed(const struct level *l)
{
    const char *name = is_zip(l) ? l->pack->lib->archive_format_name(l->lib) : NULL;

    return name && (str_contains(str_c(name), STR("lzma")) || str_contains(str_c(name), STR("xz")));
}

/* A member of a zip that is read in order is counted when all of it has been read. */
static void keep_zip_name(struct level *l, struct archive_entry *entry)
{
    const struct pack_lib *lib = l->pack->lib;

    if (!is_zip(l) || l->seeks)
        return;
    l->zip_member = true;
    buf_truncate(&l->zip_name, 0);
    buf_add(&l->zip_name, entry_name(lib, entry));
    /* The library has read the target of a link already. */
    l->zip.unsized |= is_link_or_device(lib, entry);
}

static void count_zip_member(struct level *l)
{
    if (!l->zip_member)
        return;
    l->zip_member = false;
    l->zip.unsized |= l->broken || l->unreadable;
    zip_count(&l->zip, buf_str(&l->zip_name), l->size);
}

static bool next_entry(struct level *l, struct archive_entry **entry, struct err *e)
{
    struct pack *p = l->pack;

    *entry = NULL;
    if (!skip_rest(l, e))
        return false;
    count_zip_member(l);
    if (!find_entry(l, entry, e)) {
        if (!l->seeks || l->asked <= PACK_DIRECTORY_MAX || !read_in_order(l, e) ||
            !find_entry(l, entry, e))
            return false;
        err_clear(e);
    }
    if (l->status == ARCHIVE_EOF) {
        *entry = NULL;
        return check_end(l, e);
    }
    l->open = true;
    keep_zip_name(l, *entry);
    remember_document(l, *entry, entry_name(p->lib, *entry));
    l->broken = l->holes = l->unreadable = false;
    l->warned = l->status == ARCHIVE_WARN;
    l->windowed = is_windowed(l);
    l->size = l->left = 0;
    la_int64_t declared = p->lib->archive_entry_size(*entry);
    l->declared = declared > 0 ? (uint64_t)declared : 0;
    if (++p->members <= PACK_MEMBERS_MAX)
        return check_size(p, 0, e);
    p->refused = true;
    return err_set(e, ERR_LIMIT, "it has more than %d members", PACK_MEMBERS_MAX);
}

static bool next_member(struct pack *p, struct arena *a, struct pack_member *out)
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
        bool reported = l->broken, ok = next_entry(l, &entry, &e);
        if (ok && entry) {
            if (take(p, a, entry, out))
                return true;
            continue;
        }
        if (!ok)
            give_fault(a, out, l->name, &e);
        pop(p);
        if (!ok && !reported)
            return true;
    }
    return false;
}

bool pack_next(struct pack *p, struct arena *a, struct pack_member *out)
{
    pack_locale_enter(p->locale);
    bool found = next_member(p, a, out);
    pack_locale_leave(p->locale);
    return found;
}
