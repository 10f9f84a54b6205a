#!/usr/bin/env python3
"""Pairwise total exchange: in step t rank r sends its block for rank r + t + 1 directly.

The same bytes as `schedcc compile pairwise`.
"""

import argparse

parser = argparse.ArgumentParser()
for option in ("--ranks", "--chunks", "--root"):
    parser.add_argument(option, type=int)
P, K = (lambda a: (a.ranks, a.chunks))(parser.parse_args())


def chunks(first):
    return f"{first}-{first + K - 1}" if K > 1 else first


print(f"schedcc 1\ncollective alltoall\nranks {P}\nchunks {K}\nmachine duplex\nname pairwise")
for t in range(P - 1):
    print("step", t)
    for rank in range(P):
        to = (rank + t + 1) % P
        print(f"{rank} -> {to} : {chunks((rank * P + to) * K)}")
