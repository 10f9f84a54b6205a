#!/usr/bin/env python3
"""Records the programs of this folder, and compares what is found with what each of them does.

    tests/mpi/record/record.py SCHEDCC RECORDER WRAPPER INCLUDE FOLDER PART LAUNCH MPIRUN

WRAPPER is the end of the names of the compiler wrappers: mpicc.WRAPPER and so on. PART is "all", or "few": of the
programs that hang or fail only some. LAUNCH is launch.py.
"""

import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
P = 5


def ring(offset, steps, first=0, reduce=""):
    return {first + t: {(r, (r + 1) % P, str((r - t - offset) % P), reduce) for r in range(P)} for t in range(steps)}


def one_by_one(messages):
    return {step: {message} for step, message in enumerate(messages)}


RING = ring(0, P - 1)
ALLREDUCE = ring(0, P - 1, reduce="reduce") | {t: {(r, (r + 1) % P, str((r - t) % P), "") for r in range(P)}
                                                for t in range(P - 1, 2 * P - 2)}
CHAIN = one_by_one([(r, r + 1, "0", "reduce") for r in range(P - 1)])

# The schedules of right.c, by the names that it prints.
SCHEDULES = {
    **{name: RING for name in ["sendrecv", "sendrecv_replace", *(f"completion-{i}" for i in range(8)),
                               *(f"mode-{i}" for i in range(7)), *(f"persistent-{i}" for i in range(4)),
                               *(f"probe-{i}" for i in range(4)), *(f"one-sided-{i}" for i in range(4))]},
    "accumulate": one_by_one([(r, 1, "0", "reduce") for r in range(P) if r != 1]),
    "derived-type": {0: {(0, 4, "0", "")}, 1: {(0, 2, "0", "")}, 2: {(0, 1, "0", ""), (2, 3, "0", "")}},
    **{name: ALLREDUCE for name in ["ring-int64", "ring-double", "ring-int32"]},
    # Rank 4 is beyond the power of two.
    "reduce_local": {0: {(4, 0, "0", "reduce"), (2, 3, "0", "reduce"), (3, 2, "0", "reduce")},
                     1: {(0, 1, "0", "reduce"), (1, 0, "0", "reduce")},
                     2: {(a, a ^ 2, "0", "reduce") for a in range(4)}, 3: {(0, 4, "0", "")}},
    "gather": one_by_one([(r, 2, str(r), "") for r in range(P) if r != 2]),
    "scatter": one_by_one([(1, r, str(r), "") for r in range(P) if r != 1]),
    "alltoall": {t - 1: {(r, (r + t) % P, str(r * P + (r + t) % P), "") for r in range(P)} for t in range(1, P)},
    "reduce": CHAIN,
    "scan": CHAIN,
    "reduce-scatter": ring(1, P - 1, reduce="reduce"),
    # On four ranks, in which rank 0 of the program does not take part: it comes last.
    "sub-communicator": one_by_one([(1, 2, "0", ""), (2, 3, "0", ""), (3, 0, "0", "")]),
}

# What is found in the executions of wrong.c on four ranks that end: the verdict, and a finding or reason.
FOUND = {
    "root": ("violated", r"rank 0 ends with a wrong word 0"),
    "twice": ("violated", r"the contribution of rank 1 is counted twice"),
    "forgotten": ("violated", r"left out: 4 words from rank 3 to rank 0, which rank 0 does not use"),
    "misplaced": ("violated", r"rank 1 ends with a wrong word 0 of block 0: it is word 0 of block 2"),
    "shifted": ("violated", r"rank 0 ends with a wrong word 0: it is not a sum of what the rank has received"),
    "short": ("violated", r"rank 2 ends with a wrong word 3: it was not written"),
    "unreceived": ("holds", r"rank 2 does not receive a message from rank 1 \(32 bytes\)"),
    "two-values": ("unknown", r"it keeps several values apart"),
    "unrecorded": ("unknown", r"rank 0 calls MPI_Bcast, which is not recorded"),
    "race": ("violated", r"ranks 0 and 1 put data to the same place of rank 2 in one epoch"),
    "lock-within": ("unknown", r"rank 0 calls MPI_Win_lock_all, which is not recorded"),
    "lock-before": ("unknown", r"rank 0 calls MPI_Put under a lock, which is not recorded"),
    "early-put": ("holds", r'"check": "recording", "verdict": "holds"'),
    "differing": ("unknown", r"rank 1 began the collective with other arguments than rank 0"),
}

# Programs that hang or fail: status, and what is said.
FAILURES = {
    "deadlock": (1, r"ranks wait for one another: 0 -> 3 -> 2 -> 1 -> 0(.|\n)*rank 2 waits in MPI_Recv for a message from rank 1 with tag 5"),
    "missing": (1, r"rank 2 waits in MPI_Test for a message from rank 0 with tag 5 \(rank 0 has completed the collective\)"),
    "truncated": (1, r"rank 1 failed in MPI_Recv: .*[Tt]runcat"),
    "crash": (1, r"rank 1 was killed by signal 11"),
    "leaves": (1, r"rank 1 ended with exit status 7"),
    "absent": (3, r"undecided: rank 1 does not call schedcc_record_begin, in which the others wait"),
    # The other ranks wait until mpirun has ended them, which may take longer than record waits.
    "own-test": (0, r"note: the program fails after the collective, whose buffers the recorder has overwritten"),
    "nothing": (2, r"marks no collective by schedcc_record_begin"),
    "type": (2, r"integers of 32 or 64 bits and of double, and the datatype is another"),
    "operation": (2, r"reductions are recorded with MPI_SUM"),
    "words": (2, r"block of 3 bytes is not a multiple of 4 bytes"),
    "collective": (2, r"unknown collective 'barrier'; known are broadcast"),
    "nested": (2, r"a collective begins within another one"),
}
FEW = ["deadlock", "truncated", "own-test"]

# Limits on the files of one rank, in blocks of 512 bytes: less than a log at its beginning, and little more. A launcher
# that ends a job may lose what its processes have printed.
NO_SPACE = {
    127 * 1024: r"no space left for the log of rank 3(.|\n)*unknown completion"
                r"|nothing was recorded: .*(rank 3 cannot write its log|no space left for the log of rank 3)",
    132 * 1024: r"no space left for the log of rank 0(.|\n)*unknown completion",
}


def schedule(path):
    """The transfers of a file by step."""
    result = {}
    for line in path.read_text().splitlines():
        if match := re.match(r"step (\d+)$", line):
            step = result.setdefault(int(match[1]), set())
        elif match := re.match(r"(\d+) -> (\d+) : (\S+) ?(\w*)$", line):
            step.add((int(match[1]), int(match[2]), match[3], match[4]))
    return result


class Test:
    def __init__(self, schedcc, recorder, wrapper, include, folder, part, launch, mpirun):
        self.record = [schedcc, "record", "--recorder", recorder]
        self.wrapper, self.include = wrapper, include
        self.failing = {"all": list(FAILURES), "few": FEW}[part]
        self.folder = pathlib.Path(folder)
        self.launcher = [sys.executable, launch, mpirun]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.failures = 0

    def fail(self, message):
        self.failures += 1
        print(message)

    def compiler(self, name):
        return f"{name}.{self.wrapper}"

    def build(self, compiler, source, *options):
        program = self.folder / (pathlib.Path(source).stem + compiler)
        subprocess.run([self.compiler(compiler), "-O1", *options, f"-I{self.include}", str(HERE / source), "-o", str(program)],
                       check=True, cwd=self.folder)
        return str(program)

    def run(self, ranks, program, *options, arguments=()):
        return subprocess.run([*self.record, *options, "--", *self.launcher, str(ranks), program, *arguments],
                              capture_output=True, text=True, timeout=300, cwd=self.folder)

    def right(self, schedules=SCHEDULES):
        program = self.build("mpicc", "right.c", "-std=c99", "-Wall", "-Wextra", "-Wno-stringop-overflow")
        done = self.run(P, program, "-o", "right.sched")
        names = [line for line in done.stderr.splitlines() if line in schedules]
        names.append(names.pop(names.index("sub-communicator")))
        if done.returncode != 0 or set(names) != set(schedules):
            self.fail(f"right: status {done.returncode}\n{done.stderr}")
        for number, name in enumerate(names, 1):
            path = self.folder / ("right.sched" if number == 1 else f"right-{number}.sched")
            found = schedule(path) if path.exists() else None
            if found != schedules[name]:
                self.fail(f"right: {name}: {found}, not {schedules[name]}")

    def wrong(self, wanted=FOUND):
        program = self.build("mpicc", "wrong.c", "-std=c99", "-Wall", "-Wextra")
        done = self.run(4, program, "--json-lines", arguments=wanted)
        reports = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode != 1 or len(reports) != len(wanted):
            return self.fail(f"wrong: status {done.returncode}, {len(reports)} reports\n{done.stderr}")
        for (name, (verdict, pattern)), report in zip(wanted.items(), reports):
            text = json.dumps(report)
            if report["verdict"] != verdict or not re.search(pattern, text):
                self.fail(f"wrong: {name}: not {verdict} with {pattern}: {text}")
        for name in self.failing:
            status, pattern = FAILURES[name]
            done = self.run(4, program, "--timeout", "2", "-o", "wrong.sched", arguments=[name])
            if done.returncode != status or not re.search(pattern, done.stdout + done.stderr):
                self.fail(f"wrong: {name}: status {done.returncode}, not {status}, or no {pattern}\n{done.stdout}{done.stderr}")

    def no_space(self):
        program = self.build("mpicc", "wrong.c", "-std=c99")
        for (blocks, pattern), rank in zip(NO_SPACE.items(), (3, 0)):
            script = (f'if [ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = {rank} ]; then trap "" XFSZ; ulimit -f {blocks}; fi; '
                      f'exec {program} flood')
            done = self.run(4, "sh", arguments=["-c", script])
            if done.returncode != 3 or not re.search(pattern, done.stdout + done.stderr):
                self.fail(f"no space ({blocks}): status {done.returncode}, or no {pattern}\n{done.stdout}{done.stderr}")

    def limit(self):
        """The program's address space has the limit of this process, and not that of schedcc."""
        own = resource.getrlimit(resource.RLIMIT_AS)[0]
        wanted = "unlimited" if own == resource.RLIM_INFINITY else str(own >> 10)
        done = subprocess.run([*self.record, "--", "sh", "-c", 'echo "limit $(ulimit -v)"'], capture_output=True, text=True)
        if f"limit {wanted}\n" not in done.stderr:
            self.fail(f"limit: not {wanted}\n{done.stderr}")

    def languages(self):
        programs = {"C++": self.build("mpicxx", "languages.cpp")}
        if shutil.which(f"mpif90.{self.wrapper}") and shutil.which("gfortran"):
            module = str(pathlib.Path(self.include) / "schedcc/record.f90")
            programs["Fortran"] = self.build("mpif90", "languages.f90", "-cpp", module)
            programs["mpi_f08"] = self.build("mpifort", "languages.f90", "-cpp", "-DF08", module)
        for language, program in programs.items():
            done = self.run("{}", program, "--ranks", "2,3", "-o", language + "-{}.sched")
            wanted = [{t: {(t, t + 1, "0", "")} for t in range(n - 1)} for n in (2, 3)]
            files = [self.folder / f"{language}-{n}.sched" for n in (2, 3)]
            found = [schedule(f) if f.exists() else None for f in files]
            if done.returncode != 0 or found != wanted:
                self.fail(f"{language}: status {done.returncode}, {found}\n{done.stderr}")


def main():
    test = Test(*sys.argv[1:])
    test.right()
    test.wrong()
    test.no_space()
    test.limit()
    test.languages()
    sys.exit(1 if test.failures else 0)


if __name__ == "__main__":
    main()
