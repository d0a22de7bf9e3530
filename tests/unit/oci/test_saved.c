/* SPDX-License-Identifier: Apache-2.0 */
/* Images written by docker save, into a file or a pipe. */
#include "../test.h"

#include "../../support/registry.h"
#include "compare/reference/root_internal.h"

#include <sys/stat.h>
#include <unistd.h>

struct place {
    struct arena *a;
    char folder[64];
};

static void begin(struct place *p)
{
    p->a = arena_new();
    snprintf(p->folder, sizeof(p->folder), "/tmp/plumb-saved-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
}

static void end(struct place *p)
{
    assert_int_equal(system(str_z(p->a, str_fmt(p->a, "rm -rf %s", p->folder))), 0);
    arena_free(p->a);
}

static void write_file(struct place *p, const char *name, unsigned mode, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(p->a, "%s/%s", p->folder, name), text, mode, &e), &e);
}

/* A layer with one file. */
static str layer_of(struct arena *a, const char *name, const char *text)
{
    struct buf tar = buf_new(a, BUF_UNLIMITED);

    tar_add(&tar, name, '0', str_c(text), "");
    return tar_end(&tar);
}

static str config_of(struct arena *a, str one, str two)
{
    return str_fmt(a, "{\"rootfs\":{\"diff_ids\":[\"%.*s\",\"%.*s\"]}}", STR_ARG(digest_of(a, one)),
                   STR_ARG(digest_of(a, two)));
}

/* As podman writes it: layers, config, links of old, and the manifest at the end. */
static str podman_archive(struct arena *a, bool corrupt)
{
    str one = layer_of(a, "ref/m.yaml", "old\n"), two = layer_of(a, "ref/m.yaml", "new\n");
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str config = config_of(a, one, corrupt ? one : two);

    tar_add(&b, "two.tar", '0', two, "");
    tar_add(&b, "one.tar", '0', one, "");
    tar_add(&b, "c.json", '0', config, "");
    tar_add(&b, "id/layer.tar", '2', STR_NONE, "../two.tar");
    tar_add(&b, "manifest.json", '0',
            STR("[{\"Config\":\"c.json\",\"RepoTags\":[\"localhost/x/y:v1\"],\"Layers\":"
                "[\"one.tar\",\"id/layer.tar\"]}]"),
            "");
    return tar_end(&b);
}

/* As docker writes it: blobs by their digests, of several images. */
static str docker_archive(struct arena *a, bool corrupt)
{
    str one = layer_of(a, "ref/m.yaml", "one\n"), two = layer_of(a, "ref/m.yaml", "two\n");
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str digest1 = str_from(digest_of(a, one), 7), digest2 = str_from(digest_of(a, two), 7);
    str manifest = str_fmt(a,
                           "[{\"RepoTags\":[\"y:v1\"],\"Layers\":[\"blobs/sha256/%.*s\"]},"
                           "{\"RepoTags\":[\"y:v2\"],\"Layers\":[\"blobs/sha256/%.*s\"]},"
                           "{\"RepoTags\":[\"y:v3\"],\"Layers\":[\"README\"]},"
                           "{\"RepoTags\":[\"y:v4\"],\"Layers\":[\"none\"]}]",
                           STR_ARG(digest1), STR_ARG(digest2));

    tar_add(&b, "blobs/", '5', STR_NONE, "");
    tar_add(&b, str_z(a, str_concat(a, STR("blobs/sha256/"), digest1)), '0', test_gzip(a, one), "");
    tar_add(&b, str_z(a, str_concat(a, STR("blobs/sha256/"), digest2)), '0', corrupt ? one : two,
            "");
    tar_add(&b, "README", '0', STR("no layer at all"), "");
    tar_add(&b, "manifest.json", '0', manifest, "");
    return tar_end(&b);
}

/* What m.yaml of a reference holds, or why not. */
static str read_of(struct place *p, str reference)
{
    AUTO_ERR e = {0};
    struct root root;
    str file, text = STR_NONE;
    bool ok = root_open(p->a, reference, &root, &file, &e) &&
              root_read(p->a, &root, file, &text, &e);

    root_close(&root);
    return ok ? text : str_copy(p->a, e.text);
}

static void assert_read(struct place *p, str reference, const char *with)
{
    str got = read_of(p, reference);

    if (!str_contains(got, str_c(with)))
        assert_str(got, str_c(with));
}

static str archive_reference(struct place *p, const char *tag)
{
    return str_fmt(p->a, "docker-archive://%s/saved.tar%s:/ref/m.yaml", p->folder, tag);
}

TEST(saved_archives_are_read_whatever_their_order)
{
    struct place p;

    begin(&p);
    str archive = podman_archive(p.a, false);
    const str forms[] = {archive, test_gzip(p.a, archive), test_zstd(p.a, archive)};
    for (size_t i = 0; i < COUNT(forms); i++) {
        write_file(&p, "saved.tar", 0600, forms[i]);
        assert_read(&p, archive_reference(&p, ":v1"), "new\n");
        assert_read(&p, archive_reference(&p, ""), "new\n");
        assert_read(&p, archive_reference(&p, ":v2"), "there is no image with the tag v2");
    }
    write_file(&p, "saved.tar", 0600, podman_archive(p.a, true));
    assert_read(&p, archive_reference(&p, ":v1"), "layer 2: id/layer.tar has another digest");
    end(&p);
}

TEST(images_of_an_archive_are_told_apart)
{
    struct place p;

    begin(&p);
    write_file(&p, "saved.tar", 0600, docker_archive(p.a, false));
    /* Packed, it is not what its name says. */
    assert_read(&p, archive_reference(&p, ":v1"), "has another digest than sha256:");
    assert_read(&p, archive_reference(&p, ":v2"), "two\n");
    assert_read(&p, archive_reference(&p, ":v3"), "layer 1: README: it cannot be unpacked: ");
    assert_read(&p, archive_reference(&p, ":v4"), "layer 1: the archive has no none");
    assert_read(&p, archive_reference(&p, ""), "there are 4 images: name one by its tag");
    write_file(&p, "saved.tar", 0600, docker_archive(p.a, true));
    assert_read(&p, archive_reference(&p, ":v2"), "it is corrupted");
    write_file(&p, "saved.tar", 0600, STR("no archive"));
    assert_read(&p, archive_reference(&p, ""), "saved.tar: it cannot be unpacked: ");
    write_file(&p, "saved.tar", 0600, layer_of(p.a, "x", "y"));
    assert_read(&p, archive_reference(&p, ""), "saved.tar: the archive has no manifest.json");
    write_file(&p, "saved.tar", 0600, str_slice(docker_archive(p.a, false), 0, 3000));
    assert_read(&p, archive_reference(&p, ":v2"), "it cannot be unpacked: Truncated");
    unlink(str_z(p.a, str_fmt(p.a, "%s/saved.tar", p.folder)));
    assert_read(&p, archive_reference(&p, ""), "saved.tar: no such file or directory");
    end(&p);
}

/* ---- Layouts. ---- */

static str add_blob(struct buf *tar, struct arena *a, str bytes)
{
    str digest = digest_of(a, bytes);

    tar_add(tar, str_z(a, str_concat(a, STR("blobs/sha256/"), str_from(digest, 7))), '0', bytes,
            "");
    return digest;
}

/* A tar of a layout with two images; the index stands before or behind what it leads to. */
static str layout_archive(struct arena *a, bool index_first, str spoil)
{
    struct buf blobs = buf_new(a, BUF_UNLIMITED), b = buf_new(a, BUF_UNLIMITED);
    str digests[2], one = add_blob(&blobs, a, layer_of(a, "ref/m.yaml", "old\n"));

    for (size_t i = 0; i < COUNT(digests); i++) {
        str two = add_blob(&blobs, a,
                           test_gzip(a, layer_of(a, "ref/m.yaml", i ? "second\n" : "first\n")));
        str manifest =
            str_fmt(a,
                    "{\"layers\":[{\"digest\":\"%.*s\"},{\"digest\":\"%.*s\",\"mediaType\":"
                    "\"application/vnd.oci.image.layer.v1.tar+gzip\"}]}",
                    STR_ARG(one), STR_ARG(two));
        digests[i] = add_blob(&blobs, a, manifest);
    }
    /* The second one lies behind an index of platforms. */
    digests[1] = add_blob(
        &blobs, a, str_fmt(a, "{\"manifests\":[{\"digest\":\"%.*s\"}]}", STR_ARG(digests[1])));
    str index = str_fmt(a,
                        "{\"manifests\":[{\"digest\":\"%.*s\",\"annotations\":"
                        "{\"org.opencontainers.image.ref.name\":\"v1\"}},{\"digest\":\"%.*s\","
                        "\"annotations\":{\"org.opencontainers.image.ref.name\":\"v2\"}}]}",
                        STR_ARG(digests[0]), STR_ARG(digests[1]));
    tar_add(&b, "oci-layout", '0', STR("{\"imageLayoutVersion\":\"1.0.0\"}"), "");
    if (index_first)
        tar_add(&b, "index.json", '0', index, "");
    size_t at = spoil.len ? str_find(buf_str(&blobs), spoil) : STR_NPOS;
    if (at != STR_NPOS)
        blobs.data[at] ^= 1;
    buf_add(&b, buf_str(&blobs));
    if (!index_first)
        tar_add(&b, "./index.json", '0', index, "");
    return tar_end(&b);
}

static str layout_reference(struct place *p, const char *scheme, const char *tag)
{
    return str_fmt(p->a, "%s://%s/saved.tar%s:/ref/m.yaml", scheme, p->folder, tag);
}

TEST(archives_of_layouts_are_read_whatever_their_order)
{
    struct place p;

    begin(&p);
    const str forms[] = {layout_archive(p.a, true, STR_NONE), layout_archive(p.a, false, STR_NONE),
                         test_gzip(p.a, layout_archive(p.a, false, STR_NONE))};
    for (size_t i = 0; i < COUNT(forms); i++) {
        write_file(&p, "saved.tar", 0600, forms[i]);
        assert_read(&p, layout_reference(&p, "oci-archive", ":v1"), "first\n");
        assert_read(&p, layout_reference(&p, "oci-archive", ":v2"), "second\n");
        assert_read(&p, layout_reference(&p, "docker-archive", ":v2"), "second\n");
        assert_read(&p, layout_reference(&p, "oci-archive", ":v3"),
                    "saved.tar: there is no image of the name v3");
        assert_read(&p, layout_reference(&p, "oci-archive", ""),
                    "saved.tar: there are 2 images: name one by its tag");
    }
    write_file(&p, "saved.tar", 0600, podman_archive(p.a, false));
    assert_read(&p, layout_reference(&p, "oci-archive", ":v1"), "new\n");
    end(&p);
}

TEST(archives_of_layouts_are_checked)
{
    static const struct {
        const char *spoil, *want;
    } cases[] = {
        {"old\n", "layer 1: blobs/sha256/"},
        {"{\"layers", "the archive has no blobs/sha256/"},
        {"ayers\":[", "has another digest: it is corrupted"},
        {"application/vnd", "has another digest: it is corrupted"},
    };
    struct place p;

    begin(&p);
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_file(&p, "saved.tar", 0600, layout_archive(p.a, i % 2, str_c(cases[i].spoil)));
        assert_read(&p, layout_reference(&p, "oci-archive", ":v1"), cases[i].want);
    }
    write_file(&p, "saved.tar", 0600, str_slice(layout_archive(p.a, true, STR_NONE), 0, 5000));
    assert_read(&p, layout_reference(&p, "oci-archive", ":v1"), "it cannot be unpacked: Truncated");
    end(&p);
}

/* ---- Engines. ---- */

/* A program of that name, first on the PATH. */
static void write_program(struct place *p, const char *name, const char *text)
{
    write_file(p, name, 0700, str_fmt(p->a, "#!/bin/sh\n%s\n", text));
}

TEST(local_images_are_read_through_save)
{
    struct place p;

    begin(&p);
    char *path = str_z(p.a, str_c(getenv("PATH")));
    setenv("PATH", p.folder, 1);
    assert_read(&p, STR("containers-storage://x/y:v1:/ref/m.yaml"),
                "could not read the image x/y:v1: podman, which containers-storage:// needs, "
                "cannot be run: install it, or read the image from a registry by container://: "
                "no such file or directory");
    setenv("PATH", str_z(p.a, str_fmt(p.a, "%s:%s", p.folder, path)), 1);
    write_file(&p, "saved", 0600, podman_archive(p.a, false));
    str print = str_fmt(p.a, "echo saving >&2; cat %s/saved", p.folder);
    write_program(&p, "podman",
                  str_z(p.a, str_fmt(p.a,
                                     "test \"$*\" = 'save --quiet --format docker-archive "
                                     "localhost:5000/x/y:v1' || exit 9\n%.*s",
                                     STR_ARG(print))));
    assert_read(&p, STR("containers-storage://localhost:5000/x/y:v1:/ref/m.yaml"), "new\n");
    assert_read(&p, STR("containers-storage://other:/ref/m.yaml"),
                "podman save other failed with status 9");
    write_program(
        &p, "docker",
        str_z(p.a, str_fmt(p.a, "test \"$*\" = 'save y:v1' || exit 9\n%.*s", STR_ARG(print))));
    assert_read(&p, STR("docker-daemon://y:v1:/ref/m.yaml"), "new\n");
    setenv("PATH", path, 1);
    end(&p);
}

TEST(what_an_engine_complains_about_is_told)
{
    static const struct {
        const char *program, *want;
    } cases[] = {
        {"echo 'Error: no such image' >&2; exit 125",
         "could not read the image y:v1: podman save y:v1 failed with status 125: Error: no such "
         "image"},
        {"cat saved; echo 'disk full' >&2; exit 1",
         "podman save y:v1 failed with status 1: disk full"},
        {"head -c 1000 saved; echo 'lost it' >&2; exit 1",
         "podman save y:v1 failed with status 1: lost it"},
        {"kill -9 $$", "podman save y:v1 failed with status -1"},
        {"head -c 1000 saved", "what podman save printed: two.tar: it cannot be unpacked: "},
        {"true", "what podman save printed: it cannot be unpacked: "},
        /* More complaints than anybody reads. */
        {"yes no | head -c 200000 >&2; exit 2", "podman save y:v1 failed with status 2: no\nno"},
        /* Not even the rest is read when the beginning is wrong. */
        {"yes", "what podman save printed: it cannot be unpacked: "},
    };
    struct place p;

    begin(&p);
    char *path = str_z(p.a, str_c(getenv("PATH")));
    setenv("PATH", str_z(p.a, str_fmt(p.a, "%s:%s", p.folder, path)), 1);
    write_file(&p, "saved", 0600, podman_archive(p.a, false));
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_program(&p, "podman",
                      str_z(p.a, str_fmt(p.a, "cd %s\n%s", p.folder, cases[i].program)));
        assert_read(&p, STR("containers-storage://y:v1:/ref/m.yaml"), cases[i].want);
    }
    write_program(&p, "podman", "touch ran");
    assert_read(&p, STR("containers-storage://--help:/ref/m.yaml"), "--help is not an image name");
    assert_read(&p, STR("containers-storage://a b:/ref/m.yaml"), "a b is not an image name");
    assert_read(&p, STR("containers-storage://y:v1"),
                "it must follow this format: containers-storage://<IMAGE>:<TAG>:/path/to/");
    setenv("PATH", path, 1);
    end(&p);
}

RUN_TESTS(cmocka_unit_test(saved_archives_are_read_whatever_their_order),
          cmocka_unit_test(images_of_an_archive_are_told_apart),
          cmocka_unit_test(archives_of_layouts_are_read_whatever_their_order),
          cmocka_unit_test(archives_of_layouts_are_checked),
          cmocka_unit_test(local_images_are_read_through_save),
          cmocka_unit_test(what_an_engine_complains_about_is_told))
