#!/usr/bin/env python3
"""Compares `schedcc cost` with the time of the GOAL file that schedcc writes (loggops.py).

    tests/format/goal/loggp.py SCHEDCC

Every algorithm of the catalogue, each of its collectives, on machines that it was made for, for several P and K: the
asynchronous time of `cost` in the LogGP and the LogP model, with receives charged at the call and on arrival, against
the two readings of loggops.py, to the last nanosecond; and no file deadlocks, for any limit of rendezvous. For mutants
the deadlocks that `verify` reports are compared, too. LogP is LogGP without a time per byte. Nearly every file takes
longer with a longer message, and none less by calls. Left out are the algorithms whose routers copy or that need capacities: GOAL has no routers, and on their
machines there is no LogGP time. Every other P and K of each, unless SCHEDCC_TEST_WHOLE is in the environment.
"""

import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import zlib

import loggops
from loggops import Model

RANKS = (2, 3, 4, 6, 8, 13)
CHUNKS = (1, 5)
WHOLE = "SCHEDCC_TEST_WHOLE" in os.environ
BYTES = 40  # of a chunk
# A gap longer than the overhead, a shorter one, and none of either.
MODELS = (Model(7000, 2000, 5000, 10), Model(3000, 4000, 1000, 3), Model(11000, 0, 600, 1), Model(7000, 2000, 5000, 0))
OWN = Model(7000, 2000, 5000, 10)  # of the LogP machine
PARAMETERS = {"bsp-butterfly": ":h=3", "knomial-tree": ":k=3", "logp-knomial": ":k=3", "logp-kary": ":k=2",
              "fractional-tree": ":r=3", "kary-tree": ":k=3", "summa": ":variant=C", "bruck": ":radix=3",
              "pairwise": ":ports=2", "recexch": ":k=3", "recursive-multiplying": ":k=3", "segmented-ring": ":segments=2"}  # what cost would choose, compile might not
ROUTED = {"bfb", "fattree-broadcast", "flood", "in-network", "queueless", "total-exchange"}
MACHINES = {"duplex": "duplex", "simplex": "simplex", "kport": "kport:k=3", "bsp": "bsp:h=3", "logp": "logp:L=7,o=2,g=5",
            "cluster": "cluster"}


def random_program(random):
    """A few messages among three ranks, their sends and receives in any order, with any dependencies."""
    ranks = [[], [], []]
    for tag in range(random.randint(1, 5)):
        src, dst = random.sample(range(3), 2)
        size = random.choice((8, 70000))
        ranks[src].append(f"send {size}b to {dst} tag {tag}")
        ranks[dst].append(f"recv {size}b from {src} tag {tag}")
    text = "num_ranks 3\n"
    for i, operations in enumerate(ranks):
        random.shuffle(operations)
        text += f"rank {i} {{\n"
        for n, operation in enumerate(operations):
            text += f"o{n}: {operation}\n"
            for earlier in range(n):
                if random.random() < 0.5:
                    text += f"o{n} {random.choice(('requires', 'requires', 'irequires'))} o{earlier}\n"
        text += "}\n"
    return text


def hand_made():
    """The oracle itself, on what can be counted by hand: L = 7, o = 2, g = 5, G = 1."""
    def check(expected, *ranks, arrival=None, model=Model(7, 2, 5, 1)):
        """By calls, and by events where that differs."""
        text = f"num_ranks {len(ranks)}\n"
        for i, lines in enumerate(ranks):
            text += f"rank {i} {{\n" + "".join(line + "\n" for line in lines) + "}\n"
        found = loggops.calls(text, model), loggops.events(text, model)
        if found != (expected, expected if arrival is None else arrival):
            raise SystemExit(f"the oracle says {found}, not {expected}, {arrival}, of\n{text}")
        return text

    check(2 + 7 + 9 + 2, ["a: send 10b to 1 tag 0"], ["a: recv 10b from 0 tag 0"])
    # The second send begins g + 9 after the first.
    two = ["a: send 10b to 1 tag 0", "b: send 1b to 1 tag 1", "b irequires a"]
    check(14 + 2 + 7 + 2, two, ["a: recv 10b from 0 tag 0", "b: recv 1b from 0 tag 1", "b requires a"])
    # With o = 12, which is below g + 9, too; with o = 20 it begins o after the first.
    apart = [two, ["a: recv 10b from 0 tag 0"], ["b: recv 1b from 0 tag 1"]]
    apart[0] = [line.replace("send 1b to 1", "send 1b to 2") for line in two]
    check(14 + 12 + 7 + 12, *apart, model=Model(7, 12, 5, 1))
    check(20 + 20 + 7 + 20, *apart, model=Model(7, 20, 5, 1))
    check(500 + 11, ["c: calc 500", "a: send 1b to 1 tag 0", "a requires c"], ["a: recv 1b from 0 tag 0"])
    check(11 + 500, ["a: send 1b to 1 tag 0"], ["a: recv 1b from 0 tag 0", "c: calc 500", "c requires a"])
    # A message that comes before its receiver asks for it is charged when it comes, or when it is received.
    check(59 + 5 + 2, ["a: send 1b to 1 tag 0"], ["a: recv 1b from 2 tag 0", "b: recv 1b from 0 tag 0", "b requires a"],
          ["c: calc 50", "a: send 1b to 1 tag 0", "a requires c"], arrival=59 + 2)
    # Two messages at once: the receiver takes the second a gap after the first.
    check(11 + 5, ["a: send 1b to 2 tag 0"], ["a: send 1b to 2 tag 0"],
          ["a: recv 1b from 0 tag 0", "b: recv 1b from 1 tag 0", "b requires a"])
    # Both receive first.
    both = "a: recv 1b from {0} tag 0", "b: send 1b to {0} tag 0", "b requires a"
    check(None, [line.format(1) for line in both], [line.format(0) for line in both])
    # Both send first: an exchange of messages that are buffered, which deadlocks under rendezvous.
    chain = ["a: send 1b to {0} tag 0", "b: recv 1b from {0} tag 0", "b requires a"]
    text = check(11, [line.format(1) for line in chain], [line.format(0) for line in chain])
    if loggops.events(text, Model(7, 2, 5, 1), eager=0) is not None:
        raise SystemExit(f"the oracle has no rendezvous in\n{text}")


class Comparison:
    def __init__(self, schedcc):
        self.schedcc = schedcc
        self.compared = self.mutants = self.rendezvous = 0
        self.seen = collections.Counter()  # programs, by the buffering that they need to complete
        self.faults = []

    def call(self, command, *arguments):
        done = subprocess.run([self.schedcc, command, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            raise SystemExit(f"schedcc {command} {' '.join(arguments)}: {done.stderr}")
        return done.stdout if done.returncode == 0 else None, done.stderr

    def algorithm(self, entry):
        """Compares all cases of an algorithm; returns the reason if none could be compared, else an empty string."""
        compared, why = False, ""
        for name in entry["machines"]:
            kind = name.split(":")[0]
            for turn, collective in enumerate(entry["collectives"]):
                for i, ranks in enumerate(RANKS):
                    machine = f"crossbar:a=2,b={ranks // 2}" if kind == "crossbar" else MACHINES.get(kind, "duplex")
                    for j, chunks in enumerate(CHUNKS):
                        if not WHOLE and (turn + i + j) % 2 == 0:
                            continue
                        reason = self.case(entry["name"], machine, collective, ranks, chunks)
                        compared, why = compared or not reason, reason or why
        return "" if compared else f"{entry['name']}: {why.strip()}"

    def case(self, name, machine, collective, ranks, chunks):
        spec = name + PARAMETERS.get(name, "")
        what = [spec, "--ranks", str(ranks), "--chunks", str(chunks), "--machine", machine, "--no-verify"]
        what += ["--collective", collective] if collective != "custom" else []
        text, error = self.call("compile", *what, "--quiet", "--emit", f"goal:bytes={BYTES}")
        if text is None:
            return error
        size = BYTES * int(loggops.re.search(r"// chunks (\d+)", text).group(1))
        number = zlib.crc32(" ".join(what).encode())
        for i, receive in enumerate(("call", "arrival")):
            model = OWN if machine.startswith("logp") else MODELS[(number + i) % len(MODELS)]
            reason = self.compare(what, text, size, model, receive)
            if reason:
                return reason
        self.meet(what, text)
        return ""

    def compare(self, what, text, size, model, receive):
        words = f"L={model.L}ns,o={model.o}ns,g={model.g}ns"
        words = f"loggp:{words},G={model.G}ns/B" if model.G else f"logp:{words}"
        said, error = self.call("cost", *what, "--json", "--bytes", str(size), "--model", words, "--receive", receive)
        if said is None:
            return error
        cost = json.loads(said)["asynchronous"] * 1e9
        time = (loggops.calls if receive == "call" else loggops.events)(text, model)
        if time is None or abs(cost - time) > 1e-6 * max(time, 1):
            self.faults.append(f"{' '.join(what)} {words} {receive}: cost says {cost}, GOAL takes {time}")
        self.compared += 1
        if model.G and "send" in text and receive == "call":
            self.mutant(text, model, time)
        return ""

    def meet(self, what, text):
        """Whatever the eager limit, every message is sent and received."""
        sizes = sorted({int(size) for size in loggops.re.findall(r"send (\d+)b", text)})
        for eager in [0] + sizes[:-1][-2:]:
            if loggops.events(text, OWN, eager) is None:
                self.faults.append(f"{' '.join(what)}: GOAL waits forever if messages above {eager} bytes are not buffered")
            self.rendezvous += 1

    def deadlocks(self):
        """`verify` and the oracle agree on which programs deadlock, and above which limit."""
        generator = random.Random(10)
        for _ in range(150):
            text = random_program(generator)
            ends = [loggops.events(text, OWN, eager) is not None for eager in (float("inf"), 65535, 0)]
            done = subprocess.run([self.schedcc, "verify", "--from", "goal", "--checks", "deadlock", "-"], input=text,
                                  capture_output=True, text=True, check=False)
            found = done.stdout + done.stderr
            said = [done.returncode != 2, done.returncode == 0, "deadlock without buffering" not in found and done.returncode == 0]
            if said != ends:
                self.faults.append(f"{found}but the oracle says {ends} of\n{text}")
            self.seen[tuple(ends)] += 1

    def mutant(self, text, model, time):
        """The first message becomes longer."""
        match = loggops.re.search(r"send (\d+)b", text)
        longer = text.replace(match.group(), f"send {int(match.group(1)) + 1000}b", 1)
        changed = loggops.calls(longer, model)
        self.mutants += changed != time
        if changed < time:
            self.faults.append("a longer message made a file faster")


def main():
    hand_made()
    comparison = Comparison(sys.argv[1])
    comparison.deadlocks()
    listed, _ = comparison.call("list", "algorithms", "--json")
    # The tokens of a barrier have bytes in GOAL, and none in `cost`.
    entries = [entry for entry in json.loads(listed)["algorithms"] if entry["collectives"] != ["barrier"]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        silent = [why for why in pool.map(comparison.algorithm, entries) if why]
    for line in comparison.faults[:20] + silent:
        print(line)
    print(f"{comparison.compared} schedules compared, {comparison.rendezvous} run with rendezvous, "
          f"{len(comparison.faults)} wrong, {comparison.mutants} changed messages seen, {len(silent)} algorithms left out")
    expected = {why.split(":")[0] for why in silent} == ROUTED
    enough = len(comparison.seen) == 4 and comparison.compared >= 1500 and comparison.rendezvous >= 800 and comparison.mutants >= 400
    return 0 if not comparison.faults and expected and enough else 1


if __name__ == "__main__":
    sys.exit(main())
