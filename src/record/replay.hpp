#pragma once

// The data of the messages of an execution: which words they carry, and what became of them.

#include <cstdint>
#include <string>
#include <vector>

#include "record/messages.hpp"
#include "record/rank_values.hpp"

namespace schedcc::record {

/// A result that is not the one of the collective.
struct WrongResult {
  Rank rank;
  std::uint64_t words;  ///< how many are wrong
  std::uint32_t word;   ///< the first of them
  std::string found;    ///< what is in its place
};

struct Replay {
  std::vector<std::vector<Item>> items;  ///< of each message: its words that are known
  std::vector<std::uint64_t> unknown;    ///< of each message: how many words are not
  std::vector<std::uint32_t> order;      ///< the messages as their data were ready
  Constraints constraints;
  std::vector<WrongResult> wrong;
  std::vector<std::string> inexpressible;  ///< what a schedule cannot express, or is not understood
};

/// Replays an execution that has ended.
Replay replay(const Execution& execution, const std::vector<Message>& messages);

/// "word 3", or "word 3 of block 2": as the collective numbers it.
std::string word_name(const BeginArguments& begin, std::uint32_t word);

}  // namespace schedcc::record
