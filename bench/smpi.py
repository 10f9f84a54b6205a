#!/usr/bin/env python3
"""Records SMPI's collectives, which are those of MPICH, Open MPI, MVAPICH2 and others, and prints which are wrong for which P.

    bench/smpi.py SCHEDCC [--ranks 2..17] [--count 32] [--collectives allreduce,...] [--algorithms A,B,...] [--jobs 2]

Needs smpicc, smpicxx and smpirun. The algorithms are those that SMPI lists; with a selector's name, as mpich or ompi, it
chooses as that library does. --count: integers of 64 bits in a block, or in the message for each rank.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from simgrid import simgrid

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The collectives, by SMPI's names for them.
COLLECTIVES = {"bcast": "broadcast", "scatter": "scatter", "gather": "gather", "allgather": "allgather", "alltoall": "alltoall",
               "reduce": "reduce", "allreduce": "allreduce", "reduce_scatter": "reduce-scatter"}
# It times all others, and keeps the best.
LEFT_OUT = {"automatic"}
SECONDS = 60


class Smpi:
    def __init__(self, schedcc, folder, count):
        self.schedcc, self.folder, self.count = schedcc, pathlib.Path(folder), str(count)
        self.program, self.recorder = str(self.folder / "library"), str(self.folder / "libschedcc-record-smpi.so")
        include = f"-I{ROOT / 'include'}"
        subprocess.run(["smpicc", "-O1", include, ROOT / "bench/library.c", "-o", self.program], check=True)
        subprocess.run(["smpicxx", "-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{ROOT / 'src'}", include,
                        *sorted((ROOT / "src/recorder").glob("*.cpp")), "-o", self.recorder], check=True)
        self.clusters = {}

    def add_cluster(self, ranks):
        self.clusters[ranks] = simgrid.Cluster(self.schedcc, self.folder, ranks, network="alpha=1us,beta=0.1ns/B")

    def command(self, ranks, name, algorithm):
        cluster = self.clusters[ranks]
        configuration = [*simgrid.MODEL, f"smpi/{name}:{algorithm}"]
        return ["smpirun", *(f"--cfg={value}" for value in configuration), "--log=root.t:critical", "-np", str(ranks), "-platform",
                str(cluster.platform), "-hostfile", cluster.hosts, self.program, COLLECTIVES[name], self.count]

    def algorithms(self, name):
        ranks = next(iter(self.clusters))
        done = subprocess.run(self.command(ranks, name, "?"), capture_output=True, text=True, check=False)
        found = re.search(r"Valid algorithms: ([^.]*)\.", done.stdout + done.stderr)
        if not found:
            sys.exit(f"SMPI does not list its algorithms for {name}:\n{done.stdout}{done.stderr}")
        return [a for a in found[1].split(", ") if a not in LEFT_OUT]

    def report(self, ranks, name, algorithm):
        """What record says, or why the program ended without a report."""
        command = [self.schedcc, "record", "--recorder", self.recorder, "--json-lines", "--timeout", str(SECONDS), "--"]
        done = subprocess.run([*command, *self.command(ranks, name, algorithm)], capture_output=True, text=True, check=False)
        report = json.loads(done.stdout)
        if "checks" not in report:
            return {"verdict": "refused", "why": report["message"]}
        return report


def symbol(report):
    if report["verdict"] == "refused":
        return "r"
    if any(c["check"] == "completion" and c["verdict"] == "violated" for c in report["checks"]):
        return "h" if any("waits in" in f["message"] for f in report["findings"]) else "c"
    return {"holds": ".", "violated": "X", "unknown": "?"}[report["verdict"]]


def why(report):
    if report["verdict"] == "refused":
        return report["why"]
    errors = [f["message"] for f in report["findings"] if f["severity"] == "error"]
    reasons = [c["reason"] for c in report["checks"] if c["verdict"] == "unknown"]
    return (errors + reasons + [""])[0]


def numbers(text):
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", default="2..17")
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--algorithms", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    ranks = numbers(arguments.ranks)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        smpi = Smpi(arguments.schedcc, folder, arguments.count)
        for p in ranks:
            smpi.add_cluster(p)
        print(". right   X wrong   h hangs   c crashes   r ends without a report   ? unknown\n")
        print(f"{'':45} P = {' '.join(map(str, ranks))}")
        reasons = []
        for name in arguments.collectives.split(","):
            for algorithm in smpi.algorithms(name):
                if arguments.algorithms and algorithm not in arguments.algorithms.split(","):
                    continue
                reports = list(pool.map(lambda p, n=name, a=algorithm: smpi.report(p, n, a), ranks))
                print(f"{name + ':' + algorithm:45}     {' '.join(symbol(r).rjust(len(str(p))) for p, r in zip(ranks, reports))}",
                      flush=True)
                reasons += [f"{name}:{algorithm}, {p} ranks: {why(r)}" for p, r in zip(ranks, reports) if symbol(r) != "."]
    print("", *reasons, sep="\n")


if __name__ == "__main__":
    main()
