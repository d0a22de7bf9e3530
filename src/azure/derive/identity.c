/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - decides what identifies the elements of an array.
 *
 * ARM reorders arrays and adds to them, so a comparison must know which element is which. Types do
 * not say which. A name, an id, a key or the only property identifies elements, as recorded
 * responses show; everything else is noted until the overlay settles it. Arrays of plain values are
 * compared as sets and have no identity.
 */
#include "azure/derive/internal.h"

static const str keys[] = {STR_INIT("name"), STR_INIT("id"), STR_INIT("reference"),
                           STR_INIT("key")};

/* The property that identifies elements, or empty. */
static str guess_key(const struct value *element)
{
    const struct value *props = value_get(element, STR("props"));

    if (value_get(element, STR("oneOf")))
        return STR_NONE;
    for (size_t i = 0; i < COUNT(keys); i++)
        if (value_get(props, keys[i]))
            return keys[i];
    return value_len(props) == 1 ? value_key(&props->items[0]) : STR_NONE;
}

static void set_identity(struct derive *d, const struct member *m, struct value *prop)
{
    str t = value_get_str(prop, STR("t"));
    const struct value *said = m->facts.attr[ATTR_IDENTITY];

    if (said) {
        value_set(d->arena, prop, STR("identity"), said);
        return;
    }
    if (!str_has_prefix(t, STR("[]@")))
        return;
    str key = guess_key(map_get(d->types, str_from(t, 3)));
    if (!key.len) {
        derive_note(d, NOTE_IDENTITY, m->holder, m->prop->name, "nothing obvious");
        return;
    }
    struct value *list = value_list(d->arena);
    value_add(d->arena, list, value_string(d->arena, key));
    value_set(d->arena, prop, STR("identity"), list);
}

void identify_elements(struct derive *d, const struct member *m, struct value *prop)
{
    if (d->side != SIDE_SPEC)
        return;
    set_identity(d, m, prop);
    if (m->facts.attr[ATTR_MIN_ITEMS])
        value_set(d->arena, prop, STR("minItems"), m->facts.attr[ATTR_MIN_ITEMS]);
}
