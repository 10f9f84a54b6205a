#include "cli/watched_source.hpp"

#include <memory>
#include <utility>

namespace schedcc::cli {

namespace {

class WatchedStream : public StepStream {
 public:
  WatchedStream(std::unique_ptr<StepStream> stream, Progress& progress)
      : stream_(std::move(stream)), progress_(progress) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    read_ += step.transfers.size();
    progress_.show(read_, "transfers");
    return true;
  }

 private:
  std::unique_ptr<StepStream> stream_;
  Progress& progress_;
  std::uint64_t read_ = 0;
};

}  // namespace

Source watched(Source source, Progress& progress) {
  source.open = [open = std::move(source.open), &progress] {
    return std::make_unique<WatchedStream>(open(), progress);
  };
  return source;
}

}  // namespace schedcc::cli
