#pragma once

// Schedules in which all ranks do the same, and what is reported of them with and without that.

#include <string>
#include <utility>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/symmetry/symmetry.hpp"
#include "check/threading.hpp"
#include "random_plans.hpp"
#include "rows.hpp"
#include "schedcc/format.hpp"

namespace symmetric {

using namespace agreement;
using namespace step_rows;

inline std::string report_of(const Source& source, const Machine& machine,
                             const CheckOptions& options, bool by_symmetry) {
  try {
    return to_json(check_steps(source, machine, options, {.threads = 1, .in_full = !by_symmetry}));
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

/// The outcome, which is required to be the same with and without symmetry.
inline std::string same_by_symmetry(const Source& source, const Machine& machine,
                                    const CheckOptions& options = {}) {
  const std::string alone = report_of(source, machine, options, false);
  CHECK(report_of(source, machine, options, true) == alone);
  return alone;
}

inline bool is_violated(const std::string& report) {
  return report.find("\"verdict\": \"violated\"") != std::string::npos;
}

inline Source source_of_case(const Case& c) {
  return from_algorithm(*c.algorithm, c.request, "algorithm");
}

/// Is it checked by symmetry?
inline bool seen(const std::string& spec, Collective collective, Rank ranks, std::uint32_t chunks) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.chunks = chunks;
  const Source source = from_algorithm(spec, problem);
  const Machine machine = make_machine(source.machine, ranks);
  const auto report = check_by_symmetry(source, machine, {});
  if (report) CHECK(to_json(*report) == report_of(source, machine, {}, false));
  return report.has_value();
}

inline Transfer image(const Symmetry& symmetry, Rank by, Transfer t) {
  t.src = symmetry.rename(by, t.src);
  t.dst = symmetry.rename(by, t.dst);
  t.first = symmetry.rename(by, Run{t.first, t.count}).first;
  return t;
}

/// A transfer of rank 0 whose images are transfers.
inline Transfer random_seed(const Symmetry& symmetry, bool reduces, Random& random) {
  for (;;) {
    Transfer t = copy(0, random.below(symmetry.ranks()), random.below(symmetry.chunks()),
                      1 + random.below(random.one_in(3) ? symmetry.chunks() : 2));
    t.reduce = reduces && !random.one_in(4);
    if (end(Run{t.first, t.count}) <= symmetry.chunks() && symmetry.keeps({t.first, t.count}))
      return t;
  }
}

/// All images of some transfers, in one of the two orders.
inline Transfers orbits(const Symmetry& symmetry, const Transfers& seeds, bool by_orbits) {
  Transfers result;
  const Rank P = symmetry.ranks();
  for (std::size_t i = 0; i < seeds.size() * P; ++i) {
    const auto by = static_cast<Rank>(by_orbits ? i % P : i / seeds.size());
    result.push_back(image(symmetry, by, seeds[by_orbits ? i / P : i % seeds.size()]));
  }
  return result;
}

/// Up to `most` steps, of up to three random seeds each.
inline Rows random_rows(const Symmetry& symmetry, std::uint32_t most, bool reduces,
                        Random& random) {
  Rows rows;
  for (std::uint32_t n = 1 + random.below(most); n > 0; --n) {
    Transfers seeds;
    for (std::uint32_t m = 1 + random.below(3); m > 0; --m)
      seeds.push_back(random_seed(symmetry, reduces, random));
    rows.push_back(orbits(symmetry, seeds, random.one_in(2)));
  }
  return rows;
}

/// The rows of a step's transfers of rank 0, if sender by sender.
inline Transfers seeds_of(const Transfers& step) {
  Transfers seeds;
  for (const Transfer& t : step) {
    if (t.src == 0) seeds.push_back(t);
  }
  return seeds;
}

/// Changes a symmetric schedule into another one: wrong in the same way at all ranks.
inline void change_everywhere(Rows& rows, const Symmetry& symmetry, bool reduces, Random& random) {
  const std::size_t at = random.below(rows.size());
  Transfers seeds = seeds_of(rows[at]);
  if (seeds.empty()) return;
  Transfer& seed = seeds[random.below(seeds.size())];
  switch (random.below(8)) {
    case 0:
      std::swap(rows[at], rows[random.below(rows.size())]);
      return;
    case 1:
      if (rows.size() > 1) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 2:
      rows.insert(rows.begin() + random.below(rows.size()), Transfers(rows[at]));
      return;
    case 3:
      seed.dst = symmetry.rename(1 + random.below(symmetry.ranks() - 1), seed.dst);
      break;
    case 4:
      seed.first = symmetry.rename(random.below(symmetry.ranks()), {seed.first, seed.count}).first;
      break;
    case 5:
      seeds.push_back(Transfer(seed));
      break;
    case 6:
      seeds.push_back(random_seed(symmetry, reduces, random));
      break;
    default:
      seed.reduce = reduces && seed.reduce == 0;
      break;
  }
  rows[at] = orbits(symmetry, seeds, random.one_in(2));
}

}  // namespace symmetric
