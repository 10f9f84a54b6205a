#pragma once

// What a broadcast at the bound can afford to lose: messages, and room for them.

#include <cstdint>
#include <vector>

#include "prove/sat/clauses/step_messages.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// How much that is: 2^q - P, q = ceil(log2 P), on P > 1 ranks.
std::uint64_t broadcast_slack(std::uint64_t ranks);

/// The clauses of the slack of a broadcast by one port, in exchange_steps (exchange_run.hpp), whose
/// root sends packet t in step t: they follow from the others. They are made step by step.
class BroadcastSlack {
 public:
  /// At least two ranks; at least one packet. The formula must outlive it.
  BroadcastSlack(Rank root, std::uint64_t ranks, std::size_t packets, Formula& formula);

  /// Clauses of step t, for t = 0, 1, ... in turn: of the packets that ranks hold when it begins,
  /// `holds`, and when it has ended, `then`, and that they get in it, by rank and packet; and of
  /// its messages.
  void step(std::uint64_t t, const std::vector<Literals>& holds, const std::vector<Literals>& then,
            const std::vector<Literals>& gets, const StepMessages& messages);

 private:
  void losses(std::uint64_t t, const std::vector<Literals>& holds);
  void extras(Rank v, std::uint64_t t, const Literals& holds);
  void receive(Rank v, const Literals& received);
  void spread(std::size_t p, std::uint64_t t, const std::vector<Literals>& holds,
              const std::vector<Literals>& gets, const StepMessages& messages);
  Literals late(std::uint64_t t, const Literals& holds) const;

  const Rank root_;
  const std::size_t packets_;
  const std::uint64_t doublings_;  ///< ceil(log2 P)
  const std::uint64_t slack_;      ///< broadcast_slack()
  Formula& formula_;
  std::vector<Literals> extras_;  ///< by rank: of its packets beyond the fewest, in unary
  std::vector<Literals> lost_;    ///< by packet: of its holders, in unary
};

}  // namespace schedcc::prover
