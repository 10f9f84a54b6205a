#!/usr/bin/env python3
"""Asks other solvers about the queries of proofs for every K.

    queries.py SCHEDCC SOLVER...

For every algorithm with a closed form `schedcc prove --all-chunks` leaves its queries in a folder.
Each solver must find each of them unsatisfiable; the folder's manifest must list just these files; and
the one file of --smt2 must hold as many queries.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What an algorithm is asked for beyond its name: parameters, ranks, machine.
SPECS = {"fractional-tree": ["fractional-tree:r=3"], "knomial-tree": ["knomial-tree:k=3"]}
MACHINES = {"chain": ["duplex", "simplex"]}
POWERS_OF_TWO = {"butterfly", "xor"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def closed_forms(schedcc):
    """As the program names them to somebody who has only a file."""
    message = run(schedcc, "prove", "some.sched", "--ranks", "8", "--all-chunks").stderr
    return re.search(r"closed form: (.*)$", message.strip()).group(1).split(", ")


def cases(schedcc):
    for name in closed_forms(schedcc):
        for spec in SPECS.get(name, [name]):
            for ranks in ("2", "2^16") if name in POWERS_OF_TWO else ("2", "29"):
                for machine in MACHINES.get(name, [None]):
                    yield [spec, "--ranks", ranks] + (["--machine", machine] if machine else [])


def unsat(solver, file):
    """How many queries of a file the solver refutes; all of them, or it is an error."""
    incremental = ["--incremental"] if pathlib.Path(solver).name.startswith("cvc") else []
    answers = run(solver, *incremental, str(file)).stdout.split()
    if set(answers) != {"unsat"}:
        sys.exit(f"{solver} says of {file}: {' '.join(answers[:5])}\n{file.read_text()}")
    return len(answers)


def main():
    schedcc, *solvers = sys.argv[1:]
    asked = 0
    for case in cases(schedcc):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            result = run(schedcc, "prove", *case, "--all-chunks", "--quiet", "--certificate",
                         str(folder / "dir"), "--smt2", str(folder / "all.smt2"))
            if result.returncode != 0:
                sys.exit(f"{case}: exit status {result.returncode}: {result.stderr}")
            files = sorted((folder / "dir").glob("*.smt2"))
            listed = re.findall(r"^\| `(\S+)`", (folder / "dir" / "manifest.md").read_text(), re.MULTILINE)
            if not files or listed != [file.name for file in files]:
                sys.exit(f"{case}: the manifest lists {listed}, but there are {files}")
            for solver in solvers:
                for file in files:
                    unsat(solver, file)
                if unsat(solver, folder / "all.smt2") != len(files):
                    sys.exit(f"{case}: --smt2 has another number of queries than the folder")
            asked += len(files)
    print(f"{asked} queries, each refuted by {', '.join(solvers)}")


if __name__ == "__main__":
    main()
