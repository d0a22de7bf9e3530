/* SPDX-License-Identifier: Apache-2.0 */
/* Images of our own test registry: names, layers, indexes, digests, types, sizes, redirects. */
#include "../test.h"

#include "../../support/registry.h"
#include "oci/internal.h"
#include "compare/reference/root_internal.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- Images. ---- */

static void add(struct buf *tar, const char *name, char type, const char *text, const char *link)
{
    tar_add(tar, name, type, str_c(text), link);
}

/* Three layers: plain, gzip, zstd. */
static str make_manifest(struct registry *g)
{
    struct buf one = buf_new(g->a, BUF_UNLIMITED), two = buf_new(g->a, BUF_UNLIMITED);
    struct buf three = buf_new(g->a, BUF_UNLIMITED);

    add(&one, "ref/metadata.yaml", '0', "old\n", "");
    add(&one, "ref/gone.yaml", '0', "gone\n", "");
    add(&one, "ref/sub/lost.yaml", '0', "lost\n", "");
    add(&one, "ref/stays.yaml", '0', "stays\n", "");
    add(&one, "ref/name.yaml", '0', "shared\n", "");
    add(&one, "ref/other-name.yaml", '1', "", "ref/name.yaml");
    add(&one, "ref/turns", '0', "was a file\n", "");
    add(&one, "ref/to-link/x.yaml", '0', "below a folder\n", "");
    add(&one, "etc/passwd", '0', "not wanted\n", "");
    add(&two, "./ref/metadata.yaml", '0', "new\n", "");
    add(&two, "ref/.wh.gone.yaml", '0', "", "");
    add(&two, "ref/.wh.name.yaml", '0', "", "");
    add(&two, "ref/sub/.wh..wh..opq", '0', "", "");
    add(&two, "ref/sub/fresh.yaml", '0', "fresh\n", "");
    add(&two, "ref/turns/x.yaml", '0', "in a folder\n", "");
    add(&two, "ref/to-link", '2', "", "sub");
    add(&three, "ref/link.yaml", '2', "", "sub/fresh.yaml");
    add(&three, "ref/hard.yaml", '1', "", "ref/stays.yaml");
    add(&three, "ref/out.yaml", '2', "", "/etc/passwd");
    add(&three, "ref/loop.yaml", '2', "", "loop.yaml");
    add(&three, "ref/root", '2', "", "/");
    add(&three, "ref/\xC3\xA9.yaml", '0', "accent\n", "");
    const str digests[] = {registry_add_blob(g, tar_end(&one)),
                           registry_add_blob(g, test_gzip(g->a, tar_end(&two))),
                           registry_add_blob(g, test_zstd(g->a, tar_end(&three)))};
    return registry_manifest(g, digests, COUNT(digests));
}

/* The image as "1.0", in an index with one for another system. */
static str begin(struct registry *g)
{
    registry_begin(g);
    str digest = registry_tag(g, STR_NONE, make_manifest(g));
    registry_tag(g, STR("1.0"),
                 str_fmt(g->a,
                         "{\"manifests\":[{\"digest\":\"sha256:00\",\"platform\":{\"os\":"
                         "\"windows\",\"architecture\":\"amd64\"}},{\"digest\":\"%.*s\","
                         "\"platform\":{\"os\":\"linux\",\"architecture\":\"none\"}}]}",
                         STR_ARG(digest)));
    return digest;
}

static str reference_to(struct registry *g, const char *image, const char *path)
{
    return str_fmt(g->a, "container://127.0.0.1:%u/org/ref%s:%s", registry_port(g), image, path);
}

static void assert_file(struct arena *a, const struct root *root, const char *name,
                        const char *want)
{
    AUTO_ERR e = {0};
    str text = STR_NONE;

    assert_str(root_read(a, root, str_c(name), &text, &e) ? text : e.text, str_c(want));
}

/* What metadata.yaml of an image holds, or why not. */
static str metadata_of(struct registry *g, const char *image)
{
    AUTO_ERR e = {0};
    struct root root;
    str file, text = STR_NONE;
    bool ok = root_open(g->a, reference_to(g, image, "/ref/metadata.yaml"), &root, &file, &e) &&
              root_read(g->a, &root, file, &text, &e);

    root_close(&root);
    return ok ? text : str_copy(g->a, e.text);
}

static void assert_fails(struct registry *g, const char *image, const char *with)
{
    str got = metadata_of(g, image);

    if (!str_contains(got, str_c(with)))
        assert_str(got, str_c(with));
}

/* An image of one layer, described by the rest of its descriptor. */
static void tag_layer(struct registry *g, const char *tag, str digest, const char *more)
{
    registry_tag(g, str_c(tag),
                 str_fmt(g->a, "{\"layers\":[{\"digest\":\"%.*s\"%s}]}", STR_ARG(digest), more));
}

static str small_layer(struct registry *g, const char *text)
{
    struct buf tar = buf_new(g->a, BUF_UNLIMITED);

    add(&tar, "ref/metadata.yaml", '0', text, "");
    return registry_add_blob(g, tar_end(&tar));
}

/* ---- Tests. ---- */

static const struct {
    const char *text, *registry, *repository, *tag, *digest;
} names[] = {
    {"name:1", "docker.io", "library/name", "1", ""},
    {"org/name:1.2-X", "docker.io", "org/name", "1.2-X", ""},
    {"quay.io/org/name:v1", "quay.io", "org/name", "v1", ""},
    {"localhost:5000/name:v1", "localhost:5000", "name", "v1", ""},
    {"h.io:443/a/b/c@sha256:ab", "h.io:443", "a/b/c", "", "sha256:ab"},
    {"a.io/b:t@sha256:ab", "a.io", "b", "t", "sha256:ab"},
};

TEST(names_are_read_as_docker_reads_them)
{
    static const char *const bad[] = {"",         "name", "h.io:5000/name", "a//b:1", "UPPER:1",
                                      "a/../b:1", "a:",   "a@b/c",          "a:b c"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct image_name n;

    for (size_t i = 0; i < COUNT(names); i++) {
        assert_ok(image_name_parse(a, str_c(names[i].text), &n, &e), &e);
        assert_str(n.registry, str_c(names[i].registry));
        assert_str(n.repository, str_c(names[i].repository));
        assert_str(n.tag, str_c(names[i].tag));
        assert_str(n.digest, str_c(names[i].digest));
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(image_name_parse(a, str_c(bad[i]), &n, &e));
}

TEST(layers_hide_and_white_out_what_is_below)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"metadata.yaml", "new\n"},
        {"stays.yaml", "stays\n"},
        {"sub/fresh.yaml", "fresh\n"},
        {"link.yaml", "fresh\n"},
        {"hard.yaml", "stays\n"},
        {"other-name.yaml", "shared\n"},
        {"turns/x.yaml", "in a folder\n"},
        {"turns", "open turns: no such file or directory"},
        {"to-link/fresh.yaml", "fresh\n"},
        {"to-link/x.yaml", "open to-link/x.yaml: no such file or directory"},
        {"root/ref/stays.yaml", "stays\n"},
        {"\xC3\xA9.yaml", "accent\n"},
        {"gone.yaml", "open gone.yaml: no such file or directory"},
        {"sub/lost.yaml", "open sub/lost.yaml: no such file or directory"},
        {"../etc/passwd", "readfile ../etc/passwd: invalid argument"},
        {"loop.yaml", "open loop.yaml: too many levels of symbolic links"},
        {"out.yaml", "open out.yaml: it is a link to /etc/passwd of the image, which lies outside "
                     "of the folder of the reference: name the reference there"},
    };
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    struct str_list found = {0};
    str file;

    begin(&g);
    str reference = reference_to(&g, ":1.0", "/ref/metadata.yaml");
    assert_ok(root_open(g.a, reference, &root, &file, &e), &e);
    assert_str(file, STR("metadata.yaml"));
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_file(g.a, &root, cases[i].name, cases[i].want);
    assert_true(root_glob(g.a, &root, STR("s*.yaml"), &found, &e));
    assert_true(root_glob(g.a, &root, STR("sub/*"), &found, &e));
    assert_true(root_glob(g.a, &root, STR("turns*"), &found, &e));
    assert_int_equal(found.len, 2);
    assert_str(found.items[1], STR("sub/fresh.yaml"));
    root_close(&root);
    registry_end(&g);
}

TEST(digests_are_checked)
{
    struct registry g;

    str digest = begin(&g);
    const char *image = str_z(g.a, str_fmt(g.a, "@%.*s", STR_ARG(digest)));
    assert_str(metadata_of(&g, image), STR("new\n"));
    image = str_z(g.a, str_fmt(g.a, ":none@%.*s", STR_ARG(digest)));
    assert_str(metadata_of(&g, image), STR("new\n"));
    g.corrupt = true;
    assert_fails(&g, image, "has another digest: it is corrupted");
    g.corrupt = false;
    str other = STR("{\"layers\":[]}");
    map_set(g.manifests, digest, &other);
    assert_fails(&g, image, "has another digest: it is corrupted");
    assert_fails(&g, ":2.0", "404 Not Found");
    registry_end(&g);
}

TEST(the_image_of_our_platform_is_chosen)
{
    struct utsname u;
    struct registry g;
    str digests[3];

    registry_begin(&g);
    assert_int_equal(uname(&u), 0);
    const char *ours = strcmp(u.machine, "x86_64") == 0    ? "amd64"
                       : strcmp(u.machine, "aarch64") == 0 ? "arm64"
                                                           : u.machine;
    static const char *const texts[] = {"of the first\n", "ours\n", "not of Linux\n"};
    for (size_t i = 0; i < COUNT(digests); i++) {
        const str layer = small_layer(&g, texts[i]);
        digests[i] = registry_tag(&g, STR_NONE, registry_manifest(&g, &layer, 1));
    }
    static const char form[] = "{\"digest\":\"%.*s\",\"platform\":{\"os\":\"%s\","
                               "\"architecture\":\"%s\"}}";
    struct buf b = buf_new(g.a, BUF_UNLIMITED);
    buf_fmt(&b, "{\"manifests\":[");
    buf_fmt(&b, form, STR_ARG(digests[2]), "windows", ours);
    buf_char(&b, ',');
    buf_fmt(&b, form, STR_ARG(digests[0]), "linux", "s390x");
    str without = str_fmt(g.a, "%.*s]}", STR_ARG(buf_str(&b)));
    buf_char(&b, ',');
    buf_fmt(&b, form, STR_ARG(digests[1]), "linux", ours);
    str with = str_fmt(g.a, "%.*s]}", STR_ARG(buf_str(&b)));
    registry_tag(&g, STR("with"), with);
    registry_tag(&g, STR("without"), without);
    /* An index within another. */
    str inner = registry_tag(&g, STR_NONE, with);
    registry_tag(&g, STR("nested"),
                 str_fmt(g.a, "{\"manifests\":[{\"digest\":\"%.*s\"}]}", STR_ARG(inner)));
    assert_str(metadata_of(&g, ":with"), STR("ours\n"));
    assert_str(metadata_of(&g, ":without"), STR("of the first\n"));
    assert_str(metadata_of(&g, ":nested"), STR("ours\n"));
    registry_end(&g);
}

TEST(types_and_sizes_of_layers_are_checked_before_they_are_fetched)
{
    static const struct {
        const char *more, *want;
    } cases[] = {
        {"", "yes\n"},
        {",\"mediaType\":\"application/vnd.oci.image.layer.v1.tar\"", "yes\n"},
        {",\"mediaType\":\"application/vnd.docker.image.rootfs.diff.tar.gzip\"", "yes\n"},
        {",\"mediaType\":\"application/vnd.docker.image.rootfs.foreign.diff.tar.gzip\"", "yes\n"},
        {",\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip+encrypted\"",
         "layer 1: it is encrypted"},
        {",\"mediaType\":\"application/vnd.in-toto+json\"",
         "layer 1: it is not an archive of files: its type is application/vnd.in-toto+json"},
        {",\"size\":0", "yes\n"},
        {",\"size\":-1", "layer 1: the manifest gives it an invalid size"},
        {",\"size\":-9223372036854775808", "layer 1: the manifest gives it an invalid size"},
        {",\"size\":1e30", "layer 1: the manifest gives it an invalid size"},
        {",\"size\":\"1\"", "layer 1: the manifest gives it an invalid size"},
        {",\"size\":1000000000000", "layer 1: it is larger than the limit of 17179869184 bytes"},
    };
    struct registry g;

    registry_begin(&g);
    str layer = small_layer(&g, "yes\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        tag_layer(&g, "t", layer, cases[i].more);
        assert_fails(&g, ":t", cases[i].want);
    }
    tag_layer(&g, "t", STR("sha256:00"),
              ",\"mediaType\":\"application/vnd.oci.image.layer.nondistributable.v1.tar+gzip\"");
    assert_fails(&g, ":t", "layer 1: it is not distributed with the image");
    registry_tag(&g, STR("t"), STR("{\"layers\":[{}]}"));
    assert_fails(&g, ":t", "layer 1: the manifest names a layer without a digest");
    tag_layer(&g, "t", STR("sha256:../../../x"), "");
    assert_fails(&g, ":t", "layer 1: the manifest has sha256:../../../x for a digest");
    registry_tag(&g, STR("u"), STR("{\"layers\":[]}"));
    registry_tag(&g, STR("t"), STR("{\"manifests\":[{\"digest\":\"u\"}]}"));
    assert_fails(&g, ":t", "the manifest has u for a digest");
    registry_tag(&g, STR("t"), STR("{\"fsLayers\":[{}]}"));
    assert_fails(&g, ":t", "images of the first generation of docker are not read");
    registry_tag(&g, STR("t"), STR("<html>"));
    assert_fails(&g, ":t", "the manifest of the image is not a JSON document");
    tag_layer(&g, "t", registry_add_blob(&g, STR("neither a tar nor packed")), "");
    assert_fails(&g, ":t", "layer 1: it cannot be unpacked: ");
    registry_end(&g);
}

TEST(files_that_become_huge_are_refused)
{
    struct registry g;
    struct buf tar;

    registry_begin(&g);
    tar = buf_new(g.a, BUF_UNLIMITED);
    char *zeros = arena_alloc(g.a, IMAGE_FILE_MAX + 1);
    tar_add(&tar, "ref/metadata.yaml", '0', str_of(zeros, IMAGE_FILE_MAX + 1), "");
    str packed = test_gzip(g.a, tar_end(&tar));
    assert_true(packed.len < MIB);
    tag_layer(&g, "t", registry_add_blob(&g, packed), "");
    assert_fails(&g, ":t", "layer 1: a file of the reference is larger than 67108864 bytes");
    registry_end(&g);
}

TEST(a_redirect_to_other_storage_does_not_carry_credentials)
{
    char folder[] = "/tmp/plumb-image-XXXXXX";
    AUTO_ERR e = {0};
    struct registry g;

    begin(&g);
    assert_non_null(mkdtemp(folder));
    str path = str_fmt(g.a, "%s/auth.json", folder);
    str entry =
        str_fmt(g.a, "{\"auths\":{\"127.0.0.1:%u\":{\"auth\":\"dTpw\"}}}", registry_port(&g));
    assert_ok(file_write(path, entry, 0600, &e), &e);
    setenv("REGISTRY_AUTH_FILE", str_z(g.a, path), 1);
    g.elsewhere = true;
    for (int auth = REGISTRY_OPEN; auth <= REGISTRY_BOTH; auth++) {
        g.auth = (enum registry_auth)auth;
        g.stored = 0;
        assert_str(metadata_of(&g, ":1.0"), STR("new\n"));
        assert_int_equal(g.stored, 3);
    }
    assert_int_equal(g.leaked, 0);
    unsetenv("REGISTRY_AUTH_FILE");
    unlink(str_z(g.a, path));
    rmdir(folder);
    registry_end(&g);
}

/* A layer that nobody could hold: a small file of the reference behind a large one of no interest.
 */
struct huge {
    struct reader reader;
    str head, tail;
    uint64_t middle; /* zeros between the two */
};

static bool read_huge(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct huge *h = (struct huge *)r;
    str *part = h->head.len ? &h->head : &h->tail;

    (void)e;
    if (!h->head.len && h->middle) {
        *got = h->middle < size ? (size_t)h->middle : size;
        memset(to, 0, *got);
        h->middle -= *got;
        return true;
    }
    *got = part->len < size ? part->len : size;
    if (*got)
        memcpy(to, part->ptr, *got);
    *part = str_from(*part, *got);
    return true;
}

#define HUGE_FILE (128 * MIB)

static struct huge make_huge(struct arena *a)
{
    struct buf head = buf_new(a, BUF_UNLIMITED), tail = buf_new(a, BUF_UNLIMITED);

    /* Only the length of the first one counts: its bytes come later. */
    tar_add_head(&head, "usr/lib/large", HUGE_FILE);
    add(&tail, "ref/metadata.yaml", '0', "small\n", "");
    return (struct huge){{.read = read_huge}, buf_str(&head), tar_end(&tail), HUGE_FILE};
}

static str digest_of_all(struct arena *a, struct huge h)
{
    struct image_digest d;
    char *piece = arena_alloc(a, 64 * KIB);
    AUTO_ERR e = {0};
    size_t got;

    assert_true(image_digest_begin(&d, STR("sha256")));
    do {
        assert_true(read_huge(&h.reader, piece, 64 * KIB, &got, &e));
        image_digest_add(&d, str_of(piece, got));
    } while (got);
    return image_digest_end(&d, a);
}

static long peak_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(memory_does_not_grow_with_a_layer)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct huge h = make_huge(a);
    str digest = digest_of_all(a, h), text;
    struct image_files *files = image_files_new(a, STR("/ref"));
    struct image_layer layer;

    long before = peak_kib();
    assert_ok(image_layer_read_checked(files, digest, &h.reader, &layer, &e), &e);
    assert_in_range(peak_kib() - before, 0, 24 * 1024);
    image_files_lay(files, &layer);
    assert_ok(image_files_read(files, STR("metadata.yaml"), &text, &e), &e);
    assert_str(text, STR("small\n"));
    /* One bit of what nobody wants, and nothing of it counts. */
    h = make_huge(a);
    h.middle--;
    assert_false(image_layer_read_checked(files, digest, &h.reader, &layer, &e));
    assert_true(str_contains(e.text, STR("has another digest: it is corrupted")));
}

static void write_below(struct arena *a, const char *folder, str name, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(a, "%s/%.*s", folder, STR_ARG(name)), text, 0600, &e), &e);
}

TEST(layouts_are_read)
{
    char folder[] = "/tmp/plumb-layout-XXXXXX";
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    str file;

    str digest = begin(&g);
    assert_non_null(mkdtemp(folder));
    assert_ok(file_make_folder(str_fmt(g.a, "%s/blobs/sha256", folder), &e), &e);
    for (size_t i = 0; i < map_len(g.blobs); i++)
        write_below(g.a, folder,
                    str_fmt(g.a, "blobs/sha256/%.*s", STR_ARG(str_from(map_key(g.blobs, i), 7))),
                    *(str *)map_at(g.blobs, i));
    write_below(g.a, folder, str_fmt(g.a, "blobs/sha256/%.*s", STR_ARG(str_from(digest, 7))),
                *(str *)map_get(g.manifests, digest));
    write_below(g.a, folder, STR("index.json"),
                str_fmt(g.a,
                        "{\"manifests\":[{\"digest\":\"%.*s\",\"annotations\":"
                        "{\"org.opencontainers.image.ref.name\":\"v1\"}}]}",
                        STR_ARG(digest)));
    static const char *const tags[] = {":v1", ""};
    for (size_t i = 0; i < COUNT(tags); i++) {
        str reference = str_fmt(g.a, "oci://%s%s:/ref/metadata.yaml", folder, tags[i]);
        assert_ok(root_open(g.a, reference, &root, &file, &e), &e);
        assert_file(g.a, &root, "metadata.yaml", "new\n");
        root_close(&root);
    }
    str reference = str_fmt(g.a, "oci://%s:v2:/ref/metadata.yaml", folder);
    assert_false(root_open(g.a, reference, &root, &file, &e));
    assert_true(str_contains(e.text, STR("there is no image of the name v2")));
    assert_int_equal(system(str_z(g.a, str_fmt(g.a, "rm -rf %s", folder))), 0);
    registry_end(&g);
}

RUN_TESTS(cmocka_unit_test(names_are_read_as_docker_reads_them),
          cmocka_unit_test(layers_hide_and_white_out_what_is_below),
          cmocka_unit_test(digests_are_checked),
          cmocka_unit_test(the_image_of_our_platform_is_chosen),
          cmocka_unit_test(types_and_sizes_of_layers_are_checked_before_they_are_fetched),
          cmocka_unit_test(files_that_become_huge_are_refused),
          cmocka_unit_test(a_redirect_to_other_storage_does_not_carry_credentials),
          cmocka_unit_test(memory_does_not_grow_with_a_layer), cmocka_unit_test(layouts_are_read))
