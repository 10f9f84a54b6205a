"""Proofs: about all schedules of a problem, and about an algorithm for all numbers of chunks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Optional

from ._report import CheckResult
from ._result import Result, all_of, made_of

if TYPE_CHECKING:
    from ._schedule import Schedule


@dataclass(frozen=True)
class Tried:
    """A number of steps that was decided."""

    steps: int
    chunks: int
    #: "sat": there is a schedule; "unsat": there is none; "unknown".
    result: str
    seconds: float
    rounds: Optional[int] = None
    #: What refuted it.
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proof(Result):
    """Whether any schedule of a problem exists, and with how few steps."""

    collective: str
    machine: str
    ranks: int
    chunks: int
    #: "optimal", "exists", "impossible" or "unknown".
    verdict: str
    tried: tuple[Tried, ...]
    #: Those that were used.
    solver: tuple[str, ...] = ()
    #: Of the schedule that was found; None: there is none.
    steps: Optional[int] = None
    #: No schedule has fewer steps; None: no number of steps is enough, or fewer were not refuted.
    proved_lower_bound: Optional[int] = None
    #: "solver", or "counting" with `assume_bound`.
    lower_bound_by: Optional[str] = None
    #: Why no number of steps is enough.
    reason: Optional[str] = None
    root: Optional[int] = None
    #: The one that was found; it has passed every check.
    schedule: "Optional[Schedule]" = field(default=None, repr=False)

    @classmethod
    def _made(cls, texts: tuple[str, str], schedule: "Optional[Schedule]") -> "Proof":
        data = json.loads(texts[0])
        tried = tuple(made_of(Tried, entry, by=tuple(entry.get("by", ()))) for entry in data.get("tried", ()))
        return made_of(cls, data, _json=texts[0], _text=texts[1], tried=tried, solver=tuple(data.get("solver", ())),
                   schedule=schedule)

    @property
    def optimal(self) -> bool:
        """Is the least number of steps known?"""
        return self.verdict == "optimal"


@dataclass(frozen=True)
class SymbolicProof(Result):
    """Whether the schedule of an algorithm holds for every number of chunks."""

    schedule: str
    collective: str
    machine: str
    ranks: int
    #: "holds", "violated" or "unknown".
    verdict: str
    #: A formula in K: "K + 6".
    steps: Optional[str] = None
    queries: int = 0
    seconds: float = 0.0
    checks: tuple[CheckResult, ...] = ()
    counterexample: Optional[Mapping[str, Any]] = None
    root: Optional[int] = None

    @classmethod
    def _made(cls, texts: tuple[str, str]) -> "SymbolicProof":
        data = json.loads(texts[0])
        return made_of(cls, data, _json=texts[0], _text=texts[1], checks=all_of(CheckResult, data, "checks"))

    @property
    def holds(self) -> bool:
        """Do all of the checks hold, for every number of chunks?"""
        return self.verdict == "holds"
