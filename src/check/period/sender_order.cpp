#include "check/period/sender_order.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace schedcc {

namespace {

class BySenders : public StepStream {
 public:
  explicit BySenders(std::unique_ptr<StepStream> stream) : stream_(std::move(stream)) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    sort(step.transfers);
    step.transfers = sorted_;
    step.lines = {};
    return true;
  }

 private:
  /// Ranks in a block: checks have some hundred bytes of each.
  static constexpr Rank block = 1 << 8;

  /// By counting.
  void sort(std::span<const Transfer> transfers) {
    places_.assign(places_.size(), 0);
    for (const Transfer& t : transfers) {
      const std::size_t number = t.src / block;
      if (number >= places_.size()) places_.resize(number + 1);
      ++places_[number];
    }
    std::size_t begin = 0;
    for (std::size_t& place : places_) begin += std::exchange(place, begin);
    sorted_.resize(transfers.size());
    for (const Transfer& t : transfers) sorted_[places_[t.src / block]++] = t;
  }

  std::unique_ptr<StepStream> stream_;
  std::vector<std::size_t> places_;  ///< by block
  Transfers sorted_;
};

}  // namespace

std::unique_ptr<StepStream> by_senders(std::unique_ptr<StepStream> stream) {
  return std::make_unique<BySenders>(std::move(stream));
}

}  // namespace schedcc
