#pragma once

// Which send and which receive of a GOAL program are a message.

#include <cstdint>
#include <string>
#include <vector>

#include "format/goal/program.hpp"

namespace schedcc {

/// A send or a receive with the receiver (high half) and the tag of its message.
struct GoalEnd {
  std::uint64_t receiver_and_tag;
  std::uint32_t operation;
};

/// The sends (or receives) in the order of sender, receiver, tag and place in the file.
/// `first_of_sender[r]` is the first of rank r's messages; its last element is the number of all.
struct GoalEnds {
  std::vector<GoalEnd> ends;
  std::vector<std::size_t> first_of_sender;
};
GoalEnds goal_ends(const GoalProgram& program, GoalProgram::Kind kind);

/// Names the rank and the tag of each receive from any, where the messages to its rank leave one
/// choice; no wildcards remain. Throws InputError where they do not.
void resolve_wildcards(GoalProgram& program, const std::string& file);

/// The receive of each send, and vice versa; 0 for calculations. As LogGOPSim matches them: those
/// of a pair of ranks with the same tag in the order of the file, for any sizes. Throws InputError
/// for the first message, by sender, receiver and tag, that has one end only, or with sizes for
/// which the two ends differ in what they do.
std::vector<std::uint32_t> match_goal(const GoalProgram& program, const std::string& file);

}  // namespace schedcc
