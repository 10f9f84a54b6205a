#include "model/algebra.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

namespace schedcc {

namespace {

/// One part of a parallel composition: its steps, and which row holds step t.
class ParallelPart {
 public:
  explicit ParallelPart(Steps steps) : steps_(std::move(steps)) {
    // Numbers rise, so as many rows as steps means that row t is step t.
    if (steps_.span() == steps_.size()) return;
    for (std::uint64_t row = 0; row < steps_.size(); ++row) numbers_.push_back(steps_.number(row));
  }

  /// Is row t step t?
  bool dense() const { return numbers_.empty(); }
  std::uint64_t size() const { return steps_.size(); }

  std::vector<std::uint64_t> numbers() const {
    if (!numbers_.empty()) return numbers_;
    std::vector<std::uint64_t> all(steps_.size());
    for (std::uint64_t t = 0; t < all.size(); ++t) all[t] = t;
    return all;
  }

  void fill(std::uint64_t t, Transfers& out) const {
    if (numbers_.empty()) {
      if (t < steps_.size()) steps_.fill(t, out);
      return;
    }
    const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), t);
    if (place == numbers_.end() || *place != t) return;
    steps_.fill(static_cast<std::uint64_t>(place - numbers_.begin()), out);
  }

 private:
  Steps steps_;
  std::vector<std::uint64_t> numbers_;  ///< of its rows; empty if row t is step t
};

Steps parallel_dense(std::vector<ParallelPart> parts) {
  const std::uint64_t size =
      parts.empty() ? 0 : std::ranges::max(parts, {}, &ParallelPart::size).size();
  return every_step(size, [parts = std::move(parts)](std::uint64_t t, Transfers& out) {
    for (const ParallelPart& part : parts) part.fill(t, out);
  });
}

std::vector<std::uint64_t> merged_numbers(const std::vector<ParallelPart>& parts) {
  std::vector<std::uint64_t> all, both;
  for (const ParallelPart& part : parts) {
    const std::vector<std::uint64_t> own = part.numbers();
    both.clear();
    std::set_union(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(both));
    all.swap(both);
  }
  return all;
}

/// Without the rows that hold no transfers; the steps after each move up by one if `move_up`.
Steps without_idle(Steps steps, bool move_up = true) {
  std::vector<std::uint64_t> rows;
  Transfers row;
  for (std::uint64_t i = 0; i < steps.size(); ++i) {
    row.clear();
    steps.fill(i, row);
    if (!row.empty()) rows.push_back(i);
  }
  if (rows.size() == steps.size()) return steps;
  const std::uint64_t size = rows.size();
  return Steps(size, [steps = std::move(steps), rows = std::move(rows), move_up](std::uint64_t i,
                                                                                 Transfers& out) {
    return steps.fill(rows[i], out) - (move_up ? rows[i] - i : 0);
  });
}

}  // namespace

Step read_into(const Steps& steps, std::uint64_t row, const RowParts& parts, Transfers& buffer) {
  Step step = steps.read(row, parts, buffer);
  if (step.transfers.data() != buffer.data())  // it is in memory
    buffer.assign(step.transfers.begin(), step.transfers.end());
  step.transfers = buffer;
  step.lines = {};
  return step;
}

Steps sequence(Steps first, Steps second) {
  const std::uint64_t size = first.size() + second.size();
  const std::uint64_t span = first.span();
  const std::uint64_t parts = first.parts() == second.parts() ? first.parts() : 1;
  const auto both =
      std::make_shared<const std::pair<Steps, Steps>>(std::move(first), std::move(second));
  const auto fill = [both, span](std::uint64_t row, Transfers& out) {
    const auto& [before, after] = *both;
    if (row < before.size()) return before.fill(row, out);
    return span + after.fill(row - before.size(), out);
  };
  if (parts == 1) return Steps(size, fill);
  return Steps(size, fill, parts,
               [both, span](std::uint64_t row, const RowParts& some, Transfers& buffer) {
                 const auto& [before, after] = *both;
                 if (row < before.size()) return before.read(row, some, buffer);
                 Step step = after.read(row - before.size(), some, buffer);
                 step.number += span;
                 return step;
               });
}

Steps sequence(std::vector<Steps> parts) {
  // Where each part begins: its first row, and the number of its first step.
  struct SequencePart {
    Steps steps;
    std::uint64_t row, number;
  };
  std::vector<SequencePart> placed;
  std::uint64_t rows = 0, span = 0;
  for (Steps& part : parts) {
    if (part.size() == 0) continue;
    placed.push_back({std::move(part), rows, span});
    rows += placed.back().steps.size();
    span += placed.back().steps.span();
  }
  const auto shared = std::make_shared<const std::vector<SequencePart>>(std::move(placed));
  return Steps(rows, [shared](std::uint64_t row, Transfers& out) {
    const SequencePart& part =
        *std::prev(std::ranges::upper_bound(*shared, row, {}, &SequencePart::row));
    return part.number + part.steps.fill(row - part.row, out);
  });
}

Steps delay(Steps steps, std::uint64_t by) {
  if (by == 0) return steps;
  const std::uint64_t size = steps.size();
  return Steps(size, [steps = std::move(steps), by](std::uint64_t row, Transfers& out) {
    return by + steps.fill(row, out);
  });
}

Steps parallel(std::vector<Steps> steps) {
  std::vector<ParallelPart> parts(std::make_move_iterator(steps.begin()),
                                  std::make_move_iterator(steps.end()));
  if (std::ranges::all_of(parts, &ParallelPart::dense)) return parallel_dense(std::move(parts));
  std::vector<std::uint64_t> numbers = merged_numbers(parts);
  const std::uint64_t size = numbers.size();
  // Copies of Steps share what they captured: the tables are made once.
  const auto shared =
      std::make_shared<const std::pair<std::vector<ParallelPart>, std::vector<std::uint64_t>>>(
          std::move(parts), std::move(numbers));
  return Steps(size, [shared](std::uint64_t row, Transfers& out) {
    const std::uint64_t t = shared->second[row];
    for (const ParallelPart& part : shared->first) part.fill(t, out);
    return t;
  });
}

Steps split(std::vector<Steps> trees) {
  const std::uint64_t m = trees.size();
  for (std::uint64_t i = 0; i < m; ++i) {
    const std::uint64_t size = trees[i].size();
    trees[i] = Steps(size, [tree = std::move(trees[i]), i, m](std::uint64_t row, Transfers& out) {
      Transfers whole;
      const std::uint64_t number = tree.fill(row, whole);
      for (const Transfer& run : whole) {
        for (std::uint64_t j = run.first; j < std::uint64_t{run.first} + run.count; ++j) {
          Transfer& packet = out.emplace_back(run);
          packet.first = static_cast<Chunk>(j * m + i);
          packet.count = 1;
        }
      }
      return number;
    });
  }
  return parallel(std::move(trees));
}

void rotate(const Transfer& seed, const Steps::Rotations& made, Rank first, Rank end,
            Transfer* to) {
  const Rank ranks = made.ranks;
  const auto turned = [&](Rank r) { return static_cast<Rank>((std::uint64_t{r} + first) % ranks); };
  Transfer next = seed;
  next.src = turned(seed.src);
  next.dst = turned(seed.dst);
  next.first += first * made.block;
  // Between the two places at which ranks begin again from 0 all numbers rise evenly.
  const std::array<Rank, 3> ends{std::min(end, ranks - std::max(seed.src, seed.dst)),
                                 std::min(end, ranks - std::min(seed.src, seed.dst)), end};
  Rank o = first;
  for (const Rank until : ends) {
    for (; o < until; ++o, ++next.src, ++next.dst, next.first += made.block) *to++ = next;
    if (next.src >= ranks) next.src -= ranks;
    if (next.dst >= ranks) next.dst -= ranks;
  }
}

Steps reverse(Steps steps, bool reduce) {
  if (const Steps::Rotations* made = steps.rotated())
    return Steps::rotations(reverse(made->seeds, reduce), made->ranks, made->block);
  const std::uint64_t size = steps.size();
  const std::uint64_t span = steps.span();
  const std::uint64_t parts = steps.parts();
  const auto shared = std::make_shared<const Steps>(std::move(steps));
  const auto fill = [shared, size, span](std::uint64_t row, Transfers& out) {
    return span - 1 - shared->fill(size - 1 - row, out);
  };
  const auto read = [shared, size, span](std::uint64_t row, const RowParts& some,
                                         Transfers& buffer) {
    Step step = shared->read(size - 1 - row, some, buffer);
    step.number = span - 1 - step.number;
    return step;
  };
  Steps turned = parts == 1 ? Steps(size, fill) : Steps(size, fill, parts, read);
  return each_transfer(std::move(turned), [reduce](Transfer& t) { t = sent_back(t, reduce); });
}

namespace {

/// Moves the run of chunks of each transfer to the one that `moved` returns as its first chunk and
/// the next after its last; transfers of empty runs are dropped.
template <typename Moved>
Steps move_runs(Steps steps, Moved moved) {
  const std::uint64_t size = steps.size();
  return Steps(size, [steps = std::move(steps), moved = std::move(moved)](std::uint64_t row,
                                                                          Transfers& out) {
    std::size_t kept = out.size();
    const std::uint64_t number = steps.fill(row, out);
    for (std::size_t i = kept; i < out.size(); ++i) {
      const Transfer t = out[i];
      const std::pair<std::uint64_t, std::uint64_t> run =
          moved(std::uint64_t{t.first}, std::uint64_t{t.first} + t.count);
      if (run.first == run.second) continue;
      out[kept++] = {t.src, t.dst, static_cast<Chunk>(run.first),
                     static_cast<std::uint32_t>(run.second - run.first) & max_transfer_count,
                     t.reduce};
    }
    out.resize(kept);
    return number;
  });
}

}  // namespace

Steps expand_blocks(Steps steps, const BlockSizes& sizes) {
  const auto begins = std::make_shared<const std::vector<Chunk>>(block_offsets(sizes));
  Steps expanded = move_runs(std::move(steps), [begins](std::uint64_t first, std::uint64_t end) {
    return std::pair((*begins)[first], (*begins)[end]);
  });
  const bool may_be_idle = std::ranges::find(sizes, 0u) != sizes.end();
  return may_be_idle ? without_idle(std::move(expanded)) : expanded;
}

Steps shrink_blocks(Steps steps, std::uint64_t blocks, std::uint64_t chunks, std::uint64_t total,
                    bool move_up) {
  // Where a block has fewer chunks its last ones are missing: runs of chunks stay runs.
  const auto moved = [=](std::uint64_t chunk) {
    const std::uint64_t block = chunk / chunks, begin = block * total / blocks;
    const std::uint64_t end = (block + 1) * total / blocks;
    return std::min(begin + chunk % chunks, std::min(end, total));
  };
  Steps shrunk = move_runs(std::move(steps), [moved](std::uint64_t first, std::uint64_t end) {
    return std::pair(moved(first), moved(end));
  });
  return without_idle(std::move(shrunk), move_up);
}

Steps rotate_chunks(Steps steps, std::uint64_t shift, std::uint64_t total) {
  shift %= total;
  if (shift == 0) return steps;
  const std::uint64_t size = steps.size();
  return Steps(size, [steps = std::move(steps), shift, total](std::uint64_t row, Transfers& out) {
    const std::size_t begin = out.size();
    const std::uint64_t number = steps.fill(row, out);
    const std::size_t end = out.size();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t first = (out[i].first + shift) % total;
      const std::uint64_t room = total - first;
      Transfer rest = out[i];
      out[i].first = static_cast<Chunk>(first);
      if (rest.count <= room) continue;
      rest.first = 0;
      rest.count = static_cast<std::uint32_t>(rest.count - room) & max_transfer_count;
      out[i].count = static_cast<std::uint32_t>(room) & max_transfer_count;
      out.push_back(rest);
    }
    return number;
  });
}

Steps reroot(Steps steps, std::uint64_t P, std::uint64_t root, std::uint64_t shift,
             std::uint64_t total) {
  if (root == 0) return steps;
  const auto first = static_cast<Rank>(root), rest = static_cast<Rank>(P - root);
  steps =
      relabel(std::move(steps), [first, rest](Rank v) { return v < rest ? v + first : v - rest; });
  return shift == 0 ? steps : rotate_chunks(std::move(steps), shift, total);
}

}  // namespace schedcc
