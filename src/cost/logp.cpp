// LogP: latency L, overhead o, gap g, for messages of one packet.
//
// A message of n packets takes 2o + L + (n - 1) max(g, o): packets follow one another at the gap.
// Without `packet` every message is one packet, whatever its size. The execution of a schedule is
// in logp_processors.cpp.
//
// Source: BL, "The LogP Model"; CC, "The LogP model".

#include <algorithm>

#include "cost/logp_clock.hpp"

namespace schedcc {

namespace {

ExtraTime logp_extra(const CostModel& model, std::uint64_t bytes) {
  if (model.packet == 0 || bytes <= model.packet) return {0, true};
  const std::uint64_t packets = (bytes - 1) / model.packet + 1;
  return {static_cast<double>(packets - 1) * std::max(model.g, model.o), true};
}

}  // namespace

extern const CostModelEntry logp_model;
const CostModelEntry logp_model{
    .name = "logp",
    .summary = "a message of n packets takes 2o + L + (n - 1) max(g, o), and messages overlap",
    .source = "BL, The LogP Model; CC, The LogP model",
    .parameters =
        logp_parameters({.name = "packet",
                         .summary = "bytes of a packet (default: every message is one packet)",
                         .kind = Parameter::Kind::size}),
    .make =
        [](const Parameters& p) {
          CostModel model = logp_model_of(p);
          model.packet = p.has("packet") ? p.size("packet") : 0;
          return model;
        },
    .reason = reason_against_links,
    .synchronous = logp_synchronous<logp_extra>,
    .asynchronous = logp_asynchronous<logp_extra>,
};

}  // namespace schedcc
