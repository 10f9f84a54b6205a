#!/usr/bin/env python3
"""Two implementations of one model must agree: `schedcc cost`, and what the GOAL file that schedcc writes takes.

    tests/goal/loggp.py SCHEDCC

Every algorithm of the catalogue, each of its collectives, on machines that it was made for, for several P and K: the
asynchronous time of `cost` in the LogGP and the LogP model against loggops.py, to the last nanosecond. LogP is
LogGP without a time per byte. Nearly every file takes longer with a longer message, and none less. Left out are the
algorithms whose routers copy or that need capacities: GOAL has no routers, and on their machines there is no LogGP time.
"""

import concurrent.futures
import json
import subprocess
import sys

import loggops
from loggops import Model

RANKS = (2, 3, 4, 6, 8, 13)
CHUNKS = (1, 5)
BYTES = 40  # of a chunk
# A gap longer than the overhead, a shorter one, and none of either.
MODELS = (Model(7000, 2000, 5000, 10), Model(3000, 4000, 1000, 3), Model(11000, 0, 600, 1), Model(7000, 2000, 5000, 0))
OWN = Model(7000, 2000, 5000, 10)  # of the LogP machine
PARAMETERS = {"bsp-butterfly": ":h=3", "knomial-tree": ":k=3", "logp-knomial": ":k=3", "logp-kary": ":k=2",
              "fractional-tree": ":r=3", "kary-tree": ":k=3", "summa": ":variant=C"}  # what cost would choose, compile might not
ROUTED = {"fattree-broadcast", "flood", "queueless", "total-exchange"}
MACHINES = {"duplex": "duplex", "simplex": "simplex", "kport": "kport:k=3", "bsp": "bsp:h=3", "logp": "logp:L=7,o=2,g=5"}


def hand_made():
    """The oracle itself, on what can be counted by hand: L = 7, o = 2, g = 5, G = 1."""
    def check(expected, *ranks):
        text = f"num_ranks {len(ranks)}\n"
        for i, lines in enumerate(ranks):
            text += f"rank {i} {{\n" + "".join(line + "\n" for line in lines) + "}\n"
        found = loggops.time(text, Model(7, 2, 5, 1))
        if found != expected:
            raise SystemExit(f"the oracle says {found}, not {expected}, of\n{text}")

    check(2 + 7 + 9 + 2, ["a: send 10b to 1 tag 0"], ["a: recv 10b from 0 tag 0"])
    # The second send begins max(g, o) + 9 after the first.
    two = ["a: send 10b to 1 tag 0", "b: send 1b to 1 tag 1", "b irequires a"]
    check(14 + 2 + 7 + 2, two, ["a: recv 10b from 0 tag 0", "b: recv 1b from 0 tag 1", "b requires a"])
    check(500 + 11, ["c: calc 500", "a: send 1b to 1 tag 0", "a requires c"], ["a: recv 1b from 0 tag 0"])
    check(11 + 500, ["a: send 1b to 1 tag 0"], ["a: recv 1b from 0 tag 0", "c: calc 500", "c requires a"])
    # Begun is enough for irequires; the processor is free later.
    check(11, ["a: send 1b to 1 tag 0", "c: calc 3", "c irequires a"], ["a: recv 1b from 0 tag 0"])
    # Two messages at once: the receiver takes the second a gap after the first.
    check(11 + 5, ["a: send 1b to 2 tag 0"], ["a: send 1b to 2 tag 0"],
          ["a: recv 1b from 0 tag 0", "b: recv 1b from 1 tag 0", "b requires a"])
    check(None, ["a: recv 1b from 1 tag 0", "b: send 1b to 1 tag 0", "b requires a"],
          ["a: recv 1b from 0 tag 0", "b: send 1b to 0 tag 0", "b requires a"])


class Comparison:
    def __init__(self, schedcc):
        self.schedcc = schedcc
        self.compared = self.mutants = 0
        self.faults = []

    def call(self, command, *arguments):
        done = subprocess.run([self.schedcc, command, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            raise SystemExit(f"schedcc {command} {' '.join(arguments)}: {done.stderr}")
        return done.stdout if done.returncode == 0 else None, done.stderr

    def algorithm(self, entry):
        """Compares; returns why nothing could be, or nothing."""
        compared, why = False, ""
        for name in entry["machines"]:
            kind = name.split(":")[0]
            for collective in entry["collectives"]:
                for ranks in RANKS:
                    machine = f"crossbar:a=2,b={ranks // 2}" if kind == "crossbar" else MACHINES.get(kind, "duplex")
                    for chunks in CHUNKS:
                        told = self.case(entry["name"], machine, collective, ranks, chunks)
                        compared, why = compared or not told, told or why
        return "" if compared else f"{entry['name']}: {why.strip()}"

    def case(self, name, machine, collective, ranks, chunks):
        spec = name + PARAMETERS.get(name, "")
        what = [spec, "--ranks", str(ranks), "--chunks", str(chunks), "--machine", machine, "--no-verify"]
        what += ["--collective", collective] if collective != "custom" else []
        text, error = self.call("compile", *what, "--quiet", "--emit", f"goal:bytes={BYTES}")
        if text is None:
            return error
        size = BYTES * int(loggops.re.search(r"// chunks (\d+)", text).group(1))
        for model in [OWN] if machine.startswith("logp") else MODELS:
            told = self.compare(what, text, size, model)
            if told:
                return told
        return ""

    def compare(self, what, text, size, model):
        words = f"L={model.L}ns,o={model.o}ns,g={model.g}ns"
        words = f"loggp:{words},G={model.G}ns/B" if model.G else f"logp:{words}"
        said, error = self.call("cost", *what, "--json", "--bytes", str(size), "--model", words)
        if said is None:
            return error
        cost = json.loads(said)["asynchronous"] * 1e9
        time = loggops.time(text, model)
        if time is None or abs(cost - time) > 1e-6 * max(time, 1):
            self.faults.append(f"{' '.join(what)} {words}: cost says {cost}, GOAL takes {time}")
        self.compared += 1
        if model.G and "send" in text:
            self.mutant(text, model, time)
        return ""

    def mutant(self, text, model, time):
        """The first message becomes longer."""
        match = loggops.re.search(r"send (\d+)b", text)
        longer = text.replace(match.group(), f"send {int(match.group(1)) + 1000}b", 1)
        changed = loggops.time(longer, model)
        self.mutants += changed != time
        if changed < time:
            self.faults.append("a longer message made a file faster")


def main():
    hand_made()
    comparison = Comparison(sys.argv[1])
    listed, _ = comparison.call("list", "algorithms", "--json")
    entries = json.loads(listed)["algorithms"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        silent = [why for why in pool.map(comparison.algorithm, entries) if why]
    for line in comparison.faults[:20] + silent:
        print(line)
    print(f"{comparison.compared} schedules compared, {len(comparison.faults)} wrong, "
          f"{comparison.mutants} changed messages seen, {len(silent)} algorithms left out")
    expected = {why.split(":")[0] for why in silent} == ROUTED
    return 1 if comparison.faults or not expected or comparison.compared < 3000 or comparison.mutants < 2000 else 0


if __name__ == "__main__":
    sys.exit(main())
