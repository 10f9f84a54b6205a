#pragma once

// Checks by an excerpt compared with checks in full, and schedules that are changed in many places.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "catch.hpp"
#include "check/threading.hpp"
#include "random_plans.hpp"
#include "rows.hpp"
#include "schedcc/format.hpp"

namespace excerpts {

using namespace schedcc;
using namespace step_rows;
using agreement::Random;

/// The report, which is required to be the same with an excerpt and in full.
inline std::string same_by_excerpt(const Source& source, const Machine& machine,
                                   const CheckOptions& options = {}) {
  const std::string full =
      to_json(check_steps(source, machine, options, {.threads = 1, .in_full = true}));
  CHECK(to_json(check_steps(source, machine, options, {.threads = 1})) == full);
  return full;
}

inline std::optional<Report> by_excerpt(const Source& source, const Machine& machine,
                                        const CheckOptions& options = {}) {
  return check_by_excerpt(source, machine, options, {.threads = 2});
}

inline bool holds(const std::string& report) {
  return report.find("\"verdict\": \"violated\"") == std::string::npos;
}

/// One of several changes of all transfers that `chosen` selects.
template <typename Chosen>
void change(Rows& steps, const Problem& problem, std::uint32_t kind, Random& random,
            Chosen chosen) {
  const Rank other = random.below(problem.ranks);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t k = 0; k < steps[i].size(); ++k) {
      if (!chosen(i, steps[i][k])) continue;
      Transfer& t = steps[i][k];
      switch (kind) {
        case 0:
          t.dst = other;
          break;
        case 1:
          t.src = other;
          break;
        case 2:
          steps[i].erase(steps[i].begin() + static_cast<std::ptrdiff_t>(k--));
          break;
        case 3:
          steps[i].insert(steps[i].begin() + static_cast<std::ptrdiff_t>(k++), Transfer(t));
          break;
        case 4:
          t.first = (t.first + 1) % problem.chunks;
          break;
        case 5:
          t.reduce = problem.reduction() && t.reduce == 0;
          break;
        case 7:  // to itself
          steps[i].insert(steps[i].begin() + static_cast<std::ptrdiff_t>(k++),
                          copy(t.dst, t.dst, t.first, 1));
          break;
        default:
          if (i + 1 == steps.size()) break;
          steps[i + 1].push_back(t);
          steps[i].erase(steps[i].begin() + static_cast<std::ptrdiff_t>(k--));
          return;
      }
    }
  }
}

}  // namespace excerpts
