"""Where schedules come from: algorithms, compositions, files and texts."""

from __future__ import annotations

from typing import Iterable, Optional, Union

from . import _arguments as arguments
from . import _schedcc
from ._arguments import Path
from ._schedule import Schedule


def compile(source: Path, ranks: Optional[int] = None, collective: Optional[str] = None, chunks: Optional[int] = None,
            machine: Optional[str] = None, *, root: Optional[int] = None, ordered: bool = False,
            block_sizes: Optional[Iterable[int]] = None) -> Schedule:
    """The schedule of a SOURCE, as the command line takes it.

    It is an algorithm, NAME[:key=value,...], a composition of some ("reverse(bruck) then bruck"), or a file. By default
    `chunks` is 1, `root` 0, `collective` the algorithm's first one, `machine` the first one that it is for. The
    schedule is not checked: verify() does that. Raises InputError, with the reason, for a problem that the algorithm
    does not serve.
    """
    name = arguments.file_name(source)
    asked = arguments.asked(collective=collective, ranks=ranks, chunks=chunks, root=root, machine=machine,
                            ordered=ordered, block_sizes=block_sizes)
    if not isinstance(source, str) or _schedcc.names_file(name):
        return Schedule._of(_schedcc.open_file(name, "", asked))
    return Schedule._of(_schedcc.open_algorithm(name, asked))


def read(path: Path, format: Optional[str] = None, *, machine: Optional[str] = None, ordered: bool = False) -> Schedule:
    """The schedule, or the program, of a file; `format` is by default that of its extension, or of its content.

    Raises InputError with file, line and column.
    """
    return Schedule._of(_schedcc.open_file(arguments.file_name(path), format or "",
                                           arguments.asked(machine=machine, ordered=ordered)))


def reads(text: Union[str, bytes], format: Optional[str] = None, *, name: str = "text", machine: Optional[str] = None,
          ordered: bool = False) -> Schedule:
    """The same from a text; `name` stands for the file in messages."""
    content = text.encode() if isinstance(text, str) else bytes(text)
    return Schedule._of(_schedcc.open_text(content, arguments.file_name(name), format or "",
                                           arguments.asked(machine=machine, ordered=ordered)))
