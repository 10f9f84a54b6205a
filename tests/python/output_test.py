#!/usr/bin/env python3
"""What is written and shown: files, tables, pages and pictures."""

import contextlib
import html
import io
import json
import os
import pathlib
import re
import tempfile
import unittest

import schedcc
from common import ROOT, content, run

HAS_PAGES = "built without D3" not in run("show", "ring", "--ranks", "3", "--emit", "html", "--quiet")[2]


class Files(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        """To the byte, with the command that makes them."""
        with tempfile.TemporaryDirectory() as folder:
            schedule = schedcc.compile("ring", 6, "allreduce", 6)
            for extension in ("sched", "json", "csv", "hpp", "xml", "goal", "trace.json", "dot"):
                theirs, ours = pathlib.Path(folder, "theirs", f"x.{extension}"), pathlib.Path(folder, f"x.{extension}")
                theirs.parent.mkdir(exist_ok=True)
                status, _, errors = run("compile", "ring", "--ranks", "6", "--collective", "allreduce", "--chunks", "6",
                                        "--quiet", "-o", theirs)
                if status != 0:
                    with self.assertRaises(schedcc.InputError, msg=errors):
                        schedule.write(ours)
                    continue
                schedule.write(ours)
                self.assertEqual(ours.read_text(), theirs.read_text(), extension)
                self.assertEqual(os.stat(ours).st_mode, os.stat(theirs).st_mode)

    def test_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.ti")
            other = pathlib.Path(folder, "x.ti.d", "notes")
            for ranks in (5, 3):
                schedcc.compile("ring", ranks).write(path, "ti")
                other.write_text("mine")
                self.assertEqual(sorted(os.listdir(folder)), ["x.ti", "x.ti.d"])
                self.assertEqual(sorted(os.listdir(other.parent)), [*(f"{r}.ti" for r in range(ranks)), "notes"])
                self.assertTrue(all(pathlib.Path(line.split()[-1]).exists()
                                    for line in path.read_text().splitlines() if ".ti.d/" in line))

    def test_paths_of_machines_follow_the_file(self):
        ring = os.path.relpath(ROOT / "schedules" / "topologies" / "ring8.json")
        schedule = schedcc.compile("ring", 8, machine=f"topology:{ring}")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.sched")
            schedule.write(path)
            again = schedcc.read(path)
            self.assertEqual(content(again), content(schedule))
            self.assertEqual(again.verify().verdict, schedule.verify().verdict)

    def test_replaces_a_file_and_follows_links(self):
        with tempfile.TemporaryDirectory() as folder:
            path, link = pathlib.Path(folder, "a.sched"), pathlib.Path(folder, "b.sched")
            path.write_text("before")
            path.chmod(0o600)
            link.symlink_to(path)
            schedcc.compile("ring", 3).write(link)
            self.assertTrue(link.is_symlink())
            self.assertEqual(schedcc.read(path).ranks, 3)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            with self.assertRaises(IsADirectoryError):
                schedcc.compile("ring", 3).write(folder, "sched")


class Shown(unittest.TestCase):
    def test_table_is_that_of_the_command_line(self):
        """Of copies: the command line shows whose contributions a message brings, too."""
        for name, ranks in (("ring", 4), ("binomial-tree", 9), ("pairwise", 6), ("bruck", 7), ("chain", 1)):
            theirs = run("show", name, "--ranks", ranks, "--no-verify")[1]
            ours = schedcc.compile(name, ranks).table(160)

            def words(text):
                return [re.split(r"[ |]+", line.strip()) for line in text.splitlines() if "sends chunks" not in line]
            self.assertEqual(words(ours), words(theirs), name)

    def test_table_fits(self):
        wide = schedcc.compile("ring", 12)
        self.assertLessEqual(max(map(len, wide.table(60).splitlines()[:-1])), 60)
        self.assertEqual(wide.table(60).count("step "), 11)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            wide.show(60)
        self.assertEqual(printed.getvalue(), wide.table(60) + "\n")

    def test_html(self):
        broken = schedcc.Schedule("broadcast", 3, [[(0, 1, 0)], [(0, 1, 0)]])
        text = broken._repr_html_()
        if HAS_PAGES:
            page = html.unescape(re.search(r'srcdoc="([^"]*)"', text)[1])
            self.assertTrue(page.startswith("<!DOCTYPE html>"))
            self.assertIn(broken.verify().findings[0].message, page)
        large = schedcc.compile("pairwise", 600)
        self.assertEqual(large._repr_html_(), f"<code>{html.escape(repr(large))}</code>")
        self.assertIsNone(large._repr_svg_())
        long = schedcc.Schedule("broadcast", 2, [[(0, 1, 0)]] * 20_001)
        self.assertNotIn("iframe", long._repr_html_())

    def test_svg(self):
        svg = schedcc.compile("binomial-tree", 8)._repr_svg_()
        if svg is not None:  # with Graphviz
            self.assertIn("<svg", svg)
        path = os.environ["PATH"]
        try:
            os.environ["PATH"] = "/nowhere"
            self.assertIsNone(schedcc.compile("binomial-tree", 8)._repr_svg_())
        finally:
            os.environ["PATH"] = path

    def test_binary(self):
        if schedcc.compile("ring", 3)._repr_svg_() is None:
            self.skipTest("without Graphviz")
        self.assertTrue(schedcc.compile("ring", 3).emit_bytes("png").startswith(b"\x89PNG"))
        with self.assertRaisesRegex(schedcc.InputError, "is binary"):
            schedcc.compile("ring", 3).emit("png")

    def test_texts(self):
        ring = schedcc.compile("ring", 4)
        self.assertEqual(repr(ring), "<schedcc.Schedule ring: allgather, 4 ranks, 1 chunk on duplex>")
        report = ring.verify()
        self.assertEqual(json.loads(report.to_json()), report.to_dict())
        self.assertTrue(str(report).startswith("ring: holds: "))


if __name__ == "__main__":
    unittest.main()
