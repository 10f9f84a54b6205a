#!/usr/bin/env python3
"""How what the program takes grows: a row for each measurement, and a picture, docs/growth/FIGURE.svg.

    bench/growth.py FIGURE [SCHEDCC] [--folder FOLDER]

Each row has a ratio to what the heading names, measured in the same run. Times are processor time, which other work on the machine
hardly has an effect on. A figure takes up to two minutes of one processor. Two are made of what bench programs print:

    build/release/bench/schedcc_bench_jobs large 1 | bench/growth.py checks
    build/release/bench/schedcc_bench_binary growth | bench/growth.py files
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import sys
import tempfile

import curves
import sample
import sweep
import tables
import usage

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRANSFER = 16  # bytes
BANDWIDTH = re.compile(r" *memory bandwidth \(copy\) ([\d.]+) GB/s")
CHECK = re.compile(r"(\w+) +(\S+) +P=\d+ +K=\d+ +([\d.]+)M +[\d.]+ s +([\d.]+) s")
SCHEDULE = re.compile(r".*, (\d+) transfers$")
FILE = re.compile(r"  ((?:write|read) \w+) +[\d.]+ GB of text/s +([\d.]+) M transfers/s +([\d.]+) % of memory")
SAMPLES = (("fractional-tree", "broadcast"), ("circulant", "broadcast"), ("recursive-doubling", "allreduce"), ("bruck", "allgather"),
           ("ring", "allreduce"))
SHARED = ("compile", "split-binary-tree", "--ranks", "4096", "--chunks", "4096", "--json", "-j", "1")
# Collective, chunks, machine, and the binary logarithm of the most ranks; above 16 an alltoall is too large to be decided.
PROOFS = (("broadcast", 8, "duplex", 6), ("alltoall", 1, "torus", 4), ("alltoall", 1, "mesh", 4), ("alltoall", 1, "crossbar", 4),
          ("allgather", 1, "torus", 6), ("allgather", 1, "mesh", 6), ("allgather", 1, "crossbar", 6))


# Each figure is a generator of (name of a curve, x, y, what y is compared with, or None).


def checks(_):
    """Checks of streamed schedules, compared with a copy of their transfers."""
    for line in sys.stdin:
        if match := BANDWIDTH.match(line):
            bandwidth = float(match[1]) * 1e9
        elif match := CHECK.match(line):
            collective, algorithm, millions, seconds = match.groups()
            transfers = float(millions) * 1e6
            yield f"{algorithm} {collective}", transfers, float(seconds), TRANSFER * transfers / bandwidth


def files(_):
    """Both formats, compared with a copy of the text."""
    for line in sys.stdin:
        if match := SCHEDULE.match(line):
            transfers = int(match[1])
        elif match := FILE.match(line):
            seconds = transfers / (float(match[2]) * 1e6)
            yield match[1], transfers, seconds, seconds * float(match[3]) / 100


def ranks(schedcc):
    """Places of samples, compared with those of the fewest ranks."""
    for algorithm, collective in SAMPLES:
        first = None
        for bits in range(10, 41, 5):
            microseconds, _ = sample.place(schedcc, algorithm, collective, 2**bits, 20000)
            first = first or microseconds
            yield f"{algorithm} {collective}", 2**bits, microseconds, first


def processes(schedcc):
    """Processes of a job, in parts of what one takes, compared with an N-th of it; the largest one counts."""
    alone = None
    for number in (1, 2, 4, 8):
        output, _, _ = usage.run([ROOT / "tests/mpi/launch.py", "mpirun", str(number), sys.executable, usage.__file__, schedcc, *SHARED])
        seconds, memory = (max(map(float, re.findall(rf"([\d.]+) {unit}", output))) for unit in ("s", "MiB"))
        alone = alone or (seconds, memory)
        print(f"{number} processes: {seconds:.2f} s, {memory:.0f} MiB each")
        yield "memory", number, memory / alone[1], 1 / number
        yield "processor time", number, seconds / alone[0], 1 / number


def compilations(schedcc, quantity):
    """Tables in C++, the best of three runs, packed ones compared with arrays, of which the largest is left out."""
    with tempfile.TemporaryDirectory() as name:
        for chunks in (1, 10, 100, 1000):
            arrays = {}
            for form in ("array", "packed")[chunks == 1000:]:
                source = tables.written(schedcc, pathlib.Path(name), form, 501, chunks)
                for compiler in tables.compilers():
                    used = min(tables.compiled(compiler, source)[quantity] for _ in range(3))
                    yield f"{compiler}, {form}", 1000 * chunks, used, arrays.setdefault(compiler, used) if chunks < 1000 else None


def compiling(schedcc):
    """Their processor time."""
    return compilations(schedcc, 0)


def compiling_memory(schedcc):
    """Their memory."""
    return compilations(schedcc, 1)


def sweeps(schedcc):
    """Sweeps of all algorithms, compared with ten minutes of two processors for 1024 ranks, as the square of the ranks."""
    for most in (16, 32, 64, 128, 256):
        seconds, _, _ = sweep.swept(schedcc, "all", range(2, most + 1), "1..16")
        yield "all algorithms", most, seconds, sweep.WANTED * (most / 1024)**2


def machine(kind, bits):
    """The squarest one of 2^bits ranks."""
    rows, columns = 2**(bits // 2), 2**(bits - bits // 2)
    return {"duplex": kind, "crossbar": f"{kind}:a={rows},b={columns}"}.get(kind, f"{kind}:{rows}x{columns}")


def proved(schedcc, collective, chunks, kind, bits, solver):
    """Seconds until the least number of steps is proved, the least of three runs if they are short; None if it is not."""
    times = []
    while len(times) < 3 and sum(times) < 1:
        output, seconds, _ = usage.run([schedcc, "prove", "--collective", collective, "--ranks", str(2**bits), "--chunks", str(chunks),
                                        "--machine", machine(kind, bits), "--solver", solver, "--timeout", "40", "--json"], (0, 3))
        if json.loads(output)["verdict"] != "optimal":
            return None
        times.append(seconds)
    return min(times)


def proofs(schedcc):
    """Least numbers of steps, compared with Z3 on the same questions."""
    for collective, chunks, kind, most in PROOFS:
        for bits in range(2, most + 1):
            if seconds := proved(schedcc, collective, chunks, kind, bits, "cadical"):
                yield f"{collective}, {kind}", 2**bits, seconds, proved(schedcc, collective, chunks, kind, bits, "z3")


@dataclasses.dataclass
class Figure:
    """What is measured, and how it is drawn."""

    rows: collections.abc.Callable
    title: str
    across: str
    unit: str
    compared: str  # what the ratio is to
    dotted: bool = False  # whether that is drawn, ...
    own: bool = False  # ... for each curve by itself
    base: int = 10


FIGURES = {
    "checks": Figure(checks, "The time of a check over the number of transfers", "transfers", "s", "a copy of 16 bytes a transfer", True),
    "ranks": Figure(ranks, "The time of a place of a sample over the number of ranks", "ranks", "us", "2^10 ranks", base=1024),
    "processes": Figure(processes, "What a process of a job takes, in parts of what one process takes", "processes", "", "equal shares",
                        True, base=2),
    "tables": Figure(compiling, "The time that compilers take for a table", "operations", "s", "the array"),
    "tables-memory": Figure(compiling_memory, "The memory that compilers take for a table", "operations", "MiB", "the array"),
    "files": Figure(files, "The time to write and to read a file", "transfers", "s", "a copy of the text", True),
    "sweeps": Figure(sweeps, "The time of a sweep over all numbers of ranks up to N", "N", "s", "what is wanted: 20 minutes (N / 1024)^2",
                     True, base=2),
    "proofs": Figure(proofs, "The time of a proof over the number of ranks", "ranks", "s", "Z3", True, True, 2),
}


def printed(rows, figure):
    """The rows, which are printed one by one."""
    print(f"{'':<30}{figure.across:>15} {figure.unit:>12}  ratio to {figure.compared}")
    for name, x, y, reference in rows:
        print(f"{name:<30}{x:>15.0f} {y:>12.4g}  {f'{y / reference:.3g}' if reference else '-'}", flush=True)
        yield name, x, y, reference


def plot(rows, figure):
    """The curves of two points or more, and what they are compared with."""
    drawn, dotted = collections.defaultdict(list), collections.defaultdict(list)
    for name, x, y, reference in rows:
        drawn[name].append((x, y))
        if figure.dotted and reference:
            dotted[name if figure.own else figure.compared].append((x, reference))
    subtitle = (f"dotted: {figure.compared}; " if figure.dotted else "") + "at the right the slopes"
    return curves.Plot(figure.title, subtitle, figure.across, figure.unit,
                       {name: points for name, points in drawn.items() if len(points) > 1},
                       {name: sorted(points) for name, points in dotted.items()}, figure.base)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("schedcc", nargs="?", type=pathlib.Path, default=ROOT / "build/release/schedcc")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs/growth")
    options = parser.parse_args()
    figure = FIGURES[options.figure]
    picture = plot(printed(figure.rows(options.schedcc.resolve()), figure), figure)
    if not picture.curves:
        sys.exit("no rows")
    options.folder.mkdir(exist_ok=True)
    (options.folder / f"{options.figure}.svg").write_text(curves.svg(picture))


if __name__ == "__main__":
    main()
