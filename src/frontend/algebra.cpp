#include "frontend/algebra.hpp"

namespace schedcc {

Steps sequence(Steps first, Steps second) {
  const std::uint64_t size = first.size() + second.size();
  const std::uint64_t span = first.span();
  return Steps(size, [first = std::move(first), second = std::move(second), span](std::uint64_t row,
                                                                                  Transfers& out) {
    if (row < first.size()) return first.fill(row, out);
    return span + second.fill(row - first.size(), out);
  });
}

Steps reverse(Steps steps, bool reduce) {
  const std::uint64_t size = steps.size();
  const std::uint64_t span = steps.span();
  Steps turned(size, [steps = std::move(steps), size, span](std::uint64_t row, Transfers& out) {
    return span - 1 - steps.fill(size - 1 - row, out);
  });
  return each_transfer(std::move(turned), [reduce](Transfer& t) {
    std::swap(t.src, t.dst);
    t.reduce = reduce;
  });
}

Steps rotate_chunks(Steps steps, std::uint64_t shift, std::uint64_t total) {
  shift %= total;
  if (shift == 0) return steps;
  const std::uint64_t size = steps.size();
  return Steps(size, [steps = std::move(steps), shift, total](std::uint64_t row, Transfers& out) {
    const std::size_t begin = out.size();
    const std::uint64_t number = steps.fill(row, out);
    const std::size_t end = out.size();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t first = (out[i].first + shift) % total;
      const std::uint64_t room = total - first;
      Transfer rest = out[i];
      out[i].first = static_cast<Chunk>(first);
      if (rest.count <= room) continue;
      rest.first = 0;
      rest.count = static_cast<std::uint32_t>(rest.count - room) & max_transfer_count;
      out[i].count = static_cast<std::uint32_t>(room) & max_transfer_count;
      out.push_back(rest);
    }
    return number;
  });
}

}  // namespace schedcc
