// Who holds which chunk, where chunks are only copied.
//
// What ranks start with is a formula; what they receive is a bit per (node, chunk) in a sparse set.
// With the first long transfer it becomes, with what the rank starts with, a list of runs by node,
// so that a transfer costs the same however many chunks it has.
//
// The chunks of an alltoall are in an order of their own (AlltoallColumns).

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/alltoall_columns.hpp"
#include "analysis/block_table.hpp"
#include "analysis/flights.hpp"
#include "analysis/holdings.hpp"
#include "analysis/layout.hpp"
#include "analysis/run_budget.hpp"
#include "analysis/run_map.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"

namespace schedcc {

namespace {

class CopyHoldings final : public Holdings {
 public:
  CopyHoldings(const Problem& problem, std::uint64_t nodes, std::uint64_t latency, const Run& part)
      : Holdings(problem, latency, part),
        nodes_(nodes),
        layout_(layout_for<block_size>(problem, nodes, part)),
        columns_(problem, part),
        by_destination_(problem.collective == Collective::alltoall),
        starts_(problem) {}

 protected:
  void send(const Step& step, bool meet, Outcome& outcome) override {
    const bool plain = starts_.by_formula() && !by_destination_ && nodes_ == problem_.ranks;
    if (latency_ == 1 && !meet && step.origins.empty() && !by_runs_) {
      if (plain ? send_at_once<true>(step, outcome) : send_at_once<false>(step, outcome)) return;
    }
    if (!by_runs_ && std::ranges::any_of(step.transfers, is_long)) use_runs();
    // Collect the carried values before anything arrives: sends read the state before the step.
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      budget_.add_transfer();
      depart(locate(step, i), arrival(step, i), outcome);
      budget_.spend(budget_.take_covered(), step.number);
    }
    arrive(step.number + 1, outcome);
  }

  void arrive(std::uint64_t time, Outcome& outcome) override {
    flights_.arrive(time, [&](const std::vector<LocatedTransfer>& flights) {
      // They arrive together: redundancy is decided before the state changes.
      for (const LocatedTransfer& flight : flights) {
        const Transfer& t = flight.transfer;
        if (const auto held = first_held(t.dst, {t.first, t.count})) {
          report_redundant(flight, *held, outcome);
        }
        budget_.spend(budget_.take_covered(), flight.step);
      }
      for (const LocatedTransfer& flight : flights) {
        receive(flight.transfer.dst, {flight.transfer.first, flight.transfer.count});
      }
    });
  }

  void prepare_reads(std::uint64_t chunks, std::uint64_t ranks) override {
    if (!by_runs_ && layout_.runs_pay(received_.used(), chunks, ranks)) use_runs();
  }

  std::uint64_t satisfied(Rank rank, Run run) const override {
    if (by_runs_) [[unlikely]]
      return held_by_runs(rank, run);
    std::uint64_t present = starts_in(rank, run);  // of which there are no bits
    if (present == run.count || received_.empty()) return present;
    each_piece(rank, run,
               [&](Run piece, const Cell& cell) { present += received_.count(cell, piece.count); });
    return present;
  }

  /// The column of a rank of an alltoall is contiguous.
  bool complete(Rank rank) const override {
    if (!by_destination_ || by_runs_) return Holdings::complete(rank);
    const std::uint64_t column = std::uint64_t{columns_.origins()} * problem_.chunks;
    std::uint64_t present = columns_.has_origin(rank) ? problem_.chunks : 0;  // its own block
    for (std::uint64_t place = 0; place < column;) {
      const Cell cell = layout_.cell(rank, place);
      const std::uint64_t here = std::min<std::uint64_t>(layout_.contiguous(cell), column - place);
      present += received_.count(cell, static_cast<std::uint32_t>(here));
      place += here;
    }
    return present == column;
  }

  Shortfall explain(Rank rank, Chunk chunk) const override { return {rank, chunk, 1, {}}; }

  std::vector<Rank> touched() const override {
    std::vector<Rank> nodes = layout_.nodes_of(
        received_,
        [&](const Cell& cell, std::uint32_t count) { return received_.count(cell, count) > 0; });
    for (const auto& [node, runs] : held_) nodes.push_back(node);
    return nodes;
  }

 private:
  static constexpr std::uint32_t block_size = 512;

  /// Is a transfer long, so that bits would take much more memory than the transfer itself?
  static bool is_long(const Transfer& t) { return t.count >= 8 * block_size; }

  /// Changes the representation from bits to runs.
  [[gnu::noinline]] void use_runs() {
    by_runs_ = true;
    for (const std::uint64_t block : layout_.blocks_by_nodes(received_)) {
      received_.each_run_in(block, [&](const Cell& first, std::uint32_t count) {
        layout_.each_run(first, count, [&](Rank node, Run places) {
          const auto receive = [&](Run run) { receive_by_runs(node, run); };
          by_destination_ ? columns_.each_run(node, places, receive) : receive(places);
        });
      });
    }
    received_ = {};
  }

  [[gnu::noinline]] std::uint64_t held_by_runs(Rank node, Run run) const {
    const auto found = held_.find(node);
    if (found == held_.end()) return starts_in(node, run);
    std::uint64_t count = 0;
    found->second.each(run, [&](Run piece, bool held) {
      budget_.cover();
      count += held ? piece.count : 0;
    });
    return count;
  }

  [[gnu::noinline]] void receive_by_runs(Rank node, Run run) {
    const auto [held, added] = held_.try_emplace(node);
    if (added) {
      for (const Run start : starts_of(node)) held->second.assign(start, true);
    }
    held->second.assign(run, true);
  }

  /// The runs that a node starts with.
  Runs starts_of(Rank node) const { return is_rank(node) ? starts_.of(node) : Runs(); }

  /// Calls f(run, whether the node holds it) for the parts of a run.
  template <typename F>
  void each_part(Rank node, Run run, F f) const {
    if (!by_runs_) {
      for (std::uint64_t c = run.first; c < end(run); ++c)
        f(Run{static_cast<Chunk>(c), 1}, holds(node, static_cast<Chunk>(c)));
    } else if (const auto found = held_.find(node); found != held_.end()) {
      found->second.each(run, [&](Run part, bool held) {
        budget_.cover();
        f(part, held);
      });
    } else {
      RunMap<bool> starts;
      for (const Run start : starts_of(node)) starts.assign(start, true);
      starts.each(run, f);
    }
  }

  /// For steps in which no two transfers have the same receiver; false, with no change, if a sender
  /// does not hold what it sends, or a transfer is long. `plain`: nodes are ranks, each of which
  /// starts with a run, and bits are in the order of the chunks.
  template <bool plain>
  bool send_at_once(const Step& step, Outcome& outcome) {
    for (const Transfer& t : step.transfers) {
      const bool held = t.count == 1 ? holds<plain>(t.src, t.first) : !is_long(t) && holds_all(t);
      if (!held) [[unlikely]]
        return false;
    }
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (t.count == 1) {
        if (!receive_one<plain>(t.dst, t.first))
          report_redundant(locate(step, i), t.first, outcome);
      } else if (const auto held = receive(t.dst, {t.first, t.count})) {
        report_redundant(locate(step, i), *held, outcome);
      }
    }
    return true;
  }

  /// Where the bit of a chunk of `node` is.
  template <bool plain = false>
  Cell cell(Rank node, Chunk chunk) const {
    if constexpr (plain) return layout_.cell(node, chunk);
    return layout_.cell(node, by_destination_ ? columns_.position(node, chunk) : chunk);
  }

  /// Cuts a run into pieces whose bits are contiguous in a block: calls f(piece, its first cell).
  template <typename F>
  void each_piece(Rank node, Run run, F f) const {
    for (std::uint64_t chunk = run.first; chunk < end(run);) {
      const auto first = static_cast<Chunk>(chunk);
      const Cell at = cell(node, first);
      std::uint64_t next = std::min(end(run), chunk + layout_.contiguous(at));
      if (by_destination_) {
        next = std::min(next, columns_.block_end(first));
      }
      f(Run{first, static_cast<std::uint32_t>(next - chunk)}, at);
      chunk = next;
    }
  }

  /// How many chunks of the run the node starts with.
  std::uint64_t starts_in(Rank node, Run run) const {
    return is_rank(node) ? starts_.in(node, run) : 0;
  }

  template <bool plain = false>
  bool starts_with(Rank node, Chunk chunk) const {
    if constexpr (plain) return starts_.has_by_formula(node, chunk);
    return is_rank(node) && starts_.has(node, chunk);
  }

  template <bool plain = false>
  bool holds(Rank node, Chunk chunk) const {
    return starts_with<plain>(node, chunk) || received_.test(cell<plain>(node, chunk));
  }

  /// Does the sender hold all that it sends?
  bool holds_all(const Transfer& t) const {
    return satisfied(t.src, {t.first, t.count}) == t.count;
  }

  Chunk first_unheld(const Transfer& t) const {
    return *first_part(t.src, {t.first, t.count}, false);
  }

  /// The first chunk of a run that the node holds.
  std::optional<Chunk> first_held(Rank node, Run run) const {
    if (satisfied(node, run) == 0) return std::nullopt;
    return first_part(node, run, true);
  }

  /// The first chunk of a run that the node holds, or does not hold.
  std::optional<Chunk> first_part(Rank node, Run run, bool held) const {
    std::optional<Chunk> found;
    each_part(node, run, [&](Run part, bool is_held) {
      if (!found && is_held == held) found = part.first;
    });
    return found;
  }

  /// Records that a node has the chunk now; false if it had it before.
  template <bool plain>
  bool receive_one(Rank node, Chunk chunk) {
    return !starts_with<plain>(node, chunk) && received_.set(cell<plain>(node, chunk));
  }

  /// Records that a node has the run now; the first chunk of it that it had before.
  std::optional<Chunk> receive(Rank node, Run run) {
    const std::optional<Chunk> held = first_held(node, run);
    if (by_runs_) [[unlikely]] {
      receive_by_runs(node, run);
      return held;
    }
    each_piece(node, run, [&](Run piece, const Cell& at) {
      const std::uint64_t started = starts_in(node, piece);
      if (started == 0) {
        received_.set(at, piece.count);
      } else if (started < piece.count) {
        for (std::uint64_t c = piece.first; c < end(piece); ++c) {
          const auto chunk = static_cast<Chunk>(c);
          if (!starts_with(node, chunk)) received_.set(cell(node, chunk));
        }
      }
    });
    return held;
  }

  /// Puts those chunks of a transfer under way that the sender holds.
  void depart(const LocatedTransfer& where, std::uint64_t arrival, Outcome& outcome) {
    const Transfer& t = where.transfer;
    if (holds_all(t)) {
      flights_.at(arrival).push_back(where);
      return;
    }
    outcome.unheld.push_back({where, first_unheld(t)});
    if (satisfied(t.src, {t.first, t.count}) == 0) return;
    std::vector<LocatedTransfer>& flights = flights_.at(arrival);
    const std::size_t known = flights.size();
    each_part(t.src, {t.first, t.count}, [&](Run run, bool held) {
      if (!held) return;
      if (flights.size() > known) {
        Transfer& last = flights.back().transfer;
        if (std::uint64_t{last.first} + last.count == run.first) {
          last.count = (last.count + run.count) & max_transfer_count;
          return;
        }
      }
      LocatedTransfer part = where;
      part.transfer.first = run.first;
      part.transfer.count = run.count & max_transfer_count;
      flights.push_back(part);
    });
  }

  void report_redundant(const LocatedTransfer& where, Chunk held, Outcome& outcome) const {
    if (is_rank(where.transfer.dst)) outcome.redundant.push_back({where, held});
  }

  std::uint64_t nodes_;
  Layout<block_size> layout_;
  AlltoallColumns columns_;
  bool by_destination_;
  Starts starts_;
  SparseBits received_;  ///< while transfers are short
  bool by_runs_ = false;
  std::unordered_map<Rank, RunMap<bool>> held_;  ///< then, by node that received
  RunBudget budget_;
  Flights<std::vector<LocatedTransfer>> flights_;
};

}  // namespace

std::unique_ptr<Holdings> copy_holdings(const Problem& problem, std::uint64_t nodes,
                                        std::uint64_t latency, const Run& part) {
  return std::make_unique<CopyHoldings>(problem, nodes, latency, part);
}

}  // namespace schedcc
