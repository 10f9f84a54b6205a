#!/usr/bin/env python3
"""How many times faster schedcc's choice is than the best that SimGrid ships, over the size: as SVG.

    draw.py TABLE PICTURE    draws the table that run.py has written

A row of panels for each collective, a column for each platform, a curve for each number of ranks.
"""

import math
import pathlib
import sys

import table
from table import read  # for docs/pictures.py

PANEL_WIDTH, PANEL_HEIGHT = 236, 84
LEFT, TOP, ACROSS, DOWN = 132, 112, 24, 22  # of the first panel; between panels
WIDTH = LEFT + len(table.PLATFORMS) * (PANEL_WIDTH + ACROSS)
# By the number of ranks: colour, dashes, and shape of the points.
CURVES = {
    16: ("#2a9d5c", "9 3 2 3", "m0 -4l4 7h-8z"),
    64: ("#1f77b4", "none", "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"),
    256: ("#d1495b", "7 3", "m-3 -3h6v6h-6z"),
    1024: ("#8860b0", "2 3", "m0 -4l4 4l-4 4l-4 -4z"),
}
PLATFORMS = {"flat": "flat: 1 us, 12.5 GB/s", "overhead": "with 0.5 us for a send, a receive",
             "two-level": "nodes of 8 ranks, one line"}
TITLE = "How many times faster schedcc's choices are than the best that SimGrid ships"
SUBTITLE = "over the bytes of the whole vector; below 1 they are slower"


def curve(points, ranks, title):
    colour, dashes, mark = CURVES.get(ranks, CURVES[1024])
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield (f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dashes}">'
           f"<title>{title}</title></polyline>")
    for x, y in points:
        yield f'<path d="M{x:.1f} {y:.1f}{mark}" fill="none" stroke="{colour}" stroke-width="1.3"/>'


class Scales:
    """Logarithmic, the same for all panels."""

    def __init__(self, rows):
        sizes, times = [row["bytes"] for row in rows], [row["times"] for row in rows]
        self.first, self.last = math.log2(min(sizes)), math.log2(max(sizes))
        self.low, self.high = min(-1, math.floor(math.log2(min(times)))), max(1, math.ceil(math.log2(max(times))))

    def x(self, left, count):
        return left + (math.log2(count) - self.first) / max(self.last - self.first, 1) * PANEL_WIDTH

    def y(self, top, times):
        return top + (self.high - math.log2(times)) / (self.high - self.low) * PANEL_HEIGHT


def panel(rows, scales, left, top, edges):
    """The panel of one collective on one platform. edges: is it the first of its row, the last of its column?"""
    right, bottom = left + PANEL_WIDTH, top + PANEL_HEIGHT
    for power in range(scales.low, scales.high + 1):
        y = scales.y(top, 2 ** power)
        yield f'<path class="{"one" if power == 0 else "grid"}" d="M{left} {y:.1f}H{right}"/>'
        if edges[0]:
            yield f'<text class="small" x="{left - 6}" y="{y + 3:.1f}" text-anchor="end">{2 ** power:g}</text>'
    for power in range(math.ceil(scales.first), math.floor(scales.last) + 1, 2):
        x = scales.x(left, 2 ** power)
        yield f'<path class="grid" d="M{x:.1f} {top}V{bottom}"/>'
        if edges[1] and power % 4 == 2:
            name = table.name(2 ** power)
            yield f'<text class="small" x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{name}</text>'
    yield f'<path class="frame" d="M{left} {top}H{right}V{bottom}H{left}Z"/>'
    for ranks in sorted({row["ranks"] for row in rows}):
        mine = [row for row in rows if row["ranks"] == ranks]
        points = [(scales.x(left, row["bytes"]), scales.y(top, row["times"])) for row in mine]
        yield from curve(points, ranks, f"P = {ranks}")


def legend(rows):
    left = LEFT
    for ranks in sorted({row["ranks"] for row in rows}):
        yield from curve([(left, 68), (left + 26, 68)], ranks, f"P = {ranks}")
        yield f'<text x="{left + 34}" y="72">P = {ranks}</text>'
        left += 110


def svg(rows):
    """rows: those of table.read."""
    rows = sorted(rows, key=table.key)
    scales = Scales(rows)
    collectives = [c for c in table.COLLECTIVES if any(row["collective"] == c for row in rows)]
    height = TOP + len(collectives) * (PANEL_HEIGHT + DOWN) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'role="img">',
           f"<title>{TITLE}</title>",
           "<style>",
           "  text { font: 12px sans-serif; fill: #333; } .title { font-size: 15px; font-weight: bold; }",
           "  .small { font-size: 10px; } .name { font-weight: bold; } .one { stroke: #333; }",
           "  .frame { fill: none; stroke: #666; } .grid { stroke: #999; stroke-opacity: 0.3; }",
           "  @media (prefers-color-scheme: dark) { text { fill: #ddd; } .frame { stroke: #aaa; } .one { stroke: #ddd; } }",
           "</style>",
           f'<text class="title" x="{LEFT - 116}" y="24">{TITLE}</text>',
           f'<text x="{LEFT - 116}" y="44">{SUBTITLE}</text>',
           *legend(rows)]
    for j, platform in enumerate(table.PLATFORMS):
        left = LEFT + j * (PANEL_WIDTH + ACROSS)
        out.append(f'<text class="name" x="{left}" y="{TOP - 10}">{PLATFORMS[platform]}</text>')
        for i, collective in enumerate(collectives):
            top = TOP + i * (PANEL_HEIGHT + DOWN)
            if j == 0:
                out.append(f'<text class="name" x="{LEFT - 116}" y="{top + 12}">{collective}</text>')
            mine = [row for row in rows if (row["collective"], row["platform"]) == (collective, platform)]
            out += panel(mine, scales, left, top, (j == 0, i + 1 == len(collectives)))
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(svg(read(pathlib.Path(sys.argv[1]).read_text())))
