#pragma once

// The ways of the packets of a total exchange on a torus, the same from every rank.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "prove/sat/exchange/translations.hpp"
#include "prove/sat/solve/dice.hpp"

namespace schedcc::prover {

/// Messages that every rank sends, each with a packet of its own. Ranks are given as translations.
struct TranslatedMessages {
  Rank length;                         ///< from the sender to the receiver
  Rank origin_to_sender;               ///< 0, or the first message of a packet in two
  Rank goal;                           ///< from the origin of the packets to their goal
  std::uint64_t first;                 ///< the least number of the packets with that goal
  std::uint64_t count;                 ///< of the messages of a rank
  std::optional<std::size_t> earlier;  ///< the messages that bring the packets to the sender
};

struct TorusWays {
  std::vector<TranslatedMessages> messages;
  std::vector<std::uint64_t> load;  ///< how often they take a port of each class, in all steps
};

/// The ways of `each` packets from every rank to each other one, in one message, or in two where
/// ports and channels could not carry so much in `steps` steps; some more go in two, up to
/// `detours`, if they could carry that. None if none are found.
std::optional<TorusWays> choose_torus_ways(const Translations& translations,
                                           const TranslatedPorts& ports, std::uint64_t each,
                                           std::uint64_t steps, std::uint64_t detours, Dice& dice);

}  // namespace schedcc::prover
