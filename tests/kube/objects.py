# SPDX-License-Identifier: Apache-2.0
"""Objects by the schemas of definitions: the least that is valid, and broken ones.

A broken object is a valid one with a single fault at a known field. Everything is made from the schemas in
a fixed order, so two runs make the same objects.
"""

import copy
import re

ARM_ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Test/things/n"
GROUP_ID = "/subscriptions/s/resourceGroups/g"
# Some of these fits nearly every pattern.
TEXTS = ["aaa", "a", "aaaaaaaaaaaa", "A1", "1", "11111111-1111-1111-1111-111111111111", "PT1H", "P1D", "a.b", "10.0.0.0/24",
         "2026-01-01T00:00:00Z", "https://example.org", "a@b.cd", "#aaaaaa", "aaa@aa", "0.0.0.0", "00:00", "1.1", ARM_ID]


class CannotMake(Exception):
    """No text is known that fits a pattern."""


def make_text(schema):
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
    pattern = schema.get("pattern", "")
    for text in TEXTS + ["a" * least, "a" * min(most, 8)]:
        if least <= len(text) <= most and re.search(pattern, text):
            return text
    raise CannotMake(pattern)


def make_number(schema):
    return schema.get("minimum", min(1, schema.get("maximum", 1)))


def is_reference(schema):
    return "armId" in schema.get("properties", {})


def make(schema):
    """The least value that the schema and the model accept."""
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "string":
        return make_text(schema)
    if kind in ("integer", "number"):
        return make_number(schema)
    if kind == "boolean":
        return True
    if kind == "array":
        return [make(schema["items"]) for _ in range(max(1, schema.get("minItems", 1)))]
    if is_reference(schema):
        return {"armId": ARM_ID}
    if "additionalProperties" in schema:
        return {"k": make(schema["additionalProperties"])}
    return {name: make(schema["properties"][name]) for name in schema.get("required", [])}


class Kind:
    """One version of one definition. owner is what the model says: its form, group and kind."""

    def __init__(self, crd, version, owner):
        self.group, self.name = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        self.version, self.stored = version["name"], version["storage"]
        self.owner = owner
        self.schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        self.path = f"/apis/{self.group}/{self.version}/namespaces/default/{crd['spec']['names']['plural']}"

    def least(self):
        spec = make(self.schema)
        if self.owner:
            spec["owner"] = {"armId": GROUP_ID} if self.owner["ref"].startswith("Arbitrary") else {"name": "owner"}
        return {"apiVersion": f"{self.group}/{self.version}", "kind": self.name,
                "metadata": {"name": "leastone", "namespace": "default"}, "spec": spec}


# ---- Faults. Each takes a kind and yields (what, field, object). --------------------------------------------


def broken(kind, steps, value):
    """The least object with value at steps below the spec; REMOVE takes the field away."""
    thing = copy.deepcopy(kind.least())
    at = thing["spec"]
    for step in steps[:-1]:
        at = at.setdefault(step, {})
    if value is REMOVE:
        del at[steps[-1]]
    else:
        at[steps[-1]] = value
    return thing


REMOVE = object()
WRONG = {"string": 7, "integer": "seven", "number": "seven", "boolean": "maybe", "array": "none", "object": "none"}


def fields(kind):
    """Pairs of name and schema at the first level, in the order of names, without what is ours."""
    for name, schema in sorted(kind.schema["properties"].items()):
        if name not in ("azureName", "owner", "operatorSpec"):
            yield name, schema


def wrong_type(kind):
    for name, schema in fields(kind):
        if schema.get("type") in WRONG:
            yield f"spec.{name}", broken(kind, [name], WRONG[schema["type"]])


def wrong_type_below(kind):
    for name, schema in fields(kind):
        for inner, below in sorted(schema.get("properties", {}).items()):
            if below.get("type") in WRONG and not is_reference(schema):
                yield f"spec.{name}.{inner}", broken(kind, [name, inner], WRONG[below["type"]])


def wrong_element(kind):
    for name, schema in fields(kind):
        if schema.get("type") == "array" and schema["items"].get("type") in WRONG:
            yield f"spec.{name}[0]", broken(kind, [name], [WRONG[schema["items"]["type"]]])


def unknown_choice(kind):
    for name, schema in fields(kind):
        if schema.get("type") == "string" and "enum" in schema:
            yield f"spec.{name}", broken(kind, [name], "NoSuchChoice")


def missing_field(kind):
    for name in kind.schema.get("required", []):
        if name != "owner":
            yield f"spec.{name}", broken(kind, [name], REMOVE)


def missing_owner(kind):
    if kind.owner and "owner" in kind.schema.get("required", []):
        yield "spec.owner", broken(kind, ["owner"], REMOVE)


def bad_owner_id(kind):
    if kind.owner and "armId" in kind.schema["properties"]["owner"]["properties"]:
        yield "spec.owner.armId", broken(kind, ["owner"], {"armId": "subscriptions/s/resourceGroups"})


def owner_id_of_wrong_type(kind):
    if kind.owner and kind.owner.get("kind") and is_reference(kind.schema["properties"]["owner"]):
        yield "spec.owner", broken(kind, ["owner"], {"armId": "/subscriptions/s/providers/Wrong.Type/x/y"})


def owner_of_wrong_kind(kind):
    if kind.owner and kind.owner.get("kind") and is_reference(kind.schema["properties"]["owner"]):
        yield "spec.owner", broken(kind, ["owner"], {"group": kind.owner["group"], "kind": "Wrong", "name": "x"})


def references(kind):
    """Steps and path of single references."""
    for name, schema in fields(kind):
        if is_reference(schema):
            yield [name], f"spec.{name}"
        for inner, below in sorted(schema.get("properties", {}).items()):
            if is_reference(below):
                yield [name, inner], f"spec.{name}.{inner}"


def bad_reference_id(kind):
    for steps, path in references(kind):
        yield f"{path}.armId", broken(kind, steps, {"armId": "no-id"})


def two_reference_forms(kind):
    for steps, path in references(kind):
        yield path, broken(kind, steps, {"armId": ARM_ID, "group": "g", "kind": "K", "name": "n"})


def two_owner_forms(kind):
    if kind.owner and is_reference(kind.schema["properties"]["owner"]):
        yield "spec.owner", broken(kind, ["owner"], {"armId": GROUP_ID, "name": "n"})


def half_a_reference(kind):
    for steps, path in references(kind):
        yield path, broken(kind, steps, {"name": "n"})


def unknown_field(kind):
    for name, _ in fields(kind):
        yield f"spec.{name}Typo", broken(kind, [f"{name}Typo"], "x")
        return


def number_out_of_range(kind):
    for name, schema in fields(kind):
        if "minimum" in schema:
            yield f"spec.{name}", broken(kind, [name], schema["minimum"] - 1)
        elif "maximum" in schema:
            yield f"spec.{name}", broken(kind, [name], schema["maximum"] + 1)


def text_too_long(kind):
    for name, schema in fields(kind):
        if schema.get("type") == "string" and "maxLength" in schema:
            yield f"spec.{name}", broken(kind, [name], "a" * (schema["maxLength"] + 1))


def bad_pattern(kind):
    for name, schema in fields(kind):
        if schema.get("type") == "string" and "pattern" in schema and not re.search(schema["pattern"], "\x01"):
            yield f"spec.{name}", broken(kind, [name], "\x01")


def bad_name(kind):
    schema = kind.schema["properties"].get("azureName", {})
    if schema.get("type") == "string" and kind.owner:
        yield "spec.azureName", broken(kind, ["azureName"], "a/b")


def secret_without_key(kind):
    for name, schema in fields(kind):
        if schema.get("required") == ["key", "name"]:
            yield f"spec.{name}.key", broken(kind, [name], {"name": "n"})


def bad_expression(kind):
    ours = kind.schema["properties"].get("operatorSpec", {}).get("properties", {})
    if "secretExpressions" in ours:
        yield "spec.operatorSpec.secretExpressions[0].value", broken(
            kind, ["operatorSpec"], {"secretExpressions": [{"name": "n", "key": "k"}]})


FAULTS = [wrong_type, wrong_type_below, wrong_element, unknown_choice, missing_field, missing_owner, bad_owner_id,
          owner_id_of_wrong_type, owner_of_wrong_kind, bad_reference_id, two_reference_forms, two_owner_forms,
          half_a_reference, unknown_field, number_out_of_range, text_too_long, bad_pattern, bad_name, secret_without_key,
          bad_expression]


def all_broken(kinds, per_fault):
    """Up to per_fault objects of each fault, from kinds that lie far apart: (fault, kind, field, object)."""
    for fault in FAULTS:
        made = []
        for kind in kinds:
            found = next(iter(fault(kind)), None)
            if found:
                made.append((fault.__name__, kind, *found))
        step = max(1, len(made) // per_fault)
        yield from made[::step][:per_fault]
