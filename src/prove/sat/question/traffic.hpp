#pragma once

// The machine's rules for a step: ports, channels, and the capacities of arcs, for any encoding
// with a literal for each chunk and arc.

#include <vector>

#include "prove/sat/question/calls.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// A chunk that may be sent, and the literal that is true if it is sent.
struct ChunkSend {
  Chunk chunk;
  Literal literal;
};
/// By step and arc.
using Sends = std::vector<std::vector<std::vector<ChunkSend>>>;

class Traffic {
 public:
  Traffic(const Instance& instance, Formula& formula);

  /// The sends: by step and arc, for each chunk that may cross it a literal that is true if it
  /// does. Called once.
  void carry(const Sends& sends);
  /// LogP: the messages that may be sent.
  const std::vector<TimedMessage>& messages() const { return messages_; }
  /// Literals of which the i-th is true exactly if steps 0..t-1 take more than t + i rounds.
  Literals extra_before(std::uint64_t t);
  /// The rounds of step `t` in a model.
  std::uint32_t rounds(std::uint64_t t, const Model& model) const;

 private:
  void step(std::uint64_t t, const std::vector<Literals>& sends);
  void check_routes(const Sends& sends);
  void capacity(std::uint64_t t, const Arc& arc, const Literals& sends);
  void ports(std::uint64_t t, const std::vector<Literals>& sends);
  void clock(std::uint64_t t, Rank v, const Literals& sent, const Literals& received);

  const Instance& instance_;
  Formula& formula_;
  /// more_[t][j]: step t takes at least j + 2 rounds.
  std::vector<Literals> more_;
  /// LogP: by rank and step, whether it sends a message, and whether a message sent then is for it.
  std::vector<Literals> sends_, receives_;
  std::vector<TimedMessage> messages_;
};

}  // namespace schedcc::prover
