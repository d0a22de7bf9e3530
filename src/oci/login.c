/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.c - credentials for registries: what docker login and podman login have stored, in files or
 * in programs that these files name (docker-credential-NAME).
 *
 * Upstream: files are searched as in podman, and each file is read as in docker: a program for the
 * registry, else one for all, else the entry in the file.
 */
#include "oci/oci.h"

#include "base/process.h"
#include "text/codec.h"
#include "text/json/json.h"
#include "value/value.h"

#include <unistd.h>

#define LOGIN_FILE_MAX (4 * MIB)
#define HELPER_OUTPUT_MAX (1 * MIB)
/* Keyrings may prompt the user first. */
#define HELPER_SILENCE_MAX (120 * NS_PER_SEC)
/* The name of Docker's registry in helpers. */
#define DOCKER_KEY "https://index.docker.io/v1/"
#define NOT_FOUND "credentials not found in native keychain"
#define TOKEN_USER "<token>"

/* ---- Names. ---- */

static bool is_docker(str host)
{
    return str_eq(host, STR("docker.io")) || str_eq(host, STR("index.docker.io")) ||
           str_eq(host, STR("registry-1.docker.io"));
}

/* Keys come in many forms: "host", "https://host", "https://host/v1/". */
static bool names_registry(str key, str registry)
{
    str rest = str_without_prefix(str_without_prefix(key, STR("https://")), STR("http://"));
    str host = rest, path;

    if (rest.len < key.len)
        str_cut(rest, STR("/"), &host, &path);
    return str_eq(host, registry) || (is_docker(host) && is_docker(registry));
}

/*
 * The entry for a registry, or for a part of it: the longest match wins. NULL when there is none.
 */
static const struct value *find_entry(struct arena *a, const struct value *entries,
                                      const struct image_name *name)
{
    str key = str_fmt(a, "%.*s/%.*s", STR_ARG(name->registry), STR_ARG(name->repository));

    if (!value_is(entries, VALUE_OBJECT))
        return NULL;
    for (;;) {
        const struct value *found = value_get(entries, key);
        size_t slash = str_rfind_char(key, '/');
        if (found || slash == STR_NPOS) {
            if (found)
                return found;
            break;
        }
        key = str_slice(key, 0, slash);
    }
    for (size_t i = 0; i < value_len(entries); i++)
        if (names_registry(value_key(&entries->items[i]), name->registry))
            return &entries->items[i];
    return NULL;
}

/* ---- Logins. ---- */

static void set_login(struct arena *a, str user, str password, struct image_login *out)
{
    out->basic =
        str_concat(a, STR("Basic "),
                   base64_encode(a, str_fmt(a, "%.*s:%.*s", STR_ARG(user), STR_ARG(password))));
}

/* False when the entry is empty, as it is when a program has the credentials. */
static bool read_entry(struct arena *a, const struct value *entry, struct image_login *out)
{
    str auth = str_trim(value_get_str(entry, STR("auth"))), decoded, user, password;
    size_t bad;

    out->identity = value_get_str(entry, STR("identitytoken"));
    user = value_get_str(entry, STR("username"));
    password = value_get_str(entry, STR("password"));
    if (auth.len && base64_decode(a, auth, &decoded, &bad)) {
        while (str_has_suffix(decoded, str_of("", 1)))
            decoded.len--;
        if (!str_cut(decoded, STR(":"), &user, &password))
            user = STR_NONE;
    }
    if (user.len && !out->identity.len)
        set_login(a, user, password, out);
    return out->basic.len || out->identity.len;
}

/* ---- Credential helpers. ---- */

static bool read_answer(struct arena *a, str text, struct image_login *out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source source = {.text = text};
    struct value *doc;
    /* Malformed output may be a secret, so it is not shown. */
    AUTO_ERR ignored = {0};

    if (!json_read(a, &source, &options, &doc, &ignored))
        return err_set(e, ERR_INVALID, "its output is not a JSON document");
    str user = value_get_str(doc, STR("Username")), secret = value_get_str(doc, STR("Secret"));
    if (!user.len || !secret.len)
        return err_set(e, ERR_INVALID, "what it printed has no Username or no Secret");
    if (str_eq(user, STR(TOKEN_USER)))
        out->identity = secret;
    else
        set_login(a, user, secret, out);
    return true;
}

/* Upstream: errors are printed to standard output, and "not found" has no status of its own. */
static bool ask_helper(struct arena *a, str helper, str registry, struct image_login *out,
                       struct err *e)
{
    const char *const argv[] = {str_z(a, str_concat(a, STR("docker-credential-"), helper)), "get",
                                NULL};
    const struct process process = {.argv = argv,
                                    .input = is_docker(registry) ? STR(DOCKER_KEY) : registry,
                                    .silence_max = HELPER_SILENCE_MAX,
                                    .output_max = HELPER_OUTPUT_MAX};
    int status;
    str text;

    if (str_find_char(helper, '/') != STR_NPOS)
        return err_set(e, ERR_INVALID, "%s is not a valid program name", argv[0]);
    if (!process_run_as(a, &process, &text, &status, e))
        return err_wrap(e, "%s cannot be asked for credentials", argv[0]);
    if (status == 0)
        return read_answer(a, text, out, e) || err_wrap(e, "%s", argv[0]);
    text = str_trim(text);
    if (str_has_prefix(text, STR(NOT_FOUND)))
        return true;
    text = str_slice(text, 0, 500);
    return err_set(e, ERR_DENIED, "%s failed with status %d%s%.*s", argv[0], status,
                   text.len ? ": " : "", STR_ARG(text));
}

/* The program for a registry; empty when there is none. */
static str find_helper(struct arena *a, const struct value *doc, const struct image_name *name)
{
    const struct value *own = find_entry(a, value_get(doc, STR("credHelpers")), name);

    return own ? value_str(own) : value_get_str(doc, STR("credsStore"));
}

/* ---- Files. ---- */

static bool file_login(struct arena *a, str path, const struct image_name *name,
                       struct image_login *out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(a, struct source);
    struct value *doc;

    source->file = path;
    if (!file_read_max(a, path, LOGIN_FILE_MAX, &source->text, e))
        return false;
    if (!json_read(a, source, &options, &doc, e))
        return err_wrap(e, "%.*s", STR_ARG(path));
    str helper = find_helper(a, doc, name);
    if (helper.len && !ask_helper(a, helper, name->registry, out, e))
        return err_wrap(e, "%.*s", STR_ARG(path));
    if (!out->basic.len && !out->identity.len)
        read_entry(a, find_entry(a, value_get(doc, STR("auths")), name), out);
    return true;
}

/* A path below the folder that a variable names; empty when it names none. */
static str below(struct arena *a, const char *variable, const char *path)
{
    str folder = str_c(getenv(variable));

    return folder.len ? str_concat(a, folder, str_c(path)) : STR_NONE;
}

static str first_of(str one, str other)
{
    return one.len ? one : other;
}

bool image_login_find(struct arena *a, const struct image_name *name, struct image_login *out,
                      struct err *e)
{
    str named = str_c(getenv("REGISTRY_AUTH_FILE"));
    const str places[] = {
        first_of(below(a, "XDG_RUNTIME_DIR", "/containers/auth.json"),
                 str_fmt(a, "/run/containers/%u/auth.json", (unsigned)getuid())),
        first_of(below(a, "XDG_CONFIG_HOME", "/containers/auth.json"),
                 below(a, "HOME", "/.config/containers/auth.json")),
        first_of(below(a, "DOCKER_CONFIG", "/config.json"),
                 below(a, "HOME", "/.docker/config.json")),
    };

    *out = (struct image_login){0};
    if (named.len)
        return file_login(a, named, name, out, e) || err_wrap(e, "REGISTRY_AUTH_FILE");
    for (size_t i = 0; i < COUNT(places) && !out->basic.len && !out->identity.len; i++)
        if (file_kind(places[i]) == FILE_REGULAR && !file_login(a, places[i], name, out, e))
            return false;
    return true;
}
