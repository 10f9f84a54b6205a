#!/usr/bin/env python3
"""The cost of building schedcc, compared with that of an earlier commit.

    bench/build.py [COMMIT] [--against ba68610] [--jobs N] [--folder DIR] [--all-packages]

Clones both commits, builds them one after the other, without ccache, and prints the user CPU seconds of

    program      make -f Makefile.examples build
    first        that, and the examples: the README's first command
    everything   the program, and what else a plain `cmake --build` builds: tests, ledger, benchmarks

and their ratios. (At ba68610 `build` builds everything, so that all three are nearly the same there.) Both are
built as on a fresh machine, where the commands of the README install neither MPI nor SimGrid nor pybind11;
--all-packages: with those that are found. CPU seconds depend less than wall time on other work on the machine, but
still grow by about a half if two processes share a core, so the machine should be idle. It takes about twenty minutes
of CPU time.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ("program", "first", "everything")
# Without what the README's commands do not install.
FRESH = ("-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON -DSCHEDCC_MPI=OFF "
         "-DSCHEDCC_PYTHON=OFF -DSCHEDCC_SIMGRID=OFF -DSCHEDCC_SMPICXX=OFF")


def environment():
    """An environment without compiler caches."""
    result = {k: v for k, v in os.environ.items() if k not in ("CMAKE_CXX_COMPILER_LAUNCHER", "MAKEFLAGS")}
    return result | {"CCACHE_DISABLE": "1"}


def user_seconds(command, folder):
    """The user CPU time of a command and its children. If it fails, ends the program with its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(commit, folder, jobs, flags):
    """The seconds of each of PARTS."""
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", HERE.parent, folder], check=True)
    subprocess.run(["git", "-C", folder, "checkout", "--quiet", "--detach", commit], check=True)
    make = ["make", "-f", "Makefile.examples", f"JOBS={jobs}", f"CMAKE_FLAGS={flags}"]
    program = user_seconds([*make, "build"], folder)
    examples = user_seconds([*make, "examples"], folder)
    rest = user_seconds(["cmake", "--build", "build/release", "-j", str(jobs)], folder)
    return program, program + examples, program + rest


def resolved(commit):
    """The hash of a commit of this repository."""
    return subprocess.run(["git", "-C", HERE, "rev-parse", "--verify", commit + "^{commit}"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default="HEAD", metavar="COMMIT", help="what is measured (HEAD)")
    parser.add_argument("--against", default="ba68610", metavar="COMMIT", help="what it is compared with (ba68610)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once (one a processor)")
    parser.add_argument("--folder", help="where to build (a temporary folder)")
    parser.add_argument("--all-packages", action="store_true", help="with all packages that are found")
    options = parser.parse_args()
    flags = "" if options.all_packages else FRESH
    old, new = resolved(options.against), resolved(options.commit)

    print(f"load at the start: {os.getloadavg()[0]:.1f}, {options.jobs} processes", flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as top:
        before = measure(old, pathlib.Path(top) / "old", options.jobs, flags)
        after = measure(new, pathlib.Path(top) / "new", options.jobs, flags)
    print(f"{'user CPU seconds':<18}{old[:7]:>10}{new[:7]:>10}{'ratio':>8}")
    for part, b, a in zip(PARTS, before, after):
        print(f"{part:<18}{b:>10.0f}{a:>10.0f}{a / b:>8.2f}")
    print(f"load at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
