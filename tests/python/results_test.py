#!/usr/bin/env python3
"""Costs, choices, proofs and explanations: what the command line says, as objects."""

import unittest

import schedcc
from common import ROOT, report

UNITS = {"alpha": "10us", "beta": "10GB/s"}
WORDS = ("--alpha", "10us", "--beta", "10GB/s")


class Cost(unittest.TestCase):
    def test_is_that_of_the_command_line(self):
        for name, ranks, collective, chunks in (("ring", 8, "allreduce", 8), ("chain", 5, "broadcast", 3),
                                                ("pairwise", 7, "alltoall", 1), ("bruck", 9, "allgather", 2)):
            expected = report("cost", name, "--ranks", ranks, "--collective", collective, "--chunks", chunks,
                              "--bytes", "1MiB", "--critical-path", *WORDS)
            schedule = schedcc.compile(name, ranks, collective, chunks)
            cost = schedule.cost("1MiB", critical_path=True, **UNITS)
            self.assertEqual({**cost.to_dict(), "chosen": None}, {**expected, "chosen": None})
            self.assertEqual((cost.seconds, cost.bytes, cost.steps),
                             (expected["seconds"], 2**20, expected["steps"]))
            self.assertEqual([f.seconds for f in cost.formulas], [f["seconds"] for f in expected["formulas"]])
            self.assertEqual(max(m.end for m in cost.critical_path), cost.asynchronous)
            self.assertGreaterEqual(cost.seconds, max(b.seconds for b in cost.lower_bounds))
            self.assertAlmostEqual(schedule.cost(2**20, alpha=1e-5, beta=1e-10).seconds, cost.seconds, 12)
            self.assertIsNone(schedule.cost(1, **UNITS).critical_path)

    def test_models(self):
        ring = schedcc.compile("ring", 8, machine="dgx-1")
        self.assertEqual(ring.cost("1MiB", verify=False).model, "machine")
        loggp = schedcc.compile("ring", 8).cost("1MiB", model="loggp:L=2us,o=1us,g=1us,G=0.1ns/B")
        self.assertIsNotNone(loggp.asynchronous)
        with self.assertRaises(schedcc.InputError):
            ring.cost("1MiB", model="loggp:L=2us,o=1us,g=1us,G=0.1ns/B", alpha="1us")

    def test_a_wrong_schedule_has_no_time(self):
        wrong = schedcc.Schedule("broadcast", 3, [[(0, 1, 0)]])
        with self.assertRaises(schedcc.ViolatedError):
            wrong.cost("1MiB", **UNITS)
        self.assertGreater(wrong.cost("1MiB", verify=False, **UNITS).seconds, 0)


class Tune(unittest.TestCase):
    def test_is_that_of_the_command_line(self):
        expected = report("tune", "--ranks", 12, "--collective", "allreduce", "--bytes", "1KiB..4KiB", *WORDS)
        tuned = schedcc.tune("allreduce", 12, ["1KiB", 2048, "4KiB"], **UNITS)
        self.assertEqual(tuned.to_dict(), expected)
        self.assertEqual([c.seconds for c in tuned.sizes[2].choices],
                         [c["seconds"] for c in expected["sizes"][2]["choices"]])
        self.assertEqual(tuned.best, tuned.sizes[0].best)

    def test_choices_are_schedules(self):
        for collective, ranks, options in (("allreduce", 8, {}), ("broadcast", 7, {"root": 3}),
                                           ("reduce", 6, {"ordered": True}),
                                           ("allgather", 9, {"machine": "kport:k=2"})):
            tuned = schedcc.tune(collective, ranks, "64KiB", **options, **UNITS)
            for choice in tuned.sizes[0].choices:
                schedule = choice.compile()
                self.assertTrue(schedule.verify().holds, choice)
                self.assertEqual((schedule.collective, schedule.root), (collective, options.get("root", tuned.root)))
                cost = schedule.cost("64KiB", **UNITS).seconds
                self.assertLessEqual(cost, choice.seconds * (1 + 1e-9), choice)
            self.assertLessEqual(tuned.sizes[0].lower_bound.seconds, tuned.best.seconds)

    def test_candidates(self):
        tuned = schedcc.tune("broadcast", 8, 1024, algorithms="chain, binary-tree", chunks=4, **UNITS)
        self.assertEqual({c.algorithm for c in tuned.sizes[0].choices}, {"chain", "binary-tree"})
        self.assertEqual({c.chunks for c in tuned.sizes[0].choices}, {4})
        skipped = schedcc.tune("allgather", 6, 1024, algorithms=["ring", "recursive-doubling"], **UNITS).skipped
        self.assertEqual([s.algorithm for s in skipped], ["recursive-doubling"])


@unittest.skipIf(schedcc.prove("broadcast", 1, timeout=5).verdict == "unknown", "without a solver")
class Prove(unittest.TestCase):
    def same(self, proof, expected):
        """Apart from the seconds."""
        found = proof.to_dict()
        for tried in (*found["tried"], *expected["tried"]):
            tried.pop("seconds")
        self.assertEqual(found, expected)

    def test_is_that_of_the_command_line(self):
        question = ["prove", "--collective", "broadcast", "--ranks", "5", "--chunks", "2"]
        proof = schedcc.prove("broadcast", 5, 2)
        self.same(proof, report(*question))
        self.assertTrue(proof.optimal)
        self.assertEqual((proof.steps, proof.proved_lower_bound), (proof.schedule.steps, proof.steps))
        self.assertTrue(proof.schedule.verify().holds)
        self.assertEqual([t.result for t in proof.tried], ["unsat"] * proof.steps + ["sat"])
        self.same(schedcc.prove("broadcast", 5, 2, proof.steps - 1), report(*question, "--steps", proof.steps - 1))
        self.assertEqual(schedcc.prove("broadcast", 5, 2, proof.steps - 1).verdict, "impossible")
        self.assertIsNone(schedcc.prove("broadcast", 5, 2, proof.steps - 1).schedule)

    def test_of_a_schedule(self):
        halo = schedcc.read(ROOT / "schedules" / "halo-exchange.sched")
        proof = halo.prove(machine=f"duplex:width={halo.width}")
        self.assertTrue(proof.optimal)
        self.assertLessEqual(proof.steps, halo.steps)
        self.assertEqual(proof.schedule.pre, halo.pre)
        self.assertEqual(schedcc.compile("binomial-tree", 6).prove().steps, 3)

    def test_time(self):
        self.assertEqual(schedcc.prove("broadcast", 16, 8, machine="mesh:4x4", timeout=1e-6).verdict, "unknown")

    def test_all_chunks(self):
        proof = schedcc.prove_all_chunks("chain", 8, root=2)
        self.assertTrue(proof.holds)
        self.assertEqual((proof.steps, proof.root, proof.ranks), ("K + 6", 2, 8))
        self.assertEqual({c.verdict for c in proof.checks}, {"holds"})
        self.assertIn("every K >= 1", str(proof))


class Explain(unittest.TestCase):
    def test_is_that_of_the_command_line(self):
        expected = report("explain", "ring", "--collective", "allreduce", "--ranks", 5, "--chunks", 5, "--rank", 2,
                          "--chunk", 3)
        told = schedcc.compile("ring", 5, "allreduce", 5).explain(2, 3)
        self.assertEqual(told.to_dict(), expected)
        self.assertTrue(told.right and told.held and told.reduction)
        self.assertEqual(len(told.transfers), len(expected["transfers"]))
        early = schedcc.compile("binomial-tree", 9).explain(7, 0, 2)
        self.assertEqual((early.step, early.held), (2, False))


if __name__ == "__main__":
    unittest.main()
