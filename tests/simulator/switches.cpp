#include "simulator/switches.hpp"

#include <algorithm>
#include <cstddef>

#include "simulator/networks.hpp"

namespace naive {

namespace {

using Path = std::vector<Rank>;
/// Messages that may be one, with their routes from the end that they have in common.
using Group = std::map<Message, Path>;

/// The tree of the routes of a group.
class Tree {
 public:
  /// `backwards`: the routes are read from the destination, so that switches combine.
  Tree(const Model::Graph& graph, const Group& group, bool backwards)
      : graph_(graph), backwards_(backwards) {
    for (const auto& [message, route] : group) routes_.push_back(route);
  }

  /// The messages on the last link of a path, which is the beginning of some route. Into a switch
  /// that multicasts they are one; else those on the links that follow, and those that end here.
  std::uint64_t messages(const Path& path) {
    std::set<Path> longer;
    std::uint64_t result = 0;
    for (const Path& route : routes_) {
      if (route == path) ++result;
      if (route.size() > path.size() && std::equal(path.begin(), path.end(), route.begin()))
        longer.insert(Path(route.begin(), route.begin() + static_cast<long>(path.size()) + 1));
    }
    for (const Path& next : longer) result += messages(next);
    if (path.size() == 1) return result;  // at a port
    const auto rules = graph_.rules.find(path.back());
    const bool one = rules != graph_.rules.end() &&
                     (backwards_ ? rules->second.reduces : rules->second.multicast);
    if (one && result > 1) {
      shared = true;
      result = 1;
    }
    const Rank from = path[path.size() - 2], to = path.back();
    links[backwards_ ? Message{to, from} : Message{from, to}] += result;
    return result;
  }

  bool shared = false;  ///< somewhere several messages are one
  std::map<Message, std::uint64_t> links;

 private:
  const Model::Graph& graph_;
  bool backwards_;
  std::vector<Path> routes_;
};

}  // namespace

Counts counts(const Model::Graph& graph, const std::map<Message, MessageContent>& messages,
              bool ordered) {
  Counts result;
  std::set<Message> copied;
  std::map<std::pair<Rank, MessageContent>, Group> from_one, to_one;
  for (const auto& [message, content] : messages)
    from_one[{message.first, content}][message] = way(graph, message.first, message.second);
  for (const auto& [key, group] : from_one) {
    Tree tree(graph, group, false);
    const std::uint64_t sent = tree.messages({key.first});
    if (!tree.shared) continue;
    for (const auto& [link, n] : tree.links) result.links[link] += n;
    result.sends[key.first] += sent;
    for (const auto& [message, route] : group) {
      ++result.receives[message.second];
      copied.insert(message);
    }
  }
  int apart = 0;
  for (const auto& [message, content] : messages) {
    if (copied.count(message) != 0) continue;
    bool combines = !ordered;
    for (const auto& [chunk, reduced] : content) combines = combines && reduced;
    Path route = way(graph, message.first, message.second);
    std::reverse(route.begin(), route.end());
    // Those that cannot be combined are alone in their group, by a number that is no chunk.
    MessageContent key = content;
    if (!combines) key.insert({UINT32_MAX - static_cast<Chunk>(apart++), false});
    to_one[{message.second, key}][message] = route;
  }
  for (const auto& [key, group] : to_one) {
    Tree tree(graph, group, true);
    result.receives[key.first] += tree.messages({key.first});
    for (const auto& [link, n] : tree.links) result.links[link] += n;
    for (const auto& [message, route] : group) ++result.sends[message.first];
  }
  return result;
}

bool breaks_rules(const Model::Graph& graph, const std::vector<Sent>& hops, Rank ranks) {
  using Place = std::pair<Rank, Chunk>;
  std::map<Place, std::vector<std::uint64_t>> sends, arrivals;
  for (const auto& [step, t] : hops) {
    for (Chunk c = t.first; c < t.first + t.count; ++c) {
      sends[{t.src, c}].push_back(step);
      arrivals[{t.dst, c}].push_back(step);
    }
  }
  for (auto& entry : sends) {
    const Place place = entry.first;
    std::vector<std::uint64_t>& steps = entry.second;
    const auto rules = graph.rules.find(place.first);
    if (rules == graph.rules.end() || rules->second.multicast) continue;
    std::sort(steps.begin(), steps.end());
    const auto arrived_in = [&](std::uint64_t from, std::uint64_t to) {
      const auto& all = arrivals[place];
      return std::any_of(all.begin(), all.end(),
                         [&](std::uint64_t step) { return from <= step && step < to; });
    };
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (arrived_in(0, steps[i - 1]) && !arrived_in(steps[i - 1], steps[i])) return true;
    }
  }
  for (const auto& [step, t] : hops) {
    const auto rules = graph.rules.find(t.dst);
    if (t.dst < ranks || t.reduce == 0 || rules == graph.rules.end() || rules->second.reduces)
      continue;
    for (Chunk c = t.first; c < t.first + t.count; ++c) {
      const auto& all = arrivals[{t.dst, c}];
      const auto before = std::count_if(all.begin(), all.end(),
                                        [now = step](std::uint64_t at) { return at < now; });
      const auto together = std::count(all.begin(), all.end(), step);
      if (before > 0 || together > 1) return true;
    }
  }
  return false;
}

}  // namespace naive
