#!/usr/bin/env python3
"""How long `tune` takes on machines with levels, compared with the flat machine.

    bench/tune.py SCHEDCC [--ranks P ...] [--collectives C ...] [--model MODEL] [--others]

Tunes collectives for 1 KiB..1 GiB on P ranks of the machine duplex, and on clusters of nodes of 8 ranks with one NIC,
with eight, with one for each rank on rails, and with one that messages share. Prints the user CPU seconds, in brackets
their ratio to those of the flat machine in the same run, and how many schedules were built on the cluster; "none" if
none of any algorithm holds there.

--others: tunes them on a square torus, on DGX A100 (machine file and model `machine`) and by LogGP instead; and, for
the problems of bench/simgrid, a few sizes over 256 ranks by BSP and LogGP. Prints the user CPU seconds.
"""

import argparse
import importlib.util
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COLLECTIVES = ("broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall")
MACHINES = {"one NIC": "", "8 NICs": ",nics=8", "rails": ",nics=8,rails", "shared": ",shared"}
BSP = ("--model", "bsp:l=1us,g=0.08ns/B,h=255")
FEW_SIZES = [("allreduce", "8192,262144,1048576", BSP), ("reduce", "16MiB", BSP),
             ("broadcast", "8192,262144", ("--model", "loggp:L=1us,o=0.5us,g=0,G=0.08ns/B"))]


def tuned(schedcc, collective, *options, sizes="1KiB..1GiB"):
    """User CPU seconds, and how many schedules were built; None if of no algorithm one holds."""
    command = [schedcc, "tune", "--collective", collective, *options, "--bytes", sizes]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) == 2 and "error: no algorithm serves" in output:
        return usage.ru_utime, None
    built = re.search(r"(\d+) schedules? w", output)
    if status != 0 or not built:
        sys.exit(f"{' '.join(map(str, command))}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime, int(built.group(1))


def dgx_a100(ranks, folder):
    """A machine file of this many ranks, as machines/generate.py writes it."""
    place = pathlib.Path(__file__).resolve().parent.parent / "machines" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", place)
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    path = pathlib.Path(folder) / f"dgx-a100-{ranks // 8}.json"
    path.write_text(generate.dgx_a100(ranks // 8).text())
    return path


def others(schedcc, ranks, collectives):
    """Machines and models without a flat machine to be compared with."""
    side = math.isqrt(ranks)
    with tempfile.TemporaryDirectory() as folder:
        problems = {"DGX A100": ("--machine", f"topology:{dgx_a100(ranks, folder)}", "--model", "machine"),
                    "LogGP": ("--ranks", str(ranks), "--model", "loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B")}
        if side * side == ranks:
            problems["torus"] = ("--machine", f"torus:{side}x{side}", "--alpha", "5us", "--beta", "50GB/s")
        print(f"  {'':<15}" + "".join(f"{name:>12}" for name in problems))
        for collective in collectives:
            cells = (tuned(schedcc, collective, *extra) for extra in problems.values())
            print(f"  {collective:<15}" + "".join("  none holds" if built is None else f"{seconds:>10.2f} s"
                                                  for seconds, built in cells), flush=True)


def few_sizes(schedcc):
    for collective, sizes, model in FEW_SIZES:
        seconds, built = tuned(schedcc, collective, "--ranks", "256", *model, sizes=sizes)
        print(f"  {collective:<11}{sizes:<21}{model[1]:<41}{seconds:>7.2f} s{built:>9} built", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--collectives", nargs="+", default=COLLECTIVES)
    parser.add_argument("--model", default="levels:0=2us@300GB/s,1=5us@50GB/s", help="of the clusters")
    parser.add_argument("--others", action="store_true")
    options = parser.parse_args()
    schedcc = options.schedcc.resolve()
    for ranks in options.ranks:
        print(f"{ranks} ranks")
        if options.others:
            others(schedcc, ranks, options.collectives)
            continue
        print(f"  {'':<15}{'flat':>9}" + "".join(f"{name:>17}{'built':>9}" for name in MACHINES))
        for collective in options.collectives:
            flat, _ = tuned(schedcc, collective, "--ranks", str(ranks), "--alpha", "5us", "--beta", "50GB/s")
            line = f"  {collective:<15}{flat:>7.2f} s"
            for extra in MACHINES.values():
                machine = f"cluster:8x{ranks // 8}{extra}"
                seconds, built = tuned(schedcc, collective, "--ranks", str(ranks), "--machine", machine, "--model",
                                       options.model)
                line += f"{seconds:>7.2f} s {f'({seconds / flat:.1f})':>7}{'none' if built is None else built:>9}"
            print(line, flush=True)
    if options.others:
        few_sizes(schedcc)


if __name__ == "__main__":
    main()
