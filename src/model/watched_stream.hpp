#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The steps of another stream; `watch` is called with each of them when it has been read.
class WatchedStream : public StepStream {
 public:
  WatchedStream(std::unique_ptr<StepStream> stream, std::function<void(const Step&)> watch)
      : stream_(std::move(stream)), watch_(std::move(watch)) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    watch_(step);
    return true;
  }
  void read_ahead(std::size_t threads) override { stream_->read_ahead(threads); }

 private:
  std::unique_ptr<StepStream> stream_;
  std::function<void(const Step&)> watch_;
};

}  // namespace schedcc
