"""Transfers and steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, NamedTuple


class Transfer(NamedTuple):
    """`src` sends the chunks first..first+count-1 to `dst`, which replaces its values, or adds to them."""

    #: The rank that sends; in a schedule at hop level also a router.
    src: int
    #: The rank that receives; in a schedule at hop level also a router.
    dst: int
    #: The first chunk.
    first: int
    #: How many chunks, at least 1.
    count: int = 1  # type: ignore[assignment]  # tuples have a method of this name
    #: Are the chunks added to what `dst` holds? Otherwise they replace it.
    reduce: bool = False

    @property
    def chunks(self) -> range:
        """The chunks that are sent."""
        return range(self.first, self.first + self.count)

    def __str__(self) -> str:
        """As in a .sched file: "3 -> 0 : 2-5 reduce"."""
        last = f"-{self.first + self.count - 1}" if self.count > 1 else ""
        return f"{self.src} -> {self.dst} : {self.first}{last}{' reduce' if self.reduce else ''}"


@dataclass(frozen=True)
class Step:
    """The transfers that happen at once: they read the state before the step, and take effect after it."""

    #: Steps are numbered from 0; those without transfers may be left out. On LogP it is the cycle.
    number: int
    #: In their order.
    transfers: tuple[Transfer, ...]
    #: The rounds that the step takes, on topologies.
    rounds: int = 1
    #: The lines of the transfers in their file; empty if they come from no file. Not compared.
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __iter__(self) -> Iterator[Transfer]:
        return iter(self.transfers)

    def __len__(self) -> int:
        return len(self.transfers)
