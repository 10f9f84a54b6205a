"""What all reports of the library have in common: attributes, JSON and text.

The attributes are the keys of the JSON, which the schemas in schedcc's folder docs describe.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Mapping, TypeVar

T = TypeVar("T")


def made_of(cls: type[T], data: Mapping[str, Any], **more: Any) -> T:
    """An object of a dataclass, of those keys of JSON that are its fields."""
    names = {f.name for f in dataclasses.fields(cls)}
    return cls(**{**{key: value for key, value in data.items() if key in names}, **more})


def all_of(cls: type[T], data: Mapping[str, Any], key: str) -> tuple[T, ...]:
    return tuple(made_of(cls, entry) for entry in data.get(key, ()))


@dataclass(frozen=True)
class Result:
    """A report of the library."""

    _json: str = field(repr=False, compare=False)
    _text: str = field(repr=False, compare=False)

    def to_json(self) -> str:
        """The report as the command line writes it with --json."""
        return self._json

    def to_dict(self) -> Any:
        """The same as dictionaries and lists."""
        return json.loads(self._json)

    def __str__(self) -> str:
        """The report as the command line prints it."""
        return self._text.rstrip("\n")
