"""Times, and the choices that follow from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional

from ._result import Result, all_of, made_of

if TYPE_CHECKING:
    from ._schedule import Schedule


@dataclass(frozen=True)
class TimeFormula:
    """A formula of a paper, and the seconds that it says."""

    seconds: float
    formula: str
    source: str


@dataclass(frozen=True)
class TimeBound:
    """A lower bound, in seconds."""

    seconds: float
    formula: str
    source: str
    #: "any schedule", or those for which alone it holds.
    holds_for: str = "any schedule"


@dataclass(frozen=True)
class TimedMessage:
    """A message of a critical path, under way from `start` to `end`, in seconds."""

    step: int
    src: int
    dst: int
    bytes: int
    start: float
    end: float


@dataclass(frozen=True)
class CostReport(Result):
    """The time of a schedule under a cost model. Times are seconds."""

    schedule: str
    collective: str
    machine: str
    model: str
    ranks: int
    chunks: int
    bytes: int
    steps: int
    messages: int
    width: int
    #: The sum over the steps of the largest message of each.
    volume_bytes: int
    #: By all messages.
    bytes_moved: int
    #: By the model's own clock.
    seconds: float
    #: All ranks take steps together; None: the model has no such clock.
    synchronous: Optional[float] = None
    #: Each rank continues as soon as it can; None: the model has no such clock.
    asynchronous: Optional[float] = None
    formulas: tuple[TimeFormula, ...] = ()
    lower_bounds: tuple[TimeBound, ...] = ()
    #: The time over the best bound; None: there is none.
    ratio: Optional[float] = None
    critical_path: Optional[tuple[TimedMessage, ...]] = None
    root: Optional[int] = None
    file: Optional[str] = None

    @classmethod
    def _made(cls, texts: tuple[str, str]) -> "CostReport":
        data = json.loads(texts[0])
        path = all_of(TimedMessage, data, "critical_path") if "critical_path" in data else None
        return made_of(cls, data, _json=texts[0], _text=texts[1], formulas=all_of(TimeFormula, data, "formulas"),
                   lower_bounds=all_of(TimeBound, data, "lower_bounds"), critical_path=path)


@dataclass(frozen=True)
class Choice:
    """An algorithm, or a composition, with all of its parameters chosen."""

    algorithm: str
    machine: str
    chunks: int
    steps: int
    seconds: float
    #: What the paper's formula says, in seconds.
    formula: Optional[float]
    #: The command that makes the schedule.
    command: str
    collective: str
    ranks: int
    root: Optional[int] = None
    ordered: bool = False
    #: The numbers of chunks that were tried; None: all, or it was given.
    chunks_tried: Optional[tuple[int, ...]] = None

    def compile(self) -> "Schedule":
        """Its schedule."""
        from ._sources import compile as compile_source
        return compile_source(self.algorithm, ranks=self.ranks, collective=self.collective, chunks=self.chunks,
                              root=self.root, machine=self.machine, ordered=self.ordered)


@dataclass(frozen=True)
class TunedSize:
    """The choices for one size of the message, or of a block."""

    bytes: int
    #: The best one first; empty: no algorithm serves the problem.
    choices: tuple[Choice, ...]
    lower_bound: Optional[TimeBound] = None

    @property
    def best(self) -> Choice:
        """The fastest choice."""
        return self.choices[0]


@dataclass(frozen=True)
class Crossover:
    """From `bytes` on `after` is better than `before`."""

    bytes: int
    before: str
    after: str


@dataclass(frozen=True)
class Skipped:
    """An algorithm that is not among the choices, and why."""

    algorithm: str
    reason: str
    #: The check that its schedule fails, if it does.
    check: Optional[str] = None


@dataclass(frozen=True)
class TuneReport(Result):
    """The best algorithms, parameters and numbers of chunks for one or several sizes."""

    collective: str
    model: str
    ranks: int
    sizes: tuple[TunedSize, ...]
    crossovers: tuple[Crossover, ...]
    skipped: tuple[Skipped, ...]
    #: What all choices are for; None: several.
    machine: Optional[str] = None
    root: Optional[int] = None

    @classmethod
    def _made(cls, texts: tuple[str, str], ordered: bool) -> "TuneReport":
        data = json.loads(texts[0])
        shared = {"collective": data["collective"], "ranks": data["ranks"], "root": data.get("root"),
                  "ordered": ordered}

        def choice(entry: Mapping[str, Any]) -> Choice:
            tried = entry.get("chunks_tried")
            return made_of(Choice, entry, chunks_tried=None if tried is None else tuple(tried), **shared)

        def size(entry: Mapping[str, Any]) -> TunedSize:
            bound = entry.get("lower_bound")
            return TunedSize(entry["bytes"], tuple(map(choice, entry["choices"])),
                             None if bound is None else made_of(TimeBound, bound))

        crossovers = tuple(Crossover(c["bytes"], c["from"], c["to"]) for c in data["crossovers"])
        return made_of(cls, data, _json=texts[0], _text=texts[1], sizes=tuple(map(size, data["sizes"])),
                   crossovers=crossovers, skipped=all_of(Skipped, data, "skipped"))

    @property
    def best(self) -> Choice:
        """The fastest choice for the first size."""
        return self.sizes[0].best
