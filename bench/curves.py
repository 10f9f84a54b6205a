"""Curves over axes that are both logarithmic, as SVG: each with its slope, from its first point to its last."""

import dataclasses
import math

COLOURS = ("#1f77b4", "#d1495b", "#2a9d5c", "#8860b0", "#c77f1a", "#7f7f7f", "#3aa6b9")
LEFT, TOP, WIDTH, HEIGHT = 64, 60, 420, 300
NAMES = 264  # right of the curves


@dataclasses.dataclass
class Plot:
    """Curves and, dotted, what they are compared with: by name, lists of (x, y). That of a curve has the curve's name."""

    title: str
    subtitle: str
    across: str  # what x is
    unit: str  # of y
    curves: dict
    dotted: dict
    base: int = 10  # of the marks of x


class Axis:
    """The powers of the base that the values touch."""

    def __init__(self, values, base):
        self.base = base
        powers = [math.log(value, base) for value in values]
        self.first = math.floor(min(powers) + 0.1)
        self.last = max(math.ceil(max(powers) - 0.1), self.first + 1)

    def place(self, value):
        """From 0, the first power, to 1, the last."""
        return (math.log(value, self.base) - self.first) / (self.last - self.first)

    def marks(self):
        """The powers and their exponents."""
        return [(float(self.base) ** power, power) for power in range(self.first, self.last + 1)]


class Axes:
    """Both axes of a plot; that of y has powers of two where they are few."""

    def __init__(self, plot):
        points = [point for curve in plot.curves.values() for point in curve]
        values = [y for _, y in points]
        self.across = Axis([x for x, _ in points], plot.base)
        self.up = Axis(values, 2 if max(values) < 30 * min(values) else 10)

    def x(self, value):
        """Where a value is, in pixels."""
        return LEFT + self.across.place(value) * WIDTH

    def y(self, value):
        """Where a value is, in pixels."""
        return TOP + (1 - self.up.place(value)) * HEIGHT

    def line(self, points):
        """The coordinates of a polyline."""
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)


def power_of(base, exponent):
    """A power, written as such if it is long."""
    if base == 1024:
        base, exponent = 2, 10 * exponent
    if base == 2 and exponent < 10:
        return f"{2 ** exponent}"
    return f'{base}<tspan dy="-5" class="small">{exponent}</tspan>'


def grid(plot, axes):
    """Lines at the powers, and what they stand for."""
    right, bottom = LEFT + WIDTH, TOP + HEIGHT
    for value, exponent in axes.across.marks():
        x = axes.x(value)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{power_of(axes.across.base, exponent)}</text>'
    for value, _ in axes.up.marks():
        y = axes.y(value)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}{plot.unit and " " + plot.unit}</text>'


def slope(points):
    """From the first point to the last."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


def dotted(plot, axes, colours):
    """What the curves are compared with, where it is between the axes."""
    yield f'<clipPath id="inside"><rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}"/></clipPath>'
    for name, points in plot.dotted.items():
        yield (f'<polyline points="{axes.line(points)}" class="dotted" stroke="{colours.get(name, "#888")}" clip-path="url(#inside)">'
               f"<title>{name}</title></polyline>")


def curves(plot, axes, colours):
    """The curves, and at the right their names and slopes."""
    for i, (name, points) in enumerate(plot.curves.items()):
        y = TOP + 20 + 22 * i
        yield (f'<polyline points="{axes.line(points)}" fill="none" stroke="{colours[name]}" stroke-width="1.8">'
               f"<title>{name}: slope {slope(points):.2f}</title></polyline>")
        yield f'<path d="M{LEFT + WIDTH + 14} {y - 4}h18" stroke="{colours[name]}" stroke-width="2.5"/>'
        yield f'<text x="{LEFT + WIDTH + 38}" y="{y}">{name}: {slope(points):.2f}</text>'


def svg(plot):
    """The picture."""
    axes, colours = Axes(plot), dict(zip(plot.curves, COLOURS))
    width, height = LEFT + WIDTH + NAMES, TOP + HEIGHT + 46
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{plot.title}</title>",
        "<style>",
        "  text { font: 12px sans-serif; fill: #333; } .title { font-size: 15px; font-weight: bold; }",
        "  .small { font-size: 9px; } .grid { stroke: #999; stroke-opacity: 0.3; }",
        "  .dotted { fill: none; stroke-dasharray: 2 3; }",
        "  @media (prefers-color-scheme: dark) { text { fill: #ddd; } }",
        "</style>",
        f'<text class="title" x="{LEFT}" y="24">{plot.title}</text>',
        f'<text x="{LEFT}" y="44">{plot.subtitle}</text>',
        *grid(plot, axes), *dotted(plot, axes, colours), *curves(plot, axes, colours),
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">{plot.across}</text>',
        "</svg>"]) + "\n"
