#!/usr/bin/env python3
"""Reverse, sequence and relabelling, against compositions and against each other."""

import os
import random
import unittest

import schedcc
from common import ROOT, content

RANKS = (2, 5, 8)


def schedules(collective, ranks, chunks=2):
    """Of every algorithm that serves it on machines without routers."""
    for algorithm in schedcc.algorithms(collective):
        if algorithm.machines[0].split(":")[0] in ("duplex", "simplex", "kport", "logp"):
            try:
                yield schedcc.compile(algorithm.name, ranks, collective, chunks)
            except schedcc.InputError:
                continue


class Reverse(unittest.TestCase):
    def test_is_that_of_compositions(self):
        for collective in ("broadcast", "scatter", "allgather", "alltoall", "reduce", "gather", "reduce-scatter"):
            for ranks in RANKS:
                for schedule in schedules(collective, ranks):
                    if schedule.machine.startswith("logp"):
                        continue
                    with self.subTest(schedule=schedule):
                        back = schedule.reverse()
                        composed = schedcc.compile(f"reverse({schedule.name})", ranks, back.collective, 2,
                                                   schedule.machine)
                        self.assertEqual(content(back), content(composed))
                        if len({t.reduce for _, t in schedule.all_transfers()}) == 1:
                            self.assertEqual(content(back.reverse()), content(schedule))

    def test_holds(self):
        """On LogP, too; and an allreduce that is a sequence has a reverse."""
        for schedule in [*schedules("broadcast", 8), *schedules("scatter", 8), schedcc.compile("karp", ranks=9)]:
            self.assertTrue(schedule.reverse().verify().holds, schedule)
        ring = schedcc.compile("ring", 6, "allreduce", 6)
        self.assertTrue(ring.reverse().verify().holds)
        self.assertEqual(content(ring.reverse().reverse()), content(ring))

    def test_custom(self):
        with self.assertRaisesRegex(schedcc.InputError, "chunk 4 ends as a sum at several ranks"):
            schedcc.read(ROOT / "schedules" / "halo-exchange.sched").reverse()
        halo = schedcc.Schedule("custom", 4, [[(r, (r + s) % 4, r) for r in range(4)] for s in (1, -1)], chunks=4,
                                pre={r: [r] for r in range(4)}, post={r: {(r - 1) % 4, (r + 1) % 4} for r in range(4)})
        self.assertTrue(halo.verify().holds)
        back = halo.reverse()
        self.assertTrue(back.verify().holds)
        self.assertEqual((back.pre, back.reduced), (halo.post, halo.pre))
        self.assertEqual(content(back.reverse()), content(halo))
        shift = schedcc.Schedule("custom", 3, [[(0, 1, 0)], [(1, 2, 0)]], chunks=1, pre={0: [0]}, post={2: [0]})
        self.assertEqual(content(shift.reverse().reverse()), content(shift))
        self.assertTrue(shift.reverse().verify().holds)
        irregular = schedcc.compile("ring", ranks=4, block_sizes=[3, 0, 1, 5])
        self.assertTrue(irregular.reverse().verify().holds)

    def test_refused(self):
        for name, ranks, collective in (("recursive-doubling", 8, "allreduce"), ("chain", 4, "scan")):
            try:
                schedule = schedcc.compile(name, ranks, collective)
            except schedcc.InputError:
                schedule = schedcc.Schedule(collective, ranks)
            with self.assertRaisesRegex(schedcc.InputError, "no reverse"):
                schedule.reverse()


class Then(unittest.TestCase):
    RULES = (("reduce-scatter", "allgather", "allreduce"), ("reduce", "broadcast", "allreduce"),
             ("scatter", "allgather", "broadcast"), ("reduce-scatter", "gather", "reduce"),
             ("gather", "broadcast", "allgather"), ("reduce", "scatter", "reduce-scatter"))

    def test_is_that_of_compositions(self):
        for first, second, whole in self.RULES:
            for ranks in RANKS:
                one, other = ("ring" if "all" in c or "reduce-" in c else "binomial-tree" for c in (first, second))
                blocks = {"allgather", "reduce-scatter", "scatter", "gather"}
                sequence = schedcc.compile(one, ranks, first, 1 if first in blocks else ranks).then(
                    schedcc.compile(other, ranks, second, 1 if second in blocks else ranks))
                composed = schedcc.compile(f"{one} as {first} then {other} as {second}", ranks, whole,
                                           1 if whole in blocks else ranks)
                self.assertEqual(content(sequence), content(composed))
                self.assertTrue(sequence.verify().holds)

    def test_waits_for_what_is_under_way(self):
        """On LogP, and on networks, the second part begins when all has arrived."""
        os.chdir(ROOT)
        for name, machine in (("karp", None), ("logp-binary", None), ("linear", "ebft"),
                              ("linear", "topology:schedules/topologies/ring8.json")):
            reduce, broadcast = (schedcc.compile(name, ranks=8, collective=collective, machine=machine)
                                 for collective in ("reduce", "broadcast"))
            together = reduce.then(broadcast)
            self.assertEqual(together.verify(checks="causality,delivery").verdict, "holds", name)

    def test_custom(self):
        twice = schedcc.compile("binomial-tree", 4, "scatter").then(schedcc.compile("linear", 4, "gather"))
        self.assertEqual(twice.collective, "custom")
        self.assertTrue(twice.verify(checks="causality,delivery").holds)
        there = schedcc.Schedule("custom", 3, [[(0, 1, 0)]], chunks=1, pre={0: [0]}, post={1: [0]})
        on = schedcc.Schedule("custom", 3, [[(1, 2, 0)]], chunks=1, pre={1: [0]}, post={2: [0]})
        self.assertTrue(there.then(on).verify().holds)
        with self.assertRaisesRegex(schedcc.InputError, "where the first one does not leave it"):
            on.then(there)

    def test_refused(self):
        ring = schedcc.compile("ring", 4)
        for other in (schedcc.compile("ring", 5), schedcc.compile("ring", 4, chunks=2),
                      schedcc.compile("binomial-tree", 4, "reduce", 4),
                      schedcc.compile("ring", 4, machine="kport:k=2")):
            with self.assertRaisesRegex(schedcc.InputError, "in sequence"):
                ring.then(other)


class Relabel(unittest.TestCase):
    def test_holds_and_goes_back(self):
        random.seed(13)
        for collective in [c.name for c in schedcc.collectives()]:
            for schedule in schedules(collective, 8):
                if collective in ("scan", "exscan"):
                    with self.assertRaises(schedcc.InputError):
                        schedule.relabel(range(8))
                    continue
                ranks = random.sample(range(8), 8)
                other = schedule.relabel(ranks)
                self.assertTrue(other.verify().holds, schedule)
                if schedule.root is not None:
                    self.assertEqual(other.root, ranks[schedule.root])
                inverse = {new: old for old, new in enumerate(ranks)}
                self.assertEqual(content(other.relabel(inverse)), content(schedule.relabel(lambda r: r)))

    def test_custom(self):
        halo = schedcc.read(ROOT / "schedules" / "halo-exchange.sched")
        turned = halo.relabel(lambda r: (r + 1) % halo.ranks)
        self.assertTrue(turned.verify().holds)
        self.assertEqual(turned.pre, {(r + 1) % halo.ranks: c for r, c in halo.pre.items()})

    def test_refused(self):
        ring = schedcc.compile("ring", 4)
        for ranks in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], {4: 0}, {0: 1}, lambda r: -r):
            with self.assertRaises(schedcc.InputError):
                ring.relabel(ranks)
        hops = schedcc.compile("xor", ranks=8).lower()
        self.assertGreater(hops.nodes, hops.ranks)
        self.assertTrue(hops.verify().holds)
        with self.assertRaises(schedcc.InputError):
            hops.relabel(range(8))


if __name__ == "__main__":
    unittest.main()
