#!/usr/bin/env python3
"""What a place of a sample takes: a random rank in a random step, its peers, and where its chunks came from.

    bench/sample.py SCHEDCC [--places N] [ALGORITHM ...]

For every algorithm whose ranks compute their own part, and each of its collectives: microseconds of processor time for a
place among 2^10, 2^20 and 2^40 ranks, in the same run, and how many times as long the last takes as the first. A `-`: the
algorithm does not serve so many ranks; in brackets, how many of a hundred places have too many transfers to be read.
"""

import argparse
import json
import subprocess

import usage

SIZES = (10, 20, 40)


def sample(schedcc, algorithm, collective, ranks, places):
    """The report of a sample, and seconds of processor time; None if the algorithm does not serve that.

    On its own machine; if that has links, or fewer ranks, with one port.
    """
    for machine in ([], ["--machine", "duplex"]):
        output, seconds, _ = usage.run([schedcc, "compile", algorithm, "--collective", collective, "--ranks", str(ranks), "--chunks",
                                        "16", "--sample", str(places), "--json", *machine], (0, 2, 3), stderr=subprocess.DEVNULL)
        if output:
            return json.loads(output)["sample"], seconds
    return None


def place(schedcc, algorithm, collective, ranks, places):
    """Microseconds for a place, and how many places of a sample are not read; None if the algorithm does not serve that.

    The best of three; what a process takes to start is that of a sample of one place.
    """
    found = [sample(schedcc, algorithm, collective, ranks, places) for _ in range(3)]
    if found[0] is None:
        return None
    start = min(sample(schedcc, algorithm, collective, ranks, 1)[1] for _ in range(3))
    return (min(seconds for _, seconds in found) - start) / places * 1e6, found[0][0]["unread"]


def algorithms(schedcc):
    """All; those without a kernel are refused later."""
    listed = subprocess.run([schedcc, "list", "algorithms", "--json"], capture_output=True, text=True, check=True).stdout
    return [algorithm["name"] for algorithm in json.loads(listed)["algorithms"]]


def line(schedcc, algorithm, collective, places):
    """A row of the table; None if it has no figure."""
    cells, times = [], []
    for bits in SIZES:
        microseconds, unread = place(schedcc, algorithm, collective, 2**bits, places) or (None, 0)
        times.append(microseconds)
        percent = 100 * unread // places
        cells.append("-" if microseconds is None else f"{microseconds:.1f}" + (f" ({percent})" if percent else ""))
    if times == [None] * len(SIZES):
        return None
    ratio = f"{times[-1] / times[0]:.1f}" if times[0] and times[-1] else "-"
    return f"| {algorithm} | {collective} | {' | '.join(cells)} | {ratio} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("algorithms", nargs="*", metavar="ALGORITHM")
    parser.add_argument("--places", type=int, default=20000)
    chosen = parser.parse_intermixed_args()
    print("| algorithm | collective | P = 2^10 | 2^20 | 2^40 | ratio |\n|---|---|---|---|---|---|")
    for algorithm in chosen.algorithms or algorithms(chosen.schedcc):
        for collective in ("broadcast", "scatter", "allgather", "alltoall", "reduce", "allreduce", "reduce-scatter", "scan"):
            if text := line(chosen.schedcc, algorithm, collective, chosen.places):
                print(text, flush=True)


if __name__ == "__main__":
    main()
