#!/usr/bin/env python3
"""Collectives on simulated clusters: schedcc's choice against every algorithm that SimGrid ships.

    bench/simgrid/run.py SCHEDCC [--collectives allreduce,...] [--platforms flat,overhead,two-level] [--ranks 16,64]
                         [--bytes 1KiB,1MiB] [--candidates N] [--limit SECONDS] [--jobs N] [--shipped FILE] [--again] [--draw FOLDER]

Bytes are those of the whole vector: the message of a broadcast, reduce or allreduce, and the P blocks together that a
rank, or the root, starts or ends with otherwise. platforms.py defines the clusters, and the models by which
`schedcc tune` chooses for them, which state the same figures. The first N choices run as time-independent traces; the
shipped algorithms in a program that verifies their results (shipped.cpp). Without overheads both run once with sends
below 64 KiB buffered, as SMPI does unless told otherwise, and once without, and the better time counts.

A shipped algorithm that takes more than twice schedcc's time for a size is not simulated to its end, unless all do. One
that fails, has wrong results, or cannot be simulated within the limit is named in the last column. The
times are simulated: other work on the machine has no effect.

The times of the shipped algorithms do not depend on schedcc: with --shipped they are kept in a file, and not
simulated again; with --again they are those of the table in the folder of --draw, where it has the row, with one digit
after the point. With --draw the table (simgrid-table.md) and the picture (simgrid.svg) are written into a folder; rows of
the table there that are not made again are kept.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

import draw
import ours
import platforms
import shipped
import simgrid
import table


def row(platform, cluster, collective, count, choice, results):
    """A row of the table; None if no shipped algorithm has a time."""
    words, seconds, bound = choice
    times = [(result, run) for run, result in results.items() if isinstance(result, float)]
    if not times:
        return None
    best, (algorithm, protocol) = min(times)
    # With the default protocol, where both are equal.
    if (best, (algorithm, simgrid.BUFFERED)) in times:
        protocol = simgrid.BUFFERED
    without = {f"{name} ({result})" for (name, _), result in results.items() if isinstance(result, str)}
    unbuffered = " (unbuffered)" if protocol == simgrid.RENDEZVOUS else ""
    return {"collective": collective, "platform": platform.name, "ranks": cluster.ranks, "bytes": count, "choice": words,
            "ours": seconds * 1e6, "bound": bound * 1e6, "algorithm": algorithm + unbuffered, "theirs": best * 1e6,
            "times": best / seconds, "without": ", ".join(sorted(without))}


def again(kept, choice):
    """The row of the table with another choice."""
    words, seconds, bound = choice
    same = f"{seconds * 1e6:.1f}" == f"{kept['ours']:.1f}"
    times = kept["times"] if same else kept["theirs"] / seconds / 1e6
    return {**kept, "choice": words, "ours": seconds * 1e6, "bound": bound * 1e6, "times": times}


def rows(platform, cluster, collective, sizes, mine, theirs, jobs, kept):
    """`kept`: rows of which only the choice is made again, by key."""
    choices = mine.all_seconds(platform, cluster, collective, sizes, jobs)
    key = {count: table.key({"collective": collective, "platform": platform.name, "ranks": cluster.ranks, "bytes": count})
           for count in choices}
    results = theirs.times(platform, cluster, collective,
                           {count: seconds for count, (_, seconds, _) in choices.items() if key[count] not in kept})
    made = [again(kept[key[count]], choice) if key[count] in kept else
            row(platform, cluster, collective, count, choice, results[count]) for count, choice in choices.items()]
    return [r for r in made if r]


def sizes_of(text, ranks):
    """The sizes of which a block has an equal number of elements for each rank."""
    return [count for count in sorted(map(table.size, text.split(","))) if count % (4 * ranks) == 0]


def write(folder, made):
    path = folder / "simgrid-table.md"
    kept = table.read(path.read_text()) if path.exists() else []
    path.write_text(table.document(table.together(kept, made)))
    (folder / "simgrid.svg").write_text(draw.svg(draw.read(path.read_text())))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc")
    parser.add_argument("--collectives", default=",".join(table.COLLECTIVES))
    parser.add_argument("--platforms", default=",".join(table.PLATFORMS))
    parser.add_argument("--ranks", default="16,64,256")
    parser.add_argument("--bytes", default="1KiB,8KiB,64KiB,256KiB,1MiB,16MiB")
    parser.add_argument("--algorithms", default="", metavar="A,...", help="of SMPI; default: all")
    parser.add_argument("--candidates", type=int, default=6, metavar="N",
                        help="how many choices are replayed; the best counts")
    parser.add_argument("--limit", type=int, default=300, metavar="SECONDS",
                        help="processor time for a replay, and for a shipped algorithm, all sizes together")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="simulations at a time")
    parser.add_argument("--shipped", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--draw", type=pathlib.Path, metavar="FOLDER")
    return parser.parse_args()


def main():
    chosen = options()
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        sys.exit("smpirun and smpicxx are not there; they come with libsimgrid-dev")
    made = []
    of_table = table.read((chosen.draw / "simgrid-table.md").read_text()) if chosen.again else []
    kept = {table.key(r): r for r in of_table}
    print(table.HEAD)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        mine = ours.Ours(chosen.schedcc, folder, chosen.limit, chosen.candidates)
        theirs = shipped.Shipped(folder, chosen.limit, chosen.jobs, chosen.shipped,
                                 [name for name in chosen.algorithms.split(",") if name])
        for ranks in map(int, chosen.ranks.split(",")):
            sizes = sizes_of(chosen.bytes, ranks)
            for platform in (platforms.PLATFORMS[name] for name in chosen.platforms.split(",")):
                cluster = platform.cluster(folder, ranks)
                for collective in chosen.collectives.split(","):
                    for r in rows(platform, cluster, collective, sizes, mine, theirs, chosen.jobs, kept):
                        made.append(r)
                        print(table.line(r), flush=True)
                    if chosen.draw:
                        write(chosen.draw, made)
    for text in (table.SUMMARY, *table.summary(made)):
        print(text)


if __name__ == "__main__":
    main()
