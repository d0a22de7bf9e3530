/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - what templates of a comparison ask the host: other objects of the cluster, and to be
 * left out of the running. The host answers through struct tmpl_hooks.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"
#include "tmpl/internal.h"

/* The host hears once of each object, however often it was found. */
static void note_found(struct rt *rt, const struct value *object)
{
    if (!rt->known)
        rt->known = map_new(rt->arena);
    if (map_has(rt->known, str_of((const char *)&object, sizeof(object))))
        return;
    const struct value **key = arena_alloc_raw(rt->arena, sizeof(*key));
    *key = object;
    map_set(rt->known, str_of((const char *)key, sizeof(*key)), NULL);
    VEC_PUSH(rt->arena, &rt->found, object);
}

static bool find(struct tmpl_call *c, const struct value ***found, size_t *count)
{
    const struct tmpl_hooks *hooks = c->rt->hooks;

    if (!host_lookup(c, found, count))
        return false;
    for (size_t i = 0; hooks->changed && i < *count; i++)
        note_found(c->rt, (*found)[i]);
    return true;
}

/* Nothing unless exactly one object is found. */
static bool fn_lookup_cr(struct tmpl_call *c)
{
    const struct value **found;
    size_t count;

    if (!find(c, &found, &count))
        return false;
    if (count != 1)
        return return_tv(c, tv_object(TV_MAP, NULL));
    return return_tv(c, tv_wrap_host(c->rt, found[0]));
}

static bool fn_lookup_crs(struct tmpl_call *c)
{
    const struct value **found;
    size_t count;
    struct tv list;

    if (!find(c, &found, &count))
        return false;
    if (!count)
        return return_tv(c, tv_object(TV_MAPS, NULL));
    if (!call_room(c, count * sizeof(struct tv)))
        return false;
    list = tv_list_new(c->rt, TV_MAPS, count);
    for (size_t i = 0; i < count; i++)
        list.list->items[i] = tv_wrap_host(c->rt, found[i]);
    return return_tv(c, list);
}

/* Always fails; the host learns from the run that it was on purpose. */
static bool fn_do_not_match(struct tmpl_call *c)
{
    c->rt->exec->run->do_not_match = true;
    return call_fail(c, "Do not match: %.*s", STR_ARG(arg_str(c, 0)));
}

/* Sorted by name. */
const struct tmpl_func tmpl_lookup_funcs[] = {
    {"doNotMatch", "func(string) (string, error)", TMPL_KC, fn_do_not_match,
     "End the template: it does not fit this object", "{{ doNotMatch \"no spec\" }}"},
    {"lookupCR", "func(string, string, string, string) map[string]any", TMPL_KC, fn_lookup_cr,
     "The one object with this apiVersion, kind, namespace and name; \"*\" or \"\" fit all",
     "{{ lookupCR \"v1\" \"ConfigMap\" \"default\" \"settings\" }}"},
    {"lookupCRs", "func(string, string, string, string) []map[string]any", TMPL_KC, fn_lookup_crs,
     "All objects with this apiVersion, kind, namespace and name; \"*\" or \"\" fit all",
     "{{ range lookupCRs \"v1\" \"ConfigMap\" \"*\" \"*\" }}{{ .metadata.name }}{{ end }}"},
    {0},
};
