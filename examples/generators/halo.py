#!/usr/bin/env python3
"""Halo exchange on a ring, a collective of its own: each rank ends with its neighbours' blocks, too."""

import argparse

parser = argparse.ArgumentParser()
for option in ("--ranks", "--chunks", "--root"):
    parser.add_argument(option, type=int)
asked = parser.parse_args()
P, K = asked.ranks, asked.chunks


def block(rank):
    return f"{rank * K}-{rank * K + K - 1}"


print(f"schedcc 1\ncollective custom\nranks {P}\nchunks {P * K}\nname halo exchange")
for rank in range(P):
    print(f"pre {rank} : {block(rank)}")
for rank in range(P):
    for other in sorted({rank, (rank - 1) % P, (rank + 1) % P}):
        print(f"post {rank} : {block(other)}")
for t, shift in enumerate([1, -1]):
    if P > t + 1:  # of two ranks each is the other's neighbour on both sides
        print("step", t)
        for rank in range(P):
            print(f"{rank} -> {(rank + shift) % P} : {block(rank)}")
