// Broadcasts that can only be exchanges: the answers of their formula are those of the definition.

#include <bit>

#include "catch.hpp"
#include "prove/sat/clauses/forced_exchanges.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

bool forced(const Question& asked) {
  const auto copies = copy_question(asked);
  return copies && must_exchange(copies->instance, copies->chunks);
}

}  // namespace

TEST_CASE("prove: which broadcasts can only be exchanges") {
  for (Rank P = 2; P <= 20; ++P) {
    for (std::uint32_t K = 1; K <= 3; ++K) {
      const std::string ring = "torus:1x" + std::to_string(P);
      Question asked = at_bound(Collective::broadcast, P, P / 2, K, ring);
      INFO(describe(asked));
      CHECK(forced(asked) == (std::has_single_bit(P) && P > 2));  // two links limit nothing
      CHECK(forced(at_bound(Collective::reduce, P, 0, K, ring)) == forced(asked));
      ++asked.steps;
      CHECK_FALSE(forced(asked));
    }
  }
  for (const char* machine : {"mesh:2x4", "crossbar:a=2,b=4"}) {
    CHECK(forced(at_bound(Collective::broadcast, 8, 3, 2, machine)));
    CHECK_FALSE(forced(at_bound(Collective::allgather, 8, 0, 2, machine)));
  }
  for (const char* machine : {"duplex", "simplex", "kport:k=2", "torus:1x8,width=2",
                              "torus:1x8,ports=2", "ebft", "logp:L=2,o=1,g=1"}) {
    CHECK_FALSE(forced(at_bound(Collective::broadcast, 8, 3, 2, machine)));
  }
}

TEST_CASE("prove: broadcasts that can only be exchanges have the answers of the definition") {
  if (no_solver()) return;
  std::uint64_t found = 0, none = 0;
  for (const auto& [machine, P, most] : {std::tuple{"mesh:1x4", Rank{4}, 6U},
                                         {"torus:1x4", 4, 6},
                                         {"mesh:2x2", 4, 6},
                                         {"crossbar:a=2,b=2", 4, 6},
                                         {"mesh:1x8", 8, 4},
                                         {"torus:1x8", 8, 4},
                                         {"mesh:2x4", 8, 4},
                                         {"torus:2x4", 8, 4},
                                         {"crossbar:a=2,b=4", 8, 4},
                                         {"crossbar:a=4,b=2", 8, 4}}) {
    for (std::uint32_t K = 1; K <= most; ++K) {
      for (Rank root = 0; root < P; ++root) {
        const Question asked = at_bound(Collective::broadcast, P, root, K, machine);
        if (!forced(asked)) continue;
        INFO(describe(asked));
        // Of eight ranks the definition alone would take long.
        const Answer any = answer_with(
            P == 4 ? Hints::none() : Hints{.guess = false, .forced = false, .messages = false},
            asked);
        CHECK(answer_with({}, asked) == any);
        CHECK(answer_with({}, at_bound(Collective::reduce, P, root, K, machine)) == any);
        (any == Answer::sat ? found : none) += 1;
      }
    }
  }
  CHECK(found > 100);
  CHECK(none > 5);
}

TEST_CASE("prove: on rings of sixteen ranks there are exchanges of few chunks") {
  if (no_solver()) return;
  for (std::uint32_t K = 1; K <= 3; ++K) {
    const Question asked = at_bound(Collective::reduce, 16, 5 * K, K, "torus:1x16");
    CHECK(answer_with({}, asked) == Answer::sat);
  }
}
