#include "algorithm/torus_trees.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "algorithm/local.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

TorusTrees::TorusTrees(TorusSides sides, bool mirrored, std::uint64_t steps,
                       std::vector<OffsetTree> trees)
    : sides_(std::move(sides)),
      mirrored_(mirrored),
      ranks_(trees.front().parent.size()),
      steps_(steps),
      trees_(std::move(trees)) {
  require_memory_for_ranks(ranks_, (sides_.size() + 3 * trees_.size()) * sizeof(Rank), "a torus");
  const TorusCoordinates coordinates(sides_);
  for (Rank r = 0; r < ranks_; ++r) {
    for (std::size_t e = 0; e < sides_.size(); ++e) places_.push_back(coordinates.of(r, e));
  }
  for (const OffsetTree& tree : trees_) {
    auto& rows = receivers_.emplace_back(steps_);
    for (Rank x = 1; x < ranks_; ++x) rows[tree.step[x]].push_back(x);
    // What a rank receives of one sender follows one another. All ranks are alike.
    const auto sender = [&](Rank x) { return rank(owner(0, x), tree.parent[x]); };
    for (auto& row : rows) std::ranges::stable_sort(row, {}, sender);
  }
}

Rank TorusTrees::moved(const Rank* owner, const Rank* offset) const {
  std::uint64_t result = 0;
  for (std::size_t e = 0; e < sides_.size(); ++e) {
    const std::uint64_t side = sides_[e];
    const bool down = mirrored_ && owner[e] % 2 == 1;
    const std::uint64_t sum = std::uint64_t{owner[e]} + (down ? side - offset[e] : offset[e]);
    result = result * side + (sum >= side ? sum - side : sum);
  }
  return static_cast<Rank>(result);
}

Rank TorusTrees::rank(Rank owner, Rank offset) const {
  const std::size_t D = sides_.size();
  return moved(&places_[owner * D], &places_[offset * D]);
}

Rank TorusTrees::owner(Rank rank, Rank offset) const {
  const std::size_t D = sides_.size();
  std::uint64_t result = 0;
  for (std::size_t e = 0; e < D; ++e) {
    const std::uint64_t side = sides_[e], at = places_[rank * D + e], x = places_[offset * D + e];
    const bool down = mirrored_ && (at + x) % 2 == 1;  // the owner's coordinate is odd
    const std::uint64_t sum = at + (down ? x : side - x);
    result = result * side + (sum >= side ? sum - side : sum);
  }
  return static_cast<Rank>(result);
}

namespace {

/// The first `most` blocks of a vector, those that are not empty, ascending.
std::vector<Rank> filled_blocks(std::uint64_t total, std::uint64_t blocks, Rank most) {
  std::vector<Rank> result;
  if (total >= blocks) {
    result.resize(most);
    std::iota(result.begin(), result.end(), Rank{0});
    return result;
  }
  for (std::uint64_t c = 0; c < total; ++c) {  // block b ends at floor((b + 1) total / blocks)
    const auto block = static_cast<Rank>(((c + 1) * blocks - 1) / total);
    if (block < most) result.push_back(block);
  }
  return result;
}

}  // namespace

/// The copies of a part in a step. Offsets in the last dimension are added without dividing; those
/// in the others are added once for all ranks that differ in the last one only.
class TorusTrees::Row {
 public:
  Row(const TorusTrees& trees, std::size_t part, std::uint64_t step)
      : trees_(trees), side_(trees.sides_.empty() ? 1 : trees.sides_.back()) {
    const OffsetTree& tree = trees.trees_[part];
    for (const Rank x : trees.receivers_[part][step])
      moves_.push_back({x, tree.parent[x], last(x), last(tree.parent[x]), 0, 0});
  }

  std::size_t size() const { return moves_.size(); }

  /// All of them, by receiver.
  void append(const std::vector<Run>& runs, Transfers& out) {
    out.reserve(out.size() + trees_.ranks_ * moves_.size());
    for (std::uint64_t line = 0; line < trees_.ranks_; line += side_) {
      move_line(line);
      for (std::uint64_t at = 0; at < side_; ++at) {
        for (const Move& move : moves_) append(move, line, at, runs, out);
      }
    }
  }

  /// Those of some blocks, in the same order: counted by receiver, then put in their places.
  void append(const std::vector<Rank>& blocks, const std::vector<Run>& runs, Transfers& out) {
    std::vector<Rank> receivers;
    receivers.reserve(blocks.size() * moves_.size());
    std::vector<std::uint32_t> next(trees_.ranks_ + 1);  // by receiver: where its next copy goes
    for (const Move& move : moves_) {
      for (const Rank block : blocks)
        ++next[receivers.emplace_back(trees_.rank(block, move.offset)) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    const std::size_t before = out.size();
    out.resize(before + receivers.size());
    auto to = receivers.cbegin();
    for (const Move& move : moves_) {
      for (const Rank block : blocks) {
        const Run& run = runs[block];
        out[before + next[*to]++] =
            copy(trees_.rank(block, move.parent), *to, run.first, run.count);
        ++to;
      }
    }
  }

 private:
  /// An offset and its parent, their last coordinates, and the first ranks of the lines in which
  /// are, for receivers of a line, the owner of the block and the sender.
  struct Move {
    Rank offset, parent, last, parent_last;
    std::uint64_t owner_line, sender_line;
  };

  Rank last(Rank offset) const { return static_cast<Rank>(offset % side_); }

  /// For receivers line .. line + side - 1.
  void move_line(std::uint64_t line) {
    const auto first = static_cast<Rank>(line);
    for (Move& move : moves_) {
      const Rank owner = trees_.owner(first, move.offset - move.last);
      move.owner_line = owner;
      move.sender_line = trees_.rank(owner, move.parent - move.parent_last);
    }
  }

  void append(const Move& move, std::uint64_t line, std::uint64_t at, const std::vector<Run>& runs,
              Transfers& out) const {
    const bool down = trees_.mirrored_ && (at + move.last) % 2 == 1;  // the owner's is odd
    const std::uint64_t owner = wrapped(at + (down ? move.last : side_ - move.last));
    const std::uint64_t sender =
        wrapped(owner + (down ? side_ - move.parent_last : move.parent_last));
    send_run(out, move.sender_line + sender, line + at, runs[move.owner_line + owner]);
  }

  std::uint64_t wrapped(std::uint64_t sum) const { return sum >= side_ ? sum - side_ : sum; }

  const TorusTrees& trees_;
  std::uint64_t side_;  ///< of the last dimension
  std::vector<Move> moves_;
};

void TorusTrees::copies(std::uint64_t step, std::uint64_t total, std::uint64_t blocks,
                        Transfers& out) const {
  const std::vector<Rank> filled = filled_blocks(total, blocks, static_cast<Rank>(ranks_));
  std::vector<Run> runs(ranks_);
  std::vector<Rank> some;  // blocks whose part is not empty
  for (std::size_t p = 0; p < trees_.size(); ++p) {
    some.clear();
    for (const Rank b : filled) {
      runs[b] = vector_block(total, blocks, b);
      if (trees_.size() > 1) {
        const Run part = vector_block(runs[b].count, trees_.size(), p);
        runs[b] = {runs[b].first + part.first, part.count};
      }
      if (runs[b].count > 0) some.push_back(b);
    }
    Row row(*this, p, step);
    // To place a copy takes about as long as to leave out some.
    if (8 * some.size() < ranks_) {
      row.append(some, runs, out);
    } else {
      row.append(runs, out);
    }
  }
}

std::uint64_t TorusTrees::volume(std::uint64_t K) const {
  std::uint64_t result = 0;
  for (std::uint64_t t = 0; t < steps_; ++t) {
    std::map<Rank, std::uint64_t> received;  // by rank 0, from each sender: all ranks are alike
    for (std::size_t p = 0; p < trees_.size(); ++p) {
      const std::uint64_t part = (p + 1) * K / trees_.size() - p * K / trees_.size();
      for (const Rank x : receivers_[p][t]) {
        received[rank(owner(0, x), trees_[p].parent[x])] += part;
      }
    }
    std::uint64_t largest = 0;
    for (const auto& [sender, chunks] : received) largest = std::max(largest, chunks);
    result += largest;
  }
  return result;
}

std::optional<std::string> TorusTrees::order(
    const std::function<std::uint64_t(Rank)>& chunks) const {
  std::vector<Contributions> sums(ranks_);  // by offset
  for (std::size_t p = 0; p < trees_.size(); ++p) {
    for (Rank owner = 0; owner < ranks_; ++owner) {
      if (vector_block(chunks(owner), trees_.size(), p).count == 0) continue;
      for (Rank x = 0; x < ranks_; ++x) {
        const Rank r = rank(owner, x);
        sums[x] = {r, r, 1};
      }
      for (std::uint64_t t = steps_; t-- > 0;) {
        for (const Rank x : receivers_[p][t]) {
          const Contributions& sent = sums[x];
          if (!sent.is_interval()) {
            return fmt::format(
                "rank {} would send {} contributions to block {} between ranks {} and {} that are "
                "not an interval of ranks",
                rank(owner, x), sent.count, owner, sent.low, sent.high);
          }
          sums[trees_[p].parent[x]].add(sent);
        }
      }
    }
  }
  return std::nullopt;
}

OffsetTree grown_tree(std::uint64_t P, std::uint64_t steps, const Neighbours& neighbours) {
  OffsetTree result(P);
  std::vector<Rank> in_tree{0}, found;
  std::vector<bool> known(P);
  known[0] = true;
  for (std::uint64_t i = steps; i-- > 0;) {
    for (std::size_t k = 0, before = in_tree.size(); k < before; ++k) {
      const Rank x = in_tree[k];
      found.clear();
      neighbours(x, i, found);
      for (const Rank y : found) {
        if (known[y]) continue;
        known[y] = true;
        result.parent[y] = x;
        result.step[y] = static_cast<std::uint32_t>(steps - 1 - i);
        in_tree.push_back(y);
      }
    }
  }
  if (in_tree.size() != P)
    throw InternalError(fmt::format("a tree has {} of {} ranks", in_tree.size(), P));
  return result;
}

Steps torus_collective(const Request& request, SharedTrees trees) {
  const std::uint64_t total = request.problem.total_chunks();
  const std::uint64_t steps = trees->steps();
  return from_allgather(request.problem, every_step(steps, [=, trees = std::move(trees)](
                                                               std::uint64_t t, Transfers& out) {
                          trees->copies(t, total, trees->ranks(), out);
                        }));
}

CostClaim torus_claim(const Request& request, std::uint64_t steps,
                      const std::function<std::uint64_t(std::uint64_t)>& volume,
                      std::string_view steps_formula, std::string_view twice) {
  const std::uint64_t P = request.problem.ranks, K = request.problem.chunks;
  if (request.problem.collective != Collective::allreduce)
    return {.steps = steps, .volume = volume(K), .steps_formula = steps_formula};
  CostClaim claim{.steps = 2 * steps, .steps_formula = twice};
  if (K == 1) {
    claim.volume = claim.steps;  // the only chunk is sent in every step
  } else if (K % P == 0) {
    claim.volume = 2 * volume(K / P);
  }
  return claim;
}

std::optional<std::string> torus_order(const Request& request, const TorusTrees& trees) {
  if (request.block_sizes) {
    // They are built with a chunk each, in place of which their own are sent.
    return trees.order([&](Rank b) { return std::min((*request.block_sizes)[b], 1U); });
  }
  const std::uint64_t total = request.problem.total_chunks(), P = request.problem.ranks;
  return trees.order([=](Rank b) { return vector_block(total, P, b).count; });
}

void require_one_part(std::uint64_t parts) {
  if (parts <= 1) return;
  throw InputError(fmt::format(
      "its ranks send parts of blocks in {} directions at once, which only the whole trees of the "
      "blocks tell apart; with one port (--machine duplex) it can",
      parts));
}

}  // namespace schedcc
