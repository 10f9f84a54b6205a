#pragma once

// What the parts of a search share: the machines that they run on, the trees of their bounds, and
// the memory for messages.
//
// A search of compositions tunes many parts, with hundreds of settings each, nearly all of them on
// the same machine. A machine from a file takes long to read, and finds its routes as they are
// asked for, so that each is made once. A machine never changes; a file that changes during a
// search is not read again.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "cost/bounds.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class SearchMemory {
 public:
  /// make_machine(), once for each specification.
  const Machine& machine(const std::string& spec, Rank ranks) {
    const std::pair key(spec, ranks);
    const auto known = machines_.find(key);
    if (known != machines_.end()) return known->second;
    return machines_.emplace(key, make_machine(spec, ranks)).first->second;
  }

  /// karp_seconds(), once for each tree.
  std::optional<double> karp_seconds(std::uint64_t ranks, const CostModel& model) {
    const std::tuple key(ranks, model.L, model.o, model.g);
    const auto known = trees_.find(key);
    if (known != trees_.end()) return known->second;
    return trees_.emplace(key, schedcc::karp_seconds(ranks, model)).first->second;
  }

  /// Is there memory for so many further parts of messages, all together? If so, they take it.
  bool take_parts(std::uint64_t count) {
    if (count > parts_left_) return false;
    parts_left_ -= count;
    return true;
  }
  /// The same for one more permutation.
  bool take_permutation() {
    if (permutations_left_ == 0) return false;
    --permutations_left_;
    return true;
  }

 private:
  std::map<std::pair<std::string, Rank>, Machine> machines_;
  std::map<std::tuple<std::uint64_t, double, double, double>, std::optional<double>> trees_;
  std::uint64_t parts_left_ = std::uint64_t{1} << 24;
  std::uint64_t permutations_left_ = std::uint64_t{1} << 22;
};

}  // namespace schedcc
