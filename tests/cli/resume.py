#!/usr/bin/env python3
"""`schedcc sweep --resume`: a sweep that ends early goes on, judges nothing twice, and has the report of one that does not end.

    tests/cli/resume.py SCHEDCC

The oracle is the sweep without --resume. What has been judged is counted by a generator, which writes down each call.
"""

import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SWEEP = ["--algorithms", "chain,ring,karp,xor,circulant", "--machine", "simplex", "--ranks", "2..9,12", "--chunks", "1..4"]
LONG = ["--algorithms", "circulant,bruck,chain", "--ranks", "2..90", "--chunks", "1..4"]
GENERATOR = """#!/bin/sh
echo "$@" >> calls
[ ! -e fails ] || [ "$(wc -l < calls)" -lt "$(cat fails)" ] || exit 3
P=$2 K=$4  # --ranks P --chunks K --root 0
printf 'schedcc 1\\ncollective broadcast\\nranks %s\\nroot 0\\nchunks %s\\n' $P $K
r=1; while [ $r -lt $P ]; do printf 'step %s\\n0 -> %s : 0-%s\\n' $((r - 1)) $r $((K - 1)); r=$((r + 1)); done
"""


class Resume:
    def __init__(self, schedcc, folder):
        self.schedcc, self.folder = schedcc, folder
        self.failures = 0
        generator = folder / "generator"
        generator.write_text(GENERATOR)
        generator.chmod(0o755)

    def run(self, *options):
        return subprocess.run([self.schedcc, "sweep", *options], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def expect(self, holds, what, *seen):
        if not holds:
            self.failures += 1
            print(what, *seen, sep="\n", flush=True)

    def state(self, content):
        path = self.folder / "state"
        path.write_bytes(content)
        return path

    def cut_anywhere(self):
        """A file that ends anywhere, as one does whose writer was killed, is gone on with."""
        for form in ([], ["--json"]):
            alone = self.run(*SWEEP, *form)
            path = self.folder / "state"
            path.unlink(missing_ok=True)
            first = self.run(*SWEEP, *form, "--resume", "state")
            whole = path.read_bytes()
            self.expect((first.stdout, first.returncode) == (alone.stdout, alone.returncode), "with a new file", first, alone)
            places = {0, 1, len(whole), len(whole) - 1} | set(random.Random(1).sample(range(len(whole)), 20))
            for i, place in enumerate(sorted(places)):
                path = self.state(whole[:place])
                done = self.run(*SWEEP, *form, "--resume", "state", "-j", str(1 + i % 2))
                self.expect((done.stdout, done.stderr, done.returncode) == (alone.stdout, "", alone.returncode),
                            f"cut at {place}", done, alone)
                self.expect(sorted(path.read_bytes().split(b"\n")) == sorted(whole.split(b"\n")), f"the file, cut at {place}")

    def changed_anywhere(self):
        """A file in which any byte is changed is refused, with its line, and left as it is."""
        path = self.folder / "state"
        whole = path.read_bytes()
        for place in random.Random(2).sample(range(len(whole)), 40):
            changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:]
            if place == len(whole) - 1:
                continue  # the end of the last line: it is not finished
            path = self.state(changed)
            done = self.run(*SWEEP, "--resume", "state")
            line = whole[:place].count(b"\n") + 1
            self.expect(done.returncode == 2 and not done.stdout and done.stderr.startswith(f"state:{line}: error: "),
                        f"changed at {place}, line {line}", done)
            self.expect(path.read_bytes() == changed, f"the file was changed after {place}")
        lines = whole.splitlines(keepends=True)
        for last, what in ((lines[-1], "a line twice"), (lines[20][:8] + b"\t9999" + lines[20][9:], "a task too many")):
            self.state(whole + last)
            done = self.run(*SWEEP, "--resume", "state")
            self.expect(done.returncode == 2 and done.stderr.startswith(f"state:{len(lines) + 1}: error: "), what, done)

    def killed(self):
        """A sweep that is killed several times, at different places, by signals of all kinds."""
        alone = self.run(*LONG)
        path = self.folder / "killed"
        kills = 0
        for i, number in enumerate((signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)):
            before = path.stat().st_size if path.exists() else 0
            sweep = subprocess.Popen([self.schedcc, "sweep", *LONG, "--resume", "killed", "-j", str(1 + i % 2)], cwd=self.folder,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while sweep.poll() is None and (not path.exists() or path.stat().st_size < before + 3000):
                time.sleep(0.002)
            sweep.send_signal(number)
            sweep.communicate(timeout=60)
            kills += sweep.returncode == -number
        self.expect(kills >= 2, "too fast to be killed", kills)
        done = self.run(*LONG, "--resume", "killed", "-j", "2")
        self.expect((done.stdout, done.returncode) == (alone.stdout, 0), "killed, and resumed", done, alone)

    def judged_once(self):
        """A generator that fails ends the sweep; what it was called for before is not asked again."""
        options = ["--generator", "./generator", "--ranks", "2..6", "--chunks", "1..5", "--roots", "first"]
        alone = self.run(*options)
        calls = self.folder / "calls"
        asked = calls.read_text().splitlines()
        calls.unlink()
        judged = 0
        for last in (4, 6, 13, 20):
            (self.folder / "fails").write_text(str(last))
            done = self.run(*options, "--resume", "once")
            self.expect(done.returncode == 2 and not done.stdout, f"it fails at call {last}", done)
            seen = calls.read_text().splitlines()[:-1]  # the last call failed
            if judged:
                del seen[judged]  # by which a sweep learns the collective
            self.expect(len(seen) > judged and seen == asked[:len(seen)], f"calls until {last}", seen)
            judged = len(seen)
            calls.write_text("".join(line + "\n" for line in seen))
        (self.folder / "fails").unlink()
        done = self.run(*options, "--resume", "once")
        self.expect(done.stdout == alone.stdout, "after failures", done, alone)
        seen = calls.read_text().splitlines()
        del seen[judged]
        self.expect(seen == asked, "a case was judged twice, or not at all", seen)
        before = len(calls.read_text().splitlines())
        done = self.run(*options, "--resume", "once")
        self.expect(done.stdout == alone.stdout and len(calls.read_text().splitlines()) == before + 1, "complete, and resumed", done)

    def in_use(self):
        """Two sweeps at once do not share a file."""
        (self.folder / "generator").write_text(GENERATOR.replace("r=1;", "sleep 1; r=1;"))
        options = ["--generator", "./generator", "--ranks", "2..5", "--chunks", "1", "--roots", "first", "--resume", "used"]
        first = subprocess.Popen([self.schedcc, "sweep", *options], cwd=self.folder, stdout=subprocess.DEVNULL)
        while first.poll() is None and (not (self.folder / "used").exists() or not (self.folder / "used").stat().st_size):
            time.sleep(0.01)
        second = self.run("--algorithms", "chain", "--resume", "used")
        self.expect(second.returncode == 2 and second.stderr == "used: error: another sweep, which is running, uses this file\n",
                    "a file in use", second)
        self.expect(first.wait() == 0, "the sweep that uses it")


def main():
    with tempfile.TemporaryDirectory() as folder:
        resume = Resume(sys.argv[1], pathlib.Path(folder))
        resume.cut_anywhere()
        resume.changed_anywhere()
        resume.killed()
        resume.judged_once()
        resume.in_use()
    sys.exit(1 if resume.failures else 0)


if __name__ == "__main__":
    main()
