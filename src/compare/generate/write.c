/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the files of a generated reference. */
#include "compare/generate/internal.h"
#include "text/yaml/yaml.h"
#include "object/object.h"

#include <errno.h>
#include <fcntl.h>

#define ANNOTATIONS "metadata.annotations.\""
#define LABELS "metadata.labels.\""

/* What every generated reference omits, and every generated template is without. */
static const struct {
    const char *path;
    bool prefix;
} omitted[] = {
    {ANNOTATIONS "kubernetes.io/metadata.name\"", false},
    {ANNOTATIONS "openshift.io/sa.scc.uid-range\"", false},
    {ANNOTATIONS "openshift.io/sa.scc.mcs\"", false},
    {ANNOTATIONS "openshift.io/sa.scc.supplemental-groups\"", false},
    {ANNOTATIONS "machineconfiguration.openshift.io/mc-name-suffix\"", false},
    {ANNOTATIONS "kubectl.kubernetes.io/last-applied-configuration\"", false},
    {ANNOTATIONS "nmstate.io/webhook-mutating-timestamp\"", false},
    {ANNOTATIONS "ran.openshift.io/ztp-gitops-generated\"", false},
    {ANNOTATIONS "include.release.openshift.io/ibm-cloud-managed\"", false},
    {ANNOTATIONS "include.release.openshift.io/self-managed-high-availability\"", false},
    {ANNOTATIONS "include.release.openshift.io/single-node-developer\"", false},
    {ANNOTATIONS "release.openshift.io/create-only\"", false},
    {ANNOTATIONS "capability.openshift.io/name\"", false},
    {ANNOTATIONS "olm.providedAPIs\"", false},
    {ANNOTATIONS "operator.sriovnetwork.openshift.io/last-network-namespace\"", false},
    {ANNOTATIONS "k8s.v1.cni.cncf.io/resourceName\"", false},
    {ANNOTATIONS "security.openshift.io/MinimallySufficientPodSecurityStandard\"", false},
    {LABELS "kubernetes.io/metadata.name\"", false},
    {LABELS "pod-security.kubernetes.io/\"", true},
    {LABELS "operators.coreos.com/\"", true},
    {LABELS "security.openshift.io/scc.podSecurityLabelSync\"", false},
    {LABELS "lca.openshift.io/target-ocp-version\"", false},
    {LABELS "olm.operatorgroup.uid\"", false},
    {"metadata.resourceVersion", false},
    {"metadata.uid", false},
    {"metadata.creationTimestamp", false},
    {"metadata.generation", false},
    {"metadata.managedFields", false},
    {"metadata.selfLink", false},
    {"metadata.finalizers", false},
    {"metadata.ownerReferences", false},
    {"spec.finalizers", false},
    {"spec.ownerReferences", false},
    {"spec.clusterID", false},
    {"spec.filters", false},
};

struct writer {
    struct arena *arena;
    struct generate_config *config;
    const struct dialect *dialect;
    size_t secrets; /* whose values were left out */
    str folder;
    struct map *taken; /* path without its ending to size_t: the next number to try */
};

/* Names of objects have up to 253 letters; with an ending and a number, files have fewer. */
#define NAME_MAX_KEPT 230

/* ---- Names. ---- */

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* A name for a file: everything unusual is a dash, dashes do not repeat, and none is outside. */
static str clean_name(struct arena *a, str text, str fallback)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++) {
        char c = is_safe(text.ptr[i]) ? text.ptr[i] : '-';
        if (c != '-' || !b.len || b.data[b.len - 1] != '-')
            buf_char(&b, c);
    }
    str name = str_trim_set(buf_str(&b), STR("-."));
    return !name.len || str_contains(name, STR("..")) ? fallback : name;
}

static str clean_kind(struct arena *a, const struct wanted *row)
{
    return clean_name(a, row->kind, STR("resource"));
}

/* ---- Objects. ---- */

/* The key of an entry of the table below this path, or empty. */
static str key_below(str path, str parent)
{
    if (!str_has_prefix(path, parent))
        return STR_NONE;
    return str_slice(path, parent.len, path.len - 1);
}

static bool has_prefix(void *ctx, const struct value *member)
{
    return str_has_prefix(value_key(member), *(const str *)ctx);
}

/* Removes what is omitted from the annotations or labels, and these when nothing is left. */
static void clean_map(struct value *metadata, str name, str parent, const struct str_list *more)
{
    struct value *map = value_get(metadata, name);

    if (!value_is(map, VALUE_OBJECT))
        return;
    for (size_t i = 0; i < COUNT(omitted); i++) {
        str key = key_below(str_c(omitted[i].path), parent);
        if (key.len && omitted[i].prefix)
            value_remove_if(map, has_prefix, &key);
        else if (key.len)
            value_unset(map, key);
    }
    for (size_t i = 0; i < more->len; i++)
        value_unset(map, more->items[i]);
    if (!map->len)
        value_unset(metadata, name);
}

static void clean_object(const struct generate_config *config, struct value *object)
{
    static const char *const fields[] = {"resourceVersion", "uid",           "creationTimestamp",
                                         "generation",      "managedFields", "selfLink"};
    struct value *metadata;

    value_unset(object, STR("status"));
    metadata = object_meta(object);
    if (!value_is(metadata, VALUE_OBJECT))
        return;
    for (size_t i = 0; i < COUNT(fields); i++)
        value_unset(metadata, str_c(fields[i]));
    clean_map(metadata, STR("annotations"), STR(ANNOTATIONS), &config->omit_annotations);
    clean_map(metadata, STR("labels"), STR(LABELS), &config->omit_labels);
}

/* ---- Files. ---- */

/* Makes a new file for a name: the first of NAME, NAME-1, NAME-2 and so on that is not there. */
static bool reserve(struct writer *w, str base, str *path, struct err *e)
{
    size_t *next = map_get(w->taken, base);

    if (!next) {
        next = ARENA_NEW(w->arena, size_t);
        map_set(w->taken, base, next);
    }
    for (;; ++*next) {
        *path = *next ? str_fmt(w->arena, "%.*s-%zu.yaml", STR_ARG(base), *next)
                      : str_fmt(w->arena, "%.*s.yaml", STR_ARG(base));
        AUTO_FD fd = open(str_z(w->arena, *path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            break;
        if (errno != EEXIST) {
            err_errno(e, errno, "open", *path);
            return err_wrap(e, "failed to reserve output path %.*s", STR_ARG(*path));
        }
    }
    ++*next;
    return true;
}

static bool write_object(struct writer *w, struct wanted *row, str folder, struct object *o,
                         struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);
    str name = clean_name(a, o->identity.name, STR("unnamed")), path;
    struct value *copy = value_clone(a, o->root);
    bool secret = false;

    if (w->dialect->long_names && name.len > NAME_MAX_KEPT)
        name = str_slice(name, 0, NAME_MAX_KEPT);
    if (!reserve(w, file_join(w->arena, folder, name), &path, e))
        return false;
    clean_object(w->config, copy);
    if (w->dialect->masked_secrets ? !generate_text(a, copy, &text, &secret, e)
                                   : !yaml_write(&text, copy, NUMBERS_YAML, e))
        return err_wrap(e, "failed to marshal %.*s", STR_ARG(o->identity.name));
    w->secrets += secret;
    if (!file_write(path, buf_str(&text), 0600, e))
        return err_wrap(e, "failed to write %.*s", STR_ARG(path));
    VEC_PUSH(w->arena, &row->files,
             file_join(w->arena, clean_kind(w->arena, row), file_base(path)));
    return true;
}

static bool write_row(struct writer *w, struct wanted *row, struct err *e)
{
    str folder = file_join(w->arena, w->folder, clean_kind(w->arena, row));

    if (!row->found.len)
        return true;
    if (!file_make_folder(folder, e))
        return err_wrap(e, "failed to create directory %.*s", STR_ARG(folder));
    for (size_t i = 0; i < row->found.len; i++)
        if (!write_object(w, row, folder, &row->found.items[i], e))
            return false;
    return true;
}

/* ---- Metadata. ---- */

static void add_omitted(struct arena *a, struct value *list, str path, bool prefix)
{
    struct value *entry = value_add(a, list, value_object(a));

    if (prefix)
        value_set_bool(a, entry, STR("isPrefix"), true);
    value_set_str(a, entry, STR("pathToKey"), path);
}

static struct value *make_omitted(struct arena *a, const struct generate_config *c)
{
    struct value *fields = value_object(a), *list;

    value_set_str(a, fields, STR("defaultOmitRef"), STR("all"));
    struct value *items = value_set(a, fields, STR("items"), value_object(a));
    list = value_set(a, items, STR("all"), value_list(a));
    value_set_str(a, value_add(a, list, value_object(a)), STR("include"), STR("defaults"));
    add_omitted(a, list, STR("status"), false);
    list = value_set(a, items, STR("defaults"), value_list(a));
    for (size_t i = 0; i < COUNT(omitted); i++)
        add_omitted(a, list, str_c(omitted[i].path), omitted[i].prefix);
    for (size_t i = 0; i < c->omit_annotations.len; i++)
        add_omitted(a, list,
                    str_fmt(a, ANNOTATIONS "%.*s\"", STR_ARG(c->omit_annotations.items[i])), false);
    for (size_t i = 0; i < c->omit_labels.len; i++)
        add_omitted(a, list, str_fmt(a, LABELS "%.*s\"", STR_ARG(c->omit_labels.items[i])), false);
    return fields;
}

static struct value *make_part(struct arena *a, const struct wanted *row)
{
    str kind = str_lower(a, clean_kind(a, row));
    struct value *part = value_object(a);
    struct value *components = value_set(a, part, STR("components"), value_list(a));
    struct value *component = value_add(a, components, value_object(a));
    struct value *paths =
        value_set(a, component, row->required ? STR("allOf") : STR("anyOf"), value_list(a));

    for (size_t i = 0; i < row->files.len; i++)
        value_set_str(a, value_add(a, paths, value_object(a)), STR("path"), row->files.items[i]);
    value_set_str(a, component, STR("name"), kind);
    value_set_str(a, part, STR("name"),
                  str_fmt(a, "%s-%.*s", row->required ? "required" : "optional", STR_ARG(kind)));
    value_set_str(a, part, STR("description"),
                  str_fmt(a, "%s %.*s resources", row->required ? "Required" : "Optional",
                          STR_ARG(row->kind)));
    return part;
}

static bool write_metadata(struct writer *w, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct value *doc = value_object(a);

    value_set_str(a, doc, STR("apiVersion"), STR("v2"));
    value_set(a, doc, STR("fieldsToOmit"), make_omitted(a, w->config));
    struct value *parts = value_set(a, doc, STR("parts"), value_list(a));
    for (size_t i = 0; i < w->config->rows.len; i++)
        if (w->config->rows.items[i].files.len)
            value_add(a, parts, make_part(a, &w->config->rows.items[i]));
    if (!yaml_write(&text, doc, NUMBERS_YAML, e))
        return err_wrap(e, "failed to marshal metadata");
    if (!file_write(file_join(a, w->folder, STR("metadata.yaml")), buf_str(&text), 0600, e))
        return err_wrap(e, "failed to write metadata.yaml");
    return true;
}

bool generate_write(struct arena *a, const struct generate_options *o,
                    struct generate_config *config, str *folder, struct buf *note, struct err *e)
{
    struct writer w = {.arena = a, .config = config, .dialect = o->dialect, .taken = map_new(a)};

    if (!file_absolute(a, o->output.len ? o->output : config->output, &w.folder, e))
        return err_wrap(e, "failed to resolve output directory");
    if (!file_make_folder(w.folder, e))
        return err_wrap(e, "failed to create output directory");
    for (size_t i = 0; i < config->rows.len; i++)
        if (!write_row(&w, &config->rows.items[i], e))
            return false;
    *folder = w.folder;
    if (w.secrets)
        buf_fmt(
            note,
            "Note: the values of %zu Secret%s are not in the reference: the templates take them "
            "from the object that is compared\n",
            w.secrets, w.secrets == 1 ? "" : "s");
    return write_metadata(&w, e);
}
