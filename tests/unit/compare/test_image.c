/* SPDX-License-Identifier: Apache-2.0 */
/* Images of a registry of our own: names, layers, indexes, digests, tokens. */
#include <openssl/evp.h>

#include "../test.h"

#include "compare/image.h"
#include "compare/root.h"
#include "net/server.h"
#include "text/codec.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- Layers by hand. ---- */

static void add_bytes(struct buf *tar, const char *name, char type, str bytes, const char *link)
{
    unsigned char head[512] = {0};
    unsigned sum = 0;

    snprintf((char *)head, 100, "%s", name);
    snprintf((char *)head + 100, 8, "0000644");
    snprintf((char *)head + 124, 12, "%011zo", bytes.len);
    snprintf((char *)head + 136, 12, "00000000000");
    memset(head + 148, ' ', 8);
    head[156] = (unsigned char)type;
    snprintf((char *)head + 157, 100, "%s", link);
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof(head); i++)
        sum += head[i];
    snprintf((char *)head + 148, 8, "%06o", sum);
    buf_add(tar, str_of((char *)head, sizeof(head)));
    buf_add(tar, bytes);
    buf_repeat(tar, '\0', (512 - bytes.len % 512) % 512);
}

static void add_member(struct buf *tar, const char *name, char type, const char *text,
                       const char *link)
{
    add_bytes(tar, name, type, str_c(text), link);
}

static str end_tar(struct buf *tar)
{
    buf_repeat(tar, '\0', 1024);
    return buf_str(tar);
}

static str gzip(struct arena *a, str bytes)
{
    z_stream z = {0};
    size_t room = bytes.len + 1024;
    char *out = arena_alloc(a, room);

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)bytes.ptr;
    z.avail_in = (unsigned)bytes.len;
    z.next_out = (unsigned char *)out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return str_of(out, room - z.avail_out);
}

/* One frame with one block that is not packed at all. */
static str zstd(struct arena *a, str bytes)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    unsigned head = 1 | (unsigned)bytes.len << 3;

    buf_add(&b, str_of("\x28\xB5\x2F\xFD\xA0", 5));
    for (int i = 0; i < 4; i++)
        buf_char(&b, (char)(bytes.len >> (8 * i)));
    for (int i = 0; i < 3; i++)
        buf_char(&b, (char)(head >> (8 * i)));
    buf_add(&b, bytes);
    return buf_str(&b);
}

static str digest_of(struct arena *a, str bytes)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len;

    EVP_Digest(bytes.ptr, bytes.len, sum, &len, EVP_sha256(), NULL);
    return str_concat(a, STR("sha256:"), hex_encode(a, sum, len));
}

/* ---- A registry. ---- */

struct registry {
    struct arena *a;
    struct server *server;
    struct map *blobs;     /* digest to str */
    struct map *manifests; /* tag or digest to str */
    bool token, corrupt;
    unsigned asked; /* for tokens */
};

static void reply_from(struct registry *g, struct server_request *r, const struct map *m, str key)
{
    const str *found = map_get(m, key);

    if (!found)
        server_reply(r, 404, STR_NONE, STR("{}"));
    else if (g->corrupt && m == g->blobs)
        server_reply(r, 200, STR_NONE, str_slice(*found, 0, found->len - 1));
    else
        server_reply(r, 200, STR_NONE, *found);
}

static void handle(void *ctx, struct server_request *r)
{
    struct registry *g = ctx;
    str path = server_path(r), authorization = server_header(r, STR("Authorization"));
    str rest = str_without_prefix(path, STR("/v2/org/ref/"));

    if (str_eq(path, STR("/token"))) {
        g->asked++;
        bool known = str_eq(authorization, STR("Basic dTpw"));
        bool right = str_eq(server_query(r, STR("scope"), NULL), STR("repository:org/ref:pull"));
        server_reply(r, known && right ? 200 : 401, STR_NONE, STR("{\"token\":\"T\"}"));
        return;
    }
    if (g->token && !str_eq(authorization, STR("Bearer T"))) {
        server_add_header(r, STR("WWW-Authenticate"),
                          str_fmt(server_arena(r),
                                  "Bearer realm=\"%.*s/token\",service=\"s\","
                                  "scope=\"repository:org/ref:pull\"",
                                  STR_ARG(server_url(g->server))));
        server_reply(r, 401, STR_NONE, STR("{}"));
        return;
    }
    if (str_has_prefix(rest, STR("manifests/")))
        reply_from(g, r, g->manifests, str_from(rest, 10));
    else
        reply_from(g, r, g->blobs, str_without_prefix(rest, STR("blobs/")));
}

static str keep(struct registry *g, struct map *m, str key, str bytes)
{
    str *kept = ARENA_NEW(g->a, str);

    *kept = str_copy(g->a, bytes);
    map_set(m, key, kept);
    return key;
}

static str add_blob(struct registry *g, str bytes)
{
    return keep(g, g->blobs, digest_of(g->a, bytes), bytes);
}

/* Three layers: plain, gzip, zstd. */
static str make_manifest(struct registry *g)
{
    struct buf one = buf_new(g->a, BUF_UNLIMITED), two, three;

    add_member(&one, "ref/metadata.yaml", '0', "old\n", "");
    add_member(&one, "ref/gone.yaml", '0', "gone\n", "");
    add_member(&one, "ref/sub/lost.yaml", '0', "lost\n", "");
    add_member(&one, "ref/stays.yaml", '0', "stays\n", "");
    add_member(&one, "etc/passwd", '0', "not wanted\n", "");
    two = buf_new(g->a, BUF_UNLIMITED);
    add_member(&two, "./ref/metadata.yaml", '0', "new\n", "");
    add_member(&two, "ref/.wh.gone.yaml", '0', "", "");
    add_member(&two, "ref/sub/.wh..wh..opq", '0', "", "");
    add_member(&two, "ref/sub/fresh.yaml", '0', "fresh\n", "");
    three = buf_new(g->a, BUF_UNLIMITED);
    add_member(&three, "ref/link.yaml", '2', "", "sub/fresh.yaml");
    add_member(&three, "ref/hard.yaml", '1', "", "ref/stays.yaml");
    add_member(&three, "ref/out.yaml", '2', "", "/etc/passwd");
    add_member(&three, "ref/loop.yaml", '2', "", "loop.yaml");
    str d1 = add_blob(g, end_tar(&one)), d2 = add_blob(g, gzip(g->a, end_tar(&two)));
    str d3 = add_blob(g, zstd(g->a, end_tar(&three)));
    return str_fmt(g->a,
                   "{\"schemaVersion\":2,\"layers\":[{\"digest\":\"%.*s\"},{\"digest\":\"%.*s\"},"
                   "{\"digest\":\"%.*s\"}]}",
                   STR_ARG(d1), STR_ARG(d2), STR_ARG(d3));
}

static void begin(struct registry *g, struct err *e)
{
    const struct server_config config = {.handle = handle, .ctx = g};

    *g = (struct registry){.a = arena_new()};
    g->blobs = map_new(g->a);
    g->manifests = map_new(g->a);
    str manifest = make_manifest(g), digest = digest_of(g->a, manifest);
    keep(g, g->manifests, digest, manifest);
    str index =
        str_fmt(g->a,
                "{\"manifests\":[{\"digest\":\"sha256:00\",\"platform\":{\"os\":\"windows\","
                "\"architecture\":\"amd64\"}},{\"digest\":\"%.*s\",\"platform\":{\"os\":"
                "\"linux\",\"architecture\":\"none\"}}]}",
                STR_ARG(digest));
    keep(g, g->manifests, STR("1.0"), index);
    assert_ok(server_start(&config, &g->server, e), e);
}

static void end(struct registry *g)
{
    server_stop(g->server, 0);
    arena_free(g->a);
}

static str reference_to(struct registry *g, const char *image, const char *path)
{
    return str_fmt(g->a, "container://127.0.0.1:%u/org/ref%s:%s", server_port(g->server), image,
                   path);
}

static void assert_file(struct registry *g, const struct root *root, const char *name,
                        const char *want)
{
    AUTO_ERR e = {0};
    str text = STR_NONE;

    assert_str(root_read(g->a, root, str_c(name), &text, &e) ? text : e.text, str_c(want));
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
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    struct str_list found = {0};
    str file;

    begin(&g, &e);
    str reference = reference_to(&g, ":1.0", "/ref/metadata.yaml");
    assert_ok(root_open(g.a, reference, &root, &file, &e), &e);
    assert_str(file, STR("metadata.yaml"));
    assert_file(&g, &root, "metadata.yaml", "new\n");
    assert_file(&g, &root, "stays.yaml", "stays\n");
    assert_file(&g, &root, "sub/fresh.yaml", "fresh\n");
    assert_file(&g, &root, "link.yaml", "fresh\n");
    assert_file(&g, &root, "hard.yaml", "stays\n");
    assert_file(&g, &root, "gone.yaml", "open gone.yaml: no such file or directory");
    assert_file(&g, &root, "sub/lost.yaml", "open sub/lost.yaml: no such file or directory");
    assert_file(&g, &root, "../etc/passwd", "open ../etc/passwd: invalid argument");
    assert_file(&g, &root, "loop.yaml", "open loop.yaml: too many levels of symbolic links");
    assert_file(&g, &root, "out.yaml",
                "open out.yaml: it is a link to /etc/passwd of the image, which lies outside of "
                "the folder of the reference: name the reference there");
    assert_true(root_glob(g.a, &root, STR("s*.yaml"), &found, &e));
    assert_true(root_glob(g.a, &root, STR("sub/*"), &found, &e));
    assert_int_equal(found.len, 2);
    assert_str(found.items[1], STR("sub/fresh.yaml"));
    root_close(&root);
    end(&g);
}

TEST(digests_are_checked)
{
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    str file;

    begin(&g, &e);
    str digest = map_key(g.manifests, 0);
    char *image = str_z(g.a, str_fmt(g.a, "@%.*s", STR_ARG(digest)));
    str reference = reference_to(&g, image, "/ref/metadata.yaml");
    assert_ok(root_open(g.a, reference, &root, &file, &e), &e);
    assert_file(&g, &root, "metadata.yaml", "new\n");
    root_close(&root);
    g.corrupt = true;
    assert_false(root_open(g.a, reference, &root, &file, &e));
    assert_true(str_contains(e.text, STR("has another digest: it is corrupted")));
    root_close(&root);
    g.corrupt = false;
    keep(&g, g.manifests, digest, STR("{\"layers\":[]}"));
    assert_false(root_open(g.a, reference, &root, &file, &e));
    assert_true(str_contains(e.text, STR("has another digest: it is corrupted")));
    root_close(&root);
    reference = reference_to(&g, ":2.0", "/ref/metadata.yaml");
    assert_false(root_open(g.a, reference, &root, &file, &e));
    assert_true(str_contains(e.text, STR("404 Not Found")));
    root_close(&root);
    end(&g);
}

TEST(tokens_are_fetched_with_the_credentials_of_docker)
{
    char folder[] = "/tmp/plumb-image-XXXXXX";
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    str file;

    begin(&g, &e);
    g.token = true;
    assert_non_null(mkdtemp(folder));
    setenv("DOCKER_CONFIG", folder, 1);
    unsetenv("REGISTRY_AUTH_FILE");
    unsetenv("XDG_RUNTIME_DIR");
    setenv("HOME", "/nonexistent", 1);
    str reference = reference_to(&g, ":1.0", "/ref/metadata.yaml");
    assert_false(root_open(g.a, reference, &root, &file, &e));
    assert_int_equal(e.kind, ERR_DENIED);
    root_close(&root);
    str path = str_fmt(g.a, "%s/config.json", folder);
    assert_ok(file_write(path,
                         str_fmt(g.a, "{\"auths\":{\"127.0.0.1:%u\":{\"auth\":\"dTpw\"}}}",
                                 server_port(g.server)),
                         0600, &e),
              &e);
    g.asked = 0;
    assert_ok(root_open(g.a, reference, &root, &file, &e), &e);
    assert_file(&g, &root, "metadata.yaml", "new\n");
    assert_int_equal(g.asked, 1);
    root_close(&root);
    unlink(str_z(g.a, path));
    rmdir(folder);
    end(&g);
}

static void write_below(struct arena *a, const char *folder, str name, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_fmt(a, "%s/%.*s", folder, STR_ARG(name)), text, 0600, &e), &e);
}

TEST(layouts_and_saved_archives_are_read)
{
    char folder[] = "/tmp/plumb-layout-XXXXXX";
    AUTO_ERR e = {0};
    struct registry g;
    struct root root;
    struct buf saved, layer;
    str file;

    begin(&g, &e);
    assert_non_null(mkdtemp(folder));
    assert_ok(file_make_folder(str_fmt(g.a, "%s/blobs/sha256", folder), &e), &e);
    for (size_t i = 0; i < map_len(g.blobs); i++)
        write_below(g.a, folder,
                    str_fmt(g.a, "blobs/sha256/%.*s", STR_ARG(str_from(map_key(g.blobs, i), 7))),
                    *(str *)map_at(g.blobs, i));
    str digest = map_key(g.manifests, 0);
    write_below(g.a, folder, str_fmt(g.a, "blobs/sha256/%.*s", STR_ARG(str_from(digest, 7))),
                *(str *)map_at(g.manifests, 0));
    write_below(g.a, folder, STR("index.json"),
                str_fmt(g.a,
                        "{\"manifests\":[{\"digest\":\"%.*s\",\"annotations\":"
                        "{\"org.opencontainers.image.ref.name\":\"v1\"}}]}",
                        STR_ARG(digest)));
    assert_ok(
        root_open(g.a, str_fmt(g.a, "oci://%s:v1:/ref/metadata.yaml", folder), &root, &file, &e),
        &e);
    assert_file(&g, &root, "metadata.yaml", "new\n");
    assert_false(
        root_open(g.a, str_fmt(g.a, "oci://%s:v2:/ref/metadata.yaml", folder), &root, &file, &e));

    layer = buf_new(g.a, BUF_UNLIMITED);
    add_member(&layer, "metadata.yaml", '0', "at the root\n", "");
    buf_repeat(&layer, '\0', 1024);
    saved = buf_new(g.a, BUF_UNLIMITED);
    add_member(&saved, "manifest.json", '0', "[{\"RepoTags\":[\"x/y:v1\"],\"Layers\":[\"l.tar\"]}]",
               "");
    add_bytes(&saved, "l.tar", '0', buf_str(&layer), "");
    str bytes = gzip(g.a, end_tar(&saved));
    write_below(g.a, folder, STR("saved.tar.gz"), bytes);
    assert_ok(root_open(g.a,
                        str_fmt(g.a, "docker-archive://%s/saved.tar.gz:v1:/metadata.yaml", folder),
                        &root, &file, &e),
              &e);
    assert_file(&g, &root, "metadata.yaml", "at the root\n");
    assert_int_equal(system(str_z(g.a, str_fmt(g.a, "rm -rf %s", folder))), 0);
    end(&g);
}

RUN_TESTS(cmocka_unit_test(names_are_read_as_docker_reads_them),
          cmocka_unit_test(layers_hide_and_white_out_what_is_below),
          cmocka_unit_test(digests_are_checked),
          cmocka_unit_test(tokens_are_fetched_with_the_credentials_of_docker),
          cmocka_unit_test(layouts_and_saved_archives_are_read))
