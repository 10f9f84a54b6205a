#pragma once

// Waves: sets of chunks that go through a schedule together, one set after another.

#include <cstdint>
#include <unordered_map>

#include "schedcc/source.hpp"

namespace schedcc::program {

class Waves {
 public:
  /// One wave: messages are unchanged.
  Waves() = default;
  /// Waves such that each message of the source has at most `together` chunks of each; every chunk
  /// is in one. Throws InputError if the messages have more chunks than a runtime holds
  /// instructions.
  Waves(const Source& source, std::uint32_t together);

  std::uint32_t count() const { return count_; }
  std::uint32_t of(Chunk chunk) const {
    const auto found = wave_.find(chunk);
    return found == wave_.end() ? 0 : found->second;
  }

 private:
  std::unordered_map<Chunk, std::uint32_t> wave_;
  std::uint32_t count_ = 1;
};

}  // namespace schedcc::program
