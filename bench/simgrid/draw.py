#!/usr/bin/env python3
"""Times of broadcasts over the size, a panel for each number of ranks: as SVG.

    draw.py TABLE PICTURE    draws the table that run.py has written

The lower bound: the last byte that a rank receives has waited for the latency once, and for all others on the rank's line.
"""

import math
import pathlib
import re
import sys

ALPHA, BETA = 1, 8e-5  # us, us/B
WIDTH, PANEL_WIDTH, PANEL_HEIGHT = 860, 340, 210
LEFT, TOP, ACROSS, DOWN = 64, 104, 84, 72  # of the first panel; between panels
# What is drawn: the title, colour, dashes, and shape of the points.
CURVES = {
    "theirs": ("best that SimGrid ships", "#d1495b", "7 3", "m-3 -3h6v6h-6z"),
    "pipelined": ("best with one packet at a time", "#2a9d5c", "9 3 2 3", "m0 -4l4 7h-8z"),
    "ours": ("schedcc's choice", "#1f77b4", "none", "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"),
    "bound": ("lower bound", "#888888", "1 4", None),
}
SUBTITLE = "P hosts with a line in and a line out each, alpha = 1 us, beta = 0.08 ns/B; numbers: how many times faster the choice is"


def size(count):
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if count >= 1 << bits:
            return f"{count >> bits} {unit}"
    return f"{count} B"


def time(us):
    return f"{us:g} us" if us < 1000 else f"{us / 1000:g} ms"


def curve(points, style, title):
    _, colour, dashes, mark = CURVES[style]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield (f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dashes}">'
           f"<title>{title}</title></polyline>")
    if mark:
        for x, y in points:
            yield f'<path d="M{x:.1f} {y:.1f}{mark}" fill="none" stroke="{colour}" stroke-width="1.5"/>'


def panel(rows, left, top, decades):
    """The panel of one number of ranks, with its top left corner there. decades: powers of ten, in us."""
    right, bottom, sizes = left + PANEL_WIDTH, top + PANEL_HEIGHT, [r["bytes"] for r in rows]
    first, last = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(count):
        return left + (math.log2(count) - first) / max(last - first, 1) * PANEL_WIDTH

    def y(us):
        return bottom - (math.log10(us) - decades[0]) / (decades[-1] - decades[0]) * PANEL_HEIGHT

    yield f'<text x="{left}" y="{top - 8}" class="ranks">P = {rows[0]["ranks"]}</text>'
    for decade in decades:
        yield (f'<path class="grid" d="M{left} {y(10 ** decade):.1f}H{right}"/>'
               f'<text x="{left - 6}" y="{y(10 ** decade) + 4:.1f}" text-anchor="end">{time(10 ** decade)}</text>')
    for i, count in enumerate(sizes):
        yield f'<path class="grid" d="M{x(count):.1f} {top}V{bottom}"/>'
        if i == 0 or x(count) - x(sizes[i - 1]) > 45 or i + 1 == len(sizes):
            yield f'<text x="{x(count):.1f}" y="{bottom + 17}" text-anchor="middle">{size(count)}</text>'
    yield f'<path class="frame" d="M{left} {top}H{right}V{bottom}H{left}Z"/>'
    for style, (title, *_) in CURVES.items():
        yield from curve([(x(r["bytes"]), y(r[style])) for r in rows], style, title)
    for r in rows:
        anchor, beside = ("start", 5) if r is rows[0] else ("end", -3)
        above = y(max(r["theirs"], r["pipelined"])) - 9
        yield f'<text class="times" x="{x(r["bytes"]) + beside:.1f}" y="{above:.1f}" text-anchor="{anchor}">{r["times"]:.2f}</text>'


def legend():
    left = LEFT
    for style, (title, *_) in CURVES.items():
        yield from curve([(left, 66), (left + 26, 66)], style, title)
        yield f'<text x="{left + 32}" y="70">{title}</text>'
        left += 58 + 6.6 * len(title)


def svg(rows):
    """rows: dicts with ranks, bytes, times in us, and how many times faster the choice is."""
    rows = [r | {"bound": ALPHA + BETA * r["bytes"]} for r in rows]
    times = [r[style] for r in rows for style in CURVES]
    decades = range(math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))) + 1)
    ranks = sorted({r["ranks"] for r in rows})
    height = TOP + math.ceil(len(ranks) / 2) * (PANEL_HEIGHT + DOWN)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
           "<title>Times of broadcasts on SimGrid</title>",
           "<style>",
           "  text { font: 12px sans-serif; fill: #333; } .title { font-size: 15px; font-weight: bold; } .times { font-size: 10px; }",
           "  .ranks { font-weight: bold; }",
           "  .frame { fill: none; stroke: #666; } .grid { stroke: #999; stroke-opacity: 0.3; }",
           "  @media (prefers-color-scheme: dark) { text { fill: #ddd; } .frame { stroke: #aaa; } }",
           "</style>",
           f'<text class="title" x="{LEFT}" y="24">Time of broadcasts on SimGrid, by the size of the message</text>',
           f'<text x="{LEFT}" y="44">{SUBTITLE}</text>',
           *legend()]
    for i, count in enumerate(ranks):
        mine = sorted((r for r in rows if r["ranks"] == count), key=lambda r: r["bytes"])
        out += panel(mine, LEFT + i % 2 * (PANEL_WIDTH + ACROSS), TOP + i // 2 * (PANEL_HEIGHT + DOWN), decades)
    return "\n".join([*out, "</svg>"]) + "\n"


def read(table):
    """The rows of a table: their numbers of ranks and bytes, and the times that the picture compares."""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not cells[0].isdigit():
            continue
        number, unit = re.fullmatch(r"(\d+) (B|KiB|MiB)", cells[1]).groups()
        yield {"ranks": int(cells[0]), "bytes": int(number) << {"B": 0, "KiB": 10, "MiB": 20}[unit],
               "ours": float(cells[3]), "pipelined": float(cells[4]), "theirs": float(cells[6]),
               "times": float(cells[7])}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(svg(read(pathlib.Path(sys.argv[1]).read_text())))
