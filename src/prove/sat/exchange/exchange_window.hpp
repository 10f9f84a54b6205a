#pragma once

// Some steps of exchanges (exchange_windows.cpp) as a formula.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/exchange/exchange_parts.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/solve/dice.hpp"
#include "prove/sat/solve/formula.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The ages of all ranks' labels, of two roles the young one's; 0 of the root, and of none.
using Ages = std::vector<std::uint64_t>;

/// Ranks, the roles that they play, and the labels that they may have.
struct ExchangeRoles {
  const Instance& instance;
  const ExchangeParts& parts;
  Rank root;
  std::uint64_t q;
  std::uint64_t packets;

  std::uint64_t ranks() const { return instance.ranks; }
  std::uint64_t steps() const { return packets - 1 + q; }
  /// The ages of labels when step t begins: that of the last packet, which is as good as those
  /// after it, to that of the first.
  std::uint64_t youngest_age(std::uint64_t t) const { return t < packets ? 1 : t + 1 - packets; }
  std::uint64_t oldest_age(std::uint64_t t) const { return std::min(t, q); }
  /// Is the root one of those with the youngest label?
  bool root_counts(std::uint64_t t) const { return t >= packets; }
  /// Of all labels, and those of the root, the ones of an age.
  std::uint64_t count(std::uint64_t age, std::uint64_t t) const {
    return std::uint64_t{1} << (root_counts(t) && age == youngest_age(t) ? age : age - 1);
  }
  /// May a rank have no label when step t begins? Of two roles one has the oldest.
  bool may_lack(Rank v, std::uint64_t t) const { return t + (parts.twice[v] ? 1 : 0) < q; }
  /// Has every part exactly its share of so many labels?
  bool exact(std::uint64_t labels) const {
    return std::ranges::all_of(parts.roles(), [&](std::uint64_t roles) {
      return roles * labels % (std::uint64_t{1} << q) == 0;
    });
  }
};

/// The labels when a step of exchanges begins, and the messages of the step.
struct ExchangeStep {
  Ages ages;
  std::vector<std::size_t> messages;  ///< their arcs
};

/// The schedule of all steps, from the first on.
std::shared_ptr<const Schedule> exchange_schedule(const ExchangeRoles& roles,
                                                  const std::vector<ExchangeStep>& steps,
                                                  Packets packets);

/// The formula of a window: steps `begin` to `end` - 1.
class ExchangeWindow {
 public:
  /// `start`: the labels when step `begin` begins. Variables are made in an order by `dice`.
  /// `roles` must outlive it.
  ExchangeWindow(const ExchangeRoles& roles, std::uint64_t begin, std::uint64_t end,
                 const Ages& start, Dice& dice, const PollLimits& poll_limits);

  Formula& formula() { return formula_; }
  /// The labels when step t begins.
  Ages ages(const Model& model, std::uint64_t t) const;
  /// Step t of a model.
  ExchangeStep step(const Model& model, std::uint64_t t) const;

 private:
  Literal label(Rank v, std::uint64_t age, std::uint64_t t) const;
  void add_labels(std::uint64_t t, Dice& dice);
  void add_labels_of(Rank v, std::uint64_t t);
  void mix(std::uint64_t age, std::uint64_t t);
  void add_step(std::uint64_t t, const std::vector<std::size_t>& arcs);
  void take_part(Rank v, std::uint64_t t, Literals sends, Literals receives);
  void connect(Literal message, const Arc& arc, std::uint64_t t, Literal to_oldest);
  void send(Literal message, const Arc& arc, std::uint64_t t);
  bool inside(std::uint64_t age, std::uint64_t t) const;

  const ExchangeRoles& roles_;
  std::uint64_t begin_;
  Formula formula_;
  std::vector<std::vector<Literals>> labels_;  ///< by step and rank, then by age
  std::vector<Literals> messages_;             ///< by step, then by arc
};

}  // namespace schedcc::prover
