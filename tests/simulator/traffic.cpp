#include "simulator/traffic.hpp"

#include <algorithm>
#include <string>

#include "simulator/networks.hpp"

namespace naive {

namespace {

class Carrier {
 public:
  Carrier(const Traffic& traffic, const Model& model, Outcome& out)
      : traffic_(traffic), model_(model), out_(out) {}

  void run() {
    if (model_.ports || model_.logp) out_.applicable.insert("ports");
    if (model_.ports) ports();
    if (model_.logp) logp();
    if (model_.width != 0) width();
    if (model_.routed()) links();
    if (model_.grid) check_edges();
    if (model_.modules) check_modules();
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
      for (Rank r = 0; r < traffic_.ranks; ++r) {
        if (sends[r] > model_.ports->send || receives[r] > model_.ports->receive ||
            sends[r] + receives[r] > model_.ports->both) {
          violated("ports");
        }
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

  void count(std::uint64_t messages, std::uint64_t limit) {
    out_.congestion = std::max(out_.congestion, messages);
    if (messages > limit) violated("links");
  }

  const Traffic& traffic_;
  const Model& model_;
  Outcome& out_;
};

}  // namespace

Messages messages(const std::vector<Sent>& sent) {
  Messages result;
  for (const auto& [step, t] : sent) result[step][{t.src, t.dst}] += t.count;
  return result;
}

void carry(const Traffic& traffic, const Model& model, Outcome& out) {
  Carrier(traffic, model, out).run();
}

}  // namespace naive
