#!/usr/bin/env python3
"""Records the 41 collectives of libbine, a library for research on collectives, and prints which are wrong for which P.

    bench/libbine.py SCHEDCC CLONE [--ranks 2..17] [--meant] [--routines A,B,...] [--mpicc mpicc] [--launch 'mpirun -np {} ...']

CLONE is a clone of https://github.com/HLC-Lab/pico, of which nothing is changed. The P for which a routine is meant
are those of its own list, config/algorithm_config.json. A routine that ends wrongly, hangs or crashes is recorded
once more, alone, since one before it may have damaged the memory of the process.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SYMBOLS = {"holds": ".", "violated": "X", "unknown": "?"}


def meant_for(clone):
    """By routine, a function that says whether it is meant for P ranks, and this in words."""
    names = re.findall(r'CHECK_STR\(algorithm, "(\w+)", (\w+)\)', (clone / "pico_core/pico_core_utils.c").read_text())
    collectives = json.loads((clone / "config/algorithm_config.json").read_text())["collective"]
    result = {}
    for name, routine in names:
        for collective, algorithms in collectives.items():
            if not routine.startswith(collective.lower() + "_") or name not in algorithms:
                continue
            conditions = [c["operator"] for x in algorithms[name].get("constraints", []) if x["key"] == "comm_sz"
                          for c in x["conditions"]]
            if "is_power_of_two" in conditions:
                result[routine] = (lambda p: p & (p - 1) == 0), "powers of two"
            elif "is_even" in conditions:
                result[routine] = (lambda p: p % 2 == 0), "even"
            else:
                result[routine] = (lambda p: True), "all"
    return result


class Recorder:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        clone = pathlib.Path(arguments.clone)
        self.program = str(folder / "libbine")
        sources = sorted(map(str, (clone / "libbine").glob("*.c")))
        subprocess.run([*arguments.mpicc.split(), "-O2", "-w", f"-I{clone / 'include'}", f"-I{HERE.parent / 'include'}",
                        str(HERE / "libbine.c"), *sources, "-lm", "-o", self.program], check=True)

    def record(self, ranks, routines):
        """The reports of the routines up to the first that does not end, and those that refused."""
        command = [self.arguments.schedcc, "record", "--json-lines", "--timeout", "10", "--",
                   *self.arguments.launch.replace("{}", str(ranks)).split(), self.program, *routines]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        reports = [json.loads(line) for line in done.stdout.splitlines()]
        return reports, re.findall(r"^refused (\w+)", done.stderr, re.MULTILINE), done.stderr

    def judge(self, ranks, routines):
        """The report of each routine, by its name, or "refuses"."""
        result, rest = {}, list(routines)
        while rest:
            reports, refused, errors = self.record(ranks, rest)
            reports = reports[:len(rest)]
            if not any("checks" in report for report in reports):
                sys.exit(f"{ranks} ranks, {rest[0]}: no report\n{errors}")
            result |= dict(zip(rest, reports)) | {name: "refuses" for name in refused}
            rest = rest[len(reports):]
        for name in routines:
            if result[name] != "refuses" and result[name]["verdict"] != "holds":
                reports, refused, _ = self.record(ranks, [name])
                result[name] = "refuses" if refused else reports[0]
        return result


def numbers(text):
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def symbol(report):
    if report == "refuses":
        return "r"
    incomplete = any(c["check"] == "completion" and c["verdict"] == "violated" for c in report["checks"])
    if not incomplete:
        return SYMBOLS[report["verdict"]]
    text = " ".join(f["message"] for f in report["findings"])
    return "h" if "waits" in text else "c"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schedcc")
    parser.add_argument("clone")
    parser.add_argument("--ranks", default="2..17")
    parser.add_argument("--routines", default="")
    parser.add_argument("--meant", action="store_true", help="only for the P that a routine is meant for")
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--launch", default="mpirun -np {}")
    arguments = parser.parse_args()
    meant = meant_for(pathlib.Path(arguments.clone))
    all_routines = re.findall(r"R\((\w+), (\w+)\)", (HERE / "libbine.c").read_text())
    routines = [f"{kind}_{name}" for kind, name in all_routines]
    if arguments.routines:
        routines = [r for r in routines if r in arguments.routines.split(",")]
    ranks = numbers(arguments.ranks)
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(arguments, pathlib.Path(folder))
        found = {}
        for p in ranks:
            some = [r for r in routines if not arguments.meant or r not in meant or meant[r][0](p)]
            found[p] = recorder.judge(p, some)
            print(f"{p} ranks are recorded", file=sys.stderr, flush=True)
    print(". right   X wrong   h hangs   c crashes   r returns an error   ? unknown\n")
    print(f"{'routine':45} {'meant for':14} P = {' '.join(map(str, ranks))}")
    for name in routines:
        cells = " ".join((symbol(found[p][name]) if name in found[p] else "").rjust(len(str(p))) for p in ranks)
        print(f"{name:45} {meant[name][1] if name in meant else '':14}     {cells}")
    print()
    for name in routines:
        for p in ranks:
            report = found[p].get(name)
            if report is None or symbol(report) in ".r?" or (name in meant and not meant[name][0](p)):
                continue
            print(f"{name}, {p} ranks: {report['findings'][0]['message']}")


if __name__ == "__main__":
    main()
