#include "cost/kept_messages.hpp"

namespace schedcc {

void KeptMessages::add(const Step& step, const MessageReader& reader,
                       std::span<const SizedMessage> messages) {
  // Counting sort of the transfers by message.
  places_.assign(messages.size() + 1, 0);
  for (std::size_t i = 0; i < step.transfers.size(); ++i) ++places_[reader.message_of(i) + 1];
  const std::size_t before = runs_.size();
  places_[0] = before;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    places_[m + 1] += places_[m];
    messages_.push_back({messages[m].src, messages[m].dst, messages[m].chunks, places_[m + 1]});
  }
  runs_.resize(before + step.transfers.size());
  for (std::size_t i = 0; i < step.transfers.size(); ++i) {
    const Transfer& t = step.transfers[i];
    runs_[places_[reader.message_of(i)]++] = {t.first, t.count};
  }
  steps_.push_back({step.number, step.rounds, messages_.size()});
}

std::span<const SizedMessage> KeptMessages::read(std::size_t i, const ChunkBytes& bytes) {
  sized_.clear();
  const std::size_t begin = i == 0 ? 0 : steps_[i - 1].messages;
  std::size_t run = begin == 0 ? 0 : messages_[begin - 1].runs;
  for (std::size_t m = begin; m < steps_[i].messages; ++m) {
    const KeptMessage& kept = messages_[m];
    std::uint64_t sum = 0;
    if (bytes.equal()) {
      sum = bytes.bytes(0, kept.chunks);
      run = kept.runs;
    }
    for (; run < kept.runs; ++run) sum += bytes.bytes(runs_[run].first, runs_[run].count);
    sized_.push_back({kept.src, kept.dst, kept.chunks, sum});
  }
  return sized_;
}

}  // namespace schedcc
