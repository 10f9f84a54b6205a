#!/usr/bin/env python3
"""How good is the choice of the fast model `machine`, by the simulations of the model `simgrid`?

    bench/simgrid/ranking.py SCHEDCC [--jobs N] [--machines A,...]

A grid of 200 problems: five machine files, eight collectives, five sizes. For each of them `tune` ranks the algorithms by the
model `machine`; each of its choices is then simulated. Prints the problems in which the first choice takes more than 1.1
times as long as the best one, and the share of the others.
"""

import argparse
import concurrent.futures
import itertools
import json
import shlex
import subprocess

MACHINES = {"dgx-1": 8, "mi300x-8": 8, "dgx-a100-1": 8, "dgx-a100-4": 32, "tpu-v4-4x4x4": 64}
COLLECTIVES = ("broadcast", "reduce", "allreduce", "allgather", "reduce-scatter", "alltoall", "scatter", "gather")
SIZES = ("1KiB", "16KiB", "256KiB", "4MiB", "64MiB")
WITHIN = 1.1


def report(command):
    return json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)


class Ranking:
    def __init__(self, schedcc):
        self.schedcc = schedcc

    def simulated(self, choice, size):
        """Seconds, by the command that makes the schedule of a choice."""
        words = shlex.split(choice["command"])[2:]
        return report([self.schedcc, "cost", *words, "--bytes", size, "--model", "simgrid", "--no-verify", "--quiet",
                       "--json"])["asynchronous"]

    def problem(self, machine, collective, size):
        """The simulated time of the first choice over that of the best one, and their names."""
        ranks = MACHINES[machine]
        study = report([self.schedcc, "tune", "--collective", collective, "--ranks", str(ranks), "--machine", machine,
                        "--bytes", size, "--quiet", "--json"])
        choices = study["sizes"][0]["choices"]
        times = [(self.simulated(choice, size), choice["algorithm"]) for choice in choices]
        best = min(times)
        return times[0][0] / best[0], times[0][1], best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--machines", default=",".join(MACHINES))
    options = parser.parse_args()
    ranking = Ranking(options.schedcc)
    grid = list(itertools.product(options.machines.split(","), COLLECTIVES, SIZES))
    good = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for problem, (ratio, chosen, best) in zip(grid, pool.map(lambda p: ranking.problem(*p), grid)):
            good += ratio <= WITHIN
            if ratio > WITHIN:
                print(f"{' '.join(problem)}: {chosen} takes {ratio:.2f} times as long as {best}", flush=True)
    print(f"{good} of {len(grid)} choices ({100 * good / len(grid):.1f} %) take at most {WITHIN} times as long as the best")


main()
