// A broadcast of K packets on 2^q ranks in K - 1 + q steps, the bound for one port.
//
// In each step every rank but the root has a label, the packet that it received last while few
// had it; the root sends packet t in step t. A packet p is the label of 1, 2, 4, ..., 2^(q-1)
// ranks when steps p + 1, p + 2, ..., p + q begin; then its age is 1, 2, ..., q, and it is no
// label any more after the last of these. So when a step begins, one half of the ranks, F, has
// the label of age q, and the other half, N, the root and the labels of ages 1 to q - 1. In the
// step every rank of N sends its label to a rank of F, and the root the new packet; every rank
// of F but one sends its own to a rank of N. Then all have the packet of age q, and the labels
// of F are those of N, which are twice as many as before and a step older: the step can be
// repeated, with any pairs of ranks. After step K + q - 2 every rank has the label K - 1 or a
// later one, if packet K - 1 is sent in the place of the later ones, and all packets before K -
// 1 have been everywhere. Packets below 0, the labels at the start, are not sent.

#include "prove/sat/exchange/exchange_run.hpp"

#include <algorithm>
#include <bit>

namespace schedcc::prover {

std::uint64_t exchange_steps(std::uint64_t ranks, std::uint64_t packets) {
  return packets - 1 + static_cast<std::uint64_t>(std::bit_width(ranks - 1));
}

ExchangeSteps::ExchangeSteps(Packets packets, std::uint64_t ranks)
    : packets_(std::move(packets)),
      steps_(exchange_steps(ranks, packets_.chunks.size())),
      holds_(ranks, std::vector<bool>(packets_.chunks.size())) {
  schedule_->begin_step(0);
}

void ExchangeSteps::send(Rank from, Rank to, std::int64_t packet) {
  if (packet < 0) return;
  const auto sent = std::min(static_cast<std::size_t>(packet), packets_.chunks.size() - 1);
  if (holds_[to][sent]) return;
  holds_[to][sent] = true;
  for (const Chunk c : packets_.chunks[sent]) schedule_->add(copy(from, to, c));
}

void ExchangeSteps::advance() {
  ++now_;
  if (!over()) schedule_->begin_step(static_cast<std::uint64_t>(now_));
}

ExchangeRun::ExchangeRun(Packets packets, const std::vector<std::uint64_t>& ages)
    : steps_(std::move(packets), ages.size()),
      q_(static_cast<std::uint64_t>(std::bit_width(ages.size() - 1))) {
  for (const std::uint64_t age : ages) labels_.push_back(-static_cast<std::int64_t>(age));
}

std::uint64_t ExchangeRun::age(Rank v) const {
  return v == steps_.root() ? 0 : static_cast<std::uint64_t>(steps_.now() - labels_[v]);
}

void ExchangeRun::message(Rank from, Rank to) {
  const std::int64_t now = steps_.now();
  if (to == steps_.root()) return;
  if (!oldest(to)) return steps_.send(from, to, now - static_cast<std::int64_t>(q_));
  const std::int64_t packet = from == steps_.root() ? now : labels_[from];
  steps_.send(from, to, packet);
  received_.emplace_back(to, packet);
}

void ExchangeRun::advance() {
  for (const auto& [v, packet] : received_) labels_[v] = packet;
  received_.clear();
  steps_.advance();
}

}  // namespace schedcc::prover
