#!/usr/bin/env python3
"""How the time of a check grows with the number of transfers: as SVG, both axes logarithmic.

    build/release/bench/schedcc_bench_jobs large | bench/growth.py docs/growth.svg

Passes on what it reads. A curve for each family of schedules, and dotted lines on which the time is proportional to the
transfers, 10^7, 10^8 and 10^9 of them a second.
"""

import math
import pathlib
import re
import sys

ROW = re.compile(r"^(\w+) +(\S+) +P=\d+ +K=\d+ +([\d.]+)M +([\d.]+) s")
COLOURS = ("#1f77b4", "#d1495b", "#2a9d5c", "#8860b0", "#c77f1a", "#4a4a4a")
LEFT, TOP, WIDTH, HEIGHT = 64, 60, 420, 300
NAMES = 236  # right of the curves
RATES = (7, 8, 9)  # decimal logarithms of transfers per second


def families(text):
    """By name, in the order of their first rows, lists of (transfers, seconds by the clock)."""
    result = {}
    for line in text.splitlines():
        if match := ROW.match(line):
            collective, algorithm, millions, seconds = match.groups()
            result.setdefault(f"{algorithm} {collective}", []).append((float(millions) * 1e6, float(seconds)))
    return result


class Axes:
    """Decades of both axes, all of those that the curves touch."""

    def __init__(self, curves):
        points = [point for curve in curves.values() for point in curve]
        self.across = self.decades(transfers for transfers, _ in points)
        self.up = self.decades(seconds for _, seconds in points)

    @staticmethod
    def decades(values):
        logarithms = [math.log10(value) for value in values]
        return math.floor(min(logarithms) + 0.1), math.ceil(max(logarithms) - 0.1)

    def x(self, transfers):
        first, last = self.across
        return LEFT + (math.log10(transfers) - first) / (last - first) * WIDTH

    def y(self, seconds):
        first, last = self.up
        return TOP + (last - math.log10(seconds)) / (last - first) * HEIGHT


def grid(axes):
    right, bottom = LEFT + WIDTH, TOP + HEIGHT
    for power in range(axes.across[0], axes.across[1] + 1):
        x = axes.x(10 ** power)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">10<tspan dy="-5" class="small">{power}</tspan></text>'
    for power in range(axes.up[0], axes.up[1] + 1):
        y = axes.y(10 ** power)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10 ** power:g} s</text>'
    for rate in RATES:
        ends = [max(axes.across[0], axes.up[0] + rate), min(axes.across[1], axes.up[1] + rate)]
        (x0, y0), (x1, y1) = [(axes.x(10 ** end), axes.y(10 ** (end - rate))) for end in ends]
        yield f'<path class="rate" d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"><title>10^{rate} transfers a second</title></path>'


def curves_of(axes, curves):
    for i, (name, points) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        drawn = " ".join(f"{axes.x(transfers):.1f},{axes.y(seconds):.1f}" for transfers, seconds in points)
        (first, least), (last, most) = points[0], points[-1]
        slope = math.log(most / least) / math.log(last / first)
        y = TOP + 20 + 22 * i
        yield (f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.8">'
               f"<title>{name}: slope {slope:.2f}</title></polyline>")
        yield f'<path d="M{LEFT + WIDTH + 14} {y - 4}h18" stroke="{colour}" stroke-width="2.5"/>'
        yield f'<text x="{LEFT + WIDTH + 38}" y="{y}">{name}: {slope:.2f}</text>'


def svg(curves):
    axes = Axes(curves)
    width, height = LEFT + WIDTH + NAMES, TOP + HEIGHT + 46
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        "<title>The time of a check over the number of transfers</title>",
        "<style>",
        "  text { font: 12px sans-serif; fill: #333; } .title { font-size: 15px; font-weight: bold; }",
        "  .small { font-size: 9px; } .grid { stroke: #999; stroke-opacity: 0.3; }",
        "  .rate { stroke: #888; stroke-dasharray: 2 3; }",
        "  @media (prefers-color-scheme: dark) { text { fill: #ddd; } }",
        "</style>",
        f'<text class="title" x="{LEFT}" y="24">The time of a check over the number of transfers</text>',
        f'<text x="{LEFT}" y="44">by the clock; dotted: 10^7, 10^8 and 10^9 a second; at the right the slopes</text>',
        *grid(axes), *curves_of(axes, curves),
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">transfers</text>',
        "</svg>"]) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = []
    for line in sys.stdin:
        print(line, end="", flush=True)
        lines.append(line)
    curves = {name: points for name, points in families("".join(lines)).items() if len(points) > 1}
    if not curves:
        sys.exit("no rows of `schedcc_bench_jobs large`")
    pathlib.Path(sys.argv[1]).write_text(svg(curves))


if __name__ == "__main__":
    main()
