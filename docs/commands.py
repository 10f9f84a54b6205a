#!/usr/bin/env python3
"""Runs the commands that documents state without their output, which others compare.

    docs/commands.py SCHEDCC [SCHEDCC_MPIRUN]

In every Markdown file these are the lines that begin with a program, in indented blocks and, behind `$ `, in fenced ones
that are not generated and whose output is not compared. Those of a page run one after the other in one folder, which has the folders of the project.
Each must end with status 0, or with that which its comment names: `# status 1: prints the cycle`. Those whose comment says
`minutes` run only with SCHEDCC_TEST_WHOLE; commands for which a program, or a part of schedcc, is not there are counted, and
left out. Makefiles and installation are run by .ci/run.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import console

PROGRAMS = ("schedcc", "mpirun", "smpirun", "mpicxx")
# Blocks whose output others compare.
GENERATED = re.compile(r"<!-- begin: .*?<!-- end -->|<!-- (?:run|pipeline|picture) -->\n\n```.*?```", re.DOTALL)
COMMAND = re.compile(rf"^(?:    |\$ )((?:{'|'.join(PROGRAMS)}) (?!\d)(?:.*\\\n)*.*)$", re.MULTILINE)
FOLDERS = ("schedules", "examples", "include")
# As root, and with more processes than processors.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# What commands need of a build, as --version says it.
NEEDS = {r"\.html": "drawn with D3", "--model simgrid": r"SimGrid: \d", "^schedcc prove": "cadical .*z3"}
SECONDS = 600


class Page:
    def __init__(self, path, schedcc, mpirun):
        self.name = path.relative_to(console.ROOT)
        text = GENERATED.sub("", path.read_text())
        self.commands = [] if path.name == "CHANGELOG.md" else COMMAND.findall(text)
        self.schedcc, self.mpirun = schedcc, mpirun
        self.ran, self.left_out, self.failed = 0, 0, []

    def runnable(self, command, comment):
        if "minutes" in comment and not os.environ.get("SCHEDCC_TEST_WHOLE"):
            return False
        if "schedcc-mpirun" in command and not self.mpirun:
            return False
        version = subprocess.run([self.schedcc, "--version"], capture_output=True, text=True, check=True).stdout
        return all(shutil.which(p) for p in PROGRAMS[1:] if re.search(rf"\b{p} ", command)) and all(
            re.search(built, version) for needed, built in NEEDS.items() if re.search(needed, command))

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            console.link(folder, FOLDERS)
            os.symlink(console.ROOT, f"{folder}/PREFIX")
            os.makedirs(f"{folder}/.bin")
            for name, path in (("schedcc", self.schedcc), ("schedcc-mpirun", self.mpirun)):
                if path:
                    os.symlink(path, f"{folder}/.bin/{name}")
            environment = {**os.environ, **MPI, "PATH": f"{folder}/.bin:{os.environ['PATH']}"}
            for line in self.commands:
                command, _, comment = line.partition(" #")
                if not self.runnable(command, comment):
                    self.left_out += 1
                    continue
                expected = int((re.search(r"status (\d+)", comment) or (None, 0))[1])
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      timeout=SECONDS)
                self.ran += 1
                if done.returncode != expected:
                    self.failed.append(f"{self.name}: {command}\nstatus {done.returncode}, expected {expected}\n{done.stdout[-2000:]}")
        return self


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    programs = [pathlib.Path(argument).resolve() for argument in sys.argv[1:]]
    paths = [*sorted(console.ROOT.glob("*.md")), *sorted(console.ROOT.glob("docs/*.md"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = list(pool.map(Page.run, [Page(path, programs[0], (programs + [None])[1]) for path in paths]))
    failures = [failure for page in pages for failure in page.failed]
    print("\n".join(failures), end="\n" if failures else "")
    ran, left_out = sum(page.ran for page in pages), sum(page.left_out for page in pages)
    if not ran:
        sys.exit("no document has a command")
    print(f"{ran} commands ran, {left_out} were left out, {len(failures)} failed")
    sys.exit(min(1, len(failures)))


if __name__ == "__main__":
    main()
