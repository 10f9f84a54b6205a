#!/usr/bin/env python3
"""Verifies the execution plans of MSCCL++: those in its repository, and those that its language makes from its own examples.

    tests/public/mscclpp_plans.py build/release/schedcc [REPOSITORY] [--gpus 2,4,8] [--keep DIR] [--details]

REPOSITORY is a git directory or a URL (by default https://github.com/microsoft/mscclpp), of which COMMIT is read. Its examples
are executed by this Python, in a folder of their own. A local script: no test depends on it. It prints, for each plan, the
verdict, the seconds that it took, and the checks that are violated or unknown."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

COMMIT = "1f5f065d"
FOLDERS = ["python/mscclpp/language", "test/executor-tests", "test/execution-files"]
VERDICTS = {0: "holds", 1: "violated", 2: "unreadable", 3: "unknown"}


def checkout(repository, folder):
    """Copies what is needed of the repository into the folder."""
    if "://" in repository:
        clone = folder / "clone"
        subprocess.run(["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", repository, clone], check=True)
        repository = clone / ".git"
    archive = subprocess.run(["git", "--git-dir", repository, "archive", COMMIT, *FOLDERS], check=True, capture_output=True)
    subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
    # The package without its compiled part, which the language does not use.
    (folder / "python/mscclpp/__init__.py").write_text("")


def generate(folder, gpus):
    """Runs the examples of the language; returns the plans, and why there are none for some."""
    plans, failures = [], []
    scripts = sorted(folder.glob("python/mscclpp/language/tests/**/*.py")) + sorted(folder.glob("test/executor-tests/algos/*.py"))
    for script in scripts:
        text = script.read_text()
        name = f"{script.parent.name}/{script.stem}"
        for count in gpus if "--num_gpus" in text else [None]:
            args = ["--name", script.stem] if '"--name"' in text else []
            args += ["--num_gpus", str(count)] if count else []
            if '"--nnodes"' in text:
                args += ["--nnodes", "2"]
            if '"--gpus_per_node"' in text:
                if count and count < 4:
                    continue  # a node of one GPU would be connected with itself
                args += ["--gpus_per_node", str((count or 2) // 2)]
            if '"--tbg_size"' in text:
                args += ["--tbg_size", "2"]
            label = f"{name} {count or ''}".strip()
            run = subprocess.run([sys.executable, script, *args], capture_output=True, text=True, check=False,
                                 env={"PYTHONPATH": str(folder / "python"), "PATH": "/usr/bin:/bin"})
            if run.returncode != 0:
                failures.append((label, (run.stderr.strip().splitlines() or ["no message"])[-1]))
                continue
            plan = folder / "generated" / f"{name}-{count or 'x'}.json".replace("/", "-")
            plan.parent.mkdir(exist_ok=True)
            plan.write_text(run.stdout)
            plans.append((label, plan))
    return plans, failures


def all_plans(repository, folder, gpus):
    """Those of the repository, and those that its language makes; and why there are none of some scripts."""
    checkout(repository, folder)
    plans = [(f"{p.parent.name}/{p.stem}", p) for d in ("test/execution-files", "test/executor-tests/execution-plans")
             for p in sorted((folder / d).glob("*.json"))]
    generated, failures = generate(folder, [int(n) for n in gpus.split(",")])
    return plans + generated, failures


def verify(schedcc, plan):
    """The verdict, the seconds, and what is said."""
    begin = time.monotonic()
    run = subprocess.run([schedcc, "verify", "--from", "mscclpp", plan], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    output = run.stdout + run.stderr
    found = re.search(r": (?:holds|violated|unknown)\b([^:]*)", output)
    return (VERDICTS[run.returncode], found.group(1).strip() if found else ""), seconds, output.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("repository", nargs="?", default="https://github.com/microsoft/mscclpp")
    parser.add_argument("--gpus", default="2,4,8")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        plans, failures = all_plans(options.repository, folder, options.gpus)
        counts, slowest = {}, 0.0
        for label, plan in plans:
            (verdict, checks), seconds, output = verify(options.schedcc, plan)
            counts[verdict] = counts.get(verdict, 0) + 1
            slowest = max(slowest, seconds)
            print(f"{label:45} {verdict:10} {seconds:6.3f} s  {checks}")
            if options.details and verdict != "holds":
                print("\n".join("    " + line.replace(str(folder), "")[:400] for line in output.splitlines()))
        for label, why in failures:
            print(f"{label:45} no plan: {why[:100]}")
        print(", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())), f"; at most {slowest:.3f} s")


if __name__ == "__main__":
    main()
