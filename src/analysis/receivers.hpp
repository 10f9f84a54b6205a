#pragma once

// Finds out whether any message of a step has several transfers, without grouping them.

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "analysis/block_table.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The receivers of each sender, as long as there are few. Buffers are kept from step to step.
class Receivers {
 public:
  /// Do any two transfers of a step have the sender, the receiver and the mode in common? nullopt:
  /// not known, as a sender has many receivers.
  std::optional<bool> repeat(std::span<const Transfer> transfers);

 private:
  struct List {
    std::uint32_t step = 0;  ///< in which the sender sent last
    std::uint32_t size = 0;
    std::array<Rank, 4> ranks;
  };

  std::array<NodeArray<List>, 2> lists_;  ///< by mode
  std::uint32_t step_ = 0;
};

}  // namespace schedcc
