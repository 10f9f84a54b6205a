#!/usr/bin/env python3
"""How long compilers take for a table of `--emit cpp`, as an array and packed.

    bench/tables.py SCHEDCC [--ranks P] [--chunks K]

Emits the schedule of a chain of P ranks and K packets, 2 (P - 1) K operations, in both forms, and compiles a program
that adds up the operations of all ranks by each compiler that is installed. Prints the size of the header, and the
processor time and the memory of the compiler, with their ratios to those of the array. The programs must agree.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import usage

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


def written(schedcc, folder, form, ranks, chunks):
    """The program with the table of a chain: FORM.cpp, which includes FORM.hpp."""
    subprocess.run([schedcc, "compile", "chain", "--ranks", str(ranks), "--chunks", str(chunks), "--quiet", "--emit",
                    f"cpp:namespace=table,form={form}", "-o", folder / f"{form}.hpp"], check=True)
    source = folder / f"{form}.cpp"
    source.write_text(PROGRAM.format(form=form))
    return source


def compilers():
    """Those that are installed."""
    return list(filter(shutil.which, ("g++", "clang++")))


def compiled(compiler, source):
    """Seconds of processor time and MiB of a compilation; the program is the source without its suffix."""
    return usage.run([compiler, "-std=c++17", "-O1", "-o", source.with_suffix(""), source])[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedcc", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=512)
    parser.add_argument("--chunks", type=int, default=1000)
    options = parser.parse_args()
    schedcc = options.schedcc.resolve()
    print(f"{2 * (options.ranks - 1) * options.chunks} operations")
    print(f"{'compiler':<10}{'form':>8}{'MB':>8}{'s':>9}{'MiB':>8}{'s/array':>9}{'MiB/array':>11}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sources = {form: written(schedcc, folder, form, options.ranks, options.chunks) for form in ("array", "packed")}
        for compiler in compilers():
            sums, array = set(), None
            for form, source in sources.items():
                size = source.with_suffix(".hpp").stat().st_size / 1e6
                seconds, memory = compiled(compiler, source)
                array = array or (seconds, memory)
                print(f"{compiler:<10}{form:>8}{size:>8.1f}{seconds:>9.2f}{memory:>8.0f}{seconds / array[0]:>9.3f}"
                      f"{memory / array[1]:>11.3f}", flush=True)
                sums.add(subprocess.run([source.with_suffix("")], check=True, stdout=subprocess.PIPE).stdout)
            if len(sums) != 1:
                sys.exit(f"{compiler}: the forms do not agree")


if __name__ == "__main__":
    main()
