#!/usr/bin/env python3
"""The time and memory in which `schedcc verify` judges GOAL files of many operations.

    bench/goal.py PROGRAM [--operations 10000000] [--runs 3] [--folder DIR] [PATTERN...]

Writes a file of each pattern into a temporary folder, and prints

    operations, MB   of the file: its sends, receives and calculations, and its bytes
    seconds          CPU time of `schedcc verify`, the least of the runs
    peak             the greatest memory of the process, the pages of the file included
    scan             the time for the file over that of counting its line ends in memory
    verdict          exit status and first line of the output

The patterns ring, alltoall, dissemination and trace are written as LogGOPSim's generator writes them: labels l1, l2, ...,
dependencies after both their operations, no cpu, comments /* ... */ in a trace. `single` has two ranks, each with
half of all operations; `deadlock` is a ring whose last round waits for itself. Other work on the machine makes the
figures, which are those of a memory-bound program, up to twice as large.
"""

import argparse
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time


def ring(ranks, rounds, deadlock=False):
    """Each rank sends what it received in the previous round; with `deadlock` its last send waits for its last receive."""
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        after, before = (rank + 1) % ranks, (rank - 1) % ranks
        lines = [f"\nrank {rank} {{\n"]
        for i in range(rounds):
            lines.append(f"l{2 * i + 1}: send 4096b to {after} tag 0\n")
            if i > 0:
                lines.append(f"l{2 * i + 1} requires l{2 * i}\n")
            lines.append(f"l{2 * i + 2}: recv 4096b from {before} tag 0\n")
        if deadlock:
            lines.append(f"l{2 * rounds - 1} requires l{2 * rounds}\n")
        lines.append("}\n")
        yield "".join(lines)


def alltoall(ranks):
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        lines = [f"\nrank {rank} {{\n"]
        for step in range(1, ranks):
            lines.append(f"l{2 * step - 1}: send 64b to {(rank + step) % ranks} tag 0\n"
                         f"l{2 * step}: recv 64b from {(rank - step) % ranks} tag 0\n")
        lines.append("}\n")
        yield "".join(lines)


def dissemination(ranks, times):
    """Barriers one after the other, each with a tag of its own."""
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        lines, label = [f"\nrank {rank} {{\n"], 0
        for tag in range(times):
            distance = 1
            while distance < ranks:
                label += 2
                lines.append(f"l{label - 1}: send 1b to {(rank + distance) % ranks} tag {tag}\n")
                if label > 2:
                    lines.append(f"l{label - 1} requires l{label - 2}\n")
                lines.append(f"l{label}: recv 1b from {(rank - distance) % ranks} tag {tag}\n")
                distance *= 2
        lines.append("}\n")
        yield "".join(lines)


def trace(ranks, rounds):
    """Exchanges of random pairs, posted before a calculation and waited for after it, as from a trace of MPI calls."""
    pairs, chance = [], random.Random(1)
    for _ in range(rounds):
        order = list(range(ranks))
        chance.shuffle(order)
        peers = [0] * ranks
        for a, b in zip(order[::2], order[1::2]):
            peers[a], peers[b] = b, a
        pairs.append(peers)
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        lines = [f"\nrank {rank} {{\n"]
        for i in range(rounds):
            a, peer, size = 3 * i + 1, pairs[i][rank], 8 << i % 12
            lines.append(f"/* Irecv begin */\nl{a}: recv {size}b from {peer} tag {i % 7}\n/* Irecv end */\n"
                         f"l{a + 1}: send {size}b to {peer} tag {i % 7}\nl{a + 2}: calc {100 + i % 1000}\n"
                         f"l{a + 2} irequires l{a}\nl{a + 2} requires l{a + 1}\n")
            if i > 0:
                lines.append(f"l{a + 1} requires l{a - 1}\nl{a + 1} requires l{a - 3}\n")
        lines.append("}\n")
        yield "".join(lines)


def single(operations):
    """Two ranks, of which one sends all messages, one after the other."""
    yield "num_ranks 2\n"
    for rank, line in enumerate(("send 8b to 1", "recv 8b from 0")):
        yield f"\nrank {rank} {{\n"
        for first in range(0, operations // 2, 10000):
            lines = []
            for i in range(first, min(first + 10000, operations // 2)):
                lines.append(f"l{i + 1}: {line} tag 0\n" + (f"l{i + 1} requires l{i}\n" if i > 0 else ""))
            yield "".join(lines)
        yield "}\n"


def even(number):
    return max(2, number // 2 * 2)


PATTERNS = {
    "ring": lambda n: ring(1000, max(1, n // 2000)),
    "alltoall": lambda n: alltoall(max(2, round((n / 2) ** 0.5 + 0.5))),
    "dissemination": lambda n: dissemination(1024, max(1, n // 20480)),
    "trace": lambda n: trace(1024, max(1, n // 3072)),
    "single": lambda n: single(even(n)),
    "deadlock": lambda n: ring(1000, max(1, n // 2000), deadlock=True),
}


def write(path, pieces):
    """Writes a file; the number of its operations."""
    count = 0
    with open(path, "w", encoding="ascii") as file:
        for piece in pieces:
            count += piece.count(": send ") + piece.count(": recv ") + piece.count(": calc ")
            file.write(piece)
    return count


def scan_seconds(path):
    """The least time in which the line ends of a file are counted in memory."""
    text = pathlib.Path(path).read_bytes()
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        text.count(b"\n")
        least = min(least, time.process_time() - start)
    return least


def verify(program, path, runs):
    """Least CPU seconds, greatest memory in bytes, and the first line of the output."""
    least, peak, answer = float("inf"), 0, ""
    for _ in range(runs):
        process = subprocess.Popen([program, "verify", "--color", "never", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        answer = process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        least, peak = min(least, usage.ru_utime + usage.ru_stime), max(peak, usage.ru_maxrss * 1024)
    return least, peak, f"{process.returncode}: " + answer.partition("\n")[0].replace(str(path), path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="schedcc")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help=f"of {', '.join(PATTERNS)} (all)")
    parser.add_argument("--operations", type=int, default=10_000_000, help="about how many in a file (10^7)")
    parser.add_argument("--runs", type=int, default=3, help="of each file (3)")
    parser.add_argument("--folder", help="where to write (a temporary folder)")
    options = parser.parse_args()
    unknown = sorted(set(options.patterns) - set(PATTERNS))
    if unknown:
        parser.error(f"unknown pattern '{unknown[0]}'")

    print(f"{'pattern':<14}{'operations':>11}{'MB':>6}{'seconds':>9}{'peak MB':>9}{'scan':>7}  verdict")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.patterns or PATTERNS:
            path = pathlib.Path(folder) / f"{name}.goal"
            operations = write(path, PATTERNS[name](options.operations))
            seconds, peak, answer = verify(options.program, path, options.runs)
            size = path.stat().st_size
            print(f"{name:<14}{operations:>11}{size / 1e6:>6.0f}{seconds:>9.2f}{peak / 1e6:>9.0f}"
                  f"{seconds / scan_seconds(path):>7.0f}  {answer}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
