"""Pages whose commands are run, one after the other in a folder of their own.

In a page a comment stands before a code block: `file: PATH` before a file that the commands read, `run` before
commands, `$ COMMAND`, each followed by its output.
"""

import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- (file|change|run)(?:: (\S+))? -->\n\n```\w+\n(.*?)```\n", re.DOTALL)


def environment(schedcc):
    """That of a shell in which the program can be called by its name."""
    return {**os.environ, "PATH": f"{schedcc.parent}:{os.environ['PATH']}"}


def link(folder, names):
    """Makes folders of the project appear in another one."""
    for name in names:
        os.symlink(ROOT / name, pathlib.Path(folder) / name)


def output(command, folder, schedcc):
    return subprocess.run(["bash", "-c", command], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          env=environment(schedcc), stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def with_output(page, schedcc, links=()):
    """The page with the output of its commands. `links`: the folders of the project that these can read."""
    with tempfile.TemporaryDirectory() as folder:
        link(folder, links)

        def block(match):
            kind, path, body = match.groups()
            if kind == "file" and "/" not in path:
                (pathlib.Path(folder) / path).write_text(body)
            if kind != "run":
                return match[0]
            commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.MULTILINE)
            body = "".join(f"$ {command}\n{output(command, folder, schedcc)}" for command in commands)
            return f"<!-- run -->\n\n```console\n{body}```\n"

        return BLOCK.sub(block, page)
