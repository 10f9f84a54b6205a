// The facts for the counting arguments: the question in numbers, as JSON (docs/prover.md).

#include <fmt/core.h>

#include "core/join.hpp"
#include "prove/sat/bounds/counting.hpp"

namespace schedcc::prover {

std::string counting_facts(const Instance& instance, const std::vector<Delivery>& chunks) {
  std::string arcs, channels, wants;
  for (const Arc& arc : instance.arcs) {
    arcs += fmt::format("{}[{}, {}, {}]", arcs.empty() ? "" : ", ", arc.from, arc.to,
                        arc.capacity.value());
  }
  // The messages that each channel carries, and the arcs that take it.
  std::vector<std::vector<std::size_t>> takers(instance.channels.size());
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    for (const std::size_t channel : instance.arcs[a].channels) takers[channel].push_back(a);
  }
  for (std::size_t channel = 0; channel < takers.size(); ++channel) {
    channels +=
        fmt::format(R"({}{{"messages": {}, "arcs": [{}]}})", channels.empty() ? "" : ",\n  ",
                    instance.channels[channel], join(takers[channel], ", "));
  }
  for (const Delivery& chunk : chunks) {
    wants += fmt::format(R"({}{{"sources": [{}], "goals": [{}]}})", wants.empty() ? "" : ", ",
                         join(chunk.sources, ", "), join(chunk.goals, ", "));
  }
  std::string limits;
  if (instance.ports) {
    limits = fmt::format(", \"ports\": [{}, {}, {}]", instance.ports->send, instance.ports->receive,
                         instance.ports->both);
  }
  if (instance.logp) {
    limits = fmt::format(R"(, "latency": {}, "spacing": {})", instance.logp->latency(),
                         instance.logp->spacing());
  }
  if (!channels.empty()) limits += fmt::format(",\n \"channels\": [{}]", channels);
  return fmt::format(
      "{{\"steps\": {}, \"extra_rounds\": {}, \"nodes\": {}, \"ranks\": {}{},\n \"arcs\": [{}],\n"
      " \"chunks\": [{}]}}",
      instance.steps, instance.extra_rounds, instance.nodes, instance.ranks, limits, arcs, wants);
}

}  // namespace schedcc::prover
