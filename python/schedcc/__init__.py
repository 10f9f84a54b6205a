"""schedcc: builds, checks, times and proves communication schedules.

    >>> import schedcc
    >>> ring = schedcc.compile("ring", ranks=8, collective="allreduce", chunks=8)
    >>> ring.verify().verdict
    'holds'

Algorithms, compositions and files become a Schedule by compile(), read() and reads(); one's own algorithm is a list
of steps, Schedule("allgather", 4, steps). A Schedule is checked by verify(), which returns a Report; timed by cost(),
written by write(). tune() and prove() ask about all schedules of a problem. docs/python.md is the guide, and
docs/semantics.md, "Schedules", "Checks" and "Verdicts", says what everything means.
"""

from ._costs import (Choice, CostReport, Crossover, Skipped, TimeBound, TimedMessage, TimeFormula, TunedSize,
                     TuneReport)
from ._errors import Error, InputError, InternalError, LimitError, NotProvedError, UndecidedError, ViolatedError
from ._lists import (Algorithm, Check, Collective, CostModel, Format, Machine, MachineFile, Parameter, algorithms,
                     checks, collectives, cost_models, formats, machine_files, machines)
from ._model import Step, Transfer
from ._proofs import Proof, SymbolicProof, Tried
from ._report import CheckResult, Explanation, Finding, LowerBound, Report
from ._schedcc import version as __version__
from ._schedule import Schedule
from ._sources import compile, read, reads
from ._studies import prove, prove_all_chunks, tune

__all__ = [
    "Algorithm", "Check", "CheckResult", "Choice", "Collective", "CostModel", "CostReport", "Crossover", "Error",
    "Explanation", "Finding", "Format", "InputError", "InternalError", "LimitError", "LowerBound", "Machine",
    "MachineFile", "NotProvedError", "Parameter", "Proof", "Report", "Schedule", "Skipped", "Step", "SymbolicProof",
    "TimeBound", "TimeFormula", "TimedMessage", "Transfer", "Tried", "TuneReport", "TunedSize", "UndecidedError",
    "ViolatedError", "__version__", "algorithms", "checks", "collectives", "compile", "cost_models", "formats",
    "machine_files", "machines", "prove", "prove_all_chunks", "read", "reads", "tune",
]
