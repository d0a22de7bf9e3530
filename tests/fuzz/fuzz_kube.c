/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_kube.c - what an API server may send: discovery, lists in pieces of any size, events of
 * watches, errors. Lists give the same objects whatever the pieces.
 *
 * The first byte picks the kind of answer, the second the size of the pieces.
 */
#include "kube/items_internal.h"
#include "kube/watch.h"
#include "text/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static const struct kube_resource widgets = {.group = STR_INIT("example.com"),
                                             .version = STR_INIT("v1"),
                                             .name = STR_INIT("widgets"),
                                             .kind = STR_INIT("Widget")};
static const struct kube_call call = {.resource = &widgets};

static void try_discovery(struct arena *a, str text)
{
    struct kube_discovery d = {0};
    const struct source src = {.text = text};
    struct value *list;

    if (!json_read(a, &src, NULL, &list, NULL) || !kube_discovery_read(a, list, &d, NULL))
        return;
    for (size_t i = 0; i < d.resource_count; i++) {
        const struct kube_resource *r = &d.resources[i];
        CHECK(r->name.len && r->kind.len);
        CHECK(r->subresource || kube_kind_find(&d, r->kind, r->group, r->version));
        CHECK(kube_call_path(a, &(struct kube_call){.resource = r}).len);
    }
    (void)kube_resource_find(&d, text);
}

static bool add_item(void *ctx, str text, struct err *e)
{
    struct buf *out = ctx;

    (void)e;
    buf_fmt(out, "<%.*s>", STR_ARG(text));
    return true;
}

static str cut(struct arena *a, str text, size_t step)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct kube_items items = kube_items_new(a, add_item, &out);
    struct value *envelope;

    for (size_t at = 0; at < text.len; at += step)
        if (!kube_items_add(&items, str_slice(text, at, at + step), NULL))
            break;
    buf_add(&out, kube_items_end(&items, a, &envelope, NULL) ? STR("ok") : STR("bad"));
    return buf_str(&out);
}

/* Nothing is lost: a list that can be read has as many objects as were cut out of it. */
static void try_list(struct arena *a, str text, size_t step)
{
    struct value *whole;
    str pieces = cut(a, text, step);

    CHECK(str_eq(pieces, cut(a, text, text.len + 1)));
    if (kube_json_read(a, text, &whole, NULL))
        CHECK(str_has_suffix(pieces, STR("ok")));
}

static void try_event(struct arena *a, str text)
{
    struct kube_change change;
    AUTO_ERR e = {0};

    if (kube_change_read(a, &call, text, &change, &e))
        CHECK(change.object && change.resource_version.len);
    else
        CHECK(e.kind != ERR_NONE && e.text.len);
}

static void try_error(struct arena *a, str text, int status)
{
    const struct http_response response = {.status = status, .body = text};
    struct kube_status said;
    AUTO_ERR e = {0};

    CHECK(!kube_answer_failed(a, STR("GET"), &call, &response, &said, &e));
    CHECK(e.kind != ERR_NONE && e.text.len && kube_status_words(a, &said).len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();

    if (size < 2)
        return 0;
    str text = str_of((const char *)data + 2, size - 2);
    switch (data[0] % 4) {
    case 0:
        try_discovery(a, text);
        break;
    case 1:
        try_list(a, text, data[1] + (size_t)1);
        break;
    case 2:
        try_event(a, text);
        break;
    default:
        try_error(a, text, 400 + data[1] % 200);
    }
    return 0;
}
