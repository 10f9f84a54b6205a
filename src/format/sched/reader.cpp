// Reads the .sched text format (docs/formats.md).
//
// A line is a directive; tokens are separated by white space; # starts a comment. The header is
// read first; the steps are read on demand, so that a file of any size is checked in little memory,
// and can be read again.

#include "format/sched/reader.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "core/input_text.hpp"
#include "core/processors.hpp"
#include "format/header.hpp"
#include "format/sched/plain_lines.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

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
    while (true) {
      read_plain();
      if (!(more_ = in_.next_directive())) break;
      if (read_transfer()) continue;
      const std::string_view directive = in_.token("");
      if (directive == "step") break;
      in_.fail_token(fmt::format(
          "expected a transfer 'SRC -> DST : CHUNKS' or 'step', not '{}'{}", in_.shown(),
          is_header_line(directive) ? "; header lines must precede the first step" : ""));
    }
    step.transfers = transfers_;
    step.lines = lines_;
    return true;
  }

  void read_ahead(std::size_t threads) override {
    const std::size_t at = in_.mark().at;
    const std::size_t pieces = (text_.view().size() - at) / PlainLinesAhead::usual_piece;
    if (pieces > 1) ahead_.emplace(text_, at, std::min(thread_count(threads), pieces));
  }

 private:
  std::uint32_t read_step(std::uint32_t& rounds) {
    const std::uint32_t number = in_.number("the number of the step");
    if (last_ && number <= *last_) {
      in_.fail_token(step_out_of_order(number, *last_));
    }
    last_ = number;
    if (in_.more()) {
      in_.expect("rounds", "the step");
      rounds = in_.number("the number of rounds");
      if (rounds == 0) in_.fail_token("a step must take at least 1 round");
    }
    in_.end_line();
    return number;
  }

  /// The lines that follow, as far as they have the usual form.
  void read_plain() {
    if (!in_.next_line_begins()) return;
    const auto [at, line] = in_.mark();
    const std::size_t bytes = ahead_ ? ahead_->read(at, transfers_)
                                     : read_plain_lines(text_.view().substr(at), transfers_);
    const auto read = static_cast<std::uint32_t>(transfers_.size() - lines_.size());
    lines_.resize(transfers_.size());
    std::iota(lines_.end() - read, lines_.end(), line);
    in_.seek({at + bytes, line + read});
  }

  /// A transfer line; false if the line does not begin with a number.
  bool read_transfer() {
    in_.begin_token("");
    if (!in_.starts_with_number()) return false;
    const std::size_t first = transfers_.size();
    const Rank src = in_.number("the sender");
    in_.expect("->", "the sender");
    const Rank dst = in_.number("the receiver");
    in_.expect(":", "the receiver");
    runs_.clear();
    read_ranges(in_, [&](std::uint32_t chunk, std::uint64_t count) {
      split_run(src, dst, chunk, count, false, [&](const Transfer& t) {
        runs_.push_back({t.first, t.count});
      });
    });
    add_transfers(src, dst, runs_, false, [&](const Transfer& transfer) {
      transfers_.push_back(transfer);
      lines_.push_back(in_.line());
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
  std::optional<PlainLinesAhead> ahead_;
  Transfers transfers_;
  std::vector<std::uint32_t> lines_;
  std::vector<Run> runs_;  ///< of a line
};

}  // namespace

bool is_sched(std::string_view text) { return Scanner(text, {}).first_token_is("schedcc"); }

Source read_sched(const InputText& text, const std::string& file) {
  Scanner in(text.view(), file);
  TextHeader header = read_header(in);
  Source source = std::move(header.source);
  set_file(source, file);
  source.open = [text, file, start = header.end] {
    return std::make_unique<SchedStream>(text, file, start);
  };
  return source;
}

}  // namespace schedcc
