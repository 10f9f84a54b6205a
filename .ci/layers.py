#!/usr/bin/env python3
"""Checks that the files of src/ and include/schedcc include only headers of their own layer and of those above it in
src/layers.txt, where the solvers' headers belong to `prove/sat/solve`.

    .ci/layers.py [FOLDER]

Prints each include that violates this, and each file that is in no layer, and ends with status 1 if there is any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
LAYERS = [line.split() for line in (ROOT / "src/layers.txt").read_text().splitlines() if not line.startswith("#")]
LEVEL = {layer[0]: level for level, layer in enumerate(LAYERS)}
LEVEL |= {f"schedcc/{header}": level for level, layer in enumerate(LAYERS) for header in layer[1:]}
SOLVERS = LEVEL["prove/sat/solve"]
LEVEL |= {"main": len(LAYERS), "schedcc/schedcc": len(LAYERS), "z3++": SOLVERS, "cadical": SOLVERS}


def level(name):
    """The position in the list of the layer of a file, which is named as in includes; None if it has no layer."""
    path = pathlib.Path(name).with_suffix("")
    return next((LEVEL[str(p)] for p in (path, *path.parents) if str(p) in LEVEL), None)


errors = []
for folder in ROOT / "src", ROOT / "include":
    for file in sorted(folder.rglob("*.[ch]pp")):
        own = level(file.relative_to(folder))
        if own is None:
            errors.append(f"{file.relative_to(ROOT)}:1: error: it is in no layer of src/layers.txt")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*["<](.+\.h(?:pp)?)[">]', line)
            if include and (level(include[1]) or 0) > own:
                errors.append(f"{file.relative_to(ROOT)}:{number}: error: '{include[1]}' stands below in src/layers.txt")
print(*errors, sep="\n", end="\n" if errors else "")
sys.exit(bool(errors))
