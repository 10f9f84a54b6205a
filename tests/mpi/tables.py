#!/usr/bin/env python3
"""Compiles headers with tables, in each form that schedcc writes, into tables.cpp, and executes them.

    tests/mpi/tables.py SCHEDCC INCLUDE MPICXX FOLDER LAUNCHER...

LAUNCHER starts so many processes ("launch.py mpirun 5"). Each schedule is written as a whole table;
rank by rank, where each process takes the header of its own rank; and, where the algorithm has a
kernel, as C++ in which a rank computes what it does.
"""

import pathlib
import shutil
import subprocess
import sys

# Every collective; with chunks that are combined in order and out of order, received in a separate buffer,
# sent and overwritten in the same step, and with several runs in one message.
CASES = """
circulant --collective broadcast --ranks 5 --chunks 3 --root 2
fractional-tree --collective broadcast --ranks 5 --chunks 4
butterfly --collective broadcast --ranks 4 --chunks 3 --root 1
binomial-tree --collective scatter --ranks 5 --chunks 2 --root 4
binomial-tree --collective gather --ranks 5 --chunks 2 --root 1
recursive-doubling --collective allgather --ranks 4 --chunks 2
bruck --collective allgather --ranks 5 --chunks 2
bruck --collective alltoall --ranks 5 --chunks 2
pairwise --collective alltoall --ranks 5
chain --collective reduce --ranks 5 --chunks 3 --root 4 --machine simplex
circulant --collective reduce --ranks 5 --chunks 3
binomial-tree --collective reduce --ranks 5 --chunks 3 --ordered
ring --collective allreduce --ranks 5 --chunks 7
butterfly-allreduce --collective allreduce --ranks 4 --chunks 5
binomial-allreduce --collective allreduce --ranks 5 --chunks 3 --ordered
all-pairs --collective allreduce --ranks 4 --chunks 3
recursive-halving --collective reduce-scatter --ranks 4 --chunks 2 --ordered
kogge-stone --collective scan --ranks 5 --chunks 3 --ordered
kogge-stone --collective exscan --ranks 5 --chunks 3 --ordered
karp --collective broadcast --ranks 5 --chunks 1 --machine logp:L=6,o=2,g=4
""".strip().splitlines()

# Ordered reductions over five ranks: the root, and the order in which it receives from the others. Contributions
# that cannot be combined yet are buffered, and combined with later ones on their left, right, or both sides.
ROOT_AND_SENDERS = [(4, [0, 2, 1, 3]), (4, [0, 1, 3, 2]), (0, [4, 3, 1, 2]), (2, [0, 4, 1, 3])]

NO_KERNEL = ("kernel", "is for algorithms")
WARNINGS = "-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror".split()


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=550)


def must(*command):
    result = run(*command)
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def emit(schedcc, folder, space, case, form=""):
    """Whether a header could be written."""
    result = run(schedcc, "compile", *case.split(), "--quiet", "--emit", f"cpp:namespace={space}{form}",
                 "-o", folder / f"{space}.hpp")
    if result.returncode != 0 and not any(reason in result.stderr for reason in NO_KERNEL):
        sys.exit(f"{case}, {form}: status {result.returncode}\n{result.stderr}")
    return result.returncode == 0


def reduction(folder, root, senders):
    """The file of such a reduction, of two chunks."""
    path = folder / f"to{root}_from{''.join(map(str, senders))}.sched"
    steps = "".join(f"step {t}\n{rank} -> {root} : 0-1 reduce\n" for t, rank in enumerate(senders))
    path.write_text(f"schedcc 1\ncollective reduce\nranks 5\nroot {root}\nchunks 2\nordered\n{steps}")
    return str(path)


def function(name, parameter, lines):
    """A function that returns tables."""
    return (f"\ninline std::vector<schedcc::mpi::Table> {name}({parameter}) {{\n"
            "  std::vector<schedcc::mpi::Table> result;\n" + "".join(lines) + "  return result;\n}\n")


def write_headers(schedcc, folder):
    """Writes the headers, and tables.hpp, which includes them all. Returns the number of headers with kernels."""
    names, whole, others, computed = [], [], [], 0
    files = [reduction(folder, *order) for order in ROOT_AND_SENDERS]
    for i, case in enumerate(CASES + files):
        ranks = int(case.split("--ranks ")[1].split()[0]) if case in CASES else 5
        emit(schedcc, folder, f"whole{i}", case)
        names.append(f"whole{i}")
        whole.append(f"  result.push_back(SCHEDCC_MPI_TABLE(whole{i}));\n")
        for r in range(ranks):
            emit(schedcc, folder, f"one{i}_{r}", case, f",rank={r}")
            names.append(f"one{i}_{r}")
            # Those who have no part in it need one as well, to know so.
            mine = f"rank == {r}" if r > 0 else f"rank == 0 || rank >= {ranks}"
            others.append(f"  if ({mine}) result.push_back(SCHEDCC_MPI_RANK(one{i}_{r}));\n")
        if emit(schedcc, folder, f"local{i}", case, ",local"):
            names.append(f"local{i}")
            others.append(f"  result.push_back(SCHEDCC_MPI_LOCAL(local{i}));\n")
            computed += 1
    (folder / "tables.hpp").write_text(
        "#include <vector>\n#include <schedcc/mpi.hpp>\n" + "".join(f'#include "{name}.hpp"\n' for name in names) +
        function("whole_tables", "", whole) + function("other_tables", "std::uint32_t rank", others))
    return computed


def main():
    schedcc, include, mpicxx, folder = *sys.argv[1:4], pathlib.Path(sys.argv[4])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    computed = write_headers(schedcc, folder)
    if computed < len(CASES) // 2:
        sys.exit(f"only {computed} schedules are computed")
    source = pathlib.Path(__file__).with_suffix(".cpp")
    must(mpicxx, *WARNINGS, "-I", include, "-I", folder, source, "-o", folder / "tables")
    result = must(*sys.argv[5:], folder / "tables")
    print(f"{len(CASES + ROOT_AND_SENDERS)} schedules, {computed} of them computed as well; {result.stdout.strip()}")


if __name__ == "__main__":
    main()
