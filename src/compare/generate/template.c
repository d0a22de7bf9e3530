/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.c - writes an object as a template that renders to it.
 *
 * Text in an object that looks like an action, for example in alerts, is written as an action that
 * prints it; otherwise the template could not be parsed, or would run what somebody put into an
 * object. Values of Secrets are left out: only their keys are compared. Those of Secrets inside
 * other objects, such as a ManifestWork, are left out in the same way as in drafts.
 */
#include "compare/generate/internal.h"
#include "compare/draft/draft.h"
#include "compare/secret.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"
#include "object/object.h"

static void add_escaped(struct buf *out, str text)
{
    str before;

    while (str_cut(text, STR("{{"), &before, &text)) {
        buf_add(out, before);
        buf_add(out, STR("{{ \"{{\" }}"));
    }
    buf_add(out, before);
}

/* A text as YAML and templates both read it. */
static bool add_quoted(struct arena *a, struct buf *out, str text, bool escape, struct err *e)
{
    struct buf json = buf_new(a, BUF_UNLIMITED);

    if (!json_write(&json, value_string(a, text), &json_exact, e))
        return false;
    if (escape)
        add_escaped(out, buf_str(&json));
    else
        buf_add(out, buf_str(&json));
    return true;
}

/* The template is also run with an empty object, which has no data. */
static bool add_reading(struct arena *a, struct buf *out, str field, const struct value *values,
                        struct err *e)
{
    if (values->kind != VALUE_OBJECT) {
        buf_fmt(out, "%.*s: {{ .%.*s | toJson }}\n", STR_ARG(field), STR_ARG(field));
        return true;
    }
    buf_fmt(out, "%.*s:\n", STR_ARG(field));
    for (size_t i = 0; i < values->len; i++) {
        str key = value_key(&values->items[i]);
        buf_add(out, STR("  "));
        if (!add_quoted(a, out, key, true, e))
            return false;
        buf_fmt(out, ": {{ with .%.*s }}{{ index . ", STR_ARG(field));
        if (!add_quoted(a, out, key, false, e))
            return false;
        buf_add(out, STR(" | toJson }}{{ end }}\n"));
    }
    return true;
}

/*
 * The Secret without annotations that hold it once more, as what was applied; other places that
 * have a value of it, such as labels, are masked.
 */
static struct value *drop_copies(struct arena *a, struct value *object)
{
    struct value *masked = object, *none = NULL;

    secret_mask_pair(a, secret_values_of(a, &object, 1), &masked, &none);
    const struct value *before = value_get(object_meta(object), STR("annotations"));
    struct value *annotations = value_get(object_meta(masked), STR("annotations"));
    for (size_t i = value_len(annotations); i-- > 0;) {
        str key = value_key(&annotations->items[i]);
        if (!value_equal(&annotations->items[i], value_get(before, key)))
            value_unset(annotations, key);
    }
    return masked;
}

/* An object that is not a Secret but speaks of one; nothing when it has no values of it. */
static bool add_holder(struct arena *a, struct value *object, struct buf *out, bool *secret,
                       struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    if (!draft_object(a, object, &text, secret, e))
        return false;
    if (*secret)
        buf_add(out, buf_str(&text));
    return true;
}

bool generate_text(struct arena *a, struct value *object, struct buf *out, bool *secret,
                   struct err *e)
{
    static const char *const fields[] = {"data", "stringData"};
    struct buf yaml = buf_new(a, BUF_UNLIMITED), reading = buf_new(a, BUF_UNLIMITED);

    *secret = false;
    if (!secret_is(object) && secret_holds(object) && !add_holder(a, object, out, secret, e))
        return false;
    if (*secret)
        return true;
    for (size_t i = 0; i < COUNT(fields) && secret_is(object); i++) {
        const struct value *values = value_get(object, str_c(fields[i]));
        if (!values || values->kind == VALUE_NULL || (value_is_container(values) && !values->len))
            continue;
        if (!add_reading(a, &reading, str_c(fields[i]), values, e))
            return false;
    }
    *secret = reading.len > 0;
    if (secret_is(object))
        object = drop_copies(a, object);
    for (size_t i = 0; i < COUNT(fields) && *secret; i++)
        value_unset(object, str_c(fields[i]));
    if (!yaml_write(&yaml, object, NUMBERS_YAML, e))
        return false;
    add_escaped(out, buf_str(&yaml));
    buf_add(out, buf_str(&reading));
    return true;
}
