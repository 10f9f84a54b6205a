#include "check/symmetry/sum_stabilizers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace schedcc {

SumStabilizers::SumStabilizers(Rank ranks, std::uint64_t chunks)
    : dimension_(static_cast<unsigned>(std::bit_width(ranks)) - 1),
      chunks_(chunks),
      of_chunks_(Layout<16>(1, chunks)) {
  number({});
}

SumStabilizers::Number SumStabilizers::number(Basis basis) {
  const auto [known, added] =
      numbers_.emplace(std::move(basis), static_cast<Number>(subgroups_.size()));
  if (added) subgroups_.push_back(known->first);
  return known->second;
}

SumStabilizers::Number SumStabilizers::with(Number subgroup, Rank element) {
  Basis basis = subgroups_[subgroup];
  for (const Rank b : basis) element = std::min(element, element ^ b);
  if (element == 0) return subgroup;
  const Rank highest = std::bit_floor(element);
  for (Rank& b : basis) {
    if ((b & highest) != 0) b ^= element;
  }
  basis.push_back(element);
  std::ranges::sort(basis, std::greater<>());
  return number(std::move(basis));
}

void SumStabilizers::add_images(const Run& run, Rank from) {
  of_chunks_.expect(run.count);
  std::vector<std::pair<Run, Number>> pieces;
  of_chunks_.each(0, run, [&](Run piece, Number before) { pieces.emplace_back(piece, before); });
  for (const auto& [piece, before] : pieces) of_chunks_.assign(0, piece, with(before, from));
}

void SumStabilizers::forget(const Run& run) {
  of_chunks_.expect(run.count);
  of_chunks_.assign(0, run, 0);
}

bool SumStabilizers::all_same() const {
  bool same = true;
  const Run all{0, static_cast<std::uint32_t>(chunks_)};
  of_chunks_.each(0, all, [&](Run, Number n) { same &= subgroups_[n].size() == dimension_; });
  return same;
}

}  // namespace schedcc
