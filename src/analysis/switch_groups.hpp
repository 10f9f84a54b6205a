#pragma once

// Which messages of a step the switches of a machine may copy or combine: those of one source, or
// of one destination, with the same transfers (docs/semantics.md, "Switches").

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/digest.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

class SwitchGroups {
 public:
  /// `rules`: of all switches together. If they do nothing, messages are in no groups.
  SwitchGroups(const SwitchRules& rules, const Problem& problem)
      : copies_(rules.any()), combines_(rules.any() && !problem.ordered) {}

  /// The messages of the step in the order of the digest, which has read it. Valid until the next
  /// call. Time: O(n log n) for n transfers; O(n) if switches do nothing, if no rank sends or
  /// receives twice, or if messages of one transfer are in the order of their contents.
  std::span<const RoutedMessage> read(const Step& step, const Digest& digest);

 private:
  /// The chunks of a message, in merged runs.
  struct Content {
    std::vector<Run> copied, reduced;
  };

  void read_contents(const Step& step, const Digest& digest);
  void number_contents();
  void number_transfers(std::span<const Transfer> transfers);
  void number(Rank RoutedMessage::*end, std::uint32_t RoutedMessage::*group, bool reductions);

  bool copies_, combines_;
  std::vector<RoutedMessage> messages_;
  std::vector<Content> contents_;      ///< by message, unless each is one transfer
  std::vector<bool> copies_nothing_;   ///< by message
  std::vector<std::uint32_t> number_;  ///< of its content, by message
  std::vector<std::size_t> order_;
};

}  // namespace schedcc
