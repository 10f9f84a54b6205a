// LogGP: LogP with a gap per byte, G, for long messages.
//
// A message of b bytes takes 2o + L + (b - 1) G, of which its sender and its receiver are busy for
// o each. The next send begins max(o, g + (b - 1) G) after it, for the processor is free while the
// bytes enter the network, and the gap counts from the last of them. The execution of a schedule is
// in logp_processors.cpp.
//
// Source: Alexandrov, Ionescu, Schauser, Scheiman, LogGP, SPAA 1995; CC, "The LogGP model".

#include "cost/logp_clock.hpp"

namespace schedcc {

namespace {

ExtraTime loggp_extra(const CostModel& model, std::uint64_t bytes) {
  return {bytes == 0 ? 0 : static_cast<double>(bytes - 1) * model.G, false};
}

}  // namespace

extern const CostModelEntry loggp_model;
const CostModelEntry loggp_model{
    .name = "loggp",
    .summary = "a message of b bytes takes 2o + L + (b - 1) G, and messages overlap",
    .source = "CC, The LogGP model",
    .parameters = logp_parameters({.name = "G",
                                   .summary = "time per byte, or a bandwidth",
                                   .kind = Parameter::Kind::gap,
                                   .required = true}),
    .make =
        [](const Parameters& p) {
          CostModel model = logp_model_of(p);
          model.G = p.gap("G");
          return model;
        },
    .reason = reason_against_links,
    .synchronous = logp_synchronous<loggp_extra>,
    .asynchronous = logp_asynchronous<loggp_extra>,
};

}  // namespace schedcc
