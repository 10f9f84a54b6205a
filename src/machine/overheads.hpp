#pragma once

#include "schedcc/machine.hpp"

namespace schedcc {

/// How long the processor of a rank is busy with each of its messages: seconds for a send, and for
/// a receive.
struct Overheads {
  double send = 0, receive = 0;

  bool any() const { return send + receive > 0; }
};

/// The overheads that the file of a topology with ports states; none of other machines.
Overheads overheads_of(const Machine& machine);

}  // namespace schedcc
