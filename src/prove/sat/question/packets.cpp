#include "prove/sat/question/packets.hpp"

#include <algorithm>
#include <map>

namespace schedcc::prover {

Packets packets(const std::vector<Delivery>& chunks, std::uint64_t width) {
  Packets result;
  std::map<Delivery, std::size_t> open;  // the last packet of chunks with these sources and goals
  for (Chunk c = 0; c < chunks.size(); ++c) {
    const auto [place, first] = open.try_emplace(chunks[c], result.chunks.size());
    if (first || result.chunks[place->second].size() == width) {
      place->second = result.chunks.size();
      result.deliveries.push_back(chunks[c]);
      result.chunks.emplace_back();
    }
    result.chunks[place->second].push_back(c);
  }
  return result;
}

bool reaches_all(const Instance& instance) {
  return instance.ports && instance.slowest == 1 && instance.links.empty() &&
         instance.nodes == instance.ranks &&
         instance.arcs.size() == instance.ranks * (instance.ranks - 1);
}

bool takes_packets(const Instance& instance) {
  const auto& ports = instance.ports;
  return reaches_all(instance) && ports->both >= std::uint64_t{ports->send} + ports->receive;
}

bool takes_one_port(const Instance& instance) {
  return takes_packets(instance) && instance.ports->send == 1 && instance.ports->receive == 1;
}

bool is_broadcast(const Instance& instance, const std::vector<Delivery>& chunks) {
  return !chunks.empty() && std::ranges::all_of(chunks, [&](const Delivery& chunk) {
    return chunk.sources.size() == 1 && chunk.sources == chunks.front().sources &&
           chunk.goals.size() + 1 == instance.ranks;
  });
}

bool has_single_goals(const std::vector<Delivery>& chunks) {
  return std::ranges::all_of(chunks, [](const Delivery& chunk) {
    return chunk.goals.empty() || (chunk.goals.size() == 1 && chunk.sources.size() == 1);
  });
}

std::optional<TotalExchange> total_exchange(const Instance& instance,
                                            const std::vector<Delivery>& chunks) {
  const std::uint64_t ranks = instance.ranks;
  if (ranks < 2 || !takes_one_port(instance) || !has_single_goals(chunks)) return std::nullopt;
  TotalExchange result{packets(chunks, width(instance)), {}, 0};
  result.between.assign(ranks, std::vector<std::vector<std::size_t>>(ranks));
  for (std::size_t p = 0; p < result.packets.deliveries.size(); ++p) {
    const Delivery& packet = result.packets.deliveries[p];
    if (!packet.goals.empty()) result.between[packet.sources[0]][packet.goals[0]].push_back(p);
  }
  result.each = result.between[0][1].size();
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      if (from != to && result.between[from][to].size() != result.each) return std::nullopt;
    }
  }
  if (result.each == 0) return std::nullopt;
  return result;
}

std::vector<std::vector<std::size_t>> arcs_by_ends(const Instance& instance) {
  std::vector<std::vector<std::size_t>> result(instance.nodes,
                                               std::vector<std::size_t>(instance.nodes));
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    result[instance.arcs[a].from][instance.arcs[a].to] = a;
  }
  return result;
}

std::shared_ptr<const Schedule> schedule_of(const std::vector<Transfers>& steps) {
  auto result = std::make_shared<Schedule>();
  for (const Transfers& transfers : steps) {
    result->begin_step(result->size());
    for (const Transfer& transfer : transfers) result->add(transfer);
  }
  return result;
}

std::uint64_t width(const Instance& instance) { return instance.arcs.front().capacity.value(); }

}  // namespace schedcc::prover
