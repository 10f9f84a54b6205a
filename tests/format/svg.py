#!/usr/bin/env python3
"""Checks that a command writes a valid SVG document.

    svg.py CURVES -- COMMAND...

Standard output must be well-formed XML with a title, a description and so many curves, all of whose points
lie within the picture, and which differ in colour, dashes or marks.
"""

import subprocess
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def main():
    curves, command = int(sys.argv[1]), sys.argv[3:]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    root = tree.fromstring(run.stdout)
    width, height = (float(x) for x in root.get("viewBox").split()[2:])
    for name in "title", "desc":
        if not (root.findtext(SVG + name) or "").strip():
            sys.exit(f"no <{name}>")
    lines = root.findall(SVG + "polyline")
    if len(lines) != curves:
        sys.exit(f"{len(lines)} curves instead of {curves}")
    # The legend: the line of a curve, followed by its mark but for a lower bound.
    paths = [(path.get("class"), path.get("stroke-dasharray"), path.get("d").split("m")[-1]) for path in root.findall(SVG + "path")]
    looks = [(*path[:2], mark[2] if "mark" in mark[0] else "") for path, mark in zip(paths, [*paths[1:], ("", "", "")])
             if path[0].startswith("curve") and path[0] != "curve bound"]
    if not looks or len(set(looks)) < len(looks):
        sys.exit(f"curves look alike: {sorted(looks)}")
    for line in lines:
        for point in line.get("points").split():
            x, y = (float(v) for v in point.split(","))
            if not (0 <= x <= width and 0 <= y <= height):
                sys.exit(f"a point outside: {point}")


if __name__ == "__main__":
    main()
