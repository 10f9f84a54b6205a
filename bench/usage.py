"""What a command uses: processor time, which hardly depends on other work on the machine, and memory.

    python3 bench/usage.py COMMAND...    prints that instead of the output, say of each process of a job
"""

import os
import subprocess
import sys


def run(command, statuses=(0,), **options):
    """What a command prints, seconds of processor time, and MiB of memory; ends the program at another exit status."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, **options) as child:
        output = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in statuses:
        sys.exit(f"{' '.join(map(str, command))}: exit status {child.returncode}")
    return output.decode(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    print("{1:.3f} s, {2:.1f} MiB".format(*run(sys.argv[1:])))
