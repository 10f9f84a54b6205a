#!/usr/bin/env python3
"""The choices of `tune` against those of Open MPI, MPICH and NCCL, by their own rules, in the same model.

    bench/libraries.py SCHEDCC [--ranks 6,12,...] [--bytes 1KiB,...] [--collectives broadcast,...]

For each number of ranks, on a flat machine and on one of two levels, and each library: the times of what the library
would choose for the sizes, as the algorithms of the catalogue that are the library's (`schedcc list algorithms --names`),
over the times of what `tune` chooses. Prints the least ratio, the geometric mean and the largest one, and every ratio
below 1. A library's choice whose schedule the machine does not admit, or that has no counterpart, is counted as not timed.

The rules are facts about the libraries, found in
    Open MPI  ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, commit 8efebee745e1: the last number of a line is
              an algorithm's, from the size before it on; commutative operators, segments of default size (none)
    MPICH     maint/tuning/coll/mpir/generic.json, commit 6a79bf6575c3: communicators without hierarchy
    NCCL      src/graph/tuning.cc, commit 5067397c2676: it compares ring, tree and (one GPU a node) PAT by a model of
              its hardware, which there is not here: the faster one in the model at hand
"""

import argparse
import bisect
import json
import math
import re
import subprocess

FLAT = ("flat", lambda ranks, node: ["--machine", "duplex", "--alpha", "2us", "--beta", "12.5GB/s"])
LEVELS = ("two levels", lambda ranks, node: ["--machine", f"cluster:{node}x{ranks // node},nics=1,shared", "--model",
                                             "levels:0=0.5us@50GB/s,1=2us@12.5GB/s"])

OPEN_MPI = {  # by collective and least number of ranks: (from bytes on, algorithm)
    "broadcast": [
        (4, [(0, 5), (64, 6), (128, 5), (2048, 6), (8192, 1), (1048576, 2)]),
        (8, [(0, 7), (8, 5), (64, 7), (4096, 5), (16384, 6), (32768, 1)]),
        (16, [(0, 7), (4096, 6), (1048576, 8)]), (32, [(0, 6), (2048, 7)]), (64, [(0, 7)]),
        (128, [(0, 6), (2, 5), (16384, 1), (32768, 5), (65536, 7)]), (256, [(0, 7), (16384, 4), (32768, 7)]),
        (1024, [(0, 7), (524288, 8)])],
    "reduce": [
        (4, [(0, 4), (4096, 2), (65536, 5), (262144, 1), (524288, 5), (1048576, 1)]), (8, [(0, 4), (8192, 5)]),
        (16, [(0, 4), (4096, 5)]), (32, [(0, 5)]), (256, [(0, 5), (8192, 6), (16384, 5)]), (512, [(0, 5)])],
    "allreduce": [
        (4, [(0, 4), (16, 3), (8192, 6)]), (8, [(0, 3), (8192, 6)]), (16, [(0, 5), (64, 3), (4096, 6)]),
        (32, [(0, 5), (128, 6)]), (64, [(0, 3), (262144, 6)]), (128, [(0, 2), (131072, 3), (262144, 6)]),
        (256, [(0, 2), (4096, 6)]), (512, [(0, 2), (2048, 3), (16384, 6)])],
    "allgather": [
        (3, [(0, 3)]), (32, [(0, 3), (1024, 5), (65536, 4)]), (64, [(0, 3), (512, 5), (65536, 4)]),
        (128, [(0, 3), (512, 5), (131072, 4), (524288, 5), (1048576, 4)]),
        (256, [(0, 3), (32, 2), (128, 3), (1024, 5), (131072, 4), (524288, 5), (1048576, 4)]),
        (512, [(0, 3), (64, 2), (256, 3), (2048, 5)]),
        (1024, [(0, 3), (4, 2), (8, 3), (16, 2), (32, 3), (256, 2), (512, 3), (4096, 5)])],
    "alltoall": [
        (3, [(0, 4), (8192, 1), (16384, 4), (65536, 1), (524288, 2), (1048576, 1)]), (8, [(0, 4), (262144, 1)]),
        (16, [(0, 4), (4, 3), (512, 4), (8192, 1), (32768, 4), (262144, 1), (524288, 4)]),
        (32, [(0, 3), (512, 1), (524288, 4)]), (64, [(0, 3), (1024, 1), (2048, 4), (4096, 1), (262144, 2)]),
        (128, [(0, 3), (1024, 4), (2048, 1), (262144, 2)]), (256, [(0, 3), (1024, 4), (8192, 1), (32768, 2)]),
        (512, [(0, 3), (512, 4), (8192, 1), (16384, 4), (131072, 1), (262144, 2)])],
}


def power_of_two(ranks):
    return ranks & (ranks - 1) == 0


def halves(ranks):
    """The largest power of two up to the ranks: the blocks of Rabenseifner's algorithm."""
    return 1 << (ranks.bit_length() - 1)


def rule(rows, ranks, size):
    sizes = rows[bisect.bisect_right([row[0] for row in rows], ranks) - 1][1]
    return sizes[bisect.bisect_right([entry[0] for entry in sizes], size) - 1][1]


def doubling(ranks):
    """Recursive doubling, with ranks beyond a power of two folded."""
    return ("recursive-doubling", 1) if power_of_two(ranks) else ("recexch:k=2", 1)


def open_mpi(collective, ranks, size):
    """Algorithms and their chunks; one of them is chosen."""
    if collective not in OPEN_MPI:
        return []
    number = rule(OPEN_MPI[collective], ranks, size)
    if collective == "allreduce" and number == 2:  # a reduce, then a broadcast, each by its own rule
        (first, _), (second, _) = open_mpi("reduce", ranks, size)[0], open_mpi("broadcast", ranks, size)[0]
        return [(f"{first} as reduce then {second} as broadcast", 1)]
    bruck, pairwise = ("bruck:radix=2", 1), ("pairwise", 1)  # linear: as pairwise, on one port
    neighbors = ("neighbor-exchange", 1) if ranks % 2 == 0 else ("ring", 1)
    table = {
        "broadcast": {1: ("linear", 1), 2: ("chain", 1), 3: ("chain", 1), 4: ("split-binary-tree", 2), 5: ("binary-tree", 1),
                      6: ("binomial-tree", 1), 7: ("knomial-tree:k=4", 1), 8: ("scatter-allgather", ranks)},
        "reduce": {1: ("linear", 1), 2: ("chain", 1), 3: ("chain", 1), 4: ("binary-tree", 1), 5: ("binomial-tree", 1),
                   6: ("in-order-binary", 1)},
        "allreduce": {3: doubling(ranks), 4: ("ring", ranks), 5: ("ring", ranks), 6: ("rabenseifner", halves(ranks))},
        "allgather": {2: bruck, 3: ("recursive-doubling", 1) if power_of_two(ranks) else bruck, 4: ("ring", 1), 5: neighbors},
        "alltoall": {1: pairwise, 2: pairwise, 3: bruck, 4: pairwise},
    }
    return [table[collective][number]]


def mpich(collective, ranks, size):
    two = power_of_two(ranks)
    if collective == "broadcast":
        short = ranks < 8 or size <= 12288
        return [("binomial-tree", 1) if short else ("scatter-allgather", ranks)]
    if collective == "allreduce":
        return [doubling(ranks) if size <= 8 else ("rabenseifner", halves(ranks))]
    if collective == "reduce" and size <= 2048:
        return [("binomial-tree", 1)]
    if collective == "reduce" and two:
        return [("recursive-halving as reduce-scatter then binomial-tree as gather", ranks)]
    if collective == "allgather":
        if size * ranks < (524288 if two else 81920):
            return [("recursive-doubling", 1) if two else ("bruck:radix=2", 1)]
        return [("ring", 1)]
    if collective == "reduce-scatter":
        if size * ranks >= 524288:
            return [("all-pairs", 1)]  # pairwise exchange, on one port
        return [("recursive-halving", 1)] if two else []
    if collective == "alltoall":
        return [("bruck:radix=2", 1) if ranks >= 8 and size <= 256 else ("pairwise", 1)]
    return [("binomial-tree", 1)] if collective in ("gather", "scatter") else []


def nccl(collective, ranks, size):
    return [(name, None) for name in {
        "broadcast": ("chain",), "reduce": ("chain",), "allreduce": ("ring", "double-binary-tree"),
        "allgather": ("ring", "pat"), "reduce-scatter": ("ring", "pat")}.get(collective, ())]


LIBRARIES = {"Open MPI": open_mpi, "MPICH": mpich, "NCCL": nccl}


class Times:
    def __init__(self, schedcc):
        self.schedcc, self.known = schedcc, {}

    def report(self, *arguments):
        done = subprocess.run([self.schedcc, *map(str, arguments), "--json", "--quiet"], text=True, check=False,
                              capture_output=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def of(self, algorithm, chunks, problem, model, size):
        """Seconds of a schedule that holds; None of others."""
        key = (algorithm, chunks, *problem, *model, size)
        if key not in self.known:
            report = self.report("cost", algorithm, *problem, *model, "--bytes", size,
                                 *(["--chunks", chunks] if chunks else []))
            self.known[key] = report and report["seconds"]
        return self.known[key]

    def tuned(self, problem, model, size):
        study = self.report("tune", *problem, *model, "--bytes", size)
        choice = study["sizes"][0]["choices"][0]
        return choice["seconds"], choice["algorithm"]


def number(text):
    digits, unit = re.fullmatch(r"(\d+)(KiB|MiB|)", text).groups()
    return int(digits) << {"": 0, "KiB": 10, "MiB": 20}[unit]


def node_size(ranks):
    """Ranks of a node: at most 8, and two nodes or more."""
    return max(m for m in range(1, 9) if ranks % m == 0 and ranks // m > 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", default="6,12,24,48,96,100,192,1000")
    parser.add_argument("--bytes", default="1KiB,8KiB,64KiB,512KiB,4MiB", help="of the message, or of all blocks together")
    parser.add_argument("--collectives", default="broadcast,reduce,allreduce,allgather,reduce-scatter,alltoall")
    options = parser.parse_args()
    times = Times(options.schedcc)
    slower = []
    print(f"{'machine':12}{'P':>5}  {'library':10}{'timed':>6}{'not':>5}{'least':>8}{'mean':>8}{'most':>8}")
    for machine, model_of in (FLAT, LEVELS):
        for ranks in map(int, options.ranks.split(",")):
            model = model_of(ranks, node_size(ranks))
            ratios, untimed = {library: [] for library in LIBRARIES}, dict.fromkeys(LIBRARIES, 0)
            for collective in options.collectives.split(","):
                problem = ["--collective", collective, "--ranks", ranks]
                vector = collective in ("broadcast", "reduce", "allreduce")
                for total in map(number, options.bytes.split(",")):
                    size = total if vector else max(total // ranks, 1)
                    best, algorithm = times.tuned(problem, model, size)
                    for library, choose in LIBRARIES.items():
                        all_times = [times.of(name, chunks, problem, model, size)
                                     for name, chunks in choose(collective, ranks, size)]
                        timed = [seconds for seconds in all_times if seconds is not None]
                        untimed[library] += not timed
                        if not timed:
                            continue
                        ratios[library].append(min(timed) / best)
                        if min(timed) < best * (1 - 1e-9):
                            slower.append((machine, ranks, collective, size, library, algorithm, min(timed) / best))
            for library, all_ratios in ratios.items():
                if not all_ratios:
                    print(f"{machine:12}{ranks:5}  {library:10}{0:6}{untimed[library]:5}", flush=True)
                    continue
                mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
                print(f"{machine:12}{ranks:5}  {library:10}{len(all_ratios):6}{untimed[library]:5}{min(all_ratios):8.3f}"
                      f"{mean:8.3f}{max(all_ratios):8.3f}", flush=True)
    for machine, ranks, collective, size, library, algorithm, ratio in slower:
        print(f"slower: {collective}, {ranks} ranks, {size} B, {machine}: {algorithm} against {library}: {ratio:.4f}")
    print(f"{len(slower)} choices of tune are slower than a library's")


main()
