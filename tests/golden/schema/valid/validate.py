# SPDX-License-Identifier: Apache-2.0
"""validate.py SCHEMA FILE...: checks JSON files by the keywords that our schemas use, and no others."""
import json
import sys

TYPES = {"array": list, "boolean": bool, "null": type(None), "object": dict, "string": str}
NOTES = {"$defs", "$schema", "description", "title"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(root, schema, value, at):
    for word, want in schema.items():
        if word in NOTES:
            continue
        if word == "$ref":
            yield from faults(root, root["$defs"][want.removeprefix("#/$defs/")], value, at)
        elif word == "type":
            names = want if isinstance(want, list) else [want]
            if not any(is_type(value, name) for name in names):
                yield f"{at}: not of type {want}"
        elif word == "const":
            if value != want:
                yield f"{at}: not {want!r}"
        elif word == "enum":
            if value not in want:
                yield f"{at}: not one of {want}"
        elif word == "minimum":
            if is_type(value, "integer") and value < want:
                yield f"{at}: below {want}"
        elif word == "minLength":
            if isinstance(value, str) and len(value) < want:
                yield f"{at}: shorter than {want}"
        elif word == "required":
            if isinstance(value, dict):
                yield from (f"{at}: lacks {key}" for key in want if key not in value)
        elif word == "properties":
            if isinstance(value, dict):
                for key in want.keys() & value.keys():
                    yield from faults(root, want[key], value[key], f"{at}/{key}")
        elif word == "additionalProperties":
            if isinstance(value, dict):
                for key in value.keys() - schema.get("properties", {}).keys():
                    if want is False:
                        yield f"{at}: unknown key {key}"
                    else:
                        yield from faults(root, want, value[key], f"{at}/{key}")
        elif word == "items":
            if isinstance(value, list):
                for i, item in enumerate(value):
                    yield from faults(root, want, item, f"{at}/{i}")
        elif word == "oneOf":
            fits = sum(not list(faults(root, one, value, at)) for one in want)
            if fits != 1:
                yield f"{at}: fits {fits} of {len(want)} alternatives, not one"
        else:
            raise SystemExit(f"unknown keyword {word}")


schema = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    found = sorted(faults(schema, schema, json.load(open(name)), ""))
    for fault in found:
        print(f"{name}: {fault}")
    if not found:
        print("valid")
