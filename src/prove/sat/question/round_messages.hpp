#pragma once

// The messages of a step, or of all steps that a rule makes of one round, as variables of a
// formula.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// The messages of a round.
class RoundMessages {
 public:
  explicit RoundMessages(const Instance& instance)
      : instance_(instance),
        by_arc_(instance.arcs.size(), Formula::no),
        sent_(instance.ranks),
        received_(instance.ranks),
        carried_(instance.channels.size()) {}

  /// Makes a variable for the message over an arc in this round.
  Literal add(std::size_t arc, std::uint64_t round, Formula& formula) {
    const Arc& over = instance_.arcs[arc];
    const Literal message = formula.variable("message", {over.from, over.to, round});
    by_arc_[arc] = message;
    sent_[over.from].push_back(message);
    received_[over.to].push_back(message);
    for (const std::size_t channel : over.channels) carried_[channel].push_back(message);
    return message;
  }
  const Literals& sent(Rank rank) const { return sent_[rank]; }
  const Literals& received(Rank rank) const { return received_[rank]; }
  const Literals& over(std::size_t channel) const { return carried_[channel]; }
  Literal by_arc(std::size_t arc) const { return by_arc_[arc]; }
  /// Channels carry no more than they can.
  void limit_channels(Formula& formula) const {
    for (std::size_t channel = 0; channel < carried_.size(); ++channel)
      formula.at_most(carried_[channel], instance_.channels[channel]);
  }
  /// By arc; Formula::no: none.
  Literals by_arc() && { return std::move(by_arc_); }

 private:
  const Instance& instance_;
  Literals by_arc_;
  std::vector<Literals> sent_, received_;  ///< by rank
  std::vector<Literals> carried_;          ///< by channel
};

/// The arcs whose messages a model has, of RoundMessages::by_arc().
inline std::vector<std::size_t> arcs_of(const Literals& by_arc, const Model& model) {
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < by_arc.size(); ++a) {
    if (is_true(by_arc[a], model)) result.push_back(a);
  }
  return result;
}

}  // namespace schedcc::prover
