#!/usr/bin/env python3
"""How long a sweep of every algorithm takes, by algorithm, and as a ratio to ten minutes of two processors.

    bench/sweep.py SCHEDCC [--ranks N] [--chunks A..B] [--every N] [--algorithms A,...]

Runs `schedcc sweep --algorithms A --ranks ... --chunks A..B --roots first` for each algorithm alone, and adds up the processor time, which
does not depend on how many processors share it. With --every N (default: 61) it takes powers of two, which some algorithms
are for, and of all other numbers of ranks every N-th, which stand for N: an estimate. --every 1 is the whole sweep. Time grows about as
the square of P, which a sum over evenly spaced P has within some percent.
"""

import argparse
import json
import subprocess

import usage

WANTED = 2 * 600  # seconds


def swept(schedcc, algorithms, ranks, chunks):
    """Processor time, cases and transfers of a sweep."""
    output, seconds, _ = usage.run([schedcc, "sweep", "--algorithms", algorithms, "--ranks", ",".join(map(str, ranks)),
                                    "--chunks", chunks, "--roots", "first", "--json"])
    reports = json.loads(output)
    return seconds, sum(report["cases"] for report in reports), sum(report["transfers"] for report in reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--chunks", default="1..16")
    parser.add_argument("--every", type=int, default=61)
    parser.add_argument("--algorithms")
    options = parser.parse_args()
    listed = json.loads(subprocess.run([options.schedcc, "list", "algorithms", "--json"], capture_output=True, check=True).stdout)
    names = options.algorithms.split(",") if options.algorithms else [a["name"] for a in listed["algorithms"]]
    powers = [2**i for i in range(1, options.ranks.bit_length()) if 2**i <= options.ranks]
    others = [p for p in range(3, options.ranks + 1) if p not in powers]
    taken = others[options.every // 2::options.every]
    weight = len(others) / len(taken)
    total = [0, 0, 0]
    print(f"{'algorithm':<22} {'processor':>11} {'cases':>9} {'transfers':>15}")
    for name in names:
        some, exact = (swept(options.schedcc, name, ranks, options.chunks) for ranks in (taken, powers))
        row = [weight * a + b for a, b in zip(some, exact)]
        total = [a + b for a, b in zip(total, row)]
        print(f"{name:<22} {row[0]:>9.1f} s {row[1]:>9.0f} {row[2]:>15.0f}", flush=True)
    print(f"{'all':<22} {total[0]:>9.1f} s {total[1]:>9.0f} {total[2]:>15.0f}")
    print(f"{total[0] / WANTED:.2f} of ten minutes of two processors")


if __name__ == "__main__":
    main()
