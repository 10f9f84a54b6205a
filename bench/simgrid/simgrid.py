"""SimGrid from Python: platforms, and the times of programs and traces on them.

The platforms are those of `schedcc compile --emit simgrid-platform`; their files state the fluid model without
corrections. What is left to say is that computation takes no time, and the name of the model, for which smpirun has another.
"""

import pathlib
import re
import resource
import signal
import subprocess

MODEL = ["network/model:CM02", "smpi/simulate-computation:no", "smpi/host-speed:1Gf"]
# Sends do not end before their message has arrived. Otherwise SMPI buffers those below 64 KiB: a
# rank starts many at once, which then share its line, and all of them arrive late.
RENDEZVOUS = "smpi/send-is-detached-thresh:0"
BUFFER = 65536  # bytes: with this protocol all messages below are buffered
ENVELOPE = 16  # bytes: what SMPI adds to each message
BUFFERED = f"smpi/send-is-detached-thresh:{BUFFER}"

MEMORY = 16 << 30  # bytes of address space for a simulation with a limit: 8 MiB of stack for a rank, and as much again


class Failure(Exception):
    """A simulation that did not complete; `printed` is its output until then."""

    def __init__(self, why, printed=""):
        super().__init__(why)
        self.printed = printed


class TooLong(Failure):
    """A simulation that exceeded its limit of time."""


def separate_waits(folder):
    """The library by which MPI_Waitall waits for one request after the other (waits.cpp), built in a folder."""
    library = pathlib.Path(folder).resolve() / "waits.so"
    if not library.exists():
        source = pathlib.Path(__file__).resolve().parent / "waits.cpp"
        subprocess.run(["g++", "-std=c++17", "-O2", "-shared", "-fPIC", source, "-o", library, "-lsimgrid"], check=True)
    return library


class Cluster:
    """A machine with a host for each rank; its files are written into `folder`. `preloaded`: a library that is loaded
    into simulations first, if any."""

    preloaded = None

    def __init__(self, schedcc, folder, ranks, machine=None, network=None):
        """`network`: the parameters of the format, as "alpha=1us,beta=0.08ns/B"; none: the machine's own links."""
        self.ranks = ranks
        named = re.sub(r"\W+", "-", f"{machine}-{network}")
        self.platform = pathlib.Path(folder) / f"{ranks}-{named}.platform.xml"
        self.hosts = f"{self.platform}.d/hosts"
        emit = "simgrid-platform" + (f":{network}" if network else "")
        subprocess.run([schedcc, "compile", "linear", "--ranks", str(ranks), "--machine", machine or "duplex",
                        "--no-verify", "--quiet", "--emit", emit, "-o", self.platform], check=True)

    def run(self, *arguments, ranks=None, configuration=(), limit=None, buffers=0):
        """Runs smpirun, with so many ranks if not with all, and returns its output. `limit`: seconds of processor time;
        a simulation with a limit also has one on its memory, plus `buffers` bytes. Raises Failure."""
        command = ["smpirun", *(f"--cfg={value}" for value in [*MODEL, *configuration]), "-np", ranks or self.ranks,
                   "-no-privatize", "-platform", self.platform, "-hostfile", self.hosts,
                   *(["-wrapper", f"env LD_PRELOAD={self.preloaded}"] if self.preloaded else []), *arguments]

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
