#!/usr/bin/env python3
"""Executes schedules of every algorithm of the catalogue over MPI.

    tests/mpi/catalogue.py SCHEDCC MPIRUN FOLDER RANKS LAUNCHER...

Compiles each algorithm, for each of its collectives, for RANKS ("1,2,4") and several numbers of
chunks and roots, to files in FOLDER, and has them executed by MPIRUN (schedcc-mpirun), which LAUNCHER
starts with so many processes ("launch.py mpirun 16"), all in one go. It compares every byte. What an
algorithm does not serve is left out; but each must serve something, or be one whose transfers are
hops. One schedule is executed from a file of each format that is read.
"""

import concurrent.futures
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

HOPS = "only schedules at endpoint level can be executed"


def has_routers(schedule):
    """Is it at hop level, with more nodes than ranks?"""
    header = dict(line.split(maxsplit=1) for line in schedule.split("\nstep")[0].splitlines() if " " in line)
    return int(header.get("nodes", 0)) > int(header["ranks"])


def cases(schedcc, numbers):
    """(algorithm, collective, further arguments) for everything that might be served."""
    catalogue = json.loads(subprocess.check_output([schedcc, "list", "--json"]))
    with_root = {c["name"] for c in catalogue["collectives"] if c["root"]}
    combining = {c["name"] for c in catalogue["collectives"] if c["reduction"]}
    for algorithm in catalogue["algorithms"]:
        for collective, ranks in itertools.product(algorithm["collectives"], numbers):
            common = ["--ranks", str(ranks)]
            yield algorithm["name"], collective, common
            further = common + ["--chunks", "5"]
            if collective in with_root:
                further += ["--root", str(ranks - 1)]
            if "simplex" in algorithm["machines"]:
                further += ["--machine", "simplex"]
            yield algorithm["name"], collective, further
            if "bsp" in algorithm["machines"]:
                yield algorithm["name"], collective, common + ["--machine", "bsp:h=7"]
            if collective in combining:
                yield algorithm["name"], collective, common + ["--chunks", "2", "--ordered"]


def compile_case(schedcc, folder, number, case):
    """The file of a case, with the least number of chunks that serves if its own does not; None if none does."""
    algorithm, collective, arguments = case
    path = folder / f"{number:04}-{algorithm}-{collective}.sched"
    command = [schedcc, "compile", algorithm, "--collective", collective, *arguments, "--quiet", "-o", path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    unit = re.search(r"a multiple of (\d+) chunks", result.stderr)
    if unit and "--chunks" not in arguments:
        return compile_case(schedcc, folder, number, (algorithm, collective, [*arguments, "--chunks", unit[1]]))
    if result.returncode not in (0, 2):
        sys.exit(f"{command}: status {result.returncode}\n{result.stderr}")
    return path if result.returncode == 0 else None


def in_every_format(schedcc, folder):
    """One schedule in each format that is written and read as a schedule."""
    listed = json.loads(subprocess.check_output([schedcc, "list", "formats", "--json"]))["formats"]
    for entry in listed:
        if entry["read"] and entry["written"] and entry["name"] != "mscclpp":  # plans have no steps
            path = folder / f"every-format{entry['extensions'][0]}"
            options = ":bytes=64" if entry["name"] == "goal" else ""
            subprocess.run([schedcc, "compile", "ring", "--collective", "allgather", "--ranks", "3", "--quiet",
                            "--emit", entry["name"] + options, "-o", path], check=True)
            yield path


def execute(launcher, mpirun, files, *options):
    return subprocess.run([*launcher, mpirun, *map(str, files), "--repetitions", "0", *options],
                          capture_output=True, text=True, timeout=540)


def main():
    schedcc, mpirun, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    numbers, launcher = [int(n) for n in sys.argv[4].split(",")], sys.argv[5:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    all_cases = list(cases(schedcc, numbers))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda pair: compile_case(schedcc, folder, *pair), enumerate(all_cases)))
    served = {}
    for (algorithm, collective, _), path in zip(all_cases, paths):
        served.setdefault((algorithm, collective), []).extend([path] if path else [])
    nodes = {path: has_routers(path.read_text()) for path in paths if path}
    files = []
    for (algorithm, collective), some in served.items():
        if not some:
            sys.exit(f"{algorithm} serves {collective} in no case")
        endpoint = [path for path in some if not nodes[path]]
        files += endpoint
        if not endpoint or len(endpoint) < len(some):
            hops = next(path for path in some if nodes[path])
            result = execute(launcher, mpirun, [hops])
            if result.returncode != 2 or HOPS not in result.stderr:
                sys.exit(f"{hops} was not refused: {result.returncode}\n{result.stdout}{result.stderr}")
    files += in_every_format(schedcc, folder)
    # Sizes that leave a ragged last chunk, and empty ones.
    result = execute(launcher, mpirun, files, "--bytes", "1012,8", "--limit", "300")
    right = result.stdout.count("every byte is as the collective defines it")
    print(f"{len(files)} files of schedules, of {len(served)} algorithms and collectives; {right} are right")
    if result.returncode != 0 or right != len(files):
        sys.exit(f"status {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-4000:]}")


if __name__ == "__main__":
    main()
