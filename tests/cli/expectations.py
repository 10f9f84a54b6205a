"""What tests of the command line share: expectations, and a report of those that were not met."""

import pathlib
import sys


class Expectations:
    """Tests of the program SCHEDCC derive from this class, and call expect()."""

    def __init__(self, schedcc):
        self.schedcc = pathlib.Path(schedcc).resolve()
        self.failures = []

    def expect(self, condition, message):
        if not condition:
            self.failures.append(message)

    def end(self, message):
        """Prints the message if all expectations were met; else ends with those that were not."""
        if self.failures:
            sys.exit("\n".join(self.failures))
        print(message)
