#!/usr/bin/env python3
"""Runs the commands that documents state without their output, which others compare.

    docs/commands.py [--seconds N] SCHEDCC [SCHEDCC_MPIRUN]

In every Markdown file these are the lines that begin with a program, in blocks of `sh`, in indented blocks, and, behind `$ `, in these
and in other fenced ones that are not generated and whose output is not compared. Those of a page run one after the other in one folder,
which has the folders of the project. Each must end with status 0, or with that which its comment names: `# status 1: prints the cycle`.
Those whose comment says `minutes` run only with SCHEDCC_TEST_WHOLE; commands for which a program, or a part of schedcc, is not there are
counted, and left out. With --seconds N a command is stopped after N seconds, and the rest of its page, which may need its files, is left
out.

Others run the rest: .ci/run the Makefiles, builds and installation, the ledger the commands of docs/papers.md, tests/python those of
Python. The files of docs/gallery.md are not of the project: tests/public gets and judges them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import console

PROGRAMS = ("schedcc", "mpirun", "smpirun", "mpicc", "mpicxx", "smpicc", "smpicxx", "mpirun.mpich", "mpicc.mpich", "mpicxx.mpich")
# Programs of the project, by which lines begin, too.
OWN = ("build/release/tests/schedcc_tests", "tests/cli/run.py", "make -f Makefile.examples help")
ELSEWHERE = ("CHANGELOG.md", "docs/papers.md", "docs/gallery.md")
# Blocks whose output others compare.
GENERATED = re.compile(r"<!-- begin: .*?<!-- end -->|<!-- (?:run|pipeline|picture) -->\n\n```.*?```", re.DOTALL)
FENCED = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
BEGIN = rf"(?:{'|'.join(map(re.escape, (*PROGRAMS, *OWN)))}) (?!\d)"
COMMAND = re.compile(rf"^(?: {{4}}(?:\$ )?|\$ )({BEGIN}(?:.*\\\n)*.*)$", re.MULTILINE)
FOLDERS = ("schedules", "examples", "include", "src", "tests", "docs", "Makefile.examples")
# As root, and with more processes than processors.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# What commands need of a build, as --version says it.
NEEDS = {r"\.html": "drawn with D3", "--model simgrid": r"SimGrid: \d", "^schedcc prove": "cadical .*z3"}
SECONDS = 600  # that a command may take


def commands_of(text):
    """The commands of a page, each with its comment."""
    marked = FENCED.sub(lambda block: re.sub(rf"^(?={BEGIN})", "$ ", block[0], flags=re.MULTILINE), GENERATED.sub("", text))
    return [command.partition(" #")[::2] for command in COMMAND.findall(marked)]


def run(command, seconds, **options):
    """Status and output; the status is None if the command was stopped."""
    with subprocess.Popen(["bash", "-o", "pipefail", "-c", command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, **options) as process:
        try:
            printed, _ = process.communicate(timeout=seconds)
            return process.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]


class Page:
    def __init__(self, path, schedcc, mpirun, seconds=None):
        self.name = path.relative_to(console.ROOT)
        self.commands = [] if str(self.name) in ELSEWHERE else commands_of(path.read_text())
        self.schedcc, self.mpirun, self.seconds = schedcc, mpirun, seconds
        self.ran, self.left_out, self.failed = 0, 0, []

    def runnable(self, command, comment):
        if "minutes" in comment and not os.environ.get("SCHEDCC_TEST_WHOLE"):
            return False
        if "schedcc-mpirun" in command and not self.mpirun:
            return False
        if command.startswith("schedcc record") and not (self.schedcc.parent / "libschedcc-record.so").exists():
            return False
        if command.startswith("build/release/tests") and not (self.schedcc.parent / "tests" / "schedcc_tests").exists():
            return False
        version = subprocess.run([self.schedcc, "--version"], capture_output=True, text=True, check=True).stdout
        return all(shutil.which(p) for p in PROGRAMS[1:] if re.search(rf"\b{p} ", command)) and all(
            re.search(built, version) for needed, built in NEEDS.items() if re.search(needed, command))

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            console.link(folder, FOLDERS)
            os.symlink(console.ROOT, f"{folder}/PREFIX")
            os.makedirs(f"{folder}/.bin")
            os.makedirs(f"{folder}/build")
            os.symlink(self.schedcc.parent, f"{folder}/build/release")
            for name, path in (("schedcc", self.schedcc), ("schedcc-mpirun", self.mpirun)):
                if path:
                    os.symlink(path, f"{folder}/.bin/{name}")
            environment = {**os.environ, **MPI, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
            for i, (command, comment) in enumerate(self.commands):
                if not self.runnable(command, comment):
                    self.left_out += 1
                    continue
                expected = int((re.search(r"status (\d+)", comment) or (None, 0))[1])
                status, printed = run(command, self.seconds or SECONDS, cwd=folder, env=environment)
                if status is None and self.seconds:
                    self.left_out += len(self.commands) - i
                    break
                self.ran += 1
                if status != expected:
                    ended = f"not ended after {SECONDS} s" if status is None else f"status {status}, expected {expected}"
                    self.failed.append(f"{self.name}: {command}\n{ended}\n{printed[-2000:]}")
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, metavar="N")
    parser.add_argument("schedcc", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("mpirun", nargs="?", type=lambda path: pathlib.Path(path).resolve())
    options = parser.parse_args()
    paths = [*sorted(console.ROOT.glob("*.md")), *sorted(console.ROOT.glob("docs/*.md"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = list(pool.map(Page.run, [Page(path, options.schedcc, options.mpirun, options.seconds) for path in paths]))
    failures = [failure for page in pages for failure in page.failed]
    print("\n".join(failures), end="\n" if failures else "")
    ran, left_out = sum(page.ran for page in pages), sum(page.left_out for page in pages)
    if not ran:
        sys.exit("no document has a command")
    print(f"{ran} commands ran, {left_out} were left out, {len(failures)} failed")
    sys.exit(min(1, len(failures)))


if __name__ == "__main__":
    main()
