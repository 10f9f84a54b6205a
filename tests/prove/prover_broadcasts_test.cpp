// Broadcasts by one port without a step to spare, in messages and packets: the answers of their
// formula, and the numbers of holders, are those of an exhaustive search.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "prove/sat/clauses/broadcast_messages.hpp"
#include "prove/sat/clauses/broadcast_slack.hpp"
#include "prove/sat/clauses/holder_numbers.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// The packets of each rank, as bits.
using Held = std::vector<std::uint32_t>;

/// All schedules for a broadcast, by what ranks hold when each step begins: every choice of
/// messages within ports and channels is tried.
class AllBroadcasts {
 public:
  /// `in_order`: the root sends packet t in step t.
  AllBroadcasts(const Instance& instance, Rank root, std::uint32_t packets, bool in_order)
      : instance_(instance), root_(root), packets_(packets), in_order_(in_order) {
    Held start(instance.ranks);
    start[root] = all();
    before_.resize(instance.steps + 1);
    before_[0][start];
    for (t_ = 0; t_ < instance.steps; ++t_) {
      for (const auto& [held, from] : before_[t_]) {
        now_ = next_ = held;
        sends_.assign(instance.ranks, false);
        carried_.assign(instance.channels.size(), 0);
        receive(0);
      }
    }
  }

  bool exist() const { return !before_.back().empty(); }

  /// What ranks can hold when each step begins, of schedules that end.
  std::vector<std::set<Held>> states() const {
    std::vector<std::set<Held>> result(before_.size());
    for (const auto& [held, from] : before_.back()) result.back().insert(held);
    for (std::size_t t = before_.size() - 1; t > 0; --t) {
      for (const Held& held : result[t]) {
        const auto& from = before_[t].at(held);
        result[t - 1].insert(from.begin(), from.end());
      }
    }
    return result;
  }

 private:
  std::uint32_t all() const { return (1U << packets_) - 1; }

  /// Chooses what ranks from v on receive.
  void receive(Rank v) {
    if (v == instance_.ranks) return end_step();
    if (in_time(v)) receive(v + 1);
    for (const std::size_t a : v == root_ ? std::vector<std::size_t>() : instance_.in[v]) {
      const Arc& arc = instance_.arcs[a];
      const auto full = [this](std::size_t c) { return carried_[c] == instance_.channels[c]; };
      if (sends_[arc.from] || std::ranges::any_of(arc.channels, full)) continue;
      take(arc, 1);
      for (std::uint32_t p = 0; p < packets_; ++p) {
        const bool new_one = arc.from != root_ || !in_order_ || t_ >= packets_ || p == t_;
        if ((now_[arc.from] & ~now_[v] & 1U << p) == 0 || !new_one) continue;
        next_[v] |= 1U << p;
        if (in_time(v)) receive(v + 1);
        next_[v] = now_[v];
      }
      take(arc, -1);
    }
  }
  /// Can the rank receive all that it lacks in the remaining steps?
  bool in_time(Rank v) const {
    const auto lacks = static_cast<std::uint64_t>(std::popcount(all() & ~next_[v]));
    return lacks < instance_.steps - t_;
  }
  void take(const Arc& arc, int sign) {
    sends_[arc.from] = sign > 0;
    for (const std::size_t c : arc.channels) carried_[c] += static_cast<std::uint64_t>(sign);
  }
  void end_step() {
    if (in_order_ && t_ < packets_ && !sends_[root_]) return;
    Held held = next_;
    if (instance_.channels.empty() && root_ == 0) std::sort(held.begin() + 1, held.end());
    before_[t_ + 1][held].insert(now_);
  }

  const Instance& instance_;
  Rank root_;
  std::uint32_t packets_;
  bool in_order_;
  std::vector<std::map<Held, std::set<Held>>> before_;  ///< by step: states, and those before
  std::uint64_t t_ = 0;
  Held now_, next_;
  std::vector<bool> sends_;
  std::vector<std::uint64_t> carried_;
};

std::uint64_t holders(const Held& held, Rank root, std::uint32_t packet) {
  std::uint64_t result = 0;
  for (Rank v = 0; v < held.size(); ++v) result += v != root && (held[v] >> packet & 1) != 0;
  return result;
}

bool by_messages(const Question& asked) {
  const auto copies = copy_question(asked);
  return copies && decided_by_messages(copies->instance, copies->chunks);
}

const Hints in_messages{.forced = false};

}  // namespace

TEST_CASE("prove: numbers of holders bound those of all broadcasts, most of them exactly") {
  std::uint64_t exact = 0, all = 0;
  for (const auto& [P, most] : {std::pair<Rank, std::uint32_t>{2, 4}, {3, 4}, {4, 3}, {5, 2}}) {
    for (std::uint32_t K = 1; K <= most; ++K) {
      for (std::uint64_t more = 0; more <= (P < 5 ? 1 : 0); ++more) {
        Question asked = at_bound(Collective::broadcast, P, 0, K, "duplex");
        asked.steps += more;
        const auto copies = copy_question(asked);
        const auto states = AllBroadcasts(copies->instance, 0, K, true).states();
        const HolderNumbers numbers(P, K, asked.steps);
        for (std::uint64_t t = 0; t <= asked.steps; ++t) {
          for (std::uint32_t p = 0; p < K; ++p) {
            std::set<std::uint64_t> counts;
            for (const Held& held : states[t]) counts.insert(holders(held, 0, p));
            const auto [low, high] = numbers.of(p, t);
            INFO(describe(asked) << ", packet " << p << ", step " << t);
            REQUIRE_FALSE(counts.empty());
            CHECK(low <= *counts.begin());
            CHECK(high >= *counts.rbegin());
            ++all;
            exact += low == *counts.begin() && high == *counts.rbegin() ? 1 : 0;
          }
        }
      }
    }
  }
  INFO(exact << " of " << all);
  CHECK(exact * 10 > all * 8);
}

TEST_CASE("prove: numbers of holders bound those of schedules that meet the bound") {
  for (Rank P = 2; P <= 40; ++P) {
    for (const std::uint32_t K : {1U, 2U, 5U, 8U}) {
      const Question asked = at_bound(Collective::broadcast, P, 0, K, "duplex");
      const Decision found = decide(asked, first_solver(), {});
      REQUIRE(found.answer == Answer::sat);
      const HolderNumbers numbers(P, K, asked.steps);
      std::map<Chunk, std::size_t> packet;  // numbered as the root sends them first
      std::vector<std::set<Rank>> held(K);
      for (std::uint64_t t = 0; t < asked.steps; ++t) {
        for (const Transfer& transfer : (*found.schedule)[t].transfers) {
          const auto number = packet.try_emplace(transfer.first, packet.size()).first->second;
          held[number].insert(transfer.dst);
        }
        for (std::size_t p = 0; p < K; ++p) {
          INFO(describe(asked) << ", packet " << p << ", after step " << t);
          CHECK(numbers.of(p, t + 1).least <= held[p].size());
          CHECK(numbers.of(p, t + 1).most >= held[p].size());
        }
      }
    }
  }
}

TEST_CASE("prove: what is lost in schedules that meet the bound adds up to their slack") {
  for (Rank P = 2; P <= 6; ++P) {
    for (std::uint32_t K = 1; K <= (P < 6 ? 3U : 2U); ++K) {
      const std::uint64_t q = std::bit_width(P - 1), T = K - 1 + q;
      const Question asked = question(Collective::broadcast, P, K, fmt::format("mesh:1x{}", P), T);
      INFO(describe(asked));
      const auto states = AllBroadcasts(make_instance(asked), 0, K, true).states();
      for (std::uint64_t t = q; t <= T; ++t) {
        for (const Held& held : states[t]) {
          std::uint64_t lost = 0;
          for (Rank v = 1; v < P; ++v)
            lost += static_cast<std::uint64_t>(std::popcount(held[v])) - (t - q + 1);
          for (std::uint32_t p = 0; p < std::min<std::uint64_t>(K, t); ++p) {
            const std::uint64_t had = holders(held, 0, p), age = t - p;
            const std::uint64_t most = p + 1 == K ? (1ULL << age) - 1 : 1ULL << (age - 1);
            lost += (age > q ? P - 1 : most) - had;
          }
          CHECK(lost == broadcast_slack(P));
        }
      }
    }
  }
}

TEST_CASE("prove: of 2^q ranks without a step to spare the numbers of holders are known") {
  for (std::uint64_t q = 1; q <= 6; ++q) {
    for (std::uint64_t K = 1; K <= 8; ++K) {
      const std::uint64_t P = std::uint64_t{1} << q;
      const HolderNumbers numbers(P, K, K - 1 + q);
      for (std::size_t p = 0; p < K; ++p) {
        for (std::uint64_t t = 0; t <= K - 1 + q; ++t) {
          const auto [low, high] = numbers.of(p, t);
          INFO(P << " ranks, " << K << " packets: " << p << " in step " << t);
          CHECK(low == high);
          // A half, with the root in the place of one of them for the last packet (the end).
          const std::uint64_t age = t > p ? t - p : 0;
          const bool last = p + 1 == K;
          const std::uint64_t half = std::uint64_t{1} << (std::min(age, q + 1) - (age > 0 ? 1 : 0));
          CHECK(low == (age == 0 ? 0 : age > q ? P - 1 : last ? 2 * half - 1 : half));
        }
      }
    }
  }
}

TEST_CASE("prove: which broadcasts are decided by their messages") {
  for (const char* machine : {"torus:1x6", "mesh:1x6", "mesh:2x3", "crossbar:a=2,b=3"}) {
    Question asked = at_bound(Collective::broadcast, 6, 2, 3, machine);
    INFO(machine);
    CHECK(by_messages(asked));
    CHECK(by_messages(at_bound(Collective::reduce, 6, 2, 3, machine)));
    CHECK_FALSE(by_messages(at_bound(Collective::allgather, 6, 0, 3, machine)));
    ++asked.steps;
    CHECK_FALSE(by_messages(asked));
  }
  for (const char* machine : {"duplex", "simplex", "kport:k=2", "torus:1x6,width=2",
                              "torus:1x6,ports=2", "logp:L=2,o=1,g=1"}) {
    CHECK_FALSE(by_messages(at_bound(Collective::broadcast, 6, 2, 3, machine)));
  }
  CHECK(by_messages(at_bound(Collective::broadcast, 64, 0, 8, "torus:1x64")));
  CHECK_FALSE(
      by_messages(at_bound(Collective::broadcast, 128, 0, 8, "torus:1x128")));  // too many messages
}

TEST_CASE("prove: messages and packets have the answers of an exhaustive search") {
  if (no_solver()) return;
  std::uint64_t found = 0;
  for (const auto& [machine, P, most] : {std::tuple{"mesh:1x3", Rank{3}, 3U},
                                         {"torus:1x3", 3, 3},
                                         {"mesh:1x4", 4, 3},
                                         {"torus:1x4", 4, 3},
                                         {"mesh:2x2", 4, 3},
                                         {"crossbar:a=2,b=2", 4, 3},
                                         {"mesh:1x5", 5, 2},
                                         {"torus:1x5", 5, 2}}) {
    for (std::uint32_t K = 1; K <= most; ++K) {
      for (Rank root = 0; root < P; ++root) {
        const Question asked = at_bound(Collective::broadcast, P, root, K, machine);
        if (!by_messages(asked)) continue;
        INFO(describe(asked));
        const auto copies = copy_question(asked);
        const bool any = AllBroadcasts(copies->instance, root, K, false).exist();
        CHECK(answer_with(in_messages, asked) == (any ? Answer::sat : Answer::unsat));
        CHECK(answer_with({}, asked) == (any ? Answer::sat : Answer::unsat));
        found += any ? 1 : 0;
      }
    }
  }
  CHECK(found > 30);
}

TEST_CASE("prove: three chunks do not reach all of a path of eight ranks in five steps") {
  if (no_solver()) return;
  const Question asked = at_bound(Collective::broadcast, 8, 2, 3, "mesh:1x8");
  const auto copies = copy_question(asked);
  CHECK_FALSE(AllBroadcasts(copies->instance, 2, 3, true).exist());
  CHECK(answer_with(in_messages, asked) == Answer::unsat);
}

TEST_CASE("prove: messages and packets have the answers of the other clauses") {
  if (no_solver()) return;
  std::uint64_t found = 0, none = 0;
  for (const auto& [machine, P] : {std::pair{"mesh:1x5", Rank{5}},
                                   {"torus:1x5", 5},
                                   {"mesh:1x6", 6},
                                   {"torus:1x6", 6},
                                   {"mesh:2x3", 6},
                                   {"torus:2x3", 6},
                                   {"crossbar:a=2,b=3", 6},
                                   {"crossbar:a=3,b=2", 6},
                                   {"mesh:1x7", 7},
                                   {"torus:1x7", 7},
                                   {"mesh:1x8", 8},
                                   {"mesh:2x4", 8},
                                   {"crossbar:a=2,b=4", 8}}) {
    for (std::uint32_t K = 1; K <= 4; ++K) {
      for (Rank root = 0; root < P; ++root) {
        const Question asked = at_bound(Collective::broadcast, P, root, K, machine);
        if (!by_messages(asked)) continue;
        INFO(describe(asked));
        const Answer any = answer_with({.guess = false, .forced = false, .messages = false}, asked);
        CHECK(answer_with(in_messages, asked) == any);
        CHECK(answer_with(in_messages, at_bound(Collective::reduce, P, root, K, machine)) == any);
        (any == Answer::sat ? found : none) += 1;
      }
    }
  }
  CHECK(found > 100);
  CHECK(none > 5);
}
