// The C++ table: the transpose of a schedule, from the transfers of each step to the operations of
// each rank.
//
// One self-contained C++17 header holds every rank's operations in the order in which the rank can
// carry them out, and an index by rank. format/table.cpp transposes the schedule, names.cpp chooses
// the names; this file writes the header.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/input_text.hpp"
#include "format/compiled_text.hpp"
#include "format/cpp/local.hpp"
#include "format/cpp/names.hpp"
#include "format/cpp/packed.hpp"
#include "format/cpp/writer.hpp"
#include "format/entry.hpp"
#include "format/limits.hpp"
#include "format/table_order.hpp"
#include "format/text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc {

namespace cpp {

void write_opening(const Source& source, const EmitOptions& options, const Totals& totals,
                   Text& out) {
  out.print("// A communication schedule as a table, made by schedcc {} with\n//\n//   {}\n//\n",
            SCHEDCC_VERSION, comment(options.command));
  const bool one = options.parameters.has("rank");
  out.print("// {}{}; machine {}; {}, {}.\n//\n", describe(source.problem),
            source.problem.ordered ? ", ordered" : "", comment(options.machine->spec()),
            counted(totals.steps, options.machine->step_unit()),
            one ? fmt::format("of which this is rank {}", options.parameters.integer("rank"))
                : counted(totals.transfers, "transfer"));
  if (!source.title.empty()) out.print("// Its name: \"{}\".\n//\n", comment(source.title));
  out.put(options.machine->timing() ? "// A rank carries out its operations in the order listed "
                                      "here; `step` is the cycle in\n"
                                      "// which the call starts. "
                                    : "// A rank carries out its operations in the order listed "
                                      "here: in each step first its\n"
                                      "// sends, then its receives. ");
  out.put("Operations with the same step, kind and peer are one message.\n\n");
}

void write_constants(const WideProblem& problem, const Machine& machine, std::uint64_t steps,
                     std::string_view integer, Text& out) {
  out.print("inline constexpr std::string_view collective = {};\n",
            string_literal(info(problem.collective).name));
  out.print("inline constexpr std::string_view machine = {};\n", string_literal(machine.spec()));
  out.print("inline constexpr {} ranks = {};\n", integer, problem.ranks);
  out.print("inline constexpr bool rooted = {};\n", problem.rooted());
  out.print("inline constexpr {} root = {};{}\n", integer, problem.rooted() ? problem.root : 0,
            problem.rooted() ? "" : "  // the collective has none");
  out.print("inline constexpr {} chunks = {};\n", integer, problem.chunks);
  out.print("inline constexpr std::uint64_t total_chunks = {};\n", problem.total_chunks());
  out.print("inline constexpr bool ordered = {};  // must the order of the ranks be kept?\n",
            problem.ordered);
  out.print("inline constexpr std::uint64_t steps = {};{}\n\n", steps,
            machine.timing() ? "  // cycles until the last rank holds its data" : "");
}

namespace {

/// The types of a table, as schedcc/mpi/operation.hpp has them.
std::string_view types() {
  constexpr std::string_view opening = "namespace schedcc::mpi {\n\n", closing = "}  // namespace";
  const std::string_view text = local_header("operation.hpp");
  const std::size_t begin = text.find(opening) + opening.size();
  return text.substr(begin, text.find(closing) - begin);
}

void write_operation(const Operation& o, Text& out) {
  print(out, FMT_COMPILE("\n    {{{}, {}, {}, {}, {}, {}}},"), o.step,
        o.kind == mpi::receive ? "receive" : "send", o.peer, o.first, o.count,
        o.mode == mpi::reduce ? "reduce" : "copy");
}

void write_operations(const Table& table, Text& out) {
  out.print("inline constexpr std::array<Operation, {}> operations = {{", table.totals.operations);
  if (table.totals.operations != 0) out.put("{");
  if (table.index.empty()) {  // of one rank
    for (const Operation& o : table.operations) write_operation(o, out);
  }
  for (Rank rank = 0; rank + std::size_t{1} < table.index.size(); ++rank) {
    print(out, FMT_COMPILE("\n    // rank {}"), rank);
    for (const Operation& o : table.of(rank)) write_operation(o, out);
  }
  out.put(table.totals.operations != 0 ? "\n}};\n\n" : "};\n\n");
}

void write_index(const Table& table, Rank ranks, Text& out) {
  out.put("/// Rank r's operations are those from index[r] up to index[r + 1].\n");
  out.print("inline constexpr std::array<std::uint32_t, {}> index = {{{{",
            std::uint64_t{ranks} + 1);
  for (std::uint64_t rank = 0; rank <= ranks; ++rank) {
    const std::uint64_t begin = rank < table.index.size() ? table.index[rank] : table.index.back();
    print(out, FMT_COMPILE("{}{},"), rank % 16 == 0 ? "\n    " : " ", begin);
  }
  out.put("\n}};\n\n");
}

constexpr std::string_view range = R"(/// The operations of one rank, for a range-based for.
struct Program {
  const Operation* first;
  const Operation* last;
  constexpr const Operation* begin() const { return first; }
  constexpr const Operation* end() const { return last; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

)";

/// `begin`: operation 0, as Program has it.
void write_accessor(std::string_view begin, bool one_rank, Text& out) {
  if (one_rank) {
    out.print(R"(/// The operations of the rank.
constexpr Program program() {{
  return {{{0}, {0} + operations.size()}};
}}

)",
              begin);
  } else {
    out.print(R"(/// The operations of rank `rank` < ranks.
constexpr Program program(std::uint32_t rank) {{
  return {{{0} + index[rank], {0} + index[rank + 1]}};
}}

)",
              begin);
  }
}

void refuse_level(const Source& source, std::string_view what) {
  if (!source.has_routers()) return;
  throw InputError(fmt::format("{} needs a schedule at endpoint level", what));
}

void write_table(const Source& source, const EmitOptions& options, Output& output) {
  std::optional<std::uint64_t> rank;
  if (options.parameters.has("rank")) rank = options.parameters.integer("rank");
  const std::string space = namespace_of(options);
  const Table table = rank ? of_rank(source, *options.machine, static_cast<Rank>(*rank))
                           : checked_table(source, *options.machine, "a C++ table");
  Text out(output);
  write_opening(source, options, table.totals, out);
  const std::string guard = guard_of(space);
  out.print("#ifndef {0}\n#define {0}\n\n", guard);
  write_namespace(source, options, table, space, out, rank);
  out.print("#endif  // {}\n", guard);
  out.flush();
}

void check(const Parameters& parameters) {
  if (parameters.has("local") && parameters.has("rank")) {
    throw InputError("format 'cpp': rank= is a table of one rank, local computes them all");
  }
  check_namespace(parameters);
}

/// Throws InputError if there is no such rank.
void check_rank(const Problem& problem, std::uint64_t rank) {
  if (rank < problem.ranks) return;
  throw InputError(fmt::format("there is no rank {}; the {} ranks are 0..{}", rank, problem.ranks,
                               problem.ranks - 1));
}

void refuse(const Source& source, const EmitOptions& options) {
  check(options.parameters);
  refuse_level(source, "a C++ table");
  if (options.parameters.has("local")) {
    local_schedule(source, *options.machine);
  } else if (options.parameters.has("rank")) {
    check_rank(source.problem, options.parameters.integer("rank"));
  } else {
    refuse_table(source, "a C++ table");
  }
}

void write(const Source& source, const EmitOptions& options, Output& output) {
  refuse(source, options);
  refuse_reordered(source, *options.machine, "a C++ table");
  if (options.parameters.has("local")) {
    write_local(source, options, output);
  } else {
    write_table(source, options, output);
  }
}

}  // namespace

void refuse_table(const Source& source, std::string_view what) {
  refuse_level(source, what);
  most::check(what, most::table_ranks, "ranks", source.problem.ranks);
}

Table checked_table(const Source& source, const Machine& machine, std::string_view what) {
  refuse_table(source, what);
  Table table = by_rank(source, machine);
  if (table.totals.operations > UINT32_MAX) {
    throw InputError(
        fmt::format("{} has at most 2^32 - 1 operations, not {}", what, table.totals.operations));
  }
  return table;
}

void write_namespace(const Source& source, const EmitOptions& options, const Table& table,
                     std::string_view space, Text& out, std::optional<std::uint64_t> rank) {
  const Machine& machine = *options.machine;
  const bool packed = is_packed(options.parameters, table) && table.totals.operations > 0;
  out.print(
      "#include <array>\n#include <cstddef>\n#include <cstdint>\n{}#include <string_view>\n\n",
      packed ? "#include <iterator>\n" : "");
  out.print("namespace {} {{\n\n", space);
  out.put(types());
  write_constants(WideProblem(source.problem), machine, table.totals.steps, "std::uint32_t", out);
  if (rank) {
    out.print(
        "/// The rank whose operations these are.\ninline constexpr std::uint32_t rank = {};\n",
        *rank);
  }
  if (!packed) write_operations(table, out);
  if (!rank) write_index(table, source.problem.ranks, out);
  if (packed) {
    write_packed_operations(table, out);
  } else {
    out.put(range);
  }
  write_accessor(packed ? "std::size_t{0}" : "operations.data()", rank.has_value(), out);
  out.print("}}  // namespace {}\n\n", space);
}

}  // namespace cpp

extern const FormatEntry cpp_format;
const FormatEntry cpp_format{
    .name = "cpp",
    .summary = "a C++17 header with each rank's operations as constants",
    .extensions = {".hpp", ".h", ".hh"},
    .parameters = {{.name = "namespace",
                    .summary = "its namespace (default: the name of the output file)",
                    .kind = Parameter::Kind::text},
                   {.name = "rank",
                    .summary = "only the operations of this rank",
                    .max = UINT32_MAX - 1},
                   cpp::form_parameter(),
                   {.name = "local",
                    .summary = "no table: C++20 that computes the operations of any rank",
                    .kind = Parameter::Kind::flag}},
    .check = cpp::check,
    .refuse = cpp::refuse,
    .write = cpp::write,
    .recognises = [](std::string_view text) { return skip_comments(text).starts_with("#"); },
};

}  // namespace schedcc
