#!/usr/bin/env python3
"""Checks that a shared library exports only names that public headers declare.

    .ci/symbols.py LIBRARY HEADERS

Prints each symbol of a function, a table or a type whose name is in none of the headers in the folder HEADERS, and the
number of all, and ends with status 1 if there is any such symbol. Copies of the standard library's templates are left out.
"""

import pathlib
import re
import subprocess
import sys

library, folder = sys.argv[1:]
declared = {word for header in pathlib.Path(folder).glob("*.hpp") for word in re.findall(r"\w+", header.read_text())}
symbols = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
shown = sorted({line.split(maxsplit=2)[2] for line in symbols.splitlines() if line.split()[1] not in "wWuV"})
hidden = [s for s in shown if not set(re.findall(r"\w+", s.partition("(")[0].partition("[abi:")[0])) <= declared | {
    "typeinfo", "vtable", "for", "name", "operator"}]
print(*hidden, f"{library}: {len(shown)} symbols, {len(hidden)} of them in no public header", sep="\n")
sys.exit(len(hidden) > 0)
