#!/usr/bin/env python3
"""Fills the generated parts of README.md from what the program says of itself.

    docs/generate.py SCHEDCC           rewrite them
    docs/generate.py --check SCHEDCC   fail if one is not up to date

A generated part stands between `<!-- begin: COMMAND -->` and `<!-- end -->` and shows what COMMAND prints.
"""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
PART = re.compile(r"(<!-- begin: schedcc (.*?) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if check:
        arguments.pop(0)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    schedcc = pathlib.Path(arguments[0]).resolve()

    def part(match):
        command = shlex.split(match[2])
        output = subprocess.run([schedcc, *command], cwd=README.parent, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, check=True).stdout
        return f"{match[1]}\n```\n{output}```\n\n{match[3]}"

    before = README.read_text()
    after = PART.sub(part, before)
    if before.count("<!-- begin:") != len(PART.findall(before)):
        sys.exit(f"{README.name}: a generated part is not closed")
    if check and before != after:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True),
                                                   "README.md", "README.md, regenerated", n=1))
        sys.exit("README.md is not up to date: make -f Makefile.examples docs")
    if not check and before != after:
        README.write_text(after)
        print("README.md rewritten")


if __name__ == "__main__":
    main()
