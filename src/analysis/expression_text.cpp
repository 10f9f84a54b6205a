#include "analysis/expression_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "analysis/rank_sets.hpp"

namespace schedcc {

namespace {

using Id = Expressions::Id;

/// The longest text of an expression; what is longer is cut. Texts of two that are equal then may
/// be longer, up to the second length.
constexpr std::size_t max_characters = 72, most_characters = 4608;
/// How many additions deep a text is at most.
constexpr unsigned max_levels = 16;

/// Properties of all expressions up to a number, for comparisons and texts.
class OperandKeys {
 public:
  OperandKeys(const Expressions& expressions, Id last) : expressions_(expressions), all_(last + 1) {
    for (Id id = Expressions::value + 1; id <= last; ++id) {
      OperandKey& key = all_[id];
      if (!expressions.is_sum(id)) {
        key.lowest = expressions.rank(id);
        key.ranks = IdIndex::mix(key.lowest, 1);
        continue;
      }
      for (const Id operand : expressions.operands(id)) {
        key.lowest = std::min(key.lowest, all_[operand].lowest);
        key.ranks += all_[operand].ranks;
      }
    }
  }

  /// The operands of a sum, that with the lowest rank first.
  std::vector<Id> operands(Id id) const {
    const auto unsorted = expressions_.operands(id);
    std::vector<Id> result(unsorted.begin(), unsorted.end());
    std::ranges::stable_sort(result, {}, [&](Id operand) { return all_[operand].lowest; });
    return result;
  }

  /// Do both have the same contributions? (By a hash: it only decides what is shown.)
  bool same_ranks(Id a, Id b) const { return all_[a].ranks == all_[b].ranks; }

 private:
  struct OperandKey {
    Rank lowest = UINT32_MAX;
    std::uint64_t ranks = 0;  ///< a sum of hashes
  };
  const Expressions& expressions_;
  std::vector<OperandKey> all_;
};

/// The parts of two different expressions that differ, while all around them is the same.
std::pair<Id, Id> differing_parts(const Expressions& expressions, const OperandKeys& keys, Id a,
                                  Id b) {
  while (expressions.is_sum(a) && expressions.is_sum(b) && !expressions.is_unordered(a) &&
         !expressions.is_unordered(b)) {
    const std::vector<Id> x = keys.operands(a), y = keys.operands(b);
    if (!keys.same_ranks(x[0], y[0]) || !keys.same_ranks(x[1], y[1])) break;
    const std::size_t i = x[0] == y[0] ? 1 : 0;
    a = x[i];
    b = y[i];
  }
  return {a, b};
}

class Text {
 public:
  Text(const Expressions& expressions, const OperandKeys& keys, std::size_t length)
      : expressions_(expressions), keys_(keys), length_(length) {}

  /// As deep as the length allows.
  std::string of(Id id) {
    std::string best;
    for (unsigned levels = 0; levels <= max_levels; ++levels) {
      text_.clear();
      cut_ = unordered_ = false;
      write(id, levels, false);
      if (levels > 0 && text_.size() > length_) break;
      best = text_;
      shows_unordered_ = unordered_;
      if (!cut_) break;
    }
    return best;
  }
  /// Was there an unordered sum in a text?
  bool shows_unordered() const { return shows_unordered_; }

 private:
  void write(Id id, unsigned levels, bool inside) {
    if (text_.size() > length_) return;
    if (id <= Expressions::value) {
      text_ += id == Expressions::value ? "its value" : "nothing";
      return;
    }
    if (!expressions_.is_sum(id)) {
      text_ += fmt::format("{}", expressions_.rank(id));
      return;
    }
    const bool unordered = expressions_.is_unordered(id), in_parentheses = inside && levels > 0;
    unordered_ |= unordered;
    if (unordered || in_parentheses) text_ += unordered ? '[' : '(';
    levels > 0 ? write_operands(id, levels) : write_cut(id);
    if (unordered || in_parentheses) text_ += unordered ? ']' : ')';
  }

  void write_operands(Id id, unsigned levels) {
    bool first = true;
    for (const Id operand : keys_.operands(id)) {
      if (!std::exchange(first, false)) text_ += '+';
      write(operand, levels - 1, true);
      if (text_.size() > length_) return;
    }
  }

  /// Only whose contributions it has: "{0-3,5}".
  void write_cut(Id id) {
    cut_ = true;
    const std::size_t begin = text_.size();
    text_ += '{';
    for (const RankInterval& some : contributors(id)) {
      if (text_.size() > begin + 1) text_ += ',';
      if (text_.size() > begin + length_ / 3) {
        text_ += "...";
        break;
      }
      text_ += in_digits(some);
    }
    text_ += '}';
  }

  Intervals contributors(Id id) const {
    std::vector<Rank> ranks;
    std::vector<Id> open{id};
    std::vector<bool> seen(id + std::size_t{1});
    while (!open.empty()) {
      const Id next = open.back();
      open.pop_back();
      if (next <= Expressions::value || seen[next]) continue;
      seen[next] = true;
      if (!expressions_.is_sum(next)) {
        ranks.push_back(expressions_.rank(next));
        continue;
      }
      for (const Id operand : expressions_.operands(next)) open.push_back(operand);
    }
    return intervals_of(std::move(ranks));
  }

  const Expressions& expressions_;
  const OperandKeys& keys_;
  std::size_t length_;
  std::string text_;
  bool cut_ = false, unordered_ = false, shows_unordered_ = false;
};

/// Of two sums without a fixed order, of the same operands: where each is added.
void tell_apart(ExpressionDifference& difference, const Expressions& expressions, Id a, Id b,
                Rank ranks) {
  if (!expressions.is_unordered(a) || !expressions.is_unordered(b)) return;
  const auto place = [&](Id id) {
    const Rank adder = expressions.adder(id);
    return fmt::format(" at {} {}", adder < ranks ? "rank" : "node", adder);
  };
  difference.first += place(a);
  difference.second += place(b);
  if (difference.first == difference.second) difference.second += ", perhaps in another order";
}

}  // namespace

std::string ExpressionDifference::text() const {
  return fmt::format("{}{} against {}{}", whole ? "" : "where they first differ, ", first, second,
                     unordered ? " (in brackets: they arrive in one step, and the order in which "
                                 "they are added is not fixed)"
                               : "");
}

ExpressionDifference difference(const Expressions& expressions, Id a, Id b, Rank ranks) {
  const OperandKeys keys(expressions, std::max(a, b));
  const auto [x, y] = differing_parts(expressions, keys, a, b);
  ExpressionDifference result{"", "", x == a && y == b, false};
  for (std::size_t length = max_characters; length <= most_characters; length *= 2) {
    Text first(expressions, keys, length), second(expressions, keys, length);
    result.first = first.of(x);
    result.second = second.of(y);
    result.unordered = first.shows_unordered() || second.shows_unordered();
    if (result.first != result.second) return result;
    if (expressions.is_unordered(x) && expressions.is_unordered(y)) break;
  }
  tell_apart(result, expressions, x, y, ranks);
  return result;
}

}  // namespace schedcc
