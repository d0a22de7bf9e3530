/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - streams for the current client; see streams_internal.h. */
#include "kube/streams_internal.h"

#include "net/http/streams.h"

struct kube_streams {
    struct kube_streams *next;
    struct http_client *client;
    struct http_streams *streams;
};

struct http_streams *kube_streams_for(struct kube_streams **all, struct http_client *client,
                                      size_t max)
{
    struct kube_streams *s = *all;

    if (s && s->client == client) {
        http_client_free(client);
        return s->streams;
    }
    s = block_new(sizeof(*s));
    *s = (struct kube_streams){*all, client, http_streams_new(client)};
    http_streams_configure(s->streams, max, NULL, NULL);
    *all = s;
    return s->streams;
}

static void free_one(struct kube_streams *s)
{
    http_streams_free(s->streams);
    http_client_free(s->client);
    block_free(s);
}

void kube_streams_trim(struct kube_streams **all)
{
    struct kube_streams **at = *all ? &(*all)->next : NULL;

    while (at && *at) {
        struct kube_streams *s = *at;
        if (http_streams_count(s->streams)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free_one(s);
    }
}

int64_t kube_streams_step(struct kube_streams *all)
{
    int64_t due = INT64_MAX;

    for (struct kube_streams *s = all; s; s = s->next) {
        int64_t at = http_streams_step(s->streams);
        due = at < due ? at : due;
    }
    return due;
}

void kube_streams_free(struct kube_streams *all)
{
    struct kube_streams *next;

    for (; all; all = next) {
        next = all->next;
        free_one(all);
    }
}
