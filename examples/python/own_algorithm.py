#!/usr/bin/env python3
"""One's own algorithm: an allgather around a ring in both directions, built, checked and written."""

import schedcc

P = 9
steps = []
for t in range(P // 2):  # what came from one neighbour goes on to the other one
    steps.append([schedcc.Transfer(r, (r + 1) % P, (r - t) % P) for r in range(P)]
                 + [schedcc.Transfer(r, (r - 1) % P, (r + t) % P) for r in range(P)])

schedule = schedcc.Schedule("allgather", P, steps, machine="kport:k=2", name="both ways around")
print(schedule.verify())
schedule.verify().raise_for_findings()
schedule.write("both-ways.sched")
