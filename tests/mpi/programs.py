#!/usr/bin/env python3
"""Compiles and executes emitted MPI programs, as they are and damaged.

    tests/mpi/programs.py SCHEDCC INCLUDE MPICXX FOLDER ONE_IN RANKS DAMAGED LAUNCHER...

For every algorithm and collective of the catalogue, or one in ONE_IN of them, a program is emitted, for the
first of RANKS ("7,8,4") that it serves, and all are compiled into one, which LAUNCHER starts with so many
processes ("launch.py mpirun 8"). Every byte must be right.
Then the tables of DAMAGED ("ring-allreduce,...") are damaged in ways that somebody who edits them
might: each must end with a message and a status that is not 0, and none may hang.
"""

import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys

RIGHT = "every byte is as the collective defines it"
LIMIT = 1  # seconds, for programs that would never end
TIME = f"time limit of {LIMIT} s: .*rank"
WARNINGS = "-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=550, **options)


def must(*command):
    result = run(*command)
    if result.returncode != 0:
        sys.exit(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def emit(schedcc, path, *arguments):
    """Whether the program could be written."""
    result = run(schedcc, "compile", *arguments, "--quiet", "-o", path)
    return result.returncode == 0


def catalogue(schedcc, folder, one_in, numbers, to_damage):
    """Programs for all algorithms and collectives, except schedules whose transfers are hops; or for one in `one_in`
    and those that are to be damaged."""
    count = itertools.count()
    for algorithm in json.loads(must(schedcc, "list", "algorithms", "--json").stdout)["algorithms"]:
        for collective in algorithm["collectives"]:
            path = folder / f"{algorithm['name']}-{collective}.mpi.cpp"
            if next(count) % one_in and path.name.removesuffix(".mpi.cpp") not in to_damage:
                continue
            machines = [[], ["--machine", "bsp:h=7"]] if "bsp" in algorithm["machines"] else [[]]
            # Some algorithms serve only multiples of a number that 72 is a multiple of.
            for ranks, chunks, machine in itertools.product(numbers, (3, 72), machines):
                if emit(schedcc, path, algorithm["name"], "--collective", collective, "--ranks", ranks,
                        "--chunks", chunks, *machine):
                    yield path
                    break
            else:
                refusal = run(schedcc, "compile", algorithm["name"], "--collective", collective, "--ranks", 8,
                              "--emit", "mpi").stderr
                if "an MPI program needs a schedule at endpoint level" not in refusal:
                    sys.exit(f"no program of {algorithm['name']}, {collective}: {refusal}")


class Damage:
    """An emitted program, its operations as lists by rank, to be changed and written again."""

    ROW = re.compile(r"    \{(\d+), (send|receive), (\d+), (\d+), (\d+), (copy|reduce)\},\n")

    def __init__(self, path):
        self.text = path.read_text()
        ranks = re.split(r"    // rank \d+\n", self.text)[1:]
        self.ranks = [[list(row) for row in self.ROW.findall(part)] for part in ranks]

    def last(self, kind):
        """The last operation of this kind, with its rank, and its counterpart with the rank there."""
        rank = max((r for r, rows in enumerate(self.ranks) if any(o[1] == kind for o in rows)),
                   key=lambda r: max(int(o[0]) for o in self.ranks[r] if o[1] == kind))
        one = [o for o in self.ranks[rank] if o[1] == kind][-1]
        peer = int(one[2])
        other = next(o for o in self.ranks[peer] if o[0] == one[0] and o[1] != kind and int(o[2]) == rank)
        return rank, one, peer, other

    def written(self):
        rows, index = [], [0]
        for operations in self.ranks:
            rows += ["    {" + ", ".join(o) + "},\n" for o in operations]
            index.append(len(rows))
        text = re.sub(r"std::array<Operation, \d+> operations = .*?\n}};",
                      lambda _: f"std::array<Operation, {len(rows)}> operations = {{{{\n{''.join(rows)}}}}};",
                      self.text, flags=re.DOTALL)
        return re.sub(r"(index = \{\{\n).*?\n}};", lambda m: f"{m[1]}    {', '.join(map(str, index))}\n}}}};",
                      text, flags=re.DOTALL)


def damages(path):
    """(the change, the text, a pattern of the expected message) of damaged tables."""
    def damaged(what, message, change):
        table = Damage(path)
        change(table, *table.last("receive"))
        return what, table.written(), message

    def peer(table, rank, one, src, other):
        other[2] = str(next(r for r in range(len(table.ranks)) if r not in (rank, src)))

    def chunk(table, rank, one, src, other):
        one[3] = other[3] = str(int(one[3]) - 1 if int(one[3]) > 0 else 1)

    def sent_chunk(table, rank, one, src, other):
        other[3] = str(int(one[3]) - 1 if int(one[3]) > 0 else 1)

    def transfer(table, rank, one, src, other):
        table.ranks[rank].remove(one)
        table.ranks[src].remove(other)

    def send(table, rank, one, src, other):
        table.ranks[src].remove(other)

    def size(table, rank, one, src, other):
        one[4] = str(int(one[4]) + 1)
        one[3] = "0"

    def step(table, rank, one, src, other):
        other[0] = str(int(other[0]) + 1)

    def twice(table, rank, one, src, other):
        for rows, row in (table.ranks[rank], one), (table.ranks[src], other):
            rows.insert(rows.index(row) + 1, list(row))

    def received_twice(table, rank, one, src, other):
        table.ranks[rank].insert(table.ranks[rank].index(one) + 1, list(one))

    yield damaged("another peer", TIME, peer)
    yield damaged("another chunk", "ends with a wrong chunk", chunk)
    yield damaged("another chunk sent", "ends with a wrong chunk", sent_chunk)
    yield damaged("a transfer less", "ends with a wrong chunk", transfer)
    yield damaged("a send less", "the table sends", send)
    yield damaged("another size", "the table sends", size)
    yield damaged("a chunk twice in a message", r"step \d+: chunk \d+ is twice in the message (to|from) rank", twice)
    yield damaged("a chunk twice in what arrives", r"step \d+: chunk \d+ is twice in the message from rank",
                  received_twice)
    yield damaged("another step", TIME + "|too late in the table", step)


def sizes_changed(path):
    """The totals sent and received agree, but the message from one rank is too long, and from another too short."""
    table = Damage(path)
    rank, one, *_ = table.last("receive")
    other = next(o for o in table.ranks[rank] if o[1] == "receive" and int(o[4]) > 1 and o[2] != one[2])
    other[4] = str(int(other[4]) - 1)
    one[3], one[4] = "0", str(int(one[4]) + 1)
    return "sizes that are right together", table.written(), r"rank \d+: step \d+, a message from rank \d+: "


def mode_changed(path):
    """A contribution that replaces the others."""
    table = Damage(path)
    rank, one, _, other = table.last("receive")
    one = next(o for o in table.ranks[rank] if o[1] == "receive" and o[5] == "reduce")
    one[5] = "copy"
    return "a copy for a combination", table.written(), "ends with a wrong chunk"


def one_program(right, wrong, folder):
    """The source of one program of many. Its first argument names one of them; "all": all that are right."""
    source = folder / "all.cpp"
    with source.open("w") as out:
        out.write("#include <schedcc/mpi.hpp>\n#include <cstring>\n\n")
        for i, path in enumerate(right + wrong):
            out.write(f'#define main main_{i}\n#include "{path.name}"\n#undef main\n')
        out.write("\nint main(int argc, char** argv) {\n"
                  "  MPI_Init(&argc, &argv);\n  int worst = 0;\n"
                  "  const auto run = [&](bool right, const char* name, int (*program)(int, char**)) {\n"
                  '    const bool all = right && std::strcmp(argv[1], "all") == 0;\n'
                  "    if (!all && std::strcmp(argv[1], name) != 0) return;\n"
                  "    worst = std::max(worst, program(argc - 1, argv + 1));\n  };\n")
        for i, path in enumerate(right + wrong):
            out.write(f'  run({"true" if path in right else "false"}, "{path.name}", main_{i});\n')
        out.write("  MPI_Finalize();\n  return worst;\n}\n")
    return source


def main():
    schedcc, include, mpicxx = sys.argv[1:4]
    folder, one_in = pathlib.Path(sys.argv[4]), int(sys.argv[5])
    numbers, to_damage, launcher = sys.argv[6].split(","), sys.argv[7].split(","), sys.argv[8:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    right = list(catalogue(schedcc, folder, one_in, numbers, to_damage))
    wrong = []
    for name in to_damage:
        path = folder / f"{name}.mpi.cpp"
        found = list(damages(path)) + [mode_changed(path) if "reduce" in name else None,
                                       sizes_changed(path) if "gather" in name else None]
        for i, (what, text, message) in enumerate(filter(None, found)):
            bad = folder / f"{name}-damaged-{i}.mpi.cpp"
            space = re.search(r"^namespace (\w+)", text, flags=re.MULTILINE)[1]
            bad.write_text(re.sub(rf"\b{space}\b", f"{space}_{i}", text))
            wrong.append((bad, f"{name}: {what}", message))
    program = folder / "all"
    must(mpicxx, *WARNINGS, "-I", include, one_program(right, [bad for bad, _, _ in wrong], folder), "-o", program)

    result = must(*launcher, program, "all", "--repetitions", "2", "--bytes", "100", "--limit", "300")
    if result.stdout.count(RIGHT) != len(right):
        sys.exit(f"not all of {len(right)} are right:\n{result.stdout}{result.stderr}")
    for bad, what, message in wrong:
        # Only tests of the time limit use a short one, so that others pass on a busy machine. All chunks have one size.
        limit = LIMIT if TIME in message else 300
        result = run(*launcher, program, bad.name, "--repetitions", "0", "--bytes", "99", "--limit", limit)
        if "time limit of" in result.stderr and result.returncode != 3:
            sys.exit(f"{what}: the time limit ends with status {result.returncode}, not 3")
        if result.returncode == 0 or RIGHT in result.stdout or not re.search(message, result.stderr):
            sys.exit(f"{what}: status {result.returncode}, not '{message}':\n{result.stdout}{result.stderr}")
    print(f"{len(right)} programs are right; {len(wrong)} damaged ones were found out")


if __name__ == "__main__":
    main()
