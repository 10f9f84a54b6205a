#!/usr/bin/env python3
"""Is the binomial tree optimal? No schedule has fewer steps; and here is one that the solver found."""

import schedcc

tree = schedcc.compile("binomial-tree", ranks=7)
proof = tree.prove(timeout=60)
print(f"{tree.name} takes {tree.steps} steps, and fewer than {proof.proved_lower_bound} are impossible")
assert proof.optimal and tree.steps == proof.steps
if proof.schedule is not None:
    proof.schedule.show(width=100)
