#!/usr/bin/env python3
"""Small inputs with huge numbers: memory and time must depend on the input's length and the state it touches.

    limits.py SCHEDCC [PART-OF-A-NAME...]

Runs schedcc on generated inputs with a limit on its address space and on its processor time. It
must answer with exit status 0, 1, 2 or 3, and with exactly one error message where that is 2 or 3.
To run into the limit on memory is a failure, even with a message: schedcc has to see by itself what
goes too far.

An algorithm's schedule is as large as the numbers that it is asked for, and takes as long. These
cases, which are marked as `streamed`, are stopped after a while, and pass if they are within memory
then. Each rank takes some memory: a million of them are within the limit, or so many are refused.

With VERBOSE in the environment every case is printed.
"""

import concurrent.futures
import dataclasses
import json
import math
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

MEMORY = 512 << 20  # bytes of address space
SECONDS = float(os.environ.get("LIMIT_SECONDS", "10"))
STREAMED_SECONDS = 0.5
MOST = 2**32 - 1


@dataclasses.dataclass
class Case:
    """`files`: the text of each, by name, or its bytes."""

    name: str
    arguments: list
    files: dict = dataclasses.field(default_factory=dict)
    streamed: bool = False


def sched(collective, ranks, chunks, steps, machine="", more=""):
    machine = f"machine {machine}\n" if machine else ""
    return f"schedcc 1\ncollective {collective}\nranks {ranks}\nchunks {chunks}\n{machine}{more}{steps}"


def verify(name, text, *options):
    return Case(f"verify {name}", ["verify", "x.sched", *options], {"x.sched": text})


def one(src, dst, chunks="0", step="0"):
    return f"step {step}\n{src} -> {dst} : {chunks}\n"


# --- Schedules in files.


def networks():
    """One message on the largest machines, and long ways that overlap."""
    machines = [(spec, MOST - 1) for spec in (
        f"torus:1x{MOST - 1}", f"mesh:1x{MOST - 1}", f"torus:{MOST - 1}x1",
        f"crossbar:a={MOST - 1},b=1", f"crossbar:a=1,b={MOST - 1}",
        f"cluster:1x{MOST - 1},oversubscription=2", f"cluster:{MOST - 1}x1,nics={MOST - 1},rails")]
    machines += [("torus:65535x65536", 65535 * 65536), ("cbft", 2**31), ("ebft", 2**31),
                 (f"fattree:cap={','.join([str(MOST)] * 31)}", 2**31)]
    for spec, ranks in machines:
        for collective in ("broadcast", "alltoall"):
            yield verify(f"{spec[:40]} {collective}",
                         sched(collective, ranks, 1, one(0, ranks // 2 - 1), spec))
    yield verify(f"torus:1x{MOST}", sched("broadcast", MOST - 1, 1, one(0, 7), f"torus:1x{MOST}"))
    long_ways = "step 0\n" + "".join(
        f"{r * 1000000} -> {r * 1000000 + 2000000000} : 0\n" for r in range(2000))
    for congestion in (4000, 1):
        machine = f"torus:1x{MOST - 1},congestion={congestion}"
        yield verify(f"{machine}, 2000 long ways", sched("broadcast", MOST - 1, 1, long_ways, machine))


def symmetric():
    """Few lines that stand for many blocks, the same for each rank."""
    ranks = 10000
    lines = "".join(f"{r} -> {(r + 1) % ranks} : 0-{ranks * ranks - 1}\n" for r in range(ranks))
    yield verify(f"an alltoall of {ranks} ranks that send all", sched("alltoall", ranks, 1, f"step 0\n{lines}"))


def topology(ranks, links, switches=0):
    return json.dumps({
        "topology": 1, "ranks": ranks, "switches": [f"s{i}" for i in range(switches)],
        "links": [{"from": a, "to": b, "capacity": MOST} for a, b in links]})


def star(ranks):
    return topology(ranks, [link for r in range(ranks) for link in ((r, ranks), (ranks, r))], 1)


def ring(ranks):
    return topology(ranks, [link for r in range(ranks)
                            for link in ((r, (r + 1) % ranks), ((r + 1) % ranks, r))])


def topologies():
    ranks, machine = 20000, "topology:net.json"

    def shifted(by):
        return "".join(f"{r} -> {(r + by) % ranks} : {r}\n" for r in range(ranks))

    for name, network, by, rounds in (("star", star, 1, ""), ("star", star, 7000, f" rounds {2**31}"),
                                      ("ring", ring, 1, ""), ("ring", ring, ranks // 2, "")):
        text = sched("allgather", ranks, 1, f"step 0{rounds}\n{shifted(by)}", machine)
        yield Case(f"{name} of {ranks} ranks, by {by}{rounds}", ["verify", "x.sched"],
                   {"x.sched": text, "net.json": network(ranks)})
    for named in (MOST - 1, MOST, 2**31, 10**30):
        yield Case(f"topology of {named} ranks", ["verify", "x.sched"],
                   {"x.sched": sched("broadcast", min(named, MOST - 1), 1, one(0, 1), machine),
                    "net.json": topology(named, [(0, 1), (1, 0)])})


def sizes():
    """Headers with the largest numbers, and one transfer."""
    for collective in ("broadcast", "reduce", "scatter", "gather", "allgather", "alltoall",
                       "allreduce", "reduce-scatter", "scan", "exscan"):
        for ranks, chunks in ((MOST - 1, 1), (MOST, 1), (2, 2**31 - 1), (MOST - 1, 2**31 - 1), (65535, 1)):
            yield verify(f"{collective}, {ranks} ranks, {chunks} chunks",
                         sched(collective, ranks, chunks, one(0, 1)))
    for machine in ("simplex", f"kport:k={MOST}", f"bsp:h={MOST}",
                    f"logp:L={MOST},o={MOST},g={MOST}", f"duplex:width={MOST}"):
        yield verify(machine, sched("broadcast", MOST - 1, 1, one(0, 1, step=MOST), machine))
    for option in ("--blocking=program", "--eager=4294967295", "--max-buffer=4294967295",
                   "--max-findings=4294967295"):
        yield verify(option, sched("broadcast", MOST - 1, 1, one(0, 1)), option)
    # Two messages on the same edges, nearly all the way round: as many findings as edges, or ranks.
    ring = f"torus:1x{MOST - 1}"
    overload = f"step 0\n0 -> {2**31 - 8} : 0\n1 -> {2**31 - 9} : 0\n"
    for more in ([], ["--json"]):
        yield verify(f"{ring}, all findings {' '.join(more)}",
                     sched("broadcast", MOST - 1, 1, overload, ring), "--max-findings=4294967295", *more)


def runs():
    """Runs of many chunks."""
    all_chunks, half = f"0-{MOST - 1}", 2**31 - 1
    for reduced in ("", " reduced"):
        custom = f"pre 0 : {all_chunks}\npost 1 : {all_chunks}{reduced}\n"
        moves = one(0, 1, f"0-{half - 1}") + one(0, 1, f"{half}-{MOST - 2}", 1)
        for steps in ("", moves):
            yield verify(f"custom, {MOST} chunks{reduced}{', moved' if steps else ''}",
                         sched("custom", 2, MOST, steps, more=custom))
    yield verify("custom, all ranks", sched("custom", MOST - 1, 2, one(MOST - 2, 5),
                                            more=f"pre {MOST - 2} : 0\npost 5 : 0\n"))
    for chunks in (10**8, 2**31 - 1):
        everything = f"0-{chunks - 1}"
        yield verify(f"broadcast, {chunks} chunks", sched("broadcast", 2, chunks, one(0, 1, everything)))
        for collective in ("reduce", "allreduce", "scan"):
            for more in ("", "ordered\n"):
                yield verify(f"{collective}, {chunks} chunks {more.strip()}", sched(
                    collective, 2, chunks, one(1, 0, everything + " reduce"), more=more))
    for collective in ("scatter", "gather", "allgather", "alltoall", "reduce-scatter"):
        yield verify(f"{collective}, 10^8 chunks",
                     sched(collective, 2, 10**8, one(0, 1, f"0-{10**8 - 1}")))
    scattered = "".join(one(0, 1, f"{i * 214748}-{i * 214748 + 107374}", i) for i in range(10000))
    yield verify("broadcast, scattered runs", sched("broadcast", 2, 2**31 - 1, scattered))


def reductions():
    """Sums that grow by one rank a step, with gaps between their ranks or without."""
    steps = 20000
    for gap, ranks in ((1, "all"), (2, "even")):
        to_root = "".join(one(gap * (i + 1), 0, "0 reduce", i) for i in range(steps))
        chain = "".join(one(gap * (steps - i), gap * (steps - 1 - i), "0 reduce", i)
                        for i in range(steps))
        for name, text in (("to the root", to_root), ("along a chain", chain)):
            yield verify(f"reduce {name}, {steps} steps, {ranks} ranks",
                         sched("reduce", gap * steps + 1, 1, text))
    for ranks, chunks in ((MOST, 1), (2, MOST // 2)):
        yield verify(f"allreduce by one addition, {ranks} ranks, {chunks} chunks",
                     sched("allreduce", ranks, chunks, one(0, 1, "0 reduce")))


def passed_on():
    """One chunk that a few of very many ranks pass on, by one thread and by two."""
    steps = one(0, 1) + one(1, 2, step=1) + one(2, 3, step=2)
    for collective, ranks in (("broadcast", MOST), ("allgather", 2**31 - 1), ("gather", 2**31 - 1)):
        for jobs in ("1", "2"):
            yield verify(f"{collective}, {ranks} ranks, passed on by {jobs} threads",
                         sched(collective, ranks, 1, steps), "--jobs", jobs)


def overlapping():
    """Transfers whose ends all differ, so that each of them cuts what others brought."""
    numbers = random.Random(1)
    for most, length, steps in ((10**9, 10**9, 8000), (10**6, 2000, 15000), (10000, 500, 10000),
                                (10000, 30, 50000)):
        for collective, reduce in (("reduce", " reduce"), ("broadcast", "")):
            text = []
            for i in range(steps):
                first = numbers.randrange(most)
                last = first + numbers.randrange(length)
                text.append(one(numbers.randrange(1, 1000), 0, f"{first}-{last}{reduce}", i))
            yield verify(f"{collective}, {steps} runs of at most {length}",
                         sched(collective, 1000, 2 * 10**9, "".join(text)))
    singles = "".join(one(0, 1, chunk, i)
                      for i, chunk in enumerate(sorted(numbers.sample(range(2 * 10**6), 50000))))
    chain = "".join(one(i + 1, i + 2, "0-1999999", 50000 + i) for i in range(150))
    for collective in ("broadcast", "allreduce"):
        yield verify(f"{collective}, single chunks, then all that there are",
                     sched(collective, 200, 2 * 10**6, singles + chain))


# --- Files of other formats.


def json_schedules():
    for ranks, chunks in ((MOST - 1, 1), (2, 2**31 - 1), (MOST - 1, 2**31 - 1), (10**40, 1)):
        for collective in ("broadcast", "alltoall", "allreduce"):
            text = json.dumps({"schedcc": 1, "collective": collective, "ranks": ranks, "chunks": chunks,
                               "steps": [{"step": MOST, "transfers": [[0, 1, 0, 1]]}]})
            yield Case(f"json {collective} {ranks} {chunks}", ["verify", "x.json"], {"x.json": text})
    for deep in ("[", '{"a":'):
        yield Case(f"json, nested {deep}", ["verify", "x.json"], {"x.json": deep * 500000})


def goal():
    sizes = [(ranks, 8) for ranks in (MOST - 1, MOST, 2**31, 2**22, 10**30)]
    for ranks, size in sizes + [(2, 2**31), (2, 2**63), (2, 10**30)]:
        text = (f"num_ranks {ranks}\nrank 0 {{\nl1: send {size}b to 1 tag 0\n}}\n"
                f"rank 1 {{\nl1: recv {size}b from 0 tag 0\n}}\n")
        yield Case(f"goal {ranks} ranks, {size} bytes", ["verify", "x.goal"], {"x.goal": text})


def xml(gpus, collective, chunks, inplace, body=""):
    head = (f'<algo name="a" proto="Simple" nchannels="1" nchunksperloop="{chunks}" ngpus="{gpus}" '
            f'coll="{collective}" inplace="{inplace}">\n')
    return head + "".join(f'<gpu id="{g}" i_chunks="0" o_chunks="0" s_chunks="0">{body}</gpu>\n'
                          for g in range(gpus)) + "</algo>\n"


def msccl():
    gpus = 30000
    for collective in ("allgather", "allreduce", "alltoall", "broadcast", "reduce_scatter", "custom"):
        for inplace in (0, 1):
            yield Case(f"msccl, {gpus} empty GPUs, {collective}, inplace {inplace}", ["verify", "x.xml"],
                       {"x.xml": xml(gpus, collective, gpus, inplace)})
    step = ('<tb id="0" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="0" '
            'dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>')
    for key in ("nchannels", "nchunksperloop", "ngpus", "i_chunks", "o_chunks", "s_chunks", "cnt",
                "srcoff", "id", "chan"):
        for value in (MOST, 2**31 - 1, 10**30):
            text = xml(2, "allreduce", 2, 0, step)
            begin = text.index(f' {key}="') + len(key) + 3
            text = text[:begin] + str(value) + text[text.index('"', begin):]
            yield Case(f"msccl, {key} is {value}", ["verify", "x.xml"], {"x.xml": text})


def sccl():
    for ranks, parts, rounds in ((2, 2**31 - 1, 1), (2, MOST - 1, 1), (MOST - 1, 1, 1), (2, 1, MOST - 1),
                                 (2, 4611686018427387905, 1), (10**20, 1, 1)):
        text = json.dumps({
            "msccl_type": "algorithm", "name": "a",
            "instance": {"msccl_type": "instance", "steps": 1, "extra_rounds": rounds - 1,
                         "chunks": parts, "pipeline": None, "extra_memory": None,
                         "allow_exchange": False},
            "input_map": {"0": [0]}, "output_map": {"0": [0], "1": [0]},
            "steps": [{"msccl_type": "step", "rounds": rounds, "sends": [[0, 0, 1]]}],
            "collective": {"msccl_type": "collective", "name": "Broadcast(root=0)", "nodes": ranks,
                           "chunks": [{"msccl_type": "chunk", "pre": [0], "post": [0, 1], "addr": 0}]},
            "topology": {"msccl_type": "topology", "name": "t", "switches": [],
                         "links": [[0, 1], [1, 0]], "remap": None}})
        yield Case(f"sccl, {ranks} ranks, {parts} parts, {rounds} rounds", ["verify", "x.sccl.json"],
                   {"x.sccl.json": text})


def teccl():
    for gpu, chunk, epoch, volume in ((MOST - 1, 0, 0, 1), (1, MOST - 1, 0, 1), (1, 0, MOST - 1, 1),
                                      (1, 0, 0, 0.1415926), (MOST - 1, MOST - 1, MOST - 1, 1e-12)):
        hops = [f"0->{gpu} with volume {v:.13f} in epoch {epoch}" for v in (volume, 1 - volume) if v > 0]
        text = json.dumps({
            "1-Epoch_Duration": 1, "3-Epochs_Required": epoch + 1,
            "7-Flows": [f"Chunk {chunk} from 0 traveled over {hop}" for hop in hops],
            "8-Chunk paths": {f"Demand at {gpu} for chunk {chunk} from 0 met by epoch {epoch}":
                              [[[epoch, hop]] for hop in hops]}})
        yield Case(f"teccl, GPU {gpu}, chunk {chunk}, epoch {epoch}, volume {volume}", ["verify", "x.json"],
                   {"x.json": text})


# --- Binary files (docs/binary-format.md).


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def block(number, kind, payload, length=None):
    data = struct.pack("<III", number, kind, len(payload) if length is None else length) + payload
    return data + struct.pack("<I", crc32c(data))


def varint(value):
    result = b""
    while value >= 0x80:
        result += bytes([value & 0x7F | 0x80])
        value >>= 7
    return result + bytes([value])


def group(rows, distance, base, codes=0):
    """A group, without the bytes of its columns."""
    return b"\1" + varint(rows) + varint(distance) + bytes([codes]) + b"".join(varint(2 * b) for b in base)


def binary():
    """Few bytes that stand for many transfers: streamed, or refused where a step is too large."""
    head = b"\x89SCB\r\n\x1a\n" + struct.pack("<II", 1, 2**20)
    head += struct.pack("<I", crc32c(head))

    def file(*payloads, chunks=1, ranks=MOST - 1, collective="broadcast", end=True):
        header = f"schedcc 1\ncollective {collective}\nranks {ranks}\nchunks {chunks}\n".encode()
        blocks = [(1, header), *payloads] + ([(5, struct.pack("<QQ", 1, 1))] if end else [])
        return head + b"".join(block(n, kind, payload) for n, (kind, payload) in enumerate(blocks))

    step = b"\0\0\1"
    custom = {"collective": "custom", "chunks": MOST}
    one_row = group(1, 0, (0, 1, 0, 1))
    cases = {
        "a step of 2^32 - 1 transfers": file((4, step + group(MOST, 0, (0, 1, 0, 1)))),
        "a step of 2^32 - 1 copies": file((4, step + one_row + group(MOST, 1, (1, 1, 0, 0)))),
        "2^16 groups in a step": file((4, step + one_row + 2**16 * group(2**16, 1, (0, 0, 0, 0)))),
        "3 * 10^6 equal transfers": file((4, step + one_row + group(3 * 10**6, 1, (0, 0, 0, 0))), ranks=4),
        "3 * 10^6 transfers of which 48 differ": file((4, step + one_row + group(3 * 10**6, 1, (0, 0, 1, 0))), ranks=4, chunks=4),
        "the last step and rank": file((4, b"\0" + varint(MOST) + varint(MOST) + one_row)),
        "a block that is not there": head + struct.pack("<III", 0, 1, 2**20),
        "a block of 2^32 - 1 bytes": head + block(0, 1, b"x", MOST),
        "a column that is not there": file((4, step + group(MOST, 0, (0, 1, 0, 1), 255))),
        "runs that take no bytes": file((2, group(MOST, 0, (0, 0, 0, 1))), **custom),
        "runs that are not there": file((2, group(MOST, 0, (0, 0, 0, 1), 64)), **custom),
        "one line of all chunks": file((2, group(1, 0, (0, 0, 0, 0), 192) + struct.pack("<I", MOST - 1)), **custom),
        "the header alone": file(end=False),
    }
    for name, data in cases.items():
        for command in (["verify", "x.schedb"], ["convert", "x.schedb", "-o", "/dev/null"], ["prove", "x.schedb", "--steps", "1"]):
            yield Case(f"binary, {name}, {command[0]}", command, {"x.schedb": data})
    # Steps of a pipeline are kept where others repeat them, but not so many that are all different.
    unlike = b"".join(step + group(1, 0, (0, 1 + i, i, 1)) + group(2**17, 1, (1, 1, 0, 0)) for i in range(260))
    yield Case("binary, 260 large steps that repeat nothing", ["verify", "x.schedb"],
               {"x.schedb": file((4, unlike), chunks=260, ranks=2**17 + 261)})
    # Each step is small; there are as many as one reads.
    steps = b"".join(step + one_row + group(2**20, 1, (1, 1, 0, 0)) for _ in range(20000))
    yield Case("binary, 2 * 10^10 transfers", ["convert", "x.schedb", "--emit", "binary", "-o", "/dev/null"],
               {"x.schedb": file((4, steps))}, streamed=True)


# --- Algorithms, and output of their schedules.

ALGORITHMS = (
    "linear chain binary-tree fractional-tree binomial-tree knomial-tree kary-tree butterfly circulant "
    "two-tree scatter-allgather two-phase bsp-pipeline karp logp-linear ring recursive-doubling "
    "recursive-halving butterfly-allreduce binomial-allreduce rabenseifner all-pairs bruck pairwise "
    "circulant-skips pat sparbit neighbor-exchange recexch recursive-multiplying double-binary-tree "
    "bsp-butterfly hierarchical kogge-stone fattree-broadcast furthest-first flood queueless xor "
    "total-exchange summa matmul-3d").split()
TIMES = ["--bytes", "1EiB", "--alpha", "1us", "--beta", "1ns/B"]


def compiled(algorithm, ranks, chunks, *more, streamed=True):
    name = f"compile {algorithm}, {ranks} ranks, {chunks} chunks {' '.join(more)}"
    arguments = ["compile", algorithm, "--ranks", str(ranks), "--chunks", str(chunks), *more]
    return Case(name, arguments, streamed=streamed)


def costed(algorithm, ranks):
    """The number of chunks is left open. Linear trees have as many steps as ranks."""
    return Case(f"cost {algorithm}, {ranks} ranks", ["cost", algorithm, "--ranks", str(ranks), *TIMES],
                streamed=(algorithm, ranks) == ("linear", 2**31))


def algorithms():
    for algorithm in ALGORITHMS:
        yield costed(algorithm, 2)
    for algorithm in ("linear chain binary-tree fractional-tree knomial-tree kary-tree two-tree circulant karp "
                      "ring bruck xor matmul-3d").split():
        yield costed(algorithm, 2**31)
    for algorithm in "linear chain fractional-tree binomial-tree kary-tree circulant karp ring bruck xor".split():
        yield compiled(algorithm, MOST - 1, 1)
    for algorithm in ("chain", "circulant", "ring"):
        yield compiled(algorithm, 2**31, 2**31 - 1)
    for algorithm in ("chain", "two-tree", "flood", "recursive-doubling"):
        yield compiled(algorithm, 2, 2**31 - 1)
    for algorithm in "scatter-allgather ring rabenseifner".split():
        yield compiled(algorithm, 2**20, 1)
    for algorithm in "chain two-tree circulant binomial-tree butterfly kary-tree".split():
        yield compiled(algorithm, 2**18, 1, streamed=False)


FILES = ((MOST - 1, 1, one(0, MOST - 2, step=MOST)), (2, 2**31 - 1, one(0, 1, f"0-{2**31 - 2}")),
         (2, 2**31 - 1, one(0, 1, 5, f"{MOST} rounds {2**31}")))


def written():
    """What makes no schedule, or a table that cannot be in memory, ends early."""
    for name in "sched binary json csv goal sccl msccl cpp cpp:local cpp:rank=1 mpi dot trace ti".split():
        emit = ["--no-verify", "--emit", name, "-o", "/dev/null"]
        listed = name in ("sccl", "msccl", "cpp", "cpp:local", "cpp:rank=1", "mpi")
        yield compiled("chain", 2, 2**31 - 1, *emit, streamed=not listed)
        for number, (ranks, chunks, steps) in enumerate(FILES):
            yield Case(f"{name} of file {number}", ["compile", "x.sched", *emit],
                       {"x.sched": sched("broadcast", ranks, chunks, steps)})
    for name in ("sched", "binary", "cpp:local", "cpp:rank=1"):
        yield compiled("linear", MOST - 1, 1, "--no-verify", "--emit", name, "-o", "/dev/null")


def costs():
    models = {"alpha-beta": TIMES, "bsp": ["--bytes", "1EiB", "--model", "bsp:l=1us,g=1ns/B"],
              "logp": ["--bytes", "1EiB", "--model", "logp:L=1us,o=1us,g=1us"]}
    for number, (ranks, chunks, steps) in enumerate(FILES):
        for name, model in models.items():
            for machine in ("duplex", f"kport:k={MOST}", "torus"):
                yield Case(f"cost of file {number}, {name}, {machine}",
                           ["cost", "x.sched", "--no-verify", "--machine", machine, *model],
                           {"x.sched": sched("broadcast", ranks, chunks, steps)})


def tunes():
    for ranks in (MOST - 1, 2**31, 2, MOST, 2**64):
        for collective in ("broadcast", "allreduce", "alltoall"):
            for more in ([], ["--chunks", str(2**31 - 1)]):
                yield Case(f"tune {collective}, {ranks} ranks {' '.join(more)}",
                           ["tune", "--collective", collective, "--ranks", str(ranks), *TIMES, *more])
    yield Case("tune, many points", ["tune", "--collective", "broadcast", "--ranks", "4", "--bytes", "1..1EiB",
                                     "--points", str(MOST), *TIMES[2:]])
    # Tens of thousands of settings, of each of which several schedules are timed and kept.
    yield Case("tune, many messages at a time", ["tune", "--collective", "allgather", "--ranks", "128", "--bytes", "256",
                                                 "--model", "bsp:l=1us,g=12.5GB/s,h=127"])


def proofs():
    for steps in (10**6, 10**9, MOST):
        yield Case(f"prove, {steps} steps", ["prove", "--collective", "broadcast", "--ranks", "3", "--steps",
                                             str(steps), "--timeout", "5"])
    for ranks, chunks in ((MOST - 1, 1), (100000, 1), (2, 2**31 - 1)):
        for collective in ("broadcast", "alltoall", "allreduce"):
            yield Case(f"prove {collective}, {ranks} ranks, {chunks} chunks",
                       ["prove", "--collective", collective, "--ranks", str(ranks), "--chunks", str(chunks),
                        "--timeout", "3"])


def threads():
    """More than have room for their stacks: those that start do the work."""
    yield Case("verify, 200 at a time", ["verify", *["x.sched"] * 200, "-j", "200"],
               {"x.sched": sched("broadcast", 2, 1, one(0, 1))})


FAMILIES = (networks, symmetric, topologies, sizes, runs, reductions, passed_on, overlapping, json_schedules, goal,
            msccl, sccl, teccl, binary, algorithms, written, costs, tunes, proofs, threads)


# --- Running them.


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = math.ceil(SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def allowed(case):
    """Seconds by the clock: on a busy machine, many more than of the processor."""
    return STREAMED_SECONDS if case.streamed else 20 * SECONDS


def fault(case, stopped, status, message):
    """What is wrong with an answer; None if nothing is."""
    if stopped:
        return None if case.streamed else f"more than {SECONDS:g} s"
    if status not in (0, 1, 2, 3):
        return f"exit status {status}"
    if "out of memory" in message:
        return "runs out of memory"
    # An undecided question is reported, not an error.
    if status in (2, 3) and case.arguments[0] != "prove" and message.count("error: ") != 1:
        return f"exit status {status} with {message.count('error: ')} error messages"
    return None


def run(schedcc, case):
    """The error, or None; the time; and the output of schedcc."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode("ascii"))
        begin = time.monotonic()
        with subprocess.Popen([schedcc, *case.arguments], cwd=folder, preexec_fn=limit, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            stopped = False
            try:
                message = process.communicate(timeout=allowed(case))[1]
            except subprocess.TimeoutExpired:
                stopped = True
                process.kill()
                message = process.communicate()[1]
            stopped = stopped or process.returncode == -signal.SIGXCPU
        seconds = time.monotonic() - begin
    return fault(case, stopped, process.returncode, message), stopped, seconds, message.strip()


def main():
    schedcc, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    cases = [case for family in FAMILIES for case in family()
             if not wanted or any(part in case.name for part in wanted)]
    failures = running = 0
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, answer in zip(cases, pool.map(lambda c: run(schedcc, c), cases)):
            wrong, stopped, seconds, message = answer
            if wrong is not None or "VERBOSE" in os.environ:
                verdict = wrong or ("running within memory" if stopped else "ok")
                print(f"{case.name}: {verdict} ({seconds:.1f} s): {' '.join(case.arguments)}\n"
                      f"    {message[:300]}", flush=True)
            failures += wrong is not None
            running += wrong is None and stopped
    print(f"{len(cases)} cases, {running} of them running within memory, {failures} failures, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
