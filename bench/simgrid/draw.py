#!/usr/bin/env python3
"""How many times faster schedcc's choice is, over the size, a curve for each number of ranks: as SVG.

    draw.py TABLE PICTURE    draws the table that run.py has written
"""

import math
import pathlib
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 440, 60, 66, 110, 60
COLOURS = ["#1f77b4", "#d1495b", "#2a9d5c", "#8f63c9", "#c77d1e", "#1b9aaa"]
DASHES = ["none", "7 3", "2 3", "9 3 2 3"]
MARKS = ["m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z", "m-3 -3l6 6m0 -6l-6 6"]
MACHINE = "on a cluster with alpha = 1 us and beta = 0.08 ns/B"


def size(count):
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if count >= 1 << bits:
            return f"{count >> bits} {unit}"
    return f"{count} B"


def svg(rows):
    """rows: dicts with ranks, bytes, ours and theirs (seconds)."""
    sizes = sorted({r["bytes"] for r in rows})
    ratios = [r["theirs"] / r["ours"] for r in rows]
    low, high = 0, math.ceil(max(ratios))
    first, last = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(count):
        return LEFT + (math.log2(count) - first) / max(last - first, 1) * (WIDTH - LEFT - RIGHT)

    def y(ratio):
        return HEIGHT - BOTTOM - (ratio - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'font-size="13" fill="#808080">',
           "<title>Broadcast on SimGrid: times faster than the best shipped algorithm</title>",
           f'<text x="{LEFT}" y="25" font-size="16">Broadcast on SimGrid: times faster than the best that it '
           "ships</text>",
           f'<text x="{LEFT}" y="45" font-size="12">{MACHINE}</text>']
    for ratio in range(low, high + 1):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(ratio):.1f}" y2="{y(ratio):.1f}" '
                   f'stroke="#808080" stroke-width="{1.5 if ratio == 1 else 0.3}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(ratio) + 4:.1f}" text-anchor="end">{ratio}</text>')
    for count in sizes:
        out.append(f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size(count)}</text>')
    for index, ranks in enumerate(sorted({r["ranks"] for r in rows})):
        colour = COLOURS[index % len(COLOURS)]
        curve = [(x(r["bytes"]), y(r["theirs"] / r["ours"])) for r in rows if r["ranks"] == ranks]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in curve)
        line = f'fill="none" stroke="{colour}" stroke-width="2"'
        dashed = f'{line} stroke-dasharray="{DASHES[index % len(DASHES)]}"'
        mark = MARKS[index % len(MARKS)]
        out.append(f'<polyline points="{points}" {dashed}/>')
        out += [f'<path d="M{a:.1f} {b:.1f}{mark}" {line}/>' for a, b in curve]
        left, height = WIDTH - RIGHT + 10, TOP + 20 * index + 6
        out.append(f'<path d="M{left} {height}h24" {dashed}/><path d="M{left + 12} {height}{mark}" {line}/>')
        out.append(f'<text x="{left + 30}" y="{height + 4}">P = {ranks}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">message size</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def read(table):
    """The rows of a table: their numbers of ranks and bytes, and the times that the picture compares."""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not cells[0].isdigit():
            continue
        number, unit = re.fullmatch(r"(\d+) (B|KiB|MiB)", cells[1]).groups()
        yield {"ranks": int(cells[0]), "bytes": int(number) << {"B": 0, "KiB": 10, "MiB": 20}[unit],
               "ours": 1, "theirs": float(cells[7])}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(svg(list(read(pathlib.Path(sys.argv[1]).read_text()))))
