#!/usr/bin/env python3
"""Golden tests of the command line: one file per case, in folders by command below cases/.

    tests/cli/run.py SCHEDCC [NAME...]             run the cases (all, or those named)
    tests/cli/run.py --update SCHEDCC [NAME...]    rewrite what they expect; read the difference!

A NAME is that of a case, `compile/dot`, or of a folder, `compile`. Cases of several commands are in
`general`. A case says in its first lines what it shows, then come sections:

    === file NAME       a file that is there when the command runs
    === command         a bash script; it runs in an empty folder, with `schedcc` on its path
    === status          what must come out
    === stdout
    === stderr

Sections of empty output are left out. Where output does not end in a newline, the line
`\\ no newline at the end` follows it. In a script, `limited MB COMMAND...` runs a command with so
much address space and no more. Under a sanitizer, which needs terabytes of it, it just runs it, and
`strictly_limited` skips the case. Cases of `schedcc prove` are for a schedcc with both solvers, and
are left out if it was built without one of them.
"""

import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "cases"
NO_NEWLINE = "\\ no newline at the end\n"
SECONDS = 600
SKIPPED = 77

PRELUDE = """
limited() {
  local megabytes=$1; shift
  [ -n "${SCHEDCC_SANITIZE:-}" ] || ulimit -v $((megabytes * 1024))
  "$@"
}
strictly_limited() {
  [ -z "${SCHEDCC_SANITIZE:-}" ] || exit 77
  limited "$@"
}
"""


class Case:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(CASES).with_suffix(""))
        self.intro = ""
        self.files = {}
        self.command = ""
        self.expected = {"status": "0\n", "stdout": "", "stderr": ""}
        self.parse(path.read_text())

    def parse(self, text):
        sections = []
        for line in text.splitlines(keepends=True):
            if line.startswith("=== "):
                sections.append((line[4:].strip(), []))
            elif sections:
                sections[-1][1].append(line)
            else:
                self.intro += line
        for title, lines in sections:
            body = "".join(lines)
            if title.startswith("file "):
                self.files[title[5:]] = body
            elif title == "command":
                self.command = body
            elif title in self.expected:
                self.expected[title] = body
            else:
                sys.exit(f"{self.path}: unknown section '{title}'")
        if not self.intro.strip() or not self.command:
            sys.exit(f"{self.path}: a case needs a first line that says what it shows, and a command")

    def text(self, results):
        parts = [self.intro]
        for name, body in self.files.items():
            parts.append(f"=== file {name}\n{body}")
        parts.append(f"=== command\n{self.command}")
        for title, body in results.items():
            if body:
                parts.append(f"=== {title}\n{body}")
        return "".join(parts)

    def run(self, schedcc):
        """What comes out, as the sections of the file."""
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "bin").mkdir()
            (home / "bin" / "schedcc").symlink_to(schedcc)
            work = home / "work"
            work.mkdir()
            for name, body in self.files.items():
                (work / name).write_text(body)
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "COLUMNS"))}
            environment.update(PATH=f"{home / 'bin'}:{os.environ['PATH']}", LC_ALL="C")
            try:
                done = subprocess.run(["bash", "-c", PRELUDE + self.command], cwd=work, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return {"status": f"nothing after {SECONDS} seconds\n", "stdout": "", "stderr": ""}
        if done.returncode == SKIPPED:
            return self.expected
        return {"status": f"{done.returncode}\n", "stdout": readable(done.stdout), "stderr": readable(done.stderr)}


def has_solvers(schedcc):
    """Was schedcc built with all solvers that `prove` supports?"""
    question = [schedcc, "prove", "--collective", "broadcast", "--ranks", "2", "--solver", "both", "--quiet"]
    return subprocess.run(question, capture_output=True, timeout=SECONDS).returncode == 0


def readable(output):
    text = output.decode("utf-8", "backslashreplace")
    return text if not text or text.endswith("\n") else text + "\n" + NO_NEWLINE


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    if update:
        arguments.pop(0)
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    schedcc = pathlib.Path(arguments[0]).resolve()
    if shutil.which(schedcc) is None:
        sys.exit(f"{schedcc}: not a program")
    cases = [Case(path) for path in sorted(CASES.rglob("*.test"))]
    wanted = arguments[1:]
    known = {case.name for case in cases} | {case.name.partition("/")[0] for case in cases}
    for name in wanted:
        if name not in known:
            sys.exit(f"no case or folder of cases '{name}' in {CASES}")
    if wanted:
        cases = [case for case in cases if {case.name, case.name.partition("/")[0]} & set(wanted)]
    unserved = [case for case in cases if "schedcc prove" in case.command]
    if unserved and not has_solvers(schedcc):
        print(f"{len(unserved)} cases are left out: schedcc was built without a solver that they need")
        cases = [case for case in cases if case not in unserved]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: case.run(schedcc), cases))

    failed = []
    for case, result in zip(cases, results):
        if result == case.expected:
            continue
        failed.append(case.name)
        if update:
            case.path.write_text(case.text(result))
            continue
        print(f"\n{case.name}: {case.intro.strip().splitlines()[0]}")
        sys.stdout.writelines(difflib.unified_diff(
            case.text(case.expected).splitlines(keepends=True), case.text(result).splitlines(keepends=True),
            "expected", "got", n=2))
    if update:
        print(f"{len(failed)} of {len(cases)} cases rewritten" + "".join(f"\n  {name}" for name in failed))
    elif failed:
        sys.exit(f"\n{len(failed)} of {len(cases)} cases failed: {' '.join(failed)}")
    else:
        print(f"{len(cases)} cases passed")


if __name__ == "__main__":
    main()
