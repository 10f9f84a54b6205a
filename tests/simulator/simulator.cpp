// The definition, sentence by sentence: the effects of a schedule step by step, and the state at
// the end. The other parts have a file each in simulator/: the table of collectives, the table of
// machines, networks, the limits of a step, queues, and blocking calls.

#include "simulator/simulator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/collectives.hpp"
#include "simulator/deadlock.hpp"
#include "simulator/expressions.hpp"
#include "simulator/networks.hpp"
#include "simulator/queues.hpp"
#include "simulator/switches.hpp"
#include "simulator/traffic.hpp"

namespace naive {

namespace {

/// What every node holds of every chunk, if anything.
class State {
 public:
  State(std::uint64_t nodes, std::uint64_t chunks) : chunks_(chunks), held_(nodes * chunks) {}
  std::optional<Value>& operator[](const Place& place) {
    return held_.at(place.first * chunks_ + place.second);
  }

 private:
  std::uint64_t chunks_;
  std::vector<std::optional<Value>> held_;
};

class Simulation {
 public:
  Simulation(const Plan& plan, const Model& model, const Options& options)
      : p_(plan.problem), model_(model), options_(options), rounds_(plan.rounds) {
    hop_level_ = plan.nodes != 0 && model_.routed();
    nodes_ = hop_level_ ? plan.nodes : p_.ranks;
    for (const Sent& s : plan.sent) {
      if (well_formed(s.transfer)) {
        input_.push_back(s);
      } else {
        out_.violated.insert("shape");
      }
    }
    routes_ = model_.routed() && !hop_level_;
    hops_ = routes_ ? lower(input_, model_, p_.ranks) : input_;
    messages_ = messages(input_);
    state_ = State(nodes_, total_chunks(p_));
  }

  Outcome run() {
    out_.applicable = {"shape", "causality", "delivery", "buffers"};
    if (p_.collective != schedcc::Collective::barrier) out_.applicable.insert("redundancy");
    figures();
    repetitions();
    carry({p_.ranks, messages_, input_, hops_, rounds_, p_.ordered}, model_, out_);
    switches();
    play();
    delivery();
    agreement();
    queues(visits_, p_, model_, out_);
    if (options_.max_buffer && out_.max_buffer > *options_.max_buffer) violated("buffers");
    if (!hop_level_) {
      out_.applicable.insert("deadlock");
      if (deadlocks(input_, p_.ranks, model_, options_)) violated("deadlock");
    }
    return out_;
  }

 private:
  void violated(const std::string& check) { out_.violated.insert(check); }

  std::uint64_t latency() const { return model_.logp ? model_.logp->L + 2 * model_.logp->o : 1; }

  /// The steps until the destination holds the chunks of a transfer: with routes, one for each
  /// link.
  std::uint64_t travels(const Transfer& t) const {
    return routes_ ? links_between(model_, t.src, t.dst, p_.ranks) : latency();
  }

  bool well_formed(const Transfer& t) const {
    if (t.src >= nodes_ || t.dst >= nodes_ || t.src == t.dst) return false;
    if (t.count == 0 || std::uint64_t{t.first} + t.count > total_chunks(p_)) return false;
    for (Chunk c = t.first; t.reduce && c < t.first + t.count; ++c) {
      if (!is_reduction(p_, c)) return false;
    }
    return true;
  }

  void figures() {
    out_.transfers = input_.size();
    for (const auto& [step, sizes] : messages_) {
      std::uint64_t largest = 0;
      for (const auto& [message, size] : sizes) largest = std::max(largest, size);
      if (p_.collective != schedcc::Collective::barrier) out_.volume += largest;
      out_.width = std::max(out_.width, largest);
      out_.messages += sizes.size();
    }
    if (model_.routed()) out_.hops = hops_.size();
    for (const Sent& s : hops_) out_.steps = std::max(out_.steps, s.step + latency());
  }

  /// Of a schedule at hop level, if some switch may not do all.
  void switches() {
    if (!hop_level_ || !model_.graph) return;
    const auto& rules = model_.graph->rules;
    const bool restricted = std::any_of(rules.begin(), rules.end(), [](const auto& entry) {
      return !entry.second.multicast || !entry.second.reduces;
    });
    if (!restricted) return;
    out_.applicable.insert("switches");
    if (breaks_rules(*model_.graph, hops_, p_.ranks)) violated("switches");
  }

  /// shape: a chunk twice in one message; a copy that arrives together with another transfer of its
  /// chunk. With routes: at ranks only transfers to them arrive; at routers, all that come over a
  /// link.
  void repetitions() {
    struct ArrivingChunk {
      std::uint64_t step;
      Place place;
      Rank src;
      bool copy;
      auto order() const { return std::tuple(step, place, src); }
    };
    std::vector<ArrivingChunk> all;
    const auto arrive = [&](std::uint64_t step, const Transfer& t) {
      for (Chunk c = t.first; c < t.first + t.count; ++c)
        all.push_back({step, {t.dst, c}, t.src, t.reduce == 0});
    };
    for (const auto& [step, t] : hops_) {
      if (!routes_ || t.dst >= p_.ranks) arrive(step, t);
    }
    for (const auto& [step, t] : input_) {
      if (routes_) arrive(step + travels(t) - 1, t);
    }
    std::sort(all.begin(), all.end(),
              [](const ArrivingChunk& a, const ArrivingChunk& b) { return a.order() < b.order(); });
    for (std::size_t i = 1; i < all.size(); ++i) {
      const ArrivingChunk &a = all[i - 1], &b = all[i];
      const bool together = a.step == b.step && a.place == b.place;
      if (together && (a.src == b.src || a.copy || b.copy)) violated("shape");
    }
  }

  // ---- causality, redundancy, and the state at the end ----

  struct Arrival {
    Place place;
    Value value;
    bool reduce;
  };

  void play() {
    for (Rank r = 0; r < p_.ranks; ++r) {
      for (Chunk c = 0; c < total_chunks(p_); ++c) {
        if (starts(p_, r, c)) state_[{r, c}] = is_reduction(p_, c) ? Value{r} : Value{};
      }
    }
    std::map<std::uint64_t, std::vector<Transfer>> sends;
    std::set<std::uint64_t> times;
    for (const auto& [step, t] : input_) {
      sends[step].push_back(t);
      times.insert({step, step + travels(t)});
    }
    std::map<std::uint64_t, std::vector<Arrival>> arrivals;
    for (const std::uint64_t now : times) {
      receive(arrivals[now], now);
      for (const Transfer& t : sends[now]) send(t, now, arrivals[now + travels(t)]);
    }
  }

  void send(const Transfer& t, std::uint64_t now, std::vector<Arrival>& arrivals) {
    for (Chunk c = t.first; c < t.first + t.count; ++c) {
      const std::optional<Value>& held = state_[{t.src, c}];
      visits_.sent[{t.src, c}].push_back({now, t.dst});
      if (!held) {
        violated("causality");
        continue;
      }
      if (p_.ordered && is_reduction(p_, c) && !is_interval(p_, c, *held)) violated("delivery");
      arrivals.push_back({{t.dst, c}, *held, t.reduce == 1});
    }
  }

  void receive(const std::vector<Arrival>& arrivals, std::uint64_t now) {
    for (const Arrival& a : arrivals) {
      const bool same = state_[a.place] == a.value;
      if (!a.reduce && a.value.overcounted()) out_.overcounted = true;
      const bool again = same && !a.reduce && a.place.first < p_.ranks;
      if (again && p_.collective != schedcc::Collective::barrier) violated("redundancy");
    }
    for (const Arrival& a : arrivals) {
      visits_.received[a.place].push_back(now);
      std::optional<Value>& held = state_[a.place];
      if (!held || !a.reduce) held.emplace();
      held->insert(a.value.begin(), a.value.end());
    }
  }

  void delivery() {
    for (Rank r = 0; r < p_.ranks; ++r) {
      for (Chunk c = 0; c < total_chunks(p_); ++c) {
        if (!wanted(p_, r, c)) continue;
        const std::optional<Value>& held = state_[{r, c}];
        const bool right = held && *held == goal(p_, r, c);
        const bool ordered = p_.ordered && is_reduction(p_, c);
        if (!right || (ordered && !is_interval(p_, c, *held))) violated("delivery");
      }
    }
  }

  /// Ranks that end with the same contributions, all of them once, have the same sum.
  void agreement() {
    if (!share_sums(p_)) return;
    out_.applicable.insert("agreement");
    const auto travel = [this](const Transfer& t) { return travels(t); };
    const std::map<Place, std::string> ends = sums(p_, input_, travel);
    std::map<Chunk, std::string> known;
    for (Rank r = 0; r < p_.ranks; ++r) {
      for (Chunk c = 0; c < total_chunks(p_); ++c) {
        const std::optional<Value>& held = state_[{r, c}];
        if (!is_reduction(p_, c) || !wanted(p_, r, c)) continue;
        if (held != goal(p_, r, c)) continue;
        const std::string& sum = ends.at({r, c});
        if (known.emplace(c, sum).first->second != sum) violated("agreement");
      }
    }
  }

  const Problem& p_;
  const Model& model_;
  const Options options_;
  const std::map<std::uint64_t, std::uint32_t>& rounds_;
  bool hop_level_, routes_;
  std::uint64_t nodes_;
  std::vector<Sent> input_, hops_;
  Messages messages_;  ///< of input_
  Outcome out_;
  State state_{0, 0};
  Visits visits_;
};

}  // namespace

Outcome simulate(const Plan& plan, const Model& model, const Options& options) {
  return Simulation(plan, model, options).run();
}

}  // namespace naive
