/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_index.c - objects by other keys than their names.
 */
#include "kube/cache_internal.h"
#include "object/object.h"

#include <string.h>

static void owner_keys(struct arena *a, const struct value *object, struct kube_list *keys)
{
    for (size_t i = 0; i < object_owner_count(object); i++) {
        str uid = object_owner(object, i).uid;
        if (uid.len)
            VEC_PUSH(a, keys, uid);
    }
}

const struct kube_index kube_index_owner = {"owner", owner_keys};

static struct cache_bucket *bucket_for(struct table *index, str key, size_t *bytes)
{
    struct cache_bucket *s = (struct cache_bucket *)table_find(index, key);

    if (s)
        return s;
    s = block_new(sizeof(*s) + key.len);
    s->index = index;
    s->first = NULL;
    memcpy(s->key, key.len ? key.ptr : "", key.len);
    table_add(index, &s->node, str_of(s->key, key.len));
    *bytes += sizeof(*s) + key.len;
    return s;
}

static bool is_linked(const struct cache_entry *e, const struct cache_bucket *s)
{
    for (const struct cache_link *l = e->links; l; l = l->more)
        if (l->bucket == s)
            return true;
    return false;
}

static void link_to(struct cache_entry *e, struct cache_bucket *s)
{
    struct cache_link *l = block_new(sizeof(*l));

    *l = (struct cache_link){
        .entry = e, .bucket = s, .next = s->first, .at = &s->first, .more = e->links};
    if (s->first)
        s->first->at = &l->next;
    s->first = l;
    e->links = l;
}

size_t cache_index_add(struct kube_cache *c, struct cache_entry *e, struct arena *a,
                       const struct value *object)
{
    size_t bytes = 0;

    for (size_t i = 0; i < c->config.index_count; i++) {
        struct kube_list keys = {0};
        c->config.indexes[i].keys(a, object, &keys);
        for (size_t k = 0; k < keys.len; k++) {
            struct cache_bucket *s = bucket_for(c->indexes[i], keys.items[k], &bytes);
            if (is_linked(e, s))
                continue;
            link_to(e, s);
            bytes += sizeof(struct cache_link);
        }
    }
    return bytes;
}

static size_t unlink_one(struct cache_link *l)
{
    struct cache_bucket *s = l->bucket;
    size_t bytes = sizeof(*l);

    *l->at = l->next;
    if (l->next)
        l->next->at = l->at;
    block_free(l);
    if (s->first)
        return bytes;
    bytes += sizeof(*s) + s->node.key.len;
    table_drop(s->index, &s->node);
    block_free(s);
    return bytes;
}

size_t cache_index_drop(struct cache_entry *e)
{
    size_t bytes = 0;

    while (e->links) {
        struct cache_link *l = e->links;
        e->links = l->more;
        bytes += unlink_one(l);
    }
    return bytes;
}
