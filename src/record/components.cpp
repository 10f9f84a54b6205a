#include "record/components.hpp"

#include <algorithm>
#include <utility>

namespace schedcc::record {

namespace {

constexpr std::uint32_t unseen = UINT32_MAX;

/// Without recursion, since chains of messages are long.
class Tarjan {
 public:
  explicit Tarjan(const std::vector<std::vector<std::uint32_t>>& after)
      : after_(after),
        number_(after.size(), unseen),
        low_(after.size(), 0),
        component_(after.size(), unseen) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t node = 0; node < after_.size(); ++node) {
      if (number_[node] == unseen) search(node);
    }
    return std::move(component_);
  }

 private:
  void enter(std::uint32_t node) {
    number_[node] = low_[node] = next_number_++;
    path_.push_back(node);
    open_.emplace_back(node, 0);
  }

  void search(std::uint32_t start) {
    enter(start);
    while (!open_.empty()) {
      const auto [node, edge] = open_.back();
      if (edge == after_[node].size()) {
        leave(node);
        continue;
      }
      ++open_.back().second;
      const std::uint32_t next = after_[node][edge];
      if (number_[next] == unseen) {
        enter(next);
      } else if (component_[next] == unseen) {
        low_[node] = std::min(low_[node], number_[next]);
      }
    }
  }

  void leave(std::uint32_t node) {
    open_.pop_back();
    if (!open_.empty()) {
      std::uint32_t& above = low_[open_.back().first];
      above = std::min(above, low_[node]);
    }
    if (low_[node] != number_[node]) return;
    for (std::uint32_t last = unseen; last != node;) {
      last = path_.back();
      path_.pop_back();
      component_[last] = next_component_;
    }
    ++next_component_;
  }

  const std::vector<std::vector<std::uint32_t>>& after_;
  std::vector<std::uint32_t> number_, low_, component_, path_;
  std::vector<std::pair<std::uint32_t, std::size_t>> open_;
  std::uint32_t next_number_ = 0, next_component_ = 0;
};

}  // namespace

std::vector<std::uint32_t> components(const std::vector<std::vector<std::uint32_t>>& after) {
  return Tarjan(after).run();
}

}  // namespace schedcc::record
