#pragma once

// The routes of messages as walks from channel to channel.

#include <cstddef>
#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// What the messages on some arcs, each over channels that carry one message, do from channel to
/// channel. Every walk of starts, moves and stops that contains none of `broken` is the route of
/// one of the arcs, and the other way round.
struct ChannelWalks {
  struct Start {
    Rank rank;
    std::size_t channel;
  };
  struct Move {
    std::size_t from, to;  ///< channels
  };
  struct Stop {
    std::size_t channel;
    Rank rank;
  };

  std::size_t channels = 0;
  std::vector<Start> starts;
  std::vector<Move> moves;
  std::vector<Stop> stops;
  std::vector<std::size_t> direct;  ///< arcs without channels
  /// Moves, by number, no message makes all of which, though it may make all but one.
  std::vector<std::vector<std::size_t>> broken;
};

/// Those of the arcs with these numbers; none where routes are no such walks, or some channel
/// carries more than one message.
std::optional<ChannelWalks> channel_walks(const Instance& instance,
                                          const std::vector<std::size_t>& arcs);

/// Are the messages of all arcs such walks, and do some of them take channels?
bool walks_from_channel_to_channel(const Instance& instance);

/// The messages of a step as walks, each with one of some packets.
class WalkingMessages {
 public:
  /// Adds the literals of step `step` for packets 0 to `packets` - 1, and the clauses of walks.
  WalkingMessages(const ChannelWalks& walks, const Instance& instance, std::size_t packets,
                  std::uint64_t step, Formula& formula);

  /// The messages from, and to, a rank that take channels.
  const Literals& sent(Rank rank) const { return sent_[rank]; }
  const Literals& received(Rank rank) const { return received_[rank]; }
  /// The messages over a channel: where they come from.
  const Literals& over(std::size_t channel) const { return enter_[channel]; }

  /// A message has a packet that its sender holds and its receiver gets, by rank and packet.
  void carry(const std::vector<Literals>& holds, const std::vector<Literals>& gets,
             Formula& formula) const;

  /// If the rank sends a message over channels, that has this packet, or one of `otherwise` is
  /// true.
  void send(const Literals& otherwise, Rank rank, std::size_t packet, Formula& formula) const;

  /// The receiver of the message that begins with start number `start`, in a model.
  Rank receiver(std::size_t start, const Model& model) const;
  Literal start(std::size_t start) const { return starts_[start]; }

 private:
  void use(std::size_t channel, Formula& formula) const;

  const ChannelWalks& walks_;
  Literals starts_, moves_, stops_;        ///< as in walks_
  std::vector<Literals> carried_;          ///< by channel and packet
  std::vector<Literals> enter_, leave_;    ///< by channel
  std::vector<Literals> sent_, received_;  ///< by rank
};

}  // namespace schedcc::prover
