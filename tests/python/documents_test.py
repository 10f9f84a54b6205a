#!/usr/bin/env python3
"""docs/python.md and examples/python do what they say.

    tests/python/documents_test.py [--update]      with --update: write what commands print into the page
"""

import doctest
import os
import re
import subprocess
import sys
import tempfile
import unittest

from common import ROOT, SCHEDCC

PAGE = ROOT / "docs" / "python.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
MOST_LINES = 20


def run(command, folder):
    """The output of a command that must end well, in a folder that has the project's, with the program in the path."""
    for name in ("schedules", "examples"):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            os.symlink(ROOT / name, path)
    # `python3` is the interpreter that the module was built for.
    os.makedirs(os.path.join(folder, ".bin"), exist_ok=True)
    link = os.path.join(folder, ".bin", "python3")
    if not os.path.lexists(link):
        with open(link, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        os.chmod(link, 0o755)
    path = f"{folder}/.bin:{SCHEDCC.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True, check=False,
                          env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}: {done.stdout}")
    return done.stdout


def printed(command):
    with tempfile.TemporaryDirectory() as folder:
        return run(command, folder)


def update():
    """The page with what its commands print."""
    PAGE.write_text(CONSOLE.sub(
        lambda block: "```console\n" + COMMAND.sub(lambda c: f"$ {c[1]}\n{printed(c[1])}", block[1]) + "```",
        PAGE.read_text()))


class Guide(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text()

    def test_snippets(self):
        """What follows >>> prints what stands below it."""
        blocks = re.findall(r"^```pycon\n(.*?)^```$", self.page, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 5)
        # An empty line of the output would be its end.
        text = "\n".join(re.sub(r"\n\n(?!>>>)", "\n<BLANKLINE>\n", block) for block in blocks)
        test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", None, 0)
        lines = []
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "schedules", os.path.join(folder, "schedules"))
            os.chdir(folder)
            try:
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                runner.run(test, out=lines.append)
            finally:
                os.chdir(before)
        self.assertEqual("".join(lines), "")

    def test_commands(self):
        """What follows $ prints what stands below it."""
        blocks = CONSOLE.findall(self.page)
        self.assertTrue(blocks)
        for block in blocks:
            for command, expected in COMMAND.findall(block):
                with self.subTest(command=command):
                    self.assertEqual(printed(command), expected)


class Examples(unittest.TestCase):
    def test_are_short_and_documented(self):
        self.assertEqual(len(EXAMPLES), 4)
        page = PAGE.read_text()
        for path in EXAMPLES:
            self.assertIn(f"\n$ python3 examples/python/{path.name}", page)
            self.assertLessEqual(len([line for line in path.read_text().splitlines() if line.strip()]), MOST_LINES)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
