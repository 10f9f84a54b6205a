#include "ir/lowering.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class LoweredStream : public StepStream {
 public:
  LoweredStream(std::unique_ptr<StepStream> endpoint, std::shared_ptr<const Network> network,
                Rank ranks)
      : endpoint_(std::move(endpoint)), network_(std::move(network)), ranks_(ranks) {
    more_ = endpoint_->next(ahead_);
  }

  bool next(Step& step) override {
    // All endpoint steps up to the first pending hop step may still add hops to it.
    while (more_ && (pending_.empty() || ahead_.number <= pending_.begin()->first)) {
      for (std::size_t i = 0; i < ahead_.transfers.size(); ++i) add(i);
      const auto own = pending_.find(ahead_.number);
      if (own != pending_.end()) own->second.rounds = ahead_.rounds;
      more_ = endpoint_->next(ahead_);
    }
    if (pending_.empty()) return false;
    auto first = pending_.extract(pending_.begin());
    current_ = std::move(first.mapped());
    step = {};
    step.number = first.key();
    step.rounds = current_.rounds;
    step.transfers = current_.hops;
    step.origins = current_.origins;
    return true;
  }

 private:
  struct Hops {
    Transfers hops;
    std::vector<Origin> origins;
    std::uint32_t rounds = 1;  ///< those of the endpoint step with the same number
  };

  void add(std::size_t i) {
    const Transfer& t = ahead_.transfers[i];
    Origin origin{ahead_.number, t.src, t.dst, ahead_.lines.empty() ? 0 : ahead_.lines[i]};
    if (t.src >= ranks_ || t.dst >= ranks_) {
      throw InputError(fmt::format("step {}: {} -> {} has no route; ranks are 0..{}", ahead_.number,
                                   t.src, t.dst, ranks_ - 1));
    }
    path_.clear();
    network_->route(t.src, t.dst, path_);
    origin.hops = static_cast<std::uint32_t>(path_.size() - 1) & max_transfer_count;
    origin.reduce = t.reduce;
    for (std::size_t k = 0; k + 1 < path_.size(); ++k) {
      Transfer hop = t;
      hop.src = path_[k];
      hop.dst = path_[k + 1];
      hop.reduce = t.reduce != 0 && k + 2 == path_.size();
      Hops& step = pending_[ahead_.number + k];
      step.hops.push_back(hop);
      step.origins.push_back(origin);
    }
  }

  std::unique_ptr<StepStream> endpoint_;
  std::shared_ptr<const Network> network_;
  Rank ranks_;
  Step ahead_;
  bool more_ = false;
  std::map<std::uint64_t, Hops> pending_;  ///< by hop step
  Hops current_;
  std::vector<Rank> path_;
};

}  // namespace

std::unique_ptr<StepStream> lower(std::unique_ptr<StepStream> endpoint,
                                  std::shared_ptr<const Network> network, Rank ranks) {
  return std::make_unique<LoweredStream>(std::move(endpoint), std::move(network), ranks);
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
                      "{} passes rank {}, which would hold what reaches it there; send to rank {} "
                      "and on from it, or write the schedule at endpoint level",
                      t.src, t.dst, step.number, *passed, *passed));
    }
  }
}

}  // namespace

Source at_hop_level(Source source, const Machine& machine) {
  if (!source.hop_level() && machine.topology) refuse_passed_ranks(source, *machine.network);
  return lower(std::move(source), machine);
}

Source lower(Source source, const Machine& machine) {
  if (source.hop_level()) return source;
  source.nodes = machine.network->nodes();
  source.open = [open = std::move(source.open), network = machine.network,
                 ranks = source.problem.ranks] { return lower(open(), network, ranks); };
  return source;
}

}  // namespace schedcc
