#include "program/sum_error.hpp"

#include <fmt/core.h>

namespace schedcc::program {

std::string sum_error(Contributions& contributions, Contributions::Id has,
                      Contributions::Id wanted) {
  RankSets& sets = contributions.sets();
  const auto first = [&](RankSets::Id ranks) { return sets.hull(ranks).first; };
  if (contributions.counts_twice(has)) {
    return fmt::format("the contribution of rank {} is counted twice",
                       first(contributions.twice(has)));
  }
  const RankSets::Id ranks = contributions.ranks(has), all = contributions.ranks(wanted);
  if (const RankSets::Id more = sets.subtract(ranks, all); more != RankSets::empty) {
    return fmt::format("the contribution of rank {} is in it", first(more));
  }
  return fmt::format("the contribution of rank {} is missing", first(sets.subtract(all, ranks)));
}

}  // namespace schedcc::program
