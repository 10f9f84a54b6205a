#!/usr/bin/env python3
"""How far are the choices of `tune` from the optimum, which `prove` finds by exhaustive search?

    bench/optimum.py SCHEDCC [--ranks 2,...,6] [--chunks 4] [--timeout SECONDS]

For each collective, number of ranks and number of chunks (of a message; one of a block): the least number of steps on
`duplex` with messages of a chunk, by `prove`, and the steps of the best choice of `tune`. Then the times: at several
sizes, in start-ups, the time of what `tune` chooses freely, its chunks and their number in a message included, over the
least T (alpha + beta N / K) of the schedules of T steps and K chunks that `prove` found. It may be below 1: messages of
several chunks have fewer start-ups.
"""

import argparse
import json
import math
import subprocess

VECTORS = ("broadcast", "reduce", "allreduce")
BLOCKS = ("scatter", "gather", "allgather", "reduce-scatter", "alltoall")
SIZES = (1, 10, 100)  # beta N / alpha, N the bytes of a message or block
MACHINE = "duplex:width=1"


class Comparison:
    def __init__(self, schedcc, timeout):
        self.schedcc, self.timeout = schedcc, timeout
        self.times, self.off, self.open = [], [], []

    def report(self, *arguments):
        """The JSON of a command; None if it does not serve."""
        done = subprocess.run([self.schedcc, *map(str, arguments), "--json", "--quiet"], text=True, check=False,
                              capture_output=True)
        return None if done.returncode == 2 else json.loads(done.stdout)

    def best(self, problem, *model):
        report = self.report("tune", *problem, *model)
        return report["sizes"][0]["choices"][0] if report else None

    def steps(self, collective, ranks, chunks):
        """A line of the table; returns the least number of steps, or None."""
        problem = ["--collective", collective, "--ranks", ranks]
        proof = self.report("prove", *problem, "--chunks", chunks, "--machine", MACHINE, "--timeout", self.timeout)
        least = proof["steps"] if proof["verdict"] == "optimal" else None
        # Without bandwidth the fewest steps are the fastest.
        choice = self.best([*problem, "--chunks", chunks, "--machine", MACHINE], "--bytes", chunks, "--alpha", "1us",
                           "--beta", "0s/B")
        own = choice["steps"] if choice else None
        if least is None:
            self.open.append((collective, ranks, chunks))
        elif own != least:
            self.off.append((collective, ranks, chunks, least, own))
        mark = "" if least is None or own == least else f"  {own - least:+d}" if own else "  none"
        print(f"{collective:15}{ranks:3}{chunks:3}{least if least is not None else '?':>7}"
              f"{own if own is not None else '-':>6}{mark:6}  {choice['algorithm'] if choice else ''}", flush=True)
        return least

    def time(self, collective, ranks, least):
        """`least`: by number of chunks."""
        if not least or ranks == 1:
            return
        for size in SIZES:
            unit = math.lcm(*least) * 1000  # bytes: all numbers of chunks divide them
            choice = self.best(["--collective", collective, "--ranks", ranks, "--bytes", unit], "--alpha", "1us",
                               "--beta", f"{1000 * size / unit:.17g}ns/B")
            optimum = min(steps * (1e-6 + 1e-6 * size / chunks) for chunks, steps in least.items())
            self.times.append((choice["seconds"] / optimum, collective, ranks, size, choice["algorithm"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", default="2,3,4,5,6")
    parser.add_argument("--chunks", type=int, default=4, help="the most chunks of a message")
    parser.add_argument("--timeout", type=int, default=20, help="of a proof, in seconds")
    options = parser.parse_args()
    comparison = Comparison(options.schedcc, options.timeout)
    print(f"{'collective':15}{'P':>3}{'K':>3}{'prove':>7}{'tune':>6}        algorithm")
    for collective in (*VECTORS, *BLOCKS):
        for ranks in map(int, options.ranks.split(",")):
            most = options.chunks if collective in VECTORS else 1
            steps = {chunks: comparison.steps(collective, ranks, chunks) for chunks in range(1, most + 1)}
            comparison.time(collective, ranks, {K: T for K, T in steps.items() if T})
    print(f"\nsteps: {len(comparison.off)} choices are off the optimum, {len(comparison.open)} problems are open")
    above = sorted((entry for entry in comparison.times if entry[0] > 1 + 1e-9), reverse=True)
    print(f"times: {len(above)} of {len(comparison.times)} choices take longer than the best schedule of single chunks")
    for ratio, collective, ranks, size, algorithm in above:
        print(f"  {ratio:.3f}  {collective}, {ranks} ranks, {size} start-ups: {algorithm}")


main()
