#!/usr/bin/env python3
"""The check of the rooms (.ci/rooms.py) passes for the project, and finds what is planted in a small tree."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLANTED = {
    "src/core/a.cpp": ('#include "model/b.hpp"\n', "src/core/a.cpp:1: error: 'model/b.hpp'"),
    "src/model/b.hpp": ('\n  #  include <schedcc/algorithm.hpp>\n', "src/model/b.hpp:2: error: 'schedcc/algorithm.hpp'"),
    "src/check/c.cpp": ('#include <z3++.h>\n', "src/check/c.cpp:1: error: 'z3++.h'"),
    "src/mpirun/main.cpp": ('#include "main.hpp"\n', "src/mpirun/main.cpp:1: error: 'main.hpp'"),
    "src/elsewhere/d.cpp": ("", "src/elsewhere/d.cpp:1: error: it is in no room"),
    "include/schedcc/other.hpp": ("", "include/schedcc/other.hpp:1: error: it is in no room"),
    "src/cli/right.cpp": ('#include "core/a.hpp"\n#include <vector>\n#include "schedcc/error.hpp"\n', None),
}


def rooms(*folder):
    done = subprocess.run([sys.executable, ROOT / ".ci/rooms.py", *folder], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


assert rooms() == (0, []), rooms()
with tempfile.TemporaryDirectory() as folder:
    top = pathlib.Path(folder)
    for name, (text, _) in PLANTED.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (top / "src/rooms.txt").write_text((ROOT / "src/rooms.txt").read_text())
    status, lines = rooms(folder)
    expected = [error for _, error in PLANTED.values() if error]
    assert status == 1 and len(lines) == len(expected), lines
    for error in expected:
        assert any(line.startswith(error) for line in lines), (error, lines)
