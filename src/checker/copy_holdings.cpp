// Who holds which chunk, where chunks are only copied.
//
// What ranks start with is a formula; what they receive is a bit per (node, chunk) in a sparse set. The
// bits of a node lie side by side. The chunks of an alltoall are numbered by origin first, but a rank
// ends with a column of blocks, so that they are laid out by destination first.

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "checker/block_table.hpp"
#include "checker/holdings.hpp"
#include "ir/runs.hpp"

namespace schedcc {

namespace {

class CopyHoldings : public Holdings {
 public:
  CopyHoldings(const Problem& problem, std::uint64_t latency)
      : Holdings(problem, latency), by_destination_(problem.collective == Collective::alltoall) {}

 protected:
  void send(const Step& step, Outcome& outcome) override {
    const std::size_t faults = outcome.unheld.size();
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (!holds_all(t.src, {t.first, t.count})) {
        outcome.unheld.push_back({locate(step, i), first_unheld(t)});
      }
    }
    if (latency_ == 1 && outcome.unheld.size() == faults) {
      for (std::size_t i = 0; i < step.transfers.size(); ++i) {
        const Transfer& t = step.transfers[i];
        if (const auto held = receive(t.dst, {t.first, t.count})) {
          report_redundant(locate(step, i), *held, outcome);
        }
      }
      return;
    }
    // Collect what is carried before anything arrives: sends read the state before the step.
    for (std::size_t i = 0; i < step.transfers.size(); ++i) depart(locate(step, i));
    if (latency_ == 1) arrive(step.number + 1, outcome);
  }

  void arrive(std::uint64_t time, Outcome& outcome) override {
    while (!flights_.empty() && (time == UINT64_MAX || flights_.front().step + latency_ <= time)) {
      const Located flight = flights_.front();
      flights_.pop_front();
      const Transfer& t = flight.transfer;
      if (const auto held = receive(t.dst, {t.first, t.count})) {
        report_redundant(flight, *held, outcome);
      }
    }
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    std::uint64_t present = 0;
    each_piece(rank, run, [&](Run piece, std::uint64_t index) {
      present += starts_in(rank, piece) + received_.count(index, piece.count);
    });
    return present;
  }

  Shortfall explain(Rank rank, Chunk chunk) const override { return {rank, chunk, 1, {}, {}}; }

  std::vector<Rank> touched() const override {
    std::vector<Rank> ranks;
    received_.each_touched([&](std::uint64_t first) {
      const std::uint64_t last = (first + SparseBits::touched_size - 1) / chunks_;
      for (std::uint64_t node = first / chunks_; node <= last && node < problem_.ranks; ++node) {
        if (ranks.empty() || ranks.back() < node) ranks.push_back(static_cast<Rank>(node));
      }
    });
    return ranks;
  }

 private:
  /// Where the bit of a chunk of `node` is.
  std::uint64_t index(Rank node, Chunk chunk) const {
    const std::uint64_t base = node * chunks_;
    if (!by_destination_) return base + chunk;
    const std::uint32_t K = problem_.chunks, P = problem_.ranks;
    const std::uint32_t block = chunk / K;
    const std::uint64_t o = block / P, d = block % P;
    return base + (d * P + o) * K + chunk % K;
  }

  /// Cuts a run into pieces whose bits lie side by side, and calls f(piece, index of its first bit).
  template <typename F>
  void each_piece(Rank node, Run run, F f) const {
    if (!by_destination_ || run.count == 1) return f(run, index(node, run.first));
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const std::uint64_t block_end = (chunk / problem_.chunks + 1) * problem_.chunks;
      const auto count = static_cast<std::uint32_t>(std::min(block_end, end(run)) - chunk);
      const Run piece{static_cast<Chunk>(chunk), count};
      f(piece, index(node, piece.first));
      chunk += count;
    }
  }

  /// How many chunks of the run the node starts with.
  std::uint64_t starts_in(Rank node, Run run) const {
    if (!is_rank(node)) return 0;
    return problem_.custom ? problem_.custom->starts_in(node, run) : overlap(problem_.start(node), run);
  }

  bool starts_with(Rank node, Chunk chunk) const {
    return is_rank(node) && problem_.starts_with(node, chunk);
  }

  bool holds(Rank node, Chunk chunk) const {
    return starts_with(node, chunk) || received_.test(index(node, chunk));
  }

  bool holds_all(Rank node, Run run) const {
    if (run.count == 1) return holds(node, run.first);
    return satisfied(node, run) == run.count;
  }

  Chunk first_unheld(const Transfer& t) const {
    Chunk chunk = t.first;
    while (holds(t.src, chunk)) ++chunk;
    return chunk;
  }

  /// Records that a node has the run now; the first chunk of it that it had before.
  std::optional<Chunk> receive(Rank node, Run run) {
    if (run.count == 1) {
      const bool added =
          !starts_with(node, run.first) && received_.set(index(node, run.first));
      return added ? std::nullopt : std::optional(run.first);
    }
    std::optional<Chunk> held;
    if (satisfied(node, run) > 0) {
      held = run.first;
      while (!holds(node, *held)) ++*held;
    }
    each_piece(node, run, [&](Run piece, std::uint64_t index) {
      const std::uint64_t started = starts_in(node, piece);
      if (started == 0) {
        received_.set(index, piece.count);
      } else if (started < piece.count) {
        for (std::uint64_t c = piece.first; c < end(piece); ++c) {
          const auto chunk = static_cast<Chunk>(c);
          if (!starts_with(node, chunk)) received_.set(this->index(node, chunk));
        }
      }
    });
    return held;
  }

  /// Puts what the sender holds of a transfer under way.
  void depart(const Located& where) {
    const Transfer& t = where.transfer;
    if (holds_all(t.src, {t.first, t.count})) {
      flights_.push_back(where);
      return;
    }
    for (std::uint64_t c = t.first; c < std::uint64_t{t.first} + t.count; ++c) {
      if (!holds(t.src, static_cast<Chunk>(c))) continue;
      Located part = where;
      part.transfer.first = static_cast<Chunk>(c);
      part.transfer.count = 1;
      flights_.push_back(part);
    }
  }

  void report_redundant(const Located& where, Chunk held, Outcome& outcome) const {
    if (is_rank(where.transfer.dst)) outcome.redundant.push_back({where, held});
  }

  bool by_destination_;
  SparseBits received_;
  std::deque<Located> flights_;  ///< by arrival
};

}  // namespace

std::unique_ptr<Holdings> copy_holdings(const Problem& problem, std::uint64_t latency) {
  return std::make_unique<CopyHoldings>(problem, latency);
}

}  // namespace schedcc
