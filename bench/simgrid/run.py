#!/usr/bin/env python3
"""Broadcast on simulated clusters: schedcc's choice against every algorithm that SimGrid ships.

    bench/simgrid/run.py SCHEDCC [--ranks 16,64] [--bytes 1KiB,1MiB] [--limit SECONDS]
                         [--jobs N] [--shipped FILE] [--draw FOLDER]

The cluster: 1 us and 0.08 ns/B between any two hosts, one line in and one line out for each. Messages
that a host sends at once share its line, but wait only once; that is what the BSP model says, and so
`schedcc tune` chooses by it, with a number of messages of a rank under way that the simulator
can handle (see `model`). The schedule runs as a
time-independent trace; the shipped ones are timed by MPI_Bcast (shipped.cpp), once with sends below 64 KiB
buffered, as SMPI does unless told otherwise, and once without, which many of them are faster with. Traces
are replayed both ways, too, and the better time counts.

A shipped algorithm that takes more than twice schedcc's time for a size is not simulated to its end; one that
fails, is too fast to be a broadcast, or cannot be simulated within the limit, is named in the last column.
`pipelined` is k (1 + sqrt(alpha (lg P - 1) / (beta k)))^2, what the best schedule takes whose messages
are packets of one size, one at a time. The times are simulated: other work on the machine
has no effect.

The times of the shipped algorithms do not depend on schedcc: with --shipped they are kept in a file, and not
simulated again. With --draw the table (simgrid-table.md) and the picture (simgrid.svg) are written into a folder.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import draw
import simgrid

ALPHA, BETA = 1e-6, 0.08e-9
NETWORK = "alpha=1us,beta=0.08ns/B"
PROTOCOLS = (simgrid.RENDEZVOUS, simgrid.BUFFERED)
HERE = pathlib.Path(__file__).resolve().parent


def model(ranks):
    """The model for `tune`. A rank has at most P - 1 messages under way, or three times the root of P for more than
    64 ranks: with more of them the simulator would take hours."""
    h = ranks - 1 if ranks <= 64 else 3 * math.isqrt(ranks)
    return f"bsp:l=1us,g=0.08ns/B,h={h}"


def size(text):
    match = re.fullmatch(r"(\d+)(KiB|MiB|)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size, as 64KiB")
    return int(match[1]) << {"": 0, "KiB": 10, "MiB": 20}[match[2]]


def name(count):
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if count % (1 << bits) == 0:
            return f"{count >> bits} {unit}"
    return f"{count} B"


def pipelined(ranks, count):
    lg, k = (ranks - 1).bit_length(), BETA * count
    return (k ** 0.5 + (ALPHA * (lg - 1)) ** 0.5) ** 2


class Ours:
    def __init__(self, schedcc, folder):
        self.schedcc, self.folder = schedcc, folder

    def call(self, *arguments):
        return subprocess.run([self.schedcc, *map(str, arguments), "--quiet"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def seconds(self, cluster, count):
        """The choice in words, and its simulated time."""
        tuned = json.loads(self.call("tune", "--collective", "broadcast", "--ranks", cluster.ranks, "--bytes",
                                     count, "--model", model(cluster.ranks), "--json"))
        best = tuned["sizes"][0]["choices"][0]
        traces = self.folder / f"choice-{count}.lst"
        self.call("compile", best["algorithm"], "--collective", "broadcast", "--ranks", cluster.ranks, "--chunks",
                  best["chunks"], "--machine", tuned["machine"], "--emit", f"ti:message={count}", "-o", traces)
        return (f"{best['algorithm']}, {best['chunks']} chunks",
                min(cluster.replay(traces, [protocol]) for protocol in PROTOCOLS))


class Shipped:
    """The broadcast algorithms of SMPI, as it names them itself; `kept` is a file of results, or None."""

    def __init__(self, schedcc, folder, limit, jobs, kept):
        self.schedcc = schedcc
        self.program, self.limit, self.jobs, self.kept = folder / "shipped", limit, jobs, kept
        self.known = json.loads(kept.read_text()) if kept and kept.exists() else {}
        self.lock = threading.Lock()
        subprocess.run(["smpicxx", "-O2", HERE / "shipped.cpp", "-o", self.program], check=True)
        try:
            simgrid.Cluster(schedcc, folder, 2, network=NETWORK).run(self.program, "alone", "1:1", configuration=["smpi/bcast:?"])
            raise SystemExit("SMPI knows an algorithm '?'")
        except simgrid.Failure as failure:
            listed = re.search(r"Valid algorithms: (.*)\.", str(failure))
        # `automatic` is none: it times all the others.
        self.names = [n for n in listed[1].split(", ") if n != "automatic"]

    def times(self, cluster, ours):
        """For each (bytes, protocol) the time of each algorithm, or the word for why there is none. `ours`: what
        schedcc's choice takes for each number of bytes."""
        runs = [(name, protocol) for name in self.names for protocol in PROTOCOLS]
        clusters = {"alone": cluster,
                    "watched": simgrid.Cluster(self.schedcc, self.program.parent, cluster.ranks + 1, network=NETWORK)}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            results = pool.map(lambda r: self.known_times(*r, clusters, ours), runs)
        table = {(count, protocol): {} for count in ours for protocol in PROTOCOLS}
        for (algorithm, protocol), result in zip(runs, results):
            for count, time in result.items():
                table[int(count), protocol][algorithm] = time
        return table

    def known_times(self, algorithm, protocol, clusters, ours):
        key = f"{clusters['alone'].ranks} {protocol} {algorithm}"
        times = self.known.get(key, {})
        missing = {count: seconds for count, seconds in ours.items() if str(count) not in times}
        if missing:
            times = times | self.simulated(algorithm, protocol, clusters, missing)
            with self.lock:
                self.known[key] = times
                if self.kept:
                    self.kept.write_text(json.dumps(self.known, indent=1))
        return {count: times[str(count)] for count in ours}

    def simulated(self, algorithm, protocol, clusters, ours):
        """Times by number of bytes. Sizes that fail with the additional rank are simulated again without it."""
        times = self.timed("watched", algorithm, protocol, clusters, ours)
        failed = {count: ours[count] for count in ours if times[str(count)] == "fails"}
        return times | self.timed("alone", algorithm, protocol, clusters, failed)

    def timed(self, mode, algorithm, protocol, clusters, ours):
        """Times by number of bytes. After a failure or a cut, only the larger sizes are tried."""
        times, sizes = {}, sorted(ours)
        while sizes:
            words = [f"{count}:{2e6 * ours[count]}" for count in sizes]
            word = None
            try:
                printed = clusters[mode].run(self.program, mode, *words, limit=self.limit,
                                             buffers=clusters[mode].ranks * sizes[-1],
                                             configuration=[f"smpi/bcast:{algorithm}", "smpi/allreduce:rdb",
                                                            "smpi/wtime:0", protocol])
            except simgrid.TooLong as failure:
                printed, word = failure.printed, "limit"
            except simgrid.Failure as failure:
                printed, word = failure.printed, "fails"
            lines = re.findall(r"^(\d+) (slow|cut|[\d.]+)$", printed, re.MULTILINE)
            times.update({count: self.checked(clusters["alone"].ranks, int(count), time) for count, time in lines})
            sizes = sizes[len(lines):]
            if word == "limit":
                times.update({str(count): word for count in sizes})
                break
            if sizes and (not lines or lines[-1][1] != "cut"):
                times[str(sizes.pop(0))] = word
        return times

    @staticmethod
    def checked(ranks, count, word):
        """Seconds; "slow"; "wrong" if it is too fast to be a broadcast: a rank that does not receive from the root
        itself has the message after two messages at the earliest."""
        if word in ("slow", "cut"):
            return "slow"
        least = min(ALPHA + BETA * count * (ranks - 1), 2 * ALPHA + BETA * count)
        return "wrong" if float(word) * 1e-6 < least * (1 - 1e-6) else float(word) * 1e-6


def rows(cluster, sizes, ours, shipped):
    with concurrent.futures.ThreadPoolExecutor(shipped.jobs) as pool:
        mine = dict(zip(sizes, pool.map(lambda count: ours.seconds(cluster, count), sizes)))
    table = shipped.times(cluster, {count: seconds for count, (_, seconds) in mine.items()})
    for count, (choice, seconds) in mine.items():
        result = {"ranks": cluster.ranks, "bytes": count, "choice": choice, "ours": seconds,
                  "formula": pipelined(cluster.ranks, count), "without": set()}
        for key, protocol in (("buffered", simgrid.BUFFERED), ("unbuffered", simgrid.RENDEZVOUS)):
            times = table[count, protocol]
            result[key] = min((t, n) for n, t in times.items() if isinstance(t, float))
            result["without"] |= {f"{n} ({t})" for n, t in times.items() if t in ("limit", "fails", "wrong")}
        yield result


def line(r):
    cells = [r["ranks"], name(r["bytes"]), r["choice"], f"{r['ours'] * 1e6:.1f}", f"{r['formula'] * 1e6:.1f}"]
    for key in ("buffered", "unbuffered"):
        seconds, algorithm = r[key]
        cells += [algorithm, f"{seconds * 1e6:.1f}", f"{seconds / r['ours']:.2f}"]
    return "| " + " | ".join(map(str, [*cells, ", ".join(sorted(r["without"]))])) + " |"


HEAD = """| P | bytes | schedcc's choice | us | pipelined | best shipped | us | times | unbuffered | us | times | not known |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--ranks", default="16,64,256,1024")
    parser.add_argument("--bytes", default="1KiB,8KiB,64KiB,256KiB,512KiB,1MiB,16MiB")
    parser.add_argument("--limit", type=int, default=300, metavar="SECONDS",
                        help="processor time for the simulation of a shipped algorithm, all sizes together")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="simulations at a time")
    parser.add_argument("--shipped", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--draw", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        sys.exit("smpirun and smpicxx are not there; they come with libsimgrid-dev")
    sizes = sorted(map(size, options.bytes.split(",")))
    found = []
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = Ours(options.schedcc, folder)
        shipped = Shipped(options.schedcc, folder, options.limit, options.jobs, options.shipped)
        for ranks in map(int, options.ranks.split(",")):
            for row in rows(simgrid.Cluster(options.schedcc, folder, ranks, network=NETWORK), sizes, ours, shipped):
                found.append(row)
                print(line(row), flush=True)
    if options.draw:
        table = "\n".join([HEAD, *map(line, found)])
        (options.draw / "simgrid-table.md").write_text(table + "\n")
        (options.draw / "simgrid.svg").write_text(draw.svg(draw.read(table)))


if __name__ == "__main__":
    main()
