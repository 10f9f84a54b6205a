#pragma once

// The values of a chunk at all nodes, transfer by transfer, each with those that it is made of.
//
// A value is named by the transfer that left it where it is, or is that of the start. A transfer
// carries the value of its source; a reduction adds that to the value of its destination, a copy
// replaces it. A chunk that is only copied has one value, so that the first transfer that brings it
// to a node made what the node holds, and later ones change nothing.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/contributions.hpp"
#include "check/provenance/history.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::provenance {

class Lineage {
 public:
  using Id = Contributions::Id;

  /// What a node holds: contributions (Contributions::value for a copied chunk, `empty` for
  /// nothing), and the transfer that left them there; none: they are those of the start.
  struct Value {
    Id id = Contributions::empty;
    std::optional<std::size_t> by = {};
    bool held() const { return id != Contributions::empty; }
  };
  /// A transfer: what it carries, what its destination has before and after it.
  struct Arrival {
    Value carried = {}, before = {};
    Id after = Contributions::empty;
  };

  /// Plays the history. `until`: the step at whose beginning values are asked for; none: the end.
  Lineage(const Problem& problem, const History& history, std::optional<std::uint64_t> until);

  bool reduced() const { return reduced_; }
  const Arrival& arrival(std::size_t transfer) const { return arrivals_[transfer]; }
  /// The transfers that arrive in time, in the order in which they do.
  const std::vector<std::size_t>& order() const { return order_; }
  /// The value of a node at that time.
  Value at(Rank node) const;
  /// Calls f(node, value) for the nodes that take part before that time, in no order.
  template <typename F>
  void each_value(F f) const {
    for (const auto& [node, value] : then_) f(node, value);
  }
  /// The transfers that a value is made of, in the order in which they arrive.
  std::vector<std::size_t> made_of(const Value& value) const;
  /// The first transfer that brings the chunk to a node at any time, also after `until`.
  std::optional<std::size_t> first_to(Rank node) const;

  Contributions& contributions() { return contributions_; }
  const Contributions& contributions() const { return contributions_; }

 private:
  Value start(Rank node) const;
  Value& value(Rank node);
  void arrive(std::size_t transfer);

  const Problem& problem_;
  const History& history_;
  bool reduced_;
  mutable Contributions contributions_;
  std::vector<Arrival> arrivals_;
  std::vector<std::size_t> order_;
  std::unordered_map<Rank, Value> now_, then_;  ///< of the nodes that take part
  std::unordered_map<Rank, std::size_t> first_;
};

}  // namespace schedcc::provenance
