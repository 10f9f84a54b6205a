#!/usr/bin/env python3
"""Ring allreduce: each of P parts of the chunks goes round the ring, adding up, and then round again."""

import argparse

parser = argparse.ArgumentParser()
for option in ("--ranks", "--chunks", "--root"):
    parser.add_argument(option, type=int)
asked = parser.parse_args()
P, K = asked.ranks, asked.chunks

print(f"schedcc 1\ncollective allreduce\nranks {P}\nchunks {K}")
for t in range(2 * (P - 1)):
    print("step", t)
    for rank in range(P):
        part = (rank - t) % P  # the one that `rank` received in the step before
        first, end = part * K // P, (part + 1) * K // P
        if first < end:  # fewer chunks than ranks: some parts are empty
            print(f"{rank} -> {(rank + 1) % P} : {first}-{end - 1}", "reduce" if t < P - 1 else "")
