#!/usr/bin/env python3
"""Runs the commands of the ledger of the papers, and checks that each prints the expected text.

    docs/ledger/run_commands.py SCHEDCC LEDGER
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from generate import run  # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    schedcc, ledger = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    lines = subprocess.run([ledger, "--commands"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    shown = [line.split("\t") for line in lines]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = dict(zip(commands := sorted({command for _, command, _ in shown}),
                           pool.map(lambda command: run(schedcc, command), commands)))
    failed = [entry for entry in shown if entry[2] not in outputs[entry[1]]]
    for name, command, expected in failed:
        print(f"{name}: {command}\n  should print: {expected}\n  prints: {outputs[command][:1000]}")
    if failed:
        sys.exit(f"{len(failed)} of {len(shown)} commands do not show what they should")
    print(f"{len(outputs)} commands show {len(shown)} claims")


if __name__ == "__main__":
    main()
