#pragma once

// Terms as sums, and the sorts of their parts: words, numbers, or small terms that can be both.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "prove/symbolic/term.hpp"

namespace schedcc::prover {

/// A sum of multiples of terms. Differences may be negative.
struct Linear {
  std::map<std::size_t, std::int64_t> terms;  ///< coefficients by the terms' identities
  std::int64_t constant = 0;

  void add(const Linear& other, std::int64_t factor) {
    for (const auto& [id, coefficient] : other.terms) {
      if ((terms[id] += coefficient * factor) == 0) terms.erase(id);
    }
    constant += other.constant * factor;
  }
};

/// Terms that are printed together: equal ones have the same number.
class Terms {
 public:
  const NodePtr& node(std::size_t id) const { return nodes_[id]; }

  /// The largest value of a term that is small for all values of its variables, and can be a word.
  std::optional<std::uint64_t> small(const NodePtr& node);
  Linear linear(const NodePtr& node);
  /// The argument of a modulo by a small constant, less multiples of that: never negative, with
  /// small terms alone; none if that is not possible.
  std::optional<Linear> reduced(const NodePtr& modulo);

 private:
  std::size_t id(const NodePtr& node);

  using Identity = std::tuple<Op, std::uint64_t, std::string, std::vector<std::size_t>>;
  std::map<const Node*, std::size_t> known_;
  std::map<Identity, std::size_t> ids_;
  std::vector<NodePtr> nodes_;
  std::vector<NodePtr> kept_;  ///< keeps the nodes of known_ alive
};

/// Is the term the result of a bit operation, which is printed as a word?
bool is_word_operation(const NodePtr& node);

}  // namespace schedcc::prover
