#pragma once

// The clock of LogP and LogGP, which differ only in the time of a message longer than a packet.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/clock.hpp"

namespace schedcc {

/// The time of a message beyond that of one packet (LogP) or one byte (LogGP): its last part is
/// sent that much later, and no other may be sent or received for that much longer.
struct ExtraTime {
  double time;
  bool busy;  ///< the processor is occupied meanwhile, in calls of either kind
};
using ExtraOf = ExtraTime (*)(const CostModel& model, std::uint64_t bytes);

/// `record`: keep the critical path.
std::unique_ptr<Clock> logp_asynchronous(const CostModel& model, const Machine& machine,
                                         ExtraOf extra, bool record);
/// The same with Receive::arrival.
std::unique_ptr<Clock> logp_arrival(const CostModel& model, const Machine& machine, ExtraOf extra,
                                    bool record);
/// nullptr for logp machines, whose steps are cycles.
std::unique_ptr<Clock> logp_synchronous(const CostModel& model, const Machine& machine,
                                        ExtraOf extra);
/// Both for the entry of a model.
template <ExtraOf extra>
std::unique_ptr<Clock> logp_asynchronous(const CostModel& model, const Machine& machine,
                                         bool record) {
  return logp_asynchronous(model, machine, extra, record);
}
template <ExtraOf extra>
std::unique_ptr<Clock> logp_synchronous(const CostModel& model, const Machine& machine) {
  return logp_synchronous(model, machine, extra);
}

/// L, o and g, which are required, and one further parameter.
std::vector<Parameter> logp_parameters(Parameter more);
/// A model with their values.
CostModel logp_model_of(const Parameters& parameters);

/// Both refuse machines with links.
std::optional<std::string> reason_against_links(const Machine& machine);

}  // namespace schedcc
