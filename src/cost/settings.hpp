#pragma once

// The algorithms of a comparison, and their parameters.

#include <memory>
#include <string>
#include <vector>

#include "cost/search_memory.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/tune.hpp"

namespace schedcc {

/// An algorithm with values for all of its parameters.
struct Setting {
  std::shared_ptr<const Algorithm> algorithm;
  Spec spec;
  Request request = Request();
  bool claim_applies = true;  ///< does the algorithm's claim apply on this machine?
  bool needs_check = false;   ///< must its schedule be checked on this machine?
  /// With needs_check: it delivers the right chunks on any machine with these ports, by design;
  /// only its steps may break the machine's rules.
  bool delivers = false;
  bool needs_agreement = false;  ///< must it pass the check `agreement`, too?

  /// Must the rules on single steps be checked, and what the whole schedule delivers?
  bool needs_rules() const {
    const Channels* const channels = request.machine.channels();
    return needs_check && !(delivers && channels != nullptr && channels->shared());
  }
  bool needs_delivery() const { return needs_check && (!delivers || needs_agreement); }

  /// The algorithm's claim for K chunks.
  CostClaim claim(std::uint64_t K) const;
  /// Do its steps determine the time of K chunks?
  bool time_follows_from_steps(const CostClaim& claim, const CostModel& model) const;
};

/// The settings of the algorithm, with these values of the parameters that `spec` leaves open:
///     texts     all choices, and unset if that is allowed
///     numbers   1..P if the steps determine the time, else 1..64 (1..4 if the schedules have to be
///               checked) and the powers of two above
/// If there are none, `why` has the reason. The machines are those of `memory`.
std::vector<Setting> settings(const TuneRequest& request,
                              std::shared_ptr<const Algorithm> algorithm, const Spec& spec,
                              std::string& why, SearchMemory& memory);

}  // namespace schedcc
