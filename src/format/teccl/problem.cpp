// TE-CCL's files do not name their collective. An allgather demands every chunk at all GPUs but its
// source; in an alltoall chunk c of a source goes to GPU c mod P, in the order of the GPUs. Demands
// of any other form make a custom collective.

#include "format/teccl/problem.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/core.h>

namespace schedcc::teccl {

namespace {

/// "1-2, 4", of ascending numbers; at most eight ranges of them.
std::string ranges_text(const std::vector<std::uint32_t>& numbers) {
  std::string result;
  std::size_t ranges = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (ranges++ > 0) result += ", ";
    if (ranges > 8) return result + "...";
    result +=
        last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return result;
}

/// Throws InputError for a duplicate demand, or one at the GPU that starts with the chunk.
void check_demands(const Document& document, const std::string& file) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  for (const Document::Demand& demand : document.demands) {
    if (demand.gpu == demand.source) {
      fail(file, demand.at, fmt::format("GPU {} demands a chunk of its own", demand.gpu));
    }
    if (!seen.emplace(demand.gpu, demand.source, demand.chunk).second) {
      fail(file, demand.at,
           fmt::format("duplicate demand at {} for chunk {} from {}", demand.gpu, demand.chunk,
                       demand.source));
    }
  }
}

}  // namespace

Gpus::Gpus(const Document& document, const std::string& file) {
  for (const Document::Demand& demand : document.demands) {
    ids_.push_back(demand.gpu);
    ids_.push_back(demand.source);
  }
  for (const Hop& hop : document.hops) {
    ids_.push_back(hop.from);
    ids_.push_back(hop.to);
  }
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  for (const Hop& hop : document.hops) {
    for (const std::uint32_t id : document.switches[hop.via]) {
      if (std::ranges::binary_search(ids_, id))
        fail(file, hop.at, fmt::format("node {} is both a switch and a GPU", id));
    }
  }
}

Rank Gpus::rank(std::uint32_t id) const {
  return static_cast<Rank>(std::ranges::lower_bound(ids_, id) - ids_.begin());
}

std::string Gpus::renumbered() const {
  if (ids_.empty() || ids_.back() + std::size_t{1} == ids_.size()) return {};
  return fmt::format("ranks 0-{} are the GPUs {}", ids_.size() - 1, ranges_text(ids_));
}

TecclProblem::TecclProblem(const Document& document, const Gpus& gpus, std::uint64_t parts,
                           const std::string& file)
    : gpus_(gpus), parts_(parts) {
  check_demands(document, file);
  const std::uint64_t ranks = gpus.count(), pairs = ranks * (ranks - 1);
  const std::uint64_t demands = document.demands.size();
  of_rank_ = demands % pairs == 0 ? demands / pairs : 0;  // or of a pair
  problem_.ranks = gpus.count();
  std::uint64_t total = 0;
  if (of_rank_ != 0 && is_allgather(document)) {
    problem_.collective = Collective::allgather;
    total = of_rank_ * ranks * parts;
  } else if (of_rank_ != 0 && is_alltoall(document)) {
    problem_.collective = Collective::alltoall;
    total = of_rank_ * ranks * ranks * parts;
  } else {
    problem_ = custom_problem(problem_.ranks, 0);
    for (const Document::Demand& demand : document.demands)
      numbers_.emplace(std::pair(demand.source, demand.chunk), 0);
    total = numbers_.size() * parts;
  }
  if (total >= UINT32_MAX) {
    fail(file, document.begin,
         fmt::format("the volumes need {} parts of each chunk, which are {} chunks, and there can "
                     "be at most {}",
                     parts, total, UINT32_MAX - 1));
  }
  problem_.chunks = static_cast<std::uint32_t>(of_rank_ * parts);
  if (problem_.declared()) make_custom(document);
}

/// Given that there are of_rank_ demands for each pair of GPUs.
bool TecclProblem::is_allgather(const Document& document) const {
  return std::ranges::all_of(
      document.demands, [&](const Document::Demand& demand) { return demand.chunk < of_rank_; });
}

bool TecclProblem::is_alltoall(const Document& document) const {
  const std::uint64_t ranks = gpus_.count();
  return std::ranges::all_of(document.demands, [&](const Document::Demand& demand) {
    return demand.chunk < of_rank_ * ranks && demand.chunk % ranks == gpus_.rank(demand.gpu);
  });
}

void TecclProblem::make_custom(const Document& document) {
  Chunk next = 0;
  std::map<Rank, std::vector<Run>> pre, post;
  const auto parts = static_cast<std::uint32_t>(parts_);
  for (auto& [chunk, number] : numbers_) {
    number = next;
    pre[gpus_.rank(chunk.first)].push_back({next, parts});
    next += parts;
  }
  for (const Document::Demand& demand : document.demands)
    post[gpus_.rank(demand.gpu)].push_back({first(demand), parts});
  const auto holdings = [](std::map<Rank, std::vector<Run>>& runs) {
    std::vector<Holding> result;
    result.reserve(runs.size());
    for (auto& [rank, of_rank] : runs) result.push_back({rank, std::move(of_rank)});
    return result;
  };
  problem_ = custom_problem(problem_.ranks, next, holdings(pre), holdings(post));
}

Chunk TecclProblem::first(const Document::Demand& demand) const {
  const std::uint64_t ranks = gpus_.count();
  const std::uint64_t source = gpus_.rank(demand.source);
  if (problem_.collective == Collective::allgather)
    return static_cast<Chunk>((source * of_rank_ + demand.chunk) * parts_);
  if (problem_.collective == Collective::alltoall) {
    const std::uint64_t pair = source * ranks + gpus_.rank(demand.gpu);
    return static_cast<Chunk>((pair * of_rank_ + demand.chunk / ranks) * parts_);
  }
  return numbers_.at({demand.source, demand.chunk});
}

}  // namespace schedcc::teccl
