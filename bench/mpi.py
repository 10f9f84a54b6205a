#!/usr/bin/env python3
"""Broadcasts by schedcc's schedules, compared with each of Open MPI's own algorithms.

    bench/mpi.py SCHEDCC MPIRUN [--ranks P] [--bytes N,...] [--repetitions R] [--launcher COMMAND]

MPIRUN is schedcc-mpirun, built against Open MPI. For each of Open MPI's algorithms one run times that
algorithm and several schedules alternately; a line shows the schedule with the best ratio of the
medians. With fewer idle processors than ranks, mostly the scheduler of the system is measured.
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

OWN = ["its choice", "linear", "chain", "pipeline", "split binary", "binary", "binomial", "knomial",
       "scatter allgather", "scatter allgather ring"]
LAUNCHER = f"{pathlib.Path(__file__).resolve().parent.parent}/tests/mpi/launch.py mpirun.openmpi"


def schedules(schedcc, ranks, folder):
    """Files of schedules that might be good for some size."""
    wanted = [("linear", 1), ("binomial-tree", 1), ("scatter-allgather", ranks), ("two-tree", 16), ("chain", 32)]
    wanted += [("circulant", k) for k in (2, 4, 8, 16, 32, 64)]
    for algorithm, chunks in wanted:
        path = folder / f"{algorithm}-{chunks}.sched"
        result = subprocess.run([schedcc, "compile", algorithm, "--collective", "broadcast", "--ranks", str(ranks),
                                 "--chunks", str(chunks), "--quiet", "-o", path], capture_output=True)
        if result.returncode == 0:
            yield path


def best_times(output, paths):
    """{bytes: (own time, schedule's time, schedule)} of the best schedule by ratio; times are medians."""
    best, name = {}, ""
    names = iter(paths)
    for line in output.splitlines():
        words = line.split()
        if line and line[0] != " ":
            name = next(names).stem
        elif words and words[0].isdigit():
            size, ours, own = int(words[0]), float(words[3]), float(words[6])
            if size not in best or own / ours > best[size][0] / best[size][1]:
                best[size] = (own, ours, name)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("schedcc")
    parser.add_argument("mpirun")
    parser.add_argument("--ranks", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--bytes", default="1KiB,16KiB,256KiB,4MiB")
    parser.add_argument("--repetitions", default="50")
    parser.add_argument("--launcher", default=LAUNCHER, help="command that starts processes, given their number")
    options = parser.parse_args()
    print(f"broadcast over {options.ranks} ranks; microseconds, medians of the slowest rank")
    print(f"{'bytes':>10}  {'Open MPI':24}{'its time':>10}{'schedcc':>10}{'ratio':>8}  schedule")
    with tempfile.TemporaryDirectory() as name:
        paths = list(schedules(options.schedcc, options.ranks, pathlib.Path(name)))
        for number, own_name in enumerate(OWN):
            environment = dict(os.environ, OMPI_MCA_coll_tuned_use_dynamic_rules="1",
                               OMPI_MCA_coll_tuned_bcast_algorithm=str(number))
            result = subprocess.run([*shlex.split(options.launcher), str(options.ranks), options.mpirun,
                                     *map(str, paths), "--bytes", options.bytes, "--repetitions",
                                     options.repetitions], env=environment, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(result.stdout + result.stderr)
            for size, (own, ours, schedule) in sorted(best_times(result.stdout, paths).items()):
                print(f"{size:10}  {own_name:24}{own:10.1f}{ours:10.1f}{own / ours:8.2f}  {schedule}", flush=True)


if __name__ == "__main__":
    main()
