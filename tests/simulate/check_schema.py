"""Holds scene files against the published schema: check_schema.py SCHEMA SCENE... prints the names of those it refuses. 77: jsonschema is not there."""
import json
import sys
import tomllib

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    with open(name, "rb") as file:
        scene = tomllib.load(file)
    errors = list(validator.iter_errors(scene))
    if errors:
        print(name, "|", errors[0].message[:200].replace("\n", " "))
