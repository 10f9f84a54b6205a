"""The simulated machines of the benchmark, and what `schedcc tune` is told of them: the same figures.

flat       1 us and 0.08 ns/B between any two ranks, one line in and one line out for each
overhead   the same, and the processor of a rank is busy for 0.5 us with each send and each receive
two-level  nodes of 8 ranks: 0.5 us and 50 GB/s within a node; between nodes 1 us, and one line of
           12.5 GB/s in and one out for all ranks of a node

A host of the platform is a rank, or a node, so that algorithms of MPI that look for nodes find them. Messages of a rank
to itself take no time, but on nodes the time of any other message there.
"""

import dataclasses
import functools
import json
import math
import pathlib

import simgrid

LATENCY, GAP = 1e-6, 0.08e-9  # seconds, seconds per byte
INSIDE_LATENCY, INSIDE_GAP = 0.5e-6, 0.02e-9  # within a node
OVERHEAD = 0.5e-6
WHILE_OVERHEADS = 3  # messages whose overheads, of sends or of receives, pass while the first is under way

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<config>
<prop id="network/crosstraffic" value="0"/>
<prop id="network/weight-S" value="0"/>
<prop id="network/latency-factor" value="1"/>
<prop id="network/bandwidth-factor" value="1"/>
<prop id="network/TCP-gamma" value="0"/>
</config>
"""


def many(ranks):
    """How many messages a rank may have under way: P - 1, or three times the root of P for more than 256 ranks: with
    more of them the simulator would take hours."""
    return ranks - 1 if ranks <= 256 else 3 * math.isqrt(ranks)


def machine_file(folder, ranks, ports):
    """Ranks at a switch, with overheads, as arguments. Half of the latency is that of each line."""
    path = pathlib.Path(folder) / f"overheads-{ranks}-{ports}.json"
    line = {"latency": f"{LATENCY / 2 * 1e6:g}us", "bandwidth": "12.5GB/s", "both": True}
    path.write_text(json.dumps({
        "topology": 2, "name": "ranks with overheads", "ranks": ranks, "ports": ports, "shared": True,
        "overheads": {"send": f"{OVERHEAD * 1e6:g}us", "receive": f"{OVERHEAD * 1e6:g}us"},
        "switches": ["switch"], "links": [{"from": rank, "to": ranks, **line} for rank in range(ranks)]}))
    return ["--machine", f"topology:{path}"]


def nodes(ranks, node, ports):
    """Nodes whose ranks share a line, as arguments."""
    return ["--machine", f"cluster:{node}x{ranks // node},ports={ports},shared"]


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    title: str
    node: int = 1  # ranks of a host
    overhead: float = 0

    @property
    def protocols(self):
        """SMPI charges a receive only if its send was buffered; so with overheads sends are, as by default."""
        return (simgrid.BUFFERED,) if self.overhead else (simgrid.RENDEZVOUS, simgrid.BUFFERED)

    @property
    def replays(self):
        """How schedcc's traces are written, and the protocols of their replays. On nodes, in which messages do not share a
        line, they are also replayed with steps that overlap: then receives are posted first, and protocols do not differ."""
        overlapping = [(",overlap", (simgrid.RENDEZVOUS,))] if self.node > 1 else []
        return [("", self.protocols), *overlapping]

    @property
    def configuration(self):
        return [f"smpi/{call}:0:{self.overhead:g}:0" for call in ("os", "ois", "or")] if self.overhead else []

    def least(self, ranks, count):
        """No collective of vectors of so many bytes takes less seconds: of P - 1 blocks or contributions all bytes pass
        the line of a rank; of a node's line those from outside. Within a node messages do not share a line."""
        node = min(self.node, ranks)
        if node == ranks > 1 and self.node > 1:
            return INSIDE_LATENCY
        return LATENCY + GAP * (count // ranks) * (ranks - node)

    def searches(self, folder, ranks):
        """The machines and models of `tune`, as arguments: the first choices of each are replayed. With overheads the
        model `bsp` is for large messages, of which the bytes take longer: it has them once a step."""
        if self.node > 1:
            node = min(self.node, ranks)
            model = ["--model", "levels:0=0.5us@50GB/s,1=1us@12.5GB/s"]
            return [[*nodes(ranks, node, ports), *model] for ports in (many(ranks), node - 1)]
        if self.overhead:
            file = functools.partial(machine_file, folder, ranks)
            return [file(WHILE_OVERHEADS), ["--model", "loggp:L=1us,o=0.5us,g=0,G=0.08ns/B"],
                    ["--model", f"bsp:l=2us,g=0.08ns/B,h={many(ranks)}"], file(many(ranks))]
        return [["--model", f"bsp:l=1us,g=0.08ns/B,h={many(ranks)}"], ["--alpha", "1us", "--beta", "0.08ns/B"]]

    @property
    def bounding(self):
        """The place of the searches whose lower bounds are those of the platform. With overheads only the last one has
        them and any number of messages."""
        return slice(3, 4) if self.overhead else slice(0, 2)

    def searches_for_overlap(self, ranks):
        """The same for steps that overlap, if traces are replayed so: most of their latencies pass while other messages
        are under way, and here the model has a tenth of them. Its bounds are not those of the platform."""
        if self.node == 1:
            return []
        machine = nodes(ranks, min(self.node, ranks), many(ranks))
        return [[*machine, "--model", "levels:0=0.05us@50GB/s,1=0.1us@12.5GB/s"]]

    def cluster(self, folder, ranks):
        return Cluster(folder, self, ranks)


class Cluster(simgrid.Cluster):
    """A platform for so many ranks; the rank after them, if there is one, has a host of its own."""

    def __init__(self, folder, platform, ranks):
        self.ranks, self.settings = ranks, platform.configuration
        if not platform.overhead:
            self.preloaded = simgrid.separate_waits(folder)
        self.platform = pathlib.Path(folder) / f"{platform.name}-{ranks}.platform.xml"
        self.hosts = self.platform.with_suffix(".hosts")
        nodes = -(-ranks // platform.node)
        places = [rank // platform.node for rank in range(ranks)] + [nodes]
        self.hosts.write_text("".join(f"host-{place}\n" for place in places))
        inside = (INSIDE_LATENCY, 1 / INSIDE_GAP) if platform.node > 1 else (0, 1e18)
        self.platform.write_text(
            f'{HEAD}<cluster id="cluster" prefix="host-" suffix="" radical="0-{nodes}" speed="1Gf" '
            f'bw="{1 / GAP:.9g}Bps" lat="{LATENCY / 2:.9g}s" sharing_policy="SPLITDUPLEX" '
            f'loopback_lat="{inside[0]:.9g}s" loopback_bw="{inside[1]:.9g}Bps"/>\n</platform>\n')

    def run(self, *arguments, ranks=None, configuration=(), limit=None, buffers=0):
        return super().run(*arguments, ranks=ranks, configuration=[*self.settings, *configuration], limit=limit,
                           buffers=buffers)


PLATFORMS = {platform.name: platform for platform in (
    Platform("flat", "1 us, 12.5 GB/s"),
    Platform("overhead", "and 0.5 us for each send and receive", overhead=OVERHEAD),
    Platform("two-level", "nodes of 8 ranks with one line", node=8))}
