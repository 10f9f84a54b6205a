#!/usr/bin/env python3
"""Programs are recorded under SMPI as under other MPI libraries, and so are SMPI's own collectives.

    tests/simgrid/record.py SCHEDCC INCLUDE FOLDER

The programs are those of tests/mpi/record, and bench/library.c.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "simgrid"), str(ROOT / "tests" / "mpi" / "record")]
import record  # noqa: E402
import simgrid  # noqa: E402

SKIPPED = 77
P = record.P
# SMPI has neither matched probes nor MPI_Win_test.
SCHEDULES = {name: steps for name, steps in record.SCHEDULES.items() if name not in ("probe-2", "probe-3", "one-sided-3")}
# A collective of the library is recorded, too.
FOUND = {**record.FOUND, "unrecorded": ("holds", r'"check": "recording", "verdict": "holds"')}
# Algorithms of SMPI: with sends and receives, by nonblocking collectives inside of blocking ones, and with requests.
LIBRARY = {
    ("bcast:binomial_tree", "broadcast"): {0: {(0, 4, "0", "")}, 1: {(0, 2, "0", "")}, 2: {(0, 1, "0", ""), (2, 3, "0", "")}},
    ("reduce:default", "reduce"): record.one_by_one([(r, 0, "0", "reduce") for r in range(1, P)]),
    ("allgather:ring", "allgather"): {t - 1: {(r, (r + t) % P, str(r), "") for r in range(P)} for t in range(1, P)},
    ("gather:ompi_basic_linear", "gather"): record.one_by_one([(r, 0, str(r), "") for r in range(1, P)]),
}
FAILURES = ("deadlock", "crash", "nothing", "collective")


class Test(record.Test):
    def __init__(self, schedcc, include, folder):
        recorder = f"{folder}/libschedcc-record-smpi.so"
        super().__init__(schedcc, recorder, "", include, folder, "few", "", "")
        self.failing = FAILURES
        subprocess.run(["smpicxx", "-std=c++20", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{ROOT / 'src'}",
                        f"-I{include}", *sorted((ROOT / "src/recorder").glob("*.cpp")), "-o", recorder], check=True)
        cluster = simgrid.Cluster(schedcc, folder, P, network="alpha=1us,beta=0.1ns/B")
        self.launcher = ["smpirun", *(f"--cfg={value}" for value in simgrid.MODEL), "--log=root.t:critical", "-platform",
                         str(cluster.platform), "-hostfile", cluster.hosts, "-np"]

    def compiler(self, name):
        return "s" + name

    def library(self):
        program = self.build("mpicc", str(ROOT / "bench" / "library.c"))
        for (algorithm, collective), wanted in LIBRARY.items():
            launcher = [self.launcher[0], f"--cfg=smpi/{algorithm}", *self.launcher[1:]]
            path = self.folder / "library.sched"
            done = subprocess.run([*self.record, "-o", path, "--", *launcher, str(P), program, collective, "4"], capture_output=True,
                                  text=True, timeout=300, cwd=self.folder)
            found = record.schedule(path) if path.exists() else None
            if done.returncode != 0 or found != wanted:
                self.fail(f"{algorithm}: status {done.returncode}, {found}\n{done.stderr}")


def main():
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        print("smpirun and smpicxx are not there")
        return SKIPPED
    test = Test(*sys.argv[1:])
    test.right(SCHEDULES)
    test.wrong(FOUND)
    test.library()
    return min(1, test.failures)


sys.exit(main())
