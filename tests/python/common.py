"""What the tests of the Python module share."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDCC = pathlib.Path(os.environ["SCHEDCC"]).resolve()


def run(*arguments, folder=ROOT):
    """Status, output and errors of the command line."""
    done = subprocess.run([SCHEDCC, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def report(*arguments):
    """What the command line says with --json."""
    return json.loads(run(*arguments, "--quiet", "--json")[1])


def messages(step):
    """The chunks of each message, in the order of the messages: as the canonical form has them."""
    result = {}
    for t in step:
        result.setdefault((t.src, t.dst, t.reduce), []).extend(t.chunks)
    return [(ends, sorted(chunks)) for ends, chunks in result.items()]


def content(schedule):
    """What two schedules must have in common to be the same."""
    return (schedule.collective, schedule.ranks, schedule.root, schedule.chunks, schedule.ordered, schedule.pre,
            schedule.post, schedule.reduced, [(step.number, step.rounds, messages(step)) for step in schedule])
