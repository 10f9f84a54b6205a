#!/usr/bin/env python3
"""What is wrong in a file, where, and how it came about."""

import sys

import schedcc

schedule = schedcc.read(sys.argv[1] if len(sys.argv) > 1 else "schedules/bad/counted-twice.sched")
try:
    schedule.verify().raise_for_findings()
except schedcc.ViolatedError as error:
    for finding in error.findings:
        print(f"line {finding.line}, step {finding.step}: {finding.message}")
        if finding.rank is not None and finding.chunk is not None:
            print(schedule.explain(finding.rank, finding.chunk))
