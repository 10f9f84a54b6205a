#!/usr/bin/env python3
"""Calibration of simulated machines, whose figures are known.

    tests/simgrid/calibrate.py SCHEDCC PROGRAM

PROGRAM, `schedcc-mpirun --calibrate` compiled for SMPI, measures a flat cluster, one with overheads, and clusters of nodes
with a NIC that their ranks share. Every figure of its machine file must be within 5 % of the true one, and what
`tune` chooses with the file may take 5 % longer there than its choice with the true figures.
"""

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "simgrid"))
import simgrid  # noqa: E402

SKIPPED = 77
TOLERANCE = 0.05
UNITS = {"ns": 1e-9, "us": 1e-6, "GB/s": 1e9}


@dataclasses.dataclass
class Truth:
    """Seconds, and bytes a second."""
    latency: float
    bandwidth: float
    send: float = 0
    receive: float = 0
    nodes: int = 4
    ranks: int = 1  # of a node
    inside: tuple = ()  # latency and bandwidth within a node
    hosts: bool = False  # is each rank on a host of its own?


MACHINES = {
    "flat": Truth(1e-6, 12.5e9),
    "overheads": Truth(1e-6, 12.5e9, send=0.5e-6, receive=0.5e-6),
    "unequal overheads": Truth(2e-6, 3e9, send=0.3e-6, receive=0.9e-6),
    "nodes": Truth(1.5e-6, 12.5e9, nodes=2, ranks=8, inside=(0.5e-6, 50e9)),
    "nodes of hosts": Truth(1.5e-6, 12.5e9, nodes=3, ranks=4, inside=(0.5e-6, 50e9), hosts=True),
}


class Machine(simgrid.Cluster):
    """Hosts are nodes, or, with `hosts`, ranks; the ranks of a node share its NIC."""

    def __init__(self, folder, truth):
        self.ranks = truth.nodes * truth.ranks
        self.platform, self.hosts = folder / "platform.xml", folder / "hosts"
        place = (lambda rank: rank) if truth.hosts else (lambda rank: rank // truth.ranks)
        self.hosts.write_text("".join(f"node-{place(rank)}\n" for rank in range(self.ranks)))
        zone = self.separate(truth) if truth.hosts else self.together(truth)
        self.platform.write_text('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                                 f'<platform version="4.1">\n{zone}</platform>\n')

    @staticmethod
    def together(truth):
        inside = (f' loopback_lat="{truth.inside[0]:.9g}s" loopback_bw="{truth.inside[1]:.9g}Bps"' if truth.inside else "")
        return (f'<cluster id="cluster" prefix="node-" suffix="" radical="0-{truth.nodes - 1}" speed="1Gf" '
                f'bw="{truth.bandwidth:.9g}Bps" lat="{truth.latency / 2:.9g}s" sharing_policy="SPLITDUPLEX"{inside}/>\n')

    def separate(self, truth):
        ranks = range(self.ranks)
        text = "".join(f'<host id="node-{rank}" speed="1Gf"/>\n' for rank in ranks)
        for rank in ranks:
            for way in ("out", "in"):
                text += (f'<link id="memory-{way}-{rank}" bandwidth="{truth.inside[1]:.9g}Bps" '
                         f'latency="{truth.inside[0] / 2:.9g}s"/>\n')
        for node in range(truth.nodes):
            for way in ("out", "in"):
                text += (f'<link id="nic-{way}-{node}" bandwidth="{truth.bandwidth:.9g}Bps" '
                         f'latency="{truth.latency / 2:.9g}s"/>\n')
        for a in ranks:
            for b in ranks:
                if a == b:
                    continue
                near = a // truth.ranks == b // truth.ranks
                links = ((f"memory-out-{a}", f"memory-in-{b}") if near else
                         (f"nic-out-{a // truth.ranks}", f"nic-in-{b // truth.ranks}"))
                text += (f'<route src="node-{a}" dst="node-{b}" symmetrical="NO">'
                         + "".join(f'<link_ctn id="{link}"/>' for link in links) + "</route>\n")
        return f'<zone id="machine" routing="Full">\n{text}</zone>\n'


def number(text):
    value, unit = re.fullmatch(r"([-+.e\d]+)(ns|us|GB/s)", text).groups()
    return float(value) * UNITS[unit]


def figures(machine):
    """By name: what a machine file says of a message."""
    kinds = machine["kinds"]
    result = {name: number(machine["overheads"][name]) for name in ("send", "receive")}
    for kind in ("rank", "memory"):
        if kind in kinds:
            result[f"latency of {kind}"] = 2 * number(kinds[kind]["latency"])
            result[f"bandwidth of {kind}"] = number(kinds[kind]["bandwidth"])
    if "nic" in kinds:
        result["bandwidth of nic"] = number(kinds["nic"]["bandwidth"])
    return result


def expected(truth):
    result = {"send": truth.send, "receive": truth.receive, "latency of rank": truth.latency,
              "bandwidth of rank": truth.bandwidth}
    if truth.inside:
        result |= {"latency of memory": truth.inside[0], "bandwidth of memory": truth.inside[1],
                   "bandwidth of nic": truth.bandwidth}
    return result


def with_true_figures(machine, truth):
    """The same machine file, with the figures of the platform. No bus is narrower than what all ranks send."""
    result = json.loads(json.dumps(machine))
    result["overheads"] = {"send": f"{truth.send * 1e9:.9g}ns", "receive": f"{truth.receive * 1e9:.9g}ns"}
    values = {"rank": (truth.latency / 2, truth.bandwidth), "nic": (0, truth.bandwidth)}
    if truth.inside:
        values |= {"memory": (truth.inside[0] / 2, truth.inside[1]), "bus": (0, truth.ranks * truth.inside[1])}
    for kind, entry in result["kinds"].items():
        latency, bandwidth = values[kind]
        entry |= {"latency": f"{latency * 1e9:.9g}ns", "bandwidth": f"{bandwidth / 1e9:.9g}GB/s"}
    return result


def choices(schedcc, path, ranks, collective):
    done = subprocess.run([schedcc, "tune", "--collective", collective, "--ranks", str(ranks), "--bytes", "64..16MiB",
                           "--points", "6", "--machine", f"topology:{path}", "--quiet", "--json"], check=True,
                          text=True, stdout=subprocess.PIPE)
    return [(size["bytes"], size["choices"][0]["algorithm"], size["choices"][0]["chunks"])
            for size in json.loads(done.stdout)["sizes"]]


def seconds(schedcc, path, ranks, collective, size, algorithm, chunks):
    done = subprocess.run([schedcc, "cost", algorithm, "--collective", collective, "--ranks", str(ranks), "--bytes",
                           str(size), "--chunks", str(chunks), "--machine", f"topology:{path}", "--quiet", "--json"],
                          check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["seconds"]


def wrong(schedcc, program, folder, name, truth, configuration):
    """How many figures are too far from the truth, and how many choices differ."""
    output = folder / "machine.json"
    overheads = [f"smpi/{option}:0:{value}:0" for option, value in
                 (("os", truth.send), ("ois", truth.send), ("or", truth.receive)) if value]
    printed = Machine(folder, truth).run(program, "--calibrate", "-o", output, "--repetitions", "5",
                                         *(["--ranks-per-node", truth.ranks] if truth.hosts else []),
                                         configuration=[*overheads, *configuration])
    if not output.exists():
        raise SystemExit(printed)
    machine = json.loads(output.read_text())
    measured, count = figures(machine), 0
    for figure, value in expected(truth).items():
        off = abs(measured[figure] - value) / (value or truth.latency)
        print(f"{name}: {figure}: {measured[figure]:.4g}, in truth {value:.4g}{'' if off <= TOLERANCE else ' (!)'}")
        count += off > TOLERANCE
    true = folder / "true.json"
    true.write_text(json.dumps(with_true_figures(machine, truth)))
    for collective in ("broadcast", "allreduce"):
        pairs = [choices(schedcc, path, machine["ranks"], collective) for path in (output, true)]
        for chosen, best in zip(*pairs):
            if chosen == best:
                continue
            times = [seconds(schedcc, true, machine["ranks"], collective, *choice) for choice in (chosen, best)]
            print(f"{name}: {collective}: {chosen} with the calibrated file, {best} with the true one: "
                  f"{times[0] / times[1]:.4f} times as long")
            count += times[0] > (1 + TOLERANCE) * times[1]
    return count


def main():
    if shutil.which("smpirun") is None:
        print("smpirun is not there")
        return SKIPPED
    schedcc, program = sys.argv[1:]
    count = 0
    for name, truth in MACHINES.items():
        # Messages start when their receive is posted, or, up to a size, at once.
        for eager in ([], ["smpi/async-small-thresh:65536"]) if truth.send else ([],):
            with tempfile.TemporaryDirectory() as folder:
                count += wrong(schedcc, program, pathlib.Path(folder), name, truth, eager)
    return min(1, count)


sys.exit(main())
