// Reads the .sched text format (docs/formats.md).
//
// A line is a directive; tokens are separated by white space; # starts a comment. The header is
// read first, and says where the steps begin; the steps are read as they are asked for, so that a
// file of any size is checked in little memory, and can be gone through again.

#include "frontend/import/sched.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "frontend/import/scanner.hpp"
#include "frontend/import/text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

namespace schedcc {

namespace {

/// Calls f(run) for the ranges of a token like 4,6-7.
template <typename F>
void ranges(Scanner& in, F f) {
  in.begin_token("a range of chunks");
  while (true) {
    const std::uint32_t first = in.digits("a chunk");
    std::uint32_t last = first;
    if (in.take('-')) {
      last = in.digits("the last chunk of a range");
      if (last < first) {
        in.fail_token(fmt::format("the range {}-{} runs backwards", first, last));
      }
    }
    f(first, std::uint64_t{last} - first + 1);
    if (in.at_token_end()) return;
    if (!in.take(','))
      in.fail_token(fmt::format("'{}' is no list of ranges like 4,6-7", in.shown()));
  }
}

/// A `pre` or `post` line, to be checked when the whole header is known.
struct PlacedHolding {
  Place place;
  Holding holding;
};

/// Reads the header, up to the first step.
class HeaderReader {
 public:
  explicit HeaderReader(Scanner& in) : in_(in) {}

  Source read() {
    first_line();
    while (in_.next_directive()) {
      start_ = in_.mark();
      const std::string_view directive = in_.token("a directive");
      if (directive == "step") break;
      if (is_digit(directive[0])) in_.fail_token("a transfer before the first 'step'");
      read_directive(directive);
      in_.end_line();
      start_ = in_.mark();
    }
    finish();
    return std::move(source_);
  }

  /// Where the steps begin.
  const Scanner::Mark& start() const { return start_; }

 private:
  void first_line() {
    in_.begin_line();
    if (!in_.more() || in_.token("") != "schedcc") {
      in_.fail_token("a schedule begins with the line 'schedcc 1'");
    }
    if (in_.number("the format's version") != 1) {
      in_.fail_token(
          fmt::format("format version {} is not known; this schedcc reads version 1", in_.shown()));
    }
    in_.end_line();
    start_ = in_.mark();
  }

  void read_directive(std::string_view directive) {
    Problem& problem = source_.problem;
    if (directive == "pre" || directive == "post") return holding(directive == "post");
    once(directive);
    if (directive == "collective") {
      collective();
    } else if (directive == "ranks") {
      problem.ranks = positive("the number of ranks");
    } else if (directive == "nodes") {
      source_.nodes = positive("the number of nodes");
    } else if (directive == "root") {
      problem.root = in_.number("the root");
      root_ = in_.place();
    } else if (directive == "chunks") {
      problem.chunks = positive("the number of chunks");
    } else if (directive == "machine") {
      source_.machine = in_.token("a machine");
      source_.machine_place = in_.place();
    } else if (directive == "name") {
      source_.title = in_.rest_of_line("a name");
    } else if (directive == "ordered") {
      problem.ordered = true;
    } else {
      unknown_directive(directive);
    }
  }

  [[noreturn]] void unknown_directive(std::string_view directive) {
    static constexpr std::string_view known[] = {"collective", "ranks", "root",    "chunks",
                                                 "machine",    "name",  "ordered", "nodes",
                                                 "pre",        "post",  "step"};
    throw InputError(in_.place(), unknown("directive", Scanner::printable(directive), known));
  }

  void once(std::string_view directive) {
    const auto [seen, added] = seen_.try_emplace(std::string(directive), in_.place());
    if (!added) {
      in_.fail_token(fmt::format("'{}' stands in line {} already", Scanner::printable(directive),
                                 seen->second.line));
    }
  }

  std::uint32_t positive(std::string_view what) {
    const std::uint32_t value = in_.number(what);
    if (value == 0) in_.fail_token(fmt::format("{} is at least 1", what));
    return value;
  }

  void collective() {
    const std::string_view name = in_.token("a collective");
    try {
      source_.problem.collective = find_collective(Scanner::printable(name));
    } catch (const InputError& error) {
      throw InputError(in_.place(), error.what());
    }
  }

  void holding(bool post) {
    const std::string_view directive = post ? "post" : "pre";
    Holding holding;
    holding.rank = in_.number(fmt::format("the rank of '{}'", directive));
    const Place place = in_.place();
    in_.expect(":", "the rank");
    ranges(in_, [&](std::uint32_t first, std::uint64_t count) {
      if (count > UINT32_MAX) in_.fail_token("a range has at most 2^32 - 1 chunks");
      holding.runs.push_back({first, static_cast<std::uint32_t>(count)});
    });
    if (post && in_.more()) {
      in_.expect("reduced", "the chunks");
      holding.reduced = true;
    }
    (post ? post_ : pre_).push_back({place, std::move(holding)});
  }

  void finish() {
    Problem& problem = source_.problem;
    for (const std::string_view needed : {"collective", "ranks"}) {
      if (!seen_.contains(std::string(needed))) {
        throw InputError({in_.place().file, in_.line(), 1},
                         fmt::format("the header has no line '{}'", needed));
      }
    }
    if (problem.rooted() && problem.root >= problem.ranks) {
      throw InputError(root_, fmt::format("root {} is not one of the ranks 0..{}", problem.root,
                                          problem.ranks - 1));
    }
    if (root_.line != 0 && !problem.rooted()) {
      throw InputError(seen_["root"], fmt::format("{} has no root", info(problem.collective).name));
    }
    if (source_.nodes == 0) source_.nodes = problem.ranks;
    if (source_.nodes < problem.ranks) {
      throw InputError(seen_["nodes"], fmt::format("{} nodes are fewer than the {} ranks",
                                                   source_.nodes, problem.ranks));
    }
    custom();
    try {
      problem.validate();
    } catch (const InputError& error) {
      const bool order = problem.ordered && !problem.reduction();
      throw InputError(seen_[order                      ? "ordered"
                             : seen_.contains("chunks") ? "chunks"
                                                        : "ranks"],
                       error.what());
    }
  }

  void custom() {
    const bool is_custom = source_.problem.collective == Collective::custom;
    std::vector<Holding> pre = checked(pre_, is_custom), post = checked(post_, is_custom);
    if (is_custom) {
      source_.problem.custom = std::make_shared<Custom>(std::move(pre), std::move(post));
    }
  }

  std::vector<Holding> checked(std::vector<PlacedHolding>& placed, bool is_custom) {
    std::vector<Holding> result;
    for (auto& [place, holding] : placed) {
      if (!is_custom)
        throw InputError(place, "only a custom collective has 'pre' and 'post' lines");
      if (holding.rank >= source_.problem.ranks) {
        throw InputError(place, fmt::format("rank {} is not one of the ranks 0..{}", holding.rank,
                                            source_.problem.ranks - 1));
      }
      for (const Run& run : holding.runs) {
        const std::uint64_t last = std::uint64_t{run.first} + run.count - 1;
        if (last >= source_.problem.chunks) {
          throw InputError(place, fmt::format("chunk {} is not one of the chunks 0..{}", last,
                                              source_.problem.chunks - 1));
        }
      }
      result.push_back(std::move(holding));
    }
    return result;
  }

  Scanner& in_;
  Source source_;
  Scanner::Mark start_;
  Place root_;
  std::map<std::string, Place> seen_;
  std::vector<PlacedHolding> pre_, post_;
};

/// Reads one step after the other.
class SchedStream : public StepStream {
 public:
  SchedStream(InputText text, const std::string& file, const Scanner::Mark& start)
      : text_(std::move(text)), in_(text_.view(), file) {
    in_.seek(start);
    more_ = in_.next_directive();
    if (more_) in_.token("");  // the header ended at a 'step'
  }

  bool next(Step& step) override {
    if (!more_) return false;
    transfers_.clear();
    lines_.clear();
    step = {};
    step.number = read_step(step.rounds);
    while ((more_ = in_.next_directive())) {
      if (read_transfer()) continue;
      const std::string_view directive = in_.token("");
      if (directive == "step") break;
      in_.fail_token(fmt::format(
          "expected a transfer 'SRC -> DST : CHUNKS' or 'step', not '{}'{}", in_.shown(),
          is_header(directive) ? "; header lines stand before the first step" : ""));
    }
    step.transfers = transfers_;
    step.lines = lines_;
    return true;
  }

 private:
  static bool is_header(std::string_view directive) {
    return directive == "collective" || directive == "ranks" || directive == "root" ||
           directive == "chunks" || directive == "machine" || directive == "name" ||
           directive == "ordered" || directive == "nodes" || directive == "pre" ||
           directive == "post";
  }

  std::uint32_t read_step(std::uint32_t& rounds) {
    const std::uint32_t number = in_.number("the number of the step");
    if (last_ && number <= *last_) {
      in_.fail_token(fmt::format("step {} comes after step {}; step numbers rise", number, *last_));
    }
    last_ = number;
    if (in_.more()) {
      in_.expect("rounds", "the step");
      rounds = in_.number("the number of rounds");
      if (rounds == 0) in_.fail_token("a step takes at least 1 round");
    }
    in_.end_line();
    return number;
  }

  /// A transfer line; false if the line begins with no number.
  bool read_transfer() {
    in_.begin_token("");
    if (!in_.starts_with_number()) return false;
    const std::size_t first = transfers_.size();
    const Rank src = in_.number("the sender");
    in_.expect("->", "the sender");
    const Rank dst = in_.number("the receiver");
    in_.expect(":", "the receiver");
    ranges(in_, [&](std::uint32_t chunk, std::uint64_t count) {
      for (std::uint64_t done = 0; done < count; done += max_transfer_count) {
        const auto part =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, max_transfer_count));
        transfers_.push_back(
            {src, dst, static_cast<Chunk>(chunk + done), part & max_transfer_count, 0});
        lines_.push_back(in_.line());
      }
    });
    if (in_.more()) {
      in_.expect("reduce", "the chunks");
      for (std::size_t i = first; i < transfers_.size(); ++i) transfers_[i].reduce = 1;
      in_.end_line();
    }
    return true;
  }

  InputText text_;
  Scanner in_;
  bool more_;
  std::optional<std::uint32_t> last_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
};

Source read(const InputText& text, const std::string& file) {
  Scanner in(text.view(), file);
  HeaderReader header(in);
  Source source = header.read();
  source.file = file;
  source.name = source.title.empty() ? file : source.title;
  source.open = [text, file, start = header.start()] {
    return std::make_unique<SchedStream>(text, file, start);
  };
  return source;
}

}  // namespace

Source read_sched(std::string text, const std::string& name) {
  return read(InputText::of(std::move(text)), name);
}

Source read_sched_file(const std::string& path) { return read(InputText::open(path), path); }

}  // namespace schedcc
