#!/usr/bin/env python3
"""Checks the queries of symbolic proofs with other solvers.

    queries.py SCHEDCC SOLVER...

For every algorithm with a symbolic schedule, `schedcc prove --all-chunks` writes its queries into a folder. The
folder's manifest must list just these files; the one file of --smt2 must be these files, each after a
(reset); and each solver must find each query unsatisfiable. Algorithms share queries, word for word:
each is asked once.
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


def symbolic_algorithms(schedcc):
    """As the program names them to somebody who has only a file."""
    message = run(schedcc, "prove", "some.sched", "--ranks", "8", "--all-chunks").stderr
    return re.search(r"is for the algorithms (.*)$", message.strip()).group(1).split(", ")


def cases(schedcc):
    for name in symbolic_algorithms(schedcc):
        for spec in SPECS.get(name, [name]):
            for ranks in ("2", "2^16") if name in POWERS_OF_TWO else ("2", "29"):
                for machine in MACHINES.get(name, [None]):
                    yield [spec, "--ranks", ranks] + (["--machine", machine] if machine else [])


def refute(solver, queries, folder):
    """The solver must refute each of the queries. cvc5 does those on words many times as fast if it makes clauses
    of them all at once, which it can do in no other logic."""
    words = [query for query in queries if "(set-logic QF_BV)" in query]
    others = [query for query in queries if "(set-logic QF_BV)" not in query]
    cvc = pathlib.Path(solver).name.startswith("cvc")
    for part, option in ((words, "--bitblast=eager"), (others, "--incremental")):
        if not part:
            continue
        file = folder / "some.smt2"
        file.write_text("(reset)\n".join(part))
        answers = run(solver, *([option] if cvc else []), str(file)).stdout.split()
        if answers != ["unsat"] * len(part):
            sys.exit(f"{solver} says of {len(part)} queries: {' '.join(answers[:len(part) + 5])}\n{file.read_text()}")


def queries_of(schedcc, case, folder):
    """The texts of a case's queries, which the folder, its manifest and --smt2 must agree on."""
    result = run(schedcc, "prove", *case, "--all-chunks", "--quiet", "--certificate", str(folder / "dir"),
                 "--smt2", str(folder / "all.smt2"))
    if result.returncode != 0:
        sys.exit(f"{case}: exit status {result.returncode}: {result.stderr}")
    files = sorted((folder / "dir").glob("*.smt2"))
    listed = re.findall(r"^\| `(\S+)`", (folder / "dir" / "manifest.md").read_text(), re.MULTILINE)
    if not files or listed != [file.name for file in files]:
        sys.exit(f"{case}: the manifest lists {listed}, but there are {files}")
    texts = [file.read_text() for file in files]
    if (folder / "all.smt2").read_text() != "(reset)\n".join(texts):
        sys.exit(f"{case}: --smt2 has other queries than the folder")
    return texts


def main():
    schedcc, *solvers = sys.argv[1:]
    listed, asked = 0, set()
    for case in cases(schedcc):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            texts = queries_of(schedcc, case, folder)
            fresh = [text for text in dict.fromkeys(texts) if text not in asked]
            for solver in solvers:
                refute(solver, fresh, folder)
            listed += len(texts)
            asked.update(fresh)
    print(f"{listed} queries, {len(asked)} of them distinct and refuted by {', '.join(solvers)}")


if __name__ == "__main__":
    main()
