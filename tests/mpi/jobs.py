#!/usr/bin/env python3
"""Commands that the processes of a job share: what they write, and the exit status, are those of one process.

    tests/mpi/jobs.py SCHEDCC SOURCES FOLDER LIBRARY all|few LAUNCHER...

LIBRARY is that of the launcher ("launch.py mpirun"), which gets the number of processes. `few`: some of the commands.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

SIZES = 1, 2, 3, 4, 7
# What Open MPI's launcher adds if a process ends with another status than 0.
ADDED = re.compile(r"^-{40,}\n.*?^-{40,}\n", re.MULTILINE | re.DOTALL)

UNREADABLE = "schedcc 1\ncollective broadcast\nranks two\n"
# Unlike the sources' algorithms it is violated in two places: rank 2 gets chunk 1 from a rank without it, and is never complete.
VIOLATED = """schedcc 1
collective broadcast
ranks 3
root 0
chunks 3
step 0
0 -> 1 : 0
step 1
1 -> 2 : 0-1
step 2
0 -> 1 : 1-2
"""
# Commands, with the numbers of processes that share them. FILES are schedules that hold, that are violated, and bad input.
ONCE = (3,)
COMMANDS = [
    ("verify FILES", SIZES),
    ("compile rabenseifner --collective allreduce --ranks 16 --chunks 16 -o NEW.schedb", (2, 7)),
    ("sweep --algorithms chain,ring,karp,binomial-tree --ranks 2..9,12 --chunks 1..4", (4, 7)),
    ("compile circulant --ranks 40 --chunks 30 --machine simplex -o NEW.sched --max-findings 4", ONCE),
    ("verify FILES --format sarif --strict", ONCE),
    ("verify FILES --json-lines --checks causality,delivery,buffers --max-buffer 1", ONCE),
    ("verify - --json < schedules/halo-exchange.sched", ONCE),
    ("verify unreadable.sched", ONCE),
    ("verify", ONCE),
    ("compile bruck --ranks 9", ONCE),
    ("compile ring --collective allreduce --ranks 12 --chunks 24 --machine fattree:cap=constant --quiet", ONCE),
    ("compile ring --ranks 7 --json", ONCE),
    ("compile pairwise --collective alltoall --ranks 600 --json", (4, 7)),
    ("compile circulant --collective allgather --ranks 300 --chunks 100 --json", ONCE),
    ("compile circulant --collective allreduce --ranks 200 --chunks 400 --json", ONCE),
    ("compile fractional-tree --ranks 64 --chunks 1000 --machine simplex --json", ONCE),
    ("compile fractional-tree --ranks 64 --chunks 1000 --json", ONCE),
    ("compile ring --ranks 2^40 --emit cpp:local", ONCE),
    ("compile ring --ranks 7 -o missing/ring.sched", ONCE),
    ("verify --generator ./generator --ranks 4 --chunks 2", ONCE),
    ("sweep --algorithms ring,chain --ranks 2..8 --shard 2/3 --json -j 2", ONCE),
    ("sweep --algorithms circulant --machine simplex --ranks 2..8 --chunks 2", ONCE),
    ("sweep --algorithms nonsense --ranks 2", ONCE),
    ("sweep --algorithms ring --ranks 2..4 --resume violated.sched", ONCE),
]


class Jobs:
    def __init__(self, schedcc, sources, folder, library, launcher):
        self.schedcc, self.folder, self.library, self.launcher = schedcc, folder, library, launcher
        self.failures = 0
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copytree(sources / "schedules", folder / "schedules")
        (folder / "unreadable.sched").write_text(UNREADABLE)
        (folder / "violated.sched").write_text(VIOLATED)
        generator = folder / "generator"
        generator.write_text(f'#!/bin/sh\nexec {schedcc} compile chain --ranks $1 --chunks $2 --quiet\n')
        generator.chmod(0o755)
        names = sorted(str(p.relative_to(folder)) for p in folder.glob("schedules/**/*.sched"))
        self.files = names + ["violated.sched", "missing.sched", "unreadable.sched"]

    def command(self, text, new):
        words = text.split(" < ")[0].replace("NEW", new).split()
        return [self.schedcc, *(w for word in words for w in (self.files if word == "FILES" else [word]))]

    def run(self, text, processes, environment=None):
        """Status, standard output, standard error and written file of a command; without a job for 0 processes."""
        for old in self.folder.glob("new*"):
            old.unlink()
        start = [*self.launcher, str(processes)] if processes else []
        source = (self.folder / text.split(" < ")[1]).read_bytes() if " < " in text else b""
        done = subprocess.run(start + self.command(text, "new"), cwd=self.folder, input=source, capture_output=True,
                              timeout=120, env={**os.environ, **(environment or {})})
        error = ADDED.sub("", done.stderr.decode())
        written = {p.name: p.read_bytes() for p in self.folder.glob("new*")}
        return done.returncode, done.stdout, error, written

    def expect(self, holds, what, *seen):
        if not holds:
            self.failures += 1
            print(f"{self.library}: {what}", *seen, sep="\n", flush=True)

    def same(self, text, sizes):
        alone = self.run(text, 0)
        for processes in sizes:
            together = self.run(text, processes)
            self.expect(together == alone, f"schedcc {text}, with {processes} processes, differs from one:", together, alone)

    def without_library(self):
        status, output, error, _ = self.run("verify FILES", 3, {"SCHEDCC_JOB": "/missing.so"})
        self.expect(status == 2 and not output and error.count("error: this process is one of a job") == 1,
                    "a job without its library", status, output, error)
        status, output, error, _ = self.run("verify schedules/binomial-8.sched", 3, {"SCHEDCC_JOB": "none"})
        self.expect(status == 0 and output.count(b"holds") == 3, "processes that work alone", status, output, error)

    def apart(self):
        """Process 1 has a folder of its own, with another file of the same name, or none."""
        (self.folder / "apart").write_text('#!/bin/sh\ncd "of-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"\n')
        (self.folder / "apart").chmod(0o755)
        for number, schedule in enumerate(("binomial-8", "scan-4")):
            (self.folder / f"of-{number}").mkdir()
            shutil.copy(self.folder / f"schedules/{schedule}.sched", self.folder / f"of-{number}/x.sched")
        shutil.copy(self.folder / "of-0/x.sched", self.folder / "of-0/y.sched")
        for file, message in (("x.sched", "x.sched: error: process 1 of the job reads another schedule than process 0\n"),
                              ("y.sched", "y.sched: error: process 1 of the job: y.sched: cannot open the file: ")):
            command = [*self.launcher, "2", "./apart", self.schedcc, "verify", file]
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.expect(done.returncode == 2 and not done.stdout and done.stderr.startswith(message),
                        f"{file} is not the same for all", done)

    def different_arguments(self):
        """A process has other arguments than process 0, or another command."""
        sweep = "sweep --algorithms ring --ranks 2..30"
        message = ("schedcc: error: process {} of the job: this command, or the version of schedcc, differs from that of "
                   "process 0; all processes take the same arguments\n")
        for commands, differs in (((sweep, sweep + "1"), 1), (("verify schedules/binomial-8.sched", sweep), 1),
                                  ((sweep, sweep, sweep + " --json"), 2)):
            start = list(self.launcher)
            for i, command in enumerate(commands):
                start += [":", "-n"] if i > 0 else []
                start += ["1", self.schedcc, *command.split()]
            done = subprocess.run(start, cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.expect((done.returncode, done.stdout, ADDED.sub("", done.stderr)) == (2, "", message.format(differs)),
                        f"the commands {commands}", done)

    def with_threads(self):
        """Scripts that always give -j need not know of a job: the report is the same, after one note."""
        for command in ("verify schedules/binomial-8.sched", "compile ring --ranks 7 --json"):
            alone, together = self.run(command, 2), self.run(f"{command} -j 2", 2)
            self.expect(together[0] == alone[0] == 0 and together[1] == alone[1] and
                        together[2].replace(alone[2], "").count("schedcc: note: --jobs is not used: each of the 2 processes") == 1,
                        f"{command} with -j in a job", alone, together)
            quiet = self.run(f"{command} -j 2 --quiet", 2)
            self.expect(quiet == self.run(f"{command} --quiet", 2), f"{command} with -j in a quiet job", quiet)

    def process(self, rank, word):
        """The process of this rank that has `word` among its arguments."""
        variable = b"OMPI_COMM_WORLD_RANK=" if self.library == "openmpi" else b"PMI_RANK="
        for entry in pathlib.Path("/proc").iterdir():
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if arguments[0] == self.schedcc.encode() and word.encode() in arguments and variable + b"%d" % rank in variables:
                return int(entry.name)
        return None

    @staticmethod
    def caught_faults(process):
        """Those of the signals of faults that a process handles."""
        caught = re.search(r"^SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{process}/status").read_text(), re.MULTILINE)[1]
        faults = signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV
        return [s for s in faults if int(caught, 16) >> (s - 1) & 1]

    def caught_faults_alone(self):
        alone = subprocess.Popen([self.schedcc, "verify", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):  # until it has come to handle what files raise that are cut short
            if signal.SIGBUS in self.caught_faults(alone.pid):
                break
            time.sleep(0.05)
        caught = self.caught_faults(alone.pid)
        alone.communicate()
        return caught

    def killed(self, rank, number, schedule="split-binary-tree --ranks 8192 --chunks 8192"):
        """A process is killed in the midst of a check that takes long: in full, as no excerpt is enough, or of rows."""
        target = str(self.folder / f"killed-{rank}.schedb")
        command = [self.schedcc, "compile", *schedule.split(), "-o", target]
        job = subprocess.Popen([*self.launcher, "3", *command], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if found := self.process(rank, target):
                break
            time.sleep(0.05)
        time.sleep(1)
        if found:
            # Handlers of the MPI libraries may wait for what the fault has left locked, and the job for them.
            caught, alone = self.caught_faults(found), self.caught_faults_alone()
            self.expect(caught == alone, "faults that a process of a job handles, and those that one alone does", caught, alone)
            os.kill(found, number)
        output, error = job.communicate(timeout=60)
        self.expect(found and job.returncode != 0 and "holds" not in output + error and "violated" not in output + error,
                    f"process {rank} was killed by signal {number}", job.returncode, output, error)
        rest = [p.name for p in self.folder.glob("killed-*")]
        # Nobody removes the temporary file of process 0 if it is killed, which MPICH does to all.
        self.expect(rank == 0 or self.library == "mpich" or not rest, "files that remain", rest)

    def resumed(self):
        """A job that shares a sweep is killed, and resumed by jobs of other sizes and by one process."""
        sweep = "sweep --algorithms circulant,bruck,chain --ranks 2..70 --chunks 1..3".split()
        state = self.folder / "state"
        alone = subprocess.run([self.schedcc, *sweep], capture_output=True, timeout=120).stdout
        command = [self.schedcc, *sweep, "--resume", str(state)]
        for processes in (3, 2):
            before = state.stat().st_size if state.exists() else 0
            job = subprocess.Popen([*self.launcher, str(processes), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
            while job.poll() is None and (not state.exists() or state.stat().st_size < before + 3000):
                time.sleep(0.002)
            if found := self.process(processes - 1, str(state)):
                os.kill(found, signal.SIGKILL)
            output, error = job.communicate(timeout=60)
            self.expect(found and job.returncode != 0 and b"cases" not in output, "a sweep of a job was too fast to be killed", output, error)
        halfway = state.read_bytes()
        for start in ([*self.launcher, "4"], []):
            state.write_bytes(halfway)
            done = subprocess.run(start + command, capture_output=True, timeout=120)
            self.expect((done.returncode, done.stdout) == (0, alone), "a sweep of a job, killed and resumed", done, alone)
            lines = state.read_bytes().splitlines()
            self.expect(len(set(lines)) == len(lines) and state.read_bytes().startswith(halfway[:halfway.rfind(b"\n") + 1]),
                        "its file", halfway)


def main():
    schedcc, sources, folder, library, part, *launcher = sys.argv[1:]
    os.environ.pop("SCHEDCC_JOB", None)
    jobs = Jobs(schedcc, pathlib.Path(sources), pathlib.Path(folder).resolve(), library, launcher)
    for i, (text, sizes) in enumerate(COMMANDS):
        if part == "all" or sizes != ONCE or i % 4 == 0:
            jobs.same(text, sizes)
    jobs.without_library()
    jobs.apart()
    jobs.different_arguments()
    jobs.with_threads()
    jobs.resumed()
    jobs.killed(2, signal.SIGKILL)
    if part == "all":
        jobs.killed(0, signal.SIGKILL)
        jobs.killed(1, signal.SIGKILL, "ring --collective allreduce --ranks 60000 --chunks 60000")
    sys.exit(1 if jobs.failures else 0)


if __name__ == "__main__":
    main()
