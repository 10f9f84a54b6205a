// An MPI program: the C++ table of a schedule, and a main function that passes it to the runtime
// schedcc/mpi.hpp, which executes it, compares the results with the collective's definition, and
// times it.

#include <span>
#include <string>
#include <string_view>

#include "format/cpp/names.hpp"
#include "format/cpp/packed.hpp"
#include "format/cpp/writer.hpp"
#include "format/entry.hpp"
#include "format/table_order.hpp"

namespace schedcc {

namespace {

/// How to compile and start it. `stem`: the name of the file without ".cpp".
void write_usage(const std::string& stem, Rank ranks, Text& out) {
  out.print("// An MPI program, for {} process{} (further ones are idle):\n//\n", ranks,
            ranks == 1 ? "" : "es");
  out.print("//   mpicxx -std=c++17 -O2 -I INCLUDE {0}.cpp -o {0}\n", comment(stem));
  out.print("//   mpirun -np {} ./{} --help\n//\n", ranks, comment(stem));
  out.put("// where INCLUDE is the folder in which schedcc/mpi.hpp is.\n//\n");
}

/// The `pre` or `post` lines of a custom collective, run by run.
void write_holdings(std::string_view name, std::span<const Holding> holdings, Text& out) {
  out.print("  table.problem.{} = {{", name);
  for (const Holding& holding : holdings) {
    for (const Run& run : holding.runs) {
      out.print("\n      {{{}, {}, {}, {}}},", holding.rank, run.first, run.count, holding.reduced);
    }
  }
  out.put("\n  };\n");
}

void refuse(const Source& source, const EmitOptions&) {
  cpp::refuse_table(source, "an MPI program");
}

void write_mpi(const Source& source, const EmitOptions& options, Output& output) {
  const std::string space = cpp::namespace_of(options);
  cpp::refuse_reordered(source, *options.machine, "an MPI program");
  const cpp::Table table = cpp::checked_table(source, *options.machine, "an MPI program");
  Text out(output);
  write_usage(options.stem, source.problem.ranks, out);
  cpp::write_opening(source, options, table.totals, out);
  cpp::write_namespace(source, options, table, space, out);
  out.put("#include <schedcc/mpi.hpp>\n\nint main(int argc, char** argv) {\n");
  out.print("  schedcc::mpi::Table table = SCHEDCC_MPI_TABLE({});\n", space);
  out.print("  table.name = {};\n", cpp::string_literal(source.name));
  if (source.problem.declared()) {
    out.put(
        "  // What each rank has before and after: rank, first chunk, chunks, combined or not.\n");
    write_holdings("pre", source.problem.pre(), out);
    write_holdings("post", source.problem.post(), out);
  }
  out.put("  return schedcc::mpi::run_program(argc, argv, table);\n}\n");
  out.flush();
}

}  // namespace

extern const FormatEntry mpi_format;
const FormatEntry mpi_format{
    .name = "mpi",
    .summary = "an MPI program that executes the schedule, verifies the results, and times it",
    .extensions = {".mpi.cpp"},
    .parameters = {{.name = "namespace",
                    .summary = "the table's namespace (default: the name of the output file)",
                    .kind = Parameter::Kind::text},
                   cpp::form_parameter()},
    .check = cpp::check_namespace,
    .refuse = refuse,
    .write = write_mpi,
};

}  // namespace schedcc
