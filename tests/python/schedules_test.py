#!/usr/bin/env python3
"""Schedules of one's own: how steps can be given, and every kind of source."""

import os
import pathlib
import unittest

import schedcc
from common import ROOT, content, run

RING = [[schedcc.Transfer(r, (r + 1) % 4, (r - t) % 4) for r in range(4)] for t in range(3)]


class Steps(unittest.TestCase):
    def test_forms(self):
        """Transfers, tuples, lists, steps, a generator, a dictionary: the same schedule."""
        expected = content(schedcc.Schedule("allgather", 4, RING))
        for steps in ([[tuple(t) for t in step] for step in RING], [[list(t[:3]) for t in step] for step in RING],
                      [schedcc.Step(n, tuple(step)) for n, step in enumerate(RING)], (iter(step) for step in RING),
                      dict(reversed(list(enumerate(RING))))):
            schedule = schedcc.Schedule("allgather", 4, steps)
            self.assertEqual(content(schedule), expected)
            self.assertTrue(schedule.verify().holds)
        self.assertEqual(content(schedcc.compile("ring", 4)), expected)

    def test_numbers_of_steps(self):
        idle = schedcc.Schedule("broadcast", 3, [[(0, 1, 0)], [], schedcc.Step(5, (schedcc.Transfer(1, 2, 0),)), []])
        self.assertEqual([step.number for step in idle], [0, 5])
        self.assertEqual(idle.steps, 6)
        self.assertEqual(schedcc.Schedule("broadcast", 1).steps, 0)

    def test_reductions(self):
        star = schedcc.Schedule("reduce", 3, [[(1, 0, 0, 2, True)], [(2, 0, 0, 2, True)]], chunks=2, root=0)
        self.assertTrue(star.verify().holds)
        once = schedcc.Schedule("reduce", 3, [[(1, 0, 0, 2, True)], [(2, 0, 0, 2, False)]], chunks=2)
        [finding] = once.verify().findings
        self.assertEqual((finding.check, finding.step, finding.rank, finding.transfer), ("delivery", 1, 0, (2, 0)))
        self.assertEqual(finding.cause["kind"], "overwritten")

    def test_custom(self):
        swap = schedcc.Schedule("custom", 2, [[(0, 1, 0, 3), (1, 0, 3)]], chunks=4, pre={0: range(3), 1: [3]},
                                post={0: [3, 0], 1: range(4)})
        self.assertTrue(swap.verify().holds)
        self.assertEqual((swap.pre, swap.post), ({0: (range(3),), 1: (range(3, 4),)},
                                                 {0: (range(1), range(3, 4)), 1: (range(4),)}))
        added = schedcc.Schedule("custom", 3, [[(0, 1, 0, 1, True)]], chunks=1, pre={0: [0], 1: [0]},
                                 reduced={1: [0]})
        self.assertTrue(added.verify().holds)
        self.assertEqual(added.reduced, {1: (range(1),)})
        whole = schedcc.Schedule("custom", 2, [[(0, 1, 0, 2**31 - 1)]], chunks=2**32 - 1, pre={0: range(2**32 - 1)},
                                 post={1: [range(9), 8, range(8, 12)]})
        self.assertEqual(whole.post, {1: (range(12),)})
        self.assertTrue(whole.verify(checks="causality,delivery").holds)

    def test_irregular_blocks(self):
        own = schedcc.Schedule("allgather", 2, [[(0, 1, 0, 3), (1, 0, 3, 2)]], block_sizes=[3, 2])
        self.assertTrue(own.verify().holds)
        self.assertEqual(content(own), content(schedcc.compile("ring", 2, block_sizes=[3, 2])))

    def test_transfer(self):
        transfer = schedcc.Transfer(3, 0, 2, 4, True)
        self.assertEqual((str(transfer), transfer.chunks), ("3 -> 0 : 2-5 reduce", range(2, 6)))


class Sources(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)

    def test_every_source_of_the_command_line(self):
        for source, options in (("fractional-tree:r=3", {"ranks": 12, "chunks": 5}), ("tree", {"ranks": 5, "root": 2}),
                                ("ring then ring", {"ranks": 6, "collective": "allreduce", "chunks": 6}),
                                ("levels(4, ring, ring)", {"ranks": 8, "collective": "allreduce", "chunks": 8}),
                                ("split(2, chain)", {"ranks": 5, "chunks": 4, "machine": "kport:k=2"}),
                                ("xor", {"ranks": 8}), ("karp", {"ranks": 9}),
                                ("ring", {"ranks": 8, "machine": "dgx-1"})):
            words = [word for key, value in options.items() for word in (f"--{key}", value)]
            status, text, errors = run("compile", source, *words, "--no-verify", "--quiet")
            self.assertEqual(status, 0, errors)
            self.assertEqual(schedcc.compile(source, **options).emit(), text)

    def test_files(self):
        for path in sorted((ROOT / "schedules").glob("*.sched")):
            name = str(path.relative_to(ROOT))
            by_name, by_path, read = schedcc.compile(name), schedcc.compile(path), schedcc.read(pathlib.Path(name))
            text = schedcc.reads(path.read_bytes(), name=name)
            for schedule in (by_path, read, text):
                self.assertEqual(content(schedule), content(by_name))
            self.assertEqual(by_name.file, name)
            self.assertEqual(read.emit(), run("compile", name, "--no-verify", "--quiet")[1])
            lines = path.read_text().splitlines()
            for step in read:
                for transfer, line in zip(step, step.lines):
                    self.assertIn(f"{transfer.src} -> {transfer.dst}", lines[line - 1])

    def test_formats(self):
        """What can be written and read is the same again."""
        schedule = schedcc.compile("ring", 4, "allgather", 2)
        both = [f.name for f in schedcc.formats() if f.readable and f.writable]
        for name in both:
            with self.subTest(format=name):
                try:
                    text = schedule.emit_bytes(name)
                except schedcc.InputError:  # it holds other schedules
                    continue
                self.assertTrue(schedcc.reads(text, name).verify().holds)
        self.assertIn("sched", both)


if __name__ == "__main__":
    unittest.main()
