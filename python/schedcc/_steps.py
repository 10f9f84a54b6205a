"""Steps, and lines of custom collectives, as users pass them and as the library takes them."""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import _arguments as arguments
from ._errors import InputError
from ._model import Step, Transfer

#: The transfers of a step: Transfer, or tuples (src, dst, first), perhaps with count and reduce.
Transfers = Iterable[Union[Transfer, Sequence[int]]]
#: The chunks of each rank that has any: numbers, or ranges of numbers.
Lines = Mapping[int, Iterable[Union[int, range]]]

MOST_CHUNKS = 2**32 - 1


def numbered(steps: Union[Iterable[Union[Step, Transfers]], Mapping[int, Transfers]]
              ) -> Iterator[tuple[int, int, Transfers]]:
    """The steps with their numbers and rounds."""
    if isinstance(steps, Mapping):
        for number in sorted(steps):
            yield number, 1, steps[number]
        return
    following = 0
    for step in steps:
        if isinstance(step, Step):
            following = step.number + 1
            yield step.number, step.rounds, step.transfers
        else:
            following += 1
            yield following - 1, 1, step


def runs(chunks: Iterable[Union[int, range]]) -> list[tuple[int, int]]:
    """Runs (first, count) of chunks, ascending."""
    given = []
    for chunk in [chunks] if isinstance(chunks, range) else chunks:
        run = chunk if isinstance(chunk, range) else range(arguments.number("a chunk", chunk), int(chunk) + 1)
        if run.step != 1:
            raise InputError(f"a range of chunks has step 1: {run!r} has {run.step}")
        if run:
            given.append((arguments.number("a chunk", run.start, 0, MOST_CHUNKS - 1),
                          arguments.number("the end of chunks", run.stop, 0, MOST_CHUNKS)))
    merged: list[tuple[int, int]] = []
    for first, end in sorted(given):
        if merged and first <= sum(merged[-1]):
            merged[-1] = (merged[-1][0], max(end, sum(merged[-1])) - merged[-1][0])
        else:
            merged.append((first, end - first))
    return merged


def lines(given: Optional[Lines], reduced: bool) -> list[tuple[int, list[tuple[int, int]], bool]]:
    """What the library takes: rank, runs, and whether they are reduced."""
    return [(arguments.number("a rank", rank, 0, 2**32 - 2), runs(chunks), reduced)
            for rank, chunks in sorted((given or {}).items())]


def by_rank(found: Iterable[tuple[int, list[tuple[int, int]], bool]], reduced: bool) -> dict[int, tuple[range, ...]]:
    """The chunks of the lines that are reduced, or of the others, by rank."""
    result: dict[int, tuple[range, ...]] = {}
    for rank, chunks, is_reduced in found:
        if is_reduced == reduced:
            result[rank] = result.get(rank, ()) + tuple(range(first, first + count) for first, count in chunks)
    return result
