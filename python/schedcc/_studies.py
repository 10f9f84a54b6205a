"""Questions about all schedules of a problem: which is the fastest, and how few steps there can be."""

from __future__ import annotations

from typing import Iterable, Optional, Sequence, Union

from . import _arguments as arguments
from . import _schedcc
from ._arguments import Quantity, Size
from ._costs import TuneReport
from ._proofs import Proof, SymbolicProof
from ._schedule import Schedule


def tune(collective: str, ranks: int, bytes: Union[Size, Iterable[Size]], *, alpha: Optional[Quantity] = None,
         beta: Optional[Quantity] = None, model: Optional[str] = None, machine: Optional[str] = None,
         algorithms: Sequence[str] = (), chunks: Optional[int] = None, root: Optional[int] = None,
         ordered: bool = False, reproducible: bool = False) -> TuneReport:
    """The best algorithm, parameters and number of chunks, for one size or for several: "1MiB", [1024, "64KiB"].

    `alpha`, `beta` and `model` are those of Schedule.cost(). `algorithms` are the candidates; by default all of the
    registry, and sequences of two of them. `chunks` fixes their number. With `reproducible` all ranks must end with
    the same sum. Raises InputError if no algorithm serves the problem.
    """
    return TuneReport._made(_schedcc.tune(
        arguments.asked(collective=collective, ranks=ranks, chunks=chunks, root=root, machine=machine, ordered=ordered),
        arguments.model(model, alpha, beta, machine or ""), arguments.sizes(bytes),
        arguments.names(algorithms) or [], reproducible), ordered)


def prove(collective: str, ranks: int, chunks: int = 1, steps: Optional[int] = None, *, root: Optional[int] = None,
          machine: Optional[str] = None, ordered: bool = False, block_sizes: Optional[Iterable[int]] = None,
          timeout: Optional[float] = None, rounds: Optional[int] = None, solver: str = "", assume_bound: bool = False,
          waiting: bool = True, eager: int = 0) -> Proof:
    """Decides by solvers whether a schedule with `steps` steps exists; without, finds the least number of steps.

    Messages have one chunk if the machine states no width. `timeout` is in seconds: what is undecided then is
    "unknown". `solver` is "cadical", "z3" or "both", which must agree. `assume_bound` does not try numbers of steps
    below the lower bound by counting. On topologies the steps share `rounds` rounds. Without `waiting` messages take
    their routes without waiting in routers; `eager` messages are buffered on LogP. Raises InputError for a problem
    that the prover does not support.
    """
    search = _schedcc.Search(steps=arguments.optional_number("steps", steps), timeout=timeout, solver=solver,
                             rounds=arguments.optional_number("rounds", rounds, 1), assume_bound=assume_bound,
                             waiting=waiting, eager=arguments.number("eager", eager))
    asked = arguments.asked(collective=collective, ranks=ranks, chunks=None if block_sizes is not None else chunks,
                            root=root, machine=machine, ordered=ordered, block_sizes=block_sizes)
    texts, found = _schedcc.prove_problem(asked, search)
    return Proof._made(texts, None if found is None else Schedule._of(found))


def prove_all_chunks(algorithm: str, ranks: int, *, collective: Optional[str] = None, root: Optional[int] = None,
                     machine: Optional[str] = None, timeout: Optional[float] = None) -> SymbolicProof:
    """Proves by Z3 that the schedule of an algorithm holds for every number of chunks.

    Raises InputError for an algorithm of which there are no formulas (docs/symbolic-proofs.md), and without Z3.
    """
    asked = arguments.asked(collective=collective, ranks=ranks, root=root, machine=machine)
    return SymbolicProof._made(_schedcc.prove_all_chunks(algorithm, asked, timeout))
