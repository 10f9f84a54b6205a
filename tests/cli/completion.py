#!/usr/bin/env python3
"""Completion of command lines.

    tests/cli/completion.py SCHEDCC

For lines that end at the cursor, bash replies with what is expected, through the function that
'schedcc completion bash' defines. For every command each option of its help is a candidate, and no
other. Where zsh and fish are there, they accept their scripts, and fish gives the same candidates.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from expectations import Expectations

# What is before the cursor, the candidates as bash replaces the word behind the last : or =, and
# whether these are all.
LINES = [
    ("schedcc com", {"compile", "completion"}, True),
    ("schedcc ", {"list", "compile", "verify", "sweep", "--help", "--version"}, False),
    ("schedcc compile fractional", {"fractional-tree"}, True),
    ("schedcc compile fractional-tree:", {"r=", "coupled", "layout="}, True),
    ("schedcc compile fractional-tree:r=3,l", {"3,layout="}, True),
    ("schedcc compile fractional-tree:layout=", {"crossbar", "crossbar-thin", "mesh"}, True),
    ("schedcc compile ring --machine to", {"torus", "topology"}, True),
    ("schedcc compile ring --machine=to", {"torus", "topology"}, True),
    ("schedcc compile ring --machine dgx-1", {"dgx-1"}, True),
    ("schedcc compile ring --machine logp:L=3,", {"3,o=", "3,g=", "3,width="}, True),
    ("schedcc compile ring --collective all", {"allgather", "alltoall", "allreduce"}, True),
    ("schedcc compile ring --emit cpp:r", {"rank="}, True),
    ("schedcc compile ring --ranks ", set(), True),
    ("schedcc compile ring -o x --level ", {"endpoint", "hop"}, True),
    ("schedcc compile ring --blocking=send", {"sendrecv", "send-first"}, True),
    ("schedcc compile -- fl", {"flood"}, True),
    ("schedcc compile x", {"xor", "x.sched", "x y.sched"}, True),
    ("schedcc verify x", {"x.sched", "x y.sched"}, True),
    ("schedcc verify x.sched --checks ports,lin", {"ports,links"}, True),
    ("schedcc lint x", {"x.sched", "x y.sched"}, True),
    ("schedcc lint --from nccl", {"nccl-tuner"}, True),
    ("schedcc record -- x", {"x.sched", "x y.sched"}, True),
    ("schedcc verify --runtime ", {"msccl", "rccl"}, True),
    ("schedcc verify --format ", {"text", "json", "json-lines", "github", "sarif", "junit"}, True),
    ("schedcc prove --certificate ", {"folder"}, True),
    ("schedcc prove --solver c", {"cadical"}, True),
    ("schedcc list m", {"machines", "models"}, True),
    ("schedcc sweep --algorithms ring,cha", {"ring,chain"}, True),
    ("schedcc cost ring --model log", {"logp", "loggp"}, True),
    ("schedcc help exp", {"explain"}, True),
    ("schedcc completion ", {"bash", "zsh", "fish"}, True),
    ("schedcc nothing ", set(), True),
    ("schedcc compile ring --nothing=", set(), True),
    ("schedcc compile ring --machine mesh: ", None, False),
]

BASH = r"""
source script.bash
COMP_LINE=$1; COMP_POINT=${#1}; COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
_schedcc
printf '%s\n' "${COMPREPLY[@]}"
"""


class Test(Expectations):
    def __init__(self, schedcc):
        super().__init__(schedcc)
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)
        (self.work / "bin").mkdir()
        (self.work / "bin" / "schedcc").symlink_to(self.schedcc)
        (self.work / "here").mkdir()
        (self.work / "here" / "folder").mkdir()
        for name in ("x.sched", "x y.sched"):
            (self.work / "here" / name).touch()
        self.environment = {**os.environ, "PATH": f"{self.work / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C"}

    def run(self, *command, **options):
        return subprocess.run(command, cwd=self.work / "here", env=self.environment, capture_output=True, text=True,
                              timeout=60, **options)

    def script(self, shell):
        path = self.work / f"script.{shell}"
        path.write_text(self.run("schedcc", "completion", shell, check=True).stdout)
        return str(path)

    def bash(self, line):
        done = self.run("bash", "-c", BASH.replace("script.bash", self.script_bash), "bash", line)
        if done.returncode != 0 or done.stderr:
            self.failures.append(f"bash: '{line}': status {done.returncode}: {done.stderr}")
        return {word for word in done.stdout.splitlines() if word}

    def check_bash(self):
        self.script_bash = self.script("bash")
        done = self.run("bash", "-n", self.script_bash)
        if done.returncode != 0:
            self.failures.append(done.stderr)
        for line, wanted, all_of_them in LINES:
            got = self.bash(line)
            if wanted is not None and (got != wanted if all_of_them else not wanted <= got):
                self.failures.append(f"bash: '{line}': {sorted(got)}, not {sorted(wanted)}")

    def check_options(self):
        commands = re.findall(r"^  (\w+) ", self.run("schedcc", "--help").stdout.split("Examples:")[0], re.MULTILINE)
        for command in commands:
            text = self.run("schedcc", command, "--help").stdout.split("Options:")[1].split("Exit status:")[0]
            wanted = set(re.findall(r"^  (?:-\w, |    )(--[a-z0-9-]+)", text, re.MULTILINE))
            offered = self.run("schedcc", "__complete", command, "--").stdout.splitlines()
            if {line.split("\t")[0] for line in offered} != wanted or not wanted:
                self.failures.append(f"{command}: {offered}, not {sorted(wanted)}")

    def check_zsh(self):
        if shutil.which("zsh"):
            done = self.run("zsh", "-n", self.script("zsh"))
            if done.returncode != 0 or done.stderr:
                self.failures.append(f"zsh: {done.stderr}")

    def check_fish(self):
        if not shutil.which("fish"):
            return
        script = self.script("fish")
        done = self.run("fish", "--no-execute", script)
        if done.returncode != 0 or done.stderr:
            self.failures.append(f"fish: {done.stderr}")
        for line, wanted in (("schedcc com", {"compile", "completion"}),
                             ("schedcc compile fractional-tree:", {f"fractional-tree:{p}" for p in ("r=", "coupled", "layout=")})):
            done = self.run("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
            got = {word.split("\t")[0] for word in done.stdout.splitlines()}
            if got != wanted:
                self.failures.append(f"fish: '{line}': {sorted(got)}, not {sorted(wanted)}: {done.stderr}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    test = Test(sys.argv[1])
    test.check_bash()
    test.check_options()
    test.check_zsh()
    test.check_fish()
    test.end(f"{len(LINES)} lines are completed; zsh {'checked' if shutil.which('zsh') else 'is not there'}, "
             f"fish {'checked' if shutil.which('fish') else 'is not there'}")


if __name__ == "__main__":
    main()
