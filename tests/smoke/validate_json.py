#!/usr/bin/python3
"""validate_json.py SCHEMA FILE: checks FILE against the JSON Schema SCHEMA (package python3-jsonschema).

Exit 0 if it conforms; 1 with one line "FILE: PATH: reason" for each of the first ten mismatches; 2 if a file cannot be
read. A "$ref" to another schema is looked up beside SCHEMA. NaN and Infinity, which Python would let through, are refused.
"""
import json
import pathlib
import sys

import jsonschema


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        raise SystemExit(2) from error


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    schema_path, file_path = (pathlib.Path(argument).resolve() for argument in arguments)
    schema, document = load(schema_path), load(file_path)

    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    resolver = jsonschema.RefResolver(base_uri=schema_path.as_uri(), referrer=schema)
    errors = sorted(validator_class(schema, resolver=resolver).iter_errors(document), key=lambda e: e.json_path)
    for error in errors[:10]:
        print(f"{arguments[1]}: {error.json_path}: {error.message}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
