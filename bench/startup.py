#!/usr/bin/env python3
"""What it takes to start schedcc: `schedcc list`, and `schedcc verify` of a file of 1 KB, as ratios to /bin/true.

    bench/startup.py SCHEDCC [--runs N] [--limit RATIO]

Commands take turns, and the least time of all runs of each counts, which other work on the machine hardly affects. Processor time is that
of the process; the clock also has what the system needs to start and to end it. With --limit the exit status is 1 if a ratio of
processor times is larger. A /bin/true takes about a millisecond, so that 10 milliseconds are a ratio of 10.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time


def measure(command):
    """Clock and processor time of a command, in milliseconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {process.returncode}")
    return 1000 * (time.perf_counter() - start), 1000 * (used.ru_utime + used.ru_stime)


def schedule(size):
    """A broadcast by the root, in at least so many bytes."""
    lines, ranks = [], 1
    while sum(map(len, lines)) < size:
        lines.append(f"step {ranks - 1}\n0 -> {ranks} : 0\n")
        ranks += 1
    return f"schedcc 1\ncollective broadcast\nranks {ranks}\nroot 0\nchunks 1\n" + "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schedcc")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--limit", type=float)
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile("w", suffix=".sched") as file:
        file.write(schedule(1000))
        file.flush()
        commands = {"/bin/true": ["/bin/true"], "schedcc list": [options.schedcc, "list"],
                    "schedcc verify, 1 KB": [options.schedcc, "verify", file.name]}
        least = {name: (float("inf"), float("inf")) for name in commands}
        for _ in range(options.runs):
            for name, command in commands.items():
                least[name] = tuple(map(min, least[name], measure(command)))
    clock, processor = least["/bin/true"]
    print(f"{'':22} {'clock':>9} {'processor':>10}   ratios to /bin/true")
    for name, (its_clock, its_processor) in least.items():
        print(f"{name:22} {its_clock:6.2f} ms {its_processor:7.2f} ms   {its_clock / clock:5.1f} {its_processor / processor:6.1f}")
    most = max(its_processor / processor for _, its_processor in least.values())
    if options.limit and most > options.limit:
        sys.exit(f"the largest ratio of processor times is {most:.1f}, above {options.limit:g}")


if __name__ == "__main__":
    main()
