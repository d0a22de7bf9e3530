/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all.c - the families of template functions. To add one: declare its table in families.h and list
 * it here, sorted.
 */
#include "tmpl/funcs/families.h"

const struct tmpl_func *const tmpl_families[] = {
    tmpl_builtin_funcs,
    tmpl_cert_funcs,
    tmpl_compare_funcs,
    tmpl_crypto_funcs,
    tmpl_date_funcs,
    tmpl_decimal_funcs,
    tmpl_default_funcs,
    tmpl_dict_funcs,
    tmpl_encoding_funcs,
    tmpl_helm_funcs,
    tmpl_json_funcs,
    tmpl_list_funcs,
    tmpl_lookup_funcs,
    tmpl_math_funcs,
    tmpl_merge_funcs,
    tmpl_path_funcs,
    tmpl_random_funcs,
    tmpl_reflect_funcs,
    tmpl_regex_funcs,
    tmpl_string_funcs,
    tmpl_url_funcs,
    tmpl_version_funcs,
    tmpl_word_funcs,
    tmpl_yaml_funcs,
    NULL,
};

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const struct tmpl_help *)x)->name, ((const struct tmpl_help *)y)->name);
}

size_t tmpl_functions(struct arena *a, enum tmpl_profile profile, struct tmpl_help **out)
{
    VEC(struct tmpl_help) all = {0};

    for (size_t i = 0; tmpl_families[i]; i++) {
        for (const struct tmpl_func *f = tmpl_families[i]; f->name; f++) {
            struct tmpl_help h = {str_c(f->name), f->signature, f->help, f->example};
            if (f->profiles & profile)
                VEC_PUSH(a, &all, h);
        }
    }
    if (all.len)
        qsort(all.items, all.len, sizeof(*all.items), by_name);
    *out = all.items;
    return all.len;
}
