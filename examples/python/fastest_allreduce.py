#!/usr/bin/env python3
"""Which allreduce for 1 MiB on 1000 ranks, and is it right?"""

import schedcc

report = schedcc.tune("allreduce", 1000, "1MiB", alpha="10us", beta="10GB/s",
                      algorithms=["ring", "rabenseifner", "circulant-skips", "recursive-doubling"])
for choice in report.sizes[0].choices:
    print(f"{choice.algorithm:20} {choice.chunks:5} chunks {choice.seconds * 1e6:8.1f} us")

best = report.best.compile()
print(f"{best.name} {best.verify().verdict} on {best.machine}, in {best.steps} steps")
