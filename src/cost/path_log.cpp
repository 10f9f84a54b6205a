#include "cost/path_log.hpp"

#include <algorithm>

namespace schedcc {

std::uint32_t PathLog::record(const TimedMessage& message, std::uint32_t before) {
  std::uint32_t path = free_;
  if (path == none) {
    path = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[path].before;
  }
  nodes_[path] = {message, before, 1};
  keep(before);
  return path;
}

void PathLog::release(std::uint32_t path) {
  while (path != none && --nodes_[path].users == 0) {
    const std::uint32_t before = nodes_[path].before;
    nodes_[path].before = free_;
    free_ = path;
    path = before;
  }
}

std::vector<TimedMessage> PathLog::messages(std::uint32_t path) const {
  std::vector<TimedMessage> result;
  for (; path != none; path = nodes_[path].before) result.push_back(nodes_[path].message);
  std::ranges::reverse(result);
  return result;
}

}  // namespace schedcc
