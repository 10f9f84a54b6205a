#!/usr/bin/env python3
"""Checks that the pages, headings and files that code and documents cite exist.

    docs/citations.py

In code and scripts: `docs/PAGE.md`, and the heading in `docs/PAGE.md, "Heading"`, also across the lines of a
comment; docs/semantics.md, the contract, is cited with a heading. In Markdown: the files of links, and the headings
that they lead to; and the C++ files that text names in backticks (`file.cpp`, `folder/file.hpp`: the end of a path),
unless a fenced block of the page has the name, as that of a file that a command writes. And docs/architecture.md has a row for every layer of src/layers.txt, CONTRIBUTING.md one for every
part of .ci/run, and no others. Prints what does not exist, and ends with status 1 if there is any.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".cpp", ".hpp", ".py", ".cmake", ".sched", ".test", ".txt", ".json", ".examples", ""}
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"`([\w-][\w./-]*\.[ch]pp)`")
SPACE = re.compile(r"\s*\n\s*(?:/{2,3}|#)?\s*")  # the end of a line, and what begins the next of a comment


def headings(page):
    return re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE)


def anchor(heading):
    text = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text).lower().replace(" ", "-")


def wrong_in_code(text):
    for page, heading in re.findall(r'docs/([\w-]+\.md)(?:, "([^"]*)")?', SPACE.sub(" ", text)):
        path = ROOT / "docs" / page
        if not path.exists():
            yield f"docs/{page}"
        elif heading and heading not in headings(path):
            yield f'docs/{page}, "{heading}"'
        elif not heading and page == "semantics.md":
            yield "section in the citation of docs/semantics.md"


def wrong_in_markdown(file, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", text)):
        if ":" in target:
            continue
        name, _, place = target.partition("#")
        path = file.parent / name if name else file
        if not path.exists() or (place and place not in map(anchor, headings(path))):
            yield target
    fenced = "".join(FENCED.findall(text))
    for name in NAMED.findall(FENCED.sub("", text)):
        if name not in fenced and not any(f"/{path}".endswith(f"/{name}") for path in listed):
            yield f"file {name}"


listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True,
                        text=True).stdout.split("\0")
files = [ROOT / name for name in listed if name] or [file for file in ROOT.rglob("*") if "build" not in file.parts]
wrong = 0
for file in sorted(files):
    markdown = file.suffix == ".md"
    if not file.is_file() or not (markdown or file.suffix in CODE) or file == pathlib.Path(__file__).resolve():
        continue
    text = file.read_text(errors="replace")
    for what in wrong_in_markdown(file, text) if markdown else wrong_in_code(text):
        print(f"{file.relative_to(ROOT)}: error: there is no {what}")
        wrong += 1


def rows(page, title):
    """What the rows of the tables under the heading cell `title` are of: the names in their first cells."""
    tables = re.findall(rf"^\| {title} \|.*\n\|[-|]+\n((?:\|.*\n)*)", (ROOT / page).read_text(), re.MULTILINE)
    return {name for row in "".join(tables).splitlines() for name in re.findall(r"`([\w/-]+)`", row.split("|")[1])}


layers = {line.split()[0] for line in (ROOT / "src/layers.txt").read_text().splitlines() if not line.startswith("#")}
parts = set(re.search(r'^all="(.*)"$', (ROOT / ".ci/run").read_text(), re.MULTILINE)[1].split())
for page, title, names in ("docs/architecture.md", "layer", layers), ("CONTRIBUTING.md", "part", parts):
    for name in sorted(names ^ rows(page, title)):
        print(f"{page}: error: there is no " + (f"row for the {title} {name}" if name in names else f"{title} {name}"))
        wrong += 1
sys.exit(wrong > 0)
