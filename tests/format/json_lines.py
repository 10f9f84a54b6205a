#!/usr/bin/env python3
"""With --json-lines each report is a line, and the lines are what --json writes.

    tests/format/json_lines.py SCHEDCC SCHEDULES
"""

import json
import pathlib
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


def main():
    schedcc, schedules = sys.argv[1], pathlib.Path(sys.argv[2])
    files = [str(path) for path in sorted(schedules.glob("**/*.sched"))]
    commands = [
        ["verify", *files],
        ["verify", files[0]],
        ["verify", files[0], "missing.sched"],
        ["sweep", "--algorithms", "chain,ring", "--ranks", "2..4", "--chunks", "1..2"],
        ["compile", "ring", "--ranks", "4"],
    ]
    for command in commands:
        whole = json.loads(run(schedcc, *command, "--json"))
        wanted = whole if isinstance(whole, list) else [whole]
        lines = run(schedcc, *command, "--json-lines").splitlines()
        if [json.loads(line) for line in lines] != wanted:
            sys.exit(f"{' '.join(command)}: {len(lines)} lines are not the {len(wanted)} reports of --json")


if __name__ == "__main__":
    main()
