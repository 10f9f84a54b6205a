#pragma once

// The messages of an execution: which receive got which send.
//
// MPI does not let messages overtake: of the messages from one rank to another with the same
// communicator and tag, the i-th that is sent is received by the i-th receive that was posted of
// those that got one (MPI standard, "Semantics of Point-to-Point Communication").

#include <string>
#include <string_view>
#include <vector>

#include "record/logs.hpp"

namespace schedcc::record {

struct Message {
  Rank src, dst;
  /// The sender's event before which the data are complete, the receiver's after which they have
  /// arrived.
  std::size_t sent, received;
  std::string_view data;
};

/// Two ranks, which may be one, that put data to the same place of a third in one epoch.
struct Conflict {
  Rank first, second, target;
};

struct Messages {
  std::vector<Message> all;
  std::vector<Message> unreceived;       ///< sent, and never received
  std::vector<Conflict> conflicts;       ///< one of each pair of ranks and target
  std::vector<std::string> unsupported;  ///< why messages cannot be matched
};

Messages match(const Execution& execution);

}  // namespace schedcc::record
