#include "cli/watched_source.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include "model/watched_stream.hpp"

namespace schedcc::cli {

Source watched(Source source, Progress& progress) {
  source.open = [open = std::move(source.open), &progress] {
    return std::make_unique<WatchedStream>(
        open(), [&progress, read = std::uint64_t{0}](const Step& step) mutable {
          read += step.transfers.size();
          progress.show(read, "transfers");
        });
  };
  return source;
}

}  // namespace schedcc::cli
