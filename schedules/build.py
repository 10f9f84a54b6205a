#!/usr/bin/env python3
"""Compiles the examples of this folder into C++ tables, MPI programs, pages, pictures, .sched and JSON files.

    schedules/build.py SCHEDCC OUT     build everything below OUT, with an index.html, and print a table of it
    schedules/build.py SCHEDCC         only check that every example has the verdict it claims

Examples are the *.sched files here and in bad/, whose first comment states the verdict:

    # verdict: holds
    # verdict: violated CHECK...       exactly these checks are violated
    # options: --blocking send-first   what it needs on the command line, if anything

the *.xml files in bad/, whose comments do, and the lines of algorithms.txt, which all hold. Exit status 1 if one is not what it claims to be.
"""

import concurrent.futures
import html
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
CXX = os.environ.get("CXX", "g++")
SECONDS = 120


class Example:
    def __init__(self, name, arguments, verdict, violated=(), shown=None):
        self.name = name
        self.arguments = arguments
        self.verdict = verdict
        self.violated = sorted(violated)
        self.shown = shown or name
        self.report = {}
        self.errors = []
        self.diagnostics = ""


def read_file(path):
    """An example from the comments of its file."""
    begin, end = ("<!-- ", " -->") if path.suffix == ".xml" else ("# ", "")
    verdict, options = None, []
    for line in path.read_text().splitlines():
        comment = line.removeprefix(begin).removesuffix(end) if line.startswith(begin) else ""
        if comment.startswith("verdict:"):
            verdict = comment.split(":", 1)[1].split()
        elif comment.startswith("options:"):
            options = shlex.split(comment.split(":", 1)[1])
    shown = str(path.relative_to(TOP))
    if not verdict or verdict[0] not in ("holds", "violated"):
        sys.exit(f"{shown}: no comment 'verdict: holds' or 'verdict: violated CHECK...'")
    return Example(path.stem, [shown, *options], verdict[0], verdict[1:], shown)


def read_examples():
    for line in (HERE / "algorithms.txt").read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield Example(words[0], words[1:], "holds")
    for path in [*sorted(HERE.glob("*.sched")), *sorted(HERE.glob("bad/*.sched")), *sorted(HERE.glob("bad/*.xml"))]:
        yield read_file(path)


def run(example, command, expected=0):
    """Runs a command at the top of the project; notes it as an error if its exit status is not the expected one."""
    try:
        done = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"{shlex.join(map(str, command))}: not done after {SECONDS} seconds")
    if done.returncode != expected:
        example.errors.append(
            f"{shlex.join(map(str, command))}: exit status {done.returncode}, expected {expected}\n"
            f"{done.stdout}{done.stderr}")
    return done


def verify(schedcc, example):
    """Is the example what it claims to be?"""
    status = 0 if example.verdict == "holds" else 1
    done = run(example, [schedcc, "compile", *example.arguments, "--json"], status)
    if example.errors:
        return
    example.report = json.loads(done.stdout)
    violated = sorted(c["check"] for c in example.report["checks"] if c["verdict"] == "violated")
    if (example.report["verdict"], violated) != (example.verdict, example.violated):
        example.errors.append(f"{example.shown}: claims to be '{example.verdict} "
                              f"{' '.join(example.violated)}', but is '{example.report['verdict']} "
                              f"{' '.join(violated)}'\n{done.stderr}")


def has_pages(schedcc):
    """Was schedcc built with what pages need?"""
    page = [schedcc, "show", "chain", "--ranks", "2", "--quiet", "--emit", "html", "-o", os.devnull]
    return subprocess.run(page, capture_output=True).returncode == 0


def build(schedcc, example, out, pages):
    """Everything that can be made of an example, in a folder of its own; of a wrong one a page."""
    verify(schedcc, example)
    if example.errors:
        return
    folder = out / example.name
    folder.mkdir(parents=True, exist_ok=True)
    if example.verdict != "holds":
        if pages:
            run(example, [schedcc, "show", *example.arguments, "--quiet", "-o", folder / "page.html"])
        example.diagnostics = run(example, [schedcc, "compile", *example.arguments], 1).stderr
        return
    (folder / "report.json").write_text(json.dumps(example.report, indent=2) + "\n")

    def emit(format, name):
        run(example, [schedcc, "compile", *example.arguments, "--quiet", "--emit", format, "-o", folder / name])

    table = example.name.replace("-", "_") + ".hpp"
    emit("sched", "schedule.sched")
    emit("json", "schedule.json")
    hops = "nodes" in json.loads((folder / "schedule.json").read_text()) if not example.errors else False
    if not hops:  # routers run no programs
        emit("cpp", table)
        emit("mpi", table.replace(".hpp", ".mpi.cpp"))
    if pages:
        emit("html", "page.html")
    emit("dot", "graph.dot")
    emit("dot:view=steps", "steps.dot")
    if example.errors:
        return

    # The schedule is read again and checked, the graphs are drawn.
    options = [o for o in example.arguments[1:] if example.shown.endswith(".sched")]
    run(example, [schedcc, "verify", folder / "schedule.sched", "--quiet", *options])
    for view in ("graph", "steps"):
        emit(f"svg:view={view}", f"{view}.svg")


def cell(value):
    return "-" if value is None else str(value)


def compile_tables(examples, out):
    """Compiles the headers of all examples, at once: most of the time is that of the standard library's."""
    headers = "".join(f'#include "{path}"\n' for e in examples for path in files_of(e, out) if path.suffix == ".hpp")
    done = subprocess.run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++",
                           "-"], input=headers, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        sys.exit(f"the tables do not compile:\n{done.stderr}")


COLUMNS = ("example", "problem", "machine", "steps", "bound", "verdict")


def row_of(example):
    """What the columns say of an example."""
    r = example.report
    unit = "time" if "time" in r else "steps"
    return (example.shown, f"{r['collective']} P={r['ranks']} K={r['chunks']}", r["machine"], cell(r.get(unit)),
            cell((r.get("lower_bound") or {}).get(unit)),
            r["verdict"] + "".join(f" {check}" for check in example.violated))


def files_of(example, out):
    """The files that were made of an example."""
    return sorted((out / example.name).iterdir())


INDEX = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>schedcc: the examples</title>
<style>
  body {{ font-family: sans-serif }}
  table {{ border-collapse: collapse }}
  th, td {{ border-bottom: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left }}
  td img {{ max-width: 11em; max-height: 7em; background: #fff }}
  pre {{ white-space: pre-wrap; max-width: 50em }}
</style>
<h1>The examples of schedules/</h1>
<p>Each with a page to play it, its pictures, its schedule, its tables, and the report of the checks; wrong ones with the
page and the findings.</p>
<table>
<tr>{header}</tr>
{rows}
</table>
</html>
"""


def write_index(examples, out):
    """A page that leads to every file."""
    rows = []
    for example in examples:
        cells = [html.escape(text) for text in row_of(example)]
        files = [file.name for file in files_of(example, out)]
        if "page.html" in files:
            cells[0] = f'<a href="{example.name}/page.html">{cells[0]}</a>'
        pictures = [name for name in ("graph.svg", "steps.svg") if name in files]
        cells.append(" ".join(f'<a href="{example.name}/{name}"><img src="{example.name}/{name}" alt="{name}" '
                              'loading="lazy"></a>' for name in pictures))
        links = [f'<a href="{example.name}/{name}">{name}</a>' for name in files]
        found = f"<pre>{html.escape(example.diagnostics)}</pre>" if example.diagnostics else ""
        cells.append(" ".join(links) + found)
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    header = "".join(f"<th>{name}</th>" for name in (*COLUMNS, "pictures", "files"))
    (out / "index.html").write_text(INDEX.format(header=header, rows="\n".join(rows)))


def print_table(examples, out):
    header = (*COLUMNS, "files")
    rows = []
    for e in examples:
        files = len(files_of(e, out))
        rows.append((*row_of(e), f"{e.name}/ ({files})" if e.verdict == "holds" else "rejected"))
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, tuple("-" * w for w in widths), *rows]:
        print("  ".join(text.rjust(w) if i in (3, 4) else text.ljust(w)
                        for i, (text, w) in enumerate(zip(row, widths))).rstrip())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    schedcc = pathlib.Path(sys.argv[1]).resolve()
    out = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else None
    examples = list(read_examples())
    names = [e.name for e in examples]
    for name in {n for n in names if names.count(n) > 1}:
        sys.exit(f"two examples are called '{name}'")

    if out:
        for example in examples:
            shutil.rmtree(out / example.name, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
    pages = has_pages(schedcc)
    if out and not pages:
        print("without pages: schedcc was built without D3", file=sys.stderr)
    job = (lambda e: build(schedcc, e, out, pages)) if out else (lambda e: verify(schedcc, e))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(job, examples))

    wrong = [e for e in examples if e.errors]
    for example in wrong:
        print(*example.errors, sep="\n", file=sys.stderr)
    if wrong:
        sys.exit(f"{len(wrong)} of {len(examples)} examples are not what they claim to be")
    if not out:
        print(f"{len(examples)} examples, each with the verdict that it claims")
        return

    compile_tables(examples, out)
    print_table(examples, out)
    write_index(examples, out)
    broken = next(e for e in examples if e.name == "too-eager")
    print(f"\nA broken schedule is rejected:\n\n$ schedcc compile {shlex.join(broken.arguments)}\n{broken.diagnostics}")
    print(f"Pages, pictures, tables and schedules: {os.path.relpath(out)}/index.html")


if __name__ == "__main__":
    main()
