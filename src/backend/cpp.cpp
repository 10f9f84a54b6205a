// The C++ table: a schedule turned inside out, from "what happens in step t" into "what rank r
// does".
//
// One self-contained C++17 header holds every rank's operations in the order in which the rank can
// carry them out, and an index by rank. cpp_table.cpp turns the schedule, cpp_names.cpp finds the
// names; here the header is written.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "backend/cpp.hpp"
#include "backend/cpp_names.hpp"
#include "backend/text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace cpp {

void write_opening(const Source& source, const EmitOptions& options, const Totals& totals,
                   Text& out) {
  out.print("// A communication schedule as a table, made by schedcc {} with\n//\n//   {}\n//\n",
            SCHEDCC_VERSION, comment(options.command));
  out.print("// {}{}; machine {}; {} {}, {} transfers.\n//\n", describe(source.problem),
            source.problem.ordered ? ", ordered" : "", comment(options.machine.spec), totals.steps,
            options.machine.logp ? "cycles" : "steps", totals.transfers);
  if (!source.title.empty()) out.print("// Its name: \"{}\".\n//\n", comment(source.title));
  out.put(options.machine.logp ? "// A rank carries out its operations in the order in which they "
                                 "stand here; `step` is the cycle in\n"
                                 "// which the call starts. "
                               : "// A rank carries out its operations in the order in which they "
                                 "stand here: in each step first its\n"
                                 "// sends, then its receives. ");
  out.put("Operations with the same step, kind and peer are one message.\n\n");
}

namespace {

constexpr std::string_view types =
    R"(/// What a rank does to its peer: it sends to it, or receives from it.
enum Kind : std::uint8_t { send, receive };
/// What becomes of the chunks at the receiver: they replace what it holds, or are combined with it.
enum Mode : std::uint8_t { copy, reduce };

/// Sends or receives the chunks first, first + 1, ..., first + count - 1.
struct Operation {
  std::uint64_t step;
  Kind kind;
  std::uint32_t peer;
  std::uint32_t first;
  std::uint32_t count;
  Mode mode;
};

)";

void write_constants(const Source& source, const Machine& machine, const Totals& totals,
                     Text& out) {
  const Problem& problem = source.problem;
  out.print("inline constexpr std::string_view collective = {};\n",
            string_literal(info(problem.collective).name));
  out.print("inline constexpr std::string_view machine = {};\n", string_literal(machine.spec));
  out.print("inline constexpr std::uint32_t ranks = {};\n", problem.ranks);
  out.print("inline constexpr bool rooted = {};\n", problem.rooted());
  out.print("inline constexpr std::uint32_t root = {};{}\n", problem.rooted() ? problem.root : 0,
            problem.rooted() ? "" : "  // the collective has none");
  out.print("inline constexpr std::uint32_t chunks = {};\n", problem.chunks);
  out.print("inline constexpr std::uint64_t total_chunks = {};\n", problem.total_chunks());
  out.print("inline constexpr bool ordered = {};  // must the order of the ranks be kept?\n",
            problem.ordered);
  out.print("inline constexpr std::uint64_t steps = {};{}\n\n", totals.steps,
            machine.logp ? "  // cycles until the last rank holds its data" : "");
}

void write_operations(const Table& table, Text& out) {
  out.print("inline constexpr std::array<Operation, {}> operations = {{", table.totals.operations);
  if (table.totals.operations != 0) out.put("{");
  for (Rank rank = 0; rank + std::size_t{1} < table.index.size(); ++rank) {
    out.print(FMT_COMPILE("\n    // rank {}"), rank);
    for (const Operation& o : table.of(rank)) {
      out.print(FMT_COMPILE("\n    {{{}, {}, {}, {}, {}, {}}},"), o.step,
                o.receive ? "receive" : "send", o.peer, o.first, o.count,
                o.reduce ? "reduce" : "copy");
    }
  }
  out.put(table.totals.operations != 0 ? "\n}};\n\n" : "};\n\n");
}

void write_index(const Table& table, Rank ranks, Text& out) {
  out.put("/// Rank r's operations are those from index[r] up to index[r + 1].\n");
  out.print("inline constexpr std::array<std::uint32_t, {}> index = {{{{",
            std::uint64_t{ranks} + 1);
  for (std::uint64_t rank = 0; rank <= ranks; ++rank) {
    const std::uint64_t begin = rank < table.index.size() ? table.index[rank] : table.index.back();
    out.print(FMT_COMPILE("{}{},"), rank % 16 == 0 ? "\n    " : " ", begin);
  }
  out.put("\n}};\n\n");
}

constexpr std::string_view accessor = R"(/// The operations of one rank, for a range-based for.
struct Program {
  const Operation* first;
  const Operation* last;
  constexpr const Operation* begin() const { return first; }
  constexpr const Operation* end() const { return last; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

/// What rank `rank` < ranks has to do.
constexpr Program program(std::uint32_t rank) {
  return {operations.data() + index[rank], operations.data() + index[rank + 1]};
}

)";

constexpr Rank most_ranks = Rank{1} << 24;  // compilers give up long before

void write(const Source& source, const EmitOptions& options, Output& output) {
  const std::string space = namespace_of(options);
  const Table table = checked_table(source, options.machine, "a C++ table");
  Text out(output);
  write_opening(source, options, table.totals, out);
  const std::string guard = guard_of(space);
  out.print("#ifndef {0}\n#define {0}\n\n", guard);
  write_namespace(source, options.machine, table, space, out);
  out.print("#endif  // {}\n", guard);
  out.flush();
}

}  // namespace

Table checked_table(const Source& source, const Machine& machine, std::string_view what) {
  if (source.hop_level())
    throw InputError(fmt::format("{} needs a schedule at endpoint level", what));
  if (source.problem.ranks > most_ranks) {
    throw InputError(
        fmt::format("{} serves at most {} ranks, not {}", what, most_ranks, source.problem.ranks));
  }
  Table table = by_rank(source, machine);
  if (table.totals.operations > UINT32_MAX) {
    throw InputError(
        fmt::format("{} has at most 2^32 - 1 operations, not {}", what, table.totals.operations));
  }
  return table;
}

void write_namespace(const Source& source, const Machine& machine, const Table& table,
                     std::string_view space, Text& out) {
  out.put("#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\n");
  out.print("namespace {} {{\n\n", space);
  out.put(types);
  write_constants(source, machine, table.totals, out);
  write_operations(table, out);
  write_index(table, source.problem.ranks, out);
  out.put(accessor);
  out.print("}}  // namespace {}\n\n", space);
}

}  // namespace cpp

extern const Format cpp_format;
const Format cpp_format{
    .name = "cpp",
    .summary = "a C++17 header with each rank's operations in constexpr arrays",
    .extensions = {".hpp", ".h", ".hh"},
    .parameters = {{.name = "namespace",
                    .summary = "its namespace (default: the name of the output file)",
                    .kind = Parameter::Kind::text}},
    .write = cpp::write,
};

}  // namespace schedcc
