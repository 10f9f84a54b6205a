// Compositions: split(n, X), n instances at once.
//
// Instance i has chunks floor(i K / n), ..., floor((i + 1) K / n) - 1 of the K (of each block), and
// its rank v is rank v + floor(i P / n) mod P; under a root, which is the same for all, the others
// rotate among themselves. In a scan, and if the operator does not commute, ranks are not renamed.
// Each instance uses ports of its own, which the machine has to have.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition/parts.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using namespace compositions;

/// The chunks first, ..., end - 1 of the whole, or of each of its blocks, that an instance has, and
/// its ranks.
struct Instance {
  std::uint64_t first, end;
  std::uint64_t ranks, root, blocks, K;  ///< of the whole
  bool rooted;
  std::uint64_t turn;  ///< how far the ranks, without a root, are rotated

  Instance(const Problem& whole, std::uint64_t i, std::uint64_t n)
      : first(i * whole.chunks / n),
        end((i + 1) * whole.chunks / n),
        ranks(whole.ranks),
        root(whole.root),
        blocks(static_cast<std::uint64_t>(info(whole.collective).blocks)),
        K(whole.chunks),
        rooted(whole.rooted()),
        turn(i * (whole.ranks - (rooted ? 1 : 0)) / n) {
    const bool by_rank =
        whole.collective == Collective::scan || whole.collective == Collective::exscan;
    if (by_rank || whole.ordered) turn = 0;
  }

  /// The rank of the whole that acts as rank v.
  std::uint64_t rank(std::uint64_t v) const {
    if (!rooted) return (v + turn) % ranks;
    if (v == root || ranks == 1) return v;
    const std::uint64_t from_root = v > root ? v - root : v + ranks - root;
    return (root + 1 + (from_root - 1 + turn) % (ranks - 1)) % ranks;
  }

  std::uint64_t block(std::uint64_t b) const {
    if (blocks == 0) return b;
    return blocks == 1 ? rank(b) : rank(b / ranks) * ranks + rank(b % ranks);
  }

  /// Appends a transfer of the instance as one of the whole: a run of each block of its own.
  void append(const Transfer& run, Transfers& out) const {
    const std::uint64_t own = end - first;
    const std::uint64_t last = std::uint64_t{run.first} + run.count;
    for (std::uint64_t chunk = run.first, next = 0; chunk < last; chunk = next) {
      next = blocks == 0 ? last : std::min(last, (chunk / own + 1) * own);
      const std::uint64_t b = blocks == 0 ? 0 : chunk / own;
      Transfer& t = out.emplace_back(run);
      t.src = static_cast<Rank>(rank(run.src));
      t.dst = static_cast<Rank>(rank(run.dst));
      t.first = static_cast<Chunk>(block(b) * K + first + chunk - b * own);
      t.count = static_cast<std::uint32_t>(next - chunk) & max_transfer_count;
    }
  }
};

AlgorithmPart instance_part(const Algorithm& x, const Request& r, std::uint64_t i,
                            std::uint64_t n) {
  AlgorithmPart part{x, r};
  const Instance instance(r.problem, i, n);
  // What needs a chunk for each instance may be asked for a claim with fewer.
  part.request.problem.chunks =
      std::max(static_cast<std::uint32_t>(instance.end - instance.first), 1u);
  return part;
}

/// The instances that differ in their number of chunks: the first and the last.
std::vector<AlgorithmPart> different_instances(const Algorithm& x, const Request& r,
                                               std::uint64_t n) {
  return {instance_part(x, r, 0, n), instance_part(x, r, n - 1, n)};
}

Steps split_steps(const Algorithm& x, const Request& r, std::uint64_t n) {
  std::vector<Steps> all;
  for (std::uint64_t i = 0; i < n; ++i) {
    Steps steps = x.steps(instance_part(x, r, i, n).request);
    const std::uint64_t size = steps.size();
    all.emplace_back(size, [steps = std::move(steps), instance = Instance(r.problem, i, n)](
                               std::uint64_t row, Transfers& out) {
      Transfers whole;
      const std::uint64_t number = steps.fill(row, whole);
      for (const Transfer& run : whole) instance.append(run, out);
      return number;
    });
  }
  return parallel(std::move(all));
}

/// The larger of the claims of instances; what messages carry together is not known.
CostClaim split_claim(const std::vector<AlgorithmPart>& parts) {
  CostClaim result{.steps = 0};
  for (const AlgorithmPart& part : parts) {
    const CostClaim claim = part.algorithm.claim(part.request);
    result.steps = std::max(result.steps, claim.steps);
    result.exact &= claim.exact;
    result.idle |= claim.idle;
  }
  return result;
}

}  // namespace

Algorithm split(std::uint64_t n, const Algorithm& x) {
  if (x.hops) {
    throw InputError(
        fmt::format("split renames ranks, and '{}' sends over links, hop by hop", x.name));
  }
  const auto parts = [n, x](const Request& r) { return different_instances(x, r, n); };
  AlgorithmEntry entry{
      .collectives = x.collectives,
      .fits = [](const Request&) { return false; },
      .reason = [n, parts](const Request& r) -> std::optional<std::string> {
        if (r.problem.chunks < n) {
          return fmt::format("its {} instances need a chunk each{}: at least --chunks {}, not {}",
                             n, r.problem.in_blocks() ? " of every block" : "", n,
                             r.problem.chunks);
        }
        return first_refusal(parts(r));
      },
      .build = [n, x](const Request& r) { return split_steps(x, r, n); },
      .claim = [parts](const Request& r) { return split_claim(parts(r)); },
      .choose = [parts](const Request& r) { return chosen_by({parts(r).front()}); },
      .parts = parts,
  };
  return composed(fmt::format("split({}, {})", n, x.name), std::string(x.source), machines_of(x),
                  std::move(entry));
}

}  // namespace schedcc
