#pragma once

// Does a schedule hold on a machine that its algorithm was not made for? The checks decide.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Called from time to time with the number of transfers processed so far; may throw to stop.
using ProgressCallback = std::function<void(std::uint64_t)>;

/// Schedules with more transfers than this are not checked just to be compared.
inline constexpr std::uint64_t max_checked = std::uint64_t{1} << 26;

/// Why a schedule is not a choice.
struct Failure {
  std::string reason;      ///< "ports: rank 3 sends 2 messages in step 0; ..."
  std::string check = {};  ///< the one that it fails; empty: none, as for one that is too large
};

/// Why the schedule breaks a rule on single steps, of shape, ports or links: "ports: rank 3 sends 2
/// messages in step 0; ..."; none if it keeps them. Examines every step by itself, which is much
/// faster than following the chunks.
std::optional<Failure> broken_rule(const Source& source, const Machine& machine,
                                   const ProgressCallback& progress);

/// Does the root, or rank 0, break the limits of ports in its first steps? Then broken_rule() is
/// not none. A quick test, which makes no step, of a request that the algorithm serves.
bool root_breaks_ports(const Algorithm& algorithm, const Request& request);

/// Why the schedule fails another check; none if it holds, provided that it breaks no rule.
/// `agreement`: must all ranks end with the same expression?
std::optional<Failure> other_failure(const Source& source, const Machine& machine, bool agreement,
                                     const ProgressCallback& progress);

}  // namespace schedcc
