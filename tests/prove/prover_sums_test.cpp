// Allreduces by sums along trees: what is found holds, exists only where there is a schedule, and
// meets the count of transfers that algorithms and contributions did not.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "prove/sat/clauses/sum_trees.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// Is there a schedule by sums along trees that so many pairings preserve? If so it has passed the
/// checker.
bool summed(const Question& asked, std::size_t pairings) {
  const Encoding encoding =
      encode_sum_trees(make_instance(asked), asked.problem, pairings, nullptr);
  Model model;
  const Answer answer = first_solver().front()->solve(encoding.formula, {}, model, "");
  CHECK(answer != Answer::unknown);
  if (answer == Answer::sat) accept(asked, encoding.schedule(model));  // throws if it does not hold
  return answer == Answer::sat;
}

/// The steps for the fewest transfers, 2 (P - 1) of each chunk, if ports are never idle.
std::uint64_t busy_steps(std::uint64_t P, std::uint64_t K, std::uint64_t each_step) {
  return (2 * (P - 1) * K + each_step - 1) / each_step;
}

}  // namespace

TEST_CASE("prove: sums along trees hold, and exist only where there is a schedule") {
  if (no_solver()) return;
  std::uint64_t found = 0, none = 0;
  for (Rank P = 2; P <= 4; ++P) {
    for (std::uint32_t K = 1; K <= 2; ++K) {
      for (const char* machine : {"duplex", "simplex", "kport:k=2", "duplex:width=2", "mesh:1x"}) {
        std::string spec = machine;
        if (spec.ends_with("1x")) spec += std::to_string(P);
        Question asked = question(Collective::allreduce, P, K, spec);
        const std::uint64_t fewest = least(asked).least;
        for (asked.steps = fewest - 1; asked.steps <= fewest + 3; ++asked.steps) {
          INFO(describe(asked));
          for (std::size_t pairings = 0; pairings <= 1; ++pairings) {
            const bool exists = summed(asked, pairings);
            ++(exists ? found : none);
            if (asked.steps < fewest) CHECK_FALSE(exists);
          }
        }
        // One chunk after the other, all of the transfers in steps of their own.
        asked.steps = 2 * std::uint64_t{P - 1} * K;
        CHECK(summed(asked, 0));
      }
    }
  }
  CHECK(found > 100);
  CHECK(none > 50);
}

TEST_CASE("prove: pairings preserve sums along trees where their products divide the packets") {
  const auto pairings_of = [](Rank P, std::uint32_t K, const char* machine, std::size_t most) {
    const Question asked = question(Collective::allreduce, P, K, machine, 40);
    return encode_sum_trees(make_instance(asked), asked.problem, most, nullptr).pairings;
  };
  CHECK(pairings_of(8, 8, "duplex", SIZE_MAX) == 3);
  CHECK(pairings_of(8, 8, "duplex", 2) == 2);
  CHECK(pairings_of(8, 12, "kport:k=2", SIZE_MAX) == 2);
  CHECK(pairings_of(8, 16, "duplex:width=4", SIZE_MAX) == 2);
  CHECK(pairings_of(8, 7, "duplex", SIZE_MAX) == 0);
  CHECK(pairings_of(6, 8, "torus:2x3", SIZE_MAX) == 1);
  CHECK(pairings_of(7, 8, "duplex", SIZE_MAX) == 0);
}

TEST_CASE("prove: sums along trees keep all ports busy") {
  if (no_solver()) return;
  const auto decided = [](Rank P, std::uint32_t K, const char* machine, std::uint64_t steps) {
    INFO(machine << ", " << P << " ranks, " << K << " chunks");
    Question asked = question(Collective::allreduce, P, K, machine, steps);
    bool found = false;  // with all pairings, or fewer
    for (std::size_t pairings = 4; pairings-- > 0 && !found;) found = summed(asked, pairings);
    CHECK(found);
    --asked.steps;
    CHECK(decide(asked, first_solver(), {}).answer == Answer::unsat);
  };
  decided(8, 8, "simplex", busy_steps(8, 8, 4));
  decided(8, 8, "kport:k=2", busy_steps(8, 8, 16));
  decided(8, 8, "kport:k=3", busy_steps(8, 8, 24));
  decided(4, 4, "simplex", busy_steps(4, 4, 2));
}

TEST_CASE("prove: other questions have no sums along trees") {
  const auto refuted = [](const Question& asked) {
    return encode_sum_trees(make_instance(asked), asked.problem, 0, nullptr).formula.refuted();
  };
  CHECK_FALSE(refuted(question(Collective::allreduce, 4, 2, "duplex", 9)));
  Problem ordered{Collective::allreduce, 4, 0, 2, true, nullptr};
  CHECK(refuted(question(ordered, "duplex", 9)));
  CHECK(refuted(question(Collective::scan, 4, 2, "duplex", 9)));
  CHECK(refuted(question(Collective::broadcast, 4, 2, "duplex", 9)));
  CHECK(refuted(question(Collective::allreduce, 4, 2, "ebft", 9)));
  CHECK(refuted(question(Collective::allreduce, 3, 1, "logp:L=3,o=1,g=2", 20)));
}
