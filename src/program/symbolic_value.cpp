#include "program/symbolic_value.hpp"

#include <utility>

#include <fmt/core.h>

#include "core/more_like_it.hpp"

namespace schedcc::program {

SymbolicValue SymbolicData::start(Rank rank, Chunk chunk) {
  const Expressions::Id sum =
      problem_.reduced(chunk) ? expressions_.only(rank) : Expressions::value;
  return {ends_.start(rank, chunk), chunk, 0, false, sum};
}

SymbolicValue SymbolicData::goal(Rank rank, Chunk chunk) {
  return {ends_.goal(rank, chunk), chunk};
}

bool SymbolicData::combine(SymbolicValue& into, const SymbolicValue& with) {
  const bool valid = !into.empty() && !with.empty() && !into.invalid && !with.invalid;
  if (valid && problem_.reduced(into.chunk) && into.chunk == with.chunk && into.part == with.part) {
    into.id = contributions_.unite(into.id, with.id);
    into.sum = expressions_.add(into.sum, with.sum);
    return true;
  }
  into = {Contributions::value, into.chunk, into.part, true};
  return !valid;
}

std::string SymbolicData::error(const SymbolicValue& value, const SymbolicValue& wanted) {
  if (value.empty()) return "the location was never written";
  if (value.invalid) return "different data were combined";
  if (value.chunk != wanted.chunk) return fmt::format("it holds chunk {}", value.chunk);
  if (value.part != wanted.part) return "it holds another part of the chunk";
  return sum_error(value.id, wanted.id);
}

/// The first contribution that is counted twice, in the sum and not wanted, or missing.
std::string SymbolicData::sum_error(Contributions::Id has, Contributions::Id wanted) {
  RankSets& sets = contributions_.sets();
  const auto first = [&](RankSets::Id ranks) { return sets.hull(ranks).first; };
  if (contributions_.counts_twice(has)) {
    return fmt::format("the contribution of rank {} is counted twice",
                       first(contributions_.twice(has)));
  }
  const RankSets::Id ranks = contributions_.ranks(has), all = contributions_.ranks(wanted);
  if (const RankSets::Id more = sets.subtract(ranks, all); more != RankSets::empty) {
    return fmt::format("it includes the contribution of rank {}, which does not belong to it",
                       first(more));
  }
  return fmt::format("the contribution of rank {} is missing", first(sets.subtract(all, ranks)));
}

void FinalSums::add(Rank gpu, const SymbolicValue& value) {
  const std::uint64_t key = std::uint64_t{value.chunk} << 32 | value.part;
  Ends& ends = ends_.try_emplace(key, Ends{gpu, gpu, value.sum, value.sum}).first->second;
  if (ends.sum != ends.other || ends.sum == value.sum) return;
  ends.other = value.sum;
  ends.other_gpu = gpu;
}

std::optional<Disagreement> FinalSums::disagreement(const SymbolicData& data) const {
  const std::pair<const std::uint64_t, Ends>* first = nullptr;
  for (const auto& entry : ends_) {
    if (entry.second.sum == entry.second.other) continue;
    if (first == nullptr || entry.first < first->first) first = &entry;
  }
  if (first == nullptr) return std::nullopt;
  const Ends& ends = first->second;
  return Disagreement{static_cast<Chunk>(first->first >> 32), ends.gpu, ends.other_gpu,
                      difference(data.expressions(), ends.sum, ends.other)};
}

std::string explain(const InvalidUse& use, std::string_view who, std::string_view where) {
  switch (use.kind) {
    case InvalidUse::Kind::reads_nothing:
      return fmt::format("{} reads {}, where nothing has been written", who, where);
    case InvalidUse::Kind::combines:
      return fmt::format("{} combines different data, with those at {}", who, where);
    case InvalidUse::Kind::writes_input:
      break;
  }
  return fmt::format("{} overwrites {} of the caller's input", who, where);
}

std::string explain(const WrongEnd& end, std::string_view suffix) {
  return fmt::format("GPU {} ends with a wrong chunk {} in {}: {}{}{}", end.gpu, end.chunk,
                     to_text(end.slot), end.why, suffix, more_like_it(end.count - 1));
}

std::string explain(const Disagreement& disagreement) {
  return fmt::format("GPUs {} and {} end with different sums of chunk {}: {}", disagreement.first,
                     disagreement.other, disagreement.chunk, disagreement.difference.text());
}

}  // namespace schedcc::program
