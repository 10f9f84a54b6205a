#!/usr/bin/env python3
"""The check of the layers (.ci/layers.py) passes for the project, and finds what is planted in a small tree."""

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
    "src/elsewhere/d.cpp": ("", "src/elsewhere/d.cpp:1: error: it is in no layer"),
    "include/schedcc/other.hpp": ("", "include/schedcc/other.hpp:1: error: it is in no layer"),
    "src/cli/right.cpp": ('#include "core/a.hpp"\n#include <vector>\n#include "schedcc/error.hpp"\n', None),
}


def layers(*folder):
    done = subprocess.run([sys.executable, ROOT / ".ci/layers.py", *folder], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


assert layers() == (0, []), layers()
with tempfile.TemporaryDirectory() as folder:
    top = pathlib.Path(folder)
    for name, (text, _) in PLANTED.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (top / "src/layers.txt").write_text((ROOT / "src/layers.txt").read_text())
    status, lines = layers(folder)
    expected = [error for _, error in PLANTED.values() if error]
    assert status == 1 and len(lines) == len(expected), lines
    for error in expected:
        assert any(line.startswith(error) for line in lines), (error, lines)
