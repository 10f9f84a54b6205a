#include "format/goal/program.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "format/goal/labels.hpp"
#include "format/header.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class GoalParser {
 public:
  GoalParser(std::string_view text, const std::string& file)
      : text_(text), file_(file), in_(text, file) {}

  GoalProgram parse() {
    in_.refuse_byte_order_mark();
    reserve();
    if (text_.starts_with("//")) parse_header();
    if (next_line() == Line::end || in_.token("") != "num_ranks") {
      in_.fail_token("a GOAL file begins with 'num_ranks'");
    }
    program_.ranks = in_.number("the number of ranks");
    if (program_.ranks == 0 || program_.ranks == UINT32_MAX) {
      in_.fail_token("the number of ranks must be in 1..2^32 - 2");
    }
    if (program_.header && program_.header->problem.ranks != program_.ranks) {
      in_.fail_token(fmt::format("'num_ranks' is {}, but the header comment states {} ranks",
                                 program_.ranks, program_.header->problem.ranks));
    }
    in_.end_line();
    for (Rank rank = 0; rank < program_.ranks; ++rank) parse_rank(rank);
    if (next_line() != Line::end) {
      in_.token("");
      in_.fail_token(fmt::format("'{}' after the last rank", in_.shown()));
    }
    return std::move(program_);
  }

 private:
  enum class Line : std::uint8_t { directive, comment, end };

  /// Room for as many operations as there are lines, so that long lists are not copied as they
  /// grow.
  void reserve() {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text_, '\n'));
    program_.operations.reserve(lines);
    program_.dependencies.reserve(lines);
  }

  /// The comments at the start of the file are a header if the first one begins a header.
  void parse_header() {
    Scanner in(text_, file_, "//");
    in.begin_header();
    if (!in.more() || in.token("") != "schedcc") return;
    in.seek({});
    TextHeader header = read_header(in);
    if (header.source.has_routers()) {
      throw InputError({file_, 1, 1}, "GOAL has no hop level");
    }
    program_.header = std::move(header.source);
    in_.seek(header.end);
  }

  /// Goes to the next line that is not empty or a foreign comment.
  Line next_line() {
    while (in_.next_directive()) {
      in_.begin_token("");
      if (in_.take("/*")) {
        skip_comment();
      } else if (!in_.take("//")) {
        return Line::directive;
      } else if (program_.header) {
        return Line::comment;
      } else {
        in_.skip_line();
      }
    }
    return Line::end;
  }

  void skip_comment() {
    const SourceLocation begin = in_.location();
    while (!in_.take("*/")) {
      if (!in_.skip_character()) throw InputError(begin, "unterminated comment");
    }
    in_.end_line();
  }

  void parse_rank(Rank rank) {
    labels_.clear();
    step_.reset();
    Line line = next_line();
    while (line == Line::comment) in_.skip_line(), line = next_line();
    if (line == Line::end) in_.fail(fmt::format("'rank {}' is missing", rank));
    if (in_.token("") != "rank") in_.fail_token(fmt::format("expected 'rank {}'", rank));
    if (in_.number("a rank") != rank) {
      in_.fail_token(fmt::format("ranks ascend from 0; the next is {}", rank));
    }
    in_.expect("{", "the rank");
    in_.end_line();
    while (true) {
      line = next_line();
      if (line == Line::end) in_.fail(fmt::format("missing '}}' of rank {}", rank));
      if (line == Line::comment) {
        annotation(rank);
        continue;
      }
      if (in_.take("}")) break;
      statement(rank);
      in_.end_line();
    }
    in_.end_line();
    if (pending_ != program_.carried.size())
      in_.fail("a comment describes a send, but no send follows");
  }

  /// "// step 4" or "// 0 -> 1 : 4,6-7 reduce"; other comments are skipped.
  void annotation(Rank rank) {
    if (!in_.more()) return;
    in_.begin_token("");
    if (in_.starts_with_number()) return carried(rank);
    if (in_.token("") != "step") return in_.skip_line();
    const std::uint32_t step = in_.number("the number of the step");
    if (step_ && step < *step_) {
      in_.fail_token(step_out_of_order(step, *step_));
    }
    step_ = step;
    in_.end_line();
  }

  void carried(Rank rank) {
    const Rank src = in_.number("the sender");
    if (src != rank) in_.fail_token(fmt::format("rank {} cannot send for rank {}", rank, src));
    if (!step_) in_.fail_token("the step of this transfer is missing");
    in_.expect("->", "the sender");
    const Rank dst = in_.number("the receiver");
    in_.expect(":", "the receiver");
    const std::size_t first = program_.carried.size();
    read_ranges(in_, [&](std::uint32_t chunk, std::uint64_t count) {
      split_run(src, dst, chunk, count, false,
                [&](const Transfer& transfer) { program_.carried.push_back(transfer); });
    });
    if (in_.more()) {
      in_.expect("reduce", "the chunks");
      for (std::size_t i = first; i < program_.carried.size(); ++i) program_.carried[i].reduce = 1;
    }
    in_.end_line();
  }

  /// "label: OPERATION", "OPERATION", or "label requires label".
  void statement(Rank rank) {
    std::string_view word = name();
    if (word == "send" || word == "recv" || word == "calc") return operation(rank, word);
    const std::string_view label = word;
    if (in_.more() && in_.take(':')) {
      if (!labels_.insert(label, next_index(program_.operations.size()))) {
        in_.fail_token(fmt::format("rank {} has a second label '{}'", rank, printable(label)));
      }
      if (in_.more()) word = name();
      return operation(rank, word);
    }
    const std::uint32_t after = labelled(rank, label);
    const std::string_view kind = in_.token("'requires'");
    if (kind != "requires" && kind != "irequires") {
      in_.fail_token(fmt::format("expected ':', 'requires' or 'irequires', not '{}'", in_.shown()));
    }
    next_index(program_.dependencies.size());
    program_.dependencies.push_back({after, labelled(rank, name()), kind == "irequires"});
  }

  /// The number of the next operation or dependency.
  std::uint32_t next_index(std::size_t size) const {
    if (size >= UINT32_MAX - 1)
      in_.fail("too many operations and dependencies; the limit is 2^32 - 2");
    return static_cast<std::uint32_t>(size);
  }

  std::string_view name() {
    in_.begin_token("a label");
    if (!in_.take_while(is_letter)) {
      in_.fail_token(fmt::format("expected a label or an operation, not '{}'", in_.shown()));
    }
    in_.take_while([](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
    return in_.taken();
  }

  std::uint32_t labelled(Rank rank, std::string_view label) const {
    const auto found = labels_.find(label);
    if (!found) {
      in_.fail_token(
          fmt::format("rank {} has no label '{}' before this line", rank, printable(label)));
    }
    return *found;
  }

  void operation(Rank rank, std::string_view word) {
    next_index(program_.operations.size());
    GoalProgram::Operation o;
    o.rank = rank;
    o.line = in_.line();
    if (word == "calc") {
      o.kind = GoalProgram::Kind::calculate;
      long_number("the length of the calculation");
      small_number("cpu");
    } else if (word == "send" || word == "recv") {
      message(o, word == "send");
    } else {
      in_.fail_token(fmt::format("expected send, recv or calc, not '{}'", printable(word)));
    }
    program_.operations.push_back(o);
    if (program_.header) program_.carried_until.push_back(pending_);
  }

  void message(GoalProgram::Operation& o, bool send) {
    o.kind = send ? GoalProgram::Kind::send : GoalProgram::Kind::receive;
    o.bytes = long_number("the size");
    if (!in_.more() || !in_.take('b')) in_.fail("'b' after the size is missing");
    in_.expect(send ? "to" : "from", "the size");
    GoalProgram::Wildcard any{static_cast<std::uint32_t>(program_.operations.size()), 0, 0};
    o.peer = peer(send, any.rank_column);
    if (o.peer >= program_.ranks && o.peer != goal_any) {
      in_.fail_token(no_such_rank("rank", o.peer, program_.ranks));
    }
    if (o.peer == o.rank && program_.header)
      in_.fail_token(fmt::format("rank {} sends to itself", o.rank));
    if (word_follows("tag")) o.tag = tag(send, any.tag_column);
    if (any.rank_column != 0 || any.tag_column != 0) program_.wildcards.push_back(any);
    small_number("cpu");
    small_number("nic");
    o.step = step_.value_or(0);
    if (send) pending_ = program_.carried.size();
  }

  /// A rank; goal_any for the -1 of a receive, of which it sets the column.
  Rank peer(bool send, std::uint32_t& column) {
    in_.begin_token("a number");
    if (in_.take("-1")) {
      if (send)
        in_.fail_token("a send needs a destination rank; -1 (any rank) is valid only in receives");
      return any(column);
    }
    const std::uint32_t number = in_.number("a number");
    if (number == goal_any) in_.fail_token("a number must be below 2^32 - 1");
    return number;
  }

  /// LogGOPSim keeps the low 32 bits of a tag; all of them set, as in -1, mean any.
  std::uint32_t tag(bool send, std::uint32_t& column) {
    in_.begin_token("a number");
    std::uint32_t number = goal_any;
    if (!in_.take("-1")) {
      number = static_cast<std::uint32_t>(in_.longest_digits("a number") & UINT32_MAX);
      if (!in_.at_token_end())
        in_.fail_token(fmt::format("a number must be a whole number, not '{}'", in_.shown()));
    }
    if (number == goal_any && send) in_.fail_token(goal_any_refused);
    return number == goal_any ? any(column) : number;
  }

  std::uint32_t any(std::uint32_t& column) const {
    if (program_.header) in_.fail_token(goal_any_refused);
    column = in_.location().column;
    return goal_any;
  }

  std::uint64_t long_number(std::string_view wanted) {
    in_.begin_token(wanted);
    if (in_.take("-"))
      in_.fail_token(fmt::format("{} cannot be negative; LogGOPSim takes digits only", wanted));
    return in_.long_digits(wanted);
  }

  bool word_follows(std::string_view word) { return in_.more() && in_.take(word); }
  void small_number(std::string_view word) {
    if (!word_follows(word)) return;
    if (in_.number(word) > UINT8_MAX) in_.fail_token(fmt::format("a {} must be in 0..255", word));
  }

  std::string_view text_;
  std::string file_;
  Scanner in_;
  GoalProgram program_;
  GoalLabels labels_;                  ///< of the current rank
  std::optional<std::uint32_t> step_;  ///< of the comments
  std::size_t pending_ = 0;            ///< in `carried`: the first entry without a send
};

}  // namespace

GoalProgram parse_goal(std::string_view text, const std::string& file) {
  return GoalParser(text, file).parse();
}

}  // namespace schedcc
