#pragma once

// Holdings that are replaced by a cheaper state, as long as that shows that there is nothing to
// report.
//
// In a step in which it does not, the state proper is needed: it is followed from the first step
// on, as the steps are read again up to there. So it is where the steps end too early: it explains
// what ranks lack, and takes ranks that did nothing together.

#include <functional>
#include <memory>
#include <utility>

#include "analysis/digest.hpp"
#include "analysis/holdings.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

/// Of all chunks, at ranks alone, and where what is sent arrives in the next step.
class ProvisionalHoldings : public Holdings {
 public:
  std::uint64_t shortfalls(std::size_t most,
                           const std::function<void(Shortfall)>& report) const override {
    if (proper_ == nullptr && all_complete()) return 0;
    return proper().shortfalls(most, report);
  }

  std::vector<Run> may_disagree() const override {
    return proper_ != nullptr ? proper_->may_disagree() : std::vector<Run>();
  }

 protected:
  using Reopen = std::function<std::unique_ptr<StepStream>()>;
  using Make = std::unique_ptr<Holdings> (*)(const Problem&, std::uint64_t nodes,
                                             std::uint64_t latency, const Run& part);

  /// `make`: the state proper. `reopen`: the steps once more; may be called in `advance`.
  ProvisionalHoldings(const Problem& problem, Make make, Reopen reopen)
      : Holdings(problem, 1, {0, static_cast<std::uint32_t>(problem.total_chunks())}),
        make_(make),
        reopen_(std::move(reopen)) {}

  /// Follows a step: is there nothing to report in all steps up to this one?
  virtual bool stands_in(const Step& step) = 0;

  void send(const Step& step, bool meet, Outcome& outcome) override {
    if (stands_in(step)) {
      proper_ = nullptr;
    } else {
      if (proper_ == nullptr) proper_ = proper_before(step.number);
      proper_->advance(step, meet, outcome);
    }
    begun_ = true;
  }

  /// The state proper delivers what is sent as it is advanced; only the end is passed on here.
  void arrive(std::uint64_t time, Outcome& outcome) override {
    if (proper_ != nullptr && time == UINT64_MAX) proper_->finish(outcome);
  }

  void prepare_reads(std::uint64_t, std::uint64_t) override {}

  Shortfall explain(Rank, Chunk) const override {
    throw InternalError("the state proper explains what ranks lack");
  }
  std::vector<Rank> touched() const override {
    throw InternalError("the state proper knows which ranks have changed");
  }

  /// Is it the state proper that is followed?
  bool is_proper() const { return proper_ != nullptr; }
  /// At the end.
  const Holdings& proper() const {
    if (proper_ == nullptr) {
      proper_ = proper_before(UINT64_MAX);
      Outcome outcome;
      proper_->finish(outcome);
    }
    return *proper_;
  }

 private:
  std::unique_ptr<Holdings> proper_before(std::uint64_t number) const {
    auto result = make_(problem_, problem_.ranks, latency_, part_);
    if (!begun_) return result;
    const auto stream = reopen_();
    Outcome outcome;
    Digest digest;
    for (Step step; stream->next(step) && step.number < number;) {
      if (step.transfers.empty()) continue;
      digest.read(step);
      result->advance(step, digest.chunks_meet(), outcome);
      if (!outcome.empty()) throw InternalError("there was something to report");
    }
    return result;
  }

  Make make_;
  Reopen reopen_;
  bool begun_ = false;
  mutable std::unique_ptr<Holdings> proper_;  ///< nullptr: it is not needed
};

}  // namespace schedcc
