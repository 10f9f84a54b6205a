"""How many times faster schedcc's choice is, over the size, a curve for each number of ranks: as SVG."""

import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 440, 60, 50, 110, 60
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2"]


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
           "ships</text>"]
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
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in curve]
        out.append(f'<text x="{WIDTH - RIGHT + 15}" y="{TOP + 20 * index + 10}" fill="{colour}">P = {ranks}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
