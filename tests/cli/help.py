#!/usr/bin/env python3
"""Compares the help of each command with the options that it accepts.

    tests/cli/help.py SCHEDCC

No line is wider than 80 columns. A command accepts the options in its help, with or without a value
as the help says, and no other option that schedcc has; each row of the list of options is taken by
some command. The message for a misspelt option suggests the option.
"""

import pathlib
import re
import subprocess
import sys

from expectations import Expectations

LIST = pathlib.Path(__file__).resolve().parents[2] / "src" / "cli" / "option_list.cpp"
WIDTH = 80
OPTION = re.compile(r"^  (?:-(?P<letter>\w), |    )--(?P<name>[a-z0-9-]+)(?: (?P<argument>\S+))?(?:  |$)")


def run(schedcc, *arguments):
    done = subprocess.run([schedcc, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Help(Expectations):
    def text(self, *arguments):
        status, text, _ = run(self.schedcc, *arguments)
        self.expect(status == 0, f"{' '.join(arguments)}: status {status}")
        for line in text.splitlines():
            self.expect(len(line) <= WIDTH, f"{' '.join(arguments)}: {len(line)} columns: {line}")
        return text

    def commands(self):
        listed = self.text("--help").partition("Commands:\n")[2].partition("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines()]

    def options(self, command):
        """The options in the help of a command: their arguments, or None, by the ways to write them."""
        text = self.text(command, "--help")
        self.expect(text == self.text("help", command), f"help {command} differs from {command} --help")
        result = {}
        for alias in re.findall(r"--([a-z-]+)", " ".join(re.findall(r"\(also ([^)]*)\)", text))):
            status, _, error = run(self.schedcc, command, f"--{alias}", "1", "--help")
            self.expect(status == 0, f"{command} --{alias}: {error}")
        for line in text.partition("Options:\n")[2].partition("\n\n")[0].splitlines():
            if match := OPTION.match(line):
                for name in [f"--{match['name']}"] + ([f"-{match['letter']}"] if match["letter"] else []):
                    self.expect(name not in result, f"{command}: {name} is listed twice")
                    result[name] = match["argument"]
            else:
                self.expect(line.startswith(" " * 29), f"{command}: not an option: {line}")
        return result

    def check_option(self, command, option, argument):
        """With --help, values are not read, so any will do."""
        if option in ("--help", "-h"):
            return
        ways = [[option]] if argument is None else [[option, "1"], [option + ("=1" if option[1] == "-" else "1")]]
        for way in ways:
            status, _, error = run(self.schedcc, command, *way, "--help")
            self.expect(status == 0, f"{command} {' '.join(way)}: {error}")
        wrong = [f"{option}=1"] if argument is None else [option]
        status, _, error = run(self.schedcc, command, *wrong)
        wanted = "takes no value" if argument is None else "takes a value, which is missing"
        self.expect(status == 2 and wanted in error, f"{command} {wrong[0]}: {status}, {error}")

    def check_misspelt(self, command, option):
        misspelt = option[:4] + option[3] + option[4:]
        status, _, error = run(self.schedcc, command, misspelt)
        self.expect(status == 2 and f"did you mean '{option}'?" in error, f"{command} {misspelt}: {status}, {error}")

    def check(self):
        options = {command: self.options(command) for command in self.commands()}
        self.expect(len(options) == 13, f"commands: {', '.join(options)}")
        everything = {name for of_command in options.values() for name in of_command}
        rows = re.findall(r'Option\{"([a-z0-9-]+)"', LIST.read_text())
        unused = {f"--{row}" for row in rows} - everything
        self.expect(rows and not unused, f"options that no command takes: {', '.join(sorted(unused))}")
        for command, known in options.items():
            for option, argument in known.items():
                self.check_option(command, option, argument)
                if option.startswith("--"):
                    self.check_misspelt(command, option)
            for option in everything - set(known):
                status, _, error = run(self.schedcc, command, option, "1")
                self.expect(status == 2 and "unknown option" in error, f"{command} {option}: {status}, {error}")
        return sum(map(len, options.values()))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    test = Help(sys.argv[1])
    test.end(f"{test.check()} options of commands are as their help says")


if __name__ == "__main__":
    main()
