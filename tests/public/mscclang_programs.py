#!/usr/bin/env python3
"""Verifies the MSCCL XML that the examples of msccl-tools print, for up to four sizes each, with each protocol that they offer.

    tests/public/mscclang_programs.py build/release/schedcc [REPOSITORY] [--only NAME] [--keep DIR] [--details]

REPOSITORY is a git directory or a URL (by default https://github.com/microsoft/msccl-tools), of which COMMIT is read. Its examples
are executed by this Python, which needs Debian's python3-z3, python3-humanfriendly, python3-lxml and python3-tabulate. A local script: no test depends on it. It
prints, for each program, the verdict and the checks that are violated or unknown, and of what there is no program, why."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

COMMIT = "030a750fc5"
EXAMPLES = "examples/mscclang"
VERDICTS = {0: "holds", 1: "violated", 2: "unreadable", 3: "unknown"}
SIZES = [("4", "1"), ("8", "1"), ("8", "2"), ("16", "1")]
RINGS = [("4", "1", "1"), ("8", "1", "1"), ("8", "4", "2"), ("16", "2", "1")]
CLUSTERS = [("2", "2", "1"), ("2", "4", "1"), ("2", "8", "1"), ("4", "4", "2")]
# The sizes of those whose arguments are not GPUs and instances.
OTHER_SIZES = {
    "allgather_ring": RINGS,
    "allreduce_a100_ring": RINGS,
    "pipeline_a100_ring": RINGS,
    "allreduce_binomial_tree": [("4", "1", "1"), ("8", "1", "1"), ("8", "2", "1"), ("16", "2", "1")],
    "allreduce_a100_ncv4": [("4", "1"), ("4", "2"), ("4", "4")],  # for a machine of 4 GPUs
    "allreduce_a100_ncv4_v2": [("4", "1"), ("4", "2"), ("4", "4")],
    "hierarchical_allreduce": [("4", "2", "1"), ("8", "2", "1"), ("8", "2", "2"), ("8", "4", "2")],
    "alltoall_a100_three_step": CLUSTERS,
    "alltoall_a100_two_step": [size[:2] for size in CLUSTERS],
    "alltonext_backward": [("2", "1"), ("2", "2")],
    "alltonext_forward": [("2", "1"), ("2", "2"), ("4", "1"), ("8", "1")],
    "allreduce_dgx1": [("1", "1"), ("1", "2"), ("2", "1")],
    "allreduce_ndv2": [("1",), ("2",)],
    "reducegather": [("4", "2"), ("8", "2"), ("8", "4")],
}
# Of 16 GPUs it takes minutes.
OTHER_SIZES["allreduce_a100_multinode_allpairs"] = SIZES[:3]


def checkout(repository, folder):
    """Copies the repository into the folder."""
    if "://" in repository:
        clone = folder / "clone"
        subprocess.run(["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", repository, clone], check=True)
        repository = clone / ".git"
    archive = subprocess.run(["git", "--git-dir", repository, "archive", COMMIT], check=True, capture_output=True)
    subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)


def protocols(text):
    """Those that an example lets choose; none if it has a fixed one."""
    offered = re.search(r"'--protocol'.*choices=\[(.*?)\]", text)
    return sorted(set(re.findall(r"'(\w+)'", offered.group(1)))) if offered else [None]


def calls(folder, only):
    """Each (example, arguments) of the examples whose names have `only` in them."""
    for script in sorted((folder / EXAMPLES).glob("*.py")):
        if only not in script.stem:
            continue
        for size in OTHER_SIZES.get(script.stem, SIZES):
            for protocol in protocols(script.read_text()):
                yield script, [*size, *(["--protocol", protocol] if protocol else [])]


def generate(script, arguments, folder):
    """The program that is printed, without what is printed after it, and the last line of the errors."""
    run = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False,
                         env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"})
    program = re.search(r"<algo\b.*</algo>\n?", run.stdout, re.DOTALL)
    return program and program.group(0), (run.stderr.strip().splitlines() or ["no message"])[-1]


def verify(schedcc, file):
    """The verdict, the checks of which it speaks, and what is said."""
    run = subprocess.run([schedcc, "verify", "--max-findings", "3", file], capture_output=True, text=True, check=False)
    output = run.stdout + run.stderr
    found = re.search(r": (?:violated|unknown)\b([^:]*)", output)
    return VERDICTS.get(run.returncode, f"status {run.returncode}"), found.group(1).strip() if found else "", output.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("repository", nargs="?", default="https://github.com/microsoft/msccl-tools")
    parser.add_argument("--only", default="", help="a part of the names of examples")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the programs")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        checkout(options.repository, folder)
        keep = options.keep or folder / "programs"
        keep.mkdir(parents=True, exist_ok=True)
        for script, arguments in calls(folder, options.only):
            label = " ".join([script.stem, *(a for a in arguments if a != "--protocol")])
            program, why = generate(script, arguments, folder)
            if program is None:
                print(f"{label:58} no program: {why[:80]}")
                continue
            file = keep / f"{label.replace(' ', '-')}.xml"
            file.write_text(program)
            verdict, checks, output = verify(options.schedcc, file)
            counts[verdict] += 1
            print(f"{label:58} {verdict:10} {checks}", flush=True)
            if options.details and verdict != "holds":
                print("\n".join(f"    {line.replace(str(keep) + '/', '')[:400]}" for line in output.splitlines()))
    print(counts.total(), "programs:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
