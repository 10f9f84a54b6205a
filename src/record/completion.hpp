#pragma once

// Whether every rank reached the end of a collective, and if not, why.

#include <string>
#include <string_view>
#include <vector>

#include "record/logs.hpp"
#include "schedcc/report.hpp"

namespace schedcc::record {

/// The check by this name.
inline constexpr std::string_view completion_check = "completion";

/// What keeps an execution from its end: errors and signals, or the calls in which ranks wait, and
/// the cycle that they form. None if it has ended.
std::vector<Finding> incomplete_ranks(const Execution& execution, const std::vector<Log>& logs);

/// Why it is not known what keeps an execution from its end; empty if it is known.
std::string unknown_completion(const Execution& execution, const std::vector<Log>& logs);

/// "rank 3 was killed by signal 11 (Segmentation fault)": what a process ended with; empty if that
/// is not known to be a failure. `rank`: as it is to be called.
std::string failure(const State& state, std::int64_t rank);

/// That events of a rank were lost, in words.
std::string no_space(std::int64_t rank);

}  // namespace schedcc::record
