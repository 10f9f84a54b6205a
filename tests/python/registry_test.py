#!/usr/bin/env python3
"""Every algorithm for every collective: what Python iterates over is what is written, and holds."""

import unittest

import schedcc
from common import content, report

# Numbers of ranks of which each algorithm serves some.
RANKS = (8, 16, 12, 9, 6, 64, 4, 256)
CHUNKS = (1, 3, 8, 4)


def served(algorithm, collective):
    """Schedules of an algorithm, for up to two numbers of ranks."""
    found = []
    for ranks in RANKS:
        for chunks in CHUNKS:
            try:
                found.append(schedcc.compile(algorithm.name, ranks, collective, chunks))
                break
            except schedcc.InputError:  # with the reason
                continue
        if len(found) == 2:
            break
    return found


class Registry(unittest.TestCase):
    def test_collectives_have_other_names(self):
        for other, name in (("bcast", "broadcast"), ("all-reduce", "allreduce"), ("reduce_scatter", "reduce-scatter")):
            with self.subTest(name=other):
                first = schedcc.algorithms(other)[0]
                self.assertIn(name, first.collectives)
                self.assertEqual(schedcc.compile(first.name, 8, other).collective, name)
                self.assertEqual(schedcc.Schedule(other, 2, []).collective, name)
                self.assertEqual(schedcc.prove(other, 2).schedule.collective, name)
                best = schedcc.tune(other, 8, "1KiB", alpha="1us", beta="1GB/s").best
                self.assertEqual(best.compile().collective, name)
        with self.assertRaisesRegex(schedcc.InputError, "did you mean 'bcast'"):
            schedcc.algorithms("bcastt")

    def test_iteration_is_what_is_written(self):
        for algorithm in schedcc.algorithms():
            for collective in algorithm.collectives:
                with self.subTest(algorithm=algorithm.name, collective=collective):
                    schedules = served(algorithm, collective)
                    self.assertTrue(schedules, "no number of ranks is served")
                    for schedule in schedules:
                        again = schedcc.reads(schedule.emit("sched"), "sched")
                        self.assertEqual(content(schedule), content(again))
                        self.assertEqual(again.emit("sched"), schedule.emit("sched"))

    def test_steps_made_in_python_are_the_same_schedule(self):
        for algorithm in schedcc.algorithms():
            with self.subTest(algorithm=algorithm.name):
                schedule = served(algorithm, algorithm.collectives[0])[0]
                same = schedcc.Schedule(schedule.collective, schedule.ranks, schedule, chunks=schedule.chunks,
                                        root=schedule.root, machine=schedule.machine, pre=schedule.pre,
                                        post=schedule.post, reduced=schedule.reduced, nodes=schedule.nodes)
                self.assertEqual(content(schedule), content(same))
                checked, again = schedule.verify().to_dict(), same.verify().to_dict()
                self.assertEqual(checked["verdict"], "holds")
                for report_of_one in (checked, again):
                    for key in ("schedule", "chosen", "title", "queues"):
                        report_of_one.pop(key, None)
                self.assertEqual(checked, again)

    def test_figures_are_those_of_the_transfers(self):
        for name in ("ring", "bruck", "binomial-tree", "pairwise"):
            schedule = schedcc.compile(name, ranks=11, chunks=3)
            steps = list(schedule)
            self.assertEqual(schedule.steps, steps[-1].number + 1)
            self.assertEqual(schedule.transfers, sum(map(len, steps)))
            self.assertEqual(schedule.transfers, len(list(schedule.all_transfers())))
            sizes = []
            for step in steps:
                messages = {}
                for t in step:
                    messages[t.src, t.dst] = messages.get((t.src, t.dst), 0) + len(t.chunks)
                sizes.append(messages)
            self.assertEqual(schedule.volume, sum(max(messages.values()) for messages in sizes))
            self.assertEqual(schedule.messages, sum(map(len, sizes)))
            self.assertEqual(schedule.width, max(max(messages.values()) for messages in sizes))

    def test_lists_are_those_of_the_command_line(self):
        listed = report("list")
        for kind, entries in (("algorithms", schedcc.algorithms()), ("collectives", schedcc.collectives()),
                              ("machines", schedcc.machines()), ("checks", schedcc.checks()),
                              ("models", schedcc.cost_models()), ("formats", schedcc.formats())):
            self.assertEqual([e["name"] for e in listed[kind]], [e.name for e in entries])
            self.assertEqual([e["summary"] for e in listed[kind]], [e.summary for e in entries])
            for expected, entry in zip(listed[kind], entries):
                if "parameters" in expected:
                    self.assertEqual([p["name"] for p in expected["parameters"]],
                                     [p.name for p in entry.parameters])
        self.assertTrue(all("allreduce" in a.collectives for a in schedcc.algorithms("allreduce")))
        files = report("list", "machines", "--files")
        self.assertEqual([f["name"] for f in next(iter(files.values()))], [f.name for f in schedcc.machine_files()])


if __name__ == "__main__":
    unittest.main()
