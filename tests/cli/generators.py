#!/usr/bin/env python3
"""Programs as algorithms: those of examples/generators, and programs that fail.

    tests/cli/generators.py SCHEDCC

The examples hold for every number of ranks from 2 to 17, every root and several numbers of chunks;
they refuse what they do not serve, are short, and use nothing beyond the language's own library. One prints the
bytes of a built-in algorithm. Every format writes what they print as it writes the same schedule
from a file. A generator that fails, in whatever way, is one clear error; it leaves no process
behind, also when schedcc is interrupted.
"""

import contextlib
import io
import json
import os
import pathlib
import re
import resource
import runpy
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from expectations import Expectations

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "generators"
MOST_LINES = 40
HEAD = r"printf 'schedcc 1\ncollective broadcast\nranks 4\nroot 0\nchunks 1\n"
LIMIT = resource.getrlimit(resource.RLIMIT_AS)[0]
LIMIT = "unlimited" if LIMIT == resource.RLIM_INFINITY else LIMIT >> 10
# What a program does, the options besides --ranks 4, and words that the error must have.
FAILURES = [
    ("crash", "echo 'no such tree' >&2; exit 1", [], ["exit status 1", "no such tree"]),
    # Its address space is not limited as that of schedcc is.
    ("limit", 'echo "limit $(ulimit -v)" >&2; exit 1', [], [f"limit {LIMIT}"]),
    ("killed", "kill -SEGV $$", [], ["killed by signal 11"]),
    ("silence", "", [], ["printed nothing"]),
    ("blank", "echo; echo", [], ["printed nothing"]),
    ("garbage", "echo hello", [], [":1:1: error: missing first line 'schedcc 1'"]),
    ("endless garbage", "exec yes hello", [], [":1:1: error: missing first line 'schedcc 1'"]),
    ("other ranks", HEAD.replace("ranks 4", "ranks 5") + "'", [], [":3:7: error:", "--ranks 4", "ranks 5"]),
    ("other chunks", HEAD + "'", ["--chunks", "2"], [":5:8: error:", "--chunks 2", "chunks 1"]),
    ("other root", HEAD + "'", ["--root", "3"], [":4:6: error:", "--root 3", "root 0"]),
    ("other collective", HEAD + "'", ["--collective", "reduce"], [":2:12: error:", "broadcast", "reduce"]),
    ("bad step", HEAD + r"step 0\n0 -> 1 : x\n'", [], [":7:10: error:"]),
    ("slow", "sleep 100", ["--timeout", "0.2"], ["did not end within 0.2 seconds", "--timeout"]),
    ("silent, but not at an end", "exec >&-; sleep 100", ["--timeout", "0.2"], ["did not end within 0.2 seconds"]),
    ("refusal", "echo 'too odd' >&2; exit 77", [], ["refuses --ranks 4", "too odd"]),
]
COMMANDS = [["compile"], ["verify"], ["show"], ["explain", "--rank", "0", "--chunk", "0"],
            ["cost", "--bytes", "1kB", "--alpha", "1us", "--beta", "1GB/s"], ["sweep"], ["prove"],
            ["tune", "--bytes", "1kB", "--alpha", "1us", "--beta", "1GB/s", "--collective", "broadcast"]]


class Test(Expectations):
    def run(self, *arguments, **options):
        done = subprocess.run([self.schedcc, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120, cwd=options.pop("cwd", ROOT), **options)
        return done.returncode, done.stdout, done.stderr.decode()

    def printed(self, path, ranks, chunks, root):
        """What a generator in Python prints, and its exit status, without another process."""
        arguments = [str(path), "--ranks", str(ranks), "--chunks", str(chunks), "--root", str(root)]
        text, status = io.StringIO(), 0
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
            before, sys.argv = sys.argv, arguments
            try:
                runpy.run_path(str(path), run_name="__main__")
            except SystemExit as end:
                status = end.code
            finally:
                sys.argv = before
        return text.getvalue(), status

    def holds(self, path):
        """The schedules for 2 to 17 ranks hold, by verify."""
        with tempfile.TemporaryDirectory() as folder:
            served = 0
            for ranks in range(2, 18):
                for chunks in (1, 2, 5, 16):
                    text, status = self.printed(path, ranks, chunks, 0)
                    refused = "doubling" in path.name and ranks & (ranks - 1) != 0
                    self.expect(status == (77 if refused else 0), f"{path} for {ranks} ranks: status {status}")
                    if not refused:
                        (pathlib.Path(folder) / f"{ranks}-{chunks}.sched").write_text(text)
                        served += 1
            status, text, _ = self.run("verify", folder, "--json")
            verdicts = [report["verdict"] for report in json.loads(text)]
            self.expect(status == 0 and verdicts == ["holds"] * served, f"{path}: {verdicts}, status {status}")

    def sweeps(self, command, ranks, roots, refused):
        """Every case of a range is served and holds, or is refused, by sweep."""
        status, text, error = self.run("sweep", "--generator", command, "--ranks", ranks, "--chunks", "1", "--json")
        self.expect(status == 0 and not error, f"sweep of {command}: status {status}: {error}")
        [entry] = json.loads(text)
        self.expect(entry["algorithm"] == command, f"{command} is called {entry['algorithm']}")
        self.expect(entry["cases"] == roots, f"{command}: {entry['cases']} cases")
        self.expect(entry["skipped"] == len(entry["reasons"]) == refused, f"{command} skips {entry['reasons']}")

    def same_bytes(self, path, name):
        for ranks in range(2, 18):
            chunks = 1 + ranks % 3
            _, other, _ = self.run("compile", name, "--ranks", ranks, "--chunks", chunks, "--quiet", "--emit", "sched")
            self.expect(self.printed(path, ranks, chunks, 0)[0].encode() == other,
                        f"{path} differs from {name} for {ranks} ranks")

    def same_as_file(self, command, folder):
        """Every format writes the same from the generator as from a file."""
        own = subprocess.run([*command.split(), "--ranks", "4", "--chunks", "1", "--root", "0"], cwd=ROOT,
                             capture_output=True, check=True).stdout
        path = pathlib.Path(folder) / "own.sched"
        path.write_bytes(own)
        for name in ["sched", "json", "csv", "goal", "dot", "mpi", "cpp"]:
            texts = []
            for source in (["--generator", command, "--ranks", "4"], [path]):
                status, text, error = self.run("compile", *source, "--emit", name, "--quiet")
                self.expect(status == 0, f"--emit {name} of {source}: {error}")
                # Comments name the command.
                texts.append(re.sub(rb"^.*schedcc compile.*$", b"", text, flags=re.MULTILINE).replace(
                    str(path).encode(), command.encode()))
            self.expect(texts[0] == texts[1], f"{name} differs between {command} and the same as a file")

    def documented(self, folder):
        """The commands of docs/formats.md."""
        page = (ROOT / "docs" / "formats.md").read_text().partition("### From a program\n")[2].partition("\n## ")[0]
        commands = re.findall(r"^    schedcc (.*)$", page, re.MULTILINE)
        self.expect(len(commands) == 3, f"docs/formats.md has {commands}")
        (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
        for command in commands:
            status, _, error = self.run(*shlex.split(command), cwd=folder)
            self.expect(status == 0, f"docs/formats.md: {command}: status {status}: {error}")

    def fails(self, folder):
        for what, program, options, words in FAILURES:
            path = pathlib.Path(folder) / "program.sh"
            path.write_text(program + "\n")
            for command in COMMANDS if what in ("crash", "other ranks") else COMMANDS[:1]:
                status, text, error = self.run(*command, "--generator", "sh program.sh", "--ranks", "4", *options,
                                               cwd=folder)
                lines = [line for line in error.splitlines() if "error: " in line]
                self.expect(status == 2, f"{command[0]}, {what}: status {status}: {error}")
                self.expect(not text, f"{command[0]}, {what}: output {text[:80]}")
                self.expect(len(lines) == 1 and lines[0].startswith("sh program.sh"), f"{what}: {error}")
                for word in words:
                    self.expect(word in error, f"{command[0]}, {what}: no '{word}' in: {error}")

    def leaves_nothing(self, folder):
        """Neither a slow program nor what it started remains, after a time-out or a signal."""
        script = pathlib.Path(folder) / "slow.sh"
        script.write_text('sleep 98.7 &\necho $! $$ > pids\nsleep 98.7\n')
        pids = pathlib.Path(folder) / "pids"

        def gone():
            started = pids.read_text().split() if pids.exists() else []
            return all(not pathlib.Path(f"/proc/{pid}").exists() for pid in started)

        def gone_soon():
            end = time.monotonic() + 10
            while not gone() and time.monotonic() < end:
                time.sleep(0.01)
            return gone()

        slow = ["compile", "--generator", "sh slow.sh", "--ranks", "4"]
        status, _, error = self.run(*slow, "--timeout", "0.3", cwd=folder)
        self.expect(status == 2 and gone_soon(), f"after a time-out: status {status}, {error}")
        for number in (signal.SIGINT, signal.SIGTERM):
            pids.unlink(missing_ok=True)
            with subprocess.Popen([self.schedcc, *slow], cwd=folder, stdin=subprocess.DEVNULL) as process:
                while process.poll() is None and (not pids.exists() or len(pids.read_text().split()) < 2):
                    time.sleep(0.01)
                process.send_signal(number)
                self.expect(process.wait(10) == -number, f"ends with {process.returncode} after signal {number}")
            self.expect(gone_soon(), f"the generator goes on after signal {number}")

    def runs_once(self, folder):
        """One run for each problem."""
        script = pathlib.Path(folder) / "logged.sh"
        script.write_text(f'echo "$*" >> log\nexec sh {FOLDER}/binomial.sh "$@"\n')
        log = pathlib.Path(folder) / "log"
        for command in (["sweep", "--ranks", "2..5", "--chunks", "1..3"],
                        ["tune", "--ranks", "4,8", "--bytes", "1kB..64kB", "--algorithms", "chain", "--alpha", "1us",
                         "--beta", "1GB/s"],
                        ["cost", "--ranks", "4", "--bytes", "1kB", "--alpha", "1us", "--beta", "1GB/s"],
                        ["verify", "--ranks", "4", "--chunks", "8"]):
            status, text, error = self.run(*command, "--generator", "sh logged.sh", cwd=folder)
            self.expect(status == 0, f"{command}: {error}")
            self.expect(b"logged.sh" in text, f"{command} does not name the generator: {text}")
            runs = log.read_text().splitlines()
            self.expect(len(set(runs)) == len(runs), f"{command} runs it again: {runs}")
            log.unlink()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.environ["LC_ALL"] = "C"
    test = Test(sys.argv[1])
    commands = {path: ("python3 " if path.suffix == ".py" else "sh ") + str(path.relative_to(ROOT))
                for path in sorted(FOLDER.iterdir())}
    test.expect(len(commands) == 5, f"examples are {list(commands)}")
    with tempfile.TemporaryDirectory() as folder:
        for path, command in commands.items():
            lines = len(path.read_text().splitlines())
            test.expect(lines <= MOST_LINES, f"{path}: {lines} lines")
            if path.suffix == ".py":
                test.holds(path)
                test.sweeps(command, "3..4", 2 - ("doubling" in path.name), int("doubling" in path.name))
            else:
                test.sweeps(command, "2..17", sum(range(2, 18)), 0)
        test.same_bytes(FOLDER / "pairwise.py", "pairwise")
        test.same_as_file(commands[FOLDER / "binomial.sh"], folder)
        test.documented(folder)
        test.fails(folder)
        test.leaves_nothing(folder)
        test.runs_once(folder)
    test.end(f"{len(commands)} examples serve, {len(FAILURES)} kinds of programs fail as they must")


if __name__ == "__main__":
    main()
