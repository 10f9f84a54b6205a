#!/usr/bin/env python3
"""Two implementations of one model must agree: `schedcc cost` and SimGrid.

    tests/simgrid/replay.py SCHEDCC

Every broadcast algorithm that there is, on the machines that it was made for, for several P, K and
roots: the traces of `--emit ti` are replayed on an exact alpha-beta network, and what SimGrid says
must be within 1 % of the asynchronous time of `cost`. Algorithms for LogP are replayed on a network
where calls take o, and compared with the asynchronous LogP clock.

Where a rank sends several messages in a step, alpha-beta has as many lines; so has the network then.
And a trace without one of its calls, which never ends, must be found out.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "simgrid"))
import simgrid  # noqa: E402

SKIPPED = 77
TOLERANCE = 0.01
CASES = [(2, 1, 1, 4096), (8, 3, 0, 65536), (13, 5, 12, 100000), (16, 8, 4, 8000), (32, 9, 0, 1000003)]
# Machines of the catalogue that say of themselves how a rank may send; others have links or cycles.
PORTS = {"duplex", "simplex"}
# Parameters without which an algorithm would be none.
PARAMETERS = {"bsp-butterfly": ":h=3", "knomial-tree": ":k=3", "logp-knomial": ":k=3", "logp-kary": ":k=2",
              "fractional-tree": ":r=3"}


class Comparison:
    def __init__(self, schedcc, folder):
        self.schedcc = schedcc
        self.folder = folder
        self.clusters = {}
        self.compared = self.wrong = 0
        self.worst = 0.0

    def call(self, command, arguments):
        done = subprocess.run([self.schedcc, command, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            raise SystemExit(f"schedcc {command} {' '.join(arguments)}: {done.stderr}")
        return done.stdout if done.returncode == 0 else None, done.stderr

    def cluster(self, ranks, network):
        if (ranks, network) not in self.clusters:
            self.clusters[ranks, network] = simgrid.Cluster(self.schedcc, self.folder, ranks, network=network)
        return self.clusters[ranks, network]

    def algorithm(self, entry):
        """Compares an algorithm and prints the result; an error if nothing could be, except on routed machines."""
        spec = entry["name"] + PARAMETERS.get(entry["name"], "")
        machines = [m for m in entry["machines"] if m in PORTS] or [None]
        before, reason = self.compared, ""
        for machine in machines:
            for case in CASES:
                reason = self.case(spec, machine, "logp" in entry["machines"], *case) or reason
        if self.compared > before:
            print(f"{spec}: {self.compared - before} cases")
        elif "fattree" in entry["machines"]:
            print(f"{spec}: none, its steps are a clock that all links share")
        else:
            raise SystemExit(f"{spec}: no case: {reason}")

    def case(self, spec, machine, cycles, ranks, chunks, root, size):
        problem = [spec, "--collective", "broadcast", "--ranks", str(ranks), "--chunks", str(chunks), "--root",
                   str(root), "--quiet"]
        model = ["--alpha", "1us", "--beta", "0.08ns/B"]
        configuration = [simgrid.RENDEZVOUS]
        if cycles:  # messages without length: SimGrid's lines are shared, those of LogP are not
            size, machine = chunks, "logp:L=6,o=2,g=2"
            model = ["--model", "logp:L=6us,o=2us,g=2us"]
            configuration = ["smpi/ois:0:2e-6:0", "smpi/or:0:2e-6:0"]
        if machine:
            problem += ["--machine", machine]
        text, error = self.call("cost", [*problem, *model, "--bytes", str(size), "--json"])
        if text is None:
            return error
        seconds = json.loads(text)["asynchronous"]
        if seconds is None:
            return "cost has no asynchronous clock for it"
        traces = self.folder / "traces.lst"
        text, error = self.call("compile", [*problem, "--emit", f"ti:message={size}", "-o", str(traces)])
        if text is None:
            raise SystemExit(error)
        network = "alpha=6us,beta=0.1ps/kB" if cycles else "alpha=1us,beta=0.08ns/B"
        simulated = self.cluster(ranks, network + (",lines" if machine is None else "")).replay(traces, configuration)
        self.compared += 1
        off = abs(simulated / seconds - 1)
        self.worst = max(self.worst, off)
        if off > TOLERANCE:
            self.wrong += 1
            print(f"{' '.join(problem)}: cost says {seconds:g} s, SimGrid {simulated:g} s")
        return ""


    def machine_file(self):
        """On the platform of a machine file the time of a trace is that of the cost model simgrid, where that is built."""
        problem = ["ring", "--collective", "allreduce", "--ranks", "8", "--chunks", "8", "--machine", "dgx-1", "--quiet"]
        text, error = self.call("cost", [*problem, "--bytes", "8MiB", "--model", "simgrid", "--json"])
        if text is None:
            print(error.strip())
            return
        seconds = json.loads(text)["asynchronous"]
        traces = self.folder / "traces.lst"
        self.call("compile", [*problem, "--emit", "ti:message=8MiB", "-o", str(traces)])
        simulated = simgrid.Cluster(self.schedcc, self.folder, 8, "dgx-1").replay(traces, [simgrid.RENDEZVOUS])
        print(f"a ring on a DGX-1: the cost model says {seconds:g} s, a replay {simulated:g} s")
        self.compared += 1
        self.wrong += abs(simulated / seconds - 1) > TOLERANCE

    def deadlock(self):
        """SimGrid says it and returns 0 all the same."""
        traces = self.folder / "traces.lst"
        self.call("compile", ["chain", "--ranks", "4", "--emit", "ti:bytes=100", "-o", str(traces), "--quiet"])
        second = self.folder / "traces.lst.d" / "1.ti"
        second.write_text("".join(line for line in second.read_text().splitlines(keepends=True)
                                  if not line.startswith("1 send")))
        try:
            seconds = self.cluster(4, "alpha=1us,beta=0.08ns/B").replay(traces)
        except simgrid.Failure as failure:
            print(f"a trace without a send: {failure}")
        else:
            raise SystemExit(f"a trace without a send is said to take {seconds} s")


def main():
    if shutil.which("smpirun") is None:
        print("smpirun is not there")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(sys.argv[1], pathlib.Path(folder))
        listed, _ = comparison.call("list", ["algorithms", "--json"])
        for entry in json.loads(listed)["algorithms"]:
            if "broadcast" in entry["collectives"]:
                comparison.algorithm(entry)
        comparison.machine_file()
        comparison.deadlock()
    print(f"{comparison.compared} cases, at most {100 * comparison.worst:.3f} % apart, {comparison.wrong} wrong")
    return 1 if comparison.wrong else 0


sys.exit(main())
