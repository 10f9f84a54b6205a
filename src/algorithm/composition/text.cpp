// The grammar of compositions:
//
//   composition = part { "then" part }                 from left to right
//   part        = primary [ "as" COLLECTIVE ]
//   primary     = NAME[:key=value,...]
//               | "(" composition ")"
//               | OPERATION "(" argument { "," argument } ")"
//   argument    = NUMBER | composition | "leaders" | "segments=" NUMBER
//
// White space separates words. Parentheses end them, and commas, but after a ':', where those
// before white space and parentheses do: others are of the parameters.
// levels(X, Y, Z) is levels(levels(X, Y), Z). The operations are listed below. `reverse` is carried
// to the parts: the reverse of "X then Y" is the reverse of Y, then the reverse of X, and that of a
// reverse is the original.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/composition/expression.hpp"
#include "algorithm/own_algorithm.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "model/aliases.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using namespace compositions;

/// Parentheses in parentheses, and algorithms.
constexpr std::size_t max_levels = 32, max_algorithms = 64;
/// Instances of `split`, those of one in another multiplied; a schedule of each is held.
constexpr std::uint64_t max_instances = 1024;
/// Segments of `levels`; the stages of each are held.
constexpr std::uint64_t max_segments = 1024;

using Kind = Expression::Kind;

constexpr std::array<std::string_view, 3> operations{"reverse", "split", "levels"};
constexpr std::array<std::string_view, 2> words{"then", "as"};
/// What may stand after the algorithms of levels.
constexpr std::array<std::string_view, 2> level_options{"leaders", "segments"};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression parse() {
    Expression result = composition();
    const std::size_t at = next();
    if (at == text_.size()) return result;
    if (text_[at] == ')') fail(at, "unmatched ')'");
    const std::string_view word = word_at(at), meant = nearest(word, words);
    if (word == "as") fail(at, "this 'as' names a second collective; there is one for each part");
    fail(at, meant.empty() ? fmt::format("'then' is missing before '{}'", printable(word))
                           : unknown("word", word, words));
  }

  [[noreturn]] void fail(std::size_t at, std::string_view message) const {
    throw InputError(fmt::format("'{}', column {}: {}", printable(text_, 160), at + 1, message));
  }

 private:
  /// The place of the next character that is not white space.
  std::size_t next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_;
  }

  bool is_end_of_word(std::size_t at) const {
    const auto is_end = [&](std::size_t i) {
      return i >= text_.size() || is_space(text_[i]) || text_[i] == '(' || text_[i] == ')';
    };
    return is_end(at) || (text_[at] == ',' && is_end(at + 1));
  }

  /// The word that begins there; empty at the end of the text and at parentheses.
  std::string_view word_at(std::size_t at) const {
    std::size_t end = at;
    bool parameters = false;  // after a ':'
    while (!is_end_of_word(end) && (parameters || text_[end] != ','))
      parameters |= text_[end++] == ':';
    return text_.substr(at, std::max(end - at, std::size_t{at < text_.size() ? 1U : 0U}));
  }

  bool take(std::string_view word) {
    if (word_at(next()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool take_symbol(std::string_view symbol) {
    if (text_.substr(next(), 1) != symbol) return false;
    ++at_;
    return true;
  }

  void require_comma(std::string_view form) {
    if (!take_symbol(",")) fail(at_, fmt::format("',' is missing: {}", form));
  }

  Expression composition() {
    Expression left = part();
    while (take("then")) {
      const std::size_t column = left.column;
      std::vector<Expression> operands{std::move(left)};
      operands.push_back(part());
      left = {.kind = Kind::then, .column = column, .operands = std::move(operands)};
    }
    return left;
  }

  Expression part() {
    std::vector<Expression> operand{primary()};
    if (!take("as")) return std::move(operand.front());
    const std::size_t at = next();
    const std::string_view collective = word_at(at);
    if (is_end_of_word(at)) fail(at, "a collective is missing after 'as'");
    at_ += collective.size();
    return {.kind = Kind::as,
            .column = at + 1,
            .collective = std::string(without_alias(AliasKind::collective, collective)),
            .operands = std::move(operand)};
  }

  Expression primary() {
    const std::size_t at = next();
    const std::string_view word = word_at(at);
    if (word == "(") return parenthesised();
    if (is_end_of_word(at) || word == "then" || word == "as") {
      fail(at, fmt::format(
                   "an algorithm is missing{}",
                   word.empty() ? " at the end" : fmt::format(" before '{}'", printable(word))));
    }
    at_ += word.size();
    if (text_.substr(next(), 1) == "(") return operation(word, at);
    if (++algorithms_ > max_algorithms)
      fail(at, fmt::format("there are more than {} algorithms", max_algorithms));
    return {.kind = Kind::name, .column = at + 1, .spec = parsed(word, at)};
  }

  Spec parsed(std::string_view word, std::size_t at) const {
    if (word == own_algorithm_word) return {std::string(word), {}};  // its name may have spaces
    try {
      return algorithm_spec(word);
    } catch (const InputError& error) {
      fail(at, error.what());
    }
  }

  /// What is in parentheses, the first of which is next.
  Expression parenthesised() {
    const std::size_t opened = open();
    Expression result = composition();
    close(opened);
    return result;
  }

  Expression operation(std::string_view name, std::size_t at) {
    if (name == "reverse") {
      std::vector<Expression> operand{parenthesised()};
      return {.kind = Kind::reverse, .column = at + 1, .operands = std::move(operand)};
    }
    if (name == "levels") return levels(at);
    if (name != "split") fail(at, unknown("operation", name, operations));
    const std::size_t opened = open();
    constexpr std::string_view form = "split(2, ALGORITHM)";
    const std::uint64_t instances = number(
        "instances", fmt::format("the number of instances is missing: {}", form), 2, max_instances);
    if (instances * instances_ > max_instances)
      fail(at, fmt::format("there are more than {} instances in all", max_instances));
    instances_ *= instances;
    require_comma(form);
    std::vector<Expression> operand{composition()};
    close(opened);
    instances_ /= instances;
    return {
        .kind = Kind::split, .column = at + 1, .number = instances, .operands = std::move(operand)};
  }

  Expression levels(std::size_t at) {
    const std::size_t opened = open();
    std::uint64_t ranks = 0;
    std::string_view form = "levels(ALGORITHM, ALGORITHM)";
    const std::string_view first = text_.substr(next(), 1);
    if (!first.empty() && first[0] >= '0' && first[0] <= '9') {
      ranks = number("ranks of a node", "", 1, UINT32_MAX);
      form = "levels(2, ALGORITHM, ALGORITHM)";
      require_comma(form);
    }
    Expression result = composition();
    require_comma(form);
    bool comma = true;
    do {
      const std::size_t column = at + 1;
      std::vector<Expression> operands{std::move(result)};
      operands.push_back(composition());
      result = {.kind = Kind::levels, .column = column, .operands = std::move(operands)};
      comma = take_symbol(",");
    } while (comma && !is_level_option());
    result.number = ranks;
    for (; comma; comma = take_symbol(",")) level_option(result);
    close(opened);
    return result;
  }

  /// Is what comes next an option of levels, perhaps a wrong one? Those with a value are words with
  /// '=' and without ':', which algorithms never are; nor does one resemble the names of others.
  bool is_level_option() {
    const std::string_view word = word_at(next());
    const bool value =
        word.find('=') != std::string_view::npos && word.find(':') == std::string_view::npos;
    return value || !nearest(word, level_options).empty() ||
           (!word.empty() && word[0] >= '0' && word[0] <= '9');
  }

  void level_option(Expression& levels) {
    constexpr std::string_view segments = "segments=";
    const std::size_t at = next();
    const std::string_view word = word_at(at), key = word.substr(0, word.find('='));
    if (word.starts_with(segments)) {
      if (levels.segments != 0) fail(at, "'segments=' is given twice");
      at_ += segments.size();
      levels.segments = number("segments", "the number of segments is missing", 1, max_segments);
    } else if (word == "leaders") {
      at_ += word.size();
      levels.leaders = true;
    } else if (word == "segments") {
      fail(at, "the number of segments is missing: segments=2");
    } else if (word.find('=') != std::string_view::npos || !nearest(key, level_options).empty()) {
      fail(at, unknown("option of levels", key, level_options));
    } else {
      fail(at,
           fmt::format("'{}' is neither 'leaders' nor 'segments=' and a number, which come last; "
                       "the ranks of a node come first",
                       printable(word)));
    }
  }

  std::uint64_t number(std::string_view what, std::string_view missing, std::uint64_t least,
                       std::uint64_t most) {
    const std::size_t at = next();
    std::size_t end = at;
    while (!is_end_of_word(end) && text_[end] != ',') ++end;
    if (end == at) fail(at, missing);
    at_ = end;
    try {
      return parse_number(text_.substr(at, end - at), what, least, most);
    } catch (const InputError& error) {
      fail(at, error.what());
    }
  }

  std::size_t open() {
    const std::size_t at = next();
    if (++level_ > max_levels)
      fail(at, fmt::format("parentheses are nested more than {} deep", max_levels));
    ++at_;
    return at;
  }
  void close(std::size_t opened) {
    if (!take_symbol(")")) {
      if (at_ == text_.size()) fail(opened, "unmatched '('");
      fail(at_, "')' is missing");
    }
    --level_;
  }

  std::string_view text_;
  std::size_t at_ = 0, level_ = 0, algorithms_ = 0;
  std::uint64_t instances_ = 1;  ///< of what is being parsed
};

/// The algorithms that expressions are, with the column in errors.
class Builder {
 public:
  explicit Builder(const Parser& parser) : parser_(parser) {}

  Algorithm build(const Expression& e, bool backwards = false) const {
    const std::vector<Expression>& of = e.operands;
    switch (e.kind) {
      case Kind::name:
        break;
      case Kind::as:
        return as(e, backwards);
      case Kind::then: {
        const Algorithm x = build(of[0], backwards), y = build(of[1], backwards);
        return at(e, [&] { return backwards ? sequence(y, x) : sequence(x, y); });
      }
      case Kind::reverse:
        return build(of[0], !backwards);
      case Kind::split: {
        const Algorithm x = build(of[0], backwards);
        return at(e, [&] { return split(e.number, x); });
      }
      case Kind::levels: {
        const WithinNodes x = within(of[0]);
        const Algorithm y = build(of[1]);
        return at(e, [&] {
          const Algorithm both =
              schedcc::levels({e.number, e.segments, e.leaders, levels_of_machine(of[0])}, x, y);
          return backwards ? reverse(both) : both;
        });
      }
    }
    return at(e, [&] {
      const Algorithm x = with_parameters(find_algorithm(e.spec.name), e.spec);
      return backwards ? reverse(x) : x;
    });
  }

 private:
  /// X of levels: of two, each does a part, although the two may be no sequence.
  WithinNodes within(const Expression& x) const {
    if (x.kind != Kind::then) return {build(x)};
    const Algorithm before = build(x.operands[0]), after = build(x.operands[1]);
    return before_and_after(before, after);
  }

  Algorithm as(const Expression& e, bool backwards) const {
    const Algorithm x = build(e.operands[0], backwards);
    return at(e, [&] {
      const Collective named = find_collective(e.collective);
      if (!backwards) return as_collective(x, named);
      const std::optional<Collective> other = reversed(named);
      if (!other && !x.serves(named)) {
        throw InputError(
            fmt::format("{} has no reverse, unless it is a sequence", info(named).name));
      }
      return as_collective(x, other.value_or(named));
    });
  }

  Algorithm at(const Expression& e, const std::function<Algorithm()>& make) const {
    try {
      return make();
    } catch (const InputError& error) {
      parser_.fail(e.column - 1, error.what());
    }
  }

  const Parser& parser_;
};

}  // namespace

bool is_composition(std::string_view text) {
  for (const char c : text) {
    if (is_space(c) || c == '(' || c == ')') return true;
  }
  return false;
}

std::string composition_text(std::string_view text) { return spelled(Parser(text).parse()); }

Algorithm composition(std::string_view text) {
  Parser parser(text);
  const Expression expression = parser.parse();
  return Builder(parser).build(expression);
}

}  // namespace schedcc
