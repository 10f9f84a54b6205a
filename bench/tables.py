#!/usr/bin/env python3
"""How long compilers take for a table of `--emit cpp`, as an array and packed.

    bench/tables.py SCHEDCC [--ranks P] [--chunks K]

Emits the schedule of a chain of P ranks and K packets, 2 (P - 1) K operations, in both forms, and compiles a program
that adds up the operations of all ranks by each compiler that is installed. Prints the size of the header, and the user
CPU seconds and the memory of the compiler, with their ratios to those of the array. The programs must agree.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """#include "{form}.hpp"
#include <cstdio>
int main() {{
  unsigned long long sum = 0;
  for (std::uint32_t rank = 0; rank < table::ranks; ++rank)
    for (const auto& o : table::program(rank))
      sum = sum * 31 + o.step + o.kind + o.peer + o.first + o.count + o.mode;
  std::printf("%llu", sum);
}}
"""


def compiled(compiler, source, program):
    """User CPU seconds and MiB of a compilation."""
    child = subprocess.Popen([compiler, "-std=c++17", "-O1", "-o", program, source])
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{compiler}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--chunks", type=int, default=1000)
    options = parser.parse_args()
    schedcc = options.schedcc.resolve()
    print(f"{2 * (options.ranks - 1) * options.chunks} operations")
    print(f"{'compiler':<10}{'form':>8}{'MB':>8}{'user s':>9}{'MiB':>8}{'s/array':>9}{'MiB/array':>11}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for form in ("array", "packed"):
            subprocess.run([schedcc, "compile", "chain", "--ranks", str(options.ranks), "--chunks", str(options.chunks),
                            "--quiet", "--emit", f"cpp:namespace=table,form={form}", "-o", folder / f"{form}.hpp"],
                           check=True)
            (folder / f"{form}.cpp").write_text(PROGRAM.format(form=form))
        for compiler in filter(shutil.which, ("g++", "clang++")):
            sums, array = set(), None
            for form in ("array", "packed"):
                size = (folder / f"{form}.hpp").stat().st_size / 1e6
                seconds, memory = compiled(compiler, folder / f"{form}.cpp", folder / form)
                array = array or (seconds, memory)
                print(f"{compiler:<10}{form:>8}{size:>8.1f}{seconds:>9.2f}{memory:>8.0f}{seconds / array[0]:>9.3f}"
                      f"{memory / array[1]:>11.3f}", flush=True)
                sums.add(subprocess.run([folder / form], check=True, stdout=subprocess.PIPE).stdout)
            if len(sums) != 1:
                sys.exit(f"{compiler}: the forms do not agree")


if __name__ == "__main__":
    main()
