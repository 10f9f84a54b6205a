#include "machine/lowering.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class LoweredStream : public StepStream {
 public:
  LoweredStream(std::unique_ptr<StepStream> endpoint, Machine machine, Rank ranks)
      : endpoint_(std::move(endpoint)), machine_(std::move(machine)), ranks_(ranks) {
    more_ = endpoint_->next(next_step_);
  }

  bool next(Step& step) override {
    step = {};
    ++now_;
    if (in_flight_.empty()) {
      while (more_ && in_flight_.empty()) step.rounds = begin_step();
      if (in_flight_.empty()) return false;
    } else if (more_ && next_step_.number == now_) {
      step.rounds = begin_step();
    }
    step.number = now_;
    advance();
    step.transfers = hops_;
    step.origins = origins_;
    return true;
  }

 private:
  /// A transfer under way, and the nodes that it has still to reach, the last one first.
  struct InFlightTransfer {
    Transfer transfer;
    Origin origin;
    std::vector<Rank> pending;
  };

  /// The nodes that all transfers under way have still to reach, 4 bytes each.
  static constexpr std::uint64_t max_pending_hops = std::uint64_t{1} << 25;

  /// Takes the next endpoint step, whose transfers begin their routes. Returns its rounds.
  std::uint32_t begin_step() {
    now_ = next_step_.number;
    const std::uint32_t rounds = next_step_.rounds;
    for (std::size_t i = 0; i < next_step_.transfers.size(); ++i) begin_route(i);
    more_ = endpoint_->next(next_step_);
    return rounds;
  }

  void begin_route(std::size_t i) {
    const Transfer& t = next_step_.transfers[i];
    Origin origin{next_step_.number, t.src, t.dst,
                  next_step_.lines.empty() ? 0 : next_step_.lines[i]};
    if (t.src >= ranks_ || t.dst >= ranks_) {
      throw InputError(fmt::format("step {}: {} -> {} has no route; ranks are 0..{}",
                                   next_step_.number, t.src, t.dst, ranks_ - 1));
    }
    path_.clear();
    network_.route(t.src, t.dst, path_);
    if (path_.size() < 2) return;
    origin.hops = static_cast<std::uint32_t>(path_.size() - 1) & max_transfer_count;
    origin.reduce = t.reduce;
    pending_hops_ += origin.hops;
    if (pending_hops_ > max_pending_hops) {
      throw LimitError(
          fmt::format("the transfers under way in step {} have more pending hops "
                      "than the limit, {}",
                      next_step_.number, max_pending_hops));
    }
    in_flight_.push_back({t, origin, {path_.rbegin(), path_.rend() - 1}});
  }

  /// Every transfer under way makes a hop; those that have arrived are dropped.
  void advance() {
    hops_.clear();
    origins_.clear();
    for (InFlightTransfer& u : in_flight_) {
      Transfer hop = u.transfer;
      hop.dst = u.pending.back();
      u.pending.pop_back();
      hop.reduce = u.origin.reduce != 0 && u.pending.empty();
      hops_.push_back(hop);
      origins_.push_back(u.origin);
      u.transfer.src = hop.dst;
    }
    pending_hops_ -= in_flight_.size();
    std::erase_if(in_flight_, [](const InFlightTransfer& u) { return u.pending.empty(); });
  }

  std::unique_ptr<StepStream> endpoint_;
  Machine machine_;
  const Network& network_ = *machine_.network();
  Rank ranks_;
  Step next_step_;
  bool more_ = false;
  std::uint64_t now_ = 0;
  std::vector<InFlightTransfer> in_flight_;  ///< in the order in which they began
  std::uint64_t pending_hops_ = 0;
  Transfers hops_;
  std::vector<Origin> origins_;
  std::vector<Rank> path_;
};

}  // namespace

std::unique_ptr<StepStream> lower(std::unique_ptr<StepStream> endpoint, const Machine& machine,
                                  Rank ranks) {
  return std::make_unique<LoweredStream>(std::move(endpoint), machine, ranks);
}

namespace {

/// Throws InputError, with the transfer, if the route of one passes a rank.
void refuse_passed_ranks(const Source& source, const Network& network) {
  const Rank ranks = source.problem.ranks;
  std::set<std::pair<Rank, Rank>> seen;
  std::vector<Rank> path;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (t.src >= ranks || t.dst >= ranks || !seen.emplace(t.src, t.dst).second) continue;
      path.clear();
      network.route(t.src, t.dst, path);
      const auto passed = std::find_if(path.begin() + 1, path.end(),
                                       [&](Rank v) { return v == t.dst || v < ranks; });
      if (passed == path.end() || *passed == t.dst) continue;
      throw InputError(
          {source.file, step.lines.empty() ? 0 : step.lines[i], 0},
          fmt::format("the schedule cannot be written at hop level: the route of {} -> {} in step "
                      "{} passes through rank {}, which at hop level would hold the chunks; send "
                      "to rank {} and then from it, or write the schedule at endpoint level",
                      t.src, t.dst, step.number, *passed, *passed));
    }
  }
}

}  // namespace

Source at_hop_level(Source source, const Machine& machine) {
  if (source.hop_level()) return source;
  if (!machine.routed())
    throw InputError(fmt::format("machine '{}' has no hop level", machine.spec()));
  if (machine.network()->levels().empty())  // not a tree whose leaves are the ranks
    refuse_passed_ranks(source, *machine.network());
  return lower(std::move(source), machine);
}

Source lower(Source source, const Machine& machine) {
  if (source.hop_level()) return source;
  source.nodes = machine.network()->nodes();
  source.open = [open = std::move(source.open), machine, ranks = source.problem.ranks] {
    return lower(open(), machine, ranks);
  };
  return source;
}

}  // namespace schedcc
