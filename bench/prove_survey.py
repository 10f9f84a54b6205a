#!/usr/bin/env python3
"""Which problems does `prove` decide, and in what time?

    bench/prove_survey.py SCHEDCC COLLECTIVE KIND... [--ranks 2..16] [--chunks 1..2] [--timeout 10]

One process after another for every number of ranks and of chunks of each machine: a KIND with ports as it is (duplex,
kport:k=2), and of torus, mesh and crossbar all shapes (AxB, B at least A; of crossbars both ways); as in `torus:grids`
those of several rows, as in `torus:lines` that of one, and as in `torus:squarest` of those of several rows only the one
nearest to a square. A line for each that is undecided, with the bounds known, and for each kind how many are decided,
with the most processor and wall time of these, in seconds.
"""

import argparse
import json
import resource
import subprocess
import time


def shapes(kind, ranks):
    """The machines of a kind on so many ranks."""
    name, _, which = kind.partition(":")
    if name not in ("torus", "mesh", "crossbar"):
        return [kind]
    if which == "lines":
        return [f"{name}:1x{ranks}"]
    sides = [(a, ranks // a) for a in range(1, ranks + 1) if ranks % a == 0]
    if name != "crossbar":
        sides = [side for side in sides if side[0] <= side[1]]
    if name == "crossbar" or which:
        sides = [side for side in sides if min(side) > 1]
    if which == "squarest":
        sides = sorted(sides, key=lambda side: abs(side[0] - side[1]))[:1]
    return [f"crossbar:a={a},b={b}" if name == "crossbar" else f"{name}:{a}x{b}" for a, b in sides]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Survey:
    def __init__(self, schedcc, collective, timeout):
        self.command = [schedcc, "prove", "--collective", collective, "--json", "--quiet", "--timeout", timeout]
        self.clear()

    def clear(self):
        self.asked, self.times = 0, []

    def ask(self, machine, ranks, chunks):
        begun, processor = time.monotonic(), processor_time()
        done = subprocess.run([*self.command, "--ranks", str(ranks), "--chunks", str(chunks), "--machine", machine],
                              capture_output=True, text=True, check=False)
        times = processor_time() - processor, time.monotonic() - begun
        if done.returncode not in (0, 3):
            raise SystemExit(f"{machine}, {chunks} chunks: status {done.returncode}: {done.stderr}")
        self.asked += 1
        if done.returncode == 0:
            self.times.append(times)
            return
        report = json.loads(done.stdout)
        print(f"{machine:20}{ranks:4} ranks,{chunks:3} chunks: at least {report['proved_lower_bound']}, "
              f"at most {report.get('steps', '?')}  ({times[0]:.1f} s, {times[1]:.1f} s)", flush=True)

    def report(self, kind):
        most = [max(times) for times in zip(*self.times)]
        seconds = f", at most {most[0]:.1f} s of processor time, {most[1]:.1f} s" if most else ""
        print(f"{kind}: {len(self.times)} of {self.asked} decided{seconds}", flush=True)
        self.clear()


def interval(text):
    least, _, most = text.partition("..")
    return range(int(least), int(most or least) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("collective")
    parser.add_argument("kinds", nargs="+", metavar="KIND")
    parser.add_argument("--ranks", type=interval, default=interval("2..16"))
    parser.add_argument("--chunks", type=interval, default=interval("1..2"))
    parser.add_argument("--timeout", default="10")
    options = parser.parse_args()
    survey = Survey(options.schedcc, options.collective, options.timeout)
    for kind in options.kinds:
        for ranks in options.ranks:
            for machine in shapes(kind, ranks):
                for chunks in options.chunks:
                    survey.ask(machine, ranks, chunks)
        survey.report(kind)


if __name__ == "__main__":
    main()
