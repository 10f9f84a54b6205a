#!/usr/bin/env python3
"""What schedcc-mpirun says to wrong usage, on two processes.

    tests/mpi/usage.py MPIRUN FOLDER N STOPPED LAUNCHER...

One case in N is tried, and all of --calibrate. STOPPED is a library whose clock stands still, to be preloaded. LAUNCHER starts so many processes ("launch.py mpirun 2").
"""

import os
import pathlib
import re
import subprocess
import sys

STEP = ('      <step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="1" depid="-1" deps="-1" '
        'hasdep="0"/>\n')
CUSTOM = '<algo name="x" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="custom" inplace="0">\n' + "".join(
    f'  <gpu id="{r}" i_chunks="1" o_chunks="2" s_chunks="0">\n    <tb id="0" send="{1 - r}" recv="{1 - r}" chan="0">\n'
    + STEP.format(0, "s", "i", 0, "o", r) + STEP.format(1, "r", "i", 0, "o", 1 - r) + STEP.format(2, "cpy", "i", 0, "o", r)
    + "    </tb>\n  </gpu>\n" for r in range(2)) + "</algo>\n"

FILES = {
    "custom.xml": CUSTOM,
    "pair.sched": "schedcc 1\ncollective broadcast\nranks 2\nroot 1\nchunks 1\nstep 0\n1 -> 0 : 0\n",
    "empty.sched": "schedcc 1\ncollective broadcast\nranks 2\nroot 1\nchunks 1\n",
    "three.sched": "schedcc 1\ncollective broadcast\nranks 3\nroot 1\nchunks 1\n",
    "late.sched": "schedcc 1\ncollective broadcast\nranks 2\nroot 1\nchunks 2\nstep 0\n1 -> 0 : 0\nstep 1\n1 -> 0 : 1\n",
    "bad.sched": "schedcc 1\ncollective broadcast\nranks two\n",
    "twice.sched": "schedcc 1\ncollective broadcast\nranks 2\nroot 1\nchunks 1\nstep 0\n1 -> 0 : 0\n1 -> 0 : 0\n",
    "sum.sched": "schedcc 1\ncollective reduce\nranks 2\nroot 0\nchunks 1\nstep 0\n1 -> 0 : 0 reduce\n",
}

# Arguments, status, and what standard output or error must match.
CASES = [
    ("--help", 0, r"Usage: mpirun -np P schedcc-mpirun SOURCE"),
    ("pair.sched --bytes 10,1k", 0, r"(?s)broadcast, 2 ranks, root 1, 1 chunk on duplex.*MPI_Bcast.*\n +10 +10 .*\n"
                                    r" +1000 +1000 .*every byte is as the collective defines it"),
    ("pair.sched empty.sched --bytes 10", 1, r"error: rank 0 ends with a wrong chunk 0: byte 0 of 10 is \d+, not \d+"),
    ("twice.sched --bytes 64", 1, r"error: rank 0: step 0: chunk 0 is twice in the message from rank 1\n"),
    ("pair.sched --from sched --machine kport:k=2 --pace step --sends=synchronous", 0, r"on kport:k=2"),
    ("sum.sched --type uint32 --op bxor --repetitions 3", 0, r"MPI_Reduce"),
    ("sum.sched --bytes 100 --op max --repetitions 2", 0,
     r"(?s) 100 bytes become 104: 13 of type double\n.*\n +104 +104 .*\(with 'max', a contribution counted twice"),
    ("pair.sched --bytes 0 --repetitions 1", 0, r"\n +0 +0 "),
    ("sum.sched --type affine", 2, r"error: 'compose' is not commutative, and the schedule does not keep the order"),
    ("sum.sched --type float --op bor", 2, r"error: the datatype 'float' has no operation 'bor'; it has sum, min, max\n"),
    ("", 2, r"error: missing SOURCE; see --help"),
    ("three.sched", 2, r"error: the schedule has 3 ranks, and there are only 2 processes; start more with -np"),
    ("bad.sched", 2, r"error: bad.sched:3:7: "),
    ("missing.sched", 2, r"error: missing.sched: "),
    ("-", 2, r"error: -: standard input cannot be read by every process; name a file"),
    ("pair.sched --machine dupplex", 2, r"error: pair.sched: unknown machine 'dupplex'; did you mean 'duplex'"),
    ("custom.xml", 2, r"error: custom.xml:1:1: the file does not state its custom collective"),
    ("custom.xml --collective allgather --repetitions 1", 0, r"(?s)allgather, 2 ranks, 1 chunk.*MPI_Allgather"),
    ("custom.xml --collective allgather --root 1", 2, r"error: custom.xml: allgather has no root"),
    ("custom.xml --root 1", 2, r"error: custom.xml: --root applies only to algorithms, or with --collective"),
    ("pair.sched --collective broadcast", 2, r"error: pair.sched: the file already names its collective: broadcast, 2 ranks"),
    ("pair.sched --machine simplex --bytes 8 --repetitions 1", 0, r"on simplex\n"),
    ("late.sched --machine logp:L=6,o=2,g=4", 2,
     r"error: late.sched:9: the schedule does not fit the machine 'logp:L=6,o=2,g=4': .* start at least 4 apart"),
    ("ring --ranks 2 --bytes 64 --repetitions 1", 0, r"(?s)ring: allgather, 2 ranks, 1 chunk on duplex.*MPI_Allgather"),
    ("ring --collective all-reduce --chunks 2 --bytes 64 --repetitions 1", 0, r"ring: allreduce, 2 ranks, 2 chunks"),
    ("tree --root 1 --bytes 64 --repetitions 1", 0, r"broadcast, 2 ranks, root 1"),
    ("ring --ranks 3", 2, r"error: the schedule has 3 ranks, and there are only 2 processes"),
    ("ringg", 2, r"error: ringg: unknown algorithm 'ringg'; did you mean 'ring'"),
    ("ring --root 1", 2, r"error: ring: allgather has no root"),
    ("ring --problem pair.sched", 2, r"error: ring: --problem applies only to programs"),
    ("pair.sched --ranks 2", 2, r"error: pair.sched: --ranks applies only to algorithms; a file states its own problem"),
    ("pair.sched --bytes", 2, r"error: --bytes needs a value"),
    ("pair.sched --bytes 1kg", 2, r"error: '1kg' is not a size"),
    ("pair.sched --repetitions -1", 2, r"error: --repetitions needs a number up to 1000000, not '-1'"),
    ("pair.sched --pace slow", 2, r"error: --pace is free or step, not 'slow'"),
    ("pair.sched --byte 1", 2, r"error: unknown option '--byte'; --help lists them"),
]

# Of --calibrate; with a fourth field the clock of MPI stands still.
CALIBRATIONS = [
    ("--calibrate -o machine.json --repetitions 5 --ports 1", 0,
     r"(?s)1 node of 2 ranks.*ranks of a node .*samples left out.*--machine topology:machine.json\n"),
    ("--calibrate --ranks-per-node=1 --repetitions 5", 0, r'(?s)"topology": 2.*"kind": "rank".*as --alpha '),
    ("--calibrate pair.sched", 2, r"error: --calibrate measures the machine, and takes no SOURCE: 'pair.sched'\n"),
    ("--calibrate --bytes 1KiB", 2, r"error: --bytes does not apply to --calibrate\n"),
    ("--calibrate=yes", 2, r"error: --calibrate has no value\n"),
    ("--calibrate --ports 0", 2, r"error: --ports must be at least 1\n"),
    ("--calibrate --repetitions 0 -o none.json", 2, r"error: --repetitions must be at least 5 with --calibrate\n"),
    ("--calibrate --repetitions 4 -o none.json", 2, r"error: --repetitions must be at least 5 with --calibrate\n"),
    ("--calibrate --repetitions 1000001", 2, r"error: --repetitions needs a number up to 1000000, not '1000001'\n"),
    ("--calibrate --ranks-per-node 3", 2, r"error: --ranks-per-node: 2 processes cannot be divided into nodes of 3\n"),
    ("--calibrate -o no/folder.json", 2, r"error: cannot write no/folder.json: No such file or directory\n"),
    ("pair.sched -o machine.json", 2, r"error: --output applies only to --calibrate\n"),
    ("--calibrate -o stopped.json", 2, r"error: MPI_Wtime does not advance while messages are sent", "stopped"),
]


def main():
    mpirun, folder, one_in, clock, launcher = (sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4],
                                               sys.argv[5:])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    failed = 0
    for arguments, status, pattern, *stopped in CASES[::one_in] + CALIBRATIONS:
        environment = dict(os.environ)
        if stopped:
            environment["SCHEDCC_MPI_IDLE"] = ":".join(filter(None, (environment.get("SCHEDCC_MPI_IDLE"), clock)))
        result = subprocess.run([*launcher, mpirun, *arguments.split()], cwd=folder, capture_output=True, text=True,
                                timeout=300, env=environment)
        if result.returncode != status or not re.search(pattern, result.stdout + result.stderr):
            failed += 1
            print(f"schedcc-mpirun {arguments}: status {result.returncode}, not {status}, or no {pattern}\n"
                  f"{result.stdout}{result.stderr}")
    if any((folder / name).exists() for name in ("stopped.json", "none.json")) or not (folder / "machine.json").exists():
        failed += 1
        print("a file of a measurement that failed, or none of one that did not")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
