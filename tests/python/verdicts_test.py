#!/usr/bin/env python3
"""The examples, right and wrong: Python's report is the command line's, and findings become exceptions."""

import argparse
import os
import shlex
import unittest

import schedcc
from common import ROOT, report

KEYWORDS = {"--blocking": str, "--machine": str, "--max-buffer": int, "--eager": int, "--checks": str}


def options(path):
    """What the file's comment `options:` asks for, as the command line and as Python take it."""
    given = []
    for line in path.read_text().splitlines():
        comment = line.removeprefix("# ").removeprefix("<!-- ").removesuffix(" -->")
        if line != comment and comment.startswith("options:"):
            given = shlex.split(comment.split(":", 1)[1])
    parser = argparse.ArgumentParser()
    for option, kind in KEYWORDS.items():
        parser.add_argument(option, type=kind, default=argparse.SUPPRESS)
    for flag in ("--strict", "--ordered"):
        parser.add_argument(flag, action="store_true", default=argparse.SUPPRESS)
    return given, vars(parser.parse_args(given))


class Verdicts(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)
        self.files = sorted([*(ROOT / "schedules").glob("*.sched"), *(ROOT / "schedules" / "bad").iterdir()])

    def test_reports_are_those_of_the_command_line(self):
        verdicts = set()
        for path in self.files:
            name = str(path.relative_to(ROOT))
            given, keywords = options(path)
            with self.subTest(file=name):
                expected = report("verify", name, *given)
                checked = schedcc.read(name, ordered=keywords.pop("ordered", False)).verify(**keywords)
                self.assertEqual(checked.to_dict(), expected)
                self.assertEqual(checked.verdict, expected["verdict"])
                self.assertEqual([f.message for f in checked.findings], [f["message"] for f in expected["findings"]])
                self.assertEqual([f.line for f in checked.findings], [f.get("line") for f in expected["findings"]])
                verdicts.add(checked.verdict)
                self.raises_what_is_found(checked)
        self.assertEqual(verdicts, {"holds", "violated"})

    def raises_what_is_found(self, checked):
        if checked.holds:
            return checked.raise_for_findings()
        with self.assertRaises(schedcc.ViolatedError) as caught:
            checked.raise_for_findings()
        self.assertEqual(caught.exception.findings, checked.findings)
        self.assertIn("violated", str(caught.exception))
        return None

    def test_a_mutant_of_every_example_has_the_verdict_of_the_command_line(self):
        """Without its last transfer."""
        for path in self.files:
            if path.suffix != ".sched" or path.parent.name == "bad":
                continue
            schedule = schedcc.read(path)
            steps = list(schedule)
            last = steps[-1]
            steps[-1] = schedcc.Step(last.number, last.transfers[:-1], last.rounds)
            mutant = schedcc.Schedule(schedule.collective, schedule.ranks, steps, chunks=schedule.chunks,
                                      root=schedule.root, machine=schedule.machine, ordered=schedule.ordered,
                                      pre=schedule.pre, post=schedule.post, reduced=schedule.reduced,
                                      nodes=schedule.nodes)
            self.assertEqual(mutant.verify().verdict, "violated", path.name)

    def test_undecided_is_not_right(self):
        program = schedcc.read(ROOT / "tests" / "format" / "custom.xml")
        self.assertEqual((program.kind, program.verify().verdict), ("program", "unknown"))
        with self.assertRaises(schedcc.UndecidedError):
            program.verify().raise_for_findings()
        self.assertFalse(schedcc.compile("ring", ranks=4).verify(checks=()).holds)

    def test_options(self):
        ring = schedcc.compile("ring", ranks=5)
        self.assertEqual(ring.verify("simplex").verdict, "violated")
        self.assertTrue(ring.verify("simplex", "shape,delivery").holds)
        self.assertEqual([c.check for c in ring.verify(checks=["ports"]).checks], ["ports"])
        self.assertEqual(ring.verify(blocking="send-first").verdict, "violated")
        self.assertTrue(ring.verify(blocking="send-first", eager=1).holds)
        self.assertEqual(len(ring.verify("simplex", max_findings=2).findings), 2)
        tree = schedcc.compile("recursive-doubling", ranks=8, collective="allreduce")
        other = schedcc.compile("ring", ranks=8, collective="allreduce")
        self.assertEqual(tree.verify(checks="same-as", same_as=other).verdict, "violated")
        self.assertTrue(tree.verify(checks="same-as", same_as=tree).holds)


if __name__ == "__main__":
    unittest.main()
