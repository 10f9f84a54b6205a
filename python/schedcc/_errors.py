"""What the package raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._report import Finding, Report


class Error(Exception):
    """Any error of schedcc."""


class _Located(Error):
    """An error with its place in a file, where that is known."""

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        super().__init__(message, file, line, column)
        #: What is wrong, without the place.
        self.message = message
        #: The file as it was named; None: the error is in no file.
        self.file = file
        #: The line, from 1; None: unknown.
        self.line = line
        #: The column, from 1; None: unknown.
        self.column = column

    def __str__(self) -> str:
        place = "".join(f"{part}:" for part in (self.file, self.line, self.column) if part is not None)
        return f"{place} {self.message}" if place else self.message


class InputError(_Located, ValueError):
    """Bad input: a malformed file, an impossible parameter, a problem that an algorithm does not serve."""


class LimitError(_Located, RuntimeError):
    """A limit on memory or work that was reached before the result was known."""


class InternalError(_Located, RuntimeError):
    """A fault of schedcc itself."""


class NotProvedError(Error):
    """A schedule whose report does not hold."""

    def __init__(self, report: "Report") -> None:
        super().__init__(report)
        #: The report of the checks.
        self.report = report

    @property
    def findings(self) -> "tuple[Finding, ...]":
        """The findings of the report, the first ones of `report.findings_total`."""
        return self.report.findings

    def __str__(self) -> str:
        return str(self.report)


class ViolatedError(NotProvedError):
    """A check is violated: `findings` says where."""


class UndecidedError(NotProvedError):
    """A check is unknown, or none was run: no check is violated, and nothing is proved."""
