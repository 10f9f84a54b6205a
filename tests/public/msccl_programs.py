#!/usr/bin/env python3
"""Verifies the MSCCL XML of public repositories: every version of every program, on all branches and pull requests.

    tests/public/msccl_programs.py build/release/schedcc [--repositories DIR] [--keep DIR] [--only NAME] [--details]

Clones the repositories, without their other files, into DIR/OWNER+NAME.git if they are not there. A version is named by the first
ten digits of its blob: `git log --all --find-object=BLOB` tells its commits. A local script: no test depends on it. It prints,
for each repository, how many programs hold, are violated, unknown or unreadable; with --details, what is said of those
that do not hold. docs/gallery.md, "Public schedules", has what was found. A program that is in several repositories counts in each.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# The commits of the main branches of which docs/gallery.md speaks.
REPOSITORIES = {
    "ROCm/rccl": "0cbce2a757",
    "Azure/msccl-scheduler": "a0bfca14a1",
    "Azure/msccl-executor-nccl": "c6f6b36d1a",
    "meta-pytorch/torchcomms": "59426ba4bf",
    "microsoft/msccl": "b23e9cd5dd",
    "microsoft/msccl-tools": "030a750fc5",
    "rouge3877/ns3-msccl": "34b808587e",
    "rouge3877/ns3-msccl-data": "76fd62432d",
    "astra-sim/collectiveapi": "718cafda63",
    "microsoft/TE-CCL": "c128bf241e",
}
BEFORE = re.compile(rb"\A\s*(?:(?:<!--.*?-->|<\?.*?\?>)\s*)*<algo\b", re.DOTALL)
VERDICTS = {0: "holds", 1: "violated", 2: "unreadable", 3: "unknown"}


def clone(name, folder):
    """The git directory of the repository, cloned if it is not there."""
    path = folder / f"{name.replace('/', '+')}.git"
    if not path.exists():
        url = f"https://github.com/{name}"
        subprocess.run(["git", "clone", "--quiet", "--mirror", "--filter=blob:none", url, path], check=True)
    return path


def git(repository, *args, text=None):
    return subprocess.run(["git", "--git-dir", repository, *args], check=True, capture_output=True, input=text).stdout


def programs(repository):
    """The programs, as (blob, path, text)."""
    listed = git(repository, "rev-list", "--all", "--objects", "--missing=allow-any").decode(errors="replace")
    paths = dict(line.split(" ", 1) for line in listed.splitlines() if line.endswith(".xml"))
    for blob, path in sorted(paths.items(), key=lambda item: item[1]):
        found = subprocess.run(["git", "--git-dir", repository, "cat-file", "blob", blob], capture_output=True, check=False)
        if found.returncode == 0 and BEFORE.match(found.stdout):
            yield blob[:10], path, found.stdout


def verify(schedcc, file):
    run = subprocess.run([schedcc, "verify", "--max-findings", "3", file], capture_output=True, text=True, check=False)
    return VERDICTS.get(run.returncode, f"status {run.returncode}"), (run.stdout + run.stderr).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--repositories", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs")
    parser.add_argument("--only", choices=list(REPOSITORIES))
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        clones = options.repositories or pathlib.Path(temporary) / "clones"
        keep = options.keep or pathlib.Path(temporary) / "programs"
        for name in [options.only] if options.only else REPOSITORIES:
            counts = collections.Counter()
            folder = keep / name
            folder.mkdir(parents=True, exist_ok=True)
            for blob, path, text in programs(clone(name, clones)):
                file = folder / f"{blob}-{pathlib.PurePosixPath(path).name}"
                file.write_bytes(text)
                verdict, output = verify(options.schedcc, file)
                counts[verdict] += 1
                if options.details and verdict != "holds":
                    print(f"{name} {blob} {path}: {verdict}")
                    print("\n".join(f"    {line.replace(str(folder) + '/', '')[:400]}" for line in output.splitlines()))
            print(f"{name:28}", ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())), flush=True)
            total += counts
    print(f"{'in all':28}", ", ".join(f"{n} {verdict}" for verdict, n in sorted(total.items())))


if __name__ == "__main__":
    sys.exit(main())
