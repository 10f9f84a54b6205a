// The C++ table: a schedule turned inside out, from "what happens in step t" into "what rank r
// does".
//
// One self-contained C++17 header holds every rank's operations in the order in which the rank can
// carry them out, and an index by rank: a compressed row storage of the schedule. In a step a rank
// sends first, because what it sends is what it held before the step, and then receives. On LogP,
// where steps are cycles, a receive starts o + L cycles after its send, and the operations of a
// rank are sorted by the cycle in which they start.
//
// The operations are sorted by rank by counting them first: two passes over the source, and no more
// in memory than the operations themselves.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "backend/text.hpp"
#include "ir/canonical.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

// Names. ------------------------------------------------------------------------------------------

/// Words that cannot name a namespace: the keywords up to C++23, and names that a program already
/// has.
constexpr std::string_view reserved[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "auto",
                                         "bitand",
                                         "bitor",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "char8_t",
                                         "class",
                                         "co_await",
                                         "co_return",
                                         "co_yield",
                                         "compl",
                                         "concept",
                                         "const",
                                         "const_cast",
                                         "consteval",
                                         "constexpr",
                                         "constinit",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "long",
                                         "main",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "posix",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "std",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "thread_local",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "union",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_reserved(std::string_view word) { return std::ranges::count(reserved, word) != 0; }

bool is_identifier(std::string_view word) {
  return !word.empty() && !is_digit(word.front()) && !is_reserved(word) &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
}

/// The parts of a::b::c.
std::vector<std::string_view> parts_of(std::string_view space) {
  std::vector<std::string_view> parts;
  for (std::size_t colons; (colons = space.find("::")) != std::string_view::npos;) {
    parts.push_back(space.substr(0, colons));
    space.remove_prefix(colons + 2);
  }
  parts.push_back(space);
  return parts;
}

/// An identifier that resembles a file's name: "2d-tree.v1" becomes schedule_2d_tree_v1, xor xor_.
std::string identifier(std::string_view stem) {
  std::string result;
  for (const char c : stem) {
    const bool kept = is_letter(c) || is_digit(c);
    const bool gap = result.empty() || result.back() == '_';  // no double, no leading underscore
    if (kept && c != '_') {
      result += c;
    } else if (!gap) {
      result += '_';
    }
  }
  if (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty()) return "schedule";
  if (is_digit(result.front())) result.insert(0, "schedule_");
  return is_reserved(result) ? result + "_" : result;
}

std::string namespace_of(const EmitOptions& options) {
  if (!options.parameters.has("namespace")) return identifier(options.stem);
  const std::string& given = options.parameters.text("namespace");
  if (!std::ranges::all_of(parts_of(given), is_identifier)) {
    throw InputError(fmt::format("format 'cpp': '{}' cannot be the name of a namespace", given));
  }
  return given;
}

/// A macro for each namespace. Nested names are written with their lengths, so that no two are
/// equal.
std::string guard_of(std::string_view space) {
  const std::vector<std::string_view> parts = parts_of(space);
  std::string guard = "SCHEDCC_TABLE_";
  if (parts.size() == 1) return guard.append(space);
  for (const std::string_view part : parts) guard += fmt::format("{}{}", part.size(), part);
  return guard;
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x7f || c == '"' || c == '\\' || c == '?') {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

// The schedule by rank. ---------------------------------------------------------------------------

/// A run of chunks that one message carries.
struct Piece {
  Rank src, dst;
  Chunk first;
  std::uint32_t count;
  bool reduce;
};

/// The messages of a step in pieces; the pieces of a message stand side by side.
class Pieces {
 public:
  std::span<const Piece> operator()(const Step& step) {
    pieces_.clear();
    if (singles_(step)) {
      for (const Transfer& t : step.transfers) {
        pieces_.push_back({t.src, t.dst, t.first, t.count, t.reduce != 0});
      }
    } else {
      for (const WrittenMessage& m : whole_messages(step)) {
        for (const Run& run : m.runs) {
          pieces_.push_back({m.src, m.dst, run.first, run.count, m.reduce});
        }
      }
    }
    return pieces_;
  }

 private:
  /// The copies and the reductions of a message are written apart; here they follow each other.
  static std::vector<WrittenMessage> whole_messages(const Step& step) {
    std::vector<WrittenMessage> messages = canonical(step);
    std::map<std::pair<Rank, Rank>, std::size_t> order;
    for (const WrittenMessage& m : messages) order.try_emplace({m.src, m.dst}, order.size());
    std::ranges::stable_sort(messages, {}, [&](const WrittenMessage& m) {
      return order.at({m.src, m.dst});
    });
    return messages;
  }

  SingleTransfers singles_;
  std::vector<Piece> pieces_;
};

struct Operation {
  std::uint64_t step;
  Rank peer;
  Chunk first;
  std::uint32_t count;
  bool receive;
  bool reduce;
};

/// Calls `visit(rank, operation)` for every operation of the schedule; those of a rank come in step
/// order, the sends of a step before its receives. (LogP: each kind in the order of its starts.)
template <typename Visit>
void for_each_operation(const Source& source, const Machine& machine, Visit visit) {
  const std::uint64_t delay = machine.logp ? machine.logp->o + machine.logp->L : 0;
  const auto stream = source.open();
  Pieces pieces;
  for (Step step; stream->next(step);) {
    const std::span<const Piece> all = pieces(step);
    for (const Piece& p : all) {
      visit(p.src, Operation{step.number, p.dst, p.first, p.count, false, p.reduce});
    }
    for (const Piece& p : all) {
      visit(p.dst, Operation{step.number + delay, p.src, p.first, p.count, true, p.reduce});
    }
  }
}

/// What the header says of the schedule as a whole.
struct Totals {
  std::uint64_t steps = 0, transfers = 0, operations = 0;
};

struct Table {
  Totals totals;
  std::vector<std::uint64_t> index;  ///< up to the highest rank that does anything, and one more
  std::vector<Operation> operations;

  std::span<const Operation> of(Rank rank) const {
    if (rank + std::size_t{1} >= index.size()) return {};
    return std::span(operations).subspan(index[rank], index[rank + 1] - index[rank]);
  }
};

Totals count_steps(const Source& source, const Machine& machine) {
  Totals totals;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    totals.steps = step.number + machine.latency();
    totals.transfers += step.transfers.size();
  }
  return totals;
}

/// The first pass: where each rank's operations begin. Grows with the ranks that do something.
std::vector<std::uint64_t> count_operations(const Source& source, const Machine& machine) {
  std::vector<std::uint64_t> index{0};
  for_each_operation(source, machine, [&](Rank rank, const Operation&) {
    if (rank >= source.problem.ranks) {
      throw InputError(fmt::format("a C++ table has no place for rank {} of {} ranks", rank,
                                   source.problem.ranks));
    }
    if (rank + std::size_t{1} >= index.size()) index.resize(rank + std::size_t{2});
    ++index[rank + std::size_t{1}];
  });
  for (std::size_t i = 1; i < index.size(); ++i) index[i] += index[i - 1];
  return index;
}

/// On LogP sends and receives interleave. A receive comes first where o = 0 lets both start at
/// once: what it brings may be sent in the same cycle.
void sort_by_start(Table& table) {
  for (std::size_t rank = 0; rank + 1 < table.index.size(); ++rank) {
    const auto begin = table.operations.begin();
    std::stable_sort(begin + static_cast<std::ptrdiff_t>(table.index[rank]),
                     begin + static_cast<std::ptrdiff_t>(table.index[rank + 1]),
                     [](const Operation& a, const Operation& b) {
                       return std::pair(a.step, !a.receive) < std::pair(b.step, !b.receive);
                     });
  }
}

Table by_rank(const Source& source, const Machine& machine) {
  Table table{count_steps(source, machine), count_operations(source, machine), {}};
  table.totals.operations = table.index.back();
  table.operations.resize(table.index.back());
  std::vector<std::uint64_t> next = table.index;
  for_each_operation(source, machine, [&](Rank rank, const Operation& operation) {
    if (rank + std::size_t{1} >= next.size() || next[rank] == table.index[rank + 1]) {
      throw InputError({source.file}, "the schedule changed while it was read");
    }
    table.operations[next[rank]++] = operation;
  });
  if (machine.logp) sort_by_start(table);
  return table;
}

// The header. -------------------------------------------------------------------------------------

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

// Limits. -----------------------------------------------------------------------------------------

constexpr Rank most_ranks = Rank{1} << 24;  // compilers give up long before

void refuse(const Source& source) {
  if (source.hop_level()) throw InputError("a C++ table needs a schedule at endpoint level");
  if (source.problem.ranks > most_ranks) {
    throw InputError(fmt::format("a C++ table serves at most {} ranks, not {}", most_ranks,
                                 source.problem.ranks));
  }
}

void write_cpp(const Source& source, const EmitOptions& options, Output& output) {
  refuse(source);
  const std::string space = namespace_of(options);
  const Table table = by_rank(source, options.machine);
  if (table.totals.operations > UINT32_MAX) {
    throw InputError(fmt::format("a C++ table has at most 2^32 - 1 operations, not {}",
                                 table.totals.operations));
  }

  Text out(output);
  write_opening(source, options, table.totals, out);
  const std::string guard = guard_of(space);
  out.print("#ifndef {0}\n#define {0}\n\n", guard);
  out.put("#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <string_view>\n\n");
  out.print("namespace {} {{\n\n", space);
  out.put(types);
  write_constants(source, options.machine, table.totals, out);
  write_operations(table, out);
  write_index(table, source.problem.ranks, out);
  out.put(accessor);
  out.print("}}  // namespace {}\n\n#endif  // {}\n", space, guard);
  out.flush();
}

}  // namespace

extern const Format cpp_format;
const Format cpp_format{
    .name = "cpp",
    .summary = "a C++17 header with each rank's operations in constexpr arrays",
    .extensions = {".hpp", ".h", ".hh"},
    .parameters = {{.name = "namespace",
                    .summary = "its namespace (default: the name of the output file)",
                    .kind = Parameter::Kind::text}},
    .write = write_cpp,
};

}  // namespace schedcc
