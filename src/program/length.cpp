// Any number of messages wait in their FIFOs until their receivers take them; so one pass over the
// events, each after its dependencies, computes when each is done.

#include "program/length.hpp"

#include <algorithm>

namespace schedcc::program {

std::uint64_t length(const Wiring& wiring, const std::vector<Event>& order) {
  std::vector<std::uint64_t> done(wiring.events()),
      arrived(wiring.events());  // by send: its message
  std::vector<std::uint64_t> block(wiring.blocks().size()), connection(wiring.connections().size());
  std::uint64_t result = 0;
  for (const Event e : order) {
    const OpEffects effect = effects(wiring[e].op);
    std::uint64_t& now = block[wiring.block_of(e)];
    if (const Event first = wiring.awaited_by(e); first != none) now = std::max(now, done[first]);
    if (effect.receives) now = std::max(now, arrived[wiring.sender_of(e)]);
    if (effect.sends) {
      std::uint64_t& free = connection[wiring.owner(e).out];
      free = arrived[e] = std::max(free, now) + 1;
      result = std::max(result, free);
    }
    done[e] = now;
  }
  return result;
}

}  // namespace schedcc::program
