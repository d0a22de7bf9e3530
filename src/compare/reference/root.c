/* SPDX-License-Identifier: Apache-2.0 */
/* root.c - finds the kind of root of a reference, and what the kinds share; see root_internal.h. */
#include "compare/reference/root_internal.h"

#include "text/url.h"

/* The kind without a prefix is last. */
static const struct root_kind *const kinds[] = {&root_container,
                                                &root_containers_storage,
                                                &root_docker_archive,
                                                &root_docker_daemon,
                                                &root_http,
                                                &root_https,
                                                &root_oci,
                                                &root_oci_archive,
                                                &root_folder};

static const struct root_kind *find_kind(str reference)
{
    size_t i = 0;

    while (!str_has_prefix(reference, str_c(kinds[i]->prefix)))
        i++;
    return kinds[i];
}

bool root_is_remote(str reference)
{
    return find_kind(reference) != &root_folder;
}

bool root_hide_password(struct arena *a, str reference, struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);
    str rest = e ? e->text : STR_NONE, before;
    size_t start, end;

    if (!e || !url_find_password(reference, &start, &end))
        return false;
    str password = str_slice(reference, start, end + 1); /* with its "@" */
    while (str_cut(rest, password, &before, &rest)) {
        buf_add(&text, before);
        buf_add(&text, STR(URL_HIDDEN "@"));
    }
    buf_add(&text, before);
    return err_set_str(e, e->kind, buf_str(&text));
}

bool root_open_linked(struct arena *a, str reference, bool outside_links, struct root *out,
                      str *file, struct err *e)
{
    *out = (struct root){.kind = find_kind(reference), .outside_links = outside_links};
    out->reference = str_copy(a, reference);
    *file = STR_NONE;
    return out->kind->open(a, reference, out, file, e) || root_hide_password(a, reference, e);
}

bool root_open(struct arena *a, str reference, struct root *out, str *file, struct err *e)
{
    return root_open_linked(a, reference, false, out, file, e);
}

void root_close(struct root *root)
{
    if (root->kind && root->kind->close)
        root->kind->close(root);
    *root = (struct root){0};
}

static const struct root_kind *kind_of(const struct root *root)
{
    return root->kind ? root->kind : &root_folder;
}

bool root_read(struct arena *a, const struct root *root, str name, str *out, struct err *e)
{
    return kind_of(root)->read(a, root, name, out, e) || root_hide_password(a, root->reference, e);
}

bool root_glob(struct arena *a, const struct root *root, str pattern, struct str_list *out,
               struct err *e)
{
    return kind_of(root)->glob(a, root, pattern, out, e);
}

void root_split(str path, str *folder, str *file)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    size_t slash = str_rfind_char(path, '/');
    *file = slash == STR_NPOS || path.len == 1 ? path : str_from(path, slash + 1);
    *folder = slash == STR_NPOS ? STR(".") : str_slice(path, 0, slash ? slash : 1);
}

bool root_is_plain(str name)
{
    str rest = name, element;

    if (!name.len || utf8_find_invalid(name) != STR_NPOS)
        return false;
    if (str_eq(name, STR(".")))
        return true;
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (!element.len || str_eq(element, STR(".")) || str_eq(element, STR("..")))
            return false;
    }
    return true;
}
