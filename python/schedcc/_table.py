"""A small schedule as a table: steps across, ranks down."""

from __future__ import annotations

from typing import Iterable

from ._errors import InputError
from ._model import Step, Transfer

MOST_ROWS = 64
MOST_COLUMNS = 512
WIDEST_CELL = 72
LEGEND = ">R:C sends chunks C to rank R; <R:C receives them from rank R; C+ adds to what is there"


def _chunks(transfers: Iterable[Transfer]) -> str:
    return ",".join(f"{t.first}{f'-{t.first + t.count - 1}' if t.count > 1 else ''}{'+' if t.reduce else ''}"
                    for t in transfers)


def _cells(step: Step) -> dict[int, list[str]]:
    """What each node does in the step: first what it sends, then what it receives."""
    messages: dict[tuple[int, int], list[Transfer]] = {}
    for t in step.transfers:
        messages.setdefault((t.src, t.dst), []).append(t)
    cells: dict[int, list[str]] = {}
    for (src, dst), transfers in messages.items():
        cells.setdefault(src, []).append(f">{dst}:{_chunks(transfers)}")
    for (src, dst), transfers in messages.items():
        cells.setdefault(dst, []).append(f"<{src}:{_chunks(transfers)}")
    return cells


def _cell(words: list[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= WIDEST_CELL else text[:WIDEST_CELL - 2] + ".."


def _columns(steps: Iterable[Step], rows: int, unit: str) -> list[list[str]]:
    columns: list[list[str]] = []
    for step in steps:
        cells = _cells(step)
        column = [_cell(cells.get(row, [])) for row in range(rows)]
        if not any(column):
            continue
        if len(columns) == MOST_COLUMNS:
            raise InputError(f"a table has at most {MOST_COLUMNS} steps; "
                             "write a page instead: schedule.write('x.html')")
        rounds = f" ({step.rounds} rounds)" if step.rounds > 1 else ""
        columns.append([f"{unit} {step.number}{rounds}", *column])
    return columns


def table(steps: Iterable[Step], rows: int, title: str, unit: str, width: int) -> str:
    """The table, in blocks of columns that are as wide as `width` allows. Raises InputError if it is too large."""
    if rows > MOST_ROWS:
        raise InputError(f"{rows} {title}s are too many for a table, which has at most {MOST_ROWS}; "
                         "write a page instead: schedule.write('x.html')")
    labels = [title, *(str(row) for row in range(rows))]
    label = max(map(len, labels))
    blocks: list[list[list[str]]] = []
    used = width
    for column in _columns(steps, rows, unit):
        wide = max(map(len, column))
        if used + 3 + wide > width:
            blocks.append([])
            used = label
        used += 3 + wide
        blocks[-1].append([text.ljust(wide) for text in column])
    lines = []
    for block in blocks:
        for i, name in enumerate(labels):
            cells = (column[i] for column in block)
            lines.append(" | ".join([name.rjust(label) if i else name.ljust(label), *cells]).rstrip())
        lines.append("")
    return "\n".join([*lines, LEGEND if blocks else "no messages"])
