/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_archive.c - archives made here byte by byte: intact, in pieces, broken, and crafted to take
 * memory or time.
 */
#include "../test.h"

#include "archive/archive.h"

#include <sys/resource.h>
#include <zlib.h>

/* ---- Making archives. ---- */

static void put_octal(char *to, int digits, size_t n)
{
    for (to[digits] = '\0'; digits > 0; n /= 8)
        to[--digits] = (char)('0' + n % 8);
}

/* target: of a link, else empty. */
static void add_link(struct buf *out, const char *name, size_t size, char type, const char *target)
{
    char block[512] = {0};
    unsigned sum = 0;

    memcpy(block, name, strlen(name));
    put_octal(block + 100, 7, 0644);
    put_octal(block + 124, 11, size);
    memset(block + 148, ' ', 8);
    block[156] = type;
    memcpy(block + 157, target, strlen(target));
    memcpy(block + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(block); i++)
        sum += (uint8_t)block[i];
    put_octal(block + 148, 6, sum);
    buf_add(out, str_of(block, sizeof(block)));
}

static void add_header(struct buf *out, const char *name, size_t size, char type)
{
    add_link(out, name, size, type, "");
}

static void add_member(struct buf *out, const char *name, const char *text)
{
    size_t size = strlen(text);

    add_header(out, name, size, '0');
    buf_add(out, str_c(text));
    buf_repeat(out, '\0', (512 - size % 512) % 512);
}

static str tar_of(struct arena *a, const char *name, const char *text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    add_member(&out, name, text);
    buf_repeat(&out, '\0', 1024);
    return buf_str(&out);
}

static str gzip_of(struct arena *a, str text)
{
    size_t room = text.len + text.len / 100 + 200;
    char *to = arena_alloc_text(a, room);
    z_stream z = {.next_in = (Bytef *)text.ptr,
                  .avail_in = (uInt)text.len,
                  .next_out = (Bytef *)to,
                  .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t len = z.total_out;
    deflateEnd(&z);
    return str_of(to, len);
}

static void add_le(struct buf *out, size_t n, int bytes)
{
    for (; bytes > 0; bytes--, n /= 256)
        buf_char(out, (char)(n % 256));
}

/* One member of a zip that is stored as it is; method and flags as given. */
struct zip {
    struct buf out, directory;
    size_t count;
};

static void zip_put(struct zip *z, const char *name, str text, unsigned method, unsigned flags,
                    size_t size)
{
    size_t at = buf_str(&z->out).len;
    size_t crc = method ? 0 : crc32(0, (const Bytef *)text.ptr, (uInt)text.len);
    struct buf *parts[] = {&z->out, &z->directory};

    for (size_t i = 0; i < 2; i++) {
        add_le(parts[i], i ? 0x02014b50 : 0x04034b50, 4);
        add_le(parts[i], 20, i ? 2 : 0);
        add_le(parts[i], 20, 2);
        add_le(parts[i], flags, 2);
        add_le(parts[i], method, 2);
        add_le(parts[i], 0, 4);
        add_le(parts[i], crc, 4);
        add_le(parts[i], text.len, 4);
        add_le(parts[i], size, 4);
        add_le(parts[i], strlen(name), 2);
        add_le(parts[i], 0, 2);
        if (i) {
            add_le(parts[i], 0, 10);
            add_le(parts[i], at, 4);
        }
        buf_add(parts[i], str_c(name));
    }
    buf_add(&z->out, text);
    z->count++;
}

static void zip_add(struct zip *z, const char *name, const char *text, unsigned method,
                    unsigned flags)
{
    zip_put(z, name, str_c(text), method, flags, strlen(text));
}

static str zip_end(struct zip *z)
{
    size_t at = buf_str(&z->out).len, size = buf_str(&z->directory).len;

    buf_add(&z->out, buf_str(&z->directory));
    add_le(&z->out, 0x06054b50, 4);
    add_le(&z->out, 0, 4);
    add_le(&z->out, z->count % 65536, 2);
    add_le(&z->out, z->count % 65536, 2);
    add_le(&z->out, size, 4);
    add_le(&z->out, at, 4);
    add_le(&z->out, 0, 2);
    return buf_str(&z->out);
}

/* ---- Reading them. ---- */

struct bytes {
    struct reader base;
    str text;
    size_t at, fails_at;
};

static bool read_bytes(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct bytes *b = (struct bytes *)r;
    size_t left = b->at < b->text.len ? b->text.len - b->at : 0;

    if (b->fails_at && b->at >= b->fails_at)
        return err_set(e, ERR_IO, "read a.tar: input/output error");
    *got = left < size ? left : size;
    if (b->fails_at && b->at + *got > b->fails_at)
        *got = b->fails_at - b->at;
    if (*got)
        memcpy(to, b->text.ptr + b->at, *got);
    b->at += *got;
    return true;
}

static int64_t seek_bytes(struct reader *r, int64_t offset, int whence)
{
    struct bytes *b = (struct bytes *)r;
    int64_t from = whence == SEEK_SET ? 0 : (int64_t)(whence == SEEK_CUR ? b->at : b->text.len);

    if (from + offset < 0)
        return -1;
    b->at = (size_t)(from + offset);
    return from + offset;
}

/* What reading a member gives, or its fault. */
static void show_text(struct buf *out, struct reader *r)
{
    char text[1000];
    size_t got = 1;
    AUTO_ERR e = {0};

    while (got) {
        if (!r->read(r, text, sizeof(text), &got, &e)) {
            buf_fmt(out, "<%.*s>", STR_ARG(e.text));
            return;
        }
        buf_add(out, str_of(text, got));
    }
}

/* All members on one line: kind, name and what they hold or why not. */
static str members_of(struct arena *a, struct bytes *b, const char *name, enum pack_use use)
{
    static const char kinds[] = "DIFfo";
    struct buf out = buf_new(a, 1 * MIB);
    struct pack_member m;

    b->base.read = read_bytes;
    struct pack *p = pack_open(a, str_c(name), &b->base, use);
    while (pack_next(p, a, &m)) {
        buf_fmt(&out, "%c %.*s %.*s", kinds[m.kind], STR_ARG(m.name), STR_ARG(m.reason));
        if (m.kind == PACK_DOCUMENTS)
            show_text(&out, m.reader);
        buf_char(&out, ';');
    }
    pack_close(p);
    return buf_str(&out);
}

static str show(struct arena *a, str text, bool seeks)
{
    struct bytes b = {.text = text, .base.seek = seeks ? seek_bytes : NULL};

    return members_of(a, &b, "a", PACK_FOR_DOCUMENTS);
}

/* ---- In pieces. ---- */

TEST(pieces_are_one_archive)
{
    AUTO_ARENA a = arena_new();
    str one = tar_of(a, "1.yaml", "one"), two = tar_of(a, "2.yaml", "two");
    str both = str_concat(a, one, two);
    const char *want = "D a!1.yaml one;D a!2.yaml two;";

    /* Tars behind each other, compressed as a whole, each, and cut anywhere. */
    assert_str(show(a, both, false), str_c(want));
    assert_str(show(a, gzip_of(a, both), false), str_c(want));
    assert_str(show(a, str_concat(a, gzip_of(a, one), gzip_of(a, two)), false), str_c(want));
    assert_str(
        show(a, str_concat(a, gzip_of(a, str_slice(both, 0, 700)), gzip_of(a, str_from(both, 700))),
             false),
        str_c(want));
    /* What follows the end of a tar and is none is told. */
    struct buf garbage = buf_new(a, 1 * MIB);
    buf_add(&garbage, one);
    buf_repeat(&garbage, '7', 600);
    assert_true(str_has_prefix(show(a, buf_str(&garbage), false), STR("D a!1.yaml one;F a ")));
}

TEST(compressed_documents_may_be_in_pieces)
{
    AUTO_ARENA a = arena_new();
    str text = str_concat(a, gzip_of(a, STR("kind: A\n")), gzip_of(a, STR("v: 1\n")));
    struct bytes b = {.text = text};

    assert_str(members_of(a, &b, "x.yaml.gz", PACK_FOR_DOCUMENTS),
               STR("D x.yaml.gz kind: A\nv: 1\n;"));
}

/* ---- Broken. ---- */

TEST(every_cut_is_told)
{
    AUTO_ARENA a = arena_new();
    str whole = gzip_of(a, tar_of(a, "1.yaml", "one and a half"));

    for (size_t len = 1; len < whole.len; len++)
        assert_true(str_contains(show(a, str_slice(whole, 0, len), false), STR("<")) ||
                    str_contains(show(a, str_slice(whole, 0, len), false), STR("F a ")));
}

/* A tar that was cut between two members has no mark of its end, packed or not. */
TEST(a_tar_without_its_end_is_told)
{
    AUTO_ARENA a = arena_new();
    str whole = tar_of(a, "1.yaml", "one and a half");
    const char *want = "D a!1.yaml one and a half;F a it ends without the mark of its end: members "
                       "may be missing;";

    assert_str(show(a, str_slice(whole, 0, 1024), false), str_c(want));
    assert_str(show(a, gzip_of(a, str_slice(whole, 0, 1024)), false), str_c(want));
    assert_str(show(a, str_slice(whole, 0, 1536), false), STR("D a!1.yaml one and a half;"));
    /* Neither is a header about the members that follow. */
    struct buf facts = buf_new(a, BUF_UNLIMITED);
    buf_add(&facts, str_slice(whole, 0, 1024));
    add_header(&facts, "pax_global_header", 13, 'g');
    buf_add(&facts, STR("13 comment=a\n"));
    buf_repeat(&facts, '\0', 512 - 13);
    assert_str(show(a, buf_str(&facts), false), str_c(want));
    assert_str(show(a, gzip_of(a, buf_str(&facts)), false), str_c(want));
    assert_str(show(a, str_concat(a, buf_str(&facts), tar_of(a, "2.yaml", "two")), false),
               STR("D a!1.yaml one and a half;D a!2.yaml two;"));
}

/* The long name is in an extended header: without it, the member does not look like a document. */
TEST(a_broken_extended_header_is_told)
{
    AUTO_ARENA a = arena_new();

    for (int broken = 0; broken < 2; broken++) {
        struct buf tar = buf_new(a, BUF_UNLIMITED);
        add_header(&tar, "x", 15, 'x');
        buf_add(&tar, broken ? STR("19 path=1.yaml\n") : STR("15 path=1.yaml\n"));
        buf_repeat(&tar, '\0', 512 - 15);
        add_member(&tar, "cut-name", "one");
        add_member(&tar, "2.yaml", "two");
        buf_repeat(&tar, '\0', 1024);
        assert_str(show(a, buf_str(&tar), false),
                   broken ? STR("F a!cut-name its header is broken, and its name may be wrong;"
                                "D a!2.yaml two;")
                          : STR("D a!1.yaml one;D a!2.yaml two;"));
    }
}

/* Whatever the locale: libarchive would have no name for it, and the document would be missing. */
TEST(names_beyond_ascii_are_read)
{
    AUTO_ARENA a = arena_new();

    for (int seeks = 0; seeks < 2; seeks++) {
        struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
        zip_add(&z, "müller/日本.yaml", "kind: A", 0, 0x800);
        zip_add(&z, "b.yaml", "kind: B", 0, 0x800);
        assert_str(show(a, zip_end(&z), seeks),
                   STR("D a!müller/日本.yaml kind: A;D a!b.yaml kind: B;"));
    }
}

TEST(members_without_a_name_are_told)
{
    AUTO_ARENA a = arena_new();
    struct buf tar = buf_new(a, BUF_UNLIMITED);
    struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
    const char *fault = "F a! it has no name, or one that is not UTF-8;";

    zip_add(&z, "\xFF.yaml", "kind: A", 0, 0x800);
    assert_str(show(a, zip_end(&z), true), str_c(fault));
    add_member(&tar, "", "one");
    buf_repeat(&tar, '\0', 1024);
    assert_str(show(a, buf_str(&tar), false), str_c(fault));
}

/* GNU tar: the rest of a file that begins in another volume. */
TEST(a_part_of_a_file_is_told)
{
    AUTO_ARENA a = arena_new();
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    add_member(&tar, "1.yaml", "one");
    add_header(&tar, "2.yaml", 512, 'M');
    buf_repeat(&tar, '#', 512);
    add_header(&tar, "2.log", 512, 'M');
    buf_repeat(&tar, '#', 512);
    buf_repeat(&tar, '\0', 1024);
    str got = show(a, buf_str(&tar), false);
    assert_true(str_has_prefix(got, STR("D a!1.yaml one;F a!2.yaml not a whole file")));
    assert_false(str_contains(got, STR("F a!2.log")));
}

/* What a link shows is read by the name of its target, unless that is none of a document. */
TEST(a_link_to_what_is_not_read_is_told)
{
    AUTO_ARENA a = arena_new();
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    add_member(&tar, "1.yaml", "one");
    add_member(&tar, "blob", "two");
    add_link(&tar, "2.yaml", 0, '1', "blob");
    add_link(&tar, "3.yaml", 0, '1', "1.yaml");
    buf_repeat(&tar, '\0', 1024);
    assert_str(show(a, buf_str(&tar), false),
               STR("D a!1.yaml one;F a!2.yaml a link to a member that is not read, because of its "
                   "name;I a!3.yaml links and devices are not followed;"));
}

/* As in a tar that was made without some folder. */
TEST(a_link_to_what_is_not_there_is_told)
{
    AUTO_ARENA a = arena_new();
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    add_link(&tar, "0.yaml", 0, '1', "1.yaml");
    add_member(&tar, "1.yaml", "one");
    add_link(&tar, "2.yaml", 0, '1', "gone.yaml");
    add_link(&tar, "3.yaml", 0, '1', "1.yaml");
    add_link(&tar, "4.yaml", 0, '1', "./3.yaml");
    add_link(&tar, "5.yaml", 0, '1', "5.yaml");
    buf_repeat(&tar, '\0', 1024);
    assert_str(show(a, buf_str(&tar), false),
               STR("F a!0.yaml a link to a member that does not come before it;D a!1.yaml one;"
                   "F a!2.yaml a link to a member that does not come before it;"
                   "I a!3.yaml links and devices are not followed;"
                   "I a!4.yaml links and devices are not followed;"
                   "F a!5.yaml a link to a member that does not come before it;"));
}

TEST(names_are_taken_as_they_are_written)
{
    AUTO_ARENA a = arena_new();
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    add_member(&tar, "1.yaml", "one");
    add_member(&tar, "2.YAML", "two");
    add_member(&tar, "3.Json", "three");
    buf_repeat(&tar, '\0', 1024);
    assert_str(show(a, buf_str(&tar), false), STR("D a!1.yaml one;"));
}

/* The library would not look at the checksum of what is packed twice. */
TEST(gzip_within_gzip_is_checked)
{
    AUTO_ARENA a = arena_new();
    str once = gzip_of(a, STR("kind: A\n")), broken = str_copy(a, once);
    struct bytes twice = {.text = gzip_of(a, once)};
    struct bytes thrice = {.text = gzip_of(a, twice.text)};

    assert_str(members_of(a, &twice, "x.yaml.gz", PACK_FOR_DOCUMENTS),
               STR("D x.yaml.gz kind: A\n;"));
    assert_true(str_contains(members_of(a, &thrice, "x.yaml.gz", PACK_FOR_DOCUMENTS),
                             STR("it is packed by gzip more than twice")));
    ((char *)broken.ptr)[broken.len - 8] ^= 1;
    struct bytes b = {.text = gzip_of(a, broken)};
    assert_true(str_contains(members_of(a, &b, "x.yaml.gz", PACK_FOR_DOCUMENTS),
                             STR("the gzip data is broken: incorrect ")));
}

/* Every bit of the checksum and the length, and what follows them. */
TEST(gzip_that_is_changed_is_told)
{
    AUTO_ARENA a = arena_new();
    str whole = gzip_of(a, STR("kind: A\n"));

    for (size_t i = 0; i < 64; i++) {
        str copy = str_copy(a, whole);
        ((char *)copy.ptr)[whole.len - 1 - i / 8] ^= (char)(1 << i % 8);
        struct bytes b = {.text = copy};
        str got = members_of(a, &b, "x.yaml.gz", PACK_FOR_DOCUMENTS);
        assert_true(str_contains(got, STR("the gzip data is broken: incorrect ")));
    }
    struct bytes behind = {.text = str_concat(a, whole, STR("kind: B\n"))};
    assert_true(str_contains(members_of(a, &behind, "x.yaml.gz", PACK_FOR_DOCUMENTS),
                             STR("something that is not gzip follows")));
    struct bytes filled = {.text = str_concat(a, whole, STR("\0\0\0"))};
    assert_str(members_of(a, &filled, "x.yaml.gz", PACK_FOR_DOCUMENTS),
               STR("D x.yaml.gz kind: A\n;"));
}

/* "kind: A\n", packed. */
static const unsigned char bzip2[] = {
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xee, 0x26, 0x7d,
    0x7a, 0x00, 0x00, 0x03, 0x5d, 0x00, 0x00, 0x10, 0x40, 0x00, 0x00, 0x10, 0x20,
    0x00, 0x04, 0x29, 0x20, 0x00, 0x22, 0x06, 0x27, 0xa8, 0x43, 0x02, 0x12, 0x6c,
    0x38, 0xf1, 0x77, 0x24, 0x53, 0x85, 0x09, 0x0e, 0xe2, 0x67, 0xd7, 0xa0};
static const unsigned char xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
    0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00, 0x07, 0x6b, 0x69, 0x6e, 0x64, 0x3a,
    0x20, 0x41, 0x0a, 0x00, 0xdf, 0x8d, 0xc1, 0x61, 0xaf, 0x24, 0x8d, 0x80, 0x00, 0x01, 0x20, 0x08,
    0xbb, 0x19, 0xd9, 0xbb, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x08, 0x41, 0x00, 0x00,
                                     0x6b, 0x69, 0x6e, 0x64, 0x3a, 0x20, 0x41, 0x0a};

/* The library would end there as if that were all. */
TEST(what_follows_compressed_data_is_told)
{
    static const struct {
        const char *name;
        const unsigned char *bytes;
        size_t len;
    } cases[] = {{"x.yaml.bz2", bzip2, sizeof(bzip2)},
                 {"x.yaml.xz", xz, sizeof(xz)},
                 {"x.yaml.zst", zstd, sizeof(zstd)}};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        str packed = str_of((const char *)cases[i].bytes, cases[i].len);
        struct bytes alone = {.text = packed};
        struct bytes behind = {.text = str_concat(a, packed, STR("kind: B\nkind: C\n"))};
        str got = members_of(a, &alone, cases[i].name, PACK_FOR_DOCUMENTS);
        assert_str(got, str_fmt(a, "D %s kind: A\n;", cases[i].name));
        got = members_of(a, &behind, cases[i].name, PACK_FOR_DOCUMENTS);
        if (!str_contains(got, STR("F ")) && !str_contains(got, STR("<")))
            fail_msg("%.*s", STR_ARG(got));
    }
    struct bytes filled = {
        .text = str_concat(a, str_of((const char *)bzip2, sizeof(bzip2)), str_of("\0\0\0\0\0", 5))};
    assert_str(members_of(a, &filled, "x.yaml.bz2", PACK_FOR_DOCUMENTS),
               STR("D x.yaml.bz2 kind: A\n;"));
}

/* "a: 1\n" with a dictionary of 192 MiB. */
static const unsigned char wide_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x00, 0xff, 0x12, 0xd9, 0x41, 0x02, 0x00,
    0x21, 0x01, 0x1f, 0x00, 0x00, 0x00, 0xfe, 0x60, 0xed, 0xde, 0x01, 0x00, 0x04, 0x61,
    0x3a, 0x20, 0x31, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x15, 0x05, 0xb0, 0xa7,
    0x59, 0x67, 0x06, 0x72, 0x9e, 0x7a, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x59, 0x5a};

/* The library would allow 1 GiB for each of several archives in each other. */
TEST(xz_that_takes_much_memory_is_refused)
{
    static const char fault[] = "unpacking it takes more memory than the limit of 134217728 bytes";
    AUTO_ARENA a = arena_new();
    str small = str_of((const char *)xz, sizeof(xz));
    str wide = str_of((const char *)wide_xz, sizeof(wide_xz));
    str padded = str_concat(a, small, str_of("\0\0\0\0", 4));
    struct bytes first = {.text = wide}, later = {.text = str_concat(a, padded, wide)};
    struct bytes fine = {.text = str_concat(a, padded, small)};

    assert_true(str_contains(members_of(a, &first, "x.yaml.xz", PACK_FOR_DOCUMENTS), str_c(fault)));
    assert_true(str_contains(members_of(a, &later, "x.yaml.xz", PACK_FOR_DOCUMENTS), str_c(fault)));
    assert_str(members_of(a, &fine, "x.yaml.xz", PACK_FOR_DOCUMENTS),
               STR("D x.yaml.xz kind: A\nkind: A\n;"));
}

/* Whichever of the two is read, the other one is missed. */
TEST(zips_behind_each_other_are_told)
{
    AUTO_ARENA a = arena_new();

    for (int seeks = 0; seeks < 2; seeks++) {
        struct zip one = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
        struct zip two = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
        zip_add(&one, "a.yaml", "kind: A", 0, 0);
        zip_add(&two, "b.yaml", "kind: B", 0, 0);
        str first = zip_end(&one), second = zip_end(&two);
        assert_str(show(a, first, seeks), STR("D a!a.yaml kind: A;"));
        assert_str(show(a, str_concat(a, first, second), seeks),
                   seeks ? str_fmt(a,
                                   "D a!b.yaml kind: B;F a %zu bytes come before it that are not a "
                                   "part of it, such as another archive;",
                                   first.len)
                         : STR("D a!a.yaml kind: A;F a another zip archive follows it;"));
    }
    struct zip one = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
    zip_add(&one, "a.yaml", "kind: A", 0, 0);
    str text = str_copy(a, zip_end(&one)), comment = STR("PK\005\006 is how a zip ends, they say");
    assert_str(show(a, str_concat(a, text, STR("\0\0\0")), true), STR("D a!a.yaml kind: A;"));
    assert_str(show(a, str_concat(a, text, tar_of(a, "b.yaml", "kind: B")), true),
               STR("D a!a.yaml kind: A;F a something that is not a part of it follows it;"));
    /* So much that the end of the directory is not found. */
    struct buf far = buf_new(a, 1 * MIB);
    buf_add(&far, text);
    buf_repeat(&far, '7', 100000);
    assert_str(
        show(a, buf_str(&far), true),
        STR("D a!a.yaml kind: A;F a its directory has no end, or something else follows it;"));
    /* A comment is a part of it, whatever it looks like. */
    ((char *)text.ptr)[text.len - 2] = (char)comment.len;
    assert_str(show(a, str_concat(a, text, comment), true), STR("D a!a.yaml kind: A;"));
}

TEST(zip_that_is_changed_is_told)
{
    AUTO_ARENA a = arena_new();

    for (int seeks = 0; seeks < 2; seeks++) {
        struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
        zip_add(&z, "a.yaml", "kind: A", 0, 0);
        zip_add(&z, "b.log", "log: B", 0, 0);
        zip_add(&z, "c.yaml", "kind: C", 0, 0);
        str text = zip_end(&z);
        ((char *)text.ptr)[str_find(text, STR("kind: A")) + 6] = 'X';
        ((char *)text.ptr)[str_find(text, STR("log: B")) + 5] = 'X';
        str got = show(a, text, seeks);
        assert_true(str_contains(got, STR("ZIP bad CRC")));
        /* What nobody wants may be changed. */
        assert_true(str_has_suffix(got, STR("D a!c.yaml kind: C;")));
    }
}

/* Two documents and the directory behind them. */
static str two_documents(struct arena *a)
{
    struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};

    zip_add(&z, "a.yaml", "v: A", 0, 0);
    zip_add(&z, "b.yaml", "v: B", 0, 0);
    return str_copy(a, zip_end(&z));
}

#define ZIP_MEMBER 40
#define ZIP_ENTRY 52

TEST(a_zip_whose_directory_does_not_fit_its_members_is_told)
{
    static const struct {
        size_t at;
        char byte;
        const char *want;
    } cases[] = {
        /* The last letter of the name in the header of the second member, and in its entry. */
        {ZIP_MEMBER + 35, 'x', "F a its directory has another name for a member than the member;"},
        {2 * ZIP_MEMBER + 2 * ZIP_ENTRY - 1, 'x',
         "F a its directory has another name for a member than the member;"},
        /* A folder, by what the entry says of its mode. */
        {2 * ZIP_MEMBER + ZIP_ENTRY + 41, 0x40, "F a!b.yaml/ a folder that has content;"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        str text = two_documents(a);
        if (cases[i].byte == 0x40)
            ((char *)text.ptr)[2 * ZIP_MEMBER + ZIP_ENTRY + 5] = 3;
        ((char *)text.ptr)[cases[i].at] = cases[i].byte;
        str got = show(a, text, true);
        if (!str_contains(got, str_c(cases[i].want)))
            fail_msg("case %zu: %.*s", i, STR_ARG(got));
    }
}

/* Which entry is that of which member is not known then, only that the names differ. */
TEST(a_zip_that_is_read_in_order_has_to_fit_its_directory)
{
    static const size_t places[] = {ZIP_MEMBER + 35, 2 * ZIP_MEMBER + 2 * ZIP_ENTRY - 1,
                                    2 * ZIP_MEMBER + ZIP_ENTRY};

    for (size_t i = 0; i < COUNT(places); i++) {
        AUTO_ARENA a = arena_new();
        struct buf tar = buf_new(a, BUF_UNLIMITED);
        str text = two_documents(a);
        assert_str(show(a, text, false), STR("D a!a.yaml v: A;D a!b.yaml v: B;"));
        ((char *)text.ptr)[places[i]] ^= 1;
        str got = show(a, text, false);
        assert_true(
            str_has_suffix(got, STR("F a its directory has other names than its members;")));
        /* Within another archive. */
        add_header(&tar, "in.zip", text.len, '0');
        buf_add(&tar, text);
        buf_repeat(&tar, '\0', 512 - text.len % 512 + 1024);
        got = show(a, buf_str(&tar), true);
        assert_true(str_contains(got, STR("F a!in.zip its directory has other names")));
    }
}

/* The same members with a directory as that of more than 4 GiB has it. */
static str large_zip(struct arena *a)
{
    str small = two_documents(a);
    size_t start = (size_t)2 * ZIP_MEMBER, len = 0;
    struct buf b = buf_new(a, 1 * MIB);

    buf_add(&b, str_slice(small, 0, start));
    for (size_t i = 0; i < 2; i++) {
        str entry = str_slice(small, start + i * ZIP_ENTRY, start + (i + 1) * ZIP_ENTRY);
        len += ZIP_ENTRY + 4 + 24;
        buf_add(&b, str_slice(entry, 0, 20));
        add_le(&b, UINT32_MAX, 4);
        add_le(&b, UINT32_MAX, 4);
        buf_add(&b, str_slice(entry, 28, 30));
        add_le(&b, 28, 2);
        buf_add(&b, str_slice(entry, 32, 42));
        add_le(&b, UINT32_MAX, 4);
        buf_add(&b, str_from(entry, 46));
        add_le(&b, 1, 2);
        add_le(&b, 24, 2);
        add_le(&b, 4, 8);
        add_le(&b, 4, 8);
        add_le(&b, i * ZIP_MEMBER, 8);
    }
    add_le(&b, 0x06064b50, 4);
    add_le(&b, 44, 8);
    add_le(&b, 45 << 16 | 45, 4);
    add_le(&b, 0, 8);
    add_le(&b, 2, 8);
    add_le(&b, 2, 8);
    add_le(&b, len, 8);
    add_le(&b, start, 8);
    add_le(&b, 0x07064b50, 4);
    add_le(&b, 0, 4);
    add_le(&b, start + len, 8);
    add_le(&b, 1, 4);
    add_le(&b, 0x06054b50, 4);
    add_le(&b, 0, 4);
    add_le(&b, 2, 2);
    add_le(&b, 2, 2);
    add_le(&b, UINT32_MAX, 4);
    add_le(&b, UINT32_MAX, 4);
    add_le(&b, 0, 2);
    return buf_str(&b);
}

TEST(the_directory_of_a_large_zip_has_to_fit_its_members)
{
    static const struct {
        size_t at;
        const char *want;
    } cases[] = {
        {ZIP_MEMBER + 35, "F a its directory has another name for a member than the member;"},
        {2 * ZIP_MEMBER + ZIP_ENTRY - 1,
         "F a its directory has another name for a member than the member;"},
        /* The place of the second member. */
        {2 * ZIP_MEMBER + 2 * (ZIP_ENTRY + 28) - 8, "F a "},
        /* The end says how long the directory is: only the first entry. */
        {2 * ZIP_MEMBER + 2 * (ZIP_ENTRY + 28) + 40, "F a "},
    };

    for (int seeks = 0; seeks < 2; seeks++) {
        AUTO_ARENA a = arena_new();
        assert_str(show(a, large_zip(a), seeks), STR("D a!a.yaml v: A;D a!b.yaml v: B;"));
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        str text = large_zip(a);
        ((char *)text.ptr)[cases[i].at] ^= i == 2 ? ZIP_MEMBER : i == 3 ? 0xF0 : 1;
        str got = show(a, text, true);
        if (!str_contains(got, str_c(cases[i].want)))
            fail_msg("case %zu: %.*s", i, STR_ARG(got));
    }
}

/* As with one flipped bit, where sizes and checksums stand behind the members. */
TEST(a_member_that_looks_empty_is_told)
{
    AUTO_ARENA a = arena_new();
    struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};

    zip_add(&z, "a.yaml", "kind: A", 0, 0);
    zip_add(&z, "b.yaml", "kind: B", 0, 0);
    str text = str_copy(a, zip_end(&z));
    memset((char *)text.ptr + 14, 0, 12);
    assert_str(show(a, text, false), STR("D a!a.yaml ;D a!b.yaml kind: B;"
                                         "F a its directory has other sizes than its members;"));
}

TEST(two_members_in_one_place_of_a_zip_are_told)
{
    AUTO_ARENA a = arena_new();
    struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};

    zip_add(&z, "a.yaml", "v: A", 0, 0);
    zip_add(&z, "a.yaml", "v: B", 0, 0);
    str text = str_copy(a, zip_end(&z));
    assert_str(show(a, text, true), STR("D a!a.yaml v: A;D a!a.yaml v: B;"));
    ((char *)text.ptr)[2 * ZIP_MEMBER + ZIP_ENTRY + 42] = 0;
    assert_true(
        str_contains(show(a, text, true), STR("F a its directory has two members in one place;")));
}

/* Thousands of entries for one member with a long name: each would keep the name of its own. */
TEST(names_that_a_directory_leads_to_take_no_memory_each)
{
    AUTO_ARENA a = arena_new();
    struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
    char name[60001];
    struct rusage before, after;

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    zip_add(&z, name, "", 0, 0);
    buf_truncate(&z.directory, 0);
    for (z.count = 0; z.count < 5000; z.count++) {
        add_le(&z.directory, 0x02014b50, 4);
        add_le(&z.directory, 20 << 16 | 20, 4);
        buf_repeat(&z.directory, '\0', 20);
        add_le(&z.directory, 1, 2);
        buf_repeat(&z.directory, '\0', 16);
        buf_char(&z.directory, 'x');
    }
    str text = zip_end(&z);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_true(str_contains(show(a, text, true), STR("its directory has two members in one")));
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024);
}

TEST(a_member_that_the_directory_of_a_zip_leaves_out_is_told)
{
    AUTO_ARENA a = arena_new();
    str text = two_documents(a);
    struct buf b = buf_new(a, 1 * MIB);
    size_t end = 2 * ZIP_MEMBER + 2 * ZIP_ENTRY;

    assert_str(show(a, text, true), STR("D a!a.yaml v: A;D a!b.yaml v: B;"));
    buf_add(&b, str_slice(text, 0, end - ZIP_ENTRY));
    add_le(&b, 0x06054b50, 4);
    add_le(&b, 0, 4);
    add_le(&b, 1, 2);
    add_le(&b, 1, 2);
    add_le(&b, ZIP_ENTRY, 4);
    add_le(&b, (size_t)2 * ZIP_MEMBER, 4);
    add_le(&b, 0, 2);
    assert_str(show(a, buf_str(&b), true),
               STR("D a!a.yaml v: A;F a it has a member that its directory does not list;"));
}

TEST(faults_of_the_reader_arrive)
{
    AUTO_ARENA a = arena_new();
    str whole = str_concat(a, tar_of(a, "1.yaml", "one"), tar_of(a, "2.yaml", "two"));
    str packed = gzip_of(a, whole);

    for (size_t at = 1; at < packed.len; at++) {
        struct bytes b = {.text = packed, .fails_at = at};
        assert_true(str_contains(members_of(a, &b, "a", PACK_FOR_DOCUMENTS),
                                 STR("read a.tar: input/output error")));
    }
}

TEST(what_nobody_wants_may_be_unreadable)
{
    AUTO_ARENA a = arena_new();

    for (int seeks = 0; seeks < 2; seeks++) {
        struct zip z = {buf_new(a, 1 * MIB), buf_new(a, 1 * MIB), 0};
        zip_add(&z, "a.log", "text", 9, 0);
        zip_add(&z, "locked.yaml", "text", 0, 1);
        zip_add(&z, "b.yaml", "good", 0, 0);
        str got = show(a, zip_end(&z), seeks);
        assert_true(str_has_prefix(got, STR("D a!locked.yaml <")));
        assert_true(str_has_suffix(got, STR("D a!b.yaml good;")));
    }
}

/* ---- Meant to harm. ---- */

/* Kilobytes that the program has had at most. */
static long peak(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A header of an old tar with a map of holes that goes on in the next block. */
static void add_sparse_header(struct buf *out)
{
    unsigned sum = 0;

    add_header(out, "a.log", 0, 'S');
    char *header = (char *)buf_str(out).ptr;
    memcpy(header + 257, "ustar  ", 8);
    put_octal(header + 386, 11, 0);
    put_octal(header + 398, 11, 1);
    header[482] = 1;
    put_octal(header + 483, 11, 1 << 20);
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += (uint8_t)header[i];
    put_octal(header + 148, 6, sum);
}

TEST(names_cannot_take_unbounded_memory)
{
    AUTO_ARENA a = arena_new();
    struct buf gzip = buf_new(a, BUF_UNLIMITED);

    /* The name of a compressed file that does not end. */
    buf_add(&gzip, STR("\x1F\x8B\x08\x08\0\0\0\0\0\0"));
    buf_repeat(&gzip, 'x', 64 * MIB);
    assert_str(show(a, buf_str(&gzip), false), STR("F a no member begins within 16777216 bytes;"));
}

TEST(maps_cannot_take_unbounded_memory)
{
    AUTO_ARENA a = arena_new();
    struct buf map = buf_new(a, BUF_UNLIMITED);
    char block[512] = {0};

    add_sparse_header(&map);
    for (size_t i = 0; i < 42; i++)
        put_octal(block + 12 * i, 11, 0);
    block[504] = 1;
    for (size_t i = 0; i < 64 * MIB / 512; i++)
        buf_add(&map, str_of(block, sizeof(block)));
    str packed = gzip_of(a, buf_str(&map));
    long before = peak();
    assert_str(show(a, buf_str(&map), false), STR("F a no member begins within 16777216 bytes;"));
    assert_str(show(a, packed, false), STR("F a no member begins within 16777216 bytes;"));
    /* The library takes some 50 bytes for 24 of the map, and sanitizers more. */
    assert_true(peak() - before < 200 * 1024);
}

/* What deflate makes of zeros. */
static str deflated_zeros(struct arena *a, size_t size)
{
    char *zeros = arena_alloc_text(a, size);

    memset(zeros, 0, size);
    str gzip = gzip_of(a, str_of(zeros, size));
    return str_slice(gzip, 10, gzip.len - 8);
}

TEST(zips_that_explode_are_given_up)
{
    AUTO_ARENA a = arena_new();
    struct zip many = {buf_new(a, 16 * MIB), buf_new(a, 1 * MIB), 0}, outer = many;
    str zeros = deflated_zeros(a, 16 * MIB);
    const char *want = "it unpacks to more than 200 times its size, which is not trusted;";

    for (int i = 0; i < 20; i++)
        zip_put(&many, "zeros.log", zeros, 8, 0, 16 * MIB);
    str zip = zip_end(&many);
    assert_true(str_has_suffix(show(a, zip, true), str_c(want)));
    assert_true(str_has_suffix(show(a, zip, false), str_c(want)));
    /* Within another one. */
    outer.out = buf_new(a, 16 * MIB);
    outer.directory = buf_new(a, 1 * MIB);
    zip_put(&outer, "inner.zip", zip, 0, 0, zip.len);
    assert_true(str_has_suffix(show(a, zip_end(&outer), true), str_c(want)));
}

TEST(emptiness_ends)
{
    AUTO_ARENA a = arena_new();
    struct buf zeros = buf_new(a, BUF_UNLIMITED);

    buf_add(&zeros, tar_of(a, "1.yaml", "one"));
    buf_repeat(&zeros, '\0', 40 * MIB);
    assert_str(show(a, gzip_of(a, buf_str(&zeros)), false),
               STR("D a!1.yaml one;F a no member begins within 16777216 bytes;"));
    /* Padding is fine. */
    assert_str(show(a, str_slice(buf_str(&zeros), 0, 1 * MIB), false), STR("D a!1.yaml one;"));
}

TEST(a_large_directory_is_not_kept)
{
    AUTO_ARENA a = arena_new();
    struct zip z = {buf_new(a, BUF_UNLIMITED), buf_new(a, BUF_UNLIMITED), 0};
    char name[100];

    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof(name), "must-gather/namespaces/some-namespace/pods/%d.log", i);
        zip_add(&z, name, "", 0, 0);
    }
    zip_add(&z, "b.yaml", "good", 0, 0);
    assert_true(buf_str(&z.directory).len > PACK_DIRECTORY_MAX);
    assert_str(show(a, zip_end(&z), true), STR("D a!b.yaml good;"));
}

TEST(long_names_are_cut)
{
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);

    add_header(&out, "././@LongLink", 100000, 'L');
    buf_repeat(&out, 'n', 99995);
    buf_add(&out, STR(".yaml"));
    buf_repeat(&out, '\0', (512 - 100000 % 512) % 512);
    add_member(&out, "n", "text");
    buf_repeat(&out, '\0', 1024);
    str got = show(a, buf_str(&out), false);
    assert_true(str_has_suffix(got, STR("... its name is too long;")));
    assert_true(got.len < 200);
}

/* ---- As a folder. ---- */

TEST(as_a_folder_every_member_is_given)
{
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, 1 * MIB);

    add_header(&out, "d/", 0, '5');
    add_member(&out, "d/1.yaml", "one");
    add_member(&out, "d/in.tar", "none");
    add_header(&out, "d/2.yaml", 0, '2');
    add_member(&out, "../3.yaml", "three");
    buf_repeat(&out, '\0', 1024);
    struct bytes b = {.text = buf_str(&out)};
    assert_str(members_of(a, &b, "a", PACK_AS_FOLDER),
               STR("f a!d/ ;D a!d/1.yaml one;o a!d/in.tar ;"
                   "I a!d/2.yaml links and devices are not followed;"
                   "I a!../3.yaml its name leads out of the archive;"));
}

RUN_TESTS(cmocka_unit_test(pieces_are_one_archive),
          cmocka_unit_test(compressed_documents_may_be_in_pieces),
          cmocka_unit_test(every_cut_is_told), cmocka_unit_test(a_tar_without_its_end_is_told),
          cmocka_unit_test(a_broken_extended_header_is_told),
          cmocka_unit_test(names_beyond_ascii_are_read),
          cmocka_unit_test(members_without_a_name_are_told),
          cmocka_unit_test(a_part_of_a_file_is_told),
          cmocka_unit_test(a_link_to_what_is_not_read_is_told),
          cmocka_unit_test(a_link_to_what_is_not_there_is_told),
          cmocka_unit_test(names_are_taken_as_they_are_written),
          cmocka_unit_test(gzip_within_gzip_is_checked),
          cmocka_unit_test(gzip_that_is_changed_is_told),
          cmocka_unit_test(what_follows_compressed_data_is_told),
          cmocka_unit_test(xz_that_takes_much_memory_is_refused),
          cmocka_unit_test(zips_behind_each_other_are_told),
          cmocka_unit_test(zip_that_is_changed_is_told),
          cmocka_unit_test(a_zip_whose_directory_does_not_fit_its_members_is_told),
          cmocka_unit_test(a_zip_that_is_read_in_order_has_to_fit_its_directory),
          cmocka_unit_test(the_directory_of_a_large_zip_has_to_fit_its_members),
          cmocka_unit_test(a_member_that_looks_empty_is_told),
          cmocka_unit_test(two_members_in_one_place_of_a_zip_are_told),
          cmocka_unit_test(names_that_a_directory_leads_to_take_no_memory_each),
          cmocka_unit_test(a_member_that_the_directory_of_a_zip_leaves_out_is_told),
          cmocka_unit_test(faults_of_the_reader_arrive),
          cmocka_unit_test(what_nobody_wants_may_be_unreadable),
          cmocka_unit_test(names_cannot_take_unbounded_memory),
          cmocka_unit_test(maps_cannot_take_unbounded_memory),
          cmocka_unit_test(zips_that_explode_are_given_up), cmocka_unit_test(emptiness_ends),
          cmocka_unit_test(a_large_directory_is_not_kept), cmocka_unit_test(long_names_are_cut),
          cmocka_unit_test(as_a_folder_every_member_is_given))
