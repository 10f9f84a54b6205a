#!/usr/bin/env python3
"""How long `tune` takes on machines with levels, compared with the flat machine.

    bench/tune.py SCHEDCC [--ranks P ...] [--collectives C ...]

Tunes collectives for 1 KiB..1 GiB on P ranks of the machine duplex, and on clusters of nodes of 8 ranks with one NIC,
with one for each rank on rails, and with one that messages share. Prints the user CPU seconds, in brackets their ratio
to those of the flat machine in the same run, and how many schedules were built on the cluster.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

COLLECTIVES = ("broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall")
LEVELS = ("--model", "levels:0=2us@300GB/s,1=5us@50GB/s")
MACHINES = {"one NIC": "", "rails": ",nics=8,rails", "shared": ",shared"}


def tuned(schedcc, collective, *options):
    """User CPU seconds, and how many schedules were built."""
    child = subprocess.Popen([schedcc, "tune", "--collective", collective, *options, "--bytes", "1KiB..1GiB", "--json"],
                             stdout=subprocess.PIPE)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"tune {collective} {' '.join(options)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime, json.loads(output)["judged"]["schedules"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--collectives", nargs="+", default=COLLECTIVES)
    options = parser.parse_args()
    schedcc = options.schedcc.resolve()
    for ranks in options.ranks:
        print(f"{ranks} ranks")
        print(f"  {'':<15}{'flat':>9}" + "".join(f"{name:>17}{'built':>9}" for name in MACHINES))
        for collective in options.collectives:
            flat, _ = tuned(schedcc, collective, "--ranks", str(ranks), "--alpha", "5us", "--beta", "50GB/s")
            line = f"  {collective:<15}{flat:>7.2f} s"
            for extra in MACHINES.values():
                machine = f"cluster:8x{ranks // 8}{extra}"
                seconds, built = tuned(schedcc, collective, "--ranks", str(ranks), "--machine", machine, *LEVELS)
                line += f"{seconds:>7.2f} s {f'({seconds / flat:.1f})':>7}{built:>9}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
