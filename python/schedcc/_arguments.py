"""What users pass, as the library takes it."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any, Iterable, Optional, Sequence, Union

from . import _schedcc
from ._errors import InputError

#: A name, as of a file.
Path = Union[str, os.PathLike[str]]
#: A size with its unit, "1MiB", or bytes.
Size = Union[int, str]
#: A quantity with its unit, "10us", "0.1ns/B" or "10GB/s"; or seconds, seconds per byte.
Quantity = Union[float, str]

MOST_FINDINGS = 2**16


def number(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number in a range."""
    try:
        result = int(value.__index__())
    except AttributeError:
        raise InputError(f"{name} must be a whole number, not {value!r}") from None
    if not least <= result <= most:
        raise InputError(f"{name} must be in {least}..{most}, not {result}")
    return result


def optional_number(name: str, value: Optional[int], least: int = 0) -> Optional[int]:
    """The same; None is left."""
    return None if value is None else number(name, value, least)


def file_name(path: Path) -> str:
    """The name of a file."""
    name = os.fspath(path)
    if not isinstance(name, str) or "\0" in name:
        raise InputError(f"the name of a file must be a str, not {name!r}")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"the name {name!r} is not UTF-8") from None
    return name


def size(name: str, value: Size) -> int:
    """A number of bytes."""
    return _schedcc.parse_bytes(value) if isinstance(value, str) else number(name, value, 0, 2**63 - 1)


def sizes(value: Union[Size, Iterable[Size]]) -> list[int]:
    """One or several numbers of bytes, ascending."""
    several = [value] if isinstance(value, (int, str)) else list(value)
    result = sorted({size("bytes", one) for one in several})
    if not result:
        raise InputError("missing bytes: a size, or several")
    return result


def quantity(value: Quantity, unit: str) -> str:
    """A quantity as the library reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise InputError(f"a quantity must be a string with a unit, or a number of seconds, not {value!r}")
    return format(Decimal(repr(value)), "f") + unit


def model(name: Optional[str], alpha: Optional[Quantity], beta: Optional[Quantity], machine: str) -> str:
    """The specification of a cost model; by default that of the machine's links, if it states them."""
    if name is not None:
        if alpha is not None or beta is not None:
            raise InputError("alpha and beta are for the model alpha-beta; with model, they are parameters of it")
        return name
    if alpha is None and beta is None and (
            machine.startswith("topology:") or machine in {file["name"] for file in _schedcc.machine_files()}):
        return "machine"
    if alpha is None or beta is None:
        missing = "alpha" if alpha is None else "beta"
        raise InputError(f"missing {missing}: the model alpha-beta needs alpha, the start-up time of a message "
                         "('10us'), and beta, the time per byte ('0.1ns/B', '10GB/s'); or name another model")
    return f"alpha-beta:alpha={quantity(alpha, 's')},beta={quantity(beta, 's/B')}"


def names(value: Union[None, str, Sequence[str]]) -> Optional[list[str]]:
    """Names in a list, or in a string with commas."""
    if value is None:
        return None
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else list(value)


def asked(*, collective: Optional[str] = None, ranks: Optional[int] = None, chunks: Optional[int] = None,
          root: Optional[int] = None, machine: Optional[str] = None, ordered: bool = False,
          block_sizes: Optional[Iterable[int]] = None) -> _schedcc.ProblemArguments:
    """A problem as it is stated, in part."""
    blocks = None
    if block_sizes is not None:
        blocks = [number("a block", chunks_of_it, 0, 2**31 - 1) for chunks_of_it in block_sizes]
    return _schedcc.ProblemArguments(collective=collective, ranks=optional_number("ranks", ranks, 1),
                          chunks=optional_number("chunks", chunks, 1), root=optional_number("root", root),
                          machine=machine, ordered=ordered, block_sizes=blocks)
