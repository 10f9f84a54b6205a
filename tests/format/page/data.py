#!/usr/bin/env python3
"""Checks what pages contain, without a browser.

    data.py SCHEDCC PROJECT

The data of a page are the schedule, as --emit json has it, or the part that is asked for; no text of a schedule ends
the element that it is in; nothing is loaded from elsewhere. Ends with status 77 if schedcc was built without D3.
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SCHEDCC, PROJECT = sys.argv[1:]


class Page(html.parser.HTMLParser):
    """The texts of a page's elements with an id, and the attributes that would load something."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.loads, self.current = {}, [], None
        self.feed(text)
        self.data = json.loads(self.texts["data"])

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.current = named.get("id") if tag == "script" else None
        self.loads += [value for key, value in attributes if key in ("src", "href")]

    def handle_data(self, text):
        if self.current:
            self.texts[self.current] = self.texts.get(self.current, "") + text


def run(*arguments, status=0):
    done = subprocess.run([SCHEDCC, *arguments], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == status, f"{arguments}: status {done.returncode}\n{done.stderr}"
    return done


def page(*arguments):
    text = run("show", *arguments, "--quiet", "--emit", "html").stdout
    result = Page(text)
    assert not result.loads, result.loads
    assert len(text) < 400_000 + 60 * sum(len(rows) for _, _, rows in result.data["steps"])
    return result


def transfers(data):
    return [(step, src, dst, first, first + count - 1, reduce == 1)
            for step, _, rows in data["steps"] for src, dst, first, count, reduce, _, _ in rows]


DEPENDENCY, SIGNAL, BARRIER = 2, 3, 4  # modes of the links of programs


def check_tracks(data):
    """Tracks of a program: instructions have their order, and are after what they wait for; those of a barrier are together.
    Returns its links."""
    instructions, links = data["instructions"], [row for _, _, rows in data["steps"] for row in rows]
    assert len([block for _, block in data["tracks"] if block is not None]) == data["report"]["threadblocks"]
    for before, after in zip(instructions, instructions[1:]):
        assert before[0] < after[0] or before[0] == after[0] and before[1] < after[1]
    for *_, mode, _, _, before, after in links:
        if before is None or after is None:
            memory = [row for row in links if None in row[7:]]
            assert all(data["tracks"][row[0 if row[7] is None else 1]][1] is None for row in memory)
        elif mode == BARRIER:
            assert instructions[before][1] == instructions[after][1]
        else:
            assert instructions[before][1] < instructions[after][1]
    return links


def check_places(data, file):
    """Findings are at all instructions that they name by their lines."""
    assert data["report"]["findings"]
    for finding, places in zip(data["report"]["findings"], data["places"], strict=True):
        named = {int(line) for line in re.findall(r"\(line (\d+)\)", finding["message"])}
        marked = [data["instructions"][i] for i in places]
        assert named == {line for *_, line in marked}, (finding, marked)
        others = finding.get("others", [])
        assert len(others) == len(marked) - 1
        for *_, line in marked:
            assert file.suffix != ".json" or '"name": ' in file.read_text().splitlines()[line - 1]


def listed(*arguments):
    schedule = json.loads(run("compile", *arguments, "--quiet", "--emit", "json").stdout)
    return [(step["step"], t["src"], t["dst"], first, last, t.get("reduce", False))
            for step in schedule["steps"] for t in step["transfers"] for first, last in t["chunks"]]


if "built without D3" in subprocess.run([SCHEDCC, "show", "chain", "--ranks", "2", "--emit", "html"],
                                        capture_output=True, text=True).stderr:
    sys.exit(77)

for case in (["circulant", "--ranks", "13", "--chunks", "5"],
             ["ring", "--collective", "allreduce", "--ranks", "6", "--chunks", "6"],
             ["pairwise", "--ranks", "9"], ["xor", "--ranks", "8"], ["karp", "--ranks", "11"], ["chain", "--ranks", "1"]):
    data = page(*case).data
    assert sorted(transfers(data)) == sorted(listed(*case)), case
    report = json.loads(run("compile", *case, "--json").stdout)
    assert data["report"] == report, case
    arrivals = [arrival - step for step, _, rows in data["steps"] for *_, arrival in rows]
    assert min(arrivals, default=1) >= 1

part = transfers(page("ring", "--ranks", "12", "--ranks", "3..4", "--steps", "2..5").data)
assert part == [t for t in listed("ring", "--ranks", "12") if 2 <= t[0] <= 5 and {t[1], t[2]} & {3, 4}]

wrong = page("schedules/bad/counted-twice.sched").data
assert wrong["report"]["verdict"] == "violated" and [f["line"] for f in wrong["report"]["findings"]] == [17]
assert [row[5] for _, _, rows in wrong["steps"] for row in rows] == [12, 14, 15, 17]
assert page("chain", "--ranks", "4", "--no-verify").data["report"] is None

with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder, "ring.xml")
    run("compile", "ring", "--collective", "allreduce", "--ranks", "4", "--chunks", "4", "-o", str(program), "--quiet")
    data = page(str(program)).data
    messages = [row for row in check_tracks(data) if row[4] != DEPENDENCY]
    assert len(messages) == data["report"]["messages"]
    check_places(page(str(program), "--fifo", "1").data, program)
    check_places(page("schedules/bad/race.xml").data, pathlib.Path(PROJECT, "schedules/bad/race.xml"))

    # Execution plans: each wait has its signal, each put its memory; packets lead to those who read them.
    plan = pathlib.Path(folder, "plan.json")
    allreduce = ["ring", "--collective", "allreduce", "--ranks", "3", "--chunks", "3"]
    right = run("compile", *allreduce, "--quiet", "--emit", "mscclpp").stdout
    plan.write_text(right)
    data = page(str(plan)).data
    assert data["report"]["verdict"] == "holds"
    links, lines = check_tracks(data), right.splitlines()
    words = [text.split()[0] for _, _, text, _, _ in data["instructions"]]
    for (*_, line), word in zip(data["instructions"], words):
        assert f'"name": "{word}"' in lines[line - 1]
    for word, end in ("signal", 7), ("rlxsignal", 7), ("wait", 8), ("rlxwait", 8):
        assert {row[end] for row in links if row[4] == SIGNAL} >= {i for i, w in enumerate(words) if w == word}, word
    assert {row[7] for row in links if row[8] is None} == {i for i, w in enumerate(words) if w == "put"}
    for form in "protocol=ll", "threadblocks=2":
        plan.write_text(run("compile", *allreduce, "--quiet", "--emit", "mscclpp:" + form).stdout)
        data = page(str(plan)).data
        modes = [row[4] for row in check_tracks(data)]
        assert form != "protocol=ll" or None not in [block for _, block in data["tracks"]] and 1 in modes

    plan.write_text(run("compile", *allreduce, "--quiet", "--emit", "mscclpp:threadblocks=2").stdout
                    .replace('"nop"', '"barrier", "barrier_id": 0, "num_threadblocks": 2'))
    data = page(str(plan)).data
    assert data["report"]["verdict"] == "holds"
    assert sum(row[4] == BARRIER for row in check_tracks(data)) == sum(i[2] == "barrier" for i in data["instructions"]) / 2

    for verdicts, wrong in (({"races"}, re.sub('"(signal|wait)"', '"nop"', right)),
                            ({"matching", "deadlock"}, right.replace('"signal"', '"nop"', 1)),
                            ({"deadlock"}, re.sub('"rlx(signal|wait)"', lambda m: f'"rlx{"wait" if m[1] == "signal" else "signal"}"',
                                                  right))):
        plan.write_text(wrong)
        data = page(str(plan)).data
        check_places(data, plan)
        assert {f["check"] for f in data["report"]["findings"]} == verdicts, data["report"]
        assert ("matching" in verdicts) == all(len(places) == 1 for places in data["places"])
    refused = run("show", str(plan), "-o", str(pathlib.Path(folder, "plan.svg")), "--no-verify", status=2).stderr
    assert refused.count("\n") == 1 and "-o FILE.html" in refused, refused

    name = "</script><b>&\"\\ </SCRIPT><!--"
    file = pathlib.Path(folder, "name.sched")
    file.write_text(f"schedcc 1\ncollective broadcast\nranks 2\nroot 0\nchunks 1\nname {name}\nstep 0\n0 -> 1 : 0\n")
    assert page(str(file)).data["schedule"] == name
    target = pathlib.Path(folder, "wrong.html")
    run("compile", "schedules/bad/counted-twice.sched", "-o", str(target), status=1)
    assert not target.exists()

too_large = run("show", "pairwise", "--ranks", "1024", "--no-verify", "--emit", "html", status=2).stderr
assert "at most 1000000 transfers" in too_large and "--steps A..B" in too_large, too_large

# The page of a cost has the critical path of the report, whose messages are those of the steps.
alpha_beta = ["--alpha", "1us", "--beta", "1GB/s"]
for case, model in ((["fractional-tree:r=3", "--ranks", "12", "--chunks", "6"], alpha_beta),
                    (["ring", "--collective", "allreduce", "--ranks", "6", "--chunks", "6"], alpha_beta),
                    (["karp", "--ranks", "8"], ["--model", "logp:L=6us,o=2us,g=4us"]),
                    (["ring", "--ranks", "8", "--machine", "dgx-1"], ["--model", "machine"]),
                    (["chain", "--ranks", "5"], ["--model", "bsp:l=1us,g=1ns/B"])):
    arguments = ["cost", *case, "--bytes", "1MiB", *model, "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "x.html"
        printed = run(*arguments, "-o", str(file)).stdout
        shown = Page(file.read_text())
    assert printed == run(*arguments).stdout, case
    assert not shown.loads, shown.loads
    cost = shown.data["cost"]
    if "bsp" in model[-1]:
        assert cost["path"] is None
        continue
    report = json.loads(run(*arguments, "--critical-path", "--json").stdout)
    assert [tuple(m[:3]) for m in cost["path"]] == [(m["step"], m["src"], m["dst"]) for m in report["critical_path"]], case
    assert cost["path"] and {tuple(m[:3]) for m in cost["path"]} <= {t[:3] for t in transfers(shown.data)}, case
    assert "asynchronous" in [row[0] for row in cost["rows"]], case
