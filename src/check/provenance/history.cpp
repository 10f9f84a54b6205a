#include "check/provenance/history.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace schedcc::provenance {

namespace {

class Recorder {
 public:
  Recorder(const Origins& origins, std::span<const Chunk> chunks, std::size_t most)
      : origins_(origins), most_(most) {
    for (const Chunk chunk : chunks) {
      by_chunk_.emplace_back(chunk, histories_.size());
      histories_.push_back({chunk, {}});
    }
    std::ranges::sort(by_chunk_);
  }

  void read(const Step& step) {
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      auto at = std::ranges::lower_bound(by_chunk_, std::pair(t.first, std::size_t{0}));
      for (; at != by_chunk_.end() && at->first < std::uint64_t{t.first} + t.count; ++at) {
        if (at->second >= histories_.size()) continue;
        note(histories_[at->second], step, i);
      }
      while (transfers_ > most_) drop_last();
    }
  }

  bool idle() const { return histories_.empty(); }
  std::vector<History> take() { return std::move(histories_); }

 private:
  void note(History& history, const Step& step, std::size_t i) {
    const Transfer& t = step.transfers[i];
    if (origins_.well_formed(t)) {
      history.transfers.push_back({locate(step, i), origins_.arrives(step.number, t), i});
    } else {
      history.malformed.push_back({locate(step, i), UINT64_MAX, i});
    }
    ++transfers_;
  }

  void drop_last() {
    transfers_ -= histories_.back().transfers.size() + histories_.back().malformed.size();
    histories_.pop_back();
  }

  const Origins& origins_;
  std::size_t most_;
  std::size_t transfers_ = 0;
  std::vector<History> histories_;
  std::vector<std::pair<Chunk, std::size_t>> by_chunk_;  ///< where its history is, if it is kept
};

}  // namespace

std::vector<Action> actions(const History& history) {
  std::vector<Action> result;
  result.reserve(2 * history.transfers.size());
  for (std::size_t i = 0; i < history.transfers.size(); ++i) {
    result.push_back({history.transfers[i].where.step, true, i});
    result.push_back({history.transfers[i].arrives, false, i});
  }
  std::ranges::sort(result, {},
                    [](const Action& a) { return std::tuple(a.time, a.sends, a.transfer); });
  return result;
}

std::vector<History> record(const Origins& origins, std::span<const Chunk> chunks,
                            std::size_t most) {
  Recorder recorder(origins, chunks, most);
  const auto steps = origins.open();
  for (Step step; !recorder.idle() && steps->next(step);) recorder.read(step);
  return recorder.take();
}

}  // namespace schedcc::provenance
