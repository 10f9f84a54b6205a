#pragma once

// Measurements for claims: checked schedules of the registry, and their transfers.

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "run.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/report.hpp"
#include "schedcc/schedule.hpp"

namespace ledger {

using namespace schedcc;
using run::Case;

/// The report of a case, which must hold in the steps that it promises. Throws InternalError.
const Report& checked(const Case& c);
inline std::uint64_t steps(const Case& c) { return checked(c).steps; }

/// The seconds that a case takes for a message, or blocks, of this size, by the model's own clock.
double seconds(const Case& c, std::uint64_t bytes, const std::string& model);

/// Throws InternalError unless a statement in the text of the ledger is true.
void expect(bool so);

/// A transfer and its step.
struct Sent {
  std::uint64_t step;
  Transfer transfer;
};
/// All transfers of a case, in order, as the algorithm makes them.
std::vector<Sent> transfers(const Case& c);
std::vector<Sent> transfers(const Steps& steps);
/// All hops of a case on a routed machine.
std::vector<Sent> hops(const Case& c);

/// The lower bound on the steps of a problem, whose messages are single chunks.
std::uint64_t least_steps(const std::string& collective, Rank P, const std::string& machine,
                          std::uint32_t K = 1);

/// The specification of a LogP machine.
std::string spec(const LogP& model);
/// LogP models for claims about all of them: L = 0..12, o = 0..5, g = 1..20, L + o > 0.
std::vector<LogP> logp_models();

}  // namespace ledger
