#include "check/coverage.hpp"

#include "check/checks.hpp"

namespace schedcc {

bool only_steps(const Source& source) {
  return !source.is_program() && !source.hop_level() && source.notes.empty() &&
         source.claimed_queues.empty() && !source.rendezvous_deadlock;
}

bool decides_without_order(const CheckOptions& options) {
  return asks_for(options, "shape") && options.blocking == Blocking::sendrecv &&
         options.same_as == nullptr;
}

}  // namespace schedcc
