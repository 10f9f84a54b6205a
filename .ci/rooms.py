#!/usr/bin/env python3
"""Checks that the files of src/ and include/schedcc include only headers of their own room and of those above it in
src/rooms.txt.

Prints each include that violates this, and ends with status 1 if there is any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = [line.split() for line in (ROOT / "src/rooms.txt").read_text().splitlines() if not line.startswith("#")]
LEVEL = {room[0]: level for level, room in enumerate(ROOMS)}
PUBLIC = {header: level for level, room in enumerate(ROOMS) for header in room[1:]}
EVERYTHING = {"schedcc.hpp": len(ROOMS), "main.cpp": len(ROOMS)}


def level(path):
    """The position in the list of the room of a file, which is named as in includes."""
    if path.name in EVERYTHING:
        return EVERYTHING[path.name]
    if path.parts[0] != "schedcc":
        return LEVEL[path.parts[0].split(".")[0]]
    header = path.relative_to("schedcc").with_suffix("")
    return PUBLIC.get(str(header), PUBLIC.get(header.parts[0]))


upward = 0
for folder in ROOT / "src", ROOT / "include":
    for file in sorted(folder.rglob("*.[ch]pp")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'#include "(.*)"', line)
            if include and level(pathlib.Path(include[1])) > level(file.relative_to(folder)):
                print(f"{file.relative_to(ROOT)}:{number}: error: '{include[1]}' stands below in src/rooms.txt")
                upward += 1
sys.exit(upward > 0)
