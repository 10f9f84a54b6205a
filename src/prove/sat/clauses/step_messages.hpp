#pragma once

// The messages of a step, each with one of some packets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prove/sat/clauses/channel_walks.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/round_messages.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// The arcs that messages may take in a step, and how literals describe messages: as walks from
/// channel to channel, where they are walks, else by one literal for each arc.
struct MessageArcs {
  const Instance& instance;
  std::vector<std::size_t> arcs;
  std::optional<ChannelWalks> walks = channel_walks(instance, arcs);
};

/// The literals and clauses of the messages of a step. What it is made with must outlive it.
class StepMessages {
 public:
  /// Messages carry packets 0 to `packets` - 1, and channels no more messages than they can.
  StepMessages(const MessageArcs& arcs, std::size_t packets, std::uint64_t step, Formula& formula);

  /// Of the messages from a rank, to a rank, over a channel one literal each.
  Literals sent(Rank rank) const;
  Literals received(Rank rank) const;
  Literals over(std::size_t channel) const;

  /// A message has a packet that its sender holds and its receiver gets, by rank and packet.
  void carry(const std::vector<Literals>& holds, const std::vector<Literals>& gets,
             Formula& formula) const;

  /// The rank sends this packet, or one of `otherwise` is true. `gets` as of carry().
  void send(const Literals& otherwise, Rank rank, std::size_t packet,
            const std::vector<Literals>& gets, Formula& formula) const;

  /// The ranks that send and receive the messages of a model.
  std::vector<std::pair<Rank, Rank>> ends(const Model& model) const;

 private:
  const std::vector<std::size_t>& by_themselves() const;

  const MessageArcs& arcs_;
  RoundMessages messages_;                  ///< those with a literal each
  std::optional<WalkingMessages> walking_;  ///< the others
};

}  // namespace schedcc::prover
