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

/* What was cut out of a list. */
struct cutting {
    struct arena *arena;
    struct buf text;
    size_t count;
    bool sound;                /* all of it could be cut, and every object can be read */
    struct value *around;      /* NULL: cannot be read */
    struct kube_envelope read; /* of a list that can be trusted to be whole */
    bool trusted;
};

static bool add_item(void *ctx, str text, struct err *e)
{
    struct cutting *c = ctx;
    struct value *object;

    (void)e;
    buf_fmt(&c->text, "<%.*s>", STR_ARG(text));
    c->count++;
    c->sound &= kube_json_read(c->arena, text, &object, NULL);
    return true;
}

static struct cutting cut(struct arena *a, str text, size_t step)
{
    struct cutting c = {.arena = a, .text = buf_new(a, BUF_UNLIMITED), .sound = true};
    struct kube_items items = kube_items_new(a, add_item, &c);

    for (size_t at = 0; at < text.len && c.sound; at += step)
        c.sound &= kube_items_add(&items, str_slice(text, at, at + step), NULL);
    if (!kube_items_end(&items, a, &c.around, NULL))
        c.around = NULL;
    c.trusted = c.sound && c.around && kube_envelope_read(c.around, NULL, &c.read, NULL);
    return c;
}

/*
 * What is cut does not depend on the pieces. Whatever can be read as a whole can be cut, and what
 * is trusted has all the objects of the whole, which can be read unless it is too deep by its list.
 */
static void try_list(struct arena *a, str text, size_t step)
{
    struct cutting c = cut(a, text, step), other = cut(a, text, text.len + 1);
    AUTO_ERR e = {0};
    struct value *whole;

    CHECK(c.trusted == other.trusted);
    CHECK(!c.trusted || str_eq(buf_str(&c.text), buf_str(&other.text)));
    if (!kube_json_read(a, text, &whole, &e)) {
        CHECK(!c.trusted || e.kind == ERR_LIMIT);
        return;
    }
    CHECK(c.sound && c.around);
    CHECK(!c.trusted || c.count == value_len(value_get(whole, STR("items"))));
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
    CHECK(e.kind != ERR_NONE && e.text.len);
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
