// Schedules of some kind, which the prover looks for before a solver decides: they hold, and they
// are there where the theory says so.

#include <algorithm>
#include <bit>
#include <chrono>
#include <tuple>
#include <utility>

#include "catch.hpp"
#include "prove/sat/clauses/pipeline.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/module_exchange.hpp"
#include "prove/sat/placing/rarest_first.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

using Messages = PipelineLines::Messages;

Question rooted(Collective collective, Rank P, Rank root, std::uint32_t K,
                const std::string& machine, std::uint64_t steps) {
  return question(Problem{collective, P, root, K, false, nullptr}, machine, steps);
}

/// The schedule that rarest_first finds; it has passed the checker.
std::shared_ptr<const Schedule> searched(const Question& asked, std::uint64_t receptions = 2'000) {
  const auto copies = copy_question(asked);
  REQUIRE(copies);
  auto found = rarest_first(copies->instance, copies->chunks, receptions);
  if (!found) return nullptr;
  found = copies->schedule(std::move(found));
  accept(asked, found);  // throws where it does not hold, or takes more steps
  return found;
}

/// The answer, and a model; unknown after ten seconds.
Answer solve_soon(const Encoding& encoding, Model& model) {
  SolverLimits limits;
  limits.deadline = SolverLimits::Clock::now() + std::chrono::seconds(10);
  return first_solver().front()->solve(encoding.formula, limits, model, "");
}

/// Is there a schedule of this kind? If so it has passed the checker.
Answer repeated(const Question& asked, const Hints& hints) {
  const Encoding encoding = encode(asked, hints);
  Model model;
  const Answer answer = solve_soon(encoding, model);
  if (answer == Answer::sat) accept(asked, encoding.schedule(model));
  return answer;
}

/// A schedule of short messages, if there is one.
std::shared_ptr<const Schedule> with_short_messages(const Question& asked) {
  const Encoding encoding = encode(asked, Hints{.short_messages = 5});
  Model model;
  return solve_soon(encoding, model) == Answer::sat ? encoding.schedule(model) : nullptr;
}

Answer pipeline(const Question& asked, const PipelineLines& lines = {}) {
  Hints hints;
  hints.pipeline = lines;
  return repeated(asked, hints);
}

Answer exchanges(const Question& asked) {
  Hints hints;
  hints.exchanges = true;
  return repeated(asked, hints);
}

Answer short_messages(const Question& asked) {
  Hints hints;
  hints.short_messages = 5;
  return repeated(asked, hints);
}

bool is_rooted(Collective collective) {
  return Problem{collective, 2, 0, 1, false, nullptr}.rooted();
}

std::uint64_t doublings(std::uint64_t P) {
  return static_cast<std::uint64_t>(std::bit_width(P - 1));
}

std::vector<Transfer> transfers(const Schedule& schedule) {
  std::vector<Transfer> all;
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    all.insert(all.end(), step.transfers.begin(), step.transfers.end());
  }
  return all;
}

/// On these numbers of ranks, and on no others, schedules of this kind take the least steps.
void meet_bound_on_duplex(Answer (*of_kind)(const Question&), bool (*meets)(Rank)) {
  for (Rank P = 2; P <= 12; ++P) {
    for (const std::uint32_t K : {1U, 2U, 5U}) {
      for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
        Question asked = rooted(collective, P, K % P, K, "duplex", K - 1 + doublings(P));
        INFO(describe(asked));
        CHECK(of_kind(asked) == (meets(P) ? Answer::sat : Answer::unsat));
        --asked.steps;
        CHECK(of_kind(asked) == Answer::unsat);
      }
    }
  }
}

}  // namespace

TEST_CASE("prove: pipelines are there on duplex, for every number of ranks and packets") {
  if (no_solver()) return;
  for (Rank P = 2; P <= 12; ++P) {
    for (const std::uint32_t K : {1U, 2U, 5U}) {
      const std::uint64_t T = K - 1 + doublings(P);
      for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
        Question asked = rooted(collective, P, K % P, K, "duplex", T);
        INFO(describe(asked));
        CHECK(pipeline(asked) == Answer::sat);
        --asked.steps;
        CHECK(pipeline(asked) == Answer::unsat);
      }
    }
  }
  // Packets of two chunks, and the last one of a single chunk.
  for (Rank root = 0; root < 6; ++root) {
    CHECK(pipeline(rooted(Collective::broadcast, 6, root, 5, "duplex:width=2", 5)) == Answer::sat);
  }
}

TEST_CASE("prove: pipelines through channels hold, whatever messages are admitted") {
  if (no_solver()) return;
  std::uint64_t found = 0, none = 0;
  for (const auto& [machine, P] : {std::pair{"mesh:1x4", Rank{4}},
                                   {"mesh:2x3", 6},
                                   {"mesh:2x4", 8},
                                   {"mesh:1x8", 8},
                                   {"torus:3x3", 9},
                                   {"torus:2x4", 8},
                                   {"torus:1x8", 8},
                                   {"torus:4x4", 16}}) {
    for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
      const Question asked = rooted(collective, P, 2, 5, machine, 4 + doublings(P));
      INFO(describe(asked));
      const Answer any = pipeline(asked);
      (any == Answer::sat ? found : none) += 1;
      for (const std::uint64_t columns : {2U, 3U, 4U}) {
        if (P % columns != 0) continue;
        for (const Messages lines : {Messages::rows_then_columns, Messages::rows_or_columns}) {
          const Answer some = pipeline(asked, {lines, columns, doublings(columns)});
          CHECK_FALSE((some == Answer::sat && any == Answer::unsat));
          found += some == Answer::sat ? 1 : 0;
        }
      }
    }
  }
  CHECK(found > 20);
  CHECK(none > 0);
}

TEST_CASE("prove: exchanges that repeat are there on duplex, for each power of two") {
  if (no_solver()) return;
  meet_bound_on_duplex(exchanges, [](Rank P) { return std::has_single_bit(P); });
}

TEST_CASE("prove: exchanges through channels are pipelines") {
  if (no_solver()) return;
  std::uint64_t found = 0, none = 0;
  for (const auto& [machine, P] : {std::pair{"mesh:1x4", Rank{4}},
                                   {"mesh:2x4", 8},
                                   {"mesh:1x8", 8},
                                   {"torus:2x4", 8},
                                   {"torus:1x8", 8},
                                   {"mesh:4x4", 16},
                                   {"torus:4x4", 16}}) {
    for (const Rank root : {0U, 2U}) {
      const Question asked = rooted(Collective::broadcast, P, root, 5, machine, 4 + doublings(P));
      INFO(describe(asked));
      const Answer some = exchanges(asked);
      found += some == Answer::sat ? 1 : 0;
      none += some == Answer::unsat ? 1 : 0;
      if (some == Answer::sat) CHECK(pipeline(asked) != Answer::unsat);
    }
  }
  CHECK(found > 5);
  CHECK(none > 0);
}

TEST_CASE("prove: short messages meet the bound on duplex, where all messages are short") {
  if (no_solver()) return;
  meet_bound_on_duplex(short_messages, [](Rank) { return true; });
  // Packets of two chunks, and the last one of a single chunk.
  for (Rank root = 0; root < 6; ++root) {
    const Question asked = rooted(Collective::broadcast, 6, root, 5, "duplex:width=2", 5);
    CHECK(short_messages(asked) == Answer::sat);
  }
}

TEST_CASE("prove: in rows of up to eight ranks short messages are there if any schedule is") {
  if (no_solver()) return;
  std::uint64_t found = 0;
  for (const std::string machine : {"torus:1x", "mesh:1x"}) {
    for (Rank P = 2; P <= 8; ++P) {
      for (std::uint32_t K = 1; K <= 4; ++K) {
        const Question asked = rooted(Collective::broadcast, P, K % P, K,
                                      machine + std::to_string(P), K - 1 + doublings(P));
        INFO(describe(asked));
        const Answer some = short_messages(asked), any = repeated(asked, {});
        CHECK(some == any);
        found += some == Answer::sat ? 1 : 0;
      }
    }
  }
  CHECK(found > 40);
}

TEST_CASE("prove: short messages meet the bound of long pipelines on rings") {
  if (no_solver()) return;
  for (const auto& [P, K] : {std::pair<Rank, std::uint32_t>{10, 8}, {12, 8}, {17, 8}, {19, 6}}) {
    const std::string ring = "torus:1x" + std::to_string(P);
    Question asked = rooted(Collective::reduce, P, 3, K, ring, K - 1 + doublings(P));
    INFO(describe(asked));
    CHECK(decide(asked, first_solver(), {}).answer == Answer::sat);
    --asked.steps;
    CHECK(short_messages(asked) == Answer::unsat);
  }
}

TEST_CASE("prove: all but the root receive in the last steps of short messages at the bound") {
  if (no_solver()) return;
  std::uint64_t found = 0;
  for (Rank P = 2; P <= 14; ++P) {
    for (const std::uint32_t K : {1U, 3U, 6U}) {
      const Rank root = K % P;
      const std::string ring = "torus:1x" + std::to_string(P);
      const Question asked = rooted(Collective::broadcast, P, root, K, ring, K - 1 + doublings(P));
      INFO(describe(asked));
      const auto schedule = with_short_messages(asked);
      if (!schedule) continue;
      ++found;
      std::vector<std::vector<std::uint64_t>> received(P);  // in which steps, by rank
      for (std::uint64_t row = 0; row < schedule->size(); ++row) {
        const Step step = (*schedule)[row];
        for (const Transfer& one : step.transfers) received[one.dst].push_back(step.number);
      }
      for (Rank v = 0; v < P; ++v) {
        if (v == root) continue;
        REQUIRE(received[v].size() == K);
        for (std::uint32_t i = 1; i < K; ++i) CHECK(received[v][i] == doublings(P) + i - 1);
      }
    }
  }
  CHECK(found > 30);
}

TEST_CASE("prove: short messages meet the bound on grids of two and three rows") {
  if (no_solver()) return;
  for (const auto& [grid, P, K] : {std::tuple<std::string, Rank, std::uint32_t>{"mesh:2x5", 10, 8},
                                   {"torus:2x6", 12, 8},
                                   {"mesh:3x6", 18, 8},
                                   {"mesh:9x2", 18, 8},
                                   {"torus:3x7", 21, 6}}) {
    for (const Rank root : {Rank{0}, P / 2}) {
      const Question asked = rooted(Collective::broadcast, P, root, K, grid, K - 1 + doublings(P));
      INFO(describe(asked));
      CHECK(short_messages(asked) == Answer::sat);
    }
  }
}

TEST_CASE("prove: short messages take one step more where the bound is not met") {
  if (no_solver()) return;
  for (std::uint32_t K = 4; K <= 6; ++K) {
    CHECK(short_messages(rooted(Collective::broadcast, 16, K, K, "torus:1x16", K + 4)) ==
          Answer::sat);
  }
}

TEST_CASE("prove: other questions have no pipelines, nor short messages") {
  for (const Question& asked : {question(Collective::scatter, 4, 2, "duplex", 9),
                                question(Collective::allgather, 4, 2, "duplex", 9),
                                question(Collective::broadcast, 4, 2, "kport:k=2", 9),
                                question(Collective::broadcast, 4, 2, "simplex", 9),
                                question(Collective::broadcast, 4, 2, "ebft", 9),
                                question(Collective::broadcast, 4, 2, "logp:L=2,o=1,g=1", 19)}) {
    INFO(describe(asked));
    Hints hints;
    hints.pipeline.emplace();
    CHECK(encode(asked, hints).formula.refuted());
    hints.exchanges = true;
    CHECK(encode(asked, hints).formula.refuted());
    CHECK(encode(asked, Hints{.short_messages = 5}).formula.refuted());
  }
}

TEST_CASE("prove: what is found with the rarest packets first holds, and is the same each time") {
  std::uint64_t found = 0;
  for (const char* machine : {"duplex", "duplex:width=3", "kport:k=2", "kport:k=3", "mesh:2x4",
                              "torus:2x4,ports=2", "crossbar:a=2,b=4"}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather,
          Collective::allgather, Collective::reduce_scatter, Collective::alltoall}) {
      for (std::uint32_t K = 1; K <= 4; ++K) {
        for (const Rank root : {0U, 5U}) {
          Question asked = rooted(collective, 8, is_rooted(collective) ? root : 0, K, machine, 0);
          const std::uint64_t bound = counted_bound(asked).steps.value_or(0);
          for (asked.steps = bound; asked.steps <= 2 * bound + 2; ++asked.steps) {
            INFO(describe(asked));
            const auto first = searched(asked, 500);
            if (!first) continue;
            ++found;
            CHECK(transfers(*first) == transfers(*searched(asked, 500)));
            break;
          }
          CHECK(asked.steps <= 2 * bound + 2);
        }
      }
    }
  }
  CHECK(found > 300);
  for (const char* machine : {"simplex", "ebft", "logp:L=2,o=1,g=1"}) {
    CHECK_FALSE(searched(question(Collective::broadcast, 4, 2, machine, 30)));
  }
}

TEST_CASE("prove: nothing is found in fewer steps than the least") {
  if (no_solver()) return;
  std::uint64_t met = 0, all = 0;
  for (const char* machine : {"duplex", "kport:k=2", "mesh:1x5", "torus:1x5"}) {
    for (const Collective collective : {Collective::broadcast, Collective::allgather}) {
      for (std::uint32_t K = 1; K <= 4; ++K) {
        Question asked = question(collective, 5, K, machine);
        asked.steps = least(asked).least;
        INFO(describe(asked));
        ++all;
        met += searched(asked) ? 1 : 0;
        --asked.steps;
        CHECK_FALSE(searched(asked));
      }
    }
  }
  CHECK(2 * met > all);
}

TEST_CASE("prove: broadcasts with k ports take the steps in which ranks can receive all packets") {
  if (no_solver()) return;
  std::uint64_t met = 0, all = 0;
  for (const std::uint64_t k : {2U, 3U}) {
    for (const Rank P : {9U, 16U, 24U, 27U, 36U}) {
      for (const std::uint32_t K : {3U, 6U, 8U}) {
        // In step t at most (k + 1)^t ranks can send, and only P - 1 receive anything.
        std::uint64_t T = 0;
        for (std::uint64_t holders = 1, room = 0; room < K * (P - 1); ++T) {
          room += k * std::min<std::uint64_t>(holders, P - 1);
          holders *= k + 1;
        }
        Question asked =
            question(Collective::broadcast, P, K, "kport:k=" + std::to_string(k), T - 1);
        INFO(describe(asked));
        CHECK(encode(asked).formula.refuted());
        CHECK_FALSE(searched(asked));
        ++all;
        asked.steps = T;
        met += searched(asked, 20'000) ? 1 : 0;
        asked.steps = T + 1;
        CHECK(searched(asked, 20'000));
      }
    }
  }
  CHECK(4 * met > 3 * all);
  const Decision decision =
      decide(question(Collective::broadcast, 64, 8, "kport:k=2", 8), first_solver(), {});
  CHECK(decision.answer == Answer::sat);
  CHECK(decision.construction == "deadlines");
  const Decision through_channels =
      decide(question(Collective::broadcast, 24, 5, "torus:4x6", 9), first_solver(), {});
  CHECK(through_channels.answer == Answer::sat);
  CHECK(through_channels.construction == "rarest first");
}

TEST_CASE("prove: broadcasts that no algorithm has in the least number of steps") {
  if (no_solver()) return;
  for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
    const Question asked = rooted(collective, 16, 5, 8, "torus:4x4", 11);
    CHECK(decide(asked, first_solver(), {}).answer == Answer::sat);
    Question less = asked;
    less.steps = 10;
    CHECK(decide(less, first_solver(), {}).answer == Answer::unsat);
  }
}

TEST_CASE("prove: exchanges between modules meet the bound, with one message into each and out") {
  for (std::uint64_t outer = 1; outer <= 4; ++outer) {
    for (std::uint64_t local = 1; outer + local <= 6; ++local) {
      const Rank a = 1U << outer, b = 1U << local, P = a * b;
      for (const std::uint32_t width : {1U, 3U}) {
        const std::string machine = "crossbar:a=" + std::to_string(a) + ",b=" + std::to_string(b) +
                                    ",in=1,out=1,width=" + std::to_string(width);
        for (std::uint32_t K = 1; K <= 9; ++K) {
          const std::uint64_t steps = exchange_steps(P, (K + width - 1) / width);
          for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
            const Question asked = rooted(collective, P, 7 * K % P, K, machine, steps);
            INFO(describe(asked));
            CHECK(counted_bound(asked).steps == steps);
            const auto copies = copy_question(asked);
            REQUIRE(copies);
            auto found = module_exchange(copies->instance, copies->chunks, b);
            REQUIRE(found);
            CHECK_NOTHROW(accept(asked, copies->schedule(std::move(found))));
          }
        }
      }
    }
  }
}

TEST_CASE("prove: other questions have no exchanges between modules") {
  const auto exchanged = [](const Question& asked, std::uint64_t columns) {
    const auto copies = copy_question(asked);
    return module_exchange(copies->instance, copies->chunks, columns) != nullptr;
  };
  const auto broadcast = [](Rank P, const std::string& machine) {
    return question(Collective::broadcast, P, 2, machine, 9);
  };
  CHECK(exchanged(broadcast(8, "duplex"), 4));
  for (const std::uint64_t columns : {1U, 3U, 8U, 16U}) {
    CHECK_FALSE(exchanged(broadcast(8, "duplex"), columns));
  }
  CHECK_FALSE(exchanged(broadcast(12, "crossbar:a=3,b=4"), 4));
  CHECK_FALSE(exchanged(broadcast(8, "simplex"), 4));
  CHECK_FALSE(exchanged(question(Collective::scatter, 8, 2, "duplex", 9), 4));
  CHECK_FALSE(exchanged(question(Collective::allgather, 8, 2, "duplex", 9), 4));
}
