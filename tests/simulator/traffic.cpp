#include "simulator/traffic.hpp"

#include <algorithm>
#include <string>

#include "simulator/networks.hpp"
#include "simulator/switches.hpp"

namespace naive {

namespace {

std::vector<std::uint64_t> digits(const Model::Cluster& cluster, Rank rank) {
  std::vector<std::uint64_t> result;
  std::uint64_t rest = rank;
  for (const std::uint64_t factor : cluster.factors) {
    result.push_back(rest % factor);
    rest /= factor;
  }
  return result;
}

class Carrier {
 public:
  Carrier(const Traffic& traffic, const Model& model, Outcome& out)
      : traffic_(traffic), model_(model), out_(out) {}

  void run() {
    if (model_.ports || model_.logp) out_.applicable.insert("ports");
    if (model_.ports && !model_.direct) ports();
    if (model_.direct) direct();
    if (model_.logp) logp();
    if (model_.width != 0) width();
    if (model_.routed()) links();
    if (model_.grid) check_edges();
    if (model_.modules) check_modules();
    if (model_.cluster) check_channels();
  }

 private:
  void violated(const std::string& check) { out_.violated.insert(check); }

  void ports() {
    for (const auto& [step, sizes] : traffic_.messages) {
      std::map<Rank, std::size_t> sends, receives;
      for (const auto& [message, size] : sizes) {
        ++sends[message.first];
        ++receives[message.second];
      }
      ports(sends, receives);
    }
  }

  void ports(std::map<Rank, std::size_t>& sends, std::map<Rank, std::size_t>& receives) {
    for (Rank r = 0; r < traffic_.ranks; ++r) {
      if (sends[r] > model_.ports->send || receives[r] > model_.ports->receive ||
          sends[r] + receives[r] > model_.ports->both) {
        violated("ports");
      }
    }
  }

  /// ports and links of topologies on which a message takes its whole route.
  void direct() {
    out_.applicable.insert("links");
    std::map<std::uint64_t, std::map<Message, MessageContent>> steps;
    for (const auto& [step, t] : traffic_.sent) {
      for (Chunk c = t.first; c < t.first + t.count; ++c)
        steps[step][{t.src, t.dst}].insert({c, t.reduce == 1});
    }
    for (const auto& [step, messages] : steps) {
      Counts found = counts(*model_.direct, messages, traffic_.ordered);
      ports(found.sends, found.receives);
      for (const auto& [link, n] : found.links) {
        out_.congestion = std::max(out_.congestion, n);
        if (n > model_.direct->links.at(link) && !model_.direct->shared) violated("links");
      }
    }
  }

  void width() {
    for (const auto& [step, sizes] : traffic_.messages) {
      for (const auto& [message, size] : sizes) {
        if (size > model_.width) violated("ports");
      }
    }
  }

  /// ports under LogP: spacing, overlap, and the messages in flight.
  void logp() {
    std::map<Rank, std::vector<std::uint64_t>> sends, receives;
    const auto [L, o, g] = *model_.logp;
    for (const auto& [t, sizes] : traffic_.messages) {
      for (const auto& [message, size] : sizes) {
        sends[message.first].push_back(t);
        receives[message.second].push_back(t + o + L);
      }
    }
    for (Rank r = 0; r < traffic_.ranks; ++r) {
      spacing(sends[r]);
      spacing(receives[r]);
      for (const std::uint64_t s : sends[r]) {
        for (const std::uint64_t u : receives[r]) {
          if (s < u + o && u < s + o) violated("ports");
        }
      }
      check_capacity(sends[r]);
      check_capacity(receives[r]);
    }
  }

  void spacing(const std::vector<std::uint64_t>& starts) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      for (std::size_t j = i + 1; j < starts.size(); ++j) {
        if (starts[j] - starts[i] < std::max(model_.logp->g, model_.logp->o)) violated("ports");
      }
    }
  }

  /// Messages are in flight for L cycles; `starts` are the cycles, up to a constant, in which they
  /// leave.
  void check_capacity(const std::vector<std::uint64_t>& starts) {
    const auto [L, o, g] = *model_.logp;
    for (const std::uint64_t now : starts) {
      std::uint64_t count = 0;
      for (const std::uint64_t s : starts) {
        if (s <= now && now < s + L) ++count;
      }
      if (count > (L + g - 1) / g) violated("ports");
    }
  }

  void links() {
    out_.applicable.insert("links");
    std::map<std::pair<std::uint64_t, Message>, std::uint64_t> load;
    for (const auto& [step, t] : traffic_.hops) load[{step, {t.src, t.dst}}] += t.count;
    for (const auto& [where, chunks] : load) {
      const auto& [from, to] = where.second;
      auto limit = capacity(model_, from, to, traffic_.ranks);
      const auto rounds = traffic_.rounds.find(where.first);
      if (limit && model_.graph && rounds != traffic_.rounds.end()) *limit *= rounds->second;
      if (!limit || chunks > *limit) violated("links");
    }
  }

  void check_edges() {
    out_.applicable.insert("links");
    for (const auto& [step, sizes] : traffic_.messages) {
      std::map<Message, std::uint64_t> load;
      for (const auto& [message, size] : sizes) {
        for (const Message& edge : edges(*model_.grid, message.first, message.second)) {
          count(++load[edge], model_.grid->congestion);
        }
      }
    }
  }

  void check_modules() {
    out_.applicable.insert("links");
    const auto [b, in, out] = *model_.modules;
    for (const auto& [step, sizes] : traffic_.messages) {
      std::map<std::uint64_t, std::uint64_t> leave, enter;
      for (const auto& [message, size] : sizes) {
        if (message.first / b == message.second / b) continue;
        count(++leave[message.first / b], out);
        count(++enter[message.second / b], in);
      }
    }
  }

  void check_channels() {
    out_.applicable.insert("links");
    for (const auto& [step, sizes] : traffic_.messages) {
      for (const bool needless : {false, true}) {
        std::map<std::vector<std::uint64_t>, std::uint64_t> load;
        for (const auto& [message, size] : sizes) {
          for (const auto& [channel, limit] :
               cluster_channels(*model_.cluster, message, needless)) {
            ++load[channel];
            if (!needless) out_.congestion = std::max(out_.congestion, load[channel]);
            if (load[channel] > limit && !model_.cluster->shared) violated("links");
          }
        }
      }
    }
  }

  void count(std::uint64_t messages, std::uint64_t limit) {
    out_.congestion = std::max(out_.congestion, messages);
    if (messages > limit) violated("links");
  }

  const Traffic& traffic_;
  const Model& model_;
  Outcome& out_;
};

}  // namespace

std::size_t cluster_level(const Model::Cluster& cluster, const Message& message) {
  const auto from = digits(cluster, message.first), to = digits(cluster, message.second);
  std::size_t level = 0;
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (from[i] != to[i]) level = i;
  }
  return level;
}

std::map<std::vector<std::uint64_t>, std::uint64_t> cluster_channels(const Model::Cluster& cluster,
                                                                     const Message& message,
                                                                     bool needless) {
  std::map<std::vector<std::uint64_t>, std::uint64_t> result;
  const auto from = digits(cluster, message.first), to = digits(cluster, message.second);
  const std::size_t level = cluster_level(cluster, message), last = cluster.factors.size() - 1;
  if (level == 0) return result;
  std::vector<std::uint64_t> carries{cluster.nics};  // a group of each level
  std::vector<bool> needed{true};
  for (std::size_t l = 1; l <= last; ++l) {
    const std::uint64_t members = cluster.factors[l] * carries[l - 1];
    carries.push_back(std::max<std::uint64_t>(1, members / cluster.oversubscription[l - 1]));
    needed.push_back(needless || carries[l] != members);
  }
  // A group: its level, the direction, and the digits after that of the level.
  const auto add = [&](std::size_t l, std::uint64_t direction,
                       const std::vector<std::uint64_t>& place) {
    if (!needed[l]) return;
    std::vector<std::uint64_t> name{l, direction};
    name.insert(name.end(), place.begin() + static_cast<std::ptrdiff_t>(l) + 1, place.end());
    result[name] = carries[l];
  };
  const std::uint64_t out = from[0] % cluster.nics, in = to[0] % cluster.nics;
  if (cluster.rails) {
    std::vector<std::uint64_t> sender{0, 0, out}, receiver{0, 1, in};
    sender.insert(sender.end(), from.begin() + 1, from.end());
    receiver.insert(receiver.end(), to.begin() + 1, to.end());
    result[sender] = result[receiver] = 1;
  } else {
    add(0, 0, from);
    add(0, 1, to);
  }
  for (std::size_t l = 1; l < level; ++l) {
    add(l, 0, from);
    add(l, 1, to);
  }
  const bool on_a_rail = cluster.rails && level == 1 && out == in;
  if (level == last && !on_a_rail) add(last, 2, from);
  if (level != last && cluster.rails && level == 1 && !on_a_rail) {
    add(1, 0, from);
    add(1, 1, to);
  }
  return result;
}

Messages messages(const std::vector<Sent>& sent) {
  Messages result;
  for (const auto& [step, t] : sent) result[step][{t.src, t.dst}] += t.count;
  return result;
}

void carry(const Traffic& traffic, const Model& model, Outcome& out) {
  Carrier(traffic, model, out).run();
}

}  // namespace naive
