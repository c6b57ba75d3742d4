"""schema.py SCHEMA FILE…: checks JSON files against a JSON Schema, as far as docs/reference/manifest.schema.json goes: type,
enum, const, pattern, required, properties, items, minItems, maxItems, minimum, oneOf, and $ref within the file.  It is
stricter in one thing: an object has only the properties that the schema names, so that none stays undescribed.  A
keyword beyond these is an error, so that no rule goes unchecked."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}
NOTES = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def errors(value, schema, root, path):
    """Yields what is wrong with `value`, a line each."""
    for keyword, rule in schema.items():
        if keyword in NOTES:
            continue
        if keyword == "$ref":
            target = root
            for part in rule.removeprefix("#/").split("/"):
                target = target[part]
            yield from errors(value, target, root, path)
        elif keyword == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, name) for name in names):
                yield f"{path}: {value!r} is no {' or '.join(names)}"
                return
        elif keyword == "enum":
            if value not in rule:
                yield f"{path}: {value!r} is none of {rule}"
        elif keyword == "const":
            if value != rule:
                yield f"{path}: {value!r} is not {rule!r}"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                yield f"{path}: {value!r} does not match {rule}"
        elif keyword == "minimum":
            if is_type(value, "integer") and value < rule:
                yield f"{path}: {value} is below {rule}"
        elif keyword == "required":
            yield from (f"{path}: no '{name}'" for name in rule if isinstance(value, dict) and name not in value)
        elif keyword == "properties":
            for name, inner in value.items():
                if name in rule:
                    yield from errors(inner, rule[name], root, f"{path}.{name}")
                else:
                    yield f"{path}: '{name}' is not in the schema"
        elif keyword == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from errors(item, rule, root, f"{path}[{i}]")
        elif keyword == "minItems":
            if isinstance(value, list) and len(value) < rule:
                yield f"{path}: fewer than {rule} items"
        elif keyword == "maxItems":
            if isinstance(value, list) and len(value) > rule:
                yield f"{path}: more than {rule} items"
        elif keyword == "oneOf":
            tried = [list(errors(value, inner, root, path)) for inner in rule]
            fitting = sum(not found for found in tried)
            if fitting != 1:
                yield f"{path}: fits {fitting} of {len(rule)} alternatives"
                yield from (line for found in tried for line in found)
        else:
            raise SystemExit(f"schema.py does not know the keyword '{keyword}'")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    wrong = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            for line in errors(json.load(file), schema, schema, path):
                print(line, file=sys.stderr)
                wrong += 1
    sys.exit(1 if wrong else 0)


main()
