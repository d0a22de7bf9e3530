/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - reads the wanted objects of a must-gather folder.
 *
 * Objects are below folders named cluster-scoped-resources and namespaces, which may be anywhere
 * below the given folder. Links to folders are not followed. A file with any fault is skipped as a
 * whole, and so is anything that is not a regular file: reading a pipe would block.
 */
#include "compare/generate/internal.h"
#include "text/yaml/yaml.h"

#include <errno.h>
#include <sys/stat.h>

/* How deep folders may be nested: enough in practice, and names grow with every level. */
#define FOLDERS_MAX 1000

const char *const generate_folders[GENERATE_FOLDERS] = {"cluster-scoped-resources", "namespaces"};

bool generate_source_check(struct arena *a, str folder, struct err *e)
{
    struct stat st;
    str full;

    if (!file_absolute(a, folder, &full, e))
        return err_wrap(e, "failed to get absolute path");
    if (stat(str_z(a, full), &st)) {
        if (errno == ENOENT)
            return err_set(e, ERR_NOT_FOUND, "must-gather directory does not exist: %.*s",
                           STR_ARG(folder));
        err_errno(e, errno, "stat", full);
        return err_wrap(e, "failed to stat must-gather directory");
    }
    if (!S_ISDIR(st.st_mode))
        return err_set(e, ERR_INVALID, "must-gather path is not a directory: %.*s",
                       STR_ARG(folder));
    return true;
}

/* ---- Walking. ---- */

struct walk {
    struct arena *arena; /* of paths */
    /* Answers whether to enter, when path is a folder. */
    bool (*visit)(struct walk *w, str path, bool folder);
    unsigned depth;
    struct str_list roots; /* of find_roots */
    struct map *seen;      /* of them */
    struct gather *gather;
};

/* As Go's filepath.Walk: names in bytewise order, links not followed. */
static bool walk(struct walk *w, str path, struct err *e)
{
    struct stat st;
    str *names;
    size_t count;

    if (lstat(str_z(w->arena, path), &st))
        return err_errno(e, errno, "lstat", path);
    if (!w->visit(w, path, S_ISDIR(st.st_mode)) || !S_ISDIR(st.st_mode))
        return true;
    if (++w->depth > FOLDERS_MAX)
        return err_set(e, ERR_LIMIT, "%.*s: folders are nested too deep", STR_ARG(path));
    if (!file_list(w->arena, path, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!walk(w, file_join(w->arena, path, names[i]), e))
            return false;
    w->depth--;
    return true;
}

static bool is_data_folder(str path)
{
    for (size_t i = 0; i < GENERATE_FOLDERS; i++)
        if (str_eq(file_base(path), str_c(generate_folders[i])))
            return true;
    return false;
}

static str parent_of(str path)
{
    size_t slash = str_rfind_char(path, '/');

    return slash ? str_slice(path, 0, slash) : STR("/");
}

static bool visit_for_roots(struct walk *w, str path, bool folder)
{
    if (!folder || !is_data_folder(path))
        return true;
    str parent = parent_of(path);
    if (!map_has(w->seen, parent)) {
        map_set(w->seen, parent, w);
        VEC_PUSH(w->arena, &w->roots, parent);
    }
    return false;
}

/* ---- Objects. ---- */

static bool is_there(const struct value *object, str key)
{
    const struct value *v = value_get(object, key);

    return v && v->kind != VALUE_NULL;
}

static bool is_wanted(const struct generate_config *config, const struct identity *i)
{
    for (size_t r = 0; r < config->rows.len; r++)
        if (str_eq(config->rows.items[r].kind, i->kind) &&
            str_eq(config->rows.items[r].api_version, i->api_version))
            return true;
    return false;
}

struct gather gather_begin(struct arena *a, const struct generate_config *config,
                           struct objects *out)
{
    return (struct gather){.arena = a, .config = config, .found = out, .seen = map_new(a)};
}

void gather_object(struct gather *c, const struct value *v)
{
    struct identity i = identity_of(v);
    str key = str_fmt(c->arena, "%.*s/%.*s/%.*s/%.*s", STR_ARG(i.api_version), STR_ARG(i.kind),
                      STR_ARG(i.namespace), STR_ARG(i.name));

    if (map_has(c->seen, key))
        return;
    map_set(c->seen, key, c);
    struct value *root = value_copy(c->arena, v);
    VEC_PUSH(c->arena, c->found,
             ((struct object){.root = root, .identity = identity_of(root), .id = key}));
}

static void add_wanted(struct arena *a, const struct generate_config *config, const struct value *v,
                       struct value_refs *out)
{
    struct identity i = identity_of(v);

    if (is_there(v, STR("kind")) && is_there(v, STR("apiVersion")) && is_wanted(config, &i))
        VEC_PUSH(a, out, v);
}

static void add_document(struct arena *a, const struct generate_config *config,
                         const struct value *doc, struct value_refs *out)
{
    const struct value *items = value_get(doc, STR("items"));

    if (!is_there(doc, STR("items")) ||
        !str_has_suffix(value_get_str(doc, STR("kind")), STR("List"))) {
        add_wanted(a, config, doc, out);
        return;
    }
    for (size_t i = 0; value_is(items, VALUE_LIST) && i < items->len; i++)
        if (items->items[i].kind == VALUE_OBJECT)
            add_wanted(a, config, &items->items[i], out);
}

/* All documents of a file, or none when one of them is at fault. */
static bool read_documents(struct arena *a, str path, str text, struct value *docs, struct err *e)
{
    const struct read_options options = {.duplicates = DUPLICATE_ERROR, .go = true, .yaml12 = true};
    struct source *source = ARENA_NEW(a, struct source);
    struct value *doc;

    if (!yaml_source(a, path, text, source, e))
        return false;
    for (size_t offset = 0;;) {
        if (!yaml_read_next(a, source, &options, &offset, &doc, e))
            return false;
        if (!doc)
            return true;
        if (doc->kind == VALUE_OBJECT)
            value_add(a, docs, doc);
        else if (doc->kind != VALUE_NULL)
            return err_set(e, ERR_INVALID, "not a mapping");
    }
}

struct value_refs gather_read(struct arena *a, const struct generate_config *config, str path,
                              str text)
{
    struct value *docs = value_list(a);
    struct value_refs out = {0};
    AUTO_ERR e = {0};

    if (read_documents(a, path, text, docs, &e))
        for (size_t i = 0; i < docs->len; i++)
            add_document(a, config, &docs->items[i], &out);
    return out;
}

static bool visit_for_objects(struct walk *w, str path, bool folder)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text;

    if (folder || !str_has_suffix(path, STR(".yaml")) || file_kind(path) == FILE_OTHER ||
        !file_read(a, path, &text, &e))
        return true;
    struct value_refs objects = gather_read(a, w->gather->config, path, text);
    for (size_t i = 0; i < objects.len; i++)
        gather_object(w->gather, objects.items[i]);
    return true;
}

static bool read_root(struct walk *w, str root, struct err *e)
{
    for (size_t i = 0; i < GENERATE_FOLDERS; i++) {
        str folder = file_join(w->arena, root, str_c(generate_folders[i]));
        if (file_kind(folder) != FILE_MISSING && !walk(w, folder, e))
            return err_wrap(e, "failed to walk must-gather");
    }
    return true;
}

bool generate_source_read(struct arena *a, str folder, const struct generate_config *config,
                          struct objects *out, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct walk roots = {.arena = scratch, .visit = visit_for_roots, .seen = map_new(scratch)};
    struct gather gather = gather_begin(a, config, out);
    struct walk objects = {.arena = scratch, .visit = visit_for_objects, .gather = &gather};
    str full;

    if (!file_absolute(scratch, folder, &full, e))
        return err_wrap(e, "failed to get absolute path");
    if (!walk(&roots, full, e))
        return err_wrap(e, "walking must-gather root \"%.*s\" for data directories", STR_ARG(full));
    if (!roots.roots.len)
        return err_set(e, ERR_NOT_FOUND,
                       "no must-gather data found under %.*s (expected cluster-scoped-resources/ "
                       "or namespaces/)",
                       STR_ARG(full));
    for (size_t i = 0; i < roots.roots.len; i++)
        if (!read_root(&objects, roots.roots.items[i], e))
            return false;
    return true;
}
