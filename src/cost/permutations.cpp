#include "cost/permutations.hpp"

namespace schedcc {

std::optional<std::uint64_t> Permutations::chunks_of(std::span<const SizedMessage> messages) {
  if (messages.size() != ranks_) return std::nullopt;
  marks_.resize(ranks_);
  ++calls_;
  const std::uint64_t chunks = messages.front().chunks;
  for (const SizedMessage& m : messages) {
    if (m.chunks != chunks || m.src >= ranks_ || m.dst >= ranks_) return std::nullopt;
    std::uint64_t& sent = marks_[m.src].sent;
    std::uint64_t& received = marks_[m.dst].received;
    if (sent == calls_ || received == calls_) return std::nullopt;
    sent = received = calls_;
  }
  return chunks;
}

std::optional<MessageSize> size_of_rotations(std::span<const Transfer> seeds, Rank ranks,
                                             const ChunkBytes& sizes) {
  const auto distance = [ranks](const Transfer& t) {
    return t.dst >= t.src ? t.dst - t.src : t.dst + (ranks - t.src);
  };
  MessageSize result{0, 0};
  for (const Transfer& t : seeds) {
    if (distance(t) != distance(seeds.front()) || t.dst == t.src) return std::nullopt;
    result.chunks += t.count;
    result.bytes += sizes.bytes(t.first, t.count);
  }
  return seeds.empty() ? std::nullopt : std::optional(result);
}

}  // namespace schedcc
