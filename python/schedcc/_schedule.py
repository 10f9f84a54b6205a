"""Schedules: what they are, what is made of them, what can be said of them."""

from __future__ import annotations

import os
import shutil
from typing import Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import _arguments as arguments
from . import _drawing as drawing
from . import _schedcc
from ._arguments import Path, Quantity, Size
from ._costs import CostReport
from ._errors import InputError, LimitError
from ._model import Step, Transfer
from ._output import FileOutput, command
from ._proofs import Proof
from ._report import Explanation, Report
from ._steps import Lines, Transfers, by_rank, lines, numbered
from ._table import table

MOST_LISTED_RANKS = 2**24


class Schedule:
    """A schedule: a collective on some ranks, and the transfers of each step.

    Made from steps in Python; compile(), read() and reads() make others. Nothing changes a schedule; its
    transformations are new ones. It may also hold a program for GPUs, which was read from a file.
    """

    _handle: _schedcc.Handle
    _figures: Optional[Report]

    def __init__(self, collective: str, ranks: int,
                 steps: Union[Iterable[Union[Step, Transfers]], Mapping[int, Transfers]] = (), *,
                 chunks: int = 1, root: Optional[int] = None, machine: Optional[str] = None, ordered: bool = False,
                 name: str = "", block_sizes: Optional[Iterable[int]] = None, pre: Optional[Lines] = None,
                 post: Optional[Lines] = None, reduced: Optional[Lines] = None, nodes: int = 0) -> None:
        """A schedule of these steps.

        `steps` is a list with the transfers of step 0, 1, ..., or of Step objects; or a dictionary from numbers of
        steps to their transfers. A transfer is a Transfer or a tuple (src, dst, first[, count[, reduce]]).

        `chunks` is K: of the message, or of each block; `block_sizes` is for irregular blocks. `machine` is the one
        that the schedule names. For the collective "custom", `chunks` is their number in all, `pre` says which chunks
        each rank holds at the start, `post` and `reduced` which it must hold at the end, `reduced` with the
        contributions of all ranks that start with the chunk. `nodes` makes it a schedule at hop level.

        Whether it is right is for verify() to say. Raises InputError for numbers out of their ranges.
        """
        if not name.isprintable():
            raise InputError(f"a name must be one line of printable characters, not {name!r}")
        asked = arguments.asked(collective=collective, ranks=ranks, chunks=chunks, root=root, machine=machine,
                                ordered=ordered, block_sizes=block_sizes)
        self._handle = _schedcc.make(asked, numbered(steps), lines(pre, False),
                                     lines(post, False) + lines(reduced, True),
                                     arguments.number("nodes", nodes, 0, 2**32 - 2), name)
        self._figures = None

    @classmethod
    def _of(cls, handle: _schedcc.Handle) -> "Schedule":
        schedule = cls.__new__(cls)
        schedule._handle = handle
        schedule._figures = None
        return schedule

    # What it is.

    @property
    def name(self) -> str:
        """The algorithm with its parameters, the name that a file states, or its path."""
        return self._handle.name

    @property
    def file(self) -> Optional[str]:
        """The file that it was read from; None: from none."""
        return self._handle.file or None

    @property
    def collective(self) -> str:
        """The name of the collective."""
        return self._handle.collective

    @property
    def ranks(self) -> int:
        """The number of ranks, P."""
        return self._handle.ranks

    @property
    def root(self) -> Optional[int]:
        """The root; None: the collective has none."""
        return self._handle.root

    @property
    def chunks(self) -> int:
        """K: chunks of the message, or of each block; of a custom collective in all."""
        return self._handle.chunks

    @property
    def total_chunks(self) -> int:
        """The number of chunks in all; they are numbered from 0."""
        return self._handle.total_chunks

    @property
    def ordered(self) -> bool:
        """Is the operator not commutative, so that contributions keep the order of the ranks?"""
        return self._handle.ordered

    @property
    def machine(self) -> str:
        """The machine that it names, on which it is checked by default; "duplex" if it names none."""
        return self._handle.machine or "duplex"

    @property
    def nodes(self) -> int:
        """At hop level the nodes of the network, the ranks first; 0: at endpoint level."""
        return self._handle.nodes

    @property
    def kind(self) -> str:
        """"schedule"; "program" or "plan" for GPUs, whose threadblocks are checked."""
        return self._handle.kind

    @property
    def chosen(self) -> dict[str, str]:
        """Algorithms: parameters that were left open, and the values that were chosen for them."""
        return dict(self._handle.chosen)

    @property
    def notes(self) -> list[str]:
        """What its file has that has no effect."""
        return [message for message, _, _ in self._handle.notes]

    @property
    def pre(self) -> dict[int, tuple[range, ...]]:
        """Custom collectives: the chunks that each rank holds at the start."""
        return by_rank(self._handle.pre, reduced=False)

    @property
    def post(self) -> dict[int, tuple[range, ...]]:
        """Custom collectives: the chunks that each rank must hold at the end, apart from those in `reduced`."""
        return by_rank(self._handle.post, reduced=False)

    @property
    def reduced(self) -> dict[int, tuple[range, ...]]:
        """Custom collectives: the chunks that each rank must hold at the end with all contributions."""
        return by_rank(self._handle.post, reduced=True)

    @property
    def steps(self) -> int:
        """The number of the last step plus one, on a routed machine at hop level; on LogP the time."""
        return self._counted().steps

    @property
    def transfers(self) -> int:
        """The number of transfers."""
        return self._counted().transfers

    @property
    def messages(self) -> int:
        """The number of messages: all transfers of a step with the same ends are one."""
        return self._counted().messages

    @property
    def volume(self) -> int:
        """The sum over the steps of the largest message of each, in chunks."""
        return self._counted().volume

    @property
    def width(self) -> int:
        """The largest message, in chunks."""
        return self._counted().width

    def _counted(self) -> Report:
        if self._figures is None:
            self._figures = self.verify(checks=())
        return self._figures

    def __iter__(self) -> Iterator[Step]:
        """The steps in order, one after another: they need not be in memory. Idle steps are left out."""
        for number, rounds, transfers, lines_of_file in self._handle.steps():
            if transfers or rounds > 1:
                yield Step(number, tuple(map(Transfer._make, transfers)), rounds, lines_of_file)

    def all_transfers(self) -> Iterator[tuple[int, Transfer]]:
        """(number of the step, transfer) for each transfer, in order."""
        for step in self:
            for transfer in step.transfers:
                yield step.number, transfer

    def __repr__(self) -> str:
        return f"<schedcc.Schedule {self.name}: {self._handle.describe()} on {self.machine}>"

    # Transformations and output.

    def reverse(self) -> "Schedule":
        """Every message goes back, the last one first: a broadcast becomes a reduce, an allgather a reduce-scatter.

        A sum becomes a copy and a copy a sum. Whether the reverse holds is for verify() to say. Raises InputError
        for a scan, for an allreduce that is not a sequence, and for a custom collective that has no reverse.
        """
        return Schedule._of(_schedcc.reversed(self._handle))

    def then(self, other: "Schedule") -> "Schedule":
        """All of this schedule, then all of the other one, with the same chunks.

        A reduce-scatter and an allgather are an allreduce, and so on (docs/composition.md); any other pair of which
        the second one starts with what the first one leaves is a custom collective. Raises InputError if it does not.
        """
        return Schedule._of(_schedcc.sequence(self._handle, other._handle))

    def relabel(self, ranks: Union[Sequence[int], Mapping[int, int], Callable[[int], int]]) -> "Schedule":
        """Rank r becomes rank ranks[r], or ranks(r), with its blocks and the root.

        Ranks that a dictionary leaves out keep their numbers. Raises InputError for what is not a permutation.
        """
        if self.ranks > MOST_LISTED_RANKS:
            raise LimitError(f"{self.ranks} ranks are too many to be renamed: at most {MOST_LISTED_RANKS}")
        if isinstance(ranks, Mapping):
            wrong = [rank for rank in ranks if rank not in range(self.ranks)]
            if wrong:
                raise InputError(f"there is no rank {wrong[0]}: ranks are 0..{self.ranks - 1}")
            mapped = [ranks.get(rank, rank) for rank in range(self.ranks)]
        elif callable(ranks):
            mapped = [ranks(rank) for rank in range(self.ranks)]
        else:
            mapped = list(ranks)
        return Schedule._of(_schedcc.relabelled(
            self._handle, [arguments.number("a rank", rank, 0, 2**32 - 1) for rank in mapped]))

    def lower(self) -> "Schedule":
        """The schedule at hop level, on a fat tree or a topology: transfers are hops over single links."""
        return Schedule._of(_schedcc.lowered(self._handle))

    # What can be said of it.

    def verify(self, machine: Optional[str] = None, checks: Union[None, str, Sequence[str]] = None, *,
               strict: bool = False, strict_format: bool = False, blocking: str = "sendrecv", eager: int = 0,
               max_buffer: Optional[int] = None, fifo: Optional[int] = None, same_as: "Optional[Schedule]" = None,
               max_findings: int = 20, fail_fast: bool = False) -> Report:
        """Checks it on a machine: the one that is named, or its own.

        `checks` names some (checks() lists them); by default all that apply are run. With `strict` warnings are
        errors, with `strict_format` notes are. `blocking` ("sendrecv", "send-first", "recv-first", "program"), `eager`
        and `max_buffer` are for the checks deadlock and buffers, `fifo` for programs. `same_as` is a schedule whose
        sums must be the same. `fail_fast` ends at the first error. Raises InputError for names that do not exist.
        """
        return Report._made(_schedcc.check(
            self._handle, machine, checks=arguments.names(checks), strict=strict, strict_format=strict_format,
            blocking=blocking, eager=arguments.number("eager", eager),
            max_buffer=arguments.optional_number("max_buffer", max_buffer),
            fifo=arguments.optional_number("fifo", fifo, 1), same_as=None if same_as is None else same_as._handle,
            max_findings=arguments.number("max_findings", max_findings, 0, arguments.MOST_FINDINGS),
            fail_fast=fail_fast))

    def explain(self, rank: int, chunk: int, step: Optional[int] = None, *,
                machine: Optional[str] = None) -> Explanation:
        """How a rank got its value of a chunk, at the end, or at the beginning of a step."""
        return Explanation._made(_schedcc.explain(
            self._handle, machine, arguments.number("rank", rank), arguments.number("chunk", chunk),
            arguments.optional_number("step", step)))

    def cost(self, bytes: Size, *, alpha: Optional[Quantity] = None, beta: Optional[Quantity] = None,
             model: Optional[str] = None, machine: Optional[str] = None, critical_path: bool = False,
             verify: bool = True) -> CostReport:
        """Its time for a message, or a block, of a size: 1048576 or "1MiB".

        The model alpha-beta needs `alpha`, the start-up time of a message ("10us", or seconds), and `beta`, the time
        per byte ("0.1ns/B", "10GB/s", or seconds per byte); `model` names another one ("loggp:L=2us,..."). A schedule
        that does not hold has no time: raises ViolatedError or UndecidedError, unless `verify` is False.
        """
        specification = arguments.model(model, alpha, beta, machine or self.machine)
        size = arguments.size("bytes", bytes)
        if verify:
            self.verify(machine).raise_for_findings()
        return CostReport._made(_schedcc.cost(self._handle, machine, specification, size, critical_path))

    def prove(self, steps: Optional[int] = None, *, machine: Optional[str] = None, timeout: Optional[float] = None,
              rounds: Optional[int] = None, solver: str = "", assume_bound: bool = False, waiting: bool = True,
              eager: int = 0) -> Proof:
        """The least number of steps of any schedule of its problem, or whether `steps` are enough: see prove()."""
        search = _schedcc.Search(steps=arguments.optional_number("steps", steps), timeout=timeout, solver=solver,
                                 rounds=arguments.optional_number("rounds", rounds, 1), assume_bound=assume_bound,
                                 waiting=waiting, eager=arguments.number("eager", eager))
        texts, found = _schedcc.prove_handle(self._handle, machine, search)
        return Proof._made(texts, None if found is None else Schedule._of(found))

    # How it is written and shown.

    def emit_bytes(self, format: str = "sched", *, machine: Optional[str] = None, verify: bool = False) -> bytes:
        """The schedule in a format, with its parameters: "sched", "json", "cpp:namespace=ring", "svg", "html", ...

        With `verify` a page has the report of the checks, and shows findings where they are. It is written whether it
        holds or not. Raises InputError for what the format cannot express.
        """
        pieces: list[bytes] = []
        made_by = command(self, self._handle.spec, machine, "--emit", format)
        _schedcc.emit(self._handle, format, machine, verify, made_by, "schedule", None, pieces.append, None)
        return b"".join(pieces)

    def emit(self, format: str = "sched", *, machine: Optional[str] = None, verify: bool = False) -> str:
        """The same as text, which png and pdf are not."""
        try:
            return self.emit_bytes(format, machine=machine, verify=verify).decode()
        except UnicodeDecodeError:
            raise InputError(f"format '{format}' is binary: use emit_bytes() or write()") from None

    def write(self, path: Path, format: Optional[str] = None, *, machine: Optional[str] = None,
              verify: bool = False) -> None:
        """Writes it to a file, whole or not at all, in a format: the one named, or that of the extension."""
        name = arguments.file_name(path)
        written = format or _schedcc.format_of_extension(name)
        if written is None:
            raise InputError(f"the extension of '{name}' is not that of a format that schedcc writes; pass format=")
        file = os.path.basename(name)
        made_by = command(self, self._handle.spec, machine, "--emit", written, "-o", file)
        with FileOutput(name) as output:
            _schedcc.emit(self._handle, written, machine, verify, made_by, os.path.splitext(file)[0],
                          os.path.dirname(os.path.realpath(name)), output.write, output.begin_part)

    def table(self, width: Optional[int] = None) -> str:
        """A small schedule as a table, a column for each step, `width` characters wide: by default as the terminal."""
        columns = width if width is not None else shutil.get_terminal_size((120, 24)).columns
        unit = "cycle" if self.machine.startswith("logp") else "step"
        return table(self, self.nodes or self.ranks, "node" if self.nodes > self.ranks else "rank", unit, columns)

    def show(self, width: Optional[int] = None) -> None:
        """Prints the table. Raises InputError for a schedule that is too large for one."""
        print(self.table(width))

    def _repr_html_(self) -> Optional[str]:
        """For notebooks: a page to step through, or else a table."""
        return drawing.html(self)

    def _repr_svg_(self) -> Optional[str]:
        """For notebooks: a picture, if Graphviz can draw a readable one."""
        return drawing.svg(self)
