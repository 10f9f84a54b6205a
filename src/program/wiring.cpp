#include "program/wiring.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <fmt/core.h>

namespace schedcc::program {

Wiring::Wiring(const Program& program) : program_(program) {
  for (Rank gpu = 0; gpu < program.gpus.size(); ++gpu) {
    first_block_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    std::uint32_t index = 0;
    for (const Threadblock& block : program.gpus[gpu].blocks) {
      const auto number = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back({gpu, index++, static_cast<Event>(block_of_.size()), &block});
      block_of_.insert(block_of_.end(), block.steps.size(), number);
    }
  }
  first_block_.push_back(static_cast<std::uint32_t>(blocks_.size()));
  receiver_of_.assign(events(), none);
  sender_of_.assign(events(), none);
  connect();
  for (const Connection& connection : connections_) match(connection);
  // Those of a whole block come with its first step.
  std::ranges::stable_sort(mismatches_, {}, [](const ProgramFinding& m) {
    const auto& [gpu, block, step, line, column] = m.location;
    return std::tuple(gpu, block, step == none ? 0 : step);
  });
}

Event Wiring::awaited_by(Event e) const {
  const Instruction& step = (*this)[e];
  if (step.block < 0) return none;
  const std::uint32_t block = first_block_[owner(e).gpu] + static_cast<std::uint32_t>(step.block);
  return blocks_[block].first + static_cast<Event>(step.step);
}

ProgramLocation Wiring::location(Event e) const {
  ProgramLocation result = location_of(block_of(e));
  result.step = step_of(e);
  result.line = (*this)[e].line;
  result.column = (*this)[e].column;
  return result;
}

ProgramLocation Wiring::location_of(std::uint32_t block) const {
  const Block& b = blocks_[block];
  return {.gpu = b.gpu, .block = b.index, .line = b.block->line, .column = b.block->column};
}

std::string Wiring::describe(Event e) const {
  const Block& block = owner(e);
  const std::uint32_t line = (*this)[e].line;
  return fmt::format("step {} of threadblock {} of GPU {}{}", step_of(e), block.index, block.gpu,
                     line == 0 ? "" : fmt::format(" (line {})", line));
}

void Wiring::connect() {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;
  const auto find = [&](Rank src, Rank dst, std::uint32_t channel) {
    for (const std::uint32_t c : known[std::uint64_t{src} << 32 | dst]) {
      if (connections_[c].channel == channel) return c;
    }
    const auto number = static_cast<std::uint32_t>(connections_.size());
    connections_.push_back({src, dst, channel, none, none, {}, {}});
    known[std::uint64_t{src} << 32 | dst].push_back(number);
    return number;
  };
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    const Threadblock& block = *blocks_[b].block;
    const Rank gpu = blocks_[b].gpu;
    if (block.send >= 0) {
      blocks_[b].out = find(gpu, static_cast<Rank>(block.send), block.channel);
      attach(b, End::sender);
    }
    if (block.recv >= 0) {
      blocks_[b].in = find(static_cast<Rank>(block.recv), gpu, block.channel);
      attach(b, End::receiver);
    }
  }
}

void Wiring::attach(std::uint32_t b, End at) {
  const bool sends = at == End::sender;
  Block& block = blocks_[b];
  std::uint32_t& number = sends ? block.out : block.in;
  Connection& connection = connections_[number];
  std::uint32_t& end = sends ? connection.sender : connection.receiver;
  if (end != none) {
    mismatch(
        location_of(b),
        fmt::format("threadblocks {} and {} of GPU {} both {} GPU {} on channel {}",
                    blocks_[end].index, block.index, block.gpu, sends ? "send to" : "receive from",
                    sends ? connection.dst : connection.src, connection.channel));
    const Connection dead_end = {
        connection.src, connection.dst, connection.channel, none, none, {}, {}};
    number = static_cast<std::uint32_t>(connections_.size());
    connections_.push_back(dead_end);  // so that it shares no messages
    return;
  }
  end = b;
  for (Event e = block.first; e < block.end(); ++e) {
    const OpEffects effect = effects((*this)[e].op);
    if (sends && effect.sends) connection.sends.push_back(e);
    if (!sends && effect.receives) connection.receives.push_back(e);
  }
}

void Wiring::match(const Connection& connection) {
  const auto& sends = connection.sends;
  const auto& receives = connection.receives;
  const std::size_t both = std::min(sends.size(), receives.size());
  for (std::size_t k = 0; k < both; ++k) compare(sends[k], receives[k]);
  if (sends.size() > both) unmatched(connection, sends[both], End::sender);
  if (receives.size() > both) unmatched(connection, receives[both], End::receiver);
}

void Wiring::unmatched(const Connection& connection, Event e, End at) {
  const bool send = at == End::sender;
  const std::size_t sends = connection.sends.size(), receives = connection.receives.size();
  const Rank partner = send ? connection.dst : connection.src;
  mismatch(location(e), fmt::format("GPU {} never {} what {} {} it on channel {}: {} {}, {} {}",
                                    partner, send ? "receives" : "sends", describe(e),
                                    send ? "sends to" : "receives from", connection.channel,
                                    send ? sends : receives, send ? "sends" : "receives",
                                    send ? receives : sends, send ? "receives" : "sends"));
}

void Wiring::compare(Event send, Event receive) {
  receiver_of_[send] = receive;
  sender_of_[receive] = send;
  const Instruction& s = (*this)[send];
  const Instruction& r = (*this)[receive];
  const auto differ = [&](std::string_view what, const std::string& sent,
                          const std::string& received, bool ignored = true) {
    mismatch(location(receive),
             fmt::format("{} receives with {} {} what {} sends with {} {}", describe(receive), what,
                         received, describe(send), what, sent),
             ignored ? what : std::string_view(), {location(send)});
  };
  if (s.count != r.count) differ("count", std::to_string(s.count), std::to_string(r.count), false);
  if (s.dst != r.dst) differ("destination", to_text(s.dst), to_text(r.dst));
  // A fused step sends from where it stores its chunks, or from its source.
  const bool passed_on = effects(s.op).receives && r.src == s.dst;
  if (s.src != r.src && !passed_on) differ("source", to_text(s.src), to_text(r.src));
}

}  // namespace schedcc::program
