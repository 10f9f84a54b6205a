#!/usr/bin/env python3
"""Emitted MPI programs run unchanged on SimGrid's machines.

    tests/simgrid/program.py SCHEDCC INCLUDE

Programs of `--emit mpi` are compiled with smpicxx and run on the simulated cluster. They compare every
byte by themselves; here their time must be, within 2 % (they start together only nearly), the
asynchronous one of `schedcc cost`.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "simgrid"))
import simgrid  # noqa: E402

SKIPPED = 77
TOLERANCE = 0.02
RANKS = 16
SIZES = (65536, 1048576)
# Pipelines, which keep one send on each line.
CASES = (["circulant", "--chunks", "8"], ["fractional-tree:r=3", "--chunks", "12", "--root", "5"])


def call(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE).stdout


def wrong(schedcc, include, folder, case):
    """How many sizes take another time than they should."""
    source, program = folder / "program.mpi.cpp", folder / "program"
    problem = [*case, "--collective", "broadcast", "--ranks", RANKS, "--quiet"]
    call(schedcc, "compile", *problem, "-o", source)
    call("smpicxx", "-std=c++17", "-O1", f"-I{include}", source, "-o", program)
    sizes = ",".join(map(str, SIZES))
    printed = simgrid.Cluster(schedcc, folder, RANKS, network="alpha=1us,beta=0.08ns/B").run(program, "--bytes", sizes, configuration=[
        simgrid.RENDEZVOUS, "smpi/wtime:0"])
    if "every byte is as the collective defines it" not in printed:
        raise SystemExit(printed)
    count = 0
    for size in SIZES:
        median = float(re.search(rf"^ *{size} +\S+ +\S+ +(\S+)", printed, re.MULTILINE)[1]) * 1e-6
        cost = json.loads(call(schedcc, "cost", *problem, "--bytes", size, "--alpha", "1us", "--beta", "0.08ns/B",
                               "--json"))["asynchronous"]
        print(f"{' '.join(map(str, case))}, {size} bytes: cost says {cost:g} s, the program {median:g} s")
        count += abs(median / cost - 1) > TOLERANCE
    return count


def main():
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        print("smpirun and smpicxx are not there")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        return min(1, sum(wrong(*sys.argv[1:], pathlib.Path(folder), case) for case in CASES))


sys.exit(main())
