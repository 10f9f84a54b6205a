#!/usr/bin/env python3
"""Runs the commands that documents state without their output, which others compare.

    docs/commands.py [--all | --marked] SCHEDCC [SCHEDCC_MPIRUN]

In every Markdown file these are

- the lines that begin with a program, in blocks of `sh`, in indented blocks, and, behind `$ `, in these and in other fenced ones that are
  not generated and whose output is not compared;
- `schedcc ...` behind `// ` in a fenced block, the command that makes a header;
- `schedcc ...` in backticks in the text, apart from the mere name of a command, and from forms with words in capitals, as `-o FILE`.

Those of a page run one after the other in one folder, which has the folders of the project, the files that the page states, and those
that its generated blocks write. Each must end within two minutes, on a busy machine, too, and with status 0, or with that which its
comment names: `# status 1: prints the cycle`. Those whose comment says `minute` have ten of them, and run with --all, or with --marked,
which takes only the pages that have such commands. Commands for which a program, or a part of schedcc, or the file of one that was left
out, is not there, are counted, and left out. A command of several pages that stands by itself runs once.

Others run the rest: .ci/run the Makefiles, builds and installation, the ledger the commands of docs/papers.md, tests/python those of
Python. The files of docs/gallery.md are not of the project: tests/public gets and judges them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
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
BEGIN = rf"(?:{'|'.join(map(re.escape, (*PROGRAMS, *OWN)))}) (?!\d)"
# What a page consists of, as far as it has commands: files that it states; blocks whose output others compare; other blocks; text.
PARTS = re.compile(r"<!-- file: (?P<path>\S+) -->\n\n```\w+\n(?P<text>.*?)^```"
                   r"|<!-- (?:run|pipeline|picture) -->\n\n```\w+\n(?P<compared>.*?)^```|<!-- begin: .*?<!-- end -->"
                   r"|^```sh\n(?P<sh>.*?)^```|^```\w+\n(?P<fenced>.*?)^```|(?P<indented>(?:^ {4}[^\n]*\n)+)"
                   r"|`(?P<inline>schedcc [a-z-][^`]*)`", re.MULTILINE | re.DOTALL)
# What stands before a command in a line of a part.
BEFORE = {"compared": r"\$ ", "sh": r"(?:\$ )?", "fenced": r"(?:\$ |.*// )", "indented": r" {4}(?:\$ )?"}
NO_COMMAND = re.compile(r"schedcc [a-z]+$|.* \[?(?:[A-Z]+\b(?!=)|\.\.\.)")
WRITES = re.compile(r"(?: -o |^sed -i .* )([^\s']+)")  # the file that a command makes or changes
FOLDERS = ("schedules", "examples", "include", "src", "tests", "docs", "Makefile.examples")
# As root, with more processes than processors, and on a busy machine (docs/mpi.md, "Sharing a check").
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_orte_allowed_exit_without_sync": "1"}
# What commands need of a build, as --version says it.
NEEDS = {r"\.html": "drawn with D3", "--model simgrid": r"SimGrid: \d", "^schedcc prove": "cadical .*z3",
         r"schedcc compile .*\bsvg|\| dot ": "Graphviz: found"}
SECONDS, MARKED_SECONDS = 120, 600  # that a command may take
MOST_BYTES = 1 << 32  # of a file, and of the output
MOST_SHOWN = 2000  # of the output of a command that fails


def marked(comment):
    return "minute" in comment


def words(command):
    return {word.strip("'\"").removeprefix("./") for word in command.split()}


def commands_of(text):
    """The files and commands of a page: (kind, command or path, comment or text)."""
    result = []
    for part in PARTS.finditer(text):
        kind, body = part.lastgroup, part[part.lastgroup] if part.lastgroup else ""
        if kind == "text":
            result.append(("file", part["path"], body))
        elif kind == "inline":
            command = " ".join(body.split())
            if not NO_COMMAND.match(command):
                result.append(("command", command, ""))
        elif kind:
            for line in re.findall(rf"^{BEFORE[kind]}((?:{BEGIN}|sed -i )(?:.*\\\n)*.*)$", body, re.MULTILINE):
                command, _, comment = line.partition(" #")
                result.append(("compared" if kind == "compared" else "command", command, comment))
    stated = set().union(*(words(command) for kind, command, _ in result if kind == "command"))
    return [part for part in result if part[0] != "compared" or stated & set(WRITES.findall(part[1]))]


def confine():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))


def run(command, seconds, **options):
    """Status and output; the status is None if the command was stopped."""
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(["bash", "-o", "pipefail", "-c", command], stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=confine, **options) as process:
            try:
                status = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = None
        output.seek(max(output.seek(0, os.SEEK_END) - MOST_SHOWN, 0))
        return status, output.read().decode(errors="replace")


class Page:
    def __init__(self, path, schedcc, mpirun):
        self.name = path.relative_to(console.ROOT)
        self.parts = [] if str(self.name) in ELSEWHERE else commands_of(path.read_text())
        self.schedcc, self.mpirun = schedcc, mpirun
        self.ran, self.left_out, self.failed = 0, 0, []

    def without(self, others):
        """Leaves out commands that ran elsewhere, if they neither make files nor use those of the page; returns those that it keeps."""
        files = set().union(*([part[1]] if part[0] == "file" else WRITES.findall(part[1]) for part in self.parts))
        alone = {part[1] for part in self.parts if part[0] == "command" and not WRITES.search(part[1]) and not words(part[1]) & files}
        self.parts = [part for part in self.parts if part[1] not in alone & others]
        return alone

    def marked(self):
        return any(kind != "file" and marked(comment) for kind, _, comment in self.parts)

    def runnable(self, command):
        if "schedcc-mpirun" in command and not self.mpirun:
            return False
        if command.startswith("schedcc record") and not (self.schedcc.parent / "libschedcc-record.so").exists():
            return False
        if command.startswith("build/release/tests") and not (self.schedcc.parent / "tests" / "schedcc_tests").exists():
            return False
        version = subprocess.run([self.schedcc, "--version"], capture_output=True, text=True, check=True).stdout
        return all(shutil.which(p) for p in PROGRAMS[1:] if re.search(rf"\b{p} ", command)) and all(
            re.search(built, version) for needed, built in NEEDS.items() if re.search(needed, command))

    def run_command(self, command, comment, seconds, **options):
        expected = int((re.search(r"status (\d+)", comment) or (None, 0))[1])
        status, printed = run(command, seconds, **options)
        self.ran += 1
        if status != expected:
            ended = f"not ended after {seconds} s" if status is None else f"status {status}, expected {expected}"
            self.failed.append(f"{self.name}: {command}\n{ended}\n{printed}")

    def run(self, with_marked):
        if not self.parts:
            return
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
            missing = set()  # the files of commands that were left out
            for kind, command, comment in self.parts:
                if kind == "file":
                    if "/" not in command:
                        pathlib.Path(folder, command).write_text(comment)
                elif marked(comment) and not with_marked or words(command) & missing or not self.runnable(command):
                    self.left_out += 1
                    missing.update(WRITES.findall(command))
                else:
                    seconds = MARKED_SECONDS if marked(comment) else SECONDS
                    self.run_command(command, comment, seconds, cwd=folder, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true")
    which.add_argument("--marked", action="store_true")
    parser.add_argument("schedcc", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("mpirun", nargs="?", type=lambda path: pathlib.Path(path).resolve())
    options = parser.parse_args()
    mpirun = options.mpirun if options.mpirun and options.mpirun.exists() else None
    paths = [*sorted(console.ROOT.glob("*.md")), *sorted(console.ROOT.glob("docs/*.md"))]
    pages = [page for page in (Page(path, options.schedcc, mpirun) for path in paths) if page.marked() or not options.marked]
    others = set()
    for page in pages:
        others |= page.without(others)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda page: page.run(options.all or options.marked), pages))
    failures = [failure for page in pages for failure in page.failed]
    print("\n".join(failures), end="\n" if failures else "")
    ran, left_out = sum(page.ran for page in pages), sum(page.left_out for page in pages)
    if not ran:
        sys.exit("no document has a command")
    print(f"{ran} commands ran, {left_out} were left out, {len(failures)} failed")
    sys.exit(min(1, len(failures)))


if __name__ == "__main__":
    main()
