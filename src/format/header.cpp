#include "format/header.hpp"

#include <algorithm>
#include <array>

#include "core/names.hpp"
#include "machine/spec_paths.hpp"
#include "model/problem_text.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

void Header::mention(std::string_view field, const SourceLocation& location) {
  const auto [seen, added] = seen_.try_emplace(std::string(field), location);
  if (!added) {
    throw InputError(location, fmt::format("duplicate '{}' (first on line {})", printable(field),
                                           seen->second.line));
  }
}

void Header::collective(const std::string& name, const SourceLocation& location) {
  try {
    source.problem.collective = find_collective(name);
  } catch (const InputError& error) {
    throw InputError(location, error.what());
  }
}

void Header::machine(const std::string& name, const SourceLocation& location) {
  const bool fits =
      std::ranges::none_of(name, [](unsigned char c) { return c <= ' ' || c == '#' || c == 0x7f; });
  if (name.empty() || !fits) {
    throw InputError(location, fmt::format("'{}' is not a machine", printable(name)));
  }
  source.machine = machine_spec_from_file(location.file, name);
  source.machine_location = location;
}

Source Header::finish(const SourceLocation& end) {
  Problem& problem = source.problem;
  for (const std::string_view needed : {"collective", "ranks"}) {
    if (!mentioned(needed)) {
      throw InputError(end, fmt::format("missing '{}' line in the header", needed));
    }
  }
  if (problem.rooted() && problem.root >= problem.ranks) {
    throw InputError(root, no_such_rank("root", problem.root, problem.ranks));
  }
  if (root.line != 0 && !problem.rooted()) {
    throw InputError(seen_["root"], has_no_root(problem.collective));
  }
  if (mentioned("nodes") && source.nodes < problem.ranks) {
    throw InputError(seen_["nodes"], fmt::format("{} nodes are fewer than the {} ranks",
                                                 source.nodes, problem.ranks));
  }
  custom();
  try {
    problem.validate();
  } catch (const InputError& error) {
    const bool order = problem.ordered && !problem.reduction();
    throw InputError(seen_[order                 ? "ordered"
                           : mentioned("chunks") ? "chunks"
                                                 : "ranks"],
                     error.what());
  }
  return std::move(source);
}

void Header::custom() {
  Problem& problem = source.problem;
  const bool is_custom = problem.declared();
  std::vector<Holding> before = checked(pre, is_custom), after = checked(post, is_custom);
  if (!is_custom) return;
  const bool ordered = problem.ordered;
  problem = custom_problem(problem.ranks, problem.chunks, std::move(before), std::move(after));
  problem.ordered = ordered;
}

std::vector<Holding> Header::checked(std::vector<PlacedHolding>& placed, bool is_custom) const {
  const Problem& problem = source.problem;
  std::vector<Holding> result;
  for (auto& [location, holding] : placed) {
    if (!is_custom)
      throw InputError(location, "only a custom collective has 'pre' and 'post' lines");
    if (holding.rank >= problem.ranks) {
      throw InputError(location, no_such_rank("rank", holding.rank, problem.ranks));
    }
    for (const Run& run : holding.runs) {
      const std::uint64_t last = std::uint64_t{run.first} + run.count - 1;
      if (last >= problem.chunks) {
        throw InputError(location, no_such_chunk(last, problem.chunks));
      }
    }
    result.push_back(std::move(holding));
  }
  return result;
}

namespace {

constexpr auto header_lines =
    std::to_array<std::string_view>({"collective", "ranks", "root", "chunks", "machine", "name",
                                     "ordered", "nodes", "pre", "post"});

/// Reads the lines of a header.
class HeaderReader {
 public:
  explicit HeaderReader(Scanner& in) : in_(in) {}

  TextHeader read(const std::function<void(Header&)>& add) {
    first_line();
    while (in_.next_header_line()) {
      end_ = in_.mark();
      const std::string_view directive = in_.token("a directive");
      if (directive == "step" && !in_.prefixed()) break;
      if (is_digit(directive[0])) in_.fail_token("a transfer before the first 'step'");
      read_directive(directive);
      in_.end_line();
      end_ = in_.mark();
    }
    if (add) add(header_);
    return {header_.finish({in_.location().file, in_.line(), 1}), end_};
  }

 private:
  void first_line() {
    const bool begins = in_.begin_header();
    in_.refuse_byte_order_mark();
    if (!begins || !in_.more() || in_.token("") != "schedcc") {
      in_.fail_token(in_.prefixed() ? "missing first line '# schedcc 1'"
                                    : "missing first line 'schedcc 1'");
    }
    if (in_.number("the format's version") != 1) {
      in_.fail_token(fmt::format("unsupported format version {}; supported is 1", in_.shown()));
    }
    in_.end_line();
    end_ = in_.mark();
  }

  void read_directive(std::string_view directive) {
    Source& source = header_.source;
    Problem& problem = source.problem;
    if (directive == "pre" || directive == "post") return holding(directive == "post");
    header_.mention(directive, in_.location());
    if (directive == "collective") {
      const std::string name(in_.token("a collective"));
      header_.collective(name, in_.location());
    } else if (directive == "ranks") {
      problem.ranks = positive("the number of ranks");
    } else if (directive == "nodes") {
      source.nodes = positive("the number of nodes");
    } else if (directive == "root") {
      problem.root = in_.number("the root");
      header_.root = in_.location();
    } else if (directive == "chunks") {
      problem.chunks = positive("the number of chunks");
    } else if (directive == "machine") {
      const std::string name(in_.token("a machine"));
      header_.machine(name, in_.location());
    } else if (directive == "name") {
      source.title = in_.rest_of_line("a name");
      if (!fits_a_line(source.title)) in_.fail_token("a name must not contain control characters");
    } else if (directive == "ordered") {
      problem.ordered = true;
    } else {
      unknown_directive(directive);
    }
  }

  [[noreturn]] void unknown_directive(std::string_view directive) {
    std::vector<std::string_view> known(header_lines.begin(), header_lines.end());
    if (!in_.prefixed()) known.emplace_back("step");
    throw InputError(in_.location(), unknown("directive", directive, known));
  }

  std::uint32_t positive(std::string_view what) {
    const std::uint32_t value = in_.number(what);
    if (value == 0) in_.fail_token(fmt::format("{} must be at least 1", what));
    return value;
  }

  void holding(bool post) {
    const std::string_view directive = post ? "post" : "pre";
    Holding holding;
    holding.rank = in_.number(fmt::format("the rank of '{}'", directive));
    const SourceLocation location = in_.location();
    in_.expect(":", "the rank");
    read_ranges(in_, [&](std::uint32_t first, std::uint64_t count) {
      if (count > UINT32_MAX) in_.fail_token("a range must have at most 2^32 - 1 chunks");
      holding.runs.push_back({first, static_cast<std::uint32_t>(count)});
    });
    if (post && in_.more()) {
      in_.expect("reduced", "the chunks");
      holding.reduced = true;
    }
    (post ? header_.post : header_.pre).push_back({location, std::move(holding)});
  }

  Scanner& in_;
  Header header_;
  Scanner::Mark end_;
};

}  // namespace

TextHeader read_header(Scanner& in, const std::function<void(Header&)>& add) {
  return HeaderReader(in).read(add);
}

bool is_header_line(std::string_view directive) {
  return std::ranges::find(header_lines, directive) != header_lines.end();
}

bool fits_a_line(std::string_view name) {
  constexpr std::string_view space = " \t\r";
  const auto control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
  return !name.empty() && name.find('#') == std::string_view::npos &&
         std::ranges::none_of(name, control) &&
         space.find(name.front()) == std::string_view::npos &&
         space.find(name.back()) == std::string_view::npos;
}

}  // namespace schedcc
