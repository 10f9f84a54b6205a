#!/usr/bin/env python3
"""The benchmark on SimGrid (bench/simgrid) for four ranks.

    tests/simgrid/benchmark.py SCHEDCC

Both sides move the same bytes: an algorithm that schedcc and SMPI both have takes the same time, for each collective.
Then the benchmark itself, on all platforms: it has a row for each problem, and compares several algorithms.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "simgrid"
sys.path.insert(0, str(BENCH))
import ours  # noqa: E402
import platforms  # noqa: E402
import shipped  # noqa: E402
import simgrid  # noqa: E402
import table  # noqa: E402

SKIPPED = 77
RANKS = 4
TOLERANCE = 0.01
# By collective one algorithm: what schedcc calls it, and SMPI.
SAME = {"broadcast": ("binomial-tree", "binomial_tree"), "reduce": ("binomial-tree", "binomial"),
        "allreduce": ("recursive-doubling", "rdb"), "reduce-scatter": ("ring", "ompi_ring"),
        "allgather": ("ring", "ring"), "alltoall": ("pairwise", "pair"),
        "scatter": ("linear", "ompi_basic_linear"), "gather": ("linear", "ompi_basic_linear")}


def same_bytes(schedcc, folder):
    """How many collectives take another time in SMPI than in schedcc's traces."""
    wrong, count = 0, 1 << 20
    flat = platforms.PLATFORMS["flat"]
    cluster = flat.cluster(folder, RANKS)
    mine, theirs = ours.Ours(schedcc, folder, None, 1), shipped.Shipped(folder, None, 1, None)
    for collective, (algorithm, name) in SAME.items():
        command = f"schedcc compile {algorithm} --collective {collective} --ranks {RANKS}"
        traces = mine.traces({"command": command}, collective, RANKS, count, collective)
        replayed = cluster.replay(traces, [simgrid.RENDEZVOUS])
        timed = theirs.timed("alone", flat, cluster, collective, name, simgrid.RENDEZVOUS, {count: 1.0})[str(count)]
        off = abs(timed / replayed - 1) if isinstance(timed, float) else 1
        print(f"{collective}: {algorithm} {replayed * 1e6:.2f} us, SMPI's {name} {timed}")
        wrong += off > TOLERANCE
    return wrong


def main():
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        print("smpirun and smpicxx are not there")
        return SKIPPED
    schedcc = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wrong = same_bytes(schedcc, folder)
        run = [BENCH / "run.py", schedcc, "--ranks", str(RANKS), "--bytes", "1KiB", "--candidates", "1", "--algorithms",
               "default,ompi", "--shipped", folder / "shipped.json", "--draw", folder]
        subprocess.run(run, check=True)
        kept = (folder / "shipped.json").read_text()
        subprocess.run([*run, "--platforms", "flat"], check=True)
        rows = list(table.read((folder / "simgrid-table.md").read_text()))
        expected = len(table.COLLECTIVES) * len(table.PLATFORMS)
        print(f"{len(rows)} rows of {expected}")
        wrong += (folder / "shipped.json").read_text() != kept
        return wrong > 0 or len(rows) != expected or not (folder / "simgrid.svg").exists()


sys.exit(main())
