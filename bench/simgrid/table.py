"""The table of the benchmark: a row for each collective, platform, number of ranks and size, and a summary of them."""

import math
import re

COLLECTIVES = ("broadcast", "reduce", "allreduce", "reduce-scatter", "allgather", "alltoall", "scatter", "gather")
PLATFORMS = ("flat", "overhead", "two-level")
HEAD = """| collective | platform | P | bytes | schedcc's choice | us | bound | best shipped | us | times | not compared |
|---|---|---|---|---|---|---|---|---|---|---|"""
SUMMARY = """| collective | platform | rows | times, geometric mean | at the bound | least | most | slower | above the bound | their mean |
|---|---|---|---|---|---|---|---|---|---|"""
ABOVE = 1.1  # choices that take so many times the bound, or more, are "above" it
SLOWER = 0.995  # times below this are "slower": the others are printed as 1.00 or more
BEGIN = """The times of collectives on SimGrid: [simgrid.md](simgrid.md) says what the platforms are, what is compared, and how. *times* is how
many times as long the best shipped algorithm takes as schedcc's choice; *at the bound*: as the lower bound of the model, more than which is not
possible. *Above the bound* are the rows whose choice takes at least 1.1 times the bound: all others cannot become much faster.
"""


def size(text):
    match = re.fullmatch(r"(\d+) ?(KiB|MiB|B|)", text)
    if not match:
        raise ValueError(f"'{text}' is not a size, as 64KiB")
    return int(match[1]) << {"": 0, "B": 0, "KiB": 10, "MiB": 20}[match[2]]


def name(count):
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if count % (1 << bits) == 0:
            return f"{count >> bits} {unit}"
    return f"{count} B"


def key(row):
    return COLLECTIVES.index(row["collective"]), PLATFORMS.index(row["platform"]), row["ranks"], row["bytes"]


def line(row):
    """A row as text; its times are in us."""
    cells = [row["collective"], row["platform"], row["ranks"], name(row["bytes"]), row["choice"], f"{row['ours']:.1f}",
             f"{row['bound']:.1f}", row["algorithm"], f"{row['theirs']:.1f}", f"{row['times']:.2f}", row["without"]]
    return "| " + " | ".join(map(str, cells)) + " |"


def read(text):
    """The rows of a table."""
    for text_line in text.splitlines():
        cells = [cell.strip() for cell in text_line.strip("|").split("|")]
        if len(cells) == 11 and cells[2].isdigit():
            yield {"collective": cells[0], "platform": cells[1], "ranks": int(cells[2]), "bytes": size(cells[3]),
                   "choice": cells[4], "ours": float(cells[5]), "bound": float(cells[6]), "algorithm": cells[7],
                   "theirs": float(cells[8]), "times": float(cells[9]), "without": cells[10]}


def together(kept, made):
    """The rows that are kept and those that are made; of two for the same problem the latter."""
    return sorted({key(row): row for row in [*kept, *made]}.values(), key=key)


def geometric_mean(times):
    return math.exp(sum(map(math.log, times)) / len(times))


def summary(rows):
    for collective in COLLECTIVES:
        mine = [row for row in rows if row["collective"] == collective]
        parts = [(platform, [row for row in mine if row["platform"] == platform]) for platform in PLATFORMS]
        for platform, part in [*parts, ("all", mine)]:
            times = [row["times"] for row in part]
            if times:
                least = min(part, key=lambda row: row["times"])
                possible = [row["theirs"] / row["bound"] for row in part]
                above = [row["times"] for row in part if row["ours"] >= ABOVE * row["bound"]]
                mean = f"{geometric_mean(above):.2f}" if above else ""
                yield (f"| {collective} | {platform} | {len(part)} | {geometric_mean(times):.2f} | "
                       f"{geometric_mean(possible):.2f} | {min(times):.2f} (P = {least['ranks']}, {name(least['bytes'])}) | {max(times):.2f} | "
                       f"{sum(t < SLOWER for t in times)} | {len(above)} | {mean} |")


def document(rows):
    return "\n".join([BEGIN, SUMMARY, *summary(rows), "", HEAD, *map(line, rows)]) + "\n"
