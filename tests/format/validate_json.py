#!/usr/bin/env python3
"""Validates the output of a command against a JSON Schema, and the schema itself.

    validate_json.py SCHEMA [--status N] [--reject] -- COMMAND...

runs the command, whose standard output must be one JSON document that the schema accepts (--reject: does
not accept) and whose exit status must be N (default 0). Exit status 1 with the first deviations if that
is not so, 77 (a skipped test) if the module jsonschema is not installed.
"""

import argparse
import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the module jsonschema is not installed")
    sys.exit(77)


def unique(pairs):
    """An object whose keys occur once; json itself would silently keep the last."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice: " + ", ".join(key for key, _ in pairs))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("schema")
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--reject", action="store_true")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()

    with open(args.schema, encoding="utf-8") as file:
        schema = json.load(file, object_pairs_hook=unique)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)

    run = subprocess.run(args.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode != args.status:
        sys.stderr.write(run.stderr.decode(errors="replace"))
        sys.exit(f"exit status {run.returncode} instead of {args.status}")
    try:
        document = json.loads(run.stdout.decode("utf-8"), object_pairs_hook=unique)
    except ValueError as error:
        sys.exit(f"not JSON: {error}")
    errors = list(validator(schema).iter_errors(document))
    if args.reject:
        sys.exit(0 if errors else "the schema accepts an invalid document")
    for error in errors[:5]:
        path = "/".join(str(key) for key in error.absolute_path)
        print(f"/{path}: {error.message[:300]}", file=sys.stderr)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
