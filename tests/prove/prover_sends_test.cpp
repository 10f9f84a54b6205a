// What the messages of a source can spread on machines with k ports: against an exhaustive
// assignment of its messages, and against solvers without this count.

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "prove/sat/bounds/source_sends.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// Can messages of these values, each for one chunk, cover what the chunks lack? By trying all
/// assignments, the least valuable messages first.
class Assignments {
 public:
  explicit Assignments(std::vector<std::uint64_t> values) : values_(std::move(values)) {
    std::ranges::sort(values_);
  }

  bool cover(std::vector<std::uint64_t> lacking, std::size_t first = 0) {
    std::erase(lacking, 0);
    if (lacking.empty()) return true;
    if (first == values_.size()) return false;
    std::ranges::sort(lacking);
    const auto [known, fresh] = known_.try_emplace({first, lacking}, false);
    if (!fresh) return known->second;
    bool result = cover(lacking, first + 1);
    for (std::size_t c = 0; c < lacking.size() && !result; ++c) {
      auto rest = lacking;
      rest[c] -= std::min(rest[c], values_[first]);
      result = cover(std::move(rest), first + 1);
    }
    return known_[{first, lacking}] = result;
  }

 private:
  std::vector<std::uint64_t> values_;
  std::map<std::pair<std::size_t, std::vector<std::uint64_t>>, bool> known_;
};

/// The values of the messages of a root in T steps: how many ranks have a packet through one.
std::vector<std::uint64_t> message_values(std::uint64_t messages, std::uint64_t k,
                                          std::uint64_t T) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t t = 0, value = 1; t < T; ++t, value *= k + 1) {
    result.insert(result.end(), messages, value);
  }
  return result;
}

}  // namespace

TEST_CASE("prove: what a root can spread is what some assignment of its messages covers") {
  std::uint64_t possible = 0, impossible = 0;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    for (std::uint64_t T = 0; T <= 4; ++T) {
      for (Rank P = 2; P <= 30; P += P < 12 ? 1 : 3) {
        Assignments oracle(message_values(std::min<std::uint64_t>(k, P - 1), k, T));
        for (std::uint32_t K = 1; K <= 4; ++K) {
          const auto copies = copy_question(with_ports(Collective::broadcast, P, 0, K, k, T));
          const bool can = oracle.cover(std::vector<std::uint64_t>(K, P - 1));
          INFO("P " << P << " K " << K << " k " << k << " T " << T);
          CHECK(overtaxed_sources(copies->instance, copies->chunks).empty() == can);
          ++(can ? possible : impossible);
        }
      }
    }
  }
  CHECK(possible > 100);
  CHECK(impossible > 100);
}

TEST_CASE("prove: what a source can spread, of chunks for different numbers of goals") {
  std::uint64_t seed = 1, possible = 0, impossible = 0;
  const auto below = [&](std::uint64_t n) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (seed >> 33U) % n;
  };
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t k = 1 + below(3), T = 1 + below(3), width = 1 + below(2);
    const Question asked = with_ports(Collective::broadcast, 40, 0, 1, k, T, width);
    std::vector<Delivery> chunks(1 + below(4));
    std::vector<std::uint64_t> lacking;
    for (Delivery& chunk : chunks) {
      chunk.sources = {0};
      chunk.goals.resize(1 + below(39));
      std::iota(chunk.goals.begin(), chunk.goals.end(), 1);
      lacking.push_back(chunk.goals.size());
    }
    chunks.push_back({{0, 1}, {2, 3, 4}});  // which others may spread
    const bool can = Assignments(message_values(k * width, k, T)).cover(lacking);
    INFO("k " << k << " T " << T << " width " << width);
    CHECK(overtaxed_sources(copy_question(asked)->instance, chunks).empty() == can);
    ++(can ? possible : impossible);
  }
  CHECK(possible > 50);
  CHECK(impossible > 50);
}

TEST_CASE("prove: solvers without the count confirm that a root cannot spread so much") {
  if (no_solver()) return;
  std::uint64_t refuted = 0;
  for (std::uint64_t k = 2; k <= 4; ++k) {
    for (Rank P = 3; P <= 9; ++P) {
      for (std::uint32_t K = 1; K <= 3; ++K) {
        for (std::uint64_t T = 1; T <= 2; ++T) {
          const Question asked = with_ports(Collective::broadcast, P, K % P, K, k, T);
          const auto copies = copy_question(asked);
          const bool spread = overtaxed_sources(copies->instance, copies->chunks).empty();
          if (spread || !receivable(P, K, k, T)) continue;
          INFO(describe(asked));
          ++refuted;
          CHECK(decide(asked, first_solver(), {}, Hints::none()).answer == Answer::unsat);
          CHECK(encode(asked).formula.refuted());
        }
      }
    }
  }
  CHECK(refuted > 0);
}

TEST_CASE("prove: what all ranks receive in many steps is what they receive in each") {
  for (const char* machine : {"duplex", "simplex", "kport:k=3"}) {
    for (const Rank P : {2U, 5U, 16U}) {
      for (std::uint64_t T = 60; T <= 90; ++T) {
        const Question sized = question(Collective::allgather, P, 1, machine, T);
        const auto one = copy_question(sized);
        const std::uint64_t all = most_received(one->instance, one->chunks, T).back().value();
        for (const std::uint64_t wanted : {all / (P - 1) / P, all / (P - 1) / P + 1}) {
          const auto copies = copy_question(
              question(Collective::allgather, P, static_cast<std::uint32_t>(wanted), machine, T));
          INFO(machine << ' ' << P << ' ' << wanted << ' ' << T);
          const bool overtaxed = !overtaxed_sources(copies->instance, copies->chunks).empty();
          CHECK(too_many(copies->instance, copies->chunks) ==
                (overtaxed || wanted * P * (P - 1) > all));
        }
      }
    }
  }
}
