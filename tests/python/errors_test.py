#!/usr/bin/env python3
"""Bad input is one error with its place; nothing crashes."""

import os
import pickle
import signal
import tempfile
import threading
import time
import unittest

import schedcc
from common import ROOT

STEP = [(0, 1, 0)]
# Calls that are refused, and words of the message.
REFUSED = [
    (lambda: schedcc.compile("rng", ranks=4), "did you mean 'ring'"),
    (lambda: schedcc.compile("ring"), "missing ranks"),
    (lambda: schedcc.compile("broadcast", ranks=4), "is a collective"),
    (lambda: schedcc.compile("ring", ranks=0), "ranks must be in 1.."),
    (lambda: schedcc.compile("ring", ranks=2**40), "2^32"),
    (lambda: schedcc.compile("ring", ranks=4.0), "whole number"),
    (lambda: schedcc.compile("ring", ranks=4, root=0), "has no root"),
    (lambda: schedcc.compile("chain", ranks=4, root=4), "root"),
    (lambda: schedcc.compile("ring", ranks=4, machine="duplx"), "duplex"),
    (lambda: schedcc.compile("ring", ranks=4, collective="alreduce"), "allreduce"),
    (lambda: schedcc.compile("recursive-doubling", ranks=6), "power of two"),
    (lambda: schedcc.compile("ring", ranks=3, chunks=2, block_sizes=[1, 2, 3]), "exclude"),
    (lambda: schedcc.compile("schedules/two-ports.sched", ranks=9), "a file states its own problem"),
    (lambda: schedcc.compile("no.sched"), "cannot open"),
    (lambda: schedcc.read("\udcff.sched"), "UTF-8"),
    (lambda: schedcc.read(b"x.sched"), "must be a str"),
    (lambda: schedcc.read("schedules", "sched"), ""),
    (lambda: schedcc.reads("nothing"), "unrecognised format"),
    (lambda: schedcc.reads("x", "shed"), "sched"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 1)]]), "step 0, transfer 0: a transfer must be"),
    (lambda: schedcc.Schedule("allgather", 2, [[], [(0, 1, 0), 7]]), "step 1, transfer 1: a transfer must be"),
    (lambda: schedcc.Schedule("allgather", 2, [[{0, 1, 2}]]), "step 0, transfer 0: a transfer must be"),
    (lambda: schedcc.Schedule("allgather", 2, [5]), "step 0 must be a list of transfers"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 1, 0, 1, "yes")]]), "reduce must be"),
    (lambda: schedcc.Schedule("custom", 2, chunks=9, pre={0: range(0, 9, 2)}), "step 1"),
    (lambda: schedcc.Schedule("custom", 2, chunks=9, pre={0: [2**32]}), "a chunk must be"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 1, -1)]]), "the first chunk must be"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 2**32, 0)]]), "the destination must be"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 1, 0, 0)]]), "at least one chunk"),
    (lambda: schedcc.Schedule("allgather", 2, [[(0, 1, 0, 2**31)]]), "the number of chunks must be"),
    (lambda: schedcc.Schedule("allgather", 2, [schedcc.Step(3, ()), schedcc.Step(3, ())]), "step numbers rise"),
    (lambda: schedcc.Schedule("allgather", 2, [schedcc.Step(0, (), rounds=0)]), "at least one round"),
    (lambda: schedcc.Schedule("allgather", 2, {-1: STEP}), "the number of a step"),
    (lambda: schedcc.Schedule("allgather", 2, pre={0: [0]}), "only a custom collective"),
    (lambda: schedcc.Schedule("custom", 2, chunks=1, pre={2: [0]}), "rank 2 does not exist"),
    (lambda: schedcc.Schedule("custom", 2, chunks=1, pre={0: [1]}), "chunk 1 does not exist"),
    (lambda: schedcc.Schedule("allgather", 2, name="a\nb"), "one line"),
    (lambda: schedcc.Schedule("allgather", 4, nodes=3), "nodes 3"),
    (lambda: schedcc.Schedule("broadcast", 2, ordered=True), "order"),
    (lambda: schedcc.compile("ring", 4).verify(checks=["port"]), "ports"),
    (lambda: schedcc.compile("ring", 4).verify(blocking="never"), "sendrecv"),
    (lambda: schedcc.compile("ring", 4).verify(max_findings=2**20), "max_findings"),
    (lambda: schedcc.compile("ring", 4).verify(fifo=3), "programs"),
    (lambda: schedcc.read("schedules/bad/race.xml").verify(eager=3), "threadblocks"),
    (lambda: schedcc.compile("ring", 4).explain(4, 0), "rank"),
    (lambda: schedcc.compile("ring", 4).cost("1MiB"), "missing alpha"),
    (lambda: schedcc.compile("ring", 4).cost("1MiB", alpha="1us"), "missing beta"),
    (lambda: schedcc.compile("ring", 4).cost("much", alpha="1us", beta="1GB/s"), "bytes"),
    (lambda: schedcc.compile("ring", 4).cost(1, alpha=-1.0, beta="1GB/s"), "quantity"),
    (lambda: schedcc.compile("ring", 4).cost(1, alpha="1", beta="1GB/s"), "alpha"),
    (lambda: schedcc.compile("ring", 4).emit("shed"), "sched"),
    (lambda: schedcc.compile("ring", 4).emit("sched:x=1"), "format 'sched'"),
    (lambda: schedcc.compile("ring", 4).write("x.unknown"), "extension"),
    (lambda: schedcc.compile("ring", 400).table(), "too many for a table"),
    (lambda: schedcc.compile("ring", 4).lower(), "no hop level"),
    (lambda: schedcc.tune("allgather", 4, [], alpha="1us", beta="1GB/s"), "missing bytes"),
    (lambda: schedcc.tune("custom", 4, 1, alpha="1us", beta="1GB/s"), "custom"),
    (lambda: schedcc.prove("broadcast", 4, rounds=3), "topologies"),
    (lambda: schedcc.prove("broadcast", 4, timeout=-1.0), "timeout"),
    (lambda: schedcc.prove_all_chunks("karp", 4), "karp"),
    (lambda: schedcc.algorithms("reduces"), "reduce"),
]


class Errors(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)

    def test_refused(self):
        for number, (call, words) in enumerate(REFUSED):
            with self.subTest(number=number, words=words):
                with self.assertRaises(schedcc.InputError) as caught:
                    call()
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("--", str(caught.exception).partition("--machine")[0])

    def test_places(self):
        for text, line, column in (("schedcc 2\n", 1, 9), ("schedcc 1\ncollective ring\n", 2, 12),
                                   ("schedcc 1\ncollective allgather\nranks 2\nstep 0\n0 -> x : 0\n", 5, 6)):
            with self.assertRaises(schedcc.InputError) as caught:
                list(schedcc.reads(text, "sched", name="here"))
            error = caught.exception
            self.assertEqual((error.file, error.line, error.column), ("here", line, column))
            self.assertTrue(str(error).startswith(f"here:{line}:{column}: "))
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((str(again), again.line), (str(error), line))

    def test_classes(self):
        self.assertTrue(issubclass(schedcc.InputError, ValueError) and issubclass(schedcc.ViolatedError, schedcc.Error))
        self.assertFalse(issubclass(schedcc.ViolatedError, ValueError))

    def test_limit(self):
        """Numbers alone demand no memory, and a limit is an error of its own."""
        head = "schedcc 1\ncollective {}\nranks {}\nchunks {}\nstep 0\n0 -> 1 : 0-2147483646\n"
        for call in (lambda: schedcc.reads(head.format("alltoall", 60000, 1)).reverse(),
                     lambda: schedcc.reads(head.format("allgather", 2**32 - 2, 1)).relabel({}),
                     lambda: schedcc.Schedule("scatter", 2**30).then(schedcc.Schedule("gather", 2**30))):
            with self.assertRaises(schedcc.LimitError):
                call()
        large = schedcc.reads(head.format("allreduce", 2, 2**31 - 1)).reverse()
        self.assertEqual(large.verify().verdict, "violated")
        with self.assertRaises((schedcc.InputError, schedcc.LimitError)):
            schedcc.compile("ring", ranks=2**31, collective="allreduce").emit("html")

    def test_an_error_of_the_steps(self):
        def steps():
            yield STEP
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            schedcc.Schedule("allgather", 2, steps())

    def test_interrupts(self):
        """Ctrl-C ends long calls, and other threads run meanwhile."""
        large = schedcc.compile("pairwise", ranks=8000)
        for call in (large.verify, lambda: schedcc.prove("broadcast", 16, 8),
                     lambda: large.cost(1, alpha="1us", beta="1GB/s", verify=False)):
            counted = []
            counter = threading.Thread(target=lambda: [counted.append(time.sleep(0.01)) for _ in range(20)])
            counter.start()
            timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
            timer.start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                call()
                time.sleep(10)  # if it ended before
            self.assertLess(time.monotonic() - begin, 5)
            self.assertGreater(len(counted), 5)
            timer.join()
            counter.join()


class Files(unittest.TestCase):
    def test_nothing_is_left_of_a_file_that_cannot_be_written(self):
        schedule = schedcc.compile("pairwise", ranks=400)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.svg")
            with self.assertRaises(schedcc.InputError):
                schedule.write(path)
            self.assertEqual(os.listdir(folder), [])
            path = os.path.join(folder, "none", "x.sched")
            with self.assertRaises(OSError) as caught:
                schedule.write(path)
            self.assertEqual(caught.exception.filename, path)


if __name__ == "__main__":
    unittest.main()
