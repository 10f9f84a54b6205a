"""Reports of checks, and explanations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

from ._errors import UndecidedError, ViolatedError
from ._result import Result, all_of, made_of


@dataclass(frozen=True)
class Finding:
    """An error, a warning or a note of a check. What does not apply is None."""

    check: str
    #: "error", "warning" or "note".
    severity: str
    message: str
    step: Optional[int] = None
    rank: Optional[int] = None
    src: Optional[int] = None
    dst: Optional[int] = None
    chunk: Optional[int] = None
    threadblock: Optional[int] = None
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    #: Of causality and delivery: docs/findings.md, "Causes in JSON".
    cause: Optional[Mapping[str, Any]] = None
    #: Programs: the rank, threadblock, step and line of the other instructions that it is about.
    others: Sequence[Mapping[str, int]] = ()

    @property
    def transfer(self) -> Optional[tuple[int, int]]:
        """The source and the destination of the transfer that it is about."""
        return None if self.src is None or self.dst is None else (self.src, self.dst)

    @property
    def text(self) -> str:
        """A line for people: the place, the severity, the message and the check."""
        place = "".join(f"{part}:" for part in (self.file, self.line, self.column) if part is not None)
        step = f"step {self.step}: " if self.step is not None else ""
        return f"{place}{' ' if place else ''}{self.severity}: {step}{self.message} [{self.check}]"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class CheckResult:
    """The verdict of one check."""

    check: str
    #: "holds", "violated" or "unknown".
    verdict: str
    #: Why it is unknown, and what would decide it.
    reason: Optional[str] = None
    #: How many of its findings are warnings, which strict=True makes errors.
    warnings: int = 0


@dataclass(frozen=True)
class LowerBound:
    """What no schedule of the problem on the machine is below."""

    steps: Optional[int] = None
    volume: Optional[int] = None
    #: On LogP, instead of steps.
    time: Optional[int] = None
    source: Optional[str] = None


@dataclass(frozen=True)
class Report(Result):
    """The outcome of the checks of one schedule."""

    schedule: str
    collective: str
    machine: str
    ranks: int
    chunks: int
    #: "holds", "violated" or "unknown".
    verdict: str
    #: The number of the last step plus one, on routed machines at hop level; on LogP the time.
    steps: int
    #: The sum over the steps of the largest message of each, in chunks.
    volume: int
    transfers: int
    messages: int
    #: The largest message, in chunks.
    width: int
    findings_total: int
    checks: tuple[CheckResult, ...] = ()
    #: The first ones; `max_findings` of verify() limits them.
    findings: tuple[Finding, ...] = ()
    root: Optional[int] = None
    file: Optional[str] = None
    title: Optional[str] = None
    lower_bound: Optional[LowerBound] = None
    #: The longest queue, if the check `buffers` was run.
    max_buffer: Optional[int] = None
    hops: Optional[int] = None
    congestion: Optional[int] = None
    threadblocks: Optional[int] = None

    @classmethod
    def _made(cls, texts: tuple[str, str]) -> "Report":
        data = json.loads(texts[0])
        bound = data.get("lower_bound")
        return made_of(cls, data, _json=texts[0], _text=texts[1], steps=data.get("steps", data.get("time")),
                   lower_bound=None if bound is None else made_of(LowerBound, bound),
                   checks=all_of(CheckResult, data, "checks"), findings=all_of(Finding, data, "findings"))

    @property
    def holds(self) -> bool:
        """Does every check hold? Where one is undecided, it is not known."""
        return self.verdict == "holds"

    def raise_for_findings(self) -> None:
        """Raises ViolatedError if a check is violated, UndecidedError if nothing is proved."""
        if self.verdict == "violated":
            raise ViolatedError(self)
        if self.verdict != "holds":
            raise UndecidedError(self)


@dataclass(frozen=True)
class Explanation(Result):
    """How a rank got its value of a chunk. Rows are numbers in `transfers`."""

    schedule: str
    machine: str
    rank: int
    chunk: int
    #: Is it a chunk that gathers contributions?
    reduction: bool
    starts: bool
    wanted: bool
    held: bool
    #: Is it what the rank must end with, if it must?
    right: bool
    #: Those that made the value, as docs/explain.schema.json describes them.
    transfers: tuple[Mapping[str, Any], ...] = ()
    #: Those without effect, as their sources did not hold the chunk.
    failed: tuple[Mapping[str, Any], ...] = ()
    step: Optional[int] = None
    file: Optional[str] = None
    made_by: Optional[int] = None

    @classmethod
    def _made(cls, texts: tuple[str, str]) -> "Explanation":
        data = json.loads(texts[0])
        return made_of(cls, data, _json=texts[0], _text=texts[1], transfers=tuple(data.get("transfers", ())),
                   failed=tuple(data.get("failed", ())))
