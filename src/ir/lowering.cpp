#include "ir/lowering.hpp"

#include <map>

#include <fmt/format.h>

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
    const Origin origin{ahead_.number, t.src, t.dst, ahead_.lines.empty() ? 0 : ahead_.lines[i]};
    if (t.src >= ranks_ || t.dst >= ranks_) {
      throw InputError(fmt::format("step {}: {} -> {} has no route; ranks are 0..{}", ahead_.number,
                                   t.src, t.dst, ranks_ - 1));
    }
    path_.clear();
    network_->route(t.src, t.dst, path_);
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

Source lower(Source source, const Machine& machine) {
  if (source.hop_level()) return source;
  source.nodes = machine.network->nodes();
  source.open = [open = std::move(source.open), network = machine.network,
                 ranks = source.problem.ranks] { return lower(open(), network, ranks); };
  return source;
}

}  // namespace schedcc
