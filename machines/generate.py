#!/usr/bin/env python3
"""Writes the machine files of this folder that have a regular structure.

    machines/generate.py           rewrite them
    machines/generate.py --check   fail if one is not up to date

Each says in its `sources` where its figures are published, and how others follow from them. Switches that are one
crossbar together, and cables that carry the same traffic, are one node and one link with the sum of their bandwidths.
"""

import itertools
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

NCCL = ("NCCL, src/graph/tuning.cc, hwLat, ring with the protocol LL: 0.6 us over NVLink, 2.7 us over a network")
A100 = ("NVIDIA, 'NVIDIA A100 Tensor Core GPU Architecture', 2020: 12 NVLinks of 25 GB/s in each direction, 600 GB/s "
        "in all, so 300 GB/s in each direction; six NVSwitches connect all GPUs of a DGX A100 at that speed, and are one "
        "switch here")
DGX_NIC = ("NVIDIA, 'Defining AI Innovation with NVIDIA DGX A100', 2020: eight ConnectX-6 adapters, HDR InfiniBand, 200 "
           "Gbit/s each, one for each GPU, behind PCIe 4.0 x16 (16 lanes of 16 Gbit/s, less the encoding 128b/130b: 31.5 "
           "GB/s)")
SUPERPOD = ("NVIDIA, 'DGX SuperPOD: Scalable Infrastructure for AI Leadership', RA-09950-001, 2020: NIC i of every node "
            "is at leaf switch i (rails); leaves and spine do not block")
QM8700 = "NVIDIA, 'Quantum QM8700' data sheet: 130 ns from port to port"
MESSAGES = "Messages that a rank has under way at once (ports): the number of its links, an assumption"


class Machine:
    def __init__(self, name, title, ranks, ports, sources, kinds, groups=()):
        self.name = name
        self.head = {"topology": 2, "name": title, "sources": sources, "ranks": ranks, "ports": ports, "shared": True}
        if groups:
            self.head["groups"] = [{"name": what, "ranks": size} for what, size in groups]
        self.head["kinds"] = {kind: {"latency": latency, "bandwidth": bandwidth}
                              for kind, (latency, bandwidth) in kinds.items()}
        self.switches = []
        self.links = []

    def switch(self, name, in_network=False):
        """The number of a new node. `in_network`: it copies messages, and combines reductions."""
        self.switches.append({"name": name, "multicast": True, "reduces": True} if in_network else name)
        return self.head["ranks"] + len(self.switches) - 1

    def link(self, a, b, kind):
        """In both directions."""
        self.links.append({"from": a, "to": b, "kind": kind, "both": True})

    def text(self):
        fields = {**self.head, "switches": self.switches}
        lines = [f"  {json.dumps(key)}: {indented(value)},\n" for key, value in fields.items() if value != []]
        links = ",\n".join(f"    {json.dumps(link)}" for link in self.links)
        return "{\n" + "".join(lines) + '  "links": [\n' + links + "\n  ]\n}\n"


def indented(value):
    """Lists and objects with an entry in each line."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in value) + "\n  ]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n  }"
    return json.dumps(value)


def dgx_1():
    machine = Machine(
        "dgx-1", "DGX-1: 8 V100 in a hybrid cube mesh of NVLinks", 8, 6,
        ["NVIDIA, 'NVIDIA DGX-1 With Tesla V100 System Architecture', WP-08437-002, 2017: the hybrid cube mesh, six "
         "NVLinks for each GPU, 25 GB/s each in each direction; two NVLinks between two GPUs are one link of 50 GB/s",
         NCCL, MESSAGES],
        {"nvlink": ("0.6us", "25GB/s"), "two-nvlinks": ("0.6us", "50GB/s")})
    two = {(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)}
    one = {(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)}
    for a, b in sorted(one | two):
        machine.link(a, b, "two-nvlinks" if (a, b) in two else "nvlink")
    return machine


def dgx_a100(nodes):
    title = "DGX A100: 8 A100 at NVSwitches" if nodes == 1 else f"{nodes} DGX A100 with rails of HDR InfiniBand"
    sources = [A100, NCCL + "; half of it for each of the two links of a route over the switch", MESSAGES]
    kinds = {"nvlink": ("0.3us", "300GB/s")}
    if nodes > 1:
        sources += [DGX_NIC, SUPERPOD, QM8700 + "; half of it for each link at a switch. The rest of NCCL's 2.7 us is "
                    "that of the two links between GPU and NIC: 1.285 us each",
                    "Derived: leaves and spine are one link each, 200 Gbit/s for each node"]
        kinds |= {"pcie": ("1.285us", "31.5GB/s"), "hdr": ("65ns", "200Gbit/s"),
                  "uplink": ("130ns", f"{nodes * 200}Gbit/s")}
    machine = Machine(f"dgx-a100-{nodes}", title, 8 * nodes, 12, sources, kinds,
                      [("node", 8)] if nodes > 1 else ())
    leaves = []
    if nodes > 1:  # of routes with as many links the one over the lowest switch is taken: the spine
        spine = machine.switch("spine")
        for i in range(8):
            leaves.append(machine.switch(f"leaf {i}"))
            machine.link(leaves[i], spine, "uplink")
    for node in range(nodes):
        gpus = range(8 * node, 8 * node + 8)
        for i, gpu in enumerate(gpus):
            if nodes > 1:
                nic = machine.switch(f"node {node} NIC {i}")
                machine.link(gpu, nic, "pcie")
                machine.link(nic, leaves[i], "hdr")
    for node in range(nodes):
        switch = machine.switch(f"node {node} NVSwitch")
        for gpu in range(8 * node, 8 * node + 8):
            machine.link(gpu, switch, "nvlink")
    return machine


def dgx_h100():
    machine = Machine(
        "dgx-h100-1", "DGX H100: 8 H100 at NVSwitches that multicast and reduce (NVLink SHARP)", 8, 18,
        ["NVIDIA, 'Upgrading Multi-GPU Interconnectivity with the Third-Generation NVIDIA NVSwitch', 2022: 18 NVLinks for each "
         "GPU, 900 GB/s in all, so 450 GB/s in each direction; hardware for multicast and for reductions in the switch (SHARP). "
         "The four NVSwitches are one switch here", NCCL + "; half of it for each of the two links of a route over the switch",
         "Nothing is published of the rate at which a switch adds: it adds as fast as its links are", MESSAGES],
        {"nvlink": ("0.3us", "450GB/s")})
    switch = machine.switch("NVSwitch", in_network=True)
    for gpu in range(8):
        machine.link(gpu, switch, "nvlink")
    return machine


def nvl72(in_network):
    machine = Machine(
        "gb200-nvls-72" if in_network else "gb200-nvl72",
        "GB200 NVL72: a rack of 72 GPUs in one NVLink domain" + (", whose switches multicast and reduce" if in_network else ""),
        72, 18,
        ["NVIDIA, 'GB200 NVL72', product page, 2024: NVLink bandwidth 130 TB/s of the rack, 1.8 TB/s of a GPU (18 NVLinks "
         "of 100 GB/s), so 900 GB/s in each direction; the 18 chips of nine NVLink switch trays are one switch here",
         NCCL + "; half of it for each of the two links of a route. It is not of this generation: an assumption",
         MESSAGES] + (["NVIDIA, 'NVLink and NVLink Switch', product page, 2024: SHARP in the switches. Nothing is published of the "
                       "rate at which a switch adds: it adds as fast as its links are"] if in_network else []),
        {"nvlink": ("0.3us", "900GB/s")})
    switch = machine.switch("NVLink switches", in_network)
    for gpu in range(72):
        machine.link(gpu, switch, "nvlink")
    return machine


def mi300x():
    machine = Machine(
        "mi300x-8", "MI300X platform: 8 GPUs, each linked to all others", 8, 7,
        ["AMD, 'AMD Instinct MI300X Platform' data sheet, 2023: eight GPUs, fully connected; seven Infinity Fabric links "
         "for each, 128 GB/s each in both directions together (16 lanes of 32 Gbit/s), so 64 GB/s in each direction",
         "RCCL, src/graph/tuning.cc, hwLat, ring with the protocol LL: 0.8 us over links between GPUs", MESSAGES],
        {"infinity-fabric": ("0.8us", "64GB/s")})
    for a, b in itertools.combinations(range(8), 2):
        machine.link(a, b, "infinity-fabric")
    return machine


def ethernet():
    racks, hosts = 4, 48
    machine = Machine(
        "ethernet-192", "4 racks of 48 hosts: 25 Gbit/s Ethernet, leaves and a spine", racks * hosts, 1,
        ["Arista, '7050X3 Series' data sheet, 7050SX3-48YC8: 48 ports of 25 Gbit/s and 8 of 100 Gbit/s, latency from 800 ns",
         "Derived: each leaf has its 8 ports of 100 Gbit/s to a spine, one link of 800 Gbit/s (oversubscription 1.5); the "
         "spine is a switch of the same kind. Half of a switch's 800 ns for each link at it; hosts add no latency",
         "A host has one port"],
        {"host": ("400ns", "25Gbit/s"), "uplink": ("800ns", "800Gbit/s")}, [("rack", hosts)])
    leaves = [machine.switch(f"leaf {rack}") for rack in range(racks)]
    spine = machine.switch("spine")
    for host in range(racks * hosts):
        machine.link(host, leaves[host // hosts], "host")
    for leaf in leaves:
        machine.link(leaf, spine, "uplink")
    return machine


def sharp():
    leaves, hosts = 4, 32
    machine = Machine(
        f"hdr-sharp-{leaves * hosts}", f"{leaves} leaves of {hosts} hosts: HDR InfiniBand, whose switches multicast and reduce",
        leaves * hosts, 1,
        ["NVIDIA, 'Quantum QM8700' data sheet: 40 ports of 200 Gbit/s, 130 ns from port to port, SHARP",
         "Graham et al., 'Scalable Hierarchical Aggregation and Reduction Protocol (SHARP) Streaming-Aggregation Hardware Design "
         "and Evaluation', ISC High Performance 2020: reductions of long vectors at the speed of a link, over a tree of switches",
         "Derived: each leaf has its 8 other ports to a spine, one link of 1600 Gbit/s (oversubscription 4); the spine is a switch "
         "of the same kind. Half of a switch's 130 ns for each link at it; hosts add no latency", "A host has one port"],
        {"host": ("65ns", "200Gbit/s"), "uplink": ("130ns", "1600Gbit/s")}, [("leaf", hosts)])
    switches = [machine.switch(f"leaf {leaf}", in_network=True) for leaf in range(leaves)]
    spine = machine.switch("spine", in_network=True)
    for host in range(leaves * hosts):
        machine.link(host, switches[host // hosts], "host")
    for leaf in switches:
        machine.link(leaf, spine, "uplink")
    return machine


def torus():
    machine = Machine(
        "tpu-v4-4x4x4", "TPU v4: a 4x4x4 torus of 64 chips", 64, 6,
        ["Jouppi et al., 'TPU v4: An Optically Reconfigurable Supercomputer for Machine Learning with Hardware Support for "
         "Embeddings', ISCA 2023: cubes of 4x4x4 chips, which optical switches close to a torus; six links for each chip, 50 "
         "GB/s each in each direction",
         "No latency is published. Assumed: 1 us a link, the upper end of what is reported ('sub-microsecond')", MESSAGES],
        {"ici": ("1us", "50GB/s")})
    chips = list(itertools.product(range(4), repeat=3))
    for chip in chips:
        for axis in range(3):
            other = list(chip)
            other[axis] = (chip[axis] + 1) % 4
            machine.link(chips.index(chip), chips.index(tuple(other)), "ici")
    return machine


def dragonfly():
    groups, routers, hosts = 9, 4, 2
    machine = Machine(
        "slingshot-dragonfly-72", "A dragonfly of 9 groups, 4 Slingshot switches in each, 2 hosts at a switch",
        groups * routers * hosts, 1,
        ["Kim, Dally, Scott, Abts, 'Technology-Driven, Highly-Scalable Dragonfly Topology', ISCA 2008, section 3.1: the "
         "balanced dragonfly with p = h = 2, a = 4, 72 hosts: switches of a group fully connected, one link between any "
         "two groups",
         "De Sensi, Di Girolamo, McMahon, Roweth, Hoefler, 'An In-Depth Analysis of the Slingshot Interconnect', SC 2020: "
         "ports of 200 Gbit/s; 350 ns through a switch",
         "Derived: half of a switch's 350 ns for each link at it; cables and hosts add no latency. Routes are minimal: "
         "the adaptive ones of Slingshot are not modelled", "A host has one port"],
        {"host": ("175ns", "200Gbit/s"), "local": ("350ns", "200Gbit/s"), "global": ("350ns", "200Gbit/s")},
        [("switch", hosts), ("group", routers * hosts)])
    switches = [[machine.switch(f"group {g} switch {r}") for r in range(routers)] for g in range(groups)]
    for host in range(groups * routers * hosts):
        machine.link(host, switches[host // (routers * hosts)][host // hosts % routers], "host")
    for group in switches:
        for a, b in itertools.combinations(group, 2):
            machine.link(a, b, "local")
    for a, b in itertools.combinations(range(groups), 2):  # port i of a group leads to the i-th other one
        machine.link(switches[a][(b - 1) // 2], switches[b][a // 2], "global")
    return machine


def main():
    wrong = 0
    for machine in (dgx_1(), dgx_a100(1), dgx_a100(4), dgx_a100(32), dgx_h100(), nvl72(False), nvl72(True), mi300x(),
                    ethernet(), sharp(), torus(), dragonfly()):
        path = HERE / f"{machine.name}.json"
        if sys.argv[1:] != ["--check"]:
            path.write_text(machine.text())
        elif path.read_text() != machine.text():
            print(f"{path.name} is not up to date: run machines/generate.py")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
