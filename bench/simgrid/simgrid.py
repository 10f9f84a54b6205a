"""SimGrid from Python: platforms, and the times of programs and traces on them.

The network is the one of the alpha-beta model: alpha seconds and beta seconds a byte between any two
of P hosts, each of which has one line in and one line out.
"""

import pathlib
import re
import resource
import signal
import subprocess

# The plain fluid model without corrections, and computation that takes no time.
NETWORK = ["network/model:CM02", "network/crosstraffic:0", "network/weight-S:0", "network/latency-factor:1",
           "network/bandwidth-factor:1", "network/TCP-gamma:0", "smpi/simulate-computation:no",
           "smpi/host-speed:1Gf"]
# Sends do not end before their message has arrived. Otherwise SMPI buffers those below 64 KiB: a
# rank starts many at once, which then share its line, and all of them arrive late.
RENDEZVOUS = "smpi/send-is-detached-thresh:0"
BUFFERED = "smpi/send-is-detached-thresh:65536"


MEMORY = 16 << 30  # bytes of address space for a simulation with a limit: 8 MiB of stack for a rank, and as much again


class Failure(Exception):
    """A simulation that did not complete; `printed` is its output until then."""

    def __init__(self, why, printed=""):
        super().__init__(why)
        self.printed = printed


class TooLong(Failure):
    """A simulation that exceeded its limit of time."""


class Cluster:
    """P hosts; each has one line in and one line out, or, with `lines`, one to and from every other host.

    Its files are written into `folder`.
    """

    def __init__(self, folder, ranks, alpha=1e-6, beta=0.08e-9, lines=False):
        folder = pathlib.Path(folder)
        self.ranks = ranks
        self.platform = folder / f"platform-{ranks}-{alpha:g}-{beta:g}-{lines}.xml"
        self.hosts = folder / f"hosts-{ranks}"
        self.hosts.write_text("".join(f"node-{rank}\n" for rank in range(ranks)))
        zone = (self.full if lines else self.cluster)(ranks, alpha, 1 / beta)
        self.platform.write_text('<?xml version="1.0"?>\n'
                                 '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                                 f'<platform version="4.1">\n{zone}</platform>\n')

    @staticmethod
    def cluster(ranks, alpha, bandwidth):
        return (f'<cluster id="cluster" prefix="node-" suffix="" radical="0-{ranks - 1}" speed="1Gf" '
                f'bw="{bandwidth:.9g}Bps" lat="{alpha / 2:.9g}s" sharing_policy="SPLITDUPLEX"/>\n')

    @staticmethod
    def full(ranks, alpha, bandwidth):
        pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
        hosts = "".join(f'<host id="node-{rank}" speed="1Gf"/>\n' for rank in range(ranks))
        links = "".join(f'<link id="{a}-{b}" bandwidth="{bandwidth:.9g}Bps" latency="{alpha:.9g}s"/>\n'
                        for a, b in pairs)
        routes = "".join(f'<route src="node-{a}" dst="node-{b}" symmetrical="NO"><link_ctn id="{a}-{b}"/></route>\n'
                         for a, b in pairs)
        return f'<zone id="full" routing="Full">\n{hosts}{links}{routes}</zone>\n'

    def run(self, *arguments, configuration=(), limit=None, buffers=0):
        """Runs smpirun and returns its output. `limit`: seconds of processor time; a simulation with a limit also has
        one on its memory, plus `buffers` bytes. Raises Failure."""
        command = ["smpirun", *(f"--cfg={value}" for value in [*NETWORK, *configuration]), "-np", self.ranks,
                   "-no-privatize", "-platform", self.platform, "-hostfile", self.hosts, *arguments]

        def confine():
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY + buffers, MEMORY + buffers))

        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, preexec_fn=confine)
        if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
            raise TooLong(f"not simulated within {limit} s", done.stdout)
        if done.returncode != 0 or "Deadlock" in done.stdout:
            raise Failure(next((line for line in done.stdout.splitlines()
                                if "CRITICAL" in line or "Deadlock" in line), done.stdout[-300:]), done.stdout)
        return done.stdout

    def replay(self, traces, configuration=(), limit=None):
        """The simulated seconds of the time-independent traces that a file lists."""
        printed = self.run("-replay", traces, configuration=["smpi/display-timing:yes", *configuration],
                           limit=limit)
        match = re.search(r"Simulated time: (\S+) seconds", printed)
        if not match:
            raise Failure(printed[-300:])
        return float(match.group(1))
