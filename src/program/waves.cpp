// Two chunks of one message have different colours, assigned in ascending order of chunks, each the
// least possible; so the j-th chunk of every message of a ring has colour j. A wave is a number of
// consecutive colours. All operations on a chunk, on any rank, are then in one wave, and the waves
// may follow one another.

#include "program/waves.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/message_groups.hpp"
#include "program/limits.hpp"
#include "schedcc/error.hpp"

namespace schedcc::program {

namespace {

/// The colours of the chunks of a message.
struct Colours {
  std::vector<bool> used;
  std::uint32_t least_free = 0;

  bool free(std::uint32_t colour) const { return colour >= used.size() || !used[colour]; }
  void use(std::uint32_t colour) {
    if (colour >= used.size()) used.resize(colour + std::size_t{1});
    used[colour] = true;
    while (!free(least_free)) ++least_free;
  }
};

/// The least colour that is free in all messages.
std::uint32_t common_free(const std::vector<Colours>& messages,
                          const std::vector<std::uint32_t>& of) {
  std::uint32_t colour = 0;
  for (const std::uint32_t m : of) colour = std::max(colour, messages[m].least_free);
  while (!std::ranges::all_of(of, [&](std::uint32_t m) { return messages[m].free(colour); })) {
    ++colour;
  }
  return colour;
}

}  // namespace

Waves::Waves(const Source& source, std::uint32_t together) {
  std::map<Chunk, std::vector<std::uint32_t>> messages_of;
  std::vector<Colours> messages;
  // An instruction carries at most `together` chunks, and each rank keeps that many.
  const std::uint64_t most = std::uint64_t{limits::elements} * together * source.problem.ranks;
  std::uint64_t carried = 0;
  const auto stream = source.open();
  MessageGroups groups;
  for (Step step; stream->next(step);) {
    groups.read(step.transfers);
    const std::size_t first = messages.size();
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (carried += t.count; carried > most) {
        throw InputError("more chunks are sent than a runtime of MSCCL holds instructions");
      }
      const auto message = static_cast<std::uint32_t>(first + groups.of(i));
      for (std::uint32_t c = 0; c < t.count; ++c) messages_of[t.first + c].push_back(message);
    }
    messages.resize(first + groups.size());
  }
  for (const auto& [chunk, of] : messages_of) {
    const std::uint32_t colour = common_free(messages, of);
    for (const std::uint32_t m : of) messages[m].use(colour);
    const std::uint32_t wave = wave_[chunk] = colour / together;
    count_ = std::max(count_, wave + 1);
  }
}

}  // namespace schedcc::program
