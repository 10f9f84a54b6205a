#pragma once

// The messages of an execution: which receive got which send.
//
// MPI does not let messages overtake: of the messages from one rank to another with the same
// communicator and tag, the i-th that is sent is received by the i-th receive that was posted of
// those that got one (MPI standard, "Semantics of Point-to-Point Communication").

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/logs.hpp"

namespace schedcc::record {

struct Message {
  Rank src, dst;
  /// The event of the sender before which its data were there, and that of the receiver after which
  /// they were there.
  std::size_t sent, received;
  std::string_view data;
};

struct Messages {
  std::vector<Message> all;
  std::vector<Message> unreceived;    ///< sent, and never received
  std::vector<std::string> problems;  ///< what is not understood
};

Messages match(const Execution& execution);

}  // namespace schedcc::record
