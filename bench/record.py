#!/usr/bin/env python3
"""What recording costs: a ring allreduce of 1 MiB by itself, and recorded.

    bench/record.py SCHEDCC [--ranks 4,12] [--repetitions 3] [--mpicc mpicc] [--launch 'mpirun -np {}']

Prints, for each number of ranks, the median time of the collective in the program alone and in the recorded one, which
includes filling the buffers and writing the logs; and the times of both commands from start to end: the recorded one
reads the logs and checks the schedules as well. The commands execute the collective so many times.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(command):
    """The median time that the program printed, in microseconds, and the time of the command in seconds."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took = time.monotonic() - start
    return float(re.search(r"^median (\S+)", done.stdout + done.stderr, re.MULTILINE)[1]), took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", default="4,12")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--launch", default="mpirun -np {}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "record")
        subprocess.run([*arguments.mpicc.split(), "-O2", f"-I{ROOT / 'include'}", str(ROOT / "bench/record.c"), "-o", program],
                       check=True)
        print("ranks   alone us   recorded us   ratio   command alone s   recorded s   ratio")
        for ranks in arguments.ranks.split(","):
            command = [*arguments.launch.replace("{}", ranks).split(), program, str(arguments.repetitions)]
            alone, alone_all = run(command)
            recorded, recorded_all = run([arguments.schedcc, "record", "--json-lines", "--", *command])
            print(f"{ranks:>5} {alone:10.1f} {recorded:13.1f} {recorded / alone:7.2f} {alone_all:17.2f} {recorded_all:12.2f} "
                  f"{recorded_all / alone_all:7.2f}")


if __name__ == "__main__":
    main()
