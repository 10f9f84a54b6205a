"""The lists of algorithms, collectives, machines, checks, cost models and formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from . import _schedcc


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm, a machine, a cost model or a format: NAME:key=value."""

    #: Empty: it has no key, as in mesh:8x16.
    name: str
    summary: str
    #: "integer", "text", "list", "flag" (a word without a value), "time", "gap", "size" or "link".
    kind: str
    #: Texts: the allowed values; empty: any.
    choices: tuple[str, ...] = ()
    #: As written; None: it has none.
    default: Optional[str] = None
    required: bool = False
    #: Integers.
    least: Optional[int] = None
    most: Optional[int] = None


@dataclass(frozen=True)
class Algorithm:
    """An algorithm: compile() builds its schedules."""

    name: str
    summary: str
    #: Paper, section, equation.
    source: str
    #: The first one is the default.
    collectives: tuple[str, ...]
    #: Those that it is for; the first one is the default.
    machines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    #: When ranks that end with the same sum have evaluated different expressions; empty: never.
    disagreement: str


@dataclass(frozen=True)
class Collective:
    """A collective operation."""

    name: str
    summary: str
    #: Does it have a root?
    rooted: bool
    #: Does it combine values?
    reduction: bool
    #: What `chunks` counts: those "of the message", "of a block", "of a pair of ranks", "in all".
    chunks: str


@dataclass(frozen=True)
class Machine:
    """A kind of machine."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    #: Other spellings: {"cbft": "fattree:cap=constant"}.
    aliases: Mapping[str, str]


@dataclass(frozen=True)
class MachineFile:
    """A real system, which is a machine by its name."""

    name: str
    summary: str
    ranks: int
    #: Of its figures.
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """A check of schedules, or of programs for GPUs."""

    name: str
    summary: str


@dataclass(frozen=True)
class CostModel:
    """A kind of cost model."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True)
class Format:
    """A file format."""

    name: str
    summary: str
    #: With the dot.
    extensions: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    readable: bool
    writable: bool


def _with_parameters(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**entry, "parameters": tuple(Parameter(**p) for p in entry["parameters"])}


def algorithms(collective: Optional[str] = None) -> list[Algorithm]:
    """All algorithms, or those for a collective, in the order of the registry. Raises InputError for no collective."""
    found = [Algorithm(**_with_parameters(entry)) for entry in _schedcc.algorithms()]
    if collective is None:
        return found
    named = _schedcc.find_collective(collective)
    return [algorithm for algorithm in found if named in algorithm.collectives]


def collectives() -> list[Collective]:
    """All collectives."""
    return [Collective(**entry) for entry in _schedcc.collectives()]


def machines() -> list[Machine]:
    """All kinds of machines."""
    return [Machine(**_with_parameters(entry)) for entry in _schedcc.machines()]


def machine_files() -> list[MachineFile]:
    """The real systems whose files are part of schedcc."""
    return [MachineFile(**entry) for entry in _schedcc.machine_files()]


def checks() -> list[Check]:
    """All checks."""
    return [Check(**entry) for entry in _schedcc.checks()]


def cost_models() -> list[CostModel]:
    """All cost models."""
    return [CostModel(**_with_parameters(entry)) for entry in _schedcc.cost_models()]


def formats() -> list[Format]:
    """All formats."""
    return [Format(**_with_parameters(entry)) for entry in _schedcc.formats()]
