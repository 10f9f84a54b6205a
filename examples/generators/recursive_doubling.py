#!/usr/bin/env python3
"""Allgather by recursive doubling: in step t ranks that differ in bit t exchange all that they have."""

import argparse
import sys

parser = argparse.ArgumentParser()
for option in ("--ranks", "--chunks", "--root"):
    parser.add_argument(option, type=int)
asked = parser.parse_args()
P, K = asked.ranks, asked.chunks

if P & (P - 1):  # exit status 77: not for these arguments
    print(f"it needs a power of two ranks, and {P} is none", file=sys.stderr)
    sys.exit(77)

print(f"schedcc 1\ncollective allgather\nranks {P}\nchunks {K}")
for t in range(P.bit_length() - 1):
    print("step", t)
    for rank in range(P):
        first = rank >> t << t  # the blocks of this rank's group of 2^t
        print(f"{rank} -> {rank ^ 1 << t} : {first * K}-{(first + (1 << t)) * K - 1}")
