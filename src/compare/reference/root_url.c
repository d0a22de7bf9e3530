/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_url.c - references on a web server.
 *
 * The URL of a file is that of the folder followed by the name, with "." and ".." resolved. A
 * server cannot list files: a pattern matches nothing, and a file exists if it can be fetched.
 * Fetched files are kept, so that each is requested once.
 */
#include "compare/input/fetch_internal.h"
#include "compare/input/glob_internal.h"
#include "compare/reference/root_internal.h"
#include "go/path.h"
#include "net/redact.h"
#include "text/url.h"

struct web {
    struct arena *arena;
    struct http_client *client;
    str folder;        /* with its password; root.folder is for people */
    struct map *texts; /* by URL */
    size_t total;      /* bytes of them */
};

/* A path with what would end it, "?" and "#", escaped. */
static str without_marks(struct arena *a, str path)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '?')
            buf_add(&out, STR("%3F"));
        else if (path.ptr[i] == '#')
            buf_add(&out, STR("%23"));
        else
            buf_char(&out, path.ptr[i]);
    return buf_str(&out);
}

/* Scheme and authority of a URL, and the rest. */
static str split_authority(str url, str *path)
{
    size_t start = str_find(url, STR("://")) + 3;
    size_t slash = str_find_char(str_from(url, start), '/');

    *path = slash == STR_NPOS ? STR_NONE : str_from(url, start + slash);
    return slash == STR_NPOS ? url : str_slice(url, 0, start + slash);
}

static bool file_url(struct arena *a, str folder, str name, str *out, struct err *e)
{
    struct url u;
    str path, authority = split_authority(folder, &path);
    bool hostless = str_has_suffix(authority, STR("://"));

    if (path.len || name.len)
        path = file_clean(a, str_fmt(a, "%.*s/%.*s", STR_ARG(path), STR_ARG(name)));
    /* Upstream: what is behind a host that is missing takes its place. */
    if (hostless && str_eq(folder, authority))
        path = str_without_prefix(path, STR("/"));
    if (!url_parse(a, str_concat(a, authority, without_marks(a, path)), &u, e))
        return err_wrap(e, "could not construct url");
    *out = url_text(a, &u);
    return true;
}

/*
 * As Go splits paths: one that ends with a slash names a folder, and its last element, which may be
 * the host, the file.
 */
static void split_path(str reference, str path, str *folder, str *file)
{
    str above;

    root_split(path, folder, file);
    if (!str_has_suffix(path, STR("/")))
        return;
    *folder = path;
    root_split(reference, &above, file);
}

static bool open_url(struct arena *a, str reference, struct root *root, str *file, struct err *e)
{
    const struct http_config config = http_defaults();
    struct web *w = ARENA_NEW(a, struct web);
    str path, authority = split_authority(reference, &path), folder;

    w->arena = a;
    w->texts = map_new(a);
    root->state = w;
    split_path(reference, path, &folder, file);
    folder = str_has_prefix(folder, STR("/")) ? file_clean(a, folder) : STR_NONE;
    w->folder = str_concat(a, authority, str_eq(folder, STR("/")) ? STR_NONE : folder);
    root->folder = redact_place(a, w->folder);
    return http_client_new(&config, &w->client, e);
}

static bool read_url(struct arena *a, const struct root *root, str name, str *out, struct err *e)
{
    struct web *w = root->state;
    struct fetch f = {.policy = &fetch_reference_policy,
                      .max = FETCH_REFERENCE_MAX,
                      .time_max = FETCH_REFERENCE_TIME,
                      .context = "failed to fetch",
                      .bare = root->original,
                      .whole = !root->original};

    if (!file_url(a, w->folder, name, &f.url, e))
        return false;
    const str *known = map_get(w->texts, f.url);
    if (known) {
        *out = *known;
        return true;
    }
    if (!fetch_text(w->client, w->arena, &f, out, e))
        return false;
    w->total += out->len;
    if (w->total > FETCH_REFERENCE_ALL)
        return err_set(e, ERR_LIMIT,
                       "%.*s: the files of the reference have more than %zu bytes in all",
                       STR_ARG(redact_url(a, f.url)), (size_t)FETCH_REFERENCE_ALL);
    str *kept = ARENA_NEW(w->arena, str);
    *kept = *out;
    map_set(w->texts, str_copy(w->arena, f.url), kept);
    return true;
}

static bool glob_url(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                     struct err *e)
{
    AUTO_ERR ignored = {0};
    str text;

    if (go_path_match(pattern, STR_NONE) == GO_MATCH_BAD)
        return err_set(e, ERR_INVALID, "syntax error in pattern");
    if (!glob_has_meta(pattern) && read_url(a, root, pattern, &text, &ignored))
        VEC_PUSH(a, out, pattern);
    return true;
}

static void close_url(struct root *root)
{
    const struct web *w = root->state;

    http_client_free(w->client);
}

const struct root_kind root_http = {"http://", open_url, read_url, glob_url, close_url};
const struct root_kind root_https = {"https://", open_url, read_url, glob_url, close_url};
