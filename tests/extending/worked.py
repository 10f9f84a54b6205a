#!/usr/bin/env python3
"""The examples of docs/extending.md, taken out of the page and run.

    worked.py sources ROOT OUT         write the files of the examples, and copies of the files that they
                                       change with the changes made, into the folder OUT
    worked.py run ROOT SCHEDCC         run the commands, and compare what they print with the page
    worked.py update ROOT SCHEDCC      write what they print into the page

ROOT is the project's folder. In the page a comment stands before each code block: `file: PATH` before a
new file, `change: PATH` before a difference, whose lines with - become those with +, and `run` before
commands; a file without a folder is for the commands. All commands run in one empty folder, one after the other.
"""

import difflib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
from console import BLOCK, with_output  # noqa: E402


def with_change(text, difference, path):
    """The text in which the lines with - are replaced by those with +."""
    old, new = ("".join(line[1:] for line in difference.splitlines(keepends=True) if line[0] in " " + sign)
                for sign in "-+")
    if text.count(old) != 1:
        sys.exit(f"docs/extending.md changes {path}, which has {text.count(old)} times the lines\n{old}")
    return text.replace(old, new)


def sources(page, root, out):
    files = {}
    for kind, path, body in BLOCK.findall(page):
        if kind == "file":
            files[path] = body
        elif kind == "change":
            files[path] = with_change(files.get(path) or (root / path).read_text(), body, path)
    for path, text in files.items():
        (out / pathlib.Path(path).name).write_text(text)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("sources", "run", "update"):
        sys.exit(__doc__)
    root, target = (pathlib.Path(argument).resolve() for argument in sys.argv[2:])
    path = root / "docs/extending.md"
    page = path.read_text()
    if page.count("<!-- ") != len(BLOCK.findall(page)):
        sys.exit("docs/extending.md: a comment is not followed by a code block")
    if sys.argv[1] == "sources":
        return sources(page, root, target)
    after = with_output(page, target)
    if sys.argv[1] == "update":
        path.write_text(after)
    elif after != page:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(keepends=True), after.splitlines(keepends=True),
                                                   "docs/extending.md", "what the commands print", n=1))
        sys.exit(1)


if __name__ == "__main__":
    main()
