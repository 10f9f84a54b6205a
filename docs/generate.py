#!/usr/bin/env python3
"""Fills the generated parts of the README, the tour, the catalogue and the guides from the output of the program.

    docs/generate.py SCHEDCC           rewrite them
    docs/generate.py --check SCHEDCC   fail if one is not up to date

A generated part stands between `<!-- begin: COMMAND -->` and `<!-- end -->`. For `schedcc list KIND` it is a
table, made from the output with --json; for a C++ file of the project, its text; for every other command, the command
and its output. In the guides it is the output of the commands of a page, which are run one after the other (console.py).
"""

import difflib
import json
import pathlib
import re
import sys
import tempfile

import console
from console import ROOT

DOCUMENTS = ("README.md", "docs/tour.md", "docs/catalogue.md", "docs/library.md")
GUIDES = ("docs/writing-schedules.md", "docs/verifying.md", "docs/gpu.md")
FOLDERS = ("schedules", "examples")  # which commands can read
PART = re.compile(r"(<!-- begin: (.*?) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def code(words):
    return ", ".join(f"`{word}`" for word in words)


def spelling(entry):
    """NAME:key=,key=, as a user writes it."""
    keys = ",".join(p["name"] + ("" if p.get("flag") else "=") for p in entry.get("parameters", []))
    return code([entry["name"] + (f":{keys}" if keys else "")])


def spelling_and_aliases(entry):
    return spelling(entry) + "".join(f"; {code([a])} is {code([m])}" for a, m in entry["aliases"].items())


def yes(value):
    return "yes" if value else ""


LIBRARIES = ("Open MPI", "MPICH", "NCCL", "UCC")

# The columns of each kind's table: titles and contents.
COLUMNS = {
    "algorithms": {
        "algorithm": spelling,
        "collectives": lambda e: ", ".join(e["collectives"]),
        "designed for": lambda e: code(e["machines"]),
        "same sums": lambda e: "" if "agreement" not in e else "yes" if e["agreement"] else f"not {e['disagreement']}",
        "what it does": lambda e: e["summary"],
        "source": lambda e: e["source"],
    },
    "algorithms --names": {
        "algorithm": lambda e: code([e["name"]]),
        **{library: lambda e, library=library: e["names"].get(library, "") for library in LIBRARIES},
    },
    "collectives": {
        "collective": spelling,
        "what it does": lambda e: e["summary"],
        "root": lambda e: yes(e["root"]),
        "combines": lambda e: yes(e["reduction"]),
        "chunks": lambda e: e["chunks"],
    },
    "machines": {
        "machine": spelling_and_aliases,
        "rule": lambda e: e["summary"],
        "source": lambda e: e["source"],
    },
    "checks": {
        "check": spelling,
        "property": lambda e: e["summary"],
    },
    "models": {
        "model": spelling,
        "time": lambda e: e["summary"],
        "source": lambda e: e["source"],
    },
    "formats": {
        "format": spelling,
        "what it is": lambda e: e["summary"],
        "extensions": lambda e: code(e["extensions"]),
        "read": lambda e: yes(e["read"]),
        "written": lambda e: yes(e["written"]),
    },
}


def table(kind, entries):
    columns = COLUMNS[kind]
    rows = [columns, ["---"] * len(columns), *([cell(entry) for cell in columns.values()] for entry in entries)]
    return "".join("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |\n" for row in rows)


def run(schedcc, command):
    """The output of a command, run in a writable folder that has the examples."""
    with tempfile.TemporaryDirectory() as folder:
        console.link(folder, FOLDERS)
        return console.output(command, folder, schedcc)


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if check:
        arguments.pop(0)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    schedcc = pathlib.Path(arguments[0]).resolve()

    def part(match):
        command = match[2]
        kind = command.removeprefix("schedcc list ")
        if kind in COLUMNS:
            entries = json.loads(run(schedcc, command + " --json"))[kind.split()[0]]
            body = table(kind, [e for e in entries if "--names" not in kind or e["names"]])
        elif command.endswith(".cpp"):
            body = f"```cpp\n{(ROOT / command).read_text()}```\n"
        else:
            body = f"```console\n$ {command}\n{run(schedcc, command)}```\n"
        return f"{match[1]}\n{body}\n{match[3]}"

    stale = []
    for name in (*DOCUMENTS, *GUIDES):
        document = ROOT / name
        before = document.read_text()
        after = console.with_output(before, schedcc, FOLDERS) if name in GUIDES else PART.sub(part, before)
        if before.count("<!-- begin:") != len(PART.findall(before)):
            sys.exit(f"{name}: a generated part is not closed")
        if before == after:
            continue
        if check:
            stale.append(name)
            sys.stdout.writelines(difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True),
                                                       name, f"{name}, regenerated", n=1))
        else:
            document.write_text(after)
            print(f"{name} rewritten")
    if stale:
        sys.exit(f"{', '.join(stale)}: not up to date: make -f Makefile.examples docs")


if __name__ == "__main__":
    main()
