"""Files that are written whole or not at all, and the command that they state."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Optional

if TYPE_CHECKING:
    from ._schedule import Schedule


def command(schedule: "Schedule", spec: str, machine: Optional[str], *output: str) -> str:
    """The command that makes it, as writers of programs state; `spec` is its algorithm, "" if it has none."""
    on = ["--machine", machine or schedule.machine, *output]
    if schedule.file is not None:
        return shlex.join(["schedcc", "compile", schedule.file, *on])
    if not spec or schedule.collective == "custom":
        return f"{schedule!r} in Python"
    root = [] if schedule.root is None else ["--root", str(schedule.root)]
    ordered = ["--ordered"] if schedule.ordered else []
    return shlex.join(["schedcc", "compile", spec, "--collective", schedule.collective, "--ranks", str(schedule.ranks),
                       *root, "--chunks", str(schedule.chunks), *ordered, *on])


class FileOutput:
    """A file, and perhaps a folder of parts beside it, under other names until everything is written."""

    def __init__(self, path: str) -> None:
        self._shown = path
        self._path = os.path.realpath(path)
        self._parts: Optional[str] = None
        self._part: Optional[BinaryIO] = None
        if os.path.exists(self._path) and not os.path.isfile(self._path):  # a device
            self._temporary = None
            self._main: BinaryIO = open(self._path, "wb")
            return
        try:
            number, self._temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".",
                                                       dir=os.path.dirname(self._path))
        except OSError as error:  # names the file that the caller asked for, not the temporary one
            raise type(error)(error.errno, error.strerror, path) from None
        os.chmod(number, _mode(self._path))
        self._main = os.fdopen(number, "wb")

    def write(self, text: bytes) -> None:
        """Writes a piece, to the part that was begun last."""
        (self._part or self._main).write(text)

    def begin_part(self, name: str) -> str:
        """Begins a part, and returns its path relative to the file's folder; "": the file itself."""
        if self._part is not None:
            self._part.close()
            self._part = None
        if not name or self._temporary is None:
            return ""
        if self._parts is None:
            self._parts = tempfile.mkdtemp(prefix=os.path.basename(self._path) + ".", dir=os.path.dirname(self._path))
        self._part = open(os.path.join(self._parts, name), "xb")
        return f"{self._shown}.d/{name}"

    def __enter__(self) -> "FileOutput":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        if self._part is not None:
            self._part.close()
        try:
            self._main.close()
            if kind is None:
                self._commit()
        finally:
            if self._parts is not None:
                shutil.rmtree(self._parts, ignore_errors=True)
            if self._temporary is not None and os.path.exists(self._temporary):
                os.unlink(self._temporary)

    def _commit(self) -> None:
        if self._parts is not None:
            _replace_parts(self._parts, self._path + ".d")
        if self._temporary is not None:
            os.replace(self._temporary, self._path)


def _kind(name: str) -> str:
    """The name of a part without the number at its beginning."""
    return name.lstrip("0123456789")


def _replace_parts(new: str, folder: str) -> None:
    """Moves parts into a folder, in which they replace all parts whose names differ in their number only."""
    os.makedirs(folder, exist_ok=True)
    names = set(os.listdir(new))
    kinds = {_kind(name) for name in names}
    for name in os.listdir(folder):
        if name not in names and _kind(name) != name and _kind(name) in kinds:
            os.unlink(os.path.join(folder, name))
    for name in names:
        os.replace(os.path.join(new, name), os.path.join(folder, name))


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _mode(path: str) -> int:
    """The permissions of the file that is replaced, or of a new one."""
    return os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~_mask()
