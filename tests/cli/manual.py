#!/usr/bin/env python3
"""The manual pages that the programs print.

    tests/cli/manual.py SCHEDCC [SCHEDCC-MPIRUN]

man, groff and mandoc, as far as they are there, format them without a warning, apart from the date,
which they do not have. Every command, and every option of every help, is in them.
"""

import re
import shutil
import subprocess
import sys
import tempfile

FORMATTERS = {
    "man": ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
    "groff": ["-man", "-ww", "-Tutf8"],
    "mandoc": ["-T", "lint", "-W", "warning"],
}
OPTION = re.compile(r"^ {2,6}(?:-\w, )?(--[a-z0-9-]+)", re.MULTILINE)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def main():
    failures = []
    tried = []
    for program in [argument for argument in sys.argv[1:] if argument]:
        page = output(program, "--man")
        if page != output(program, "--man"):
            failures.append(f"{program}: another page each time")
        for name, options in FORMATTERS.items():
            path = shutil.which(name)
            if not path:
                continue
            tried.append(name)
            with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
                file.write(page)
                file.flush()
                done = subprocess.run([path, *options, file.name], capture_output=True, text=True, timeout=60)
            said = [line for line in (done.stderr + (done.stdout if name == "mandoc" else "")).splitlines()
                    if "missing date" not in line]
            failures += [f"{program}: {name}: {line}" for line in said]
        # Words as the reader sees them.
        words = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
        helps = [output(program, "--help")] if program.endswith("mpirun") else []
        if not helps:
            commands = re.findall(r"^  (\w+) ", output(program, "--help").split("Examples:")[0], re.MULTILINE)
            if len(commands) < 10:
                failures.append(f"{program}: {len(commands)} commands")
            helps = [output(program, command, "--help") for command in commands]
            failures += [f"{program}: no subsection on {command}" for command in commands
                         if f".SS schedcc {command}" not in words]
        for text in helps:
            for option in OPTION.findall(text.split("Examples:")[0]):
                if not re.search(rf"^\.B .*{option}( |$)", words, re.MULTILINE):
                    failures.append(f"{program}: {option} is missing")
            for line in text.split("Examples:\n")[1].splitlines():
                if line.strip() not in words:
                    failures.append(f"{program}: the example is missing: {line}")
    if failures:
        sys.exit("\n".join(failures))
    print(f"the pages are complete; formatted by {', '.join(sorted(set(tried))) or 'nothing, for want of a formatter'}")


if __name__ == "__main__":
    main()
